"""The library of this repository, built and attached: models of ten functions, and the standard's own tests."""

from __future__ import annotations

import re
from collections.abc import Set
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
import opwright
import pytest
from google.protobuf.message import Message
from onnx import TensorProto, helper, numpy_helper
from onnx.backend.test.case.test_case import TestCase
from onnx.inliner import inline_local_functions
from onnx.reference import ReferenceEvaluator
from opwright.bundle.format import Bundle
from opwright.bundle.read import find_bundle
from opwright.commands import main
from opwright.link.apply import attach_libraries
from opwright.link.detach import detach
from opwright.link.inspect import State, inspect

from tests.link.conftest import run_everywhere
from tests.node_cases import node_cases
from tests.shares import one_in

MIRROR = "opwright.ai.onnx"

BELOW_13 = [  # the standard's cases of an opset below those of the library
    "test_dynamicquantizelinear",
    "test_dynamicquantizelinear_max_adjusted",
    "test_dynamicquantizelinear_min_adjusted",
    "test_shrink_hard",
    "test_shrink_soft",
]
TEN = ("Softplus", "Elu", "Selu", "Mish", "Celu", "HardSwish", "LeakyRelu", "ThresholdedRelu", "Shrink", "Softsign")


@pytest.fixture(scope="module")
def bundle(standard_file: Path) -> Bundle:
    return find_bundle(standard_file)


def chain(element: int, opset: int, operators: tuple[str, ...] = TEN) -> onnx.ModelProto:
    """x through ten functions of the mirror domain, one after another; ones added in between keep the values apart."""
    names = ["x", *(f"v{index}" for index in range(len(operators) - 1)), "y"]
    nodes = [
        helper.make_node(operator, [names[index]], [names[index + 1]], domain=MIRROR)
        for index, operator in enumerate(operators)
    ]
    info = [helper.make_tensor_value_info(name, element, ["N"]) for name in ("x", "y")]
    return helper.make_model(
        helper.make_graph(nodes, "ten", info[:1], info[1:]),
        opset_imports=[helper.make_opsetid("", opset), helper.make_opsetid(MIRROR, 28)],
        ir_version=8,
    )


def expected_of_ten(x: np.ndarray) -> np.ndarray:
    """The ten functions with the standard's defaults, in float64."""
    v = np.logaddexp(0, x.astype(np.float64))
    v = np.where(v < 0, np.expm1(v), v)
    v = 1.0507009873554805 * np.where(v < 0, 1.6732632423543772 * np.expm1(v), v)
    v = v * np.tanh(np.logaddexp(0, v))
    v = np.maximum(0, v) + np.minimum(0, np.expm1(v))
    v = v * np.clip(v / 6 + 0.5, 0, 1)
    v = np.where(v < 0, 0.01 * v, v)
    v = np.where(v > 1, v, 0)
    v = np.where(v < -0.5, v, np.where(v > 0.5, v, 0))
    return v / (1 + np.abs(v))


@pytest.mark.parametrize("opset", one_in(2, [13, 15, 18, 20, 22, 24, 26]))
@pytest.mark.parametrize("inline", [False, True])
def test_a_model_of_ten_functions_is_attached_by_the_command(
    standard_file: Path, tmp_path: Path, opset: int, inline: bool
) -> None:
    model = tmp_path / "model.onnx"
    onnx.save(chain(TensorProto.FLOAT, opset), model)
    written = tmp_path / "out.onnx"
    options = ["--inline"] if inline else []
    assert main(["attach", str(model), "--library", str(standard_file), *options, "-o", str(written)]) == 0
    attached = onnx.load(written)
    assert len(attached.functions) == (0 if inline else 10)
    x = np.linspace(-4, 4, 41, dtype=np.float32)
    (y,) = run_everywhere(attached, x=x)
    np.testing.assert_allclose(y, expected_of_ten(x), rtol=1e-5, atol=1e-6)
    assert main(["inspect", str(written), "--library", str(standard_file)]) == 0
    if not inline:
        assert main(["detach", str(written), "--in-place"]) == 0
        assert onnx.load(written) == onnx.load(model)


def test_two_element_types_in_one_model(bundle: Bundle) -> None:
    model = chain(TensorProto.FLOAT, 18, ("Elu", "Elu"))
    model.graph.node.insert(1, helper.make_node("Cast", ["v0"], ["wide"], to=TensorProto.DOUBLE))
    model.graph.node[2].input[0] = "wide"
    model.graph.output[0].type.tensor_type.elem_type = TensorProto.DOUBLE
    done = attach_libraries(model, [bundle])
    assert len(done.functions) == len(set(done.functions))
    x = np.array([-2.0, 3.0], np.float32)
    # Elu(double) has no kernel on onnxruntime; its body has, unless it is made of operators without one.
    once = np.where(x < 0, np.expm1(x), x).astype(np.float32).astype(np.float64)
    (y,) = run_everywhere(done.model, x=x)
    np.testing.assert_allclose(y, np.where(once < 0, np.expm1(once), once), rtol=1e-6)


EXPANDED = re.compile(r"_expanded(_ver\d+)?$")


def is_direct(case: TestCase, names: Set[tuple[str, str]]) -> bool:
    """Whether its only node is an operator of the library, which has these, whatever its version."""
    nodes = [(node.domain or "ai.onnx", node.op_type) for node in case.model.graph.node]
    return len(nodes) == 1 and nodes[0] in names and not EXPANDED.search(case.name)


def is_of(case: TestCase, bundle: Bundle) -> bool:
    """Whether the library has the very version that a case is of, at the opset of its model."""
    node = case.model.graph.node[0]
    versions = {item.domain: item.version for item in case.model.opset_import}
    since = onnx.defs.get_schema(node.op_type, versions[node.domain], node.domain).since_version
    found = (
        entry
        for entry in bundle.index.functions
        if (entry.domain, entry.name, entry.since_version) == (node.domain or "ai.onnx", node.op_type, since)
    )
    ranges = [(item.first_opset, item.last_opset) for entry in found for item in (*entry.bodies, *entry.templates)]
    return any(first <= versions[""] <= last for first, last in ranges)


def passes(model: onnx.ModelProto, case: TestCase) -> bool:
    """Judged on the reference evaluator, which knows all opsets and types, by the suite's own tolerances."""
    inputs, outputs = case.data_sets[0]
    feeds = {info.name: value_of(value) for info, value in zip(model.graph.input, inputs, strict=True)}
    flat = inline_local_functions(model)
    with np.errstate(all="ignore"):
        found = ReferenceEvaluator(flat).run(None, feeds)
    for value, expected in zip(found, map(value_of, outputs), strict=True):
        pairs = zip(value, expected, strict=True) if isinstance(expected, list) else [(value, expected)]
        if not all(agrees(case, np.asarray(one), np.asarray(other)) for one, other in pairs):
            return False
    return True


def value_of(value: Any) -> Any:
    if isinstance(value, onnx.SequenceProto):
        return numpy_helper.to_list(value)
    if isinstance(value, onnx.TensorProto):
        return numpy_helper.to_array(value)
    return [np.asarray(item) for item in value] if isinstance(value, list) else np.asarray(value)


def agrees(case: TestCase, value: np.ndarray[Any, Any], expected: np.ndarray[Any, Any]) -> bool:
    if value.shape != expected.shape or (value.dtype != expected.dtype and expected.dtype.kind not in "UO"):
        return False
    if "bernoulli" in case.name:
        return True  # random
    if expected.dtype.kind in "UOb":
        return bool((value == expected).all())
    rtol = max(case.rtol, 2.0**-6) if expected.dtype.name == "bfloat16" else case.rtol
    one, other = (item.astype(np.complex128 if item.dtype.kind == "c" else np.float64) for item in (value, expected))
    return bool(np.allclose(one, other, rtol=rtol, atol=case.atol, equal_nan=True))


def data_of(case: TestCase) -> list[list[list[object]]]:
    """Its inputs and outputs, in a form that compares."""
    return [[[exactly(item) for item in values] for values in data_set] for data_set in case.data_sets]


def exactly(value: object) -> object:
    if isinstance(value, Message):
        return value.SerializeToString()
    if isinstance(value, np.ndarray | np.generic) and value.dtype.kind not in "OUS":
        return value.dtype.name, value.shape, value.tobytes()
    return repr(value)


@pytest.mark.parametrize("every", [6, pytest.param(1, marks=pytest.mark.long)])
def test_each_of_the_standards_models_gets_the_body_that_it_needs(every: int, bundle: Bundle) -> None:
    """Chosen from the model alone, and judged by its own vector: all but those of an opset that no body is for.

    What the standard's own bodies give, in the cases called `_expanded`, is what the case that they stand for gives,
    bit for bit: who serves that equals those.
    """
    everything = node_cases()
    # Of operators that are no function-ops it has functions for opsets that lack them, and there are no such models.
    whole = (entry for entry in bundle.index.functions if entry.last_opset >= entry.since_version)
    names = {(entry.domain, entry.name) for entry in whole}
    wrong: list[str] = []
    left: list[str] = []
    served: dict[str, TestCase] = {}
    tried = [case for case in everything if is_direct(case, names)][::every]
    for case in tried:
        try:
            done = attach_libraries(case.model, [bundle], replace=True)
            if not done.served:
                assert not is_of(case, bundle), [str(item) for item in done.diagnostics]
                left.append(case.name)
                continue
            assert detach(done.model) == case.model
            assert {report.state for report in inspect(done.model, [bundle])} == {State.UNALTERED}
            assert passes(done.model, case), "another result"
            served[case.name] = case
        except Exception as error:  # all of them at once
            wrong.append(f"{case.name}: {type(error).__name__}: {str(error)[:200]}")
    assert wrong == []
    assert left == [case.name for case in tried if case.name in BELOW_13]
    expanded = {case.name: case for case in everything if EXPANDED.search(case.name)}
    twins = {name: EXPANDED.sub("", name) for name in expanded}
    compared = [name for name, twin in twins.items() if twin in served]
    assert len(compared) > 400 // every
    assert every > 1 or {*twins.values()} <= {*served, *BELOW_13}
    assert [name for name in compared if data_of(expanded[name]) != data_of(served[twins[name]])] == []


@pytest.mark.parametrize("name", ["Mish", "Softsign", "HardSigmoid", "ThresholdedRelu", "Elu"])
def test_bodies_that_follow_the_types_of_their_inputs(name: str, bundle: Bundle) -> None:
    """Those for float16 compute in float: one body does for both."""
    node = helper.make_node(name, ["x"], ["y"])
    values = [helper.make_tensor_value_info(value, TensorProto.FLOAT, [3]) for value in "xy"]
    graph = helper.make_graph([node], "g", values[:1], values[1:])
    before = helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid("", 18)])
    late = opwright.attach(before, [bundle], replace=True, late_types=True)
    for element, array in ((TensorProto.FLOAT, np.float32), (TensorProto.FLOAT16, np.float16)):
        for model in (before, late):
            for value in (*model.graph.input, *model.graph.output):
                value.type.tensor_type.elem_type = element
        x = np.array([-1.5, 0.25, 2.0], array)
        results = [
            ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"]).run(None, {"x": x})[0]
            for model in (opwright.attach(before, [bundle], replace=True), late)
        ]
        np.testing.assert_array_equal(*results)
