"""Releases and ranges of them."""

from __future__ import annotations

import pytest

from dralint.kubernetes.release import Release, ReleaseRange


@pytest.mark.parametrize("text", ["1.34", "v1.34", "1.34.4", "v1.34.4-gke.1", "1.34.0+k3s1"])
def test_reads_every_spelling_of_a_release(text: str) -> None:
    assert Release.parse(text) == Release(1, 34)


@pytest.mark.parametrize("text", ["", "1", "34", "latest", "1.x", "1.34.4.5x y"])
def test_refuses_what_is_no_release(text: str) -> None:
    with pytest.raises(ValueError, match="is not a release of Kubernetes"):
        Release.parse(text)


def test_orders_releases_by_number_not_by_text() -> None:
    assert sorted([Release(1, 9), Release(1, 34), Release(1, 10)]) == [Release(1, 9), Release(1, 10), Release(1, 34)]


def test_a_range_cannot_end_before_it_begins() -> None:
    with pytest.raises(ValueError, match="ends before it begins"):
        ReleaseRange.parse("1.35..1.33")
