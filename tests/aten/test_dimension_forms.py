"""Forms that give dimensions and orders of dimensions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from opwright.aten.forms.call_shape import NoForm
from opwright.aten.tensor_facts import Sizes

from tests.aten.form_calls import COMPUTED, counted, formed, tensor, zeros


@pytest.mark.parametrize(
    ("form", "value", "sizes", "made"),
    [
        ("axes", -1, (2, 3), 1),
        ("axes", -1, (), 0),
        ("axes", None, None, None),
        ("axes", [-1, 0], (2, 3, 4), [2, 0]),
        ("axes", [], (), []),
        ("axes", [0], (), [0]),
        ("all_axes", None, (2, 3, 4), [0, 1, 2]),
        ("all_axes", [], (2, 3), [0, 1]),
        ("all_axes", None, (), []),
        ("all_axes", -1, (2, 3), [1]),
        ("all_axes", (0, -1), (2, 3), [0, 1]),
        ("axes_of_one", 1, (2, 1, 3), [1]),
        ("axes_of_one", [0, -2], (2, 1, 3), [1]),
        ("axes_of_one", [0], (2, 1, 3), None),
        ("axes_of_one", [0], (None, 1), None),
        ("axes_of_one", 0, (), None),
        ("axes_of_one", [], (), None),
        ("all_axes_of_one", COMPUTED, (1, 2, 1), [0, 2]),
        ("all_axes_of_one", COMPUTED, (2,), None),
        ("all_axes_of_one", COMPUTED, (), None),
        ("own_axes", -1, (2, 3), 1),
        ("own_axes", [-1, 0], (2, 3), [1, 0]),
        ("own_axes", None, (2, 3), None),
        ("own_axes", -1, (), None),
        ("own_axes", [-1], (), []),
        ("other_axes", -2, (2, 3, 4), [0, 2]),
        ("other_axes", 0, (2,), []),
        ("other_axes", None, (2,), None),
        ("axes_of_length", -1, (2, 3, 4), [0, 1, 2]),
        ("axes_of_length", -2, (2, 3, 4), [0, 2]),
        ("axes_of_length", 2, (2, 3, 4), [0, 1]),
        ("last_axes", [4], (2, 3, 4), [2]),
        ("last_axes", [3, 4], (2, 3, 4), [1, 2]),
        ("last_axes", [COMPUTED, 4], (2, None, None), [1, 2]),
        ("last_axes", [0], (2, 0), [1]),
        ("last_axes", [2, 3], (2, 3), [0, 1]),
        ("first_of_last_axes", [3, COMPUTED], (2, 3, None), -2),
        ("axes_of_channels", None, (2, 3), [0]),
        ("axes_of_channels", None, (2, 3, 4, 5), [0, 2, 3]),
        ("axes_of_channels", None, (None, 0, None), [0, 2]),
        ("axes_of_space", None, (2, 3, 4, 5), [2, 3]),
        ("axes_of_space", None, (2, 3, 0), [2]),
        ("axes_of_space", None, (2, 3), [2]),
        ("trailing_axes", 0, (2, 3, 4), [1, 2]),
        ("trailing_axes", 1, (2, 3, 4), [1]),
        ("trailing_axes", -1, (2, 3, 4), []),
        ("trailing_axes", 0, (), []),
        ("trailing_axes_from_front", 1, (2, 3, 4), [1]),
        ("behind", -1, (2, 3), 2),
        ("behind", None, (2, 3), None),
        ("behind", 0, (), 1),
        ("own_rank", (2, 3), (4,), 2),
        ("own_rank", (), (4,), 0),
        ("own_rank", None, (4,), None),
        ("own_last_axis", (2, None), (4,), 1),
        ("own_last_axis", (), (4,), 0),
        ("own_last_axis", None, (4,), None),
        ("first_of_three", None, (2, 3, 3), 1),
        ("first_of_three", None, (3, None), 0),
        ("first_of_three", -1, (2, 3, 3), 2),
    ],
)
def test_dimensions(form: str, value: Any, sizes: Sizes | None, made: Any) -> None:
    assert formed(form, value, sizes) == made


@pytest.mark.parametrize(
    ("form", "value", "sizes", "reason"),
    [
        ("axes", 2, (2, 3), "there is no dimension 2 among 2"),
        ("axes", -3, (2, 3), "there is no dimension -3 among 2"),
        ("axes", 1, (), "there is no dimension 1 among 0"),
        ("axes", [0, -2], (2, 3), "a dimension is given twice"),
        ("axes", 0, None, "the rank of the first tensor is not known"),
        ("all_axes", [0, 0], (2, 3), "a dimension is given twice"),
        ("all_axes", None, None, "the rank of the first tensor is not known"),
        ("own_axes", 1, (), "there is no dimension 1 among 0"),
        ("other_axes", 2, (2, 3), "there is no dimension 2 among 2"),
        ("axes_of_one", [0, 0], (1,), "a dimension is given twice"),
        ("last_axes", [], (2, 3), "it names 0 of 2 dimensions"),
        ("last_axes", [2, 3, 4], (3, 4), "it names 3 of 2 dimensions"),
        ("last_axes", [2], (), "it names 1 of 0 dimensions"),
        ("last_axes", [2], None, "the rank of the first tensor is not known"),
        ("first_of_last_axes", [], (2,), "it names no dimension"),
        ("axes_of_channels", None, (3,), "the tensor has no channels"),
        ("axes_of_channels", None, (), "the tensor has no channels"),
        ("axes_of_space", None, None, "the rank of the first tensor is not known"),
        ("trailing_axes_from_front", -1, (2, 3, 4), "the dimension -1 is negative"),
        ("behind", 2, (2, 3), "there is no dimension 2 among 2"),
        ("first_of_three", None, (2, None, 3), "which dimension has size 3 is not known"),
        ("first_of_three", None, (2, 4), "no dimension has size 3"),
        ("first_of_three", None, (), "no dimension has size 3"),
        ("part_last", 0, (), "the first tensor has rank 0"),
    ],
)
def test_dimensions_that_are_refused(form: str, value: Any, sizes: Sizes | None, reason: str) -> None:
    with pytest.raises(NoForm, match=reason):
        formed(form, value, sizes)


def test_dimensions_of_tensors_that_are_broadcast() -> None:
    tensors = {"x1": zeros((4,)), "x2": zeros((2, 3, 4)), "eps": 0.5}
    assert formed("common_rank", None, (4,), **tensors) == 3
    assert formed("last_common_axis", None, (4,), **tensors) == 2
    assert [formed("common_axis", dim, (4,), **tensors) for dim in (-1, -3, 1)] == [2, 0, 1]
    with pytest.raises(NoForm, match="there is no dimension 3 among 3"):
        formed("common_axis", 3, (4,), **tensors)
    for form, value in (("own_rank", tensor(None)), ("common_rank", None)):
        with pytest.raises(NoForm, match="the rank of a tensor is not known"):
            formed(form, value, (4,), x1=tensor(None))


def test_means_along_the_dimensions_of_normalization() -> None:
    x = counted(2, 3, 4, 5)
    last = tuple(formed("last_axes", [4, 5], x.shape))
    np.testing.assert_array_equal(x.mean(last), x.reshape(2, 3, 20).mean(-1))
    assert list(range(x.ndim))[formed("first_of_last_axes", [4, 5], x.shape) :] == [*last]
    by_channel = np.moveaxis(x, 1, 0).reshape(3, -1)
    np.testing.assert_allclose(x.mean(tuple(formed("axes_of_channels", None, x.shape))), by_channel.mean(1))
    np.testing.assert_array_equal(x.mean(tuple(formed("axes_of_space", None, x.shape))), x.reshape(2, 3, 20).mean(-1))


@pytest.mark.parametrize("dims", [(0, 1), (-1, 0), (1, -2), (2, -3)])
def test_two_dimensions_change_places(dims: tuple[int, int]) -> None:
    x = counted(2, 3, 4)
    for names in (("dim0", "dim1"), ("axis0", "axis1")):
        made = formed("order", dims[0], x.shape, **dict(zip(names, dims, strict=True)))
        assert (made is None) == (dims == (1, -2))
        np.testing.assert_array_equal(x if made is None else x.transpose(made), x.swapaxes(*dims))


def test_a_scalar_has_one_dimension_to_swap() -> None:
    assert formed("order", 0, (), dim0=0, dim1=-1) is None


@pytest.mark.parametrize(
    ("source", "destination"), [([0], [2]), ([-1], [0]), ([0, 1], [-1, -2]), ([], []), (0, -1), (-2, 0)]
)
def test_dimensions_are_moved(source: Any, destination: Any) -> None:
    x = counted(2, 3, 4)
    made = formed("moved_order", source, x.shape, source=source, destination=destination)
    np.testing.assert_array_equal(x.transpose(made), np.moveaxis(x, source, destination))


def test_lists_of_dimensions_of_different_length_are_refused() -> None:
    with pytest.raises(NoForm, match="there are 1 items beside 2"):
        formed("moved_order", [0, 1], (2, 3, 4), source=[0, 1], destination=[2])


def test_matrices_are_transposed() -> None:
    assert formed("last_two_swapped", (2, 3, 4)) == [0, 2, 1]
    assert formed("last_two_swapped", (None, 0)) == [1, 0]
    for value in ((3,), (), None):
        with pytest.raises(NoForm, match="its rank is not known, or below 2"):
            formed("last_two_swapped", value)


@pytest.mark.parametrize("turns", [-2, -1, 0, 1, 2, 3, 7])
@pytest.mark.parametrize("dims", [[0, -1], [1, 0], [-2, -1]])
def test_a_plane_is_turned(turns: int, dims: list[int]) -> None:
    x = counted(2, 3, 4)
    reversed_, order = (formed(form, turns, x.shape, k=turns, dims=dims) for form in ("turned_axes", "turned_order"))
    made = np.flip(x, reversed_)
    np.testing.assert_array_equal(
        made if order is None else made.transpose(order), np.rot90(x, turns, (dims[0], dims[1]))
    )


@pytest.mark.parametrize("form", ["turned_axes", "turned_order"])
def test_a_plane_has_two_dimensions(form: str) -> None:
    with pytest.raises(NoForm, match="`dims` are 1 dimensions, and a plane has 2"):
        formed(form, 1, (2, 3), k=1, dims=[0])
    with pytest.raises(NoForm, match="a dimension is given twice"):
        formed(form, 1, (2, 3), k=1, dims=[0, -2])


@pytest.mark.parametrize("dims", [(-2, -1), (0, 1), (2, 0), (-1, -2)])
def test_matrices_of_vectors(dims: tuple[int, int]) -> None:
    order = formed("embedded_order", dims[0], (4, 5), dim1=dims[0], dim2=dims[1])
    x = counted(4, 5, 5)
    expected = np.moveaxis(x, (-2, -1), dims)
    np.testing.assert_array_equal(x if order is None else x.transpose(order), expected)
    assert (order is None) == (dims == (-2, -1))


def test_a_matrix_has_two_dimensions() -> None:
    for form in ("embedded_order", "dimensions_last"):
        with pytest.raises(NoForm, match="a dimension is given twice"):
            formed(form, 0, (2, 3), dim1=1, dim2=1)


@pytest.mark.parametrize(("value", "made"), [(0, [0, 2, 1]), (1, None), (-1, None), (-2, [0, 2, 1])])
def test_a_dimension_that_was_made_is_moved_to_the_end(value: int, made: Any) -> None:
    assert formed("part_last", value, (2, 3)) == made
