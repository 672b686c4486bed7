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


NAMED = "spec.devices.constraints[0].requests"
NONE = "which this claim does not have; it has: "
ONE_OF = "name one of these, or add the request"


def of_requests(count: int) -> str:
    requests = "".join(f"- {{name: r{n}, exactly: {{deviceClassName: a}}}}\n" for n in range(count))
    return claim(f"requests:\n{requests}constraints:\n- {{requests: [other], matchAttribute: a.com/b}}")


def up_to(count: int) -> str:
    return ", ".join(f"r{number}" for number in range(count))


@pytest.mark.parametrize(
    ("text", "rule", "path", "message", "hint"),
    [
        (constraint("gpu", "nics"), "DRA203", f"{NAMED}[1]",
         f'constraint names the request "nics", {NONE}gpu, nic, nic/fast, nic/slow', 'did you mean "nic"?'),
        (constraint("nic/middle"), "DRA203", f"{NAMED}[0]",
         'constraint names "nic/middle", but request "nic" has no alternative "middle"; it has: fast, slow', None),
        (constraint("gpu/big"), "DRA203", f"{NAMED}[0]",
         'constraint names "gpu/big", but request "gpu" has no alternative "big"; it has no firstAvailable', None),
        (constraint("a/b/c"), "DRA203", f"{NAMED}[0]",
         'constraint names "a/b/c", but a reference has at most one slash: REQUEST or REQUEST/ALTERNATIVE', None),
        (constraint('""'), "DRA203", f"{NAMED}[0]",
         "constraint has an empty reference to a request; the claim has: gpu, nic, nic/fast, nic/slow", None),
        (constraint("gpu").replace("- name: gpu", "- name: 5"), "DRA102", "spec.devices.requests[0].name", "", None),
        # of many requests ten are named
        (of_requests(1), "DRA203", f"{NAMED}[0]", f'constraint names the request "other", {NONE}r0',
         'name "r0", or add the request'),
        (of_requests(2), "DRA203", f"{NAMED}[0]", f'constraint names the request "other", {NONE}r0, r1', ONE_OF),
        (of_requests(10), "DRA203", f"{NAMED}[0]", f'constraint names the request "other", {NONE}{up_to(10)}', ONE_OF),
        (of_requests(11), "DRA203", f"{NAMED}[0]",
         f'constraint names the request "other", {NONE}{up_to(10)} and 1 more', ONE_OF),
        # references in a list that is too long are looked at until 1.34
        (constraint(*["gpu"] * 33), "DRA210", NAMED, "`requests` has 33 entries; at most 32 are allowed",
         "name fewer requests, or remove `requests` to cover all of them"),
    ],
)  # fmt: skip
def test_a_reference_that_leads_nowhere_is_told_what_there_is(
    text: str, rule: str, path: str, message: str, hint: str | None
) -> None:
    (finding,) = findings(text)

    assert (finding.rule, finding.path) == (rule, path)
    assert finding.message.startswith(message)
    assert hint is None or finding.hint == hint


@pytest.mark.parametrize("release", ["1.34", "1.37"])
def test_references_in_a_list_that_is_too_long_are_looked_at_until_1_34(release: str) -> None:
    rules = {rule for rule, _, _, _ in said(constraint(*(f"x{n}" for n in range(33))), release)}

    assert rules == ({"DRA210", "DRA203"} if release == "1.34" else {"DRA210"})


def test_requests_and_their_alternatives_can_be_named() -> None:
    assert said(constraint("gpu", "nic", "nic/fast", "nic/slow")) == []


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


@pytest.mark.slow
def test_many_references_to_many_requests_take_no_time() -> None:
    names = [f"r{n}" for n in range(2000)]
    requests = "".join(f"- {{name: {name}, exactly: {{deviceClassName: a}}}}\n" for name in names)
    constraints = "".join(f"- {{requests: [{name}, x{name}], matchAttribute: a.com/b}}\n" for name in names)
    start = time.process_time()

    rules = {rule for rule, _, _, _ in said(claim(f"requests:\n{requests}constraints:\n{constraints}"), "1.34")}

    assert rules == {"DRA203", "DRA210", "DRA109"}
    assert time.process_time() - start < 8


def test_hints_do_not_depend_on_the_releases_judged_before() -> None:
    names = ", ".join(f"gpu{n}" for n in range(30))
    text = constraint(names)
    releases = tuple(Release.parse(release) for release in ("1.34", "1.35", "1.36"))
    report = Linter(Settings(releases=releases)).check("claim.yaml", text.encode()).report

    assert len(report.findings) == 30
    assert {finding.releases for finding in report.findings} == {("1.34", "1.35", "1.36")}
