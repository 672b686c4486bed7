"""A guess gives back what was meant, or there is none: what a slip spells out decides between the candidates."""

from __future__ import annotations

import pytest

import dralint
from dralint.edit.apply import apply
from dralint.finding.finding import Finding
from tests.conftest import CLASS, OLD_CLAIM
from tests.fuzz.mistakes import data

CLAIM = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata:
  name: train
spec:
  devices:
    requests:
    - name: gpu
      exactly:
        deviceClassName: gpu.example.com
        tolerations:
        - key: gpu.example.com/unhealthy
          operator: Exists
          effect: NoSchedule
        - key: maintenance
          operator: Exists
          effect: NoSchedule
    config:
    - opaque:
        driver: gpu.example.com
        parameters:
          apiVersion: gpu.example.com/v1
          kind: GpuConfig
"""
FLAT = OLD_CLAIM.replace("name: a", "name: train")
GUARDED = CLASS.replace(
    'device.driver == "gpu.example.com"',
    'has(device.attributes["gpu.example.com"].nvlink) && device.attributes["gpu.example.com"].nvlink >= 4',
)
SLICE = """\
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata:
  name: a
spec:
  driver: gpu.example.com
  nodeName: a
  pool: {name: a, generation: 1, resourceSliceCount: 1}
  devices:
  - name: gpu-0
    attributes:
      resource.kubernetes.io/pcieRoot: {string: "pci0000:80"}
"""
POD = """\
apiVersion: v1
kind: Pod
metadata:
  name: train
spec:
  nodeName: node-2
  resourceClaims:
  - name: gpu
    resourceClaimName: gpu
  containers:
  - name: main
    image: example.com/train:1
    resources:
      claims:
      - name: gpu
"""
DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: infer
spec:
  template:
    spec:
      resourceClaims:
      - name: gpu
        resourceClaimTemplateName: gpu
      containers:
      - name: main
        image: example.com/infer:1
        resources:
          claims:
          - name: gpu
"""
EXAMPLE = "gpu.resource.example.com/v1alpha1 (driver gpu.example.com)"
CONFIGURED = f"""{CLASS.partition("  selectors")[0]}\
  config:
  - opaque:
      driver: gpu.example.com
      parameters: {{apiVersion: gpu.example.com/v1, kind: GpuConfig, sharing: {{strategy: TimeSlicing}}}}
"""
CONSTRAINED = FLAT.replace("v1beta1", "v1").replace(
    "      deviceClassName: gpu.example.com\n",
    "      exactly: {deviceClassName: gpu.example.com}\n    constraints:\n    - matchAttribute: gpu.example.com/rack\n",
)


def shown(finding: Finding) -> tuple[str, str, int]:
    return finding.rule, finding.path, finding.line


def first(text: str) -> tuple[Finding, str]:
    """Return the first finding that is an error or warning, and the text with its fix."""
    finding = next(finding for finding in dralint.lint_text(text).findings if finding.severity != "info")
    return finding, text if finding.fix is None else apply(text, finding.fix.edits)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("meant", "old", "new", "place", "hint"),
    [
        (
            FLAT,
            "resource.k8s.io/v1beta1",
            "RESOURCE.K8S.IO/V1BETA1",
            ("DRA501", "apiVersion", 1),
            'did you mean "resource.k8s.io/v1beta1"?',
        ),
        (
            FLAT,
            "resource.k8s.io/v1beta1",
            "resource.k8s.iov1beta1",
            ("DRA501", "apiVersion", 1),
            "write apiVersion: resource.k8s.io/v1beta1",
        ),
        (
            FLAT,
            "resource.k8s.io/v1beta1",
            "v1",
            ("DRA501", "apiVersion", 1),
            "write apiVersion: resource.k8s.io/v1beta1",
        ),
        (
            CLAIM,
            "resource.k8s.io/v1",
            "v1",
            ("DRA501", "apiVersion", 1),
            "write apiVersion: resource.k8s.io/v1",
        ),
        (
            CLASS,
            'device.driver == "gpu.example.com"',
            'DEVICE.DRIVER == "GPU.EXAMPLE.COM"',
            ("DRA302", "spec.selectors[0].cel.expression", 8),
            'write `expression: device.driver == "gpu.example.com"`',
        ),
        (
            GUARDED,
            "has(device",
            "hasdevice",
            ("DRA301", "spec.selectors[0].cel.expression", 8),
            f"write `{GUARDED.splitlines()[-1].strip()}`",
        ),
        (
            SLICE,
            '{string: "pci0000:80"}',
            'string:"pci0000:80"',
            ("DRA102", "spec.devices[0].attributes", 12),
            'write `{string: "pci0000:80"}`',
        ),
        (
            CONSTRAINED,
            "gpu.example.com/rack",
            "gpu.example.comrack",
            ("DRA206", "spec.devices.constraints[0].matchAttribute", 11),
            'did you mean "gpu.example.com/rack"?',
        ),
        (
            f"apiVersion: v1\nkind: Namespace\nmetadata:\n  name: jobs\n---\n{CLASS}",
            "jobs\n---",
            "jobs ---",
            ("DRA004", "apiVersion", 5),
            "put `---` on its own line before it: kubectl silently mixes the two objects into one",
        ),
        (
            f"{CLASS}---\n{POD}",
            "---\napiVersion: v1",
            "---\n  apiVersion: v1",
            ("DRA010", "", 11),
            "the document ended before it: indent it like the first line, or remove it",
        ),
    ],
)
def test_a_guess_is_what_the_slip_spells(
    meant: str, old: str, new: str, place: tuple[str, str, int], hint: str
) -> None:
    finding, after = first(meant.replace(old, new, 1))

    assert (shown(finding), finding.hint) == (place, hint)
    assert data(after) == data(meant)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("meant", "old", "new", "place", "message"),
    [
        # the parameters of another driver than the example that has a pack
        (
            CONFIGURED,
            "apiVersion: gpu.example.com/v1",
            "apiVersion: gpuexample.com/v1",
            ("DRA801", "spec.config[0].opaque.parameters.apiVersion", 9),
            f'"gpuexample.com/v1" is not an apiVersion that the driver reads; allowed: {EXAMPLE}',
        ),
        # what may belong into a map of the author's keys is not removed
        (
            CLAIM,
            "          kind: GpuConfig",
            "        kind: GpuConfig",
            ("DRA101", "spec.devices.config[0].opaque.kind", 23),
            'unknown field "kind"',
        ),
        (CLASS, "metadata:\n", "metadata:\n  note: made\n", ("DRA101", "metadata.note", 4), 'unknown field "note"'),
    ],
)
def test_no_guess_where_the_slip_does_not_spell_what_was_meant(
    meant: str, old: str, new: str, place: tuple[str, str, int], message: str
) -> None:
    wrong = meant.replace(old, new, 1)
    finding, after = first(wrong)

    assert (shown(finding), finding.message) == (place, message)
    assert after == wrong


@pytest.mark.slow
@pytest.mark.parametrize(
    ("meant", "edits", "place"),
    [
        # a line becomes the end of a name
        (
            POD,
            [
                ("nodeName: node-2", "nodeName node-2"),
                ("    resources:\n      claims:\n      - ", "    claims:\n    - "),
            ],
            ("DRA002", "", 7),
        ),
        # an object becomes a text
        (
            POD,
            [("metadata:\n  name: train", "metadata: name: train"), ("gpu\n  containers", "gpu containers")],
            ("DRA002", "", 3),
        ),
        # half an item becomes one
        (CLAIM, [("name: train", "name:train"), ("          effect", "        effect")], ("DRA002", "", 15)),
        # a field that a map needs goes away
        (
            DEPLOYMENT,
            [
                ("  template:\n    spec:\n", "    spec:\n  template:\n"),
                ("resourceClaimTemplateName: ", "resourceClaimTemplateName="),
            ],
            ("DRA002", "", 7),
        ),
        # containers become a mapping
        (POD, [("  - name: main", "  name: main"), ("claims:\n      -", "claims:\n      - -")], ("DRA002", "", 12)),
        # an object becomes a part of the text above
        (
            CLAIM.replace(
                "  name: train\n", "  name: train\n  annotations:\n    note: |\n      first\n      ---\n      second\n"
            ),
            [("resource.k8s.io/v1", "resource.k8s.io/v1beta"), ("    requests:", "    devices:")],
            ("DRA501", "apiVersion", 1),
        ),
    ],
)
def test_no_guess_leads_to_something_else_that_is_accepted(
    meant: str, edits: list[tuple[str, str]], place: tuple[str, str, int]
) -> None:
    wrong = meant
    for old, new in edits:
        assert old in wrong
        wrong = wrong.replace(old, new, 1)
    finding, after = first(wrong)

    assert shown(finding) == place
    assert data(after) == data(meant) or any(f.severity == "error" for f in dralint.lint_text(after).findings)
