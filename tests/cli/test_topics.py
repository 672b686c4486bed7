"""`dralint explain` answers symptoms, messages of Kubernetes, and subjects: the rows of rules/topics.yaml."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dralint.api import lint_text
from dralint.explain.search import asked, topics

if TYPE_CHECKING:
    from tests.conftest import Run


def test_each_phrase_finds_its_topic_first() -> None:
    for topic in topics():
        for phrase in topic.words:
            assert asked(phrase)[0] == topic, phrase


def test_each_example_is_clean() -> None:
    for topic in topics():
        found = [finding.message for finding in lint_text(topic.example).findings if finding.severity != "info"]
        assert (topic.topic, found) == (topic.topic, [])


@pytest.mark.slow
def test_each_name_to_see_can_be_explained(run: Run) -> None:
    for name in sorted({name for topic in topics() for name in topic.see}):
        assert run("explain", name).status == 0, name


@pytest.mark.parametrize(
    ("message", "topic"),
    [
        (
            "0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 cannot allocate all claims. preemption: 0",
            "A Pod with claims stays Pending",
        ),
        (
            "Failed to prepare dynamic resources: prepare dynamic resources: DRA driver gpu.x.com is not registered",
            "A Pod hangs in ContainerCreating",
        ),
        (
            "claim team/c: selector #0 on device gpu.example.com/node-a/gpu-0: CEL runtime error: no such key: model",
            "An expression fails while the scheduler runs it",
        ),
        (
            "0/1 nodes are available: request g: device class gpu.example.com does not exist. preemption: 0/1",
            "A device class does not exist",
        ),
        (
            "failed to create containerd container: CDI device injection failed: unresolvable CDI devices x=y",
            "The container runtime does not find the device",
        ),
        ("0/3 nodes are available: 3 resourceclaim in use.", "A claim is in use or goes away"),
        (
            "internal error: unable to get claim info for ResourceClaim pod1-gpu in namespace default",
            "The kubelet does not know a claim of the Pod",
        ),
        (
            "requested device channel-0 is already allocated to different claim 4914da61",
            "The driver still holds the device for another claim",
        ),
        (
            "NodePrepareResources: rpc error: code = DeadlineExceeded desc = context deadline exceeded",
            "The driver takes too long to prepare a device",
        ),
        ("not enough cpus available to satisfy request: requested=8, available=0", "Exclusive CPUs"),
        (
            "error getting next available index: cannot add more nodes, already at maximum (18)",
            "Compute domains of NVIDIA",
        ),
        (
            "allocating dynamic resources, no instance type can satisfy the allocation",
            "Autoscalers, queues and operators",
        ),
        ("node worker-1: timed out trying to allocate devices", "The scheduler takes too long to allocate"),
        (
            "claim t/c, request g: asks for all devices, but resource pool gpu.x.com/n is currently being updated",
            "The pool of a driver is not complete",
        ),
        ("claim t/c: number of requested devices 40 exceeds the claim limit of 32", "Too many devices in one claim"),
        (
            'running PreBind plugin "DynamicResources": device binding timeout',
            "A Pod waits until its devices are ready",
        ),
        (
            "resourceClaims[0]: Invalid value: must specify one of: `resourceClaimName`, `resourceClaimTemplateName`",
            "The server refuses an object",
        ),
        (
            "claim a, request b: has subrequests, but the DRAPrioritizedList feature is disabled",
            "The scheduler needs a feature gate",
        ),
        ("prefer an A100, otherwise take two A40", "One device or else another"),
        ("how do I get a GPU with at least 40Gi?", "A device with a property"),
        ("drain a GPU for maintenance", "A device that must not be used"),
        ("can a Pod use a claim in another namespace", "Claims and namespaces"),
        ("can two pods share one gpu", "Several Pods or containers share a device"),
        ("what is the difference between ResourceClaim and ResourceClaimTemplate", "A claim or a template"),
        ("how many devices can one claim have", "Too many devices in one claim"),
        (
            'error: the server doesn\'t have a resource type "deviceclasses"',
            "The server does not know the kind or the API version",
        ),
        ("two pods share gpu", "Several Pods or containers share a device"),
        ("ResourceClaim is immutable: spec: Forbidden: field is immutable", "The server refuses an object"),
        ("Device Taint manager: deleting due to NoExecute taint", "A Pod with devices is evicted"),
        (
            'no matches for kind "ResourceClaim" in version "resource.k8s.io/v1"',
            "The server does not know the kind or the API version",
        ),
        ("why is my pod stuck in terminating?", "A Pod or a claim stays in Terminating"),
        ("how to share a gpu", "Several Pods or containers share a device"),
        ("limit gpus in a namespace", "Quotas for devices and claims"),
    ],
)
def test_a_message_or_a_question_finds_its_topic(message: str, topic: str, run: Run) -> None:
    shown = run("explain", message).stdout

    assert shown.splitlines()[0] == topic


def test_other_words_find_no_topic() -> None:
    assert [asked(words) for words in ("firstAvailable", "ResourceClaim.status.reservedFor", "DRA203", "")] == [[]] * 4


def test_a_subject_is_followed_by_what_has_its_words(run: Run) -> None:
    shown = run("explain", "TimeSlicing").stdout

    assert shown.startswith("Several Pods or containers share a device\n")
    assert "  GpuConfig.sharing\n    strategy: string; required; TimeSlicing or MPS;" in shown
    assert "TimeSlicing needs the feature gate TimeSlicingSettings" in shown
    assert run("explain", "quota").stdout.count("DRA427") == 2


def test_the_one_field_of_a_name_is_shown_with_its_page(run: Run) -> None:
    shown = run("explain", "firstAvailable").stdout

    assert shown.startswith("ResourceClaim.spec.devices.requests.firstAvailable\n")
    assert "  firstAvailable:\n  - name: big\n" in shown
    assert shown.endswith("  DRA708 single-alternative\n      firstAvailable has one entry.\n")
