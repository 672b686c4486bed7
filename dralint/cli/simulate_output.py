"""Shows the answers of `dralint simulate` as text, JSON or a page, and sets the exit status."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, TypedDict

from dralint.cli import output
from dralint.cli.output import tell
from dralint.report import Style

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from dralint.simulate import Answer, Questions
    from dralint.simulate.behaviours import Behaviour


class Chosen(TypedDict):
    """The values of the options."""

    inventory: tuple[str, ...]
    pods: tuple[str, ...]
    claims: tuple[str, ...]
    nodes: tuple[str, ...]
    sequence: bool
    pending: bool
    evict: bool
    how_many: bool
    explain: str
    timeout: float
    format_: str
    output_file: tuple[str, ...]
    fail_on: str
    color: str
    quiet: bool
    scenarios: str | None


FAILING = {
    "never": frozenset[str](),
    "none": frozenset({"none", "refused", "error", "waits", "evicted"}),
    "some": frozenset({"none", "refused", "error", "waits", "evicted", "some"}),
}
"""Value of --fail-on → the answers that make the exit status 1."""

_NOTHING = "nothing to decide: the manifests have no Pod with claims, no claim and no template\n"


def deliver(
    answers: list[Answer],
    remarks: list[str],
    behaviour: Behaviour,
    chosen: Chosen,
    written: Sequence[tuple[Path, str]],
    *,
    in_part: bool,
) -> None:
    """Show the answers, write the files (path and text), and end with the exit status.

    `in_part` says whether some of the inventory is left out: then no answer is certain.
    """
    from dralint.cli.write_reports import to_stdout
    from dralint.files.atomic import write_atomically

    status = 1 if any(answer.answer in FAILING[chosen["fail_on"]] for answer in answers) else 0
    if in_part or any(answer.answer == "undecided" for answer in answers):
        status = 3
    for path, text in written:
        try:
            write_atomically(path, text.encode("utf-8", "backslashreplace"))
        except OSError as error:
            tell(f"dralint: {path} cannot be written: {error.strerror}")
            status = 3
    style = output.style(chosen["color"], sys.stdout, os.environ)
    text = _render(chosen["format_"], answers, remarks, behaviour, chosen, style)
    to_stdout(text, "text" if chosen["format_"] == "text" else "json")
    sys.exit(status)


def written(format_: str, answers: list[Answer], remarks: list[str], questions: Questions, chosen: Chosen) -> str:
    """Return the answers in the format of a file."""
    if format_ != "html":
        return _render(format_, answers, remarks, questions.behaviour, chosen, Style())
    from dralint.simulate.page import page

    def text_of(answer: Answer) -> str:
        return _render("text", [answer], [], questions.behaviour, chosen, Style())

    return page(answers, questions, text_of, remarks)


def _render(
    format_: str, answers: list[Answer], remarks: list[str], behaviour: Behaviour, chosen: Chosen, style: Style
) -> str:
    if format_ == "text":
        from dralint.report.screen import draw
        from dralint.simulate.text import parts, pending_parts

        if not answers and not chosen["pending"]:
            return "no Pod that runs is evicted\n" if chosen["evict"] else _NOTHING
        said = (pending_parts if chosen["pending"] else parts)(answers, str(behaviour))
        return draw([*said, *(["", *(f"note: {remark}" for remark in remarks)] if remarks else [])], style)
    from dralint.report.safe import escape_json
    from dralint.simulate.document import document, question

    if format_ == "jsonl":
        return escape_json("".join(json.dumps(question(answer)) + "\n" for answer in answers))
    return escape_json(json.dumps(document(answers, behaviour, remarks), indent=1) + "\n")
