"""Short texts next to and above the lines of a manifest."""

from __future__ import annotations

import pytest

from dralint.config.settings import Settings
from dralint.editor import Span, code_lenses, inlay_hints, simulated
from dralint.kubernetes.release import Release
from tests.editor.manifests import CLAIM, CLASS, NAME, POD, SLICE, workspace

RULE = """\
apiVersion: resource.k8s.io/v1beta2
kind: DeviceTaintRule
metadata: {name: all}
spec: {taint: {key: a, effect: NoSchedule}}
"""
ONE = CLAIM.replace(CLAIM[CLAIM.index("    - name: nic") :], "")


def test_a_selector_shows_how_many_devices_match() -> None:
    there = workspace(ONE, CLASS, SLICE)

    assert [hint.text for hint in inlay_hints(there, NAME, Span(0, 10_000))] == ["1 of 2 devices", "2 of 2 devices"]


def test_only_selectors_of_the_shown_part_have_hints() -> None:
    assert inlay_hints(workspace(ONE, CLASS, SLICE), NAME, Span(0, 10)) == []


def test_a_claim_and_its_pod_show_on_how_many_nodes_they_fit() -> None:
    there = workspace(ONE, CLASS, SLICE, POD)

    assert [hint.text for hint in code_lenses(there, NAME)] == ["fits on 1 of 1 node", "fits on 1 of 1 node"]


@pytest.mark.parametrize(("patch", "nodes"), [(None, 0), (0, 0), (1, 1)])
def test_the_patch_that_the_configuration_names_simulates(patch: int | None, nodes: int) -> None:
    release = Release(1, 37)
    there = workspace(ONE, CLASS, SLICE, RULE)  # from 1.37.1 on, a rule without a selector taints no device
    gates = (("DRADeviceTaints", True), ("DRADeviceTaintRules", True))
    there.configure(Settings(gates=gates, releases=(release,), patches=() if patch is None else ((release, patch),)))
    name = "1.37" if patch is None else f"1.37.{patch}"
    verdict = "fits on node-a" if nodes else "does not fit on node-a"

    said = simulated(there, NAME, ONE.index("train"))

    assert [hint.text for hint in code_lenses(there, NAME)] == [f"fits on {nodes} of 1 node"]
    assert said is not None
    assert said.splitlines()[0] == f"claim team/train (claim train), Kubernetes {name}: {verdict}"


def test_another_configuration_simulates_again() -> None:
    there = workspace(ONE, CLASS, SLICE, RULE)
    taints = Settings(gates=(("DRADeviceTaints", True), ("DRADeviceTaintRules", True)))
    found = []
    for patch in (0, 1):
        there.configure(taints._replace(releases=(Release(1, 37),), patches=((Release(1, 37), patch),)))
        found += [hint.text for hint in code_lenses(there, NAME)]

    assert found == ["fits on 0 of 1 node", "fits on 1 of 1 node"]


def test_without_slices_nobody_knows() -> None:
    there = workspace(ONE, CLASS, POD)

    assert (code_lenses(there, NAME), inlay_hints(there, NAME, Span(0, 10_000))) == ([], [])
