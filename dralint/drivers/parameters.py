"""Judges opaque parameters as the versions of a driver read them, with the formats of text that Go defines."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Any

from dralint.decode.wrong_type import Advice, advice, amount_meant
from dralint.finding.problem import Change, Problem, Repair, meant, renamed, replaced
from dralint.finding.rule_ids import (
    DRIVER_DROPS_PARAMETERS,
    DRIVER_GATE_OFF,
    DRIVER_REFUSES_IN_SOME_VERSIONS,
    DRIVER_REFUSES_PARAMETERS,
)
from dralint.finding.words import quoted
from dralint.kubernetes.formats import parse_address
from dralint.kubernetes.near import closest, did_you_mean, listed
from dralint.kubernetes.quantity import parse_quantity
from dralint.kubernetes.types import Shape
from dralint.kubernetes.workloads import MOST_DEVICES
from dralint.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from dralint.drivers.choice import TargetVersions
    from dralint.drivers.pack import Pack
    from dralint.yaml import Path


_BYTE = "[0-9a-fA-F]{2}"
_MAC = re.compile(
    rf"(?:{_BYTE}(?P<c>[:-])(?:{_BYTE}(?P=c)){{4}}{_BYTE}"
    rf"|{_BYTE}(?P<d>[:-])(?:{_BYTE}(?P=d)){{6}}{_BYTE}"
    rf"|{_BYTE}(?P<e>[:-])(?:{_BYTE}(?P=e)){{18}}{_BYTE}"
    r"|[0-9a-fA-F]{4}(?:\.[0-9a-fA-F]{4}){2}|[0-9a-fA-F]{4}(?:\.[0-9a-fA-F]{4}){3}|[0-9a-fA-F]{4}(?:\.[0-9a-fA-F]{4}){9}"
    r"|[0-9a-fA-F]{12}|[0-9a-fA-F]{16}|[0-9a-fA-F]{40})\Z"
)
_LENGTH = re.compile(r"(?:0|[1-9][0-9]{0,2})\Z")
_RANGE = re.compile(r"([0-9]+)(?:-([0-9]+))?\Z")
_LONGEST_NAME = 15


def network(text: str) -> bool:
    """Say whether a text is an IP address with a prefix length."""
    host, slash, length = text.partition("/")
    found = parse_address(host)
    return (
        bool(slash) and found is not None and _LENGTH.match(length) is not None and int(length) <= found.max_prefixlen
    )


def is_ipv4(text: str) -> bool | None:
    """Say whether an address, with or without a prefix, is IPv4; None where it is not an address."""
    found = parse_address(text.partition("/")[0])
    return None if found is None else found.version == 4


def cpu_list(text: str) -> bool:
    """Say whether a text is a list of CPUs as Linux writes it."""
    ranges = [_RANGE.match(part) for part in text.split(",")]
    return all(found is not None and int(found[1]) <= int(found[2] or found[1]) for found in ranges)


def interface_name(text: str) -> bool:
    """Say whether a text can be the name of a network interface."""
    if len(text.encode()) > _LONGEST_NAME or text in (".", ".."):
        return False
    return all(
        char in "._-" or unicodedata.category(char)[0] == "L" or unicodedata.category(char) == "Nd" for char in text
    )


def device_key(text: str) -> bool:
    """Say whether a text names a device of a claim: by its index or by its UUID."""
    if text.startswith(("GPU-", "MIG-")):
        return True
    return text.isascii() and text.isdigit() and int(text) < MOST_DEVICES


FORMATS: dict[str, tuple[Callable[[str], bool], str]] = {
    "CIDR": (network, "an address with prefix length, such as 10.0.0.5/24"),
    "CIDR or IP": (
        lambda text: network(text) or parse_address(text) is not None,
        "an address with or without prefix length",
    ),
    "IP": (lambda text: parse_address(text) is not None, "an IP address"),
    "MAC": (lambda text: _MAC.match(text) is not None, "a hardware address, such as 02:42:ac:11:00:02"),
    "CPU list": (cpu_list, "a list of CPUs, such as 0-3,5"),
    "interface name": (interface_name, "at most 15 letters, digits, dots, hyphens and underscores"),
    "device": (device_key, "the index of a device of the claim, or its UUID"),
}
"""Formats by name: the test, and the words for it."""


REFUSED, GATE, DROPPED, CHANGED = "refused", "gate", "dropped", "changed"
"""What a driver does because of a part of the parameters: it refuses them all, it refuses them while a gate is off, it
drops the part, or it reads the part as something else."""

_INTEGERS = {
    "int": (-(2**63), 2**63 - 1),
    "int32": (-(2**31), 2**31 - 1),
    "uint8": (0, 2**8 - 1),
    "uint32": (0, 2**32 - 1),
    "uint64": (0, 2**64 - 1),
}
_SHAPES = {
    **dict.fromkeys(_INTEGERS, Shape("int64")),
    "bool": Shape("boolean"),
    "string": Shape("string"),
    "list": Shape("list", of=Shape("string")),
}
"""Type of a field → its values, if they show what another type means; a list is one of texts."""
_NOTHING = Advice(None)
_TYPES: dict[str, tuple[Any, str]] = {
    **dict.fromkeys(_INTEGERS, (int, "a whole number")),
    "quantity": (str | int | float, "a quantity"),
    "string": (str, "a string"),
    "bool": (bool, "true or false"),
    "object": (dict, "an object"),
    "list": (list, "a list"),
    "map": (dict, "an object"),
}
"""Type of a field → the class of its values, and the words for it."""
_UID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z")
_WRAPPERS = ("spec", "parameters", "config")


class Complaint(NamedTuple):
    """What the driver does because of a part of the parameters; `path` starts at the parameters.

    Complaints of several versions with equal `about` and `path` are the same. `repair` is what was probably meant; its
    paths start at the parameters.
    """

    path: Path
    message: str
    hint: str | None = None
    does: str = REFUSED
    about: str = ""
    target: str = "value"
    repair: Repair | None = None


class Reader:
    """Reads parameters as one version of a driver.

    Args:
        pack: the driver.
        version: one of its versions, with its variant.
        gate: returns whether a feature gate of the driver is on; None where unknown.
    """

    def __init__(self, pack: Pack, version: str, gate: Callable[[str], bool | None]) -> None:
        self._pack = pack
        self._gate = gate
        said = pack.at(version)
        self.rules: dict[str, Any] | None = said.get("parameters")
        self._variant = (self.rules or {}).get("variants", {}).get(version.partition("+")[2])
        self._gates: dict[str, Any] = said.get("gates", {})
        rules = self.rules or {}
        self._strict = bool(rules.get("strict"))
        self._any_case = bool(rules.get("anyCase"))

    def read(self, parameters: dict[str, Any]) -> list[Complaint]:
        """Return the complaints of the driver."""
        rules = self.rules
        if rules is None or rules.get("ignored"):
            return []
        if "kinds" in rules:
            found = list(self._typed(parameters, rules))
        else:
            found = list(self._object(parameters, rules["fields"], ()))
        if self._variant is not None:  # the driver does not validate what such devices lack
            found = [each for each in found if each.about in ("type", "unknown")]
            found += self._refused_by_variant(parameters, self._variant)
        return found

    # Types.

    def _typed(self, parameters: dict[str, Any], rules: dict[str, Any]) -> Iterator[Complaint]:
        known = {row["kind"]: row for row in rules["kinds"]}
        allowed = {"apiVersion": [rules["apiVersion"]], "kind": [*known]}
        wrong = False
        for name, values in allowed.items():
            there = [key for key in parameters if key.lower() == name.lower()]
            value = parameters[there[-1]] if there else None
            path = (there[-1],) if there else ()
            if value is not None and not isinstance(value, str):
                yield self._wrong_type(path, value, "a string")
            elif not value:
                near = next((key for key in parameters if closest(key, [name])), None)
                hint = f"write {name}: {listed(values, 'or', '')}"
                if near is not None and not there:
                    said, repair = f"the field is called {name}, not {near}", renamed((near,), name)
                    yield Complaint((near,), said, hint, about=name, target="key", repair=repair)
                else:
                    yield Complaint(path, f"`{name}` is missing", hint, about=name)
            elif value not in values:
                others = [other for key, other in parameters.items() if key.lower() in ("apiversion", "kind")]
                fits = any(other in allowed[each] for each in allowed if each != name for other in others)
                yield self._wrong_name(name, value, values, path, fits=fits)
            else:
                continue
            wrong = True
        if wrong:
            return
        kind = known[next(value for key, value in parameters.items() if key.lower() == "kind")]
        gate = kind.get("gate")
        if gate:
            yield from (each._replace(does=GATE) for each in self._needs(("kind",), kind["kind"], gate))
        fields = {"apiVersion": {"type": "string"}, "kind": {"type": "string"}, **kind["fields"]}
        yield from self._object(parameters, fields, ())

    def _wrong_name(self, name: str, value: str, values: list[str], path: Path, *, fits: bool) -> Complaint:
        """Return the complaint about an apiVersion or a kind; `fits` says that the other one is one of the driver."""
        if name == "kind":
            row = next((r for r in self._pack.data["parameters"]["kinds"] if r["kind"] == value), None)
            if row is not None:
                return Complaint(path, f"{value} does not exist here, it exists {_span(row)}", about=name)
        near = meant(value, values, path, closed=True, otherwise=f"write {name}: {listed(values, 'or', '')}")
        group = value.lower().partition("/")[0]
        ours = name == "kind" or all(
            each.partition("/")[0].endswith(group) or each.endswith(f"/{value}") for each in values
        )
        repair = replaced(path, values[0]) if fits and ours and len(values) == 1 else near.repair
        what = "an apiVersion" if name == "apiVersion" else "a kind"
        message = f"{quoted(value)} is not {what} that the driver reads; allowed: {', '.join(values)}"
        return Complaint(path, message, near.hint, about=name, repair=repair)

    def _refused_by_variant(self, parameters: dict[str, Any], variant: dict[str, Any]) -> Iterator[Complaint]:
        means = variant["means"]
        for name in variant["refuses"]:
            value = parameters.get(name)
            if not value:
                continue
            taken = {path.partition(".")[2] for path in variant.get("takes", ()) if path.startswith(f"{name}.")}
            paths: list[Path] = [(name,)]
            if taken and isinstance(value, dict):
                paths = [(name, key) for key, item in value.items() if key not in taken and item is not None]
            for path in paths:
                yield Complaint(path, f"`{'.'.join(map(str, path))}` is not allowed for {means}", about="variant")

    # Values.

    def _object(self, value: dict[str, Any], fields: dict[str, Any], path: Path) -> Iterator[Complaint]:
        there: dict[str, tuple[str, Any]] = {}
        for key, item in value.items():
            name = self._name(key, fields)
            if name is None:
                yield self._unknown(key, fields, path, value)
            elif item is not None:
                there[name] = (key, item)
        for name, field in fields.items():
            key, item = there.get(name, (name, None))
            judged = all(there.get(k, ("", None))[1] == v for k, v in field.get("when", {}).items())
            found = list(self._value(item, field, (*path, key)))
            if not judged:
                found = [each for each in found if each.about == "type"]
            yield from found
            if item is None:
                yield from self._missing(name, field, there, path) if judged else ()
            elif not any(each.about == "type" for each in found):
                yield from self._together(name, fields, there, (*path, key))
        yield from self._excluded(value, fields, path)

    def _name(self, key: str, fields: dict[str, Any]) -> str | None:
        if key in fields:
            return key
        if self._any_case:
            return next((name for name in fields if name.lower() == key.lower()), None)
        return None

    def _unknown(self, key: str, fields: dict[str, Any], path: Path, beside: Mapping[str, Any]) -> Complaint:
        item = beside[key]
        names = [name for name in fields if name not in ("apiVersion", "kind")]
        hint, repair = meant(key, fields, (*path, key), key=True, taken=beside)
        lacking = [name for name in fields if name not in beside and _is_needed(fields[name], beside)]
        strange = [name for name in beside if name not in fields]
        if hint is None and len(lacking) == 1 == len(strange) and self._takes(fields[lacking[0]], item):
            hint, repair = did_you_mean(lacking), renamed((*path, key), lacking[0])
        if key in _WRAPPERS and isinstance(item, dict) and hint is None:
            hint = f"write its fields directly under {'.'.join(map(str, path)) or 'parameters'}"
        if hint is None:
            place, field = next(self._elsewhere(key), ((*path, key), {}))
            if place != (*path, key):
                hint = f"it belongs to {'.'.join(map(str, place[:-1])) or 'parameters'}"
                if len({each for each, _ in self._elsewhere(key)}) == 1 and self._takes(field, item):
                    repair = Repair((Change("move", (*path, key), to=place),))
        if hint is None:
            hint = f"it has {', '.join(names)}" if names else "it has no fields"
        where = f" in `{path[-1]}`" if path and isinstance(path[-1], str) else ""
        if self._strict:
            message = f"the driver has no field {quoted(key)}{where} and refuses the parameters"
            return Complaint((*path, key), message, hint, about="unknown", target="key", repair=repair)
        message = f"the driver has no field {quoted(key)}{where} and drops it without a word"
        return Complaint((*path, key), message, hint, DROPPED, "unknown", "key", repair=repair)

    def _under(self, value: Any, fields: dict[str, Any]) -> Advice:
        """Return how to write a value as an object: below the one field that is needed, or below `name`."""
        names = [name for name in fields if _is_needed(fields[name], {})] or [n for n in ("name",) if n in fields]
        if len(names) != 1 or not isinstance(value, str) or not self._takes(fields[names[0]], value):
            return _NOTHING
        return Advice(f"put it under `{names[0]}:`", {names[0]: value})

    def _takes(self, field: dict[str, Any], value: Any) -> bool:
        """Say whether a field accepts a value that is written elsewhere."""
        return value is not None and not any(each.does == REFUSED for each in self._value(value, field, ("",)))

    def _elsewhere(self, key: str) -> Iterator[tuple[Path, dict[str, Any]]]:
        """Yield the paths where the driver has a field of that name, and the field."""
        rules = self.rules or {}
        tops = [row["fields"] for row in rules.get("kinds", ())] or [rules.get("fields", {})]
        todo: list[tuple[Path, dict[str, Any]]] = [((), fields) for fields in tops]
        while todo:
            path, fields = todo.pop(0)
            for name, field in fields.items():
                if name == key:
                    yield (*path, name), field
                inner = field.get("fields") or field.get("items", {}).get("fields")
                if inner:
                    todo.append(((*path, name), inner))

    def _value(self, value: Any, field: dict[str, Any], path: Path) -> Iterator[Complaint]:
        kind = field["type"]
        wanted, words = _TYPES[kind]
        if value is None:
            return
        if not isinstance(value, wanted) or (isinstance(value, bool) and kind != "bool"):
            yield self._wrong_type(path, value, words, self._meant(value, field, path))
        elif kind == "object":
            yield from self._object(value, field["fields"], path)
        elif kind == "list":
            for number, item in enumerate(value):
                yield from self._item(item, field["items"], (*path, number))
        elif kind == "quantity":
            yield from self._quantity(value, field, path)
        elif kind == "map":
            for key, item in value.items():
                words = _unfit(key, field.get("keys"))
                if words:
                    yield Complaint((*path, key), f"{quoted(key)} is not {words}", about="keys", target="key")
                yield from self._item(item, field["values"], (*path, key))
        else:
            yield from self._scalar(value, field, path)

    def _meant(self, value: Any, field: dict[str, Any], path: Path) -> Advice:
        """Return how to write a value that has another type than its field."""
        kind = field["type"]
        if kind == "object":
            return self._under(value, field["fields"])
        if kind not in _SHAPES or (kind == "list" and field["items"]["type"] != "string"):
            return _NOTHING
        return advice({}, _SHAPES[kind], value, path)

    def _item(self, value: Any, field: dict[str, Any], path: Path) -> Iterator[Complaint]:
        """Yield the problems of an item; Go reads null as the empty value."""
        if value is None:
            value = {"object": {}, "string": "", "bool": False, "quantity": "0"}.get(field["type"], 0)
        yield from self._value(value, field, path)
        if field["type"] == "string" and value == "" and "format" in field:
            yield Complaint(path, f"the text is empty; allowed is {_unfit('', field['format'])}", about="format")

    def _scalar(self, value: Any, field: dict[str, Any], path: Path) -> Iterator[Complaint]:
        kind = field["type"]
        if kind in _INTEGERS:
            low, high = _INTEGERS[kind]
            if not low <= value <= high:
                yield Complaint(path, f"{quoted(value)} is out of range; allowed: {low} to {high}", about="type")
                return
            yield from self._limits(value, quoted(value), field, path, (low, high))
        elif kind == "string":
            yield from self._text(value, field, path)
        allowed = field.get("enum")
        if allowed is not None and value not in allowed and not (value == "" and not field.get("required")):
            yield self._not_allowed(value, allowed, path)
        elif value in field.get("not", ()):
            yield Complaint(path, f"{quoted(value)} is not allowed here", about="not")
        else:
            gate = field.get("gates", {}).get(str(value))
            if gate:
                yield from self._needs(path, f"{path[-1]}: {value}", gate)

    def _not_allowed(self, value: Any, allowed: list[Any], path: Path) -> Complaint:
        names = [str(each) for each in allowed]
        hint, repair = meant(value, names, path, closed=True) if isinstance(value, str) else (None, None)
        shown = quoted(value) if value != "" else "the empty text"
        message = f"{shown} is not allowed here; allowed: {', '.join(names)}"
        return Complaint(path, message, hint, about="enum", repair=repair)

    def _text(self, value: str, field: dict[str, Any], path: Path) -> Iterator[Complaint]:
        form = field.get("format")
        if value == "":
            if field.get("required") and "enum" not in field:
                yield Complaint(path, "the text is empty; the driver needs a value", about="required")
            return
        wanted = _unfit(value, form)
        if wanted:
            yield Complaint(path, f"{quoted(value)} is not {wanted}", about="format")
        if field.get("names") == "UID" and not _UID.match(value):
            message = f"`{path[-1]}` is {quoted(value)} and not a UID: the driver finds no object of it"
            yield Complaint(path, message, None, CHANGED, "names")
        known = field.get("known")
        if known and value not in known:
            message = f"the driver reads {quoted(value)} as {field['otherwise']}; it knows {', '.join(known)}"
            hint, repair = meant(value, known, path, closed=True)
            yield Complaint(path, message, hint, CHANGED, "known", repair=repair)

    def _limits(
        self, value: Any, shown: str, field: dict[str, Any], path: Path, bounds: tuple[int, int]
    ) -> Iterator[Complaint]:
        low, high = field.get("min", bounds[0]), field.get("max", bounds[1])
        if not low <= value <= high:
            if "max" not in field:
                allowed = f"allowed: at least {low}"
            elif "min" not in field and bounds[0]:
                allowed = f"allowed: at most {high}"
            else:
                allowed = f"allowed: {low} to {high}"
            yield Complaint(path, f"{shown} is out of range; {allowed}", about="limits")

    def _quantity(self, value: str | float, field: dict[str, Any], path: Path) -> Iterator[Complaint]:
        try:
            amount = parse_quantity(value.strip(" \t\r\n") if isinstance(value, str) else quoted(value))
        except ValueError:
            message = f"{quoted(value)} is not a quantity, such as 512Mi or 2Gi"
            one = amount_meant(value) if isinstance(value, str) else _NOTHING
            yield Complaint(path, message, one.hint, about="type", repair=one.repair(path))
            return
        least = field.get("min")
        if least is not None and amount < parse_quantity(least):
            yield Complaint(path, f"{quoted(value)} is too small; allowed: at least {least}", about="limits")

    def _wrong_type(self, path: Path, value: Any, wanted: str, one: Advice = _NOTHING) -> Complaint:
        got = {str: "the string ", bool: "", int: "the number ", float: "the number "}.get(type(value))
        shown = f"{got}{quoted(value)}" if got is not None else "a list" if isinstance(value, list) else "an object"
        return Complaint(path, f"expected {wanted}, got {shown}", one.hint, about="type", repair=one.repair(path))

    # Relations between fields.

    def _missing(
        self, name: str, field: dict[str, Any], there: Mapping[str, tuple[str, Any]], path: Path
    ) -> Iterator[Complaint]:
        if _is_needed(field, {key: value for key, (_, value) in there.items()}):
            allowed = field.get("enum")
            hint = f"write {name}: {listed(map(str, allowed), 'or', '')}" if allowed else f"write {name}"
            yield Complaint(path, f"`{name}` is missing, and the driver needs it", hint, about=f"required {name}")

    def _together(
        self, name: str, fields: dict[str, Any], there: Mapping[str, tuple[str, Any]], path: Path
    ) -> Iterator[Complaint]:
        field = fields[name]
        for other, value in field.get("with", {}).items():
            has = there.get(other, ("", None))[1]
            if has is not None and has not in fields[other].get("enum", (has,)):
                continue  # it is refused itself, and what was meant by it is not known
            if has != value and has is not None:
                message = f"`{name}` is allowed only with {other}: {value}, and {other} is {quoted(has)}"
                yield Complaint(path, message, f"remove {name}, or write {other}: {value}", about="with", target="key")
        for other, value in field.get("without", {}).items():
            if there.get(other, ("", None))[1] == value and there[name][1]:
                message = f"`{name}` is not allowed together with {other}: {quoted(value)}"
                yield Complaint(path, message, f"remove {name} or {other}", about="without", target="key")
        other = str(field.get("family"))
        if other in there and isinstance(there[other][1], str) and isinstance(there[name][1], str):
            mine, its = is_ipv4(there[name][1]), is_ipv4(there[other][1])
            if None not in (mine, its) and mine != its:
                families = ("IPv6", "IPv4")
                message = f"`{name}` is of {families[bool(mine)]}, and `{other}` is of {families[bool(its)]}"
                yield Complaint(path, message, "write addresses of one family", about="family")

    def _excluded(self, value: dict[str, Any], fields: dict[str, Any], path: Path) -> Iterator[Complaint]:
        for name, field in fields.items():
            other = field.get("excludes")
            there: Any = value if other and value.get(name) else None
            for part in str(other).split(".") if there else ():
                there = there.get(part) if isinstance(there, dict) else None
            if there is not None:
                message = f"`{name}` is not allowed together with {other}"
                yield Complaint((*path, name), message, f"remove {name} or {other}", about="excludes", target="key")

    def _needs(self, path: Path, what: str, gate: str) -> Iterator[Complaint]:
        row = self._gates.get(gate)
        if row is None:
            return  # this version has the field without a gate
        on = self._gate(gate)
        if on is None or on is False:
            since = f" since {row['since']}" if "since" in row else ""
            message = f"{what} needs the driver's gate {gate}, which is off by default{since}"
            if on is False and row["default"]:
                message = f"{what} needs the driver's gate {gate}, which is off"
            hint = f"turn it on in the driver's chart, then use --driver-gates {self._pack.driver}:{gate}=true"
            yield Complaint(path, message, hint, GATE if on is None else REFUSED, f"gate {gate}")


def _is_needed(field: dict[str, Any], beside: Mapping[str, Any]) -> bool:
    """Say whether the driver needs a field next to others."""
    unless = field.get("requiredUnless")
    return bool(field.get("required")) or (unless is not None and any(beside.get(k) != v for k, v in unless.items()))


def _unfit(text: str, form: str | None) -> str:
    """Return the words for a format that a text does not match; None where it matches."""
    if form is None:
        return ""

    fits, words = FORMATS[form]
    return "" if fits(text) else words


def _span(row: dict[str, Any]) -> str:
    """Return the versions in which an entry exists."""
    parts = [f"since {row['since']}"] if "since" in row else []
    parts += [f"up to {row['until']}"] if "until" in row else []
    return " and ".join(parts) or "in all versions"


_RULES = {GATE: DRIVER_GATE_OFF, DROPPED: DRIVER_DROPS_PARAMETERS, CHANGED: DRIVER_DROPS_PARAMETERS}


class ParameterJudge:
    """Judges the parameters of one driver.

    Args:
        target: the versions that judge.
    """

    def __init__(self, target: TargetVersions) -> None:
        self.target = target
        pack, versions = target.pack, list(target.versions)
        if len(versions) > 1:  # a version that does not read parameters refuses none
            versions = [version for version in versions if "parameters" in pack.at(version)]
            versions += [variant for version in versions for variant in pack.variants(version)]
        self._readers = {v: Reader(pack, v, target.gate(v.partition("+")[0])) for v in versions}

    def check(self, parameters: dict[str, Any], path: Path) -> Iterator[Problem]:
        """Yield the problems of parameters at a path."""
        target = self.target
        newest = self._readers.get(target.newest)
        if newest is None:
            return
        if newest.rules is not None and newest.rules.get("ignored"):
            message = f"the driver does not read parameters, so these have no effect ({target.label})"
            yield Problem(DRIVER_DROPS_PARAMETERS, path, message, None, "remove this entry of `config`")
            return
        if newest.rules is None and "parameters" in target.pack.data and target.version is not None:
            since = target.pack.data["parameters"]["since"]
            message = f"the driver reads parameters only since {since}, so these have no effect ({target.label})"
            yield Problem(
                DRIVER_DROPS_PARAMETERS, path, message, None, "upgrade the driver, or remove this entry of `config`"
            )
            return
        if self._of_impersonator(parameters):
            return
        said = {version: reader.read(parameters) for version, reader in self._readers.items()}
        latest = said[target.newest]
        refusing = {version: [c for c in found if c.does == REFUSED] for version, found in said.items()}
        certain = _alike(refusing[target.newest], list(refusing.values()))
        for each in refusing[target.newest]:
            if each in certain:
                yield _problem(DRIVER_REFUSES_PARAMETERS, each, path, target.label)
            else:
                since = "" if target.doubt else f" since {_first(each, refusing, target)}"
                yield _problem(DRIVER_REFUSES_IN_SOME_VERSIONS, each, path, f"{target.label}{since}")
        for each in latest:
            if each.does != REFUSED and not (refusing[target.newest] and each.does == GATE):
                yield _problem(_RULES[each.does], each, path, target.label)

    def _of_impersonator(self, parameters: dict[str, Any]) -> bool:
        """Say whether parameters belong to another driver of the same name; a chosen version decides."""
        if self.target.version is not None or self.target.doubt:
            return False
        pack, written = self.target.pack, str(parameters.get("apiVersion"))
        if self.target.is_example:
            group, rules = written.lower().partition("/")[0], pack.data["parameters"]
            kinds = [row["kind"] for row in rules["kinds"]]
            alike = parameters.get("kind") in kinds and ".example." not in f".{group}"
            return not alike and group != str(rules["apiVersion"]).partition("/")[0]
        return any(written == other["apiVersion"] for other in pack.data.get("impersonators", ()))


def _alike(newest: list[Complaint], several: list[list[Complaint]]) -> list[Complaint]:
    """Return the complaints of the newest version that all share; if all refuse for different reasons, those of the
    newest."""
    if not all(several):
        return []
    common = set.intersection(*({(each.path, each.about) for each in found} for found in several))
    return [each for each in newest if (each.path, each.about) in common] or newest


def _first(wanted: Complaint, refusing: dict[str, list[Complaint]], target: TargetVersions) -> str:
    """Return the first version from which on all versions up to the newest have a complaint."""
    first = target.newest
    for version in reversed(target.versions[: target.versions.index(target.newest) + 1]):
        if not any((each.path, each.about) == (wanted.path, wanted.about) for each in refusing.get(version, ())):
            break
        first = version
    return first


def _problem(rule: str, found: Complaint, path: Path, label: str) -> Problem:
    message = f"{found.message} ({label})"
    repair = None if found.repair is None else _guess(found.repair, path)
    return Problem(rule, (*path, *found.path), message, None, found.hint, target=found.target, repair=repair)


def _guess(repair: Repair, path: Path) -> Repair:
    """Return a repair of parameters at a path; a guess, since the cluster may run another version of the driver."""
    changes = (c._replace(path=(*path, *c.path), to=(*path, *c.to) if c.to else ()) for c in repair.changes)
    return Repair(tuple(changes))
