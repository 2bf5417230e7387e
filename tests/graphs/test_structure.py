"""What no walk over a model survives is refused before any walk, with a reason and a way out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from google.protobuf.message import Message
from onnx import AttributeProto, GraphProto, ModelProto, NodeProto, TensorProto, helper, numpy_helper, parser
from opwright import Bundle, DiagnosticError, attach, convert, decompile, detach, inspect, polyfill
from opwright.graphs import model_file, structure
from opwright.graphs.node_columns import ColumnsOf
from opwright.graphs.structure import DEEPEST_GRAPH, check_structure, expanded_nodes
from opwright.opsets.domains import STANDARD_DOMAINS

from tests.hostile.changes import bases
from tests.hostile.models import branching, by_hand, chain, nested, recursive
from tests.link.conftest import make_acme
from tests.work import ends

BY_HAND = dict(by_hand())
REFUSED = {
    "40 functions that call each other twice": "OW596",
    "18 functions that call each other twice": "OW596",
    "attributes by path": "OW596",
    "types by path": "OW596",
    "a ring of 1 functions": "OW596",
    "a ring of 2 functions": "OW596",
    "a ring of 50 functions": "OW596",
    "a function that calls itself in a branch": "OW596",
    "function twice": "OW596",
    "If: no outputs": "OW595",
    "If: no attributes": "OW595",
    "If: empty graphs": "OW595",
    "If: hollow graphs": "OW595",
    "If: graphs called tensors": "OW595",
    "If: no yields": "OW595",
    "If: many outputs": "OW595",
    "If: no inputs": "OW595",
    "Loop: no outputs": "OW595",
    "Loop: no attributes": "OW595",
    "Loop: empty graphs": "OW595",
    "Loop: hollow graphs": "OW595",
    "Loop: no parameters": "OW595",
    "Scan: no outputs": "OW595",
    "Scan: empty graphs": "OW595",
    "Constant without outputs": "OW595",
    "Cast without outputs": "OW595",
    "Relu without outputs": "OW595",
    "opset 2147483648": "OW598",
    "opset 9223372036854775807": "OW598",
    "IR version 2147483648": "OW598",
    f"external data {str({'offset': 2**70})[:40]}": "OW597",
    "external data {'offset': -1}": "OW597",
    "external data {'length': ''}": "OW597",
    f"a tensor of {str([2**62, 2**62])[:30]}": "OW597",
    "a constant of [-1]": "OW597",
    "a value called b'\\xff'": "OW551",
    "a domain called b'\\xff'": "OW551",
    "a function called b'\\xed\\xa0\\x80'": "OW551",
}


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_what_is_refused(name: str) -> None:
    with ends(name), pytest.raises(DiagnosticError) as caught:
        check_structure(ModelProto.FromString(BY_HAND[name]), "m.onnx")
    assert {item.code for item in caught.value.diagnostics} == {REFUSED[name]}
    for item in caught.value.diagnostics:
        assert item.place is not None and item.place.file == "m.onnx"
        assert item.reason and (item.help or item.code == "OW551"), item


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_every_command_refuses_it_so(name: str) -> None:
    model = ModelProto.FromString(BY_HAND[name])
    library: Bundle = make_acme()
    for work in (
        lambda: attach(model, library),
        lambda: attach(model, library, inline=True),
        lambda: polyfill(model, opset=15, libraries=library),
        lambda: convert(model, opset=24, libraries=library),
        lambda: inspect(model, library),
        lambda: detach(model),
        lambda: decompile(model),
    ):
        with ends(name), pytest.raises(DiagnosticError) as caught:
            work()
        assert {item.code for item in caught.value.diagnostics} == {REFUSED[name]}


def test_what_is_valid_passes() -> None:
    for model in bases():
        check_structure(model)
    for model in (chain(1000), branching(12)):
        check_structure(model)


def test_expanded_nodes_are_counted_and_not_made() -> None:
    assert expanded_nodes(branching(1)) == 2
    assert expanded_nodes(branching(3)) == 11
    assert expanded_nodes(branching(40)) == 3 * 2**39 - 1
    with pytest.raises(DiagnosticError, match="OW596"):
        expanded_nodes(recursive(3))


def optionals(count: int, calls: int) -> ModelProto:
    """A chain of `Optional`s in a function, which is called so many times, each on what the one before gives."""
    inner = "".join(f"v{number + 1} = Optional (v{number}) " for number in range(count))
    outer = "".join(f"w{number + 1} = my.F (w{number}) " for number in range(calls))
    text = f"""<ir_version: 10, opset_import: ["": 18, "my": 1]>
        g (float[N] w0) => (float[N] y) {{ {outer} y = Neg (w0) }}
        <domain: "my", opset_import: ["": 18]> F (v0) => (v{count}) {{ {inner} }}"""
    return parser.parse_model(text)


def test_optionals_that_may_hold_one_another_are_few() -> None:
    """Types that nest are inferred in time that grows with the cube of their depth."""
    check_structure(optionals(10, 100))
    with pytest.raises(DiagnosticError, match="1,000 nodes `Optional`"):
        check_structure(optionals(10, 101))
    flat = optionals(1, 1)
    for number in range(1001):
        flat.graph.node.append(helper.make_node("Optional", [f"o{number}"], [f"o{number + 1}"]))
    del flat.functions[:]
    with pytest.raises(DiagnosticError, match="1,000 nodes `Optional`"):
        check_structure(flat)
    for node in flat.graph.node:
        node.domain = "my"  # a function or kernel of somebody's, which happens to have that name
    check_structure(flat)


def test_graphs_nest_as_deep_as_parsers_read() -> None:
    deepest = ModelProto.FromString(nested(DEEPEST_GRAPH - 2))
    check_structure(deepest)
    for node in list(deepest.graph.node):  # protobuf copies no deeper, but holds what Python puts together
        inner = node.attribute[0].g
        while inner.node[0].op_type == "If":
            inner = inner.node[0].attribute[0].g
        for _ in range(4):
            made = inner.node[0]
            made.op_type, made.input[0] = "If", "c"
            for name in ("then_branch", "else_branch"):
                graph = made.attribute.add(name=name, type=5).g
                graph.output.add(name="y")
                graph.node.add(op_type="Relu", input=["x"], output=["y"])
            inner = made.attribute[0].g
    with pytest.raises(DiagnosticError, match="OW595"):
        check_structure(deepest)


def usual_nodes(count: int) -> ModelProto:
    """A model of so many nodes of four kinds, with a description of each value."""
    model = helper.make_model(helper.make_graph([], "g", [], []), opset_imports=[helper.make_opsetid("", 18)])
    for index in range(count):
        operator, number = (("Relu", 1), ("Add", 2), ("Elu", 1))[index % 3]
        node = helper.make_node(operator, ["x"] * number, [f"v{index}"])
        if operator == "Elu":
            node.attribute.append(helper.make_attribute("alpha", index / 7))
        model.graph.node.append(node)
        model.graph.value_info.append(helper.make_tensor_value_info(f"v{index}", 1, [index]))
    model.graph.node.append(helper.make_node("Constant", [], ["c"], value=numpy_helper.from_array(np.zeros((2, 3)))))
    return model


@pytest.mark.parametrize("count", [30, 300])
def test_what_is_usual_is_looked_at_once(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    placed, walked = Counter[str](), Counter[str]()
    place, walk = structure._placed, model_file._texts_and_messages

    def count_placed(node: NodeProto, index: int, around: str) -> str:
        placed[node.op_type] += 1
        return place(node, index, around)

    def count_walked(message: Message) -> Iterator[tuple[str, int, Any]]:
        walked[type(message).__name__] += 1
        return walk(message)

    monkeypatch.setattr(structure, "_placed", count_placed)
    monkeypatch.setattr(model_file, "_texts_and_messages", count_walked)
    check_structure(usual_nodes(count))
    assert placed == {"Relu": 1, "Add": 1, "Elu": 1, "Constant": 1}
    assert walked == {"ModelProto": 1, "GraphProto": 1}


@pytest.mark.parametrize(
    "change",
    [
        lambda node: node.attribute.add(name="beta", type=AttributeProto.FLOAT, g=GraphProto(name="g")),
        lambda node: node.attribute.add(name="beta", type=AttributeProto.TENSOR),
        lambda node: node.attribute.add(name="beta", type=AttributeProto.TENSOR, t=TensorProto(), f=1.0),
        lambda node: node.attribute.add(type=AttributeProto.TENSOR, t=TensorProto(), f=1.0),
        lambda node: node.attribute.add(name="beta", type=AttributeProto.TENSOR, t=TensorProto(dims=[-1])),
        lambda node: node.attribute.add(name="beta", type=AttributeProto.TENSOR, t=TensorProto(dims=[2**62, 2**62])),
        lambda node: node.attribute.add(name="beta", f=1.0),
        lambda node: node.ClearField("input"),
    ],
)
def test_the_last_of_many_is_not_passed_over(change: Callable[[NodeProto], object]) -> None:
    model = usual_nodes(30)
    check_structure(model)
    change(model.graph.node[29])
    with pytest.raises(DiagnosticError) as caught:
        check_structure(model)
    assert {item.code for item in caught.value.diagnostics} <= {"OW595", "OW597"}
    assert all("node 29" in item.message for item in caught.value.diagnostics)


@pytest.mark.parametrize("field", [b"Relu", b"v29", b"alpha"])
def test_one_text_of_many_that_is_not_utf_8(field: bytes) -> None:
    data = usual_nodes(3000).SerializeToString()
    at = data.rindex(field)
    broken = data[:at] + b"\xc3" + data[at + 1 :]
    with pytest.raises(DiagnosticError, match="OW551"):
        check_structure(ModelProto.FromString(broken))


def test_kinds_of_nodes_are_told_apart_by_the_versions_of_the_standard_alone() -> None:
    """A model of thousands of functions may import as many domains."""
    model = chain(50)
    model.opset_import.extend(helper.make_opsetid(f"d{index}", 1) for index in range(1000))
    for index, function in enumerate(model.functions):
        function.opset_import.append(helper.make_opsetid(f"e{index}", 1))
    check = structure._Check("model", ColumnsOf())
    check.model(model)
    assert not check.problems
    assert sum(map(len, check._kinds)) <= len(STANDARD_DOMAINS)
