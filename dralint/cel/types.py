"""Types of CEL, as the type checker compares them: decides which type can replace which."""

from __future__ import annotations

from weakref import WeakValueDictionary

from dralint.cel.issue import TooComplexError


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


_NULLABLE_KINDS = frozenset({"opaque", "struct", "any", "duration", "timestamp"})
_STEPS = 50_000
_MAX_DEPTH = 400


class Bindings:
    """The types of type variables. A failed attempt changes nothing."""

    __slots__ = ("_bound", "_count", "_steps", "_trail")

    def __init__(self) -> None:
        self._bound: dict[Type, Type] = {}
        self._trail: list[tuple[Type, Type | None]] = []
        self._count = 0
        self._steps = 0

    def fresh(self) -> Type:
        """Return an unused type variable."""
        self._count += 1
        return param(f"_var{self._count}")

    def assignable(self, *pairs: tuple[Type, Type]) -> bool:
        """Say whether every first type can be used as its second; if so, keep the bindings."""
        if all(a is b and not a.open for a, b in pairs):
            return True
        self._trail.clear()
        for first, second in pairs:
            if not self._assign(first, second):
                for variable, before in reversed(self._trail):
                    if before is None:
                        del self._bound[variable]
                    else:
                        self._bound[variable] = before
                return False
        return True

    def substitute(self, t: Type, *, to_dyn: bool = False) -> Type:
        """Replace the variables by the types that they are bound to; with `to_dyn` unbound ones become dyn."""
        if not t.open:
            return t
        return self._substitute(t, to_dyn, {})

    def _substitute(self, t: Type, to_dyn: bool, done: dict[Type, Type]) -> Type:
        if not t.open:
            return t
        found = done.get(t)
        if found is not None:
            return found
        self._step()
        if t.kind == "param":
            bound = self._bound.get(t)
            if bound is not None:
                result = self._substitute(bound, to_dyn, done)
            else:
                result = DYN if to_dyn else t
        else:
            params = []
            for p in t.params:
                params.append(self._substitute(p, to_dyn, done))  # noqa: PERF401 - a comprehension takes twice the stack
            result = rebuild(t, tuple(params))
        done[t] = result
        return result

    def _step(self) -> None:
        self._steps += 1
        if self._steps > _STEPS:
            raise TooComplexError(f"{_STEPS:,} comparisons of types in an expression")

    def _bind(self, variable: Type, to: Type) -> None:
        self._trail.append((variable, self._bound.get(variable)))
        self._bound[variable] = to

    def _assign(self, a: Type, b: Type) -> bool:
        self._step()
        if a.depth > _MAX_DEPTH or b.depth > _MAX_DEPTH:
            raise TooComplexError(f"{_MAX_DEPTH} types within each other")
        if b.kind == "param":
            valid, bound = self._stands_for(a, b)
            if valid:
                return True
            if bound:
                return False
        if a.kind == "param":
            return self._stands_for(b, a)[0]
        if a is b and not a.open:
            return True
        if is_dyn(a) or is_dyn(b) or a.kind == "error" or b.kind == "error":
            return True
        if a.kind == "null":
            return _takes_null(b)
        if b.kind == "null":
            return _takes_null(a)
        if a.kind == "type":
            return b.kind == "type"
        if a.kind in ("opaque", "list", "map"):
            if a.kind != b.kind or a.name != b.name or len(a.params) != len(b.params):
                return False
            for p, q in zip(a.params, b.params, strict=True):  # noqa: SIM110 - all() takes twice the stack
                if not self._assign(p, q):
                    return False
            return True
        if is_wrapper(a) or is_wrapper(b):
            return a.kind == b.kind
        return False

    def _stands_for(self, t: Type, variable: Type) -> tuple[bool, bool]:
        """Return whether the variable may stand for `t`, and whether it stood for something before."""
        if t is variable:
            return True, True
        bound = self._bound.get(variable)
        if bound is not None:
            if bare(t) is bare(bound):
                return True, True
            if self._assign(t, bound):
                general = most_general(t, bound)
                if not self._occurs(variable, general):
                    self._bind(variable, general)
                return True, True
            return False, True
        if not self._occurs(variable, t):
            self._bind(variable, t)
            return True, False
        return False, False

    def _occurs(self, variable: Type, within: Type) -> bool:
        todo, seen = [within], set()
        while todo:
            t = todo.pop()
            if t is variable:
                return True
            if not t.open or t in seen:
                continue
            seen.add(t)
            if t.kind == "param":
                bound = self._bound.get(t)
                if bound is not None:
                    todo.append(bound)
            else:
                todo.extend(t.params)
        return False


def _takes_null(t: Type) -> bool:
    return t.kind in _NULLABLE_KINDS or t.kind == "null" or is_wrapper(t)


def most_general(a: Type, b: Type) -> Type:
    """Return the more general of two compatible types."""
    return a if _less_specific(a, b) else b


def _less_specific(a: Type, b: Type) -> bool:
    if is_dyn(a) or a.kind == "param":
        return True
    if is_dyn(b) or b.kind == "param" or a.kind != b.kind:
        return False
    if a.kind == "opaque" and (a.name != b.name or len(a.params) != len(b.params)):
        return False
    if a.kind in ("opaque", "list", "map"):
        if a is b:
            return True
        for p, q in zip(a.params, b.params, strict=True):  # noqa: SIM110 - all() takes twice the stack
            if not _less_specific(p, q):
                return False
        return True
    return a.kind == "type" or bare(a) is bare(b)
