"""The nodes that stand in the place of one, where a node of another version does not do alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from onnx import (
    AttributeProto,
    FunctionProto,
    GraphProto,
    ModelProto,
    NodeProto,
    TensorProto,
    ValueInfoProto,
    helper,
    numpy_helper,
)

from opwright.downlevel.form import Form
from opwright.graphs.walk import all_graphs, graphs_in, names_of
from opwright.link.replaced import remember_replaced
from opwright.opsets.records import (
    ADD,
    CAST,
    CONCAT,
    CONSTANT,
    CONSTANT_OF_SHAPE,
    EQUAL,
    FLATTEN,
    GATHER,
    IF,
    MUL,
    REDUCE_PROD,
    RESHAPE,
    SEQUENCE_INSERT,
    SHAPE,
    SIZE,
    SLICE,
    SUB,
)
from opwright.opsets.version_rules import Replacement

Fresh = Callable[[str], str]  # a name that nothing in the model or function has, made from another one


def put_replacements(model: ModelProto, forms: Iterable[Form], mark: str) -> None:
    """Puts the nodes of each form in the place of its node. With the mark of a conversion it is written down on them
    what that was, for detach.

    The node itself becomes the last of them, and all others stay the objects that they are.
    """
    by_node = {id(form.visit.node): form for form in forms}
    if not by_node:
        return
    fresh = _fresh_names(name for graph in all_graphs(model.graph) for name in names_of(graph))
    for graph in list(all_graphs(model.graph)):
        _put(graph, by_node, fresh, mark)
    for function in model.functions:
        held = list(graphs_in(function))
        own = (*function.input, *function.output, *(name for node in function.node for name in node.output))
        fresh = _fresh_names([*own, *(name for graph in held for name in names_of(graph))])
        _put(function, by_node, fresh, mark)
        for graph in held:
            _put(graph, by_node, fresh, mark)


def _put(owner: GraphProto | FunctionProto, by_node: dict[int, Form], fresh: Fresh, mark: str) -> None:
    places = [(index, form) for index, node in enumerate(owner.node) if (form := by_node.get(id(node))) is not None]
    groups = [(index, form.visit.node, _group(form, fresh)) for index, form in places]
    for index, node, group in reversed(groups):
        if mark:
            remember_replaced(node, group, mark)
        node.CopyFrom(group[-1])
        for item in reversed(group[:-1]):
            owner.node.insert(index, item)


def _fresh_names(taken: Iterable[str]) -> Fresh:
    used = set(taken)

    def fresh(hint: str) -> str:
        number = 0
        while (name := f"{hint}_{number}") in used:
            number += 1
        used.add(name)
        return name

    return fresh


def _group(form: Form, fresh: Fresh) -> list[NodeProto]:
    """The nodes in their order; the last one gives what the node gave."""
    old = form.visit.node
    given = next(filter(None, old.output), old.op_type)
    group: list[NodeProto] = []
    inputs = []
    for source in form.inputs_:
        if isinstance(source, str):
            inputs.append(source)
            continue
        constant = (
            _constant(source, fresh(given)) if isinstance(source, TensorProto) else _referring(source, fresh(given))
        )
        group.append(constant)
        inputs.append(constant.output[0])
    node = NodeProto()
    node.CopyFrom(old)
    node.op_type = form.operator
    del node.input[:], node.output[:], node.attribute[:]
    node.input.extend(inputs)
    node.output.extend(form.outputs_)
    node.attribute.extend(form.attributes.values())
    if form.replacement is None:
        return [*group, node]
    how, values = form.replacement
    around = _AROUND[how](node, values, form.goal, lambda: fresh(given))
    return [*group, *around]


def _sliced(node: NodeProto, values: Sequence[int], goal: int, fresh: Callable[[], str]) -> list[NodeProto]:
    (given,), whole = node.output, fresh()
    node.output[0] = whole
    limits = [_integers([value], fresh()) for value in values]
    part = helper.make_node(SLICE.name, [whole, *(limit.output[0] for limit in limits)], [given])
    return [node, *limits, part]


def _grown(node: NodeProto, values: Sequence[int], goal: int, fresh: Callable[[], str]) -> list[NodeProto]:
    item, grown = fresh(), fresh()
    insert = helper.make_node(SEQUENCE_INSERT.name, [node.input[0], item], [grown])
    node.input[0] = grown
    return [_constant(TensorProto(data_type=values[0], dims=[0]), item), insert, node]


def _flattened(node: NodeProto, values: Sequence[int], goal: int, fresh: Callable[[], str]) -> list[NodeProto]:
    (given,), matrix, result, sizes = node.output, fresh(), fresh(), fresh()
    shape = helper.make_node(SHAPE.name, [node.input[0]], [sizes])
    flatten = helper.make_node(FLATTEN.name, [node.input[0]], [matrix], axis=values[0])
    node.input[0], node.output[0] = matrix, result
    back = helper.make_node(RESHAPE.name, [result, sizes], [given])
    if goal < _ZEROS_SINCE:
        return [shape, flatten, node, *_unless_zero(back, (), goal, fresh)]
    back.attribute.append(helper.make_attribute("allowzero", 1))
    return [shape, flatten, node, back]


_ZEROS_SINCE = 14  # the opset at which Reshape may take a zero as a size


def _unless_zero(node: NodeProto, values: Sequence[int], goal: int, fresh: Callable[[], str]) -> list[NodeProto]:
    """A reshape where the shape holds no zero; else there are no elements, and the shape is all that there is.

    Of constants runtimes compute both branches before one is taken, and refuse the model where that fails. So each of
    them does something that is always possible where it is not the one.
    """
    (source, shape), (given,) = node.input, node.output
    product, zero, has_zero, asked, nothing = (fresh() for _ in range(5))
    node.output[0] = fresh()
    then = _empty(source, shape, nothing, fresh, asked)
    no_elements = helper.make_graph(then, "no_elements", [], [ValueInfoProto(name=nothing)])
    held = [*_or_flat(node, asked, fresh), node]
    elements = helper.make_graph(held, "elements", [], [ValueInfoProto(name=node.output[0])])
    choice = helper.make_node(IF.name, [has_zero], [given])
    choice.attribute.append(helper.make_attribute("then_branch", no_elements))
    choice.attribute.append(helper.make_attribute("else_branch", elements))
    return [
        helper.make_node(REDUCE_PROD.name, [shape], [product]),
        _integers([0], zero),
        helper.make_node(EQUAL.name, [product, zero], [has_zero]),
        helper.make_node(CAST.name, [has_zero], [asked], to=TensorProto.INT64),
        choice,
    ]


def _or_flat(node: NodeProto, flat: str, fresh: Callable[[], str]) -> list[NodeProto]:
    """Makes a reshape one to a single dimension where `flat` is 1 and not 0; the nodes that choose its shape."""
    shape = node.input[1]
    one, both, count, start, end, node.input[1] = (fresh() for _ in range(6))
    return [
        _integers([-1], one),
        helper.make_node(CONCAT.name, [shape, one], [both], axis=0),
        helper.make_node(SIZE.name, [shape], [count]),
        helper.make_node(MUL.name, [count, flat], [start]),
        helper.make_node(ADD.name, [count, flat], [end]),
        helper.make_node(SLICE.name, [both, start, end], [node.input[1]]),
    ]


def _nothing(node: NodeProto, values: Sequence[int], goal: int, fresh: Callable[[], str]) -> list[NodeProto]:
    (source, shape), (given,) = node.input, node.output
    return _empty(source, shape, given, fresh)


def _empty(source: str, shape: str, given: str, fresh: Callable[[], str], asked: str = "") -> list[NodeProto]:
    """No elements, of the type of the input, in a shape that holds a zero. With elements to place, or a size of -1,
    there is no such shape: a size becomes negative, which runtimes refuse as they refuse the reshape. Where `asked` is
    given, and is 0 and not 1, all sizes are zero."""
    count, left, indices, flat, row = (fresh() for _ in range(5))
    sizes = fresh() if asked else left
    zeros = numpy_helper.from_array(np.zeros(1, np.int64))
    masked = [helper.make_node(MUL.name, [left, asked], [sizes])] if asked else []
    return [
        helper.make_node(SIZE.name, [source], [count]),
        helper.make_node(SUB.name, [shape, count], [left]),
        *masked,
        helper.make_node(CONSTANT_OF_SHAPE.name, [sizes], [indices], value=zeros),
        _integers([-1], flat),
        helper.make_node(RESHAPE.name, [source, flat], [row]),
        helper.make_node(GATHER.name, [row, indices], [given]),
    ]


_AROUND: dict[Replacement, Callable[[NodeProto, Sequence[int], int, Callable[[], str]], list[NodeProto]]] = {
    Replacement.SLICED: _sliced,
    Replacement.GROWN: _grown,
    Replacement.FLATTENED: _flattened,
    Replacement.ZEROS: _unless_zero,
    Replacement.NOTHING: _nothing,
}


def _integers(values: Sequence[int], name: str) -> NodeProto:
    return _constant(numpy_helper.from_array(np.array(values, np.int64)), name)


def _referring(attribute: AttributeProto, name: str) -> NodeProto:
    """A constant that is an attribute of the function around."""
    return NodeProto(op_type=CONSTANT.name, output=[name], attribute=[attribute])


def _constant(tensor: TensorProto, name: str) -> NodeProto:
    return helper.make_node(CONSTANT.name, [], [name], value=tensor)
