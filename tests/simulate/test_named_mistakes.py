"""Pods that are pending because of a known mistake: the answer names it."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from dralint.cli.main import dralint
from dralint.manifest.objects import objects
from dralint.simulate.cluster import workload_of
from dralint.yaml import read

DATA = json.loads(gzip.decompress((Path(__file__).parents[1] / "data/references.json.gz").read_bytes()))
CASES: dict[str, Any] = {case["id"]: case for case in DATA["cases"]}

SAID = {
    "d031-selector-domain": ['no attribute of the domain "gpu.exmaple.com"', 'did you mean "gpu.example.com"?'],
    "d032-selector-attribute": ['no attribute "modell"; did you mean "model"?'],
    "d033-selector-attribute-case": ['no attribute "driverversion"; did you mean "driverVersion"?'],
    "d034-selector-type-string-int": ['"numa" is an int (0), compared with a string; compare it with an int, as 0'],
    "d035-selector-type-bool": ['"mig" is a bool (false), compared with a string; compare it with a bool, as false'],
    "d036-selector-capacity-as-attribute": [
        '"memory" is a capacity of the device, not an attribute; look it up in device.capacity'
    ],
    "d037-selector-attribute-as-capacity": [
        '"model" is an attribute of the device, not a capacity; look it up in device.attributes'
    ],
    "d038-selector-capacity-too-high": ['"memory" is 80Gi', "would fit if the requests had no selectors"],
    "d039-selector-capacity-unit": ['"memory" is 80Gi', '"memory" is 24Gi'],
    "d040-selector-version": ['"driverVersion" is 550.54.14'],
    "d041-selector-version-as-string": ["a version is not compared with a string"],
    "d042-selector-value-case": ['"model" is "a100"; did you mean "a100"?'],
    "d043-selector-unguarded": ['the device has no attribute "nvlink"', "although 1 of 2 nodes fit"],
    "d047-class-driver-unknown": ["its driver is gpu.example.com", "0 of 4 devices pass the class"],
    "d049-count-above-node": ["4 of 4 devices pass the class, 4 match; wants 6"],
    "d050-count-above-matching": ["2 of 2 devices pass the class, 2 match; wants 3"],
    "d051-requests-together-too-many": ["the requests need 5 devices together, 4 are free"],
    "d052-claims-together-too-many": ["the requests need 5 devices together, 4 are free"],
    "d053-no-common-node": ['"speed" is 100'],
    "d054-matchattribute-unknown": ['has gpu.example.com/numaNode; did you mean "gpu.example.com/numa"?'],
    "d055-matchattribute-domain": ['did you mean "resource.kubernetes.io/pcieRoot"?'],
    "d056-matchattribute-never-equal": ["matchAttribute gpu.example.com/numa leaves no combination", "0 ×2, 1 ×2"],
    "d058-matchattribute-own-of-other-driver": ["no device of pairs/nic has gpu.example.com/numa; it has"],
    "d059-distinct-impossible": ["distinctAttribute gpu.example.com/numa leaves no combination", "0 ×2, 1 ×2"],
    "d063-capacity-request-too-high": ["bandwidth: 400G requested, 200G of 200G left"],
    "d064-capacity-request-unknown": ["it has no capacity throughput"],
    "d065-taint-no-toleration": ["gpu.example.com/unhealthy=xid:NoSchedule is not tolerated\n"],
    "d066-taint-other-key": ["is not tolerated: the request tolerates gpu.example.com/degraded:"],
    "d067-taint-other-value": ["the request tolerates gpu.example.com/unhealthy=ecc:"],
    "d068-taint-other-effect": ["the request tolerates gpu.example.com/unhealthy", ":NoExecute"],
    "d072-pool-incomplete": ["pool gpu.example.com/node-1 is incomplete: 1 of 2 slices are there"],
    "d074-pool-duplicate-device": ["is invalid: duplicate device name gpu-1"],
    "d075-pool-counterset-missing": ["counter set gpu-0-counter, which the pool lacks"],
    "d077-pool-counter-too-small": ["counter memory of gpu-0: 80Gi requested, 40Gi left"],
    "d103-taintrule-beats-claim": ["example.com/maintenance:NoSchedule is not tolerated"],
    "d114-class-lookup-hits-other-driver": ['the device has no attribute of the domain "gpu.example.com"'],
    "d119-match-other-type": ["of type int for c/left and of type string for c/right"],
}


@pytest.mark.parametrize("name", SAID)
@pytest.mark.slow
def test_the_mistake_is_named(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    dump: list[dict[str, Any]] = []
    for number in case["files"].values():
        for document in read(DATA["texts"][number].encode()):
            for item in objects(document.data):
                whole = {**item.data, "apiVersion": item.api_version, "kind": item.kind}
                workload = None if item.kind == "Pod" else workload_of(whole)
                dump += [whole] if workload is None else [whole, workload.pod]
    inventory = tmp_path / "inventory.json"
    inventory.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": dump}), "utf-8")

    release = "1.37"
    done = CliRunner().invoke(
        dralint, ["simulate", "--pending", "--inventory", str(inventory), "--kubernetes-version", release]
    )

    for words in SAID[name]:
        assert words in done.stdout
