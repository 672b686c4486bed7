"""The tables that name checks as texts name functions that exist; a slip would otherwise show only in a run."""

from __future__ import annotations

import inspect
import json
from importlib import import_module
from pathlib import Path

import pytest

from dralint.kubernetes.pod_types import pod_types
from dralint.kubernetes.release import Release
from dralint.kubernetes.types import structs
from dralint.references.rules import RULES, Rule
from dralint.validate.relations import HOOKS
from tests.newest import NEWEST

ROOT = Path(__file__).parents[2]
PLACES = sorted({place for places in HOOKS.values() for place in places.split()})


@pytest.mark.parametrize("place", PLACES)
def test_a_hook_is_a_function_of_value_link_and_context(place: str) -> None:
    module, _, name = place.partition(":")
    function = getattr(import_module(f"dralint.validate.relations.{module}"), name)

    assert list(inspect.signature(function).parameters) == ["value", "link", "context"]


def test_every_type_with_a_hook_exists_in_some_release() -> None:
    documents = [json.loads(file.read_bytes()) for file in sorted((ROOT / "schemas/upstream").glob("*.json"))]
    known = {name for one in documents for schemas in one["schemas"].values() for name in structs(schemas)}
    known |= set(pod_types({}, Release.parse(NEWEST)))

    assert set(HOOKS) - known == set()


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"{rule.module}:{rule.function}")
def test_a_rule_between_objects_is_a_function_of_the_world(rule: Rule) -> None:
    function = getattr(import_module(f"dralint.references.{rule.module}"), rule.function)

    assert list(inspect.signature(function).parameters) == ["world"]
