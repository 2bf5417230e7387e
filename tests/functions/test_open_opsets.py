"""Opsets of which nothing is known: calls are taken as they stand, in functions, on arrays and in graphs."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import AttributeProto, helper, parser
from opwright import BOOL, FLOAT, FLOAT16, INT64, DiagnosticError, GraphBuilder, Opset, proto_function, script
from opwright import opset18 as op
from opwright.eager import whole_functions

ms = Opset("com.microsoft", 1, open=True)
acme = Opset("com.acme", 1, open={"Pool": {"axes": "INTS", "scales": "FLOATS", "names": "STRINGS", "rate": "FLOAT"}})
X = np.array([[1, -2, 3], [0.5, 0, -1]], np.float32)
ONE, HALF = np.ones(3, np.float32), np.array(0.5, np.float16)


def run(model: onnx.ModelProto, *given: Any) -> list[Any]:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(model.SerializeToString(), options)
    return list(session.run(None, dict(zip((item.name for item in session.get_inputs()), given, strict=True))))


@script()
def layers(x: FLOAT["N", 3], w: FLOAT[3, 3]) -> tuple[FLOAT["N", 3], FLOAT["N", 3]]:
    y = ms.FusedMatMul(x, w, alpha=0.5, transB=1)
    y = ms.BiasGelu(ms.Gelu(y), ONE)
    normal, _, _, total = ms.SkipLayerNormalization(y, x, ONE, None, ONE, epsilon=1e-3)
    simple, _, _, _ = ms.SkipSimplifiedLayerNormalization(y, x, ONE, epsilon=1e-3)
    return ms.QuickGelu(op.Add(normal, total), alpha=1.0), simple


def gelu(x: Any) -> Any:
    from math import erf

    return x * 0.5 * (1 + np.vectorize(erf)(x / np.sqrt(2)))


def test_operators_of_onnxruntime() -> None:
    weights = np.arange(9, dtype=np.float32).reshape(3, 3) / 8
    model = layers.to_model_proto()
    assert {item.domain: item.version for item in model.opset_import} == {"": 18, "com.microsoft": 1}
    skip = next(node for node in model.graph.node if node.op_type == "SkipLayerNormalization")
    assert [bool(name) for name in skip.input] == [True, True, True, False, True]
    assert [bool(name) for name in skip.output] == [True, False, False, True]
    found = run(model, X, weights)
    total = gelu(gelu(X @ weights.T / 2) + 1) + X
    squares = np.sqrt((total**2).mean(1, keepdims=True) + 1e-3)
    normal = (total - total.mean(1, keepdims=True)) / np.sqrt(total.var(1, keepdims=True) + 1e-3) + 1
    # The bias, which is the fifth input, is a part of the total.
    shifted = total + 1
    normal = (shifted - shifted.mean(1, keepdims=True)) / np.sqrt(shifted.var(1, keepdims=True) + 1e-3)
    summed = normal + shifted
    np.testing.assert_allclose(found[0], summed / (1 + np.exp(-summed)), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(found[1], total / squares, rtol=1e-5, atol=1e-6)
    for eager, compiled in zip(layers(X, weights), found, strict=True):
        assert eager.tobytes() == compiled.tobytes()


def test_on_arrays() -> None:
    y = ms.FusedMatMul(X, X, alpha=2.0, transB=1)
    assert (y.dtype, y.shape) == (FLOAT, (2, 2))
    np.testing.assert_allclose(y.numpy(), 2 * X @ X.T)
    np.testing.assert_allclose(ms.FusedMatMul(X, X, alpha=1.0, transB=1).numpy(), X @ X.T)
    normal, _, _, total = ms.SkipLayerNormalization(X, X, ONE)
    assert (normal.shape, total.numpy().tolist()) == ((2, 3), (2 * X).tolist())
    with pytest.raises(DiagnosticError, match="OW371"):
        ms.NoSuchThing(X)


def test_in_a_graph_that_is_built() -> None:
    b = GraphBuilder(opset=18)
    x = b.input("x", FLOAT["N", 3])
    product = ms.FusedMatMul(x, np.ones((3, 2), np.float32), alpha=2.0)
    normal, _, _, total = ms.SkipLayerNormalization(product, product, np.ones(2, np.float32))
    b.output("y", op.Add(normal, total), FLOAT["N", 2])
    made = run(b.to_model_proto(), X)[0]
    np.testing.assert_allclose(made, np.repeat(4 * X.sum(1, keepdims=True), 2, 1), rtol=1e-6)
    assert b.run(product, x=X).tolist() == np.repeat(2 * X.sum(1, keepdims=True), 2, 1).tolist()


@script()
def attributes(x: FLOAT[2], k: int = 3):
    def inner(value: FLOAT[2]):
        return value, x

    a, _, c = acme.Pool(
        x,
        None,
        x,
        number=1,
        truth=True,
        real=0.1,
        text="t",
        to=FLOAT16,
        ints=[1, 2],
        reals=[1, 0.5],
        texts=("a", "b"),
        axes=[],
        scales=[],
        names=[],
        rate=2,
        tensor=HALF,
        graph=inner,
        passed=k,
        nothing=None,
    )
    return acme.Done(a), c


def test_attributes_of_every_kind() -> None:
    function = attributes.to_function_proto()
    node, done = (item for item in function.node if item.domain == "com.acme")
    assert [bool(name) for name in node.input] == [True, False, True]
    assert [bool(name) for name in node.output] == [True, False, True]
    assert done.input[0] == node.output[0]
    found = {item.name: item for item in node.attribute}
    assert found.pop("passed").ref_attr_name == "k"
    graph = found.pop("graph")
    assert (len(graph.g.input), len(graph.g.output)) == (1, 2)
    expected = {
        "number": ("INT", 1),
        "truth": ("INT", 1),
        "real": ("FLOAT", float(np.float32(0.1))),
        "text": ("STRING", b"t"),
        "to": ("INT", 10),
        "ints": ("INTS", [1, 2]),
        "reals": ("FLOATS", [1, 0.5]),
        "texts": ("STRINGS", [b"a", b"b"]),
        "axes": ("INTS", []),
        "scales": ("FLOATS", []),
        "names": ("STRINGS", []),
        "rate": ("FLOAT", 2.0),
    }
    tensor = found.pop("tensor")
    assert (tensor.t.data_type, list(tensor.t.dims)) == (10, [])
    kinds = {name: AttributeProto.AttributeType.Name(item.type) for name, item in found.items()}
    assert {name: (kinds[name], helper.get_attribute_value(item)) for name, item in found.items()} == expected


def test_scalars_of_numpy_are_numbers_in_attributes() -> None:
    real, number, flag = np.float32(0.5), np.int32(3), np.bool_(True)

    @script()
    def given(x: FLOAT["N"]):
        return acme.Pool(x, real=real, number=number, flag=flag, written=np.int8(2), reals=[real, 1])

    builder = GraphBuilder(opset=18)
    value = builder.input("x", FLOAT["N"])
    call = acme.Pool(value, real=real, number=number, flag=flag, written=np.int8(2), reals=[real, 1])
    builder.output("y", call, FLOAT["N"])
    for node in (given.to_function_proto().node[0], builder.to_model_proto().graph.node[0]):
        found = {item.name: (item.type, helper.get_attribute_value(item)) for item in node.attribute}
        assert found == {
            "real": (AttributeProto.FLOAT, 0.5),
            "number": (AttributeProto.INT, 3),
            "flag": (AttributeProto.INT, 1),
            "written": (AttributeProto.INT, 2),
            "reals": (AttributeProto.FLOATS, [0.5, 1.0]),
        }


@script()
def flows(x: FLOAT["N", 3], goes: BOOL, trips: INT64) -> FLOAT["N", 3]:
    y = ms.Gelu(x)
    y = ms.QuickGelu(y, alpha=1.0) if goes else op.Neg(y)
    for _ in range(trips):
        y = ms.Gelu(y)
    z: FLOAT["N", 3] = ms.Gelu(y)
    return z * 2 + x


@pytest.mark.parametrize("goes", [True, False])
@pytest.mark.parametrize("trips", [0, 2])
def test_branches_and_loops_of_unknown_types(goes: bool, trips: int) -> None:
    (found,) = run(flows.to_model_proto(), X, np.array(goes), np.array(trips))
    y = gelu(X)
    y = y / (1 + np.exp(-y)) if goes else -y
    for _ in range(trips + 1):
        y = gelu(y)
    np.testing.assert_allclose(found, y * 2 + X, rtol=1e-5, atol=1e-6)
    assert flows(X, np.array(goes), np.array(trips)).tobytes() == found.tobytes()


@script()
def unclear(x):
    return acme.Other(x, axes=[])


@script()
def arithmetic(x: FLOAT[2]):
    return ms.Gelu(x) + 1


@script()
def misspelt(x: FLOAT[2]):
    return op.Reul(ms.Gelu(x))


@script()
def closed(x: FLOAT[2]):
    return Opset("com.nobody", 1).Pool(x)


@pytest.mark.parametrize(
    ("function", "code", "word"),
    [
        (unclear, "OW207", "open="),
        (arithmetic, "OW314", "FLOAT"),
        (misspelt, "OW201", "Relu"),
        (closed, "OW201", "open"),
    ],
)
def test_what_is_refused(function: Any, code: str, word: str) -> None:
    with pytest.raises(DiagnosticError) as error:
        function.to_function_proto()
    found = error.value.diagnostics[0]
    assert found.code == code
    assert word in found.help


@pytest.mark.parametrize("wrong", [1, "x", {"Pool": "INTS"}, {"Pool": {"axes": "int"}}])
def test_what_open_may_not_be(wrong: Any) -> None:
    with pytest.raises(TypeError, match="`open` is True, or"):
        Opset("com.acme", 1, open=wrong)


def test_open_opsets_are_values() -> None:
    assert ms == Opset("com.microsoft", 1, open=True) != Opset("com.microsoft", 1)
    assert acme != Opset("com.acme", 1, open=True)
    for item in (ms, acme):
        assert copy.deepcopy(item) == pickle.loads(pickle.dumps(item)) == eval(repr(item)) == item
    assert "Anything" in ms and "Anything" not in Opset("com.microsoft", 1)
    assert list(ms) == []


PROTO = proto_function(
    parser.parse_function(
        '<domain: "com.acme", opset_import: ["": 18, "com.microsoft": 1]> twice (x) => (y) '
        "{ a = com.microsoft.Gelu (x) y = Add (a, x) }"
    )
)


@script(default_opset=op)
def calls_a_proto(x: FLOAT["N", 3]) -> FLOAT["N", 3]:
    return op.Neg(PROTO(x))


def test_protos_with_such_operators_are_called() -> None:
    expected = gelu(X) + X
    np.testing.assert_allclose(PROTO(X), expected, rtol=1e-6)
    np.testing.assert_allclose(run(calls_a_proto.to_model_proto(), X)[0], -expected, rtol=1e-6)
    b = GraphBuilder(opset=18)
    b.output("y", PROTO(b.input("x", FLOAT["N", 3])), FLOAT["N", 3])
    np.testing.assert_allclose(run(b.to_model_proto(), X)[0], expected, rtol=1e-6)


def test_functions_that_run_whole() -> None:
    """Nothing is known of what such operators give, so that they are called one by one."""
    with whole_functions():
        found = [flows(X, np.array(True), np.array(1)) for _ in range(3)]
    assert len({item.tobytes() for item in found}) == 1
    with whole_functions(False):
        assert found[0].tobytes() == flows(X, np.array(True), np.array(1)).tobytes()
