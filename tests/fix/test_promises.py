"""`dralint fix` repairs exactly what `check` marks as fixable."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from dralint.config.settings import Settings
from dralint.files.source import Source
from dralint.finding import catalogue
from dralint.finding.finding import Finding
from dralint.finding.report import exact
from dralint.fix.files import applies, fix
from dralint.kubernetes.release import Release
from dralint.lint import pool
from dralint.lint.linter import Linter
from rules.examples import manifest
from tests import conftest
from tests.conformance import verdicts
from tests.conftest import BAD_CLAIM, CLASS, GOOD_CLAIM, Calls, Run
from tests.fuzz.shapes import FIX_SHAPES

EXAMPLES = {
    rule.id: [
        {f"{number}.yaml": manifest(example)}
        if "manifest" in example
        else {name: text.encode() for name, text in example["files"].items()}
        for number, example in enumerate(rule.examples.get("bad", []))
        if "before" not in example
    ]
    for rule in catalogue.rules().values()
}
PEERS = json.loads(gzip.decompress((Path(__file__).parents[1] / "data/peers.json.gz").read_bytes()))


def not_kept(texts: dict[str, bytes], settings: Settings) -> list[tuple[object, ...]]:
    """Return the findings that `check` marks and `fix` leaves, without guesses and with them, or takes back."""
    sources = [Source(file, None, raw) for file, raw in texts.items()]
    before = pool.run(sources, settings)
    broken: list[tuple[object, ...]] = []
    for unsafe in (False, True):
        marked = [finding for finding in before.findings if applies(finding, unsafe=unsafe)]
        done = fix(sources, settings, unsafe=unsafe)
        left = set(map(exact, done.report.findings))
        broken += [exact(finding) for finding in marked if exact(finding) in left]
        broken += [("taken back", *exact(finding)) for finding in done.taken_back]
        if not marked and done.changed:
            broken.append(("changed without a mark", *texts))
        if not any(finding.fix and not finding.fix.safe for finding in before.findings + done.report.findings):
            break  # no fix is a guess: with guesses it does the same
    return broken


@pytest.mark.parametrize("rule", [rule for rule, examples in EXAMPLES.items() if examples])
@pytest.mark.slow
def test_fix_does_what_check_marks_in_the_bad_examples(rule: str) -> None:
    for texts in EXAMPLES[rule]:
        for settings in (Settings(), Settings(complete=True), Settings(releases=(Release.parse("1.34"),))):
            assert not_kept(texts, settings) == []


@pytest.mark.slow
def test_fix_does_what_check_marks_in_what_other_tools_know() -> None:
    texts = [{file: text.encode() for file, text in case["files"].items()} for case in PEERS]
    assert [broken for each in texts for broken in not_kept(each, Settings(complete=True))] == []


@pytest.mark.parametrize("release", ["1.30", "1.32", "1.34", "1.36", "1.37"])
@pytest.mark.slow
def test_fix_does_what_check_marks_in_recorded_refusals(release: str) -> None:
    refused = [case for case in verdicts.verdicts(release) if not case.accepted and case.mode != "update"]
    settings = Settings(releases=(Release.parse(release),))
    for case in refused[::15]:
        raw = case.text.encode("utf-8", "surrogatepass")
        assert not_kept({"manifest.yaml": raw}, settings) == [], case.id


@pytest.mark.parametrize("shape", FIX_SHAPES)
@pytest.mark.slow
def test_fix_does_what_check_marks_where_one_slip_is_made_often(shape: str) -> None:
    assert not_kept({"manifest.yaml": FIX_SHAPES[shape](6000).encode()}, Settings()) == []


def test_repairs_of_one_object_and_between_objects_are_promised_and_made_together(run: Run, workdir: Path) -> None:
    misspelt = BAD_CLAIM.replace("gpu.example.com", "gpu.exmaple.com")
    unused = GOOD_CLAIM.replace("name: train", "name: other").replace("v1\n", "v1  # dralint: ignore[DRA201] no\n")
    for file, text in {"class.yaml": CLASS, "claim.yaml": misspelt, "other.yaml": unused}.items():
        (workdir / file).write_text(text, "utf-8")
    options = ["--complete", "--namespace", "team"]

    checked = run("check", *options).stdout.splitlines()[-1]
    fixed = run("fix", *options).stderr.splitlines()[-1]

    assert checked.endswith("(2 fixable with `dralint fix`)")
    assert "2 findings in 2 files to fix" in fixed


@pytest.mark.slow
def test_a_text_that_is_too_long_to_prove_each_fix_by_itself_has_all_its_marks(run: Run, workdir: Path) -> None:
    part = "---\n" + BAD_CLAIM
    count = 400_000 // len(part)
    text = "".join(part.replace("name: ", f"name: c{number}-", 1) for number in range(count))
    (workdir / "claim.yaml").write_text(text, "utf-8")

    found = run("check", "--format", "json", "claim.yaml").report["findings"]

    assert len(found) == count
    assert all(finding["fix"] for finding in found)


def marks(text: str, **settings: Any) -> list[tuple[str, str, bool]]:
    found: list[Finding] = pool.run([Source("x.yaml", None, text.encode())], Settings(**settings)).findings
    return [(finding.rule, finding.path, finding.fix is not None) for finding in found]


def test_a_repair_that_leads_to_another_error_is_not_offered() -> None:
    both = GOOD_CLAIM + "        allocationMode: all\n        count: 2\n"

    assert marks(both) == [("DRA213", "spec.devices.requests[0].exactly.allocationMode", False)]


def test_of_two_repairs_to_one_name_one_is_offered() -> None:
    twice = BAD_CLAIM.replace(
        "        deviceClasName: gpu.example.com\n",
        "        deviceClasName: gpu.example.com\n        deviceclassName: gpu.example.com\n",
    )
    assert [mark for _, _, mark in marks(twice)].count(True) == 1


OLD_CLAIM = conftest.OLD_CLAIM.replace("\n  name: a", " {name: old}")
RELEASE = (Release.parse("1.36"),)


def test_an_old_api_version_has_a_fix_where_a_release_is_given_that_serves_a_newer_one() -> None:
    assert marks(OLD_CLAIM, releases=RELEASE) == [("DRA503", "apiVersion", True)]
    assert marks(OLD_CLAIM, releases=(*RELEASE, Release.parse("1.33"))) == [("DRA503", "apiVersion", False)]
    assert ("DRA503", "apiVersion", True) not in marks(OLD_CLAIM)


def test_each_object_of_a_file_is_moved_by_its_own_edits() -> None:
    text = OLD_CLAIM + "---\n" + OLD_CLAIM.replace("old", "other")
    found = pool.run([Source("x.yaml", None, text.encode())], Settings(releases=RELEASE)).findings
    first, second = (finding.fix.edits for finding in found if finding.fix is not None)

    assert max(edit.end for edit in first) <= len(OLD_CLAIM) < min(edit.start for edit in second)


def test_the_items_of_a_typed_list_are_moved_together() -> None:
    items = "".join(f"- metadata: {{name: {name}}}\n  spec: {{devices: {{}}}}\n" for name in "ab")
    text = f"apiVersion: resource.k8s.io/v1beta1\nkind: ResourceClaimList\nitems:\n{items}"
    found = pool.run([Source("x.yaml", None, text.encode())], Settings(releases=RELEASE)).findings

    assert [finding.fix is not None for finding in found] == [True, True]
    assert found[0].fix == found[1].fix
    assert not_kept({"x.yaml": text.encode()}, Settings(releases=RELEASE)) == []


def test_an_object_that_would_be_refused_in_its_new_api_version_stays() -> None:
    both = OLD_CLAIM.replace("    requests:\n", "    requests:\n    - {name: x, deviceClassName: c, count: 99}\n", 1)
    mixed = both.replace("count: 99", "count: 99, exactly: {}")

    assert ("DRA503", "apiVersion", False) in marks(mixed, releases=RELEASE)


def test_a_guess_for_a_reference_is_not_offered_where_the_claim_keeps_its_name() -> None:
    text = (
        "apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaim\nmetadata: {name: gpu-128Gi}\n"
        "spec: {resourceClassName: gpu.example.com}\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: train}\nspec:\n"
        "  resourceClaims: [{name: gpu, resourceClaimName: gpu-128Gi}]\n"
        "  containers: [{name: main, image: x, resources: {claims: [{name: gpu}]}}]\n"
    )
    settings = Settings(releases=(Release.parse("1.34"),))

    assert ("DRA202", "spec.resourceClaims[0].resourceClaimName", True) in marks(text, releases=settings.releases)
    assert not_kept({"x.yaml": text.encode()}, settings) == []


def test_two_fields_that_move_into_one_missing_mapping_share_it() -> None:
    more = "".join(f"  zz{number}: []\n" for number in range(31))
    head = "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: a}\nspec:\n"
    text = f"{head}  requests: []\n  constraints: []\n{more}"
    [done] = fix([Source("x.yaml", None, text.encode())], Settings()).files

    assert (done.after or b"").startswith(f"{head}  devices:\n    requests: []\n    constraints: []\n".encode())


def test_an_api_version_stays_where_the_release_serves_no_newer_one_by_default() -> None:
    settings = Settings(releases=(Release.parse("1.33"),))
    done = fix([Source("x.yaml", None, OLD_CLAIM.encode())], settings, unsafe=True)

    assert [(f.rule, f.fix is not None) for f in done.before.findings] == [("DRA505", False)]
    assert done.changed == []


def test_a_file_that_stays_is_judged_once_however_often_others_change(calls: Calls) -> None:
    checked = calls(Linter, "check")
    files = {f"{number}.yaml": BAD_CLAIM if number % 5 else GOOD_CLAIM for number in range(20)}
    fix([Source(name, None, text.encode()) for name, text in files.items()], Settings(), unsafe=True)

    judged = Counter(name for _, name, _ in checked)
    assert {judged[name] for name, text in files.items() if text == GOOD_CLAIM} == {1}
    assert max(judged.values()) < 10
