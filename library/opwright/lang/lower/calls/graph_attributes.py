"""Functions passed to operators as graph attributes: `op.Scan(0, X, body=step, num_scan_inputs=1)`.

What the parameters of such a function are follows from the operator's other inputs. A state that enters as a number
and meets tensors in the body becomes one: the body is lowered until the types of its states agree.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from opwright.diagnostics.diagnostic import Choice
from opwright.elements import BY_CODE, BY_NAME
from opwright.lang import ir
from opwright.lang.infer.result_types import Mismatch, bind
from opwright.lang.lower.calls.function_calls import run_body
from opwright.lang.lower.calls.graph_states import State, check_rank, rank_of
from opwright.lang.lower.calls.nested import enter
from opwright.lang.lower.calls.open_calls import signature_of_call
from opwright.lang.lower.calls.scan_ranks import yielded_ranks
from opwright.lang.lower.calls.written_calls import check_arguments
from opwright.lang.lower.expressions.conditions import as_condition
from opwright.lang.lower.expressions.joins import join_values, unsized
from opwright.lang.lower.nodes.emitted_calls import report_mismatch
from opwright.lang.lower.numbers.number_operands import as_tensor, constant_items, describe, how_to_agree
from opwright.lang.lower.paths.speculate import speculate
from opwright.lang.lower.state.context import Lowering, complete
from opwright.lang.lower.state.poison import Parts, Poisoned, each
from opwright.lang.lower.values.annotated import declare_parameter, declared_rank, promise
from opwright.lang.meaning.objects import FunctionObject, NestedObject, OperatorObject
from opwright.lang.meaning.operands import Arguments, Environment, Operand, is_sequence, is_tensor
from opwright.lang.meaning.static import is_int
from opwright.lang.text.source import Span
from opwright.opsets.domains import normal_domain
from opwright.opsets.implied import ImpliedSignature
from opwright.opsets.record import Role
from opwright.opsets.records import SCAN
from opwright.opsets.signatures import AttributeSpec, Signature

GraphFunction = NestedObject | FunctionObject
FLOAT, DOUBLE = BY_NAME["float"], BY_NAME["double"]


def call_with_graphs(low: Lowering, callee: OperatorObject, arguments: Arguments, env: Environment) -> Operand:
    """A call of an operator that is given functions as graphs: all its results."""
    domain = normal_domain(callee.opset.domain)
    signature = low.target.lookup(domain, callee.name)
    if signature is None and callee.opset.open is not None:
        signature = signature_of_call(low, callee, arguments)
    if signature is None:
        raise low.unknown_operator(domain, callee.name, arguments.callee_span)
    form = _of_unknown if isinstance(signature, ImpliedSignature) else _FORMS.get(signature.record.role)
    if form is None:
        raise low.error(
            "OW356",
            f"{signature.identity} cannot be given a function",
            arguments.callee_span,
            reason="only If, Loop, Scan, SequenceMap and FlexAttention can be given functions",
            help="write a `for` loop or an `if`",
            subject=callee.name,
        )
    return form(_GraphCall(low, signature, arguments, env))


class _GraphCall:
    """One call: its arguments without the functions, and the functions by attribute."""

    def __init__(self, low: Lowering, signature: Signature, arguments: Arguments, env: Environment) -> None:
        self.low = low
        self.signature = signature
        self.env = env
        self.span = arguments.span
        self.functions: dict[str, tuple[GraphFunction, Span]] = {}
        keywords = {}
        for name, (operand, span) in arguments.keywords.items():
            formal = signature.attributes.get(name)
            if isinstance(operand, (NestedObject, FunctionObject)) and formal is not None and formal.kind == "GRAPH":
                self.functions[name] = (operand, span)
            else:
                keywords[name] = (operand, span)
        self.arguments = Arguments(
            list(arguments.positional),
            keywords,
            arguments.result_count,
            span=arguments.span,
            callee_span=arguments.callee_span,
        )

    def function(self, name: str) -> tuple[GraphFunction, Span]:
        """The function that is given as a graph."""
        found = self.functions.get(name)
        if found is None:
            raise self.low.error(
                "OW206",
                f"{self.signature.name} needs its attribute `{name}`",
                self.span,
                reason="it is a graph",
                help=f"write `{name}=` and a function",
                subject=self.signature.name,
                depends_on=Choice.OPSET,
            )
        return found

    def declares_list(self, name: str, index: int) -> bool:
        """Whether a parameter of a function that is given as a graph is declared with rank 1."""
        found = self.functions.get(name)
        if found is None:
            return False
        arguments = [*found[0].node.args.posonlyargs, *found[0].node.args.args]
        return index < len(arguments) and declared_rank(arguments[index].annotation, found[0].scope) == 1

    def lower(self, function: GraphFunction, span: Span, parameters: list[ir.Value], finish: Finish) -> ir.Region:
        """The function's body as a region; `finish` turns what it returns into what the region yields."""
        low, node = self.low, function.node
        names = [argument.arg for argument in (*node.args.posonlyargs, *node.args.args)]
        least = len(names) - len(node.args.defaults)
        if node.args.vararg is None and not least <= len(parameters) <= len(names):
            takes = len(names) if least == len(names) else f"{least} to {len(names)}"
            raise low.error(
                "OW356",
                f"{self.signature.name} gives `{node.name}` {len(parameters)} values, and it takes {takes}",
                span,
                reason=f"`{node.name}` is defined in line {low.scope.module.source.line(node.lineno)}",
                help="give it one parameter for each",
            )
        region = ir.Region(parameters)
        for parameter, argument in zip(parameters, (*node.args.posonlyargs, *node.args.args), strict=False):
            parameter.name = argument.arg
            if argument.annotation is not None:
                declare_parameter(low, region, argument.annotation, parameter, function.scope)

        def step() -> list[ir.Value]:
            if function.run is not None:
                returned = function.run(list(parameters))
                return finish(returned if isinstance(returned, tuple) else (returned,))
            given: list[tuple[Operand, Span]] = [(parameter, span) for parameter in parameters]
            inner = enter(low, function, Arguments(given, {}, None, span=self.span, callee_span=span), self.env)
            found = run_body(low, node, function.scope, inner, self.env, self.span, function.frame is None)
            return finish(found if isinstance(found, tuple) else () if found is None else (found,))

        region.yields = low.nested(region, self.span, step)
        promise(low, region, node.returns, function.scope)
        return region

    def emit(
        self, inputs: list[ir.Value | None], attributes: dict[str, ir.Attribute], types: list[ir.Type]
    ) -> list[ir.Value]:
        """The node; all its results."""
        operator = ir.Operator(self.signature)
        results = [ir.Value(type_, "", self.span) for type_ in types]
        full = complete(self.signature, attributes)
        self.low.append(ir.Call(operator, inputs, full, list(results), self.span))
        return results

    def checked(self) -> tuple[list[ir.Value | None], dict[str, ir.Attribute]]:
        """The inputs as values, and the attributes but the graphs."""
        kept = {name: spec for name, spec in self.signature.attributes.items() if name not in self.functions}
        signature = _without_graphs(self.signature, kept)
        found = check_arguments(self.low, signature, self.arguments)
        inputs, attributes, spans = found
        try:
            bind(signature, inputs, self.low.trail)
        except Mismatch as mismatch:
            raise report_mismatch(self.low, signature, inputs, mismatch, spans) from None
        return inputs, attributes


Finish = Callable[[tuple[Operand, ...]], list[ir.Value]]


def _without_graphs(signature: Signature, attributes: dict[str, AttributeSpec]) -> Signature:
    """The same signature without the attributes that are given as functions."""
    made = Signature.__new__(Signature)
    for slot in Signature.__slots__:
        setattr(made, slot, getattr(signature, slot))
    made.attributes = attributes
    made.kinds = {name: kind for name, kind in signature.kinds.items() if name in attributes}
    made.explicit_defaults = None
    return made


def _tensors(low: Lowering, operands: Sequence[Operand], span: Span, what: str) -> list[ir.Value]:
    """What a body returns, each as a tensor or sequence."""
    made: list[ir.Value] = []
    for operand in operands:
        value = as_tensor(low, operand, None, span)
        if value.optional:
            raise low.error("OW326", f"{what} gives `{value.name}`, which may be absent", span)
        made.append(value)
    return made


# ----------------------------------------------------------------------------------------------------- Scan, Loop


def _one_or_all(results: list[ir.Value]) -> Operand:
    return results[0] if len(results) == 1 else tuple(results)


def _settle(
    call: _GraphCall, states: list[State], leading: list[ir.Value], trailing: list[ir.Value]
) -> tuple[ir.Region, list[ir.Value]]:
    """The body, lowered until the types of its states agree, and the values with which they enter.

    `leading` and `trailing` are its parameters around the states. Where there are leading ones, it returns whether to
    go on before its states.
    """
    low = call.low
    function, span = call.function("body")
    before = 1 if leading else 0
    widened = False

    def finish(returned: tuple[Operand, ...]) -> list[ir.Value]:
        nonlocal widened
        if len(returned) < before + len(states):
            raise low.error(
                "OW356",
                f"`{function.node.name}` returns {len(returned)} values of at least {before + len(states)}",
                span,
                reason=f"a body of {call.signature.name} returns "
                + ("whether to go on, then " if before else "")
                + "each state, then what is collected",
            )
        given = returned[before : before + len(states)]
        if not before:  # a Scan
            each(lambda pair: check_rank(low, *pair, span), zip(states, given, strict=True))
        widened = any(list(map(State.widen, states, given)))
        if widened:
            return []  # this body is lowered again
        name = f"`{function.node.name}`"
        parts = Parts()
        values: list[ir.Value] = []
        with parts:
            values.extend(each(partial(as_condition, low, span=span), returned[:before]))
        with parts:
            pairs = zip(states, given, strict=True)
            values.extend(each(lambda pair: pair[0].hand_on(pair[1], function.node.name), pairs))
        with parts:
            values.extend(_tensors(low, returned[before + len(states) :], span, name))
        parts.close()
        return values

    while True:
        parameters = [ir.Value(state.type, "", span) for state in states]
        first, last = ([ir.Value(value.type, value.name, span) for value in group] for group in (leading, trailing))
        widened = False
        with speculate(low) as trial:
            region = call.lower(function, span, [*first, *parameters, *last], finish)
            if not widened:
                trial.commit()
        if widened:
            continue
        return region, each(State.initial, states)


def _scan(call: _GraphCall) -> Operand:
    low, span = call.low, call.span
    count = call.arguments.keywords.get("num_scan_inputs", (None, span))[0]
    batches = low.target.is_older(call.signature, 9)  # which run side by side, and of which the body knows nothing
    lengths = call.arguments.positional[:1] if batches else []
    operands = call.arguments.positional[len(lengths) :]
    if not is_int(count) or not 1 <= count <= len(operands):
        raise low.error(
            "OW356",
            "Scan needs to know how many of its inputs it runs over",
            span,
            reason=f"`num_scan_inputs` is {describe(count)}, and there are {len(operands)} inputs",
            help="write `num_scan_inputs=1`",
            subject=SCAN.name,
        )
    entering = operands[: len(operands) - count]
    if batches:
        entering = each(lambda pair: (as_tensor(low, pair[0], None, pair[1]), pair[1]), entering)
    states = each(lambda pair: State(low, _without_batches(pair[0]) if batches else pair[0], pair[1]), entering)
    inputs = each(lambda pair: as_tensor(low, pair[0], None, pair[1]), operands[len(operands) - count :])
    for value, (_, place) in zip(inputs, operands[len(states) :], strict=True):
        if rank_of(value.type) == 0:
            raise low.error(
                "OW356",
                "Scan cannot run over a tensor of rank 0",
                place,
                reason="it has no items",
                help="give it a dimension: `op.Reshape(x, [1])`",
                subject=SCAN.name,
            )
    steps = [_without_batch(value) if batches else value for value in inputs]
    items = [ir.Value(_item_type(value), value.name, span) for value in steps]
    region, initial = _settle(call, states, [], items)
    if batches:
        initial = [item for item, _ in entering if isinstance(item, ir.Value)]
    origins = yielded_ranks(low, region, (*initial, *inputs), span)
    call.arguments.positional[:] = [*lengths, *((value, span) for value in (*initial, *inputs))]
    checked = call.checked()
    attributes = {**checked[1], "body": ir.AttributeValue(ir.AttributeKind.GRAPH, region)}
    collected = [_collected_type(value) for value in region.yields[len(states) :]]
    left = [state.type for state in states]
    if batches:
        left = [value.type for value in initial]
        collected = [_collected_type(ir.Value(type_)) for type_ in collected]
    results = call.emit(checked[0], attributes, [*left, *collected])
    for result, origin in zip(results, origins, strict=True):
        low.trail.put(low.rank_origins, result, origin)
    return _one_or_all(results)


def _without_batches(operand: Operand) -> Operand:
    """What a body of Scan sees of an operand before opset 9, whose first dimension is that of batches."""
    return _without_batch(operand) if isinstance(operand, ir.Value) else operand


def _without_batch(value: ir.Value) -> ir.Value:
    return ir.Value(_item_type(value), value.name, value.span)


def _item_type(value: ir.Value) -> ir.Type:
    """One step of a scanned tensor: a dimension less. Which one does not matter here."""
    if not is_tensor(value):
        return ir.UnknownType()
    shape = value.type.shape
    return ir.TensorType(value.type.element, None if not shape else (None,) * (len(shape) - 1))


def _collected_type(value: ir.Value) -> ir.Type:
    """What all trips give, stacked."""
    if not is_tensor(value):
        return ir.UnknownType()
    shape = value.type.shape
    return ir.TensorType(value.type.element, None if shape is None else (None,) * (len(shape) + 1))


def _loop(call: _GraphCall) -> Operand:
    low, span = call.low, call.span
    operands = [*call.arguments.positional, *([(None, span)] * (2 - len(call.arguments.positional)))]
    boolean, int64 = low.element_of("bool"), low.element_of("int64")
    trips, entering = operands[:2]
    limits: list[ir.Value | None] = [
        None if trips[0] is None else as_tensor(low, trips[0], int64, trips[1]),
        _true(call, boolean) if entering[0] is None else as_tensor(low, entering[0], boolean, entering[1]),
    ]
    states = each(lambda pair: State(low, *pair), operands[2:])
    # The number of a trip has the rank that the body declares, and the condition that of the one which enters.
    trip = ir.Value(ir.TensorType(int64, (1,) if call.declares_list("body", 0) else ()), "trip", span)
    is_scalar = limits[1] is None or limits[1].type.element is None or limits[1].type.shape == ()
    going = ir.Value(ir.TensorType(boolean, () if is_scalar else None), "condition", span)
    region, initial = _settle(call, states, [trip, going], [])
    call.arguments.positional[:] = [(value, span) for value in (*limits, *initial)]
    checked = call.checked()
    attributes = {**checked[1], "body": ir.AttributeValue(ir.AttributeKind.GRAPH, region)}
    collected = [_collected_type(value) for value in region.yields[1 + len(states) :]]
    return _one_or_all(call.emit(checked[0], attributes, [*(state.left or state.type for state in states), *collected]))


def _true(call: _GraphCall, boolean: ir.Element) -> ir.Value:
    """The condition of a loop that is given none, with the rank that the body declares."""
    listed = call.declares_list("body", 1)
    return constant_items(call.low, (True,) if listed else True, (1,) if listed else (), boolean, call.span)


# --------------------------------------------------------------------------------------------- If, SequenceMap


def _if(call: _GraphCall) -> Operand:
    low, span = call.low, call.span
    parts = Parts()
    condition: ir.Value | None = None
    functions: list[tuple[GraphFunction, Span]] = []
    with parts:
        condition = call.checked()[0][0]
    with parts:
        functions = each(call.function, ("then_branch", "else_branch"))
    parts.close()
    assert condition is not None
    node = ir.If(ir.Operator(call.signature), condition, ir.Region(), ir.Region(), [], span)
    returned: list[tuple[Operand, ...]] = []

    def finish(operands: tuple[Operand, ...]) -> list[ir.Value]:
        returned.append(operands)
        return []

    node.then = call.lower(*functions[0], [], finish)
    node.orelse = call.lower(*functions[1], [], finish)
    if len(returned[0]) != len(returned[1]) or not returned[0]:
        raise low.error(
            "OW307",
            f"the branches return {len(returned[0])} and {len(returned[1])} values",
            span,
            reason="an `If` has the same outputs whichever branch is taken, one at least",
            help="return the same number of values",
            depends_on=Choice.INFERRED_TYPE | Choice.LOOP_FORM,
        )
    for first, second in zip(*returned, strict=True):
        made = join_values(low, (node.then, node.orelse), (first, second), span)
        if made is None:
            raise low.error(
                "OW307",
                "the branches return values of no common type",
                span,
                reason=f"one is {describe(first)}, the other {describe(second)}",
                help=how_to_agree(first, second),
                depends_on=Choice.INFERRED_TYPE | Choice.LOOP_FORM,
            )
        yields = unsized(low, node, made[0], made[1])
        node.then.yields.append(yields[0])
        node.orelse.yields.append(yields[1])
        node.results.append(ir.Value(made[2], "", span))
    for region, found in zip((node.then, node.orelse), functions, strict=True):
        promise(low, region, found[0].node.returns, found[0].scope)
    low.append(node)
    return node.results[0] if len(node.results) == 1 else tuple(node.results)


def _sequence_map(call: _GraphCall) -> Operand:
    low, span = call.low, call.span
    try:
        inputs, attributes = call.checked()
    except Poisoned as wrong:
        wrong.recover()
        call.function("body")
        raise
    found = call.function("body")
    parameters = [ir.Value(_element_type(value), "", span) for value in inputs if value is not None]
    finish = partial(_tensors, low, span=found[1], what=f"`{found[0].node.name}`")
    region = call.lower(*found, parameters, finish)
    graph: dict[str, ir.Attribute] = {"body": ir.AttributeValue(ir.AttributeKind.GRAPH, region)}
    types: list[ir.Type] = [ir.SequenceType(_unshaped(value.type)) for value in region.yields]
    return _one_or_all(call.emit(inputs, attributes | graph, types))


def _flex_attention(call: _GraphCall) -> Operand:
    """Its graphs change scores and probabilities: a tensor of rank 4 each, of the precision of the softmax."""
    low, span = call.low, call.span
    checked = call.checked()
    inputs, attributes = checked
    precision, query = attributes.get("softmax_precision"), inputs[0]
    double = query is not None and is_tensor(query) and query.type.element == DOUBLE
    element = DOUBLE if double else FLOAT
    if precision is not None and precision.integer is not None:
        element = BY_CODE.get(precision.integer, element)
    graphs: dict[str, ir.Attribute] = {}
    for name, (function, place) in call.functions.items():
        parameter = ir.Value(ir.TensorType(element, (None,) * 4), "", span)
        finish = partial(_tensors, low, span=place, what=f"`{function.node.name}`")
        region = call.lower(function, place, [parameter], finish)
        graphs[name] = ir.AttributeValue(ir.AttributeKind.GRAPH, region)
    assert query is not None
    return _one_or_all(call.emit(inputs, attributes | graphs, [_reshaped(query.type)]))


def _reshaped(type_: ir.Type) -> ir.Type:
    return type_ if type_.element is None else ir.TensorType(type_.element, (None,) * 4)


def _element_type(value: ir.Value) -> ir.Type:
    return value.type.item if is_sequence(value) else value.type


def _unshaped(type_: ir.Type) -> ir.Type:
    return type_ if type_.element is None else ir.TensorType(type_.element)


def _of_unknown(call: _GraphCall) -> Operand:
    """An operator that nothing describes: nothing is known of what it gives to its graphs, nor of its results."""
    low, attributes = call.low, dict[str, ir.Attribute]()
    for name, (function, span) in call.functions.items():
        arguments = function.node.args
        parameters = [ir.Value(ir.UnknownType(), item.arg, span) for item in (*arguments.posonlyargs, *arguments.args)]
        finish = partial(_tensors, low, span=span, what=f"`{function.node.name}`")
        region = call.lower(function, span, parameters, finish)
        attributes[name] = ir.AttributeValue(ir.AttributeKind.GRAPH, region)
    checked = call.checked()
    count = call.arguments.result_count or 1
    return _one_or_all(call.emit(checked[0], {**checked[1], **attributes}, [ir.UnknownType()] * count))


_FORMS: dict[Role, Callable[[_GraphCall], Operand]] = {
    Role.IF: _if,
    Role.LOOP: _loop,
    Role.SCAN: _scan,
    Role.SEQUENCE_MAP: _sequence_map,
    Role.FLEX_ATTENTION: _flex_attention,
}
