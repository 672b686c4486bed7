"""The type checker: gives every node a type and every call its overloads, or reports what does not fit.

The inference is that of github.com/google/cel-go checker/checker.go; which of several errors comes first does not
matter, because they are sorted by position. Messages are dralint's own (`type_errors`).
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from dralint.cel import type_errors, types
from dralint.cel.declarations import CONSTANTS, DECLARED_TYPES
from dralint.cel.issue import Instead, Issue, TooComplexError, refusal
from dralint.cel.replacements import LONGEST
from dralint.cel.tree import (
    Call,
    Comprehension,
    Ident,
    ListLiteral,
    Literal,
    MapLiteral,
    Message,
    Node,
    Select,
    Steps,
    qualified_name,
    run,
)
from dralint.cel.type_errors import Said
from dralint.cel.types import Bindings, Type, a_type, is_dyn, is_optional, most_general
from dralint.cel.values import type_name
from dralint.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from dralint.cel.declarations import Declarations, Overload

_MAX_ISSUES = 100
"""As many issues as the compiler keeps."""
_MAX_VISITS = 20_000
_MAX_RESOLVED = 4096
"""So many calls are remembered with their overloads."""


class _EnoughError(Exception):
    """Raised when there are as many issues as the compiler keeps."""


class Checked(NamedTuple):
    """The issues, in the order of the text; and possible replacements, by the number of the issue."""

    issues: list[Issue]
    proposals: list[tuple[int, Instead]]


def check(root: Node, expression: str, environment: Declarations) -> Checked:
    """Type the tree in place and return the issues. Raises TooComplexError.

    The proposals are guesses; those for the issues found first come first.
    """
    checker = _Checker(expression, environment)
    with contextlib.suppress(_EnoughError):
        run(checker.check(root))
    issues = checker.issues
    if not issues:
        bindings = checker.bindings
        for node in checker.seen:
            if node.type is not None and node.type.open:
                node.type = bindings.substitute(node.type, to_dyn=True)
    order = sorted(range(len(issues)), key=lambda n: (issues[n].line or 0, issues[n].column or 0))
    # The first stays, whatever it is: it is the one that the compiler names first.
    order = [n for at, n in enumerate(order) if at == 0 or id(issues[n]) not in checker.following]
    number = {n: at for at, n in enumerate(order)}
    proposals = [(number[n], proposed) for n, proposed in checker.proposals if n in number]
    return Checked([issues[n] for n in order], proposals)


class _Checker:
    def __init__(self, expression: str, environment: Declarations) -> None:
        self.expression = expression
        self.environment = environment
        self.bindings = Bindings()
        self.issues: list[Issue] = []
        self.proposals: list[tuple[int, Instead]] = []
        self.following: set[int] = set()
        """Issues that only follow from another one."""
        self.seen: list[Node] = []
        self.scopes: list[dict[str, Type]] = []
        self.visits = 0
        # Macros that use an operand twice multiply what is below it.
        self.most_visits = max(_MAX_VISITS, 4 * len(expression))

    def complain(self, code: str, node: Node, said: Said, at: int | None = None) -> None:
        where = node.at if at is None else at
        span = (said.start, said.end) if said.end else (node.start, node.end)
        late = self.environment.dialect.late_lines
        if said.instead is not None and len(said.instead) <= LONGEST and not node.macro:
            proposal = Instead(f"write {said.instead}", node.start, node.end, said.instead)
            self.proposals.append((len(self.issues), proposal))
        issue = refusal(code, said.message, span, said.hint, self.expression, where, late)
        self.issues.append(issue)
        if said.follows:
            self.following.add(id(issue))
        if len(self.issues) >= _MAX_ISSUES:
            raise _EnoughError

    def set_type(self, node: Node, t: Type) -> None:
        # The same node is checked twice where the macros of 1.31 use their receiver twice.
        if node.type is not None and node.type is not t:
            found = f"{types.spell(node.type)} or {types.spell(t)}"
            message = f"the compiler of this release cannot settle the type here ({found})"
            said = Said(message, "write the type of the optional value, or use hasValue() and value()")
            self.complain("incompatible-type", node, said)
            return
        if node.type is None:
            self.seen.append(node)
            node.type = t

    def type_of(self, node: Node) -> Type:
        assert node.type is not None
        return node.type

    def check(self, node: Node) -> Steps[None]:
        self.visits += 1
        if self.visits > self.most_visits:
            raise TooComplexError(f"{self.most_visits:,} nodes of an expression")
        if isinstance(node, Literal):
            self.set_type(node, types.parse_type(type_name(node.value)))
        elif isinstance(node, Ident):
            self.check_ident(node)
        else:
            yield _CHECKS[type(node)](self, node)

    # names

    def local(self, name: str) -> Type | None:
        for scope in reversed(self.scopes):
            found = scope.get(name)
            if found is not None:
                return found
        return None

    def declared(self, name: str) -> Type | None:
        """Return the type of a global name."""
        found = self.environment.variables.get(name)
        if found is not None:
            return found
        named = self.environment.type_named(name)
        if named is not None:
            if name in DECLARED_TYPES and not self.environment.dialect.declares_types:
                return named
            return types.type_of(named)
        return types.INT if name in CONSTANTS else None

    def check_ident(self, node: Ident) -> None:
        name = node.name.removeprefix(".")
        if name == node.name or not self.environment.dialect.scoped_names:
            found = self.local(name)
            if found is not None:
                node.local = True
                node.name = name
                self.set_type(node, found)
                return
        found = self.declared(name)
        if found is not None:
            self.set_type(node, found)
            if self.local(name) is None:
                node.name = name
            return
        self.set_type(node, types.ERROR)
        known = [n for scope in self.scopes for n in scope if n[0] not in "@#_"]
        self.complain(
            "undeclared-reference",
            node,
            type_errors.undeclared_variable(node, self.environment, known, self.expression),
        )

    def check_select(self, node: Select) -> Steps[None]:
        name = qualified_name(node)
        if name is not None:
            root = name.partition(".")[0]
            if not (self.environment.dialect.scoped_names and root and self.local(root) is not None):
                plain = name.removeprefix(".")
                found = self.declared(plain)
                if found is not None:
                    node.qualified = plain
                    self.set_type(node, found)
                    return
        result = yield self.select_field(node, node.operand, node.field, node.field_start, optional=False)
        self.set_type(node, types.BOOL if node.test else self.bindings.substitute(result))

    def select_field(self, node: Node, operand: Node, field: str, at: int, *, optional: bool) -> Steps[Type]:
        yield self.check(operand)
        operand_type = self.bindings.substitute(self.type_of(operand))
        target = operand_type
        if is_optional(operand_type):
            target = operand_type.params[0]
            optional = True
        result = types.ERROR
        if target.kind == "map":
            result = target.params[1]
        elif target.kind == "struct":
            fields = self.environment.fields_of(target.name)
            if fields is None:
                said = type_errors.no_fields(operand, target, field, at, self.expression)
                self.complain("no-fields", node, said)
            elif field in fields:
                result = fields[field]
            else:
                said = type_errors.unknown_field(target, field, at, fields, self.environment)
                self.complain("unknown-field", node, said)
        elif target.kind == "param":
            self.bindings.assignable((types.DYN, target))
            result = types.DYN
        else:
            if not is_dyn(target) and target.kind != "error":
                said = type_errors.no_fields(operand, target, field, at, self.expression)
                self.complain("no-fields", node, said)
            result = types.DYN
        return types.optional_of(result) if optional else result

    # calls

    def check_call(self, node: Call) -> Steps[None]:
        if node.function == "_?._":
            operand, key = node.args
            assert isinstance(key, Literal)
            result = yield self.select_field(node, operand, key.value, key.start, optional=True)
            self.set_type(node, self.bindings.substitute(result))
            self.set_type(key, types.STRING)
            node.overloads = ["select_optional_field"]
            return
        for arg in node.args:
            yield self.check(arg)
        if node.target is None:
            name = node.function.removeprefix(".")
            overloads = self.environment.overloads(name)
            if overloads is None:
                self.set_type(node, types.ERROR)
                self.complain(
                    "undeclared-reference", node, type_errors.unknown_function(node, self.environment, self.expression)
                )
                return
            node.function = name
            self.resolve(node, overloads)
            return
        prefix = qualified_name(node.target)
        if prefix is not None:
            full = f"{prefix}.{node.function}".removeprefix(".")
            overloads = self.environment.overloads(full)
            if overloads is not None:
                node.function = full
                node.target = None
                self.resolve(node, overloads)
                return
        yield self.check(node.target)
        overloads = self.environment.overloads(node.function)
        if overloads is None:
            self.set_type(node, types.ERROR)
            said = type_errors.unknown_method(node, self.type_of(node.target), self.environment, self.expression)
            self.complain("undeclared-reference", node, said)
            return
        self.resolve(node, overloads)

    def resolve(self, node: Call, overloads: tuple[Overload, ...]) -> None:
        bindings = self.bindings
        operands = node.args if node.target is None else [node.target, *node.args]
        given = [self.type_of(operand) for operand in operands]
        if node.function in ("_&&_", "_||_"):
            fits = True
            for operand, t in zip(operands, given, strict=True):
                if not bindings.assignable((t, types.BOOL)):
                    fits = False
                    said = type_errors.not_bool(operand, bindings.substitute(t, to_dyn=True), node, self.expression)
                    self.complain("type-mismatch", operand, said)
            self.set_type(node, types.BOOL if fits else types.ERROR)
            if fits:
                node.overloads = [overloads[0].id]
            return
        result: Type | None = None
        matched: list[str] = []
        member = node.target is not None
        key: tuple[object, ...] | None = None
        if not any(t.open for t in given):
            # What the fresh variables of the overloads come to stand for does not outlive this call.
            key = (node.function, member, *given)
            kept = self.environment.resolved.get(key)
            if kept is not None:
                self.set_type(node, kept[1])
                node.overloads = kept[0]
                return
        for overload in overloads:
            if overload.member != member:
                continue
            args, wanted = overload.args, overload.result
            if overload.variables:
                fresh = {variable: bindings.fresh() for variable in overload.variables}
                args = tuple(_instantiate(a, fresh) for a in args)
                wanted = _instantiate(wanted, fresh)
            if len(args) != len(given) or not bindings.assignable(*zip(given, args, strict=True)):
                continue
            matched.append(overload.id)
            found = bindings.substitute(wanted)
            if result is None:
                result = found
            elif not is_dyn(result) and found is not result:
                result = types.DYN
        if result is None:
            given = [bindings.substitute(t, to_dyn=True) for t in given]
            self.set_type(node, types.ERROR)
            said = type_errors.no_overload(node, operands, given, overloads, self.expression)
            self.complain("no-overload", node, said)
            return
        self.set_type(node, result)
        node.overloads = matched
        if key is not None and not result.open:
            if len(self.environment.resolved) >= _MAX_RESOLVED:
                self.environment.resolved.clear()
            self.environment.resolved[key] = matched, result

    # aggregates

    def unwrap(self, node: Node, t: Type) -> Type:
        """Return what an entry with a question mark contributes."""
        if is_optional(t):
            return t.params[0]
        if not is_dyn(t):
            message = f'an entry with "?" must be an optional value, but this is {a_type(t)}'
            self.complain(
                "type-mismatch", node, Said(message, 'leave the "?" out, or look the value up with .? or [?...]')
            )
        return t

    def join(self, before: Type | None, t: Type) -> Type:
        if before is None:
            return t
        if self.bindings.assignable((before, t)):
            return most_general(before, t)
        return types.DYN

    def check_list(self, node: ListLiteral) -> Steps[None]:
        joined: Type | None = None
        for i, element in enumerate(node.elements):
            yield self.check(element)
            t = self.type_of(element)
            joined = self.join(joined, self.unwrap(element, t) if i in node.optional else t)
        self.set_type(node, types.list_of(self.bindings.fresh() if joined is None else joined))

    def check_map(self, node: MapLiteral) -> Steps[None]:
        keys: Type | None = None
        values: Type | None = None
        for key, value, optional in node.entries:
            yield self.check(key)
            keys = self.join(keys, self.type_of(key))
            yield self.check(value)
            t = self.type_of(value)
            values = self.join(values, self.unwrap(value, t) if optional else t)
        if keys is None or values is None:
            keys, values = self.bindings.fresh(), self.bindings.fresh()
        self.set_type(node, types.map_of(keys, values))

    def check_message(self, node: Message) -> Steps[None]:
        name = node.name.removeprefix(".")
        made = self.environment.type_named(name)
        if made is None:
            self.set_type(node, types.ERROR)
            self.complain("undeclared-reference", node, type_errors.unknown_message(node))
            return
        fields = self.environment.fields_of(name)
        if fields is None or (name in DECLARED_TYPES and not self.environment.dialect.declares_types):
            span = (None, node.start, node.start + len(node.name))
            self.complain("no-message", node, Said(f'"{node.name}" is a type without fields', *span))
            made, fields = types.ERROR, {}
        self.set_type(node, made)
        for field, value, optional, at in node.fields:
            yield self.check(value)
            t = self.type_of(value)
            wanted = fields.get(field)
            if wanted is None:
                message = f'{node.name} has no field "{field}"; it has {", ".join(fields) or "none"}'
                self.complain("unknown-field", node, Said(message), at)
                wanted = types.ERROR
            if optional:
                t = self.unwrap(value, t)
            if not self.bindings.assignable((wanted, t)):
                message = f'the field "{field}" is {a_type(wanted)}, but this is {a_type(t)}'
                self.complain("type-mismatch", value, Said(message), at)

    def check_comprehension(self, node: Comprehension) -> Steps[None]:
        yield self.check(node.iter_range)
        yield self.check(node.accu_init)
        over = self.bindings.substitute(self.type_of(node.iter_range))
        accu_type = self.type_of(node.accu_init)
        self.scopes.append({node.accu: accu_type})
        first = second = types.ERROR
        if over.kind == "list":
            first = second = over.params[0]
            if node.iter_var2:
                first = types.INT
        elif over.kind == "map":
            first, second = over.params
        elif over.kind in ("dyn", "error", "param"):
            self.bindings.assignable((types.DYN, over))
            first = second = types.DYN
        else:
            self.complain("not-iterable", node.iter_range, type_errors.not_iterable(node, over))
        scope = {node.iter_var: first}
        if node.iter_var2:
            scope.setdefault(node.iter_var2, second)
        self.scopes.append(scope)
        yield self.check(node.condition)
        self.expect(node.condition, types.BOOL, node)
        yield self.check(node.step)
        self.expect(node.step, accu_type, node)
        self.scopes.pop()
        yield self.check(node.result)
        self.scopes.pop()
        self.set_type(node, self.bindings.substitute(self.type_of(node.result)))

    def expect(self, node: Node, wanted: Type, loop: Comprehension) -> None:
        found = self.type_of(node)
        if not self.bindings.assignable((wanted, found)):
            here = a_type(self.bindings.substitute(found, to_dyn=True))
            message = f"{loop.macro or 'the macro'}() computes {here} where {a_type(wanted)} belongs"
            self.complain("type-mismatch", node, Said(message))


_CHECKS: dict[type[Node], Callable[[_Checker, Any], Steps[None]]] = {
    Select: _Checker.check_select,
    Call: _Checker.check_call,
    ListLiteral: _Checker.check_list,
    MapLiteral: _Checker.check_map,
    Message: _Checker.check_message,
    Comprehension: _Checker.check_comprehension,
}
"""Node → what checks it."""


def _instantiate(t: Type, fresh: dict[Type, Type]) -> Type:
    if not t.open:
        return t
    if t.kind == "param":
        return fresh[t]
    return types.rebuild(t, tuple(_instantiate(p, fresh) for p in t.params))
