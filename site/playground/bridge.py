"""What the page of the playground asks of dralint; each question and answer is a text of JSON. Runs in the browser."""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import dralint
from dralint import editor
from dralint.config.choices import ChoiceError
from dralint.config.configuration import ConfigurationError
from dralint.kubernetes.gates import parse
from dralint.report import Style
from dralint.report.words import nothing_judged, severities, skipped, verdict_and_place

if TYPE_CHECKING:
    from collections.abc import Callable

    from dralint.api import Choices
    from dralint.editor import Text, Workspace
    from dralint.finding.finding import Edit, Finding

INVENTORY = "inventory.yaml"
CONFIGURATION = ".dralint.yaml"
FOLDER = "/manifests"
_SPACE: Workspace = editor.Workspace()
_SPACE.excluded = lambda name: name == CONFIGURATION
_MOST_ITEMS = 200


def ask(question: str, given: str) -> str:
    """Answer a question of the page; its name is that of a function in `ANSWERS`."""
    return json.dumps(ANSWERS[question](**json.loads(given)))


def state(
    files: list[list[str]],
    inventory: str = "",
    release: str = "",
    gates: str = "",
    namespace: str = "",
    select: str = "",
    ignore: str = "",
    *,
    complete: bool = False,
) -> dict[str, Any]:
    """Take all texts and choices; `error` says what is wrong with a choice or the configuration."""
    config = _configuration(dict(files).get(CONFIGURATION))
    _take(files)
    _SPACE.set_inventory({INVENTORY: inventory.encode("utf-8", "surrogatepass")} if inventory.strip() else {})
    try:
        chosen: Choices = {
            "config": config,
            "feature_gates": dict(parse(gates)) or None,
            "namespace": namespace or None,
        }
        if release:
            chosen["kubernetes_version"] = release
        if select:
            chosen["select"] = select
        if ignore:
            chosen["ignore"] = ignore
        if complete:  # only then: a configuration may say so, too
            chosen["complete"] = True
        settings = dralint.settings(**chosen)
    except (ChoiceError, ConfigurationError, ValueError) as error:
        return {"error": str(error)}
    if settings != _SPACE.settings:
        _SPACE.configure(settings)
    return {}


def _take(files: list[list[str]]) -> None:
    """Open the texts, also that of the configuration: it is completed like others, and not judged."""
    names = {name for name, _ in files}
    for name in _SPACE.open_names:
        if name not in names:
            _SPACE.close(name)
    for name, text in files:
        if not _SPACE.is_open(name) or _SPACE.text(name).text != text:
            _SPACE.open(name, text)


def _manifests() -> list[str]:
    return [name for name in _SPACE.open_names if name != CONFIGURATION]


def _configuration(text: str | None) -> Path | None:
    """Return the file with the configuration, beside those of a command; None if there is none."""
    folder = Path(FOLDER)
    folder.mkdir(exist_ok=True)
    os.chdir(folder)
    file = Path(CONFIGURATION)
    if text is None:
        file.unlink(missing_ok=True)
        return None
    file.write_text(text, "utf-8", "surrogatepass", newline="")
    return file


def check() -> dict[str, Any]:
    """Return the findings in all texts, with their places as editors count them."""
    report = _SPACE.report()
    style = Style(previews=tuple(report.previews))
    findings = [_finding(finding, style) for finding in report.findings]
    failures = [failure.message for failure in report.failures]
    summary = nothing_judged(report) or severities(report.findings)
    return {"findings": findings, "failures": failures, "summary": summary + skipped(report), "objects": report.objects}


def _finding(finding: Finding, style: Style) -> dict[str, Any]:
    text = _SPACE.text(finding.file)
    span = text.span(finding.line, finding.column, finding.end_line, finding.end_column)
    return {
        "file": finding.file,
        "line": finding.line,
        "from": text.position(span.start, "utf-16"),
        "to": text.position(span.end, "utf-16"),
        "severity": finding.severity,
        "rule": finding.rule,
        "name": finding.name,
        "message": finding.message,
        "hint": finding.hint or "",
        "verdict": verdict_and_place(finding, style),
        "fix": None
        if finding.fix is None
        else {"safe": finding.fix.safe, "edits": [_edit(text, edit) for edit in finding.fix.edits]},
    }


def _edit(text: Text, edit: Edit) -> dict[str, Any]:
    return {
        "from": text.position(edit.start, "utf-16"),
        "to": text.position(edit.end, "utf-16"),
        "insert": edit.text,
    }


def actions(file: str, start: list[int], end: list[int], kind: str = "") -> list[dict[str, Any]]:
    """Return what can be done about a stretch of a text; with a kind, only actions of that kind."""
    text = _SPACE.text(file)
    span = type(text.span(1, 1, 1, 1))(text.offset(start[0], start[1], "utf-16"), text.offset(end[0], end[1], "utf-16"))
    found = editor.actions(_SPACE, file, span, lambda each: each == (kind or "quickfix"))
    return [
        {
            "title": action.title,
            "safe": action.safe,
            "edits": {
                name: [_edit(_SPACE.text(name), edit) for edit in edits]
                for name, edits in action.edits.items()
                if _SPACE.is_open(name)
            },
        }
        for action in found
        if any(_SPACE.is_open(name) for name in action.edits)
    ]


def hover(file: str, at: list[int]) -> dict[str, Any] | None:
    """Return what there is to say of a place."""
    text = _SPACE.text(file)
    found = editor.hover(_SPACE, file, text.offset(at[0], at[1], "utf-16"))
    if found is None:
        return None
    return {
        "markdown": found.markdown,
        "from": text.position(found.span.start, "utf-16"),
        "to": text.position(found.span.end, "utf-16"),
    }


def complete(file: str, at: list[int]) -> list[dict[str, Any]]:
    """Return what may stand at a place."""
    text = _SPACE.text(file)
    items = sorted(editor.complete(_SPACE, file, text.offset(at[0], at[1], "utf-16")), key=lambda item: item.rank)
    return [
        {
            "label": item.label,
            "text": item.text,
            "snippet": item.snippet,
            "kind": item.kind,
            "detail": item.detail,
            "says": item.says,
            "from": text.position(item.span.start, "utf-16"),
            "to": text.position(item.span.end, "utf-16"),
        }
        for item in items[:_MOST_ITEMS]
    ]


def run(arguments: list[str]) -> dict[str, Any]:
    """Run a command as on a command line, in a folder with the texts; return its status and what it prints."""
    from dralint.cli.main import dralint as program

    folder = Path(FOLDER)
    for old in folder.iterdir():
        if old.name != CONFIGURATION:
            old.unlink()
    for name in _manifests():
        (folder / name).write_bytes(_SPACE.text(name).raw)
    for name, raw in _SPACE.inventory.items():
        (folder / name).write_bytes(raw)
    out = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True)
    err = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True)
    status = 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            program.main(arguments, prog_name="dralint")
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else 1
    sys.stdout.flush()
    return {"status": status, "out": _printed(out), "err": _printed(err)}


def _printed(stream: io.TextIOWrapper) -> str:
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue().decode("utf-8", "replace")


def migrated(target: str) -> dict[str, str]:
    """Return the texts that a migration changes."""
    run(["migrate", "--to", target, "--write", "--quiet", *_manifests()])
    after = {name: (Path(FOLDER) / name).read_text("utf-8") for name in _manifests()}
    return {name: text for name, text in after.items() if text != _SPACE.text(name).text}


ANSWERS: dict[str, Callable[..., object]] = {
    "state": state,
    "check": check,
    "actions": actions,
    "hover": hover,
    "complete": complete,
    "run": run,
    "migrated": migrated,
}
