"""The text format: layout, carets, width, repeated findings."""

from __future__ import annotations

import re
from typing import Any

import pytest

from dralint import report as reports
from dralint.finding.finding import Edit, Finding, Fix, Related
from dralint.finding.report import Excerpt, Report, Skipped
from dralint.lint.pool import excerpts_of
from dralint.report.safe import printable
from dralint.report.screen import SGR
from dralint.report.words import release_spans, verdict
from tests.report.test_json_report import FINDING


def render(report: Report, **style: Any) -> str:
    return reports.render("text", report, reports.Style(**style))


def report(line: str, start: int, end: int, **changes: object) -> Report:
    """Return a report with one finding on characters start to end (from 0) of a line."""
    finding = FINDING._replace(line=14, column=start + 1, end_line=14, end_column=end + 1, **changes)  # type: ignore[arg-type]
    raw = ("\n" * 13 + line).encode()
    return Report(findings=[finding], files=1, objects=1, excerpts=excerpts_of(finding.file, raw, [finding]))


def of_text(text: str, *findings: Finding) -> Report:
    """Return a report of findings in a file with that text."""
    return Report(list(findings), files=1, objects=1, excerpts=excerpts_of(FINDING.file, text.encode(), findings))


def source_and_caret(text: str) -> tuple[str, str]:
    """Return the line shown and the line with the carets, without the gutter."""
    lines = text.splitlines()
    number = next(n for n, line in enumerate(lines) if line.lstrip().startswith("14 |"))
    return lines[number].partition("|")[2][1:], lines[number + 1].partition("|")[2][1:]


GPUS: dict[str, Any] = {
    "message": 'constraint names the request "gpus", which this claim does not have; it has: gpu, nic',
    "hint": 'did you mean "gpu"?',
    "path": "spec.devices.constraints[0].requests[0]",
}


def test_a_finding_is_shown_with_its_line_and_a_way_out() -> None:
    assert render(report("    - requests: [gpus]", 17, 21, **GPUS)) == (
        "claims.yaml:14:18  error  DRA203 unknown-request\n"
        '  constraint names the request "gpus", which this claim does not have; it has: gpu, nic\n'
        "  14 |     - requests: [gpus]\n"
        "     |                  ^^^^\n"
        "     = rejected by Kubernetes 1.34: ResourceClaim train, spec.devices.constraints[0].requests[0]\n"
        "     = see: claims.yaml:7:9: there\n"
        '     = hint: did you mean "gpu"?\n'
        "\n"
        "1 file, 1 object: 1 error\n"
    )


def test_a_narrow_terminal_wraps_what_a_pipe_does_not() -> None:
    text = render(report("    - requests: [gpus]", 17, 21, **GPUS), width=60)

    assert "this claim does\n  not have; it has: gpu, nic\n" in text
    assert "ResourceClaim train,\n       spec.devices.constraints[0].requests[0]\n" in text
    assert max(map(len, text.splitlines())) <= 60


CLAIMS = """\
spec:
  devices:
    requests:
    - name: gpu

    - name: gpu
"""


def test_both_places_are_shown_in_one_excerpt() -> None:
    first = Related("first used here", "claims.yaml", 4, 13, 4, 16)
    finding = FINDING._replace(line=6, column=13, end_line=6, end_column=16, related=(first,))

    assert (
        "   4 |     - name: gpu\n"
        "     |             --- first used here\n"
        " ...\n"
        "   6 |     - name: gpu\n"
        "     |             ^^^\n"
        "     = rejected by Kubernetes 1.34: ResourceClaim train, spec\n"
        "\n"
    ) in render(of_text(CLAIMS, finding))


def test_two_places_of_one_line_have_a_row_of_marks_each() -> None:
    first = Related("first used here", "claims.yaml", 1, 5, 1, 8)
    finding = FINDING._replace(line=1, column=10, end_line=1, end_column=13, related=(first,))

    assert ("   1 | a: [gpu, gpu]\n     |          ^^^\n     |     --- first used here\n") in render(
        of_text("a: [gpu, gpu]\n", finding)
    )


def test_a_label_without_room_becomes_a_note() -> None:
    first = Related("first used here, a long way off", "claims.yaml", 4, 13, 4, 16)
    finding = FINDING._replace(line=6, column=13, end_line=6, end_column=16, related=(first,))
    text = render(of_text(CLAIMS, finding), width=40)

    assert "---" not in text
    assert "     = see: claims.yaml:4:13: first used\n            here, a long way off\n" in text


def test_the_parent_of_what_is_misplaced_is_shown() -> None:
    parent = Related("has no such field", "claims.yaml", 2, 3, 2, 10)
    finding = FINDING._replace(line=4, column=7, end_line=4, end_column=11, related=(), parent=parent)
    text = render(of_text(CLAIMS, finding))

    assert "   2 |   devices:\n     |   ------- has no such field\n ...\n   4 |     - name: gpu\n" in text


def test_a_parent_is_shown_once_for_findings_in_a_row() -> None:
    parent = Related("has no such field", "claims.yaml", 2, 3, 2, 10)
    finding = FINDING._replace(line=4, column=7, end_line=4, end_column=11, related=(), parent=parent)
    other = finding._replace(line=6, end_line=6)
    between = finding._replace(line=5, column=1, end_line=5, end_column=1, parent=None)

    assert render(of_text(CLAIMS, finding, other)).count("------- has no such field\n") == 1
    assert render(of_text(CLAIMS, finding, between, other)).count("------- has no such field\n") == 2


def times(number: int, **changes: Any) -> list[Finding]:
    return [FINDING._replace(file=f"{n:04}.yaml", related=(), **changes) for n in range(number)]


def test_what_is_alike_is_counted_after_four_times() -> None:
    text = render(Report(times(3000), files=3000, objects=3000))

    assert len(text.splitlines()) < 25
    assert text.count("DRA203") == 4
    assert (
        "= and 2,996 more like this: 0004.yaml:14:21, 0005.yaml:14:21, 0006.yaml:14:21 and 2,993 more (--show-all)"
        in text
    )
    assert text.endswith("3,000 files, 3,000 objects: 3,000 errors\n")
    assert render(Report(times(10)), show_all=True).count("DRA203") == 10


def test_five_that_are_alike_are_told() -> None:
    assert render(Report(times(5))).count("DRA203 unknown-request") == 5


def test_a_rule_is_told_a_hundred_times() -> None:
    findings = [finding._replace(message=f"m{number}") for number, finding in enumerate(times(103))]

    assert "= and 3 more of this rule: 0100.yaml:14:21, 0101.yaml:14:21, 0102.yaml:14:21 (--show-all)" in render(
        Report(findings)
    )


OLD: dict[str, str | None] = {
    "apiVersion": "resource.k8s.io/v1beta1",
    "kind": "ResourceClaim",
    "namespace": None,
    "name": "a",
}
FACT: dict[str, Any] = {
    "rule": "DRA503",
    "name": "deprecated-api-version",
    "severity": "warning",
    "effect": "deprecated",
    "message": "resource.k8s.io/v1beta1 ResourceClaim is deprecated since 1.35",
    "hint": "use resource.k8s.io/v1",
    "line": 1,
    "column": 13,
    "path": "apiVersion",
    "object": OLD,
}


def test_a_fact_about_the_cluster_is_said_once_for_each_api_version_and_releases() -> None:
    other = {"message": FACT["message"].replace("Claim", "Slice"), "object": OLD | {"kind": "ResourceSlice"}}
    findings = [*times(3000, **FACT), *times(1, **FACT | other), *times(2, **FACT | {"releases": ("1.35", "1.36")})]

    assert render(Report(findings, files=3000, objects=3003)) == (
        "warning  DRA503 deprecated-api-version, 3,001 times\n"
        "  resource.k8s.io/v1beta1 ResourceClaim (also ResourceSlice) is deprecated since 1.35\n"
        "     = deprecated in Kubernetes 1.34\n"
        "     = 0000.yaml:1:13, 0001.yaml:1:13, 0002.yaml:1:13 and 2,998 more (--show-all)\n"
        "     = hint: use resource.k8s.io/v1\n"
        "\n"
        "warning  DRA503 deprecated-api-version, 2 times\n"
        "  resource.k8s.io/v1beta1 ResourceClaim is deprecated since 1.35\n"
        "     = deprecated in Kubernetes 1.35, 1.36\n"
        "     = 0000.yaml:1:13, 0001.yaml:1:13\n"
        "     = hint: use resource.k8s.io/v1\n"
        "\n"
        "3,000 files, 3,003 objects: 3,003 warnings\n"
    )


@pytest.mark.parametrize(
    ("hints", "shown"),
    [
        (
            {"ResourceClaim": "use v1: `dralint migrate` does it", "DeviceClass": "use v1"},
            ["use v1: `dralint migrate` does it"],
        ),
        (
            {"DeviceClass": "use v1", "ResourceClaim": "use v1: `dralint migrate` does it"},
            ["use v1: `dralint migrate` does it"],
        ),
        (
            {"ResourceClass": "use another", "ResourceClaim": "use v1", "ResourceSlice": "use v1"},
            ["for ResourceClass: use another", "for ResourceClaim, ResourceSlice: use v1"],
        ),
        ({"ResourceClaim": "use v1", "ResourceSlice": None}, ["use v1"]),
    ],
)
def test_hints_that_follow_each_other_say_what_each_is_for(hints: dict[str, str | None], shown: list[str]) -> None:
    findings = [
        finding
        for kind, hint in hints.items()
        for finding in times(1, **FACT | {"object": OLD | {"kind": kind}, "hint": hint})
    ]
    lines = render(Report(findings)).splitlines()

    assert [line.partition("hint: ")[2] for line in lines if "hint: " in line] == shown


def test_a_fact_about_one_object_is_told_like_any_finding() -> None:
    assert render(Report(times(1, **FACT))).startswith("0000.yaml:1:13  warning  DRA503 deprecated-api-version\n")


def test_that_more_waits_is_part_of_the_summary() -> None:
    waits = {"rule": "DRA109", "severity": "info", "effect": "advice", "message": "m", "hint": "repair it: one waits"}
    text = render(Report([FINDING, *times(5, **waits)], files=1, objects=1))

    assert "DRA109" not in text
    assert text.endswith(
        "ResourceClaim train (0000.yaml:14): repair it: one waits\n"
        "ResourceClaim train (0001.yaml:14): repair it: one waits\n"
        "ResourceClaim train (0002.yaml:14): repair it: one waits\n"
        "2 further objects have more problems than are shown\n"
        "\n"
        "1 file, 1 object: 1 error\n"
    )


def test_findings_that_can_be_repaired_are_marked_and_counted() -> None:
    safe = FINDING._replace(fix=Fix((Edit(0, 1, "x"),), safe=True))
    guess = FINDING._replace(line=15, fix=Fix((Edit(0, 1, "x"),), safe=False))
    text = render(Report([safe, guess, FINDING._replace(line=16)], files=1, objects=1))

    assert "claims.yaml:14:21  error  DRA203 unknown-request  [fixable]\n" in text
    assert "claims.yaml:15:21  error  DRA203 unknown-request  [fixable by a guess]\n" in text
    assert "claims.yaml:16:21  error  DRA203 unknown-request\n" in text
    assert text.endswith("3 errors (1 fixable with `dralint fix`, 1 more with `--unsafe-fixes`)\n")


@pytest.mark.parametrize(("width", "between"), [(60, "\n  "), (69, "\n  "), (70, "  "), (120, "  ")])
def test_a_mark_that_does_not_fit_stands_on_a_line_of_its_own(width: int, between: str) -> None:
    guess = FINDING._replace(fix=Fix((Edit(0, 1, "x"),), safe=False))
    text = render(Report([guess]), width=width)

    assert text.startswith(f"claims.yaml:14:21  error  DRA203 unknown-request{between}[fixable by a guess]\n")


def test_templates_of_a_chart_are_to_be_rendered_first() -> None:
    skipped = [Skipped(f"{chart}/templates/{n}.yaml", 0, "why") for chart in ("charts/a b", "charts/c") for n in "xy"]

    assert render(Report(files=4, skipped=skipped, charts=["charts/a b", "charts/c"])) == (
        "warning: no DRA objects in 4 files; 4 templates skipped\n"
        "hint: render it first: helm template 'charts/a b' | dralint check - (and 1 more)\n"
    )
    assert render(Report(files=4, skipped=skipped)).endswith(
        "hint: render the templates, and pipe the result into `dralint check -`\n"
    )
    assert "hint" not in render(Report(files=4, skipped=[entry._replace(relevant=False) for entry in skipped]))
    assert "hint" not in render(Report(files=4, skipped=[entry._replace(kind="patch") for entry in skipped]))


def test_a_rule_is_a_link_where_the_terminal_can() -> None:
    assert "error  \x1b]8;;https://example.com\x1b\\DRA203\x1b]8;;\x1b\\ unknown-request\n" in render(
        Report([FINDING]), links=True
    )


def test_tabs_and_wide_characters_keep_the_caret_below_its_place() -> None:
    source, caret = source_and_caret(render(report("a: 日本\t語 # x", 6, 7)))

    assert source == "a: 日本 語 # x"
    assert caret == " " * 8 + "^^"


def test_combining_characters_take_no_column() -> None:
    assert source_and_caret(render(report("e\u0301: x", 4, 5))) == ("e\u0301: x", "   ^")


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("start", [0, 30, 200, 399])
def test_a_long_line_is_cut_around_the_caret(width: int, start: int) -> None:
    line = "".join(chr(ord("a") + number % 26) for number in range(400))
    text = render(report(line, start, start + 1), width=width)
    source, caret = source_and_caret(text)

    assert max(map(len, text.splitlines())) <= width
    assert source[caret.index("^")] == line[start]
    assert caret.count("^") == 1
    assert source.startswith("…") == (not line.startswith(source[0]) or source[0] == "…")


def test_a_span_of_several_lines_is_marked_to_the_end_of_the_first() -> None:
    source, caret = source_and_caret(render(report("key: [a,", 5, 0, path="spec")))
    shown = FINDING._replace(column=6, end_line=16, end_column=1)
    text = render(Report(findings=[shown], excerpts={(shown.file, 14, 6): Excerpt("key: [a,", 1, False)}))

    assert (source, caret) == ("key: [a,", "     ^")
    assert source_and_caret(text) == ("key: [a,", "     ^^^")


def test_a_place_behind_the_end_of_its_line_has_a_caret() -> None:
    assert source_and_caret(render(report("key:", 4, 4))) == ("key:", "    ^")


def test_control_characters_are_shown_as_pictures() -> None:
    text = render(report("a: \x1b[31mx\x9b", 3, 4, message="bad \x1b]0;x\x07 \u202e\nname", file="\x1b.yaml"))

    assert text.isprintable() or set(text) & set(map(chr, range(32))) == {"\n"}
    assert "bad ␛]0;x␇ \ufffd␊name" in text
    assert "a: ␛[31mx\ufffd" in text
    assert text.startswith("␛.yaml:14:4  error")


def test_colour_changes_nothing_but_the_colours() -> None:
    one = report("    - requests: [gpus]", 17, 21)
    plain, coloured = render(one), render(one, color=True)

    assert "\x1b[1;31m^^^^" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain


def luminance(number: int) -> float:
    """Return the relative luminance (WCAG) of a colour of xterm's palette of 256."""
    sixteen = {1: (205, 0, 0), 9: (255, 0, 0), 12: (92, 92, 255)}
    steps = (0, 95, 135, 175, 215, 255)
    cube = number - 16
    rgb = sixteen.get(number) or (steps[cube // 36], steps[cube // 6 % 6], steps[cube % 6])
    linear = [c / 255 / 12.92 if c <= 10 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in rgb]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("what", sorted(set(SGR) - {"bold"}))
def test_colours_can_be_read_on_black_and_on_white(what: str) -> None:
    code = SGR[what].removeprefix("1;")
    number = {"31": 1, "94": 12}.get(code) or int(code.removeprefix("38;5;"))

    assert (luminance(number) + 0.05) / 0.05 >= 3.2
    assert 1.05 / (luminance(number) + 0.05) >= 3.2


PATH = "spec.devices.requests[0].firstAvailable[1].selectors[0].cel.expression"


@pytest.mark.parametrize(
    ("path", "width", "lines"),
    [
        (PATH, 60, ["spec.devices.requests[0].firstAvailable[1]", ".selectors[0].cel.expression"]),
        (PATH, 40, ["spec.devices.requests[0]", ".firstAvailable[1].selectors[0]", ".cel.expression"]),
    ],
)
def test_a_field_path_is_broken_between_its_elements(path: str, width: int, lines: list[str]) -> None:
    text = render(Report(findings=[FINDING._replace(path=path, related=())]), width=width, quiet=True)
    shown = [line.strip() for line in text[text.index("= ") :].splitlines()]

    assert shown[-len(lines) :] == lines
    assert max(map(len, shown)) <= width - 7


def test_a_message_without_spaces_is_broken() -> None:
    text = render(Report(findings=[FINDING._replace(message="x" * 3000)]), width=60)

    assert max(map(len, text.splitlines())) <= 60
    assert "x…\n" in text


def test_nothing_is_cut_in_a_pipe() -> None:
    line = "key: " + "x" * 3000
    one = report(line, 2000, 2010, message="m" * 3000, path=f"spec[{'x' * 900}]")
    text = render(one)

    assert ("  " + "m" * 3000) in text.splitlines()
    assert f"  14 | {line}" in text.splitlines()
    assert "…" not in text


def test_skipped_patches_are_counted_apart() -> None:
    kinds = ("template", "patch", "patch")
    skipped = Report(skipped=[Skipped("a.yaml", n, "why", kind) for n, kind in enumerate(kinds)], files=1, objects=1)

    assert render(skipped) == "1 file, 1 object: no findings; 1 template and 2 patches skipped\n"


@pytest.mark.parametrize(
    ("releases", "text"),
    [
        ((), ""),
        (("1.34",), "1.34"),
        (("1.34", "1.35"), "1.34, 1.35"),
        (("1.32", "1.33", "1.34", "1.36"), "1.32 to 1.34, 1.36"),
    ],
)
def test_releases_in_a_row_are_joined(releases: tuple[str, ...], text: str) -> None:
    assert release_spans(releases) == text


def test_excerpts_follow_line_ends_byte_order_marks_and_encodings() -> None:
    def line(raw: bytes, number: int) -> str:
        finding: Finding = FINDING._replace(line=number, column=1)
        return excerpts_of(finding.file, raw, [finding])[finding.file, number, 1].text

    assert line(b"\xef\xbb\xbfa\r\nb\rc\nd", 1) == "a"
    assert [line(b"a\r\nb\rc\nd", number) for number in (1, 2, 3, 4)] == ["a", "b", "c", "d"]
    assert line("a\nb é".encode("utf-16"), 2) == "b é"
    assert line(b"a \xff", 1) == "a \ufffd"


def test_printable_leaves_ordinary_text_alone() -> None:
    assert printable("naïve 日本 — ✓ 'x'") == "naïve 日本 — ✓ 'x'"
    assert printable("\x00\t\x7f\u200b\ud800") == "␀␉␡\ufffd\ufffd"


@pytest.mark.parametrize(
    ("effect", "text"),
    [
        ("rejected", "rejected by Kubernetes 1.34"),
        ("dropped", "removed silently by Kubernetes 1.34"),
        ("broken", "does not work as written in Kubernetes 1.34"),
        ("deprecated", "deprecated in Kubernetes 1.34"),
        ("advice", "advice for Kubernetes 1.34"),
        ("unreadable", "unreadable"),
        ("tool", "no verdict of Kubernetes"),
    ],
)
def test_the_verdict_is_said_in_words(effect: str, text: str) -> None:
    assert verdict(FINDING._replace(effect=effect), reports.Style()) == text


def test_unknown_fields_that_one_hint_mends_are_told_as_one() -> None:
    text = "spec:\n  className: a\n  mode: b\n"
    changes: dict[str, Any] = {"rule": "DRA101", "name": "unknown-field", "hint": "write it anew", "related": ()}
    first, second = (
        FINDING._replace(line=line, column=3, end_line=line, end_column=end, message=key, path=f"spec.{key}", **changes)
        for line, end, key in ((2, 12, "className"), (3, 7, "mode"))
    )

    assert render(of_text(text, first, second)) == (
        "claims.yaml:2:3  error  DRA101 unknown-field\n"
        "  className\n"
        "   2 |   className: a\n"
        "     |   ^^^^^^^^^\n"
        "   3 |   mode: b\n"
        "     |   ---- mode\n"
        "     = rejected by Kubernetes 1.34: ResourceClaim train, spec.className\n"
        "     = hint: write it anew\n"
        "\n"
        "1 file, 1 object: 2 errors\n"
    )


def test_unknown_fields_with_repairs_of_their_own_are_told_one_by_one() -> None:
    text = "spec:\n  className: a\n  mode: b\n"
    changes: dict[str, Any] = {"rule": "DRA101", "hint": "leave it out", "fix": Fix((Edit(0, 1, ""),), safe=True)}
    found = [FINDING._replace(line=line, path=f"spec.{line}", **changes) for line in (2, 3)]

    assert render(of_text(text, *found)).count("hint: leave it out") == 2
