"""Which claims are not compared with anything if the input has nothing else."""

from __future__ import annotations

from dralint.finding import catalogue
from dralint.lint.run_files import needs_no_comparison
from dralint.manifest.objects import ApiObject, objects
from dralint.references.collect import all_facts
from dralint.references.rules import rules
from dralint.yaml import read
from rules.examples import texts
from tests.conftest import GOOD_CLAIM


def _all() -> list[ApiObject]:
    return [
        item
        for rule in catalogue.rules().values()
        for kind in ("bad", "good")
        for example in rule.examples.get(kind, [])
        for _, raw in texts(example)
        for document in read(raw)
        if document.state == "read"
        for item in objects(document.data)
    ]


def test_no_rule_asks_about_a_claim_that_stands_alone() -> None:
    alone = [item for item in _all() if needs_no_comparison(item)]

    assert len(alone) > 100
    for item in alone:
        assert rules(all_facts(item, "a.yaml", 0), complete=False, stocked=False, named=False) == []


def test_a_claim_with_a_selector_does_not_stand_alone() -> None:
    (document,) = read(GOOD_CLAIM.encode())
    (item,) = objects(document.data)
    request = {"name": "gpu", "exactly": {"selectors": [{"cel": {"expression": "true"}}]}}
    selecting = item._replace(data={**item.data, "spec": {"devices": {"requests": [request]}}})

    assert needs_no_comparison(item)
    assert not needs_no_comparison(selecting)


def test_a_claim_of_a_class_that_a_driver_installs_does_not_stand_alone() -> None:
    (document,) = read(GOOD_CLAIM.encode())
    (item,) = objects(document.data)
    for name, alone in (("mig.nvidia.com", False), ("mine.example.org", True), (["mig.nvidia.com"], True)):
        request = {"name": "gpu", "exactly": {"deviceClassName": name}}
        claim = item._replace(data={**item.data, "spec": {"devices": {"requests": [request]}}})
        assert needs_no_comparison(claim) is alone
