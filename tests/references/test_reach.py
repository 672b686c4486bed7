"""Claims and Pods that no node of an inventory can satisfy: the simulation finds each once, and never by mistake."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Run

CLASS = """\
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu.example.com}
spec:
  selectors:
  - cel: {expression: device.driver == "gpu.example.com"}
"""
SLICES = """\
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: node-1-counters}
spec:
  driver: gpu.example.com
  nodeName: node-1
  pool: {name: node-1, generation: 1, resourceSliceCount: 2}
  sharedCounters:
  - name: gpu-0
    counters: {memory: {value: 80Gi}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: node-1-devices}
spec:
  driver: gpu.example.com
  nodeName: node-1
  pool: {name: node-1, generation: 1, resourceSliceCount: 2}
  devices:
  - name: half-0
    consumesCounters: [{counterSet: gpu-0, counters: {memory: {value: 40Gi}}}]
  - name: half-1
    consumesCounters: [{counterSet: gpu-0, counters: {memory: {value: 40Gi}}}]
  - name: whole
    consumesCounters: [{counterSet: gpu-0, counters: {memory: {value: 80Gi}}}]
"""


def claim(count: int, name: str = "parts", kind: str = "ResourceClaim", more: str = "") -> str:
    indent = "  " if kind == "ResourceClaimTemplate" else ""
    lines = ["devices:", "  requests:", "  - name: gpu", "    exactly:", "      deviceClassName: gpu.example.com"]
    lines += [f"      count: {count}", *([f"      {more}"] if more else [])]
    inner = "\n".join(f"  {indent}{line}" for line in lines)
    head = f"apiVersion: resource.k8s.io/v1\nkind: {kind}\nmetadata: {{name: {name}, namespace: ml}}\nspec:\n"
    return head + ("  spec:\n" if indent else "") + inner + "\n"


def pod(*claims: str, kind: str = "Pod", rest: str = "") -> str:
    entries = "\n".join(f"  - {{name: e{number}, resourceClaimName: {name}}}" for number, name in enumerate(claims))
    uses = ", ".join(f"{{name: e{number}}}" for number in range(len(claims)))
    return f"""\
apiVersion: v1
kind: {kind}
metadata: {{name: user, namespace: ml}}
spec:
{rest}  containers:
  - name: main
    image: registry.example.com/main
    resources: {{claims: [{uses}]}}
  resourceClaims:
{entries}
"""


def found(
    check: Run,
    folder: Path,
    *documents: str,
    inventory: str = SLICES,
    args: tuple[str, ...] = (),
    left_out: str = "",
) -> list[Any]:
    """Return the findings about the inventory; `left_out` is what the report says of an object that it leaves out."""
    (folder / "all.yaml").write_text("---\n".join(documents), "utf-8")
    (folder / "inventory.yaml").write_text(inventory, "utf-8")
    done = check("--slices", folder / "inventory.yaml", *args, folder / "all.yaml")
    told = [f["message"] for f in done.report["findings"] if f["rule"] == "DRA013"]
    assert told == ([f"ResourceSlice {left_out}; the object is left out"] if left_out else []), done.stderr
    assert (done.status == 3) == bool(left_out)

    return [f for f in done.report["findings"] if f["rule"].startswith("DRA43")]


def test_the_hint_leads_to_the_answer(check: Run, run: Run, tmp_path: Path) -> None:
    (one,) = found(check, tmp_path, CLASS, claim(3))

    done = run(*one["hint"].split("`")[1].split()[1:])

    assert "claim ml/parts" in done.stdout
    assert "does not fit on node-1" in done.stdout


def test_a_template_names_its_request(check: Run, tmp_path: Path) -> None:
    (one,) = found(check, tmp_path, CLASS, claim(3, kind="ResourceClaimTemplate"))

    assert (one["rule"], one["path"]) == ("DRA438", "spec.spec.devices.requests[0].exactly.deviceClassName")
    assert one["message"].startswith("no node of the inventory can satisfy the template: each request finds devices")


def test_claims_that_do_not_fit_together_are_told_of_the_pod(check: Run, tmp_path: Path) -> None:
    selector = "selectors: [{cel: {expression: 'device.driver == \"gpu.example.com\"'}}]"
    texts = CLASS, claim(2, "a"), claim(1, "b", more=selector), pod("a", "b")
    (one,) = found(check, tmp_path, *texts)

    assert (one["rule"], one["path"], one["object"]["kind"]) == ("DRA438", "spec.resourceClaims", "Pod")
    assert [related["message"] for related in one["related"]] == ['the ResourceClaim "a"', 'the ResourceClaim "b"']
    assert one["message"].endswith("the Pod stays Pending (`cannot allocate all claims`)")


USED = claim(1, "other") + (
    "status: {allocation: {devices: {results: "
    "[{request: gpu, driver: gpu.example.com, pool: node-1, device: whole}]}}}\n"
)
BY_LABEL = SLICES.replace(
    "nodeName: node-1",
    "nodeSelector: {nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: In, values: [a]}]}]}",
)
ELSEWHERE_LABELLED = "apiVersion: v1\nkind: Node\nmetadata: {name: node, labels: {zone: b}}\n"


@pytest.mark.parametrize(
    ("documents", "inventory", "rules"),
    [
        ((CLASS, claim(1), pod("parts")), SLICES, []),
        ((CLASS, claim(2), pod("parts")), SLICES, []),
        ((CLASS, claim(3), pod("parts")), SLICES, ["DRA438"]),  # the Pod of a claim that was told is silent
        ((CLASS, claim(4)), SLICES, ["DRA432"]),  # a rule about one limit comes first
        # the class may be of the inventory; nobody knows without it
        ((claim(3),), f"{SLICES}---\n{CLASS}", ["DRA438"]),
        ((claim(2),), f"{SLICES}---\n{CLASS}", []),
        ((claim(3),), SLICES, []),
        # what is in use does not count, and labels are not known without nodes
        ((CLASS, claim(1)), f"{SLICES}---\n{USED}", []),
        ((CLASS, claim(2)), BY_LABEL, []),
        ((CLASS, claim(2)), f"{BY_LABEL}---\n{ELSEWHERE_LABELLED}", ["DRA438"]),
        # what is not clear: open names, what is refused or there twice
        ((CLASS, claim(3, "${NAME}")), SLICES, []),
        ((CLASS, claim(3).replace("name: gpu\n", "name: ${REQUEST}\n")), SLICES, []),
        ((CLASS, claim(3).replace("count: 3", "count: -3")), SLICES, []),
        ((CLASS, claim(3), claim(1)), SLICES, []),
    ],
)
def test_what_does_not_fit_is_told_once_and_where_it_is_certain(
    documents: tuple[str, ...], inventory: str, rules: list[str], check: Run, tmp_path: Path
) -> None:
    assert [f["rule"] for f in found(check, tmp_path, *documents, inventory=inventory)] == rules


def of_zone(zone: str, number: int, devices: str, pool: str = "rack", node: str = "") -> str:
    labels = f"nodeSelectorTerms: [{{matchExpressions: [{{key: zone, operator: In, values: [{zone}]}}]}}]"
    where = node or f"nodeSelector: {{{labels}}}"
    return f"""\
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {{name: {pool}-{zone}-{len(devices)}}}
spec:
  driver: gpu.example.com
  {where}
  pool: {{name: {pool}, generation: 1, resourceSliceCount: {number}}}
  devices: [{devices}]
"""


def test_who_sees_more_slices_than_the_pool_has_is_not_known(check: Run, tmp_path: Path) -> None:
    slices = [of_zone("a", 2, "{name: gpu-0}"), of_zone("b", 2, "{name: gpu-01}", node="nodeName: node-1")]
    slices.append(of_zone("c", 2, "{name: gpu-002}", node="nodeName: node-2"))

    assert found(check, tmp_path, CLASS, claim(1), inventory="---\n".join(slices)) == []


PCI = "{name: gpu-0, attributes: {numa: {int: 0}}}, {name: gpu-1, attributes: {numa: {int: 1}}}"
RACK = "---\n".join(
    [
        of_zone("a", 1, PCI, node="nodeName: node-1"),
        of_zone("b", 1, "{name: nic-0}", "nics", "nodeName: node-2").replace("gpu.example", "nic.example"),
    ]
)


@pytest.mark.parametrize(
    ("constraint", "requests", "number"),
    [("matchAttribute", 32, 64), ("distinctAttribute", 12, 66), ("distinctAttribute", 32, 128)],
)
@pytest.mark.slow
def test_a_constraint_that_many_devices_cannot_meet_is_proved_at_once(
    constraint: str, requests: int, number: int, check: Run, tmp_path: Path
) -> None:
    devices = ", ".join(f"{{name: gpu-{i}, attributes: {{numa: {{int: {i % 11}}}}}}}" for i in range(number))
    lines = [f"    - {{name: r{i}, exactly: {{deviceClassName: gpu.example.com}}}}" for i in range(requests)]
    head = claim(1).partition("    - name")[0].partition("  - name")[0]
    wanted = head + "\n".join(lines) + f"\n    constraints: [{{{constraint}: gpu.example.com/numa}}]\n"
    start = time.process_time()
    told = found(check, tmp_path, CLASS, wanted, inventory=of_zone("a", 1, devices, node="nodeName: node-1"))

    assert [f["rule"] for f in told] == ["DRA433"]
    assert time.process_time() - start < 2


def test_the_summary_counts_what_the_simulation_had_no_time_for(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dralint.lint.unschedulable._RUN", 0.0)
    (tmp_path / "all.yaml").write_text(
        "---\n".join([CLASS, claim(3), claim(3, "more", more="allocationMode: ExactCount")]), "utf-8"
    )
    (tmp_path / "inventory.yaml").write_text(SLICES, "utf-8")

    done = run("check", "--slices", tmp_path / "inventory.yaml", tmp_path / "all.yaml")

    assert "; 2 objects not simulated: the time of a run was over; use `dralint simulate`\n" in done.stdout


@pytest.mark.parametrize("spec", ["", "spec:\n", "spec: {}\n", "spec: []\n"])
def test_a_slice_without_a_spec_is_left_out(check: Run, tmp_path: Path, spec: str) -> None:
    left_out = "empty: spec: expected an object, got an empty list" if "[" in spec else ""
    empty = f"---\napiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {{name: empty}}\n{spec}"

    assert found(check, tmp_path, CLASS, claim(2), inventory=SLICES + empty, left_out=left_out) == []
    others = found(check, tmp_path, CLASS, claim(3), inventory=SLICES + empty, left_out=left_out)
    assert [(one["rule"], one["line"]) for one in others] == ([] if left_out else [("DRA438", 16)])


RULE = """\
apiVersion: resource.k8s.io/v1beta2
kind: DeviceTaintRule
metadata: {name: drain}
spec: {taint: {key: drain, effect: NoSchedule}}
"""


@pytest.mark.parametrize(
    ("selector", "args", "rules"),
    [
        ("", ("1.36", "--feature-gates", "DRADeviceTaintRules=true"), ["DRA435"]),
        ("", ("1.36",), []),
        ("", ("1.37",), []),
        ("", ("1.37.0",), ["DRA438"]),
        ("", ("1.37.1",), []),
        ("deviceSelector: {}, ", ("1.36", "--feature-gates", "DRADeviceTaintRules=true"), ["DRA435"]),
        ("deviceSelector: {}, ", ("1.36",), []),
        ("deviceSelector: {}, ", ("1.37.1",), ["DRA435"]),
        ("deviceSelector: {}, ", ("1.36,1.37",), ["DRA438"]),
    ],
)
def test_a_rule_taints_the_devices_where_it_has_an_effect(
    selector: str, args: tuple[str, ...], rules: list[str], check: Run, tmp_path: Path
) -> None:
    rule = RULE.replace("{taint", f"{{{selector}taint")

    told = found(check, tmp_path, CLASS, claim(1), rule, inventory=RACK, args=("--kubernetes-version", *args))

    assert [(f["rule"], f["object"]["name"]) for f in told] == [(one, "parts") for one in rules]
