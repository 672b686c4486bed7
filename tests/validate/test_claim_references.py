"""References to requests: from constraints, configuration and allocation results."""

from __future__ import annotations

import time

import pytest

from dralint.config.settings import Settings
from dralint.kubernetes.release import Release
from dralint.lint.linter import Linter
from tests.validate.claim_text import claim, findings, said

REQUESTS = """
requests:
- name: gpu
  exactly: {deviceClassName: gpu.example.com, count: 2}
- name: nic
  firstAvailable:
  - {name: fast, deviceClassName: nic.example.com, count: 2}
  - {name: slow, deviceClassName: nic.example.com, count: 2}
"""


def constraint(*names: str) -> str:
    return claim(f"{REQUESTS}constraints:\n- matchAttribute: example.com/numa\n  requests: [{', '.join(names)}]")


@pytest.mark.parametrize("name", ["gpu", "nic", "nic/fast", "nic/slow"])
def test_requests_and_their_alternatives_can_be_named(name: str) -> None:
    assert said(constraint(name)) == []


def test_an_unknown_request_is_reported_at_the_reference_with_the_nearest_name() -> None:
    (finding,) = findings(constraint("gpu", "nics"))

    assert (finding.rule, finding.path, finding.line) == ("DRA203", "spec.devices.constraints[0].requests[1]", 16)
    assert finding.message == (
        'constraint names the request "nics", which this claim does not have; it has: gpu, nic, nic/fast, nic/slow'
    )
    assert finding.hint == 'did you mean "nic"?'


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "nic/middle",
            'constraint names "nic/middle", but request "nic" has no alternative "middle"; it has: fast, slow',
        ),
        ("gpu/big", 'constraint names "gpu/big", but request "gpu" has no alternative "big"; it has no firstAvailable'),
        ("a/b/c", 'constraint names "a/b/c", but a reference has at most one slash: REQUEST or REQUEST/ALTERNATIVE'),
        ('""', "constraint has an empty reference to a request; the claim has: gpu, nic, nic/fast, nic/slow"),
    ],
)
def test_a_reference_that_leads_nowhere_says_what_there_is(name: str, message: str) -> None:
    assert said(constraint(name)) == [("DRA203", "spec.devices.constraints[0].requests[0]", 16, message)]


def test_a_missing_alternative_leads_to_its_request() -> None:
    (finding,) = findings(constraint("nic/middle"))

    assert [(at.message, at.line) for at in finding.related] == [("the request", 10)]


def test_configuration_and_results_of_the_status_are_held_against_the_spec() -> None:
    status = """
allocation:
  devices:
    results:
    - {request: nic/slow, driver: a.com, pool: a, device: a}
    - {request: nics, driver: a.com, pool: a, device: b}
    config:
    - {source: FromClaim, requests: [gpus], opaque: {driver: a.com, parameters: {}}}
"""

    assert [(rule, path) for rule, path, _, _ in said(claim(REQUESTS, status=status))] == [
        ("DRA203", "status.allocation.devices.results[1].request"),
        ("DRA203", "status.allocation.devices.config[0].requests[0]"),
    ]


@pytest.mark.parametrize("release", ["1.34", "1.37"])
def test_references_in_a_list_that_is_too_long_are_looked_at_until_1_34(release: str) -> None:
    rules = {rule for rule, _, _, _ in said(constraint(*(f"x{n}" for n in range(33))), release)}

    assert rules == ({"DRA210", "DRA203"} if release == "1.34" else {"DRA210"})


@pytest.mark.slow
def test_many_references_to_many_requests_take_no_time() -> None:
    names = [f"r{n}" for n in range(2000)]
    requests = "".join(f"- {{name: {name}, exactly: {{deviceClassName: a}}}}\n" for name in names)
    constraints = "".join(f"- {{requests: [{name}, x{name}], matchAttribute: a.com/b}}\n" for name in names)
    start = time.process_time()

    rules = {rule for rule, _, _, _ in said(claim(f"requests:\n{requests}constraints:\n{constraints}"), "1.34")}

    assert rules == {"DRA203", "DRA210", "DRA109"}
    assert time.process_time() - start < 8


def test_references_are_not_reported_where_the_requests_could_not_be_decoded() -> None:
    text = constraint("gpu").replace("- name: gpu", "- name: 5")

    assert [(rule, path) for rule, path, _, _ in said(text)] == [("DRA102", "spec.devices.requests[0].name")]


def test_hints_do_not_depend_on_the_releases_judged_before() -> None:
    names = ", ".join(f"gpu{n}" for n in range(30))
    text = constraint(names)
    releases = tuple(Release.parse(release) for release in ("1.34", "1.35", "1.36"))
    report = Linter(Settings(releases=releases)).check("claim.yaml", text.encode()).report

    assert len(report.findings) == 30
    assert {finding.releases for finding in report.findings} == {("1.34", "1.35", "1.36")}


@pytest.mark.parametrize(
    ("count", "has", "hint"),
    [
        (1, "r0", 'name "r0", or add the request'),
        (2, "r0, r1", "name one of these, or add the request"),
        (10, "r0, r1, r2, r3, r4, r5, r6, r7, r8, r9", "name one of these, or add the request"),
        (11, "r0, r1, r2, r3, r4, r5, r6, r7, r8, r9 and 1 more", "name one of these, or add the request"),
        (12, "r0, r1, r2, r3, r4, r5, r6, r7, r8, r9 and 2 more", "name one of these, or add the request"),
    ],
)
def test_of_many_requests_ten_are_named(count: int, has: str, hint: str) -> None:
    requests = "".join(f"- {{name: r{n}, exactly: {{deviceClassName: a}}}}\n" for n in range(count))
    (finding,) = findings(claim(f"requests:\n{requests}constraints:\n- {{requests: [other], matchAttribute: a.com/b}}"))

    assert (finding.rule, finding.path) == ("DRA203", "spec.devices.constraints[0].requests[0]")
    assert finding.message == f'constraint names the request "other", which this claim does not have; it has: {has}'
    assert finding.hint == hint


def test_too_many_references_are_told_what_none_means() -> None:
    names = ", ".join(["gpu"] * 33)
    finding = next(f for f in findings(constraint(names), "1.37") if f.rule == "DRA210")

    assert finding.path == "spec.devices.constraints[0].requests"
    assert finding.message == "`requests` has 33 entries; at most 32 are allowed"
    assert finding.hint == "name fewer requests, or remove `requests` to cover all of them"
