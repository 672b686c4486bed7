"""What an expression can use in a release: functions, macros, variables, limits, and the dialect of the language.

The tables (`table`) have the differences between releases; this module has the rest. k8s.io/apiserver
pkg/cel/environment/base.go and k8s.io/dynamic-resource-allocation cel/compile.go at the tag of a release decide which
library belongs to it: new expressions may use what the release before introduced.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from dralint.cel import table, types
from dralint.cel.table import SHIPPED
from dralint.records import NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

    from dralint.cel.types import Type

MAX_COST = 1_000_000
LIST_GATE, CAPACITY_GATE = "DRAListTypeAttributes", "DRAConsumableCapacity"


class Dialect(NamedTuple):
    """The differences between releases in the language, due to their versions of cel-go.

    Attributes:
        accumulator: the name of the hidden variable of macros: an ordinary name until 1.32.
        backquotes: `unknown` characters to the lexer, `refused` by the parser, or `accepted` as quotes of field names.
        backquotes_since: the first release that accepts them.
        late_lines: whether the first character of a line counts as the one after the line end before it (until 1.31).
        surrogates: whether an escape of half a surrogate pair is taken for U+FFFD (until 1.32) instead of refused.
        guards_accumulator: whether macros refuse `__result__` as the name of a variable (until 1.32 it hides theirs).
        format_check: how format() is checked against literal arguments: `none` (1.30), `panics` on other receivers
            (1.31), `full`.
        declares_types: whether `duration`, `timestamp` and `kubernetes.DRADevice` name types (until 1.31: values of
            that type).
        copies_target: whether optMap evaluates a copy of its receiver (the same node is checked twice in 1.31).
        scoped_names: whether a local variable `a` keeps `a.b` from being looked up as one declared name.
        negative_range: whether lists.range() of a negative number is an empty list (until 1.36), and not an error.
        exact_result: whether a protobuf wrapper of bool is refused as a result (until 1.36).
    """

    macros: frozenset[str]
    accumulator: str
    backquotes: str
    backquotes_since: str
    late_lines: bool
    surrogates: bool
    guards_accumulator: bool
    format_check: str
    declares_types: bool
    copies_target: bool
    scoped_names: bool
    negative_range: bool
    exact_result: bool


class CostModel(NamedTuple):
    """How the release estimates costs; an environment without estimates has None.

    Attributes:
        tracks_entries: sizes of list and map entries and of local variables are known (1.33 and later).
        counts_global_matches: `matches(s, p)` costs what `s.matches(p)` does (1.37).
        counts_semver: `semver(s)` costs in proportion to s (1.33 and later).
        lists: the list functions of 1.35 have costs of their own.
        includes: `flat` (at most 48, 1.36) or `size`.
        sizes_url_parts: what getHost() and the like return is at most as long as the URL, three times as long where
            escaped (1.38).
    """

    tracks_entries: bool
    counts_global_matches: bool
    counts_semver: bool
    lists: bool
    includes: str
    sizes_url_parts: bool


class Overload(NamedTuple):
    """One signature of a function."""

    id: str
    member: bool
    args: tuple[Type, ...]
    result: Type
    variables: tuple[Type, ...]


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


MESSAGES: dict[str, tuple[Type, dict[str, Type]]] = {
    **{f"google.protobuf.{name}": (types.nullable(t), {"value": t}) for name, t in _WRAPPERS.items()},
    "google.protobuf.Duration": (types.DURATION, {"seconds": types.INT, "nanos": types.INT}),
    "google.protobuf.Timestamp": (types.TIMESTAMP, {"seconds": types.INT, "nanos": types.INT}),
    "google.protobuf.Any": (types.ANY, {"type_url": types.STRING, "value": types.BYTES}),
    "google.protobuf.ListValue": (types.list_of(types.DYN), {"values": types.list_of(types.DYN)}),
    "google.protobuf.Struct": (
        types.map_of(types.STRING, types.DYN),
        {"fields": types.map_of(types.STRING, types.DYN)},
    ),
    "google.protobuf.Value": (
        types.DYN,
        {
            "null_value": types.INT,
            "number_value": types.DOUBLE,
            "string_value": types.STRING,
            "bool_value": types.BOOL,
            "struct_value": types.map_of(types.STRING, types.DYN),
            "list_value": types.list_of(types.DYN),
        },
    ),
    "google.protobuf.Empty": (types.struct("google.protobuf.Empty"), {}),
}
"""The messages that an expression can make: their types, and their fields."""
CONSTANTS = {"google.protobuf.NullValue.NULL_VALUE": 0}


@dataclass(eq=False)
class Declarations:
    """Everything that judges an expression, for one release, kind and choice of gates. Made by `declarations`.

    Attributes:
        gates: the enabled feature gates that matter to expressions.
        max_length: the most bytes of an expression; None for no limit.
        device_fields: the fields of `device`.
        extra_results: types that a selector may have besides bool and that of an attribute.
        patterns: how the names of classes are found in patterns, see `regex.nodes.named`.
        folder: the folder of the tables.
        functions: the rows of the tables, by function.
        resolved: calls whose overloads are known: function, whether it has a receiver, types → overloads and result.
    """

    release: str
    kind: str
    gates: frozenset[str]
    dialect: Dialect
    cost_model: CostModel | None
    max_length: int | None
    device_fields: dict[str, Type]
    extra_results: tuple[Type, ...]
    patterns: str
    folder: Path
    functions: dict[str, list[list[Any]]]
    resolved: dict[tuple[object, ...], tuple[list[str], Type]] = field(default_factory=dict)

    @cache  # noqa: B019 - declarations are kept for good
    def overloads(self, function: str) -> tuple[Overload, ...] | None:
        """Return the signatures of a function, None where the release has no such function."""
        rows = self.functions.get(function)
        return None if rows is None else tuple(map(_overload, rows))

    @cached_property
    def function_names(self) -> list[str]:
        """The names of all functions that can be written in an expression."""
        return sorted(n for n in self.functions if "@" not in n and "_" not in n[:1] and n[0] not in "!-")

    @cached_property
    def macro_names(self) -> list[str]:
        """The names of all macros."""
        return sorted({m.partition(":")[0] for m in self.dialect.macros})

    @cached_property
    def variables(self) -> dict[str, Type]:
        """The variables by name; names with dots are looked up as a whole first."""
        if self.kind == "named-resources":
            return {f"attributes.{name}": types.map_of(types.STRING, value) for name, value in NAMED_ATTRIBUTES.items()}
        return {"device": DEVICE}

    @property
    def attribute_type(self) -> Type:
        """The type of one attribute of a device."""
        return self.device_fields["attributes"].params[1].params[1]

    @property
    def list_attributes(self) -> bool:
        """Whether attributes may be lists."""
        return LIST_GATE in self.gates

    def fields_of(self, name: str) -> dict[str, Type] | None:
        """Return the fields of a type with fields; None where the type is not registered."""
        if name == "kubernetes.DRADevice":
            return None if self.kind == "named-resources" else self.device_fields
        return MESSAGES.get(name, (None, None))[1]

    def type_named(self, name: str) -> Type | None:
        """Return the type that is the value of an identifier such as `int`, None where it names none."""
        if name in _TYPE_NAMES:
            return _TYPE_NAMES[name]
        if name == "kubernetes.DRADevice" and self.kind != "named-resources":
            return DEVICE
        return MESSAGES.get(name, (None, None))[0]

    def accepts_result(self, t: Type) -> bool:
        """Say whether an expression may have this type."""
        if not self.dialect.exact_result:
            t = types.bare(t)
        if self.kind == "named-resources":
            return t is types.BOOL
        if self.kind == "device":
            return t in (types.BOOL, self.attribute_type, *self.extra_results)
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


def declarations(
    release: str, *, kind: str = "device", gates: frozenset[str] = frozenset(), folder: Path = SHIPPED
) -> Declarations:
    """Return the declarations of a release (`1.34`) for one kind of expression when these feature gates are on.

    `kind` is `device` (selectors), `derived` (derivedAttributes, 1.37) or `named-resources` (1.30); `folder` has the
    tables. Raises UnknownDialectError for a release that is not in them, and ValueError for a kind that it lacks.
    """
    return _declarations(release, kind, gates & frozenset(table.facts(folder)["gates"]), folder)


@cache
def _declarations(release: str, kind: str, gates: frozenset[str], folder: Path) -> Declarations:
    rows = table.functions(release, folder)
    facts = table.facts(folder)

    def value(section: str, name: str) -> Any:
        return table.value(section, name, release, folder)

    if kind not in facts["kinds"] or not value("kinds", kind):
        raise ValueError(f"release {release} has no expressions of the kind {kind!r}")
    functions: dict[str, list[list[Any]]] = rows["functions"]
    fields: dict[str, str] = dict(facts["device"])
    for gate in sorted(gates):
        functions = {**functions, **rows.get("gated", {}).get(gate, {})}
        fields |= facts["gates"][gate]
    accepting = [r for r in table.releases(folder) if table.value("dialect", "backquotes", r, folder) == "accepted"]
    dialect = Dialect(
        macros=frozenset(rows["macros"]),
        backquotes_since=accepting[0],
        **{name: value("dialect", name) for name in facts["dialect"]},
    )
    model = None
    if value("cost", "estimated"):
        model = CostModel(**{name: value("cost", name) for name in facts["cost"] if name != "estimated"})
    parsed = {name: types.parse_type(text) for name, text in fields.items()}
    any_too = LIST_GATE in gates and value("results", "any_besides_dyn")
    return Declarations(
        release,
        kind,
        gates,
        dialect=dialect,
        cost_model=model,
        max_length=value("limits", "max_length") or None,
        device_fields=parsed,
        extra_results=(types.ANY,) if any_too else (),
        patterns=table.value("patterns", "class_names", facts["releases"][release]["go"], folder),
        folder=folder,
        functions=functions,
    )
