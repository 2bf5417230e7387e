"""What `link` computes beforehand: calls of constants, and the types of casts."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnxruntime
import pytest
from onnx import ModelProto, NodeProto, TensorProto, checker, helper, parser
from opwright import DiagnosticError, attach, detach
from opwright.foreign import constant_calls
from opwright.graphs.walk import all_nodes, rename_values
from opwright.ir import link
from opwright.link.inspect import State, inspect

from tests.link.conftest import Body, LibraryBuilder, make_acme

X = np.linspace(-2, 3, 6, dtype=np.float32).reshape(2, 3)


def library() -> Any:
    made = LibraryBuilder()
    made.add(
        "More", [Body("(x) => (y) { c = Constant<value_float = 1.5>() d = CastLike(c, x) y = Add(x, d) }", (15, 22))]
    )
    made.add("Twice", [Body("(x) => (y) { m = com.acme.More(x) y = com.acme.More(m) }", (15, 22))])
    made.add("Noise", [Body("(x) => (y) { r = RandomNormalLike(x) y = Add(x, r) }", (15, 22))])
    return made.bundle()


def model_of(graph: str, opset: int = 18) -> ModelProto:
    return parser.parse_model(f'<ir_version: 10, opset_import: ["": {opset}, "com.acme": 1]> {graph}')


def run(model: ModelProto, *feeds: np.ndarray[Any, Any]) -> list[np.ndarray[Any, Any]]:
    checker.check_model(model, full_check=True)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return list(session.run(None, dict(zip((item.name for item in session.get_inputs()), feeds, strict=True))))


def nodes_of(model: ModelProto) -> list[str]:
    return [node.op_type for node in model.graph.node]


# ---------------------------------------------------------------------------------------------- calls of constants


def test_a_call_of_constants_is_its_value() -> None:
    model = model_of(
        """g (float[N, 3] x) => (float[N, 3] y) <float[3] w = {1, 2, 3}> {
            a = com.acme.More(w) b = Mul(a, a) c = com.acme.Twice(b) y = Add(x, c)
        }"""
    )
    linked = link(model, [library()])
    assert nodes_of(linked) == ["Add"]
    assert [item.name for item in linked.graph.initializer] == ["c"]
    assert not linked.functions
    w = np.array([1, 2, 3], np.float32) + np.float32(1.5)
    np.testing.assert_array_equal(run(linked, X)[0], X + (w * w + 3))


def test_what_inputs_reach_stays_a_call() -> None:
    model = model_of(
        """g (float[N, 3] x) => (float[N, 3] y) <float[3] w = {1, 2, 3}> {
            a = com.acme.More(w) b = Mul(a, x) y = com.acme.More(b)
        }"""
    )
    linked = link(model, [library()])
    assert nodes_of(linked) == ["Mul", "More"]
    np.testing.assert_array_equal(run(linked, X)[0], (np.array([2.5, 3.5, 4.5], np.float32) * X) + np.float32(1.5))


def test_a_result_of_the_model_that_is_constant_is_one_still() -> None:
    model = model_of(
        """g (float[N, 3] x) => (float[3] a, float[N, 3] y) <float[3] w = {1, 2, 3}> {
            a = com.acme.More(w) y = Add(x, a)
        }"""
    )
    linked = link(model, [library()])
    assert nodes_of(linked) == ["Constant", "Add"]
    a, y = run(linked, X)
    np.testing.assert_array_equal(a, np.array([2.5, 3.5, 4.5], np.float32))
    np.testing.assert_array_equal(y, X + a)


def test_what_inner_graphs_read_is_there() -> None:
    model = model_of(
        """g (bool c, float[3] x) => (float[3] y) <float[3] w = {1, 2, 3}> {
            a = com.acme.More(w)
            y = If (c) <
                then_branch = t () => (float[3] z) { z = Add(x, a) },
                else_branch = e () => (float[3] z) { z = Sub(x, a) }
            >
        }"""
    )
    linked = link(model, [library()])
    assert nodes_of(linked) == ["If"]
    x = np.zeros(3, np.float32)
    np.testing.assert_array_equal(run(linked, np.array(False), x)[0], np.array([-2.5, -3.5, -4.5], np.float32))


def test_random_numbers_are_drawn_in_each_run() -> None:
    model = model_of(
        """g () => (float[3] y) <float[3] w = {1, 2, 3}> {
            a = com.acme.More(w) b = com.acme.Noise(a) y = com.acme.More(b)
        }"""
    )
    linked = link(model, [library()])
    assert nodes_of(linked) == ["Noise", "More"]
    assert [item.name for item in linked.graph.initializer] == ["a"]


@pytest.mark.parametrize("name", ["MOST_READ", "MOST_WRITTEN"])
def test_large_constants_stay_as_they_are(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constant_calls, name, 2)
    model = model_of("g (float[3] x) => (float[3] y) <float[3] w = {1, 2, 3}> { a = com.acme.More(w) y = Add(x, a) }")
    assert nodes_of(link(model, [library()])) == ["More", "Add"]


def test_what_is_declared_to_be_large_is_not_computed() -> None:
    model = model_of(
        """g (float[3] x) => (float[3] y) <float s = {1}, int64[2] n = {65536, 65536}, float[65536, 65536] e> {
            a = com.acme.More(s) e = Expand(a, n) m = ReduceMean<keepdims = 0>(e) y = Add(x, m)
        }"""
    )
    linked = link(model, [library()])
    assert nodes_of(linked) == ["Expand", "ReduceMean", "Add"]
    assert {item.name for item in linked.graph.initializer} == {"a", "n"}


def test_an_initializer_that_can_be_given_is_no_constant() -> None:
    model = model_of("g (float[3] x, float[3] w) => (float[3] y) { a = com.acme.More(w) y = Add(x, a) }")
    model.graph.initializer.append(constant_calls.numpy_helper.from_array(np.ones(3, np.float32), "w"))
    assert nodes_of(link(model, [library()])) == ["More", "Add"]


def test_where_a_kernel_is_missing_the_call_stays() -> None:
    made = LibraryBuilder()
    made.add("F", [Body("(x) => (y) { y = Cosh(x) }", (15, 21))])
    model = model_of(
        """g (float[3] x) => (float[3] y) <double[3] w = {1, 2, 3}> {
            c = com.acme.F(w) d = Cast<to = 1>(c) y = Add(x, d)
        }"""
    )
    assert "F" in [node.op_type for node in link(model, [made.bundle()]).graph.node]


# ------------------------------------------------------------------------------------------------- casts in bodies


def casts_of(model: ModelProto) -> set[str]:
    return {node.op_type for function in model.functions for node in all_nodes(function.node)} & {"Cast", "CastLike"}


def test_casts_name_the_type_of_all_calls() -> None:
    model = model_of("g (float[N, 3] x) => (float[N, 3] y) { a = com.acme.Twice(x) y = com.acme.More(a) }")
    linked = link(model, [library()])
    assert casts_of(linked) == {"Cast"}
    np.testing.assert_array_equal(run(linked, X)[0], X + np.float32(4.5))


def test_casts_of_calls_with_several_types_follow_their_inputs() -> None:
    model = model_of(
        """g (float[3] x, double[3] z) => (float[3] y, double[3] u) { y = com.acme.More(x) u = com.acme.Twice(z) }"""
    )
    linked = link(model, [library()])
    assert casts_of(linked) == {"CastLike"}
    run(linked, X[0], X[0].astype(np.float64))


def test_inspect_and_detach_know_such_bodies() -> None:
    model = model_of("g (float[N, 3] x) => (float[N, 3] y) { a = com.acme.Twice(x) y = com.acme.More(a) }")
    linked = link(model, [library()])
    assert {item.state for item in inspect(linked, [library()])} == {State.UNALTERED}
    assert detach(linked).SerializeToString() == model.SerializeToString()
    next(node for node in linked.functions[0].node if node.op_type == "Add").op_type = "Sub"
    assert State.ALTERED in {item.state for item in inspect(linked, [library()])}


def test_a_linked_model_is_linked_again() -> None:
    model = model_of("g (float[N, 3] x) => (float[N, 3] y) { y = com.acme.Twice(x) }")
    linked = link(model, [library()])
    assert link(linked, [library()]).SerializeToString() == linked.SerializeToString()
    linked.graph.node.add(op_type="More", domain="com.acme", input=["y"], output=["z"])
    linked.graph.output[0].name = "z"
    np.testing.assert_array_equal(run(link(linked, [library()]), X)[0], X + np.float32(4.5))


def test_a_library_without_casts_is_as_it_was() -> None:
    model = model_of("g (float[N, 3] x) => (float[N, 3] y, float[N, 3] z) { y, z = com.acme.Pair(x) }")
    linked = link(model, [make_acme()])
    assert not [item for item in linked.functions[0].metadata_props if item.key == "opwright.typed"]


def test_a_call_of_another_type_that_is_added_gets_its_own_type() -> None:
    """A cast to the type of the first call would give it floats, without a word."""
    made = LibraryBuilder()
    made.add("Tenth", [Body("(x) => (y) { c = Constant<value_float = 0.1>() y = CastLike(c, x) }", (15, 22))])
    linked = link(model_of("g (float[3] x) => (float y) { y = com.acme.Tenth(x) }"), [made.bundle()])
    assert casts_of(linked) == {"Cast"}
    linked.graph.input.append(helper.make_tensor_value_info("z", TensorProto.DOUBLE, [3]))
    linked.graph.output.append(helper.make_tensor_value_info("w", TensorProto.DOUBLE, []))
    linked.graph.node.append(NodeProto(op_type="Tenth", domain="com.acme", input=["z"], output=["w"]))
    for again in (link(linked, [made.bundle()]), attach(linked, [made.bundle()])):
        assert casts_of(again) == {"CastLike"}
        assert {item.state for item in inspect(again, [made.bundle()])} == {State.UNALTERED}
        y, w = run(again, X[0], X[0].astype(np.float64))
        assert (y.dtype, w.dtype) == (np.float32, np.float64)


def test_a_body_whose_values_were_renamed_is_refused_where_it_is_called() -> None:
    linked = link(model_of("g (float[N, 3] x) => (float[N, 3] y) { y = com.acme.More(x) }"), [library()])
    rename_values(linked.functions[0].node, lambda name: "other" if name == "x" else name)
    linked.functions[0].input[0] = "other"
    linked.graph.node.append(NodeProto(op_type="Twice", domain="com.acme", input=["y"], output=["z"]))
    linked.graph.output[0].name = "z"
    with pytest.raises(DiagnosticError, match="OW562"):
        link(linked, [library()])


def test_types_that_numpy_lacks_are_not_stored_as_bytes() -> None:
    """onnxruntime gives float8 as uint8."""
    model = model_of(
        """g (float[3] x) => (float[3] y) <float[3] w = {1, 2, 3}> {
            a = com.acme.More(w) b = Cast<to = 17>(a) c = Cast<to = 1>(b) y = Add(x, c)
            d = If (t) <then_branch = p () => (float8e4m3fn[3] e) { e = Identity(b) },
                        else_branch = q () => (float8e4m3fn[3] e) { e = Identity(b) }>
        }""".replace("float[3] x)", "float[3] x, bool t)"),
        opset=19,
    )
    model.graph.output.append(helper.make_tensor_value_info("d", TensorProto.FLOAT8E4M3FN, [3]))
    linked = link(model, [library()])
    assert {item.name: item.data_type for item in linked.graph.initializer} == {
        "w": TensorProto.FLOAT,
        "c": TensorProto.FLOAT,
    }
    assert nodes_of(linked) == ["More", "Cast", "Add", "If"]


def test_operators_of_a_runtime_that_onnx_does_not_know_are_not_computed() -> None:
    model = model_of(
        """g (float[3] x) => (float[3] y) <float[3] w = {1, 2, 3}> {
            a = com.acme.More(w) b = com.microsoft.QuickGelu(a) c = com.acme.More(b) y = Add(x, c)
        }"""
    )
    model.opset_import.append(helper.make_opsetid("com.microsoft", 1))
    linked = link(model, [library()])
    assert nodes_of(linked) == ["QuickGelu", "More", "Add"]
    assert [item.name for item in linked.graph.initializer] == ["a"]
