"""The text format: layout, carets, width."""

from __future__ import annotations

from dataclasses import replace

import pytest
from test_json_report import FINDING

from dralint.finding.finding import Finding, Related
from dralint.finding.report import Excerpt, LeftOut, Report, Skipped
from dralint.lint.pool import excerpts_of
from dralint.report.printable import printable
from dralint.report.text import render
from dralint.report.words import release_spans, verdict


def report(line: str, start: int, end: int, **changes: object) -> Report:
    """Return a report with one finding on characters start to end (from 0) of a line."""
    finding = replace(FINDING, line=14, column=start + 1, end_line=14, end_column=end + 1, **changes)  # type: ignore[arg-type]
    raw = ("\n" * 13 + line).encode()
    return Report(findings=[finding], files=1, objects=1, excerpts=excerpts_of(raw, [finding]))


def source_and_caret(text: str) -> tuple[str, str]:
    """Return the line shown and the line with the carets, without the gutter."""
    lines = text.splitlines()
    number = next(n for n, line in enumerate(lines) if line.lstrip().startswith("14 |"))
    return lines[number].partition("|")[2][1:], lines[number + 1].partition("|")[2][1:]


def test_a_finding_is_shown_with_its_line_and_a_way_out() -> None:
    text = render(
        report(
            "    - requests: [gpus]",
            17,
            21,
            message='constraint names the request "gpus", which this claim does not have; it has: gpu, nic',
            hint='did you mean "gpu"?',
            path="spec.devices.constraints[0].requests[0]",
        )
    )

    assert text == (
        "claims.yaml: 1 error\n"
        "claims.yaml:14:18  error  DRA203 unknown-request\n"
        '  constraint names the request "gpus", which this claim does not have; it has:\n'
        "  gpu, nic\n"
        "     |\n"
        "  14 |     - requests: [gpus]\n"
        "     |                  ^^^^\n"
        "     = ResourceClaim train, spec.devices.constraints[0].requests[0]\n"
        "     = rejected by 1.34 (Invalid)\n"
        "     = see: 7:9: there\n"
        '     = hint: did you mean "gpu"?\n'
        "\n"
        "1 file, 1 object: 1 error\n"
    )


def test_findings_are_grouped_by_file() -> None:
    findings = [FINDING, replace(FINDING, line=15), replace(FINDING, file="z.yaml", severity="warning")]
    headings = [line for line in render(Report(findings=findings)).splitlines() if line.endswith(("errors", "warning"))]

    assert headings == ["claims.yaml: 2 errors", "z.yaml: 1 warning", "0 files, 0 objects: 2 errors, 1 warning"]


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
    shown = replace(FINDING, column=6, end_line=16, end_column=1)
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
    assert text.startswith("␛.yaml: 1 error\n")


def test_colour_changes_nothing_but_the_colours() -> None:
    import re

    one = report("    - requests: [gpus]", 17, 21)
    plain, coloured = render(one), render(one, color=True)

    assert "\x1b[1;31m^^^^" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain


def test_a_run_that_is_asked_says_what_it_did_not_read() -> None:
    report = Report(left_out=[LeftOut("build/", "a .gitignore file excludes it"), LeftOut("\x1b.yaml", "--exclude")])

    assert render(report) == "0 files, 0 objects: no findings\n"
    assert render(report, verbose=True) == (
        "build/ not read: a .gitignore file excludes it\n"
        "␛.yaml not read: --exclude\n"
        "\n"
        "0 files, 0 objects: no findings\n"
    )


PATH = "spec.devices.requests[0].firstAvailable[1].selectors[0].cel.expression"


@pytest.mark.parametrize(
    ("path", "width", "lines"),
    [
        (PATH, 60, ["spec.devices.requests[0].firstAvailable[1]", ".selectors[0].cel.expression"]),
        (PATH, 40, ["spec.devices.requests[0]", ".firstAvailable[1].selectors[0]", ".cel.expression"]),
        (f"spec[{'a.' * 40}b].x", 40, ["spec", f"[{'a.' * 40}b]", ".x"]),
    ],
)
def test_a_field_path_is_broken_between_its_elements(path: str, width: int, lines: list[str]) -> None:
    text = render(Report(findings=[replace(FINDING, path=path)]), width=width, quiet=True)
    shown = text[text.index("= ") : text.index("\n     = rejected")]

    assert [line.strip() for line in shown.split("\n")] == ["= ResourceClaim train,", *lines]


def test_a_message_without_spaces_is_broken() -> None:
    text = render(Report(findings=[replace(FINDING, message="x" * 3000)]), width=60)

    assert max(map(len, text.splitlines())) <= 60
    assert "x…\n" in text


def test_skipped_patches_are_counted_apart() -> None:
    kinds = ("template", "patch", "patch")
    skipped = Report(skipped=[Skipped("a.yaml", n, "why", kind) for n, kind in enumerate(kinds)], files=1)

    assert render(skipped) == "1 file, 0 objects: no findings; 1 template and 2 patches skipped\n"


def test_skipped_templates_are_counted() -> None:
    skipped = Report(skipped=[Skipped("a.yaml", 0, "`{{` is template code")], files=2)

    assert render(skipped) == "2 files, 0 objects: no findings; 1 template skipped\n"
    assert render(skipped, quiet=True, verbose=True) == "a.yaml: document 0 skipped: `{{` is template code\n\n"


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
        finding: Finding = replace(FINDING, line=number, column=1)
        return excerpts_of(raw, [finding])[finding.file, number, 1].text

    assert line(b"\xef\xbb\xbfa\r\nb\rc\nd", 1) == "a"
    assert [line(b"a\r\nb\rc\nd", number) for number in (1, 2, 3, 4)] == ["a", "b", "c", "d"]
    assert line("a\nb é".encode("utf-16"), 2) == "b é"
    assert line(b"a \xff", 1) == "a \ufffd"


def test_printable_leaves_ordinary_text_alone() -> None:
    assert printable("naïve 日本 — ✓ 'x'") == "naïve 日本 — ✓ 'x'"
    assert printable("\x00\t\x7f\u200b\ud800") == "␀␉␡\ufffd\ufffd"


@pytest.mark.parametrize(
    ("effect", "reason", "text"),
    [
        ("rejected", "Invalid", "rejected by 1.34 (Invalid)"),
        ("dropped", None, "removed silently by 1.34"),
        ("broken", None, "does not work as written (1.34)"),
        ("deprecated", None, "deprecated in 1.34"),
        ("advice", None, "advice (1.34)"),
        ("unreadable", None, "unreadable"),
        ("tool", None, "not judged"),
    ],
)
def test_the_verdict_is_said_in_words(effect: str, reason: str | None, text: str) -> None:
    assert verdict(replace(FINDING, effect=effect, reason=reason)) == text


def test_a_place_in_another_file_is_named() -> None:
    related = (Related("defined here", "classes.yaml", 3, 9),)

    assert "= see: classes.yaml:3:9: defined here\n" in render(Report(findings=[replace(FINDING, related=related)]))
