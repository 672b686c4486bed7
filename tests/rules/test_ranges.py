"""Every rule fires at the first and at the last release of its range.

A rule that cannot fire at an end claims too wide a range; one that could and does not has lost an old shape of the API.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from dralint.finding import catalogue
from dralint.finding.finding import Finding
from dralint.kubernetes.release import Release, in_range
from dralint.kubernetes.served import ApiVersions, known_releases
from dralint.manifest.objects import objects
from dralint.migrate import convert
from dralint.migrate.convert import VERSIONS
from dralint.yaml import read
from rules.examples import Bench, releases, texts
from tests.conformance import verdicts
from tests.rules.held import assert_as_the_catalogue_says

EDGES = Path(__file__).parent.parent / "data" / "rules" / "edges.yaml"

READING = "reading a text is the same in all releases"
COMMENTS = "a comment in a file is of no release"
REWRITING = "rewriting is between API versions, not of a release"
NO_RELEASES = {
    **{f"DRA{number:03}": READING for number in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15)},
    "DRA090": COMMENTS,
    "DRA091": COMMENTS,
    "DRA092": COMMENTS,
    "DRA097": REWRITING,
    "DRA098": "it fires in a release whose CEL is not known, and none is known to be so (tests/cel/test_tables.py)",
    "DRA099": "an error of dralint itself",
    "DRA507": REWRITING,
    "DRA508": REWRITING,
    "DRA604": "two manifests of different objects are that in all releases",
    "DRA704": "a placeholder is left standing whatever the release",
}
"""Rules whose findings name no release, and why."""

NEVER_THERE = {
    ("DRA504", str(known_releases()[-1])): "it names the last release that serves an object, when the newest does not",
    ("DRA902", str(known_releases()[-1])): "only with its first patch named (tests/references/test_known_bugs.py)",
}
"""Ends of a range at which a rule never fires, though the range follows from data."""


def ends(rule_id: str) -> list[str]:
    """Return the first and the last known release of a rule's range; one when they are the same."""
    span = [str(known) for known in known_releases() if in_range(catalogue.rules()[rule_id].releases, known)]
    return list(dict.fromkeys((span[0], span[-1])))


RULES = [rule for rule in catalogue.rules().values() if rule.id not in NO_RELEASES]
ENDS = {rule.id: ends(rule.id) for rule in RULES}
RECORDED = {path.name.removesuffix(".jsonl.gz") for path in verdicts.DATA.glob("*.jsonl.gz")}
BENCH = Bench()


class Fired:
    """In which releases rules have fired."""

    def __init__(self) -> None:
        self.at: defaultdict[str, set[str]] = defaultdict(set)

    def add(self, findings: list[Finding]) -> None:
        """Note the releases of findings."""
        for finding in findings:
            self.at[finding.rule].update(finding.releases)

    def missing(self) -> list[tuple[str, str]]:
        """Return rule and release of each end at which the rule has not fired."""
        every = ((rule.id, release) for rule in RULES for release in ENDS[rule.id])
        return [end for end in every if end[1] not in self.at[end[0]] and end not in NEVER_THERE]


def written() -> list[dict[str, Any]]:
    """Return the manifests of this test: those of the file, and those too long to be written by hand."""
    cases: list[dict[str, Any]] = YAML(typ="safe").load(EDGES)
    head = "apiVersion: resource.k8s.io/v1alpha1\nmetadata: {name: train}\n"
    nodes = ", ".join(f"node-{number}" for number in range(129))
    handle = "x" * (16 * 1024 + 1)
    return [
        *({**case, "release": ends(case["rule"])[-1]} if case["release"] == "last" else case for case in cases),
        {
            "rule": "DRA210",
            "release": "1.26",
            "manifest": f"{head}kind: PodScheduling\nspec: {{potentialNodes: [{nodes}]}}\n",
        },
        {
            "rule": "DRA211",
            "release": "1.26",
            "manifest": f"{head}kind: ResourceClaim\nspec: {{resourceClassName: gpu.example.com}}\n"
            f"status: {{driverName: gpu.example.com, allocation: {{resourceHandle: {handle}}}}}\n",
        },
    ]


CASES = written()


@pytest.mark.parametrize("case", [pytest.param(case, id=f"{case['rule']}-{case['release']}") for case in CASES])
@pytest.mark.slow
def test_a_manifest_of_an_edge_shows_its_rule_there(case: dict[str, Any]) -> None:
    findings = shown(case)

    assert case["release"] in ends(case["rule"])
    assert (case["rule"], (case["release"],)) in {(finding.rule, finding.releases) for finding in findings}
    for finding in findings:
        assert_as_the_catalogue_says(finding)


@pytest.mark.slow
def test_every_rule_fires_at_both_ends_of_its_range() -> None:
    fired = Fired()
    for rule in RULES:
        for example in rule.examples.get("bad", []):
            left = set(ends(rule.id)) - fired.at[rule.id]
            of_ends: list[Release | None] = [known for known in releases(rule, example) if str(known) in left]
            for release in [None] if example.get("newest") else of_ends:
                fired.add(BENCH.report(example, release).findings)
    for case in CASES:
        fired.add(shown(case))
    for rule_id, name in fired.missing():
        for example in catalogue.rules()[rule_id].examples.get("bad", []):
            older = converted(example, Release.parse(name))
            fired.add([] if older is None else BENCH.report(older, Release.parse(name)).findings)
    for name in sorted({name for _, name in fired.missing()} & RECORDED):
        for _, findings in verdicts.findings(verdicts.verdicts(name)):
            fired.add(findings)
            if name not in {release for _, release in fired.missing()}:
                break

    assert fired.missing() == [], "narrow the ranges of these rules, or add manifests to tests/data/rules/edges.yaml"
    assert [rule_id for rule_id in NO_RELEASES if fired.at[rule_id]] == [], "these name releases"
    assert [(rule_id, name) for rule_id, name in NEVER_THERE if name in fired.at[rule_id]] == [], "these do fire there"


def test_rules_without_releases_name_none() -> None:
    named = [
        (finding.rule, finding.releases)
        for rule_id in NO_RELEASES
        for example in catalogue.rules()[rule_id].examples.get("bad", [])
        for finding in BENCH.report(example, known_releases()[-1]).findings
        if finding.rule in NO_RELEASES and finding.releases
    ]

    assert named == []


def shown(case: dict[str, Any]) -> list[Finding]:
    """Return what a manifest of an edge gives in its release."""
    return BENCH.report(case, None if case.get("newest") else Release.parse(case["release"])).findings


def converted(example: dict[str, Any], release: Release) -> dict[str, Any] | None:
    """Return an example with its objects in an API version that the release serves; None where it has none for them."""
    if "before" in example or example.get("newest"):
        return None
    older = {**example, "files": {name: _served(raw, release) for name, raw in texts(example)}}
    if "slices" in example:
        older["slices"] = _served(example["slices"].encode(), release)
    return None if None in (*older["files"].values(), older.get("slices", "")) else older


def _served(raw: bytes, release: Release) -> str | None:
    out = list(_in_served_versions(raw, release))
    return None if None in out else "\n---\n".join(json.dumps(data) for data in out)


def _in_served_versions(raw: bytes, release: Release) -> Iterator[dict[str, Any] | None]:
    for document in read(raw):
        for item in objects(document.data) if document.state == "read" else ():
            if item.api_version not in VERSIONS:
                yield item.data
                continue
            serving = [version for version in ApiVersions().versions(item.kind, release) if version in VERSIONS]
            if item.api_version in serving:
                yield item.data
            else:
                yield convert.object(item.data, item.api_version, serving[0], kind=item.kind)[0] if serving else None
