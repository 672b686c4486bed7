"""Plain data in another API version, compared with what servers of 1.33, 1.34 and 1.37 made of recorded objects."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from dralint.kubernetes.quantity import parse_quantity
from dralint.migrate import convert
from dralint.migrate.convert import ConflictError
from dralint.yaml import read

GOLDENS = Path(__file__).parents[1] / "data" / "migration" / "goldens.jsonl.gz"
GROUP = "resource.k8s.io/"
LARGEST = 2**63 - 1
SERVER_ADDS = {("allocationMode", "ExactCount"), ("count", 1), ("count", 0), ("operator", "Equal")}


def goldens() -> list[dict[str, Any]]:
    with gzip.open(GOLDENS, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def meaning(value: Any, key: str = "") -> Any:
    """Return the value without defaults, times, nulls and what is empty; quantities as numbers."""
    if isinstance(value, dict):
        out = {k: m for k, v in value.items() if k != "timeAdded" and (m := meaning(v, k)) is not None}
        return out or None
    if isinstance(value, list):
        return [meaning(item) for item in value] or None
    if value is None or value == "" or (not isinstance(value, bool) and (key, value) in SERVER_ADDS):
        return None
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        try:
            return (
                str(min(parse_quantity(str(value)), LARGEST)).removeprefix("0") or None
            )  # no more than a server stores
        except ValueError:
            return value
    return value


@pytest.mark.parametrize("release", ["1.33", "1.34", "1.37"])
@pytest.mark.slow
def test_servers_make_the_same_of_it(release: str) -> None:
    wrong: list[str] = []
    count = 0
    for golden in goldens():
        recorded, source = golden["id"].split("/")[:2]
        data: Any = next(iter(read(golden["yaml"].encode()))).data
        for target, server in golden["as"].items() if recorded == release else ():
            out, lost = convert.object(data, GROUP + source, GROUP + target)
            count += 1
            same = json.dumps(meaning(out.get("spec")), sort_keys=True) == json.dumps(
                meaning(server.get("spec")), sort_keys=True
            )
            if lost or not same or out["apiVersion"] != GROUP + target:
                wrong.append(f"{golden['id']} in {target}: {lost}")
    assert wrong == []
    assert count > 300


CLAIM = {
    "apiVersion": "resource.k8s.io/v1beta1",
    "kind": "ResourceClaim",
    "spec": {"devices": {"requests": [{"name": "gpu", "deviceClassName": "a", "count": 2}]}},
}


def request(**fields: Any) -> dict[str, Any]:
    return {**CLAIM, "spec": {"devices": {"requests": [{"name": "gpu", **fields}]}}}


def only_request(data: dict[str, Any]) -> Any:
    return data["spec"]["devices"]["requests"][0]


def test_the_original_is_left_as_it_is() -> None:
    before = json.dumps(CLAIM)
    out, lost = convert.object(CLAIM, GROUP + "v1beta1", GROUP + "v1")
    assert (only_request(out), lost) == ({"name": "gpu", "exactly": {"deviceClassName": "a", "count": 2}}, [])
    assert json.dumps(CLAIM) == before


def test_empty_fields_beside_alternatives_make_no_request_of_their_own() -> None:
    data = request(deviceClassName="", count=0, firstAvailable=[{"name": "a", "deviceClassName": "b"}])
    out, _ = convert.object(data, GROUP + "v1beta1", GROUP + "v1")
    assert only_request(out) == {"name": "gpu", "firstAvailable": [{"name": "a", "deviceClassName": "b"}]}


def test_fields_that_the_target_lacks_are_named_as_the_source_spells_them() -> None:
    data = {
        **request(exactly={"deviceClassName": "a", "capacity": {"requests": {"memory": "1Gi"}}}),
        "apiVersion": GROUP + "v1",
    }
    _, lost = convert.object(data, GROUP + "v1", GROUP + "v1alpha3")
    assert lost == [("spec", "devices", "requests", 0, "exactly", "capacity")]


def test_a_field_that_no_api_version_has_is_not_lost() -> None:
    out, lost = convert.object(request(deviceClasName="a"), GROUP + "v1beta1", GROUP + "v1")
    assert (only_request(out), lost) == ({"name": "gpu", "exactly": {"deviceClasName": "a"}}, [])


def test_fields_of_the_first_model_of_v1alpha3_are_lost() -> None:
    data = {
        "apiVersion": GROUP + "v1alpha3",
        "kind": "DeviceClass",
        "spec": {"suitableNodes": {"nodeSelectorTerms": []}},
    }
    _, lost = convert.object(data, GROUP + "v1alpha3", GROUP + "v1")
    assert lost == [("spec", "suitableNodes")]


def test_two_shapes_at_once_are_refused() -> None:
    with pytest.raises(ConflictError, match="`exactly` stands next to `count`") as caught:
        convert.object(request(count=1, exactly={"deviceClassName": "a"}), GROUP + "v1beta1", GROUP + "v1")
    assert caught.value.path == ("spec", "devices", "requests", 0, "exactly")


def test_a_claim_in_the_shape_of_a_later_version_only_changes_its_version() -> None:
    data = request(exactly={"deviceClassName": "a"})
    out, lost = convert.object(data, GROUP + "v1beta1", GROUP + "v1")
    assert (out, lost) == ({**data, "apiVersion": GROUP + "v1"}, [])
