"""What changes a list in Python: `ys.append(y)`, `ys.pop()`, `ys[i] = y`, `del ys[i]` and others, as statements.

Each makes another list, which `ys` stands for from then on; that is Python's meaning as long as no other name stands
for the list, which is checked (`ownership.py`).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import partial

from opwright.lang import ir
from opwright.lang.lower.nodes.item_ranks import item_rank, joined_rank, note_item_rank
from opwright.lang.lower.nodes.primitives import Writer
from opwright.lang.lower.numbers.fillers import filler
from opwright.lang.lower.numbers.index_items import read_position
from opwright.lang.lower.numbers.number_operands import cast, describe
from opwright.lang.lower.rules import lower_expression
from opwright.lang.lower.state.context import Lowering
from opwright.lang.lower.state.known import need_copies, need_static
from opwright.lang.lower.state.poison import each
from opwright.lang.lower.values.lists import check_kept, taken
from opwright.lang.lower.values.sequence_loops import joined
from opwright.lang.lower.values.sequences import CHANGING, item_tensor, tensors_as_sequence
from opwright.lang.lower.values.subscripts import subscript
from opwright.lang.meaning.operands import (
    Environment,
    Operand,
    SliceItem,
    is_sequence,
    is_tensor,
    items_in,
    known_int,
)
from opwright.lang.meaning.static import StaticList
from opwright.lang.text.grammar import changed_by, statements_in
from opwright.lang.text.source import Span, span_of


def grown_names(statements: Sequence[ast.stmt]) -> list[str]:
    """The names whose lists a block may change in place, in order."""
    names: dict[str, None] = {}
    for statement in statements_in(statements):
        called = called_method(statement)
        if called is not None:
            names[called[0]] = None
        elif not isinstance(statement, ast.Assign) or any(type(target) is not ast.Name for target in statement.targets):
            names.update(dict.fromkeys(changed_by(statement)))
    return list(names)


def called_method(node: ast.stmt) -> tuple[str, str, ast.Call] | None:
    """(name, method, call) of `name.method(...)` as a statement, where it is a method that changes a list; of one that
    gives a value, such as `pop`, also where the statement binds it to names."""
    if not isinstance(node, (ast.Expr, ast.Assign, ast.AnnAssign)) or not isinstance(node.value, ast.Call):
        return None
    function = node.value.func
    if not isinstance(function, ast.Attribute) or not isinstance(function.value, ast.Name):
        return None
    if function.attr not in CHANGING or (not isinstance(node, ast.Expr) and function.attr != "pop"):
        return None
    return function.value.id, function.attr, node.value


def grow(low: Lowering, env: Environment, name: str, items: Operand, span: Span) -> None:
    """`name` stands for its list with `items` behind, from now on."""
    owner = env[name]
    check_change(low, env, name, span)
    items = taken(low, items, span, "a list that grows")
    check_kept(low, items, span)
    _put(low, env, name, joined(low, owner, items, span))


def check_change(low: Lowering, env: Environment, name: str, span: Span) -> None:
    """Refuses to change a list that other names than `name` stand for."""
    owner = env[name]
    if not low.lists.owns(owner, low.function.inputs):
        raise low.error(
            "OW344",
            f"`{name}` is a list that this function did not create",
            span,
            reason="in Python the caller, or the module, would see the change",
            help=f"make a new list: `{name} = {name} + [...]`",
        )
    other = low.lists.other_name(env, name, owner)
    if other is not None:
        raise low.error(
            "OW344",
            f"`{name}` and `{other}` name the same list, which changes here",
            span,
            reason="in Python both names would see the change; in a graph each name is a value",
            help=f"keep one name for it, or copy it: `{other} = {name} + []`",
        )


def _put(low: Lowering, env: Environment, name: str, found: Operand) -> None:
    env[name] = low.lists.made(found)
    low.lists.bound(name)


# ------------------------------------------------------------------------------------------------- places of lists


def put_item(low: Lowering, target: ast.Subscript, value: Operand, env: Environment) -> None:
    """`xs[i] = value`."""
    assert isinstance(target.value, ast.Name)
    name, span = target.value.id, span_of(target)
    index = _place(low, target, env, "assigned")
    owner = env[name]
    check_change(low, env, name, span)
    check_kept(low, value, span)
    place, static = _of_static(low, owner, index, span)
    if static is not None and place is not None:
        items = list(static)
        items[place] = value
        _put(low, env, name, StaticList(items))
        return
    sequence = _as_sequence(low, owner, index, span)
    item = item_tensor(low, value, sequence.type.item or sequence.type, span, sequence)
    op, at = Writer(low, span), read_position(low, index, span)
    # Inserted before the item, and the item erased: counted from the end it stands at the same place, else at the next.
    longer = _typed(low, op.sequence_insert(sequence, item, op.at(at)), sequence, item)
    known = known_int(at)
    if known is not None:
        behind: int | ir.Value = known + (known >= 0)
    else:
        int64, counted = low.element_of("int64"), op.at(at)
        if is_tensor(counted) and ir.known_element(counted.type.element) is not int64:
            counted = cast(low, counted, int64, span)
        forwards = op.greater(counted, op.int64(-1))
        behind = op.add(counted, cast(low, forwards, int64, span))
    _put(low, env, name, _typed(low, op.sequence_erase(longer, op.at(behind)), longer))


def delete_item(low: Lowering, target: ast.Subscript, env: Environment) -> None:
    """`del xs[i]`."""
    assert isinstance(target.value, ast.Name)
    _take(low, env, target.value.id, _place(low, target, env, "deleted"), span_of(target))


def _place(low: Lowering, target: ast.Subscript, env: Environment, done: str) -> Operand:
    if not isinstance(target.slice, ast.Slice):
        index = lower_expression(low, target.slice, env)
        need_static(low, index, span_of(target))
        return index
    raise low.error(
        "OW345",
        f"a part of a list cannot be {done}",
        span_of(target),
        reason="a statement changes one item",
        help="make a new list: `xs = xs[:i] + ys + xs[j:]`",
    )


def _take(low: Lowering, env: Environment, name: str, index: Operand, span: Span) -> Operand:
    """The item at a place, which the list of `name` has no more."""
    owner = env[name]
    check_change(low, env, name, span)
    place, static = _of_static(low, owner, index, span)
    if static is not None and place is not None:
        items = list(static)
        found = items.pop(place)
        _put(low, env, name, StaticList(items))
        return found
    sequence = _as_sequence(low, owner, index, span)
    op, at = Writer(low, span), read_position(low, index, span)
    item = subscript(low, sequence, [index], span)
    _put(low, env, name, _typed(low, op.sequence_erase(sequence, op.at(at)), sequence))
    return item


def _of_static(low: Lowering, owner: Operand, index: Operand, span: Span) -> tuple[int | None, StaticList | None]:
    """A place that is known of a list whose items are; refuses one that it has not."""
    place = known_int(index)
    static = owner if isinstance(owner, StaticList) else None
    if static is not None and place is not None and not -len(static) <= place < len(static):
        raise low.error("OW312", f"Python says: index {place} is out of range for {len(static)} items", span)
    return place, static


def _as_sequence(low: Lowering, owner: Operand, index: Operand, span: Span) -> ir.Value:
    """A list of which a place of the run time changes."""
    if is_sequence(owner):
        need_copies(low, owner)
        return owner
    items = items_in(owner) or ()
    made = tensors_as_sequence(low, items, (index,), span)
    if made is None:
        raise low.error(
            "OW345",
            f"an item of {describe(owner)} cannot be changed at a place that is known at run time only",
            span,
            reason="its items are not tensors of one element type, which alone can be a sequence of ONNX",
            help="make the items tensors, or loop over a static `range`, so that the loop can be unrolled",
        )
    return made


def _typed(low: Lowering, made: ir.Value, before: ir.Value, item: ir.Value | None = None) -> ir.Value:
    """A sequence made of another, and of an item that is new in it."""
    made.type = before.type
    rank = item_rank(low, before)
    if item is not None:
        dims = item.type.shape
        rank = joined_rank(rank, None if dims is None else len(dims))
    note_item_rank(low, made, rank)
    return made


# --------------------------------------------------------------------------------------------------------- methods


def call_method(low: Lowering, env: Environment, name: str, method: str, node: ast.Call, span: Span) -> Operand:
    """`name.method(...)` as a statement, of a name that stands for a list; what it gives."""
    counts, change = _METHODS[method]
    if change is None:
        raise low.error(
            "OW345",
            f"`{method}` of a list is not part of the language",
            span,
            reason="it looks at the values of the items",
            help="make a new list in a loop",
        )
    if len(node.args) not in counts or node.keywords or any(isinstance(item, ast.Starred) for item in node.args):
        takes = " or ".join(map(str, counts))
        raise low.error(
            "OW345", f"`{method}` takes {takes} argument{'s' * (counts != (1,))}", span, "it has Python's signature", ""
        )
    return change(low, env, name, each(partial(lower_expression, low, env=env), node.args), span)


def _append(low: Lowering, env: Environment, name: str, given: Sequence[Operand], span: Span) -> Operand:
    grow(low, env, name, (given[0],), span)
    return None


def _extend(low: Lowering, env: Environment, name: str, given: Sequence[Operand], span: Span) -> Operand:
    grow(low, env, name, given[0], span)
    return None


def _pop(low: Lowering, env: Environment, name: str, given: Sequence[Operand], span: Span) -> Operand:
    return _take(low, env, name, given[0] if given else -1, span)


def _insert(low: Lowering, env: Environment, name: str, given: Sequence[Operand], span: Span) -> Operand:
    """`xs[:i] + [y] + xs[i:]`: as those slices do, Python takes any place."""
    index, item = given
    if index is None:  # a slice would take it
        reason = "Python says: 'NoneType' object cannot be interpreted as an integer"
        raise low.error("OW312", "`insert` has no value here", span, reason)
    check_kept(low, item, span)
    owner = env[name]
    check_change(low, env, name, span)
    before: Operand = StaticList()
    behind = owner
    if known_int(index) != 0 and items_in(owner) != ():
        before = subscript(low, owner, [SliceItem(stop=index)], span)
        behind = subscript(low, owner, [SliceItem(start=index)], span)
    _put(low, env, name, joined(low, joined(low, before, (item,), span), behind, span))
    return None


def _reverse(low: Lowering, env: Environment, name: str, given: Sequence[Operand], span: Span) -> Operand:
    check_change(low, env, name, span)
    _put(low, env, name, subscript(low, env[name], [SliceItem(None, None, -1)], span))
    return None


def _clear(low: Lowering, env: Environment, name: str, given: Sequence[Operand], span: Span) -> Operand:
    check_change(low, env, name, span)
    owner = env[name]
    empty = filler(low, owner.type, span) if is_sequence(owner) else None
    _put(low, env, name, StaticList() if empty is None else empty)
    return None


_Change = Callable[[Lowering, Environment, str, Sequence[Operand], Span], Operand]

_METHODS: dict[str, tuple[tuple[int, ...], _Change | None]] = {
    "append": ((1,), _append),
    "clear": ((0,), _clear),
    "extend": ((1,), _extend),
    "insert": ((2,), _insert),
    "pop": ((0, 1), _pop),
    "reverse": ((0,), _reverse),
    "remove": ((1,), None),
    "sort": ((), None),
}
