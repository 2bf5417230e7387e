"""What names are at the `break`s of a `Loop` that note it: of which types it carries that, and what it is behind it."""

from __future__ import annotations

from collections.abc import Collection

from opwright.lang import ir
from opwright.lang.lower.numbers.number_operands import as_tensor, describe, is_number, number_kind
from opwright.lang.lower.paths.flow import at_break, is_at_break
from opwright.lang.lower.state.aggregates import Aggregate, taken_apart
from opwright.lang.lower.state.context import Lowering
from opwright.lang.lower.state.known import Origins
from opwright.lang.lower.values.sequences import as_sequence, is_list_of_tensors, unknown_items
from opwright.lang.meaning.operands import VACANT, Environment, LoopKey, NoValue, Operand, StaticDict, Unbound
from opwright.lang.meaning.static import StaticList
from opwright.lang.text.source import Span


def type_at_break(low: Lowering, operand: Operand, span: Span) -> ir.Type | None:
    """Under which type a loop carries what a name is at a `break`; None where it cannot."""
    if is_number(operand):
        return ir.NumberType(number_kind(operand))
    if is_list_of_tensors(operand):
        return as_sequence(low, operand, unknown_items(), span).type
    if (isinstance(operand, ir.Value) and not operand.optional) or isinstance(operand, str):
        return as_tensor(low, operand, None, span).type
    return None


def copies_decide(low: Lowering, flag: ir.Value, loop: LoopKey) -> bool:
    """Whether the number of the trip tells which branch of the `If` is taken that makes a flag: in copies of the loop's
    body it is known."""
    origins = Origins(low, numbers=True)
    node = origins.makers.get(id(flag))
    found = origins.of(node.condition) if isinstance(node, ir.If) else None
    return found is not None and any(attempt.key == loop for attempt in found[0])


def spread(low: Lowering, env: Environment) -> None:
    """Gives the parts of what names are at a `break` hidden names too, since a loop carries these."""
    pending = [at_break(name) for name in low.loops.noting[-1]]
    while pending:
        name = pending.pop()
        whole = parts_of(env.get(name))
        for index, part in enumerate(() if whole is None else whole.parts):
            env[f"{name}.{index}"] = part
            pending.append(f"{name}.{index}")


def gather(low: Lowering, left: Environment, env: Environment, carried: Collection[str]) -> None:
    """Binds the hidden names behind a loop that hands on those that it has `carried`; `left`: what they are at the end
    of its body."""
    values = {name: env[name] for name in carried if is_at_break(name)}
    for name in map(at_break, low.loops.noting[-1]):
        if left.get(name, VACANT) is not VACANT:
            env[name] = _gathered(name, left[name], values)


def _gathered(name: str, left: Operand, carried: Environment) -> Operand:
    """What a name is behind the loop that was `left` at a `break`: made of what the loop has `carried`. None is the
    same in every trip."""
    if name in carried:
        return carried[name]
    whole = parts_of(left)
    if whole is not None:
        parts = tuple(_gathered(f"{name}.{index}", part, carried) for index, part in enumerate(whole.parts))
        return next((part for part in parts if isinstance(part, NoValue)), whole.of(parts))
    if left is None or isinstance(left, NoValue):
        return left
    return Unbound(f"with what a loop hands on: at a `break` it is {describe(left)}")


def parts_of(operand: Operand) -> Aggregate | None:
    """A tuple, a namedtuple or a dictionary, taken apart."""
    if isinstance(operand, StaticList) or not isinstance(operand, (tuple, StaticDict)):
        return None
    return taken_apart(operand)
