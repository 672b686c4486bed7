"""A separator inside of a block scalar cuts an object in two."""

from __future__ import annotations

import pytest

from tests.judged import judged

HEAD = "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata:\n  name: a\n"
HEAD += "  annotations:\n    note: |\n      one\n"
REST = "spec:\n  devices: {requests: [{name: a, exactly: {deviceClassName: b}}]}\n"


def said(text: str) -> list[tuple[str, str, int, int]]:
    report = judged(text)
    return [(f.rule, f.effect, f.document, f.line) for f in report.findings if f.rule in ("DRA014", "DRA009")]


@pytest.mark.parametrize(
    "text",
    [
        HEAD + REST,
        HEAD + "      ---\n      two\n" + REST,
        f"{HEAD}---\n{HEAD}{REST}",
        f"{HEAD}---\n",
        f"{HEAD}---\n# nothing\n",
        HEAD.replace("|\n      one", "one") + f"---\n{REST}",
        HEAD + "---\nreplicas: 1\n",
        "a: |\n  b\n---\n  c\n",
    ],
)
def test_two_documents_are_no_cut(text: str) -> None:
    assert said(text) == []
