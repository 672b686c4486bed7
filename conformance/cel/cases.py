"""Random expressions: each is built around one function of the release, and some are then damaged."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING, Any

from dralint.cel import table, types
from dralint.cel.types import BOOL, DYN, INT, STRING, Type, parse_type
from dralint.kubernetes import gates
from dralint.kubernetes.release import Release

if TYPE_CHECKING:
    from collections.abc import Iterator

Case = dict[str, Any]

DRIVER = "gpu.example.com"
DEVICES: list[dict[str, Any]] = [
    {
        "driver": DRIVER,
        "attributes": {
            "model": {"string": "A100"},
            "index": {"int": 3},
            "ready": {"bool": True},
            "version": {"version": "1.2.3"},
            "other.example.com/model": {"string": "éè"},
        },
        "capacity": {"memory": {"value": "40Gi"}, "other.example.com/part": {"value": "1500m"}},
    },
    {"driver": "nic.example.com", "attributes": {"gpu.example.com/index": {"int": -1}}, "capacity": {}},
]
"""Two devices that differ in whatever an expression can ask for."""

_ATTRIBUTES = (
    f'device.attributes["{DRIVER}"].model',
    f'device.attributes["{DRIVER}"].index',
    f"device.attributes['{DRIVER}'].ready",
    f'device.attributes["{DRIVER}"].version',
    'device.attributes["other.example.com"].model',
    f'device.attributes["{DRIVER}"]["absent"]',
    'device.attributes["absent.example.com"].x',
)
_TEXTS = (
    *("", "A100", "1.2.3", "v1.2", "10Gi", "-1500m", "10.0.0.0/8", "1.2.3.4", "::1", "https://a.example/b?c=d", "éè"),
    *(
        "2020-01-01T00:00:00Z",
        "1h30m",
        "^a.*[0-9]+$",
        "(",
        "America/New_York",
        "%d of %s",
        "true",
        "17",
        "dns1123Label",
    ),
)
_LITERALS: dict[str, tuple[str, ...]] = {
    "bool": ("true", "false", "device.driver == 'gpu.example.com'", "'model' in device.attributes['gpu.example.com']"),
    "bytes": ("b''", "b'ab'", "b'\\xff'", "bytes('é')"),
    "double": ("0.0", "1.5", "-2.25", "1e300", "double('NaN')"),
    "int": ("0", "1", "-3", "7", "0x1F", "9223372036854775807", "size(device.driver)"),
    "null_type": ("null",),
    "string": (*(f"'{text}'" for text in _TEXTS), '"a\\tb"', "r'\\d+'", "device.driver"),
    "uint": ("0u", "3u", "18446744073709551615u"),
    "google.protobuf.Duration": ("duration('1h30m')", "duration('-1ms')"),
    "google.protobuf.Timestamp": ("timestamp('2020-01-01T00:00:00Z')", "timestamp(0)"),
    "kubernetes.Quantity": (
        "quantity('10Gi')",
        "quantity('-1500m')",
        f'device.capacity["{DRIVER}"].memory',
        'device.capacity["other.example.com"].part',
        'device.capacity["absent.example.com"].x',
    ),
    "kubernetes.Semver": ("semver('1.2.3')", "semver('2.0.0-rc.1')"),
    "kubernetes.URL": ("url('https://a.example:8/b?c=d')",),
    "net.CIDR": ("cidr('10.0.0.0/8')", "cidr('::1/128')"),
    "net.IP": ("ip('10.0.0.1')", "ip('::1')"),
    "kubernetes.NamedFormat": ("format.dns1123Label()",),
    "dyn": (*_ATTRIBUTES, "dyn(1)", "dyn('a')"),
    "type": ("int", "type(1.5)", "type(device)"),
}
_PLAIN = (BOOL, INT, STRING, types.DOUBLE, types.UINT, types.QUANTITY, types.SEMVER, types.DURATION, DYN)
_INFIX = re.compile(r"_([^_?\[]+)_\Z")
_TOKEN = re.compile(r"\s+|\w+|'[^']*'|\"[^\"]*\"|[<>=!&|]=?|.", re.DOTALL)
_STRAY = (
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ".",
    ",",
    "?",
    ":",
    "!",
    "-",
    "==",
    "&&",
    "in",
    "x",
    "null",
    "'",
    "1",
    "size",
    "\n",
)
_NEEDS = {"semver": "kubernetes.Semver", "ip": "net.IP", "cidr": "net.CIDR"}
"""Functions that not every release has, and the types that only they make."""

_DAMAGED, _DERIVED = 0.25, 0.1


def cases(release: str, seed: str, count: int, on: frozenset[str]) -> Iterator[Case]:
    """Yield `count` expressions of a release with these feature gates. The same seed gives the same expressions."""
    rng = random.Random(f"{seed}/{release}/{sorted(on)}")
    maker = _Maker(rng, release, on)
    derived = gates.stage("DRADerivedAttributes", Release.parse(release)) is not None
    for number in range(count):
        about, text = maker.one(maker.calls[number % len(maker.calls)])
        if rng.random() < _DAMAGED:
            about, text = f"{about}, damaged", _damaged(rng, text)
        kind = "derived" if derived and rng.random() < _DERIVED else "device"
        yield {"id": f"{seed}/{number}", "kind": kind, "about": about, "expression": text}


def _damaged(rng: random.Random, text: str) -> str:
    tokens = _TOKEN.findall(text)
    for _ in range(rng.choice((1, 1, 2))):
        place = rng.randrange(len(tokens))
        some = rng.choice((*_STRAY, *tokens))
        tokens[place] = rng.choice(("", some, tokens[place] + some, tokens[place] * 2))
    return "".join(tokens)


class _Call:
    """One signature of a function."""

    def __init__(self, name: str, overload: str, member: bool, args: list[Type], result: Type) -> None:
        self.name, self.overload, self.member, self.args, self.result = name, overload, member, args, result

    def written(self, args: list[str]) -> str:
        """Return the call with these arguments."""
        infix = _INFIX.match(self.name)
        if self.name == "@in":
            return f"({args[0]} in {args[1]})"
        if self.name == "_?_:_":
            return f"({args[0]} ? {args[1]} : {args[2]})"
        if self.name in ("_[_]", "_[?_]"):
            return f"{args[0]}{self.name[1:-2]}{args[1]}]"
        if self.name in ("!_", "-_"):
            return f"{self.name[0]}({args[0]})"
        if infix:
            return f"({args[0]} {infix[1]} {args[1]})"
        return f"{args[0]}.{self.name}({', '.join(args[1:])})" if self.member else f"{self.name}({', '.join(args)})"


class _Maker:
    """Builds expressions of a wanted type."""

    def __init__(self, rng: random.Random, release: str, on: frozenset[str]) -> None:
        self._rng = rng
        rows = table.functions(release)
        functions = dict(rows["functions"])
        for gate in on:
            functions |= rows.get("gated", {}).get(gate, {})
        self._macros = {tuple(macro.split(":")[:2]) for macro in rows["macros"]}
        self._absent = {kind for name, kind in _NEEDS.items() if name not in functions}
        every = [
            _Call(name, overload, bool(member), [parse_type(arg) for arg in args], parse_type(result))
            for name, overloads in sorted(functions.items())
            for overload, member, args, result in overloads
            if name == "@in" or ("@" not in name and name != "_?._")  # names with @ cannot be written
        ]
        self.calls = [call for call in every if all(self._can(t) for t in (*call.args, call.result))]

    def _can(self, wanted: Type) -> bool:
        if wanted.kind == "param" or wanted.params:
            return all(self._can(part) for part in wanted.params)
        return str(wanted) in _LITERALS and str(wanted) not in self._absent

    def one(self, call: _Call) -> tuple[str, str]:
        """Return the name of a function and an expression of bool around a call of it; seldom of another type."""
        bound: dict[str, Type] = {}
        text = self._call(call, bound, self._rng.choice((0, 0, 1, 1, 2)))
        result = _closed(call.result, bound, self._rng)
        if result is not BOOL and self._rng.random() < 0.9:
            text = self._bool(text, result)
        return call.overload, text

    def _bool(self, text: str, of: Type) -> str:
        """Return an expression of bool with a part of this type."""
        wrap = self._rng.randrange(6)
        if of.kind == "list" and wrap < 3:
            return self._macro(text, of)
        if wrap == 0:
            return f"[{text}].exists(x, x == {text})"
        if wrap == 1 and ("bind", "3") in self._macros:
            return f"cel.bind(v, {text}, v == v)"
        if wrap == 2 and types.is_optional(of):
            return f"{text}.hasValue()"
        return f"{text} == {self.make(of, 0)}"

    def _macro(self, text: str, of: Type) -> str:
        two = (("all", "3") in self._macros) and self._rng.random() < 0.3
        name = self._rng.choice(("all", "exists", "exists_one" if not two else "existsOne"))
        if two:
            return f"{text}.{name}(i, x, i >= 0 && x == {self.make(of.params[0], 0)})"
        inner = self._rng.choice(("", f".filter(x, x != {self.make(of.params[0], 0)})", ".map(x, x)"))
        return f"{text}{inner}.{name}(x, x == {self.make(of.params[0], 0)})"

    def _call(self, call: _Call, bound: dict[str, Type], depth: int) -> str:
        return call.written([self.make(_closed(wanted, bound, self._rng), depth) for wanted in call.args])

    def make(self, wanted: Type, depth: int) -> str:
        """Return an expression of a type, with calls up to this depth."""
        rng = self._rng
        if depth > 0 and rng.random() < 0.7:
            fitting = [(call, bound) for call in self.calls if (bound := _matched(call.result, wanted)) is not None]
            if fitting:
                call, bound = rng.choice(fitting)
                return self._call(call, dict(bound), depth - 1)
        if wanted.kind == "list":
            return f"[{', '.join(self.make(wanted.params[0], depth - 1) for _ in range(rng.choice((0, 1, 2, 3))))}]"
        if wanted.kind == "map":
            entries = (
                ": ".join(self.make(part, depth - 1) for part in wanted.params) for _ in range(rng.choice((0, 1, 2)))
            )
            return f"{{{', '.join(entries)}}}"
        if types.is_optional(wanted):
            return rng.choice(("optional.none()", f"optional.of({self.make(wanted.params[0], depth - 1)})"))
        if rng.random() < 0.1:
            return rng.choice(_LITERALS["dyn"])
        return rng.choice(_LITERALS["type" if wanted.kind == "type" else str(wanted)])


def _closed(wanted: Type, bound: dict[str, Type], rng: random.Random) -> Type:
    """Return a type without type variables; the variables get types that they keep."""
    if wanted.kind == "param":
        if wanted.name not in bound:
            bound[wanted.name] = rng.choice(_PLAIN)
        return bound[wanted.name]
    if not wanted.open:
        return wanted
    return types.rebuild(wanted, tuple(_closed(part, bound, rng) for part in wanted.params))


def _matched(result: Type, wanted: Type) -> dict[str, Type] | None:
    """Return what the type variables of a result must be, so that it is the wanted type."""
    if result.kind == "param":
        return {result.name: wanted}
    if (result.kind, result.name, len(result.params)) != (wanted.kind, wanted.name, len(wanted.params)):
        return None
    bound: dict[str, Type] = {}
    for one, other in zip(result.params, wanted.params, strict=True):
        part = _matched(one, other)
        if part is None or any(bound.setdefault(name, found) is not found for name, found in part.items()):
            return None
    return bound
