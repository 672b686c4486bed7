"""What the text of a manifest shows: placeholders, tags, missing spaces."""

from __future__ import annotations

import pytest

from dralint.config.settings import Settings
from dralint.edit.apply import apply
from dralint.finding.finding import Finding
from dralint.finding.report import Report
from dralint.kubernetes.release import Release
from dralint.lint.linter import Linter
from tests.judged import judged

HEAD = "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata:\n  name: {name}\n"
REQUEST = "spec:\n  devices:\n    requests:\n    - name: gpu\n      exactly:\n        deviceClassName: gpu\n"
SELECTOR = "        selectors:\n        - cel:\n            expression: "


def check(text: str) -> Report:
    return judged(text, "1.34")


def only(text: str) -> Finding:
    report = check(text)
    (finding,) = report.findings
    assert report.skipped == []
    return finding


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


def test_all_placeholders_of_a_file_are_one_finding_and_the_rest_is_judged() -> None:
    text = HEAD.format(name="${APP}") + REQUEST.replace("gpu\n", "${CLASS}\n") + "        count: ${N}\n"
    text += (
        "        tolerations: [{operator: Exist}]\n---\n" + HEAD.format(name="${B}-$(C)") + "  namespace: A\nspec: {}\n"
    )
    report = check(text)

    assert report.skipped == []
    assert [(f.rule, f.effect, f.document, f.line, f.path) for f in report.findings] == [
        ("DRA704", "advice", 0, 4, "metadata.name"),
        ("DRA213", "rejected", 0, 12, "spec.devices.requests[0].exactly.tolerations[0].operator"),
        ("DRA201", "rejected", 1, 18, "metadata.namespace"),
    ]
    assert report.findings[0].message == (
        "`${APP}`, `${CLASS}`, `${N}`, `${B}`, `$(C)` have not been replaced yet; dralint checked the rest"
    )
    assert report.findings[0].severity == "info"


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


def test_a_key_with_a_placeholder_keeps_its_name() -> None:
    text = "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: a}\nspec:\n  driver: a.b\n"
    text += "  nodeName: node\n  pool: {name: p, generation: 1, resourceSliceCount: 1}\n  devices:\n  - name: d\n"
    text += "    attributes:\n      ${D}/x: {int: '1'}\n      a b: {int: 1}\n"
    report = check(text)

    assert [(f.rule, f.path, f.line) for f in report.findings if f.effect == "rejected"] == [
        ("DRA102", "spec.devices[0].attributes[${D}/x].int", 11),
        ("DRA206", "spec.devices[0].attributes[a b]", 12),
    ]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (HEAD.format(name="a") + "spec: ${SPEC}\n", "`${SPEC}` replaces YAML structure"),
        (
            HEAD.format(name="a") + "spec: {devices: {requests: '{{ .r }}'}}\n",
            "`{{ .r }}` replaces YAML structure",
        ),
        (HEAD.format(name="a") + "spec: {devices: {requests: ['${R}']}}\n", "`${R}` replaces YAML structure"),
    ],
)
def test_a_placeholder_in_place_of_structure_skips_its_document(text: str, reason: str) -> None:
    report = check(f"{text}---\n" + HEAD.format(name="B") + "spec: {}\n")

    assert [(s.file, s.document, s.reason) for s in report.skipped] == [("a.yaml", 0, reason)]
    assert [(f.rule, f.document) for f in report.findings] == [("DRA202", 1)]
    assert (report.documents, report.objects) == (2, 1)


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
    assert only(good.replace("device.driver", "device.drive")).message.startswith('device has no field "drive"')


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


def test_what_is_read_as_a_tag_is_quoted_without_the_tag() -> None:
    text = HEAD.format(name="a") + REQUEST + SELECTOR + "!has (device.driver)\n"
    finding = only(text)

    assert finding.fix is not None
    assert apply(text, finding.fix.edits) == text.replace("!has (device.driver)", '"!has (device.driver)"')


CUT = "between braces a comma ends a value, so YAML reads `{}` as `{}` and {} without a value"


@pytest.mark.parametrize(
    ("entry", "key", "message", "hint"),
    [
        (
            "count: 1,024",
            "20",
            CUT.format("1,024", "count: 1", "a field `024`"),
            'write a number without separators: 1024; quote a text: "1,024"',
        ),
        (
            "allocationMode: Exact,Count",
            "Count",
            CUT.format("Exact,Count", "allocationMode: Exact", "a field `Count`"),
            'quote it where it is one value: "Exact,Count"',
        ),
    ],
)
def test_a_comma_within_braces_ends_a_value(entry: str, key: str, message: str, hint: str) -> None:
    request = REQUEST.partition("      exactly:")[0] + f"      exactly: {{deviceClassName: a, {entry}}}\n"
    finding = next(f for f in check(HEAD.format(name="a") + request).findings if f.rule == "DRA101")

    assert (finding.rule, finding.path, finding.line) == ("DRA101", f"spec.devices.requests[0].exactly.{key}", 9)
    assert (finding.message, finding.hint, finding.fix) == (message, hint, None)


def test_a_number_with_two_commas_is_told_whole_and_no_part_of_it_removed() -> None:
    request = REQUEST.partition("      exactly:")[0] + "      exactly: {deviceClassName: a, count: 1,000,000}\n"
    found = check(HEAD.format(name="a") + request).findings
    hint = 'write a number without separators: 1000000; quote a text: "1,000,000"'

    assert [(f.rule, f.line, f.hint, f.fix) for f in found] == [("DRA004", 9, hint, None), ("DRA101", 9, hint, None)]
    assert found[1].message == CUT.format("1,000,000", "count: 1", "the fields `000` and `000`")


def test_a_text_that_a_comma_cuts_is_quoted_whole() -> None:
    text = (
        "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: a}\nspec:\n  driver: a.b\n"
        "  nodeName: x\n  pool: {name: p, generation: 1, resourceSliceCount: 1}\n"
        "  devices:\n  - name: d\n    attributes: {model: {string: 1,024}, size: {string: 1}}\n"
    )
    cut, key, plain = check(text).findings

    assert (cut.rule, cut.path, cut.line) == ("DRA102", "spec.devices[0].attributes[model].string", 10)
    assert (cut.hint, cut.fix) == ('quote it: "1,024" (between braces a comma ends a value)', None)
    assert (key.rule, key.message) == ("DRA101", CUT.format("1,024", "string: 1", "a field `024`"))
    assert (plain.rule, plain.hint) == ("DRA102", 'quote it: "1"')
    assert plain.fix is not None


@pytest.mark.parametrize(
    "exactly",
    [
        "{deviceClassName: a, x}",
        "{deviceClassName: a,x:}",
        "{deviceClassName: a, x:}",
        "{x, y}",
        "{deviceClassName: 'a', x}",
        '{"x": null}',
    ],
)
def test_another_key_without_a_value_is_no_part_of_one(exactly: str) -> None:
    request = REQUEST.partition("      exactly:")[0] + f"      exactly: {exactly}\n"

    assert [f.message for f in check(HEAD.format(name="a") + request).findings if "comma" in f.message] == []


def test_a_value_of_a_map_that_has_a_colon_lacks_no_space() -> None:
    finding = only(
        "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: a}\nspec:\n  driver: a.b\n"
        "  nodeName: x\n  pool: {name: p, generation: 1, resourceSliceCount: 1}\n"
        "  devices:\n  - name: d\n    attributes: {model: a:1}\n"
    )

    assert finding.message == 'expected an object for `model`, got the string "a:1"'
    assert finding.hint != "a space is missing after `:`"
