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


def test_a_missing_alternative_leads_to_its_request() -> None:
    (finding,) = findings(constraint("nic/middle"))

    assert [(at.message, at.line) for at in finding.related] == [("the request", 10)]


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
