"""Forms of the windows of convolutions and pools, of padding, and of resizing."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from opwright.aten.forms.call_shape import NoForm
from opwright.aten.forms.form_table import FORMS
from opwright.aten.operator_schema import Argument
from opwright.aten.tensor_facts import Sizes

from tests.aten.form_calls import COMPUTED, call_shape, counted, formed, tensor


@pytest.mark.parametrize(
    ("form", "value", "sizes", "made"),
    [
        ("spatial", 3, (2, 3, 4, 5), [3, 3]),
        ("spatial", [3], (2, 3, 4, 5), [3, 3]),
        ("spatial", [3, 2], (2, 3, 4, 5), [3, 2]),
        ("spatial", [COMPUTED, 2], (2, 3, 4, 5), [COMPUTED, 2]),
        ("both_ends", 1, (2, 3, 4), [1, 1]),
        ("both_ends", [1, 2], (2, 3, 4, 5), [1, 2, 1, 2]),
        ("stride", [2], (2, 3, 4, 5), [2, 2]),
        ("stride", [], (2, 3, 4, 5), [4, 3]),
        ("stride", None, (2, 3, 4, 5), [4, 3]),
        ("window_elements", 3, (2, 3, 4, 5), 9),
        ("all_ones", [1, 1], None, True),
        ("all_ones", [1, 2], None, False),
        ("all_ones", 1, None, True),
        ("all_ones", [COMPUTED], None, False),
    ],
)
def test_a_number_for_each_spatial_dimension(form: str, value: Any, sizes: Sizes | None, made: Any) -> None:
    assert formed(form, value, sizes, kernel_size=[4, 3]) == made


def test_the_schema_says_how_many_spatial_dimensions_there_are() -> None:
    two = Argument("stride", "int", is_list=True, size=2)
    assert FORMS["spatial"](3, call_shape((3, 4, 5), argument=two)) == [3, 3]
    with pytest.raises(NoForm, match="there are 3 numbers for 2 dimensions"):
        FORMS["spatial"]([1, 2, 3], call_shape((3, 4, 5), argument=two))


@pytest.mark.parametrize(
    ("value", "kernel", "stride", "dilation", "made"),
    [
        ("valid", (3, 3), [2, 2], [1, 1], [0, 0, 0, 0]),
        ("same", (3, 4), [1, 1], [1, 1], [1, 1, 1, 2]),
        ("same", (3, 4), [1], [2, 3], [2, 4, 2, 5]),
        ("valid", (None, 3), [1, 1], [1, 1], [0, 0, 0, 0]),
    ],
)
def test_padding_that_has_a_name(
    value: str, kernel: tuple[int | None, ...], stride: list[int], dilation: list[int], made: list[int]
) -> None:
    weight = (5, 6, *kernel)
    assert formed("window_padding", value, weight=weight, stride=stride, dilation=dilation) == made


@pytest.mark.parametrize(
    ("value", "weight", "stride", "reason"),
    [
        ("same", (5, 6, None, 3), [1], "the size of the filters is not known"),
        ("same", None, [1], "the size of the filters is not known"),
        ("valid", None, [1], "the rank of the filters is not known"),
        ("same", (5, 6, 3, 3), [2], "the stride is not 1"),
        ("full", (5, 6, 3, 3), [1], "it is 'full', and neither 'same' nor 'valid'"),
    ],
)
def test_padding_that_is_none(value: str, weight: Sizes | None, stride: list[int], reason: str) -> None:
    with pytest.raises(NoForm, match=reason):
        formed("window_padding", value, weight=weight, stride=stride, dilation=[1])


def pooled(form: str, size: int | None, kernel: int, stride: int, padding: int, **values: Any) -> Any:
    """What a form makes of the padding of a pool over one dimension."""
    given = {"kernel_size": [kernel], "stride": [stride], "padding": [padding], "ceil_mode": True, **values}
    shape = call_shape((2, 3, size), given, argument=Argument("padding", "int", is_list=True, size=1))
    return FORMS[form]([padding], shape)


def windows_of_pytorch(size: int, kernel: int, stride: int, padding: int) -> int:
    """`pooling_output_shape` with `ceil_mode`."""
    count = -((kernel - size - 2 * padding) // stride) + 1
    return count - 1 if (count - 1) * stride >= size + padding else count


@pytest.mark.parametrize("kernel", [1, 2, 3, 5])
@pytest.mark.parametrize("stride", [1, 2, 3, 4])
def test_as_many_windows_as_pytorch_has(kernel: int, stride: int) -> None:
    for padding in range(kernel // 2 + 1):
        for size in range(max(kernel - 2 * padding, 1), 12):
            begin, end = pooled("pool_pads", size, kernel, stride, padding)
            assert begin == padding <= end
            count = (size + begin + end - kernel) // stride + 1
            assert count == windows_of_pytorch(size, kernel, stride, padding)
            try:
                begin, end = pooled("pool_pads", None, kernel, stride, padding)
            except NoForm:
                assert padding + stride > kernel > padding + 1
            else:
                assert count == (size + begin + end - kernel) // stride + 1


def test_what_averages_count() -> None:
    # of 6 and padding of 1 the last window of 3 by steps of 2 has one element of padding, and none beyond it with 5
    assert pooled("pool_pads", 5, 3, 2, 1, count_include_pad=True) == [1, 1]
    assert pooled("pool_counts", 5, 3, 2, 1, count_include_pad=True) is True
    assert pooled("pool_zeros", 5, 3, 2, 1, count_include_pad=True) is None
    assert pooled("pool_pads", 6, 3, 2, 1, count_include_pad=True) == [0, 1]
    assert pooled("pool_counts", 6, 3, 2, 1, count_include_pad=True) is False
    assert pooled("pool_zeros", 6, 3, 2, 1, count_include_pad=True) == [0, 0, 1, 0, 0, 1]
    assert pooled("pool_pads", 6, 3, 2, 1, count_include_pad=False) == [1, 2]
    assert pooled("pool_zeros", 6, 3, 2, 1, count_include_pad=False) is None
    assert pooled("pool_pads", 6, 3, 2, 1, count_include_pad=True, divisor_override=2) == [1, 2]
    assert pooled("pool_counts", 6, 3, 2, 1, count_include_pad=True, divisor_override=2) is True
    assert pooled("pool_zeros", 6, 3, 2, 1, count_include_pad=True, divisor_override=2) is None


def test_pools_that_are_refused() -> None:
    with pytest.raises(NoForm, match="the stride is 0"):
        pooled("pool_pads", 6, 3, 0, 1)
    with pytest.raises(NoForm, match="as much padding as a window has elements"):
        formed("pool_pads", [0], (2, 3, 7), kernel_size=[2], stride=[3], padding=[0], dilation=[2], ceil_mode=True)
    with pytest.raises(NoForm, match="there are 2 numbers for 1 dimensions"):
        formed("pool_pads", [1, 1], (2, 3, 6), kernel_size=[3], stride=[2], padding=[1, 1], ceil_mode=True)
    with pytest.raises(NoForm, match="the first tensor has 1 dimensions, and windows 2"):
        formed("adaptive_kernel", [2, 2], (4,))


def test_adaptive_pooling_with_windows_of_one_size() -> None:
    def windows(sizes: Sizes | None, outputs: Any) -> Any:
        return formed("adaptive_kernel", outputs, sizes), formed("adaptive_stride", outputs, sizes)

    assert windows((2, 3, 8, 6), [4, 1]) == ([2, 6], [2, 1])
    assert windows((2, 3, 7), [3]) == ([3], [2])  # they overlap
    assert windows((2, 3, 7), 7) == ([1], [1])
    assert windows((2, 3, 7, 8), [4, 4]) == (None, None)
    assert windows((2, 3, 4), [6]) == (None, None)
    assert windows((2, 3, None), [1]) == (None, None)
    assert windows(None, [COMPUTED]) == (None, None)


@pytest.mark.parametrize(("value", "sizes"), [([1, 2], (2, 3)), ([1, 2, 3, 4], (2, 3)), ([], (2,)), ([], ())])
def test_padding_is_that_of_numpy(value: list[int], sizes: tuple[int, ...]) -> None:
    x = counted(*sizes)
    made = formed("padding", value, sizes)
    pairs = [*zip(made[: len(sizes)], made[len(sizes) :], strict=True)]
    expected = x
    for number, place in enumerate(range(0, len(value), 2)):
        around = [(0, 0)] * len(sizes)
        around[-1 - number] = (value[place], value[place + 1])
        expected = np.pad(expected, around)
    np.testing.assert_array_equal(np.pad(x, pairs) if pairs else x, expected)


@pytest.mark.parametrize(("value", "sizes"), [([1], (2, 3)), ([1, 2, 3, 4], (3,)), ([1, 2], ())])
def test_padding_of_other_dimensions_is_refused(value: list[int], sizes: tuple[int, ...]) -> None:
    with pytest.raises(NoForm, match=f"{len(value)} numbers do not pad {len(sizes)} dimensions"):
        formed("padding", value, sizes)


def test_padding_by_an_edge_that_is_removed_is_refused() -> None:
    assert formed("edge_padding", [-3, 5, 1, 0], (2, 4, 4)) == [0, 1, -3, 0, 0, 5]
    assert formed("edge_padding", [-9, COMPUTED], (2, None)) == [0, -9, 0, COMPUTED]
    with pytest.raises(NoForm, match="it removes all 4 elements of a dimension"):
        formed("edge_padding", [-4, 5], (2, 4))
    assert formed("padding_of_mode", [-4, 5], (2, 4), mode="constant") == [0, -4, 0, 5]
    assert formed("padding_of_mode", [1, COMPUTED], (2, 4), mode="circular") == [0, 1, 0, COMPUTED]
    for mode, reason in (("replicate", "it removes all 4 elements"), ("circular", "negative numbers remove")):
        with pytest.raises(NoForm, match=reason):
            formed("padding_of_mode", [-4, 5], (2, 4), mode=mode)


def resized(sizes: Sizes, element: str = "float", /, **values: Any) -> tuple[Any, Any, Any, Any]:
    """What the forms of Resize make of a call: sizes, scales, whether indices are taken, and how far they are apart."""
    names = ("resize_sizes", "resize_scales", "resize_by_index", "resize_steps")
    sized, scales, by_index, steps = (formed(name, None, tensor(sizes, element), **values) for name in names)
    return sized, scales, by_index, steps


def test_nearest_elements_are_those_of_resize_where_it_rounds_alike() -> None:
    assert resized((2, 3, 4, 5), output_size=[8, 10], scale_factors=None) == ([8, 10], None, False, None)
    assert resized((2, 3, None, 5), output_size=None, scale_factors=[2.0, 0.5]) == (None, [2.0, 0.5], False, None)
    assert resized((2, 3, 14, 14), output_size=[2, 2], scale_factors=None) == ([2, 2], None, True, None)
    assert resized((2, 3, 20), output_size=None, scale_factors=[0.7]) == ([14], None, True, [1 / 0.7])
    assert resized((2, 3, None), output_size=None, scale_factors=[1.5]) == (None, [1.5], True, [1 / 1.5])
    assert resized((2, 3, 4), output_size=[COMPUTED], scales=None) == ([COMPUTED], None, True, None)
    assert resized((2, 3, 4), "double", output_size=[8], scales=None) == ([8], None, True, None)


def test_sizes_are_given_where_nearest_elements_are_taken_by_their_indices() -> None:
    given: dict[str, Any] = {"output_size": [2, 2], "scale_factors": None}
    assert formed("lengths_by_index", None, (None, 3, 14, 14), **given) == [14, 14]
    assert formed("lengths_by_index", None, (2, 3, 14, None), **given) is None
    assert formed("lengths_by_index", None, (2, 3, 4, 5), output_size=[8, 10], scale_factors=None) is None


def test_of_images_dimensions_that_stay_or_double_do_so_whatever_the_scales() -> None:
    assert resized((2, 3, 2, 2), output_size=None, scale_factors=[1.3, 1.3]) == ([2, 2], None, False, None)
    assert resized((2, 3, 6, 5), output_size=None, scale_factors=[2.1, 1.1]) == ([12, 5], None, False, None)
    assert resized((2, 3, 7, 5), output_size=None, scale_factors=[1.3, 1.1])[1][1] == 1.0


def test_nothing_is_left_to_resize_that_onnxruntime_copies_and_pytorch_does_not() -> None:
    assert resized((2, 3, 6), output_size=None, scales=[1.1]) == ([6], None, True, [1 / 1.1])
    assert resized((2, 3, 6), output_size=None, scales=[1.0]) == (None, [1.0], False, None)
    with pytest.raises(NoForm, match="onnxruntime copies where PyTorch interpolates"):
        resized((2, 3, 6, 6), output_size=None, scale_factors=[1.1, 1.1], align_corners=False)


def test_scales_are_floats_that_give_the_sizes() -> None:
    aligned: dict[str, Any] = {"output_size": None, "scale_factors": [0.7, 1.7]}
    assert resized((2, 3, 10, 5), align_corners=True, **aligned)[:2] == ([7, 8], None)
    sized, scales, _, _ = resized((2, 3, 10, None), align_corners=False, **aligned)
    assert sized is None and scales[0] >= 0.7 and scales[1] >= 1.7 and int(10 * scales[0]) == 7
    assert formed("linear_scales", None, (2, 3, 10, 1), **aligned, align_corners=False) == [scales[0], 1.0]


def placed(sizes: Sizes, /, **values: Any) -> tuple[Any, Any, Any]:
    """What the forms make of a call whose function computes places itself: sizes, scales, and steps."""
    made = (formed(name, None, sizes, **values) for name in ("placed_sizes", "placed_scales", "placed_steps"))
    sized, scales, steps = made
    return sized, scales, steps


def test_functions_that_compute_places_get_sizes_where_they_are_known_and_scales_where_not() -> None:
    assert placed((2, 3, 4, 5), output_size=[8, 10], scale_factors=None) == ([8, 10], None, None)
    assert placed((2, 3, None), output_size=[COMPUTED], scale_factors=None) == ([COMPUTED], None, None)
    assert placed((2, 3, 20), output_size=None, scale_factors=[0.7]) == ([14], None, [1 / 0.7])
    assert placed((2, 3, 4, 5), output_size=[2, 5], scales_h=0.5, scales_w=None) == ([2, 5], None, [2.0, 1.0])
    sized, scales, steps = placed((2, 3, None, 5), output_size=None, scale_factors=[0.7, 2.0])
    assert sized is None and scales[0] >= 0.7 and scales[1] == 2.0 and steps == [1 / 0.7, 0.5]


def test_between_corners_the_sizes_say_how_far_elements_lie_apart() -> None:
    assert placed((2, 3, 4), output_size=None, scale_factors=[2.0], align_corners=True) == ([8], None, None)
    with pytest.raises(NoForm, match="neither a scale nor sizes"):
        placed((2, 3, 4, None), output_size=[8, COMPUTED], scales_h=2.0, scales_w=None)


@pytest.mark.parametrize(
    ("sizes", "values", "reason"),
    [
        ((2, 3, 4), {"output_size": [3], "scales": 0.6}, "does not give the size 3"),
        ((2, 3, 4), {"output_size": [3], "scales": 1e300}, "does not give the size 3"),
        ((2, 3, 4), {"output_size": [3], "scales": 1e-300}, "does not give the size 3"),
        (
            (2, 3, 4, None),
            {"output_size": [8, COMPUTED], "scales_h": 2.0, "scales_w": None},
            "neither a scale nor sizes",
        ),
        ((2, 3, 4), {"output_size": None, "scales": math.inf}, "a scale is not finite"),
        ((2, 3, 0), {"output_size": [3], "scales": None}, "a dimension has no elements"),
        ((2, 3, 4), {"output_size": [3, 3], "scales": None}, "sizes or scales are not of 1 dimensions"),
    ],
)
def test_sizes_and_scales_that_are_refused(sizes: Sizes, values: dict[str, Any], reason: str) -> None:
    with pytest.raises(NoForm, match=reason):
        resized(sizes, align_corners=False, **values)
