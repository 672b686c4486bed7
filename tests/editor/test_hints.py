"""Short texts next to and above the lines of a manifest."""

from __future__ import annotations

from dralint.editor import Span, code_lenses, inlay_hints
from tests.editor.manifests import CLAIM, CLASS, NAME, POD, SLICE, workspace

ONE = CLAIM.replace(CLAIM[CLAIM.index("    - name: nic") :], "")


def test_a_selector_shows_how_many_devices_match() -> None:
    there = workspace(ONE, CLASS, SLICE)

    assert [hint.text for hint in inlay_hints(there, NAME, Span(0, 10_000))] == ["1 of 2 devices", "2 of 2 devices"]


def test_only_selectors_of_the_shown_part_have_hints() -> None:
    assert inlay_hints(workspace(ONE, CLASS, SLICE), NAME, Span(0, 10)) == []


def test_a_claim_and_its_pod_show_on_how_many_nodes_they_fit() -> None:
    there = workspace(ONE, CLASS, SLICE, POD)

    assert [hint.text for hint in code_lenses(there, NAME)] == ["fits on 1 of 1 node", "fits on 1 of 1 node"]


def test_without_slices_nobody_knows() -> None:
    there = workspace(ONE, CLASS, POD)

    assert (code_lenses(there, NAME), inlay_hints(there, NAME, Span(0, 10_000))) == ([], [])
