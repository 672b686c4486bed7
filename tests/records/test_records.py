"""`NamedTuple` behaves as that of `typing`."""

from __future__ import annotations

import copy
import pickle

import pytest

from dralint.records import NamedTuple


class Point(NamedTuple):
    """A place."""

    x: int
    y: int
    name: str = ""

    @property
    def sum(self) -> int:
        return self.x + self.y


class Named(Point):
    """A place with other methods."""


def test_fields_have_names_places_and_defaults() -> None:
    point = Point(1, y=2)

    assert point == (1, 2, "")
    assert (point.x, point.y, point.name, point.sum) == (1, 2, "", 3)
    assert Point._fields == ("x", "y", "name")
    assert Point._field_defaults == {"name": ""}
    assert Point.__doc__ == "A place."
    assert repr(point) == "Point(x=1, y=2, name='')"


def test_a_changed_copy_differs_in_what_was_named() -> None:
    assert Point(1, 2)._replace(y=3) == Point(1, 3)
    assert type(Point(1, 2)._replace(y=3)) is Point
    with pytest.raises(ValueError, match=r"Got unexpected field names: \['z'\]"):
        Point(1, 2)._replace(z=3)  # type: ignore[call-arg]


def test_it_is_made_of_values_and_becomes_a_dict() -> None:
    assert Point._make([1, 2, "a"]) == Point(1, 2, "a")
    assert Point(1, 2)._asdict() == {"x": 1, "y": 2, "name": ""}


def test_missing_and_unknown_fields_are_refused() -> None:
    with pytest.raises(TypeError, match=r"Point.__new__\(\) missing 1 required positional argument: 'y'"):
        Point(1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="got an unexpected keyword argument 'z'"):
        Point(1, 2, z=3)  # type: ignore[call-arg]


def test_it_has_no_other_attributes() -> None:
    with pytest.raises(AttributeError):
        Point(1, 2).z = 3  # type: ignore[attr-defined]
    with pytest.raises(AttributeError):
        Point(1, 2).x = 3  # type: ignore[misc]


def test_it_is_matched_by_position() -> None:
    match Point(1, 2, "a"):
        case Point(x, y, "a"):
            assert (x, y) == (1, 2)
        case _:
            pytest.fail("it is not matched")


def test_copies_are_equal_and_of_its_class() -> None:
    point = Point(1, 2)

    for again in (copy.deepcopy(point), pickle.loads(pickle.dumps(point))):
        assert again == point
        assert type(again) is Point


def test_a_subclass_makes_its_own() -> None:
    assert type(Named(1, 2)) is Named
    assert Named(1, 2).sum == 3
    assert type(Point(1, 2)) is Point
