"""Expressions run over devices."""

from __future__ import annotations

import gzip
import json
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from dralint.cel import environment
from dralint.cel.device_values import DeviceError
from dralint.cel.machine import Device, Undecided, devices_of, evaluate
from dralint.cel.values import QuantityValue, Semver
from dralint.finding.problem import dict_of
from dralint.yaml import read
from tests.cel.ran import OUTCOMES, ran, why_not

GPU = Device(
    driver="gpu.example.com",
    attributes={
        "model": "A100",
        "index": 0,
        "ready": True,
        "driverVersion": Semver(550, 1, 0),
        "other.example.com/model": "X",
    },
    capacity={"memory": QuantityValue(Fraction(40 * 2**30), 0)},
    name="gpu-0",
)
D = 'device.attributes["gpu.example.com"]'
M = 'device.capacity["gpu.example.com"].memory'


@pytest.mark.parametrize(("expression", "matches"), OUTCOMES["matches"].items())
def test_says_whether_a_device_matches(expression: str, matches: bool) -> None:
    compilation = environment("1.37", kind="derived").compile(expression)
    assert compilation.ok, compilation.issues

    outcome = ran(compilation, GPU)

    assert (outcome.matches, outcome.error) == (matches, None)


@pytest.mark.parametrize(
    ("expression", "decider"),
    [
        (f'device.driver == "gpu.example.com" && {D}.model == "H100"', f'{D}.model == "H100"'),
        (f'device.driver == "x" || {D}.ready', f"{D}.ready"),
        (f'!({D}.model == "A100")', f'{D}.model == "A100"'),
        (f'has({D}.model) ? {D}.model == "B" : true', f'{D}.model == "B"'),
        (f'cel.bind(d, {D}, d.ready && d.model == "B")', 'd.model == "B"'),
    ],
)
def test_names_the_part_that_decided(expression: str, decider: str) -> None:
    assert ran(environment("1.37").compile(expression), GPU).decided_by == decider


@pytest.mark.parametrize(
    ("expression", "error", "part"),
    [
        (
            "quantity('2') == quantity('1').add(1)",
            "no such overload: == does not take the result of add() or sub() on its right",
            "quantity('2') == quantity('1').add(1)",
        ),
        ("[dyn(true)].sum() == 1", "sum does not apply to list", "[dyn(true)].sum()"),
        ("double('NaN') < 1.0", "NaN cannot be ordered", "double('NaN') < 1.0"),
        ("[7][?dyn(0.5)].hasValue()", "a list is not indexed with a double", "[7][?dyn(0.5)]"),
        (
            "{1: 2}[?dyn(quantity('1'))].hasValue()",
            "a kubernetes.Quantity is not an index",
            "{1: 2}[?dyn(quantity('1'))]",
        ),
        (f"{D}.nothing == 1", 'there is no "nothing"', f"{D}.nothing"),
        (
            f'{D}.model.compareTo(quantity("1")) > 0',
            "compareTo does not apply to string, kubernetes.Quantity",
            f'{D}.model.compareTo(quantity("1"))',
        ),
        (f'{M} == quantity("nonsense")', None, 'quantity("nonsense")'),
        (f"{D}.model", "the result is a string, not a bool", f"{D}.model"),
        (f"{D}.index / 0 == 1", "division by zero", f"{D}.index / 0"),
        (
            "[1][device.driver.size()] == 1",
            "the index 15 is out of range: there are 1 elements",
            "[1][device.driver.size()]",
        ),
    ],
)
def test_says_where_it_aborts(expression: str, error: str | None, part: str) -> None:
    outcome = ran(environment("1.37").compile(expression), GPU)

    assert outcome.matches is None
    assert outcome.decided_by == part
    assert outcome.error is not None
    if error is not None:
        assert outcome.error == error


def test_refuses_what_it_cannot_run_by_name() -> None:
    compilation = environment("1.37").compile('url("https://" + device.driver).getHost() == "x"')

    assert why_not(compilation, GPU) == (
        "dralint does not run url(); the compiler's verdict is valid, but the matching devices are not known"
    )


@pytest.mark.parametrize(
    "expression",
    [
        "lists.range(100000).map(x, lists.range(100000).map(y, x + y)).size() == 1",
        '"a".replace("", "' + "b" * 2000 + '").replace("b", "' + "c" * 5000 + '") == ""',
    ],
)
def test_gives_up_on_what_takes_too_long(expression: str) -> None:
    compilation = environment("1.37", kind="derived").compile(expression)
    if not compilation.ok:
        # Too costly for the server; run all the same by a release that estimates nothing.
        compilation = environment("1.31").compile(expression)
    if not compilation.ok:
        return

    assert why_not(compilation, Device("a" * 63)).startswith("dralint's limit of ")


@pytest.mark.slow
def test_outcomes_are_the_schedulers() -> None:
    """Random expressions over two devices; what dralint does not run is left out."""
    devices = [
        Device(
            "gpu.nvidia.com",
            {"a/x": "abc", "a/b": 3, "name": "gpu", "gpu/ok": True, "a/name": Semver(1, 2, 3), "a/index": 1},
            {"a/memory": QuantityValue(Fraction(10 * 2**30), 0), "a/b": QuantityValue(Fraction(3, 2), 3)},
        ),
        Device("x", {"a/x": 7}, {}, allow_multiple_allocations=True),
    ]
    judge = environment("1.37")
    compared = wrong = 0
    with gzip.open(
        Path(__file__).parents[1] / "data" / "cel" / "outcomes.1.37.jsonl.gz", "rt", encoding="utf-8"
    ) as file:
        rows = [json.loads(line) for line in file]
    for row in rows:
        for device, expected in zip(devices, row["outcomes"], strict=True):
            outcome = evaluate(judge.compile(row["expression"]), device)
            if isinstance(outcome, Undecided):
                continue
            compared += 1
            wrong += ("error" if outcome.error is not None else outcome.matches) != expected

    assert compared > 600
    assert wrong <= compared * 0.01


def test_a_refused_expression_is_not_run() -> None:
    with pytest.raises(ValueError, match="a refused expression cannot be run"):
        ran(environment("1.37").compile("1 +"), GPU)


SLICE = """\
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: s}
spec:
  driver: gpu.example.com
  pool: {name: p, generation: 1, resourceSliceCount: 1}
  devices:
  - name: gpu-0
    attributes: {model: {string: A100}, v: {version: 1.2.3}, num: {int: 3}, b: {bool: true}, l: {ints: [1, 2]}}
    capacity: {memory: {value: 40Gi}}
---
apiVersion: resource.k8s.io/v1beta1
kind: ResourceSlice
metadata: {name: t}
spec:
  driver: old.example.com
  pool: {name: q}
  devices:
  - name: old-0
    basic: {attributes: {model: {string: B}}, capacity: {memory: {value: "1"}}}
"""


def read_slices(text: str) -> list[Any]:
    return [found for document in read(text.encode()) for _, found in devices_of(dict_of(document.data))]


@pytest.mark.parametrize(
    ("text", "path", "message"),
    [
        (SLICE.replace("1.2.3", "v1"), ("attributes", "v"), "its attribute 'v' \"v1\" is not a semantic version"),
        (
            SLICE.replace("{int: 3}", "{int: x}"),
            ("attributes", "num"),
            "its attribute 'num' needs one value, of the type that its key says: bool, int, string or version",
        ),
        (SLICE.replace("40Gi", "40GiB"), ("capacity", "memory"), "its capacity 'memory' \"40GiB\" is not a quantity"),
        (
            SLICE.replace("40Gi", "[]"),
            ("capacity", "memory"),
            "its capacity 'memory' needs a value: a quantity such as 40Gi",
        ),
    ],
)
def test_a_bad_device_is_left_out_and_named(text: str, path: tuple[str, str], message: str) -> None:
    bad, device = read_slices(text)

    assert isinstance(device, Device)
    assert isinstance(bad, DeviceError)
    assert bad.path == path
    assert str(bad).startswith(f"the device 'gpu-0' is left out: {message}")


@pytest.mark.parametrize("release", ["1.31", "1.37"])
@pytest.mark.slow
def test_no_expression_runs_long(release: str) -> None:
    numbers = "[" + ", ".join(map(str, range(40))) + "]"
    expression = f"{numbers}.all(a, {numbers}.all(b, {numbers}.all(c, {numbers}.all(d, a + b + c + d >= 0))))"
    compilation = environment(release).compile(expression)
    before = time.process_time()

    if compilation.ok:
        assert why_not(compilation, Device("a")) == "dralint's limit of 200,000 steps for an expression is reached"
    else:
        assert compilation.stage == "cost"
    assert time.process_time() - before < 5
