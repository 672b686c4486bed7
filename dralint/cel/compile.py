"""From an expression to a verdict, stage by stage."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dralint.cel import types
from dralint.cel.check import check
from dralint.cel.environments import MAX_COST, MAX_LENGTH
from dralint.cel.issues import REJECTED, Issue
from dralint.cel.messages import compared
from dralint.cel.parser import parse
from dralint.cel.plan import PlanError, plan
from dralint.cel.replacements import receiver, text_of
from dralint.cel.syntax import Call, walk
from dralint.cel.types import a_type, spell
from dralint.cel.unify import TooComplexError
from dralint.cel.validate import validate

if TYPE_CHECKING:
    from dralint.cel.environments import Environment
    from dralint.cel.syntax import Node
    from dralint.cel.types import Type


@dataclass(frozen=True, slots=True)
class Compilation:
    """The verdict on one expression in one environment.

    `stage` is where the API server stops: None, or `too-long`, `compile`, `output-type`, `plan`, `cost`.
    `result_type` is spelled as the compiler does, empty where there is none. `cost` is the estimate, None where the
    release makes none or does not get that far. `issues` are refusals; `advice` finds what the server does not say.
    """

    expression: str
    environment: Environment
    stage: str | None
    issues: tuple[Issue, ...]
    result_type: str = ""
    cost: int | None = None
    root: Node | None = field(default=None, repr=False)

    @property
    def ok(self) -> bool:
        """Whether the API server accepts the expression."""
        return self.stage is None


def compile_expression(expression: str, environment: Environment) -> Compilation:
    """Judge an expression; never raises."""
    size = len(expression) if expression.isascii() else len(expression.encode("utf-8", "surrogatepass"))
    if environment.max_length is not None and size > environment.max_length:
        message = f"the expression has {size} bytes; allowed are {MAX_LENGTH}"
        issue = Issue(
            "too-long",
            REJECTED,
            message,
            0,
            len(expression),
            "TooLong",
            "split it into several selectors: all must match",
        )
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


def _compile(expression: str, environment: Environment) -> Compilation:
    parsed = parse(expression, environment.dialect)
    root = parsed.root
    if root is None:
        return Compilation(expression, environment, "compile", parsed.issues)
    issues = check(root, expression, environment) or validate(root, expression, environment)
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
        from dralint.cel.cost import estimate

        cost = estimate(root, environment)
        if cost > MAX_COST:
            return Compilation(expression, environment, "cost", (_too_costly(cost, root, expression),), name, cost)
    return Compilation(expression, environment, None, (), name, cost, root)


def _wrong_result(result: Type, root: Node, expression: str, environment: Environment) -> Issue:
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
