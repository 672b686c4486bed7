"""Types of CEL, as the type checker compares them.

Types are interned: two equal types are the same object, so comparing them costs nothing however deeply they nest
(`cel.bind(a, {x: x}, cel.bind(b, {a: a}, ...))` doubles its type with every step).
"""

from __future__ import annotations

from weakref import WeakValueDictionary


class Type:
    """One type: `kind`, and for types that have them, name and parameters. Made by the functions below only."""

    __slots__ = ("__weakref__", "depth", "kind", "name", "open", "params", "wraps")

    def __init__(self, kind: str, name: str, params: tuple[Type, ...]) -> None:
        self.kind = kind
        self.name = name
        self.params = params
        self.wraps: bool = name.startswith("wrapper(") or any(p.wraps for p in params)
        """Whether it contains a protobuf wrapper."""
        self.open: bool = kind == "param" or any(p.open for p in params)
        self.depth: int = 1 + max((p.depth for p in params), default=0)

    def __repr__(self) -> str:
        return f"Type({self})"

    def __str__(self) -> str:
        return spell(self)


_INTERNED: WeakValueDictionary[tuple[str, str, tuple[Type, ...]], Type] = WeakValueDictionary()


def make(kind: str, name: str = "", params: tuple[Type, ...] = ()) -> Type:
    """Return the one type of this kind, name and parameters."""
    key = (kind, name, params)
    found = _INTERNED.get(key)
    if found is None:
        found = Type(kind, name, params)
        _INTERNED[key] = found
    return found


BOOL = make("bool", "bool")
BYTES = make("bytes", "bytes")
DOUBLE = make("double", "double")
INT = make("int", "int")
UINT = make("uint", "uint")
STRING = make("string", "string")
NULL = make("null", "null_type")
DURATION = make("duration", "google.protobuf.Duration")
TIMESTAMP = make("timestamp", "google.protobuf.Timestamp")
ANY = make("any", "google.protobuf.Any")
DYN = make("dyn", "dyn")
ERROR = make("error", "*error*")
TYPE = make("type", "type")
QUANTITY = make("struct", "kubernetes.Quantity")
SEMVER = make("struct", "kubernetes.Semver")

_SCALARS = {t.name: t for t in (BOOL, BYTES, DOUBLE, INT, UINT, STRING, NULL, DURATION, TIMESTAMP, ANY, DYN, TYPE)}
_SCALARS["any"] = ANY
_OPAQUE = frozenset({"net.IP", "net.CIDR", "optional_type"})


def list_of(element: Type) -> Type:
    """Return the type of a list."""
    return make("list", "list", (element,))


def map_of(key: Type, value: Type) -> Type:
    """Return the type of a map."""
    return make("map", "map", (key, value))


def optional_of(value: Type) -> Type:
    """Return the type of an optional value."""
    return make("opaque", "optional_type", (value,))


def type_of(value: Type) -> Type:
    """Return the type of a value that is itself a type."""
    return make("type", "type", (value,))


def struct(name: str) -> Type:
    """Return the type of an object with fields."""
    return make("struct", name)


def param(name: str) -> Type:
    """Return a type variable."""
    return make("param", name)


def nullable(value: Type) -> Type:
    """Return the type of a protobuf wrapper: `value` or null."""
    return make(value.kind, f"wrapper({value.name})")


def is_wrapper(t: Type) -> bool:
    """Say whether the type is that of a protobuf wrapper."""
    return t.wraps and not t.params


def bare(t: Type) -> Type:
    """Return the type with each wrapper in it replaced by its content, because types are compared without them."""
    if not t.wraps:
        return t
    if is_wrapper(t):
        return _SCALARS[t.name[len("wrapper(") : -1]]
    return rebuild(t, tuple([bare(p) for p in t.params]))


def rebuild(of: Type, params: tuple[Type, ...]) -> Type:
    """Return a type like `of` with other parameters."""
    return make(of.kind, of.name, params)


def is_dyn(t: Type) -> bool:
    """Say whether the type is unknown until the expression runs."""
    return t.kind == "dyn" or t.kind == "any"


def is_optional(t: Type) -> bool:
    """Say whether the type is optional_type(...)."""
    return t.kind == "opaque" and t.name == "optional_type"


def parse_type(text: str) -> Type:
    """Read a type as the tables write it: `map(string, <A>)`. The text is dralint's own, never input."""
    text = text.strip()
    if text.startswith("<"):
        return param(text[1:-1])
    name, paren, rest = text.partition("(")
    if not paren:
        if name in _SCALARS:
            return _SCALARS[name]
        return make("opaque" if name in _OPAQUE else "struct", name)
    inner = rest[:-1]
    params, depth, begin = [], 0, 0
    for i, char in enumerate(inner):
        depth += (char == "(") - (char == ")")
        if char == "," and depth == 0:
            params.append(parse_type(inner[begin:i]))
            begin = i + 1
    params.append(parse_type(inner[begin:]))
    kind = name if name in ("list", "map", "type") else "opaque"
    return make(kind, name, tuple(params))


_SHORT = {
    "google.protobuf.Duration": "duration",
    "google.protobuf.Timestamp": "timestamp",
    "google.protobuf.Any": "any",
    "null_type": "null",
    "optional_type": "optional",
    "kubernetes.Quantity": "Quantity",
    "kubernetes.Semver": "Semver",
    "kubernetes.URL": "URL",
    "kubernetes.NamedFormat": "NamedFormat",
}
_LONGEST = 120


def a_type(t: Type) -> str:
    """Say a type with its article: `an int`, `a string`, `a value of unknown type`."""
    if t.kind == "any":
        return "an attribute (of unknown type)"
    if t.kind == "dyn":
        return "a value of unknown type"
    said = spell(t, short=True)
    return f"an {said}" if said[0] in "aeio" else f"a {said}"


def spell(t: Type, *, short: bool = False) -> str:
    """Write a type as the compiler's messages do, or with `short` as people do; cut off where it gets too long."""
    out: list[str] = []
    length = 0
    todo: list[Type | str] = [t]
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            piece = item
        else:
            name = f"<{item.name}>" if item.kind == "param" else item.name
            piece = _SHORT.get(name, name) if short else name
            if item.params:
                todo.append(")")
                for i, p in enumerate(reversed(item.params)):
                    todo.append(p)
                    todo.append("(" if i == len(item.params) - 1 else ", ")
        out.append(piece)
        length += len(piece)
        if length > _LONGEST:
            out.append("...")
            break
    return "".join(out)
