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


def test_a_pod_without_claims_is_not_judged() -> None:
    report = judged(
        manifest("Pod", "containers:\n- name: main\n  resources: {limits: {cpu: x}, Foo: 1}\n") + "# claims\n", "1.34"
    )

    assert (rows(report), report.objects) == ([], 0)


def test_the_rest_of_a_pod_is_not_judged() -> None:
    spec = "resourceClaims:\n- {name: gpu, resourceClaimName: a}\nfoo: bar\ncontainers:\n- image: [1]\n"
    report = judged(manifest("Pod", spec), "1.34")

    assert (rows(report), report.objects) == ([], 1)


def test_an_entry_needs_a_name_and_one_reference() -> None:
    spec = """\
resourceClaims:
- resourceClaimName: a
- name: x
- name: z
  resourceClaimName: a
  resourceClaimTemplateName: b
- name: z
  resourceClaimName: ""
"""
    report = judged(manifest("Pod", spec), "1.34")

    assert rows(report) == [
        ("DRA212", "Required", "spec.resourceClaims[0].name", 6),
        ("DRA215", "Invalid", "spec.resourceClaims[1]", 7),
        ("DRA215", "Invalid", "spec.resourceClaims[2]", 10),
        ("DRA214", "Duplicate", "spec.resourceClaims[3].name", 11),
        ("DRA202", "Invalid", "spec.resourceClaims[3].resourceClaimName", 12),
    ]
    both = report.findings[2]
    assert both.message == "resourceClaimName and resourceClaimTemplateName are both set; only one can be"
    assert [(r.message, r.line) for r in both.related] == [("the other one", 9)]


OLD_SHAPE = "resourceClaims:\n- name: gpu\n  source:\n    resourceClaimTemplateName: t\n"


def test_a_pod_of_the_old_shape_by_itself_is_judged_by_the_last_release_that_knows_it() -> None:
    finding = only(judged(manifest("Pod", OLD_SHAPE)))

    assert (finding.rule, finding.effect, finding.path, finding.line) == (
        "DRA506",
        "deprecated",
        "spec.resourceClaims[0].source",
        7,
    )
    assert finding.releases == ("1.30",)
    assert finding.message == "`source` is known up to 1.30 only; dralint judged it by that release"


def test_each_shape_is_explained_to_the_other_release() -> None:
    old = only(judged(manifest("Pod", OLD_SHAPE), "1.34"))
    new = only(judged(manifest("Pod", "resourceClaims:\n- {name: gpu, resourceClaimName: t}\n"), "1.30"))

    assert (old.rule, old.path) == ("DRA107", "spec.resourceClaims[0].source")
    assert (new.rule, new.path) == ("DRA107", "spec.resourceClaims[0].resourceClaimName")


def test_names_under_source_are_not_checked_in_1_26() -> None:
    text = manifest("Pod", "resourceClaims:\n- {name: gpu, source: {resourceClaimName: A_B}}\n")

    assert rows(judged(text, "1.26")) == []
    assert rows(judged(text, "1.27")) == [("DRA202", "Invalid", "spec.resourceClaims[0].source.resourceClaimName", 6)]


def test_the_name_of_the_made_claim_must_fit_from_1_27_to_1_30() -> None:
    text = manifest("Pod", OLD_SHAPE, f"name: {'a' * 250}")

    assert rows(judged(text, "1.26")) == []
    assert rows(judged(text, "1.30")) == [("DRA202", "Invalid", "spec.resourceClaims[0].name", 6)]
    assert rows(judged(manifest("Job", OLD_SHAPE, f"name: {'a' * 250}"), "1.30")) == []


def test_without_the_gate_claims_are_dropped() -> None:
    text = manifest("Pod", UNKNOWN)
    report = judged(text, "1.33", switched="DynamicResourceAllocation=false")

    assert rows(report) == [
        ("DRA502", None, "spec.resourceClaims", 5),
        ("DRA502", None, "spec.containers[0].resources.claims", 11),
    ]


def test_the_hint_names_the_claim_in_the_case_that_is_valid() -> None:
    claims = "resourceClaims: [{name: gpu, resourceClaimName: a}, {name: Gpu, resourceClaimName: a}]"
    report = judged(
        manifest("Pod", f"{claims}\ncontainers: [{{name: a, resources: {{claims: [{{name: gpux}}]}}}}]"), "1.34"
    )

    found = [f for f in report.findings if f.rule == "DRA280"]
    assert [f.hint for f in found] == ['did you mean "gpu"?']
    assert [(related.message, related.line) for related in found[0].related] == [("declared here", 5)]


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
WORKLOAD_GATES = "DRAWorkloadResourceClaims=true,GenericWorkload=true"


def test_claims_of_a_pod_group_are_dropped_by_default() -> None:
    assert rows(judged(GROUP)) == [("DRA502", None, "spec.resourceClaims", 5)]


def test_statuses_of_the_claims_of_a_pod_group_are_dropped_with_the_claims() -> None:
    claims = GROUP[: GROUP.index("  - {name: a, resourceClaimTemplateName")]
    text = claims + "status:\n  resourceClaimStatuses: [{name: A}]\n"

    assert rows(judged(text)) == [("DRA502", None, "spec.resourceClaims", 5)]
    assert {(row[1], row[2]) for row in rows(judged(text, switched=WORKLOAD_GATES))} == {
        ("Invalid", "status.resourceClaimStatuses[0].name")
    }


def test_claims_of_a_pod_group_are_validated() -> None:
    assert rows(judged(GROUP, switched=WORKLOAD_GATES)) == [
        ("DRA214", "Duplicate", "spec.resourceClaims[1]", 7),
        ("DRA215", "Invalid", "spec.resourceClaims[2]", 8),
        ("DRA201", "Invalid", "spec.resourceClaims[2].name", 8),
    ]


def test_a_pod_group_is_judged_by_releases_that_serve_it() -> None:
    older = judged(GROUP.replace("v1beta1", "v1alpha2"), switched=WORKLOAD_GATES)

    assert {finding.releases for finding in older.findings} == {("1.36",)}
    assert rows(judged(GROUP, "1.36", switched=WORKLOAD_GATES)) == [("DRA501", "NotServed", "apiVersion", 1)]


def test_findings_that_differ_only_in_the_release_are_one() -> None:
    finding = only(judged(manifest("Pod", UNKNOWN), "1.31", "1.32", "1.37"))
    old = only(judged(manifest("Pod", OLD_SHAPE), "1.31", "1.32"))
    later = only(judged(manifest("StatefulSet", UNKNOWN), "1.31", "1.33"))

    assert (finding.rule, finding.releases) == ("DRA280", ("1.31", "1.32", "1.37"))
    assert (old.rule, old.releases) == ("DRA107", ("1.31", "1.32"))
    assert (later.rule, later.releases) == ("DRA282", ("1.31", "1.33"))


def test_a_wrong_type_that_repeats_along_a_list_is_reported_each_time() -> None:
    report = judged(manifest("Pod", "resourceClaims: [1, 2, 3, 4, 5]\n"), "1.34")

    assert [(f.rule, f.path) for f in report.findings] == [
        ("DRA102", f"spec.resourceClaims[{position}]") for position in range(5)
    ]


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


def test_the_claims_that_were_made_are_those_of_the_spec() -> None:
    report = judged(STATUS, "1.36")

    assert rows(report) == [
        ("DRA214", "Duplicate", "status.resourceClaimStatuses[1].name", 9),
        ("DRA202", "Invalid", "status.resourceClaimStatuses[1].resourceClaimName", 9),
        ("DRA280", "Invalid", "status.resourceClaimStatuses[2].name", 10),
    ]
    assert report.findings[2].hint == 'did you mean "gpu"?'


def test_older_releases_blame_the_name_or_do_not_know_the_field() -> None:
    good = STATUS.replace("  - {name: gpus}\n", "").replace("  - {name: gpu, resourceClaimName: a-gpu-x}\n", "")
    finding = only(judged(good, "1.35"))
    old = only(judged(good.replace("resourceClaimTemplateName: t", "source: {resourceClaimName: a}"), "1.27"))

    assert (finding.rule, finding.path, finding.column) == ("DRA202", "status.resourceClaimStatuses[0].name", 36)
    assert (old.rule, old.path) == ("DRA101", "status.resourceClaimStatuses")


def test_the_status_of_a_pod_group_has_four_claims_at_most() -> None:
    entry = "  - {name: a}\n"
    text = GROUP[: GROUP.index("  - {name: a, resourceClaimTemplateName")] + "status:\n  resourceClaimStatuses:\n"

    assert rows(judged(text + entry * 5, switched=WORKLOAD_GATES)) == [
        ("DRA210", "TooMany", "status.resourceClaimStatuses", 13)
    ]
    assert rows(judged(text + entry * 2, switched=WORKLOAD_GATES)) == [
        ("DRA214", "Duplicate", "status.resourceClaimStatuses[1]", 10)
    ]


def one(text: str, *releases: str) -> tuple[str, str | None, str, int, str, str | None]:
    finding = only(judged(text, *releases))
    return finding.rule, finding.reason, finding.path, finding.line, finding.message, finding.hint


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


@pytest.mark.parametrize("release", ["1.26", "1.37"])
def test_claims_beside_the_template_are_told_without_what_follows(release: str) -> None:
    assert one(DISPLACED, release) == (
        "DRA108",
        "Unknown",
        "spec.resourceClaims",
        5,
        'unknown field "resourceClaims"; it belongs under `spec.template.spec:`',
        "move it into the Pod spec, 2 levels deeper",
    )


def test_claims_at_the_root_of_a_pod_are_told_without_what_follows() -> None:
    text = "apiVersion: v1\nkind: Pod\nresourceClaims: [{name: gpu, resourceClaimName: a}]\n" + POD_USE

    assert one(text) == (
        "DRA108",
        "Unknown",
        "resourceClaims",
        3,
        'unknown field "resourceClaims"; it belongs under `spec:`',
        "move it into the Pod spec, one level deeper",
    )


POD_USE = "spec:\n  containers:\n  - resources: {claims: [{name: gpu}]}\n"


@pytest.mark.parametrize(
    ("version", "kind", "step", "rule", "message", "hint"),
    [
        (
            "apps/v1",
            "Deployment",
            "spec",
            "DRA108",
            'unknown field "spec"; it belongs under `spec.template:`',
            "move it under `spec.template:`",
        ),
        (
            "batch/v1",
            "CronJob",
            "template",
            "DRA108",
            'unknown field "template"; it belongs under `spec.jobTemplate.spec:`',
            "move it under `spec.jobTemplate.spec:`",
        ),
        ("apps/v1", "Deployment", "temlate", "DRA101", 'unknown field "temlate"', 'did you mean "template"?'),
        ("v1", "Pod", "template", "DRA101", 'unknown field "template"', "move the claims in it under `spec:`"),
    ],
)
def test_a_wrong_step_on_the_way_to_the_pod_spec_is_told(
    version: str, kind: str, step: str, rule: str, message: str, hint: str | None
) -> None:
    head = f"apiVersion: {version}\nkind: {kind}\nspec:\n  {step}:\n"
    text = head + "    spec: {resourceClaims: [{name: gpu, resourceClaimName: a}]}\n"

    assert one(text) == (rule, "Unknown", f"spec.{step}", 4, message, hint)


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


@pytest.mark.parametrize("fields", ["limits: {cpu: 1}", "requests: {cpu: 1}"])
def test_amounts_of_a_container_without_stray_claims_are_not_judged(fields: str) -> None:
    claims = "resources: {claims: [{name: gpu}]}"
    spec = f"resourceClaims: [{{name: gpu, resourceClaimName: a}}]\ncontainers:\n- {fields}\n  {claims}\n"

    assert rows(judged(manifest("Pod", spec), "1.34")) == []


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
def test_a_workload_with_claims_in_an_api_version_that_no_release_serves(version: str, kind: str, home: str) -> None:
    text = manifest(kind, UNKNOWN).replace(f"apiVersion: {HEADS[kind][0]}", f"apiVersion: {version}")
    expected = (
        "DRA501",
        "NotServed",
        "apiVersion",
        1,
        f"{kind} is not served in {version}",
        f"write apiVersion: {home}",
    )

    assert one(text) == expected
    assert one(text, "1.26", "1.34") == expected
    assert only(judged(text, "1.26", "1.34")).releases == ("1.26", "1.34")


def test_a_workload_without_claims_or_of_another_group_is_not_judged_by_its_api_version() -> None:
    assert (
        judged("apiVersion: v1\nkind: Deployment\nspec: {template: {spec: {containers: []}}}\n# claims\n").objects == 0
    )
    foreign = manifest("Deployment", UNKNOWN).replace("apps/v1", "apps.example.com/v1")
    assert rows(judged(foreign, "1.34"))[0][0] == "DRA282"


def test_a_slip_in_a_use_does_not_change_who_judges_the_old_shape() -> None:
    spec = OLD_SHAPE + "containers:\n- resources: {claims: [{name: gpu, foo: large}]}\n"
    report = judged(manifest("Pod", spec))

    assert [(f.rule, f.releases) for f in report.findings] == [("DRA506", ("1.30",)), ("DRA101", ("1.30",))]


@pytest.mark.parametrize(
    ("spec", "line"),
    [
        ("  containers: [{name: c}]\n  resources: {foo: 1}\n", 6),
        ("  resources: {foo: 1}\n  restartPolicy: Never\n\n  containers:\n  - name: c\n", 5),
        ("  containers:\n  - name: c\n    resources: {}\n# all\n  resources: {foo: 1}\n", 9),
    ],
)
def test_the_resources_of_a_pod_are_decoded_where_nothing_speaks_of_claims(spec: str, line: int) -> None:
    text = f"apiVersion: v1\nkind: Pod\nmetadata: {{name: a}}\nspec:\n{spec}"
    report = judged(text)

    assert [(f.rule, f.path, f.line, f.message) for f in report.findings] == [
        ("DRA101", "spec.resources.foo", line, 'unknown field "foo"')
    ]


def two_containers(declared: str, used: str) -> list[Finding]:
    """Return what is said of a Pod whose first container uses no claim, and whose second one does (line 8)."""
    text = (
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: a}\nspec:\n"
        f"  resourceClaims: [{declared}]\n  containers:\n  - {{name: a, image: x}}\n"
        f"  - {{name: b, image: x, resources: {{claims: [{used}]}}}}\n"
    )
    return judged(text, "1.34").findings


@pytest.mark.parametrize(
    ("declared", "hint"),
    [
        ("{name: gpu, resourceClaimName: x}", 'name "gpu"'),
        ("{name: gpu, resourceClaimName: x}, {name: nic, resourceClaimName: x}", "name one of: gpu, nic"),
        ("", "declare the claim under `resourceClaims` of the Pod spec"),
    ],
)
def test_an_entry_without_a_name_is_told_which_names_there_are(declared: str, hint: str) -> None:
    (finding,) = two_containers(declared, "{}")

    assert (finding.rule, finding.reason, finding.path) == (
        "DRA212",
        "Required",
        "spec.containers[1].resources.claims[0]",
    )
    assert finding.message.startswith("`name` is missing or empty: ")
    assert finding.hint == hint


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


def test_a_field_of_the_pod_belongs_into_the_pod_where_the_pod_and_its_containers_have_resources() -> None:
    found = only(
        judged(manifest("Pod", "containers:\n- name: c\n  resources:\n    resourceClaims: {cpu: '1'}"), "1.34")
    )

    assert (found.rule, found.path, found.line, found.fix) == (
        "DRA108",
        "spec.containers[0].resources.resourceClaims",
        8,
        None,
    )
    assert found.message == 'unknown field "resourceClaims"; it belongs next to `containers:`, in `spec`'
