"""What must be known when the function is built: attributes become axes, loops over static lists are unrolled.

A loop over a static range is first lowered as a `Loop`, with its index as a number that is known at run time only.
Where the body turns out to need more than that, `need_static` or `need_copies` ends the attempt, and the loop is
lowered again, one copy of its body for each item. Which loops were unrolled is remembered, so each is tried once.
"""

from __future__ import annotations

import ast
from collections import ChainMap
from collections.abc import MutableMapping

from opwright.diagnostics.diagnostic import Choice
from opwright.elements import BY_NAME
from opwright.lang import facts, ir
from opwright.lang.dispatch import (
    Operation,
)
from opwright.lang.lower.state.context import Lowering
from opwright.lang.lower.state.lowering_parts import Attempt
from opwright.lang.lower.state.poison import Copies, OtherLoops, Poisoned, Question
from opwright.lang.meaning.operands import (
    AttributeOperand,
    LoopKey,
    Operand,
    Rank,
    Unbound,
    items_in,
)
from opwright.lang.meaning.static import SEQUENCE_ITEMS
from opwright.lang.text.source import Span
from opwright.opsets.record import Role
from opwright.opsets.records import EQUAL


def keep_after_loop(low: Lowering, name: Unbound) -> None:
    """Has the loop that alone binds a name hand on its value, in another pass: as it carries others, noted where a
    `break` leaves it, or of a copy of its body."""
    plans = low.loops.plans
    own, copied = (None, name.loop) if name.copies else (name.loop, None)
    for plan, loop in ((plans.kept, own), (plans.noted, name.left), (plans.unrolled, copied)):
        if loop is not None and loop not in plan:
            if plan is plans.noted:
                plans.unrolled.pop(loop, None)  # if for this name alone, a `Loop` may do now
            plan[loop] = low.statement
            raise Poisoned(because=OtherLoops((loop,)))


def no_value(low: Lowering, name: str, found: Unbound, where: str, span: Span) -> Poisoned:
    """Reports a name that is read `where` it has no value, or none of a type that holds on all paths."""
    if found.conflict:
        return low.error(
            "OW308",
            f"`{name}` has no single type {where}",
            span,
            reason=found.conflict,
            help="cast one of the values, or give the two values different names",
            depends_on=Choice.INFERRED_TYPE | Choice.LOOP_FORM,
        )
    return low.error(
        "OW308",
        f"`{name}` may have no value {where}",
        span,
        reason=f"it is not bound {found.missing_on}",
        help=f"give `{name}` a value before, or on every path",
        depends_on=Choice.LOOP_FORM,
    )


def loop_key(low: Lowering, statement: ast.For | ast.While) -> LoopKey:
    source = low.scope.module.source
    key = (source.name, source.first_line, statement.lineno, statement.col_offset)
    low.loops.first_statements.setdefault(key, low.statement)
    return key


def ask_attribute(operand: AttributeOperand, span: Span | None) -> Poisoned:
    """The question for an attribute's value: one variant per value where those are declared, else a template.

    Of one that may be absent it is asked first whether it is there.
    """
    parameter = operand.parameter
    if parameter.may_be_absent:
        return Poisoned(because=Question(parameter.name, (facts.ABSENT, facts.PRESENT), span))
    values = facts.declared_values(operand.choices, operand.is_bool)
    return Poisoned(because=Question(parameter.name, values, span))


def ask_enumerated(low: Lowering, operand: AttributeOperand, span: Span | None) -> None:
    """Asks for an attribute that is compared and has few values; refuses text that the opset cannot compare."""
    if operand.choices:
        raise ask_attribute(operand, span)
    if operand.parameter.kind is not ir.AttributeKind.STRING:
        return
    if _compares_texts(low):
        return
    raise low.error(
        "OW365",
        f"the text `{operand.parameter.name}` cannot be compared at opset {low.target.bare_opset}",
        span,
        reason="Equal takes strings from opset 19 on",
        help=f"declare its values, so that each has a variant: `{operand.parameter.name}: Literal[...]`",
        subject=EQUAL.name,
        depends_on=Choice.OPSET,
    )


def can_stay_open(low: Lowering, operand: AttributeOperand, span: Span | None) -> bool:
    """Whether what is computed of an attribute may have one body for all of its values, or is the answer to a static
    question. Where it may, the question is deferred: it is asked if something in the function turns out to be wrong
    without its answer, which is what a template is for."""
    parameter = operand.parameter
    if operand.choices or operand.is_bool or parameter.may_be_absent or parameter.kind not in _OPEN:
        return False
    if parameter.kind is ir.AttributeKind.STRING and not _compares_texts(low):
        return False
    low.trail.put(low.deferred, parameter.name, Question(parameter.name, (), span))
    return True


_OPEN = (ir.AttributeKind.INT, ir.AttributeKind.FLOAT, ir.AttributeKind.STRING)


def _compares_texts(low: Lowering) -> bool:
    equal = low.target.lookup("", EQUAL.name)
    return equal is not None and low.target.takes(equal, equal.inputs[0].type, BY_NAME["string"])


_PLAIN = frozenset([bool, int, float, str])  # the items of most lists, which may be long


def need_static(low: Lowering, operand: Operand, span: Span | None) -> None:
    """Asks for whatever would make the operand known; returns where nothing does: the caller reports it."""
    _question.of(operand)(operand, low, span)


def _nothing_to_ask(operand: Operand, low: Lowering, span: Span | None) -> None:
    """What is known has no question, and what nothing decides has none."""


_question: Operation[Operand, [Lowering, Span | None], None] = Operation(_nothing_to_ask)


@_question.on(Rank)
def _ask_rank(operand: Rank, low: Lowering, span: Span | None) -> None:
    need_rank(operand)


@_question.on(AttributeOperand)
def _ask_attribute(operand: AttributeOperand, low: Lowering, span: Span | None) -> None:
    raise ask_attribute(operand, span)


@_question.on(tuple)
def _ask_items(operand: tuple[Operand, ...], low: Lowering, span: Span | None) -> None:
    need_rank(operand)
    for item in operand:
        if type(item) not in _PLAIN:
            need_static(low, item, span)


@_question.on(ir.Value)
def _ask_origins(operand: ir.Value, low: Lowering, span: Span | None) -> None:
    found = Origins(low, numbers=True).of(operand)
    if found is None:
        return
    loops, attributes = found
    if loops:
        raise Poisoned(because=Copies(loops[0].key))
    if attributes:
        raise ask_attribute(attributes[0], span)


def numbers_of(low: Lowering, numbers: range, span: Span | None) -> tuple[int, ...]:
    """The numbers of a range as items. Poisoned where they are more than a list may have."""
    if len(numbers) > SEQUENCE_ITEMS:
        raise low.error(
            "OW311",
            f"{len(numbers):,} items are more than the {SEQUENCE_ITEMS:,} allowed",
            span,
            reason="a static list has a limit",
        )
    return tuple(numbers)


def maybe_absent(low: Lowering, value: ir.Value, message: str, span: Span | None) -> Poisoned:
    return low.error(
        "OW326",
        f"{message}, and `{value.name}` may be absent",
        span,
        reason=f"`{value.name}=None` makes it an optional input",
        help=f"ask first: `if {value.name} is not None:`",
    )


def need_rank(operand: Operand) -> None:
    """Asks for the very rank where an operand is one that is not known, or a list that holds one."""
    pending = [operand]
    while pending:
        item = pending.pop()
        if isinstance(item, Rank):
            raise Poisoned(because=Question(item.axis, (), item.span))
        pending.extend(part for part in items_in(item) or () if type(part) not in _PLAIN)


def need_copies(low: Lowering, value: ir.Value) -> None:
    """Unrolls the loop that hides the type of a value, where there is one that it depends on."""
    found = Origins(low, numbers=False).of(value)
    if found is not None and found[0]:
        raise Poisoned(because=Copies(found[0][0].key))
    low.trail.put(low.loops.hidden_by_none, value, None)


Makers = MutableMapping[int, ir.Node]  # the node that makes each value, by the value's id


def makers_of(low: Lowering) -> Makers:
    """The node that makes each value which is in scope. What is added to it stays apart."""
    around = (region.makers().now() for region in (low.region, *reversed(low.open_regions)))
    return ChainMap({}, *around, low.prologue.makers())


class Origins:
    """What a value is computed from, as far as it was computed in the regions that are open."""

    def __init__(self, low: Lowering, numbers: bool) -> None:
        self.low = low
        self.numbers = numbers  # whether everything must be a constant, an attribute or a number that a loop carries
        self.makers = makers_of(low)
        self.parameters = {id(item): attempt for attempt in low.loops.attempts for item in attempt.body.parameters}

    def of(self, value: ir.Value) -> tuple[list[Attempt], list[AttributeOperand]] | None:
        """(loops, outermost first; attributes); None where it depends on a tensor as well."""
        loops: dict[int, Attempt] = {}
        attributes: dict[str, AttributeOperand] = {}
        before: dict[LoopKey, None] = {}
        seen: set[int] = set()
        pending = [value]
        while pending:
            item = pending.pop()
            if id(item) in seen:
                continue
            seen.add(id(item))
            if not self.numbers and item in self.low.loops.hidden_by_none:
                continue  # a list that changes again and again is looked through once
            attempt = self.parameters.get(id(item))
            if attempt is not None:
                pending.extend(attempt.bounds)
                if not attempt.bounds:
                    loops[id(attempt)] = attempt
                continue
            key = self.low.loops.results.get(item)
            if key is not None and key not in self.low.loops.plans.unrolled:
                before[key] = None
                continue
            node = self.makers.get(id(item))
            named = self._attribute(node)
            if named is not None:
                attributes[named.parameter.name] = named
            elif isinstance(node, ir.Const) or self.low.holds(item):
                continue
            elif node is None or not self._followed(node):
                if self.numbers:
                    return None
            else:
                pending.extend(_read_by(node))
        if before and not loops:  # loops that are lowered already: only another pass can unroll them
            self.low.loops.plans.unrolled.update(dict.fromkeys(before, self.low.statement))
            raise Poisoned(because=OtherLoops(tuple(before)))
        return [item for item in self.low.loops.attempts if id(item) in loops], list(attributes.values())

    def _followed(self, node: ir.Node) -> bool:
        """A result of an operator with inputs, or of a branch; one without inputs (a random one) comes from nowhere."""
        return bool(node.read()) and not (self.numbers and isinstance(node, ir.Loop))

    def _attribute(self, node: ir.Node | None) -> AttributeOperand | None:
        if not isinstance(node, ir.Call) or node.inputs or node.callee.record.role is not Role.CONSTANT:
            return None
        for attribute in node.attributes.values():
            if attribute.refers_to is not None:
                return self.low.attributes.get(attribute.refers_to)
        return None


def _read_by(node: ir.Node) -> list[ir.Value]:
    """Every value that a node reads, those read and yielded in its regions included."""
    found = node.read()
    for region in node.regions():
        found.extend(region.yields)
        for _, inner in ir.walk(region):
            found.extend(inner.read())
            for nested in inner.regions():
                found.extend(nested.yields)
    return found
