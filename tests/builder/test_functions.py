"""Calls of functions: kept once, or put in place of the call; scripts, libraries, protos and models."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, parser
from opwright import (
    FLOAT,
    INT64,
    DiagnosticError,
    Graph,
    GraphBuilder,
    Opset,
    Sequence,
    Tensor,
    compare,
    proto_function,
    script,
)
from opwright import opset22 as op

X = np.array([[1, -2], [3, 4]], np.float32)


@script()
def swish(x, beta: float = 1.0):
    return x * op.Sigmoid(x * beta)


@script()
def both(x):
    low, high = op.Split(x, num_outputs=2, axis=0)
    return swish(low), high


@script()
def square(x: FLOAT[None, None]):
    return op.MatMul(x, x) + 1


def new(opset: int = 22) -> tuple[GraphBuilder, Any]:
    b = GraphBuilder(opset=opset)
    return b, b.input("x", FLOAT[2, 2])


def names(model: onnx.ModelProto) -> list[str]:
    return [function.name for function in model.functions]


def test_a_function_is_kept_once() -> None:
    b, x = new()
    b.output("y", swish(swish(x), beta=2.0))
    model = b.to_model_proto()
    assert names(model) == ["swish"]
    assert [node.op_type for node in model.graph.node] == ["swish", "swish"]
    expected = swish(swish(X), beta=2.0)
    assert np.allclose(b.run(swish(swish(x), beta=2.0), x=X), expected)


def test_inline_puts_the_body_in_place() -> None:
    b, x = new()
    low, high = b.call(both, x, inline=True)
    b.output("low", swish(low))
    b.output("high", high)
    model = b.to_model_proto()
    assert names(model) == ["swish"]
    assert [node.op_type for node in model.graph.node] == ["Split", "swish", "swish"]
    assert np.allclose(b.run(low, x=X), swish(X[:1]))


def test_equal_functions_of_one_name_are_one() -> None:
    def make() -> Any:
        @script()
        def layer(x):
            return x * 2 + 1

        return layer

    def other() -> Any:
        @script()
        def layer(x):
            return x * 3 + 1

        return layer

    b, x = new()
    b.output("y", other()(make()(make()(x))))
    assert sorted(names(b.to_model_proto())) == ["layer", "layer_3"]


@pytest.mark.parametrize("inline", [False, True])
def test_function_protos_are_called(inline: bool) -> None:
    b, x = new()
    proto = swish.to_function_proto(opset=22)
    y = b.call(proto, x, beta=2.0, inline=inline)
    assert (y.dtype, y.rank, y.shape) == (FLOAT, 2, (2, 2))
    b.output("y", y + 1)
    assert names(b.to_model_proto()) == ([] if inline else ["swish"])
    assert np.allclose(b.run(y, x=X), swish(X, beta=2.0))
    assert np.allclose(proto_function(proto)(X, beta=2.0), swish(X, beta=2.0))


def test_a_script_and_its_own_proto_are_one_function() -> None:
    b, x = new()
    b.output("y", b.call(swish.to_function_proto(opset=22), swish(x), beta=1.0))
    assert names(b.to_model_proto()) == ["swish"]


def test_models_are_called_with_their_functions_and_tensors() -> None:
    inner = GraphBuilder(opset=22, name="inner net")
    a = inner.input("a", FLOAT["N", 2])
    weight = inner.initializer("w", np.full((2, 3), 0.5, np.float32))
    inner.output("out", swish(op.MatMul(a, weight)))
    model = inner.to_model_proto()
    b, x = new()
    y = b.call(model, b.call(model, x)[:, :2])
    b.output("y", y)
    made = b.to_model_proto()
    assert sorted(names(made)) == ["inner_net", "swish"]
    first = proto_function(model)(X)
    assert np.allclose(b.run(y, x=X), proto_function(model)(first[:, :2]))


def test_two_models_of_one_name_are_two_functions() -> None:
    def model(step: float) -> onnx.ModelProto:
        inner = GraphBuilder(opset=22)
        inner.output("y", inner.input("a", FLOAT[2, 2]) + step)
        return inner.to_model_proto()

    b, x = new()
    y = b.call(model(1.0), b.call(model(2.0), b.call(model(1.0), x)))
    b.output("y", y)
    assert sorted(names(b.to_model_proto())) == ["graph", "graph_2"]
    assert b.run(y, x=X).tolist() == (X + 4).tolist()


def test_scripts_call_protos_and_models() -> None:
    doubled = proto_function(
        parser.parse_function('<domain: "com.acme", opset_import: ["": 22]> double (x) => (y) { y = Add(x, x) }')
    )
    squared = proto_function(square.to_model_proto(opset=22, input_types=[FLOAT[2, 2]]))

    @script()
    def f(x: FLOAT[2, 2]):
        twice: FLOAT[2, 2] = doubled(x)
        return squared(twice) * 2

    model = f.to_model_proto(opset=22)
    onnx.checker.check_model(model, full_check=True)
    assert np.allclose(f(X), ((2 * X) @ (2 * X) + 1) * 2)
    assert isinstance(doubled(Tensor(X)), Tensor)
    b, x = new()
    b.output("result", squared(doubled(x)) * 2)
    assert compare(model, b.to_model_proto())


def test_sequences_and_attributes_of_protos() -> None:
    proto = parser.parse_function(
        '<domain: "com.acme", opset_import: ["": 22]> join <axis>(xs) => (y) '
        "{ y = ConcatFromSequence <axis: int = @axis>(xs) }"
    )
    b = GraphBuilder(opset=22)
    xs = b.input("xs", Sequence[FLOAT["N"]])
    y = b.call(proto, xs, axis=0)
    assert b.run(y, {xs: [X[0], X[1]]}).tolist() == [1, -2, 3, 4]


def test_a_model_of_another_opset_is_refused_where_it_means_another_thing() -> None:
    graph = helper.make_graph(
        [helper.make_node("Softmax", ["a"], ["s"])],
        "old",
        [helper.make_tensor_value_info("a", TensorProto.FLOAT, [2, 2])],
        [helper.make_tensor_value_info("s", TensorProto.FLOAT, [2, 2])],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 12)])
    b, x = new()
    with pytest.raises(DiagnosticError, match="OW386"):
        b.call(model, x)
    older, x = new(12)
    older.output("y", older.call(model, x))
    assert names(older.to_model_proto()) == ["old"]


def test_arguments_of_protos_are_checked() -> None:
    proto = swish.to_function_proto(opset=22)
    b, x = new()
    for code, step in (
        ("OW203", lambda: b.call(proto, x, x)),
        ("OW208", lambda: b.call(proto, b.input("i", INT64[2]))),
        ("OW205", lambda: b.call(proto, x, gamma=1.0)),
    ):
        with pytest.raises(DiagnosticError, match=code):
            step()


def test_what_cannot_be_called_is_named_with_its_module() -> None:
    """onnxscript has a class of the name that ours has."""
    b, x = new()
    other = type("OnnxFunction", (), {"__module__": "onnxscript.values"})
    with pytest.raises(DiagnosticError, match=r"(?s)of onnxscript.values.OnnxFunction cannot.*opwright.proto_function"):
        b.call(other(), x)
    with pytest.raises(DiagnosticError, match="an object of int cannot be called"):
        b.call(3, x)


def test_a_broken_function_is_refused_and_the_builder_goes_on() -> None:
    @script()
    def broken(x):
        return op.Sigmod(x)

    b, x = new()
    with pytest.raises(DiagnosticError, match="OW201"):
        broken(x)
    b.output("y", swish(x))
    assert names(b.to_model_proto()) == ["swish"]


def test_templates_are_given_functions_of_python() -> None:
    @script()
    def apply(value, body: Graph):
        return body(value) + body(value * 2)

    @script()
    def total(*values):
        result = values[0]
        for value in values[1:]:
            result = result + value
        return result

    b, x = new()
    assert (
        b.run(apply(x, lambda value: op.Relu(value) * value.shape[1]), x=X).tolist() == (6 * np.maximum(X, 0)).tolist()
    )
    assert b.run(total(x, x, x), x=X).tolist() == (3 * X).tolist()


def test_tensors_that_are_there_are_constants_beside_values() -> None:
    b, x = new()
    for made in (Tensor(X) + x, x + Tensor(X), op.Add(Tensor(X), x), X + x):
        assert b.run(made, x=X).tolist() == (2 * X).tolist()
    assert b.run(Tensor(X) == x, x=X).all()
    with pytest.raises(DiagnosticError, match="OW380"):
        Tensor(X)[x]


def test_functions_of_other_domains_keep_theirs() -> None:
    @script(Opset("com.acme", 3))
    def f(x):
        return x + 1

    b, x = new()
    b.output("y", f(x))
    model = b.to_model_proto()
    assert {item.domain: item.version for item in model.opset_import} == {"": 22, "com.acme": 3}


SCALE = 2.0
TABLE = np.array([1, 2], np.float32)


def scaled(x):
    return x * SCALE


@script()
def with_a_helper(x):
    return scaled(x)


@script()
def with_a_callee(x):
    return with_a_helper(x) + TABLE


def test_a_captured_value_is_read_at_each_call(monkeypatch: pytest.MonkeyPatch) -> None:
    """As eager mode reads it; what has not changed stays one function."""
    functions = (with_a_helper, with_a_callee)
    b, x = new()
    recorded = [function(x) for function in functions]
    expected = [function(X) for function in functions]
    monkeypatch.setattr(f"{__name__}.SCALE", 3.0)
    monkeypatch.setattr(f"{__name__}.TABLE", TABLE + 5)
    for _ in range(2):
        recorded += [function(x) for function in functions]
        expected += [function(X) for function in functions]
    monkeypatch.undo()
    recorded += [function(x) for function in functions]
    expected += [function(X) for function in functions]
    assert all(np.array_equal(*pair) for pair in zip(b.run(recorded, x=X), expected, strict=True))
    for index, value in enumerate(recorded):
        b.output(f"y{index}", value)
    assert names(b.to_model_proto()) == ["with_a_helper", "with_a_callee", "with_a_helper_2", "with_a_callee_2"]


def test_a_function_of_a_domain_has_one_body(monkeypatch: pytest.MonkeyPatch) -> None:
    @script(Opset("com.acme", 1))
    def own(x):
        return x * SCALE

    b, x = new()
    y = own(x)
    monkeypatch.setattr(f"{__name__}.SCALE", 3.0)
    own.compiled.clear()
    b.output("y", y + own(x))
    with pytest.raises(DiagnosticError, match="captured changes between two calls") as caught:
        b.to_model_proto()
    (found,) = caught.value.diagnostics
    assert (found.code, found.place is not None) == ("OW355", True)

    monkeypatch.undo()
    b, x = new()
    y = own(x)
    own.compiled.clear()  # as another thread may have it compiled again
    b.output("y", y + own(x))
    assert names(b.to_model_proto()) == ["own"]


def test_what_changes_without_the_body_leaves_one_function(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a domain of its own, too, also in what calls it, and in each of its variants."""

    @script(Opset("com.acme", 1))
    def inner(x):
        if x.dtype == FLOAT and SCALE > 0:
            return x + 1
        return x - 1

    @script(Opset("com.acme", 1))
    def outer(x):
        return inner(x) * 2

    b, x = new()
    whole = op.Cast(x, to=INT64)
    before = outer(x), outer(whole)
    monkeypatch.setattr(f"{__name__}.SCALE", SCALE + 1)
    for index, (first, value) in enumerate(zip(before, (x, whole), strict=True)):
        b.output(f"y{index}", first + outer(value))
    types = ("float", "int64")
    expected = [f"{function}__T_x_{type_}" for type_ in types for function in ("inner", "outer")]
    assert sorted(names(b.to_model_proto())) == sorted(expected)


@pytest.mark.parametrize("inline", [False, True])
def test_a_proto_is_taken_as_it_is_at_the_call(inline: bool) -> None:
    b, x = new()
    proto, model = swish.to_function_proto(opset=22), swish.to_model_proto(input_types=[FLOAT[2, 2]], opset=22)
    before = [b.call(item, x, inline=inline) for item in (proto, model)]
    for nodes in (proto.node, model.graph.node):
        nodes[-1].op_type = "Add"
    after = [b.call(item, x, inline=inline) for item in (proto, model)]
    found = b.run([*before, *after], x=X)
    sigmoid = 1 / (1 + np.exp(-X))
    assert all(np.allclose(value, X * sigmoid) for value in found[:2])
    assert all(np.allclose(value, X + sigmoid) for value in found[2:])


@script()
def mean(v: FLOAT[None, 3]):
    return op.ReduceSum(v, [1], keepdims=0) / v.shape[1]


def in_a_script(function: Any, annotation: Any) -> Any:
    def calls(x):
        return function(x)

    calls.__annotations__["x"] = annotation
    return script()(calls).to_model_proto(opset=22)


@pytest.mark.parametrize("taken", [FLOAT["N", 4], FLOAT["N"], FLOAT["N", "M"], FLOAT[...]])
def test_the_shapes_that_a_model_declares_are_promises(taken: Any) -> None:
    """Its body has relied on them. A size that is not known is no other one yet: of a model it is checked later."""
    model = mean.to_model_proto(opset=22)
    for function in (mean,) if taken.shape == ("N", "M") else (mean, proto_function(model)):
        b = GraphBuilder(22)
        x = b.input("x", taken)
        for inline in (False, True):
            with pytest.raises(DiagnosticError, match="OW208"):
                b.call(function, x, inline=inline)
        with pytest.raises(DiagnosticError, match="OW208"):
            in_a_script(function, taken)


@script()
def volume(v: FLOAT[None, 3, 4]):
    return v * (v.shape[1] * v.shape[2])


@pytest.mark.parametrize("level", ["ORT_DISABLE_ALL", "ORT_ENABLE_ALL"])
@pytest.mark.parametrize(
    ("function", "taken", "checks"),
    [(mean, FLOAT["N", "M"], 1), (volume, FLOAT["N", "A", "B"], 2), (volume, FLOAT["N", 3, "B"], 1)],
)
def test_sizes_that_are_not_known_are_checked_when_the_model_runs(
    function: Any, taken: Any, checks: int, level: str
) -> None:
    """Each of them: of two that are exchanged, the product says nothing."""
    called = proto_function(function.to_model_proto(opset=22))
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, level)
    options.log_severity_level = 4
    right = np.ones((2, 3) if function is mean else (2, 3, 4), np.float32)
    models = [in_a_script(called, taken)]
    for inline in (False, True):
        b = GraphBuilder(22)
        b.output("y", b.call(called, b.input("x", taken), inline=inline))
        models.append(b.to_model_proto())
    for model in models:
        assert [node.op_type for node in model.graph.node].count("Reshape") == checks
        session = onnxruntime.InferenceSession(model.SerializeToString(), options)
        np.testing.assert_allclose(session.run(None, {"x": right})[0], function(right))
        for size in (4, 6) if function is mean else (3, 8):
            wrong = np.ones((*right.shape[:-1], size), np.float32)
            with pytest.raises(onnxruntime.capi.onnxruntime_pybind11_state.Fail):
                session.run(None, {"x": wrong})
    if checks == 2:
        with pytest.raises(onnxruntime.capi.onnxruntime_pybind11_state.Fail):
            session.run(None, {"x": right.swapaxes(1, 2)})


def test_a_size_of_nothing_is_known_or_refused() -> None:
    """A Reshape copies the size where it is told 0."""
    called = proto_function(swish.to_model_proto(input_types=[FLOAT["N", 0]], opset=22))
    b = GraphBuilder(22)
    assert called(b.input("x", FLOAT["N", 0])).shape[1] == 0
    with pytest.raises(DiagnosticError, match=r"= \.\.\.`$"):
        called(b.input("z", FLOAT["N", "M"]))
    with pytest.raises(DiagnosticError, match=r"help: reshape the value$"):
        called(b.input("w", FLOAT["N", 2]))


@pytest.mark.parametrize("inline", [False, True])
def test_calls_of_models_are_chained(inline: bool) -> None:
    vi = helper.make_tensor_value_info
    node = helper.make_node("Neg", ["x"], ["y"])
    shapes = [vi(name, TensorProto.FLOAT, ["N", 4]) for name in "xy"]
    made = helper.make_graph([node], "negated", shapes[:1], shapes[1:])
    called = proto_function(helper.make_model(made, opset_imports=[helper.make_opsetid("", 22)]))

    @script()
    def twice(x: FLOAT[None, 4]):
        return called(called(x))

    kinds = [item.op_type for item in twice.to_model_proto(opset=22).graph.node if item.op_type != "Constant"]
    assert kinds == ["negated", "Reshape", "negated"]
    array = np.ones((2, 4), np.float32)
    assert np.array_equal(twice(array), array)
    b = GraphBuilder(22)
    found = [b.input("x", FLOAT["B", 4]), b.input("z", FLOAT[3, 4])]
    for _ in range(2):
        found = [b.call(called, value, inline=inline) for value in found]
    assert found[0].shape[1:] == (4,) and found[1].shape == (3, 4)
    b.output("y", op.Concat(*found, axis=0))
    assert "Reshape" not in [item.op_type for item in b.to_model_proto().graph.node]


def test_sizes_that_a_model_declares_of_its_results_may_be_wrong() -> None:
    """onnxruntime says so as a warning, and gives the results."""
    called = proto_function(
        parser.parse_model(
            """<ir_version: 10, opset_import: ["" : 22]>
            doubled (float[N, 4] x) => (float[N, 4] y) { y = Concat <axis = 1> (x, x) }"""
        )
    )

    @script()
    def mean_of_it(x: FLOAT[None, 4]):
        y = called(x)
        return op.ReduceSum(y, [1], keepdims=0) / y.shape[1]

    array = np.ones((2, 4), np.float32)
    model = mean_of_it.to_model_proto(opset=22)
    for inline in (False, True):
        b = GraphBuilder(22)
        y = b.call(called, b.input("x", FLOAT["N", 4]), inline=inline)
        found = op.ReduceSum(y, [1], keepdims=0) / y.shape[1]
        assert b.run(found, x=array).tolist() == [1, 1]
    assert onnxruntime.InferenceSession(model.SerializeToString()).run(None, {"x": array})[0].tolist() == [1, 1]


def test_the_shapes_that_a_model_declares_are_checked_on_arrays() -> None:
    called = proto_function(mean.to_model_proto(opset=22))
    assert called(np.ones((2, 3), np.float32)).tolist() == [1, 1]
    for shape in ((2, 4), (3,), (1, 2, 3)):
        with pytest.raises(DiagnosticError, match="OW208"):
            called(np.ones(shape, np.float32))


@script()
def mean_of_the_first(s: Sequence[FLOAT[None, 3]]):
    first = op.SequenceAt(s, 0)
    return op.ReduceSum(first, [1], keepdims=0) / first.shape[1]


def test_the_shapes_of_what_sequences_hold_are_promises() -> None:
    """Of scripts and protos, where they are known; of arrays they always are."""
    called = proto_function(mean_of_the_first.to_model_proto(opset=22))
    right, wrong = np.ones((2, 3), np.float32), np.ones((2, 2), np.float32)
    b = GraphBuilder(22)
    fits, other = b.input("x", FLOAT[2, 3]), b.input("z", FLOAT["N", 2])
    for function in (mean_of_the_first, called):
        for inline in (False, True):
            y = b.call(function, op.SequenceConstruct(fits, fits), inline=inline)
            assert b.run(y, x=right).tolist() == [1, 1]
            longer = op.SequenceInsert(op.SequenceConstruct(fits), other)
            for sequence in (op.SequenceConstruct(fits, other), longer, op.Identity(longer), [fits, other]):
                with pytest.raises(DiagnosticError, match=r"OW208: .* does not take float\[N, 2\] in `s`"):
                    b.call(function, sequence, inline=inline)
        with pytest.raises(DiagnosticError, match="OW208"):
            in_a_script(lambda x, function=function: function(op.SequenceConstruct(x)), FLOAT["N", 2])
    assert called([right, right]).tolist() == [1, 1]
    for items in ([wrong], [right, wrong], [right, right[0]]):
        with pytest.raises(DiagnosticError, match="OW208"):
            called(items)


def test_the_shape_of_what_an_optional_holds_is_a_promise() -> None:
    tensor = helper.make_tensor_type_proto(TensorProto.FLOAT, ["N", 3])
    value = helper.make_value_info("x", helper.make_optional_type_proto(tensor))
    node = helper.make_node("OptionalGetElement", ["x"], ["y"])
    made = helper.make_graph([node], "got", [value], [helper.make_value_info("y", tensor)])
    called = proto_function(helper.make_model(made, opset_imports=[helper.make_opsetid("", 22)]))
    b = GraphBuilder(22)
    assert called(op.Optional(b.input("x", FLOAT[2, 3]))).dtype == FLOAT
    with pytest.raises(DiagnosticError, match=r"OW208: `got` does not take float\[2, 2\] in `x`"):
        called(op.Optional(b.input("z", FLOAT[2, 2])))


def test_sizes_that_inference_finds_are_those_that_a_model_declares() -> None:
    called = proto_function(mean.to_model_proto(opset=22))
    b = GraphBuilder(22)
    x = b.input("x", FLOAT[2, 6])
    assert b.run(called(op.Reshape(x, op.Concat([4], [3], axis=0))), x=np.ones((2, 6), np.float32)).shape == (4,)


def test_a_list_that_is_nested_too_deeply() -> None:
    deep: Any = 1.0
    for _ in range(5000):
        deep = [deep]
    holding_itself: list[Any] = [1.0]
    holding_itself += [holding_itself, holding_itself]
    for value in (deep, holding_itself):
        b, x = new()
        for call in (lambda: op.Add(x, value), lambda: x + value, lambda: swish(x, beta=value)):  # noqa: B023
            with pytest.raises(DiagnosticError) as caught:
                call()
            assert [item.code for item in caught.value.diagnostics] == ["OW311"]
        b.output("y", x + 1)
        assert b.to_model_proto()
