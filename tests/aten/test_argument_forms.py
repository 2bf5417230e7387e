"""What forms make of arguments that are known when a call is made."""

from __future__ import annotations

from typing import Any

import pytest
from opwright.aten.argument_forms import FORMS, CallShape, NoForm
from opwright.aten.operator_schema import Argument
from opwright.elements import BY_NAME

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
        ("below_one", 1.0, None, None),
        ("below_one", 0.5, None, 0.5),
        ("unless_false", None, None, True),
        ("unless_false", True, None, True),
        ("unless_false", False, None, False),
        ("not_nan", 2.5, None, 2.5),
        ("not_nan", None, None, None),
        ("not_nan", COMPUTED, None, COMPUTED),
        ("root", 0.5, None, "sqrt"),
        ("root", -0.5, None, "rsqrt"),
        ("root", 2, None, None),
        ("root", COMPUTED, None, None),
        ("no_root", -0.5, None, None),
        ("no_root", COMPUTED, None, COMPUTED),
    ],
)
def test_lists_and_dimensions(form: str, value: Any, sizes: tuple[int | None, ...] | None, made: Any) -> None:
    assert formed(form, value, sizes) == made


@pytest.mark.parametrize(
    ("dtype", "span", "made"),
    [
        ("int32", (-0.5, 3, 1.0), (0, 4, 1)),
        ("int64", (-0.5, 3.5, 1.0), (0, 3, 1)),
        ("uint8", (0, 4.5, 1), (0, 5, 1)),
        ("float", (0.5, 3, 0.5), (0.5, 3, 0.5)),
        (None, (0.5, 3, 0.5), (0.5, 3, 0.5)),
        ("int8", (0.5, COMPUTED, 2.5), (0, COMPUTED, 2)),
    ],
)
def test_ranges_of_integers(dtype: str | None, span: tuple[Any, Any, Any], made: tuple[Any, Any, Any]) -> None:
    values = dict(zip(("start", "end", "step"), span, strict=True))
    forms = {"start": "number_of_dtype", "end": "end_of_dtype", "step": "number_of_dtype"}
    element = None if dtype is None else BY_NAME[dtype]
    assert tuple(formed(form, values[name], dtype=element, **values) for name, form in forms.items()) == made


def test_a_number_that_is_nan_is_refused() -> None:
    with pytest.raises(NoForm, match="it is nan"):
        formed("not_nan", float("nan"))


def test_a_range_of_integers_without_a_step_is_refused() -> None:
    with pytest.raises(NoForm, match=r"`step` is 0\.5, which is 0 in int8"):
        formed("end_of_dtype", 3, dtype=BY_NAME["int8"], start=0, step=0.5)


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
    ("value", "kernel", "stride"), [("same", (None, 3), [1]), ("same", (3, 3), [2]), ("full", (3, 3), [1])]
)
def test_padding_that_is_none(value: str, kernel: tuple[int | None, ...], stride: list[int]) -> None:
    with pytest.raises(NoForm):
        formed("window_padding", value, weight=(5, 6, *kernel), stride=stride, dilation=[1])


def pooled(form: str, size: int | None, kernel: int, stride: int, padding: int, **values: Any) -> Any:
    """What a form makes of the padding of a pool over one dimension."""
    given = {"kernel_size": [kernel], "stride": [stride], "padding": [padding], "ceil_mode": True, **values}
    shape = CallShape(Argument("padding", "int", is_list=True, size=1), given, (2, 3, size), lambda tensor: tensor)
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
                assert padding + stride > kernel
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


def test_adaptive_pooling_with_windows_of_one_size() -> None:
    def windows(sizes: tuple[int | None, ...] | None, outputs: Any) -> Any:
        return formed("adaptive_kernel", outputs, sizes), formed("adaptive_stride", outputs, sizes)

    assert windows((2, 3, 8, 6), [4, 1]) == ([2, 6], [2, 1])
    assert windows((2, 3, 7), [3]) == ([3], [2])  # they overlap
    assert windows((2, 3, 7), 7) == ([1], [1])
    assert windows((2, 3, 7, 8), [4, 4]) == (None, None)
    assert windows((2, 3, 4), [6]) == (None, None)
    assert windows((2, 3, None), [1]) == (None, None)
    assert windows(None, [COMPUTED]) == (None, None)
    assert [formed("all_ones", value) for value in ([1, 1], [1, 2], 1, [COMPUTED])] == [True, False, True, False]


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


def test_frames_of_a_signal() -> None:
    assert [formed("hop_of_frames", value, n_fft=10) for value in (None, 3)] == [2, 3]
    assert [formed("length_of_window", value, n_fft=10) for value in (None, 3)] == [10, 3]
    assert [formed("margin_of_window", value, n_fft=10) for value in (None, 10, 7)] == [None, None, 1]


def test_sizes_of_a_signal() -> None:
    assert formed("signal_sizes", [-1, 5], (2, 3, None), dim=[-2, -1]) == [3, 5]
    assert formed("signal_sizes", None, (2, 3), dim=[0]) is None
    with pytest.raises(NoForm, match="it is -1 for a dimension of unknown size"):
        formed("signal_sizes", [-1], (2, None), dim=[1])


def test_half_of_a_spectrum() -> None:
    assert formed("half_spectrum", 7, (5, 4), dim=[0, -1]) == 7
    assert formed("half_spectrum", 6, (5, None), dim=[1]) == 6
    with pytest.raises(NoForm, match="a real signal of length 8 has 5 frequencies, and 4 are given"):
        formed("half_spectrum", 8, (5, 4), dim=[1])


def test_complex_tensors() -> None:
    shape = CallShape(
        Argument("self", "Tensor"), {}, (3,), lambda tensor: (3,), is_complex=lambda tensor: tensor is COMPUTED
    )
    assert FORMS["pairs"](COMPUTED, shape) is COMPUTED
    assert [FORMS["is_complex"](value, shape) for value in (COMPUTED, None)] == [True, False]


def factors(element: str, beta: Any, alpha: Any, inner: int | None = 3) -> list[Any]:
    """What becomes of two factors, each as a number, as an attribute of Gemm and as what stands in its place."""
    given = {"self": "self", "mat1": "mat1", "beta": beta, "alpha": alpha}
    shape = CallShape(Argument("beta", "Scalar"), given, (), lambda tensor: (2, inner), lambda tensor: BY_NAME[element])
    forms = ("factor", "factor_of_gemm", "factor_beside_gemm")
    return [tuple(FORMS[form](given[name], shape) for name in ("beta", "alpha")) for form in forms]


@pytest.mark.parametrize(
    ("element", "given", "made"),
    [
        ("float", (0.1, 2), (0.1, 2)),
        ("int8", (0.6, -2.5), (0, -2)),
        ("uint8", (-1, 257), (255, 1)),
        ("bool", (0.5, 0), (True, False)),
        ("int64", (COMPUTED, 1), (COMPUTED, 1)),
    ],
)
def test_factors_are_in_the_element_type(element: str, given: tuple[Any, Any], made: tuple[Any, Any]) -> None:
    assert factors(element, *given)[0] == made


@pytest.mark.parametrize(
    ("element", "beta", "alpha", "inner", "fits"),
    [
        ("float16", 0.1, 0.2, 3, True),
        ("double", 0.5, 1e300, 3, False),
        ("double", 0.5, -3, 3, True),
        ("double", 0.1, 1, 3, False),
        ("int32", 2, 1, 3, False),
        ("float", 2, 1, None, False),
        ("float", 2, 1, 0, False),
        ("float", 0, 2, None, True),
        ("float", COMPUTED, 2, 3, False),
    ],
)
def test_factors_are_attributes_of_gemm_where_it_has_them(
    element: str, beta: Any, alpha: Any, inner: int | None, fits: bool
) -> None:
    _, attributes, inputs = factors(element, beta, alpha, inner)
    assert (attributes, inputs) == (((beta, alpha), (None, None)) if fits else ((None, None), (beta, alpha)))


@pytest.mark.parametrize(("value", "made"), [(0, True), (0.0, True), (False, True), (0.5, False), (COMPUTED, False)])
def test_a_factor_of_zero(value: Any, made: bool) -> None:
    assert formed("is_zero", value) is made


def test_limits_of_quantized_values() -> None:
    def limits(dtype: str, *ends: int) -> list[Any]:
        given = {"dtype": BY_NAME[dtype], "quant_min": ends[0], "quant_max": ends[1]}
        return [formed("quantized_limit", end, **given) for end in ends]

    assert limits("int8", -128, 127) == limits("uint8", 0, 255) == [None, None]
    assert limits("int8", -127, 127) == [-127, 127]
    assert limits("int16", -(2**15), 2**15 - 1) == [-(2**15), 2**15 - 1]


def test_groups_and_vectors_along_a_dimension() -> None:
    assert [formed("group_of_last", 4, sizes) for sizes in ((3, 8), (3, 2), (3, None), None)] == [4, 2, 4, 4]
    assert [formed("trailing_axes", axis, (2, 3, 4)) for axis in (0, 1, -1)] == [[1, 2], [1], []]
    assert formed("trailing_axes_from_front", 1, (2, 3, 4)) == [1]
    with pytest.raises(NoForm, match="the dimension -1 is negative"):
        formed("trailing_axes_from_front", -1, (2, 3, 4))
