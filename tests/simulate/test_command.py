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
    pool = {"name": node, "generation": 1, "resourceSliceCount": 1}
    spec = {"driver": "gpu.example.com", "nodeName": node, "pool": pool, "devices": devices}
    metadata = {"name": f"{node}-gpus"}
    return json.dumps({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": metadata, "spec": spec})


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


def test_text_says_it_in_one_line_first(folder: Folder, there: str) -> None:
    pod = folder.write("pod.yaml", TEMPLATE, POD)

    lines = folder.run(pod, "--inventory", there).stdout.splitlines()

    assert lines == [
        "pod team/worker (claim worker-gpu), Kubernetes 1.37: fits on all 2 nodes",
        "",
        "node    fits  devices",
        "node-a  yes   worker-gpu/gpu: gpu-0 (node-a)",
        "node-b  yes   worker-gpu/gpu: gpu-0 (node-b)",
    ]


def test_fail_on(folder: Folder, there: str) -> None:
    two = TEMPLATE.replace("{deviceClassName: gpu}", "{deviceClassName: gpu, count: 2}")
    pod = folder.write("pod.yaml", two, POD)

    assert folder.run(pod, "--inventory", there).exit_code == 0
    assert folder.run(pod, "--inventory", there, "--fail-on", "some").exit_code == 1
    pod = folder.write("pod.yaml", two.replace("count: 2", "count: 9"), POD)
    assert folder.run(pod, "--inventory", there).exit_code == 1
    assert folder.run(pod, "--inventory", there, "--fail-on", "never").exit_code == 0


def test_a_node_or_a_glob(folder: Folder, there: str) -> None:
    pod = folder.write("pod.yaml", TEMPLATE, POD)

    assert folder.ask(pod, "--inventory", there, "--node", "node-b")["questions"][0]["fits"] == ["node-b"]
    assert len(folder.ask(pod, "--inventory", there, "--node", "node-*")["questions"][0]["nodes"]) == 2
    result = folder.run(pod, "--inventory", there, "--node", "nod")
    assert result.exit_code == 2
    assert "no node of the inventory has such a name; there are node-a, node-b" in result.stderr


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


def test_what_check_rejects_is_not_simulated(folder: Folder, there: str) -> None:
    pod = folder.write("pod.yaml", TEMPLATE.replace("exactly:", "exacly:"), POD)

    result = folder.run(pod, "--inventory", there)

    assert result.exit_code == 1
    assert "DRA101" in result.stdout
    assert "exacly" in result.stdout
    assert "not simulated" in result.stderr


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


def test_a_class_that_is_not_there(folder: Folder, there: str) -> None:
    pod = folder.write("pod.yaml", TEMPLATE.replace("deviceClassName: gpu", "deviceClassName: gpus"), POD)

    [question] = folder.ask(pod, "--inventory", there, status=1)["questions"]

    assert question["refused"] == "request gpu: device class gpus does not exist"
    assert question["advice"] == 'did you mean "gpu"?'


def test_a_cel_error_names_the_device_and_what_was_meant(folder: Folder, there: str) -> None:
    selector = 'selectors: [{cel: {expression: \'device.attributes["gpu.example.com"].modell == "a100"\'}}]'
    pod = folder.write("pod.yaml", TEMPLATE.replace("deviceClassName: gpu", f"deviceClassName: gpu, {selector}"), POD)

    result = folder.run(pod, "--inventory", there)

    assert result.exit_code == 1
    assert "the scheduler gives up with an error (on node-a and node-b)" in result.stdout
    assert 'the device has no attribute "modell"; did you mean "model"?' in result.stdout
    assert ".?modell" not in result.stdout


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
    pool = {"name": "p", "generation": 1, "resourceSliceCount": 1}
    spec = {"driver": "gpu.example.com", "allNodes": True, "pool": pool, "devices": devices}
    item = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": "s"}, "spec": spec}
    requests = [{"name": f"r{i}", "exactly": {"deviceClassName": "gpu"}} for i in range(13)]
    apart = [{"distinctAttribute": f"gpu.example.com/{name}"} for name in ("side", "end")]
    claim = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {"name": "hard", "namespace": "team"},
        "spec": {"devices": {"requests": requests, "constraints": apart}},
    }
    inventory = folder.write("inventory.yaml", CLASS, json.dumps(item))
    file = folder.write("claim.yaml", json.dumps(claim))

    answer = folder.ask(file, "--inventory", inventory, "--timeout", "0.2", status=3)

    [question] = answer["questions"]
    assert question["answer"] == "undecided"
    assert question["nodes"][0]["undecided"] == "the time is up"
    assert "not decided: the time is up" in folder.run(file, "--inventory", inventory, "--timeout", "0.2").stdout


def test_the_releases_and_gates_decide(folder: Folder) -> None:
    taint = {"taints": [{"key": "bad", "effect": "NoSchedule"}]}
    inventory = folder.write("inventory.yaml", NODES, CLASS, gpus("node-a", 1, **taint))
    pod = folder.write("pod.yaml", TEMPLATE, POD)

    assert folder.ask(pod, "--inventory", inventory, status=1)["questions"][0]["answer"] == "none"
    old = folder.ask(pod, "--inventory", inventory, "--kubernetes-version", "1.35")
    assert (old["release"], old["allocator"], old["questions"][0]["answer"]) == ("1.35", "incubating", "some")
    on = folder.run(
        pod, "--inventory", inventory, "--kubernetes-version", "1.35", "--feature-gates", "DRADeviceTaints=true"
    )
    assert "1 tainted" in on.stdout


def test_the_answer_names_the_release_as_it_was_asked_for(folder: Folder) -> None:
    inventory = folder.write("inventory.yaml", NODES, CLASS, gpus("node-a", 1))
    pod = folder.write("pod.yaml", TEMPLATE, POD)

    def said(version: str) -> str:
        return folder.run(pod, "--inventory", inventory, "--kubernetes-version", version).stdout.splitlines()[0]

    assert said("1.37").endswith("Kubernetes 1.37: fits on 1 of 2 nodes")
    assert said("v1.37.1-gke.100").endswith("Kubernetes 1.37.1: fits on 1 of 2 nodes")


def test_the_manifests_are_checked_with_the_gates(folder: Folder) -> None:
    inventory = folder.write("inventory.yaml", NODES, CLASS, gpus("node-a", 1))
    tolerant = TEMPLATE.replace("deviceClassName:", "tolerations: [{operator: Is}], deviceClassName:")
    command = (folder.write("pod.yaml", tolerant, POD), "--inventory", inventory, "--kubernetes-version", "1.35")

    assert folder.run(*command).exit_code == 0  # the API server drops the field
    refused = folder.run(*command, "--feature-gates", "DRADeviceTaints=true")
    assert refused.exit_code == 1
    assert "tolerations[0].operator" in refused.stdout


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ([], "--inventory is missing"),
        (["--inventory", "{there}"], "nothing to simulate"),
        (["--inventory", "{there}", "--pending", "--sequence"], "different questions"),
        (["{there}", "--inventory", "{there}", "--kubernetes-version", "1.33"], "from 1.34 on"),
        (["{there}", "--inventory", "{there}", "--kubernetes-version", "1.34..1.36"], "one release, not a range"),
        (["--inventory", "{there}", "--pod", "team/x"], "there is no Pod 'team/x'; there are none"),
        (["--inventory", "{there}", "--claim", "x"], "there is no claim 'x'; there are none"),
        (["--inventory", "nowhere.yaml", "--pending"], "the path 'nowhere.yaml' does not exist"),
        (["--scenarios", "nowhere.jsonl"], "cannot be read"),
    ],
)
def test_wrong_usage(folder: Folder, there: str, args: list[str], said: str) -> None:
    result = folder.run(*[arg.replace("{there}", there) for arg in args])

    assert result.exit_code == 2
    assert said in result.stderr


def test_an_object_of_wrong_types_is_named_and_the_rest_is_simulated(folder: Folder) -> None:
    inventory = folder.write("inventory.yaml", CLASS, gpus("node-a", 1).replace('"generation": 1', '"generation": "x"'))
    pod = folder.write("pod.yaml", TEMPLATE, POD)

    result = folder.run(pod, "--inventory", inventory)

    assert result.exit_code == 3
    assert result.stderr == (
        f"dralint: {inventory}:7: ResourceSlice node-a-gpus: spec.pool.generation: expected an integer, "
        'got the string "x"; the object is left out\n'
    )
    assert "pod team/worker" in result.stdout


def test_an_inventory_has_no_object_of_an_api_version_that_no_release_serves(folder: Folder) -> None:
    claim = "apiVersion: resource.k8s.io/v1beta9\nkind: ResourceClaim\nmetadata: {name: c}\nstatus: 1.5\n"
    other = claim.replace("resource.k8s.io", "resources.example.com")

    result = folder.run(folder.write("pod.yaml", TEMPLATE, POD), "--inventory", folder.write("i.yaml", other, claim))

    assert result.exit_code == 3
    assert "i.yaml:7: ResourceClaim c: apiVersion: ResourceClaim is not served in" in result.stderr


def test_a_pod_whose_spec_is_a_list_is_not_simulated(folder: Folder) -> None:
    pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n- name: side\n"

    result = folder.run(folder.write("pod.yaml", TEMPLATE, POD, pod), "--inventory", folder.write("i.yaml", NODES, pod))

    first, second, last = result.stderr.splitlines()
    assert first.endswith("i.yaml:14: Pod p: spec: expected an object, got a list; the object is left out")
    assert second.endswith("pod.yaml:19: Pod p: spec: expected an object, got a list")
    assert last == "dralint: not simulated: the API server would refuse the objects above"
    assert result.exit_code == 1


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


@pytest.mark.parametrize(
    ("metadata", "wrong"),
    [
        ("", None),
        ("metadata: text", "metadata: expected an object, got the string"),
        ("metadata: {labels: text}", "metadata.labels: expected an object, got the string"),
    ],
)
def test_a_workload_with_metadata_of_a_wrong_type_is_named(folder: Folder, metadata: str, wrong: str | None) -> None:
    inventory = folder.write("inventory.yaml", NODES, CLASS, gpus("node-a", 1))
    deployment = folder.write("d.yaml", f"apiVersion: apps/v1\nkind: Deployment\n{metadata}\n")
    namespace = folder.write("n.yaml", f"apiVersion: v1\nkind: Namespace\n{metadata}\n")
    pod = folder.write("pod.yaml", TEMPLATE, POD)

    result = folder.run(deployment, namespace, pod, "--inventory", inventory)
    assert result.exit_code == (0 if wrong is None else 1)
    if wrong is not None:
        assert f"d.yaml:3: Deployment without a name: {wrong}" in result.stderr
        assert f"n.yaml:3: Namespace without a name: {wrong}" in result.stderr


def test_a_slice_whose_node_selector_cannot_be_read_is_an_error_of_the_scheduler(folder: Folder) -> None:
    selector = '"nodeSelector": {"nodeSelectorTerms": [{"matchExpressions": [{"key": "k", "values": ["a"]}]}]}'
    slices = gpus("node-a", 1).replace('"nodeName": "node-a"', selector)
    inventory = folder.write("inventory.yaml", NODES, CLASS, slices)

    result = folder.run(folder.write("pod.yaml", TEMPLATE, POD), "--inventory", inventory)
    assert selector in slices
    assert result.exit_code == 1
    assert "failed to perform node selection" in result.stdout
