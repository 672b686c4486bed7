"""From an expression to a verdict: the stages in order, what they answered before, and what of their hints holds."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING

from dralint.cel.check.checker import check
from dralint.cel.check.compilation import Compilation
from dralint.cel.check.declarations import MAX_COST, RELEASES, Declarations, declarations, gates_of
from dralint.cel.check.messages import compared
from dralint.cel.check.replacements import receiver, text_of
from dralint.cel.check.validate import validate
from dralint.cel.cost.estimate import estimate
from dralint.cel.eval.plan import PlanError, plan
from dralint.cel.issue import REJECTED, Issue, Replacement
from dralint.cel.syntax.parser import parse
from dralint.cel.syntax.tree import Call, TooComplexError, walk
from dralint.cel.values import types
from dralint.cel.values.types import a_type, spell

if TYPE_CHECKING:
    from dralint.cel.check.checker import Checked
    from dralint.cel.syntax.tree import Node
    from dralint.cel.values.types import Type

_KEPT = 4096
_MAX_PROPOSALS = 3
_LONG = 2_000


@dataclass(frozen=True, eq=False)
class Environment:
    """What judges expressions: declarations, and the answers given so far. Made by `environment`."""

    declarations: Declarations
    _kept: dict[str, Compilation] = field(default_factory=dict)

    @property
    def release(self) -> str:
        """The release that judges: `1.34`."""
        return self.declarations.release

    def compile(self, expression: str) -> Compilation:
        """Judge an expression as the API server does when it is new; never raises. The result is kept."""
        kept = self._kept.get(expression)
        if kept is None:
            kept = compile_expression(expression, self.declarations)
            if not kept.ok:
                kept = _with_releases(kept)
            if len(self._kept) >= _KEPT:
                self._kept.clear()
            self._kept[expression] = kept
        return kept


def environment(
    release: str,
    *,
    kind: str = "device",
    list_attributes: bool = False,
    consumable_capacity: bool | None = None,
) -> Environment:
    """Return the environment of a release (`1.34`) for one kind of expression.

    `kind` is `device` (selectors), `derived` (derivedAttributes, 1.37) or `named-resources` (1.30). The gates
    DRAListTypeAttributes (from 1.36) and DRAConsumableCapacity (from 1.34; None for its default) change types. Raises
    ValueError for a release or kind that does not exist and for a gate that the release does not have.
    """
    return _environment(
        declarations(release, kind=kind, list_attributes=list_attributes, consumable_capacity=consumable_capacity)
    )


def environment_for(release: str, gates: frozenset[str], kind: str = "device") -> Environment:
    """Return the environment of a release when these feature gates are on; ValueError as `environment`."""
    return _environment(declarations(release, kind=kind, **gates_of(release, gates)))


@cache
def _environment(declared: Declarations) -> Environment:
    return Environment(declared)


def _with_releases(refused: Compilation) -> Compilation:
    """Say in the hint from which release on the expression is accepted."""
    judge = refused.environment
    later = RELEASES[RELEASES.index(judge.release) + 1 :] if judge.kind == "device" else ()
    if refused.stage == "too-long" or not later or not _accepts(later[-1], judge, refused.expression):
        return refused
    accepting = later[-1]
    for release in reversed(later[:-1]):
        if not _accepts(release, judge, refused.expression):
            break
        accepting = release
    accepts = "accepts" if accepting == RELEASES[-1] else "and later accept"
    first = refused.issues[0]
    said = f"Kubernetes {accepting} {accepts} this expression"
    hint = said if first.hint is None or accepting in first.hint else f"{first.hint}; {said}"
    return replace(refused, issues=(replace(first, hint=hint), *refused.issues[1:]))


def _accepts(release: str, judge: Declarations, expression: str) -> bool:
    return (
        environment(
            release,
            list_attributes=judge.list_attributes and release >= "1.36",
            consumable_capacity=True if judge.consumable_capacity and release >= "1.34" else None,
        )
        .compile(expression)
        .ok
    )


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
    except (TooComplexError, RecursionError):
        message = "the types of the expression grow beyond all measure: the API server would not finish either"
        issue = Issue("too-complex", REJECTED, message, 0, len(expression), "Invalid", "simplify it", 1, 1)
        return Compilation(expression, environment, "compile", (issue,))


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
    """Return the issues, with the replacements proposed for them that compile as their hints."""
    issues = list(checked.issues)
    for number, replacement in checked.proposals[: _MAX_PROPOSALS if len(expression) <= _LONG else 1]:
        if _compiles(replacement, expression, environment):
            issues[number] = replace(issues[number], hint=f"write {replacement.text}", replacement=replacement)
    return tuple(issues)


def _compiles(replacement: Replacement, expression: str, environment: Declarations) -> bool:
    """Say whether nothing is wrong inside of a replacement where it stands in place of a part of the expression."""
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
            hint = 'it is a map: ask for one entry and compare it, device.attributes["domain"].name == "value"'
        elif result.kind == "dyn" and environment.attribute_type is not result:
            hint = (
                "an attribute has no fields of its own; if the domain has dots, put it in quotes: "
                'device.attributes["gpu.example.com"].name'
            )
    return Issue("output-type", REJECTED, message, root.start, root.end, "Invalid", hint)


def _quantities(node: Call) -> bool:
    return all(operand.type is types.QUANTITY for operand in node.args)


def _too_costly(cost: int, root: Node, expression: str) -> Issue:
    shown = "practically without bound" if cost > 10**15 else f"{cost:,}"
    message = f"the estimated cost is {shown}; allowed is {MAX_COST:,}"
    hint = "compare what comes from `device` directly: the sizes of computed strings and lists are not known in advance"
    if cost <= 10**15:
        hint = "nest fewer macros, or look attributes up by name instead of going over all of them"
    unequal = next((n for n in walk(root) if isinstance(n, Call) and n.function == "_!=_" and _quantities(n)), None)
    if unequal is not None:
        left, right = unequal.args
        instead = f"{receiver(left, expression)}.compareTo({text_of(right, expression)}) != 0"
        hint = f"the cost of '!=' between Quantities is taken for unlimited: write {instead}"
    return Issue("cost", REJECTED, message, root.start, root.end, "Forbidden", hint)
