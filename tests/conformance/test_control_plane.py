"""The control plane as a judge, as far as it needs no Go: cases, records, comparisons."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from conformance.control_plane import compare, record, servers, written
from conformance.control_plane.cases import NODES, POD_TEMPLATE_KINDS, cases
from conformance.control_plane.record import Run
from conformance.control_plane.servers import Reply
from conformance.recording import Row, read
from dralint.kubernetes import gates
from dralint.kubernetes.release import Release

SAMPLE = Path(__file__).parents[1] / "data" / "judges" / "control-plane.1.37.jsonl.gz"
WORKLOADS = ("Pod", *POD_TEMPLATE_KINDS)


def causes(row: Row) -> list[tuple[str, str]]:
    """Return question and cause of the difference that a row has."""
    return [(one.kind, one.cause) for one in compare.differing("1.37", [row])]


def test_a_seed_gives_the_same_cases_and_another_seed_others() -> None:
    first, again, other = (list(cases("1.37", seed, 20, {})) for seed in ("a", "a", "b"))

    assert first == again
    assert first != other


@pytest.mark.parametrize("release", ["1.34", "1.37"])
@pytest.mark.parametrize("gates", sorted(record.SETS))
def test_cases_have_several_objects_in_a_namespace_of_their_own(release: str, gates: str) -> None:
    every = list(cases(release, "a", 150, record.SETS[gates](Release.parse(release))))

    assert len({case["namespace"] for case in every}) == len(every)
    assert {one["kind"] for case in every for one in case["applied"]} >= {*WORKLOADS, "ResourceQuota", "ResourceClaim"}
    for case in every:
        nodes = [one["metadata"]["name"] for one in case["before"] if one["kind"] == "Node"]
        assert nodes
        assert set(nodes) <= set(NODES)
        kinds = [one["kind"] for one in case["applied"] if one["kind"] in WORKLOADS]
        assert kinds == sorted(kinds, key=lambda kind: kind != "Pod"), "Pods come before workloads"


@pytest.mark.parametrize(("release", "number"), [("1.35", 68), ("1.36", 99), ("1.37", 99)])
def test_written_cases_are_of_the_releases_and_gates_that_they_name(release: str, number: int) -> None:
    known = set(gates.known(Release.parse(release)))
    found = {name: list(written.cases(release, name)) for name in record.SETS}
    every = [case for several in found.values() for case in several]

    assert len({case["id"] for case in every}) == len(every) == number
    for name in (name for name, several in found.items() if several):
        assert set(record.SETS[name](Release.parse(release))) <= known
    for case in every:
        assert case["before"][0]["metadata"]["name"] == case["namespace"] == case["id"].partition("/")[2]
        nodes = [one["metadata"]["name"] for one in case["before"] if one["kind"] == "Node"]
        assert set(nodes) <= set(NODES)
        spaces = {one["metadata"].get("namespace") for one in (*case["before"], *case["applied"])}
        assert spaces == {None, case["namespace"]}
    groups = {one["apiVersion"] for case in every for one in case["before"] if one["kind"] == "PodGroup"}
    assert groups == {"1.36": {"scheduling.k8s.io/v1alpha2"}, "1.37": {"scheduling.k8s.io/v1beta1"}}.get(release, set())


@pytest.mark.parametrize(
    ("release", "scores"), [("1.34", ["NodeAffinity"]), ("1.35", ["DynamicResources", "NodeAffinity"])]
)
def test_the_scheduler_prefers_the_first_of_equal_nodes(release: str, scores: list[str]) -> None:
    [profile] = servers.scheduler(Release.parse(release))["profiles"]
    preferred = profile["pluginConfig"][0]["args"]["addedAffinity"]["preferredDuringSchedulingIgnoredDuringExecution"]
    weights = {one["preference"]["matchFields"][0]["values"][0]: one["weight"] for one in preferred}

    assert sorted(weights, key=lambda name: -weights[name]) == sorted(NODES)
    assert [one["name"] for one in profile["plugins"]["score"]["enabled"]] == scores


@pytest.mark.parametrize(
    ("message", "plain"),
    [
        (
            "0/2 nodes are available: 2 cannot allocate all claims. preemption: 0/2 nodes are available: 2 No help.",
            "0/2 nodes are available: 2 cannot allocate all claims.",
        ),
        (
            "0/1 nodes are available: request g: device class x does not exist.",
            "request g: device class x does not exist",
        ),
        ('running "DynamicResources" filter plugin: claim a/b: too many', "claim a/b: too many"),
        ('running PreBind plugin "DynamicResources": add', 'running PreBind plugin "DynamicResources": add'),
    ],
)
def test_the_words_of_a_plugin_are_recorded(message: str, plain: str) -> None:
    assert record.plain(message) == plain


class _Request(NamedTuple):
    method: str
    path: str
    body: Any


class _Servers:
    """An API server that keeps what it is given, refuses objects named `bad`, and puts every Pod on `node-a`."""

    def __init__(self) -> None:
        self.asked: list[_Request] = []
        self.stored: dict[str, dict[str, Any]] = {}

    def path(self, api_version: str, kind: str, namespace: str | None) -> str:
        return f"/{api_version}/{kind}"

    def items(self, api_version: str, kind: str, namespace: str) -> list[dict[str, Any]]:
        place = self.path(api_version, kind, namespace)
        return [copy.deepcopy(one) for path, one in self.stored.items() if path.startswith(f"{place}/")]

    def request(self, method: str, path: str, body: Any = None) -> Reply:
        self.asked.append(_Request(method, path, body))
        name = path.partition("?")[0]
        if method == "POST":
            if body["metadata"]["name"] == "bad":
                return Reply(422, {"message": "bad is invalid"})
            made = {**body, "metadata": {**body["metadata"], "uid": body["metadata"]["name"]}, "status": {}}
            if body["kind"] == "Pod":
                made |= {"spec": {**body["spec"], "nodeName": "node-a"}, "status": {"phase": "Pending"}}
            self.stored[f"{name}/{body['metadata']['name']}"] = made
            return Reply(201, {})
        if method == "DELETE":
            for key in [key for key in self.stored if key == name or key.startswith(f"{name}/")]:
                del self.stored[key]
        if method == "PATCH" and name.endswith("/status"):
            self.stored[name.removesuffix("/status")]["status"] = body["status"]
        return Reply(200 if name in self.stored else 404, {})


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_QUIET", "_QUIET_WITHOUT_NEWS", "_OFTEN", "_INFORMED"):
        monkeypatch.setattr(record, name, 0.0)


@pytest.mark.usefixtures("at_once")
def test_a_run_records_what_is_refused_and_placed_and_leaves_nothing() -> None:
    fake: Any = _Servers()
    pods = [
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": {}} for name in ("old", "good", "bad")
    ]
    case = {"id": "a/1", "traits": [], "namespace": "case-1", "before": pods[:1], "applied": pods}

    row = Run(fake, case).row()

    assert [one["metadata"]["name"] for one in row["inventory"]] == ["old"]
    assert row["refused"] == [{"kind": "Pod", "name": "bad", "says": "bad is invalid"}]
    assert [(one["of"], one["node"], one["new"]) for one in row["pods"]] == [
        ("Pod/good", "node-a", True),
        ("Pod/old", "node-a", False),
    ]
    assert (row["settled"], row["ended"]) == (True, [])
    assert fake.stored == {}
    assert [one.method for one in fake.asked if "Pod/old?" in one.path] == ["PATCH"], "what is there is changed"


def row_with(kind: str) -> Row:
    """Return a row of the sample in which one workload of a kind has one new Pod, with devices or with a reason."""
    for row in read(SAMPLE):
        pods = [pod for pod in row["pods"] if pod["new"]]
        if len(pods) == 1 and not row["refused"] and not row["ended"]:
            [pod] = pods
            given = bool(pod["node"] and pod["devices"]) and None not in pod["devices"].values()
            if pod["says"] if kind == "waiting" else given:
                return row
    raise AssertionError(kind)


def with_pod(row: Row, **fields: Any) -> Row:
    """Return the row with another fate of its new Pod."""
    return row | {"pods": [pod | fields if pod["new"] else pod for pod in row["pods"]]}


@pytest.mark.slow
def test_another_fate_is_a_difference_with_its_cause() -> None:
    placed, waiting = row_with("placed"), row_with("waiting")

    assert causes(placed) == causes(waiting) == []
    assert causes(with_pod(placed, node=None)) == [("placed", "0 placed, dralint 1")]
    assert causes(with_pod(placed, node="node-x")) == [("placed", "on other nodes")]
    assert causes(with_pod(placed, devices={"work": ["gpu: x/y/z"]})) == [("devices", "other devices")]
    assert causes(with_pod(waiting, says="because")) == [("reason", "other words")]
    assert causes(placed | {"ended": ["Pod/x"]}) == [("ended", "1 ended, dralint 0")]
    refused = {"kind": "ResourceClaim", "name": "x", "says": "no"}
    assert causes(placed | {"refused": [refused]}) == [("refused", "refused, dralint accepts")]
    assert causes(with_pod(placed, node=None) | {"settled": False}) == []


@pytest.mark.slow
def test_an_object_that_only_dralint_refuses_is_a_difference() -> None:
    row = next(row for row in read(SAMPLE) if [one["kind"] for one in row["refused"]] == ["ResourceClaimTemplate"])

    assert causes(row) == []
    assert causes(row | {"refused": []}) == [("refused", "accepted, dralint refuses")]
