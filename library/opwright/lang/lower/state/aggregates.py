"""Operands that are made of others: tuples, lists, namedtuples, dictionaries, slices, functions with defaults or with
some of their arguments.

They are taken apart, put together of other parts, and compared part by part. Where control flow meets each part is
joined by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from opwright.lang import ir
from opwright.lang.dispatch import Operation
from opwright.lang.meaning.objects import NamedObject, NestedObject, PartialObject, TypeObject
from opwright.lang.meaning.operands import Operand, SliceItem, StaticDict, Unbound
from opwright.lang.meaning.static import StaticError, StaticList, StaticNamed
from opwright.lang.value_class import record

Parts = tuple[Operand, ...]


@record
class Aggregate:
    """An operand taken apart. `form`: what two have in common that differ in their parts alone; `of` makes another one
    of that form."""

    form: object
    parts: Parts
    of: Callable[[Parts], Operand]


_aggregate: Operation[Operand, [], Aggregate | None] = Operation(lambda operand: None)
_aggregate.on(tuple)(lambda operand: Aggregate(tuple, operand, tuple))
_aggregate.on(StaticList)(lambda operand: Aggregate(StaticList, operand, StaticList))
_aggregate.on(StaticNamed)(
    lambda operand: Aggregate(operand.record, tuple(operand), partial(StaticNamed, operand.record))
)
_aggregate.on(SliceItem)(
    lambda operand: Aggregate(SliceItem, (operand.start, operand.stop, operand.step), lambda parts: SliceItem(*parts))
)


@_aggregate.on(StaticDict)
def _dictionary(operand: StaticDict) -> Aggregate:
    keys = tuple(operand.entries)
    form = tuple((type(key), repr(key)) for key in keys)  # 1, 1.0 and True are one key, and not one number
    return Aggregate(
        form, tuple(operand.entries.values()), lambda parts: StaticDict(dict(zip(keys, parts, strict=True)))
    )


@_aggregate.on(NestedObject)
def _function(operand: NestedObject) -> Aggregate:
    node, frame, scope, defaults = operand.node, operand.frame, operand.scope, tuple(operand.defaults)
    return Aggregate(
        (node, frame, scope),
        tuple(operand.defaults.values()),
        lambda parts: NestedObject(node, frame, scope, dict(zip(defaults, parts, strict=True))),
    )


@_aggregate.on(PartialObject)
def _partial(operand: PartialObject) -> Aggregate:
    count, names = len(operand.positional), tuple(operand.keywords)

    def of(parts: Parts) -> PartialObject:
        function, *given = parts
        return PartialObject(function, tuple(given[:count]), dict(zip(names, given[count:], strict=True)))

    return Aggregate(
        (PartialObject, count, names), (operand.function, *operand.positional, *operand.keywords.values()), of
    )


def taken_apart(operand: Operand) -> Aggregate | None:
    """The operand as an aggregate; None where it is made of no others, or nobody knows of how many."""
    return _aggregate.of(operand)(operand)


def alike(first: Operand, second: Operand) -> tuple[Aggregate, Aggregate] | None:
    """Two operands that differ in their parts alone, taken apart; None where they differ otherwise."""
    if type(first) is not type(second):
        return None
    one, other = taken_apart(first), taken_apart(second)
    if one is None or other is None or one.form != other.form or len(one.parts) != len(other.parts):
        return None
    return one, other


# ----------------------------------------------------------------------------------------------------- sameness


def same_static(first: Operand, second: Operand) -> bool:
    """Whether two operands are one and the same value, known when the function is built."""
    return type(first) is type(second) and _same.of(first)(first, second)


_same: Operation[Operand, [Operand], bool] = Operation(lambda first, second: bool(first == second))
# Two lists of the same items are two lists: each may grow.
_same.on(ir.Value, Unbound, StaticList)(lambda first, second: False)


@_same.on(float)
def _same_float(first: float, second: Operand) -> bool:
    """-0.0 is not 0.0, nan is nan."""
    return isinstance(second, float) and first.hex() == second.hex()


@_same.on(NamedObject)
def _same_object(first: NamedObject, second: Operand) -> bool:
    """An operator or a builtin is another object of ours each time that it is named."""
    try:
        return first.equals(second)
    except StaticError:
        return False


@_same.on(TypeObject)
def _same_type(first: TypeObject, second: Operand) -> bool:
    """Of two classes of one element type all is known that is ever asked of them."""
    kind = (first.element, first.is_dtype, first.of_numpy)
    return isinstance(second, TypeObject) and kind == (second.element, second.is_dtype, second.of_numpy)


_AGGREGATES: tuple[type[Parts | SliceItem | StaticDict | NestedObject], ...] = (
    tuple,
    SliceItem,
    StaticDict,
    NestedObject,
)


@_same.on(*_AGGREGATES)
def _same_aggregate(first: Operand, second: Operand) -> bool:
    both = alike(first, second)
    return both is not None and same_each(both[0].parts, both[1].parts)


def same_each(first: Sequence[Operand], second: Sequence[Operand]) -> bool:
    """Whether what stands at each place is the same."""
    return all(one is other or same_static(one, other) for one, other in zip(first, second, strict=True))
