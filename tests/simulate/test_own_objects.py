"""Applying objects that the inventory already has changes nothing: no object, and no answer."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dralint.simulate.answers import question
from dralint.simulate.behaviours import behaviour
from dralint.simulate.cluster import Cluster
from dralint.simulate.questions import Questions
from dralint.simulate.server import ApiServer
from tests.newest import NEWEST
from tests.simulate.made_cluster import cluster

OBJECTS = [
    item for item in cluster() if item["kind"] in ("DeviceClass", "DeviceTaintRule", "ResourceQuota", "Namespace")
]
OBJECTS += [item for item in cluster() if item["kind"] == "Deployment"]
OBJECTS += [
    item
    for item in cluster()
    if item["kind"] in ("Node", "ResourceSlice", "ResourceClaim", "ResourceClaimTemplate", "Pod")
][::3]


def answers(there: Cluster, server: ApiServer | None) -> list[dict[str, Any]]:
    """Return what is answered, without the time that it took."""
    questions = Questions(there, behaviour(NEWEST, {}), quotas=None if server is None else server.quotas)
    made = [question(questions.ask(workload)) for workload in questions.pending()]
    made += [question(answer) for answer in questions.evictions()]
    for one in made:
        for node in one["nodes"]:
            del node["seconds"]
    return made


def read(objects: list[dict[str, Any]]) -> Cluster:
    there = Cluster()
    for item in objects:
        there.add(item)
    return there


BEFORE = answers(read(OBJECTS), None)


@pytest.mark.slow
@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.sampled_from(OBJECTS), max_size=60))
def test_no_answer_changes_for_objects_that_are_there(again: list[dict[str, Any]]) -> None:
    there = read(OBJECTS)
    objects = dict(there.objects)
    server = ApiServer(there, behaviour(NEWEST, {}))
    for item in again:
        assert server.apply(item) is not None

    assert server.refused == {}
    assert there.objects == objects
    assert answers(there, server) == BEFORE
