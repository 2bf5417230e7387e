"""`for`: over a range of runtime length a `Loop`, over a static list unrolled."""

from __future__ import annotations

import ast

from opwright.lang import ir
from opwright.lang.infer import unify
from opwright.lang.lower.arithmetic import binary
from opwright.lang.lower.context import POISON, Environment, Lowering, Operand, Poison, Stop, Unbound
from opwright.lang.lower.expressions import lower_expression
from opwright.lang.lower.joins import joined_type
from opwright.lang.lower.numbers import as_tensor, carried, cast, describe, is_number, is_static_number, number_kind
from opwright.lang.lower.statements import assigned_names, bind_target, lower_block, nested
from opwright.lang.resolve import BuiltinObject
from opwright.lang.source import Span, span_of
from opwright.opsets.signatures import elements_of


class _Range:
    """`range(start, stop, step)`; `trips` is known, or a rank-0 INT64 value."""

    __slots__ = ("start", "step", "trips")

    def __init__(self, start: Operand, step: int, trips: int | ir.Value) -> None:
        self.start = start
        self.step = step
        self.trips = trips


def lower_for(low: Lowering, statement: ast.For, env: Environment) -> None:
    found = _iterated(low, statement.iter, env)
    if isinstance(found, tuple):
        _unroll(low, statement, found, env)
    elif isinstance(found, _Range):
        _loop(low, statement, found, env)
    else:
        for name in assigned_names([statement]):
            env[name] = POISON
        return
    if statement.orelse:  # without `break` the else block always runs
        _body(low, statement.orelse, env)


def _body(low: Lowering, block: list[ast.stmt], env: Environment) -> None:
    end = lower_block(low, block, env)
    if end is not None:
        low.error(
            "OW303",
            "`return` inside a loop is not part of the language yet",
            end.span,
            reason="the loop would have to stop there",
            help="keep the result in a name and return it after the loop",
        )
        raise Stop


def _iterated(low: Lowering, node: ast.expr, env: Environment) -> tuple[Operand, ...] | _Range | Poison:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        callee = lower_expression(low, node.func, env)
        if isinstance(callee, BuiltinObject) and callee.name == "range" and not callee.module:
            return _range(low, node, env)
    value = lower_expression(low, node, env)
    if isinstance(value, (tuple, Poison)):
        return value
    return low.error(
        "OW304",
        f"`for` cannot run over {describe(value)}",
        span_of(node),
        reason="it runs over `range(...)` or a static list",
        help="write `for i in range(n):`",
    )


def _range(low: Lowering, node: ast.Call, env: Environment) -> _Range | Poison:
    span = span_of(node)
    operands = [lower_expression(low, argument, env) for argument in node.args]
    if any(isinstance(operand, Poison) for operand in operands):
        return POISON
    if not 1 <= len(operands) <= 3 or node.keywords:
        return low.error("OW203", "`range` takes one to three numbers", span, "it is Python's own", "")
    start, stop = (0, operands[0]) if len(operands) == 1 else (operands[0], operands[1])
    step = operands[2] if len(operands) == 3 else 1
    if isinstance(step, bool) or not isinstance(step, int) or step == 0:
        return low.error(
            "OW324",
            "the step of `range` must be an int other than 0 that is known when the function is built",
            span,
            reason=f"it is {describe(step)}; its sign decides how the trips are counted",
            help="",
        )
    if isinstance(start, int) and isinstance(stop, int):
        return _Range(int(start), step, len(range(int(start), int(stop), step)))
    start_value, stop_value = (_as_integer(low, operand, span) for operand in (start, stop))
    if isinstance(start_value, Poison) or isinstance(stop_value, Poison):
        return POISON
    return _count_trips(low, start if is_static_number(start) else start_value, stop_value, step, span)


def _count_trips(low: Lowering, start: Operand, stop: ir.Value, step: int, span: Span) -> _Range | Poison:
    """ceil((stop - start) / step); a Loop with fewer than one trip makes none, as range does."""
    length = stop if start == 0 and is_static_number(start) else binary(low, "-", stop, start, span, (span, span))
    if step != 1:
        rounding = step - 1 if step > 0 else step + 1
        length = binary(low, "+", length, rounding, span, (span, span))
        element = low.element_of("int64")
        length = as_tensor(low, length, element, span)
        if isinstance(length, Poison):
            return POISON
        from opwright.lang.lower.calls import emit
        from opwright.lang.lower.numbers import typed_constant

        divisor = typed_constant(low, step, (), element, span)
        assert isinstance(divisor, ir.Value)
        length = emit(low, "Div", [length, divisor], {}, span)
    if isinstance(length, Poison):
        return POISON
    assert isinstance(length, ir.Value)
    return _Range(start, step, length)


def _as_integer(low: Lowering, operand: Operand, span: Span) -> ir.Value | Poison:
    """A bound of `range` as an INT number."""
    if is_number(operand):
        if number_kind(operand) is ir.NumberKind.FLOAT:
            return low.error("OW314", "`range` takes ints", span, f"{describe(operand)} is a float", "round it first")
        value = carried(low, operand, span)
    elif isinstance(operand, ir.Value) and isinstance(operand.type, ir.TensorType):
        mask = ir.element_mask(operand.type.element)
        if any(not item.is_integer for item in elements_of(mask)):
            return low.error("OW314", "`range` takes ints", span, f"it gets {describe(operand)}", "cast it to INT64")
        int64 = low.element_of("int64")
        value = operand if mask == 1 << int64.code else cast(low, operand, int64, span)
    else:
        return low.error("OW314", "`range` takes ints", span, f"it gets {describe(operand)}", "")
    if isinstance(value, Poison):
        return POISON
    if isinstance(value.type, ir.NumberType) and value.type.kind is ir.NumberKind.INT:
        return value
    number = cast(low, value, low.element_of("int64"), span)
    number.type = ir.NumberType(ir.NumberKind.INT)
    return number


def _unroll(low: Lowering, statement: ast.For, items: tuple[Operand, ...], env: Environment) -> None:
    for name in _targets(statement):
        if not items and name not in env:
            env[name] = Unbound("when the list is empty")
    for item in items:
        bind_target(low, statement.target, item, env)
        _body(low, statement.body, env)


def _targets(statement: ast.For) -> list[str]:
    return assigned_names([ast.Expr(statement.target)])


# ---------------------------------------------------------------------------------------------------- loops


def _loop(low: Lowering, statement: ast.For, over: _Range, env: Environment) -> None:
    span = span_of(statement)
    if not isinstance(statement.target, ast.Name):
        low.error("OW328", "the items of a range are single numbers", span_of(statement.target))
        return
    target = statement.target.id
    assigned = [name for name in assigned_names(statement.body) if name != target]
    carried_names = [name for name in assigned if name in env and not isinstance(env[name], (Unbound, Poison))]
    initial = [_initial(low, env[name], None, span) for name in carried_names]
    while True:  # each round widens at least one carried type, of which there are finitely many
        mark = len(low.diagnostics)
        node = _lower_body(low, statement, over, env, carried_names, initial)
        if not isinstance(node, list):
            break
        del low.diagnostics[mark:]
        initial = [
            _initial(low, env[name], wanted, span) if wanted is not None else value
            for name, value, wanted in zip(carried_names, initial, node, strict=True)
        ]
    if node is None:
        for name in assigned:
            env[name] = POISON
        return
    low.append(node)
    for name, result in zip(carried_names, node.results, strict=True):
        env[name] = result
    for name in assigned:
        if name not in carried_names:
            env[name] = Unbound("in this scope: it is bound inside the loop only")
    _bind_index_after(target, over, env, reassigned=target in assigned_names(statement.body))


def _bind_index_after(target: str, over: _Range, env: Environment, reassigned: bool) -> None:
    """The loop's name keeps its last value, where that is certain."""
    if over.trips == 0:
        return
    if reassigned:
        env[target] = Unbound("with one certain value after a loop whose body assigns it")
    elif isinstance(over.start, int) and isinstance(over.trips, int):
        env[target] = over.start + (over.trips - 1) * over.step
    else:
        env[target] = Unbound("when the loop makes no trip")


def _initial(low: Lowering, operand: Operand, wanted: ir.Type | None, span: Span) -> Operand:
    """The value with which a name enters the loop: of the type that the loop has been found to need."""
    if isinstance(wanted, ir.TensorType):
        return _retyped(as_tensor(low, operand, wanted.element, span), wanted)
    if is_number(operand):
        value = carried(low, operand, span)
        return value if isinstance(value, Poison) else _Typed(value, ir.NumberType(number_kind(operand)))
    if isinstance(operand, ir.Value):
        return _Typed(operand, operand.type)
    value = as_tensor(low, operand, None, span)
    return value if isinstance(value, Poison) else _Typed(value, value.type)


class _Typed:
    """A value and the type under which the loop carries it."""

    __slots__ = ("type", "value")

    def __init__(self, value: ir.Value, type_: ir.Type) -> None:
        self.value = value
        self.type = type_


def _retyped(value: ir.Value | Poison, type_: ir.Type) -> Operand:
    return value if isinstance(value, Poison) else _Typed(value, type_)


def _lower_body(
    low: Lowering,
    statement: ast.For,
    over: _Range,
    env: Environment,
    names: list[str],
    initial: list[Operand],
) -> ir.Loop | list[ir.Type | None] | None:
    """The loop; or the types that it needs instead; or None where a finding has been reported."""
    span = span_of(statement)
    entries = [entry for entry in initial if isinstance(entry, _Typed)]
    if len(entries) != len(initial):
        return None
    int64, boolean = low.element_of("int64"), low.element_of("bool")
    trip = ir.Value(ir.NumberType(ir.NumberKind.INT), "trip", span)
    condition = ir.Value(ir.TensorType(boolean, ()), "condition", span)
    parameters = [ir.Value(entry.type, name, span) for name, entry in zip(names, entries, strict=True)]
    body = ir.Region([trip, condition, *parameters])
    scope = {**env, **dict(zip(names, parameters, strict=True))}

    def step() -> list[tuple[ir.Value, ir.Type] | None]:
        assert isinstance(statement.target, ast.Name)
        scope[statement.target.id] = _index(low, trip, over, span)
        _body(low, statement.body, scope)
        return [
            _next(low, scope[name], parameter, name, span) for name, parameter in zip(names, parameters, strict=True)
        ]

    results = nested(low, body, span, step)
    wanted: list[ir.Type | None] = []
    for result, parameter in zip(results, parameters, strict=True):
        if result is None:
            return None
        wanted.append(None if _stable(parameter.type, result[1]) else result[1])
    if any(type_ is not None for type_ in wanted):
        return wanted
    true = low.constant(ir.TensorData(boolean, (), b"\x01"), span)
    body.yields = [true, *(result[0] for result in results if result is not None)]
    trips = over.trips
    if isinstance(trips, int):
        trips = low.constant(ir.TensorData(int64, (), trips.to_bytes(8, "little")), span)
    outputs = [ir.Value(parameter.type, name, span) for name, parameter in zip(names, parameters, strict=True)]
    return ir.Loop(low.operator("Loop", span), trips, true, [entry.value for entry in entries], body, outputs, span)


def _index(low: Lowering, trip: ir.Value, over: _Range, span: Span) -> Operand:
    scaled = trip if over.step == 1 else binary(low, "*", trip, over.step, span, (span, span))
    if is_static_number(over.start) and over.start == 0:
        return scaled
    return binary(low, "+", scaled, over.start, span, (span, span))


def _next(
    low: Lowering, operand: Operand, parameter: ir.Value, name: str, span: Span
) -> tuple[ir.Value, ir.Type] | None:
    """What a trip hands to the next, and the type that both must have; None after a finding."""
    if isinstance(operand, Poison):
        return None
    if isinstance(operand, Unbound):
        low.error(
            "OW308",
            f"`{name}` may have no value at the end of a trip",
            span,
            f"it is not bound {operand.missing_on}",
            "",
        )
        return None
    if isinstance(parameter.type, ir.NumberType):
        if is_number(operand) and number_kind(operand) is parameter.type.kind:
            value = carried(low, operand, span)
            return None if isinstance(value, Poison) else (value, parameter.type)
        if isinstance(operand, ir.Value) and isinstance(operand.type, ir.TensorType):
            return operand, operand.type  # the number becomes a tensor of that type before the first trip
        _changes(low, name, parameter, operand, span)
        return None
    element = parameter.type.element if isinstance(parameter.type, ir.TensorType) else None
    value = as_tensor(low, operand, element, span)
    if isinstance(value, Poison):
        return None
    if not unify(parameter.type, value.type):
        _changes(low, name, parameter, operand, span)
        return None
    return value, joined_type(parameter.type, value.type)


def _changes(low: Lowering, name: str, parameter: ir.Value, operand: Operand, span: Span) -> None:
    low.error(
        "OW321",
        f"`{name}` changes its type from one trip to the next",
        span,
        reason=f"it enters the trip as {describe(parameter)} and leaves it as {describe(operand)}",
        help="give it one type before the loop, for instance with `op.CastLike` or a typed constant `FLOAT(0.0)`",
    )


def _stable(before: ir.Type, after: ir.Type) -> bool:
    if isinstance(before, ir.TensorType) and isinstance(after, ir.TensorType):
        return before.shape == after.shape or before.shape is None
    return type(before) is type(after)
