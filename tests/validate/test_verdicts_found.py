"""Verdicts that once differed from those of the API server's own code on random manifests."""

from __future__ import annotations

from dralint.kubernetes.types import Shape, Struct
from dralint.update.rules import Types, difference
from tests.validate.claim_text import said

SLICE = """\
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: a}
spec:
  driver: gpu.example.com
  pool: {name: a, generation: 1, resourceSliceCount: 1}
  nodeName: a
  devices:
"""


def test_an_empty_list_makes_an_exact_request_of_a_flat_one_and_so_changes_the_spec() -> None:
    text, names = Shape("string"), Shape("list", of=Shape("string"))
    fields = {"name": text, "deviceClassName": text, "selectors": names, "firstAvailable": names}
    types = Types({"DeviceRequest": Struct("DeviceRequest", fields)}, {})
    request = Shape("struct", "DeviceRequest")

    assert difference({"name": "a"}, {"name": "a", "selectors": []}, request, types) == ("selectors",)
    assert difference({"name": "a", "selectors": None}, {"name": "a", "deviceClassName": ""}, request, types) is None


def test_an_unknown_field_that_repeats_along_a_long_list_is_counted_after_2000_characters() -> None:
    devices = "".join(f"  - {{name: a{n}, unknown: 1}}\n" for n in range(128))

    found = said(SLICE + devices)

    assert found[0][:3] == ("DRA101", "spec.devices[0].unknown", 9)
    assert found[-2][:3] == ("DRA101", "spec.devices[46].unknown", 55)
    assert found[-1] == (
        "DRA109",
        "spec.devices[46].unknown",
        55,
        "dralint does not list every problem of this kind here, because they repeat along the list",
    )
