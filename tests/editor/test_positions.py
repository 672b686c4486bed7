"""What an editor offers at the places of `positions.yaml`, which were written before anybody looked at the answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from dralint.editor import Workspace, complete
from tests.editor.manifests import CLAIM, CLASS, SLICE
from tests.tables import changed

TABLE = yaml.load(Path(__file__).with_name("positions.yaml").read_text("utf-8"), yaml.CBaseLoader)


def text_of(place: dict[str, Any]) -> str:
    """Return the text of a place, with its cursor."""
    named = TABLE["heads"].keys() & place.keys()
    return changed(TABLE["heads"][min(named)], place[min(named)]) if named else place["text"]


def offered(place: dict[str, Any]) -> list[str]:
    """Return the labels at a place."""
    text, file, there = text_of(place), place.get("file", "claims.yaml"), Workspace()
    offset = text.index("|")
    there.open("others.yaml", "---\n".join((CLASS, SLICE, CLAIM)) if "others" in place else "")
    there.open(file, text[:offset] + text[offset + 1 :])
    return [item.label for item in complete(there, file, offset)]


@pytest.mark.parametrize("place", TABLE["places"], ids=lambda place: place["says"])
def test_what_belongs_to_a_place_is_offered_there(place: dict[str, Any]) -> None:
    labels = offered(place)

    if "nothing" in place:
        assert labels == []
    assert [label for label in place.get("offers", ()) if label not in labels] == []
    assert [label for label in place.get("never", ()) if label in labels] == []
    assert "first" not in place or labels[0] == place["first"]
