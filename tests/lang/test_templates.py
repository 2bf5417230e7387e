"""Templates: functions whose body depends on what only a call says, lowered for that call."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx.inliner import inline_local_functions
from onnx.reference import ReferenceEvaluator
from opwright import FLOAT, INT64, DiagnosticError, Graph, script
from opwright import opset18 as op

X = np.arange(6, dtype=np.float32).reshape(2, 3)
Y = np.arange(10, 16, dtype=np.float32).reshape(2, 3)


def run(model: onnx.ModelProto, **arrays: np.ndarray) -> list[np.ndarray]:
    """The outputs, after all runtimes have agreed on them."""
    onnx.checker.check_model(model, full_check=True)
    results = []
    for level in (ort.GraphOptimizationLevel.ORT_DISABLE_ALL, ort.GraphOptimizationLevel.ORT_ENABLE_ALL):
        options = ort.SessionOptions()
        options.intra_op_num_threads = 1
        options.graph_optimization_level = level
        session = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        results.append(session.run(None, arrays))
    results.append(ReferenceEvaluator(inline_local_functions(model)).run(None, arrays))
    for other in results[1:]:
        for one, two in zip(results[0], other, strict=True):
            np.testing.assert_allclose(one, two, rtol=1e-5)
    return [np.asarray(item) for item in results[0]]


def operators(model: onnx.ModelProto) -> list[str]:
    return [node.op_type for node in model.graph.node if node.op_type != "Constant"]


def codes(error: pytest.ExceptionInfo[DiagnosticError]) -> list[str]:
    return [item.code for item in error.value.diagnostics]


def softmax(x: np.ndarray, axis: int) -> np.ndarray:
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return np.asarray(e / e.sum(axis=axis, keepdims=True))


@script()
def joined(*xs: Any, axis: int = 0) -> Any:
    assert len(xs) > 1
    return op.Concat(*xs, axis=axis)


@script()
def weighted(*xs: Any, by: float = 0.5) -> Any:
    total = xs[0]
    for index, x in enumerate(xs[1:]):
        total = total + x * (by * index + 1)
    return total


@script()
def last_softmax(x: Any) -> Any:
    return op.Softmax(x, axis=x.rank - 1)


@script()
def swapped(x: Any, first: int = 0) -> Any:
    return op.Transpose(x, perm=[first, 1 - first])


@script()
def repeated(x: Any, body: Graph, times: int = 2) -> Any:
    for i in range(times):
        x = body(x) + i
    return x


@script()
def mapped(x: Any, y: Any, body: Graph) -> Any:
    results = body(x, y)
    total = results[0]
    for k in range(1, len(body.outputs)):
        total = total + results[k] * k
    return total


# --------------------------------------------------------------------------------------------- called by others


def test_any_number_of_inputs() -> None:
    @script()
    def main(x: FLOAT[2, 3], y: FLOAT[2, 3]) -> tuple[Any, Any]:
        return joined(x, y, joined(x, x, axis=0), axis=0), weighted(x, y, y, by=0.25)

    model = main.to_model_proto()
    both, total = run(model, x=X, y=Y)
    np.testing.assert_array_equal(both, np.concatenate([X, Y, X, X]))
    np.testing.assert_allclose(total, X + Y + Y * 1.25)


def test_ranks_and_attributes_of_a_call() -> None:
    @script()
    def main(x: FLOAT[2, 3]) -> tuple[Any, Any, Any, Any]:
        return last_softmax(x), last_softmax(op.Unsqueeze(x, [0])), swapped(x), swapped(x, first=1)

    model = main.to_model_proto()
    two, three, same, turned = run(model, x=X)
    np.testing.assert_allclose(two, softmax(X, 1), rtol=1e-6)
    np.testing.assert_allclose(three, softmax(X[None], 2), rtol=1e-6)
    np.testing.assert_array_equal(same, X)
    np.testing.assert_array_equal(turned, X.T)


def test_graphs_see_the_names_around_them() -> None:
    @script()
    def main(x: FLOAT[2, 3], y: FLOAT[2, 3]) -> Any:
        k = op.ReduceSum(y, keepdims=0)

        def scaled(v: Any) -> Any:
            return v * 2 + k

        return repeated(x, scaled, times=3)

    expected = X
    for i in range(3):
        expected = expected * 2 + Y.sum() + i
    np.testing.assert_allclose(run(main.to_model_proto(), x=X, y=Y)[0], expected)


def test_the_outputs_of_a_graph_are_a_static_list() -> None:
    @script()
    def main(x: FLOAT[2, 3], y: FLOAT[2, 3]) -> Any:
        def both(a: Any, b: Any) -> Any:
            return a + b, a - b, a * b

        return mapped(x, y, both)

    np.testing.assert_allclose(run(main.to_model_proto(), x=X, y=Y)[0], (X + Y) + (X - Y) + (X * Y) * 2)


def test_a_template_that_calls_a_template() -> None:
    @script()
    def outer(*xs: Any) -> Any:
        return last_softmax(joined(*xs, axis=0))

    @script()
    def main(x: FLOAT[2, 3], y: FLOAT[2, 3]) -> Any:
        return outer(x, y)

    np.testing.assert_allclose(run(main.to_model_proto(), x=X, y=Y)[0], softmax(np.concatenate([X, Y]), 1), rtol=1e-6)


def test_a_question_in_a_template_is_asked_of_its_caller() -> None:
    @script()
    def caller(x: Any, mode: Literal["rows", "columns"] = "rows") -> Any:
        return swapped(x, first=0 if mode == "rows" else 1)

    @script()
    def open_caller(x: Any) -> Any:
        return last_softmax(x)

    assert [proto.name for proto in caller.to_function_protos()] == ["caller__mode_rows", "caller__mode_columns"]
    with pytest.raises(DiagnosticError) as error:
        open_caller.to_function_protos()
    assert codes(error) == ["OW361"]


def test_attributes_are_bound_as_in_any_call() -> None:
    @script()
    def scaled(*xs: Any, by: float = 0.1) -> Any:
        return xs[0] * by

    @script()
    def main(x: FLOAT[2, 3]) -> tuple[Any, Any]:
        return scaled(x, by=1), scaled(x)

    one, tenth = run(main.to_model_proto(), x=X)
    np.testing.assert_array_equal(one, X)
    np.testing.assert_array_equal(tenth, X * np.float32(0.1))


def test_wrong_calls() -> None:
    @script()
    def number(x: FLOAT[2, 3]) -> Any:
        return repeated(x, 3)

    @script()
    def text(x: FLOAT[2, 3]) -> Any:
        return swapped(x, first="a")

    @script()
    def unknown(x: FLOAT[2, 3]) -> Any:
        return swapped(x, second=1)

    @script()
    def computed(x: FLOAT[2, 3]) -> Any:
        return swapped(x, first=op.Size(x))

    @script()
    def too_few(x: FLOAT[2, 3]) -> Any:
        return joined(x)

    for function, code in (
        (number, "OW207"),
        (text, "OW207"),
        (unknown, "OW203"),
        (computed, "OW324"),
        (too_few, "OW312"),
    ):
        with pytest.raises(DiagnosticError) as error:
            function.to_model_proto()
        assert codes(error) == [code], function


# ------------------------------------------------------------------------------------------- on their own


def test_models_of_templates() -> None:
    np.testing.assert_array_equal(
        run(joined.to_model_proto(input_types=[FLOAT[2, 3], FLOAT[2, 3]]), xs_0=X, xs_1=Y)[0], np.concatenate([X, Y])
    )
    named = joined.to_model_proto(input_types={"xs": [FLOAT[2, 3]] * 3}, axis=1)
    assert [value.name for value in named.graph.input] == ["xs_0", "xs_1", "xs_2"]
    assert run(named, xs_0=X, xs_1=Y, xs_2=X)[0].shape == (2, 9)
    np.testing.assert_allclose(run(last_softmax.to_model_proto(input_types=[FLOAT[2, 3]]), x=X)[0], softmax(X, 1), 1e-6)
    np.testing.assert_array_equal(run(swapped.to_model_proto(input_types=[FLOAT[2, 3]], first=1), x=X)[0], X.T)
    with pytest.raises(DiagnosticError) as error:
        joined.to_model_proto()
    assert codes(error) == ["OW354"]


def test_protos_of_templates_need_the_facts() -> None:
    proto = last_softmax.to_function_proto(variant={"x.rank": 3})
    assert (proto.name, list(proto.input)) == ("last_softmax__x_rank_3", ["x"])
    proto = joined.to_function_proto(variant={"xs": 2})
    assert (proto.name, list(proto.input), proto.attribute_proto[0].name) == (
        "joined__xs_2",
        ["xs_0", "xs_1"],
        "axis",
    )
    proto = swapped.to_function_proto(variant={"first": 1})
    assert (proto.name, list(proto.attribute), list(proto.attribute_proto)) == ("swapped__first_1", [], [])
    for function in (last_softmax, joined, swapped, repeated):
        with pytest.raises(DiagnosticError) as error:
            function.to_function_protos()
        assert codes(error) == ["OW361"]


def test_names_of_variadic_inputs_avoid_those_of_others() -> None:
    @script()
    def clash(xs_0: Any, *xs: Any) -> Any:
        return op.Concat(xs_0, *xs, axis=0)

    model = clash.to_model_proto(input_types=[FLOAT[2, 3], FLOAT[2, 3]])
    assert [value.name for value in model.graph.input] == ["xs_0", "xs__0"]


def test_a_loop_over_an_attribute_list() -> None:
    @script()
    def turned(x: Any, order: tuple[int, ...] = (1, 2)) -> Any:
        return op.Transpose(x, perm=[axis - 1 for axis in order])

    np.testing.assert_array_equal(run(turned.to_model_proto(input_types=[FLOAT[2, 3]], order=(2, 1)), x=X)[0], X.T)


def test_a_loop_over_a_part_of_an_attribute_list() -> None:
    @script()
    def without_last(x: Any, axes: tuple[int, ...]) -> Any:
        for axis in axes[:-1]:
            x = op.Softmax(x, axis=axis)
        return x

    @script()
    def main(x: FLOAT[2, 3]) -> Any:
        return without_last(x, axes=(0, 1, 1))

    np.testing.assert_allclose(run(main.to_model_proto(), x=X)[0], softmax(softmax(X, 0), 1), rtol=1e-6)


@script()
def many_questions(
    x: Any, a: Any = None, b: Any = None, c: Any = None, d: Any = None, e: Any = None, f: Any = None, g: Any = None
) -> Any:
    total = x
    for k, item in enumerate([a, b, c, d, e, f, g]):
        if item is not None:
            total = total + item * k
    return total


def test_a_family_that_is_too_large_is_a_template() -> None:
    @script()
    def main(x: FLOAT[2, 3], y: FLOAT[2, 3]) -> Any:
        return many_questions(x, None, y, d=x)

    np.testing.assert_allclose(run(main.to_model_proto(), x=X, y=Y)[0], X + Y + X * 3)
    with pytest.raises(DiagnosticError) as error:
        many_questions.to_function_protos()
    assert codes(error) == ["OW219"]


def test_an_attribute_that_a_variant_does_not_use_is_not_in_its_signature() -> None:
    @script()
    def chosen(x: Any, mode: Literal["scale", "none"] = "none", by: float = 2.0) -> Any:
        return x * by if mode == "scale" else x

    protos = {proto.name: [item.name for item in proto.attribute_proto] for proto in chosen.to_function_protos()}
    assert protos == {"chosen__mode_scale": ["by"], "chosen__mode_none": []}

    @script()
    def main(x: FLOAT[2, 3]) -> Any:
        return chosen(x, mode="scale", by=3.0) + chosen(x, by=7.0)

    np.testing.assert_allclose(run(main.to_model_proto(), x=X)[0], X * 3 + X)


def test_an_element_type_as_the_default_of_an_attribute() -> None:
    @script()
    def cast(x: Any, to: int = FLOAT.dtype) -> Any:
        return op.Cast(x, to=to)

    @script()
    def main(x: FLOAT[2, 3]) -> tuple[Any, Any]:
        return cast(x), cast(x, to=INT64.dtype)

    same, whole = run(main.to_model_proto(), x=X)
    assert (same.dtype, whole.dtype) == (np.float32, np.int64)


def test_a_call_without_the_rest() -> None:
    @script()
    def total(x: Any, y: Any = None, *rest: Any) -> Any:
        if y is not None:
            x = x + y
        for item in rest:
            x = x + item
        return x

    @script()
    def main(x: FLOAT[2, 3]) -> Any:
        return total(x) + total(x, x) + total(x, None, x, x)

    np.testing.assert_array_equal(run(main.to_model_proto(), x=X)[0], X * 6)
    np.testing.assert_array_equal(main(X), X * 6)


# ------------------------------------------------------------------------------------------------- sequences


def test_whether_a_value_is_a_list_is_known_when_it_is_built() -> None:
    def first(x: Any) -> Any:
        return x[0] if isinstance(x, list) else x

    @script()
    def main(x: FLOAT[2, 3]) -> tuple[FLOAT[2, 3], FLOAT[2, 3]]:
        return first([x, x * 2]), first(x)

    one, other = run(main.to_model_proto(), x=X)
    np.testing.assert_array_equal(one, X)
    np.testing.assert_array_equal(other, X)


def test_isinstance_tells_lists_alone() -> None:
    @script()
    def main(x: FLOAT[2, 3]) -> Any:
        return x if isinstance(x, int) else x * 2

    with pytest.raises(DiagnosticError) as error:
        main.to_model_proto()
    assert codes(error) == ["OW304"]


def test_an_empty_list_is_a_state_that_grows() -> None:
    @script()
    def main(x: FLOAT[2, 3]) -> FLOAT[6]:
        def step(i: Any, going: Any, rows: Any) -> Any:
            more = [x[i]]
            return going, rows + more

        return op.ConcatFromSequence(op.Loop(2, True, [], body=step), axis=0)

    np.testing.assert_array_equal(run(main.to_model_proto(), x=X)[0], X.ravel())
