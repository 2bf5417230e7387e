"""Forms that give shapes of views, of vectors beside tensors, and of repeated tensors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from opwright.aten.forms.call_shape import NoForm
from opwright.aten.tensor_facts import Facts, Sizes

from tests.aten.form_calls import COMPUTED, M, N, counted, formed, tensor

VALUES = {"N": 2, "M": 3}  # of the symbols, when the graph runs
OTHER = Facts(N.element, (), symbol="2*N")  # its value is 4


def at_run_time(sizes: list[Any]) -> list[int]:
    """The sizes with the values of the symbols."""
    return [item if isinstance(item, int) else VALUES.get(item.symbol, 4) for item in sizes]


def reshaped(x: Any, sizes: list[Any], keeps: bool) -> Any:
    """ONNX's Reshape: 0 is the tensor's own size, but with `allowzero` nothing."""
    plain = at_run_time(sizes)
    return x.reshape([x.shape[place] if item == 0 and keeps else item for place, item in enumerate(plain)])


@pytest.mark.parametrize(
    ("value", "symbols", "made", "keeps"),
    [
        ([6, 4], ("N", "M", "4"), [6, 4], False),  # numbers stay
        ([-1], ("N", "M", "4"), [-1], False),
        ([OTHER, 6], ("N", "M", "4"), [-1, 6], False),  # one that is computed is what is left
        ([N, 12], ("N", "M", "4"), [-1, 12], False),
        ([N, OTHER, 3], ("N", "M", "4"), [0, -1, 3], True),  # the tensor's own, and one that is left
        ([N, M, 4], ("N", "M", "4"), [0, 0, 4], True),
        ([N, -1], ("N", "M", "4"), [0, -1], True),
        ([-1, M, 4], ("N", "M", "4"), [-1, 0, 4], True),
        ([M, N, 4], ("N", "M", "4"), [M, N, 4], False),  # own sizes in other places
        ([OTHER, -1], ("N", "M", "4"), [OTHER, -1], False),  # two that nothing says
        ([OTHER, OTHER, N], ("N", "M", "4"), [OTHER, OTHER, N], False),
        ([N, M, 4], (), [N, M, 4], False),  # nothing is known of its sizes
    ],
)
def test_sizes_of_views(value: list[Any], symbols: tuple[str, ...], made: list[Any], keeps: bool) -> None:
    first = tensor((None, None, 4), symbols=symbols)
    assert (formed("view_sizes", value, first), formed("keeps_sizes", value, first)) == (made, keeps)
    wanted = at_run_time(value)
    if abs(np.prod(wanted)) == 24:
        x = counted(2, 3, 4)
        np.testing.assert_array_equal(reshaped(x, made, keeps), x.reshape(wanted))


@pytest.mark.parametrize(
    ("value", "first", "made", "keeps"),
    [
        ([], tensor(()), [], False),
        ([1, -1], tensor(()), [1, -1], False),
        ([COMPUTED], tensor(()), [-1], False),
        ([0, 4], tensor((2, 0)), [0, 4], False),  # a dimension without elements: `allowzero`
        ([0, N], tensor((None, 0), symbols=("N", "0")), [0, N], False),
        ([N, N], tensor(None), [N, N], False),
        ([N, 3, N], tensor((None,), symbols=("N",)), [0, 3, -1], True),  # more places than dimensions
        ((2, 3), tensor((6,)), [2, 3], False),
    ],
)
def test_sizes_of_views_of_scalars_and_of_nothing(value: Any, first: Facts, made: list[Any], keeps: bool) -> None:
    assert (formed("view_sizes", value, first), formed("keeps_sizes", value, first)) == (made, keeps)


@pytest.mark.parametrize(
    ("value", "sizes", "symbols", "made"),
    [
        ([-1, COMPUTED, 3], None, (), [1, COMPUTED, 3]),
        ([3, N, -1], (None, 4), ("N", "4"), [3, 1, 1]),  # a new leading dimension
        ([N, M], (None, None), ("N", "M"), [1, 1]),
        ([M, N], (None, None), ("N", "M"), [M, N]),  # own sizes in other places
        ([N, 3, -1], (None, 1), ("N", "1"), [N, 3, 1]),  # counted from the end, the size of another dimension
        ([N, N], (1, None), ("1", "N"), [N, 1]),
        ([N, 2], (), (), [N, 2]),
        ([N], (None,), (), [N]),
        ([0, -1], (1, 4), ("1", "4"), [0, 1]),
        ([], (), (), []),
    ],
)
def test_sizes_of_expansions(value: list[Any], sizes: Sizes | None, symbols: tuple[str, ...], made: list[Any]) -> None:
    assert formed("kept_sizes", value, tensor(sizes, symbols=symbols)) == made


@pytest.mark.parametrize(
    ("value", "sizes"), [([3, N, -1], (2, 4)), ([N, -1], (2, 3)), ([5, -1, M], (2, 3)), ([0, 3], (1, 3))]
)
def test_expansions_have_the_sizes_that_are_asked(value: list[Any], sizes: tuple[int, ...]) -> None:
    x, symbols = counted(*sizes), tuple({2: "N", 3: "M"}.get(size, str(size)) for size in sizes)
    made = at_run_time(formed("kept_sizes", value, tensor((None,) * len(sizes), symbols=symbols)))
    before = len(value) - len(sizes)
    asked = [sizes[place - before] if item == -1 else item for place, item in enumerate(at_run_time(value))]
    expanded = np.broadcast_to(x, np.broadcast_shapes(x.shape, tuple(made)))  # ONNX's Expand
    np.testing.assert_array_equal(expanded, np.broadcast_to(x, asked))


@pytest.mark.parametrize(
    ("dims", "sizes", "made"),
    [
        ((1, -1), (2, 3, 4), [2, 12]),
        ((1, -1), (2, 0, 4), [2, 0]),
        ((1, -1), (None, 3, 4), [0, 12]),
        ((1, -1), (None, None, 4), [0, -1]),
        ((1, 1), (None, None, 4), [0, -1, 4]),
        ((0, 0), (3, None), None),
        ((0, -1), (), [1]),
    ],
)
def test_dimensions_become_one(dims: tuple[int, int], sizes: Sizes, made: Any) -> None:
    assert formed("flat_shape", dims[0], sizes, start_dim=dims[0], end_dim=dims[1]) == made


@pytest.mark.parametrize(
    ("dims", "sizes", "made"),
    [
        ((0, 1), (3, 4), [12]),
        ((2, 0), (2, 3, 2), [3, 4]),
        ((-2, -1), (0, 2, 2), [0, 4]),
        ((-2, -1), (None, 2, 2), [0, 4]),
        ((-2, -1), (None, None, 2), [0, -1]),
        ((0, 2), (None, 3, 2), [3, -1]),
        ((0, 1), (None, 2), [-1]),
    ],
)
def test_two_dimensions_become_one_behind_the_others(dims: tuple[int, int], sizes: Sizes, made: Any) -> None:
    assert formed("joined_sizes", dims[0], sizes, dim1=dims[0], dim2=dims[1]) == made


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
        (2, None, None, [1, 2], None, None),
        (2, 0, (), [1, 2], None, None),
    ],
)
def test_parts_are_repeated(times: Any, dim: Any, sizes: Sizes | None, counts: Any, axes: Any, shape: Any) -> None:
    assert formed("counts_behind", times, sizes, dim=dim) == counts
    assert formed("new_axis_behind", dim, sizes, dim=dim) == axes
    assert formed("repeated_shape", times, sizes, dim=dim) == shape


@pytest.mark.parametrize("dim", [0, 1, -1])
def test_repeated_parts_are_those_of_numpy(dim: int) -> None:
    x = counted(2, 3, 4)
    (axis,) = formed("new_axis_behind", dim, x.shape)
    made = np.tile(np.expand_dims(x, axis), formed("counts_behind", 2, x.shape, dim=dim))
    made = made.reshape(formed("repeated_shape", 2, x.shape, dim=dim))
    np.testing.assert_array_equal(made, np.repeat(x, 2, dim))


@pytest.mark.parametrize("form", ["counts_behind", "new_axis_behind", "repeated_shape"])
def test_a_tensor_of_unknown_rank_is_not_taken_as_a_scalar(form: str) -> None:
    with pytest.raises(NoForm, match="the rank of the first tensor is not known"):
        formed(form, 2, None, dim=1)


@pytest.mark.parametrize(
    ("form", "value", "sizes", "reason"),
    [
        ("flat_shape", 0, (0, None), "a dimension has size 0"),
        ("unflat_shape", [2, -1], (0, None), "a dimension has size 0"),
        ("repeated_shape", 2, (0, None), "a dimension has size 0"),
        ("repeated_shape", 0, (None, 2), "a dimension has size 0"),
        ("flat_shape", 0, None, "the rank of the first tensor is not known"),
        ("unflat_shape", [2, -1], (6,), "there is no dimension 1 among 1"),
    ],
)
def test_shapes_that_are_refused(form: str, value: Any, sizes: Sizes | None, reason: str) -> None:
    with pytest.raises(NoForm, match=reason):
        formed(form, value, sizes, dim=1, start_dim=0, end_dim=-1)


def test_more_shapes_that_are_refused() -> None:
    with pytest.raises(NoForm, match="a dimension has size 0"):
        formed("joined_sizes", 1, (None, 2, 0), dim1=1, dim2=2)
    with pytest.raises(NoForm, match="`start_dim` is 2, after `end_dim`, which is 0"):
        formed("flat_shape", 2, (2, 3, 4), start_dim=-1, end_dim=0)
    with pytest.raises(NoForm, match="there are 0 groups"):
        formed("group_sizes", 0, (2, 4))


@pytest.mark.parametrize(
    ("form", "value", "sizes", "made"),
    [
        ("group_sizes", 2, (5, 4, 3), [0, 2, 6]),
        ("group_sizes", 2, (None, 4, 3), [0, 2, 6]),
        ("group_sizes", 2, (5, 4, None), [0, 2, -1]),
        ("group_sizes", 2, None, [0, 2, -1]),
        ("group_length", 2, (None, 4, 3), [6]),
        ("group_length", 2, (5, 4, None), None),
        ("group_length", 2, None, None),
        ("along", 1, (2, 3, 4), [-1, 1]),
        ("along", -1, (2, 3), [-1]),
        ("along", 0, (), [-1]),
        ("channel_shape", (3,), (2, 3, 4, 5), [-1, 1, 1]),
        ("channel_shape", (3,), (2, 3), None),
        ("channel_shape", (1,), (4,), None),
        ("channel_shape", (1,), (), []),
        ("channel_shape", (), (2, 3, 4), None),
        ("channel_sizes", (3,), (2, 3, 4, 5), [1, -1, 1, 1]),
        ("channel_sizes", (3,), (None, None, 0), [1, -1, 1]),
        ("channel_sizes", (3,), (2, 3), [1, -1]),
        ("channel_sizes", (3,), (3,), [-1]),
        ("repetitions", [2], (4, 5), [1, 2]),
        ("repetitions", [2, 3, 4], (4, 5), [2, 3, 4]),
        ("repetitions", [], (), []),
        ("new_axes", [2, 3, 4], (4,), [0, 1]),
        ("new_axes", [2], (4,), None),
        ("new_axes", [2], (), [0]),
        ("new_axes", [], (4,), None),
    ],
)
def test_shapes_beside_a_tensor(form: str, value: Any, sizes: Sizes | None, made: Any) -> None:
    assert formed(form, value, sizes) == made


@pytest.mark.parametrize("sizes", [(3,), (2, 3), (2, 3, 4), (2, 3, 4, 5)])
def test_a_vector_stands_beside_the_channels(sizes: tuple[int, ...]) -> None:
    x, vector = counted(*sizes), counted(3)
    axis = 0 if len(sizes) == 1 else 1
    expected = np.moveaxis(np.moveaxis(x, axis, -1) * vector, -1, axis)
    np.testing.assert_array_equal(x * vector.reshape(formed("channel_sizes", vector, sizes)), expected)


@pytest.mark.parametrize(
    ("sizes", "reason"), [((), "the tensor has no channels"), (None, "the rank of the first tensor is not known")]
)
def test_a_tensor_without_channels(sizes: Sizes | None, reason: str) -> None:
    with pytest.raises(NoForm, match=reason):
        formed("channel_sizes", (3,), sizes)


@pytest.mark.parametrize(("value", "sizes"), [([2], (4, 5)), ([2, 3, 1], (4,)), ([0, 2], (4, 5)), ([3], ())])
def test_repetitions_are_those_of_numpy(value: list[int], sizes: tuple[int, ...]) -> None:
    x = counted(*sizes)
    made = np.expand_dims(x, tuple(formed("new_axes", value, sizes) or ()))
    np.testing.assert_array_equal(np.tile(made, formed("repetitions", value, sizes)), np.tile(x, value))
