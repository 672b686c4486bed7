"""Definition, references and rename of names."""

from __future__ import annotations

import pytest

from dralint.editor import Location, RenameError, Workspace, definition, references, rename, renamed_at, symbols
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
