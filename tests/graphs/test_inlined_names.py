"""Values that onnxruntime would take for one another where it inlines functions of one name, or of names alike."""

from __future__ import annotations

import onnx
import onnx.parser
import pytest
from onnx import FunctionProto
from opwright.graphs.ids import function_id
from opwright.graphs.inlined_names import keep_apart, same_but_for_names


def parse(domain: str, name: str, body: str) -> FunctionProto:
    return onnx.parser.parse_function(f'<domain: "{domain}", opset_import: ["": 18]> {name} {body}')


NEST = """(c, n, x) => (y) {
    s = Neg(x)
    y = If (c) <
        then_branch = t () => (float[m] u) { s_1 = Abs(s) u = Identity(s_1) },
        else_branch = e () => (float[m] v) { v = Loop (n, c, s) <
            body = b (int64 i, bool k, float[m] p) => (bool q, float[m] r) { q = Identity(k) r = Add(p, s) }> }>
}"""
NAMES = {"s", "s_1", "u", "v", "i", "k", "p", "q", "r"}


def names_in(function: FunctionProto) -> set[str]:
    nest = function.node[1]
    loop = nest.attribute[1].g.node[0]
    body = loop.attribute[0].g
    found = {function.node[0].output[0], *(item.output[0] for item in nest.attribute[0].g.node), loop.output[0]}
    return found | {value.name for value in body.input} | {value.name for value in body.output}


def test_functions_of_one_name_share_no_value() -> None:
    first, second = parse("a", "F", NEST), parse("b", "F", NEST)
    keep_apart([first, second])
    assert names_in(first) == NAMES
    assert not names_in(second) & NAMES
    assert len(names_in(second)) == len(NAMES)
    assert (list(second.input), list(second.output)) == (["c", "n", "x"], ["y"])
    then, other = (item.g for item in second.node[1].attribute)
    assert then.node[0].input[0] == second.node[0].output[0] == other.node[0].input[2]
    assert then.output[0].name == then.node[1].output[0]
    assert other.node[0].attribute[0].g.node[1].input[1] == second.node[0].output[0]
    for function in (first, second):
        onnx.checker.check_function(function)


def test_those_that_are_given_stay() -> None:
    first, second = parse("a", "F", NEST), parse("b", "F", NEST)
    before = second.SerializeToString()
    keep_apart([first, second], {function_id(second)})
    assert second.SerializeToString() == before
    assert not names_in(first) & NAMES


def test_a_name_that_begins_with_another() -> None:
    outer = parse("a", "F", "(x) => (y) { u_s = Neg(x) u_t = Abs(u_s) y = Neg(u_t) }")
    inner = parse("a", "F_u", "(x) => (y) { s = Neg(x) z = Abs(s) y = Neg(z) }")
    keep_apart([outer, inner])
    assert [node.output[0] for node in (*outer.node, *inner.node)] == ["u_s", "u_t", "y", "s_1", "z", "y"]


def test_a_value_named_as_the_output_of_another_function() -> None:
    first = parse("a", "F", "(x) => (s) { t = Neg(x) s = Neg(t) }")
    second = parse("b", "F", "(x) => (y) { s = Neg(x) s_1 = Abs(s) y = Neg(s_1) }")
    keep_apart([first, second])
    assert [node.output[0] for node in (*first.node, *second.node)] == ["t", "s", "s_2", "s_1", "y"]


@pytest.mark.parametrize("name", ["G", "FF", "Fs"])
def test_others_keep_their_names(name: str) -> None:
    functions = [parse("a", "F", NEST), parse("b", name, NEST), parse("c", "H_t", NEST)]
    before = [function.SerializeToString() for function in functions]
    keep_apart(functions)
    assert [function.SerializeToString() for function in functions] == before


def test_what_was_renamed_is_the_same_function() -> None:
    first, second = parse("a", "F", NEST), parse("b", "F", NEST)
    keep_apart([first, second])
    assert same_but_for_names(second, parse("b", "F", NEST))
    assert not same_but_for_names(second, parse("b", "F", NEST.replace("Neg", "Abs")))
    swapped = parse("b", "F", NEST.replace("Add(p, s)", "Add(s, p)"))
    assert not same_but_for_names(second, swapped)
    assert not same_but_for_names(
        parse("b", "F", "(x, z) => (y) { y = Sub(x, z) }"), parse("b", "F", "(x, z) => (y) { y = Sub(z, x) }")
    )
