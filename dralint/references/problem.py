"""Findings between objects: a problem of one object, and related places in others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.records import NamedTuple

if TYPE_CHECKING:
    from dralint.finding.problem import Problem
    from dralint.kubernetes.release import Release
    from dralint.references.facts import Facts
    from dralint.yaml import Path


class Elsewhere(NamedTuple):
    """A place in another object that explains a problem; `target` is "key" for the name of a field, not its value."""

    message: str
    facts: Facts
    path: Path
    target: str = "value"


class Found(NamedTuple):
    """A problem of the object `facts`; `releases` are those that have it."""

    facts: Facts
    problem: Problem
    elsewhere: tuple[Elsewhere, ...]
    releases: tuple[Release, ...]


NAME: Path = ("metadata", "name")
"""The path of an object's name."""
