"""Short texts next to and above lines: how many devices match a selector, and on how many nodes an object fits."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from dralint.cel.eval.machine import Undecided, evaluate
from dralint.editor import devices
from dralint.editor.cursor import span_of
from dralint.editor.node_fit import fits
from dralint.finding.problem import at
from dralint.manifest.objects import objects
from dralint.references.collect import facts_of
from dralint.references.facts import ClaimFacts, Class
from dralint.references.selectors import compiled

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dralint.editor.cursor import OpenDocument
    from dralint.editor.text import Span
    from dralint.editor.workspace import Workspace
    from dralint.references.facts import SelectorFacts

_SECONDS = 0.5
"""Processor seconds for the lenses of one text; the rest is not simulated."""


class Hint(NamedTuple):
    """A text for a part of a manifest: after it as an inlay hint, above it as a code lens."""

    text: str
    span: Span


def inlay_hints(workspace: Workspace, name: str, span: Span) -> list[Hint]:
    """Return how many devices of the workspace match each selector in a part of a text."""
    known = devices.stock_of(workspace).devices
    out: list[Hint] = []
    for held in workspace.held(name) if known else ():
        if held.document.state != "read" or held.start > span.end:
            continue
        if held.start + len(held.document.text) < span.start:
            continue
        for path, selector in _selectors(name, held):
            there = span_of(held, path)
            compilation = compiled(selector.expression)
            if there is None or compilation is None or there.start > span.end or there.end < span.start:
                continue
            outcomes = [evaluate(compilation, device) for device in known]
            matching = sum(not isinstance(one, Undecided) and one.matches is True for one in outcomes)
            open_ = sum(isinstance(one, Undecided) for one in outcomes)
            what = f"{matching} of {len(known)} devices"
            out.append(Hint(f"{what}, {open_} not decided" if open_ else what, there))
    return out


def _selectors(name: str, held: OpenDocument) -> Iterator[tuple[tuple[str | int, ...], SelectorFacts]]:
    for item in objects(held.document.data):
        facts = facts_of(item, name, held.document.index)
        body = None if facts is None else facts.body
        found: tuple[SelectorFacts, ...] = ()
        if isinstance(body, ClaimFacts):
            found = tuple(selector for request in body.requests for selector in request.selectors)
        elif isinstance(body, Class):
            found = body.selectors
        for selector in found:
            path = (*item.path, *selector.path)
            if at(held.document.data, path) == selector.expression:
                yield path, selector


def code_lenses(workspace: Workspace, name: str) -> list[Hint]:
    """Return on how many nodes each claim, template, Pod and workload of a text fits."""
    out: list[Hint] = []
    end = time.process_time() + _SECONDS
    for held in workspace.held(name):
        for item in objects(held.document.data) if held.document.state == "read" else ():
            found = fits(workspace, name, held.document.index, item)
            there = span_of(held, (*item.path, "kind"))
            if found is not None and there is not None:
                out.append(Hint(found.sentence, there))
            if time.process_time() > end:
                return out
    return out
