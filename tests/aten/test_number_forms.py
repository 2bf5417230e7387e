"""Forms of numbers, element types, norms, flags and items of lists."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from opwright.aten.forms.call_shape import NoForm
from opwright.aten.forms.form_table import FORMS
from opwright.aten.operator_schema import Argument
from opwright.aten.tensor_facts import Sizes
from opwright.elements import BY_NAME

from tests.aten.form_calls import COMPUTED, call_shape, formed, tensor

POSITIONS = np.zeros(3, np.int64)


@pytest.mark.parametrize(
    ("form", "value", "sizes", "made"),
    [
        ("half_at_most", 0.5, None, 0.5),
        ("half_at_most", None, None, None),
        ("power_of_ten", 2, None, 100.0),
        ("power_of_ten", 0, None, None),
        ("power_of_ten", -2, None, None),
        ("power_of_ten_below", 2, None, None),
        ("power_of_ten_below", 0, None, None),
        ("power_of_ten_below", -2, None, 100.0),
        ("below_one", 1.0, None, None),
        ("below_one", 0.5, None, 0.5),
        ("unless_false", None, None, True),
        ("unless_false", True, None, True),
        ("unless_false", False, None, False),
        ("unless_negative", -1, None, None),
        ("unless_negative", 3, None, 3),
        ("unless_negative", COMPUTED, None, COMPUTED),
        ("not_nan", 2.5, None, 2.5),
        ("not_nan", None, None, None),
        ("not_nan", COMPUTED, None, COMPUTED),
        ("not_negative", 3, None, 3),
        ("is_zero", 0, None, True),
        ("is_zero", 0.0, None, True),
        ("is_zero", False, None, True),
        ("is_zero", 0.5, None, False),
        ("is_zero", COMPUTED, None, False),
        ("is_one", 1, None, True),
        ("is_one", COMPUTED, None, False),
        ("root", 0.5, None, "sqrt"),
        ("root", -0.5, None, "rsqrt"),
        ("root", 2, None, None),
        ("root", COMPUTED, None, None),
        ("no_root", -0.5, None, None),
        ("no_root", COMPUTED, None, COMPUTED),
        ("norm", None, None, "2"),
        ("norm", 2.0, None, "2"),
        ("norm", -math.inf, None, "-inf"),
        ("norm", 0.5, None, None),
        ("exponent", 3, None, 3.0),
        ("exponent", 2, None, None),
        ("exponent", None, None, None),
        ("named_norm", 0.0, None, "0"),
        ("named_norm", 2.5, None, "2"),
        ("named_norm", None, None, "2"),
        ("named_norm", math.inf, (2, 3), "inf"),
        ("with_elements", COMPUTED, (2, 3), COMPUTED),
        ("with_elements", COMPUTED, (None, 3), COMPUTED),
        ("with_elements", COMPUTED, None, COMPUTED),
        ("with_elements", COMPUTED, (), COMPUTED),
        ("correction", None, None, 1.0),
        ("correction", 2, (3,), 2.0),
        ("correction", 0, (3,), None),
        ("correction", 0, (3, 0), 0.0),
        ("correction", 0, (), None),
        ("correction", False, None, None),
        ("count_to_correct", 1, (2, 3), 6),
        ("count_to_correct", 1, (), 1),
        ("count_to_correct", 0, (2, 3), None),
        ("count_to_correct", 0, (2, 0), 0),
        ("count_to_correct", 1, (None, 3), None),
        ("count_to_correct", 1, None, None),
        ("group_of_last", 4, (3, 8), 4),
        ("group_of_last", 4, (3, 2), 2),
        ("group_of_last", 4, (3, None), 4),
        ("group_of_last", 4, None, 4),
    ],
)
def test_numbers(form: str, value: Any, sizes: Sizes | None, made: Any) -> None:
    assert formed(form, value, sizes) == made


@pytest.mark.parametrize(
    ("form", "value", "sizes", "reason"),
    [
        ("not_nan", float("nan"), None, "it is nan"),
        ("not_negative", -1, None, "no inverse"),
        ("half_at_most", -0.1, None, r"not from 0 to 0\.5"),
        ("half_at_most", 0.6, None, r"not from 0 to 0\.5"),
        ("named_norm", math.inf, (2, 0), "no elements"),
        ("exponent", COMPUTED, None, "it is computed in the graph"),
        ("correction", COMPUTED, (3,), "it is computed in the graph"),
        ("with_elements", COMPUTED, (0, 3), "it has no elements"),
        ("first", [], None, "it has 0 items"),
        ("second", ["a"], None, "it has 1 items"),
        ("non_empty", [], None, "it has 0 items"),
    ],
)
def test_values_that_are_refused(form: str, value: Any, sizes: Sizes | None, reason: str) -> None:
    with pytest.raises(NoForm, match=reason):
        formed(form, value, sizes)


def test_dimensions_without_elements() -> None:
    assert formed("with_elements", COMPUTED, (0, 3), dim=-1) is COMPUTED
    assert formed("with_elements", COMPUTED, (), dim=0) is COMPUTED
    assert formed("correction", 0, (), dim=[-1]) is None
    assert formed("correction", 0, (0, 3), dim=[1]) is None
    assert formed("count_to_correct", 1, (None, 3, 4), dim=[-1, 1]) == 12
    assert formed("correction", 0, (0, 3), dim=[0, 1]) == 0.0
    with pytest.raises(NoForm, match="it has no elements"):
        formed("with_elements", COMPUTED, (0, 3), dim=0)


def test_the_limits_of_a_range() -> None:
    assert formed("range_limit", -1, min=-1, max=2) == -1
    assert formed("range_limit", 0, min=0, max=0) is None


def test_the_default_of_the_schema_is_no_number() -> None:
    call = call_shape(argument=Argument("padding_idx", "int", has_default=True, default=-1))
    assert [FORMS["no_number"](value, call) for value in (-1, 0)] == [None, 0]


def test_the_right_side() -> None:
    assert [formed("right_or_side", False, side=side) for side in ("right", "left", None)] == [True, False, False]
    assert formed("right_or_side", True, side=None) is True


@pytest.mark.parametrize(
    ("form", "value", "made"),
    [
        ("listed", COMPUTED, [COMPUTED]),
        ("listed", None, None),
        ("numbers", 3, [3]),
        ("numbers", COMPUTED, [COMPUTED]),
        ("numbers", (3, 4), [3, 4]),
        ("numbers", [], []),
        ("first", ["a", "b"], "a"),
        ("second", ["a", "b"], "b"),
        ("non_empty", [(0,), (2, 3), (0, 3)], [(2, 3), (0, 3)]),
        ("non_empty", [(0,), (0,)], [(0,)]),
        ("non_empty", [tensor(None), (0,)], [tensor(None)]),
    ],
)
def test_lists(form: str, value: Any, made: Any) -> None:
    assert formed(form, value) == made


def test_sizes_of_matrices() -> None:
    assert formed("matrix_sizes", 3) == [3, 3]
    assert formed("matrix_sizes", 3, m=COMPUTED) == [3, COMPUTED]
    assert formed("matrix_sizes", 3, col=4) == [3, 4]


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


def test_a_range_of_integers_without_a_step_is_refused() -> None:
    with pytest.raises(NoForm, match=r"`step` is 0\.5, which is 0 in int8"):
        formed("end_of_dtype", 3, dtype=BY_NAME["int8"], start=0, step=0.5)


@pytest.mark.parametrize(
    ("element", "value", "made"),
    [
        ("uint8", -3, 253),
        ("uint8", 300, 44),
        ("int8", 255, -1),
        ("int8", 1 << 40, 0),
        ("int64", -5, -5),
        ("uint8", True, True),
        ("float", 300, 300),
        ("uint8", COMPUTED, COMPUTED),
        (None, 300, 300),
    ],
)
def test_integers_beyond_the_element_type_wrap_around(element: str | None, value: Any, made: Any) -> None:
    assert FORMS["wrapped"](value, call_shape(element=element)) == made


def test_a_divisor_wraps_around_where_the_quotient_is_rounded() -> None:
    for mode, made in (("floor", -1), (None, 255)):
        assert FORMS["wrapped"](255, call_shape(None, {"rounding_mode": mode}, element="int8")) == made


def test_a_factor_that_float16_does_not_hold_is_refused() -> None:
    shapes = {name: call_shape(element=name) for name in ("float16", "float", "int8")}
    assert FORMS["normal_factor"](255, shapes["int8"]) == -1
    assert FORMS["normal_factor"](1e-6, shapes["float"]) == 1e-6
    assert FORMS["normal_factor"](math.inf, shapes["float16"]) == math.inf
    with pytest.raises(NoForm, match="it is 1e-06, and no normal value of float16"):
        FORMS["normal_factor"](1e-6, shapes["float16"])


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
    assert formed("factor", value, self=tensor((), element)) == made


@pytest.mark.parametrize(
    ("element", "value", "made"),
    [
        ("float16", 0.3, 0.2998046875),
        ("float16", 0.5 - 1e-12, 0.5),
        ("float16", 1e40, math.inf),
        ("float16", COMPUTED, COMPUTED),
        ("float", 0.3, 0.3),
        ("int8", 3, 3),
        (None, 0.3, 0.3),
    ],
)
def test_numbers_that_are_compared_in_float(element: str | None, value: Any, made: Any) -> None:
    assert FORMS["compared_in_float"](value, call_shape(element=element)) == made


@pytest.mark.parametrize(
    ("element", "made"),
    [("float16", (0.1, None, None)), ("double", (None, 0.1, 0.1)), ("float", (0.1, None, None))],
)
def test_numbers_of_double_are_inputs_beside_an_attribute(element: str, made: tuple[Any, ...]) -> None:
    forms = ("single", "of_double", "in_double")
    assert tuple(formed(form, 0.1, tensor((2,), element)) for form in forms) == made


@pytest.mark.parametrize(
    ("form", "value", "values", "made"),
    [
        ("dtype_unless_float", None, {}, None),
        ("dtype_unless_float", None, {"self": POSITIONS}, BY_NAME["int64"]),
        ("dtype_unless_float", BY_NAME["float"], {"self": POSITIONS}, None),
        ("dtype_expands", BY_NAME["bool"], {}, True),
        ("dtype_expands", None, {"self": POSITIONS}, True),
        ("dtype_expands", BY_NAME["bfloat16"], {"self": POSITIONS}, False),
        ("dtype_expands", BY_NAME["float"], {"self": POSITIONS}, False),
        ("dtype_expands", None, {}, False),
        ("other_dtype", BY_NAME["int64"], {"self": POSITIONS}, None),
        ("other_dtype", BY_NAME["float"], {"self": POSITIONS}, BY_NAME["float"]),
        ("other_dtype", None, {"self": POSITIONS}, None),
    ],
)
def test_element_types(form: str, value: Any, values: dict[str, Any], made: Any) -> None:
    assert formed(form, value, **values) == made


def test_limits_of_quantized_values() -> None:
    def limits(dtype: str, *ends: int) -> list[Any]:
        given = {"dtype": BY_NAME[dtype], "quant_min": ends[0], "quant_max": ends[1]}
        return [formed("quantized_limit", end, **given) for end in ends]

    assert limits("int8", -128, 127) == limits("uint8", 0, 255) == [None, None]
    assert limits("int8", -127, 127) == [-127, 127]
    assert limits("int16", -(2**15), 2**15 - 1) == [-(2**15), 2**15 - 1]
