"""The devices of a driver in one version, and published slices that differ from them."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from dralint.cel.device_values import DeviceError, values_of
from dralint.cel.values import QuantityValue, Semver, parse_semver
from dralint.drivers.pack import is_all_of, shipped
from dralint.drivers.shipped import MEANT
from dralint.finding.problem import at
from dralint.kubernetes.quantity import stored
from dralint.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dralint.drivers.pack import Pack
    from dralint.yaml import Path


ATTRIBUTES, CAPACITY = "attributes", "capacity"


class Name(NamedTuple):
    """The name of an attribute or capacity, with its domain."""

    which: str
    domain: str
    name: str

    @property
    def text(self) -> str:
        """The attribute as an expression writes it."""
        return f'device.{self.which}["{self.domain}"].{self.name}'


class Known(NamedTuple):
    """What is known of an attribute or capacity of a kind of device.

    `values` are all possible values, None where unknown; `pattern` matches all of them; `listed` are some of them.
    """

    type: str
    always: bool
    values: tuple[Any, ...] | None = None
    pattern: str | None = None
    listed: tuple[Any, ...] = ()


class DeviceKind(NamedTuple):
    """A kind of device of a driver; `open` means that it can have other attributes of any name."""

    driver: str
    kind: str
    known: dict[Name, Known]
    patterns: tuple[tuple[Name, Known], ...]
    open: bool

    def find(self, name: Name) -> Known | None:
        """Return what is known of an attribute or capacity; None where no such device has it."""
        found = self.known.get(name)
        if found is not None:
            return found
        for pattern, known in self.patterns:
            if pattern[:2] == name[:2] and is_all_of(pattern.name, name.name):
                return known
        return Known("any", always=False) if self.open and name.which == ATTRIBUTES else None

    def narrowed(self, asked: Mapping[tuple[str, ...], frozenset[Any]]) -> DeviceKind:
        """Return the device with its attributes limited to the values that selectors allow."""
        known = dict(self.known)
        for key, values in asked.items():
            name = Name(*key) if len(key) == len(Name._fields) else None
            before = None if name is None else known.get(name)
            if name is None or before is None:
                continue
            fitting = tuple(v for v in values if before.values is None or v in before.values)
            if fitting and all(type_of(v) == before.type for v in fitting):
                known[name] = before._replace(values=fitting)
        return self._replace(known=known)


def type_of(value: object) -> str:
    """Return the type of a value in the words of packs; "any" where they have none for it."""
    kinds = {bool: "bool", str: "string", Semver: "version", QuantityValue: "quantity", list: "list", float: "double"}
    return kinds.get(type(value)) or ("int" if isinstance(value, int) else "any")


def full_name(which: str, driver: str, name: str) -> Name:
    """Return a name of a pack with its domain."""
    domain, slash, rest = name.partition("/")
    return Name(which, domain, rest) if slash else Name(which, driver, name)


@lru_cache(maxsize=1024)
def is_published(name: Name) -> bool | None:
    """Say whether the driver whose domain it is publishes an attribute or capacity in some version.

    None where no shipped pack knows that driver, or everybody invents its name.
    """
    pack = shipped(name.domain) if name.domain in MEANT else None
    return None if pack is None else any(each.find(name) for v in pack.versions for each in devices(pack, v))


def devices(pack: Pack, version: str) -> list[DeviceKind]:
    """Return the kinds of devices of a driver in a version."""
    said = pack.at(version)
    kinds: dict[str, dict[str, Any]] = said.get("kinds") or {"": {}}
    return [_device(pack.driver, said, kind, row) for kind, row in kinds.items()]


def _device(driver: str, said: dict[str, Any], kind: str, row: dict[str, Any]) -> DeviceKind:
    known: dict[Name, Known] = {}
    patterns: list[tuple[Name, Known]] = []
    for name, entry in _entries(driver, said, kind):
        rule = _known(entry, name.which)
        text = f"{name.domain}/{name.name}"
        if text in row.get("lacks", ()):
            continue
        if text in row.get("has", ()):
            rule = rule._replace(always=True)
        if text in row.get("where", {}):
            only = row["where"][text]
            rule = rule._replace(always=True, values=tuple(only) if isinstance(only, list) else (only,))
        known[name] = rule
        if "names" in entry:
            patterns.append((name._replace(name=entry["names"]), rule))
    return DeviceKind(driver, kind, known, tuple(patterns), bool(said.get("userAttributes")))


def _entries(driver: str, said: dict[str, Any], kind: str) -> Iterator[tuple[Name, dict[str, Any]]]:
    for which, key in ((ATTRIBUTES, "attributes"), (CAPACITY, "capacities")):
        for entry in said.get(key, ()):
            if kind in entry.get("kinds", (kind,)):
                yield full_name(which, driver, entry["name"]), entry


def _known(entry: dict[str, Any], which: str) -> Known:
    kind = "quantity" if which == CAPACITY else entry["type"]
    listed = tuple(_value(kind, value) for value in entry.get("values", ()))
    closed = listed if entry.get("closed") else None
    return Known(kind, bool(entry.get("always")), closed, entry.get("pattern"), listed)


def _value(kind: str, value: Any) -> Any:
    if kind == "quantity":
        return QuantityValue.of(stored(value))
    return parse_semver(value) if kind == "version" else value


def shown(value: Any) -> str:
    """Return a value as people write it."""
    if isinstance(value, QuantityValue):
        return str(value.value)
    if isinstance(value, bool):
        return str(value).lower()
    parts = [getattr(value, name, None) for name in ("major", "minor", "patch")]
    return str(value) if None in parts else ".".join(map(str, parts))


def contradiction(pack: Pack, data: dict[str, Any]) -> tuple[Path, str] | None:
    """Return the first value in a ResourceSlice that no version of the driver publishes, with the problem."""
    for _, path, entry in _devices(data):
        try:
            _, attributes, capacity = values_of(entry)
        except DeviceError:
            continue
        for which, values in ((ATTRIBUTES, attributes), (CAPACITY, capacity)):
            for text, value in values.items():
                wrong = _wrong(pack, full_name(which, pack.driver, text), value)
                if wrong is not None:
                    return (*path, which, text), wrong
    return None


class DevicePart(NamedTuple):
    """A device that is a part of another one: the path of the value that shows this, and the number of the whole."""

    path: Path
    name: str
    whole: str
    number: int


def uncounted(pack: Pack, data: dict[str, Any]) -> Iterator[DevicePart]:
    """Yield the devices of a ResourceSlice that are parts of another one in it without a shared counter."""
    for row, _, _ in pack.entries("attributes"):
        if "parent" not in row:
            continue
        several = list(_devices(data))
        wholes = {
            value: (number, entry)
            for number, _, entry in reversed(several)
            for value, _ in _values(pack, entry, row["parent"])
        }
        for number, path, entry in several:
            for value, text in _values(pack, entry, row["name"]):
                whole, other = wholes.get(value, (number, entry))
                if whole != number and _counter_sets(entry).isdisjoint(_counter_sets(other)):
                    name, of = (str(at(data, ("spec", "devices", each, "name"))) for each in (number, whole))
                    yield DevicePart((*path, ATTRIBUTES, text), name, of, whole)


def _devices(data: dict[str, Any]) -> Iterator[tuple[int, Path, dict[str, Any]]]:
    """Yield the data of each device in a ResourceSlice, with its number and path."""
    several = at(data, ("spec", "devices"))
    for number, entry in enumerate(several if isinstance(several, list) else ()):
        if isinstance(entry, dict):
            inner = entry.get("basic")
            path: Path = ("spec", "devices", number)
            yield (number, (*path, "basic"), inner) if isinstance(inner, dict) else (number, path, entry)


def _values(pack: Pack, entry: dict[str, Any], name: str) -> Iterator[tuple[str, str]]:
    """Yield the text that a device has for an attribute of the driver, and the attribute as the slice writes it."""
    for text in (name, f"{pack.driver}/{name}"):
        value = at(entry, (ATTRIBUTES, text, "string"))
        if isinstance(value, str) and value:
            yield value, text


def _counter_sets(entry: dict[str, Any]) -> set[str]:
    """Return the names of the counter sets whose counters a device consumes."""
    several = entry.get("consumesCounters")
    found = (at(each, ("counterSet",)) for each in several if isinstance(several, list)) if several else ()
    return {name for name in found if isinstance(name, str)}


def _wrong(pack: Pack, name: Name, value: object) -> str | None:
    rows = list(_rows(pack, name))
    if name.domain != pack.driver:
        return None  # a standard attribute, or one of another domain
    if not rows:
        if name.which == ATTRIBUTES and pack.data.get("userAttributes"):
            return None
        noun = "attribute" if name.which == ATTRIBUTES else "capacity"
        return f"no version of the driver publishes the {noun} {name.name}"
    types = {"quantity"} if name.which == CAPACITY else {row["type"].partition(" of ")[0] for row in rows}
    if type_of(value) not in types:
        return f"{name.name} is a {type_of(value)} here, and the driver publishes a {' or '.join(sorted(types))}"
    return None


def _rows(pack: Pack, name: Name) -> Iterator[dict[str, Any]]:
    for entry, _, _ in pack.entries("attributes" if name.which == ATTRIBUTES else "capacities"):
        if full_name(name.which, pack.driver, entry["name"]) == name or (
            "names" in entry and name.domain == pack.driver and is_all_of(entry["names"], name.name)
        ):
            yield entry
