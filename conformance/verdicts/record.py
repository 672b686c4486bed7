"""Records the API server's verdicts on manifests, in the form of tests/data/conformance."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from conformance import modules
from conformance.recording import answers
from conformance.verdicts.cases.edits import Case, cases
from conformance.verdicts.cases.objects import WORKLOADS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

GATES = {"default": "", "all": "AllAlpha=true,AllBeta=true"}
_TYPE = re.compile(r"Go struct field (\w+)\.([\w.]+) of type")
_DUPLICATE = re.compile(r'key "([^"]*)" already set in map')
_STRICT = re.compile(r'(unknown|duplicate) field "((?:[^"\\]|\\.)*)"')
_OF_CLAIMS = re.compile(r"laims|ontainers(\[\d+\])?\.resources$")
_STAGES = {400: "decode", 422: "validate"}
_OF_THE_REQUEST = ("the namespace of the provided object does not match", "the name of the object does not match")


def record(judge: str, release: str, seed: str, count: int, gates: Iterable[str]) -> Iterator[dict[str, Any]]:
    """Yield verdicts on `count` random cases, each with one of the sets of gates in turn."""
    asked = list(cases(modules.minor(release), seed, count))
    if judge == "declared":  # it has all gates on, and knows only a part of a server's refusals
        yield from (row | {"partial": True} for row in _verdicts(judge, release, [], "all", asked))
        return
    sets = list(gates)
    for number, name in enumerate(sets):
        yield from _verdicts(judge, release, ["--feature-gates", GATES[name]], name, asked[number :: len(sets)])


def _verdicts(
    judge: str, release: str, arguments: list[str], gates: str, asked: list[Case]
) -> Iterator[dict[str, Any]]:
    for case, verdict in answers(judge, release, arguments, asked):
        if _counts(case, verdict):
            kept: dict[str, Any] = {key: case[key] for key in ("id", "mode", "edits", "yaml", "old") if key in case}
            yield {**kept, "gates": gates, **_kept(case, verdict)}


def _counts(case: Case, verdict: dict[str, Any]) -> bool:
    """Say whether a verdict is on the manifest, not on the request; for a workload, only verdicts on claims count."""
    if verdict["code"] not in (201, *_STAGES):
        return False
    message = verdict.get("message", "")
    if any(text in message for text in _OF_THE_REQUEST):
        return False
    said = causes(verdict)
    if any(reason == "InternalError" for reason, _ in said):
        return False
    return case["kind"] not in WORKLOADS or all(_OF_CLAIMS.search(path) for _, path in said)


def _kept(case: Case, verdict: dict[str, Any]) -> dict[str, Any]:
    dropped = [path for path in verdict.get("dropped") or () if case["kind"] not in WORKLOADS or "laims" in path]
    kept: dict[str, Any] = {"accepted": verdict["code"] == 201, "stage": _STAGES.get(verdict["code"], "")}
    kept["causes"] = causes(verdict)
    return kept | ({"dropped": sorted(dropped)} if dropped else {})


def causes(verdict: dict[str, Any]) -> list[list[str]]:
    """Return reason and field of every error of a verdict."""
    if verdict["code"] == 422:
        said = {(reason.removeprefix("FieldValue"), path) for reason, path in verdict.get("causes") or ()}
        return [list(cause) for cause in sorted(said)]
    if verdict["code"] != 400:
        return []
    message = verdict.get("message", "")
    found = {
        ("Unknown" if a == "unknown" else "DuplicateKey", json.loads(f'"{b}"')) for a, b in _STRICT.findall(message)
    }
    found |= {("DuplicateKey", key) for key in _DUPLICATE.findall(message)}
    found |= {("TypeInvalid", path) for _, path in _TYPE.findall(message)}
    return [list(cause) for cause in sorted(found) or [("Decode", "")]]
