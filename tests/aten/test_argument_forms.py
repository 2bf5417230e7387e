"""What forms make of arguments that are known when a call is made."""

from __future__ import annotations

from typing import Any

import pytest
from opwright.aten.argument_forms import FORMS, CallShape, NoForm
from opwright.aten.operator_schema import Argument

MOST = (1 << 63) - 1
COMPUTED = object()  # a value of the graph


def formed(form: str, value: Any, sizes: tuple[int | None, ...] | None = (), **values: Any) -> Any:
    """The value as the form has it. Tensors are their own sizes."""
    return FORMS[form](value, CallShape(Argument("value", "int"), values, sizes, lambda tensor: tensor))


@pytest.mark.parametrize(
    ("form", "value", "sizes", "made"),
    [
        ("axes", -1, (2, 3), 1),
        ("axes", -1, (), 0),
        ("axes_of_one", 1, (2, 1, 3), [1]),
        ("axes_of_one", [0, -2], (2, 1, 3), [1]),
        ("axes_of_one", [0], (2, 1, 3), None),
        ("axes_of_one", [0], (None, 1), None),
        ("axes_of_one", 0, (), None),
        ("axes_of_one", [], (), None),
        ("all_axes_of_one", COMPUTED, (1, 2, 1), [0, 2]),
        ("all_axes_of_one", COMPUTED, (2,), None),
        ("all_axes_of_one", COMPUTED, (), None),
        ("listed", COMPUTED, None, [COMPUTED]),
        ("kept_sizes", [-1, COMPUTED, 3], None, [1, COMPUTED, 3]),
        ("repetitions", [2], (4, 5), [1, 2]),
        ("repetitions", [2, 3, 4], (4, 5), [2, 3, 4]),
        ("new_axes", [2, 3, 4], (4,), [0, 1]),
        ("new_axes", [2], (4,), None),
        ("start", None, None, [0]),
        ("start", -2, None, [-2]),
        ("end", None, None, [MOST]),
        ("end", COMPUTED, None, [COMPUTED]),
        ("non_empty", [(0,), (2, 3), (0, 3)], (0,), [(2, 3), (0, 3)]),
        ("non_empty", [(0,), (0,)], (0,), [(0,)]),
        ("non_empty", [None, (0,)], None, [None]),
    ],
)
def test_lists_and_dimensions(form: str, value: Any, sizes: tuple[int | None, ...] | None, made: Any) -> None:
    assert formed(form, value, sizes) == made


@pytest.mark.parametrize(
    ("dims", "sizes", "made"),
    [
        ((0, 1), (2, 3), [1, 0]),
        ((-1, 0), (2, 3, 4), [2, 1, 0]),
        ((1, -2), (2, 3, 4), None),
        ((0, -1), (), None),
    ],
)
def test_two_dimensions_change_places(dims: tuple[int, int], sizes: tuple[int, ...], made: list[int] | None) -> None:
    assert formed("order", dims[0], sizes, dim0=dims[0], dim1=dims[1]) == made


@pytest.mark.parametrize(
    ("source", "destination", "made"),
    [([0], [2], [1, 2, 0]), ([-1], [0], [2, 0, 1]), ([0, 1], [-1, -2], [2, 1, 0]), ([], [], [0, 1, 2])],
)
def test_dimensions_are_moved(source: list[int], destination: list[int], made: list[int]) -> None:
    assert formed("moved_order", source, (2, 3, 4), source=source, destination=destination) == made


def test_an_element_from_the_front() -> None:
    assert formed("start_from_front", -1, (None, 4), dim=-1) == [3]
    assert formed("start_from_front", 2, None, dim=0) == [2]
    assert formed("start_from_front", COMPUTED, None, dim=0) == [COMPUTED]


@pytest.mark.parametrize(
    ("form", "value", "sizes", "reason"),
    [
        ("axes", 2, (2, 3), "there is no dimension 2 among 2"),
        ("axes", [0, -2], (2, 3), "a dimension stands there twice"),
        ("axes", 0, None, "the rank of the first tensor is not known"),
        ("start_from_front", -1, (None,), "counted from the end of a dimension whose size is not known"),
    ],
)
def test_what_has_no_form_is_told(form: str, value: Any, sizes: tuple[int | None, ...] | None, reason: str) -> None:
    with pytest.raises(NoForm, match=reason):
        formed(form, value, sizes, dim=0)
