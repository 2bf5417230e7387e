"""Operators that nothing describes, such as those of onnxruntime, become calls in an opset that is open."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import AttributeProto, ModelProto, helper, numpy_helper, parser
from opwright import DiagnosticError, compare, decompile

from tests.decompiler.make_models import make
from tests.decompiler.roundtrip import without_inner_types
from tests.decompiler.test_models import back

IMPORTS = '<ir_version: 9, opset_import: ["": 18, "com.microsoft": 1, "com.acme": 3]>'
X = np.array([[1, -2, 3], [0.5, 0, -1]], np.float32)


@pytest.mark.parametrize("faithful", [False, True])
def test_values_of_unknown_types_flow_on(faithful: bool, tmp_path: Path) -> None:
    """Their types are nowhere said, so that what they meet is written as calls, and numbers with their types."""
    model = parser.parse_model(
        f"""{IMPORTS} agraph (float[N, 3] x, bool goes, int64 trips) => (float[N, 3] y, double[N, 3] z) {{
        one = Constant <value: tensor = float {{1.0}}> ()
        half = Constant <value: tensor = double {{0.5}}> ()
        ones = Constant <value: tensor = float[3] {{1.0, 1.0, 1.0}}> ()
        a = com.microsoft.Gelu (x)
        b = Add (a, one)
        c, "", "", d = com.microsoft.SkipLayerNormalization <epsilon: float = 0.001> (b, a, ones, "", ones)
        e = If (goes) <
            then_branch: graph = yes () => (float[N, 3] p) {{ p = Mul (c, d) }},
            else_branch: graph = no () => (float[N, 3] q) {{ q = com.microsoft.QuickGelu <alpha: float = 1.5> (d) }}
        >
        go = Constant <value: tensor = bool {{1}}> ()
        y = Loop (trips, go, e) <body: graph = body (int64 i, bool going, float[N, 3] s)
            => (bool again, float[N, 3] t) {{
            again = Identity (going)
            u = com.microsoft.Gelu (s)
            t = Sub (u, one)
        }}>
        low = Cast <to: int = 11> (a)
        z = Mul (low, half)
        }}"""
    )
    for goes in (True, False):
        text, again = back(model, tmp_path, X, np.array(goes), np.array(2), faithful=faithful)
    assert 'Opset("com.microsoft", 1, open=True)' in text
    skip = next(node for node in again.graph.node if node.op_type == "SkipLayerNormalization")
    assert [bool(name) for name in skip.output] == [True, False, False, True]
    if faithful:
        assert compare(without_inner_types(model), without_inner_types(again))


def with_attributes(*attributes: AttributeProto) -> ModelProto:
    x, y = (helper.make_tensor_value_info(name, 1, [2]) for name in "xy")
    node = helper.make_node("Pool", ["x", "", "x"], ["y", "", "z"], domain="com.acme")
    node.attribute.extend(attributes)
    graph = helper.make_graph([node, helper.make_node("Done", ["z"], ["w"], domain="com.acme")], "g", [x], [y])
    graph.output.add(name="w").type.CopyFrom(x.type)
    imports = [helper.make_opsetid("", 18), helper.make_opsetid("com.acme", 3)]
    return helper.make_model(graph, opset_imports=imports, ir_version=9)


@pytest.mark.parametrize("faithful", [False, True])
def test_attributes_are_of_the_same_kinds(faithful: bool, tmp_path: Path) -> None:
    inner = helper.make_graph([helper.make_node("Neg", ["x"], ["n"])], "inner", [], [onnx.ValueInfoProto(name="n")])
    attributes = [
        helper.make_attribute(name, value, attr_type=getattr(AttributeProto, kind))
        for name, kind, value in (
            ("an_int", "INT", 2),
            ("a_float", "FLOAT", 2.0),
            ("a_string", "STRING", "2"),
            ("empty_string", "STRING", ""),
            ("ints", "INTS", [1, 2]),
            ("floats", "FLOATS", [1.0, 2.0]),
            ("strings", "STRINGS", ["1", "b"]),
            ("no_ints", "INTS", []),
            ("no_floats", "FLOATS", []),
            ("no_strings", "STRINGS", []),
            ("scalar", "TENSOR", numpy_helper.from_array(np.array(2.0, np.float32))),
            ("vector", "TENSOR", numpy_helper.from_array(np.array([1, 2]))),
            ("nothing", "TENSOR", numpy_helper.from_array(np.zeros((0, 2), np.float32))),
            ("names", "TENSOR", numpy_helper.from_array(np.array(["a", "b"], object))),
            ("a_graph", "GRAPH", inner),
            ("to", "INT", 10),
        )
    ]
    model = with_attributes(*attributes)
    _, again = back(model, tmp_path, faithful=faithful)
    node, done = (item for item in again.graph.node if item.domain == "com.acme")
    assert [bool(name) for name in (*node.input, *node.output)] == [True, False, True, True, False, True]
    assert done.input[0] == node.output[2]
    found = {item.name: item for item in node.attribute}
    assert {name: item.type for name, item in found.items()} == {item.name: item.type for item in attributes}
    for item in attributes:
        if item.type == AttributeProto.TENSOR:
            one, other = numpy_helper.to_array(item.t), numpy_helper.to_array(found[item.name].t)
            assert (one.dtype, one.shape, one.tolist()) == (other.dtype, other.shape, other.tolist())
        elif item.type != AttributeProto.GRAPH:
            assert helper.get_attribute_value(item) == helper.get_attribute_value(found[item.name])
    assert [entry.op_type for entry in found["a_graph"].g.node] == ["Neg"]
    if faithful:
        assert compare(without_inner_types(model), without_inner_types(again))


def test_within_functions(tmp_path: Path) -> None:
    model = parser.parse_model(
        f"""{IMPORTS} agraph (float[N, 3] x) => (float[N, 3] y) {{ y = com.acme.twice <slope: float = 1.5> (x) }}
        <domain: "com.acme", opset_import: ["": 18, "com.microsoft": 1]>
        twice <slope> (x) => (y) {{
            a = com.microsoft.QuickGelu <alpha: float = @slope> (x)
            b = com.microsoft.Gelu (a)
            y = Add (a, b)
        }}"""
    )
    back(model, tmp_path, X)


@pytest.mark.parametrize("faithful", [False, True])
def test_a_model_that_onnxruntime_has_optimised(faithful: bool, tmp_path: Path) -> None:
    model = parser.parse_model(
        """<ir_version: 9, opset_import: ["": 18]> agraph (float[N, 3] x, float[3, 4] w) => (float[N, N] y) {
        root = Constant <value: tensor = float {1.4142135}> ()
        half = Constant <value: tensor = float {0.5}> ()
        one = Constant <value: tensor = float {1.0}> ()
        scale = Constant <value: tensor = float[4] {1.0, 2.0, 0.5, 1.0}> ()
        bias = Constant <value: tensor = float[4] {0.0, 1.0, 0.5, -1.0}> ()
        a = MatMul (x, w)
        b = Div (a, root)
        c = Erf (b)
        d = Add (c, one)
        e = Mul (a, d)
        f = Mul (e, half)
        s = Add (f, a)
        g = LayerNormalization <axis = -1> (s, scale, bias)
        h = Transpose <perm = [1, 0]> (g)
        y = MatMul (g, h)
        }"""
    )
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    options.optimized_model_filepath = str(tmp_path / "optimised.onnx")
    onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    optimised = onnx.load(tmp_path / "optimised.onnx")
    assert "com.microsoft" in {node.domain for node in optimised.graph.node}
    back(optimised, tmp_path, X, np.arange(12, dtype=np.float32).reshape(3, 4) / 8, faithful=faithful)


@pytest.mark.parametrize(("operator", "attribute"), [("Po.ol", "axis"), ("Pool", "a.xis"), ("Pool", "lambda")])
def test_names_that_python_lacks_are_refused(operator: str, attribute: str) -> None:
    model = with_attributes(helper.make_attribute(attribute, 1))
    model.graph.node[0].op_type = operator
    with pytest.raises(DiagnosticError) as error:
        decompile(model)
    assert error.value.diagnostics[0].code == "OW590"


def test_an_operator_that_a_known_domain_lacks_is_refused(tmp_path: Path) -> None:
    """Its name is taken for a mistake."""
    model = with_attributes()
    model.graph.node[0].domain = "ai.onnx.ml"
    model.opset_import.add(domain="ai.onnx.ml", version=3)
    decompile(model).write(tmp_path / "m.py")
    with pytest.raises(DiagnosticError) as error:
        make(tmp_path / "m.py")
    assert error.value.diagnostics[0].code == "OW201"


@pytest.mark.parametrize("faithful", [False, True])
def test_unknown_types_come_out_of_functions_and_go_through_loops(faithful: bool, tmp_path: Path) -> None:
    model = parser.parse_model(
        f"""{IMPORTS} agraph (float[N, 3] x, int64 trips) => (float[N, 3] y) {{
        one = Constant <value: tensor = float {{1.0}}> ()
        go = Constant <value: tensor = bool {{1}}> ()
        a = com.acme.outer (x)
        b = Add (a, one)
        c = Loop (trips, go, b) <body: graph = body (int64 i, bool going, float[N, 3] s)
            => (bool again, float[N, 3] t) {{
            again = Identity (going)
            t = Mul (s, one)
        }}>
        d = Loop (trips, go, x) <body: graph = other (int64 j, bool goes, float[N, 3] u)
            => (bool still, float[N, 3] w) {{
            still = Identity (goes)
            v = Neg (u)
            w = com.microsoft.Gelu (v)
        }}>
        e = Neg (d)
        y = Add (c, e)
        }}
        <domain: "com.acme", opset_import: ["": 18, "com.acme": 3]> outer (x) => (y) {{ y = com.acme.inner (x) }}
        <domain: "com.acme", opset_import: ["": 18, "com.microsoft": 1]> inner (x) => (y) {{
            a = com.microsoft.Gelu (x)
            y = Neg (a)
        }}"""
    )
    for trips in (0, 2):
        back(model, tmp_path, X, np.array(trips), faithful=faithful, full=False)


@pytest.mark.parametrize("faithful", [False, True])
def test_conditions_of_unknown_types(faithful: bool, tmp_path: Path) -> None:
    model = parser.parse_model(
        f"""{IMPORTS} agraph (float[2] x) => (float[2] y, float[2] z) {{
        c = com.acme.Ask (x)
        n = com.acme.Count (x)
        y = If (c) <
            then_branch: graph = yes () => (float[2] p) {{ p = Abs (x) }},
            else_branch: graph = no () => (float[2] q) {{ q = Neg (x) }}
        >
        z = Loop (n, c, x) <body: graph = body (int64 i, bool going, float[2] s) => (bool again, float[2] t) {{
            again = com.acme.Ask (s)
            t = Neg (s)
        }}>
        }}"""
    )
    text, again = back(model, tmp_path, faithful=faithful)
    assert "c: BOOL[...] = acme.Ask(x)" in text and "n: INT64[...] = acme.Count(x)" in text
    assert [node.op_type for node in again.graph.node if node.op_type != "Constant"][:3] == ["Ask", "Count", "If"]
