"""`dralint simulate` as people use it: manifests, inventories and options."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner, Result

import dralint.simulate
from dralint.cli.main import dralint as command
from tests import objects
from tests.simulate import rolling

pytestmark = pytest.mark.slow  # each question starts a simulation of its own

SCHEMA = json.loads((Path(dralint.simulate.__file__).parent / "answer.schema.json").read_text())

NODES = """\
apiVersion: v1
kind: Node
metadata: {name: node-a, labels: {disk: ssd}}
---
apiVersion: v1
kind: Node
metadata: {name: node-b}
"""
CLASS = """\
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu}
spec: {selectors: [{cel: {expression: 'device.driver == "gpu.example.com"'}}]}
"""
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: worker, namespace: team}
spec:
  resourceClaims: [{name: gpu, resourceClaimTemplateName: one}]
  containers: [{name: main, image: app, resources: {claims: [{name: gpu}]}}]
"""
TEMPLATE = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: one, namespace: team}
spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu}}]}}}
"""


def gpus(node: str, number: int, **more: Any) -> str:
    devices = [{"name": f"gpu-{i}", "attributes": {"model": {"string": "a100"}}, **more} for i in range(number)]
    return json.dumps(objects.slice_of(objects.DRIVER, node, devices, name=f"{node}-gpus"))


class Folder:
    """A folder with an inventory, in which the command is run."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def write(self, name: str, *texts: str) -> str:
        (self.path / name).write_text("\n---\n".join(texts), "utf-8")
        return str(self.path / name)

    def run(self, *args: str) -> Result:
        return CliRunner().invoke(command, ["simulate", *args])

    def ask(self, *args: str, status: int = 0) -> dict[str, Any]:
        """Return the JSON of a run, which fits the schema."""
        result = self.run(*args, "--format", "json")
        assert result.exit_code == status, result.output
        value: dict[str, Any] = json.loads(result.stdout)
        jsonschema.validate(value, SCHEMA)
        return value


@pytest.fixture
def there(folder: Folder) -> str:
    return folder.write("inventory.yaml", NODES, CLASS, gpus("node-a", 2), gpus("node-b", 1))


def test_a_pod_gets_devices(folder: Folder, there: str) -> None:
    pod = folder.write("pod.yaml", TEMPLATE, POD)

    [question] = folder.ask(pod, "--inventory", there)["questions"]

    assert question["id"] == "pod team/worker"
    assert question["claims"] == ["team/worker-gpu"]
    assert (question["answer"], question["fits"]) == ("all", ["node-a", "node-b"])
    [allocation] = question["nodes"][0]["allocations"]
    assert allocation["devices"]["results"] == [
        {"request": "gpu", "driver": "gpu.example.com", "pool": "node-a", "device": "gpu-0"}
    ]


def test_claims_and_templates_that_no_pod_uses_are_asked_by_themselves(folder: Folder, there: str) -> None:
    claim = TEMPLATE.replace("ResourceClaimTemplate", "ResourceClaim").replace("spec: {spec: ", "spec: ")
    claim = claim.replace("}}]}}}", "}}]}}").replace("name: one", "name: alone")
    file = folder.write("claims.yaml", claim, TEMPLATE)

    questions = folder.ask(file, "--inventory", there)["questions"]

    assert [q["id"] for q in questions] == ["claim team/alone", "template team/one"]
    assert [q["answer"] for q in questions] == ["all", "all"]
    asked = folder.ask(file, "--inventory", there, "--claim", "team/alone")["questions"]
    assert [q["id"] for q in asked] == ["claim team/alone"]


def test_older_versions_of_the_api_are_read(folder: Folder) -> None:
    old = """\
apiVersion: resource.k8s.io/v1beta1
kind: ResourceSlice
metadata: {name: old}
spec:
  driver: gpu.example.com
  allNodes: true
  pool: {name: p, generation: 1, resourceSliceCount: 1}
  devices: [{name: d, basic: {attributes: {model: {string: a100}}}}]
"""
    claim = """\
apiVersion: resource.k8s.io/v1beta1
kind: ResourceClaim
metadata: {name: old, namespace: team}
spec:
  devices:
    requests:
    - name: gpu
      deviceClassName: gpu
      selectors: [{cel: {expression: 'device.attributes["gpu.example.com"].model == "a100"'}}]
"""
    inventory = folder.write("old.yaml", CLASS.replace("/v1", "/v1beta1"), old)

    answer = folder.ask(folder.write("claim.yaml", claim), "--inventory", inventory, "--kubernetes-version", "1.34")

    assert answer["questions"][0]["fits"] == ["(any)"]


def test_nobody_is_ended_for_devices_that_are_in_use(folder: Folder, there: str) -> None:
    file = folder.write("pods.yaml", TEMPLATE, *(POD.replace("worker", f"worker-{i}") for i in range(4)))

    done = CliRunner().invoke(command, ["simulate", file, "--inventory", there, "--sequence"])

    assert "would fit if nothing were in use; the scheduler ends no Pod for its devices" in done.stdout


def test_a_claim_that_is_generated_already_is_taken(folder: Folder, there: str) -> None:
    of = rolling.workload("ReplicaSet", {})
    _, generated = rolling.running(of, "worker", "node-b", "gpu-0", owned=False, device_class="gpu")
    generated["metadata"]["ownerReferences"][0]["uid"] = "1234"
    del generated["status"]["reservedFor"]
    more = folder.write("more.yaml", json.dumps(generated))
    pod = folder.write("pod.yaml", TEMPLATE, POD)

    [question] = folder.ask(pod, "--inventory", there, "--inventory", more)["questions"]

    assert question["allocatedBefore"] == ["team/worker-gpu-x"]
    assert question["fits"] == ["node-b"]
    assert question["nodes"][0]["reasons"] == ["resourceclaim not available on the node"]
    [counted] = folder.ask(pod, "--inventory", there, "--inventory", more, "--how-many")["questions"]
    assert counted["howMany"]["nodes"] == {"node-a": 2}


def test_devices_taken_by_an_earlier_pod_are_gone(folder: Folder, there: str) -> None:
    pods = [POD.replace("worker", f"worker-{i}") for i in range(4)]
    file = folder.write("pods.yaml", TEMPLATE, *pods)

    questions = folder.ask(file, "--inventory", there, "--sequence", status=1)["questions"]

    assert [q["placed"] for q in questions] == ["node-a", "node-a", "node-b", None]
    assert questions[3]["nodes"][0]["why"]["causes"] == ["allocated"]
    assert questions[3]["nodes"][0]["why"]["nearest"]["lacks"] == [
        {"kind": "inUse", "text": "in use by claim team/worker-0-gpu"}
    ]
    assert all(q["answer"] == "all" for q in folder.ask(file, "--inventory", there)["questions"])


SHARE = TEMPLATE.replace("deviceClassName:", "capacity: {requests: {memory: 9Gi}}, deviceClassName:")
ALONE = "which has all of its capacity: the device does not allow multiple allocations"
POLICY = {"default": "8Gi", "validRange": {"min": "8Gi", "step": "8Gi"}}


@pytest.mark.parametrize(
    ("device", "said"),
    [
        (
            {"capacity": {"memory": {"value": "20Gi"}}},
            f"in use by claim team/worker-0-gpu, {ALONE}",
        ),
        (
            {"allowMultipleAllocations": True, "capacity": {"memory": {"value": "20Gi", "requestPolicy": POLICY}}},
            "memory: 16Gi requested (9Gi, rounded up), 4Gi of 20Gi left",
        ),
    ],
)
def test_who_wants_a_share_learns_what_one_claim_takes(folder: Folder, device: dict[str, Any], said: str) -> None:
    inventory = folder.write("inventory.yaml", NODES, CLASS, gpus("node-a", 1, **device))
    file = folder.write("pods.yaml", SHARE, *[POD.replace("worker", f"worker-{i}") for i in range(2)])

    questions = folder.ask(file, "--inventory", inventory, "--sequence", status=1)["questions"]

    [lack] = questions[1]["nodes"][0]["why"]["nearest"]["lacks"]
    assert lack["text"] == said


def test_a_device_that_was_chosen_is_nearer_than_one_that_was_not(folder: Folder) -> None:
    """A device that is tainted twice lacks more than one that a selector leaves out, and still it is the one meant."""
    taints = [{"key": f"example.com/{key}", "effect": "NoSchedule"} for key in ("a", "b")]
    whole = json.loads(gpus("node-a", 2))
    whole["spec"]["devices"][0] |= {"attributes": {"model": {"string": "h100"}}, "taints": taints}
    inventory = folder.write("inventory.yaml", NODES, CLASS, json.dumps(whole))
    selector = """selectors: [{cel: {expression: 'device.attributes["gpu.example.com"].model == "h100"'}}], """
    file = folder.write("pod.yaml", TEMPLATE.replace("{deviceClassName", f"{{{selector}deviceClassName"), POD)

    [question] = folder.ask(file, "--inventory", inventory, status=1)["questions"]

    lacks = question["nodes"][0]["why"]["nearest"]["lacks"]
    assert [lack["kind"] for lack in lacks] == ["taint", "taint"]


def test_how_many_more(folder: Folder, there: str) -> None:
    pod = folder.write("pod.yaml", TEMPLATE, POD)

    [question] = folder.ask(pod, "--inventory", there, "--how-many")["questions"]

    assert question["howMany"]["pods"] == 3
    assert question["howMany"]["nodes"] == {"node-a": 2, "node-b": 1}
    assert question["howMany"]["then"]["node-b"].endswith("1 match, 1 in use; wants 1")
    assert "3 more Pods like this one fit" in folder.run(pod, "--inventory", there, "--how-many").stdout


def test_a_pod_that_takes_nothing_of_its_own_fits_any_number_of_times(folder: Folder, there: str) -> None:
    claim = TEMPLATE.replace("Template", "").replace("name: one", "name: shared").replace("{spec: {devices", "{devices")
    claim = claim.replace("}}]}}}", "}}]}}")
    pod = folder.write("pod.yaml", claim, POD.replace("resourceClaimTemplateName: one", "resourceClaimName: shared"))

    [question] = folder.ask(pod, "--inventory", there, "--how-many")["questions"]

    assert question["howMany"]["pods"] is None


def test_waiting_pods_and_the_same_reason_once(folder: Folder) -> None:
    big = TEMPLATE.replace("{deviceClassName: gpu}", "{deviceClassName: gpu, count: 3}")
    waiting = [POD.replace("worker", name) + "status: {phase: Pending}\n" for name in ("tainted", "wants")]
    running = POD.replace("worker", "running") + "  nodeName: node-a\n"
    missing = POD.replace("worker", "lost").replace("TemplateName: one", "Name: gone")
    dump = folder.write(
        "dump.yaml", NODES, CLASS, gpus("node-a", 1), gpus("node-b", 1), big, *waiting, running, missing
    )

    result = folder.run("--inventory", dump, "--pending")

    assert result.exit_code == 1
    heads = [line for line in result.stdout.splitlines() if ", Kubernetes 1.37: " in line]
    assert heads[0].startswith("2 pods team/tainted, team/wants, Kubernetes 1.37: fits on none")
    assert heads[1] == "pod team/lost, Kubernetes 1.37: is not tried on any node"
    assert 'could not find resource claim "team/gone"' in result.stdout
    assert len(heads) == 2


@pytest.mark.slow
def test_the_time_is_up(folder: Folder) -> None:
    # Seven sides have six ends, and each side and each end may be taken once: no count shows that 13 do not fit.
    pairs = [(side, end) for side in range(7) for end in range(6)]
    pairs += [(side, end) for side in range(7, 13) for end in range(6, 13)]
    devices = [
        {"name": f"d{i}", "attributes": {"side": {"int": side}, "end": {"int": end}}}
        for i, (side, end) in enumerate(pairs)
    ]
    requests = [{"name": f"r{i}", "exactly": {"deviceClassName": "gpu"}} for i in range(13)]
    claim = objects.claim("hard", "team", *requests)
    claim["spec"]["devices"]["constraints"] = [
        {"distinctAttribute": f"gpu.example.com/{name}"} for name in ("side", "end")
    ]
    slices = objects.slice_of(objects.DRIVER, "node-a", devices)
    inventory = folder.write("inventory.yaml", CLASS, json.dumps(slices))
    file = folder.write("claim.yaml", json.dumps(claim))

    answer = folder.ask(file, "--inventory", inventory, "--timeout", "0.2", status=3)

    [question] = answer["questions"]
    assert question["answer"] == "undecided"
    assert question["nodes"][0]["undecided"] == "the time is up"
    assert "not decided: the time is up" in folder.run(file, "--inventory", inventory, "--timeout", "0.2").stdout


@pytest.mark.parametrize("text", ["[" * 20_000, '{"a":' * 20_000, "a: &a [b]\nb: [*a, *c]\n"])
def test_an_inventory_that_cannot_be_read_is_an_error(folder: Folder, text: str) -> None:
    inventory = folder.write("inventory.yaml", text)

    result = folder.run(folder.write("pod.yaml", TEMPLATE, POD), "--inventory", inventory)

    assert result.exit_code == 3
    assert "the inventory cannot be read here: " in result.stderr


def test_an_answer_a_line(folder: Folder, there: str) -> None:
    file = folder.write("pods.yaml", TEMPLATE, POD, POD.replace("worker", "other"))

    lines = folder.run(file, "--inventory", there, "--format", "jsonl").stdout.splitlines()

    assert [json.loads(line)["id"] for line in lines] == ["pod team/worker", "pod team/other"]


def test_a_report_goes_into_a_file(folder: Folder, there: str) -> None:
    pod = folder.write("pod.yaml", TEMPLATE, POD)
    target = folder.path / "answer.json"

    assert folder.run(pod, "--inventory", there, "--output-file", f"json={target}").exit_code == 0

    jsonschema.validate(json.loads(target.read_text("utf-8")), SCHEMA)


def test_control_characters_do_not_reach_the_terminal(folder: Folder) -> None:
    inventory = folder.write("inventory.yaml", NODES.replace("node-a", '"node-\\e[31m"'), CLASS, gpus("node-b", 1))
    pod = folder.write("pod.yaml", TEMPLATE, POD)

    assert "\x1b" not in folder.run(pod, "--inventory", inventory).stdout


def test_a_slice_whose_node_selector_cannot_be_read_is_an_error_of_the_scheduler(folder: Folder) -> None:
    selector = '"nodeSelector": {"nodeSelectorTerms": [{"matchExpressions": [{"key": "k", "values": ["a"]}]}]}'
    slices = gpus("node-a", 1).replace('"nodeName": "node-a"', selector)
    inventory = folder.write("inventory.yaml", NODES, CLASS, slices)

    result = folder.run(folder.write("pod.yaml", TEMPLATE, POD), "--inventory", inventory)
    assert selector in slices
    assert result.exit_code == 1
    assert "failed to perform node selection" in result.stdout
