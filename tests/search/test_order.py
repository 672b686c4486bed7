"""A search finds the same in every run: the hashes of words, which differ between runs, do not matter."""

from __future__ import annotations

import os
import subprocess
import sys

CLAIM = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: train}
spec:
  devices:
    requests:
    - name: gpu
      exactly:
        deviceClassName: gpu.example.com
        selectors:
        - cel:
            expression: device.capacity["gpu.example.com"].memory > 40Gi
"""


def said(seed: str) -> str:
    command = [sys.executable, "-m", "dralint", "check", "-", "--no-config", "--format", "json"]
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    return subprocess.run(
        command, input=CLAIM, env=environment, capture_output=True, text=True, check=False, encoding="utf-8"
    ).stdout


def test_a_hint_of_the_search_does_not_depend_on_hashes() -> None:
    first = said("1")

    assert 'isGreaterThan(quantity(\\"40Gi\\"))' in first
    assert said("2") == first
