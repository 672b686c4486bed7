"""Random manifests, rewritten there and back: comments, meaning, and the text itself survive."""

from __future__ import annotations

import itertools
import json
import random
import re
from typing import Any

import pytest
from ruamel.yaml import YAML

from dralint.edit.apply import FileText
from dralint.migrate import convert
from dralint.migrate.rewrite import MigratedFile, Target, rewrite
from dralint.yaml import read
from tests.migrate.manifests import Style, claim, slice_

GROUP = "resource.k8s.io/"
VERSIONS = ("v1alpha3", "v1beta1", "v1beta2", "v1")
PAIRS = [pair for pair in itertools.permutations(VERSIONS, 2) if pair != ("v1", "v1alpha3")]
"""All but the one that no release serves side by side."""

SEEDS = range(20)
COMMENT = re.compile(r"# c(\d+)")


def to(version: str, raw: bytes) -> MigratedFile:
    outcome = rewrite(raw, Target.parse(GROUP + version))
    assert [problem.message for _, _, problem in outcome.problems] == []
    return outcome


def independent(raw: bytes) -> Any:
    """Return what another reader of YAML makes of the bytes."""
    yaml = YAML(typ="safe", pure=True)
    return yaml.load(FileText(raw).text.replace("\r\n", "\n"))


def encoded(text: str) -> bytes:
    return text.encode("utf-8")


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.slow
def test_comments_stay_in_order_and_the_object_means_what_was_computed(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(10):
        source, target = rng.choice(PAIRS)
        data = rng.choice((claim, slice_))(rng, source)
        text = Style(rng).write(data)
        assert independent(encoded(text)) == data

        after = to(target, encoded(text)).raw

        assert after is not None
        assert COMMENT.findall(after.decode()) == COMMENT.findall(text), text
        wanted, lost = convert.object(data, GROUP + source, GROUP + target)
        assert lost == []
        assert independent(after) == wanted, text
        assert [document.data for document in read(after)] == [wanted]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("make", "source", "target", "plain"),
    [
        pytest.param(claim, "v1beta1", "v1", frozenset[str](), id="claims-up"),
        pytest.param(claim, "v1alpha3", "v1beta2", frozenset[str](), id="claims-of-v1alpha3-up"),
        pytest.param(claim, "v1", "v1beta1", frozenset({"exactly"}), id="claims-down"),
        pytest.param(slice_, "v1", "v1beta1", frozenset[str](), id="slices-down"),
        pytest.param(slice_, "v1beta1", "v1", frozenset({"basic"}), id="slices-up"),
        pytest.param(slice_, "v1alpha3", "v1beta2", frozenset({"basic"}), id="slices-of-v1alpha3-up"),
    ],
)
@pytest.mark.slow
def test_there_and_back_leaves_every_byte(
    seed: int, make: Any, source: str, target: str, plain: frozenset[str]
) -> None:
    rng = random.Random(seed)
    for _ in range(5):
        text = Style(rng, plain).write(make(rng, source))

        there = to(target, encoded(text)).raw
        assert there is not None
        back = to(source, there).raw

        assert back is not None
        assert back.decode() == text


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("layout", [{"indent": 2}, {"indent": 4}, {}, {"separators": (",", ":")}])
@pytest.mark.slow
def test_json_stays_json_there_and_back(seed: int, layout: dict[str, Any]) -> None:
    rng = random.Random(seed)
    make, source, target = rng.choice(((claim, "v1beta1", "v1"), (claim, "v1", "v1beta1"), (slice_, "v1", "v1beta1")))
    data = make(rng, source)
    text = json.dumps(data, sort_keys=rng.random() < 0.5, **layout)

    there = to(target, encoded(text)).raw
    assert there is not None
    assert json.loads(there) == convert.object(data, GROUP + source, GROUP + target)[0]
    back = to(source, there).raw

    assert back is not None
    assert back.decode() == text
