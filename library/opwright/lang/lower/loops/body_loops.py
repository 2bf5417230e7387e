"""The body of a `Loop` and its loop-carried values."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from contextlib import suppress

from opwright.diagnostics.diagnostic import Choice
from opwright.elements import ElementType
from opwright.lang import ir
from opwright.lang.infer.result_types import narrow_to_result
from opwright.lang.lower.expressions.joins import hand_on
from opwright.lang.lower.nodes.item_ranks import EMPTY, inserted_ranks, item_rank, joined_rank
from opwright.lang.lower.numbers.fillers import filler
from opwright.lang.lower.numbers.mixed import number_kinds
from opwright.lang.lower.numbers.number_operands import (
    as_tensor,
    carried,
    describe,
    is_number,
    is_plain,
    number_kind,
    number_kind_of,
)
from opwright.lang.lower.paths.flow import (
    BROKE,
    CONTINUED,
    COUNT,
    PLACE,
    RETURNED,
    Branch,
    authors_name,
    changed_names,
    is_at_break,
    is_flag,
    is_hidden,
    none_set,
    place_of,
)
from opwright.lang.lower.paths.speculate import speculate
from opwright.lang.lower.state.aggregates import Aggregate, alike, same_static, taken_apart
from opwright.lang.lower.state.context import Lowering
from opwright.lang.lower.state.known import loop_key, no_value
from opwright.lang.lower.state.lowering_parts import Agreed, Attempt
from opwright.lang.lower.state.poison import Copies, Parts, Poisoned
from opwright.lang.lower.statements.statement_rules import lower_block
from opwright.lang.lower.statements.unroll import Exit
from opwright.lang.lower.values.list_changes import check_change, grown_names
from opwright.lang.lower.values.lists import items_of
from opwright.lang.lower.values.sequence_loops import entering_sequence
from opwright.lang.lower.values.sequences import (
    as_sequence,
    is_list,
    is_list_of_tensors,
    unknown_items,
)
from opwright.lang.lower.values.tuples import is_tuple
from opwright.lang.meaning.operands import (
    VACANT,
    Environment,
    IntTuple,
    LoopKey,
    NoValue,
    Operand,
    Poison,
    StaticDict,
    Unbound,
    is_run_time_number,
    is_sequence,
    is_tensor,
)
from opwright.lang.meaning.static import StaticList, StaticNamed
from opwright.lang.text.grammar import has_break, has_return
from opwright.lang.text.source import Span, span_of
from opwright.lang.text.syntax import bound_names
from opwright.opsets.records import LOOP


class _Carried:
    """A value with which a name enters the loop, and the type under which the loop carries it."""

    __slots__ = ("empty", "type", "value")

    def __init__(self, value: ir.Value, type_: ir.Type, empty: bool = False) -> None:
        self.value = value
        self.empty = empty  # an empty list, whose value is made once the loop has told its element type
        self.type = type_


class _Round:
    """What one lowering of the body under the types of now tells of the names that the loop carries."""

    __slots__ = ("guessed", "item_ranks", "learned", "left", "mixed", "node", "reads", "wanted")

    def __init__(self, low: Lowering) -> None:
        self.node: ir.Loop | None = None  # None where names must be carried under other types
        self.left: Environment = {}  # what names are at the end of the body
        self.wanted: dict[str, ir.Type] = {}  # under which names should have been carried
        self.guessed: dict[str, ir.Type] = {}  # lists of whose items a rank is guessed: what else is wanted may follow
        self.learned: Mapping[str, ElementType] = {}  # of the items of lists that enter empty
        self.mixed: dict[str, frozenset[ir.NumberKind]] = {}  # names that carry tensors for more kinds of number
        self.item_ranks: dict[str, int | None] = {}  # of lists whose items have another rank after a trip
        self.reads = low.item_ranks.rank_reads  # how often ranks of items had been asked for before


class BodyLoop:
    """A `Loop` of a body: which names it carries, and what they are after it.

    The types of carried names are found by lowering the body until they agree: a number that meets a tensor becomes
    one, a shape that changes becomes unknown. Each round widens all that it finds; where that leads nowhere, since
    what one name became changes what another must be, the names are widened one by one.
    """

    def __init__(
        self, low: Lowering, statement: ast.For | ast.While, env: Environment, targets: Sequence[ast.expr]
    ) -> None:
        """`targets`: what each trip binds before its body."""
        self.low = low
        self.statement = statement
        self.env = env
        self.span = span_of(statement)
        self.grown = [name for name in grown_names(statement.body) if is_list(env.get(name))]
        self.assigned = list(dict.fromkeys([*bound_names(low.scope.module, [*targets, *statement.body]), *self.grown]))
        self.carried: dict[str, _Carried] = {}
        self.apart: dict[str, Aggregate] = {}  # names that enter as tuples, namedtuples or dictionaries
        self.parts: dict[str, Operand] = {}  # what these are made of, by names such as `pair.0`, which it carries
        self.unread: list[str] = []  # names of which neither a trip nor anything behind the loop reads what they were
        self.may_be_static = False
        self.rank_guesses: set[str] = set()  # empty lists of whose items a rank has been guessed
        self.guessed = False  # whether it carries a flag for its `break` before one has been met
        # What the rounds have told until now.
        self.several = False  # whether one of them has wanted other types for more than one name
        self.learned: dict[str, ElementType] = {}  # by name, of the items of lists that enter empty
        self.mixed: dict[str, frozenset[ir.NumberKind]] = {}  # by name, numbers that are carried as tensors
        self.item_ranks: dict[str, int | None] = {}  # by name, of carried lists

    # ------------------------------------------------------------------------- what the kinds of loop differ in

    def entering(self, name: str) -> Operand:
        """With what a name enters the loop."""
        return self.outside(name)

    def trips(self) -> ir.Value | None:
        return None

    def enter(self, trip: ir.Value, scope: Environment) -> None:
        """Binds what a trip begins with."""

    def computed_bounds(self) -> tuple[ir.Value, ...]:
        """The bounds of its range that are known at run time only."""
        return ()

    def again(self, scope: Environment, goes_on: ir.Value | bool) -> ir.Value:
        """Whether there is another trip, as far as the body decides."""
        raise NotImplementedError

    def first(self) -> ir.Value:
        """Whether there is a first trip, as far as this is no matter of the number of trips."""
        return self.constant_bool(True)

    def after(self) -> None:
        """Binds what only this kind of loop knows after it."""

    # ----------------------------------------------------------------------------------------------- all loops

    def run(self) -> None:
        low = self.low
        loop_exit = Exit(low, self.statement, self.env, self.assigned, self.known_trips())
        liveness = low.liveness()
        for name in self.assigned:
            if liveness is not None and not liveness.is_read_by_loop(name, self.span):
                self.unread.append(name)
                continue
            entering = self.entering(name)
            if not isinstance(entering, (Unbound, Poison)):
                self.carry(name, entering)
        if has_break(self.statement.body) and not has_return(self.statement.body):
            self.guessed = True
            self.carried[BROKE] = self.initial(BROKE, self.entering(BROKE), ir.NumberType(ir.NumberKind.BOOL))
        with loop_exit.trip([name for name in self.assigned if self.is_bound_by_trips(name)]):
            node, left = self.settle()
            self.complete(node)
            low.append(node)
            self.leave(node, left)
        self.after()
        loop_exit.leave(self.is_endless())

    def is_bound_by_trips(self, name: str) -> bool:
        """Whether only the trips say what a name is, and it may be read behind the loop."""
        is_carried = name in self.carried or name in self.apart
        return not is_carried and name not in self.unread and not isinstance(self.entering(name), Poison)

    def complete(self, node: ir.Loop) -> None:
        """Makes the empty lists with which names enter, now that their element types are known."""
        for index, made in enumerate(self.carried.values()):
            if made.empty:
                node.initial[index] = as_sequence(self.low, StaticList(), made.type, self.span)

    def settle(self) -> tuple[ir.Loop, Environment]:
        """The loop, lowered until the types of what it carries agree, and what names are at the end of its body."""
        entering = dict(self.carried)
        with speculate(self.low) as trial:
            try:
                made = self.agree(at_once=True)
                trial.commit()
                return made
            except Poisoned as wrong:
                if not self.several or (wrong.ends and (wrong.because is None or wrong.because.copied_loop is None)):
                    raise
        self.carried = entering
        return self.agree(at_once=False)

    def agree(self, at_once: bool) -> tuple[ir.Loop, Environment]:
        """Lowers the body until no name wants another type, which all get `at_once` or one after the other."""
        entering = {name: made.type.settled() for name, made in self.carried.items()}
        where = (*self.low.loops.copies, *self.key())
        widened = self.begin(where, entering) if at_once else {}
        while True:
            with speculate(self.low) as trial:
                found = self.round()
                found.wanted = found.guessed or found.wanted
                self.note(found)
                if found.node is not None and not found.wanted and not self.was_wrong(found):
                    trial.commit()
                    if at_once and widened:
                        self.low.loops.agreed[where] = Agreed(entering, widened, self.several, dict(self.mixed))
                    return found.node, found.left
                wanted = {name: type_.settled() for name, type_ in found.wanted.items()}
            for name in found.learned:
                self.carried[name] = self.initial(name, self.entering(name), None)
            for name in wanted if at_once else list(wanted)[:1]:
                self.carried[name] = self.initial(name, self.entering(name), wanted[name])
                widened[name] = wanted[name]

    def round(self) -> _Round:
        """Lowers the body under the types of now. Poisoned where it is wrong, and has told nothing that would make it
        another."""
        found = _Round(self.low)
        try:
            found.node = self.lower(found)
        except Poisoned as wrong:
            if wrong.ends:
                raise
            found.learned = self.learned_items() or self.scout()
            if not found.learned and not found.wanted:
                raise
        return found

    def note(self, found: _Round) -> None:
        """Keeps what a round has told, for the rounds after it."""
        self.several = self.several or len(found.wanted) > 1
        self.learned.update(found.learned)
        self.mixed.update(found.mixed)
        self.item_ranks.update(found.item_ranks)

    def learned_items(self) -> dict[str, ElementType]:
        """By name, the element types that the body has told of the items of lists that entered empty: what stands
        before the first `append` may have needed them."""
        found: dict[str, ElementType] = {}
        for name, made in self.carried.items():
            item = made.type.sequence_item
            element = None if item is None or not made.empty or name in self.learned else ir.known_element(item.element)
            if element is not None:
                found[name] = element
        return found

    def scout(self) -> dict[str, ElementType]:
        """What `learned_items` finds after a round in which both paths are taken where a condition is wrong: a list may
        be read by the very condition under which it grows."""
        low = self.low
        if low.scouting or all(not made.empty or name in self.learned for name, made in self.carried.items()):
            return {}
        low.scouting = True
        try:
            with speculate(low):
                with suppress(Poisoned):
                    self.lower(_Round(low))
                return self.learned_items()
        finally:
            low.scouting = False

    def was_wrong(self, found: _Round) -> bool:
        """Whether no path of the body takes its `break`, and it carries a flag for it all the same: not any more."""
        if not self.guessed or found.left[BROKE] is not False:
            return False
        self.guessed = False
        del self.carried[BROKE]
        return True

    def begin(self, where: tuple[object, ...], entering: Mapping[str, ir.Type]) -> dict[str, ir.Type]:
        """Begins with the types on which an earlier round of a loop around this one ended; gives those that differ from
        the ones with which names enter."""
        agreed = self.low.loops.agreed.get(where)
        found = None if agreed is None else agreed.begin(entering)
        if agreed is None or found is None:
            return {}
        for name, type_ in found.items():
            self.carried[name] = self.initial(name, self.entering(name), type_)
        self.several, self.mixed = agreed.several, dict(agreed.mixed)
        return found

    def carry(self, name: str, operand: Operand) -> None:
        """Carries what a name enters with, a text as a STRING; of a tuple, a namedtuple or a dictionary its parts, of
        which those that no loop carries, and texts, stay what they are."""
        if can_be_carried(operand):
            self.carried[name] = self.initial(name, operand, None)
            return
        self.need_copies()
        whole = taken_apart(operand) if isinstance(operand, (tuple, StaticNamed, StaticDict)) else None
        if whole is not None:
            self.apart[name] = whole
            for part, value in self.parts_of(name, whole):
                self.parts[part] = value
                if can_be_carried(value) or isinstance(value, (tuple, StaticNamed, StaticDict)):
                    self.carry(part, value)
        elif is_plain(operand):
            self.carried[name] = self.initial(name, operand, None)
        else:
            self.refuse_entering(name, operand)

    @staticmethod
    def parts_of(name: str, whole: Aggregate) -> list[tuple[str, Operand]]:
        return [(f"{name}.{index}", part) for index, part in enumerate(whole.parts)]

    def put_together(self, name: str, values: Mapping[str, ir.Value], left: Environment) -> Operand:
        """What a name is whose parts are carried as `values`; `left`: what names and parts may be after a trip."""
        whole = self.apart.get(name)
        if whole is None:
            return values.get(name, self.parts.get(name))
        made = whole.of(tuple(self.put_together(part, values, left) for part, _ in self.parts_of(name, whole)))
        if isinstance(made, StaticList):
            self.low.lists.derived(made, self.entering(name), left.get(name))
        return made

    def take_apart(self, name: str, left: Operand, scope: Environment) -> None:
        """Gives `scope` the parts of what a name is at the end of a trip, by their names."""
        if isinstance(left, Poison):
            raise Poisoned
        if isinstance(left, Unbound):
            raise no_value(self.low, name.partition(".")[0], left, "at the end of a trip", self.span)
        entering = self.entering(name)
        if isinstance(entering, tuple) and isinstance(left, IntTuple):
            left = tuple(items_of(self.low, left, self.span, "a loop"))
        both = alike(entering, left)
        if both is None:
            raise self.changes(name, entering, left)
        for (part, before), after in zip(self.parts_of(name, both[0]), both[1].parts, strict=True):
            scope[part] = after
            if part in self.apart:
                self.take_apart(part, after, scope)
            elif part not in self.carried and before is not after and not same_static(before, after):
                raise self.changes(part, before, after)

    def refuse_entering(self, name: str, operand: Operand) -> None:
        """A list or None cannot become what a loop carries: Python's operators on it are not a tensor's."""
        raise self.low.error(
            "OW321",
            f"`{name}` enters the loop as {describe(operand)}, which a loop cannot change",
            self.span,
            reason="loop-carried values are tensors and numbers",
            help="begin with a tensor, or loop over a static `range`, so that the loop can be unrolled",
            depends_on=Choice.INFERRED_TYPE | Choice.LOOP_FORM,
        )

    def need_copies(self) -> None:
        """Ends the attempt where unrolling is possible."""
        if self.may_be_static:
            raise Poisoned(because=Copies(self.key()))

    def outside(self, name: str) -> Operand:
        """What a name is before the loop, or a part of what it is."""
        if name in self.parts:
            return self.parts[name]
        return self.env.get(
            name, VACANT if is_hidden(name) and not is_flag(name) else False if is_flag(name) else Unbound("")
        )

    def constant_bool(self, value: bool) -> ir.Value:
        return carried(self.low, value, self.span)

    def initial(self, name: str, operand: Operand, wanted: ir.Type | None) -> _Carried:
        """The value with which a name enters the loop, of the type that the body has been found to need."""
        low, span = self.low, self.span
        if operand is VACANT or isinstance(operand, Unbound):
            assert wanted is not None
            value = filler(low, wanted, span)
            if value is None:
                self.need_copies()
                raise low.error(
                    "OW308",
                    "a `return` inside a loop needs an initial value before the loop",
                    span,
                    reason=f"there is no default value of type {wanted!r}",
                    help="assign the result to a name that is bound before the loop",
                    depends_on=Choice.LOOP_FORM,
                )
            return _Carried(value, wanted)
        if isinstance(operand, StaticList):
            element = self.learned.get(name)
            type_ = unknown_items() if element is None else ir.SequenceType(ir.TensorType(element))
            if not operand:
                return _Carried(ir.Value(type_, "", span), type_, empty=True)
            return _Carried(entering_sequence(low, operand, type_, span), type_)
        if wanted is not None and wanted.element is not None:
            value = as_tensor(low, operand, wanted.element, span)
            both = wanted.joined(value.type)
            if not is_hidden(name) or both.shape == wanted.shape:
                return _Carried(value, wanted)
            # What an earlier loop could have ended with: that it did not is why this one runs, so any value will do.
            dead = filler(low, wanted, span)
            return _Carried(value, both) if dead is None else _Carried(dead, wanted)
        if is_number(operand):
            return _Carried(carried(low, operand, span), ir.NumberType(number_kind(operand)))
        value = as_tensor(low, operand, None, span)
        # Where the body sets a number, the tensor that enters decides what both are.
        return _Carried(value, value.type if wanted is None or wanted.kind is not None else wanted)

    def lower(self, found: _Round) -> ir.Loop | None:
        """The loop under the types of now; None where the body has told that they must be others: `found` says so."""
        low, span, names = self.low, self.span, list(self.carried)
        trip = ir.Value(ir.NumberType(ir.NumberKind.INT), "trip", span)
        condition = ir.Value(ir.TensorType(low.element_of("bool"), ()), "condition", span)
        parameters = [ir.Value(self.carried[name].type, _hint(name), span) for name in names]
        body = ir.Region([trip, condition, *parameters])
        for name, parameter in zip(names, parameters, strict=True):
            self.hand_on(name, parameter)
        scope = Branch(self.env)
        for name in self.unread:
            entering = self.entering(name)
            scope[name] = entering if isinstance(entering, NoValue) else Unbound("in a loop that does not carry it")
        self.bind_carried(scope, parameters, {})
        for flag in (RETURNED, BROKE, CONTINUED):
            scope[flag] = False

        def step() -> list[ir.Value] | None:
            self.enter(trip, scope)
            lower_block(low, self.statement.body, scope)
            scope[CONTINUED] = False
            if low.loops.noting[-1]:
                self.note_breaks(scope)
            parts = Parts()
            yields: list[ir.Value] = []
            with parts:
                yields.append(self.again(scope, none_set(low, scope, (BROKE, RETURNED), span)))
            with parts:
                self.check_new_names(scope, found)
            self.keep_new_names(scope, found)
            if found.wanted:
                return None
            with parts:
                self.check_shared_lists(scope)
            # Where every path of the body has returned, the author's names are dead after it.
            unread = scope.get(RETURNED) is True
            for name in () if unread else self.top_apart():
                with parts:
                    self.take_apart(name, scope[name], scope)
            for name, parameter in zip(names, parameters, strict=True):
                is_unread = unread and not is_hidden(name)
                if not is_unread and name in self.parts and name not in scope:
                    continue  # of a name that cannot be taken apart any more, which has been told
                with parts:
                    yields.append(parameter if is_unread else self.next(name, scope[name], parameter, found))
            parts.close()
            return yields

        attempts = len(low.loops.attempts)
        if isinstance(self.statement, ast.For):
            low.loops.attempts.append(Attempt(self.key(), body, self.computed_bounds()))
        try:
            yields = low.nested(body, span, step)
        finally:
            del low.loops.attempts[attempts:]
        if yields is None:
            return None
        body.yields = yields
        found.left = scope
        outputs = [ir.Value(parameter.type, parameter.name, span) for parameter in parameters]
        initial = [self.carried[name].value for name in names]
        operator = low.operator(LOOP.name, span)
        for output in outputs:
            narrow_to_result(operator.signature, output.type, low.trail)
        return ir.Loop(operator, self.trips(), self.first(), initial, body, outputs, span)

    def bind_carried(self, env: Environment, values: Sequence[ir.Value], left: Environment) -> None:
        """Binds the names that the loop carries to values, in their order. `left` is what they may be after a trip."""
        by_name = dict(zip(self.carried, values, strict=True))
        env.update({name: value for name, value in by_name.items() if name not in self.parts})
        env.update({name: self.put_together(name, by_name, left) for name in self.top_apart()})

    def top_apart(self) -> list[str]:
        """The names of the author's that are carried in parts."""
        return [name for name in self.apart if name not in self.parts]

    def check_new_names(self, scope: Branch, found: _Round) -> None:
        """Flags and results that the body sets must leave the loop with it."""
        parts = Parts()
        for name in changed_names((scope,), self.low.positions):
            operand = scope.get(name, VACANT)
            if not is_hidden(name) or name in self.carried or name in (CONTINUED, PLACE, COUNT):
                continue
            if operand is VACANT or isinstance(operand, Poison) or operand is self.env.get(name, VACANT):
                continue
            if operand is False and is_flag(name):
                continue
            if is_at_break(name):
                found.wanted.update(self.noted(name, operand))
                continue
            if is_number(operand):
                found.wanted[name] = ir.NumberType(number_kind(operand))
                continue
            with parts:
                found.wanted[name] = self.returned(operand, place_of(scope) or self.span).type
        parts.close()

    def note_breaks(self, scope: Branch) -> None:
        """What a trip that breaks has noted, by parts. Ends the attempt where the number of the trip alone decides
        about the `break`: copies of the body know which it is."""
        from opwright.lang.lower.statements.noted_names import copies_decide, spread  # which few loops need

        left = scope[BROKE]
        if self.may_be_static and isinstance(left, ir.Value) and copies_decide(self.low, left, self.key()):
            self.need_copies()
        spread(self.low, scope)

    def noted(self, name: str, operand: Operand) -> dict[str, ir.Type]:
        """Under which type the loop carries what a name is at a `break`, if it can."""
        from opwright.lang.lower.statements.noted_names import parts_of, type_at_break

        type_ = type_at_break(self.low, operand, self.span)
        if type_ is None and not isinstance(operand, NoValue) and parts_of(operand) is None:
            self.need_copies()
        return {} if type_ is None else {name: type_}

    def returned(self, operand: Operand, span: Span) -> ir.Value:
        """What a `return` inside the loop gives, as a value that can leave it."""
        if is_list_of_tensors(operand):
            return as_sequence(self.low, operand, unknown_items(), self.span)
        if operand is None or (self.low.call_frame.is_inlined and is_tuple(operand)):
            help_text = "return it after the loop, or make it a tensor: `op.Identity([...])`"
            raise self.low.error(
                "OW321",
                f"{describe(operand)} cannot be returned from a loop",
                span,
                reason="a loop returns tensors, numbers and lists of tensors",
                help="return a tensor on every path" if operand is None else help_text,
                depends_on=Choice.INFERRED_TYPE | Choice.LOOP_FORM,
            )
        return as_tensor(self.low, operand, None, self.span)

    def keep_new_names(self, scope: Branch, found: _Round) -> None:
        """Names that get their value in the first trip, where the code after the loop reads them."""
        if not self.makes_trips() or self.key() not in self.low.loops.plans.kept:
            return
        for name in self.assigned:
            operand = scope.get(name)
            is_carried = name in self.carried or name in self.apart
            if is_carried or name in self.unread or isinstance(self.entering(name), Poison):
                continue
            if is_number(operand):
                found.wanted[name] = ir.NumberType(number_kind(operand))
            elif isinstance(operand, ir.Value):
                found.wanted[name] = operand.type

    def key(self) -> LoopKey:
        return loop_key(self.low, self.statement)

    def known_trips(self) -> int | None:
        """How many trips it makes where no `break` ends it, if that is known."""
        return None

    def is_endless(self) -> bool:
        """Whether nothing but `break` and `return` ends it."""
        return False

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
                check_change(self.low, scope, name, self.span)

    def next(self, name: str, operand: Operand, parameter: ir.Value, found: _Round) -> ir.Value:
        """What a trip hands to the next under the parameter's type."""
        low, span = self.low, self.span
        if isinstance(operand, Poison):
            raise Poisoned
        if isinstance(operand, Unbound):
            raise no_value(low, authors_name(name), operand, "at the end of a trip", span)
        if is_run_time_number(parameter):
            if is_number(operand) and number_kind(operand) is parameter.type.kind:
                return carried(low, operand, span)
            if is_tensor(operand):
                found.wanted[name] = operand.type  # the number becomes a tensor of that type before the first trip
                return operand
            raise self.changes(name, parameter, operand)
        if is_sequence(parameter) and is_list(operand):
            self.keep_item_rank(name, operand, parameter, found)
            return as_sequence(low, operand, parameter.type, span)
        if not is_hidden(name) and is_tuple(operand) and isinstance(self.entering(name), ir.Value):
            raise self.changes(name, parameter, operand)
        element = parameter.type.element if is_tensor(parameter) else None
        value = as_tensor(low, operand, element, span)
        if not parameter.type.unify(value.type, low.trail):
            raise self.changes(name, parameter, operand)
        if not number_kinds(low, operand) <= number_kinds(low, parameter):
            found.mixed[name] = self.mixed.get(name, frozenset()) | number_kinds(low, operand)
            found.wanted[name] = parameter.type  # as it is, and lowered again with this in mind
        both = parameter.type.joined(value.type)
        if is_tensor(parameter) and both.shape != parameter.type.shape:
            found.wanted[name] = both
        return value

    def hand_on(self, name: str, value: ir.Value, *left: Operand) -> None:
        """Notes of a value of a carried name what is known of that with which it enters and of what trips have `left`;
        of numbers the rounds have told that."""
        sources = (self.entering(name), *(left if is_sequence(value) else ()))
        hand_on(self.low, value, sources, self.item_rank(name), self.mixed.get(name, frozenset()))

    def item_rank(self, name: str) -> int | None:
        """The rank of the items of a list that the loop carries, as far as the rounds have told."""
        if name in self.item_ranks:
            return self.item_ranks[name]
        return item_rank(self.low, self.entering(name))

    def keep_item_rank(self, name: str, operand: Operand, parameter: ir.Value, found: _Round) -> None:
        """Widens the rank of a carried list's items by those that a trip leaves. The body is lowered again where it may
        depend on what the rank was: where it has asked for one, or where lists may stand for each other."""
        before = self.item_rank(name)
        after = joined_rank(before, item_rank(self.low, operand))
        if after == before:
            return
        if before == EMPTY and after is None and name not in self.rank_guesses:
            # An item that is taken out, changed and put back has the rank that it had: the next round tells whether it
            # is this one.
            self.rank_guesses.add(name)
            found.guessed[name] = parameter.type
            found.item_ranks[name] = next(inserted_ranks(self.low.region), 0)
            return
        found.item_ranks[name] = after
        several = sum(is_sequence(made.value) for made in self.carried.values()) > 1
        if several or self.low.item_ranks.rank_reads > found.reads:
            found.wanted[name] = parameter.type

    def changes(self, name: str, entering: Operand, operand: Operand) -> Poisoned:
        """Ends the attempt, or refuses the name."""
        self.need_copies()
        own, *places = authors_name(name).split(".")
        what = "it" if not places else f"`{own}{''.join(f'[{place}]' for place in places)}`"
        before, after = describe(entering), describe(operand)
        if before == after:
            after = f"another: {after} with other names, keys or sizes"
        help = "give it one type before the loop, for instance with `op.CastLike` or a typed constant `FLOAT(0.0)`"
        if isinstance(entering, str):
            help = "make it a tensor before the loop: `STRING(...)`"
        elif number_kind_of(operand) is ir.NumberKind.FLOAT:
            help = "begin with a float: `0.0`"
        return self.low.error(
            "OW321",
            f"`{own}` changes its type from one trip to the next",
            self.span,
            reason=f"{what} enters the trip as {before} and leaves it as {after}",
            help=help,
            depends_on=Choice.INFERRED_TYPE | Choice.LOOP_FORM,
        )

    def bound_inside(self, left: Operand) -> Unbound:
        """What a name is after the loop that its trips alone bind, the last of them to what is `left`."""
        where = "in this scope: it is bound inside the loop only"
        if not self.makes_trips():
            return Unbound(where)
        if isinstance(left, Unbound):  # a loop in the body could hand it on, or a copy of the body surely binds it
            copies = left.copies or (self.may_be_static and left.loop is None)
            key = self.key() if left.loop is None and copies else left.loop
            return Unbound(where, key, copies=copies, left=left.left)
        if self.is_value(left):
            return Unbound(where, self.key())
        has_copies = self.may_be_static and not isinstance(left, NoValue)
        return Unbound(where, self.key() if has_copies else None, copies=has_copies)

    def leave(self, node: ir.Loop, left: Environment) -> None:
        """Binds what names are after the loop; `left`: what they are at the end of its body."""
        for name, result in zip(self.carried, node.results, strict=True):
            self.hand_on(name, result, left.get(name))
        self.bind_carried(self.env, node.results, left)
        key = self.key() if self.may_be_static else None
        for name in self.assigned:
            is_carried = name in self.carried or name in self.apart
            if not is_carried and not isinstance(self.env.get(name), Poison):
                self.env[name] = self.bound_inside(left.get(name, VACANT))
        if key is not None:
            for result in node.results:
                self.low.trail.put(self.low.loops.results, result, key)
        for name in (PLACE, COUNT):
            if name in left:
                self.env[name] = left[name]
        if self.low.loops.noting[-1]:
            from opwright.lang.lower.statements.noted_names import gather

            gather(self.low, left, self.env, self.carried)


def can_be_carried(operand: Operand) -> bool:
    """Whether a loop carries such a value as it is."""
    return operand is VACANT or isinstance(operand, ir.Value) or is_number(operand) or is_list_of_tensors(operand)


def _hint(name: str) -> str:
    """How a carried value is called."""
    return "" if is_hidden(name) else name.replace(".", "_")
