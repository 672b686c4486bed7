"""Metadata of objects: names, labels, annotations, owners."""

from __future__ import annotations

import pytest

from dralint.finding.finding import Finding
from tests.judged import judged


def findings(metadata: str, kind: str = "ResourceClaim", release: str = "1.37") -> list[Finding]:
    """Return what is said of metadata, which stands in line 4."""
    text = f"apiVersion: resource.k8s.io/v1\nkind: {kind}\nmetadata:\n  {metadata}\nspec: {{}}\n"
    report = judged(text, release)
    return report.findings


def said(metadata: str, kind: str = "ResourceClaim", release: str = "1.37") -> list[tuple[str, str, int, str]]:
    """Return rule, path, column and message of each finding."""
    return [(f.rule, f.path, f.column, f.message) for f in findings(metadata, kind, release)]


@pytest.mark.parametrize("field", ["labels", "annotations"])
@pytest.mark.parametrize(("beside", "hint"), [("", 'did you mean "app"?'), (", app: x", None)])
def test_a_key_that_is_there_already_is_not_proposed(field: str, beside: str, hint: str | None) -> None:
    (finding,) = findings(f"{{name: a, {field}: {{-app: x{beside}}}}}")

    assert (finding.rule, finding.path, finding.line) == ("DRA207", f"metadata.{field}", 4)
    assert finding.message.startswith(f'{field[:-1]} key "-app" is not a key: ')
    assert hint is None or finding.hint == hint
    assert (finding.fix is None) == (hint is None)


def test_annotations_are_256_kib_together() -> None:
    message = "the annotations are 262145 bytes long together; at most 262144 are allowed"

    assert said(f"{{name: a, annotations: {{b: {'x' * 262143}}}}}") == []
    assert said(f"{{name: a, annotations: {{b: {'x' * 262144}}}}}") == [("DRA211", "metadata.annotations", 26, message)]
