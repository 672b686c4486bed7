"""The types that have a check of their own exist; mypy holds the form of the checks."""

from __future__ import annotations

import inspect
import json
import re
from pathlib import Path

from dralint.kubernetes.release import Release
from dralint.kubernetes.types import pod_types, structs
from dralint.validate.relations import hook
from tests.newest import NEWEST

ROOT = Path(__file__).parents[2]


def test_every_type_with_a_hook_exists_in_some_release_and_has_a_function() -> None:
    documents = [json.loads(file.read_bytes()) for file in sorted((ROOT / "schemas/upstream").glob("*.json"))]
    known = {name for one in documents for schemas in one["schemas"].values() for name in structs(schemas)}
    known |= set(pod_types({}, Release.parse(NEWEST)))
    hooked = set(re.findall(r'"([\w.]+)"(?=[^:\n]*:$)', inspect.getsource(hook), re.MULTILINE))

    assert len(hooked) > 25
    assert hooked <= known
    assert all(hook(name) is not None for name in hooked)
