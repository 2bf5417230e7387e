"""A call that is right is refused however little is known of it; one that is wrong is, as soon as that is certain.

The calls are those of the standard's node tests, at every version of their operators: first what is known of their
inputs is taken away piece by piece, then they are made wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from onnx import ModelProto, NodeProto, TensorProto, defs, numpy_helper, parser
from onnx.reference import ReferenceEvaluator
from onnxruntime import GraphOptimizationLevel, InferenceSession, SessionOptions
from opwright import FLOAT, INT64, GraphBuilder, compile_source, decompile
from opwright import opset18 as op
from opwright.lang.lower.nodes.node_inference import InputType, proof, refusal
from opwright.model.survey import Survey
from opwright.model.verdict import infer
from opwright.opsets.domains import normal_domain
from opwright.opsets.signatures import signature

from tests.decompiler.make_models import make
from tests.decompiler.roundtrip import equal, interface_of, run_ort
from tests.node_cases import node_cases

# Operators whose inference in onnx 1.23.2 takes what it does not know for something wrong.
TAKE_UNKNOWN_FOR_WRONG = {"FlexAttention", "Pad", "Resize", "STFT", "StringNormalizer"}


@dataclass(frozen=True)
class Direct:
    """A node test of one node: what is known of its inputs, and of their elements."""

    node: NodeProto
    domain: str
    versions: tuple[int, ...]
    types: tuple[InputType | None, ...]
    data: tuple[TensorProto | None, ...]


@cache
def direct_calls() -> list[Direct]:
    """One call of each operator, number of inputs, their ranks, and attributes that are given."""
    cases = node_cases()
    history: dict[tuple[str, str], list[int]] = {}
    for schema in defs.get_all_schemas_with_history():
        history.setdefault((normal_domain(schema.domain), schema.name), []).append(schema.since_version)
    found: dict[tuple[object, ...], Direct] = {}
    for case in cases:
        graph = case.model.graph
        node = graph.node[0]
        domain = normal_domain(node.domain)
        values = {item.name: item.type.tensor_type for item in graph.input}
        if (
            len(graph.node) != 1
            or (domain, node.op_type) not in history
            or any(a.HasField("g") for a in node.attribute)
        ):
            continue
        if any(name and not (name in values and values[name].elem_type) for name in node.input):
            continue
        arrays = dict(zip(values, case.data_sets[0][0], strict=True)) if case.data_sets else {}
        types = tuple(
            (values[name].elem_type, tuple(dim.dim_value for dim in values[name].shape.dim)) if name else None
            for name in node.input
        )
        data = tuple(_elements(arrays.get(name)) for name in node.input)
        ranks = tuple(None if type_ is None else len(type_[1]) for type_ in types)
        key = (domain, node.op_type, ranks, tuple(item.name for item in node.attribute))
        found.setdefault(key, Direct(node, domain, tuple(sorted(history[domain, node.op_type])), types, data))
    return list(found.values())


def _elements(array: object) -> TensorProto | None:
    if not isinstance(array, np.ndarray) or array.dtype.name not in ("float32", "int32", "int64", "bool"):
        return None
    return numpy_helper.from_array(array) if array.nbytes <= 512 else None


def valid_calls() -> Iterator[tuple[Direct, int]]:
    """Each call with the first and the last version of its operator that take it."""
    for call in direct_calls():
        for versions in (call.versions, call.versions[::-1]):
            last = next((version for version in versions if _takes(call, version)), None)
            if last is not None:
                yield call, last


def _takes(call: Direct, version: int) -> bool:
    found = signature(call.domain, call.node.op_type, version)
    if found is None or found.since_version != version:
        return False
    return proof(call.node, call.domain, version, call.types, call.data) is None


# What is left of a shape.
WEAKER = {
    "sizes": lambda sizes: (None,) * len(sizes),
    "but the first": lambda sizes: (None, *sizes[1:]) if sizes else sizes,
    "but the last": lambda sizes: (*sizes[:-1], None) if sizes else sizes,
    "all": lambda sizes: None,
}


def weakened(call: Direct) -> Iterator[tuple[list[InputType | None], list[TensorProto | None]]]:
    """The inputs with less known of them: of each alone, of all but one, of all; with their elements and without."""
    count = len(call.types)
    groups = [{index} for index in range(count)] + [set(range(count))]
    groups += [set(range(count)) - {index} for index in range(count)] if count > 2 else []
    for less in WEAKER.values():
        for group in groups:
            types = [
                (type_[0], less(type_[1])) if type_ is not None and index in group else type_
                for index, type_ in enumerate(call.types)
            ]
            yield types, [None if index in group else item for index, item in enumerate(call.data)]
        yield types, [None] * count


@pytest.mark.long
def test_no_call_is_refused_for_lack_of_knowledge() -> None:
    asked = 0
    refused, doubtful = [], set()
    for call, version in valid_calls():
        for types, data in weakened(call):
            asked += 1
            if refusal(call.node, call.domain, version, types, data) is None:
                continue
            doubtful.add(call.node.op_type)
            reason = proof(call.node, call.domain, version, types, data)
            if reason is not None:
                refused.append(f"{call.node.op_type}@{version} of {types}: {reason}")
    assert asked > 10_000
    assert doubtful == TAKE_UNKNOWN_FOR_WRONG
    assert not refused, "\n".join(refused)


@pytest.mark.long
def test_wrong_calls_are_refused_as_soon_as_that_is_certain() -> None:
    """Inputs with a dimension too many, and axes that are none: whatever ONNX refuses when the ranks are known is
    refused, but for the operators that say so of right calls too. Each reason of an operator with so many inputs is
    looked into once: that asks a hundred questions."""
    refused, missed = set(), []
    seen: set[tuple[str, int, str]] = set()
    for call, version in valid_calls():
        if version != call.versions[-1]:
            continue
        for node, types in made_wrong(call):
            reason = refusal(node, call.domain, version, types, [None] * len(types))
            kind = (call.node.op_type, len(types), str(reason))
            if reason is None or kind in seen:
                continue
            seen.add(kind)
            if proof(node, call.domain, version, types, [None] * len(types)) is not None:
                refused.add(call.node.op_type)
            elif call.node.op_type not in TAKE_UNKNOWN_FOR_WRONG:
                missed.append(f"{call.node.op_type}@{version} of {types}: {reason}")
    assert not missed, "\n".join(missed)
    assert len(refused) > 60
    assert {"Resize", "STFT"} <= refused  # where it is certain, here too


def made_wrong(call: Direct) -> Iterator[tuple[NodeProto, list[InputType | None]]]:
    ranks = [None if type_ is None else (type_[0], (None,) * len(type_[1])) for type_ in call.types]
    for index, type_ in enumerate(ranks):
        if type_ is not None:
            yield call.node, [*ranks[:index], (type_[0], (*type_[1], None)), *ranks[index + 1 :]]
            yield call.node, [*ranks[:index], (type_[0], ()), *ranks[index + 1 :]]
    for index, attribute in enumerate(call.node.attribute):
        if attribute.name in ("axis", "axes"):
            node = NodeProto()
            node.CopyFrom(call.node)
            node.attribute[index].i = 99
            node.attribute[index].ints[:] = [99] * len(attribute.ints)
            yield node, ranks


# ------------------------------------------------------------------------------------------------ what follows

UNKNOWN_SIZES = """
from opwright import BOOL, FLOAT, INT64, opset18 as op, script

@script()
def f(x: FLOAT["B", 3, "H", "W"], kept: BOOL[6], sizes: INT64[6]) -> FLOAT["B", "C", "H2", "W2"]:
    {}
"""
RESIZED = {
    "in the graph": "return op.Resize(x, None, None, op.Compress(sizes, kept))",
    "in a branch": "if kept[0]:\n        x = op.Resize(x, None, None, op.Compress(sizes, kept))\n    return x",
    "in a loop": "for i in range(2):\n        x = op.Resize(x, None, None, op.Compress(sizes, kept))\n    return x",
    "of some axes": "return op.Resize(x, None, None, op.Compress(sizes, kept)[2:], axes=[2, 3])",
}


@pytest.mark.parametrize("name", sorted(RESIZED))
def test_sizes_of_unknown_length(name: str) -> None:
    x = np.arange(12, dtype=np.float32).reshape(1, 3, 2, 2)
    kept = np.array([True, False, True, True, False, True])
    feeds = {"x": x, "kept": kept, "sizes": np.array([1, 0, 3, 4, 0, 6])}
    model = compile_source(UNKNOWN_SIZES.format(RESIZED[name]), "f").to_model_proto()
    (result,) = ReferenceEvaluator(model).run(None, feeds)
    np.testing.assert_array_equal(result, np.repeat(np.repeat(x, 2, axis=2), 3, axis=3))


def test_a_fault_beside_what_is_not_known_is_found() -> None:
    """In a model whose Resize inference cannot follow, it says all the more what else is wrong."""
    model = parser.parse_model(
        """<ir_version: 10, opset_import: ["": 18]>
        g (float[B, 3, H, W] x, int64[N] sizes, float[2] two, float[3] three) => (float[B, 3, H2, W2] y, float[3] z) {
            y = Resize (x, , , sizes)
            z = Add (two, three)
        }"""
    )
    _, problem = infer(model, Survey(model))
    assert problem is not None and "Incompatible dimensions" in problem and "Resize" not in problem


def test_a_graph_that_is_built() -> None:
    b = GraphBuilder(opset=18)
    x, sizes = b.input("x", FLOAT["B", 1, "H", "W"]), b.input("sizes", INT64["N"])
    b.output("y", op.Resize(x, None, None, sizes))
    model = b.to_model_proto()
    given = np.ones((1, 1, 2, 2), np.float32)
    (result,) = ReferenceEvaluator(model).run(None, {"x": given, "sizes": np.array([1, 1, 4, 4])})
    assert result.shape == (1, 1, 4, 4)


LENGTHS = {
    "op.Shape(x)": 4,
    "op.Shape(x, end=2)": 2,
    "op.Shape(x, start=-3)": 3,
    "op.Shape(x, start=1, end=-1)": 2,
    "op.Shape(x, start=3, end=1)": 0,
    "op.Shape(x, start=-9, end=9)": 4,
    "op.Shape(x)[1:3]": 2,
    "op.Slice(op.Shape(x), [2], [9])": 2,
    "op.Slice(op.Shape(x), [-1], [-9], [0], [-2])": 2,
    "op.Slice(op.Shape(x), [-3], [9223372036854775807])": 3,
    "op.Gather(op.Shape(x), [0, 2, 2])": 3,
    "op.Concat(op.Shape(x, end=2), op.Unsqueeze(op.Size(x), [0]), [1, 2], axis=0)": 5,
    "op.Concat(op.Shape(x, end=2), op.Reshape(op.Size(x), [-1]), axis=0)": 3,
    "op.Cast(op.Shape(x), to=INT64)": 4,
    "op.Shape(x) * 2": 4,
    "op.Cast(op.ConstantOfShape([3]), to=INT64)": 3,
    "op.Reshape(op.Shape(x), [4])": 4,
}


@pytest.mark.parametrize("text", sorted(LENGTHS))
def test_the_length_of_a_list_is_known(text: str) -> None:
    """A tensor of these sizes has as many axes, which the compiler knows without a word from ONNX."""
    source = (
        "import numpy as np\nfrom opwright import FLOAT, INT64, opset18 as op, script\n@script()\n"
        f"def f(x: FLOAT['B', 3, 'H', 'W']):\n    sizes = {text}\n    return sizes, op.ConstantOfShape(sizes)\n"
    )
    model = compile_source(source, "f").to_model_proto()
    x = np.zeros((1, 3, 0, 2), np.float32)
    for outputs in (run_ort(model, [x]), ReferenceEvaluator(model).run(None, {"x": x})):
        assert len(outputs[0]) == outputs[1].ndim == LENGTHS[text]
    (sizes, filled) = model.graph.output
    assert [dim.dim_value for dim in sizes.type.tensor_type.shape.dim] == [LENGTHS[text]]
    assert len(filled.type.tensor_type.shape.dim) == LENGTHS[text]


@pytest.mark.parametrize(("start", "end"), [(-9, -10), (-1, 2**31 - 1), (-1, 2**63 - 1)])
def test_a_slice_on_which_runtimes_do_not_agree_has_no_length(start: int, end: int) -> None:
    source = (
        "from opwright import FLOAT, opset18 as op, script\n@script()\ndef f(x: FLOAT['B', 3]):\n"
        f"    return len(op.Slice(op.Shape(x), [{start}], [{end}], [0], [-1]))\n"
    )
    unit = compile_source(source, "f").to_function_proto()
    assert [node.op_type for node in unit.node if node.op_type != "Constant"][:3] == ["Shape", "Slice", "Shape"]


DECODER = """<ir_version: 10, opset_import: ["": 18]>
decoder (float[B, 3, H, W] x, float[B, 4, H2, W2] skip) => (float[B, 7, H2, W2] y) {
    two = Constant <value: tensor = int64[1] {2}> ()
    four = Constant <value: tensor = int64[1] {4}> ()
    axis = Constant <value: tensor = int64[1] {0}> ()
    shape = Shape (skip)
    size = Slice (shape, two, four, axis)
    begin = Shape <end: int = 2> (x)
    sizes = Concat <axis: int = 0> (begin, size)
    up = Resize <mode: string = "nearest", coordinate_transformation_mode: string = "asymmetric"> (x, , , sizes)
    y = Concat <axis: int = 1> (up, skip)
}"""
BY_ENTRIES = """<ir_version: 10, opset_import: ["": 18]>
decoder (float[B, 3, H, W] x, float[B, 4, H2, W2] skip) => (float[B, C, H2, W2] y) {
    axes = Constant <value: tensor = int64[1] {0}> ()
    two = Constant <value: tensor = int64 {2}> ()
    three = Constant <value: tensor = int64 {3}> ()
    begin = Shape <end: int = 2> (x)
    shape = Shape (skip)
    height = Gather <axis: int = 0> (shape, two)
    width = Gather <axis: int = 0> (shape, three)
    height_list = Unsqueeze (height, axes)
    width_list = Unsqueeze (width, axes)
    sizes = Concat <axis: int = 0> (begin, height_list, width_list)
    y = Resize <mode: string = "linear"> (x, , , sizes)
}"""
WITHOUT_LENGTH = """<ir_version: 10, opset_import: ["": 18]>
g (float[B, 3, H, W] x, bool[M] kept, int64[6] many) => (float[B, C, H2, W2] y) <int64[4] sizes> {
    sizes = Compress <axis: int = 0> (many, kept)
    y = Resize <mode: string = "nearest"> (x, , , sizes)
}"""


@pytest.mark.parametrize("faithful", [False, True])
@pytest.mark.parametrize("text", [DECODER, BY_ENTRIES, WITHOUT_LENGTH])
def test_models_that_resize_come_back(text: str, faithful: bool, tmp_path: Path) -> None:
    model = parser.parse_model(text)
    path = tmp_path / "resized.py"
    decompile(model, faithful=faithful).write(path)
    again = make(path)
    assert isinstance(again, ModelProto)
    assert interface_of(again) == interface_of(model)
    x, skip = np.arange(12, dtype=np.float32).reshape(1, 3, 2, 2), np.ones((1, 4, 5, 4), np.float32)
    kept = np.array([True, False, True, True, False, True])
    given = [x, skip] if len(model.graph.input) == 2 else [x, kept, np.array([1, 0, 3, 4, 0, 6])]
    expected = run_ort(model, given)
    for level in (GraphOptimizationLevel.ORT_DISABLE_ALL, GraphOptimizationLevel.ORT_ENABLE_ALL):
        options = SessionOptions()
        options.intra_op_num_threads = 1
        options.graph_optimization_level = level
        session = InferenceSession(again.SerializeToString(), options, providers=["CPUExecutionProvider"])
        names = [item.name for item in session.get_inputs()]
        found = session.run(None, dict(zip(names, given, strict=True)))
        assert all(map(equal, expected, found))
