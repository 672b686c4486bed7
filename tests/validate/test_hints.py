"""Hints for common mistakes: following them literally gives what was meant, or they name the choice."""

from __future__ import annotations

from textwrap import dedent, indent
from typing import Any

import pytest

from dralint.config.settings import Settings
from dralint.edit.repairs import all_repaired
from dralint.finding.problem import Change, Problem, Repair, at, path_text
from dralint.kubernetes.release import Release
from dralint.lint.release_judge import Releases, judge_object
from dralint.lint.text_hints import as_written
from dralint.manifest.objects import objects
from dralint.yaml import read
from tests.judged import judged

REQUEST = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: train}
spec:
  devices:
    requests:
    - name: gpu
      exactly:
        deviceClassName: gpu.example.com
"""
SLICE = """\
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: node-1}
spec:
  driver: gpu.example.com
  pool: {name: node-1, generation: 1, resourceSliceCount: 1}
  nodeName: node-1
  devices:
  - name: gpu-0
"""
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: train}
spec:
  resourceClaims:
  - name: gpu
    resourceClaimName: train
  containers:
  - name: main
    resources:
"""


def exactly(text: str) -> str:
    return REQUEST + indent(dedent(text), " " * 8)


def devices(text: str) -> str:
    return REQUEST + indent(dedent(text), " " * 4)


def device(text: str) -> str:
    return SLICE + indent(dedent(text), " " * 4)


def container(text: str) -> str:
    return POD + indent(dedent(text), " " * 6)


def problems(text: str, release: str | None = None) -> list[tuple[dict[str, Any], Problem]]:
    chosen = () if release is None else (Release.parse(release),)
    releases = Releases(Settings(releases=chosen, gates=(("AllAlpha", True), ("AllBeta", True))))
    found = []
    for document in read(text.encode()):
        for item in objects(document.data):
            for problem, _ in judge_object(releases, item) or []:
                if problem.rule not in ("DRA503", "DRA505", "DRA510"):
                    found.append((item.data, as_written(document, item, problem)))
    return found


CERTAIN = [
    # manifest, hint, path of what the repair writes, what it writes
    (exactly("count: '2'"), "remove the quotes: 2", "spec.devices.requests[0].exactly.count", 2),
    (exactly("Count: 2"), 'did you mean "count"?', "spec.devices.requests[0].exactly.count", 2),
    (exactly("cuont: 2"), 'did you mean "count"?', "spec.devices.requests[0].exactly.count", 2),
    (
        exactly("allocationMode: all"),
        'did you mean "All"?',
        "spec.devices.requests[0].exactly.allocationMode",
        "All",
    ),
    (exactly("adminAccess: 'yes'"), "write true", "spec.devices.requests[0].exactly.adminAccess", True),
    (
        exactly("selectors: [{expression: 'true'}]"),
        "move `expression` one level deeper, under `cel:`",
        "spec.devices.requests[0].exactly.selectors[0].cel.expression",
        "true",
    ),
    (
        exactly("tolerations: [{key: a, operator: Exists, effect: NoExecute, tolerationSeconds: 10m}]"),
        "write seconds, as a number: 600",
        "spec.devices.requests[0].exactly.tolerations[0].tolerationSeconds",
        600,
    ),
    (
        devices("constraints: [{requests: [gpus], matchAttribute: a.example.com/b}]"),
        'did you mean "gpu"?',
        "spec.devices.constraints[0].requests[0]",
        "gpu",
    ),
    (
        devices("constraints: [{matchAttribute: resource.kubernetes.io.pcieRoot}]"),
        'did you mean "resource.kubernetes.io/pcieRoot"?',
        "spec.devices.constraints[0].matchAttribute",
        "resource.kubernetes.io/pcieRoot",
    ),
    (device("capacity: {memory: 80Gi}"), "write `{value: 80Gi}`", "spec.devices[0].capacity.memory.value", "80Gi"),
    (
        device("capacity: {memory: {value: 10 Gi}}"),
        'did you mean "10Gi"?',
        "spec.devices[0].capacity.memory.value",
        "10Gi",
    ),
    (
        device("capacity: {memory: {value: 16gi}}"),
        'did you mean "16Gi"?',
        "spec.devices[0].capacity.memory.value",
        "16Gi",
    ),
    (
        device("attributes: [{name: model, string: A100}]"),
        "this field has named entries, not a list: write each as `NAME: ...`, the first `model: {string: A100}`",
        "spec.devices[0].attributes",
        {"model": {"string": "A100"}},
    ),
    (
        device("attributes: {model: {string: 1.10}}"),
        'quote it: "1.10"',
        "spec.devices[0].attributes.model.string",
        "1.10",
    ),
    (
        device("attributes: {fast: {string: yes}}"),
        'quote it: "yes" (without quotes YAML reads a boolean)',
        "spec.devices[0].attributes.fast.string",
        "yes",
    ),
    (
        device("attributes: {firmware: {version: v1.2.3}}"),
        'did you mean "1.2.3"?',
        "spec.devices[0].attributes.firmware.version",
        "1.2.3",
    ),
    (SLICE.replace("gpu-0", '"gpu-0\\u200b"'), 'did you mean "gpu-0"?', "spec.devices[0].name", "gpu-0"),
    (SLICE.replace("gpu-0", "“gpu-0”"), 'did you mean "gpu-0"?', "spec.devices[0].name", "gpu-0"),
    (SLICE.replace("gpu-0", "gpu\u20130"), 'did you mean "gpu-0"?', "spec.devices[0].name", "gpu-0"),
    (SLICE.replace("  devices", "  allNodes: false\n  devices"), "leave it out", "spec.allNodes", None),
    (
        SLICE.replace("nodeName: node-1", "nodeSelector: {zone: a}"),
        'write `nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: In, values: ["a"]}]}]`',
        "spec.nodeSelector.nodeSelectorTerms",
        [{"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a"]}]}],
    ),
    (
        SLICE.replace("pool: {name: node-1, generation: 1, resourceSliceCount: 1}", "pool: {name: node-1}")
        + "  resourceSliceCount: 1\n",
        "move it one level deeper, under `pool:`",
        "spec.pool.resourceSliceCount",
        1,
    ),
    (
        container("claims: [gpu]"),
        "write `{name: gpu}` instead",
        "spec.containers[0].resources.claims[0].name",
        "gpu",
    ),
    (
        container("limits: {memory: 1Gi, claims: [{name: gpu}]}"),
        "`claims` belongs next to `limits`, not in it: indent it like `limits`",
        "spec.containers[0].resources.claims",
        [{"name": "gpu"}],
    ),
    (container("claims: [{name: gpus}]"), 'did you mean "gpu"?', "spec.containers[0].resources.claims[0].name", "gpu"),
    (
        REQUEST.replace("exactly:", "firstAvailable:\n      - name: big\n        exactly:").replace(
            "        deviceClassName", "          deviceClassName"
        ),
        "move the fields under `exactly:` one level up",
        "spec.devices.requests[0].firstAvailable[0]",
        {"name": "big", "deviceClassName": "gpu.example.com"},
    ),
]


@pytest.mark.parametrize(("text", "hint", "path", "value"), CERTAIN)
def test_a_certain_hint_carries_what_it_says(text: str, hint: str, path: str, value: object) -> None:
    (data, problem), *others = problems(text)

    assert others == []
    assert (problem.hint, problem.repair is not None and problem.repair.safe) == (hint, True)
    assert problem.repair is not None
    new = all_repaired(data, [((), problem.repair.changes)])[0]
    parts = [int(part) if part.isdigit() else part for part in path.replace("[", ".").replace("]", "").split(".")]
    assert at(new, tuple(parts)) == value


GUESSED = [
    (
        devices("constraints: [{matchAttribute: pcieRoot}]"),
        'did you mean "resource.kubernetes.io/pcieRoot"?',
    ),
    (device("capacity: {memory: {value: '1,000Mi'}}"), 'did you mean "1000Mi"?'),
    (
        container("claims: [{name: gpu, request: gpu/large}]"),
        'write "gpu": a container names a request, not one of its alternatives',
    ),
    (
        SLICE.replace("driver: gpu.example.com", "driver: gpu_driver.example.com"),
        'did you mean "gpu-driver.example.com"?',
    ),
    (
        device("attributes: {gpu_driver.example.com/model: {string: A100}}"),
        'did you mean "gpu-driver.example.com/model"?',
    ),
]


@pytest.mark.parametrize(("text", "hint"), GUESSED)
def test_a_guess_is_a_repair_that_is_not_safe(text: str, hint: str) -> None:
    (data, problem), *others = problems(text)

    assert others == []
    assert (problem.hint, problem.repair is not None and not problem.repair.safe) == (hint, True)
    assert problem.repair is not None
    assert all_repaired(data, [((), problem.repair.changes)])[0] != data


CHOICES = [
    (
        device("capacity: {memory: {value: 80GB}}"),
        "write 80G or 80Gi: the first counts in thousands, the second in units of 1024",
    ),
    (exactly("count: 2\nallocationMode: All"), "remove `count`, or use allocationMode ExactCount"),
    (
        devices(
            "- {name: gpu-1, exactly: {deviceClassName: a}}\nconstraints: [{requests: [gpu-2], matchAttribute: a.b/c}]"
        ).replace("- name: gpu\n", "- name: gpu-0\n"),
        'did you mean "gpu-0" or "gpu-1"?',
    ),
    (
        exactly("").replace("gpu.example.com", "nvidia.com/gpu"),
        'no "/" can be in it: domains are written the other way round, as in "gpu.nvidia.com"',
    ),
    (
        "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: a}\nspec: {resourceClassName: gpu}\n",
        (
            "write a new claim: `devices: {requests: [{name: NAME, exactly: {deviceClassName: CLASS}}]}`; "
            "parameters go to `devices.config`"
        ),
    ),
    (
        (
            "apiVersion: resource.k8s.io/v1beta2\nkind: DeviceTaintRule\nmetadata: {name: a}\n"
            "spec: {deviceSelector: {deviceClassName: a}, taint: {key: a, effect: NoExecute}}\n"
        ),
        "select by `driver`, `pool` and `device` instead: an empty selector would match all devices",
    ),
    (device("attributes: {a: 1.2.3}"), "write `{version: 1.2.3}`, or `{string: 1.2.3}` if it is not a version"),
    (exactly("count: 1\nCount: 2"), "`count` is there as well: keep one of the two"),
]


@pytest.mark.parametrize(("text", "hint"), CHOICES)
def test_what_only_the_author_can_know_has_no_repair(text: str, hint: str) -> None:
    (_, problem), *_ = problems(text)

    assert (problem.hint, problem.repair) == (hint, None), path_text(problem.path)


def test_a_name_is_renamed_with_all_its_uses() -> None:
    text = devices("constraints: [{requests: [GPU], matchAttribute: a.example.com/b}]").replace(
        "name: gpu", "name: GPU"
    )
    found = [problem for _, problem in problems(text)]
    name, use = ("spec", "devices", "requests", 0, "name"), ("spec", "devices", "constraints", 0, "requests", 0)

    assert [(path_text(p.path), p.hint, p.repair) for p in found] == [
        ("spec.devices.constraints[0].requests[0]", 'did you mean "gpu"?', None),
        (
            "spec.devices.requests[0].name",
            'did you mean "gpu"?',
            Repair((Change("replace", name, "gpu"), Change("replace", use, "gpu")), safe=True),
        ),
    ]


def test_a_name_that_something_else_speaks_of_is_not_renamed() -> None:
    text = devices("config: [{opaque: {driver: a.example.com, parameters: {of: GPU}}}]").replace(
        "name: gpu", "name: GPU"
    )
    ((_, problem),) = problems(text)

    assert (path_text(problem.path), problem.repair) == ("spec.devices.requests[0].name", None)


READING = [
    (
        REQUEST.replace("{name: train}", '{name: "train}').replace("gpu.example.com", '"gpu.example.com"'),
        (
            3,
            'the quote " is not closed on its line; the next one is 6 lines further down',
            'write `metadata: {name: "train"}`',
        ),
    ),
    (
        exactly('selectors:\n- cel:\n    expression: |\n      device.driver == "a" &&\n   device.driver == "b"\n'),
        (14, '`device.driver == "b"` lies outside of the block that `|` begins', "to column 15"),
    ),
]


@pytest.mark.parametrize(("text", "expected"), READING)
def test_a_slip_of_the_yaml_is_told_where_it_is(text: str, expected: tuple[int, str, str]) -> None:
    (finding,) = judged(text).findings

    assert (finding.rule, finding.line, finding.message) == ("DRA002", *expected[:2])
    assert expected[2] in str(finding.hint)


def test_a_comment_that_cuts_an_expression_is_told() -> None:
    text = exactly('selectors:\n- cel:\n    expression: device.attributes["a.b"].label == "slot #2"\n')
    (data, problem) = problems(text)[0]

    assert (problem.rule, problem.message, problem.hint) == (
        "DRA301",
        'the expression ends here, because YAML takes `#2"` for a comment',
        'quote the whole value: \'device.attributes["a.b"].label == "slot #2"\'',
    )
    assert problem.repair is not None
    assert (
        at(all_repaired(data, [((), problem.repair.changes)])[0], problem.path)
        == 'device.attributes["a.b"].label == "slot #2"'
    )


@pytest.mark.parametrize(
    ("scalar", "hint"),
    [
        ("device.driver == 1", 'write device.driver == "1"'),
        ("'device.driver == 1'", 'write device.driver == "1"'),
        ('"device.driver == 1"', "write device.driver == '1'"),
    ],
)
def test_a_hint_is_written_in_the_style_of_its_scalar(scalar: str, hint: str) -> None:
    (_, problem), *_ = problems(exactly(f"selectors:\n- cel:\n    expression: {scalar}\n"))

    assert (problem.rule, problem.hint) == ("DRA303", hint)


def test_what_an_alias_repeats_is_one_finding() -> None:
    text = REQUEST.replace("exactly:", "exactly: &all") + "        cont: 1\n    - name: nic\n      exactly: *all\n"
    (finding,) = judged(text).findings

    assert (finding.rule, finding.path, finding.line) == ("DRA101", "spec.devices.requests[0].exactly.cont", 10)
    assert [(place.message, place.line, place.column) for place in finding.related] == [
        ("used again here (spec.devices.requests[1].exactly.cont)", 12, 16)
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            SLICE.replace("  pool: {name: node-1, generation: 1, resourceSliceCount: 1}\n", ""),
            [
                (
                    4,
                    "spec.pool.name",
                    "`pool.name` is required and is missing or empty",
                    "add `pool:`, and below it `name: NODE`",
                ),
                (
                    4,
                    "spec.pool.resourceSliceCount",
                    "`pool.resourceSliceCount` is missing or zero; it must be at least 1",
                    "add `pool:`, and below it `resourceSliceCount: 1`",
                ),
            ],
        ),
        (
            SLICE.replace("{name: node-1, generation: 1, resourceSliceCount: 1}", "{resourceSliceCount: 1}"),
            [
                (
                    6,
                    "spec.pool.name",
                    "`name` is required and is missing or empty",
                    "name the pool, often after its node: `name: NODE`",
                )
            ],
        ),
        (
            "apiVersion: resource.k8s.io/v1alpha3\nkind: DeviceTaintRule\nmetadata: {name: a}\nspec: {}\n",
            [
                (
                    4,
                    "spec.taint.effect",
                    '`taint.effect` is required; allowed: "NoSchedule", "NoExecute", "None"',
                    'add `taint:`, and below it `effect`: write "NoSchedule", "NoExecute" or "None"',
                ),
                (
                    4,
                    "spec.taint.key",
                    "`taint.key` is required and is missing or empty",
                    "add `taint:`, and below it `key`",
                ),
            ],
        ),
    ],
)
def test_what_is_missing_with_the_object_that_it_lies_in_is_told_with_it(
    text: str, expected: list[tuple[int, str, str, str]]
) -> None:
    found = judged(text, "1.36").findings

    assert [(f.line, f.path, f.message, f.hint) for f in found if f.rule == "DRA212"] == expected
