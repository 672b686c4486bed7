"""Mistakes that people make in whole files: the hint leads to what was meant, and the guess writes it."""

from __future__ import annotations

import pytest

import dralint
from dralint.finding.finding import Finding
from tests.judged import fixed

CLAIM = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: train}
spec:
  devices:
    requests:
    - name: gpu
      exactly:
        deviceClassName: gpu.nvidia.com
        selectors:
        - cel:
            expression: device.attributes["gpu.nvidia.com"].productName == "NVIDIA H100"
        - cel:
            expression: device.capacity["gpu.nvidia.com"].memory.compareTo(quantity("40Gi")) >= 0
        - cel:
            expression: device.attributes["gpu.nvidia.com"].driverVersion.isGreaterThan(semver("550.0.0"))
    constraints:
    - requests: [gpu]
      matchAttribute: resource.kubernetes.io/pcieRoot
    config:
    - requests: [gpu]
      opaque:
        driver: gpu.nvidia.com
        parameters:
          apiVersion: resource.nvidia.com/v1beta1
          kind: GpuConfig
"""
POD = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: shared}
spec:
  metadata:
    labels: {team: vision}
  spec:
    devices:
      requests:
      - name: gpu
        exactly: {deviceClassName: gpu.example.com}
---
apiVersion: v1
kind: Pod
metadata: {name: infer}
spec:
  containers:
  - name: model
    resources:
      claims:
      - name: gpu
  resourceClaims:
  - name: gpu
    resourceClaimTemplateName: shared
"""
CLASS = """\
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: large}
spec:
  selectors:
  - cel: {expression: device.driver == "acme.com"}
  config:
  - opaque:
      driver: acme.com
      parameters: {mode: fast}
"""
PROFILE = 'device.attributes["gpu.nvidia.com"].productName'
VERSION = 'device.attributes["gpu.nvidia.com"].driverVersion'


def found(text: str) -> list[Finding]:
    return [finding for finding in dralint.lint_text(text).findings if finding.severity != "info"]


H100 = f'{PROFILE} == "NVIDIA H100"'
NAMED = '"productName" in device.attributes["gpu.nvidia.com"] && '
MODES = CLASS.replace(" {mode: fast}", "\n        mode: fast\n        level: 3")


def with_line(line: str) -> str:
    return POD.replace("    resources:\n", f"    {line}\n    resources:\n")


@pytest.mark.parametrize(
    ("text", "meant", "written", "rule", "line", "hint"),
    [
        (CLAIM, "        parameters:", "        params:", "DRA101", 24, 'did you mean "parameters"?'),
        (CLAIM, "kubernetes.io/pcieRoot", "kubernetes.io/pciRoot", "DRA810", 19,
         'did you mean "resource.kubernetes.io/pcieRoot"?'),
        (CLAIM, H100, f'{PROFILE} in "NVIDIA H100"', "DRA303", 12,
         'write == to compare it, or a list: ["NVIDIA H100"]; for part of a string use contains()'),
        (CLAIM, f'{VERSION}.isGreaterThan(semver("550.0.0"))', f"{VERSION} > 550.0", "DRA812", 16,
         f'write {VERSION}.isGreaterThan(semver("550.0.0"))'),
        (CLAIM, f'{VERSION}.isGreaterThan(semver("550.0.0"))', f'{VERSION} > "v550"', "DRA812", 16,
         f'write {VERSION}.isGreaterThan(semver("550.0.0"))'),
        (CLAIM.replace(H100, f"'{NAMED}{H100}'"), f"'{NAMED}{H100}'", f'{NAMED}{PROFILE} = "NVIDIA H100"', "DRA002", 12,
         f"write `expression: '{NAMED}{H100}'`"),
        (CLAIM.partition("    config:")[0], "    constraints:\n    - requests: [gpu]\n      match",
         "        constraints:\n        - requests: [gpu]\n          match", "DRA108", 17,
         "move `constraints` up, next to `requests:`, or remove it if there is one already"),
        (CLASS, 'device.driver == "', 'device.driverName == "', "DRA302", 6, 'did you mean "driver"?'),
        (CLASS, "kind: DeviceClass", "kind: ResourceClass", "DRA501", 2, "DeviceClass replaces it"),
        (CLASS, "  - opaque:", "  - requests: [gpu]\n    opaque:", "DRA101", 8,
         "remove it: the configuration of a class is for all its devices"),
        (MODES, "parameters:\n", "parameters: |\n", "DRA221", 10,
         "write its fields below `parameters:`, without a `|` or quotes: they are not text"),
        (POD, "    resources:\n      claims:\n      - name: gpu", "    resourceClaims:\n    - name: gpu", "DRA108", 19,
         "write it as `claims:` one level deeper, under `resources:`"),
        # a list on the line of its key
        (with_line('command: ["sh", "-c"]'), '["sh", "-c"]', '"sh", "-c"', "DRA002", 19,
         'a list is written in brackets: ["sh", "-c"]'),
        (with_line("args: ['a', 'b']"), "['a', 'b']", "'a' 'b',", "DRA002", 19,
         "a list is written in brackets: ['a', 'b']"),
        (POD, "claims:\n      - name: gpu\n", "claims: name: gpu\n", "DRA002", 20,
         "write `claims:`, below it `- name: gpu`"),
    ],
)  # fmt: skip
def test_a_guess_writes_what_was_meant(text: str, meant: str, written: str, rule: str, line: int, hint: str) -> None:
    wrong = text.replace(meant, written)
    (finding,) = found(wrong)

    assert (finding.rule, finding.line, finding.hint) == (rule, line, hint)
    assert fixed(wrong, unsafe=False) == wrong
    assert found(fixed(wrong, unsafe=True)) == []
    assert fixed(wrong, unsafe=True) == text


@pytest.mark.parametrize(
    ("text", "meant", "written"),
    [
        (CLAIM, '"NVIDIA H100"', '"NVIDIA H100""'),
        (CLAIM, '"NVIDIA H100"', '"NVIDIA" H100"'),
        (CLAIM, '"NVIDIA H100"', '["NVIDIA H100"'),
        (CLAIM, "gpu.nvidia.com\n        selectors", "gpu.nvidia.com\n        count: 1,0\n        selectors"),
        (CLAIM, "{name: train}", "\n  name: train\n  annotations:\n    note: Whole GPUs for\n    training jobs"),
        (CLAIM, "{name: train}", "\n  name: train\n  annotations:\n    a note for:you"),
        (POD, "      claims:\n      - name: gpu", "      claims: gpu"),
        (POD, "  - name: model\n", "  - name: model\n   resources:\n"),
    ],
)
def test_a_safe_fix_changes_nothing_that_may_mean_several_things(text: str, meant: str, written: str) -> None:
    wrong = text.replace(meant, written)

    assert [finding for finding in found(wrong) if finding.severity == "error"]
    assert fixed(wrong, unsafe=False) == wrong


def test_a_misspelt_class_of_a_flat_request_goes_under_exactly_in_one_step() -> None:
    right = CLAIM.replace(
        "exactly:\n        deviceClassName: gpu.nvidia.com\n", "exactly:\n        deviceClassName: c\n"
    )
    wrong = right.replace("      exactly:\n        deviceClassName: c\n", "      deviceClassname: c\n")
    wrong = wrong.replace("        selectors:\n", "      selectors:\n")

    assert [finding.rule for finding in found(wrong) if finding.path.endswith("deviceClassname")] == ["DRA107"]
    assert found(fixed(wrong, unsafe=False)) == found(right)


def test_fields_beside_an_empty_parent_go_below_it_safely() -> None:
    wrong = CLAIM.replace("exactly:\n", "exactly: null  # one\n")
    low, high = wrong.index("        deviceClassName"), wrong.index("    constraints:")
    wrong = wrong[:low] + wrong[low:high].replace("\n  ", "\n").removeprefix("  ") + wrong[high:]

    assert fixed(wrong, unsafe=False) == CLAIM.replace("exactly:\n", "exactly:\n        # one\n")


def test_a_level_that_is_written_twice_goes_safely() -> None:
    low, high = CLAIM.index("    requests:\n"), len(CLAIM)
    wrong = CLAIM[:low] + "    devices:\n  " + CLAIM[low:high].replace("\n", "\n  ").removesuffix("  ")

    assert fixed(wrong, unsafe=False) == CLAIM


SLICE = """\
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: node-1}
spec:
  driver: gpu.example.com
  nodeName: node-1
  pool: {name: node-1, generation: 1, resourceSliceCount: 1}
  devices:
  - name: gpu-0
    capacity:
      memory: {value: 40Gi}
"""


BOTH = CLAIM.replace('== "NVIDIA H100"', 'in ["NVIDIA H100", "NVIDIA H200"]')


@pytest.mark.parametrize(
    ("right", "old", "new"),
    [
        (BOTH, ', "NVIDIA H200', ", NVIDIA H200"),
        (BOTH, 'in ["NVIDIA', 'in "NVIDIA'),
        (BOTH, "attributes[", "capacity["),
        (POD, "  - name: model\n", "  - - name: model\n"),
        (POD, "- name: model\n    resources:", "- name: model resources:"),
        (CLAIM, "      exactly:\n", "      spec:\n"),
        (CLAIM, "kind: GpuConfig", "kinnd: GpuConfig"),
        (CLAIM, "resource.nvidia.com/v1beta1", "v1beta1"),
        (SLICE, "  devices:\n  - name: gpu-0\n", "  - name: gpu-0\n  devices:\n"),
        (POD, "---\napiVersion: v1\n", "---\n  apiVersion: v1\n"),
        (SLICE.replace("40Gi", "2"), "value: 2", "value: two"),
    ],
)
def test_one_meaning_is_likelier_than_the_others(right: str, old: str, new: str) -> None:
    assert fixed(right.replace(old, new, 1), unsafe=True) == right
