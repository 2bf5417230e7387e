"""Mutants of small functions: what is changed, and what is not."""

from typing import Any

import ml_dtypes
import numpy as np
import onnx
import onnx.parser
import pytest
from onnx import FunctionProto, numpy_helper
from opwright_build.verify.mutants.perturb import Mutant, mutants_of


def parse(text: str) -> FunctionProto:
    return onnx.parser.parse_function(f'<domain: "com.acme", opset_import: ["": 18]> F {text}')


def changes(text: str) -> list[str]:
    return [f"{item.node} {item.change}" for item in mutants_of(parse(text))]


def only(text: str, change: str) -> Mutant:
    (found,) = [item for item in mutants_of(parse(text)) if f"{item.node} {item.change}" == change]
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "(x, z) => (y) { y = Add(x, z) }",
            ["Add#1 becomes Sub", "Add#1 is its operand 1 alone", "Add#1 is its operand 2 alone"],
        ),
        (
            "(x, z) => (y) { y = Div(x, z) }",
            ["Div#1 becomes Mul", "Div#1 operands swapped", "Div#1 is its operand 1 alone"],
        ),
        (
            "(c, x, z) => (y) { y = Where(c, x, z) }",
            ["Where#1 operands swapped", "Where#1 is its operand 2 alone", "Where#1 is its operand 3 alone"],
        ),
        (
            "(x, z) => (y) { y = Less(x, z) }",
            ["Less#1 becomes LessOrEqual", "Less#1 becomes Greater", "Less#1 operands swapped"],
        ),
        ("(x) => (y) { y = Sub(x, x) }", ["Sub#1 becomes Add", "Sub#1 is its operand 1 alone"]),
        ("(x) => (y) { y = Identity(x) }", []),
        ("(x) => (y) { y = Cast<to = 1>(x) }", []),
        (
            "(x) => (y) { a = Abs(x) y = Abs(a) }",
            ["Abs#1 becomes Identity", "Abs#2 becomes Identity"],
        ),
        (
            "(x, axes) => (y) { y = ReduceSum<keepdims = 1>(x, axes) }",
            [
                "ReduceSum#1 becomes ReduceMean",
                "ReduceSum#1 operand 2 dropped",
                "ReduceSum#1 keepdims=1 becomes keepdims=0",
            ],
        ),
        ("(x) => (y) { y = Softmax<axis = -1>(x) }", ["Softmax#1 axis=-1 becomes axis=-2"]),
        ("(x) => (y) { y = Softmax<axis = 1>(x) }", ["Softmax#1 axis=1 becomes axis=2"]),
        (
            "(x) => (y) { y = Transpose<perm = [0, 2, 1]>(x) }",
            ["Transpose#1 perm=[0, 2, 1] becomes perm=[1, 2, 0]"],
        ),
        ("(x) => (y) { y = com.other.G<alpha = 2.0>(x) }", ["G#1 alpha=2 becomes alpha=2.02"]),
    ],
)
def test_the_changes_of_a_node(text: str, expected: list[str]) -> None:
    assert changes(text) == expected


def test_constants_change_by_one_percent_or_by_one() -> None:
    text = """(x) => (a, b, c, d) {
        a = Constant<value_float = 2.0>() b = Constant<value_ints = [3, -1]>()
        c = Constant<value = float[2] {0.0, 0.5}>() d = Constant<value = bool {1}>()
    }"""
    assert changes(text) == [
        "Constant#1 value_float=2 becomes value_float=2.02",
        "Constant#2 value_ints=[3, -1] becomes value_ints=[4, 0]",
        "Constant#3 [0, 0.5] becomes [0.01, 0.505]",
        "Constant#4 true becomes false",
    ]


@pytest.mark.parametrize(
    ("array", "expected"),
    [
        (np.array(255, np.uint8), [254]),
        (np.array(-1, np.int8), [0]),
        (np.array([0.0, 2.0], np.float16), [[0.03125, 2.01953125]]),
        (np.array([0.0, 2.0], ml_dtypes.bfloat16), [[0.25, 2.125]]),
        (np.array([np.inf, np.nan]), []),
        (np.zeros(0), []),
        (np.array(["a"], object), []),
    ],
)
def test_a_constant_stays_in_its_type(array: Any, expected: list[Any]) -> None:
    function = parse("(x) => (y) { y = Constant<value = float {1}>() }")
    function.node[0].attribute[0].t.CopyFrom(numpy_helper.from_array(array))
    found = [numpy_helper.to_array(item.function.node[0].attribute[0].t) for item in mutants_of(function)]
    assert [item.tolist() for item in found] == expected
    assert all(item.dtype == array.dtype for item in found)


def test_a_reference_is_fixed_at_the_attributes_default() -> None:
    function = parse("<alpha>(x) => (y) { y = LeakyRelu<alpha: float = @alpha>(x) }")
    assert mutants_of(function) == []
    del function.attribute[:]
    function.attribute_proto.append(onnx.helper.make_attribute("alpha", 0.25))
    (mutant,) = mutants_of(function)
    assert mutant.change == "alpha fixed at the default of alpha"
    (attribute,) = mutant.function.node[0].attribute
    assert (attribute.f, attribute.ref_attr_name) == (0.25, "")


def test_branches_are_swapped_and_their_nodes_changed_too() -> None:
    text = """(c, x) => (y) {
        y = If (c) <then_branch = t () => (float[n] a) { a = Neg(x) },
                    else_branch = e () => (float[n] b) { b = Exp(x) }>
    }"""
    assert changes(text) == ["If#1 branches swapped", "Neg#1 becomes Identity", "Exp#1 becomes Log"]
    swapped = only(text, "If#1 branches swapped").function.node[0]
    graphs = {item.name: item.g.node[0].op_type for item in swapped.attribute}
    assert graphs == {"then_branch": "Exp", "else_branch": "Neg"}


def test_the_original_is_left_alone_and_no_two_mutants_are_equal() -> None:
    function = parse("(x) => (y) { a = Mul(x, x) b = Sub(a, x) y = Max(b, a) }")
    before = function.SerializeToString(deterministic=True)
    found = [item.function.SerializeToString(deterministic=True) for item in mutants_of(function)]
    assert function.SerializeToString(deterministic=True) == before
    assert len({*found, before}) == len(found) + 1
