"""`dralint rules` and `dralint explain`: what holds for all rules, fields and topics."""

from __future__ import annotations

import json

import pytest

from dralint.api import lint_text
from dralint.explain.search import asked, topics
from dralint.finding import catalogue
from tests.conftest import Run


def test_rules_lists_every_rule_once(run: Run) -> None:
    outcome = run("rules")
    ids = [line[:6] for line in outcome.stdout.splitlines() if line.startswith("DRA") and line[3:6].isdecimal()]

    assert outcome.status == 0
    assert ids == sorted(catalogue.rules())
    assert outcome.stdout.splitlines()[0] == "DRA0xx: reading and decoding"
    assert {rule[:4] for rule in catalogue.rules()} <= set(catalogue.AREAS)


def test_rules_as_json_has_what_selecting_needs(run: Run) -> None:
    rows = json.loads(run("rules", "--format", "json").stdout)
    row = next(row for row in rows if row["id"] == "DRA101")

    assert [row["id"] for row in rows] == sorted(catalogue.rules())
    assert (row["name"], row["effect"], row["severity"]) == ("unknown-field", "rejected", "error")


@pytest.mark.slow
def test_every_limit_of_several_fields_names_a_rule() -> None:
    from dralint.explain.fields import of_rule
    from dralint.kubernetes import shipped

    index = shipped.index()
    rows = [*index["totals"].values(), *(row["()"] for row in index["limits"].values() if "()" in row)]

    assert [row for row in rows if row["rule"] not in catalogue.rules() or not of_rule(row["rule"])] == []


@pytest.mark.slow
def test_every_field_has_a_page(run: Run) -> None:
    from dralint.explain import search

    pages = {place.path: run("explain", place.path) for place in search.places() if ".status." not in place.path}

    assert len(pages) > 200
    assert {path: page.stderr for path, page in pages.items() if page.status != 0} == {}


def test_releases_may_be_joined_as_people_write_them() -> None:
    from dralint.config.choices import ChoiceError, releases

    def names(*texts: str) -> list[str]:
        return list(map(str, releases(texts)))

    assert names("1.34,1.35") == names("1.34-1.35") == names("v1.34 - v1.35.2") == ["1.34", "1.35"]
    assert names("1.33..1.34, 1.36") == ["1.33", "1.34", "1.36"]
    assert names("1.36-latest") == names("1.36..latest") == names("1.36..")
    assert names("1.34,") == ["1.34"]
    for wrong in ("1.35-1.34", ",", "", "-1.34"):
        with pytest.raises(ChoiceError):
            names(wrong)


def test_each_phrase_finds_its_topic_first() -> None:
    for topic in topics():
        for phrase in topic.words:
            assert asked(phrase)[0] == topic, phrase


def test_each_example_is_clean() -> None:
    for topic in topics():
        found = [finding.message for finding in lint_text(topic.example).findings if finding.severity != "info"]
        assert (topic.topic, found) == (topic.topic, [])


@pytest.mark.slow
def test_each_name_to_see_can_be_explained(run: Run) -> None:
    for name in sorted({name for topic in topics() for name in topic.see}):
        assert run("explain", name).status == 0, name


def test_other_words_find_no_topic() -> None:
    assert [asked(words) for words in ("firstAvailable", "ResourceClaim.status.reservedFor", "DRA203", "")] == [[]] * 4


def test_a_driver_has_the_page_of_its_pack(run: Run) -> None:
    assert run("explain", "gpu.nvidia.com").stdout == run("pack", "show", "gpu.nvidia.com").stdout
