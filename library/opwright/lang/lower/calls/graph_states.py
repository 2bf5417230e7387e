"""The states of Scan and Loop: what a body given as a function hands from one trip to the next."""

from __future__ import annotations

from opwright.diagnostics.diagnostic import Choice
from opwright.lang import ir
from opwright.lang.lower.numbers.number_operands import as_tensor, default_element, describe, is_number, number_kind
from opwright.lang.lower.state.context import Lowering
from opwright.lang.lower.values.sequences import as_sequence, unknown_items
from opwright.lang.meaning.operands import Operand, is_tensor
from opwright.lang.meaning.static import StaticList
from opwright.lang.text.source import Span


class State:
    """A value that a body hands from one trip to the next: how it enters, and the type under which it is handed on."""

    def __init__(self, low: Lowering, operand: Operand, span: Span) -> None:
        self.low = low
        self.operand = operand
        self.span = span
        self.left: ir.Type | None = None  # of an optional one: that of what a trip gives for it
        self.type: ir.Type
        if is_number(operand):
            self.type = ir.NumberType(number_kind(operand))
        elif isinstance(operand, ir.Value):
            self.type = operand.type
        elif isinstance(operand, StaticList) and not operand:
            self.type = unknown_items()  # what the body gives says of what
        else:
            made = as_tensor(low, operand, None, span)
            self.operand = made
            self.type = made.type

    def initial(self) -> ir.Value:
        """The value with which the state enters, of the type under which it is handed on."""
        if isinstance(self.operand, StaticList):
            return as_sequence(self.low, self.operand, self.type, self.span)
        return as_tensor(self.low, self.operand, self.type.element, self.span)

    def widen(self, operand: Operand) -> bool:
        """Whether the body gives another type than the state has, which it then has."""
        if self.type.kind is not None:
            if is_number(operand):  # a number to the end: a tensor of its own element type
                element = default_element(self.low, (number_kind(operand).zero,))
                self.type = ir.TensorType(element, ())
            elif is_tensor(operand):
                shape = () if operand.type.shape == () else None
                self.type = ir.TensorType(ir.settle(operand.type.element), shape)
            return self.type.kind is None
        if isinstance(operand, ir.Value) and self.type.element is not None:
            joined = self.type.joined(operand.type)
            if joined.shape != self.type.shape:
                self.type = joined.settled()
                return True
        return False

    def hand_on(self, operand: Operand, name: str) -> ir.Value:
        """What the body gives, as a value of the state's type."""
        value = as_tensor(self.low, operand, self.type.element, self.span)
        held = self.type.optional_item
        if held is not None and held.unify(value.type, self.low.trail):
            self.left = value.type  # an item is what its optional holds, and runtimes take it for that
            return value
        if not self.type.unify(value.type, self.low.trail):
            raise self.low.error(
                "OW321",
                f"`{name}` gives {describe(operand)} for a state that begins as {self.type!r}",
                self.span,
                reason="a state has one type from the first trip to the last",
                help="cast one of them",
                depends_on=Choice.INFERRED_TYPE | Choice.LOOP_FORM,
            )
        return value


def check_rank(low: Lowering, state: State, operand: Operand, span: Span) -> None:
    """Refuses a state that the body gives another rank than it begins with, which a Scan cannot have."""
    type_ = operand.type if isinstance(operand, ir.Value) else ir.UnknownType()
    first, then = rank_of(state.type), 0 if is_number(operand) else rank_of(type_)
    if first is None or then is None or first == then:
        return
    raise low.error(
        "OW321",
        f"a state of Scan begins with rank {first}, and the body gives rank {then}",
        span,
        reason="a state of Scan has one shape from the first step to the last",
        help="begin with a tensor of that shape: `op.Expand(0.0, shape)`",
        depends_on=Choice.INFERRED_TYPE | Choice.LOOP_FORM,
    )


def rank_of(type_: ir.Type) -> int | None:
    shape = type_.carried_shape
    return None if shape is None else len(shape)
