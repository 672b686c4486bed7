"""A short run over damaged texts, and the growth of some shapes; `run.py` and `growth.py` are the long ones."""

from __future__ import annotations

import random
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path as FilePath

import pytest

from dralint.config.settings import Settings
from dralint.files.git import Text
from dralint.update.linter import Updates
from dralint.yaml.json_text import compose_json, quick_json, quick_json_nodes, skip_space
from dralint.yaml.nodes import MAPPING, Composition, Json, Node, Path, child
from tests.conftest import Run
from tests.fuzz.growth import judged
from tests.fuzz.mutate import CORPUS, text_of
from tests.fuzz.run import SECONDS, hold
from tests.fuzz.run import run as run_texts
from tests.fuzz.shapes import CASES, SHAPES

ONCE_QUADRATIC = (
    "separators with text behind them",
    "conditions of a wrong type",
    "taints of a device",
    "JSON stream, a finding in each, one line",
    "a ResourceClaimList of good items",
    "numbers for text",
    "unjudged items of a list",
)
SLOW = (
    "unknown fields at the root",
    "a flow list of a wrong type",
    "different duplicate keys",
    "blank lines",
    "a block scalar of blank lines",
    "a map of a wrong type",
    "fields that belong elsewhere",
)


PLAIN = (
    "- - a\n  - b: c\n    d:\n    - e\n    -\n  -   - f\n- g\n",
    "--- # x\na: |\n\n  b\n   c  \n  \n\nd: >-\n    e\n    f\n# g\n\n",
    "a:\nb: # c\n  - {d: [e, {'f': \"g\", h: [] }], i: { }} # j\n  - [k , l m,n ]\n  - 'o' \n\"p\": -1\n",
    "a:\n- b\n-\n  - c: |+\n      d\n\n\n  -\ne: ~\n",
    '{"a" : [1,-2.5e3 ,true\n,null,"\\u00e9\\n]"], "b":{},\t"c":[ ] , "d": {"e":[{"f":""}]}}',
    "[[], {}]",
)
"""What is easy to get wrong."""


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.slow
def test_damaged_texts_are_judged(seed: int) -> None:
    outcome = run_texts(seed, count=400)

    assert [(number, what) for number, what, _ in outcome.faults] == []
    assert len(outcome.findings) > 20  # the texts are not all damaged beyond recognition


def test_a_seed_gives_the_same_texts() -> None:
    first, second = ([text_of(random.Random(f"7:{number}")) for number in range(50)] for _ in range(2))

    assert first == second
    assert len(set(first)) > 45


@pytest.mark.parametrize("name", ONCE_QUADRATIC + SLOW)
@pytest.mark.slow
def test_four_times_the_text_does_not_take_sixteen_times_as_long(name: str) -> None:
    small, large = (_seconds(SHAPES[name](size * 1024).encode()) for size in (8, 32))

    assert large < 9 * (small + 0.005)


@pytest.mark.slow
def test_the_nodes_of_the_quick_json_reader_are_those_of_the_exact_one() -> None:
    texts = [text_of(random.Random(f"5:{number}")).decode("utf-8", "replace") + "\n" for number in range(1500)]
    texts += [shape(2000) + "\n" for shape in SHAPES.values()] + list(PLAIN)
    pieces = [piece for text in texts for piece in re.split(r"(?<=\n)(?=---)", text)]
    compared = 0
    for text in pieces:
        json = quick_json(text, skip_space(text, 0))
        if json is not None:
            compared += 1
            _hold_alike(quick_json_nodes(text[: json[1]], json[0]), compose_json(text, 0)[0], json[0])
    assert compared > 30


def _hold_alike(quickly: Composition, exactly: Composition, data: Json) -> None:
    paths = sorted(_paths(data), key=lambda path: (len(path) % 3, repr(path[::-1])))  # any order, but of the text
    assert [_place(quickly, path) for path in paths] == [_place(exactly, path) for path in paths]
    assert _told(quickly) == _told(exactly)


def _paths(data: Json) -> Iterator[Path]:
    todo: list[tuple[Path, Json]] = [((), data)]
    while todo:
        path, value = todo.pop()
        yield path
        if isinstance(value, dict):
            todo += (((*path, key), inner) for key, inner in value.items())
        elif isinstance(value, list):
            todo += (((*path, position), inner) for position, inner in enumerate(value))


def _place(composition: Composition, path: Path) -> tuple[object, ...]:
    """Return where key and value of an entry stand, which is looked up without its neighbours."""
    node, key = composition.root, None
    for step in path:
        assert node is not None
        found = child(node, step)
        assert found is not None
        key, node = found
    assert node is not None
    return None if key is None else (key.start, key.end, key.key), node.start, node.end, node.style


def _told(composition: Composition) -> list[object]:
    """Return all nodes of a composition, as what they have."""
    root = composition.root
    assert root is not None
    out: list[object] = []
    todo: list[tuple[Node, str | None]] = [(root, None)]
    while todo:
        node, key = todo.pop()
        indent = composition.block_indents.get(node.start)
        out.append((node.kind, node.start, node.end, node.style, repr(node.data), node.merge, key, indent))
        is_key = node.kind == MAPPING
        todo += ((child, child.key if is_key and not n % 2 else None) for n, child in enumerate(node.children))
    return out


def _seconds(raw: bytes) -> float:
    """Return the processor seconds that a text takes, the lesser of two times."""
    taken = []
    for _ in range(2):
        started = time.process_time()
        report = judged(raw)
        taken.append(time.process_time() - started)
        hold(report)
    return min(taken)


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.slow
def test_every_shape_is_judged(name: str) -> None:
    raw = SHAPES[name](3000).encode()
    started = time.process_time()
    hold(judged(raw))

    assert 1000 < len(raw) < 9000
    assert time.process_time() - started < 5 * SECONDS


@pytest.mark.parametrize("file", sorted(CORPUS.glob("*.yaml")), ids=lambda file: file.stem)
@pytest.mark.slow
def test_what_once_failed_is_judged(file: FilePath) -> None:
    hold(judged(file.read_bytes()))


@pytest.mark.parametrize("file", sorted(CORPUS.glob("openapi-*.json")), ids=lambda file: file.stem)
def test_an_openapi_that_once_failed_is_wrong_usage(run: Run, tmp_path: FilePath, file: FilePath) -> None:
    outcome = run("schema", "generate", file, "--kubernetes-version", "1.38", "--output", tmp_path)

    assert (outcome.status, outcome.stdout) == (2, "")
    assert f"{file}: this is not the OpenAPI of an API server" in outcome.stderr


@pytest.mark.parametrize("name", ["conditions, something missing in each", "numbers for text", "merges of one map"])
@pytest.mark.slow
def test_an_update_of_four_times_the_text_does_not_take_sixteen_times_as_long(name: str) -> None:
    small, large = (_update_seconds(SHAPES[name](size * 1024).encode()) for size in (6, 24))

    assert large < 9 * (small + 0.005)


def _update_seconds(raw: bytes) -> float:
    """Return the processor seconds that a text takes as an update of itself with one name changed."""
    updates, old = Updates(Settings()), raw.replace(b"  name: a\n", b"  name: a\n  labels: {a: b}\n", 1)
    taken = []
    for _ in range(3):
        started = time.process_time()
        report = updates.compare([Text("old.yaml", "x", lambda: old)], [Text("x.yaml", "x", lambda: raw)])
        taken.append(time.process_time() - started)
        hold(report)
    return min(taken)


@pytest.mark.slow
def test_constraints_are_not_held_against_each_request(run: Run, workdir: FilePath) -> None:
    case = CASES["check, requests and constraints"]

    def steps(size: int) -> int:
        count = 0

        def counted(*_: object) -> None:
            nonlocal count
            count += 1

        for file, text in case.written(size).items():
            (workdir / file).write_text(text, "utf-8")
        sys.setprofile(counted)
        try:
            assert run(*case.arguments).status in (0, 1)
        finally:
            sys.setprofile(None)
        return count

    steps(500)  # what is read once
    small, large = steps(10_000), steps(40_000)

    assert large < 6 * small


@pytest.mark.parametrize("name", CASES)
@pytest.mark.slow
def test_every_command_ends_on_what_its_growth_is_measured_with(name: str, run: Run, workdir: FilePath) -> None:
    for file, text in CASES[name].written(2500).items():
        (workdir / file).write_text(text, "utf-8")

    assert run(*CASES[name].arguments).status in (0, 1)
