"""What the text of a manifest shows: placeholders, tags, missing spaces."""

from __future__ import annotations

import pytest

from dralint.config.settings import Settings
from dralint.finding.finding import Finding
from dralint.finding.report import Report
from dralint.kubernetes.release import Release
from dralint.lint.linter import Linter

HEAD = "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata:\n  name: {name}\n"
REQUEST = "spec:\n  devices:\n    requests:\n    - name: gpu\n      exactly:\n        deviceClassName: gpu\n"
SELECTOR = "        selectors:\n        - cel:\n            expression: "


def check(text: str) -> Report:
    return Linter(Settings(releases=(Release.parse("1.34"),))).check("a.yaml", text.encode())


def only(text: str) -> Finding:
    report = check(text)
    (finding,) = report.findings
    assert report.skipped == []
    return finding


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (HEAD.format(name='"{{ .Release.Name }}-gpu"') + "spec: {}\n", "`{{ .Release.Name }}` is template code"),
        (
            HEAD.format(name="a") + REQUEST + '        count: "{{ .Values.count }}"\n',
            "`{{ .Values.count }}` is template code",
        ),
        (HEAD.format(name="a") + REQUEST + '        "{{ .k }}": 1\n', "`{{ .k }}` is template code"),
        (HEAD.format(name="a") + REQUEST + SELECTOR + '"{{ .Values.x }}"\n', "`{{ .Values.x }}` is template code"),
        (HEAD.format(name="a") + "spec: ${SPEC}\n", "`${SPEC}` stands in place of structure"),
        (
            HEAD.format(name="a") + REQUEST + "        count: ${COUNT:=2}\n",
            "`${COUNT:=2}` stands in place of structure",
        ),
        (
            HEAD.format(name="a") + REQUEST + "        capacity:\n          requests:\n            memory: ${MEM}Gi\n",
            "`${MEM}` stands in place of structure",
        ),
        (
            "apiVersion: v1\nkind: Pod\nspec: {resourceClaims: [{name: a, resourceClaimTemplateName: '{% x %}'}]}\n",
            "`{% x %}` is template code",
        ),
    ],
)
def test_a_value_that_shows_a_template_skips_its_document(text: str, reason: str) -> None:
    report = check(f"{text}---\n" + HEAD.format(name="B") + "spec: {}\n")

    assert [(s.file, s.document, s.reason) for s in report.skipped] == [("a.yaml", 0, reason)]
    assert [(f.rule, f.document) for f in report.findings] == [("DRA202", 1)]
    assert (report.documents, report.objects) == (2, 1)


@pytest.mark.parametrize(
    ("text", "rule", "variable"),
    [
        (HEAD.format(name="${APP}-gpu") + "spec: {}\n", "DRA202", "${APP}"),
        (HEAD.format(name="${APP:-x}") + "spec: {}\n", "DRA202", "${APP:-x}"),
        (HEAD.format(name="a") + REQUEST + "        allocationMode: ${MODE}\n", "DRA213", "${MODE}"),
        (HEAD.format(name="a") + REQUEST + SELECTOR + "device.driver == ${D}\n", "DRA301", "${D}"),
    ],
)
def test_a_variable_within_a_string_is_refused_as_one_that_has_not_been_replaced(
    text: str, rule: str, variable: str
) -> None:
    finding = only(text)

    assert (finding.rule, finding.effect) == (rule, "rejected")
    assert finding.message == f"`{variable}` has not been replaced yet"
    assert finding.hint == "check what the substitution makes of the file"


@pytest.mark.parametrize("mark", ["${X}", "{{ .x }}"])
def test_placeholders_in_free_text_are_judged_like_any_text(mark: str) -> None:
    good = (
        HEAD.format(name="a")
        + f"  annotations: {{a: '{mark}'}}\n"
        + REQUEST
        + SELECTOR
        + f"|\n              device.driver == '{mark}'\n"
    )
    report = check(good)

    assert (report.findings, report.skipped, report.objects) == ([], [], 1)
    assert only(good.replace("device.driver", "device.drive")).message.startswith("device has no field 'drive'")


def test_what_is_read_as_a_tag_is_named() -> None:
    finding = only(HEAD.format(name="a") + REQUEST + SELECTOR + "!device.x\n")

    assert (finding.path, finding.line, finding.column) == (
        "spec.devices.requests[0].exactly.selectors[0].cel.expression",
        13,
        25,
    )
    assert finding.message == "YAML reads `!device.x` as a tag, so the value is empty"
    assert finding.hint == "quote the expression"


def test_a_tag_before_a_value_is_named_where_the_rest_is_wrong() -> None:
    finding = only(HEAD.format(name="a") + REQUEST + SELECTOR + '!device.x == "a"\n')

    assert finding.message == 'YAML reads `!device.x` as a tag, so the value is only `== "a"`'


def test_a_tag_of_any_field_is_named() -> None:
    finding = only(HEAD.format(name="!a") + "spec: {}\n")

    assert (finding.path, finding.line) == ("metadata.name", 4)
    assert finding.message == "YAML reads `!a` as a tag, so the value is empty"
    assert finding.hint == "quote the value"


@pytest.mark.parametrize(
    ("text", "rule", "line", "hint"),
    [
        (HEAD.format(name="a").replace(": a", ":a") + "spec: {}\n", "DRA102", 4, "a space is missing after `:`"),
        (
            HEAD.format(name="a") + REQUEST + "    -name: b\n",
            "DRA101",
            11,
            "a space is missing after `-`",
        ),
    ],
)
def test_a_missing_space_is_hinted_at(text: str, rule: str, line: int, hint: str) -> None:
    finding = only(text)

    assert (finding.rule, finding.line, finding.hint) == (rule, line, hint)


def test_a_value_of_a_map_that_has_a_colon_lacks_no_space() -> None:
    finding = only(
        "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: a}\nspec:\n  driver: a.b\n"
        "  nodeName: x\n  pool: {name: p, generation: 1, resourceSliceCount: 1}\n"
        "  devices:\n  - name: d\n    attributes: {model: a:1}\n"
    )

    assert finding.message == 'expected an object for `model`, got the string "a:1"'
    assert finding.hint != "a space is missing after `:`"
