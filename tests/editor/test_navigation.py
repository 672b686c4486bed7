"""Definition, references and rename of names."""

from __future__ import annotations

import pytest

from dralint.editor import (
    Location,
    RenameError,
    Workspace,
    definition,
    folds,
    highlights,
    references,
    rename,
    renamed_at,
    symbols,
    workspace_symbols,
)
from tests.editor.manifests import CLAIM, CLASS, NAME, POD, SLICE, at_cursor

RAY = """\
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: ray, namespace: team}
spec:
  headGroupSpec:
    template:
      spec:
        resourceClaims: [{name: devices, resourceClaimName: train}]
        containers: [{name: main, image: a, resources: {claims: [{name: devices}]}}]
"""
ALTERNATIVES = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: either, namespace: team}
spec:
  devices:
    requests:
    - name: gpu
      firstAvailable:
      - name: large
        deviceClassName: gpu.example.com
      - name: small
        deviceClassName: gpu.example.com
    config:
    - requests: ["gpu/large"]
      opaque: {driver: gpu.example.com, parameters: {}}
"""


def lines(there: Workspace, found: list[Location]) -> list[str]:
    """Return the lines of places, without blanks."""
    text = there.text(NAME)
    return [text.line(text.position(span[0]).line).strip() for _, span in found]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("deviceClassName: gpu", "deviceClassName: g|pu", "name: gpu.example.com"),
        ("resourceClaimName: train", "resourceClaimName: tr|ain", "name: train"),
        ("requests: [gpu, nic]", "requests: [gpu, n|ic]", "- name: nic"),
        ("request: gpu", "request: g|pu", "- name: gpu"),
        ("      - name: devices", "      - name: dev|ices", "- name: devices"),
    ],
)
def test_a_reference_leads_to_its_definition(old: str, new: str, expected: str) -> None:
    whole = "---\n".join([CLAIM, POD, CLASS])
    there, offset = at_cursor(whole.replace(old, new, 1))

    assert lines(there, definition(there, NAME, offset)) == [expected]


def test_a_driver_leads_to_its_slices() -> None:
    config = "    config:\n    - opaque: {driver: gpu.exa|mple.com, parameters: {}}\n"
    there, offset = at_cursor(CLAIM + config, SLICE)

    assert lines(there, definition(there, NAME, offset)) == ["driver: gpu.example.com"]


def test_a_driver_leads_to_the_slices_of_the_inventory() -> None:
    config = "    config:\n    - opaque: {driver: gpu.exa|mple.com, parameters: {}}\n"
    there, offset = at_cursor(CLAIM + config)
    there.set_inventory({"slices.yaml": SLICE.encode()})

    assert [found.file for found in definition(there, NAME, offset)] == ["slices.yaml"]


def test_a_claim_has_its_uses() -> None:
    there, offset = at_cursor(CLAIM.replace("name: train", "name: tra|in"), POD)

    assert lines(there, references(there, NAME, offset, definitions=False)) == ["resourceClaimName: train"]


def test_a_claim_of_the_same_name_in_another_namespace_is_another_one() -> None:
    there, offset = at_cursor(CLAIM.replace("name: train", "name: tra|in"), POD.replace("team", "other"))

    assert references(there, NAME, offset, definitions=False) == []


def test_a_request_is_renamed_with_its_uses_in_other_files() -> None:
    there, offset = at_cursor(CLAIM.replace("- name: gpu", "- name: g|pu"))
    there.open("pod.yaml", POD)
    edits = rename(there, NAME, offset, "large")

    assert there.text(NAME).changed(edits[NAME]) == CLAIM.replace("- name: gpu", "- name: large").replace(
        "[gpu, nic]", "[large, nic]"
    )
    assert there.text("pod.yaml").changed(edits["pod.yaml"]) == POD.replace("request: gpu", "request: large")


@pytest.mark.parametrize(
    "user",
    [
        POD.replace("    resourceClaimName: train", "    source: {resourceClaimName: train}"),
        RAY,
    ],
    ids=["a Pod of an older release", "a custom resource"],
)
def test_a_claim_is_renamed_where_pods_of_other_forms_use_it(user: str) -> None:
    there, offset = at_cursor(CLAIM.replace("name: train", "name: tra|in"))
    there.open("user.yaml", user)
    edits = rename(there, NAME, offset, "other")

    assert "resourceClaimName: other" in there.text("user.yaml").changed(edits["user.yaml"])


@pytest.mark.parametrize(("old", "new"), [("- name: g|pu", "x/large"), ("- name: la|rge", "gpu/x")])
def test_an_alternative_keeps_the_other_half_of_its_name(old: str, new: str) -> None:
    there, offset = at_cursor(ALTERNATIVES.replace(old.replace("|", ""), old, 1))
    changed = there.text(NAME).changed(rename(there, NAME, offset, "x")[NAME])

    assert f'requests: ["{new}"]' in changed


@pytest.mark.parametrize(
    ("name", "why"),
    [("nic", '"nic" is the name of another request'), ("a b", '"a b" is not a valid name')],
)
def test_a_name_that_is_taken_or_not_valid_is_refused(name: str, why: str) -> None:
    there, offset = at_cursor(CLAIM.replace("- name: gpu", "- name: g|pu"))

    with pytest.raises(RenameError, match=why):
        rename(there, NAME, offset, name)


def test_what_is_not_in_the_workspace_is_not_renamed() -> None:
    there, offset = at_cursor(POD.replace("resourceClaimName: train", "resourceClaimName: tr|ain"))

    assert renamed_at(there, NAME, offset) is None


def test_an_outline_has_the_objects_with_their_parts() -> None:
    there = Workspace()
    there.open(NAME, f"{CLAIM}---\n{POD}")

    assert [(one.kind, one.name, [part.name for part in one.children]) for one in symbols(there, NAME)] == [
        ("ResourceClaim", "train", ["gpu", "nic"]),
        ("Pod", "train", ["devices"]),
    ]


@pytest.mark.parametrize(
    "expression", ['device.driver == "gpu.exa|mple.com"', 'device.attributes["gpu.exa|mple.com"].model']
)
def test_a_driver_in_an_expression_leads_to_its_slices(expression: str) -> None:
    text = CLAIM.replace('device.attributes["gpu.example.com"].model == "a100"', expression)
    there, offset = at_cursor(text, SLICE)

    assert lines(there, definition(there, NAME, offset)) == ["driver: gpu.example.com"]


def test_a_class_is_renamed_where_it_is_used() -> None:
    there, offset = at_cursor(CLASS.replace("name: gpu", "name: g|pu"), CLAIM)
    edits = rename(there, NAME, offset, "large.example.com")[NAME]

    assert len(edits) == 3
    assert there.text(NAME).changed(edits).count("large.example.com") == 3


def test_a_class_that_a_pod_requests_as_an_extended_resource_is_not_renamed() -> None:
    pod = POD.replace(
        "      claims:", "      limits: {deviceclass.resource.kubernetes.io/gpu.example.com: 1}\n      claims:"
    )
    there, offset = at_cursor(CLASS.replace("name: gpu", "name: g|pu"), CLAIM, pod)

    with pytest.raises(RenameError, match=r"a Pod requests deviceclass\.resource\.kubernetes\.io/gpu\.example\.com"):
        rename(there, NAME, offset, "large.example.com")


def test_the_uses_of_a_name_in_its_text_are_highlighted() -> None:
    there, offset = at_cursor(CLAIM.replace("[gpu, nic]", "[g|pu, nic]"), POD)
    found = [(one.defines, there.text(NAME).position(one.span.start).line) for one in highlights(there, NAME, offset)]

    assert found == [(True, 8), (False, 18), (False, 36)]


def test_the_objects_of_all_texts_are_found_by_words() -> None:
    there = Workspace()
    there.open("a.yaml", CLAIM)
    there.set_file("b.yaml", (CLASS + "---\n" + POD).encode())

    assert [(name, one.kind) for name, one in workspace_symbols(there, "train")] == [
        ("a.yaml", "ResourceClaim"),
        ("b.yaml", "Pod"),
    ]
    assert [one.name for _, one in workspace_symbols(there, "class GPU")] == ["gpu.example.com"]


def test_objects_and_values_of_several_lines_fold() -> None:
    there = Workspace()
    there.open(NAME, "a: 1\nb:\n  c:\n  - 1\n  - {d: 2,\n     e: 3}\n\n# end\n---\nf: [1]\n")
    found = [tuple(there.text(NAME).position(at).line for at in one) for one in folds(there, NAME)]

    assert found == [(0, 5), (1, 5), (2, 5), (4, 5)]
