"""Long lists and texts: packed in lines, from a size on in the file of arrays, and taken by the compiler."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import ModelProto, helper, numpy_helper
from opwright import DiagnosticError, compile_source, decompile, script
from opwright import opset18 as op
from opwright.decompiler.layout import WIDTH
from opwright.decompiler.recompile_check import check_model

from tests.decompiler.make_models import make

COUNT = 100_000


def forest(count: int) -> ModelProto:
    """A node with lists of that many items."""
    random = np.random.Generator(np.random.PCG64(count))
    numbers, zeros = list(range(count)), [0] * count
    values = random.standard_normal(count).astype(np.float32)
    values[:4] = np.array((0.0, -0.0, np.inf, 1e-45))[:count]
    lists = {
        "nodes_treeids": zeros,
        "nodes_nodeids": numbers,
        "nodes_values": values.tolist(),
        "nodes_modes": ["LEAF", "BRANCH_LEQ"] * (count // 2),
        "nodes_featureids": zeros,
        "nodes_truenodeids": numbers[::-1],
        "nodes_falsenodeids": numbers,
        "target_ids": zeros,
        "target_nodeids": numbers,
        "target_treeids": zeros,
        "target_weights": [-0.0] * count,
    }
    node = helper.make_node("TreeEnsembleRegressor", ["x"], ["y"], domain="ai.onnx.ml", n_targets=1, **lists)
    x, y = (helper.make_tensor_value_info(name, 1, ["N", size]) for name, size in (("x", 9), ("y", 1)))
    imports = [helper.make_opsetid("", 18), helper.make_opsetid("ai.onnx.ml", 3)]
    return helper.make_model(helper.make_graph([node], "g", [x], [y]), opset_imports=imports, ir_version=9)


def attributes(model: ModelProto) -> dict[str, bytes]:
    return {item.name: item.SerializeToString(deterministic=True) for item in model.graph.node[0].attribute}


@pytest.mark.parametrize("faithful", [False, True])
@pytest.mark.parametrize("count", [2, 32, 34, 100, 1000, 20_000])
def test_long_attributes_come_back(count: int, faithful: bool, tmp_path: Path) -> None:
    model = forest(count)
    onnx.checker.check_model(model)
    made = decompile(model, faithful=faithful)
    made.write(tmp_path / "m.py")
    again = make(tmp_path / "m.py")
    assert isinstance(again, ModelProto)
    ours, theirs = attributes(again), attributes(model)
    assert {name: ours[name] for name in theirs} == theirs
    assert list(check_model(made, model)) == []
    assert made.text.count("\n") < 600
    assert max(map(len, made.text.splitlines())) <= WIDTH
    assert bool(made.arrays) == (count >= 1000)


def test_the_file_holds_equal_lists_once() -> None:
    arrays = decompile(forest(COUNT)).arrays
    assert sum(array.nbytes for array in arrays.values()) < forest(COUNT).ByteSize() * 3
    assert len(arrays) == 6


def test_zeros_of_both_signs_are_two_lists(tmp_path: Path) -> None:
    nodes = [
        helper.make_node("Constant", [], [name], value_floats=[value] * 40) for name, value in (("a", 0.0), ("b", -0.0))
    ]
    outputs = [helper.make_tensor_value_info(name, 1, [40]) for name in "ab"]
    model = helper.make_model(
        helper.make_graph(nodes, "g", [], outputs), opset_imports=[helper.make_opsetid("", 18)], ir_version=9
    )
    made = decompile(model, faithful=True)
    made.write(tmp_path / "m.py")
    again = make(tmp_path / "m.py")
    assert isinstance(again, ModelProto)
    signs = [np.signbit(item.attribute[0].floats[0]) for item in again.graph.node]
    assert signs == [False, True]


@pytest.mark.long
def test_long_texts_everywhere() -> None:
    text = "word \"' \\ **\n" * 100_000  # more than a megabyte
    nodes = [
        helper.make_node("Constant", [], ["c"], value=numpy_helper.from_array(np.array([text, "b"], object))),
        helper.make_node("Constant", [], ["d"], value_string=text),
        helper.make_node("Constant", [], ["e"], value_strings=[text, "", text]),
        helper.make_node("Odd", ["c", "d", "e"], ["y"], domain="open", text=text, texts=[text]),
    ]
    y = helper.make_tensor_value_info("y", 8, ["N"])
    graph = helper.make_graph(nodes, "g", [], [y], doc_string=text)
    imports = [helper.make_opsetid("", 18), helper.make_opsetid("open", 1)]
    model = helper.make_model(graph, opset_imports=imports, doc_string=text, producer_name=text)
    helper.set_model_props(model, {"vocabulary": text})
    for faithful in (False, True):
        made = decompile(model, faithful=faithful)
        ast.parse(made.text)
        assert len(made.text) < 5000
        assert list(check_model(made, model)) == []


NUMBERS = list(range(COUNT))
TEXT = "a" * COUNT


@script()
def long_ones():
    a = op.Constant(value_ints=NUMBERS)
    b = op.Constant(value_string=TEXT)
    return a, b


def test_the_compiler_takes_long_lists_that_are_given() -> None:
    numbers, text = (item.attribute[0] for item in long_ones.to_model_proto().graph.node)
    assert list(numbers.ints) == NUMBERS
    assert text.s == TEXT.encode()


def test_lists_and_texts_that_are_written_out() -> None:
    text = (
        "from opwright import opset18 as op\n\ndef f():\n"
        f"    return op.Constant(value_ints={NUMBERS}), op.Constant(value_string={TEXT!r})\n"
    )
    proto = compile_source(text, "f").to_function_proto()
    assert len(proto.node) == 2


@pytest.mark.parametrize(
    "made", ["NUMBERS + NUMBERS", "NUMBERS * 2", "[*NUMBERS, *NUMBERS]", "TEXT + TEXT", "TEXT * 2"]
)
def test_what_grows_has_a_limit(made: str) -> None:
    text = (
        "from opwright import opset18 as op\nfrom tests.decompiler.test_long_values import NUMBERS, TEXT\n\n"
        f"def f():\n    grown = {made}\n    return op.Constant(value_int=len(grown))\n"
    )
    with pytest.raises(DiagnosticError) as error:
        compile_source(text, "f").to_function_proto()
    assert error.value.diagnostics[0].code == "OW311"


def test_an_integer_of_a_list_has_a_limit() -> None:
    text = (
        "from opwright import opset18 as op\n\nN = [1, 1 << 5000]\n\ndef f():\n    return op.Constant(value_int=N[0])\n"
    )
    with pytest.raises(DiagnosticError) as error:
        compile_source(text, "f").to_function_proto()
    assert error.value.diagnostics[0].code == "OW311"
