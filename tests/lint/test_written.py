"""What the text of a manifest shows: placeholders, tags, missing spaces."""

from __future__ import annotations

import pytest

from dralint.config.settings import Settings
from dralint.finding.report import Report
from dralint.kubernetes.release import Release
from dralint.lint.linter import Linter
from tests.judged import judged

HEAD = "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata:\n  name: {name}\n"
REQUEST = "spec:\n  devices:\n    requests:\n    - name: gpu\n      exactly:\n        deviceClassName: gpu\n"
SELECTOR = "        selectors:\n        - cel:\n            expression: "


def check(text: str) -> Report:
    return judged(text, "1.34")


def names(report: Report) -> list[tuple[str, int, str, str]]:
    """Return the findings on placeholders, and that nothing else was said."""
    assert report.skipped == []
    found = [f for f in report.findings if f.effect != "dropped"]
    return [(f.rule, f.line, f.path, f.message.partition(" ha")[0]) for f in found]


@pytest.mark.parametrize(
    ("text", "line", "path", "name"),
    [
        (HEAD.format(name="${APP}-gpu") + REQUEST, 4, "metadata.name", "${APP}"),
        (HEAD.format(name="${APP:-x}") + REQUEST, 4, "metadata.name", "${APP:-x}"),
        (HEAD.format(name="$(APP)-gpu") + REQUEST, 4, "metadata.name", "$(APP)"),
        (HEAD.format(name="x-{{ .Release.Name }}-gpu") + REQUEST, 4, "metadata.name", "{{ .Release.Name }}"),
        (HEAD.format(name='"{{ .Release.Name }}-gpu"') + REQUEST, 4, "metadata.name", "{{ .Release.Name }}"),
        (HEAD.format(name="a") + REQUEST + "        count: ${COUNT:=2}\n", 11, "count", "${COUNT:=2}"),
        (
            HEAD.format(name="a") + REQUEST + '        count: "{{ .Values.count }}"\n',
            11,
            "count",
            "{{ .Values.count }}",
        ),
        (HEAD.format(name="a") + REQUEST + "        allocationMode: ${MODE}\n", 11, "allocationMode", "${MODE}"),
        (HEAD.format(name="a") + REQUEST + "        adminAccess: $(ADMIN)\n", 11, "adminAccess", "$(ADMIN)"),
        (HEAD.format(name="a") + REQUEST + '        "{{ .k }}": 1\n', 11, "{{ .k }}", "{{ .k }}"),
        (
            HEAD.format(name="a") + REQUEST + "        capacity:\n          requests:\n            memory: ${MEM}Gi\n",
            13,
            "capacity.requests[memory]",
            "${MEM}",
        ),
        (HEAD.format(name="a") + REQUEST + SELECTOR + "device.driver == ${D}\n", 13, "expression", "${D}"),
        (HEAD.format(name="a") + REQUEST + SELECTOR + "${GPU_CEL:=1==1}\n", 13, "expression", "${GPU_CEL:=1==1}"),
        (
            HEAD.format(name="a") + REQUEST + "    constraints:\n    - {requests: ['${R}'], matchAttribute: a.b/c}\n",
            12,
            "constraints[0].requests[0]",
            "${R}",
        ),
        (
            HEAD.format(name="a") + REQUEST.replace("name: gpu", "name: ${R}") + "    constraints:\n"
            "    - {requests: [gpu], matchAttribute: a.b/c}\n",
            8,
            "requests[0].name",
            "${R}",
        ),
        (
            "apiVersion: resource.k8s.io/${VERSION}\nkind: ResourceClaim\nmetadata: {name: a}\nspec: {}\n",
            1,
            "apiVersion",
            "${VERSION}",
        ),
    ],
)
def test_a_placeholder_is_a_value_that_nobody_knows_yet(text: str, line: int, path: str, name: str) -> None:
    ((rule, found, place, listed),) = names(check(text))

    assert (rule, found, listed) == ("DRA704", line, f"`{name}`")
    assert place.endswith(path)
    strict = judged(text, "1.34", strict_placeholders=True)
    assert {f.rule for f in strict.findings} - {"DRA704"} != set()
    assert {f.effect for f in strict.findings} <= {"rejected", "advice", "dropped"}


@pytest.mark.parametrize("mark", ["${X}", "$(X)", '"{{ .x }}"'])
@pytest.mark.parametrize("strictly", [False, True])
def test_a_field_that_there_is_not_is_told_whatever_its_value_becomes(mark: str, strictly: bool) -> None:
    text = HEAD.format(name="a") + REQUEST + f"        allocationMod: {mark}\n"
    settings = Settings(releases=(Release.parse("1.34"),), strict_placeholders=strictly)
    finding, value = Linter(settings).check("a.yaml", text.encode()).report.findings

    assert (value.rule, value.line) == ("DRA213" if strictly else "DRA704", 11)
    assert (finding.rule, finding.line, finding.path) == (
        "DRA101",
        11,
        "spec.devices.requests[0].exactly.allocationMod",
    )
    assert finding.message == 'unknown field "allocationMod"'
    assert finding.hint == 'did you mean "allocationMode"?'


@pytest.mark.slow
def test_a_placeholder_in_a_deep_value_ends() -> None:
    deep = "[" * 900 + "]" * 900
    text = HEAD.format(name="${APP}-x") + f"  unknown: {deep}\nspec: {{}}\n"

    assert [f.rule for f in check(text).findings] == ["DRA704", "DRA101"]


@pytest.mark.parametrize(
    ("text", "rule", "variable"),
    [
        (HEAD.format(name="${APP}-gpu") + "spec: {}\n", "DRA202", "${APP}"),
        (HEAD.format(name="${APP:-x}") + "spec: {}\n", "DRA202", "${APP:-x}"),
        (HEAD.format(name="x-{{ .x }}") + "spec: {}\n", "DRA202", "{{ .x }}"),
        (HEAD.format(name="a") + REQUEST + "        allocationMode: ${MODE}\n", "DRA213", "${MODE}"),
        (HEAD.format(name="a") + REQUEST + "        count: ${N}\n", "DRA102", "${N}"),
        (HEAD.format(name="a") + REQUEST + SELECTOR + "device.driver == ${D}\n", "DRA301", "${D}"),
    ],
)
def test_strictly_a_placeholder_is_the_text_it_is(text: str, rule: str, variable: str) -> None:
    report = judged(text, "1.34", strict_placeholders=True)
    (finding,) = report.findings

    assert (finding.rule, finding.effect) == (rule, "rejected")
    assert finding.message == f"`{variable}` has not been replaced yet"
    assert finding.hint == "check the result of the substitution"
