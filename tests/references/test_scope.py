"""The assumptions of the rules between objects: namespaces, patches, templates, releases, standard input."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import CLASS, Run
from tests.references.placed_pod import NAMESPACE, POD, TEMPLATE

NOWHERE = ("DRA402", "spec.resourceClaims[0].resourceClaimTemplateName", 22, 32)


def both(template: str = TEMPLATE, pod: str = POD) -> str:
    return f"{template}---\n{pod}"


def test_standard_input_is_read_once_and_located(check: Run) -> None:
    assert check("-", stdin=both(pod=MISSPELT)).findings == [NOWHERE]


MISSPELT = POD.replace(": one-gpu", ": one-gpuu")
ANYWHERE = POD.replace(NAMESPACE, "")
COMPLETE = ("--complete", "--known-class", "*")


@pytest.mark.parametrize(
    ("text", "options", "rules"),
    [
        (both(), (), []),
        (both(pod=MISSPELT.replace("gpuu", "gpuu  # dralint: ignore[DRA402] comes with the chart")), (), []),
        # an object without a namespace may be in any, unless --namespace or --complete says where it is
        (both(pod=ANYWHERE), (), []),
        (both(pod=ANYWHERE), ("--namespace", "ml"), []),
        (both(pod=ANYWHERE), ("--namespace", "other"), ["DRA402"]),
        (both(pod=ANYWHERE), COMPLETE, ["DRA402"]),
        # classes
        (TEMPLATE, ("--complete",), ["DRA404"]),
        (TEMPLATE, ("--complete", "--known-class", "gpu.example.com"), []),
        # names that are put in later
        (both(pod=POD.replace(": one-gpu", ': "one-${SIZE}"')), COMPLETE, []),
        (both(pod=POD.replace(": one-gpu", ': "{{ .Values.name }}-gpu"')), COMPLETE, []),
        (both(pod=POD.replace(": one-gpu", ': "$(NAME)"')), COMPLETE, []),
        (both(TEMPLATE.replace("name: one-gpu", 'name: "$(SIZE)-gpu"')), COMPLETE, []),
    ],
)
def test_where_a_reference_leads(check: Run, text: str, options: tuple[str, ...], rules: list[str]) -> None:
    found = [rule for rule, *_ in check(*options, "-", stdin=text).findings]

    assert [rule for rule in found if rule.startswith("DRA4")] == rules


def test_a_request_with_tolerations_is_shown_beside_what_names_it(check: Run) -> None:
    device = "deviceClassName: gpu.example.com\n"
    template = TEMPLATE.replace(
        device, f"{device}          tolerations: [{{key: a.example.com/b, operator: Exists}}]\n"
    )
    template += "      - {name: nic, exactly: {deviceClassName: nic.example.com}}\n"
    outcome = check("-", stdin=both(template, f"{POD.rstrip()}\n        request: gpu\n"))

    assert [(f["rule"], f["related"][0]["line"]) for f in outcome.report["findings"]] == [("DRA706", 14)]


def test_pods_that_use_one_request_each_of_a_template_are_shown_how_to_share_a_claim(check: Run) -> None:
    template = TEMPLATE + "      - {name: nic, exactly: {deviceClassName: nic.example.com}}\n"
    first = f"{POD.rstrip()}\n        request: gpu\n"
    second = first.replace("request: gpu", "request: nic").replace("name: train", "name: other")
    found = check("-", stdin=both(template, f"{first}---\n{second}")).report["findings"]

    share = (
        "each Pod of a template gets a claim of its own, with all devices: to share them, write a ResourceClaim and "
        "name it in resourceClaimName; else write a template for each request"
    )
    assert [(f["rule"], f["path"], f["hint"]) for f in found] == [
        ("DRA706", "spec.containers[0].resources.claims[0].request", share),
        ("DRA706", "spec.containers[0].resources.claims[0].request", share),
    ]


def test_of_several_namesakes_the_nearest_is_named(check: Run, workdir: Path) -> None:
    def named(*namespaces: str) -> str:
        return "".join(f"---\n{TEMPLATE.replace('namespace: ml', f'namespace: {name}')}" for name in namespaces)

    (workdir / "a/b").mkdir(parents=True)
    pod = workdir / "a/b/pod.yaml"
    (workdir / "aa.yaml").write_text(named("alpha", "ml-pci"))
    pod.write_text(POD)
    told = []
    for folder in (".", "a", "a/b", "a/b/pod.yaml"):
        if folder.endswith(".yaml"):
            pod.write_text(POD + named("x", "ml-gpu", "z"))
        else:
            (workdir / folder / "near.yaml").write_text(named("x", f"m-{len(folder)}"))
        (finding,) = check(".").report["findings"]
        told.append((finding["related"][0]["file"], finding["message"].split('"')[3]))

    assert told == [
        ("aa.yaml", "ml-pci"),
        ("a/near.yaml", "m-1"),
        ("a/b/near.yaml", "m-3"),
        ("a/b/pod.yaml", "ml-gpu"),
    ]


def test_complete_takes_it_for_default(check: Run) -> None:
    outcome = check("--complete", "--known-class", "gpu.*.com", "-", stdin=both(pod=POD.replace(NAMESPACE, "")))
    (found,) = outcome.report["findings"]

    assert (found["rule"], found["line"], found["related"][0]["line"]) == ("DRA402", 21, 4)
    assert 'but the Pod is in namespace "default"' in found["message"]


SLICE = """\
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: node-a}
spec:
  driver: cpu.example.com
  nodeName: node-a
  pool: {name: node-a, generation: 1, resourceSliceCount: 1}
  devices: [{name: cpu-0}]
"""


OTHER = TEMPLATE.replace("one-gpu", "two").replace("gpu.example.com", "nic")
NAMESPACED = "apiVersion: v1\nkind: Namespace\nmetadata: {name: inference-prod}\n---\n" + TEMPLATE.replace(
    "namespace: ml", "namespace: inference-prd"
)
SLICES = ("--slices", "slices.yaml")


@pytest.mark.parametrize(
    ("configuration", "text", "options", "rules"),
    [
        ("known: {classes: gpu.example.com}", TEMPLATE, ("--complete",), []),
        ("known: {classes: '*.example.com'}", TEMPLATE, ("--complete",), []),
        ("known: {classes: [nic]}", TEMPLATE, ("--complete",), ["DRA404"]),
        (
            "known-class: nic\nknown: {classes: [other, gpu.example.com]}",
            f"{TEMPLATE}---\n{OTHER}",
            ("--complete",),
            [],
        ),
        ("known: {classes: gpu.example.com}", OTHER, ("--complete", "--known-class", "nic"), []),
        ("known: {classes: ['*']}", NAMESPACED, ("--complete",), ["DRA408"]),
        ("known: {classes: ['*'], namespaces: inference-p*}", NAMESPACED, ("--complete",), []),
        ("known: {}", CLASS, SLICES, ["DRA714"]),
        ("known: {}", f"{CLASS}---\n{TEMPLATE}", SLICES, ["DRA430"]),
        ("known: {drivers: nic.example.com}", CLASS, SLICES, ["DRA714"]),
        ("known: {drivers: gpu.example.com}", CLASS, SLICES, []),
    ],
)
def test_names_are_known_from_the_configuration(
    check: Run, workdir: Path, configuration: str, text: str, options: tuple[str, ...], rules: list[str]
) -> None:
    (workdir / "known.yaml").write_text(configuration)
    (workdir / "slices.yaml").write_text(SLICE)

    assert [rule for rule, *_ in check("--config", "known.yaml", *options, "-", stdin=text).findings] == rules


@pytest.mark.parametrize(
    ("toleration", "message"),
    [
        ("{key: a.example.com/full, operator: Exists}", None),
        ("{operator: Exists}", None),
        ("{key: a.example.com/full, value: really}", None),
        ("{key: '${KEY}', operator: Exists}", None),
        ("{key: a.example.com/full, value: '${VALUE}'}", None),
        (
            "{key: a.example.com/full, value: other}",
            'the taints of the key "a.example.com/full" are a.example.com/full=really:NoSchedule',
        ),
        ("{key: a.example.com/empty, operator: Exists}", 'has a taint "a.example.com/empty"; there are a.example.com/'),
    ],
)
@pytest.mark.slow
def test_a_toleration_is_of_a_taint_that_there_is(
    check: Run, tmp_path: Path, toleration: str, message: str | None
) -> None:
    taint = "[{name: cpu-0, taints: [{key: a.example.com/full, value: really, effect: NoSchedule}]}]"
    (tmp_path / "slices.yaml").write_text(SLICE.replace("[{name: cpu-0}]", taint))
    (tmp_path / "none.yaml").write_text(SLICE)
    claim = f"{TEMPLATE}          tolerations:\n          - {toleration}\n"

    def told(*options: object, release: str = "1.37") -> list[str]:
        found = check(*options, "--kubernetes-version", release, "-", stdin=claim).report["findings"]
        return [f["message"] for f in found if (f["rule"], f["line"]) == ("DRA712", 14)]

    assert told() == []
    assert told("--slices", tmp_path / "none.yaml") == []
    assert told("--slices", tmp_path / "slices.yaml", release="1.34") == []
    if message is None:
        assert told("--slices", tmp_path / "slices.yaml") == []
    else:
        (only,) = told("--slices", tmp_path / "slices.yaml")
        assert message in only


def test_a_patch_is_no_object_of_its_own(check: Run, tmp_path: Path) -> None:
    (tmp_path / "kustomization.yaml").write_text("patches:\n- path: patch.yaml\n")
    (tmp_path / "patch.yaml").write_text(POD.replace(": one-gpu", ": one-gpuu"))
    (tmp_path / "template.yaml").write_text(TEMPLATE)

    assert check(tmp_path).findings == []


def test_several_processes_find_the_same(check: Run, tmp_path: Path) -> None:
    (tmp_path / "template.yaml").write_text(TEMPLATE)
    for number in range(20):
        pod = POD.replace("name: train", f"name: train-{number}").replace(": one-gpu", ": one-gpuu")
        (tmp_path / f"pod-{number:02}.yaml").write_text(pod)

    one, two = check("--jobs", 1, tmp_path), check("--jobs", 2, tmp_path)

    assert one.stdout == two.stdout
    assert [f["rule"] for f in one.report["findings"]] == ["DRA402"] * 20
    assert {Path(f["related"][0]["file"]).name for f in one.report["findings"]} == {"template.yaml"}


def test_the_label_for_admin_access_goes_by_release(check: Run) -> None:
    request = "          deviceClassName: gpu.example.com\n"
    claim = TEMPLATE.replace(request, request + "          adminAccess: true\n")
    namespace = "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: ml\n  labels:\n"
    namespace += "    resource.kubernetes.io/admin-access: "
    labelled, unlabelled = (f"{namespace}'{value}'\n---\n{claim}" for value in ("true", "True"))

    assert check("-", stdin=labelled).findings == []
    (found,) = check("--kubernetes-version", "1.34..1.36", "-", stdin=unlabelled).report["findings"]
    assert (found["rule"], found["effect"], found["reason"]) == ("DRA409", "rejected", "Forbidden")
    assert found["releases"] == ["1.34", "1.35", "1.36"]
    assert 'which has "True"' in found["message"]


def test_the_name_that_the_label_has_in_another_release_is_marked(check: Run) -> None:
    request = "          deviceClassName: gpu.example.com\n"
    claim = TEMPLATE.replace(request, request + "          adminAccess: true\n")
    labels = 'labels:\n    resource.k8s.io/admin-access: "true"\n'
    namespace = f"apiVersion: v1\nkind: Namespace\nmetadata:\n  name: ml\n  {labels}---\n"

    (found,) = check("-", stdin=namespace + claim).report["findings"]
    assert (found["rule"], found["related"][0]["line"], found["related"][0]["column"]) == ("DRA409", 6, 5)


@pytest.mark.parametrize(
    ("releases", "told"),
    [
        ("1.26", "(`waiting for dynamic resource controller to create the resourceclaim`)"),
        ("1.27", "(`waiting for dynamic resource controller to create the resourceclaim`)"),
        ("1.28", "without any condition or event"),
        ("1.26..1.30", "without any condition or event"),
    ],
)
def test_a_claim_that_is_not_there_is_told_as_the_newest_release_shows_it(check: Run, releases: str, told: str) -> None:
    pod = POD.replace("resourceClaimTemplateName: one-gpu", "source:\n      resourceClaimName: one-gpu")

    found = check("-", "--complete", "--kubernetes-version", releases, "--select", "DRA401", stdin=pod).report[
        "findings"
    ]

    assert [(f["path"], f["line"]) for f in found] == [("spec.resourceClaims[0].source.resourceClaimName", 10)]
    assert found[0]["message"].startswith('there is no ResourceClaim "one-gpu" in namespace "ml"')
    assert found[0]["message"].replace(",", "").endswith(f"the Pod stays Pending {told}")


ASKS = (
    "apiVersion: v1\nkind: Pod\nmetadata: {name: train, namespace: ml}\nspec:\n  containers:\n  - name: main\n"
    "    image: registry.example.com/train:1.0\n    resources:\n      limits:\n"
    "        deviceclass.resource.kubernetes.io/gpu: 1\n"
)


@pytest.mark.parametrize(("release", "gates"), [("1.33", ""), ("1.35", ""), ("1.35", "DRAExtendedResource=true")])
def test_an_extended_resource_is_served_where_its_gate_is_on(check: Run, release: str, gates: str) -> None:
    switched = ["--feature-gates", gates] if gates else []

    found = check("-", "--complete", "--kubernetes-version", release, *switched, stdin=ASKS).report["findings"]

    assert [(f["rule"], f["line"]) for f in found] == [("DRA414", 10)]
    assert ("only where the feature gate DRAExtendedResource is on" in found[0]["hint"]) == (not gates)


OFFERS = "---\napiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: gpu}\n"
ON = "DRAExtendedResource=true"


@pytest.mark.parametrize(
    ("more", "offers", "release", "gates", "told"),
    [
        ("", "", "1.34", ON, "the Pod is scheduled and starts without any device, and no event is recorded"),
        ("", "spec: {extendedResourceName: example.com/gpu}\n", "1.34", ON, "starts without any device"),
        (
            "        example.com/gpu: 1\n",
            "spec: {extendedResourceName: example.com/gpu}\n",
            "1.34",
            ON,
            "stays Pending",
        ),
        ("        example.com/other: 1\n", "", "1.34", ON, "stays Pending"),
        ("", "spec: {}\n", "1.34", ON, None),
        ("", "spec: {extendedResourceName: example.com/gpu}\n", "1.35", ON, None),
        ("", "spec: {}\n", "1.35", "", "only where the feature gate DRAExtendedResource is on, by default since 1.36"),
        ("", "spec: {}\n", "1.36", "", None),
    ],
)
def test_the_implicit_name_of_a_class_as_each_release_serves_it(
    check: Run, more: str, offers: str, release: str, gates: str, told: str | None
) -> None:
    stream = f"{ASKS}{more}{OFFERS + offers if offers else ''}"
    switched = ["--feature-gates", gates] if gates else []

    found = check("-", "--complete", "--kubernetes-version", release, *switched, stdin=stream).report["findings"]

    assert [(f["rule"], f["line"]) for f in found] == ([] if told is None else [("DRA414", 10)])
    assert told is None or told in found[0]["message"]


def test_none_of_an_extended_resource_is_no_request(check: Run) -> None:
    found = check("-", "--complete", stdin=ASKS.replace("gpu: 1", "gpu: 0")).report["findings"]

    assert found == []


CLASSIC = """\
apiVersion: resource.k8s.io/v1alpha2
kind: ResourceClaim
metadata: {name: gpus, namespace: ml}
spec:
  resourceClassName: gpu
  parametersRef: {apiGroup: gpu.example.com, kind: GpuParameters, name: one}
"""
GENERATED = """\
---
apiVersion: resource.k8s.io/v1alpha2
kind: ResourceClaimParameters
metadata: {name: one-5xk2p, namespace: ml}
generatedFrom: {apiGroup: gpu.example.com, kind: GpuParameters, name: one}
"""
REPLICAS = """\
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: serve, namespace: ml}
spec:
  replicas: 3
  selector: {matchLabels: {app: serve}}
  template:
    metadata: {labels: {app: serve}}
    spec:
      resourceClaims: [{name: gpu, source: {resourceClaimName: gpus}}]
      containers: [{name: main, image: i, resources: {claims: [{name: gpu}]}}]
"""
SINGLE = '3 Pods use the claim "gpus", and its allocation is not shareable: one gets it'
UNKNOWN = 'all 3 Pods share the one claim "gpus": unless the driver allocates it as `shareable`, one gets it'
MEANT = 'all 3 Pods share the one claim "gpus": the same devices'


@pytest.mark.parametrize(
    ("more", "release", "rule", "told"),
    [
        (GENERATED, "1.30", "DRA418", SINGLE),
        (GENERATED + "shareable: true\n", "1.30", "DRA710", MEANT),
        ("", "1.30", "DRA710", UNKNOWN),
        ("status: {allocation: {shareable: true}}\n", "1.28", "DRA710", MEANT),
        ("status: {allocation: {shareable: false}}\n", "1.28", "DRA418", SINGLE),
        (GENERATED, "1.28", "DRA710", UNKNOWN),
    ],
)
def test_a_claim_of_the_classic_api_serves_one_pod_unless_it_is_shareable(
    check: Run, more: str, release: str, rule: str, told: str
) -> None:
    found = check(
        "-", "--kubernetes-version", release, "--select", "DRA4,DRA7", stdin=CLASSIC + more + REPLICAS
    ).report["findings"]

    assert [f["rule"] for f in found] == [rule]
    assert found[0]["message"].startswith(told)
    assert found[0]["path"] == (
        "spec.replicas" if rule == "DRA418" else "spec.template.spec.resourceClaims[0].source.resourceClaimName"
    )


SHARERS = REPLICAS.replace("source: {resourceClaimName: gpus}", "resourceClaimName: gpus")
SHARED = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: gpus, namespace: ml}
spec:
  devices:
    requests: [{name: gpu, exactly: {deviceClassName: a}}]
    config: [{opaque: {driver: gpu.example.com, parameters: {PARAMETERS: {strategy: TimeSlicing}}}}]
"""


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        (SHARED + SHARERS, ["DRA710"]),
        (SHARED.replace("PARAMETERS", "sharing") + SHARERS, []),
        ((SHARED + SHARERS).replace(" gpus", " shared-gpus"), []),
        (SHARED + SHARERS + SHARERS.replace(" serve,", " other,"), []),
    ],
)
def test_pods_that_share_a_claim_on_purpose_need_no_advice(check: Run, text: str, rules: list[str]) -> None:
    assert [rule for rule, *_ in check("-", stdin=text).findings] == rules


@pytest.mark.parametrize(("label", "rules"), [("owner", ["DRA707"]), ("chart", []), ("version", [])])
def test_what_a_chart_notes_on_a_template_is_not_meant_for_its_claims(check: Run, label: str, rules: list[str]) -> None:
    template = TEMPLATE.replace(NAMESPACE, f"{NAMESPACE}  labels:\n    example.com/{label}: a\n")

    assert [rule for rule, *_ in check("-", stdin=template).findings] == rules


def test_an_allocated_claim_needs_its_class_no_longer(check: Run) -> None:
    wanted = (
        "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: c, namespace: ml}\nspec:\n  devices:\n"
        "    requests: [{name: gpu, exactly: {deviceClassName: gone.example.com}}]\n"
    )
    results = "results: [{request: gpu, driver: gpu.example.com, pool: n1, device: gpu-0}]"
    allocated = f"{wanted}status: {{allocation: {{devices: {{{results}}}}}}}\n"

    assert [f["rule"] for f in check("-", "--complete", stdin=wanted).report["findings"]] == ["DRA404"]
    assert check("-", "--complete", stdin=allocated).report["findings"] == []


def test_of_a_rule_a_thousand_problems_of_one_pod_are_told(check: Run) -> None:
    entries = "".join(f"  - {{name: c{number}, resourceClaimName: c{number}}}\n" for number in range(1002))
    head = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers: [{name: a}]\n  resourceClaims:\n"
    found = [f for f in check("-", stdin=head + entries).report["findings"] if f["line"] > 6]

    assert [sum(f["rule"] == rule for f in found) for rule in ("DRA705", "DRA109")] == [1000, 1]
    more = next(f for f in found if f["rule"] == "DRA109")
    assert (more["line"], more["path"], more["message"], more["hint"]) == (
        1006,
        "spec.resourceClaims[999]",
        "dralint does not list every problem of DRA705 here, because the list would be too long",
        "repair these first, then check again: 2 more problems of this rule are not shown yet",
    )


def test_a_container_that_names_a_claim_of_the_pod_and_a_misspelt_one_is_judged(check: Run) -> None:
    device = "deviceClassName: gpu.example.com\n"
    template = TEMPLATE.replace(
        device, f"{device}          tolerations: [{{key: a.example.com/b, operator: Exists}}]\n"
    )
    template += "      - {name: nic, exactly: {deviceClassName: nic.example.com}}\n"
    outcome = check("-", stdin=both(template, f"{POD}        request: gpu\n      - {{name: gpuu, request: nic}}\n"))

    assert (outcome.status, outcome.stderr) == (1, "")
    assert [(f["rule"], f["path"], f["hint"]) for f in outcome.report["findings"]] == [
        ("DRA280", "spec.containers[0].resources.claims[1]", 'did you mean "gpu"?')
    ]


def test_a_class_that_is_nearly_one_of_the_input_is_told_though_others_may_exist(check: Run) -> None:
    there = "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: gpu.example.com}\n---\n"
    outcome = check("-", stdin=there + TEMPLATE.replace("gpu.example.com", "gpu.example.co"))

    assert [(f["rule"], f["line"], f["hint"]) for f in outcome.report["findings"]] == [
        ("DRA404", 16, 'did you mean "gpu.example.com"?')
    ]


@pytest.mark.parametrize(
    "domain", ["deviceclasses.resource.kubernetes.io", "deviceclass.resource.k8s.io", "deviceclass.kubernetes.io"]
)
def test_a_domain_that_can_only_be_the_one_of_implicit_names(check: Run, domain: str) -> None:
    there = "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: gpu}\n---\n"
    pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n  - name: a\n    image: x\n"
    outcome = check("-", stdin=f"{there}{pod}    resources: {{limits: {{{domain}/gpu: 1}}}}\n")

    assert [(f["rule"], f["line"], f["hint"]) for f in outcome.report["findings"]] == [
        ("DRA414", 12, "did you mean deviceclass.resource.kubernetes.io/gpu?")
    ]


INVENTORY = """\
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: dra.example.com}
spec: {}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: s}
spec:
  driver: dra.example.com
  nodeName: node-1
  pool: {name: node-1, generation: 1, resourceSliceCount: 1}
  devices: [{name: gpu-0}]
"""


@pytest.mark.parametrize(
    ("inventory", "found"),
    [
        (INVENTORY, [("DRA404", "spec.spec.devices.requests[0].exactly.deviceClassName", 12)]),
        (INVENTORY.partition("---\n")[2], []),
    ],
)
def test_an_inventory_with_classes_has_all_classes(
    check: Run, workdir: Path, inventory: str, found: list[tuple[str, str, int]]
) -> None:
    (workdir / "inventory.yaml").write_text(inventory)
    report = check("-", "--slices", "inventory.yaml", stdin=TEMPLATE).report

    assert [(f["rule"], f["path"], f["line"]) for f in report["findings"]] == found
    assert all(f["message"].startswith('there is no DeviceClass "gpu.example.com"') for f in report["findings"])


PUBLISHED = """\
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: n1}
spec:
  driver: gpu.acme.test
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 1}
  devices: [{name: gpu-0, attributes: {model: {string: A100}, index: {int: 0}}}]
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu}
spec: {selectors: [{cel: {expression: device.driver == "gpu.acme.test"}}]}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: train}
spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu, selectors: [{cel: {expression: '%s'}}]}}]}}
"""


@pytest.mark.parametrize(
    ("expression", "rule", "message", "hint"),
    [
        (
            'device.attributes["acme.test"].model == "A100"',
            "DRA431",
            'the device has no attribute of the domain "acme.test" (there are: gpu.acme.test)',
            'did you mean "gpu.acme.test"?',
        ),
        (
            'device.attributes["gpu.acme.test"].index == "0"',
            "DRA430",
            'the attribute "index" is an int (0), compared with a string',
            "compare it with an int, as 0",
        ),
    ],
)
def test_a_selector_is_compared_with_the_slices_of_a_complete_input(
    check: Run, expression: str, rule: str, message: str, hint: str
) -> None:
    (found,) = check("-", "--complete", stdin=PUBLISHED % expression).report["findings"]

    assert (found["rule"], found["line"], found["hint"]) == (rule, 18, hint)
    assert message in found["message"]
