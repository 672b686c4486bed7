"""The objects of an input by kind, namespace and name, whatever their API version."""

from __future__ import annotations

import itertools
from bisect import bisect_left
from typing import TYPE_CHECKING

from dralint.finding.words import fits, shared
from dralint.records import NamedTuple
from dralint.references.facts import ANY_NAMESPACE
from dralint.references.misspelt_names import KnownNames
from dralint.references.names import fixed_parts, is_open

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dralint.references.facts import Facts


class Scope(NamedTuple):
    """What is known in addition to the objects.

    `namespace` is for objects without one (None: it may be any). `complete` means that nothing is missing from the
    input. `classes`, `drivers` and `namespaces` are names, and patterns with `*`, of what exists elsewhere; `charts`
    are the classes that charts of drivers install, `resources` the extended resources that such classes offer.
    """

    namespace: str | None = None
    complete: bool = False
    classes: frozenset[str] = frozenset()
    drivers: frozenset[str] = frozenset()
    namespaces: frozenset[str] = frozenset()
    charts: frozenset[str] = frozenset()
    resources: frozenset[str] = frozenset()

    def namespace_of(self, facts: Facts) -> str | None:
        """Return the namespace of a namespaced object; None where it may be any."""
        if facts.namespace == ANY_NAMESPACE:
            return None
        return facts.namespace or self.namespace or ("default" if self.complete else None)


class Index:
    """The objects by kind and name; the same object may occur several times."""

    def __init__(self, facts: Iterable[Facts], scope: Scope) -> None:
        self.scope = scope
        self.facts = list(facts)
        self._kinds: dict[str, dict[str, list[Facts]]] = {}
        self._prefixes: dict[tuple[str, str], list[Facts]] = {}
        self._open: dict[str, set[tuple[str, ...]]] = {}
        self._names: dict[str, dict[tuple[str, str | None], KnownNames]] = {}
        self._namesakes: dict[tuple[str, str, str], _Namesakes] = {}
        self._places: dict[tuple[str, str], dict[str | None, list[tuple[int, Facts]]]] = {}
        for entry in self.facts:
            if entry.name is None:
                if entry.prefix is not None:
                    self._prefixes.setdefault((entry.kind, entry.prefix.rstrip("-.")), []).append(entry)
            elif is_open(entry.name):
                self._open.setdefault(entry.kind, set()).add(fixed_parts(entry.name))
            else:
                self._kinds.setdefault(entry.kind, {}).setdefault(entry.name, []).append(entry)

    def all(self, kind: str) -> Iterator[Facts]:
        """Yield the objects of a kind that have a name, in order of their names."""
        for _, entries in sorted(self._kinds.get(kind, {}).items()):
            yield from entries

    def of_kinds(self, *kinds: str) -> Iterator[Facts]:
        """Yield the objects of the kinds, named or not, in the order of the input."""
        return (entry for entry in self.facts if entry.kind in kinds)

    def some(self, kind: str) -> list[str]:
        """Return the first three names of a kind, for a suggestion."""
        return list(itertools.islice(self._kinds.get(kind, ()), 3))

    def named(self, kind: str, name: str) -> list[Facts]:
        """Return the objects of a kind and name, in whatever namespace."""
        return self._kinds.get(kind, {}).get(name, [])

    def within(self, kind: str, namespace: str | None, name: str) -> list[Facts]:
        """Return those of them that are, or may be, in the namespace."""
        named = self.named(kind, name)
        if len(named) <= _FEW or namespace is None or is_open(namespace):
            return [entry for entry in named if self.may_be_in(entry, namespace)]
        places = self._places.get((kind, name))
        if places is None:
            places = self._places[kind, name] = {}
            for position, entry in enumerate(named):
                own = self.scope.namespace_of(entry)
                places.setdefault(None if is_open(own) else own, []).append((position, entry))
        return [entry for _, entry in sorted([*places.get(namespace, ()), *places.get(None, ())])]

    def may_be_in(self, entry: Facts, namespace: str | None) -> bool:
        """Say whether an object is, or may be, in the namespace."""
        own = self.scope.namespace_of(entry)
        return own is None or namespace is None or own == namespace or is_open(own) or is_open(namespace)

    def may_become(self, kind: str, name: str) -> bool:
        """Say whether an object whose name has placeholders can become the one with that name."""
        return any(fits(name, parts) for parts in self._open.get(kind, ()))

    def generated(self, kind: str, namespace: str | None, name: str) -> Facts | None:
        """Return an object whose name is generated from that name, in that namespace."""
        found = self._prefixes.get((kind, name), ())
        return next((entry for entry in found if self.may_be_in(entry, namespace)), None)

    def nearest(self, kind: str, name: str, facts: Facts) -> Facts | None:
        """Return the object of a kind and name, in whatever namespace, that an author most likely means."""
        key = kind, name, facts.file
        if key not in self._namesakes:
            self._namesakes[key] = _Namesakes(self.named(kind, name), facts.file)
        return self._namesakes[key].nearest(facts.namespace or "")

    def names(self, kind: str, namespace: str | None = None) -> list[KnownNames]:
        """Return the names of a kind, of those that may be in the namespace."""
        if namespace is None:
            return [self._named(kind, "", None)]
        return [self._named(kind, "in", namespace), self._named(kind, "anywhere", None)]

    def _named(self, kind: str, which: str, namespace: str | None) -> KnownNames:
        """Return names of a kind: all, those `in` the namespace, or those that may be `anywhere`."""
        groups = self._names.get(kind)
        if groups is None:
            names: dict[tuple[str, str | None], list[str]] = {}
            for name, entries in self._kinds.get(kind, {}).items():
                names.setdefault(("", None), []).append(name)
                for entry in entries:
                    own = self.scope.namespace_of(entry)
                    known = own is not None and not is_open(own)
                    names.setdefault(("in", own) if known else ("anywhere", None), []).append(name)
            groups = self._names[kind] = {key: KnownNames(found) for key, found in names.items()}
        return groups.get((which, namespace), _NO_NAMES)

    def near(self, kind: str, namespace: str | None, name: str) -> Facts | None:
        """Return the object that a misspelt name can only mean."""
        for names in self.names(kind, namespace):
            for known in names.near(name):
                return self.within(kind, namespace, known)[0]
        return None

    def closest(self, kind: str, namespace: str | None, name: str) -> Facts | None:
        """Return the object that the name resembles most, for a suggestion."""
        for names in self.names(kind, namespace):
            known = names.closest(name)
            if known is not None:
                return self.within(kind, namespace, known)[0]
        return None


def nearest(entries: Iterable[Facts], facts: Facts) -> Facts | None:
    """Return what an author most likely means: a similar name in the same file, then folder, then namespace."""
    return _Namesakes(entries, facts.file).nearest(facts.namespace or "")


class _Namesakes:
    """Those objects that are nearest to a file; the time of a search does not grow with their number."""

    def __init__(self, entries: Iterable[Facts], file: str) -> None:
        here = _folders(file)

        def distance(entry: Facts) -> int:
            there = _folders(entry.file)
            return -1 if entry.file == file else len(here) + len(there) - 2 * shared(here, there)

        steps = [(distance(entry), entry) for entry in itertools.islice(entries, _MOST_COMPARED)]
        fewest = min((count for count, _ in steps), default=0)
        self._first: dict[str, Facts] = {}
        for count, entry in steps:
            if count == fewest:
                self._first.setdefault(entry.namespace or "", entry)
        self._namespaces = sorted(self._first)
        self._found: dict[str, Facts | None] = {}

    def nearest(self, namespace: str) -> Facts | None:
        """Return the first of the objects whose namespaces share most of their beginning with this one."""
        at = bisect_left(self._namespaces, namespace)
        beside = self._namespaces[max(0, at - 1) : at + 1]
        alike = namespace[: max((shared(namespace, other) for other in beside), default=0)]
        if alike not in self._found:
            found = (entry for other, entry in self._first.items() if other.startswith(alike))
            self._found[alike] = next(found, None)
        return self._found[alike]


def _folders(file: str) -> list[str]:
    return file.replace("\\", "/").split("/")[:-1]


_MOST_COMPARED = 1_000
_FEW = 4
"""Objects of one name among which those of a namespace are found one by one."""
_NO_NAMES = KnownNames(())
