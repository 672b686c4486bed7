"""Compiles an expression into a verdict: runs the stages in order, keeps answers, and proves hints."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from dralint.cel import table, types
from dralint.cel.checker import check
from dralint.cel.cost import estimate
from dralint.cel.declarations import CAPACITY_GATE, LIST_GATE, MAX_COST, Declarations, declarations
from dralint.cel.issue import ADVICE, NOT_DECIDED, REJECTED, Compilation, Instead, Issue, TooComplexError
from dralint.cel.parser import parse
from dralint.cel.plan import PlanError, plan, validate
from dralint.cel.replacements import receiver, text_of
from dralint.cel.table import SHIPPED
from dralint.cel.tree import Call, walk
from dralint.cel.type_errors import compared
from dralint.cel.types import a_type, spell
from dralint.kubernetes import gates
from dralint.kubernetes.release import Release

if TYPE_CHECKING:
    from pathlib import Path

    from dralint.cel.checker import Checked
    from dralint.cel.tree import Node
    from dralint.cel.types import Type

_KEPT = 2_000_000
"""The total length of the expressions whose answers are kept; an answer takes about forty times the memory."""
_MAX_PROPOSALS = 3
_LONG = 2_000
_ENDLESS = 10**15


class Environment:
    """Judges expressions: declarations, and the answers so far. Made by `environment`."""

    def __init__(self, declarations: Declarations) -> None:
        self.declarations = declarations
        self.release = declarations.release
        self._kept: dict[str, Compilation] = {}
        self._room = _KEPT

    def compile(self, expression: str) -> Compilation:
        """Judge an expression as the API server does when it is new; never raises. The result is kept."""
        kept = self._kept.get(expression)
        if kept is None:
            kept = compile_expression(expression, self.declarations)
            if not kept.ok:
                kept = _with_releases(kept)
            self._room -= len(expression)
            if self._room < 0:
                self._kept.clear()
                self._room = _KEPT - len(expression)
            self._kept[expression] = kept
        return kept


def environment(
    release: str,
    *,
    kind: str = "device",
    list_attributes: bool = False,
    consumable_capacity: bool | None = None,
    folder: Path = SHIPPED,
) -> Environment:
    """Return the environment of a release (`1.34`) for one kind of expression.

    `kind` is `device` (selectors), `derived` (derivedAttributes, 1.37) or `named-resources` (1.30). The gates
    DRAListTypeAttributes (from 1.36) and DRAConsumableCapacity (from 1.34; None for its default) change types. `folder`
    has the tables, by default those that dralint ships. Raises UnknownDialectError, a ValueError, for a release that is
    not in them, and ValueError for a kind or gate that the release does not have.
    """
    table.functions(release, folder)
    on = set()
    for gate, wanted in ((LIST_GATE, list_attributes), (CAPACITY_GATE, consumable_capacity)):
        stage = gates.stage(gate, Release.parse(release))
        if wanted and stage is None:
            raise ValueError(f"release {release} has no feature gate {gate}")
        if wanted or (wanted is None and stage is not None and stage.default):
            on.add(gate)
    return _environment(declarations(release, kind=kind, gates=frozenset(on), folder=folder))


def environment_for(release: str, on: frozenset[str], kind: str = "device") -> Environment:
    """Return the environment of a release when these feature gates are on; ValueError as `environment`."""
    return _environment(declarations(release, kind=kind, gates=on))


@cache
def _environment(declared: Declarations) -> Environment:
    return Environment(declared)


def in_release(release: str, judge: Declarations) -> Environment:
    """Return the environment of another release: with the gates of `judge` that it has, and those on by default."""
    at = Release.parse(release)
    on = set()
    for gate in table.facts(judge.folder)["gates"]:
        stage = gates.stage(gate, at)
        if stage is not None and (stage.default or gate in judge.gates):
            on.add(gate)
    return _environment(declarations(release, kind=judge.kind, gates=frozenset(on), folder=judge.folder))


def _with_releases(refused: Compilation) -> Compilation:
    """Add to the hint the feature gate, or the first release, with which the expression is accepted."""
    judge = refused.environment
    if judge.kind != "device" or refused.stage in ("too-long", NOT_DECIDED):
        return refused
    first = refused.issues[0]
    expression = refused.expression
    for gate in table.facts(judge.folder)["gates"] if first.replacement is None else ():
        if gate in judge.gates or gates.stage(gate, Release.parse(judge.release)) is None:
            continue
        other = declarations(judge.release, gates=judge.gates | {gate}, folder=judge.folder)
        if compile_expression(expression, other).ok:
            hint = f"Kubernetes {judge.release} accepts it with feature gate {gate} only"
            return refused._replace(issues=(first._replace(hint=hint), *refused.issues[1:]))
    later = table.later(judge.release, judge.folder)
    accepting = None
    for release in reversed(later):
        if not in_release(release, judge).compile(expression).ok:
            break
        accepting = release
    if accepting is None:
        return refused
    accepts = "accepts" if accepting == later[-1] else "and later accept"
    said = f"Kubernetes {accepting} {accepts} this expression"
    hint = said if first.hint is None or accepting in first.hint else f"{first.hint}; {said}"
    return refused._replace(issues=(first._replace(hint=hint), *refused.issues[1:]))


def compile_expression(expression: str, environment: Declarations) -> Compilation:
    """Judge an expression; never raises."""
    size = len(expression) if expression.isascii() else len(expression.encode("utf-8", "surrogatepass"))
    if environment.max_length is not None and size > environment.max_length:
        message = f"the expression has {size} bytes; allowed are {environment.max_length}"
        hint = "split it into several selectors: all must match"
        issue = Issue("too-long", REJECTED, message, 0, len(expression), "TooLong", hint)
        return Compilation(expression, environment, "too-long", (issue,))
    if environment.kind == "named-resources" and not expression:
        issue = Issue("required", REJECTED, "the selector is empty", 0, 0, "Required", "true selects everything")
        return Compilation(expression, environment, "compile", (issue,))
    try:
        return _compile(expression, environment)
    except (TooComplexError, RecursionError) as error:
        limit = str(error) if isinstance(error, TooComplexError) else "levels that an expression nests"
        message = f"not decided whether Kubernetes accepts this: dralint's limit of {limit} is reached"
        issue = Issue(NOT_DECIDED, ADVICE, message, 0, len(expression), None, "simplify it", 1, 1)
        return Compilation(expression, environment, NOT_DECIDED, (issue,))


def _compile(expression: str, environment: Declarations) -> Compilation:
    parsed = parse(expression, environment.dialect)
    root = parsed.root
    if root is None:
        return Compilation(expression, environment, "compile", parsed.issues)
    checked = check(root, expression, environment)
    if checked.issues:
        return Compilation(expression, environment, "compile", _with_proposals(checked, expression, environment))
    issues = validate(root, expression, environment)
    if issues:
        return Compilation(expression, environment, "compile", tuple(issues))
    result = root.type
    assert result is not None
    name = spell(result)
    if not environment.accepts_result(result):
        issue = _wrong_result(result, root, expression, environment)
        return Compilation(expression, environment, "output-type", (issue,), name)
    try:
        plan(root, environment)
    except PlanError as error:
        node = error.node
        issue = Issue("plan", REJECTED, str(error), node.start, node.end, "InternalError", error.hint)
        return Compilation(expression, environment, "plan", (issue,), name)
    cost: int | None = None
    if environment.cost_model is not None:
        cost = estimate(root, environment)
        if cost > MAX_COST:
            return Compilation(expression, environment, "cost", (_too_costly(cost, root, expression),), name, cost)
    return Compilation(expression, environment, None, (), name, cost, root)


def _with_proposals(checked: Checked, expression: str, environment: Declarations) -> tuple[Issue, ...]:
    """Return the issues; proposed replacements that compile become their hints."""
    issues = list(checked.issues)
    for number, replacement in checked.proposals[: _MAX_PROPOSALS if len(expression) <= _LONG else 1]:
        if _compiles(replacement, expression, environment):
            issues[number] = issues[number]._replace(hint=replacement.words, replacement=replacement)
    return tuple(issues)


def _compiles(replacement: Instead, expression: str, environment: Declarations) -> bool:
    """Say whether a replacement has no issue inside when it replaces a part of the expression."""
    text = expression[: replacement.start] + replacement.text + expression[replacement.end :]
    root = parse(text, environment.dialect).root
    if root is None:
        return False
    try:
        issues = check(root, text, environment).issues
    except TooComplexError:
        return False
    if issues:
        start, end = replacement.start, replacement.start + len(replacement.text)
        return not any(start <= issue.start and issue.end <= end for issue in issues)
    return compile_expression(text, environment).stage in (None, "output-type")


def _wrong_result(result: Type, root: Node, expression: str, environment: Declarations) -> Issue:
    shown = spell(result, short=True)
    if environment.kind == "derived":
        allowed = "a bool, int, string or Semver" + (", or a list of these" if environment.list_attributes else "")
        message = f"a derived attribute must be {allowed}, but this is {a_type(result)}"
        hint = None
        if shown == "Quantity":
            hint = f"make it an int: {receiver(root, expression)}.asInteger()"
    else:
        message = f"the selector must be true or false (bool), but it is {a_type(result)}"
        hint = compared(root, result, expression)
        if hint is None and result.kind == "map":
            hint = 'it is a map: select one entry and compare it, device.attributes["domain"].name == "value"'
        elif result.kind == "dyn" and environment.attribute_type is not result:
            hint = (
                "an attribute has no fields; if the domain has dots, put it in quotes: "
                'device.attributes["gpu.example.com"].name'
            )
    return Issue("output-type", REJECTED, message, root.start, root.end, "Invalid", hint)


def _too_costly(cost: int, root: Node, expression: str) -> Issue:
    if cost > _ENDLESS:
        shown, what = "practically without bound", "the sizes of computed strings and lists are not known in advance"
        hint = f"compare what comes from device directly: {what}"
    else:
        shown = f"{cost:,}"
        hint = "nest fewer macros, or look attributes up by name instead of going over all of them"
    message = f"the estimated cost is {shown}; allowed is {MAX_COST:,}"
    unequal = (node.args for node in walk(root) if isinstance(node, Call) and node.function == "_!=_")
    left, right = next((args for args in unequal if all(each.type is types.QUANTITY for each in args)), (None, None))
    if left is not None and right is not None:
        instead = f"{receiver(left, expression)}.compareTo({text_of(right, expression)}) != 0"
        hint = f'the cost of "!=" between Quantities counts as unlimited: write {instead}'
    return Issue("cost", REJECTED, message, root.start, root.end, "Forbidden", hint)
