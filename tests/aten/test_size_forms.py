"""What forms make of the sizes of tensors, and of positions along them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from opwright.aten.argument_forms import FORMS, CallShape, NoForm
from opwright.aten.array_calls import facts_of_array
from opwright.aten.operator_schema import Argument
from opwright.elements import BY_NAME

MOST = (1 << 63) - 1
COMPUTED = object()  # a value of the graph
Sizes = tuple[int | None, ...] | None


def formed(form: str, value: Any, sizes: Sizes, **values: Any) -> Any:
    """The value as the form has it. Tensors are their own sizes, or arrays."""
    shape = CallShape(Argument("value", "int"), values, sizes, _sizes_of, _element_of)
    return FORMS[form](value, shape)


def _sizes_of(tensor: Any) -> Any:
    return tensor.shape if isinstance(tensor, np.ndarray) else tensor


def _element_of(tensor: Any) -> Any:
    facts = facts_of_array(tensor)
    return None if facts is None else facts.element


@pytest.mark.parametrize(
    ("form", "value", "sizes", "values", "made"),
    [
        ("sizes_of_index", (2, 3), (4, 3), {"index": (2, 3)}, True),
        ("sizes_of_index", (2, 4), (4, 3), {"index": (2, 3)}, False),
        ("sizes_of_index", (2, None), (4, 3), {"index": (2, None)}, False),
        ("sizes_of_first", (2, 3), (2, 3), {}, True),
        ("sizes_of_first", None, None, {}, False),
        ("sizes_beside_dim", (2, 5), (2, 3), {"dim": -1}, True),
        ("sizes_beside_dim", (2, 5), (2, 3), {"dim": 0}, False),
        ("sizes_beside_dim", (2, 5), (2, 3), {"dim": None}, False),
        ("sizes_beside_dim", (5,), (2, 3), {"dim": 0}, False),
        ("sizes_are_known", 0, (2, 0), {}, True),
        ("sizes_are_known", 0, (2, None), {}, False),
        ("sizes_are_known", 0, None, {}, False),
        ("of_equal_rank", (3,), (2,), {}, (3,)),
        ("of_equal_rank", (), (2,), {}, ()),
        ("of_equal_rank", None, (2,), {}, None),
        ("strided_whole", [2, 3], (6,), {"stride": [3, 1], "storage_offset": None}, True),
        ("strided_whole", [2, 1, 3], (6,), {"stride": [3, 9, 1], "storage_offset": 0}, True),
        ("strided_whole", [3, 2], (6,), {"stride": [1, 3], "storage_offset": 0}, False),
        ("strided_whole", [2, 2], (6,), {"stride": [2, 1], "storage_offset": 0}, False),
        ("strided_whole", [2, 3], (6,), {"stride": [3, 1], "storage_offset": 1}, False),
        ("strided_whole", [2, 3], (None,), {"stride": [3, 1], "storage_offset": 0}, False),
    ],
)
def test_whether_sizes_are_equal(form: str, value: Any, sizes: Sizes, values: dict[str, Any], made: Any) -> None:
    assert formed(form, value, sizes, **values) == made


POSITIONS, MASK = np.zeros(3, np.int64), np.zeros(3, bool)


@pytest.mark.parametrize(
    ("indices", "value", "made"),
    [
        ([POSITIONS], (3, 5, 6), True),
        ([None, POSITIONS], (4, 3, 6), True),
        ([POSITIONS, None, POSITIONS], (3, 5), True),
        ([None, POSITIONS[:, None], POSITIONS], (4, 3, 3), True),
        ([POSITIONS], (5, 6), False),
        ([MASK], (3, 5, 6), False),
        ([None], (4, 5, 6), False),
    ],
)
def test_the_sizes_of_what_positions_take(indices: list[Any], value: tuple[int, ...], made: bool) -> None:
    assert formed("sizes_of_indexed", np.zeros(value), (4, 5, 6), indices=indices) is made


@pytest.mark.parametrize("unknown", [(None, 2), None])
def test_positions_of_unknown_sizes(unknown: Sizes) -> None:
    shape = CallShape(
        Argument("values", "Tensor"), {"indices": [COMPUTED]}, (4, 5), lambda _: unknown, lambda _: BY_NAME["int64"]
    )
    assert FORMS["sizes_of_indexed"]((3, 2), shape) is False


def test_lists_of_tensors_of_equal_sizes() -> None:
    assert formed("of_equal_sizes", [POSITIONS, None, POSITIONS], None)
    assert not formed("of_equal_sizes", [POSITIONS, POSITIONS[:1]], None)
    assert not formed("of_equal_sizes", [MASK, POSITIONS], None)


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
        ((-1, MOST, 1), None, False, None, None),
        ((0, MOST, 2), 4, False, None, None),
        ((COMPUTED, MOST, 1), 4, False, None, None),
    ],
)
def test_a_part_of_a_dimension(
    bounds: tuple[Any, Any, int], size: int | None, known: bool, start: Any, end: Any
) -> None:
    values = dict(zip(("start", "end", "step"), bounds, strict=True)) | {"dim": -1}
    forms = ("part_is_known", "part_start", "part_end")
    assert [formed(form, None, (2, size), **values) for form in forms] == [known, start, end]


@pytest.mark.parametrize(
    ("offset", "dims", "sizes", "order", "joined", "places"),
    [
        (0, (0, 1), (3, 4), None, [12], [0, 5, 10]),
        (2, (0, 1), (3, 4), None, [12], [2, 7]),
        (-1, (0, 1), (3, 4), None, [12], [4, 9]),
        (5, (0, 1), (3, 4), None, [12], []),
        (0, (2, 0), (2, 3, 2), [1, 2, 0], [3, 4], [0, 3]),
        (0, (-2, -1), (None, 2, 0), None, None, []),
        (0, (-2, -1), (None, 2, 2), None, [0, -1], [0, 3]),
        (0, (0, 1), (None, 2), None, [-1], None),
    ],
)
def test_diagonals(offset: int, dims: tuple[int, int], sizes: Sizes, order: Any, joined: Any, places: Any) -> None:
    values = {"offset": offset, "dim1": dims[0], "dim2": dims[1]}
    assert formed("dimensions_last", dims[0], sizes, **values) == order
    assert formed("diagonal_places", offset, sizes, **values) == places
    if joined is None:
        with pytest.raises(NoForm, match="a dimension has size 0"):
            formed("joined_sizes", dims[0], sizes, **values)
    else:
        assert formed("joined_sizes", dims[0], sizes, **values) == joined


def test_a_diagonal_begins_in_a_row_or_a_column() -> None:
    assert [formed("below_zero", number, None) for number in (-2, 0, 3)] == [2, 0, 0]
    assert [formed("above_zero", number, None) for number in (-2, 0, 3)] == [0, 0, 3]


@pytest.mark.parametrize(
    ("dims", "order"), [((-2, -1), None), ((0, 1), [1, 2, 0]), ((2, 0), [2, 0, 1]), ((-1, -2), [0, 2, 1])]
)
def test_matrices_of_vectors(dims: tuple[int, int], order: Any) -> None:
    assert formed("embedded_order", dims[0], (4, 5), dim1=dims[0], dim2=dims[1]) == order


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
        ("count_of_parts", 1, 5),
    ],
)
def test_parts_of_a_dimension(form: str, value: Any, made: Any) -> None:
    assert formed(form, value, (2, 5), dim=1) == made


def test_parts_of_nothing() -> None:
    assert formed("part_sizes", 2, (0,), dim=0) == [0]
    assert formed("chunk_sizes", 2, (0,), dim=0) == [0, 0]


@pytest.mark.parametrize(
    ("form", "value", "sizes", "reason"),
    [
        ("part_sizes", 2, (None,), "the size of the dimension is not known"),
        ("part_sizes", 2, (), "the size of the dimension is not known"),
        ("part_sizes", COMPUTED, (5,), "decides how many results there are"),
        ("section_sizes", COMPUTED, (5,), "decides how many results there are"),
        ("sizes_between", [COMPUTED], (5,), "positions are computed in the graph"),
        ("sizes_between", [3, 1], (5,), "a part begins before the end of another one"),
        ("count_of_parts", 0, (0,), "there is no part"),
        ("of_equal_rank", (2, 3), (2,), "it has 2 dimensions, and the first tensor 1"),
        ("part_last", 0, (), "the first tensor has rank 0"),
        ("flat_shape", 0, (0, None), "a dimension has size 0"),
        ("unflat_shape", [2, -1], (0, None), "a dimension has size 0"),
    ],
)
def test_what_sizes_do_not_say_is_told(form: str, value: Any, sizes: Sizes, reason: str) -> None:
    with pytest.raises(NoForm, match=reason):
        formed(form, value, sizes, dim=len(sizes or ()) - 1 or 0, start_dim=0, end_dim=-1)


@pytest.mark.parametrize(
    ("dims", "sizes", "made"),
    [
        ((1, -1), (2, 3, 4), [2, 12]),
        ((1, -1), (2, 0, 4), [2, 0]),
        ((1, -1), (None, 3, 4), [0, -1]),
        ((1, 1), (None, None, 4), [0, -1, 4]),
        ((0, 0), (3, None), None),
        ((0, -1), (), [1]),
    ],
)
def test_dimensions_become_one(dims: tuple[int, int], sizes: Sizes, made: Any) -> None:
    assert formed("flat_shape", dims[0], sizes, start_dim=dims[0], end_dim=dims[1]) == made


@pytest.mark.parametrize(
    ("value", "sizes", "made"),
    [
        ([2, -1], (5, 6, 4), [5, 2, 3, 4]),
        ([2, -1], (None, 6, 4), [0, 2, 3, 4]),
        ([2, -1], (5, None, 4), [5, 2, -1, 4]),
        ([2, 3], (5, 6, None), None),
        ([COMPUTED, -1], (5, 6, 4), None),
        ([0, 2], (5, 0, 4), [5, 0, 2, 4]),
    ],
)
def test_a_dimension_becomes_several(value: list[Any], sizes: Sizes, made: Any) -> None:
    assert formed("unflat_shape", value, sizes, dim=1) == made


@pytest.mark.parametrize(
    ("times", "dim", "sizes", "counts", "axes", "shape"),
    [
        (2, 1, (3, 4, 5), [1, 1, 2, 1], [2], [3, 8, 5]),
        (2, -1, (3, None), [1, 1, 2], [2], [3, -1]),
        (COMPUTED, 0, (3, 4), [1, COMPUTED, 1], [1], [-1, 4]),
        (2, 0, (3, None), [1, 2, 1], [1], None),
        (2, None, (3, 4), [1, 2], None, None),
        (2, 0, (), [1, 2], None, None),
    ],
)
def test_parts_are_repeated(times: Any, dim: Any, sizes: Sizes, counts: Any, axes: Any, shape: Any) -> None:
    values = {"dim": dim}
    assert formed("counts_behind", times, sizes, **values) == counts
    assert formed("new_axis_behind", dim, sizes, **values) == axes
    assert formed("repeated_shape", times, sizes, **values) == shape


@pytest.mark.parametrize(
    ("shifts", "dims", "sizes", "cuts"),
    [
        ([1, -2], [0, -1], (3, 4), [2, 2]),
        (4, 0, (3,), [2]),
        (5, [], (2, 3), [1]),
        ([1, 1], [0, 1], (None, 0), [-1, 0]),
        (1, [], (None, 3), [-1]),
        (1, 0, (), [0]),
    ],
)
def test_shifts(shifts: Any, dims: Any, sizes: Sizes, cuts: list[int]) -> None:
    assert formed("roll_cuts", shifts, sizes, dims=dims) == cuts


@pytest.mark.parametrize(
    ("turns", "reversed_", "order"), [(0, [], None), (1, [2], [2, 1, 0]), (-2, [0, 2], None), (7, [0], [2, 1, 0])]
)
def test_a_plane_is_turned(turns: int, reversed_: list[int], order: Any) -> None:
    values = {"k": turns, "dims": [0, -1]}
    assert formed("turned_axes", turns, (2, 3, 4), **values) == reversed_
    assert formed("turned_order", turns, (2, 3, 4), **values) == order


@pytest.mark.parametrize(
    ("form", "value", "sizes", "values", "made"),
    [
        ("along", 1, (2, 3, 4), {}, [-1, 1]),
        ("along", -1, (2, 3), {}, [-1]),
        ("behind", -1, (2, 3), {}, 2),
        ("behind", None, (2, 3), {}, None),
        ("part_last", 0, (2, 3), {}, [0, 2, 1]),
        ("part_last", 1, (2, 3), {}, None),
        ("matrix_sizes", 3, None, {}, [3, 3]),
        ("matrix_sizes", 3, None, {"m": COMPUTED}, [3, COMPUTED]),
        ("matrix_sizes", 3, None, {"col": 4}, [3, 4]),
        ("listed", None, None, {}, None),
        ("numbers", 3, None, {}, [3]),
        ("numbers", (3, 4), None, {}, [3, 4]),
        ("unless_negative", -1, None, {}, None),
        ("unless_negative", 3, None, {}, 3),
        ("right_or_side", False, None, {"side": "right"}, True),
        ("right_or_side", False, None, {"side": None}, False),
        ("is_one", 1, None, {}, True),
        ("is_one", COMPUTED, None, {}, False),
        ("dtype_unless_float", None, None, {}, None),
        ("dtype_unless_float", None, None, {"self": POSITIONS}, BY_NAME["int64"]),
        ("dtype_unless_float", BY_NAME["float"], None, {"self": POSITIONS}, None),
        ("other_dtype", BY_NAME["int64"], None, {"self": POSITIONS}, None),
        ("other_dtype", BY_NAME["float"], None, {"self": POSITIONS}, BY_NAME["float"]),
        ("other_dtype", None, None, {"self": POSITIONS}, None),
    ],
)
def test_numbers_and_element_types(form: str, value: Any, sizes: Sizes, values: dict[str, Any], made: Any) -> None:
    assert formed(form, value, sizes, **values) == made
