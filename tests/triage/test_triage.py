"""`dralint triage`: what is wrong in a dump, on one screen."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Run
from tests.objects import item
from tests.triage.cluster import as_list, claim, device_class, healthy, node, pod, secret, slice_of


@pytest.fixture
def triage(tmp_path: Path, run: Run) -> Any:
    """Run the command over objects, and return troubles as (area, text, objects)."""

    def look(objects: list[dict[str, Any]], status: int, *more: str) -> list[tuple[str, str, list[str]]]:
        (tmp_path / "all.json").write_text(as_list(objects))
        done = run("triage", str(tmp_path), "--format", "json", *more)
        assert done.status == status, done.stderr
        return [(one["area"], one["text"], one["objects"]) for one in done.report["troubles"]]

    return look


def named(objects: list[dict[str, Any]], kind: str, name: str) -> dict[str, Any]:
    return next(one for one in objects if (one["kind"], one["metadata"]["name"]) == (kind, name))


@pytest.mark.slow
def test_four_troubles_are_four_and_fit_on_one_screen(tmp_path: Path, run: Run) -> None:
    objects = healthy()
    named(objects, "ResourceSlice", "node-07-nic.example.com")["spec"]["pool"]["resourceSliceCount"] = 2
    objects += [claim("big", "gpu.example.com", 9), pod("big", None, "big")]
    objects += [claim("twice", "gpu.example.com", devices=(("node-00", "dev-0"),)), pod("twice", "node-00", "twice")]
    objects += [slice_of("gpu.example.com", "node-99", 4), secret()]
    (tmp_path / "all.json").write_text(as_list(objects))

    done = run("triage", str(tmp_path))

    assert done.status == 1
    assert done.stdout == (
        "30 nodes, 2 drivers, 102 Pods, 62 claims; Kubernetes v1.36.3, judged as 1.36\n"
        "\n"
        "Pods that wait\n"
        "  team/big: big/r: 4 of 8 devices pass the class, 4 match, 2 in use; wants 9 (29 of 30 nodes)\n"
        "\n"
        "pools\n"
        '  ResourceSlice node-07-nic.example.com: the pool "node-07" has 1 of 2 slices: the scheduler allocates '
        "none of its devices until all exist\n"
        "    hint: write resourceSliceCount: 1, or add the slices that are missing\n"
        "  node-99-gpu.example.com: there are slices of the node node-99, and no such node\n"
        "    hint: delete the slices, or see why the node is gone\n"
        "\n"
        "objects that contradict each other\n"
        "  team/job-00, team/twice: several claims have the device gpu.example.com/node-00/dev-0 alone\n"
        "\n"
        "4 troubles\n"
    )


def test_calm_says_what_is_not_checked(tmp_path: Path, run: Run) -> None:
    wrong = claim("train", "gpu.example.com")
    wrong["metadata"]["uid"] = "1"
    wrong["spec"]["devices"]["requests"][0]["name"] = "GPU"
    (tmp_path / "all.json").write_text(as_list([wrong]))

    done = run("triage", str(tmp_path))

    calm = "nothing wrong was found; triage does not check the fields of each object, `dralint check` does"
    assert (done.status, done.stdout.splitlines()[-1]) == (0, calm)
    assert "\n  DeviceClasses: what claims select\n" in done.stdout


def test_a_claim_that_nothing_satisfies_is_reported_without_a_pod(triage: Any) -> None:
    found = triage([*healthy(), claim("ten", "gpu.example.com", 10)], 1)

    assert [(area, names) for area, _, names in found] == [("claims that nothing satisfies", ["team/ten"])]


def test_a_device_that_no_slice_has_any_more_is_reported(triage: Any) -> None:
    found = triage([*healthy(), claim("old", "gpu.example.com", devices=(("node-00", "dev-9"),))], 1)

    text = "the device gpu.example.com/node-00/dev-9 is allocated, and no slice has it"
    assert found[0] == ("objects that contradict each other", text, ["team/old"])
    left = "keeps its devices, and old, for which it is reserved, is gone or has ended"
    assert found[1:] == [("objects that are left over", left, ["team/old"])]


def test_flags_webhooks_and_old_kubelets_of_a_dump_are_used(triage: Any, run: Run, tmp_path: Path) -> None:
    container = {"name": "s", "image": "registry/kube-scheduler:v1.34.1", "command": ["kube-scheduler"]}
    container["command"] += ["--feature-gates=DRADeviceTaints=true"]  # type: ignore[operator]
    server = {"name": "a", "image": "registry/kube-apiserver:v1.34.1", "command": ["kube-apiserver"]}
    rule = {"apiGroups": [""], "resources": ["pods"]}
    objects = [
        {**pod("kube-scheduler", "node-00"), "spec": {"containers": [container], "nodeName": "node-00"}},
        {**pod("kube-apiserver", "node-00"), "spec": {"containers": [server], "nodeName": "node-00"}},
        node("node-00", "v1.33.1"),
        slice_of("gpu.example.com", "node-00", 1),
        item("MutatingWebhookConfiguration", "w", webhooks=[{"name": "w.io", "rules": [rule]}]),
    ]
    found = triage(objects, 1)
    report = run("triage", str(tmp_path), "--format", "json").report

    assert (
        "nodes and control plane",
        "kube-scheduler has DRADeviceTaints=true, kube-apiserver the default",
        [],
    ) in found
    assert report["release"] == "1.34"
    assert report["notes"][0] == "the webhook w.io can change pods; while it does not answer, they are refused"
    assert report["missing"] == []


def test_a_kubelet_whose_version_is_none_does_not_stop_the_report(triage: Any) -> None:
    assert triage([node("node-00", "unknown")], 0) == []


@pytest.mark.parametrize(
    ("version", "areas"),
    [("v1.37.0", ["claims that nothing satisfies", "known faults of the release"]), ("v1.37.1", [])],
)
def test_the_patch_of_the_dump_is_simulated(version: str, areas: list[str], triage: Any) -> None:
    rule = item("DeviceTaintRule", "drain", spec={"taint": {"key": "drain", "effect": "NoSchedule"}})
    there = [node("node-00", version), slice_of("gpu.example.com", "node-00", 1), device_class("gpu.example.com")]

    found = triage([*there, claim("one", "gpu.example.com"), rule], 1 if areas else 0)

    assert [area for area, _, _ in found] == areas


def test_what_was_applied_in_a_version_that_ends_is_reported(triage: Any) -> None:
    old = claim("old", "gpu.example.com")
    note = json.dumps({"apiVersion": "resource.k8s.io/v1beta1"})
    old["metadata"]["annotations"] = {"kubectl.kubernetes.io/last-applied-configuration": note}
    found = triage([*healthy(), old], 1, "--kubernetes-version", "1.37")

    text = "1.38 does not serve resource.k8s.io/v1beta1"
    assert found == [("API versions that end", text, ["1 ResourceClaim"])]


def test_a_folder_of_other_things_is_no_dump(tmp_path: Path, run: Run) -> None:
    (tmp_path / "a.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")

    assert run("triage", str(tmp_path)).status == 3
    assert run("triage", str(tmp_path / "missing")).status == 2


def test_files_of_a_dump_that_cannot_be_read_do_not_stop_the_others(tmp_path: Path, run: Run) -> None:
    (tmp_path / "all.json").write_text(as_list(healthy()))
    (tmp_path / "log.yaml").write_text("time: [\nerror {\n")
    (tmp_path / "secret.yaml").write_text("apiVersion: v1\nkind: Secret\nmetadata: {name: s}\ndata: {a: [}\n")

    for command in (("triage", str(tmp_path)), ("simulate", "--inventory", str(tmp_path), "--pending")):
        done = run(*command)
        assert (done.status, done.stderr) == (0, "")


def test_objects_without_a_separator_are_said(tmp_path: Path, run: Run) -> None:
    file = tmp_path / "dump.yaml"
    file.write_text("apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {}\nkind: ResourceClaim\n")

    done = run("triage", str(file))

    assert done.status == 3
    assert f'{file}:5: the key "kind" occurs twice' in done.stdout + done.stderr
    assert "nothing wrong was found" not in done.stdout


def test_a_claim_without_a_spec_does_not_stop_the_report(triage: Any) -> None:
    assert triage([item("ResourceClaim", "a", "b")], 0) == []
