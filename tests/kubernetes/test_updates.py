"""What no update of a workload changes."""

from __future__ import annotations

from typing import Any

import pytest

from dralint.kubernetes.release import Release
from dralint.kubernetes.updates import fixed_changes, kept_rolling_update
from tests.newest import NEWEST

CONTAINER = {"name": "main", "image": "app:1", "resources": {"limits": {"cpu": "1"}}}
POD = {"restartPolicy": "Never", "containers": [CONTAINER]}
DEFAULTS = {"dnsPolicy": "ClusterFirst", "schedulerName": "default-scheduler", "terminationGracePeriodSeconds": 30}
LABELS = {"batch.kubernetes.io/job-name": "j"}


def job(pod: dict[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    return {**spec, "template": {"spec": {**POD, **(pod or {})}}}


def live(**spec: Any) -> dict[str, Any]:
    """Return the spec of a Job as the server has it."""
    container = {**CONTAINER, "imagePullPolicy": "Always", "resources": {"limits": {"cpu": "1000m"}}}
    filled = {"completions": 1, "parallelism": 1, "completionMode": "NonIndexed", "selector": {"matchLabels": LABELS}}
    template = {"metadata": {"labels": LABELS}, "spec": {**POD, **DEFAULTS, "containers": [container]}}
    return {**filled, "suspend": False, "template": template, **spec}


def said(kind: str, was: dict[str, Any], now: dict[str, Any], release: str = NEWEST) -> list[tuple[str, str]]:
    return [
        (".".join(map(str, change.path)), change.reason.partition(" ")[2])
        for change in fixed_changes(kind, was, now, Release.parse(release))
    ]


OTHER_IMAGE = job({"containers": [{**CONTAINER, "image": "app:2"}]})
IMMUTABLE = "is immutable"
TANDEM = "only be modified in tandem with spec.parallelism"


@pytest.mark.parametrize(
    ("was", "now", "changed"),
    [
        (live(), job(), []),
        (live(), job(parallelism=3, backoffLimit=2, suspend=True), []),
        (live(), job(completionMode="NonIndexed"), []),
        (live(), OTHER_IMAGE, [("template.spec.containers.0.image", IMMUTABLE)]),
        (live(), job({"nodeSelector": {"a": "b"}}), [("template.spec.nodeSelector", IMMUTABLE)]),
        (live(suspend=True), job({"nodeSelector": {"a": "b"}}), []),
        (live(suspend=True), OTHER_IMAGE, [("template.spec.containers.0.image", IMMUTABLE)]),
        (live(), job(completions=2), [("completions", IMMUTABLE)]),
        (live(), job(podFailurePolicy={"rules": []}), [("podFailurePolicy", IMMUTABLE)]),
        (live(completionMode="Indexed"), job(completionMode="Indexed", completions=2), [("completions", TANDEM)]),
        (live(completionMode="Indexed"), job(completionMode="Indexed", completions=2, parallelism=2), []),
        (live(completionMode="Indexed", parallelism=2), job(completionMode="Indexed", completions=2), []),
        # Another manifest need not write the defaults.
        (job(), job({"dnsPolicy": "ClusterFirst"}), []),
        (job({"dnsPolicy": "Default"}), job(), []),
        (job(), OTHER_IMAGE, [("template.spec.containers.0.image", IMMUTABLE)]),
        (job(), job(completions=1), []),
        (job(), job(completions=2), [("completions", IMMUTABLE)]),
    ],
)
def test_a_job_keeps_its_template_and_completions(
    was: dict[str, Any], now: dict[str, Any], changed: list[tuple[str, str]]
) -> None:
    assert said("Job", was, now) == changed


def claim(storage: str, **more: Any) -> dict[str, Any]:
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": storage}}, **more}
    return {"metadata": {"name": "data"}, "spec": spec}


STATEFUL = {
    "selector": {"matchLabels": {"app": "s"}},
    "podManagementPolicy": "OrderedReady",
    "volumeClaimTemplates": [claim("1Gi", volumeMode="Filesystem")],
    "template": {"spec": {**POD, **DEFAULTS}},
}


@pytest.mark.parametrize(
    ("now", "changed"),
    [
        ({"volumeClaimTemplates": [claim("1024Mi")], "replicas": 4}, []),
        ({"volumeClaimTemplates": [claim("2Gi")]}, ["volumeClaimTemplates.0.spec.resources.requests.storage"]),
        (
            {"volumeClaimTemplates": [claim("1Gi"), {**claim("1Gi"), "metadata": {"name": "log"}}]},
            ["volumeClaimTemplates.1.metadata.name"],
        ),
        (
            {"volumeClaimTemplates": [claim("1Gi"), claim("3Gi")][1:]},
            ["volumeClaimTemplates.0.spec.resources.requests.storage"],
        ),
        ({"serviceName": ""}, []),
        ({"serviceName": "s"}, ["serviceName"]),
        ({"podManagementPolicy": "Parallel"}, ["podManagementPolicy"]),
        ({"selector": {"matchLabels": {"app": "s", "v": "2"}}}, ["selector.matchLabels.v"]),
        ({"selector": {"matchLabels": {}}}, ["selector"]),
        ({"template": {"spec": {"containers": []}}, "updateStrategy": {"type": "OnDelete"}}, []),
    ],
)
def test_a_stateful_set_keeps_its_claims_service_and_selector(now: dict[str, Any], changed: list[str]) -> None:
    assert [path for path, _ in said("StatefulSet", STATEFUL, now)] == changed


def test_an_omitted_default_may_be_written_in_the_next_manifest() -> None:
    before = {"selector": {"matchLabels": {"app": "s"}}}

    assert said("StatefulSet", before, {**before, "podManagementPolicy": "OrderedReady"}) == []
    assert said("CronJob", {}, {"schedule": "* * * * *"}) == []


def test_the_resources_of_a_suspended_job_may_change_since_1_36() -> None:
    more = job({"containers": [{**CONTAINER, "resources": {"limits": {"cpu": "2"}}}]})

    assert said("Job", live(suspend=True), more) == []
    assert said("Job", live(suspend=True), more, "1.35") == [
        ("template.spec.containers.0.resources.limits.cpu", IMMUTABLE)
    ]
    assert said("Job", live(), more) == [("template.spec.containers.0.resources.limits.cpu", IMMUTABLE)]


@pytest.mark.parametrize(
    ("kind", "field", "other", "filled", "message"),
    [
        (
            "Deployment",
            "strategy",
            "Recreate",
            {"maxSurge": "25%", "maxUnavailable": "25%"},
            "spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'",
        ),
        (
            "StatefulSet",
            "updateStrategy",
            "OnDelete",
            {"partition": 0},
            "spec.updateStrategy.rollingUpdate: Invalid value: only allowed for updateStrategy 'RollingUpdate'",
        ),
    ],
)
def test_another_strategy_keeps_what_the_server_has_filled_in(
    kind: str, field: str, other: str, filled: dict[str, Any], message: str
) -> None:
    was = {field: {"type": "RollingUpdate", "rollingUpdate": filled}}
    own = {field: {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 2}}}

    assert kept_rolling_update(kind, was, {field: {"type": other}}) == message
    assert kept_rolling_update(kind, was, {field: {"type": other, "rollingUpdate": None}}) == ""
    assert kept_rolling_update(kind, was, {field: {"type": "RollingUpdate"}}) == ""
    assert kept_rolling_update(kind, {field: {"type": other}}, {field: {"type": other}}) == ""
    assert kept_rolling_update(kind, was, {}) == ""
    assert kept_rolling_update(kind, own, {field: {"type": other}}) == ""
