"""A search looks for repairs in the first files of a run that need it."""

from __future__ import annotations

from dralint.config.settings import Settings
from dralint.files.source import Source
from dralint.lint.pool import MOST_SEARCHED, run

WRONG = """apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata:
  name: NAME
spec:
  devices:
    requests:
    - name: gpu
      exact:
        deviceClassName: gpu.example.com
        counts: 1
      tolerations: []
"""


def repaired(files: int) -> list[bool]:
    """Return in which of so many files with the same mistakes the last one has a repair."""
    sources = [Source(f"{n:03}.yaml", None, WRONG.replace("NAME", f"a{n:03}").encode()) for n in range(files)]
    found = {finding.file: finding.fix for finding in run(sources, Settings(), jobs=1).findings}
    return [found[source.name] is not None for source in sources]


def test_all_of_a_few_files_are_searched() -> None:
    assert repaired(MOST_SEARCHED) == [True] * MOST_SEARCHED


def test_of_many_files_the_first_are_searched() -> None:
    assert repaired(MOST_SEARCHED + 3) == [True] * MOST_SEARCHED + [False] * 3
