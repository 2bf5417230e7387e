"""A plain body's digest is that of its canonical form, or is left to it."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import AttributeProto, FunctionProto, NodeProto, TensorProto, defs, helper, numpy_helper
from onnx.defs import OpSchema
from opwright import digest
from opwright.diagnostics.diagnostic import DiagnosticError
from opwright.protos.canonical import canonicalise
from opwright.protos.canonical_tensors import RefusedError
from opwright.protos.plain import plain_digest

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
    for made in (again, passed, named):
        assert plain_digest(made) is None
        assert digest(made) == canonicalise(made, callees={}).digest


_NAN = struct.unpack("<f", b"\x01\x00\xa0\x7f")[0]


def _attributes() -> list[AttributeProto]:
    named = helper.make_tensor("named", TensorProto.FLOAT, [], [2.5])
    raw = numpy_helper.from_array(np.array(2.5, np.float32))
    bare = TensorProto(data_type=TensorProto.FLOAT, float_data=[2.5])
    vector = helper.make_tensor("", TensorProto.FLOAT, [2], [2.5, -0.0])
    tensors = [
        named,
        raw,
        bare,
        vector,
        helper.make_tensor("", TensorProto.FLOAT, [], [2.5]),
        helper.make_tensor("n", TensorProto.FLOAT, [], struct.pack("<f", 2.5), raw=True),
        helper.make_tensor("", TensorProto.INT64, [], [7]),
        helper.make_tensor("", TensorProto.STRING, [], ["a"]),
        numpy_helper.from_array(np.array([[True]])),
        TensorProto(data_type=TensorProto.FLOAT, float_data=[2.5], doc_string="said"),
    ]
    values = [0.1, 1, -1, 127, 128, 2**62, -(2**63), "text", "t" * 300, [1.5, 2.5], [1, -2], ["a", "b"]]
    made = [helper.make_attribute("value", item) for item in (*values, *tensors)]
    made += [AttributeProto(name="value", type=AttributeProto.FLOAT, f=number) for number in (_NAN, math.inf, -0.0)]
    made += [AttributeProto(name="value", type=AttributeProto.FLOAT), AttributeProto(name="value", type=2)]
    made.append(helper.make_attribute("value", 1.5, doc_string="said"))
    # A tensor and a text beside it, whose bytes are those of a longer tensor.
    made.append(AttributeProto(name="value", type=4, t=TensorProto(data_type=1), s=b"1234"))
    made.append(AttributeProto(name="value", type=1, f=1.0, i=3))
    return made


@pytest.mark.parametrize("attribute", _attributes(), ids=str)
def test_attributes(attribute: AttributeProto) -> None:
    made = function([("Relu", "x", "z")])
    made.node[0].attribute.append(attribute)
    try:
        expected = canonicalise(made, callees={}).digest
    except RefusedError:
        assert plain_digest(made) is None
    else:
        assert plain_digest(made) == expected


def test_attributes_beside_one_another_and_beside_defaults() -> None:
    made = function([("AveragePool", "x", "z")])
    for name, value in (("kernel_shape", [1, 1]), ("ceil_mode", 1), ("auto_pad", "VALID")):
        made.node[0].attribute.append(helper.make_attribute(name, value))
    assert plain_digest(made) == canonicalise(made, callees={}).digest
    made.node[0].attribute.append(helper.make_attribute("ceil_mode", 0))
    assert plain_digest(made) is None
    with pytest.raises(DiagnosticError, match="twice"):
        digest(made)


def test_attributes_that_hold_graphs_are_left_to_the_canonical_form() -> None:
    made = function([("Relu", "x", "z")])
    made.node[0].attribute.append(helper.make_attribute("body", helper.make_graph([], "g", [], [])))
    assert plain_digest(made) is None
    assert digest(made) == canonicalise(made, callees={}).digest


def _with_attributes(referring: Sequence[AttributeProto]) -> FunctionProto:
    made = function([("Selu", "x", "z")])
    made.attribute.extend(["first", "alpha"])
    made.attribute_proto.append(helper.make_attribute("gamma", 1.0))
    made.node[0].attribute.extend(referring)
    return made


@pytest.mark.parametrize(
    "referring",
    [
        [],
        [AttributeProto(name="alpha", type=1, ref_attr_name="alpha")],
        [AttributeProto(name="alpha", type=1, ref_attr_name="gamma"), helper.make_attribute("gamma", 2.0)],
        [AttributeProto(name="gamma", type=1, ref_attr_name="first"), helper.make_attribute("alpha", b"\xaa\x01")],
    ],
)
def test_attributes_of_the_function(referring: Sequence[AttributeProto]) -> None:
    made = _with_attributes(referring)
    assert plain_digest(made) == canonicalise(made, callees={}).digest


def test_references_that_are_refused_are_left_to_the_canonical_form() -> None:
    for referring in (
        [AttributeProto(name="alpha", type=1, ref_attr_name="none")],
        [AttributeProto(name="alpha", ref_attr_name="first")],
        [AttributeProto(name="alpha", type=1, ref_attr_name="first")] * 2,
    ):
        made = _with_attributes(referring)
        assert plain_digest(made) is None
        with pytest.raises(DiagnosticError, match="OW580"):
            digest(made)
    twice = _with_attributes([])
    twice.attribute.append("first")
    assert plain_digest(twice) is None
    alone = function([("Elu", "x", "z")])
    alone.node[0].attribute.append(AttributeProto(name="alpha", type=1, ref_attr_name="alpha"))
    assert plain_digest(alone) is None


def test_what_says_nothing_of_a_body_is_passed_over() -> None:
    made = function([("Add", "xy", "a"), ("Relu", "a", "z")])
    bare = digest(made)
    made.doc_string, made.name, made.domain, made.overload = "said\n" * 99, "g" * 300, "e", "one"
    made.metadata_props.add(key="k", value="v")
    made.value_info.add(name="a")
    for node in made.node:
        node.name, node.doc_string, node.domain, node.overload = "n" * 200, "said", "", ""
        node.metadata_props.add(key="k", value="v")
    made.opset_import[0].domain = ""
    assert plain_digest(made) == canonicalise(made, callees={}).digest == bare


@pytest.mark.parametrize("field", [b"\x15\xff\xff\xff\xff", b"\x10\x01", b"\xfd\x07\xff\xff\xff\xff", b"\xfa\x07\x01a"])
def test_fields_that_are_not_known_are_left_to_the_canonical_form(field: bytes) -> None:
    made = function([("Relu", "x", "z")])
    node = NodeProto.FromString(made.node[0].SerializeToString() + field)
    inside = function([])
    inside.node.append(node)
    for other in (FunctionProto.FromString(made.SerializeToString() + field), inside):
        assert plain_digest(other) is None
        assert digest(other) == digest(made)


@pytest.mark.parametrize("count", [127, 128, 300])
def test_long_names_and_many_inputs(count: int) -> None:
    names = [f"{index}_" + "n" * (3 * index) for index in range(count)]
    made = function([("Concat", names, "z")], inputs=names)
    made.node[0].attribute.append(helper.make_attribute("axis", 0))
    assert plain_digest(made) == canonicalise(made, callees={}).digest


@pytest.mark.parametrize("domains", [["d"], ["", "d"], ["ai.onnx"], []])
def test_imports_that_are_not_plain(domains: Sequence[str]) -> None:
    made = function([("Relu", "x", "z")])
    del made.opset_import[:]
    made.opset_import.extend(helper.make_opsetid(domain, 18) for domain in domains)
    assert plain_digest(made) is None


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
