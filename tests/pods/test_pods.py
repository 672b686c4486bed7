"""Claims of Pods and of kinds that embed a Pod spec."""

from __future__ import annotations

import textwrap

import pytest

from dralint.edit.apply import apply
from dralint.finding.finding import Finding
from dralint.finding.report import Report
from tests.judged import judged

HEADS = {
    "Pod": ("v1", "spec"),
    "PodTemplate": ("v1", "template.spec"),
    "ReplicationController": ("v1", "spec.template.spec"),
    "Deployment": ("apps/v1", "spec.template.spec"),
    "ReplicaSet": ("apps/v1", "spec.template.spec"),
    "StatefulSet": ("apps/v1", "spec.template.spec"),
    "DaemonSet": ("apps/v1", "spec.template.spec"),
    "Job": ("batch/v1", "spec.template.spec"),
    "CronJob": ("batch/v1", "spec.jobTemplate.spec.template.spec"),
}


def manifest(kind: str, spec: str, metadata: str = "name: web") -> str:
    version, path = HEADS[kind]
    lines = [f"apiVersion: {version}", f"kind: {kind}", f"metadata: {{{metadata}}}"]
    depth = 0
    for part in path.split("."):
        lines.append(f"{'  ' * depth}{part}:")
        depth += 1
    return "\n".join(lines + ["  " * depth + line for line in spec.splitlines()]) + "\n"


def rows(report: Report) -> list[tuple[str, str | None, str, int]]:
    """Return rule, reason, path and line of each finding, but for what is said of the API version as such."""
    return [(f.rule, f.reason, f.path, f.line) for f in report.findings if f.rule not in ("DRA505", "DRA510")]


def only(report: Report) -> Finding:
    (finding,) = report.findings
    return finding


UNKNOWN = """\
resourceClaims:
- name: gpu
  resourceClaimName: a
containers:
- name: main
  resources:
    claims:
    - name: gpus
"""


@pytest.mark.parametrize("kind", HEADS)
def test_a_claim_that_the_pod_does_not_have_is_reported_in_every_kind(kind: str) -> None:
    path = HEADS[kind][1]
    finding = only(judged(manifest(kind, UNKNOWN), "1.34"))

    assert (finding.rule, finding.reason) == ("DRA280", "NotFound")
    assert finding.path == f"{path}.containers[0].resources.claims[0]"
    assert finding.line == 3 + len(path.split(".")) + 8
    assert finding.message == '"gpus" is not the name of an entry in the Pod\'s resourceClaims; it has: gpu'
    assert finding.hint == 'did you mean "gpu"?'


OLD_SHAPE = "resourceClaims:\n- name: gpu\n  source:\n    resourceClaimTemplateName: t\n"
GROUP = """\
apiVersion: scheduling.k8s.io/v1beta1
kind: PodGroup
metadata: {name: a}
spec:
  resourceClaims:
  - {name: a, resourceClaimName: x}
  - {name: a, resourceClaimTemplateName: x}
  - {name: B}
"""
GATES = "DRAWorkloadResourceClaims=true,GenericWorkload=true"
STATUS = """\
apiVersion: v1
kind: Pod
metadata: {name: a}
spec:
  resourceClaims: [{name: gpu, resourceClaimTemplateName: t}]
status:
  resourceClaimStatuses:
  - {name: gpu, resourceClaimName: a-gpu-x}
  - {name: gpu, resourceClaimName: A}
  - {name: gpus}
"""
GROUP_STATUS = GROUP[: GROUP.index("  - {name: a, resourceClaimTemplateName")] + "status:\n  resourceClaimStatuses:\n"
ENTRIES = """\
resourceClaims:
- resourceClaimName: a
- name: x
- name: z
  resourceClaimName: a
  resourceClaimTemplateName: b
- name: z
  resourceClaimName: ""
"""
MADE_AFTER = manifest("Pod", OLD_SHAPE, f"name: {'a' * 250}")
UNDER_SOURCE = manifest("Pod", "resourceClaims:\n- {name: gpu, source: {resourceClaimName: A_B}}\n")
USED = "resourceClaims: [{name: gpu, resourceClaimName: a}]\ncontainers:\n- resources: {claims: [{name: gpu}]}\n"
SECOND_CLAIM = STATUS.replace("  - {name: gpu, resourceClaimName: a-gpu-x}\n", "").replace("  - {name: gpus}\n", "")
OLDER_STATUS = SECOND_CLAIM.replace("resourceClaimTemplateName: t", "source: {resourceClaimName: a}")


@pytest.mark.parametrize(
    ("text", "release", "expected"),
    [
        (manifest("Pod", ENTRIES), "1.34", [
            ("DRA212", "Required", "spec.resourceClaims[0].name", 6),
            ("DRA215", "Invalid", "spec.resourceClaims[1]", 7),
            ("DRA215", "Invalid", "spec.resourceClaims[2]", 10),
            ("DRA214", "Duplicate", "spec.resourceClaims[3].name", 11),
            ("DRA202", "Invalid", "spec.resourceClaims[3].resourceClaimName", 12),
        ]),
        (manifest("Pod", "resourceClaims: [1, 2]\n"), "1.34", [
            ("DRA102", "TypeInvalid", "spec.resourceClaims[0]", 5),
            ("DRA102", "TypeInvalid", "spec.resourceClaims[1]", 5),
        ]),
        (manifest("Pod", USED + "  limits: {cpu: 1}\n  image: [1]\nfoo: bar\n"), "1.34", []),  # the rest of a Pod
        # releases
        (manifest("Pod", OLD_SHAPE), "1.34", [("DRA107", "Unknown", "spec.resourceClaims[0].source", 7)]),
        (manifest("Pod", OLD_SHAPE.replace("source:\n    ", "")), "1.30", [
            ("DRA107", "Unknown", "spec.resourceClaims[0].resourceClaimTemplateName", 7),
        ]),
        (UNDER_SOURCE, "1.26", []),
        (UNDER_SOURCE, "1.27", [("DRA202", "Invalid", "spec.resourceClaims[0].source.resourceClaimName", 6)]),
        (MADE_AFTER, "1.26", []),
        (MADE_AFTER, "1.30", [("DRA202", "Invalid", "spec.resourceClaims[0].name", 6)]),
        (manifest("Job", OLD_SHAPE, f"name: {'a' * 250}"), "1.30", []),
        (manifest("Pod", UNKNOWN), "1.33 DynamicResourceAllocation=false", [
            ("DRA502", None, "spec.resourceClaims", 5),
            ("DRA502", None, "spec.containers[0].resources.claims", 11),
        ]),
        # the status of a Pod
        (STATUS, "1.36", [
            ("DRA214", "Duplicate", "status.resourceClaimStatuses[1].name", 9),
            ("DRA202", "Invalid", "status.resourceClaimStatuses[1].resourceClaimName", 9),
            ("DRA280", "Invalid", "status.resourceClaimStatuses[2].name", 10),
        ]),
        (SECOND_CLAIM, "1.35", [("DRA202", "Invalid", "status.resourceClaimStatuses[0].name", 8)]),
        (OLDER_STATUS, "1.27", [("DRA101", "Unknown", "status.resourceClaimStatuses", 7)]),
        # groups of Pods
        (GROUP, "1.37", [("DRA502", None, "spec.resourceClaims", 5)]),
        (GROUP_STATUS + "  - {name: A}\n", "1.37", [("DRA502", None, "spec.resourceClaims", 5)]),
        (GROUP_STATUS + "  - {name: A}\n", f"1.37 {GATES}", [
            ("DRA280", "Invalid", "status.resourceClaimStatuses[0].name", 9),
        ]),
        (GROUP, f"1.37 {GATES}", [
            ("DRA214", "Duplicate", "spec.resourceClaims[1]", 7),
            ("DRA215", "Invalid", "spec.resourceClaims[2]", 8),
            ("DRA201", "Invalid", "spec.resourceClaims[2].name", 8),
        ]),
        (GROUP_STATUS + "  - {name: a}\n" * 5, f"1.37 {GATES}", [
            ("DRA210", "TooMany", "status.resourceClaimStatuses", 13),
        ]),
        (GROUP_STATUS + "  - {name: a}\n" * 2, f"1.37 {GATES}", [
            ("DRA214", "Duplicate", "status.resourceClaimStatuses[1]", 10),
        ]),
    ],
)  # fmt: skip
def test_what_a_release_says(text: str, release: str, expected: list[tuple[str, str | None, str, int]]) -> None:
    name, _, switched = release.partition(" ")

    assert rows(judged(text, name, switched=switched)) == expected


DISPLACED = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: a}
spec:
  resourceClaims: [{name: gpu, resourceClaimName: a}]
  template:
    spec:
      containers:
      - resources: {claims: [{name: gpu}]}
"""
AT_THE_ROOT = """\
apiVersion: v1
kind: Pod
resourceClaims: [{name: gpu, resourceClaimName: a}]
spec:
  containers:
  - resources: {claims: [{name: gpu}]}
"""


def stepping(version: str, kind: str, step: str) -> str:
    """Return a workload with the Pod spec in line 5, below a step in line 4."""
    head = f"apiVersion: {version}\nkind: {kind}\nspec:\n  {step}:\n"
    return head + "    spec: {resourceClaims: [{name: gpu, resourceClaimName: a}]}\n"


def with_use(declared: str, used: str) -> str:
    """Return a Pod whose first container uses no claim, and whose second one does, in line 8."""
    return (
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: a}\nspec:\n"
        f"  resourceClaims: [{declared}]\n  containers:\n  - {{name: a, image: x}}\n"
        f"  - {{name: b, image: x, resources: {{claims: [{used}]}}}}\n"
    )


GPU, NIC = "{name: gpu, resourceClaimName: x}", "{name: nic, resourceClaimName: x}"
NAMELESS = ("DRA212", "spec.containers[1].resources.claims[0]", 8, "`name` is missing or empty: ")
TOO_SHALLOW = 'unknown field "resourceClaims"; it belongs under'
NEXT_TO_CONTAINERS = 'unknown field "resourceClaims"; it belongs next to `containers:`, in `spec`'
MOVE_UP = (
    "for 1.31 and later, migrate the claim or template and move resourceClaimName or resourceClaimTemplateName one level "
    "up, directly into the entry"
)
ALLOWED = "allowed here: claims, limits, requests"
IN_RESOURCES = "containers:\n- name: c\n  resources:\n    resourceClaims: {cpu: '1'}"


@pytest.mark.parametrize(
    ("text", "releases", "place", "hint"),
    [
        (DISPLACED, "1.26", ("DRA108", "spec.resourceClaims", 5, f"{TOO_SHALLOW} `spec.template.spec:`"),
         "move it into the Pod spec, 2 levels deeper"),
        (DISPLACED, "1.37", ("DRA108", "spec.resourceClaims", 5, f"{TOO_SHALLOW} `spec.template.spec:`"),
         "move it into the Pod spec, 2 levels deeper"),
        (AT_THE_ROOT, "", ("DRA108", "resourceClaims", 3, f"{TOO_SHALLOW} `spec:`"),
         "move it into the Pod spec, one level deeper"),
        (stepping("apps/v1", "Deployment", "spec"), "",
         ("DRA108", "spec.spec", 4, 'unknown field "spec"; it belongs under `spec.template:`'),
         "move it under `spec.template:`"),
        (stepping("batch/v1", "CronJob", "template"), "",
         ("DRA108", "spec.template", 4, 'unknown field "template"; it belongs under `spec.jobTemplate.spec:`'),
         "move it under `spec.jobTemplate.spec:`"),
        (stepping("apps/v1", "Deployment", "temlate"), "", ("DRA101", "spec.temlate", 4, 'unknown field "temlate"'),
         'did you mean "template"?'),
        (stepping("v1", "Pod", "template"), "", ("DRA101", "spec.template", 4, 'unknown field "template"'),
         "move the claims in it under `spec:`"),
        (manifest("Pod", IN_RESOURCES), "1.34",
         ("DRA108", "spec.containers[0].resources.resourceClaims", 8, NEXT_TO_CONTAINERS),
         "move `resourceClaims` up, next to `containers:`, or remove it if there is one already"),
        (manifest("Pod", OLD_SHAPE), "",
         ("DRA506", "spec.resourceClaims[0].source", 7, "`source` is known up to 1.30 only; dralint judged it by that"),
         MOVE_UP),
        (with_use(GPU, "{}"), "1.34", NAMELESS, 'name "gpu"'),
        (with_use(f"{GPU}, {NIC}", "{}"), "1.34", NAMELESS, "name one of: gpu, nic"),
        (with_use("", "{}"), "1.34", NAMELESS, "declare the claim under `resourceClaims` of the Pod spec"),
        ("apiVersion: v1\nkind: Pod\nspec:\n  containers: [{name: c}]\n  resources: {foo: 1}\n", "",
         ("DRA101", "spec.resources.foo", 5, 'unknown field "foo"'), ALLOWED),
        ("apiVersion: v1\nkind: Pod\nspec:\n  resources: {foo: 1}\n\n  containers:\n  - name: c\n", "",
         ("DRA101", "spec.resources.foo", 4, 'unknown field "foo"'), ALLOWED),
        ("apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - resources: {}\n# all\n  resources: {foo: 1}\n", "",
         ("DRA101", "spec.resources.foo", 7, 'unknown field "foo"'), ALLOWED),
    ],
)  # fmt: skip
def test_the_one_finding_says_where_and_what(
    text: str, releases: str, place: tuple[str, str, int, str], hint: str
) -> None:
    finding = only(judged(text, *releases.split()))

    assert (finding.rule, finding.path, finding.line) == place[:3]
    assert finding.message.startswith(place[3])
    assert finding.hint == hint


def test_a_slip_in_a_use_does_not_change_who_judges_the_old_shape() -> None:
    spec = OLD_SHAPE + "containers:\n- resources: {claims: [{name: gpu, foo: large}]}\n"
    report = judged(manifest("Pod", spec))

    assert [(f.rule, f.releases) for f in report.findings] == [("DRA506", ("1.30",)), ("DRA101", ("1.30",))]


def test_the_hint_names_the_claim_in_the_case_that_is_valid() -> None:
    claims = "resourceClaims: [{name: gpu, resourceClaimName: a}, {name: Gpu, resourceClaimName: a}]"
    report = judged(
        manifest("Pod", f"{claims}\ncontainers: [{{name: a, resources: {{claims: [{{name: gpux}}]}}}}]"), "1.34"
    )

    found = [f for f in report.findings if f.rule == "DRA280"]
    assert [f.hint for f in found] == ['did you mean "gpu"?']
    assert [(related.message, related.line) for related in found[0].related] == [("declared here", 5)]


@pytest.mark.parametrize("releases", [["1.34"], ["1.26", "1.34"], []])
@pytest.mark.parametrize(
    ("version", "kind", "home"),
    [
        ("v1", "Deployment", "apps/v1"),
        ("extensions/v1beta1", "Deployment", "apps/v1"),
        ("batch/v1beta1", "CronJob", "batch/v1"),
        ("apps/v1", "Pod", "v1"),
        ("networking.k8s.io/v1", "Job", "batch/v1"),
    ],
)
def test_a_workload_with_claims_in_an_api_version_that_no_release_serves(
    version: str, kind: str, home: str, releases: list[str]
) -> None:
    text = manifest(kind, UNKNOWN).replace(f"apiVersion: {HEADS[kind][0]}", f"apiVersion: {version}")
    finding = only(judged(text, *releases))

    assert (finding.rule, finding.reason, finding.path, finding.line) == ("DRA501", "NotServed", "apiVersion", 1)
    assert (finding.message, finding.hint) == (f"{kind} is not served in {version}", f"write apiVersion: {home}")
    assert not releases or finding.releases == tuple(releases)


def test_a_pod_without_claims_is_not_judged() -> None:
    report = judged(
        manifest("Pod", "containers:\n- name: main\n  resources: {limits: {cpu: x}, Foo: 1}\n") + "# claims\n", "1.34"
    )

    assert (rows(report), report.objects) == ([], 0)


@pytest.mark.parametrize("kind", ["DaemonSet", "Pod", "ResourceClaim", "DeviceClass"])
def test_values_of_a_chart_with_a_kind_are_no_manifest(kind: str) -> None:
    report = judged(f"kind: {kind}\nreplicaCount: 1\nresourceClaims: []\n")

    assert (rows(report), report.objects) == ([], 0)


@pytest.mark.parametrize(
    "text",
    [
        "kind: DaemonSet\nmetadata: {name: a}\nresourceClaims: []\n",
        "kind: Pod\nspec: {resourceClaims: [{name: a}], containers: []}\n",
        "kind: ResourceClaim\nmetadata: {name: a}\n",
        "kind: ResourceClaim\nspec: {}\n",
    ],
)
def test_a_manifest_without_an_api_version_is_told(text: str) -> None:
    finding = only(judged(text))

    assert (finding.rule, finding.path, finding.message) == ("DRA012", "apiVersion", "`apiVersion` is missing")


@pytest.mark.parametrize("spec", ["null", "[]", "5", "{containers: 5, resourceClaims: null}", "{resourceClaims: [[]]}"])
def test_any_shape_gives_findings_and_no_failure(spec: str) -> None:
    for kind, (version, path) in HEADS.items():
        text = f"apiVersion: {version}\nkind: {kind}\n"
        for depth, part in enumerate(path.split(".")):
            text += f"{'  ' * depth}{part}:\n"
        report = judged(f"{text.rstrip()} {spec}\n# claims\n", "1.30", "1.34")

        assert all(finding.rule == "DRA102" for finding in report.findings)


def test_a_pod_group_is_judged_by_releases_that_serve_it() -> None:
    older = judged(GROUP.replace("v1beta1", "v1alpha2"), switched=GATES)

    assert {finding.releases for finding in older.findings} == {("1.36",)}
    assert rows(judged(GROUP, "1.36", switched=GATES)) == [("DRA501", "NotServed", "apiVersion", 1)]


def test_findings_that_differ_only_in_the_release_are_one() -> None:
    finding = only(judged(manifest("Pod", UNKNOWN), "1.31", "1.32", "1.37"))
    old = only(judged(manifest("Pod", OLD_SHAPE), "1.31", "1.32"))
    later = only(judged(manifest("StatefulSet", UNKNOWN), "1.31", "1.33"))

    assert (finding.rule, finding.releases) == ("DRA280", ("1.31", "1.32", "1.37"))
    assert (old.rule, old.releases) == ("DRA107", ("1.31", "1.32"))
    assert (later.rule, later.releases) == ("DRA282", ("1.31", "1.33"))


def test_other_steps_without_claims_are_not_judged() -> None:
    text = "apiVersion: apps/v1\nkind: Deployment\nspec:\n  spec: {containers: []}\n  strategy: {}\n# claims\n"

    assert judged(text).objects == 0


def test_what_stands_beside_the_claims_of_a_container_goes_with_them_under_its_resources() -> None:
    spec = """\
resourceClaims: [{name: gpu, resourceClaimName: a}]
containers:
- name: main
  requests: {cpu: 1}
  claims: [{name: gpu}]
"""
    text = manifest("Pod", spec)
    report = judged(text, "1.34")

    assert [(f.rule, f.path, f.line, f.message, f.hint) for f in report.findings] == [
        (
            "DRA108",
            f"spec.containers[0].{name}",
            line,
            f'unknown field "{name}"; it belongs under `resources:`',
            "move `requests` and `claims` one level deeper, under `resources:`",
        )
        for name, line in (("requests", 8), ("claims", 9))
    ]
    fix = report.findings[0].fix
    assert fix is not None
    assert fix.safe
    mended = "  resources:\n    requests: {cpu: 1}\n    claims: [{name: gpu}]\n"
    assert apply(text, fix.edits).endswith(textwrap.indent(mended, "  "))


def test_a_workload_without_claims_or_of_another_group_is_not_judged_by_its_api_version() -> None:
    assert (
        judged("apiVersion: v1\nkind: Deployment\nspec: {template: {spec: {containers: []}}}\n# claims\n").objects == 0
    )
    foreign = manifest("Deployment", UNKNOWN).replace("apps/v1", "apps.example.com/v1")
    assert rows(judged(foreign, "1.34"))[0][0] == "DRA282"


@pytest.mark.parametrize(
    ("metadata", "source", "refused"),
    [
        (f"name: {'x' * 249}", "resourceClaimTemplateName", None),
        (
            f"name: {'x' * 250}",
            "resourceClaimTemplateName",
            "which is 254 characters long; such a name has at most 253",
        ),
        (f"name: {'x' * 250}", "resourceClaimName", None),
        (f"generateName: {'x' * 300}", "resourceClaimTemplateName", None),
        ("generateName: A_", "resourceClaimTemplateName", 'would be called "A_x2x4x-gpu", which is not a valid name'),
        (
            "generateName: a-, name: A_",
            "resourceClaimTemplateName",
            'would be called "A_-gpu", which is not a valid name',
        ),
    ],
)
def test_the_name_of_a_claim_from_a_template_was_checked_up_to_1_30(
    metadata: str, source: str, refused: str | None
) -> None:
    text = (
        f"apiVersion: v1\nkind: Pod\nmetadata: {{{metadata}, namespace: a}}\nspec:\n"
        f"  resourceClaims: [{{name: gpu, source: {{{source}: t}}}}]\n  containers: []\n"
    )
    found = judged(text, "1.28").findings

    assert [(f.rule, f.path, f.line) for f in found if f.effect == "rejected"] == (
        [] if refused is None else [("DRA202", "spec.resourceClaims[0].name", 5)]
    )
    assert refused is None or refused in found[0].message
