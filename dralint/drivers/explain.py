"""Explains why no device of a driver matches a selector."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from dralint.cel.device_values import shown
from dralint.drivers.devices import ATTRIBUTES, CAPACITY, Name, full_name
from dralint.drivers.partial_evaluation import ABSENT, LIKE, TYPE, VALUE
from dralint.finding.rule_ids import (
    DEVICE_ATTRIBUTE_ADVICE,
    DEVICE_ATTRIBUTE_TYPE,
    DEVICE_ATTRIBUTE_VALUE,
    UNKNOWN_DEVICE_ATTRIBUTE,
)
from dralint.finding.words import quoted
from dralint.kubernetes.near import did_you_mean, is_slip, listed, near
from dralint.references.selectors import compiled

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dralint.drivers.choice import TargetVersions
    from dralint.drivers.devices import DeviceKind, Known
    from dralint.drivers.partial_evaluation import Note
    from dralint.drivers.selectors import Judged


_ATTRIBUTE = re.compile(r"""(?P<has>has\(\s*)?device\.\w+\[(["'])[^"']*\2\](?:\.\w+|\[(["'])[^"']*\3\])(?(has)\s*\))""")
"""An attribute or capacity in its usual form, also in `has()`; forms such as `"name" in ...` are left alone."""
_COMPARISON = re.compile(
    r"(?P<attribute>device\.\w+\[(?P<mark>[\"'])[^\"']*(?P=mark)\](?:\.\w+|\[(?P=mark)[^\"']*(?P=mark)\]))"
    r" *(?P<sign>==|!=|>=|<=|>|<) *(?P<value>(?P<quote>[\"'])(?P<text>[^\"']*)(?P=quote)|-?\d+(?:\.\d+)*|true|false)"
)
_VERSION = re.compile(r"v?(\d{1,9}(?:\.\d{1,9}){0,2})", re.ASCII)
_INTEGER = re.compile(r"-?\d{1,18}", re.ASCII)
_TRUTH = ("true", "false")
_FUNCTIONS = {">": "isGreaterThan", "<": "isLessThan"}


def _in_place(part: str, attribute: str) -> str | None:
    """Return another attribute in place of one; None where that is not clear."""
    found = _ATTRIBUTE.fullmatch(part)
    return None if found is None else f"has({attribute})" if found["has"] else attribute


def _other_value(part: str, value: str, meant: str) -> str | None:
    """Return a part of an expression with another text in place of the only one of this value."""
    found = [f"{quote}{value}{quote}" for quote in ('"', "'") if f"{quote}{value}{quote}" in part]
    if len(found) != 1 or part.count(found[0]) != 1:
        return None
    return part.replace(found[0], f"{found[0][0]}{meant}{found[0][0]}")


def _as_type(kind: str, comparison: str) -> str | None:
    """Return the comparison in the type of the attribute; None where that is not clear.

    Args:
        kind: the type of the attribute.
        comparison: the part of an expression.
    """
    found = _COMPARISON.fullmatch(comparison)
    if found is None:
        return None
    attribute, sign, quote = found["attribute"], found["sign"], found["mark"]
    text = found["value"] if found["text"] is None else found["text"]
    if kind == "version" and (version := _VERSION.fullmatch(text)) is not None:
        parts = ".".join(str(int(part)) for part in [*version[1].split("."), "0", "0"][:3])
        call = f"semver({quote}{parts}{quote})"
        function = _FUNCTIONS.get(sign)
        return f"{attribute}.{function}({call})" if function else f"{attribute}.compareTo({call}) {sign} 0"
    if kind == "int" and _INTEGER.fullmatch(text):
        return f"{attribute} {sign} {text}"
    if kind == "bool" and text.lower() in _TRUTH and sign in ("==", "!="):
        return f"{attribute} {sign} {text.lower()}"
    if kind == "string" and found["text"] is None and sign in ("==", "!="):
        return f"{attribute} {sign} {quote}{text}{quote}"
    return None


_TYPES = {"version": "a version (semver)", "int": "an int", "list of string": "a list of strings", "bool": "a bool"}
_NOUNS = {ATTRIBUTES: "attribute", CAPACITY: "capacity"}
_FALSE = "the selector is false for every device, and Pods that use the claim stay Pending"
_FAILS = "the selector fails on every device, and this stops the scheduling of the Pod"


class Reason(NamedTuple):
    """What is wrong with a selector: the part of the expression, and the text to write instead, if it is clear."""

    rule: str
    message: str
    hint: str | None
    start: int
    end: int
    instead: str | None = None


class Absent(NamedTuple):
    """A message on an attribute that no device has, the hint, whether there is one with a similar name, and which."""

    message: str
    hint: str | None
    near_one: bool
    instead: str | None = None


def explained(
    target: TargetVersions,
    judged: Mapping[str, Judged],
    everything: Sequence[DeviceKind],
    expression: str,
    device_class: str | None,
    *,
    never: bool,
) -> list[Reason]:
    """Return the reasons why a selector is wrong.

    Args:
        target: the driver.
        judged: the result of the selector, by version.
        everything: all kinds of devices of the newest version.
        expression: the selector.
        device_class: the class of the request, None for a selector of a class.
        never: whether no device can match.
    """
    newest = judged[target.newest]
    reached = [device for device, _ in newest.notes]
    words = Words(target, everything, reached, device_class, expression)
    matching = [version for version, found in judged.items() if "T" in found.outcomes]
    outdated = bool(matching) and target.is_before_newest(matching)
    every = [keys for each in judged.values() for keys in _keys(each)]
    common = [note for note in _notes(newest) if never or outdated or all(_key(note) in keys for keys in every)]
    effect = _FAILS if newest.outcomes == {"E"} else _FALSE
    if device_class is None:
        effect = effect.replace("use the claim", "use the class")
    if outdated:
        effect = f"as of {target.newest}, {effect}"
    found = words.reasons(common, effect, never=never or outdated)
    if outdated:
        found = (each._replace(rule=DEVICE_ATTRIBUTE_ADVICE) for each in found)
    reasons = list({(each.rule, each.message): each for each in found}.values())
    certain = [reason for reason in reasons if reason.rule != DEVICE_ATTRIBUTE_ADVICE]
    absent = [reason for reason in certain if reason.rule == UNKNOWN_DEVICE_ATTRIBUTE]
    return absent or certain[:1] or reasons


_Key = tuple[str, Name, int, int]


def _key(note: Note) -> _Key:
    """Return what notes on several kinds of devices have in common."""
    return note.why, note.name, note.start, note.end


def _keys(judged: Judged) -> list[set[_Key]]:
    """Return the keys of the notes of each kind of device."""
    return [set(map(_key, notes)) for _, notes in judged.notes]


def _notes(judged: Judged) -> list[Note]:
    """Return the notes that all kinds of devices have; notes on values and types count for any kind."""
    each = _keys(judged)
    out: dict[_Key, Note] = {}
    for note in (note for _, notes in judged.notes for note in notes):
        if note.why != ABSENT or all(_key(note) in keys for keys in each):
            out.setdefault(_key(note), note)
    return list(out.values())


class Words:
    """The words for what is wrong with a selector or constraint.

    Args:
        target: the driver.
        everything: the kinds of devices of its newest version.
        reached: those that the request can get.
        device_class: the class of the request, None for a selector of a class.
        expression: the selector.
    """

    def __init__(
        self,
        target: TargetVersions,
        everything: Sequence[DeviceKind],
        reached: Sequence[DeviceKind],
        device_class: str | None = None,
        expression: str = "",
    ) -> None:
        self._pack = target.pack
        self._version = target.newest.partition("+")[0]
        self._everything = everything
        self._reached = reached
        self._class = device_class
        self._expression = expression

    def reasons(self, notes: Sequence[Note], effect: str, *, never: bool) -> Iterator[Reason]:
        """Yield the reasons; they are only more than advice if no device can match."""
        for note in notes:
            part = self._expression[note.start : note.end]
            if note.why == ABSENT:
                message, hint, near_one, attribute = self.absent(note.name)
                if never:
                    instead = None if attribute is None else _in_place(part, attribute)
                    elsewhere = any(device.find(note.name) for device in self._everything)
                    rule = DEVICE_ATTRIBUTE_VALUE if elsewhere else UNKNOWN_DEVICE_ATTRIBUTE
                    yield Reason(
                        rule, f"{message}; {effect}", hint, note.start, note.end, self._compiling(note, instead)
                    )
                elif near_one and not self._spans(note.name):
                    yield Reason(DEVICE_ATTRIBUTE_ADVICE, message, hint, note.start, note.end)
            elif note.why == TYPE and note.known is not None:
                message, hint = self._type(note, note.known)
                rule = DEVICE_ATTRIBUTE_TYPE if never else DEVICE_ATTRIBUTE_ADVICE
                said = f"{message}; {effect}" if never else message
                instead = self._compiling(note, _as_type(note.known.type, part))
                yield Reason(rule, said, f"write {instead}" if instead else hint, note.start, note.end, instead)
            elif note.why == VALUE and note.known is not None and never:
                message, hint, other = self._value(note, note.known)
                instead = None if other is None else _other_value(part, str(note.other), other)
                yield Reason(DEVICE_ATTRIBUTE_VALUE, f"{message}; {effect}", hint, note.start, note.end, instead)
            elif note.why == LIKE and note.known is not None:
                meant = [v for v in note.known.listed if _alike(str(note.other), str(v))]
                if meant:
                    message = f"{quoted(note.other)} is not a value of {note.name.name} that dralint knows"
                    hint = did_you_mean([str(value) for value in meant])
                    yield Reason(DEVICE_ATTRIBUTE_ADVICE, message, hint, note.start, note.end)

    def _compiling(self, note: Note, instead: str | None) -> str | None:
        """Return a text in place of the part of a note if the expression compiles with it.

        It need not: a capacity, for example, is compared in another way than an attribute.
        """
        if instead is None:
            return None
        expression = f"{self._expression[: note.start]}{instead}{self._expression[note.end :]}"
        return instead if compiled(expression) is not None else None

    # Missing attributes.

    def absent(self, name: Name) -> Absent:
        """Return the message on an attribute that no device has."""
        noun = _NOUNS[name.which]
        reached = [device.kind for device in self._reached if device.find(name) is not None]
        having = [device.kind for device in self._everything if device.find(name) is not None and not reached]
        kinds = list(dict.fromkeys(device.kind for device in self._reached))
        who = f"no device of the driver has the {noun} {name.domain}/{name.name}"
        if having:
            among = f" of kind {listed(kinds, 'or', '')}" if any(kinds) else ""
            message = f"no device{among} has the {noun} {name.domain}/{name.name}, only those of kind "
            others = self._similar(name, self._reached)
            hint = did_you_mean(others) or self._classes_hint(having)
            return Absent(message + listed(having, "and", ""), hint, True)
        spans = self._spans(name)
        if spans:
            who += f" in {self._version}: {spans}"
        use = self._successor(name)
        if use is not None:
            return Absent(who, f"write {use}", True)
        inner = name.name.rpartition("/")[2]
        name = name._replace(name=inner)
        other = name._replace(which=CAPACITY if name.which == ATTRIBUTES else ATTRIBUTES)
        moved = [other, *(each for each in self._names(other.which) if each.name == name.name)]
        found = next((each for each in moved if any(device.find(each) for device in self._everything)), None)
        same = [each for each in self._names(name.which) if each.name == name.name]
        if same:
            here = [each for each in self._names(name.which) if each.domain == name.domain]
            close = did_you_mean(self._near(name.name, here)) if here else None
            alone = same[0].text if len(same) == 1 and not close else None
            return Absent(who, f"write {same[0].text}" + (f"; {close}" if close else ""), True, alone)
        if found is not None and not (found.which == ATTRIBUTES and any(device.open for device in self._everything)):
            return Absent(f"{who}: it is {_an(found.which)}", f"write {found.text}", True, found.text)
        without = [each.text for each in self._names(name.which) if each.name == name.domain]
        if without:  # the domain is missing, and a member of the value follows
            return Absent(who, f"write {without[0]}", True, without[0] if len(without) == 1 else None)
        meant = self._similar(name, self._everything)
        if meant:
            there = any(each.name == meant[0] and each.domain == name.domain for each in self._names(name.which))
            text = name._replace(name=meant[0]).text if there else meant[0]
            return Absent(who, did_you_mean(meant), True, text if len(meant) == 1 else None)
        elsewhere = [each for each in self._names(other.which) if each.name in self._near(name.name, [each])]
        if elsewhere and name.which == ATTRIBUTES:
            return Absent(who, f"if the {_NOUNS[other.which]} is meant, write {elsewhere[0].text}", True)
        return Absent(who, self._list_of(name), False)

    def _similar(self, name: Name, several: Sequence[DeviceKind]) -> list[str]:
        """Return the names in the domain, or else in other domains, that are similar or contain the name."""
        there = [each for each in self._names(name.which, several) if each.domain == name.domain]
        found = self._near(name.name, there)
        if found:
            return found
        others = {each.name: each for each in self._names(name.which, several) if each.domain != name.domain}
        return [others[each].text for each in near(name.name, others)]

    def near_attributes(self, name: Name) -> list[str]:
        """Return the nearest attributes of the domain, or else of others, with their domains."""
        names = self._names(name.which)
        inside = near(name.name, [each.name for each in names if each.domain == name.domain])
        others = sorted(f"{each.domain}/{each.name}" for each in names if each.name == name.name)
        return [f"{name.domain}/{each}" for each in inside] or others

    def _near(self, text: str, there: Sequence[Name]) -> list[str]:
        names = [each.name for each in there]
        found = near(text, names)
        if not found and len(text) > 2:
            found = [each for each in names if text.lower() in each.lower() or each.lower() in text.lower()]
        return found

    def _names(self, which: str, several: Sequence[DeviceKind] | None = None) -> list[Name]:
        out: dict[Name, None] = {}
        for device in self._everything if several is None else several:
            out.update(dict.fromkeys(name for name in device.known if name.which == which))
        own = [name for name in out if name.domain == self._pack.driver]
        return own + [name for name in out if name.domain != self._pack.driver]

    def _list_of(self, name: Name) -> str:
        names = [each for each in self._names(name.which) if each.domain == name.domain]
        noun = {ATTRIBUTES: "attributes", CAPACITY: "capacities"}[name.which]
        if names:
            return f"the domain {name.domain} has {', '.join(each.name for each in names)}"
        domains = dict.fromkeys(each.domain for each in self._names(name.which))
        return f"{noun} of the driver are in {listed(domains, 'and', '')}" if domains else f"it has no {noun}"

    def _entries(self, name: Name, key: str = "") -> Iterator[tuple[dict[str, str], str, str]]:
        key = key or ("attributes" if name.which == ATTRIBUTES else "capacities")
        for entry, first, last in self._pack.entries(key):
            if full_name(name.which, self._pack.driver, entry["name"]) == name:
                yield entry, first, last

    def _spans(self, name: Name) -> str:
        """Return the versions with an attribute that the judging version does not have."""
        versions = self._pack.versions
        here = versions.index(self._version)
        for _, first, last in self._entries(name):
            if versions.index(last) < here:
                return f"it was there up to {last}"
            if versions.index(first) > here:
                return f"it is there since {first}"
        return ""

    def _successor(self, name: Name) -> str | None:
        """Return the attribute that replaces a removed one."""
        for row, _, _ in (*self._entries(name), *self._entries(name, "renamed")):
            if "use" in row:
                use = full_name(name.which, self._pack.driver, row["use"])
                if any(device.find(use) for device in self._everything):
                    return f"{use.text} ({use.domain}/{use.name})"
        return None

    def _classes_hint(self, kinds: Sequence[str]) -> str | None:
        found = [name for kind in kinds for name in self._classes_of(kind)]
        return f"use the class {listed(dict.fromkeys(found), 'or', '')}" if found else None

    def _classes_of(self, kind: str) -> list[str]:
        """Return the classes that select devices of a kind by their attribute."""
        device = next((each for each in self._everything if each.kind == kind), None)
        where = self._pack.at(self._version).get("kinds", {}).get(kind, {}).get("where", {})
        if device is None or not where:
            return []
        values = [f'"{value}"' for each in where.values() for value in _several(each)]
        rows = self._pack.at(self._version).get("classes", ())
        return [
            row["name"]
            for row in rows
            if row["name"] != self._class and all(value in row.get("cel", "") for value in values)
        ]

    # Types and values.

    def _type(self, note: Note, known: Known) -> tuple[str, str | None]:
        name, kind = note.name.name, _TYPES.get(known.type, f"a {known.type}")
        other = "" if note.other in (None, "any", known.type) else f", and the selector uses it with {_a(note.other)}"
        hint = {
            "version": f'write {note.name.text}.compareTo(semver("1.2.3")) >= 0',
            "quantity": f'write {note.name.text}.compareTo(quantity("1Gi")) >= 0',
            "int": f"compare it with a number without quotes: {note.name.text} == 1",
            "bool": f"write {note.name.text}, or {note.name.text} == false",
            "list of string": f'write "VALUE" in {note.name.text}',
            "string": f'compare it with a text: {note.name.text} == "VALUE"',
        }.get(known.type)
        return f"{note.name.domain}/{name} is {kind}{other}", hint

    def _value(self, note: Note, known: Known) -> tuple[str, str | None, str | None]:
        """Return message and hint for a value that an attribute never has, and the one that is meant."""
        name = f"{note.name.domain}/{note.name.name}"
        closed = self._closed(note.name) or known.values or ()
        other = None if note.other is None or isinstance(note.other, tuple) else note.other
        if known.pattern is not None and known.values is None:
            examples = [str(e) for entry, _, _ in self._entries(note.name) for e in entry.get("examples", ())]
            forms = f"are like {', '.join(examples[:3])}" if examples else f"match {quoted(known.pattern)}"
            text = f"{quoted(other)} has not the form of {name}, whose values {forms}"
            inside = [each for each in examples if len(str(other)) > 1 and str(other).lower() in each.lower()]
            like = [each for each in examples if _alike(str(other), each)] or inside or near(str(other), examples)[:1]
            return text, did_you_mean(like), None
        values = ", ".join(shown(value) for value in closed)
        here = known.values or ()
        text = f"{name} is never {_shown(other)}" if other is not None else f"no value of {name} fits"
        text += f"; it has only {values}"
        if other in closed and other not in here and here:
            text = f"{name} is {listed(map(shown, here), 'or', '')} for devices that get here, never {_shown(other)}"
            kinds = [
                kind
                for kind, row in self._pack.at(self._version).get("kinds", {}).items()
                if any(other in _several(value) for value in row.get("where", {}).values())
            ]
            return text, self._classes_hint(kinds), None
        meant: list[str] = []
        if isinstance(other, str):
            meant = near(other, map(str, closed)) or [
                each for each in map(str, closed) if len(other) > 2 and each.lower().endswith(other.lower())
            ]
        return text, did_you_mean(meant), meant[0] if len(meant) == 1 else None

    def _closed(self, name: Name) -> tuple[object, ...]:
        """Return all values that an attribute can have on any device."""
        for entry in self._pack.at(self._version).get("attributes" if name.which == ATTRIBUTES else "capacities", ()):
            if full_name(name.which, self._pack.driver, entry["name"]) == name and entry.get("closed"):
                return tuple(entry["values"])
        return ()


def _several(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]


def _alike(one: str, other: str) -> bool:
    """Say whether two texts differ only in case or by a typing mistake."""
    return one != other and (one.lower() == other.lower() or (one.isalpha() and is_slip(one, other)))


def _shown(value: object) -> str:
    return quoted(value) if isinstance(value, str) else shown(value)


def _an(which: str) -> str:
    return "an attribute" if which == ATTRIBUTES else "a capacity"


def _a(kind: object) -> str:
    return {"int": "an int", "version": "a version"}.get(str(kind), f"a {kind}")
