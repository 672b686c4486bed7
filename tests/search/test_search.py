"""Searched repairs: one mistake in a manifest is undone, and uncertain ones stay."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from dralint.edit.apply import apply
from dralint.finding.finding import Finding
from dralint.lint import search_repairs
from tests.conftest import Calls
from tests.fuzz.mistakes import data
from tests.judged import judged

CLAIM = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata:
  name: train
  namespace: ml
spec:
  devices:
    requests:
    - name: gpu
      exactly:
        deviceClassName: gpu.example.com
        count: 2
        selectors:
        - cel:
            expression: device.attributes["gpu.example.com"].model == "a100"
"""


def found(text: str) -> list[Finding]:
    return judged(text, name="claim.yaml").findings


@pytest.mark.parametrize(
    ("meant", "written", "safe"),
    [
        ("    requests:\n", "    requests;\n", True),
        ("  name: train\n", "  name = train\n", True),
        ("  name: train\n", "  name:train\n", True),
        ("metadata:\n  name: train\n", "metadata: train\n", False),
        ("metadata:\n  name: train\n", "metadata: name=train\n", True),
        ("    - name: gpu\n", "      name: gpu\n", True),
        ("    - name: gpu\n", "    gpu:\n", False),
        ("        count: 2\n", "          count: 2\n", True),
        ("gpu.example.com\n        count: 2\n", "gpu.example.com count: 2\n", True),
        ("resource.k8s.io/v1\n", "resource.k8s.io/v1beta3\n", False),
        ("resource.k8s.io/v1\n", "resources.k8s.io/v1\n", True),
        ('== "a100"', "== a100", True),
        ('== "a100"', '= "a100"', False),
        ('== "a100"', '== a100"', True),
        ('["gpu.example.com"].model', '["gpu.example.com/model"]', True),
        ('["gpu.example.com"].model', '["gpu.example.com".model', True),
        ('["gpu.example.com"].model', '["model"]', False),
        ("device.attributes", "device.capacity", False),
        ('["gpu.example.com"].model', ".gpu.example.com.model", True),
        ("metadata:\n  name: train\n", "  name: train\nmetadata:\n", False),
        ("    requests:\n", "    - requests:\n", False),
        ("        - cel:\n", "          - cel:\n", True),
        ("        - cel:\n            expression: ", "        - cel: expression ", True),
        ("        - cel:\n            expression: ", "        - cel:\n          expression: ", True),
        ("  name: train\n  namespace", "   name: train\n  namespace", True),
        ("  name: train\n", "  name: train,\n", True),
    ],
)
def test_a_slip_is_given_back_safely_where_it_keeps_all_letters(meant: str, written: str, safe: bool) -> None:
    text = CLAIM.replace(meant, written)
    fix = found(text)[0].fix

    assert fix is not None
    assert (data(apply(text, fix.edits)), fix.safe) == (data(CLAIM), safe)


ACME, MIG = "gpu.acme.example", "mig.nvidia.com"


def test_a_file_with_many_findings_is_searched_little(calls: Calls) -> None:
    judged = calls(search_repairs._Judge, "__call__")
    wrong = CLAIM.replace('== "a100"', "== missing(")
    found(wrong)
    few = len(judged)
    found("---\n".join([wrong] * 150))

    assert 0 < len(judged) - few < 3 * few


def test_a_hint_of_the_search_does_not_depend_on_the_hashes_of_words() -> None:
    text = CLAIM.replace('attributes["gpu.example.com"].model == "a100"', 'capacity["gpu.example.com"].memory > 40Gi')
    command = [sys.executable, "-m", "dralint", "check", "-", "--no-config", "--format", "json"]
    first, second = (
        subprocess.run(
            command, input=text, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, text=True, check=False
        ).stdout
        for seed in ("1", "2")
    )

    assert 'isGreaterThan(quantity(\\"40Gi\\"))' in first
    assert first == second
