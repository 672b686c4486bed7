"""The generated schemas against the compiled decoder and the rules.

What decoding refuses and what the schemas without limits refuse is the same; what the full schemas refuse, the program
refuses as well.
"""

from __future__ import annotations

import copy
import gzip
import json
import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from dralint.decode.decoder import Decoded
from dralint.finding import catalogue
from dralint.kubernetes import shipped
from dralint.kubernetes.release import Release
from dralint.lint.release_judge import Judge
from dralint.manifest.objects import RELEVANT, ApiObject, objects
from dralint.schema.schemas import Builder
from dralint.yaml import read

DATA = Path(__file__).parent.parent / "data" / "conformance"
RELEASES = [f"1.{minor}" for minor in range(26, 38)]
POOL: tuple[Any, ...] = (
    None, "", "x", "X", "a/b", 0, 1, -1, 1.5, True, False, [], {}, [None], [1], ["x"], {"a": None}, {"a": 1},
    2**31, 2**63, -(2**63) - 1, "2026-01-02T03:04:05Z", "2026-01-02", "1Gi", "1 Gi", "x" * 300, [{}] * 40,
)  # fmt: skip


@cache
def judge(release: str) -> Judge:
    return Judge(Release.parse(release), {"AllAlpha": True, "AllBeta": True})


@cache
def validator(release: str, api_version: str, kind: str, *, limits: bool) -> Draft202012Validator:
    schemas = shipped.openapi(release)["schemas"][api_version]
    if limits:
        return Draft202012Validator(Builder(Release.parse(release), schemas, shipped.index()).kind(api_version, kind))
    built = Builder(Release.parse(release), _without_enums(schemas), {"limits": {}})
    return Draft202012Validator(built.kind(api_version, kind))


def _without_enums(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_without_enums(entry) for entry in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: _without_enums(value) for key, value in schema.items() if not (key == "enum" and isinstance(value, list))
    }


def recorded(release: str) -> Iterator[tuple[dict[str, Any], ApiObject]]:
    """Yield the recorded verdicts with all gates on whose manifest is an object of the group."""
    with gzip.open(DATA / f"{release}.jsonl.gz", "rt", encoding="utf-8") as stream:
        for row in map(json.loads, stream):
            if row["gates"] == "all" and row["mode"] in ("create", "status"):
                for document in read(row["yaml"].encode("utf-8", "surrogatepass"), relevant=RELEVANT):
                    for item in objects(document.data) if document.state == "read" else ():
                        if (item.api_version, item.kind) in judge(release).namespaced:
                            yield row, item


def decoded(release: str, item: ApiObject) -> bool:
    found = Decoded([], [])
    judge(release).api(item.api_version).decoders.struct(item.kind)(item.data, None, found)
    return not found.problems


def refused(release: str, item: ApiObject) -> bool:
    rules = catalogue.rules()
    return any(rules[problem.rule].effect == "rejected" for problem in judge(release).check(item))


def mutated(item: ApiObject, rng: random.Random) -> ApiObject:
    """Return a copy with one value replaced, removed or added below spec, status or metadata."""
    root = copy.deepcopy(item.data)
    places: list[tuple[Any, Any]] = []
    todo: list[Any] = [value for key, value in root.items() if key not in ("apiVersion", "kind")]
    while todo:
        value = todo.pop()
        if isinstance(value, dict):
            places += [(value, key) for key in value]
            todo.extend(value.values())
        elif isinstance(value, list):
            places += [(value, position) for position in range(len(value))]
            todo.extend(value)
    holder, key = rng.choice(places or [(root, "metadata")])
    change = rng.random()
    if change < 0.6:
        holder[key] = copy.deepcopy(rng.choice(POOL))
    elif change < 0.8:
        del holder[key]
    elif isinstance(holder, dict):
        holder[rng.choice(("foo", "name", "Kind", "a/b"))] = copy.deepcopy(rng.choice(POOL))
    else:
        holder.append(copy.deepcopy(rng.choice(POOL)))
    return ApiObject((), item.api_version, item.kind, root)


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.slow
def test_recorded_manifests(release: str) -> None:
    count = 0
    for row, item in recorded(release):
        count += 1
        key = (release, item.api_version, item.kind)
        fine = validator(*key, limits=False).is_valid(item.data)
        assert fine == decoded(release, item), row["name"]
        if fine and row["mode"] == "create":
            item = ApiObject((), item.api_version, item.kind, {k: v for k, v in item.data.items() if k != "status"})
        if not validator(*key, limits=True).is_valid(item.data):
            assert not row["accepted"], (row["name"], next(validator(*key, limits=True).iter_errors(item.data)))

    assert count > 50


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.slow
def test_mutated_objects(release: str) -> None:
    rng = random.Random(release)
    accepted = [item for row, item in recorded(release) if row["accepted"]]
    outcomes = set()
    for _ in range(150):
        item = mutated(rng.choice(accepted), rng)
        if rng.random() < 0.3:
            item = mutated(item, rng)
        key = (release, item.api_version, item.kind)
        fine = validator(*key, limits=False).is_valid(item.data)
        assert fine == decoded(release, item), json.dumps(item.data)
        full = validator(*key, limits=True)
        if not full.is_valid(item.data):
            assert refused(release, item), (json.dumps(item.data), next(full.iter_errors(item.data)).message)
        outcomes.add((fine, full.is_valid(item.data)))

    assert outcomes == {(False, False), (True, False), (True, True)}
