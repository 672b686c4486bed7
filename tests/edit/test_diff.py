"""The printed diff, applied to a text, equals the edits, and has no unnecessary line."""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dralint.config.settings import Settings
from dralint.edit.apply import OverlapError, apply, combine, composed, unified
from dralint.finding import catalogue
from dralint.finding.finding import Edit
from dralint.lint.linter import Linter
from dralint.migrate.rewrite import Target, rewrite
from rules.examples import manifest
from tests.conftest import Run
from tests.fix.alone import fixed

HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@\Z")
LETTERS = st.text("ab\n", max_size=40)
LAYOUTS = sorted((Path(__file__).parents[1] / "migrate" / "layouts").glob("*.before.yaml"))
GIT = shutil.which("git")


@st.composite
def edited(draw: st.DrawFn, text: str) -> list[Edit]:
    places = sorted(draw(st.lists(st.integers(0, len(text)), max_size=8)))
    spans = zip(places[::2], places[1::2], strict=False)
    out = [Edit(start, end, draw(st.text("ab\n", max_size=6))) for start, end in spans]
    try:
        return combine(out)
    except OverlapError:
        return out[:1]


def patched(text: str, diff: str) -> str:
    """Apply a diff as `patch` does that allows no offset: every line that it shows has to be there."""
    old, rows = text.split("\n"), diff.split("\n")
    out: list[str] = []
    at = 0
    assert rows.pop() == ""
    assert [row[:6] for row in rows[:2]] == ["--- a/", "+++ b/"]
    number = 2
    while number < len(rows):
        found = HUNK.match(rows[number])
        assert found, rows[number]
        start, length, begin, size = (1 if part is None else int(part) for part in found.groups())
        number, shown, made = number + 1, 0, 0
        here = start - 1 if length else start
        out, at = [*out, *old[at:here]], here
        assert len(out) == (begin - 1 if size else begin)
        while number < len(rows) and not rows[number].startswith("@@"):
            sign, line = rows[number][:1], rows[number][1:]
            ended = rows[number + 1 : number + 2] != ["\\ No newline at end of file"]
            number += 1 if ended else 2
            if sign in " -":
                assert old[at] == line
                assert ended == (at + 1 < len(old))
                at, shown = at + 1, shown + 1
            if sign in " +":
                out, made = [*out, line if ended else f"{line}\0"], made + 1
            assert sign in " +-"
        assert (shown, made) == (length, size)
    whole = "\n".join([*out, *old[at:]] if at < len(old) else [*out, ""])
    return whole.removesuffix("\n").removesuffix("\0") if whole.endswith("\0\n") else whole


def signs(diff: str) -> list[str]:
    return [row for row in diff.split("\n")[2:] if row[:1] in ("-", "+")]


@given(st.data(), LETTERS)
@pytest.mark.slow
def test_a_diff_applied_gives_what_the_edits_give(data: st.DataObject, text: str) -> None:
    edits = data.draw(edited(text))
    after, diff = apply(text, edits), unified("x.yaml", text, edits)

    assert (patched(text, diff) if diff else text) == after
    assert bool(diff) == (text != after)


@given(st.data(), LETTERS)
@pytest.mark.slow
def test_no_change_begins_or_ends_with_a_line_that_stays(data: st.DataObject, text: str) -> None:
    after = apply(text, data.draw(edited(text)))
    diff = unified("x", text, [Edit(0, len(text), after)]).replace("\n\\", "\\")
    for part in re.findall(r"^((?:-.*\n)+)((?:\+.*\n)+)", diff.partition("@@")[2], re.MULTILINE):
        gone, new = ([row[1:] for row in rows.splitlines()] for rows in part)

        assert gone[0] != new[0]
        assert gone[-1] != new[-1]


@given(st.data(), LETTERS)
@pytest.mark.slow
def test_edits_that_are_composed_do_what_they_do_one_after_the_other(data: st.DataObject, text: str) -> None:
    first = data.draw(edited(text))
    middle = apply(text, first)
    second = data.draw(edited(middle))

    assert apply(text, composed(first, middle, second)) == apply(middle, second)


@pytest.mark.parametrize(
    "text",
    ["a\r\nb\r\nc\r\n", "a: x\u2028y\x85z\x0c\x0b\x1c\nb\nc\nd\ne\nf\n", "a\nb", "a", "", "\n", "\n\n\n", "a\rb\nc\r"],
)
def test_only_a_line_feed_ends_a_line_and_the_last_may_have_none(text: str) -> None:
    for edit in (Edit(len(text), len(text), "new"), Edit(0, 0, "new\n"), Edit(0, len(text), ""), Edit(0, 0, "\n")):
        after = apply(text, [edit])
        diff = unified("x", text, [edit])

        assert (patched(text, diff) if diff else text) == after
    assert len(re.findall("(?m)^@@", unified("x", text, [Edit(len(text), len(text), "x")]))) == 1


def test_a_value_with_a_line_separator_does_not_shift_the_numbers() -> None:
    text = "a: x\u2028y\n" + "b\n" * 9 + "c\n"

    assert "@@ -8,4 +8,4 @@\n" in unified("x", text, [Edit(len(text) - 2, len(text) - 1, "d")])


def test_lines_that_stay_between_two_edits_are_neither_removed_nor_added() -> None:
    text = "a: 1\n---\n" * 2000
    edits = [Edit(at, at + 1, "2") for at in range(3, len(text), 9)]
    rows = signs(unified("x", text, edits))

    assert set(rows) == {"-a: 1", "+a: 2"}
    assert len(rows) == 4000


@pytest.mark.slow
def test_a_diff_of_a_megabyte_that_changes_everywhere_takes_no_search() -> None:
    text = "- name: r\n  deviceClassName: c\n" * 32_000
    edits = [Edit(at, at, "x") for at in range(0, len(text), 31)]
    started = time.process_time()
    diff = unified("x", text, edits)

    assert diff.count("\n+x- name: r\n") == 32_000
    assert time.process_time() - started < 2


@pytest.mark.parametrize("path", LAYOUTS, ids=lambda path: path.name)
@pytest.mark.parametrize("version", ["v1", "v1beta2", "v1beta1"])
def test_the_diff_of_a_migration_gives_its_outcome(path: Path, version: str) -> None:
    for raw in (path.read_bytes(), path.read_bytes().removesuffix(b"\n"), path.read_bytes().replace(b"\n", b"\r\n")):
        written = rewrite(raw, Target.parse(version)).written
        if written is not None and written.raw != raw:
            text = raw.decode()
            assert patched(text, unified("x", text, written.edits)).encode() == written.raw


@pytest.mark.slow
def test_the_diff_of_a_fix_gives_its_outcome_in_all_examples() -> None:
    linter, number = Linter(Settings(), collects=False, thorough=True), 0
    for rule in catalogue.rules().values():
        for example in rule.examples.get("bad", []):
            if "manifest" not in example or "encoding" in example:
                continue
            raw = manifest(example)
            out, _ = fixed(linter, raw, unsafe=True)
            if out.raw != raw:
                text = raw.decode("utf-8", "surrogateescape")
                diff = unified("x.yaml", text, out.edits)
                assert patched(text, diff).encode("utf-8", "surrogateescape") == out.raw, rule.id
                number += 1
    assert number > 50


@pytest.mark.skipif(GIT is None, reason="there is no git")
@pytest.mark.parametrize("name", ["claim.yaml", "a b.yaml", 'say "x".yaml', "tab\there.yaml", "ä.yaml"])
@pytest.mark.parametrize("absolute", [False, True])
@pytest.mark.slow
def test_git_applies_the_diff_of_a_file_whatever_its_name(workdir: Path, run: Run, name: str, absolute: bool) -> None:
    head, claim = "apiVersion: resource.k8s.io/v1beta1\nkind: ResourceClaim\nmetadata: {name: a}\n", workdir / name
    claim.write_text(head + "spec:\n  devices:\n    requests:\n    - {name: r, deviceClassName: c}", "utf-8")
    diff = run("migrate", "--to", "v1", "-q", claim if absolute else name).stdout
    subprocess.run([str(GIT), "apply", "-"], input=diff.encode(), cwd=workdir, check=True)
    by_patch = claim.read_bytes()
    subprocess.run([str(GIT), "apply", "-R", "-"], input=diff.encode(), cwd=workdir, check=True)
    run("migrate", "--to", "v1", "-q", "--write", name)

    assert b"exactly: {" in by_patch
    assert claim.read_bytes() == by_patch


def test_a_path_outside_the_working_directory_counts_from_the_root(workdir: Path) -> None:
    def header(name: str) -> str:
        return unified(name, "a\n", [Edit(0, 1, "b")]).split("\n")[0]

    assert header("/elsewhere/x.yaml") == "--- a/elsewhere/x.yaml"
    assert header(f"{workdir}/deploy/x.yaml") == "--- a/deploy/x.yaml"
    assert header("./x.yaml") == "--- a/x.yaml"
