"""Renders a verdict as text for a terminal, with carets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.cel.declarations import MAX_COST
from dralint.cel.issue import underlined
from dralint.kubernetes.served import full_name

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dralint.cel.issue import Compilation, Issue

_WIDTH = 100


def render(
    compilation: Compilation,
    issues: Sequence[Issue],
    devices: list[dict[str, Any]] | None,
    safe: Callable[[str], str],
    rule_of: Callable[[Issue], str],
    paint: Callable[[str, str], str] | None,
    why: tuple[str | None, str | None],
) -> str:
    """Return the verdict, each finding under its line, and the results for the devices.

    Args:
        compilation: the verdict.
        issues: the issues of the expression, those of the verdict first.
        devices: the result for each device, as `dralint cel --format json` has it; None where it was not run.
        safe: makes text of the input, on one line, safe to show.
        rule_of: returns the id of the rule of an issue, which is shown.
        paint: colours a text by its kind: `good`, `error`, `warning`, `info`, `frame` or `bold`.
        why: why none of the devices matches, and what to write instead; None where unknown.
    """
    paint = paint or _plain
    release = full_name(compilation.environment.release)
    if compilation.ok:
        facts = [f"type {compilation.result_type}"]
        if compilation.cost is not None:
            facts.append(f"estimated cost {compilation.cost:,} of {MAX_COST:,}")
        lines = [f"{paint('accepted', 'good')} by Kubernetes {release}: {', '.join(facts)}"]
    elif not compilation.is_refused:
        lines = [f"{paint('not decided', 'warning')} for Kubernetes {release}"]
    else:
        reason = compilation.issues[0].reason
        lines = [f"{paint('rejected', 'error')} by Kubernetes {release} ({reason})"]
    for issue in issues:
        lines.append("")
        colour = {"rejected": "error", "broken": "warning"}.get(issue.severity_effect, "info")
        shown, carets = excerpt(compilation.expression, *underlined(issue, compilation.expression))
        lines += [shown, paint(carets, colour)]
        word = "error" if issue.severity_effect == "rejected" else issue.severity_effect
        lines.append(f"{paint(f'{word} {rule_of(issue)}', colour)}: {safe(issue.message)}")
        if issue.hint is not None:
            lines.append(f"  {paint('hint:', 'frame')} {safe(issue.hint)}")
    if devices:
        lines.append("")
        lines += _table(devices, safe)
        if why[0] is not None:
            lines.append(safe(why[0]))
        if why[1] is not None:
            lines.append(f"  {paint('hint:', 'frame')} {safe(why[1])}")
    return "\n".join(lines)


def _plain(text: str, what: str) -> str:
    return text


def excerpt(expression: str, start: int, end: int) -> list[str]:
    """Return the line that contains `start`, cut to a width, and carets under the part up to `end`."""
    begin = expression.rfind("\n", 0, start) + 1
    stop = expression.find("\n", begin)
    stop = len(expression) if stop < 0 else stop
    left = max(begin, start - _WIDTH // 2) if stop - begin > _WIDTH else begin
    right = min(stop, left + _WIDTH)
    shown = "".join(c if c.isprintable() else " " for c in expression[left:right])
    width = max(1, min(end, right) - start)
    return [f"  {shown}", f"  {' ' * (start - left)}{'^' * width}"]


def _table(devices: list[dict[str, Any]], safe: Callable[[str], str]) -> list[str]:
    lines = []
    for device in devices:
        name = "/".join(filter(None, (device["driver"], device["pool"], device["device"])))
        if device["undecided"] is not None:
            lines.append(safe(f"{name}: not decided: {device['undecided']}"))
        elif device["error"] is not None:
            lines.append(safe(f"{name}: error: {device['error']} (in {device['decidedBy']})"))
        else:
            verdict = "matches" if device["matches"] else "does not match"
            lines.append(safe(f"{name}: {verdict} (by {device['decidedBy']})"))
    matching = sum(device["matches"] is True for device in devices)
    failing = sum(device["error"] is not None for device in devices)
    undecided = sum(device["undecided"] is not None for device in devices)
    lines.append(
        f"{matching} of {len(devices)} devices match"
        + (f", {failing} abort with an error" if failing else "")
        + (f", {undecided} not decided" if undecided else "")
    )
    return lines
