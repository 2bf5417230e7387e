"""Templates: functions of a library that are made for the nodes of a model, from the bundle alone."""

from __future__ import annotations

import importlib
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import TensorProto, helper, parser
from onnx.inliner import inline_local_functions
from onnx.reference import ReferenceEvaluator
from opwright.bundle.format import Bundle
from opwright.bundle.read import find_bundle
from opwright.diagnostics import DiagnosticError
from opwright.graphs.walk import all_nodes
from opwright.link.apply import attach, attach_libraries
from opwright.link.detach import detach
from opwright.link.inspect import State, inspect
from opwright_build.cli.entry import main as build

_LIBRARY = """\
schema: 1
library: acme-ops
version: 1.0.0
package: acme_ops
opsets: ">=17,<=20"
"""
_SPEC = """\
schema: 1
domain: {domain}
name: {name}
summary: {name}.
since_version: {since}
opset: ">=17"
{rest}
"""
_MAP = """\
from opwright import Graph
from opwright import opset17 as op


def SequenceMap(input_sequence, *additional_inputs, body: Graph):
    def step(i, going, *collected):
        items = [x[i] if isinstance(x, list) else x for x in additional_inputs]
        found = body(input_sequence[i], *items)
        results = (found,) if len(body.outputs) == 1 else found
        return (going, *[before + [result] for before, result in zip(collected, results)])

    return op.Loop(len(input_sequence), True, *[[] for _ in body.outputs], body=step)
"""
_ALL = "[float, double, int64, string, bool]"
_FUNCTIONS = {
    ("ai.onnx", "SequenceMap", 17): (
        _MAP,
        "inputs:\n  input_sequence: seq(T)\n  additional_inputs: {type: any}\n"
        f"outputs:\n  out_sequence: {{type: seq(any), variadic: true}}\ntypes: {{T: {_ALL}}}",
    ),
    ("com.acme", "Twice", 1): (
        "from opwright import Graph\n\n\ndef Twice(X, body: Graph, times: int = 2):\n"
        "    for _ in range(times):\n        X = body(X)\n    return X * scale()\n\n\n"
        "def scale():\n    return 1\n",
        "inputs: {X: T}\noutputs: {Y: T}\ntypes: {T: [float, double]}\nvectors: [vectors.yaml]",
    ),
    ("com.acme", "Joined", 1): (
        "from opwright import opset17 as op\n\n\n"
        "def Joined(*xs, axis: int = 0):\n    return op.Concat(*xs, axis=axis)\n",
        "inputs: {xs: T}\noutputs: {Y: T}\ntypes: {T: [float, double]}",
    ),
    ("com.acme", "Last", 1): (
        "from opwright import opset17 as op\n\n\ndef Last(X):\n    return op.Softmax(X, axis=X.rank - 1)\n",
        "inputs: {X: T}\noutputs: {Y: T}\ntypes: {T: [float, double]}",
    ),
    ("com.acme", "Doubled", 1): (
        "from opwright import INT64\nfrom opwright import opset17 as op\n\n\ndef Doubled(X):\n"
        "    if X.dtype == INT64:\n        X = X + 1\n    return op.Concat(X, X, axis=X.rank - 1)\n",
        "inputs: {X: T}\noutputs: {Y: T}\ntypes: {T: [float, double, int64]}\nvectors: [vectors.yaml]",
    ),
}
_OF_DOUBLE = """\
schema: 1
rows:
  - {name: two, types: {T: [double]}, inputs: {X: [1.0, 2.0]}, outputs: {Y: [1.0, 2.0, 1.0, 2.0]}}
"""
_VECTORS = """\
schema: 1
rows:
  - name: negated
    types: {T: [float]}
    attributes: {body: "negated (float[N] a) => (float[N] b) { b = Neg(a) }", times: 3}
    inputs: {X: [1.0, -2.0]}
    outputs: {Y: [-1.0, 2.0]}
"""


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    folder = tmp_path_factory.mktemp("library")
    _write(folder / "specs" / "library.yaml", _LIBRARY)
    _write(folder / "specs/ai.onnx/domain.yaml", "schema: 1\ndomain: ai.onnx\nversion: 20\nmirror: opwright.ai.onnx\n")
    _write(folder / "specs/com.acme/domain.yaml", "schema: 1\ndomain: com.acme\nversion: 1\n")
    for (domain, name, since), (source, rest) in _FUNCTIONS.items():
        home = folder / "specs" / domain / name
        _write(home / "function.py", source)
        _write(home / "spec.yaml", _SPEC.format(domain=domain, name=name, since=since, rest=rest))
    _write(folder / "specs/com.acme/Twice/vectors.yaml", _VECTORS)
    _write(folder / "specs/com.acme/Doubled/vectors.yaml", _OF_DOUBLE)
    assert build(["build", str(folder)]) == 0
    return find_bundle(folder / "dist" / "acme-ops-1.0.0.onnxlib")


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def _model(nodes: str, inputs: str = "float[N] X", output: str = "float[M] Y", opset: int = 18) -> onnx.ModelProto:
    head = f'<ir_version: 10, opset_import: ["": {opset}, "com.acme": 1]>'
    return parser.parse_model(f"{head} agraph ({inputs}) => ({output}) {{ {nodes} }}")


def _run(model: onnx.ModelProto, **feeds: Any) -> list[Any]:
    """The outputs, after onnxruntime and the reference evaluator have agreed on them."""
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    first = session.run(None, feeds)
    second = ReferenceEvaluator(inline_local_functions(model)).run(None, feeds)
    for one, other in zip(first, second, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6)
    return list(first)


def _problem(model: onnx.ModelProto, bundle: Bundle) -> str:
    with pytest.raises(DiagnosticError) as error:
        attach(model, bundle)
    (found,) = error.value.diagnostics
    return f"{found.code}: {found.message}: {found.reason}"


def test_a_graph_comes_into_the_body(bundle: Bundle) -> None:
    model = _model(
        "Y = com.acme.Twice<body = plus (float[K] A) => (float[K] B) { one = Constant<value_float = 1.0>()"
        " B = Add(A, one) }>(X)"
    )
    attached = attach_libraries(model, [bundle]).model
    np.testing.assert_allclose(_run(attached, X=np.array([1, 2], np.float32))[0], [3, 4])
    (function,) = attached.functions
    assert [node.op_type for node in all_nodes(function.node)].count("Add") == 1, "in the loop over the times"
    assert [item.name for item in attached.graph.node[0].attribute] == ["times"], "the graph is in the function now"
    assert detach(attached) == model


def test_an_instance_is_verified_where_a_vector_needs_its_very_body(bundle: Bundle) -> None:
    states = {}
    for name, operator, times in (("same", "Neg", 3), ("other times", "Neg", 2), ("other graph", "Abs", 3)):
        graph = f"whatever (float[K] A) => (float[K] B) {{ B = {operator}(A) }}"
        attached = attach(_model(f"Y = com.acme.Twice<times = {times}, body = {graph}>(X)"), bundle)
        assert [report.state for report in inspect(attached)] == [report.state for report in inspect(attached, bundle)]
        states[name] = inspect(attached)[0].state
    assert states == {
        "same": State.UNALTERED,
        "other times": State.UNALTERED,  # the attribute is one of the body's own
        "other graph": State.UNVERIFIED,
    }


def test_what_no_vector_covers_is_told(bundle: Bundle) -> None:
    graph = "whatever (float[K] A) => (float[K] B) { B = Abs(A) }"
    other = attach(_model(f"Y = com.acme.Twice<times = 3, body = {graph}>(X)"), bundle)
    assert inspect(other, bundle)[0].uncovered.startswith("the graph body is none of the ")
    many = attach(_model("Y = com.acme.Joined(X, X, X, X, X, X, X)"), bundle)
    (found,) = inspect(many, bundle)
    assert (found.state, found.uncovered) == (State.UNVERIFIED, "xs=7, where vectors have none")


def test_an_altered_instance_is_told(bundle: Bundle) -> None:
    attached = attach(_model("Y = com.acme.Joined<axis = 0>(X, X)"), bundle)
    attached.functions[0].node[0].op_type = "Sum"
    assert [report.state for report in inspect(attached)] == [State.ALTERED]


def test_any_number_of_inputs_and_two_instances_in_one_model(bundle: Bundle) -> None:
    model = _model("T = com.acme.Joined(X, X, X) Y = com.acme.Joined(T, X)")
    attached = attach(model, bundle)
    assert len({(item.name, item.overload) for item in attached.functions}) == 2
    np.testing.assert_array_equal(_run(attached, X=np.array([7, 8], np.float32))[0], [7, 8] * 4)
    assert detach(attached) == model


def test_a_rank_is_taken_from_what_the_model_declares(bundle: Bundle) -> None:
    x = np.array([[1, 2], [3, 5]], np.float32)
    attached = attach(_model("Y = com.acme.Last(X)", "float[N, K] X", "float[N, K] Y"), bundle)
    expected = np.exp(x) / np.exp(x).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(_run(attached, X=x)[0], expected, rtol=1e-6)


def test_a_rank_that_nothing_declares(bundle: Bundle) -> None:
    model = _model("S = Shape(X) T = Reshape(X, S) Y = com.acme.Last(T)")
    assert "OW559" in _problem(model, bundle)
    assert "the rank of X is not known here" in _problem(model, bundle)


@pytest.mark.parametrize(
    ("graph", "reason"),
    [
        ("g (float[K] A) => (float[K] B) { B = Add(A, Z) }", "its node Add reads 'Z', which is defined outside of it"),
        ("g (float[K] A, float[K] C) => (float[K] B) { B = Add(A, C) }", "it is given 1 values, and takes 2"),
        ("g (double[K] A) => (double[K] B) { B = Neg(A) }", "its input 'A' is double[?], and float[...] is given"),
        ("g (float[K] A) => (float[K] B) { C = Neg(A) }", "nothing defines its output 'B'"),
        ("g (float[K] A) => (float[K] B) { B = Nothing(A) }", "ai.onnx has no operator Nothing at version 18"),
    ],
)
def test_graphs_that_a_function_cannot_hold(bundle: Bundle, graph: str, reason: str) -> None:
    model = _model(f"Y = com.acme.Twice<body = {graph}>(X)", "float[N] X, float[N] Z")
    assert _problem(model, bundle).startswith("OW577")
    assert reason in _problem(model, bundle)


def test_a_graph_with_a_branch_sees_what_is_around_the_branch(bundle: Bundle) -> None:
    graph = (
        "g (float[K] A) => (float[K] B) { m = ReduceMax<keepdims = 0>(A) z = Constant<value_float = 0.0>()"
        " c = Greater(m, z) B = If (c) <then_branch = t () => (float[K] P) { P = Sub(A, m) },"
        " else_branch = e () => (float[K] Q) { Q = Identity(A) }> }"
    )
    attached = attach(_model(f"Y = com.acme.Twice<body = {graph}>(X)"), bundle)
    np.testing.assert_allclose(_run(attached, X=np.array([1, 3], np.float32))[0], [-2, 0])
    np.testing.assert_allclose(_run(attached, X=np.array([-1, -3], np.float32))[0], [-1, -3])


def test_the_standards_cases_of_sequence_map(bundle: Bundle) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        importlib.import_module("onnx.backend.test.case.node.sequence_map")
        cases = importlib.import_module("onnx.backend.test.case.node")._NodeTestCases
    found = [case for case in cases if [node.op_type for node in case.model.graph.node] == ["SequenceMap"]]
    assert len(found) == 6
    for case in found:
        attached = attach(case.model, bundle, replace=True)
        assert [node.domain for node in attached.graph.node] == ["opwright.ai.onnx"], case.name
        assert detach(attached) == case.model, case.name
        inputs, outputs = case.data_sets[0]
        feeds = {info.name: value for info, value in zip(case.model.graph.input, inputs, strict=True)}
        session = ort.InferenceSession(attached.SerializeToString(), providers=["CPUExecutionProvider"])
        flat = ReferenceEvaluator(inline_local_functions(attached))
        for results in (session.run(None, feeds), flat.run(None, feeds)):
            for result, expected in zip(results, outputs, strict=True):
                assert len(result) == len(expected), case.name
                for one, other in zip(result, expected, strict=True):
                    np.testing.assert_array_equal(one, other, err_msg=case.name)


def test_a_sequence_of_no_items(bundle: Bundle) -> None:
    body = parser.parse_graph("g (double[N] a) => (int64[M] b) { b = Shape(a) }")
    node = helper.make_node("SequenceMap", ["x"], ["y"], body=body)
    sequence = helper.make_sequence_type_proto(helper.make_tensor_type_proto(TensorProto.DOUBLE, None))
    result = helper.make_sequence_type_proto(helper.make_tensor_type_proto(TensorProto.INT64, None))
    graph = helper.make_graph(
        [node], "m", [helper.make_value_info("x", sequence)], [helper.make_value_info("y", result)]
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    attached = attach(model, bundle, replace=True)
    session = ort.InferenceSession(attached.SerializeToString(), providers=["CPUExecutionProvider"])
    assert session.run(None, {"x": []}) == [[]]
    (shape,) = session.run(None, {"x": [np.zeros((2, 3))]})[0]
    np.testing.assert_array_equal(shape, [2, 3])


def test_bodies_are_the_same_bytes_each_time(bundle: Bundle) -> None:
    graph = "g (float[K] A) => (float[K] B) { B = Tanh(A) }"
    models = [attach(_model(f"Y = com.acme.Twice<body = {graph}>(X)"), bundle) for _ in range(2)]
    assert models[0].SerializeToString(deterministic=True) == models[1].SerializeToString(deterministic=True)


@pytest.mark.parametrize("kind", ["float", "double"])
def test_an_instance_that_is_stored_for_one_type_does_not_keep_another_out(bundle: Bundle, kind: str) -> None:
    model = _model("Y = com.acme.Doubled (X)", f"{kind}[N] X", f"{kind}[M] Y")
    given = np.array([3, 4], {"float": np.float32, "double": np.float64}[kind])
    assert _run(attach(model, bundle), X=given)[0].tolist() == [3, 4, 3, 4]
