"""The hover text for the place under the cursor."""

from __future__ import annotations

import json

import pytest

from dralint.editor import Hover, Workspace, hover
from tests.editor.manifests import CLAIM, CLASS, NAME, POD, SLICE, at_cursor
from tests.report.markdown import kinds, words


def said(*texts: str) -> Hover:
    there, offset = at_cursor(*texts)
    found = hover(there, NAME, offset)
    assert found is not None
    return found


def test_a_field_has_its_type_meaning_limits_and_releases() -> None:
    lines = said(CLAIM.replace("requests:\n", "re|quests:\n", 1)).markdown.split("\n\n")

    assert lines[0] == "**requests**: list of DeviceRequest"
    assert "- at most 32 entries" in lines[2]
    assert lines[3] == "resource.k8s.io/v1, Kubernetes 1.34 to 1.37"


def test_a_field_behind_a_gate_names_the_gate() -> None:
    text = CLAIM.replace("        selectors:\n", "        admin|Access: true\n        selectors:\n")

    assert "Feature gate DRAAdminAccess: stable, locked on in 1.37" in said(text).markdown


def test_an_unknown_field_has_nothing_to_say() -> None:
    there, offset = at_cursor(CLAIM.replace("deviceClassName", "deviceClas|Name", 1))

    assert hover(there, NAME, offset) is None


def test_an_attribute_in_an_expression_has_the_values_of_the_devices() -> None:
    found = said(CLAIM.replace("].model", "].mo|del"), SLICE)

    assert found.markdown.splitlines()[0] == "`gpu.example.com/model`: string; a100 ×1, h100 ×1"
    assert found.markdown.splitlines()[-1] == "The expression is bool; it costs 5 of 1,000,000 (Kubernetes 1.37)."


def test_an_attribute_that_no_device_has_is_looked_up_in_the_driver_pack() -> None:
    found = said(CLAIM.replace('"gpu.example.com"].model', '"gpu.nvidia.com"].ty|pe'))

    assert "From the driver pack of gpu.nvidia.com." in found.markdown


def test_a_function_in_an_expression_has_its_signature() -> None:
    found = said(CLAIM.replace('model == "a100"', 'model.starts|With("a")'))

    assert "string.startsWith(string) → bool" in found.markdown


def test_a_reference_says_where_it_leads() -> None:
    found = said(POD.replace("resourceClaimName: train", "resourceClaimName: tra|in"), CLAIM)

    assert found.markdown.splitlines()[0] == "ResourceClaim `train`: claims.yaml, line 21"


def test_a_claim_says_on_how_many_nodes_it_fits() -> None:
    found = said(CLAIM.replace("name: train", "name: tr|ain"), CLASS, SLICE.replace("name: gpu-1", "name: gpu-1", 1))

    assert "fits on 0 of 1 node" in found.markdown


HOSTILE = [
    "x` ![i](http://e/x.png) `y",
    "x\n\n![i](http://e/x.png) [click](command:workbench.action.quit)\n\n",
    "x\n\n<img src='http://e/x'>\n\n# y",
    "``` `` ` [a](command:b)",
]
PLAIN = {"paragraph", "text", "code_inline"}


@pytest.mark.parametrize("evil", HOSTILE)
def test_a_name_makes_no_markup(evil: str) -> None:
    name = f'"|{json.dumps(evil)[1:]}'
    named = said(CLAIM.replace("- name: gpu\n", f"- name: {name}\n", 1)).markdown
    used = said(CLAIM.replace("deviceClassName: gpu.example.com\n", f"deviceClassName: {name}\n", 1)).markdown
    defined = said(CLASS.replace("name: gpu.example.com", f"name: {name}", 1)).markdown
    claim = said(POD.replace("resourceClaimName: train", f"resourceClaimName: {name}")).markdown

    shown = evil.replace("\n", "\u240a")
    for text in (named, used, defined, claim):
        first = text.split("\n\n")[0]
        assert shown in words(first), text
        assert kinds(first) <= PLAIN, text
        assert not kinds(text) & {"link", "image", "html_inline", "html_block", "heading"}, text


@pytest.mark.parametrize("evil", HOSTILE)
def test_a_text_of_a_slice_or_of_an_expression_makes_no_markup(evil: str) -> None:
    slices = SLICE.replace("{string: a100}", "{string: " + json.dumps(evil) + "}")
    values = said(CLAIM.replace("].model", "].mo|del"), slices).markdown
    domain = json.dumps(json.dumps(evil))[1:-1]
    expression = f'"device.attributes[{domain}].model == \\"a\\""'
    written = said(
        CLAIM.replace('device.attributes["gpu.example.com"].model == "a100"', expression.replace("model", "mo|del"))
    ).markdown
    part = said(
        CLAIM.replace('device.attributes["gpu.example.com"].model == "a100"', expression.replace("device.", "de|vice."))
    ).markdown

    for text in (values, written, part):
        assert kinds(text) <= PLAIN | {"fence"}, text
    assert evil.replace("\n", "\u240a")[:20] in words(values)


def test_a_file_name_makes_no_markup() -> None:
    there = Workspace()
    there.open("![a](command:b).yaml", CLAIM)
    there.open(NAME, POD)
    found = hover(there, NAME, POD.index("train", POD.index("resourceClaimName")))
    assert found is not None

    assert words(found.markdown.split("\n\n")[0]) == "ResourceClaim train: ![a](command:b).yaml, line 4"
    assert not kinds(found.markdown) & {"link", "image"}


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        (
            "strat|egy: MPS",
            ["**strategy**: string; required; TimeSlicing or MPS", "Parameters of gpu.nvidia.com v0.5.0"],
        ),
        ("sha|ring:", ["**sharing**: object", "- `strategy`: string; required; TimeSlicing or MPS"]),
        (
            "kind: Gpu|Config",
            ["**kind**: string; required; GpuConfig or ", "gate PassthroughSupport"],
        ),
    ],
)
def test_a_field_of_parameters_is_what_the_pack_of_the_driver_says(place: str, expected: list[str]) -> None:
    config = """\
    config:
    - opaque:
        driver: gpu.nvidia.com
        parameters:
          apiVersion: resource.nvidia.com/v1beta1
          kind: GpuConfig
          sharing:
            strategy: MPS
"""
    there, offset = at_cursor((CLAIM + config).replace(place.replace("|", ""), place))
    found = hover(there, NAME, offset)

    assert found is not None
    assert [part for part in expected if part not in found.markdown] == []


def test_a_key_of_the_configuration_and_a_rule_in_it_are_explained() -> None:
    there = Workspace()
    there.open(".dralint.yaml", "fail-on: broken\nignore: [DRA203]\n")
    key, rule = hover(there, ".dralint.yaml", 2), hover(there, ".dralint.yaml", 27)

    assert key is not None
    assert key.markdown.startswith("End with status 1 if a finding has this severity")
    assert rule is not None
    assert rule.markdown.startswith("**DRA203 unknown-request**: ")


def test_a_rule_in_a_comment_is_explained_and_elsewhere_it_is_text() -> None:
    there, offset = at_cursor(f"# dralint: ignore-file[DRA|203]\n{CLAIM}")
    found = hover(there, NAME, offset)

    assert found is not None
    assert found.markdown.startswith("**DRA203 unknown-request**: ")
    there, offset = at_cursor(f"# see DRA|203\n{CLAIM}")
    assert hover(there, NAME, offset) is None
