"""What follows from what: which problems only repeat another one, and how many are worth telling beside it.

The server stops at decoding. Telling more helps to mend a manifest in one go, but what a mistake brings along, or a
long list behind it, would bury the cause.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dralint.finding.path import path_text
from dralint.finding.problem import MISSING_FIELD, Problem

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dralint.yaml import Path

REFERENCE, MORE = "DRA203", "DRA109"
BESIDES = 3
"""Fields whose validation is told beside problems of decoding."""
REPEATS = 16
"""How often one problem of decoding is told along a list before it is counted instead."""
READ = 2000
"""Characters of what the server says of an unknown field that repeats along a list, before the rest is counted."""
MOST = 100
"""Problems of decoding that are told of one object; the server gathers as many (sigs.k8s.io/json)."""
_LEFT_EMPTY = frozenset({"DRA215", "DRA250"})
"""Rules of alternatives of which one must be set."""
_STOPS = ("TypeInvalid", "Decode")
_NAMED = frozenset({"name", "requests", "firstAvailable", "devices", "spec"})


def decoding_of(problems: Sequence[Problem]) -> list[Problem]:
    """Return the problems of decoding to tell, and a word on the rest.

    All that are of different kinds are told, as many as the server gathers. One that repeats along a long list is
    counted after a few: where the server stops, after three, and of an unknown field after what anybody reads.
    """
    if len(problems) <= REPEATS:
        return list(problems)
    places = [_place(problem) for problem in problems]
    total, seen = Counter(places), Counter[tuple[str, ...]]()
    told: list[Problem] = []
    last: dict[tuple[str, ...], tuple[int, Problem]] = {}
    read = 0
    for place, problem in zip(places, problems, strict=True):
        seen[place] += 1
        if problem.reason not in _STOPS:
            read += len(f'unknown field "{path_text(problem.path)}", ')
        enough = seen[place] > BESIDES if problem.reason in _STOPS else read > READ
        if enough and total[place] > REPEATS:
            continue
        told.append(problem)
        if total[place] > REPEATS:
            last[place] = (len(told), problem)
    for place, (position, problem) in sorted(last.items(), key=lambda entry: -entry[1][0]):
        left = total[place] - sum(1 for other in told if other.rule != MORE and _place(other) == place)
        if left:
            told.insert(position, _more(left, problem, "this kind", "they repeat along the list"))
    if len(told) > MOST:
        told[MOST:] = [_more(len(told) - MOST, told[MOST - 1], "decoding", "nobody reads more at once")]
    return told


def _place(problem: Problem) -> tuple[str, ...]:
    """Return the path of a problem without the positions in lists."""
    return tuple("" if isinstance(part, int) else part for part in problem.path)


def beside(validation: Sequence[Problem], decoding: Sequence[Problem], value: Any) -> list[Problem]:
    """Return which problems of validation to tell beside those of decoding, and a word on those that are left out.

    Args:
        value: the object as it was written; the first in it are told.
    """
    if not decoding:
        return list(validation)
    causes = [problem for problem in decoding if problem.reason in ("Unknown", *_STOPS)]
    lost = any(isinstance(c.path[-1], int) or str(c.path[-1]).lower() in _NAMED for c in causes if c.path)
    real = [p for p in validation if not follows(p, causes) and not (lost and p.rule == REFERENCE)]
    real.sort(key=lambda problem: _position(value, problem.path))
    stops = any(problem.reason in _STOPS for problem in decoding)
    room = max(0, BESIDES + 1 - len(decoding)) if stops else BESIDES
    told: dict[Path, list[Problem]] = {}
    for problem in real:
        if problem.path in told or len(told) < room:
            told.setdefault(problem.path, []).append(problem)
    kept = [problem for problems in told.values() for problem in problems]
    left = len(real) - len(kept)
    why = "the server stops at decoding, here"
    return [*kept, _more(left, decoding[0], "validation", why)] if left else kept


def _more(left: int, cause: Problem, stage: str, why: str) -> Problem:
    count = "one more problem" if left == 1 else f"{left} more problems"
    return Problem(
        MORE,
        cause.path,
        f"not every problem of {stage} is listed: {why}",
        None,
        f"repair this one first, then check again: {count} {'is' if left == 1 else 'are'} not shown yet",
        cause.where,
        cause.target,
        cause.start,
        cause.end,
    )


def _position(value: Any, path: Path) -> tuple[int, ...]:
    """Return where a path leads to in the order of the manifest; what is missing comes last in its parent."""
    ranks: list[int] = []
    for part in path:
        if isinstance(value, dict):
            ranks.append(list(value).index(part) if part in value else len(value))
            value = value.get(part)
        elif isinstance(value, list) and isinstance(part, int) and part < len(value):
            ranks.append(part)
            value = value[part]
        else:
            break
    return tuple(ranks)


def follows(problem: Problem, causes: Sequence[Problem]) -> bool:
    """Say whether a problem of validation only repeats a problem of decoding: below it, or the gap it left."""
    path = problem.path
    for cause in causes:
        if path[: len(cause.path)] == cause.path or path == cause.path[:-1]:
            return True
        if cause.reason != "Unknown" or problem.where is not None:
            continue
        missing = problem.reason == "Required" or problem.kind == MISSING_FIELD
        beside_it = len(path) == len(cause.path) and path[:-1] == cause.path[:-1]
        displaced = path[-1:] == cause.path[-1:] and path[: len(cause.path) - 1] == cause.path[:-1]
        too_deep = path[-1:] == cause.path[-1:] and path[:-1] == cause.path[:-2] and isinstance(cause.path[-2], str)
        if missing and (beside_it or displaced or too_deep):
            return True
    return False


def name_gates(
    validation: Sequence[Problem], dropped: Sequence[Problem], gates: Mapping[Path, str]
) -> tuple[list[Problem], list[Problem]]:
    """Return both with what follows from a removal told once, as the refusal that it is.

    A field that its gate removes may leave its parent without any of the fields of which one must be set.

    Args:
        gates: path of each removed field → the gate that is off.
    """
    refused: list[Problem] = []
    explained: set[Path] = set()
    for problem in validation:
        empty = problem.rule in _LEFT_EMPTY and problem.where is None  # one too many is underlined where it stands
        cause = next((path for path in gates if empty and path[:-1] == problem.path), None)
        if cause is None:
            refused.append(problem)
            continue
        explained |= {path for path in gates if path[:-1] == cause[:-1]}
        gate = gates[cause]
        refused.append(
            replace(
                problem,
                message=f"the server removes `{cause[-1]}` first, as feature gate {gate} is off: {problem.message}",
                hint=f"if the API server has it switched on, give dralint --feature-gates {gate}=true",
                where=cause,
                target="key",
            )
        )
    return refused, [problem for problem in dropped if problem.path not in explained]
