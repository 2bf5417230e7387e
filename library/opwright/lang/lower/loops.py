"""`for` and `while` as a `Loop`."""

from __future__ import annotations

import ast
from functools import partial

from opwright.lang import ir
from opwright.lang.infer import unify
from opwright.lang.lower.arithmetic import binary
from opwright.lang.lower.branches import Branch, changed_names
from opwright.lang.lower.conditions import as_scalar, choose, lower_condition, truth
from opwright.lang.lower.context import (
    POISON,
    AttributeOperand,
    Environment,
    LoopKey,
    Lowering,
    Operand,
    Poison,
    Unbound,
)
from opwright.lang.lower.expressions import lower_expression
from opwright.lang.lower.flow import (
    BROKE,
    CONTINUED,
    COUNT,
    PLACE,
    RETURNED,
    VACANT,
    is_flag,
    is_hidden,
    none_set,
)
from opwright.lang.lower.joins import filler, joined_type
from opwright.lang.lower.known import Attempt, NeedsCopies, loop_key, need_rank, need_static
from opwright.lang.lower.lists import items_of
from opwright.lang.lower.numbers import (
    as_tensor,
    carried,
    cast,
    describe,
    is_number,
    is_static_number,
    narrow,
    number_kind,
)
from opwright.lang.lower.sequences import (
    as_sequence,
    entering_sequence,
    grown_names,
    is_list,
    is_list_of_tensors,
    is_sequence,
    may_change,
    sequence_length,
    subscript_sequence,
    unknown_items,
)
from opwright.lang.lower.statements import assigned_names, lower_block, nested
from opwright.lang.lower.tuples import is_tuple
from opwright.lang.lower.unroll import leave, outer_flags, try_loop, unroll
from opwright.lang.resolve import BuiltinObject
from opwright.lang.source import Span, span_of
from opwright.lang.static import StaticList
from opwright.opsets.signatures import elements_of


class _Range:
    """`range(*bounds)`; `trips` is known, or a rank-0 INT64 value."""

    __slots__ = ("bounds", "start", "step", "trips")

    def __init__(self, start: Operand, step: int, trips: int | ir.Value, bounds: tuple[Operand, ...]) -> None:
        self.start = start
        self.step = step
        self.trips = trips
        self.bounds = bounds

    @property
    def may_be_static(self) -> bool:
        """Whether the items are known, or will be once the function's attributes are."""
        return all(isinstance(bound, (int, AttributeOperand)) for bound in self.bounds)


class _Items(_Range):
    """The items of a sequence."""

    __slots__ = ("sequence",)

    def __init__(self, low: Lowering, sequence: ir.Value, span: Span) -> None:
        super().__init__(0, 1, sequence_length(low, sequence, span), (sequence,))
        self.sequence = sequence


def lower_for(low: Lowering, statement: ast.For, env: Environment) -> None:
    grows = _grows_what_it_runs_over(low, statement, env)
    found = POISON if grows else _iterated(low, statement.iter, env)
    if isinstance(found, tuple):
        unroll(low, statement, found, env)
    elif isinstance(found, _Items):
        _ItemLoop(low, statement, env, found).run()
    elif isinstance(found, _Range):
        run = _ForLoop(low, statement, env, found).run
        if found.may_be_static:
            try_loop(low, statement, env, found.bounds, run)
        else:
            run()
    else:
        for name in assigned_names([statement]):
            env[name] = POISON


def lower_while(low: Lowering, statement: ast.While, env: Environment) -> None:
    first = lower_condition(low, statement.test, env)
    if isinstance(first, Poison):
        for name in assigned_names([statement]):
            env[name] = POISON
    elif first is False:
        lower_block(low, statement.orelse, env)
    else:
        _WhileLoop(low, statement, env, first).run()


def _grows_what_it_runs_over(low: Lowering, statement: ast.For, env: Environment) -> bool:
    """Whether the body changes a list that the loop runs over: Python would see the items that are added."""
    lazy = statement.iter.args if isinstance(statement.iter, ast.Call) else [statement.iter]
    if isinstance(statement.iter, ast.Call):
        name = statement.iter.func.id if isinstance(statement.iter.func, ast.Name) else ""
        lazy = lazy if name in ("enumerate", "zip", "reversed") else []
    names = [item.id for item in lazy if isinstance(item, ast.Name)]
    for name in grown_names(statement.body):
        if name in names and is_list(env.get(name)):
            low.error(
                "OW344",
                f"`{name}` grows while the loop runs over it",
                span_of(statement.iter),
                reason="in Python the loop would run over the new items too",
                help=f"run over a copy: `for ... in {name} + []`, or loop over `range(...)`",
            )
            return True
    return False


def _iterated(low: Lowering, node: ast.expr, env: Environment) -> tuple[Operand, ...] | _Range | _Items | Poison:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        callee = lower_expression(low, node.func, env)
        if isinstance(callee, BuiltinObject) and callee.name == "range" and not callee.module:
            return _range(low, node, env)
    value = lower_expression(low, node, env)
    if is_sequence(value):
        return _Items(low, value, span_of(node))
    return items_of(low, value, span_of(node), "`for`", isinstance(node, ast.Name))


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
        need_static(low, step, span)
        return low.error(
            "OW324",
            "the step of `range` must be an int other than 0 that is known when the function is built",
            span,
            reason=f"it is {describe(step)}; its sign decides how the trips are counted",
            help="",
        )
    if isinstance(start, int) and isinstance(stop, int):
        count = max(0, (int(stop) - int(start) + step - (1 if step > 0 else -1)) // step)
        if count >> 63:
            return low.error("OW324", "`range` makes more trips than an int64 counts", span, f"it makes {count:,}", "")
        return _Range(int(start), step, count, (int(start), int(stop), step))
    start_value, stop_value = (_as_integer(low, operand, span) for operand in (start, stop))
    if isinstance(start_value, Poison) or isinstance(stop_value, Poison):
        return POISON
    trips = _count_trips(low, start if is_static_number(start) else start_value, stop_value, step, span)
    if isinstance(trips, Poison):
        return POISON
    return _Range(start if is_static_number(start) else start_value, step, trips, (start, stop, step))


def _count_trips(low: Lowering, start: Operand, stop: ir.Value, step: int, span: Span) -> ir.Value | Poison:
    """ceil((stop - start) / step); a Loop with fewer than one trip makes none, as range does."""
    length = stop if start == 0 and is_static_number(start) else binary(low, "-", stop, start, span, (span, span))
    if step != 1:
        rounding = step - 1 if step > 0 else step + 1
        length = binary(low, "+", length, rounding, span, (span, span))
        element = low.element_of("int64")
        length = carried(low, length, span)
        if isinstance(length, Poison):
            return POISON
        from opwright.lang.lower.calls import emit
        from opwright.lang.lower.numbers import typed_constant

        divisor = typed_constant(low, step, (), element, span)
        if isinstance(divisor, Poison):
            return POISON
        length = emit(low, "Div", [length, divisor], {}, span)
        length.type = ir.NumberType(ir.NumberKind.INT)
    if isinstance(length, Poison):
        return POISON
    assert isinstance(length, ir.Value)
    return length


def _as_integer(low: Lowering, operand: Operand, span: Span) -> ir.Value | Poison:
    """A bound of `range` as an INT number."""
    need_rank(operand)
    if is_number(operand):
        if number_kind(operand) is ir.NumberKind.FLOAT:
            return low.error("OW314", "`range` takes ints", span, f"{describe(operand)} is a float", "round it first")
        value = carried(low, operand, span)
    elif isinstance(operand, ir.Value) and isinstance(operand.type, ir.TensorType):
        bound = ir.settle(operand.type.element)
        if isinstance(bound, ir.TypeVariable):
            narrow(bound, [item for item in bound.elements if not item.is_integer], "`range`")
        mask = ir.element_mask(bound)
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


# ---------------------------------------------------------------------------------------------------- loops


class _Carried:
    """A value with which a name enters the loop, and the type under which the loop carries it."""

    __slots__ = ("empty", "type", "value")

    def __init__(self, value: ir.Value, type_: ir.Type, empty: bool = False) -> None:
        self.value = value
        self.empty = empty  # an empty list, whose value is made once the loop has told its element type
        self.type = type_


class _Retry(Exception):
    """The body needs names to be carried that are not, or under other types."""

    def __init__(self, wanted: dict[str, ir.Type]) -> None:
        self.wanted = wanted
        super().__init__(*wanted)


class _Loop:
    """A `Loop` of a body: which names it carries, and what they are after it.

    The types of carried names are found by lowering the body until they agree: a number that meets a tensor becomes
    one, a shape that changes becomes unknown. Each round widens all that it finds; where that leads nowhere, since
    what one name became changes what another must be, the names are widened one by one.
    """

    def __init__(self, low: Lowering, statement: ast.For | ast.While, env: Environment) -> None:
        self.low = low
        self.statement = statement
        self.env = env
        self.span = span_of(statement)
        self.grown = [name for name in grown_names(statement.body) if is_list(env.get(name))]
        self.assigned = list(dict.fromkeys([*assigned_names([*self.targets(), *statement.body]), *self.grown]))
        self.carried: dict[str, _Carried] = {}
        self.may_be_static = False
        self.left_names: dict[str, Operand] = {}
        self.wanted: dict[str, ir.Type] = {}  # what this round has found that it should have carried

    # ------------------------------------------------------------------------- what the kinds of loop differ in

    def targets(self) -> list[ast.expr]:
        return []

    def trips(self) -> ir.Value | None:
        return None

    def enter(self, trip: ir.Value, scope: Environment) -> None:
        """Binds what a trip begins with."""

    def computed_bounds(self) -> tuple[ir.Value, ...]:
        """The bounds of its range that are known at run time only."""
        return ()

    def again(self, scope: Environment, goes_on: ir.Value | bool) -> ir.Value | None:
        """Whether there is another trip, as far as the body decides; None after a finding."""
        raise NotImplementedError

    def first(self) -> ir.Value:
        """Whether there is a first trip, as far as this is no matter of the number of trips."""
        return self.constant_bool(True)

    def after(self) -> None:
        """Binds what only this kind of loop knows after it."""

    # ----------------------------------------------------------------------------------------------- all loops

    def run(self) -> None:
        low, env = self.low, self.env
        outer = outer_flags(env)
        for name in self.assigned:
            entering = self.entering(name)
            if not isinstance(entering, (Unbound, Poison)):
                if not self.can_carry(name, entering):
                    return self.poison()
                carried_name = self.initial(name, entering, None)
                if carried_name is None:
                    return self.poison()
                self.carried[name] = carried_name
        node = self.settle()
        if node is None:
            assert low.diagnostics, "a loop is dropped without a finding"
            return self.poison()
        if not self.complete(node):
            return self.poison()
        low.append(node)
        self.leave(node)
        self.after()
        leave(low, env, outer, self.statement.orelse)
        return None

    def complete(self, node: ir.Loop) -> bool:
        """Makes the empty lists with which names enter, now that their element types are known."""
        for index, made in enumerate(self.carried.values()):
            if made.empty:
                empty = as_sequence(self.low, StaticList(), made.type, self.span)
                if isinstance(empty, Poison):
                    return False
                node.initial[index] = empty
        return True

    def settle(self) -> ir.Loop | None:
        """The loop, lowered until the types of what it carries agree; None after a finding."""
        low = self.low
        marks = len(low.diagnostics), low.nodes
        entering, several = dict(self.carried), False
        one_by_one = False
        while True:
            del low.diagnostics[marks[0] :]
            low.nodes = marks[1]
            try:
                node = self.lower()
            except _Retry as retry:
                several = several or len(retry.wanted) > 1
                wanted = dict(list(retry.wanted.items())[: 1 if one_by_one else None])
                found = {name: self.initial(name, self.entering(name), type_) for name, type_ in wanted.items()}
                if None not in found.values():
                    self.carried.update({name: made for name, made in found.items() if made is not None})
                    continue
                node = None
            except NeedsCopies:
                if one_by_one or not several:
                    raise
                node = None
            if node is not None or one_by_one or not several:
                return node
            one_by_one, self.carried = True, entering

    def can_carry(self, name: str, operand: Operand) -> bool:
        """A list, a string or None cannot become what a loop carries: Python's operators on it are not a tensor's."""
        if operand is VACANT or isinstance(operand, ir.Value) or is_number(operand):
            return True
        if is_list_of_tensors(operand):
            return True
        self.need_copies()
        self.low.error(
            "OW321",
            f"`{name}` enters the loop as {describe(operand)}, which a loop cannot change",
            self.span,
            reason="what a loop carries from one trip to the next is a tensor or a number",
            help="begin with a tensor, or loop over a static `range`, so that the loop can be unrolled",
        )
        return False

    def need_copies(self) -> None:
        """Ends the attempt where unrolling is possible."""
        if self.may_be_static and isinstance(self.statement, ast.For):
            raise NeedsCopies(self.statement)

    def entering(self, name: str) -> Operand:
        return self.env.get(
            name, VACANT if is_hidden(name) and not is_flag(name) else False if is_flag(name) else Unbound("")
        )

    def poison(self) -> None:
        for name in self.assigned:
            self.env[name] = POISON

    def constant_bool(self, value: bool) -> ir.Value:
        made = carried(self.low, value, self.span)
        assert isinstance(made, ir.Value)
        return made

    def initial(self, name: str, operand: Operand, wanted: ir.Type | None) -> _Carried | None:
        """The value with which a name enters the loop, of the type that the body has been found to need."""
        low, span = self.low, self.span
        if operand is VACANT or isinstance(operand, Unbound):
            assert wanted is not None
            value: ir.Value | Poison | None = filler(low, wanted, span)
            if value is None:
                self.need_copies()
                value = low.error(
                    "OW308",
                    "a `return` inside a loop needs a value that stands in for it before the loop",
                    span,
                    reason=f"none can be made of {wanted!r}",
                    help="keep the result in a name that is bound before the loop",
                )
            return None if isinstance(value, Poison) else _Carried(value, wanted)
        if isinstance(operand, StaticList):
            type_ = unknown_items()
            if not operand:
                return _Carried(ir.Value(type_, "", span), type_, empty=True)
            value = entering_sequence(low, operand, type_, span)
            return None if isinstance(value, Poison) else _Carried(value, type_)
        if isinstance(wanted, ir.TensorType):
            value = as_tensor(low, operand, wanted.element, span)
            return None if isinstance(value, Poison) else _Carried(value, wanted)
        if is_number(operand):
            value = carried(low, operand, span)
            return None if isinstance(value, Poison) else _Carried(value, ir.NumberType(number_kind(operand)))
        value = as_tensor(low, operand, None, span)
        if isinstance(value, Poison):
            return None
        # Where the body sets a number, the tensor that enters decides what both are.
        return _Carried(value, value.type if wanted is None or isinstance(wanted, ir.NumberType) else wanted)

    def lower(self) -> ir.Loop | None:
        low, span, names = self.low, self.span, list(self.carried)
        trip = ir.Value(ir.NumberType(ir.NumberKind.INT), "trip", span)
        condition = ir.Value(ir.TensorType(low.element_of("bool"), ()), "condition", span)
        parameters = [ir.Value(self.carried[name].type, "" if is_hidden(name) else name, span) for name in names]
        body = ir.Region([trip, condition, *parameters])
        for name, parameter in zip(names, parameters, strict=True):
            if is_sequence(parameter):
                low.lists.derived(parameter, self.entering(name))
        scope = Branch(self.env)
        scope.update(zip(names, parameters, strict=True))
        for flag in (RETURNED, BROKE, CONTINUED):
            scope[flag] = False

        def step() -> list[ir.Value] | None:
            self.wanted = {}
            self.enter(trip, scope)
            lower_block(low, self.statement.body, scope)
            scope[CONTINUED] = False
            again = self.again(scope, none_set(low, scope, (BROKE, RETURNED), span))
            self.check_new_names(scope)
            self.keep_new_names(scope)
            self.check_shared_lists(scope)
            # Where every path of the body has returned, nobody reads what it leaves in the author's names.
            unread = scope.get(RETURNED) is True
            results = [
                parameter if unread and not is_hidden(name) else self.next(name, scope[name], parameter)
                for name, parameter in zip(names, parameters, strict=True)
            ]
            if self.wanted:
                raise _Retry(self.wanted)
            if again is None or any(result is None for result in results):
                return None
            return [again, *(result for result in results if result is not None)]

        attempts = len(low.attempts)
        if isinstance(self.statement, ast.For):
            low.attempts.append(Attempt(self.statement, body, self.computed_bounds()))
        try:
            yields = nested(low, body, span, step)
        finally:
            del low.attempts[attempts:]
        if yields is None:
            return None
        body.yields = yields
        self.left_names = scope
        outputs = [ir.Value(parameter.type, parameter.name, span) for parameter in parameters]
        initial = [self.carried[name].value for name in names]
        return ir.Loop(low.operator("Loop", span), self.trips(), self.first(), initial, body, outputs, span)

    def check_new_names(self, scope: Branch) -> None:
        """Flags and results that the body sets must leave the loop with it."""
        for name in changed_names((scope,), self.low.positions):
            operand = scope.get(name, VACANT)
            if not is_hidden(name) or name in self.carried or name in (CONTINUED, PLACE, COUNT):
                continue
            if operand is VACANT or isinstance(operand, Poison) or operand is self.env.get(name):
                continue
            if operand is False and is_flag(name):
                continue
            if is_number(operand):
                self.wanted[name] = ir.NumberType(number_kind(operand))
                continue
            value = self.handed_on(operand)
            if isinstance(value, ir.Value):
                self.wanted[name] = value.type
        if self.wanted:
            raise _Retry(self.wanted)

    def handed_on(self, operand: Operand) -> ir.Value | Poison:
        """What a `return` inside the loop gives, as a value that can leave it."""
        if is_list_of_tensors(operand):
            return as_sequence(self.low, operand, unknown_items(), self.span)
        if self.low.inlining and is_tuple(operand):
            return self.low.error(
                "OW321",
                f"{describe(operand)} cannot be returned from a loop",
                self.span,
                reason="what leaves a loop is a tensor, a number or a list of tensors",
                help="return it after the loop, or make it a tensor: `op.Identity([...])`",
            )
        return as_tensor(self.low, operand, None, self.span)

    def keep_new_names(self, scope: Branch) -> None:
        """Names that get their value in the first trip, where the code after the loop reads them."""
        if not self.makes_trips() or self.key() not in self.low.plans.kept:
            return
        for name in self.assigned:
            operand = scope.get(name)
            if name in self.carried or not self.is_value(operand):
                continue
            if is_number(operand):
                self.wanted[name] = ir.NumberType(number_kind(operand))
            elif isinstance(operand, ir.Value):
                self.wanted[name] = operand.type
        if self.wanted:
            raise _Retry(self.wanted)

    def key(self) -> LoopKey:
        return loop_key(self.low, self.statement)

    def makes_trips(self) -> bool:
        """Whether the body runs once at least."""
        return False

    @staticmethod
    def is_value(operand: Operand) -> bool:
        return is_number(operand) or isinstance(operand, ir.Value)

    def check_shared_lists(self, scope: Branch) -> None:
        """A list that grows in the body must not be another name's in the next trip."""
        for name in self.grown:
            operand = scope.get(name)
            if is_list(operand):
                may_change(self.low, scope, name, self.span)

    def next(self, name: str, operand: Operand, parameter: ir.Value) -> ir.Value | None:
        """What a trip hands to the next under the parameter's type; None after a finding."""
        low, span = self.low, self.span
        if isinstance(operand, Poison):
            return None
        if isinstance(operand, Unbound):
            low.error(
                "OW308",
                f"`{name}` may have no value at the end of a trip",
                span,
                f"it is not bound {operand.missing_on}",
            )
            return None
        if isinstance(parameter.type, ir.NumberType):
            if is_number(operand) and number_kind(operand) is parameter.type.kind:
                value = carried(low, operand, span)
                return None if isinstance(value, Poison) else value
            if isinstance(operand, ir.Value) and isinstance(operand.type, ir.TensorType):
                self.wanted[name] = operand.type  # the number becomes a tensor of that type before the first trip
                return operand
            self.changes(name, parameter, operand)
            return None
        if is_sequence(parameter) and is_list(operand):
            made = as_sequence(low, operand, parameter.type, span)
            return None if isinstance(made, Poison) else made
        element = parameter.type.element if isinstance(parameter.type, ir.TensorType) else None
        value = as_tensor(low, operand, element, span)
        if isinstance(value, Poison):
            return None
        if not unify(parameter.type, value.type):
            self.changes(name, parameter, operand)
            return None
        both = joined_type(parameter.type, value.type)
        if (
            isinstance(both, ir.TensorType)
            and isinstance(parameter.type, ir.TensorType)
            and both.shape != parameter.type.shape
        ):
            self.wanted[name] = both
        return value

    def changes(self, name: str, parameter: ir.Value, operand: Operand) -> None:
        self.need_copies()
        self.low.error(
            "OW321",
            f"`{name}` changes its type from one trip to the next",
            self.span,
            reason=f"it enters the trip as {describe(parameter)} and leaves it as {describe(operand)}",
            help="give it one type before the loop, for instance with `op.CastLike` or a typed constant `FLOAT(0.0)`",
        )

    def leave(self, node: ir.Loop) -> None:
        for name, result in zip(self.carried, node.results, strict=True):
            if is_sequence(result):
                self.low.lists.derived(result, self.entering(name), self.left_names.get(name))
            self.env[name] = result
        key = self.key() if self.may_be_static else None
        for name in self.assigned:
            if name not in self.carried:
                left = self.left_names.get(name)
                inner = left.loop if isinstance(left, Unbound) else None  # that a loop in the body could hand on
                keeps = (key if self.is_value(left) else inner) if self.makes_trips() else None
                self.env[name] = Unbound("in this scope: it is bound inside the loop only", keeps)
        if key is not None:
            self.low.loop_results.update(dict.fromkeys(map(id, node.results), key))
        for name in (PLACE, COUNT):
            if name in self.left_names:
                self.env[name] = self.left_names[name]


class _ForLoop(_Loop):
    """`for name in range(...)`."""

    statement: ast.For

    def __init__(self, low: Lowering, statement: ast.For, env: Environment, over: _Range) -> None:
        self.over = over
        self.last: int | None = None
        self.name = statement.target.id if isinstance(statement.target, ast.Name) else ""
        super().__init__(low, statement, env)
        self.may_be_static = over.may_be_static
        makes_trips = isinstance(over.trips, int) and over.trips > 0
        leaves_early = any(isinstance(inner, ast.Break) for inner in ast.walk(statement))
        reassigned = self.name in assigned_names(statement.body)
        if makes_trips and isinstance(over.start, int) and not leaves_early and not reassigned:
            assert isinstance(over.trips, int)
            self.last = over.start + (over.trips - 1) * over.step

    def run(self) -> None:
        if not self.name:
            self.low.error("OW328", "the items of a range are single numbers", span_of(self.statement.target))
            return self.poison()
        if self.over.trips == 0:
            return lower_block(self.low, self.statement.orelse, self.env)
        return super().run()

    def targets(self) -> list[ast.expr]:
        return [self.statement.target] if self.name else []

    def entering(self, name: str) -> Operand:
        if name == self.name and (self.last is not None or not is_number(self.env.get(name))):
            makes_trips = isinstance(self.over.trips, int) and self.over.trips > 0
            # The name has a value after at least one trip, whatever it was before.
            return 0 if makes_trips and self.last is None else Unbound("when the loop makes no trip")
        return super().entering(name)

    def trips(self) -> ir.Value | None:
        trips = self.over.trips
        if not isinstance(trips, int):
            return trips
        data = ir.TensorData(self.low.element_of("int64"), (), trips.to_bytes(8, "little"))
        return self.low.constant(data, self.span)

    def makes_trips(self) -> bool:
        return isinstance(self.over.trips, int) and self.over.trips > 0

    def computed_bounds(self) -> tuple[ir.Value, ...]:
        return tuple(bound for bound in self.over.bounds if isinstance(bound, ir.Value))

    def enter(self, trip: ir.Value, scope: Environment) -> None:
        spans = (self.span, self.span)
        scaled = trip if self.over.step == 1 else binary(self.low, "*", trip, self.over.step, self.span, spans)
        start = self.over.start
        at_zero = is_static_number(start) and start == 0
        scope[self.name] = scaled if at_zero else binary(self.low, "+", scaled, start, self.span, spans)

    def again(self, scope: Environment, goes_on: ir.Value | bool) -> ir.Value | None:
        return self.constant_bool(goes_on) if isinstance(goes_on, bool) else goes_on

    def after(self) -> None:
        if self.last is not None:
            self.env[self.name] = self.last
        elif self.name not in self.carried:
            self.env[self.name] = Unbound("when the loop makes no trip")


class _ItemLoop(_ForLoop):
    """`for y in ys`, where `ys` is a sequence."""

    over: _Items

    def enter(self, trip: ir.Value, scope: Environment) -> None:
        scope[self.name] = subscript_sequence(self.low, self.over.sequence, trip, self.span)


class _WhileLoop(_Loop):
    """`while condition`: the condition is evaluated before the first trip and at the end of each that goes on."""

    statement: ast.While

    def __init__(self, low: Lowering, statement: ast.While, env: Environment, first: ir.Value | bool) -> None:
        super().__init__(low, statement, env)
        self._first = first
        self._leaves_by_return = first is True and not any(
            isinstance(inner, ast.Break) for inner in ast.walk(statement)
        )

    def first(self) -> ir.Value:
        return self.flag(self._first)

    def flag(self, condition: ir.Value | bool) -> ir.Value:
        """The condition with rank 0, which a Loop needs and one element of a higher rank has not."""
        if isinstance(condition, bool):
            return self.constant_bool(condition)
        return as_scalar(self.low, condition, self.span)

    def again(self, scope: Environment, goes_on: ir.Value | bool) -> ir.Value | None:
        low = self.low
        if goes_on is False:
            return self.constant_bool(False)

        def test() -> Operand:
            condition = lower_condition(low, self.statement.test, scope)
            self._leaves_by_return = self._leaves_by_return and condition is True
            return condition

        found = test() if goes_on is True else choose(low, goes_on, self.span, (test, partial(bool, False)))
        if isinstance(found, Poison):
            return None
        made = truth(low, found, self.span)
        if isinstance(made, Poison):
            return None
        return self.flag(made)

    def after(self) -> None:
        """`while True` without `break` is left by `return` alone, so nothing behind it is reached."""
        if self._leaves_by_return and RETURNED in self.env:
            self.env[RETURNED] = True
