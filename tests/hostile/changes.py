"""Models changed in what they mean: names swapped, parts doubled, cut or moved, types and sizes that do not fit."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from google.protobuf.message import DecodeError
from onnx import AttributeProto, GraphProto, ModelProto, NodeProto, TensorProto, helper
from opwright.graphs.walk import all_graphs, all_nodes

from tests.bundle.forging import mutate, with_function, with_library, with_table
from tests.hostile.models import CONTROL_CHANGES, by_hand, parse
from tests.hostile.wire import changed

_OPERATORS = (
    *("Add", "Relu", "If", "Loop", "Scan", "SequenceMap", "Constant", "Cast", "CastLike", "Identity", "Reshape"),
    *("Concat", "Split", "SplitToSequence", "Optional", "SoftmaxCrossEntropyLoss", "Nothing", "", "Softplus", "Swish"),
)
_SIZES = (0, 1, -1, 2**31, 2**40, 2**63 - 1, -(2**63))


def _nodes(model: ModelProto) -> list[NodeProto]:
    return [*all_nodes(model.graph.node), *(node for item in model.functions for node in all_nodes(item.node))]


def _names(model: ModelProto) -> list[str]:
    found = {name: None for node in _nodes(model) for name in (*node.input, *node.output)}
    return [*found, "", "missing"]


def _swap_names(model: ModelProto, numbers: random.Random) -> None:
    node = numbers.choice(_nodes(model))
    side: Any = numbers.choice((node.input, node.output))
    if side:
        side[numbers.randrange(len(side))] = numbers.choice(_names(model))
    else:
        side.append(numbers.choice(_names(model)))


def _cut_names(model: ModelProto, numbers: random.Random) -> None:
    node = numbers.choice(_nodes(model))
    side: Any = numbers.choice((node.input, node.output))
    del side[numbers.randrange(len(side) + 1) :]


def _operator(model: ModelProto, numbers: random.Random) -> None:
    node = numbers.choice(_nodes(model))
    node.op_type = numbers.choice(_OPERATORS)
    if numbers.random() < 0.3:
        node.domain = numbers.choice(("", "ai.onnx", "my", "com.acme", "ai.onnx.ml", "body1", "x"))


def _order(model: ModelProto, numbers: random.Random) -> None:
    owner: Any = numbers.choice([*all_graphs(model.graph), *model.functions])
    nodes = list(owner.node)
    numbers.shuffle(nodes)
    copies = [NodeProto.FromString(node.SerializeToString()) for node in nodes]
    del owner.node[:]
    owner.node.extend(copies)


def _double(model: ModelProto, numbers: random.Random) -> None:
    owner: Any = numbers.choice([*all_graphs(model.graph), *model.functions, model])
    held: Any = numbers.choice([value for _, value in owner.ListFields() if hasattr(value, "extend")] or [[]])
    if held:
        held.append(numbers.choice(list(held)))


def _drop(model: ModelProto, numbers: random.Random) -> None:
    owner: Any = numbers.choice([*all_graphs(model.graph), *model.functions, model, *_nodes(model)])
    held: Any = numbers.choice([value for _, value in owner.ListFields() if hasattr(value, "extend")] or [[]])
    if held:
        del held[numbers.randrange(len(held))]


def _attribute(model: ModelProto, numbers: random.Random) -> None:
    owners = [item for node in _nodes(model) for item in node.attribute]
    if owners:
        attribute = numbers.choice(owners)
        match numbers.randrange(4):
            case 0:
                attribute.type = numbers.choice(AttributeProto.AttributeType.values())
            case 1:
                attribute.ref_attr_name = numbers.choice(("alpha", "body", "x"))
            case 2:
                attribute.name = numbers.choice(("alpha", "axis", "body", "then_branch", "value", "to", ""))
            case _:
                node = numbers.choice(_nodes(model))
                node.attribute.append(AttributeProto.FromString(attribute.SerializeToString()))


def _control(model: ModelProto, numbers: random.Random) -> None:
    flows = [node for node in _nodes(model) if any(item.HasField("g") for item in node.attribute)]
    if flows:
        numbers.choice(list(CONTROL_CHANGES.values()))(numbers.choice(flows))


def _sizes(model: ModelProto, numbers: random.Random) -> None:
    tensors = [tensor for graph in all_graphs(model.graph) for tensor in graph.initializer]
    tensors += [item.t for node in _nodes(model) for item in node.attribute if item.HasField("t")]
    if tensors and numbers.random() < 0.6:
        tensor = numbers.choice(tensors)
        match numbers.randrange(4):
            case 0:
                tensor.dims.append(numbers.choice(_SIZES))
            case 1:
                tensor.data_type = numbers.choice((0, 1, 7, 8, 9, 11, 16, 21, 22, 99))
            case 2:
                tensor.raw_data = bytes(numbers.randrange(20))
            case _:
                tensor.data_location = TensorProto.EXTERNAL
                for key in ("location", "offset", "length"):
                    tensor.external_data.add(key=key, value=numbers.choice(("w.bin", "0", "-1", str(2**70), "../x")))
        return
    values = [*model.graph.input, *model.graph.output]
    if values:
        shape = numbers.choice(values).type.tensor_type.shape
        shape.dim.add(dim_value=numbers.choice(_SIZES))


def _types(model: ModelProto, numbers: random.Random) -> None:
    values = [value for graph in all_graphs(model.graph) for value in (*graph.input, *graph.output, *graph.value_info)]
    if values:
        value = numbers.choice(values)
        match numbers.randrange(4):
            case 0:
                value.type.tensor_type.elem_type = numbers.choice((0, 1, 8, 9, 16, 99))
            case 1:
                value.ClearField("type")
            case 2:
                value.type.sequence_type.elem_type.tensor_type.elem_type = 1
            case _:
                value.type.map_type.key_type = 8


def _functions(model: ModelProto, numbers: random.Random) -> None:
    """A call of a function anywhere, so that rings appear."""
    if model.functions:
        callee, node = numbers.choice(model.functions), numbers.choice(_nodes(model))
        node.domain, node.op_type, node.overload = callee.domain, callee.name, callee.overload


def _versions(model: ModelProto, numbers: random.Random) -> None:
    owner: Any = numbers.choice([model, *model.functions])
    if owner.opset_import and numbers.random() < 0.8:
        numbers.choice(owner.opset_import).version = numbers.choice((0, 1, 7, 13, 18, 24, 28, 99, 2**31, -1))
    else:
        owner.opset_import.append(helper.make_opsetid(numbers.choice(("", "ai.onnx", "my", "x")), 18))


def _nest(model: ModelProto, numbers: random.Random) -> None:
    """A graph inside itself."""
    graphs = [item.g for node in _nodes(model) for item in node.attribute if item.HasField("g")]
    if graphs:
        inner = numbers.choice(graphs)
        copy = GraphProto.FromString(inner.SerializeToString())
        for node in inner.node:
            for item in node.attribute:
                if item.HasField("g"):
                    item.g.CopyFrom(copy)
                    return
        inner.node.append(helper.make_node("If", ["c"], ["deep"], then_branch=copy, else_branch=copy))


CHANGES: Sequence[Callable[[ModelProto, random.Random], None]] = (
    _swap_names,
    _cut_names,
    _operator,
    _order,
    _double,
    _drop,
    _attribute,
    _control,
    _sizes,
    _types,
    _functions,
    _versions,
    _nest,
)

_BASES = (
    """(float[N] x, bool c, float l) => (float[N] y) {
        a = com.acme.Twice(x) b = my.Mine<alpha = 0.5>(a) d = com.acme.Floor(b, l) e = Softplus(d)
        y = If (c) <then_branch = p () => (r) { r = com.acme.Floor(e) }, else_branch = q () => (s) { s = Neg(e) }> }""",
    """(float[N] x, int64 n, bool c) => (float[N] y, float[K, N] all) {
        y, all = Loop(n, c, x) <body = b (int64 i, bool k, float[N] v) => (bool o, float[N] w, float[N] e)
        { o = Identity(k) w = Add(v, x) e = Neg(w) }> }""",
    """(float[M, N] x) => (float[N] s, float[M, N] y) { z = Constant<value = float[1] {0.5}>()
        t = ReduceSum<keepdims = 0>(x, axes) s, y = Scan(t, x) <num_scan_inputs = 1,
        body = b (float[N] a, float[N] e) => (float[N] d, float[N] f) { d = Add(a, e) f = Mul(d, z) }> }""",
    """(float[N] x) => (seq(float[N]) y) { s = SequenceConstruct(x, x) y = SequenceMap(s) <body = b (float[N] a)
        => (float[N] d) { d = my.Mine(a) }> }""",
    """(float[N] x, float[N] z) => (float[2] y) { a = my.Deep(x, z) p = Cast<to = 7>(a) q = Slice(p, axes, axes)
        r = Concat<axis = 0>(q, axes) t = Cast<to = 1>(r) y = Gather(t, axes) }""",
    """(float[N, 2] x, bool c) => (float[N, 2] y) <float[2, 2] w = {1.0, 0.5, -1.0, 2.0}, float b = {0.25},
        int64[0] none = {}, bool[1, 2] m = {1, 0}, string[2] names = {"a", "b"}> {
        h = MatMul(x, w) s = com.acme.Twice(h) p = Softplus(s) k = Constant<value = double[1, 1, 2] {0.5, 1e300}>()
        u = CastLike(k, p) v = Reshape(u, shape) z = Where(m, p, b)
        y = If (c) <then_branch = f () => (q) { q = Add(z, v) },
        else_branch = g () => (r) <float[1, 2] inner = {0.5, 0.25}> { r = Mul(z, inner) }> }""",
)
_FUNCTIONS = """
<domain: "my", opset_import: ["": 18, "com.acme": 1]>
Mine <alpha: float = 0.25> (x) => (y) { t = com.acme.Swish<alpha: float = @alpha>(x) y = com.acme.Twice(t) }
<domain: "my", opset_import: ["": 18, "my": 1]>
Deep (x, z) => (y) { a = my.Mine<alpha = 0.5>(x) b = CastLike(z, a) y = Add(a, b) }"""


def bases() -> Iterator[ModelProto]:
    """Valid models with every construct that a change can reach."""
    for version in (13, 18, 22):
        for index, text in enumerate(_BASES):
            head = f'<ir_version: 10, opset_import: ["": {version}, "my": 1, "com.acme": 1]>'
            model = parse(f"{head} g {text} {_FUNCTIONS}")
            if index in (2, 4):
                model.graph.initializer.append(helper.make_tensor("axes", TensorProto.INT64, [1], [0]))
            if index == 5:
                model.graph.initializer.append(helper.make_tensor("shape", TensorProto.INT64, [2], [1, 2]))
            yield model


def seeds() -> list[bytes]:
    """Models to start from: valid ones, those that libraries were attached to, and hostile ones made by hand."""
    from opwright import DiagnosticError
    from opwright.link.apply import attach_libraries

    from tests.link.conftest import make_acme, make_standard

    found = list(bases())
    for model in list(found):
        try:
            found.append(attach_libraries(model, [make_acme(), make_standard()], replace=True).model)
        except DiagnosticError:
            continue
    return [*(model.SerializeToString() for model in found), *(data for _, data in by_hand() if len(data) < 50_000)]


def changed_model(data: bytes, numbers: random.Random) -> bytes:
    """The model with a few changes of its meaning, or of its bytes."""
    if numbers.random() < 0.4:
        for _ in range(numbers.randint(1, 4)):
            data = changed(data, numbers)
        return data
    try:
        model = ModelProto.FromString(data)
        for _ in range(numbers.randint(1, 4)):
            numbers.choice(CHANGES)(model, numbers)
        return model.SerializeToString()
    except (DecodeError, IndexError, ValueError, TypeError, UnicodeError):
        return changed(data, numbers)


def changed_bytes(data: bytes, numbers: random.Random) -> bytes:
    """A few bytes replaced, cut, doubled or moved."""
    found = bytearray(data)
    for _ in range(numbers.randint(1, 4)):
        at, size = numbers.randrange(len(found) + 1), numbers.choice((1, 1, 4, 60))
        match numbers.randrange(4):
            case 0:
                found[at : at + size] = numbers.randbytes(size)
            case 1:
                del found[at : at + size]
            case 2:
                found[at:at] = found[at : at + size]
            case _:
                other = numbers.randrange(len(found) + 1)
                found[at : at + size] = found[other : other + size]
    return bytes(found)


def changed_library(data: bytes, numbers: random.Random) -> bytes:
    """The bundle of format 2 with a part of its index changed, and every digest above that as it should be."""
    names = ("Twice", "Floor", "Swish")
    try:
        match numbers.randrange(3):
            case 0:
                return with_library(data, lambda value: mutate(value, numbers))
            case 1:
                return with_table(data, lambda value: mutate(value, numbers))
            case _:
                return with_function(data, numbers.choice(names), lambda value: mutate(value, numbers))
    except (ValueError, KeyError, IndexError, TypeError):  # it cannot be written
        return changed_bytes(data, numbers)
