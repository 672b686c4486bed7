"""The cost of the stage between the objects: it is small next to judging each object, and facts are light."""

from __future__ import annotations

import gc
import time
import tracemalloc

import pytest

from dralint.config.settings import Settings
from dralint.files.source import Source
from dralint.finding.report import Report
from dralint.lint.linter import Linter
from dralint.lint.pool import Task, judge_bytes, judge_together
from dralint.lint.run_files import CrossFileFacts, FilesJudged

_POD = """\
apiVersion: v1
kind: Pod
metadata: {{name: p{i}, namespace: n{n}}}
spec:
  resourceClaims: [{{name: gpu, resourceClaimName: c{i}}}]
  containers: [{{name: a, image: a, resources: {{claims: [{{name: gpu}}]}}}}]
"""
_CLAIM = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {{name: c{i}, namespace: n{n}}}
spec:
  devices:
    requests:
    - name: gpu
      exactly:
        deviceClassName: k{k}.example.com
        selectors: [{{cel: {{expression: "device.driver == 'gpu.example.com'"}}}}]
"""
_CLASS = """\
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {{name: k{k}.example.com}}
spec: {{selectors: [{{cel: {{expression: "device.driver == 'gpu.example.com'"}}}}]}}
"""
_NUMBER = 600


def _texts() -> list[tuple[str, bytes]]:
    """Return Pods, each with its claim, and the classes that these ask for."""
    texts = [(f"k{k}.yaml", _CLASS.format(k=k)) for k in range(50)]
    for i in range(_NUMBER // 2):
        texts += [(f"{kind}{i}.yaml", form.format(i=i, n=i % 7, k=i % 50)) for kind, form in _FORMS]
    return [(name, text.encode()) for name, text in texts]


_FORMS = (("pod", _POD), ("claim", _CLAIM))


@pytest.mark.slow
def test_the_stage_between_objects_costs_a_fraction_of_judging_them() -> None:
    settings, texts = Settings(), _texts()
    linter, part = Linter(settings), FilesJudged(Report(), CrossFileFacts())
    sources = {name: Source(name, None, raw) for name, raw in texts}
    first = FilesJudged(Report(), CrossFileFacts())
    for name, raw in texts[-20:]:
        first.extend(judge_bytes(linter, name, raw, Task(settings)))
    judge_together(first, linter.releases, Task(settings), sources)  # imports and compiles what is needed
    started = time.process_time()
    for name, raw in texts:
        part.extend(judge_bytes(linter, name, raw, Task(settings)))
    each = time.process_time() - started
    judge_together(part, linter.releases, Task(settings), sources)
    between = time.process_time() - started - each

    assert (part.report.findings, part.report.failures) == ([], [])
    assert between < 0.25 * each  # it is less than a tenth


@pytest.mark.slow
def test_what_objects_say_to_others_is_light() -> None:
    settings, texts = Settings(), _texts()
    linter = Linter(settings)
    judge_bytes(linter, "first.yaml", texts[-1][1], Task(settings))
    tracemalloc.start()
    try:
        gc.collect()
        before, _ = tracemalloc.get_traced_memory()
        facts = [fact for name, raw in texts for fact in judge_bytes(linter, name, raw, Task(settings)).gathered.facts]
        gc.collect()
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert len(facts) == len(texts)
    assert (after - before) / len(facts) < 1152  # bytes
