"""Short texts next to and above lines: how many devices match a selector, and on how many nodes a claim fits."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from dralint.cel.machine import Undecided, evaluate
from dralint.editor import devices
from dralint.editor.cursor import cursor_at, document_at, span_of
from dralint.finding.problem import at
from dralint.lint.inventory_reader import impossible
from dralint.manifest.objects import objects
from dralint.references.collect import facts_of
from dralint.references.facts import ClaimFacts, Class
from dralint.references.selectors import compiled
from dralint.report import Style
from dralint.report.screen import draw
from dralint.simulate.behaviours import FIRST, behaviour
from dralint.simulate.cluster import Cluster, pod_for_claim, workload_of
from dralint.simulate.questions import Questions
from dralint.simulate.text import parts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dralint.editor.cursor import OpenDocument, Span
    from dralint.editor.workspace import Workspace
    from dralint.kubernetes.release import Release
    from dralint.manifest.objects import ApiObject
    from dralint.references.facts import SelectorFacts
    from dralint.simulate.cluster import Workload
    from dralint.yaml import Path


_KINDS = ("ResourceSlice", "DeviceClass", "DeviceTaintRule", "ResourceClaim", "ResourceClaimTemplate", "Node")
_SECONDS_PER_NODE, _SECONDS_OF_REASONS = 0.05, 1.0
_CLAIMS = ("ResourceClaim", "ResourceClaimTemplate")


class Fits(NamedTuple):
    """The number of nodes on which an object fits, and of all nodes."""

    nodes: int
    of: int

    @property
    def sentence(self) -> str:
        """The answer as a title."""
        return f"fits on {self.nodes} of {self.of} node{'' if self.of == 1 else 's'}"


def fits(workspace: Workspace, name: str, document: int, item: ApiObject) -> Fits | None:
    """Return on how many nodes an object fits; None where that is unknown, or where the object requests no devices."""
    asked = _asked(workspace, name, document, item)
    if asked is None:
        return None
    answer = asked[0].ask(asked[1])
    if answer.refused or answer.error or not all(one.decided for one in answer.nodes):
        return None
    return Fits(len(answer.fits), len(answer.nodes))


def simulated(workspace: Workspace, name: str, offset: int) -> str | None:
    """Return the output of `dralint simulate` on the object at an offset: the nodes where it fits, and the reasons for
    others."""
    held = document_at(workspace, name, offset)
    cursor = cursor_at(workspace, name, offset)
    items = [] if held is None or held.document.state != "read" else list(objects(held.document.data))
    item = cursor.item if cursor is not None else next(iter(items), None)
    asked = None if item is None or held is None else _asked(workspace, name, held.document.index, item)
    if asked is None:
        return None
    questions, workload = asked
    answer = questions.ask(workload)
    answer.explain(_SECONDS_OF_REASONS)
    return draw(parts([answer], str(questions.behaviour)), Style()).removesuffix("\n")


def _asked(workspace: Workspace, name: str, document: int, item: ApiObject) -> tuple[Questions, Workload] | None:
    """Return the question whether an object fits; None where there is none."""
    if item.name is None or _is_refused(workspace, name, document, item):
        return None
    release = _release(workspace, name, item)
    questions = None if release < FIRST else _questions(workspace, release)
    if questions is None:
        return None
    namespace = item.namespace or workspace.settings.namespace or "default"
    if item.kind in _CLAIMS:
        return questions, pod_for_claim(item.kind, {"metadata": {"name": item.name, "namespace": namespace}})
    found = workload_of(item.typed, namespace)
    if found is None or not (found.pod.get("spec") or {}).get("resourceClaims"):
        return None
    return questions, found


def _release(workspace: Workspace, name: str, item: ApiObject) -> Release:
    releases = workspace.linter(name).releases
    serving = releases.serving(item.api_version, item.kind)
    return serving[-1] if serving else releases.newest


def _questions(workspace: Workspace, release: Release) -> Questions | None:
    """Return the questions about all objects of a workspace; None where it has no devices."""
    texts = {**workspace.inventory, **{name: workspace.raw(name) or b"" for name in workspace.names}}
    relevant = {name: raw for name, raw in texts.items() if any(kind.encode() in raw for kind in _KINDS)}

    def make() -> Questions | None:
        cluster = Cluster()
        for name, raw in relevant.items():
            for item in workspace.kept(f"cluster of {name}", raw, partial(_items, workspace, name)):
                cluster.add(item.typed, workspace.settings.namespace or "default")
        if not cluster.of("ResourceSlice"):
            return None
        how = behaviour(release, dict(workspace.settings.gates), workspace.settings.patch(release))
        return Questions(cluster, how, timeout=_SECONDS_PER_NODE, explain="never")

    return workspace.kept(f"questions {release}", relevant, make)


def _items(workspace: Workspace, name: str) -> list[ApiObject]:
    """Return the objects of a text that matter to the simulation, without those that the API server refuses."""
    return [
        item
        for held, item in workspace.objects(name)
        if item.kind in _KINDS
        and impossible(workspace.linter(name).releases, item) is None
        and not _is_refused(workspace, name, held.document.index, item)
    ]


def _is_refused(workspace: Workspace, name: str, document: int, item: ApiObject) -> bool:
    """Say whether the API server refuses an object."""
    return any(
        one.document == document
        and one.effect in ("rejected", "unreadable")
        and one.object is not None
        and (one.object.get("kind"), one.object.get("name")) == (item.kind, item.name)
        for one in workspace.findings_alone(name)
    )


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
    for held, item in workspace.objects(name) if known else ():
        if held.start > span.end or held.start + len(held.document.text) < span.start:
            continue
        for path, selector in _selectors(name, held, item):
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


def _selectors(name: str, held: OpenDocument, item: ApiObject) -> Iterator[tuple[Path, SelectorFacts]]:
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
    for held, item in workspace.objects(name):
        found = fits(workspace, name, held.document.index, item)
        there = span_of(held, (*item.path, "kind"))
        if found is not None and there is not None:
            out.append(Hint(found.sentence, there))
        if time.process_time() > end:
            break
    return out
