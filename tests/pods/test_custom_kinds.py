"""Custom resources of the table in rules/workloads.yaml: claims outside of Pod specs, envelopes, generated names."""

from __future__ import annotations

from typing import Any

import pytest

import dralint

TEMPLATE = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: one-gpu, namespace: team}
spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.example.com}}]}}}
---
"""
CLASS = "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: gpu.example.com}\n---\n"
ENTRY = "{name: gpu, resourceClaimTemplateName: one-gpu}"


def told(text: str, **choices: Any) -> list[tuple[str, str, str]]:
    """What is said of one custom resource that stands beside a template."""
    report = dralint.lint_text(TEMPLATE + text, **choices)
    assert report.failures == []
    return [(f.rule, f.path, f.message) for f in report.findings if f.effect not in ("advice", "deprecated")]


def custom(api_version: str, kind: str, spec: str) -> str:
    return f"apiVersion: {api_version}\nkind: {kind}\nmetadata: {{name: a, namespace: team}}\nspec: {spec}\n"


def test_a_step_of_a_workflow_uses_the_list_of_the_workflow() -> None:
    steps = "templates: [{name: main, container: {image: x, resources: {claims: [{name: %s}]}}}]"
    workflow = f"{{resourceClaims: [{ENTRY}], {steps}}}"

    assert told(custom("argoproj.io/v1alpha1", "Workflow", workflow % "gpu")) == []
    assert told(custom("argoproj.io/v1alpha1", "Workflow", workflow % "gpus")) == [
        (
            "DRA282",
            "spec.templates[0].container.resources.claims[0]",
            (
                '"gpus" is not the name of an entry in the Pod\'s resourceClaims; it has: gpu '
                "(Pods made from this Workflow will be refused)"
            ),
        )
    ]


PATCH = '{"resourceClaims": [{"name": "%s", "resourceClaimTemplateName": "one-gpu"}]}'
BLOCK = "|\n      resourceClaims:\n      - name: %s\n        resourceClaimTemplateName: one-gpu"
STEP = """
  %s: 1
  templates:
  - name: main
    podSpecPatch: %s
    container: {image: x, resources: {claims: [{name: gpu}]}}
"""


def patched(patch: str) -> str:
    return STEP % ("priority", patch)


OF_ALL = STEP.replace("%s: 1", "podSpecPatch: '%s'") % (PATCH % "gpu", "'{}'")
LISTED = "    resourceClaims: [{name: gpu, resourceClaimTemplateName: no}]\n    container"


@pytest.mark.parametrize(
    ("kind", "spec"),
    [
        ("Workflow", patched(f"'{PATCH % 'gpu'}'")),
        ("Workflow", patched(BLOCK % "gpu")),
        ("Workflow", patched("'{{inputs.parameters.patch}}'")),
        ("Workflow", patched(BLOCK % "'{{=x}}'")),
        # a patch of the whole workflow
        ("Workflow", OF_ALL),
        ("CronWorkflow", "\n  workflowSpec:" + OF_ALL.replace("\n", "\n  ")),
        # an entry of a patch replaces the one of its name
        ("Workflow", patched(f"'{PATCH % 'gpu'}'").replace("    container", LISTED)),
    ],
)
def test_a_patch_of_the_pod_spec_declares_claims(kind: str, spec: str) -> None:
    assert told(custom("argoproj.io/v1alpha1", kind, spec)) == []


def test_what_a_patch_names_must_exist_and_has_no_repair() -> None:
    spec = patched(f"'{(PATCH % 'gpu').replace('one-gpu', 'one-gpus')}'")
    report = dralint.lint_text(TEMPLATE + custom("argoproj.io/v1alpha1", "Workflow", spec))

    assert [(one.rule, one.line, one.fix) for one in report.findings] == [("DRA402", 13, None)]


def test_a_list_that_several_steps_use_is_told_once() -> None:
    step = "{name: %s, container: {image: x, resources: {claims: [{name: gpu}]}}}"
    claims = "[{name: gpu, resourceClaimTemplateName: one-gpus}]"
    workflow = f"{{resourceClaims: {claims}, templates: [{step % 'a'}, {step % 'b'}]}}"

    assert [(rule, path) for rule, path, _ in told(custom("argoproj.io/v1alpha1", "Workflow", workflow))] == [
        ("DRA402", "spec.resourceClaims[0].resourceClaimTemplateName")
    ]


def test_a_container_beside_the_pod_spec_uses_its_list() -> None:
    claims = f"template: {{spec: {{resourceClaims: [{ENTRY}]}}}}"
    nodes = "{slurmd: {resources: {claims: [{name: gpu, request: %s}]}}, " + claims + "}"

    assert told(custom("slinky.slurm.net/v1beta1", "NodeSet", nodes % "gpu")) == []
    assert [(rule, path) for rule, path, _ in told(custom("slinky.slurm.net/v1beta1", "NodeSet", nodes % "gpuu"))] == [
        ("DRA403", "spec.slurmd.resources.claims[0].request")
    ]


def test_a_custom_pod_without_a_list_is_told_where_nothing_else_can_declare() -> None:
    container = "{name: a, image: x, resources: {claims: [{name: gpu}]}}"
    alone = custom("serving.kserve.io/v1alpha2", "LLMInferenceService", f"{{template: {{containers: [{container}]}}}}")
    based = alone.replace("{template", "{baseRefs: [{name: base}], template")

    assert [(rule, path) for rule, path, _ in told(alone)] == [
        ("DRA282", "spec.template.containers[0].resources.claims[0]")
    ]
    assert told(based) == []


def test_a_device_of_a_virtual_machine_has_one_source_and_its_own_request() -> None:
    devices = "gpus: [{name: a, claimName: gpu, requestName: gpu%s}], hostDevices: [{name: b, claimName: gpu%s}]"
    machine = f"{{resourceClaims: [{ENTRY}], domain: {{devices: {{{devices}}}}}}}"

    both = told(custom("kubevirt.io/v1", "VirtualMachineInstance", machine % (", deviceName: x", ", requestName: nic")))
    twice = told(custom("kubevirt.io/v1", "VirtualMachineInstance", machine % ("", ", requestName: gpu")))

    assert ("DRA283", "spec.domain.devices.gpus[0]") in [row[:2] for row in both]
    assert [row[:2] for row in twice] == [("DRA283", "spec.domain.devices.hostDevices[0]")]


def test_objects_in_an_envelope_have_their_own_namespace() -> None:
    claims = f"resourceClaims: [{ENTRY}], containers: [{{name: a, image: x, resources: {{claims: [{{name: gpu}}]}}}}]"
    pod = f"{{apiVersion: v1, kind: Pod, metadata: {{name: b, namespace: team}}, spec: {{{claims}}}}}"
    work = custom("work.open-cluster-management.io/v1", "ManifestWork", f"{{workload: {{manifests: [{pod}]}}}}")

    assert told(CLASS + work.replace("name: a, namespace: team", "name: a, namespace: cluster1"), complete=True) == []
    assert [row[:2] for row in told(work.replace("one-gpu", "one-gpus"))] == [
        ("DRA402", "spec.resourceClaims[0].resourceClaimTemplateName")
    ]


def test_an_app_wrapper_passes_its_namespace_on() -> None:
    claims = f"resourceClaims: [{ENTRY}], containers: [{{name: a, image: x, resources: {{claims: [{{name: gpu}}]}}}}]"
    pod = f"{{apiVersion: v1, kind: Pod, metadata: {{name: b}}, spec: {{{claims}}}}}"
    wrapper = custom("workload.codeflare.dev/v1beta2", "AppWrapper", f"{{components: [{{template: {pod}}}]}}")

    assert told(CLASS + wrapper, complete=True) == []


def test_the_template_of_a_kind_of_the_whole_cluster_can_be_in_any_namespace() -> None:
    pod = f"{{resourceClaims: [{ENTRY}], containers: [{{name: a, image: x, resources: {{claims: [{{name: gpu}}]}}}}]}}"
    jobs = f"{{template: {{spec: {{replicatedJobs: [{{template: {{spec: {{template: {{spec: {pod}}}}}}}}}]}}}}}}"
    runtime = custom("trainer.kubeflow.org/v1alpha1", "ClusterTrainingRuntime", jobs).replace(", namespace: team", "")

    assert told(CLASS + runtime, complete=True) == []
    assert [rule for rule, _, _ in told(CLASS + runtime.replace("one-gpu", "gpu-one"), complete=True)] == ["DRA402"]


def test_what_a_controller_makes_is_there() -> None:
    pod = "{resourceClaims: [{name: a, resourceClaimTemplateName: %s}], containers: [%s]}"
    container = "{name: a, image: x, resources: {claims: [{name: a, request: %s}]}}"
    domain = custom("resource.nvidia.com/v1beta1", "ComputeDomain", "{channel: {resourceClaimTemplate: {name: ch}}}")

    def with_pod(made: str, template: str, request: str) -> list[str]:
        spec = pod % (template, container % request)
        one = f"{made}---\napiVersion: v1\nkind: Pod\nmetadata: {{name: p, namespace: team}}\nspec: {spec}\n"
        return [rule for rule, _, _ in told(CLASS + one, complete=True)]

    assert with_pod(domain, "ch", "channel") == []
    assert with_pod(domain, "ch", "channels") == ["DRA403"]
    service = custom("serving.kserve.io/v1alpha2", "LLMInferenceService", "{model: {uri: x}}")
    annotations = "annotations: {serving.kserve.io/exp-dra-device-class: gpu.example.com}"
    managed = service.replace("{name: a,", f"{{name: a, {annotations},")
    assert with_pod(managed, "a-managed-dra", "device") == []
    assert with_pod(service, "a-managed-dra", "device") == ["DRA402"]
