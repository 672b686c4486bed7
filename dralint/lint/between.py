"""The stage over all objects: facts of the whole input judged together, findings put into their places.

It runs after the objects have been judged one by one. What it finds is located by reading the files again that hold
something, and only those.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from dralint.config.selection import wanted
from dralint.finding import catalogue
from dralint.finding.finding import Related
from dralint.finding.problem import Problem
from dralint.finding.report import Report
from dralint.lint.locate import Place, locate
from dralint.lint.overrides import settings_of
from dralint.lint.placed import placed
from dralint.lint.report_builder import ReportBuilder
from dralint.manifest.objects import objects
from dralint.references.collect import facts, facts_of, workload
from dralint.references.facts import Class, Facts
from dralint.references.index import Index, Scope
from dralint.references.parameters import references
from dralint.references.world import World
from dralint.yaml import read

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from dralint.config.settings import Settings
    from dralint.finding.finding import Finding
    from dralint.kubernetes.release import Release
    from dralint.lint.releases import Releases
    from dralint.manifest.objects import ApiObject
    from dralint.references.inventory import Inventory
    from dralint.references.problem import Elsewhere, Found
    from dralint.yaml import Document, Path

    Reader = Callable[[str], bytes | None]
    """The bytes of a file of the run by its name; None where it cannot be read any more, or is to be passed over."""


def between(
    collected: Iterable[Facts],
    settings: Settings,
    releases: Releases,
    files: Sequence[str],
    reader: Reader,
    inventory: Sequence[tuple[str, bytes]] = (),
) -> list[Finding]:
    """Return what is found between the objects of a run, sorted by file.

    Args:
        collected: the facts of all objects, in any order.
        files: the names of all files of the run, for objects that are only of interest because others name them.
        reader: reads a file of the run.
        inventory: name and bytes of the files of all slices there are.
    """
    if not any(wanted(rule, settings) for rule in catalogue.rules(settings.index).values() if _is_between(rule.id)):
        return []
    known = sorted(collected, key=lambda entry: (entry.file, entry.document, entry.path))
    known += _named_by_others(known, files, reader)
    if not known:
        return []
    stock = _stock(known, settings, reader, inventory)
    texts = dict(inventory)

    def anywhere(name: str) -> bytes | None:
        return texts.get(name) or reader(name)

    outside = (settings.known_classes, settings.known_drivers, settings.known_namespaces)
    scope = Scope(settings.namespace, settings.complete, *map(frozenset, outside))

    def chosen(file: str) -> tuple[Release, ...]:
        return tuple(sorted(set(settings_of(file, settings).releases)))

    from dralint.references.rules import check  # the rules are needed where there is something to judge

    def judged(objects: list[Facts]) -> list[Found]:
        index = Index(objects, scope)
        return list(check(World(index, releases.versions, chosen, dict(settings.gates), settings.index, stock)))

    found = placed(judged(known), known, files, reader, judged)
    return _located(found, settings, anywhere)


def _stock(
    known: list[Facts], settings: Settings, reader: Reader, inventory: Sequence[tuple[str, bytes]]
) -> Inventory | None:
    """Return the devices that there are; None where nothing is known of them.

    They are those of `inventory` and of the input; of a complete input alone, those of the drivers that have some.
    """
    if not inventory and not settings.complete:
        return None
    from dralint.references.inventory import Published, inventory_of  # only where there is one

    published: list[Published] = []
    for name, raw in inventory:
        for document, item in _items(raw, None):
            if item.kind == "ResourceSlice":
                published.append(Published(facts(item, name, document.index, None), item.data))
    wanted: dict[str, set[tuple[int, Path]]] = {}
    for entry in known:
        if entry.kind == "ResourceSlice":
            wanted.setdefault(entry.file, set()).add((entry.document, entry.path))
    by_place = {(entry.file, entry.document, entry.path): entry for entry in known}
    for name, places in wanted.items():
        text = reader(name)
        for document, item in () if text is None else _items(text, None):
            if (document.index, item.path) in places:
                published.append(Published(by_place[name, document.index, item.path], item.data))
    if not published:
        return None
    return inventory_of(published, whole=bool(inventory))


def _is_between(rule: str) -> bool:
    return rule.startswith(("DRA4", "DRA7"))


def _named_by_others(known: list[Facts], files: Sequence[str], reader: Reader) -> list[Facts]:
    """Return the facts of objects that are passed over unless something names them.

    Those are parameters of the classic API of whatever kind, their definitions, and Pods that ask for the extended
    resource of a class.
    """
    kinds = {(reference.group, reference.kind) for _, reference in references(known)}
    kinds = {(group, kind) for group, kind in kinds if group != "resource.k8s.io"}
    domains = {
        entry.body.extended.partition("/")[0]
        for entry in known
        if isinstance(entry.body, Class) and entry.body.extended is not None
    }
    words = [kind for _, kind in kinds] + [f"{domain}/" for domain in domains]
    if not words:
        return []
    if kinds:
        words.append("CustomResourceDefinition")
    pattern = re.compile("|".join(map(re.escape, sorted(words))).encode("utf-8", "replace"))
    there = {(entry.file, entry.document, entry.path) for entry in known}
    out: list[Facts] = []
    for name in files:
        raw = reader(name)
        if raw is None or not pattern.search(raw):
            continue
        for document, item in _items(raw, pattern):
            if (name, document.index, item.path) in there:
                continue
            if (item.group, item.kind) in kinds:
                out.append(facts(item, name, document.index, None))
            elif item.kind == "CustomResourceDefinition" and kinds:
                found = facts_of(item, name, document.index)
                out += [] if found is None else [found]
            elif domains:
                body = workload(item)
                out += [] if body is None else [facts(item, name, document.index, body)]
    return out


def _items(raw: bytes, pattern: re.Pattern[bytes] | None) -> Iterator[tuple[Document, ApiObject]]:
    for document in read(raw, relevant=pattern):
        if document.state == "read":
            for item in objects(document.data):
                yield document, item


def _located(found: list[Found], settings: Settings, reader: Reader) -> list[Finding]:
    """Return the findings; a file is read once, however much is found in it."""
    rules = catalogue.rules(settings.index)
    found = [each for each in found if wanted(rules[each.problem.rule], settings_of(each.facts.file, settings))]
    here: dict[str, list[int]] = {}
    there: dict[str, set[Elsewhere]] = {}
    for number, each in enumerate(found):
        here.setdefault(each.facts.file, []).append(number)
        for other in each.elsewhere:
            there.setdefault(other.facts.file, set()).add(other)
    findings: dict[int, Finding] = {}
    places: dict[Elsewhere, Related] = {}
    for name in dict.fromkeys([*here, *there]):
        raw = reader(name)
        if raw is None:
            continue
        wanted_documents = {found[number].facts.document for number in here.get(name, ())}
        wanted_documents |= {other.facts.document for other in there.get(name, ())}
        items = {
            (document.index, item.path): (document, item)
            for document, item in _items(raw, None)
            if document.index in wanted_documents
        }
        for other in there.get(name, ()):
            if (place := items.get((other.facts.document, other.facts.path))) is not None:
                places[other] = _related(name, *place, other)
        builder = ReportBuilder(settings_of(name, settings))
        for number in here.get(name, ()):
            each = found[number]
            place = items.get((each.facts.document, each.facts.path))
            if place is None:
                continue
            report = Report()
            builder.stamp(report, Place(name, *place), each.problem, each.releases)
            if report.findings:
                findings[number] = report.findings[0]
    return [
        replace(finding, related=(*finding.related, *(places[o] for o in found[number].elsewhere if o in places)))
        for number, finding in sorted(findings.items())
    ]


def _related(name: str, document: Document, item: ApiObject, other: Elsewhere) -> Related:
    span = locate(document, item.path, Problem("", other.path, ""))
    return Related(other.message, name, span.line, span.column)
