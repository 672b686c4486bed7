"""Manifests in the code blocks of documents: which blocks are judged, where findings are, what is rewritten."""

from __future__ import annotations

from pathlib import Path

import pytest

from dralint.editor.workspace import Workspace
from tests.conftest import GOOD_CLAIM, OLD_CLAIM, Run

BAD = GOOD_CLAIM + "        cuont: 2\n"
"""A claim with an unknown field in line 12, column 9."""
TEMPLATE = GOOD_CLAIM.replace("kind: ResourceClaim", "kind: ResourceClaimTemplate").replace(
    "spec:\n  devices:\n    requests:\n    - name: gpu\n      exactly:\n        deviceClassName: gpu.example.com\n",
    "spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.example.com}}]}}}\n",
)
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: team-a}
spec:
  containers: [{name: c, image: i, resources: {claims: [{name: gpu}]}}]
  resourceClaims:
  - {name: gpu, resourceClaimTemplateName: trian}
"""
JSON = (
    '{"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"name": "x"},\n'
    ' "spec": {"devices": {"requestz": []}}}\n'
)

pytestmark = pytest.mark.usefixtures("workdir")


def indented(text: str, by: str) -> str:
    return "".join(by + line if line.strip() else line for line in text.splitlines(keepends=True))


def fenced(text: str, info: str = "yaml", fence: str = "```") -> str:
    return f"{fence}{info}\n{text}{fence}\n"


JUDGED = {
    "plain": ("a.md", "# T\n\n" + fenced(BAD), (15, 9)),
    "yml": ("a.md", fenced(BAD, "yml"), (13, 9)),
    "upper case": ("README.MD", fenced(BAD, "YAML"), (13, 9)),
    "tildes": ("a.markdown", fenced(BAD, " yaml", "~~~~"), (13, 9)),
    "title": ("a.md", fenced(BAD, 'yaml title="claim.yaml"'), (13, 9)),
    "line numbers": ("a.md", fenced(BAD, 'yaml {linenums="1"}'), (13, 9)),
    "classes": ("a.md", fenced(BAD, "{ .yaml .numberLines }"), (13, 9)),
    "highlighted lines": ("a.md", fenced(BAD, "yaml{1,3-4}"), (13, 9)),
    "directive in Markdown": ("a.md", fenced(":caption: x\n\n" + BAD, "{code-block} yaml"), (15, 9)),
    "in a list": ("a.md", "1. Apply:\n\n   - this:\n\n" + indented(fenced(BAD), "     "), (17, 14)),
    "on the line of an item": ("a.md", "- ```yaml\n" + indented(BAD, "  ") + "  ```\n", (13, 11)),
    "quoted": ("a.md", indented(fenced(BAD), "> "), (13, 11)),
    "carriage returns": ("a.md", ("é\n\n" + fenced(BAD)).replace("\n", "\r\n"), (15, 9)),
    "byte order mark": ("a.md", "\ufeff" + fenced(BAD), (13, 9)),
    "not ASCII before": ("a.md", "Zürich 😀 日本\n\n" + fenced(BAD), (15, 9)),
    "front matter": ("a.md", "---\nkind: page\n---\n\n" + fenced(BAD), (17, 9)),
    "rules and prose": ("a.md", "a\n\n---\n\n" + fenced(BAD) + "\n---\n\nb: [\n", (17, 9)),
    "separator in a list": ("a.md", "1. x\n\n" + indented(fenced(GOOD_CLAIM + "---\n" + BAD), "   "), (27, 12)),
    "longer fence": ("a.md", fenced(BAD, "yaml", "`````"), (13, 9)),
    "reStructuredText": ("a.rst", "T\n=\n\n.. code-block:: yaml\n\n" + indented(BAD, "   ") + "\nend\n", (17, 12)),
    "code with an option": ("a.rst", ".. code:: yaml\n   :number-lines:\n\n" + indented(BAD, "    "), (15, 13)),
    "sourcecode": ("a.rst", "* x\n\n  .. sourcecode:: YAML\n     :linenos:\n\n" + indented(BAD, "     "), (17, 14)),
}

PASSED_OVER = {
    "another language": fenced("cat <<E | kubectl apply -f -\n" + BAD + "E\n", "bash"),
    "a block within a block": fenced(fenced(BAD), "markdown", "````"),
    "not closed": "```yaml\n" + BAD + "\nprose: here: and\n",
    "hidden": "<!--\n" + fenced(BAD) + "-->\n",
    "dots": fenced(BAD + "...\n"),
    "dots of a value": fenced(BAD.replace("namespace: team-a", "labels: {...}")),
    "dots of a comment": fenced(BAD + "    # ...\n"),
    "an ellipsis": fenced(BAD + "  …\n"),
    "a word for the rest": fenced(BAD + "  # other fields as above\n"),
    "a value for the reader": fenced(BAD.replace("name: train", "name: <your-claim>")),
    "a difference": fenced(BAD.replace("  name: train\n", "-  name: train\n+  name: other\n")),
    "fields without an object": fenced("spec:\n  devices:\n    deviceClassNames: []\n"),
    "an object without metadata": fenced(BAD.replace("metadata:\n  name: train\n  namespace: team-a\n", "")),
    "prose that is not YAML": fenced("resource.k8s.io: [\n  claims: {\n"),
    "JSON with comments": fenced("// x\n" + JSON, "jsonc"),
    "JSON that is cut": fenced('{"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {', "json"),
}


@pytest.mark.parametrize(("name", "text", "place"), JUDGED.values(), ids=list(JUDGED))
def test_a_block_is_judged_at_the_lines_of_its_document(
    check: Run, name: str, text: str, place: tuple[int, int]
) -> None:
    Path(name).write_text(text, encoding="utf-8", newline="")

    outcome = check(".")

    assert [(f["rule"], f["file"], f["line"], f["column"]) for f in outcome.report["findings"]] == [
        ("DRA101", name, *place)
    ]
    assert outcome.report["findings"][0]["message"] == 'unknown field "cuont"'


@pytest.mark.parametrize(("name", "text", "place"), JUDGED.values(), ids=list(JUDGED))
def test_fix_changes_a_block_and_nothing_else(run: Run, name: str, text: str, place: tuple[int, int]) -> None:
    Path(name).write_text(text, encoding="utf-8", newline="")

    outcome = run("fix", "--write", name)

    assert outcome.status == 0, place
    assert Path(name).read_bytes() == text.replace("cuont", "count").encode()


@pytest.mark.parametrize("text", PASSED_OVER.values(), ids=list(PASSED_OVER))
def test_a_block_is_passed_over(check: Run, text: str) -> None:
    Path("a.md").write_text(text, encoding="utf-8")

    assert check("a.md").report["findings"] == []
    assert check(".").report["summary"]["files"] == 0


def test_a_manifest_that_cannot_be_read_is_reported(check: Run) -> None:
    Path("a.md").write_text(fenced(GOOD_CLAIM.replace("kind: ResourceClaim", "kind: ResourceClaim: x")))

    found = check("a.md").report["findings"]

    assert [(f["rule"], f["line"]) for f in found] == [("DRA002", 3)]
    assert "mapping" in found[0]["message"]


def test_json_is_judged(check: Run) -> None:
    Path("a.md").write_text("x\n\n" + fenced(JSON, "json"))

    assert check("a.md").findings == [("DRA101", "spec.devices.requestz", 5, 23)]


@pytest.mark.parametrize("options", [(), ("--complete",)])
def test_blocks_are_alternatives(check: Run, options: tuple[str, ...]) -> None:
    Path("a.md").write_text("\nor\n".join(map(fenced, (GOOD_CLAIM, GOOD_CLAIM, TEMPLATE, POD))))
    Path("a.yaml").write_text(GOOD_CLAIM)

    found = check(".", "--known-class", "gpu.example.com", *options).report["findings"]

    assert [f["rule"] for f in found if f["file"] == "a.md"] == []


def test_references_within_a_block_are_judged(check: Run) -> None:
    Path("a.md").write_text("x\n\n" + fenced(TEMPLATE + "---\n" + POD))

    found = check(".").report["findings"]

    assert [(f["rule"], f["line"]) for f in found] == [("DRA402", 17)]
    assert "trian" in found[0]["message"]


def test_comments_suppress(check: Run) -> None:
    Path("a.md").write_text(fenced(BAD.replace("cuont: 2", "cuont: 2 # dralint: ignore[DRA101] to show it")))

    report = check(".").report

    assert (report["findings"], report["summary"]["suppressed"]) == ([], 1)


def test_ignores_are_added_within_blocks(run: Run) -> None:
    text = "Text\n\n" + indented(fenced(BAD), "> ")
    Path("a.md").write_text(text)

    run("check", "--add-ignore=shown", ".")

    line = ">         cuont"
    assert Path("a.md").read_text() == text.replace(line, f">         # dralint: ignore[DRA101] shown\n{line}")


@pytest.mark.parametrize("sign", ["", "   ", "> ", "> > "])
def test_migrate_keeps_the_rest_of_the_document(run: Run, sign: str) -> None:
    new = OLD_CLAIM.replace("v1beta1", "v1").replace(
        "      deviceClassName: gpu.example.com\n",
        "      exactly:\n        deviceClassName: gpu.example.com\n",
    )
    text = "é <b>\n\n" + indented(fenced(OLD_CLAIM), sign) + "\nend\n"
    Path("a.md").write_text(text, encoding="utf-8")

    run("migrate", "--to", "v1", "--write", ".")

    assert Path("a.md").read_text(encoding="utf-8") == text.replace(indented(OLD_CLAIM, sign), indented(new, sign))


def test_only_documents_with_manifests_are_found(check: Run) -> None:
    Path("a.md").write_text(fenced("a: 1\n"))
    Path("b.rst").write_text(".. code-block:: yaml\n\n" + indented(GOOD_CLAIM, "  "))
    Path("c.txt").write_text(fenced(GOOD_CLAIM))
    Path(".d.md").write_text("resource.k8s.io")

    summary = check(".").report["summary"]

    assert (summary["files"], summary["objects"]) == (1, 1)


def test_diff_and_simulate_take_named_documents_only(run: Run) -> None:
    for folder, text in (("old", GOOD_CLAIM), ("new", GOOD_CLAIM.replace("gpu.example.com", "b.example.com"))):
        Path(folder).mkdir()
        Path(folder, "a.md").write_text("x\n\n" + fenced(text))

    named = run("diff", "old/a.md", "new/a.md", "--format", "concise")

    assert run("diff", "old", "new", "--format", "concise").stdout == ""
    assert named.stdout.startswith("new/a.md:14:26: error DRA601 ")


def test_standard_input_can_be_a_document(check: Run) -> None:
    outcome = check("-", "--stdin-filename", "a.md", stdin="x: [\n" + fenced(BAD))

    assert outcome.findings == [("DRA101", "spec.devices.requests[0].exactly.cuont", 14, 9)]


def test_an_editor_gets_the_findings_of_a_document() -> None:
    workspace = Workspace()
    text = "é\n\n" + fenced(BAD) + "\n" + fenced(GOOD_CLAIM)
    workspace.open("a.md", text)

    (found,) = workspace.findings()["a.md"]

    assert (found.rule, found.line, found.column) == ("DRA101", 15, 9)
    assert [held.start for held in workspace.held("a.md")] == [0, text.index("api"), text.rindex("api")]
