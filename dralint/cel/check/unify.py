"""Unifies types: decides which type can replace which, and binds type variables.

The rules are those of github.com/google/cel-go checker/types.go (unchanged in substance from v0.20 to v0.29).
"""

from __future__ import annotations

from dralint.cel.syntax.tree import TooComplexError
from dralint.cel.values import types
from dralint.cel.values.types import Type, bare, is_dyn, is_wrapper

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
        return types.param(f"_var{self._count}")

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
                result = types.DYN if to_dyn else t
        else:
            params = []
            for p in t.params:
                params.append(self._substitute(p, to_dyn, done))  # noqa: PERF401 - a comprehension takes twice the stack
            result = types.rebuild(t, tuple(params))
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
