"""A plain body's digest is that of its canonical form, or is left to it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import FunctionProto, defs, helper
from onnx.defs import OpSchema
from opwright import digest
from opwright.diagnostics.model import DiagnosticError
from opwright.protos.canonical import canonicalise
from opwright.protos.plain import plain_digest
from opwright.protos.tensors import RefusedError

from tests.protos.random_functions import Program, renamed, reordered

Nodes = Sequence[tuple[str, Sequence[str], Sequence[str]]]


def function(nodes: Nodes, outputs: Sequence[str] = ("z",), inputs: Sequence[str] = ("x", "y")) -> FunctionProto:
    made = [helper.make_node(operator, reads, makes) for operator, reads, makes in nodes]
    return helper.make_function("d", "f", inputs, outputs, made, [helper.make_opsetid("", 18)])


@given(st.lists(st.integers(0, 1 << 16), max_size=80), st.integers(0, 99))
def test_equal_to_the_canonical_form(choices: list[int], seed: int) -> None:
    made = Program(choices).function(8)
    for other in (made, renamed(made, seed), reordered(made, seed)):
        found = plain_digest(other)
        assert found in (None, canonicalise(other, callees={}).digest)
        assert digest(other) == canonicalise(other, callees={}).digest


@pytest.mark.parametrize(
    ("nodes", "outputs"),
    [
        ([("Add", "xy", "a"), ("Relu", "a", "z")], "z"),
        ([("Relu", "a", "z"), ("Add", "xy", "a")], "z"),  # given in another order
        ([("Add", "xy", "a"), ("Relu", "a", "z"), ("Neg", "a", "d")], "z"),  # dead
        ([("RandomNormalLike", "x", "r"), ("Bernoulli", "x", "s"), ("Relu", "x", "z")], "z"),  # dead, and not pure
        ([("Clip", ["x", "", "y"], "z")], "z"),
        ([("Clip", ["x", "", ""], "z")], "z"),
        ([("TopK", "xy", ["", "z"])], "z"),
        ([("Dropout", "x", ["z", ""])], "z"),
        ([("Split", "x", ["z", ""])], "z"),  # absent at the end of a variadic list
        ([("Split", "x", ["b", "a"]), ("Add", "ab", "z")], ["a", "z"]),
        ([("Concat", "xyx", "z")], "z"),
    ],
)
def test_plain_bodies(nodes: Nodes, outputs: Sequence[str]) -> None:
    made = function(nodes, outputs)
    for node in made.node:
        if node.op_type == "Concat":
            node.attribute.append(helper.make_attribute("axis", 0))
    assert plain_digest(made) == canonicalise(made, callees={}).digest


@pytest.mark.parametrize(
    ("nodes", "outputs"),
    [
        ([("Relu", "u", "z")], "z"),  # undefined
        ([("Relu", "x", "a")], "z"),
        ([("Relu", "x", "z"), ("Neg", "x", "z")], "z"),  # twice
        ([("Relu", "x", "y"), ("Neg", "x", "z")], "z"),
        ([("Relu", "b", "a"), ("Neg", "a", "b"), ("Abs", "b", "z")], "z"),  # a circle
        ([("Relu", "z", "z")], "z"),
        ([("NoSuchOperator", "x", "z")], "z"),
        ([("Relu", "x", "z")], ["z", ""]),
    ],
)
def test_what_is_refused_is_left_to_the_canonical_form(nodes: Nodes, outputs: Sequence[str]) -> None:
    made = function(nodes, outputs)
    assert plain_digest(made) is None
    with pytest.raises(RefusedError):
        canonicalise(made, callees={})
    with pytest.raises(DiagnosticError, match="OW580"):
        digest(made)


def test_what_is_not_plain_is_left_to_the_canonical_form() -> None:
    again = function([("Relu", "x", "z")], ["z", "z"])
    passed = function([("Relu", "x", "z")], ["z", "x"])
    named = function([("Relu", "x", "z")])
    named.node[0].overload = "one"
    attribute = function([("Relu", "x", "z")])
    attribute.attribute.append("alpha")
    for made in (again, passed, named, attribute):
        assert plain_digest(made) is None
        assert digest(made) == canonicalise(made, callees={}).digest


def test_names_that_are_no_text_are_refused() -> None:
    data = function([("Relu", "x", "z")], inputs=("x", "QQ")).SerializeToString()
    made = FunctionProto.FromString(data.replace(b"QQ", b"\xff\xfe"))
    assert plain_digest(made) is None
    with pytest.raises(DiagnosticError, match="OW580"):
        digest(made)


def _standard_bodies() -> list[FunctionProto]:
    schemas: list[OpSchema] = [schema for schema in defs.get_all_schemas_with_history() if schema.has_function]
    return [FunctionProto.FromString(data) for schema in schemas for data in map(bytes, _bodies(schema))]


def _bodies(schema: OpSchema) -> list[bytes]:
    return [schema.get_function_with_opset_version(version) for version in schema.function_opset_versions]


def test_bodies_of_the_standard() -> None:
    plain = 0
    for body in _standard_bodies():
        found = plain_digest(body)
        plain += found is not None
        assert found in (None, canonicalise(body, callees={}).digest)
    assert plain > 5
