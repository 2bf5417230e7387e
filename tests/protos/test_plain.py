"""A plain body's digest is that of its canonical form, or is left to it."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from functools import partial

import numpy as np
import pytest
from google.protobuf.message import DecodeError
from hypothesis import given
from hypothesis import strategies as st
from onnx import AttributeProto, FunctionProto, NodeProto, TensorProto, defs, helper, numpy_helper
from onnx.defs import OpSchema
from opwright import digest
from opwright.diagnostics.diagnostic import DiagnosticError
from opwright.protos.canonical import canonicalise
from opwright.protos.canonical_tensors import RefusedError
from opwright.protos.plain import plain_digest

from benchmarks.models import MODELS
from tests.protos.random_functions import Program, renamed, reordered
from tests.work import calls_of

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


# Texts that are hard to tell from what stands around them in the message: fields, nodes, lengths.
_NODE = NodeProto(op_type="Relu", input=["x"], output=["u"]).SerializeToString()
_HOSTILE = (
    *"abcxyz",
    "n" * 58,  # as long as the tag of a node
    "n" * 63,
    "n" * 64,
    "n" * 130,
    "Ω",
    "a\x12\x01b",
    "\n\x01x\x12\x01u",
    f":{chr(len(_NODE))}{_NODE.decode()}",
    _NODE.decode(),
    'a\x12\x01b"\x04Relu*\x09',
    "",
)
_OPERATORS = (
    "Relu",
    "Add",
    "Clip",
    "Concat",
    "Split",
    "TopK",
    "RandomNormalLike",
    "Dropout",
    "Selu",
    "Slice",
    "If",
    "No",
)
_texts = st.sampled_from(_HOSTILE)


@st.composite
def _any_function(draw: st.DrawFn) -> FunctionProto:
    """One that mostly has a canonical form: names are mostly defined, and once."""
    made = FunctionProto(name=draw(_texts), domain=draw(_texts))
    visible = ["x", *draw(st.lists(_texts.filter(lambda text: text not in ("x", "")), max_size=2, unique=True))]
    made.input.extend(visible)
    made.attribute.extend(draw(st.lists(_texts, max_size=1)))
    for index in range(draw(st.integers(1, 8))):
        node = made.node.add(op_type=draw(st.sampled_from(_OPERATORS)))
        node.input.extend(draw(st.lists(st.sampled_from(["", *visible[-4:]]), max_size=5)))
        node.output.extend(f"{draw(_texts)}{index}{place}" for place in range(draw(st.integers(1, 2))))
        node.attribute.extend(draw(st.lists(st.sampled_from(_attributes()), max_size=2)))
        for place, attribute in enumerate(node.attribute):
            attribute.name = draw(st.sampled_from(("value", "alpha", "axis", "n" * 60))) + "v" * place
        visible += node.output
        if not draw(st.integers(0, 15)):
            field = draw(st.sampled_from(("name", "domain", "doc_string", "overload", "op_type")))
            setattr(node, field, draw(_texts))
        if not draw(st.integers(0, 31)):
            (node.input if draw(st.booleans()) else node.output).append(draw(_texts))
    made.output.extend(draw(st.lists(st.sampled_from(visible[-3:]), min_size=1, max_size=2, unique=True)))
    made.opset_import.add(domain="", version=18)
    return made


def _assert_not_wrong(made: FunctionProto) -> None:
    found = plain_digest(made)
    if found is not None:
        assert canonicalise(made, callees={}).digest == found


@pytest.mark.long
@given(_any_function())
def test_hostile_texts(made: FunctionProto) -> None:
    _assert_not_wrong(made)
    for _ in range(len(made.node)):  # shorter ones define what they return more often
        del made.node[-1]
        del made.output[:]
        made.output.extend(made.node[-1].output[:1] if made.node else made.input[:1])
        _assert_not_wrong(made)


@pytest.mark.long
@given(_any_function(), st.integers(0, 1 << 16), st.integers(0, 255))
def test_changed_bytes(made: FunctionProto, place: int, value: int) -> None:
    data = bytearray(made.SerializeToString())
    data[place % len(data)] = value
    try:
        changed = FunctionProto.FromString(bytes(data))
    except DecodeError:
        return
    _assert_not_wrong(changed)


def test_a_node_inside_a_text_is_none() -> None:
    inside = f":{chr(len(_NODE))}{_NODE.decode()}"
    plain = function([("Relu", "x", "z")])
    for field in ("name", "domain", "doc_string"):
        other = FunctionProto.FromString(plain.SerializeToString())
        setattr(other, field, inside)
        assert plain_digest(other) == plain_digest(plain)
    called = function([("Relu", "x", "z"), ("Relu", "x", "w")])
    called.node[0].domain = inside[2:]
    assert plain_digest(called) is None
    named = function([("Relu", "x", [inside]), ("Relu", [inside], "z")])
    assert plain_digest(named) == plain_digest(function([("Relu", "x", "w"), ("Relu", "w", "z")]))
    entered = function([("Relu", [inside], "z")], inputs=[inside])
    assert plain_digest(entered) == plain_digest(function([("Relu", "x", "z")], inputs=["x"]))


def test_a_number_is_not_read_from_a_tensor_in_another_file() -> None:
    """Both tensors have the same bytes around four that differ, once from another place."""
    usual = TensorProto(data_type=1, float_data=struct.unpack("<f", b"1234"), name="")
    outside = TensorProto(data_type=1, float_data=struct.unpack("<f", b"\x42\x0012"), data_location=1)
    for tensor, plain in ((usual, True), (outside, False), (usual, True)):
        made = function([("Constant", [], "z")])
        made.node[0].attribute.append(helper.make_attribute("value", tensor))
        assert (plain_digest(made) is not None) == plain
        _assert_not_wrong(made)


def test_attributes_of_nodes_that_are_dropped() -> None:
    """They do not enter the digest, but those with graphs may have no canonical form."""
    kept = function([("Relu", "x", "z")])
    made = function([("Relu", "x", "z"), ("Relu", "x", ["dead"])])
    attribute = made.node[1].attribute.add(name="value", type=AttributeProto.TENSOR)
    attribute.t.data_location = TensorProto.EXTERNAL
    assert plain_digest(made) == digest(kept) == canonicalise(made, callees={}).digest
    attribute.type = AttributeProto.GRAPH
    attribute.g.node.add(op_type="No")
    attribute.sparse_tensor.dims.append(3)
    assert plain_digest(made) is None
    with pytest.raises(DiagnosticError, match="OW580"):
        digest(made)


@pytest.mark.parametrize("length", [2, 10, 200, 600])
def test_bodies_of_any_length(length: int) -> None:
    """Chains, once in an order that goes down to the first node at once; usual nodes and others alternate."""
    for other in (False, True):
        nodes: list[tuple[str, Sequence[str], Sequence[str]]] = [("Relu", "x", ["v0"])]
        for index in range(1, length):
            reads = [f"v{index - 1}"]
            nodes.append(("Sum", reads * 5, [f"v{index}"]) if other and index % 2 else ("Relu", reads, [f"v{index}"]))
        made = function(nodes, [f"v{length - 1}"])
        backwards = function(nodes[::-1], [f"v{length - 1}"])
        assert plain_digest(made) == plain_digest(backwards) == canonicalise(made, callees={}).digest


def test_outputs_that_need_one_another() -> None:
    made = function([("Relu", "x", "a"), ("Neg", "a", "b"), ("Abs", "b", "c")], ["c", "a", "b"])
    assert plain_digest(made) == canonicalise(made, callees={}).digest
    split = function([("Split", "x", ["a", "b"]), ("Neg", "b", "c")], ["b", "c", "a"])
    assert plain_digest(split) == canonicalise(split, callees={}).digest


def test_a_circle_through_a_node_with_two_outputs() -> None:
    for reads in (["a"], ["x", "a", "x", "x"]):
        made = function([("Relu", "b", "a"), ("Split", reads, ["z", "b"])])
        assert plain_digest(made) is None
        with pytest.raises(RefusedError, match="depends on itself"):
            canonicalise(made, callees={})


def test_a_long_circle_is_left_to_the_canonical_form() -> None:
    for reads in (1, 5):
        nodes = [("Sum", [f"v{(index + 1) % 300}"] * reads, [f"v{index}"]) for index in range(300)]
        made = function([*nodes, ("Relu", ["v7"], "z")])
        assert plain_digest(made) is None
        with pytest.raises(RefusedError):
            canonicalise(made, callees={})


def test_calls_for_each_function_do_not_grow() -> None:
    """Those of Python and of C that a digest takes once what is memoised is there: ten nodes, and no object of each."""
    bodies = [[*MODELS["digest"](7, count).functions] for count in (100, 100, 400)]
    _, few, many = (calls_of(partial(list, map(digest, given))) / len(given) for given in bodies)
    assert few < 80 and many < 80
