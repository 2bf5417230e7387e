"""Graphs inside one another, from the builder through the decompiler and back; what protobuf cannot hold is refused."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import NodeProto, TypeProto, ValueInfoProto, helper
from onnx.helper import make_node
from opwright import BOOL, FLOAT, INT64, DiagnosticError, GraphBuilder, compare, decompile
from opwright import opset22 as op
from opwright.commands.decompile_command import decompile_file

from tests.decompiler.roundtrip import without_inner_types
from tests.decompiler.test_models import back

DEEPEST = 31  # graphs inside the main one that protobuf's parsers read


def nested(kind: str, depth: int) -> onnx.ModelProto:
    b = GraphBuilder(opset=22, name="deep")
    x, trips, goes = b.input("x", FLOAT[2]), b.input("trips", INT64), b.input("goes", BOOL)

    def level(left: int, value: Any) -> Any:
        if not left:
            return value * 2 + x
        if kind == "If" or (kind == "mixed" and left % 2):
            return op.If(goes, then_branch=lambda: level(left - 1, value), else_branch=lambda: -value)
        return op.Loop(trips, None, value, body=lambda index, going, state: (going, level(left - 1, state)))

    b.output("y", level(depth, x))
    return b.to_model_proto(debug=False)


@pytest.mark.parametrize("faithful", [False, True])
@pytest.mark.parametrize("kind", ["If", "Loop", "mixed"])
def test_thirty_graphs_come_back(kind: str, faithful: bool, tmp_path: Path) -> None:
    model = nested(kind, 30)
    for trips, goes in ((1, True), (0, True), (1, False)):
        given = [np.array([1, 2], np.float32), np.array(trips), np.array(goes)]
        order = [("x", "trips", "goes").index(item.name) for item in model.graph.input]
        _, again = back(model, tmp_path, *(given[index] for index in order), faithful=faithful)
    if faithful:
        assert compare(without_inner_types(model), without_inner_types(again))


def test_as_many_graphs_as_protobuf_reads_come_back(tmp_path: Path) -> None:
    back(nested("mixed", DEEPEST), tmp_path)


@pytest.mark.parametrize("faithful", [False, True])
@pytest.mark.parametrize("kind", ["If", "Loop", "mixed"])
def test_the_function_of_thirty_graphs_runs_as_python(kind: str, faithful: bool, tmp_path: Path) -> None:
    """CPython refuses more than 20 loops inside one another, so the rest are functions."""
    path = tmp_path / "deep.py"
    decompile(nested(kind, 30), faithful=faithful).write(path)
    spec = importlib.util.spec_from_file_location("deep", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    x = np.array([1, 2], np.float32)
    given = {"x": x, "trips": np.array(1), "goes": np.array(True)}
    assert module.deep(**given).tolist() == (x * 3).tolist()


@pytest.mark.parametrize("kind", ["If", "Loop", "mixed"])
@pytest.mark.parametrize("depth", [DEEPEST + 1, 33])
def test_the_builder_refuses_more(kind: str, depth: int) -> None:
    with pytest.raises(DiagnosticError) as error:
        nested(kind, depth)
    assert error.value.diagnostics[0].code == "OW319"


def untyped(depth: int) -> NodeProto:
    """Branches whose values have no types, which protobuf holds one more level of."""
    node = make_node("Relu", ["x"], ["y0"])
    for level in range(1, depth + 1):
        result = ValueInfoProto(name=f"y{level - 1}", type=TypeProto())
        graph = helper.make_graph([node], "inner", [], [result])
        node = make_node("If", ["c"], [f"y{level}"], then_branch=graph, else_branch=graph)
        if level > 1:
            del node.attribute[1].g.node[:]
            node.attribute[1].g.output[0].name = "x"
    return node


def deep_model(depth: int) -> onnx.ModelProto:
    values = [helper.make_tensor_value_info(*item) for item in (("x", 1, [2]), ("c", 9, []), (f"y{depth}", 1, [2]))]
    graph = helper.make_graph([untyped(depth)], "main", values[:2], values[2:])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)


def test_the_compiler_refuses_more(tmp_path: Path) -> None:
    with pytest.raises(DiagnosticError) as error:
        back(deep_model(DEEPEST + 1), tmp_path, faithful=True)
    assert error.value.diagnostics[0].code == "OW319"


def test_statements_take_no_level_each(tmp_path: Path) -> None:
    """A chain of conditions is nested less deep than it is long."""
    back(deep_model(DEEPEST + 1), tmp_path)


def enclosed(inner: bytes, tag: int) -> bytes:
    """A message as the field `tag` of another."""
    length, size = len(inner), bytearray([tag << 3 | 2])
    while length > 127:
        size.append(length & 127 | 128)
        length >>= 7
    return bytes([*size, length]) + inner


def test_the_command_refuses_a_file_of_thirty_three(tmp_path: Path) -> None:
    """No library writes such a file, so it is put together here."""
    node = make_node("Relu", ["x"], ["y"]).SerializeToString()
    for _ in range(33):
        graph = enclosed(node, 1)
        attribute = onnx.AttributeProto(name="then_branch", type=onnx.AttributeProto.GRAPH).SerializeToString()
        node = enclosed(attribute + enclosed(graph, 6), 5) + make_node("If", ["c"], ["y"]).SerializeToString()
    (tmp_path / "deep.onnx").write_bytes(enclosed(enclosed(node, 1), 7))
    with pytest.raises(DiagnosticError) as error:
        decompile_file(tmp_path / "deep.onnx", faithful=False)
    (found,) = error.value.diagnostics
    assert (found.code, found.reason) == ("OW551", "its graphs are nested deeper than protobuf's parsers read")
