"""Forms that give positions along dimensions: of slices, shifts, diagonals and splits."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from opwright.aten.forms.call_shape import NoForm
from opwright.aten.forms.form_table import FORMS
from opwright.aten.tensor_facts import Sizes

from tests.aten.form_calls import COMPUTED, MOST, call_shape, counted, formed


@pytest.mark.parametrize(
    ("form", "value", "sizes", "made"),
    [
        ("start", None, None, [0]),
        ("start", -2, None, [-2]),
        ("start", COMPUTED, None, [COMPUTED]),
        ("end", None, None, [MOST]),
        ("end", 3, None, [3]),
        ("end", COMPUTED, None, [COMPUTED]),
        ("start_from_front", -1, (4, None), [3]),
        ("start_from_front", 2, None, [2]),
        ("start_from_front", COMPUTED, None, [COMPUTED]),
        ("row", None, (7, 2), None),
        ("row", 3, None, 3),
        ("row", -1, (7, 2), 6),
    ],
)
def test_positions(form: str, value: Any, sizes: Sizes | None, made: Any) -> None:
    assert formed(form, value, sizes, dim=0) == made


@pytest.mark.parametrize(
    ("form", "value", "sizes", "reason"),
    [
        ("start_from_front", -1, (None,), "counted from the end of a dimension whose size is not known"),
        ("start_from_front", -5, (4,), "it is -5, and the dimension has 4 elements"),
        ("row", -1, (None, 2), "counted from the end of a dimension whose size is not known"),
        ("row", -1, None, "counted from the end of a dimension whose size is not known"),
        ("row", -8, (7, 2), "it is -8, and the dimension has 7 elements"),
    ],
)
def test_positions_that_are_refused(form: str, value: Any, sizes: Sizes | None, reason: str) -> None:
    with pytest.raises(NoForm, match=reason):
        formed(form, value, sizes, dim=0)


@pytest.mark.parametrize(
    ("bounds", "size", "known", "start", "end"),
    [
        ((0, MOST, 1), 4, True, None, None),
        ((None, None, 1), None, True, None, None),
        ((1, -1, 1), 4, True, [1], [3]),
        ((3, 1, 1), 4, True, [3], [3]),
        ((1, 9, 1), 4, True, [1], None),
        ((1, 9, 1), None, True, [1], [9]),
        ((-9, 2, 1), 4, True, None, [2]),
        ((0, 0, 1), 0, True, None, None),
        ((-1, MOST, 1), None, False, None, None),
        ((0, MOST, 2), 4, False, None, None),
        ((0, MOST, COMPUTED), 4, False, None, None),
        ((COMPUTED, MOST, 1), 4, False, None, None),
    ],
)
def test_a_part_of_a_dimension(
    bounds: tuple[Any, Any, Any], size: int | None, known: bool, start: Any, end: Any
) -> None:
    values = dict(zip(("start", "end", "step"), bounds, strict=True)) | {"dim": -1}
    forms = ("part_is_known", "part_start", "part_end")
    assert [formed(form, None, (2, size), **values) for form in forms] == [known, start, end]


@pytest.mark.parametrize(
    ("shifts", "dims", "sizes", "cuts"),
    [
        ([1, -2], [0, -1], (3, 4), [2, 2]),
        (4, 0, (3,), [2]),
        (5, [], (2, 3), [1]),
        ([1, 1], [0, 1], (None, 0), [-1, 0]),
        (1, [], (None, 3), [-1]),
        (1, 0, (), [0]),
        (1, [], (), [0]),
        ([1, 2], [0, 1], None, [-1, -1]),
        (1, [], None, [-1]),
        (COMPUTED, [0], (3,), [-1]),
        ([COMPUTED, 1], [0, 1], (3, 4), [-1, 3]),
    ],
)
def test_shifts(shifts: Any, dims: Any, sizes: Sizes | None, cuts: list[int]) -> None:
    assert formed("roll_cuts", shifts, sizes, dims=dims) == cuts
    listed = list(shifts) if isinstance(shifts, list) else [shifts]
    assert formed("roll_shifts", shifts, sizes, dims=dims) == (listed if -1 in cuts else None)


@pytest.mark.parametrize("shift", [-7, -1, 0, 2, 3, 4])
def test_what_comes_first_after_a_shift(shift: int) -> None:
    x = counted(3)
    (cut,) = formed("roll_cuts", shift, x.shape, dims=0)
    np.testing.assert_array_equal(np.concatenate([x[cut:], x[:cut]]), np.roll(x, shift))


def test_as_many_shifts_as_dimensions() -> None:
    with pytest.raises(NoForm, match="there are 2 items beside 1"):
        formed("roll_cuts", [1, 2], (3, 4), dims=[0])


@pytest.mark.parametrize("offset", [-3, -1, 0, 2, 5])
@pytest.mark.parametrize("dims", [(0, 1), (2, 0), (-1, -2)])
def test_diagonals(offset: int, dims: tuple[int, int]) -> None:
    x = counted(2, 3, 4)
    values = {"offset": offset, "dim1": dims[0], "dim2": dims[1]}
    order, sizes, places = (
        formed(form, offset, x.shape, **values) for form in ("dimensions_last", "joined_sizes", "diagonal_places")
    )
    rows = (x if order is None else x.transpose(order)).reshape(sizes)
    np.testing.assert_array_equal(rows[..., np.array(places, np.int64)], np.diagonal(x, offset, *dims))


def test_diagonals_of_matrices_whose_sizes_are_not_known() -> None:
    for sizes in ((None, 3), (3, None)):
        assert formed("diagonal_places", 0, sizes, dim1=0, dim2=1) is None
    assert formed("diagonal_places", 0, (None, 2, 0), dim1=-2, dim2=-1) == []
    with pytest.raises(NoForm, match="there is no dimension 1 among 1"):
        formed("diagonal_places", 0, (3,), dim1=0, dim2=1)


def test_a_diagonal_begins_in_a_row_or_a_column() -> None:
    assert [formed("below_zero", number) for number in (-2, 0, 3)] == [2, 0, 0]
    assert [formed("above_zero", number) for number in (-2, 0, 3)] == [0, 0, 3]


@pytest.mark.parametrize(
    ("form", "value", "made"),
    [
        ("part_sizes", 2, [2, 2, 1]),
        ("part_sizes", 9, [5]),
        ("chunk_sizes", 3, [2, 2, 1]),
        ("chunk_sizes", 4, [2, 2, 1]),
        ("section_sizes", 3, [2, 2, 1]),
        ("section_sizes", 7, [1, 1, 1, 1, 1, 0, 0]),
        ("sizes_between", [1, -1, 9], [1, 3, 1, 0]),
        ("sizes_between", [-9], [0, 5]),
        ("sizes_between", [], [5]),
        ("count_of_parts", 1, 5),
    ],
)
def test_parts_of_a_dimension(form: str, value: Any, made: Any) -> None:
    assert formed(form, value, (2, 5), dim=-1) == made


@pytest.mark.parametrize(("form", "value"), [("section_sizes", 3), ("section_sizes", 7), ("sizes_between", [1, -1, 9])])
def test_parts_are_those_of_numpy(form: str, value: Any) -> None:
    x = counted(5)
    assert formed(form, value, x.shape, dim=0) == [len(part) for part in np.array_split(x, value)]


@pytest.mark.parametrize(
    ("form", "value", "size"),
    [
        ("part_sizes", 2, None),
        ("part_sizes", COMPUTED, 5),
        ("chunk_sizes", 2, None),
        ("section_sizes", 2, None),
        ("sizes_between", [1, -1], None),
        ("given_sizes", [1, COMPUTED], None),
        ("given_sizes", [1, COMPUTED], 5),
    ],
)
def test_parts_whose_sizes_the_graph_computes(form: str, value: Any, size: int | None) -> None:
    call = replace(call_shape((2, size), {"dim": -1}), results=3)
    assert FORMS[form](value, call) is None
    if form != "sizes_between":
        assert FORMS["where_parts_are_computed"](value, call) == value
        assert FORMS["count_of_computed_parts"](value, call) == 3
    assert FORMS["where_size_is_unknown"](value, call) == (value if size is None else None)


@pytest.mark.parametrize(("value", "sizes"), [(2, (5,)), ([2, 3], (5,)), ([2, 3], (None,)), ([], (5,))])
def test_parts_whose_sizes_are_known(value: Any, sizes: Sizes) -> None:
    assert formed("where_parts_are_computed", value, sizes, dim=0) is None
    assert formed("count_of_computed_parts", value, sizes, dim=0) is None
    if isinstance(value, list):
        assert formed("given_sizes", value, sizes, dim=0) == value


def test_parts_of_nothing() -> None:
    assert formed("part_sizes", 2, (0,), dim=0) == [0]
    assert formed("part_sizes", 0, (0,), dim=0) == [0]
    assert formed("chunk_sizes", 2, (0,), dim=0) == [0, 0]
    assert formed("section_sizes", 2, (0,), dim=0) == [0, 0]


@pytest.mark.parametrize(
    ("form", "value", "sizes", "reason"),
    [
        ("part_sizes", 2, (), "a tensor of rank 0 has no parts"),
        ("part_sizes", 0, (5,), "it is 0, and must be at least 1"),
        ("part_sizes", -1, (0,), "it is -1, and must be at least 0"),
        ("chunk_sizes", 0, (5,), "it is 0, and must be at least 1"),
        ("chunk_sizes", COMPUTED, (5,), "decides how many results there are"),
        ("section_sizes", 0, (5,), "it is 0, and must be at least 1"),
        ("section_sizes", COMPUTED, (5,), "decides how many results there are"),
        ("sizes_between", [COMPUTED], (5,), "positions are computed in the graph"),
        ("sizes_between", [3, 1], (5,), "a part begins before the end of another one"),
        ("count_of_parts", 0, (0,), "there is no part"),
        ("count_of_parts", 0, (None,), "the size of the dimension is not known"),
        ("count_of_computed_parts", 2, (None,), "how many results there are is not known"),
        ("count_of_computed_parts", [COMPUTED], (5,), "how many results there are is not known"),
    ],
)
def test_parts_that_are_refused(form: str, value: Any, sizes: Sizes | None, reason: str) -> None:
    with pytest.raises(NoForm, match=reason):
        formed(form, value, sizes, dim=0)
