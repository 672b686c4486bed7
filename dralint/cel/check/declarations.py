"""What a release lets an expression use: functions, macros, variables, limits, and the dialect of the language.

The functions come from `tables/<release>.json`; what else differs between releases is here. Which library belongs to
which release is decided by k8s.io/apiserver pkg/cel/environment/base.go and k8s.io/dynamic-resource-allocation
cel/compile.go at the tag of the release: new expressions may use what the release before introduced.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dralint.cel.syntax.dialect import Dialect
from dralint.cel.values import types

if TYPE_CHECKING:
    from dralint.cel.values.types import Type

RELEASES = ("1.30", "1.31", "1.32", "1.33", "1.34", "1.35", "1.36", "1.37")
_TABLES = Path(__file__).parent.parent / "tables"
KINDS = ("device", "derived", "named-resources")
MAX_LENGTH = 10_240
MAX_COST = 1_000_000
_RESOLVED = 4096
_LIST_GATE = "DRAListTypeAttributes"


@dataclass(frozen=True, slots=True)
class CostModel:
    """How the release estimates costs; None in the environment where it does not."""

    tracks_entries: bool
    """Sizes of list and map entries and of local variables are known (1.33 and later)."""
    counts_global_matches: bool
    """`matches(s, p)` costs what `s.matches(p)` does (1.37)."""
    counts_semver: bool
    """`semver(s)` costs in proportion to s (1.33 and later)."""
    lists: bool
    """The list functions of 1.35 have costs of their own."""
    includes: str
    """`flat` (at most 48, 1.36) or `size`."""


@dataclass(frozen=True, slots=True)
class Overload:
    """One signature of a function."""

    id: str
    member: bool
    args: tuple[Type, ...]
    result: Type
    variables: tuple[Type, ...]


_ATTRIBUTES, _ATTRIBUTES_LIST = (
    types.map_of(types.STRING, types.map_of(types.STRING, t)) for t in (types.ANY, types.DYN)
)
_CAPACITY = types.map_of(types.STRING, types.map_of(types.STRING, types.QUANTITY))
DEVICE = types.struct("kubernetes.DRADevice")
NAMED_ATTRIBUTES = {
    "quantity": types.QUANTITY,
    "bool": types.BOOL,
    "int": types.INT,
    "intslice": types.list_of(types.INT),
    "string": types.STRING,
    "stringslice": types.list_of(types.STRING),
    "version": types.SEMVER,
}
"""Fields of `attributes` in the structured parameters of 1.30 (dynamic-resource-allocation@v0.30.14
structured/namedresources/cel/compile.go): each a map from attribute name to this type."""

_TYPE_NAMES: dict[str, Type] = {
    **{n: types.parse_type(n) for n in ("bool", "bytes", "double", "int", "uint", "string", "null_type")},
    "google.protobuf.Duration": types.DURATION,
    "google.protobuf.Timestamp": types.TIMESTAMP,
    "duration": types.DURATION,
    "timestamp": types.TIMESTAMP,
    "list": types.list_of(types.DYN),
    "map": types.map_of(types.DYN, types.DYN),
    "type": types.TYPE,
    "net.IP": types.parse_type("net.IP"),
    "net.CIDR": types.parse_type("net.CIDR"),
    "optional_type": types.optional_of(types.param("V")),
}
DECLARED_TYPES = frozenset({"duration", "timestamp", "kubernetes.DRADevice"})
_WRAPPERS = {
    "BoolValue": types.BOOL,
    "BytesValue": types.BYTES,
    "DoubleValue": types.DOUBLE,
    "FloatValue": types.DOUBLE,
    "Int32Value": types.INT,
    "Int64Value": types.INT,
    "StringValue": types.STRING,
    "UInt32Value": types.UINT,
    "UInt64Value": types.UINT,
}
PLANLESS_TYPES = frozenset(
    {"duration", "timestamp", "kubernetes.DRADevice"}
    | {f"google.protobuf.{n}" for n in ("Any", "ListValue", "Struct", "Value", *_WRAPPERS)}
)
"""Names of types that the checker knows and the planner does not ("reference to undefined type")."""


def _messages() -> dict[str, tuple[Type, dict[str, Type]]]:
    known: dict[str, tuple[Type, dict[str, Type]]] = {}
    for name, t in _WRAPPERS.items():
        known[f"google.protobuf.{name}"] = (types.nullable(t), {"value": t})
    known["google.protobuf.Duration"] = (types.DURATION, {"seconds": types.INT, "nanos": types.INT})
    known["google.protobuf.Timestamp"] = (types.TIMESTAMP, {"seconds": types.INT, "nanos": types.INT})
    known["google.protobuf.Any"] = (types.ANY, {"type_url": types.STRING, "value": types.BYTES})
    known["google.protobuf.ListValue"] = (types.list_of(types.DYN), {"values": types.list_of(types.DYN)})
    known["google.protobuf.Struct"] = (
        types.map_of(types.STRING, types.DYN),
        {"fields": types.map_of(types.STRING, types.DYN)},
    )
    known["google.protobuf.Value"] = (
        types.DYN,
        {
            "null_value": types.INT,
            "number_value": types.DOUBLE,
            "string_value": types.STRING,
            "bool_value": types.BOOL,
            "struct_value": types.map_of(types.STRING, types.DYN),
            "list_value": types.list_of(types.DYN),
        },
    )
    known["google.protobuf.Empty"] = (types.struct("google.protobuf.Empty"), {})
    return known


MESSAGES = _messages()
CONSTANTS = {"google.protobuf.NullValue.NULL_VALUE": 0}


@dataclass(frozen=True, eq=False)
class Declarations:
    """All that an expression is judged by, for one release, kind and choice of gates. Made by `declarations`."""

    release: str
    kind: str
    list_attributes: bool
    consumable_capacity: bool
    dialect: Dialect
    cost_model: CostModel | None
    max_length: int | None
    """Most bytes of an expression; None for no limit."""
    _table: dict[str, list[list[Any]]]
    _overloads: dict[str, tuple[Overload, ...]] = field(default_factory=dict)
    resolved: dict[tuple[object, ...], tuple[list[str], Type]] = field(default_factory=dict)
    """Calls whose overloads are known: function, whether it has a receiver, types → overloads and result."""

    def keep_resolved(self, key: tuple[object, ...], overloads: list[str], result: Type) -> None:
        """Remember which overloads a call with these types has."""
        if len(self.resolved) >= _RESOLVED:
            self.resolved.clear()
        self.resolved[key] = (overloads, result)

    def overloads(self, function: str) -> tuple[Overload, ...] | None:
        """Return the signatures of a function, None where the release has no such function."""
        found = self._overloads.get(function)
        if found is None:
            rows = self._table.get(function)
            if rows is None:
                return None
            found = tuple(_overload(row) for row in rows)
            self._overloads[function] = found
        return found

    @cached_property
    def function_names(self) -> list[str]:
        """The names of all functions that can be written in an expression."""
        return sorted(n for n in self._table if "@" not in n and "_" not in n[:1] and n[0] not in "!-")

    @cached_property
    def macro_names(self) -> list[str]:
        """The names of all macros."""
        return sorted({m.partition(":")[0] for m in self.dialect.macros})

    @cached_property
    def device_fields(self) -> dict[str, Type]:
        """The fields of `device`."""
        fields = {
            "driver": types.STRING,
            "attributes": _ATTRIBUTES_LIST if self.list_attributes else _ATTRIBUTES,
            "capacity": _CAPACITY,
        }
        if self.consumable_capacity:
            fields["allowMultipleAllocations"] = types.BOOL
        return fields

    @cached_property
    def variables(self) -> dict[str, Type]:
        """The variables by name; names with dots are looked up as a whole first."""
        if self.kind == "named-resources":
            return {f"attributes.{name}": types.map_of(types.STRING, value) for name, value in NAMED_ATTRIBUTES.items()}
        return {"device": DEVICE}

    @property
    def attribute_type(self) -> Type:
        """The type of one attribute of a device."""
        return types.DYN if self.list_attributes else types.ANY

    def fields_of(self, name: str) -> dict[str, Type] | None:
        """Return the fields of a type with fields; None where the type is not registered."""
        if name == "kubernetes.DRADevice":
            return None if self.kind == "named-resources" else self.device_fields
        if name in MESSAGES:
            return MESSAGES[name][1]
        return None

    def type_named(self, name: str) -> Type | None:
        """Return the type that is the value of an identifier such as `int`, None where it names none."""
        if name in _TYPE_NAMES:
            return _TYPE_NAMES[name]
        if name == "kubernetes.DRADevice" and self.kind != "named-resources":
            return DEVICE
        if name in MESSAGES:
            return MESSAGES[name][0]
        return None

    def accepts_result(self, t: Type) -> bool:
        """Say whether an expression may have this type."""
        if self.kind == "named-resources":
            return t is types.BOOL
        if self.kind == "device":
            return (
                t is types.BOOL
                or t is self.attribute_type
                or (self.release == "1.36" and self.list_attributes and t is types.ANY)
            )
        element = t.params[0] if t.kind == "list" and self.list_attributes else t
        return element in (types.BOOL, types.INT, types.STRING, types.ANY, types.DYN, types.SEMVER)


def _overload(row: list[Any]) -> Overload:
    args = tuple(types.parse_type(a) for a in row[2])
    result = types.parse_type(row[3])
    variables: dict[Type, None] = {}
    todo = [result, *args]
    while todo:
        t = todo.pop()
        if t.kind == "param":
            variables[t] = None
        todo.extend(t.params)
    return Overload(row[0], bool(row[1]), args, result, tuple(variables))


def _table(release: str) -> dict[str, Any]:
    text = (_TABLES / f"{release}.json").read_text(encoding="utf-8")
    table: dict[str, Any] = json.loads(text)
    return table


def declarations(
    release: str,
    *,
    kind: str = "device",
    list_attributes: bool = False,
    consumable_capacity: bool | None = None,
) -> Declarations:
    """Return the declarations of a release (`1.34`) for one kind of expression.

    `kind` is `device` (selectors), `derived` (derivedAttributes, 1.37) or `named-resources` (1.30). The gates
    DRAListTypeAttributes (from 1.36) and DRAConsumableCapacity (from 1.34; None for its default) change types. Raises
    ValueError for a release or kind that does not exist and for a gate that the release does not have.
    """
    if consumable_capacity is None:
        consumable_capacity = release in ("1.36", "1.37")
    return _declarations(release, kind, list_attributes, consumable_capacity)


def gates_of(release: str, gates: frozenset[str]) -> dict[str, bool]:
    """Return the choice of gates that `declarations` takes, of the feature gates that are on in a release."""
    return {
        "list_attributes": _LIST_GATE in gates and release >= "1.36",
        "consumable_capacity": "DRAConsumableCapacity" in gates and release >= "1.34",
    }


@cache
def _declarations(release: str, kind: str, list_attributes: bool, consumable_capacity: bool) -> Declarations:
    if release not in RELEASES:
        msg = f"no CEL environment for release {release!r}; known are {', '.join(RELEASES)}"
        raise ValueError(msg)
    if (
        kind not in KINDS
        or (kind == "named-resources") != (release == "1.30")
        or (kind == "derived" and release < "1.37")
    ):
        msg = f"release {release} has no expressions of the kind {kind!r}"
        raise ValueError(msg)
    if (list_attributes and release < "1.36") or (consumable_capacity and release < "1.34"):
        gate = _LIST_GATE if list_attributes and release < "1.36" else "DRAConsumableCapacity"
        msg = f"release {release} has no feature gate {gate}"
        raise ValueError(msg)
    table = _table(release)
    functions: dict[str, list[list[Any]]] = table["functions"]
    if list_attributes:
        functions = {**functions, **table["gated"][_LIST_GATE]}
    dialect = Dialect(
        macros=frozenset(table["macros"]),
        accumulator="@result" if release >= "1.33" else "__result__",
        backquotes="accepted" if release >= "1.37" else "refused" if release >= "1.33" else "unknown",
        late_lines=release <= "1.31",
        surrogates=release <= "1.32",
        guards_accumulator=release >= "1.33",
        format_check="full" if release >= "1.32" else "panics" if release >= "1.31" else "none",
        declares_types=release >= "1.32",
        copies_target=release >= "1.32",
        scoped_names=release >= "1.37",
    )
    model = None
    if release >= "1.32":
        model = CostModel(
            tracks_entries=release >= "1.33",
            counts_global_matches=release >= "1.37",
            counts_semver=release >= "1.33",
            lists=release >= "1.35",
            includes="flat" if release == "1.36" else "size",
        )
    return Declarations(
        release=release,
        kind=kind,
        list_attributes=list_attributes,
        consumable_capacity=consumable_capacity,
        dialect=dialect,
        cost_model=model,
        max_length=MAX_LENGTH if release >= "1.32" else None,
        _table=functions,
    )
