"""CEL expressions: reports the findings of dralint.cel at their place inside of the scalar."""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING, Any

from dralint import work
from dralint.cel.advice import advice, is_certain, makes_sense, uses_device
from dralint.cel.compile import environment_for
from dralint.cel.declarations import MAX_COST
from dralint.cel.issue import NOT_DECIDED, underlined
from dralint.cel.table import UnknownDialectError
from dralint.finding import rule_ids
from dralint.finding.problem import Change, Repair, path_of

if TYPE_CHECKING:
    from dralint.cel import Compilation, Issue
    from dralint.finding.problem import Link
    from dralint.validate.constraints import Context

RULES = {
    "syntax": rule_ids.CEL_SYNTAX,
    "macro": rule_ids.CEL_SYNTAX,
    "reserved-word": rule_ids.CEL_SYNTAX,
    "literal-range": rule_ids.CEL_SYNTAX,
    "too-deep": rule_ids.CEL_SYNTAX,
    "undeclared-reference": rule_ids.CEL_UNKNOWN_NAME,
    "unknown-field": rule_ids.CEL_UNKNOWN_NAME,
    "output-type": rule_ids.CEL_RESULT,
    "cost": rule_ids.CEL_COST,
    "plan": rule_ids.CEL_PROGRAM,
    NOT_DECIDED: rule_ids.NOT_DECIDED,
}
"""Code of dralint.cel → rule; any other code is a type error."""

_BY_EFFECT = {"rejected": rule_ids.CEL_TYPE, "broken": rule_ids.CEL_RUNTIME, "advice": rule_ids.CEL_ADVICE}
_SAID_BY_THE_TABLE = {"too-long": rule_ids.TOO_LONG, "required": rule_ids.MISSING_FIELD}
_UNGUARDED = "unguarded-lookup"


def device(value: dict[str, Any], link: Link, context: Context) -> None:
    """A selector over devices."""
    _check(value.get("expression"), (link, "expression"), context, "device")


def named_resources(value: dict[str, Any], link: Link, context: Context) -> None:
    """A selector over named resources (1.30)."""
    _check(value.get("selector"), (link, "selector"), context, "named-resources")


def derived(value: dict[str, Any], link: Link, context: Context) -> None:
    """The expression of a derived attribute (1.37)."""
    _check(value.get("expression"), (link, "expression"), context, "derived")


def derived_cost(value: dict[str, Any], link: Link, context: Context) -> None:
    """All derived attributes of a claim together have a limit of cost (validateDeviceClaim, v1.37.0)."""
    requests = [request for request in value.get("requests") or () if request]
    holders = [each for r in requests for each in (r, r.get("exactly"), *(r.get("firstAvailable") or ()))]
    attributes = [each for holder in holders if holder for each in holder.get("derivedAttributes") or ()]
    expressions = [each["expression"] for each in attributes if each and each.get("expression")]
    try:
        environment = environment_for(str(context.release), context.gates, "derived")
    except ValueError:
        return  # reported at the expression
    total = sum(environment.compile(expression).cost or 0 for expression in expressions)
    if total > MAX_COST:
        message = f"the derived attributes of the claim cost up to {total:,} together; at most {MAX_COST:,} are allowed"
        context.add(rule_ids.CEL_COST, link, "Forbidden", message, "simplify the expressions, or use fewer of them")


def _check(expression: str | None, link: Link, context: Context, kind: str) -> None:
    if not expression:
        return
    try:
        environment = environment_for(str(context.release), context.gates, kind)
    except UnknownDialectError as error:
        if not any(problem.rule == rule_ids.UNKNOWN_CEL_DIALECT for problem in context.problems):
            hint = "use a newer dralint; until then, dralint checks no expression for this release"
            context.add(rule_ids.UNKNOWN_CEL_DIALECT, link, None, f"CEL expressions are not judged: {error}", hint)
        return
    if not work.current().may_compile(environment, expression):
        return  # `Linter` says so
    compilation = environment.compile(expression)
    for issue in compilation.issues or advised(compilation):
        if issue.code == _UNGUARDED:
            if not _runs_on_every_device(context):
                continue
        elif issue.code in _SAID_BY_THE_TABLE:
            continue
        _report(issue, expression, link, context, _repair(issue, compilation, link, context, kind))


def _runs_on_every_device(context: Context) -> bool:
    """Say whether nothing limits the devices to one driver before the selector runs.

    The selectors of a claim only see devices that its class accepts; a class can check the driver in its own selector.
    """
    if context.kind != "DeviceClass":
        return False
    selectors = (context.root.get("spec") or {}).get("selectors") or ()
    expressions = [((selector or {}).get("cel") or {}).get("expression") or "" for selector in selectors]
    return not any("device.driver" in expression for expression in expressions)


def advised(compilation: Compilation) -> tuple[Issue, ...]:
    """Return advice on an accepted expression, which the API server does not give."""
    found = _kept(compilation)
    if found is not None:
        return found

    return work.current().once(compilation, partial(advice, compilation))


@cache
def _kept(compilation: Compilation) -> tuple[Issue, ...] | None:
    """Return what `advised` does; None for an expression that it runs, which depends on what a file may still take."""
    if compilation.root is None:
        return ()

    return advice(compilation) if uses_device(compilation.root) else None


def rule_of(issue: Issue) -> str:
    """Return the id of the rule for an issue."""
    return RULES.get(issue.code) or _SAID_BY_THE_TABLE.get(issue.code) or _BY_EFFECT[issue.severity_effect]


def _report(issue: Issue, expression: str, link: Link, context: Context, repair: Repair | None) -> None:
    start, end = underlined(issue, expression)
    context.add(
        rule_of(issue),
        link,
        issue.reason if issue.severity_effect == "rejected" else None,
        issue.message,
        issue.hint,
        target="scalar",
        start=start,
        end=end,
        repair=repair,
    )


def _repair(issue: Issue, compilation: Compilation, link: Link, context: Context, kind: str) -> Repair | None:
    """Return the repair of an issue, if the expression makes sense with it."""
    found, expression = issue.replacement, compilation.expression
    if found is None:
        return None

    if not makes_sense(compilation, issue, environment_for(str(context.release), context.gates, kind).compile):
        return None
    whole = expression[found.start : found.end].strip() == expression.strip()
    if (
        found.text[:1] in ('"', "'")
        and found.text[-1] == found.text[0]
        and (whole or expression[found.end : found.end + 1] in (".", "(", "["))
    ):
        return None  # a whole expression, or a part with fields or methods, is not a text
    change = Change("replace-part", path_of(link), found.text, start=found.start, end=found.end)
    return Repair((change,), safe=is_certain(issue, expression))
