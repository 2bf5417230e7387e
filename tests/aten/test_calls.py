"""Calls of operators as calls of the functions that implement them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from opwright.aten.array_calls import Pairs, facts_of_array, input_array
from opwright.aten.binding import Binding, bind_operator
from opwright.aten.call import FunctionCall, NoCall, call_of_operator
from opwright.bundle.format import AttributeEntry, FunctionEntry, ImplementsEntry, InputEntry, OutputEntry

_TYPES = (("T", ("float", "int64", "int32", "uint8", "bool")),)
_FULL = "aten::full(SymInt[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None) -> Tensor"
_REPEAT = "aten::repeat(Tensor self, SymInt[] repeats) -> Tensor"
_ANY = "aten::any.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor"
_NORM = "aten::norm.Scalar(Tensor self, Scalar p=2) -> Tensor"
_INDEX = "aten::index.Tensor(Tensor self, Tensor?[] indices) -> Tensor"


def function(*parameters: InputEntry | AttributeEntry) -> FunctionEntry:
    inputs = tuple(item for item in parameters if isinstance(item, InputEntry))
    attributes = tuple(item for item in parameters if isinstance(item, AttributeEntry))
    return FunctionEntry(
        "com.acme", "F", 1, "", "", False, inputs, (OutputEntry("result", "T"),), attributes, _TYPES, ()
    )


def bound(implements: ImplementsEntry, *parameters: InputEntry | AttributeEntry) -> Binding:
    made = bind_operator(implements, function(*parameters))
    assert isinstance(made, Binding), made
    return made


def call(binding: Binding, *args: Any, **kwargs: Any) -> FunctionCall:
    return call_of_operator(binding, args, kwargs, facts_of_array)


def misfits(implements: ImplementsEntry, *parameters: InputEntry | AttributeEntry) -> list[str]:
    made = bind_operator(implements, function(*parameters))
    assert not isinstance(made, Binding)
    return [item.text for item in made]


@pytest.mark.parametrize(
    ("number", "element", "made"),
    [(2.9, "int64", 2), (-2.9, "int64", -2), (5, "bool", True), (0.0, "bool", False), (7, "float", 7.0)],
)
def test_numbers_are_converted_where_the_type_does_not_follow_from_them(number: Any, element: str, made: Any) -> None:
    from opwright.elements import BY_NAME

    binding = bound(ImplementsEntry(_FULL), InputEntry("fill_value", "T"), InputEntry("size", "int64"))
    value = input_array(call(binding, [2], number, dtype=BY_NAME[element]).inputs[0])  # type: ignore[arg-type]
    assert value == made
    assert value.ndim == 0


_PAD = "aten::constant_pad_nd(Tensor self, SymInt[] pad, Scalar value=0) -> Tensor"


def test_numbers_follow_the_argument_that_decides_the_type() -> None:
    implements = ImplementsEntry(_PAD, drops=(("pad", ()),), promotion=(("T", "self"),))
    binding = bound(implements, InputEntry("self", "T"), InputEntry("value", "T", optional=True))
    for dtype, number, made in ((np.int64, 2.5, 2), (np.bool_, 3, True), (np.float32, True, 1.0)):
        value = input_array(call(binding, np.zeros(3, dtype), [1, 1], number).inputs[1])  # type: ignore[arg-type]
        assert value == made
        assert value.dtype == dtype


_QUANTIZE = "acme::quantize(Tensor input, float scale, int zero, ScalarType dtype) -> Tensor"


def test_an_argument_that_names_an_element_type_may_decide_a_type_variable() -> None:
    from opwright.elements import BY_NAME

    implements = ImplementsEntry(_QUANTIZE, drops=(("dtype", ()), ("scale", ())), promotion=(("T", "dtype"),))
    binding = bound(implements, InputEntry("input", "any"), InputEntry("zero", "T"))
    x = np.zeros(3, np.float32)
    for dtype in ("uint8", "int32"):
        made = call(binding, x, 0.5, 3, BY_NAME[dtype])
        assert input_array(made.inputs[1]).dtype == dtype  # type: ignore[arg-type]
        assert made.elements["T"] is BY_NAME[dtype]
    with pytest.raises(NoCall, match="`zero` is -1, which is no value of uint8"):
        call(binding, x, 0.5, -1, BY_NAME["uint8"])


_REAL = "aten::view_as_real(Tensor(a) self) -> Tensor(a)"


def test_complex_tensors_are_pairs_of_real_numbers_or_refused() -> None:
    pairs = np.zeros((3, 2), np.float32).view(Pairs)
    facts = facts_of_array(pairs)
    assert facts is not None
    assert (facts.sizes, facts.is_complex) == ((3,), True)
    with pytest.raises(NoCall, match="`self` is complex, and the function takes real numbers"):
        call(bound(ImplementsEntry(_REAL), InputEntry("self", "T")), pairs)
    binding = bound(ImplementsEntry(_REAL, forms=(("self", "pairs"),)), InputEntry("self", "T"))
    value = input_array(call(binding, pairs).inputs[0])  # type: ignore[arg-type]
    assert type(value) is np.ndarray
    assert value.shape == (3, 2)


@pytest.mark.parametrize("number", [300, float("nan"), float("inf"), 1e30])
def test_numbers_beyond_a_type_are_refused(number: float) -> None:
    from opwright.elements import BY_NAME

    binding = bound(ImplementsEntry(_FULL), InputEntry("fill_value", "T"), InputEntry("size", "int64"))
    with pytest.raises(NoCall, match="which is no value of uint8"):
        call(binding, [2], number, dtype=BY_NAME["uint8"])


_FULL_LIKE = "aten::full_like(Tensor self, Scalar fill_value, *, ScalarType? dtype=None) -> Tensor"


@pytest.mark.parametrize("inputs", [(InputEntry("self", "any"),), ()])
def test_the_argument_whose_element_type_counts_need_not_be_an_input_of_that_type(inputs: Any) -> None:
    from opwright.elements import BY_NAME

    drops = () if inputs else (("self", ()),)
    binding = bound(
        ImplementsEntry(_FULL_LIKE, drops=drops, promotion=(("T", "self"),)), *inputs, InputEntry("fill_value", "T")
    )
    x = np.zeros(3, np.float32)
    assert input_array(call(binding, x, 2).inputs[-1]).dtype == np.float32  # type: ignore[arg-type]
    made = call(binding, x, 2.5, dtype=BY_NAME["int64"]).inputs
    assert input_array(made[-1]) == 2  # type: ignore[arg-type]
    assert len(made) == 1 or made[0].cast is None  # type: ignore[union-attr]


def test_the_default_of_an_element_type_is_a_number_of_pytorch() -> None:
    randperm = "aten::randperm(SymInt n, *, ScalarType? dtype=4) -> Tensor"
    dtype = AttributeEntry("dtype", "INT", True, None, "")
    binding = bound(ImplementsEntry(randperm), InputEntry("n", "int64"), dtype)
    assert call(binding, 3).attributes == {"dtype": 7}
    unknown = bound(ImplementsEntry(randperm.replace("=4", "=9")), InputEntry("n", "int64"), dtype)
    with pytest.raises(NoCall, match="the default 9 of `dtype` is no element type"):
        call(unknown, 3)


def test_a_parameter_is_made_of_an_argument_of_another_name() -> None:
    implements = ImplementsEntry(_REPEAT, forms=(("axes", "new_axes"),), sources=(("axes", ("repeats",)),))
    axes = AttributeEntry("axes", "INTS", False, None, "")
    binding = bound(implements, InputEntry("self", "T"), InputEntry("repeats", "int64"), axes)
    x = np.zeros(3, np.float32)
    assert call(binding, x, [2, 1]).attributes == {"axes": [0]}
    assert call(binding, x, [2]).attributes == {}
    only_axes = bound(implements, InputEntry("self", "T"), axes)
    assert call(only_axes, x, [2, 1]).attributes == {"axes": [0]}


def test_a_number_is_a_text_or_an_input() -> None:
    forms = (("p", "norm"), ("exponent", "exponent"))
    implements = ImplementsEntry(_NORM, forms=forms, sources=(("exponent", ("p",)),))
    p = AttributeEntry("p", "STRING", False, "2", "")
    binding = bound(implements, InputEntry("self", "T"), InputEntry("exponent", "double", optional=True), p)
    x = np.zeros(3, np.float32)
    assert (call(binding, x, 1).attributes, len(call(binding, x, 1).inputs)) == ({"p": "1"}, 1)
    assert (call(binding, x, 3).attributes, len(call(binding, x, 3).inputs)) == ({}, 2)


@pytest.mark.parametrize(
    ("sources", "text"),
    [
        ((("axes", ("times",)),), "there is no argument `times`"),
        ((("axes", ()),), "it names no argument of which it is made"),
        ((("other", ("repeats",)),), "the function has no such parameter, or one that stands for an argument"),
        ((("repeats", ("self",)),), "the function has no such parameter, or one that stands for an argument"),
    ],
)
def test_parameters_that_cannot_be_made_are_told(sources: Any, text: str) -> None:
    implements = ImplementsEntry(_REPEAT, forms=tuple((name, "new_axes") for name, _ in sources), sources=sources)
    axes = AttributeEntry("axes", "INTS", False, None, "")
    assert text in misfits(implements, InputEntry("self", "T"), InputEntry("repeats", "int64"), axes)


def test_a_parameter_of_other_arguments_needs_a_form() -> None:
    axes = AttributeEntry("axes", "INTS", False, None, "")
    parameters = (InputEntry("self", "T"), InputEntry("repeats", "int64"), axes)
    (text,) = misfits(ImplementsEntry(_REPEAT, sources=(("axes", ("repeats",)),)), *parameters)
    assert text.startswith("`of:` says what it is made of, and `form:` has to say how; there are ")
    implements = ImplementsEntry(_REPEAT, forms=(("axes", "nothing"),), sources=(("axes", ("repeats",)),))
    assert misfits(implements, *parameters)[0].startswith("there is no form `nothing`")


def test_nothing_among_several_inputs() -> None:
    binding = bound(
        ImplementsEntry(_INDEX), InputEntry("self", "T"), InputEntry("indices", "any", optional=True, variadic=True)
    )
    x, i = np.zeros((2, 3, 4), np.float32), np.array([0, 1])
    assert [item is None for item in call(binding, x, [None, i, None]).inputs] == [False, True, False]


_MUL = "aten::mul.Tensor(Tensor self, Tensor other) -> Tensor"


@pytest.mark.parametrize(
    ("dtype", "number", "computed", "result"),
    [
        ("float16", -1e9, "float32", "float16"),
        ("float16", 1e-6, "float32", "float16"),
        ("float16", 0.1, "float32", "float16"),
        ("float16", 0.375, "float16", None),
        ("float16", float("inf"), "float16", None),
        ("float16", True, "float16", None),
        ("float32", 1e-40, "float32", None),
        ("int32", 1e9, "float32", None),
    ],
)
def test_numbers_that_float16_does_not_hold(dtype: str, number: float, computed: str, result: str | None) -> None:
    types = (("T", ("float16", "float", "int32")),)
    entry = replace(function(InputEntry("self", "T"), InputEntry("other", "T")), types=types)
    binding = bind_operator(ImplementsEntry(_MUL, promotion=(("T", "float"),)), entry)
    assert isinstance(binding, Binding)
    made = call(binding, np.ones(2, dtype), number)
    assert [input_array(item).dtype for item in made.inputs if item is not None] == [computed] * 2
    assert (made.result and made.result.name) == result


_SUM = "aten::sum(Tensor self, *, ScalarType? dtype=None) -> Tensor"


@pytest.mark.parametrize(
    ("dtype", "wanted", "computed", "result"),
    [
        ("bool", None, "float64", "int64"),
        ("uint8", None, "float64", "int64"),
        ("int8", "int64", "float64", "int64"),
        ("int8", "int32", "int32", None),  # which wraps around
        ("int32", None, "int64", None),
        ("int64", None, "int64", None),
        ("float32", None, "float32", None),
    ],
)
def test_narrow_integers_are_added_in_double(dtype: str, wanted: str | None, computed: str, result: str | None) -> None:
    from opwright.elements import BY_NAME

    types = (("T", ("float", "double", "int32", "int64")),)
    entry = replace(function(InputEntry("self", "T")), types=types)
    binding = bind_operator(ImplementsEntry(_SUM, promotion=(("T", "summed"),)), entry)
    assert isinstance(binding, Binding)
    given = {} if wanted is None else {"dtype": BY_NAME[wanted]}
    made = call(binding, np.ones(2, dtype), **given)
    assert [input_array(item).dtype for item in made.inputs if item is not None] == [computed]
    assert (made.result and made.result.name) == result


def test_functions_without_double_add_all_integers_as_int64() -> None:
    entry = replace(function(InputEntry("self", "T")), types=(("T", ("float", "int64")),))
    binding = bind_operator(ImplementsEntry(_SUM, promotion=(("T", "summed"),)), entry)
    assert isinstance(binding, Binding)
    (item,) = call(binding, np.ones(2, bool)).inputs
    assert item is not None and input_array(item).dtype == np.int64


_EINSUM = "aten::einsum(str equation, Tensor[] tensors, *, int[]? path=None) -> Tensor"


@pytest.mark.parametrize(
    ("equation", "element", "computed"),
    [
        ("ij->i", "int32", "int64"),
        ("ij->", "uint8", "int64"),
        ("ij->ji", "int32", "int32"),
        ("ij->", "float32", "float32"),
    ],
)
def test_integers_of_an_equation_that_sums_one_tensor(equation: str, element: str, computed: str) -> None:
    equations, tensors = AttributeEntry("equation", "STRING", True), InputEntry("tensors", "T", variadic=True)
    binding = bound(ImplementsEntry(_EINSUM, promotion=(("T", "einsum"),)), equations, tensors)
    (made,) = call(binding, equation, [np.ones((2, 3), element)]).inputs
    assert made is not None and input_array(made).dtype == computed


def test_this_rule_is_of_operators_with_an_equation() -> None:
    wrong = ImplementsEntry(_MUL, promotion=(("T", "einsum"),))
    names = InputEntry("self", "T"), InputEntry("other", "T")
    assert misfits(wrong, *names) == ["`einsum` is of operators with an argument `equation`"]


_ADDCMUL = "aten::addcmul(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor"


@pytest.mark.parametrize(("value", "computed"), [(1, "float16"), (1e-6, "float32")])
def test_a_factor_that_float16_does_not_hold(value: float, computed: str) -> None:
    names = "self", "tensor1", "tensor2"
    factor = InputEntry("value", "T", optional=True, rank=0)
    entry = replace(function(*(InputEntry(item, "T") for item in names), factor), types=(("T", ("float16", "float")),))
    binding = bind_operator(ImplementsEntry(_ADDCMUL, promotion=(("T", "float"),)), entry)
    assert isinstance(binding, Binding)
    x = np.ones(2, np.float16)
    made = call(binding, x, x, x, value=value)
    assert {input_array(item).dtype.name for item in made.inputs if item is not None} == {computed}


@pytest.mark.parametrize(
    ("dim", "keepdim", "leaves_rank_1"),
    [([], False, True), ([0], False, False), ([0], True, True), (None, False, False)],
)
def test_a_scalar_that_is_taken_as_a_tensor_of_one_element(dim: Any, keepdim: bool, leaves_rank_1: bool) -> None:
    implements = ImplementsEntry(_ANY, forms=(("dim", "axes"),), lifts=True)
    attributes = AttributeEntry("dim", "INTS", False, None, ""), AttributeEntry("keepdim", "INT", False, 0, "")
    binding = bound(implements, InputEntry("self", "T"), *attributes)
    made = call(binding, np.array(True), dim, keepdim)
    assert made.to_rank_0 == leaves_rank_1
    assert not call(binding, np.array([True]), dim, keepdim).to_rank_0


_GATHER = "aten::gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor"


@pytest.mark.parametrize(
    ("x", "index", "lifted", "to_rank_0"),
    [((), (), [True, True], True), ((3,), (), [False, True], True), ((), (2,), [True, False], False)],
)
def test_the_argument_whose_rank_results_have(x: Any, index: Any, lifted: list[bool], to_rank_0: bool) -> None:
    implements = ImplementsEntry(_GATHER, rank_of="index")
    dim = AttributeEntry("dim", "INT", True, None, "")
    binding = bound(implements, InputEntry("self", "T"), InputEntry("index", "int64"), dim)
    made = call(binding, np.zeros(x, np.float32), 0, np.zeros(index, np.int64))
    assert [item.lifted for item in made.inputs] == lifted  # type: ignore[union-attr]
    assert made.to_rank_0 == to_rank_0


def test_an_argument_whose_rank_results_have_is_one_of_the_operator() -> None:
    implements = ImplementsEntry(_GATHER, rank_of="indices")
    dim = AttributeEntry("dim", "INT", True, None, "")
    assert misfits(implements, InputEntry("self", "T"), InputEntry("index", "int64"), dim) == [
        "the operator has no argument `indices`"
    ]


_COPY = "aten::copy(Tensor self, Tensor src, bool non_blocking=False) -> Tensor"


@pytest.mark.parametrize("promotion", [(), (("T", "self"),)])
def test_a_float_becomes_an_integer_where_it_is_copied_into_one(promotion: Any) -> None:
    from opwright.elements import BY_NAME

    drops = (("self", ()),)
    binding = bound(ImplementsEntry(_COPY, drops=drops, promotion=promotion), InputEntry("src", "T"))
    made = call(binding, np.zeros(2, np.int32), np.ones(2, np.float32)).inputs[0]
    assert made.cast is (BY_NAME["int32"] if promotion else None)  # type: ignore[union-attr]


def test_an_element_type_that_no_result_has_is_refused() -> None:
    from opwright.elements import BY_NAME

    zeros = "aten::zeros(SymInt[] size, *, ScalarType? dtype=None) -> Tensor"
    dtype = AttributeEntry("dtype", "INT", False, None, "")
    binding = bound(ImplementsEntry(zeros), InputEntry("size", "int64"), dtype)
    assert call(binding, [2], dtype=BY_NAME["int32"]).attributes == {"dtype": 6}
    with pytest.raises(NoCall, match="`dtype` is complex64, and `T` of the function is one of float"):
        call(binding, [2], dtype=BY_NAME["complex64"])
