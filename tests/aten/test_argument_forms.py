"""What forms make of arguments that are known when a call is made."""

from __future__ import annotations

import math
from typing import Any

import pytest
from opwright.aten.argument_forms import FORMS, CallShape, NoForm
from opwright.aten.operator_schema import Argument
from opwright.elements import BY_NAME

MOST = (1 << 63) - 1
COMPUTED = object()  # a value of the graph


def formed(form: str, value: Any, sizes: tuple[int | None, ...] | None = (), /, **values: Any) -> Any:
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
        ("channel_shape", (3,), (2, 3, 4, 5), [-1, 1, 1]),
        ("channel_shape", (3,), (2, 3), None),
        ("channel_shape", (1,), (4,), None),
        ("channel_shape", (1,), (), []),
        ("channel_shape", (), (2, 3, 4), None),
        ("half_at_most", 0.5, None, 0.5),
        ("half_at_most", None, None, None),
        ("power_of_ten", 2, None, 100.0),
        ("power_of_ten", 0, None, None),
        ("power_of_ten", -2, None, None),
        ("power_of_ten_below", 2, None, None),
        ("power_of_ten_below", 0, None, None),
        ("power_of_ten_below", -2, None, 100.0),
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
        ("own_axes", -1, (2, 3), 1),
        ("own_axes", [-1, 0], (2, 3), [1, 0]),
        ("own_axes", None, (2, 3), None),
        ("own_axes", -1, (), None),
        ("own_axes", [-1], (), []),
        ("other_axes", -2, (2, 3, 4), [0, 2]),
        ("other_axes", 0, (2,), []),
        ("other_axes", None, (2,), None),
        ("norm", None, None, "2"),
        ("norm", 2.0, None, "2"),
        ("norm", -math.inf, None, "-inf"),
        ("norm", 0.5, None, None),
        ("exponent", 3, None, 3.0),
        ("exponent", 2, None, None),
        ("exponent", None, None, None),
        ("with_elements", COMPUTED, (2, 3), COMPUTED),
        ("with_elements", COMPUTED, (None, 3), COMPUTED),
        ("with_elements", COMPUTED, None, COMPUTED),
        ("correction", None, None, 1.0),
        ("correction", 2, (3,), 2.0),
        ("correction", 0, (3,), None),
        ("correction", 0, (3, 0), 0.0),
        ("correction", False, None, None),
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


@pytest.mark.parametrize(
    ("element", "value", "made"),
    [
        ("uint8", -3, 253),
        ("int8", 255, -1),
        ("int8", 1 << 40, 0),
        ("int64", -5, -5),
        ("uint8", True, True),
        ("float", 300, 300),
        ("uint8", COMPUTED, COMPUTED),
    ],
)
def test_integers_beyond_the_element_type_wrap_around(element: str, value: Any, made: Any) -> None:
    shape = CallShape(Argument("value", "Scalar"), {}, (), lambda tensor: tensor, element=BY_NAME[element])
    assert FORMS["wrapped"](value, shape) == made


def test_a_factor_that_float16_does_not_hold_is_refused() -> None:
    shapes = {
        name: CallShape(Argument("value", "Scalar"), {}, (), lambda tensor: tensor, element=BY_NAME[name])
        for name in ("float16", "float", "int8")
    }
    assert FORMS["normal_factor"](255, shapes["int8"]) == -1
    assert FORMS["normal_factor"](1e-6, shapes["float"]) == 1e-6
    assert FORMS["normal_factor"](math.inf, shapes["float16"]) == math.inf
    with pytest.raises(NoForm, match="it is 1e-06, and no normal value of float16"):
        FORMS["normal_factor"](1e-6, shapes["float16"])


def test_a_divisor_wraps_around_where_the_quotient_is_rounded() -> None:
    for mode, made in (("floor", -1), (None, 255)):
        values = {"rounding_mode": mode}
        shape = CallShape(Argument("value", "Scalar"), values, (), lambda tensor: tensor, element=BY_NAME["int8"])
        assert FORMS["wrapped"](255, shape) == made


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


def test_the_limits_of_a_range() -> None:
    assert formed("range_limit", -1, min=-1, max=2) == -1
    assert formed("range_limit", 0, min=0, max=0) is None


def test_an_element_from_the_front() -> None:
    assert formed("start_from_front", -1, (None, 4), dim=-1) == [3]
    assert formed("start_from_front", 2, None, dim=0) == [2]
    assert formed("start_from_front", COMPUTED, None, dim=0) == [COMPUTED]


@pytest.mark.parametrize(
    ("form", "value", "sizes", "reason"),
    [
        ("axes", 2, (2, 3), "there is no dimension 2 among 2"),
        ("own_axes", 1, (), "there is no dimension 1 among 0"),
        ("axes", [0, -2], (2, 3), "a dimension stands there twice"),
        ("axes", 0, None, "the rank of the first tensor is not known"),
        ("with_elements", COMPUTED, (0, 3), "it has no elements"),
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


@pytest.mark.parametrize(
    ("element", "value", "made"),
    [
        ("float", 0.1, 0.1),
        ("int8", 0.6, 0),
        ("int8", -2.5, -2),
        ("uint8", -1, 255),
        ("uint8", 257, 1),
        ("bool", 0.5, 1),
        ("int64", COMPUTED, COMPUTED),
    ],
)
def test_factors_are_in_the_element_type(element: str, value: Any, made: Any) -> None:
    shape = CallShape(
        Argument("beta", "Scalar"), {"self": "self"}, (), lambda tensor: (), lambda tensor: BY_NAME[element]
    )
    assert FORMS["factor"](value, shape) == made


@pytest.mark.parametrize(("value", "made"), [(0, True), (0.0, True), (False, True), (0.5, False), (COMPUTED, False)])
def test_a_factor_of_zero(value: Any, made: bool) -> None:
    assert formed("is_zero", value) is made


@pytest.mark.parametrize("value", [-0.1, 0.6])
def test_a_share_above_a_half_is_refused(value: float) -> None:
    with pytest.raises(NoForm, match=r"not from 0 to 0\.5"):
        formed("half_at_most", value)


@pytest.mark.parametrize(
    ("element", "made"), [("float16", (0.1, None)), ("double", (None, 0.1)), ("float", (0.1, None))]
)
def test_numbers_of_double_are_inputs_beside_an_attribute(element: str, made: tuple[Any, Any]) -> None:
    given = {"self": "self"}
    shape = CallShape(Argument("slope", "Scalar"), given, (), lambda tensor: (), lambda tensor: BY_NAME[element])
    assert tuple(FORMS[form](0.1, shape) for form in ("single", "of_double")) == made


def shaped(form: str, value: Any, element: str = "float", **values: Any) -> Any:
    """As `formed`, every tensor of one element type."""
    shape = CallShape(
        Argument("self", "Tensor"),
        values,
        next(iter(values.values())),
        lambda tensor: tensor,
        lambda _: BY_NAME[element],
    )
    return FORMS[form](value, shape)


def test_items_of_a_list() -> None:
    assert [formed(form, ["a", "b"]) for form in ("first", "second")] == ["a", "b"]
    with pytest.raises(NoForm, match="it has 1 items"):
        formed("second", ["a"])


def test_weights_of_recurrent_networks() -> None:
    given = {"params": [(12, 5), (12, 4), (12,), (12,)] * 4, "num_layers": 2, "bidirectional": True}
    assert formed("weights_each", 2, **given, dropout=0.5, train=False) == 4
    assert formed("hidden_size", 2, **given) == 4
    with pytest.raises(NoForm, match="dropped"):
        formed("weights_each", 2, **given, dropout=0.5, train=True)
    with pytest.raises(NoForm, match="not known"):
        formed("hidden_size", 2, params=[(12, 5), (12, None)])


@pytest.mark.parametrize(
    ("element", "value", "size", "made"),
    [
        ("float", None, 4, 0.5),
        ("float", 0.3, 4, 0.3),
        ("float", None, None, None),
        ("double", None, 4, None),
        ("double", 0.25, 4, 0.25),
    ],
)
def test_scales_of_attention(element: str, value: float | None, size: int | None, made: float | None) -> None:
    assert shaped("attention_scale", value, element, query=(2, 3, size)) == made


def test_a_scale_that_float_does_not_hold_is_refused() -> None:
    with pytest.raises(NoForm, match=r"0\.3 is no number of type float"):
        shaped("attention_scale", 0.3, "double", query=(2, 3, 4))


def test_heads_that_queries_share() -> None:
    given: dict[str, Any] = {"query": (2, 4, 5, 8), "key": (2, 2, 6, 8), "value": (2, 2, 6, 8)}
    assert formed("key_heads", True, **given) == [0, 0, 1, 1]
    assert formed("key_heads", False, **given) is None
    assert formed("key_heads", True, **given | {"key": (2, 4, 6, 8)}) is None
    with pytest.raises(NoForm, match="numbers of heads"):
        formed("key_heads", True, **given | {"key": (2, None, 6, 8)})


@pytest.mark.parametrize(
    ("changed", "fits"),
    [
        ({}, True),
        ({"query": (None, 4, 5, 8)}, True),
        ({"query": (1, 4, 5, 8)}, False),
        ({"query": (2, 4, 0, 8)}, False),
        ({"query": (4, 5, 8)}, False),
        ({"key": (2, 2, 6, 8)}, False),
        ({"key": (2, 2, 6, 8), "enable_gqa": True}, True),
    ],
)
def test_sizes_that_attention_takes(changed: dict[str, Any], fits: bool) -> None:
    given: dict[str, Any] = {"query": (2, 4, 5, 8), "key": (2, 4, 6, 8), "value": (2, 4, 6, 3), "enable_gqa": False}
    assert formed("fits_attention", None, **given | changed) is fits


def test_equations_of_sums_of_products() -> None:
    pair = {"self": (2, 3, 4), "other": (4, 3)}
    assert formed("tensordot_equation", [1, 2], **pair, dims_self=[1, -1], dims_other=[1, 0]) == "abc,cb->a"
    assert formed("inner_equation", None, self=(2, 4), other=(3, 5, 4)) == "ab,ABb->aAB"
    new = {"expand1": [0], "expand2": [1], "expand3": [2], "sumdim": [-1]}
    factors = {"i1": (3, 4), "i2": (2, 4), "i3": (2, 3)}
    assert formed("trilinear_equation", [2], **factors, **new) == "bc,ac,ab->ab"


def test_dimensions_of_kronecker_products() -> None:
    first, second = (2, 3), (4,)
    given = {"self": first, "other": second}
    shapes = {
        name: CallShape(Argument(name, "Tensor"), given, first, lambda tensor: tensor) for name in ("self", "other")
    }
    assert FORMS["kron_axes"](first, shapes["self"]) == [1, 3]
    assert FORMS["kron_axes"](second, shapes["other"]) == [0, 1, 2]


def test_the_dimension_of_a_cross_product() -> None:
    assert formed("first_of_three", None, (2, 3, 3)) == 1
    assert formed("first_of_three", -1, (2, 3, 3)) == 2
    with pytest.raises(NoForm, match="not known"):
        formed("first_of_three", None, (2, None))


def test_small_forms_of_products() -> None:
    assert formed("last_two_swapped", (2, 3, 4)) == [0, 2, 1]
    assert [formed("named_norm", value) for value in (0.0, 2.5, None)] == ["0", "2", "2"]
    with pytest.raises(NoForm, match="no elements"):
        formed("named_norm", math.inf, (2, 0))
    assert formed("not_negative", 3) == 3
    with pytest.raises(NoForm, match="no inverse"):
        formed("not_negative", -1)


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


@pytest.mark.parametrize(
    ("form", "value", "sizes", "made"),
    [
        ("first_of_last_axes", [3, COMPUTED], (2, 3, None), -2),
        ("group_sizes", 2, (5, 4, 3), [0, 2, 6]),
        ("group_sizes", 2, (None, 4, 3), [0, 2, 6]),
        ("group_sizes", 2, (5, 4, None), [0, 2, -1]),
        ("is_empty", None, (2, 0), True),
        ("is_empty", None, (2, None), False),
        ("is_empty", None, None, False),
        ("other_axes", -1, (2, 3, 4), [0, 1]),
        ("row", None, (7, 2), None),
        ("row", 3, None, 3),
        ("row", -1, (7, 2), 6),
    ],
)
def test_dimensions_of_normalization_and_tables(
    form: str, value: Any, sizes: tuple[int | None, ...] | None, made: Any
) -> None:
    assert formed(form, value, sizes) == made


@pytest.mark.parametrize(
    ("form", "value", "sizes"), [("first_of_last_axes", [], (2,)), ("row", -1, (None, 2)), ("row", -1, None)]
)
def test_a_dimension_that_is_not_known_is_refused(form: str, value: Any, sizes: tuple[int | None, ...] | None) -> None:
    with pytest.raises(NoForm):
        formed(form, value, sizes)


@pytest.mark.parametrize(("element", "made"), [("double", 1e-5), ("float", None)])
def test_a_number_is_given_in_double_precision_for_double_alone(element: str, made: float | None) -> None:
    call = CallShape(Argument("eps", "float"), {}, (2,), lambda tensor: tensor, first_element=BY_NAME[element])
    assert FORMS["in_double"](1e-5, call) == made


@pytest.mark.parametrize(
    ("first", "second", "made"), [((2, 3), (2, 3), False), ((2, 3), (1, 3), True), ((2, None), (2, None), True)]
)
def test_tensors_that_may_be_broadcast(
    first: tuple[int | None, ...], second: tuple[int | None, ...], made: bool
) -> None:
    assert formed("may_broadcast", first, first, x1=first, x2=second) == made


def resized(sizes: tuple[int | None, ...], element: str = "float", **values: Any) -> tuple[Any, Any, Any, Any]:
    """What the forms of Resize make of a call: sizes, scales, whether indices are taken, and how far they are apart."""
    own = BY_NAME[element]
    call = CallShape(Argument("output_size", "int"), values, sizes, lambda tensor: tensor, first_element=own)
    names = ("resize_sizes", "resize_scales", "resize_by_index", "resize_steps")
    sized, scales, by_index, steps = (FORMS[name](None, call) for name in names)
    return sized, scales, by_index, steps


def test_nearest_elements_are_those_of_resize_where_it_rounds_alike() -> None:
    assert resized((2, 3, 4, 5), output_size=[8, 10], scale_factors=None) == ([8, 10], None, False, None)
    assert resized((2, 3, None, 5), output_size=None, scale_factors=[2.0, 0.5]) == (None, [2.0, 0.5], False, None)
    assert resized((2, 3, 14, 14), output_size=[2, 2], scale_factors=None) == ([2, 2], None, True, None)
    assert resized((2, 3, 20), output_size=None, scale_factors=[0.7]) == ([14], None, True, [1 / 0.7])
    assert resized((2, 3, None), output_size=None, scale_factors=[1.5]) == (None, [1.5], True, [1 / 1.5])
    assert resized((2, 3, 4), output_size=[COMPUTED], scales=None) == ([COMPUTED], None, True, None)
    assert resized((2, 3, 4), "double", output_size=[8], scales=None) == ([8], None, True, None)


def test_two_dimensions_that_keep_their_sizes_are_copied_whatever_the_scales() -> None:
    assert resized((2, 3, 2, 2), output_size=None, scale_factors=[1.3, 1.3]) == ([2, 2], None, False, None)


def test_scales_are_floats_that_give_the_sizes() -> None:
    aligned = {"output_size": None, "scale_factors": [0.7, 1.7]}
    assert resized((2, 3, 10, 5), align_corners=True, **aligned)[:2] == ([7, 8], None)
    sized, scales, _, _ = resized((2, 3, 10, None), align_corners=False, **aligned)
    assert sized is None and scales[0] >= 0.7 and scales[1] >= 1.7 and int(10 * scales[0]) == 7
    call = CallShape(Argument("scales", "float"), {**aligned, "align_corners": False}, (2, 3, 10, 1), len)
    assert FORMS["linear_scales"](None, call) == [scales[0], 1.0]
    with pytest.raises(NoForm, match="does not give the size 3"):
        resized((2, 3, 4), output_size=[3], align_corners=False, scales=0.6)
    with pytest.raises(NoForm, match="neither a scale nor sizes"):
        resized((2, 3, 4, None), output_size=[8, COMPUTED], align_corners=False, scales_h=2.0, scales_w=None)
