"""Records: data classes whose methods are made at once."""

from __future__ import annotations

import copy
import pickle
from dataclasses import field, fields, replace
from typing import Any

import pytest
from opwright.lang.value_class import record


@record
class Place:
    """Where something is."""

    line: int
    name: str = "here"
    notes: list[str] = field(default_factory=list)


@record
class Single:
    value: object


def test_fields_are_given_in_order_or_by_name() -> None:
    assert (Place(1).line, Place(1).name, Place(1, name="there").name) == (1, "here", "there")
    unchecked: Any = Place
    with pytest.raises(TypeError):
        unchecked()
    with pytest.raises(TypeError):
        unchecked(1, column=2)


def test_each_gets_a_default_of_its_own() -> None:
    one, other = Place(1), Place(1)
    assert one.notes == [] and one.notes is not other.notes
    assert Place(1, notes=["a"]).notes == ["a"]


def test_equal_fields_make_equal_records_of_one_class() -> None:
    assert Place(1, "a") == Place(1, "a") != Place(1, "b")
    assert Single(1) == Single(1) and hash(Single((1, 2))) == hash(Single((1, 2)))
    assert Single(1) != (1,) and Single(1) != Place(1)
    assert len({Single("a"), Single("a"), Single("b")}) == 2


def test_they_show_their_fields() -> None:
    assert repr(Place(1)) == "Place(line=1, name='here', notes=[])"
    assert Place.__doc__ == "Where something is." and Single.__doc__ == "Single"


def test_they_are_slotted_data_classes_to_the_standard_library() -> None:
    place = Place(1, "a")
    assert not hasattr(place, "__dict__") and [item.name for item in fields(Place)] == ["line", "name", "notes"]
    assert replace(place, name="b") == Place(1, "b")
    assert copy.copy(place) == place == pickle.loads(pickle.dumps(place))
    match Place(3):
        case Place(line, name):
            assert (line, name) == (3, "here")
