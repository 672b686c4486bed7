"""Completions at the cursor."""

from __future__ import annotations

import pytest

from dralint import settings
from dralint.editor import Item, complete, signature_help
from tests.editor.manifests import CLAIM, NAME, SLICE, at_cursor


def offered(*texts: str) -> list[Item]:
    there, offset = at_cursor(*texts)
    return complete(there, NAME, offset)


def labels(*texts: str) -> list[str]:
    return [item.label for item in offered(*texts)]


def test_fields_that_are_missing_are_offered_required_ones_first() -> None:
    items = offered(CLAIM.replace("deviceClassName: gpu.example.com\n        selectors", "|\n        selectors"))

    assert items[0].label == "deviceClassName"
    assert items[0].detail == "string (required)"
    assert "count" in [item.label for item in items]
    assert "selectors" not in [item.label for item in items]


def test_a_field_that_is_half_written_is_replaced() -> None:
    there, offset = at_cursor(CLAIM.replace("        selectors", "        allo|\n        selectors"))
    item = next(item for item in complete(there, NAME, offset) if item.label == "allocationMode")

    assert there.text(NAME).text[item.span.start : item.span.end] == "allo"
    assert item.text == "allocationMode: "


def test_a_number_is_not_offered_the_operators_of_a_text() -> None:
    text = CLAIM.replace('model == "a100"', "model |")

    assert ">=" not in labels(text, SLICE)


@pytest.mark.parametrize(
    ("release", "kinds"),
    [
        ("1.30", []),  # its claims have no devices, and its Pods name them in another way
        ("1.33", ["DeviceClass", "Pod", "ResourceClaim", "ResourceClaimTemplate"]),
        ("1.36", ["DeviceClass", "Pod", "ResourceClaim", "ResourceClaimTemplate"]),
    ],
)
def test_an_empty_document_is_offered_whole_objects_that_are_accepted(release: str, kinds: list[str]) -> None:
    there, offset = at_cursor("|\n")
    there.configure(settings(kubernetes_version=release, ignore="DRA4"))
    found = {item.label: item.plain for item in complete(there, NAME, offset) if item.snippet}
    for number, text in enumerate(found.values()):
        there.open(f"{number}.yaml", text)

    assert sorted(found) == kinds
    assert [one.message for one in there.report().findings if one.effect == "rejected"] == []


def test_a_text_that_cannot_be_read_behind_the_cursor_does_not_matter() -> None:
    assert "All" in labels(CLAIM.replace("deviceClassName: gpu.example.com", "allocationMode: |", 1) + "a: [\n")


def test_the_counters_of_a_counter_set_are_keys() -> None:
    text = (
        SLICE
        + """\
  sharedCounters:
  - name: pool
    counters: {memory: {value: 40Gi}}
"""
    )
    attributes = "    attributes: {model: {string: a100}}"
    consuming = "    consumesCounters:\n    - counterSet: |\n      counters:\n        +\n"
    text = text.replace(attributes, consuming + attributes)

    assert labels(text.replace("        +\n", "        a: {value: 1}\n")) == ["pool"]
    assert labels(text.replace("|", "pool").replace("+", "|")) == ["memory"]


def test_in_json_an_item_has_its_quotes() -> None:
    text = '{"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": "a"}, "spec": {|}}'
    item = next(item for item in offered(text) if item.label == "selectors")

    assert item.text == '"selectors": '


def test_within_braces_a_field_stays_on_its_line() -> None:
    item = next(
        item for item in offered(SLICE.replace("driver: gpu", "pool: {|}\n  driver: gpu")) if item.label == "name"
    )

    assert item.text == "name: "


@pytest.mark.parametrize(
    ("expression", "form", "argument"),
    [
        ('device.capacity["gpu.example.com"].memory.isGreaterThan(|', "Quantity.isGreaterThan(Quantity) → bool", 0),
        ('device.driver.replace("a", |', "string.replace(string, string) → string", 1),
        ('device.driver.matches(device.driver + ",(" + |', "string.matches(string) → bool", 0),
    ],
)
def test_the_forms_of_a_call_are_shown_with_the_argument_at_the_cursor(
    expression: str, form: str, argument: int
) -> None:
    there, offset = at_cursor(CLAIM.replace('device.attributes["gpu.example.com"].model == "a100"', expression), SLICE)
    found = signature_help(there, NAME, offset)

    assert found is not None
    assert form in [label for label, _ in found.forms]
    assert found.argument == argument


@pytest.mark.parametrize("expression", ["device.driver|", "(device.driver|)", '["a", |]'])
def test_outside_of_a_call_there_are_no_forms(expression: str) -> None:
    there, offset = at_cursor(CLAIM.replace('device.attributes["gpu.example.com"].model == "a100"', expression))

    assert signature_help(there, NAME, offset) is None
