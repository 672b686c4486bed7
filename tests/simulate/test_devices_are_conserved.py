"""Random clusters roll to other manifests and back: no device is lost or invented, and names change no verdict."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any, NamedTuple

import pytest

from tests.objects import Item
from tests.simulate.rolling import CLASS, applied, node, pod_spec, running, template, workload

KINDS = ("Deployment", "Deployment", "StatefulSet", "DaemonSet", "ReplicaSet")
STRATEGIES: Mapping[str, tuple[Item, ...]] = {
    "Deployment": (
        {},
        {"strategy": {"type": "Recreate"}},
        {"strategy": {"rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}}},
        {"strategy": {"rollingUpdate": {"maxSurge": "50%", "maxUnavailable": "50%"}}},
    ),
    "StatefulSet": (
        {},
        {"podManagementPolicy": "Parallel"},
        {"updateStrategy": {"rollingUpdate": {"maxUnavailable": 2}}},
        {"updateStrategy": {"rollingUpdate": {"partition": 1}}},
    ),
    "DaemonSet": (
        {},
        {"updateStrategy": {"rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}},
        {"updateStrategy": {"type": "OnDelete"}},
    ),
    "ReplicaSet": ({},),
}


class Shape(NamedTuple):
    """A manifest: its kind and strategy, how many Pods with how many devices each, and its image."""

    name: str
    kind: str
    strategy: Item
    replicas: int
    wants: int
    image: int
    extended: bool

    def item(self) -> Item:
        spec = dict(self.strategy) if self.kind == "DaemonSet" else {**self.strategy, "replicas": self.replicas}
        pod = pod_spec(f"app:{self.image}", extended=self.extended, count=self.wants)
        if not self.extended:
            pod["resourceClaims"] = [{"name": "gpu", "resourceClaimTemplateName": f"want-{self.wants}"}]
        return workload(self.kind, spec, pod, self.name)


class World(NamedTuple):
    """A cluster: the devices of its nodes, its workloads, and the devices of their Pods, on nodes, by name."""

    nodes: Mapping[str, int]
    shapes: tuple[Shape, ...]
    pods: Mapping[str, tuple[Shape, str, tuple[str, ...]]]

    def objects(self) -> list[Item]:
        made = [CLASS, *(template(count, f"want-{count}") for count in (1, 2, 3, 9))]
        for name, number in self.nodes.items():
            made += node(name, number)
        made += [shape.item() for shape in self.shapes]
        for name, (shape, on, devices) in sorted(self.pods.items()):  # as kubectl lists them
            made += running(shape.item(), name, on, *devices, count=shape.wants)
        return made


def drawn(seed: int, nodes: int = 3) -> tuple[World, tuple[Shape, ...]]:
    """Return a random cluster, and other manifests for its workloads."""
    draw = random.Random(seed)
    there = {f"node-{number}": draw.randint(1, 5) for number in range(draw.randint(1, nodes))}
    free = {name: [f"gpu-{at}" for at in range(number)] for name, number in there.items()}
    shapes, others, pods = [], [], {}
    for letter in "ab"[: draw.randint(1, 2)]:
        kind = draw.choice(KINDS)
        shape = Shape(
            letter,
            kind,
            draw.choice(STRATEGIES[kind]),
            draw.randint(1, 5),
            draw.choice((1, 1, 2)),
            1,
            draw.random() < 0.4,
        )
        number = 0
        for on in list(there) if kind == "DaemonSet" else [draw.choice(list(there)) for _ in range(shape.replicas)]:
            if len(free[on]) >= shape.wants:
                draw.shuffle(free[on])
                pods[f"{letter}-{number}"] = (shape, on, tuple(free[on].pop() for _ in range(shape.wants)))
                number += 1
        image = 1 if kind == "ReplicaSet" else draw.choice((1, 2, 2))
        wants = draw.choice((shape.wants, 1, 2, 3, 9)) if image == 2 else shape.wants
        strategy = shape.strategy if kind == "StatefulSet" else draw.choice(STRATEGIES[kind])
        shapes.append(shape)
        others.append(shape._replace(replicas=draw.randint(0, 5), strategy=strategy, wants=wants, image=image))
    return World(there, tuple(shapes), pods), tuple(others)


def rolled(world: World, shapes: tuple[Shape, ...]) -> tuple[World, list[tuple[Any, ...]]]:
    """Return the cluster after manifests are applied to it, and the verdicts; each device is where it must be."""
    questions, _, workloads = applied(world.objects(), [shape.item() for shape in shapes])
    answers = questions.sequence(workloads)

    stay = {name: pod for name, pod in world.pods.items() if name not in questions.ended}
    held = {(on, device) for _, on, devices in stay.values() for device in devices}
    taken = {(device.pool, device.device) for device in questions.inventory.in_use.exclusive}
    assert held <= taken, "a device of a Pod that stays is free"
    assert taken <= {(name, f"gpu-{at}") for name, number in world.nodes.items() for at in range(number)}

    left = {name: sorted(device for on, device in taken - held if on == name) for name in world.nodes}
    verdicts: list[tuple[Any, ...]] = []
    for shape, answer in zip(shapes, answers, strict=True):
        many = answer.replicas
        where = dict(many.placed) if many is not None else {answer.placed: 1} if answer.placed else {}
        verdicts.append((answer.answer, sum(where.values()), many and (many.wanted, many.running, many.ended)))
        numbers = (number for number in range(100) if f"{shape.name}-{number}" not in stay)
        for on, number in where.items():
            for _ in range(number):
                assert len(left[on]) >= shape.wants, "a Pod is placed without devices"
                devices, left[on] = tuple(left[on][: shape.wants]), left[on][shape.wants :]
                stay[f"{shape.name}-{next(numbers)}"] = (shape, on, devices)
        if many is not None and many.stuck > 0:
            stay[f"{shape.name}-{next(numbers)}"] = (shape, "", ())
    assert not any(left.values()), "a device is in use, and no Pod has it"
    return World(world.nodes, shapes, stay), verdicts


FEW, MANY = range(20), range(20, 600)


@pytest.mark.parametrize("seeds", [FEW, pytest.param(MANY, marks=pytest.mark.slow)])
def test_a_roll_out_and_its_way_back_lose_and_invent_no_device(seeds: range) -> None:
    for seed in seeds:
        world, shapes = drawn(seed)
        there, _ = rolled(world, shapes)
        rolled(there, world.shapes)


@pytest.mark.parametrize("seeds", [FEW, pytest.param(MANY, marks=pytest.mark.slow)])
def test_the_order_of_names_changes_no_verdict(seeds: range) -> None:
    for seed in seeds:
        world, shapes = drawn(seed, nodes=1)
        names = [name for name, (shape, _, _) in world.pods.items() if shape.kind != "StatefulSet"]
        other = random.Random(seed).sample(names, len(names))
        meant = dict(zip(names, other, strict=True))
        pods = {meant.get(name, name): pod for name, pod in world.pods.items()}

        assert rolled(world._replace(pods=pods), shapes)[1] == rolled(world, shapes)[1], seed
