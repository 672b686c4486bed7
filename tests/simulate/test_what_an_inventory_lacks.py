"""What an inventory does not have is not decided: the cluster may have it, and nobody asked, or the file is cut off."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Run
from tests.objects import item
from tests.triage.cluster import as_list, claim, device_class, node, pod, slice_of

DRIVER = "gpu.example.com"
ALL = "DeviceClasses and no ResourceClaims and no ResourceClaimTemplates and no ResourceSlices"
COMMAND = "kubectl get -A -o yaml deviceclasses,resourceclaims,resourceclaimtemplates,resourceslices"
OWN_CLASS = json.dumps(device_class(DRIVER))


def of_a_cluster(*objects: dict[str, Any]) -> list[dict[str, Any]]:
    """Return objects as a cluster has them: with a uid."""
    return [
        {**one, "metadata": {**one["metadata"], "uid": f"{one['kind']}-{one['metadata']['name']}"}} for one in objects
    ]


def typed(kind: str, *objects: dict[str, Any]) -> str:
    """Return a list as `kubectl cluster-info dump` writes it."""
    items = [{key: value for key, value in one.items() if key not in ("apiVersion", "kind")} for one in objects]
    return json.dumps({"kind": f"{kind}List", "apiVersion": "v1", "items": items})


@pytest.fixture
def manifest(workdir: Path) -> Path:
    """The manifest of a claim and of a Pod that uses it."""
    wanted = item("ResourceClaim", "c", "team", spec=claim("c", DRIVER)["spec"])
    (workdir / "in.json").write_text(as_list([wanted, pod("p", None, "c")]))
    return workdir


@pytest.fixture
def cluster_info(manifest: Path) -> Path:
    """The folder with the manifest, and the output of `kubectl cluster-info dump`, which has no devices."""
    folder = manifest / "dump"
    (folder / "team").mkdir(parents=True)
    (folder / "nodes.json").write_text(typed("Node", *of_a_cluster(node("node-a"))))
    (folder / "team/pods.json").write_text(typed("Pod", *of_a_cluster(pod("old", None, "gone"))))
    return manifest


@pytest.mark.parametrize("more", [(), ("--complete",)])
def test_check_says_what_decides_and_is_not_in_the_inventory(cluster_info: Path, check: Run, more: Any) -> None:
    done = check("--slices", "dump", *more, "in.json")

    assert done.status == 0
    assert [(f["rule"], f["path"], f["message"]) for f in done.report["findings"]] == [
        (
            "DRA096",
            "spec.devices.requests[0].exactly",
            f"not decided what claims get: the inventory has no {ALL} ({COMMAND})",
        )
    ]


def test_check_needs_nothing_that_the_manifests_do_not_ask_for(cluster_info: Path, check: Run) -> None:
    (cluster_info / "class.json").write_text(OWN_CLASS)

    done = check("--slices", "dump", "class.json")

    assert (done.status, done.report["findings"]) == (0, [])


@pytest.mark.parametrize(
    ("words", "who"),
    [(("in.json",), "pod team/p"), (("--pending",), "pod team/old"), (("--sequence", "in.json"), "pod team/p")],
)
def test_simulate_says_no_verdict_of_kubernetes(cluster_info: Path, run: Run, words: Any, who: str) -> None:
    done = run("simulate", "--inventory", "dump", *words)

    assert (done.status, done.stdout) == (
        3,
        f"{who}, Kubernetes 1.37: not decided: the inventory has no {ALL} ({COMMAND})\n",
    )


def test_the_answer_in_json_has_no_refusal(cluster_info: Path, run: Run) -> None:
    done = run("simulate", "--inventory", "dump", "--format", "json", "in.json")

    (one,) = done.report["questions"]
    assert (one["answer"], one["refused"], one["nodes"]) == ("undecided", None, [])
    assert one["undecided"] == f"the inventory has no {ALL} ({COMMAND})"


def test_one_kind_alone_is_not_all_that_there_is(manifest: Path, run: Run) -> None:
    (manifest / "o.json").write_text(as_list(of_a_cluster(node("node-a"), device_class(DRIVER))))

    done = run("simulate", "--inventory", "o.json", "in.json")

    lacks = "the inventory has no ResourceClaims and no ResourceClaimTemplates and no ResourceSlices"
    assert done.status == 3
    assert done.stdout.startswith(f"pod team/p, Kubernetes 1.37: not decided: {lacks} (kubectl get -A -o yaml")


def test_manifests_without_classes_are_as_they_are_meant(manifest: Path, run: Run) -> None:
    (manifest / "o.json").write_text(as_list([node("node-a"), slice_of(DRIVER, "node-a", 1)]))

    done = run("simulate", "--inventory", "o.json", "in.json")

    assert done.status == 1
    assert f"the scheduler says: request r: device class {DRIVER} does not exist" in done.stdout


def test_who_asks_for_slices_and_classes_asks_for_claims(manifest: Path, run: Run) -> None:
    objects = of_a_cluster(node("node-a"), slice_of(DRIVER, "node-a", 1), device_class(DRIVER))
    (manifest / "o.json").write_text(as_list([*objects, *of_a_cluster(pod("old", None, "gone"))]))

    done = run("simulate", "--inventory", "o.json", "--pending")

    assert done.status == 1
    assert 'the scheduler says: could not find resource claim "team/gone"' in done.stdout


CUT = f"""\
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Node
  metadata: {{name: node-a, uid: a}}
- apiVersion: resource.k8s.io/v1
  kind: ResourceSlice
  metadata: {{name: s, uid: b}}
  spec:
    driver: {DRIVER}
    nodeName: node-a
    pool: {{name: p, generation: 1, resourceSliceCount: 1}}
    devices: [{{name: d}}]
- apiVersion: resource.k8s.io/v1
  kind: DeviceClass
  metadata: {{name: {DRIVER}, u"""


def test_what_lies_after_a_cut_is_not_missing(manifest: Path, run: Run, check: Run) -> None:
    (manifest / "o.yaml").write_text(CUT)

    done = run("simulate", "--inventory", "o.yaml", "in.json")

    assert done.status == 3
    assert done.stdout == (
        "pod team/p, Kubernetes 1.37: not decided: the inventory is not read in full: the DeviceClass can be in the"
        " rest\n\nnote: the inventory is not read in full, so no answer is certain\n"
    )
    judged = check("--complete", "--slices", "o.yaml", "in.json")
    assert judged.status == 3
    assert {finding["rule"] for finding in judged.report["findings"]} == {"DRA013"}


def test_triage_says_no_verdict_on_what_lies_after_a_cut(workdir: Path, run: Run) -> None:
    there = of_a_cluster(device_class(DRIVER), pod("old", None, "gone"), node("n"), slice_of(DRIVER, "n", 1))
    text = as_list([*there, *of_a_cluster(claim("c", DRIVER), claim("gone", DRIVER))])
    (workdir / "o.json").write_text(text[: text.rindex('"spec"')])

    done = run("triage", "o.json")

    assert done.status == 3
    assert "  team/old: not decided: the inventory is not read in full: the ResourceClaim can be in the rest\n" in (
        done.stdout
    )


# Two clusters in one dump.


def test_objects_of_a_second_cluster_are_told_by_their_uids(workdir: Path, run: Run) -> None:
    one = of_a_cluster(
        item("Namespace", "kube-system"), node("node-a"), device_class(DRIVER), slice_of(DRIVER, "node-a", 1)
    )
    other = [{**each, "metadata": {**each["metadata"], "uid": f"2-{each['metadata']['uid']}"}} for each in one]
    (workdir / "a.json").write_text(as_list(one))
    (workdir / "b.json").write_text(as_list(other))

    done = run("triage", ".")

    assert done.status == 3
    told = "Namespace kube-system and 3 objects more have another uid than before: this is a dump of two clusters"
    assert f"{told}; the later ones are left out" in done.stdout


@pytest.mark.parametrize("words", [("simulate", "--inventory", "dump", "in.json"), ("triage", "dump")])
def test_objects_without_a_uid_that_differ_are_told(manifest: Path, run: Run, words: Any) -> None:
    (manifest / "dump").mkdir()
    for name, number in (("a", 1), ("b", 4)):
        objects = [node("node-a"), device_class(DRIVER), slice_of(DRIVER, "node-a", number)]
        (manifest / f"dump/{name}.json").write_text(as_list(objects))

    done = run(*words)

    told = "ResourceSlice node-a-gpu.example.com has other values than before: this is a dump of two clusters"
    assert done.status == 3
    assert f"{told}, or of two times; the later ones are left out" in done.stdout + done.stderr


def test_check_tells_objects_that_differ(manifest: Path, check: Run) -> None:
    objects = [node("node-a"), device_class(DRIVER), slice_of(DRIVER, "node-a", 1), slice_of(DRIVER, "node-a", 4)]
    (manifest / "o.json").write_text(as_list(objects))

    done = check("--slices", "o.json", "in.json")

    assert done.status == 3
    assert [(f["rule"], f["file"]) for f in done.report["findings"]] == [("DRA013", "o.json")]
    assert "has other values than before" in done.report["findings"][0]["message"]


def test_an_object_that_is_there_twice_and_equal_is_no_fault(manifest: Path, run: Run) -> None:
    objects = [node("node-a"), device_class(DRIVER), slice_of(DRIVER, "node-a", 1)]
    (manifest / "o.json").write_text(as_list([*objects, *objects]))

    done = run("simulate", "--inventory", "o.json", "in.json")

    assert (done.status, done.stderr) == (0, "")
