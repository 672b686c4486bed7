"""Texts over a place (hovers), beside one (how many devices match) and above one (on how many nodes it fits)."""

from __future__ import annotations

import re
import time
from functools import lru_cache, partial
from typing import TYPE_CHECKING, NamedTuple

from dralint.cel.machine import Undecided, evaluate
from dralint.editor import cel, configuration
from dralint.editor.cursor import Span, cursor_at, document_at, span_of
from dralint.editor.navigation import mention_at, mentions_of
from dralint.editor.schema import form_text, keys_at, parameter_at, rooted
from dralint.explain import fields, search
from dralint.explain.search import version_text
from dralint.finding import catalogue
from dralint.finding.problem import at
from dralint.finding.words import counted
from dralint.kubernetes.types import field_at
from dralint.lint.inventory_reader import impossible
from dralint.manifest.objects import objects
from dralint.references.collect import facts_of
from dralint.references.facts import ClaimFacts, Class
from dralint.references.selectors import compiled
from dralint.report import Style
from dralint.report.screen import draw
from dralint.report.text import code, literal
from dralint.report.words import release_spans
from dralint.simulate.behaviours import FIRST, behaviour
from dralint.simulate.cluster import Cluster, pod_for_claim, workload_of
from dralint.simulate.questions import Questions
from dralint.simulate.text import parts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dralint.editor.cursor import OpenDocument, Place
    from dralint.editor.schema import Kind
    from dralint.editor.workspace import Workspace
    from dralint.explain.fields import Field
    from dralint.finding.catalogue import Rule
    from dralint.kubernetes.release import Release
    from dralint.manifest.objects import ApiObject
    from dralint.references.facts import SelectorFacts
    from dralint.simulate.cluster import Workload
    from dralint.yaml import Path


_KEPT = 2_000
_RULE = re.compile(r"\bDRA\d{3}\b")
_COMMENT = re.compile(r"#[ \t]*dralint:")


class Hover(NamedTuple):
    """Markdown about a place of the text."""

    markdown: str
    span: Span


def hover(workspace: Workspace, name: str, offset: int) -> Hover | None:
    """Return the hover text for a place of a text; None where there is none."""
    rule = _rule(workspace, name, offset)
    if rule is not None:
        return rule
    cursor = cursor_at(workspace, name, offset)
    if cursor is None:
        return None
    if configuration.is_configuration(name):
        says = configuration.meaning(cursor.path)
        return None if says is None else Hover(says, cursor.span)
    expression = cel.expression_at(workspace, name, cursor, offset)
    if expression is not None:
        found = cel.explained(workspace, expression)
        return None if found is None else Hover("\n\n".join(found[0]), found[1])
    parts = [*_leads_to(workspace, name, cursor, offset)]
    if cursor.path in (("kind",), ("metadata", "name")):
        parts += filter(None, [fits(workspace, name, cursor.held.document.index, cursor.item)])
    kind, path = rooted(workspace, name, cursor.item, cursor.path)
    own = [*_of_parameter(workspace, cursor), *_of_key(workspace, cursor)]
    if kind is not None:
        own = own or [*_field(kind, path)]
    parts += own
    if cursor.path == ("apiVersion",) and (served := version_text(cursor.item.api_version, cursor.item.kind)):
        parts.append(served)
    return Hover("\n\n".join(parts), cursor.span) if parts else None


def _rule(workspace: Workspace, name: str, offset: int) -> Hover | None:
    """Return the meaning of a rule that a comment or the configuration names at an offset."""
    text = workspace.text(name)
    line, column = text.position(offset)
    whole = text.line(line)
    for match in _RULE.finditer(whole):
        rule = catalogue.find(match[0]) if match.start() <= column <= match.end() else None
        if rule is not None and (configuration.is_configuration(name) or _COMMENT.search(whole[: match.start()])):
            start = text.starts[line]
            says = f"**{rule.id} {rule.name}**: {rule.summary}"
            return Hover(says, Span(start + match.start(), start + match.end()))
    return None


def _of_parameter(workspace: Workspace, cursor: Place) -> Iterator[str]:
    """Yield what the pack of a driver says of a field in opaque parameters."""
    found = parameter_at(workspace, cursor.item, cursor.path)
    if found is None:
        return
    name = next(step for step in reversed(cursor.path) if isinstance(step, str))
    yield f"**{name}**: {form_text(name, found.form)}"
    lines = [f"{code(field)}: {form_text(field, form)}" for field, form in found.fields.items()]
    lines += [f"{code(value)} {detail}" for value, detail in found.values() if detail]
    if lines:
        yield "\n".join(f"- {line}" for line in lines)
    yield f"Parameters of {found.driver}"


def _of_key(workspace: Workspace, cursor: Place) -> Iterator[str]:
    """Yield what a key means that is the name of an extended resource, or of devices that a quota limits."""
    name = cursor.path[-1] if cursor.path else None
    says = keys_at(workspace, cursor.item, cursor.path[:-1]).get(name) if isinstance(name, str) else None
    if says is not None:
        yield f"**{literal(str(name))}**: {says}"


def _field(kind: Kind, path: Path) -> Sequence[str]:
    """Return the text about the field that a path leads to, or that contains it as free-form data."""
    steps: list[str] = []
    before: Path = ()
    path = () if path == ("kind",) else path  # for the whole kind
    for number, step in enumerate(path):
        place = field_at(kind.types, kind.name, path[: number + 1])
        if place is None:
            known = field_at(kind.types, kind.name, before)
            if known is None or known.shape.shape != "any":
                return ()
            break
        before = path[: number + 1]
        if not place.inside or (isinstance(step, str) and place.name == step):
            steps.append(str(step))
    found = _about(kind.name, tuple(steps))
    own = next((one for one in found if one.api_version == kind.api_version and one.release <= kind.release), None)
    return () if own is None else [*described(own, found)]


@lru_cache(maxsize=_KEPT)
def _about(kind: str, steps: tuple[str, ...]) -> tuple[Field, ...]:
    try:
        return tuple(fields.find(".".join([kind, *steps])))
    except fields.UnknownFieldError:
        return ()


def described(own: Field, everywhere: Sequence[Field]) -> Iterator[str]:
    """Yield paragraphs on a field: its type, its meaning, its limits, its releases and its feature gate."""
    yield f"**{own.name or own.owner}**: {own.type}"
    if own.meaning:
        yield own.meaning
    if own.limits or own.union:
        yield "\n".join(f"- {line}" for line in (*own.limits, *own.union))
    releases = sorted({one.release for one in everywhere if one.api_version == own.api_version})
    yield f"{own.api_version}, Kubernetes {release_spans([*map(str, releases)])}"
    gate = fields.gate_of(own)
    if gate is not None:
        yield f"Feature gate {gate}: {fields.gate_stage(gate, own.release)} in {own.release}"


def _leads_to(workspace: Workspace, name: str, cursor: Place, offset: int) -> Iterator[str]:
    """Yield the target of the reference at the cursor."""
    mention = None if cursor.is_key else mention_at(workspace, name, offset)
    if mention is None or mention.role in ("driver", "taint", "attribute"):
        return
    found = list(mentions_of(workspace, mention))
    given = [one for one in found if one.defines]
    what = f"{mention.role} {code(mention.name)}"
    if mention.defines:
        uses = len(found) - len(given)
        yield f"{what}, used in {uses} place{'' if uses == 1 else 's'} of the workspace"
    elif given:
        first = given[0]
        line = workspace.text(first.file).position(first.span.start).line + 1
        more = f" and {len(given) - 1} more" if len(given) > 1 else ""
        yield f"{what}: {literal(first.file.rpartition('/')[2])}, line {line}{more}"
    elif made := [one for one in workspace.facts() if (one.kind, one.name) == (mention.role, mention.name)]:
        yield f"{what}: a controller makes it for an object of {literal(made[0].file.rpartition('/')[2])}"
    else:
        yield f"{what}: not in the workspace"


def explain(topic: str) -> str | None:
    """Return the page of a rule (DRA203 or its name) or a field (its path, or the end of it); None without one."""
    rule = catalogue.find(topic)
    if rule is not None:
        return "\n\n".join(_of_rule(rule))
    ends = search.ending(topic) if topic.strip() else []
    for path in (topic, *(one.path for one in ends[:1])):
        try:
            found = fields.find(path)
        except fields.UnknownFieldError:
            continue
        return "\n\n".join([f"# {path}", *described(found[0], found)])
    return None


def _of_rule(rule: Rule) -> Iterator[str]:
    yield f"# {rule.id} {rule.name}"
    yield rule.summary
    yield f"{rule.severity}, {rule.effect}"
    yield f"**Why**\n\n{rule.why.strip()}"
    yield f"**What to do**\n\n{rule.fix.strip()}"
    for kind, title in (("bad", "Wrong"), ("good", "Right")):
        for example in rule.examples.get(kind, ())[:1]:
            for text in (example.get("files") or {"": example.get("manifest", "")}).values():
                yield f"**{title}: {example['title']}**\n\n```yaml\n{text.rstrip()}\n```"
    yield f"[{rule.id}]({rule.url})"


_KINDS = ("ResourceSlice", "DeviceClass", "DeviceTaintRule", "ResourceClaim", "ResourceClaimTemplate", "Node")
_SECONDS_PER_NODE, _SECONDS_OF_REASONS = 0.05, 1.0
_CLAIMS = ("ResourceClaim", "ResourceClaimTemplate")


def fits(workspace: Workspace, name: str, document: int, item: ApiObject) -> str:
    """Return on how many nodes an object fits; empty where that is unknown, or where it requests no devices."""
    asked = _asked(workspace, name, document, item)
    answer = None if asked is None else asked[0].ask(asked[1])
    if answer is None or answer.refused or answer.error or not all(one.decided for one in answer.nodes):
        return ""
    return f"fits on {len(answer.fits):,} of {counted(len(answer.nodes), 'node')}"


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
    known = cel.stock_of(workspace).devices
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
        if found and there is not None:
            out.append(Hint(found, there))
        if time.process_time() > end:
            break
    return out
