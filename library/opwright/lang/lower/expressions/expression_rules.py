"""Expressions: each to an operand. Static ones fold as Python would; those on tensors become operators."""

from __future__ import annotations

import ast
from collections.abc import Callable, Container
from functools import partial

from opwright.lang import ir
from opwright.lang.lower.expressions.arithmetic import binary, is_none, unary
from opwright.lang.lower.expressions.conditions import STOPS_AT, as_scalar, choose, lower_condition, negate, truth
from opwright.lang.lower.expressions.plain_calls import (
    emit_plain_binary,
    emit_with_literal,
)
from opwright.lang.lower.nodes.held_arrays import captured_constants, item_of_array
from opwright.lang.lower.nodes.primitives import Writer, as_number
from opwright.lang.lower.nodes.written_for import asked, versioned
from opwright.lang.lower.numbers.mixed import refuse_number
from opwright.lang.lower.numbers.number_operands import describe, is_number, is_plain, needs_element
from opwright.lang.lower.numbers.ranks import compare_rank, rank_is_in, rank_of
from opwright.lang.lower.rules import (
    attribute_rule,
    bind_target,
    call_rule,
    calls,
    evaluates,
    lower_expression,
    reads_attribute,
)
from opwright.lang.lower.state.context import Lowering
from opwright.lang.lower.state.known import ask_enumerated, can_stay_open, keep_after_loop, need_static, no_value
from opwright.lang.lower.state.poison import Parts, Poisoned, each
from opwright.lang.lower.values.array_arithmetic import computed_by_numpy, is_array, note_array
from opwright.lang.lower.values.lists import check_names, check_waiting, items_of, iterated
from opwright.lang.lower.values.sequence_loops import joined
from opwright.lang.lower.values.sequences import CHANGING, is_list
from opwright.lang.lower.values.shapes import shape_of, size_of, transposed
from opwright.lang.lower.values.static_calls import check_exists, make_opset
from opwright.lang.lower.values.static_records import READERS, held_key, item_of_dict
from opwright.lang.lower.values.subscripts import ELLIPSIS, IndexItem, SliceItem, subscript
from opwright.lang.meaning import static
from opwright.lang.meaning.numpy_values import ARRAY_METHODS, on_tensors
from opwright.lang.meaning.objects import (
    MISSING,
    BuiltinObject,
    FileObject,
    ModuleObject,
    NamedObject,
    NamespaceObject,
    OperatorObject,
    OpsetObject,
    RecordObject,
    TensorObject,
    TypeObject,
    TypingObject,
)
from opwright.lang.meaning.operands import (
    POISON,
    Arguments,
    AttributeOperand,
    Environment,
    MethodObject,
    Operand,
    StaticDict,
    Unbound,
    is_sequence,
    is_static,
    is_tensor,
    items_in,
    value_of,
)
from opwright.lang.meaning.static import StaticList, StaticNamed, is_int
from opwright.lang.operators import BINARY_SYMBOLS, MIRRORED
from opwright.lang.text.grammar import called_by_name, items_of_tuple
from opwright.lang.text.source import Span, span_of

_COMPARE_SYMBOLS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}
_UNARY_SYMBOLS: dict[type[ast.unaryop], str] = {ast.USub: "-", ast.UAdd: "+", ast.Invert: "~", ast.Not: "not"}


def lower_unpacked(low: Lowering, node: ast.expr, env: Environment, count: int | None) -> Operand:
    """The operand of an expression whose value is unpacked to so many names, where that is known."""
    if count is not None and isinstance(node, ast.Call):
        return _call_for(low, node, env, count)
    return lower_expression(low, node, env)


def builtin_called(low: Lowering, node: ast.expr, env: Environment, names: Container[str]) -> BuiltinObject | None:
    """The builtin of Python that an expression calls, where it is one of these."""
    called = called_by_name(node)
    if called is None or called[0] in env or called[0] not in names:
        return None
    callee = low.scope.lookup(called[0], span_of(called[1].func))
    return callee if isinstance(callee, BuiltinObject) and not callee.module and callee.name in names else None


def _spread(low: Lowering, node: ast.expr, env: Environment, where: str) -> tuple[Operand, ...]:
    """What one part of a list, of a subscript or of a call stands for: its value, or all items of what is starred."""
    if isinstance(node, ast.Starred):
        return iterated(low, node.value, env, where)
    return (lower_expression(low, node, env),)


# ---------------------------------------------------------------------------------------------------- leaves


@evaluates(ast.Constant)
def _constant(low: Lowering, node: ast.Constant, env: Environment) -> Operand:
    value = node.value
    if value is None or isinstance(value, (bool, int, float, str)):
        try:
            return static.checked(value, given=True)
        except static.StaticError as error:
            raise low.error(error.code, str(error), span_of(node)) from None
    raise low.error(
        "OW304",
        f"a literal of type {type(value).__name__} is not part of the language",
        span_of(node),
        reason="constants are numbers, strings, True, False, None and lists of them",
        help="",
    )


_NOWHERE = object()


@evaluates(ast.Name)
def _name(low: Lowering, node: ast.Name, env: Environment) -> Operand:
    found = env.get(node.id)
    if type(found) is ir.Value:
        return found
    if found is None and node.id not in env:
        return _around(low, low.scope.lookup(node.id, span_of(node), env), span_of(node))
    if found is POISON:
        raise Poisoned
    if isinstance(found, Unbound):
        keep_after_loop(low, found)
        raise no_value(low, node.id, found, "here", span_of(node))
    if low.lists.iterators:
        check_names(low, found, env, span_of(node))
    return found


def _around(low: Lowering, found: Operand, span: Span) -> Operand:
    """What a name or attribute from around the function means: arrays are constants."""
    if found is MISSING:
        raise Poisoned
    return captured_constants(low, found, span)


@evaluates(ast.Attribute)
def _attribute(low: Lowering, node: ast.Attribute, env: Environment) -> Operand:
    owner = lower_expression(low, node.value, env)
    return (attribute_rule(owner) or _attribute_of_operand)(low, owner, node)


@reads_attribute(OpsetObject)
def _attribute_of_opset(low: Lowering, owner: OpsetObject, node: ast.Attribute) -> Operand:
    if node.attr != "version":
        return owner.operator(node.attr)
    return attribute_of_object(low, owner, node) if owner.domain else low.target.note()


def attribute_of_object(low: Lowering, owner: Operand, node: ast.Attribute) -> Operand:
    """What the surroundings of the function know of an attribute."""
    return _around(low, low.scope.attribute(owner, node.attr, span_of(node)), span_of(node))


reads_attribute(
    ModuleObject,
    FileObject,
    OperatorObject,
    NamespaceObject,
    BuiltinObject,
    TypingObject,
    TypeObject,
    TensorObject,
    RecordObject,
)(attribute_of_object)


@reads_attribute(StaticDict)
def _attribute_of_dictionary(low: Lowering, owner: StaticDict, node: ast.Attribute) -> Operand:
    return MethodObject(owner, node.attr) if node.attr in READERS else _attribute_of_operand(low, owner, node)


@reads_attribute(StaticNamed)
def _field(low: Lowering, owner: StaticNamed, node: ast.Attribute) -> Operand:
    if node.attr == "_replace":
        return MethodObject(owner, node.attr)
    if node.attr not in owner.record.fields:
        return _attribute_of_tuple(low, owner, node)
    field: Operand = owner[owner.record.fields.index(node.attr)]
    return field


@reads_attribute(AttributeOperand)
def _attribute_of_graph(low: Lowering, owner: AttributeOperand, node: ast.Attribute) -> Operand:
    if owner.parameter.kind is ir.AttributeKind.GRAPH:
        need_static(low, owner, span_of(node))
    return _attribute_of_operand(low, owner, node)


@reads_attribute(ir.Value)
def _attribute_of_value(low: Lowering, owner: ir.Value, node: ast.Attribute) -> Operand:
    read = _TENSOR_ATTRIBUTES.get(node.attr)
    if read is None:
        known = low.held.known_arrays.get(owner)
        if known is not None and node.attr in ARRAY_METHODS:
            return MethodObject(known, node.attr)
        return _attribute_of_operand(low, owner, node)
    refuse_number(low, owner, f"`{node.attr}`", span_of(node))
    return read(low, owner, span_of(node))


@reads_attribute(tuple)
def _attribute_of_tuple(low: Lowering, owner: tuple[Operand, ...], node: ast.Attribute) -> Operand:
    if node.attr in _RANK or (is_list(owner) and node.attr in CHANGING):
        return _attribute_of_operand(low, owner, node)
    raise low.error(
        "OW304",
        f"`.{node.attr}` of {describe(owner)} is not part of the language",
        span_of(node),
        reason="the items of a tuple or list have no names, and a namedtuple has its fields alone",
        help="write the item's index, `p[0]`, or unpack the tuple: `a, b = p`",
    )


def _attribute_of_operand(low: Lowering, owner: Operand, node: ast.Attribute) -> Operand:
    """What has none of its own has no rank either; a list has methods, which are statements."""
    span = span_of(node)
    if node.attr in _RANK:
        return rank_of(low, owner, span)
    if is_list(owner) and node.attr in CHANGING:
        raise low.error(
            "OW345",
            f"`{node.attr}` of this list is not part of the language",
            span,
            reason="a list that changes is a local variable, and the call that changes it is a separate statement",
            help="write `ys = []`, then `ys.append(y)` or `y = ys.pop()`, or make a new list: `xs + [y]`",
        )
    raise low.error(
        "OW304",
        f"`.{node.attr}` of {describe(owner)} is not part of the language",
        span,
        reason=_what_has_attributes(owner),
        help=_COMPUTED if _is_text(owner) else _LIST_METHODS.get(node.attr) or on_tensors(node.attr),
    )


_COMPUTED = "compute it outside of the function, and use the result"
_LIST_METHODS = {"append": "append to a list: `ys = []`, `ys.append(y)`"}


def _what_has_attributes(owner: Operand) -> str:
    if is_number(owner) or _is_text(owner):
        kind = "text" if _is_text(owner) else "number"
        return f"a {kind} has no attributes or methods in the language"
    return "a tensor has the attributes `T`, `dtype`, `ndim`, `rank`, `shape` and `size`"


def _is_text(operand: Operand) -> bool:
    is_attribute = isinstance(operand, AttributeOperand) and operand.parameter.kind is ir.AttributeKind.STRING
    return isinstance(operand, str) or is_attribute


def _dtype(low: Lowering, value: ir.Value, span: Span) -> Operand:
    if not is_tensor(value):
        raise low.error("OW304", f"{describe(value)} has no dtype", span, "it is not a tensor", "")
    element, variable = value.type.known_element, ir.open_element(value.type.element)
    if variable is not None:
        raise needs_element(low, variable, span)
    assert element is not None
    return TypeObject(element, True)


_RANK = ("ndim", "rank")
_TENSOR_ATTRIBUTES: dict[str, Callable[[Lowering, ir.Value, Span], Operand]] = {
    **dict.fromkeys(_RANK, rank_of),
    "T": transposed,
    "dtype": _dtype,
    "shape": shape_of,
    "size": size_of,
}


_LISTS: tuple[type[ast.List | ast.Tuple], ...] = (ast.List, ast.Tuple)


@evaluates(*_LISTS)
def _sequence(low: Lowering, node: ast.Tuple | ast.List, env: Environment) -> Operand:
    if isinstance(node, ast.List) and ast.Starred in map(type, node.elts):
        return _list_with_stars(low, node, env)
    items: list[Operand] = []
    for found in each(partial(_spread, low, env=env, where="`*` in a list"), node.elts):
        items.extend(found)
    written = len(items) == len(node.elts)
    if isinstance(node, ast.List):
        return low.lists.made(_checked(low, StaticList(items), node, written))
    return _checked(low, tuple(items), node, written)


def _checked(low: Lowering, items: Operand, node: ast.expr, written: bool = False) -> Operand:
    try:
        return static.checked(items, written)
    except static.StaticError as error:
        raise low.no_value(error, "the list is too long", span_of(node)) from None


def _list_with_stars(low: Lowering, node: ast.List, env: Environment) -> Operand:
    """`[*xs, y]`: lists joined, those among them whose length only the run tells."""
    made: Operand = StaticList()
    for element in node.elts:
        written = element.value if isinstance(element, ast.Starred) else element
        value, span = lower_expression(low, written, env), span_of(element)
        if written is element:
            made = joined(low, made, (value,), span)
        elif is_sequence(value):
            made = joined(low, made, value, span)
        else:
            made = joined(low, made, items_of(low, value, span, "`*` in a list"), span)
    return low.lists.made(made if is_sequence(made) else _checked(low, made, node))


@evaluates(ast.IfExp)
def _joined(low: Lowering, node: ast.IfExp, env: Environment) -> Operand:
    condition = lower_condition(low, node.test, env)
    if isinstance(condition, bool):
        low.decide(node, condition, goes_on=True)
        outer = low.target.asked
        low.target.ask(asked(low, node.test, condition, env))
        try:
            return lower_expression(low, node.body if condition else node.orelse, env)
        finally:
            low.target.ask(outer)
    sides = [partial(lower_expression, low, side, env) for side in (node.body, node.orelse)]
    return choose(low, condition, span_of(node), sides)


@evaluates(ast.BoolOp)
def _bool_op(low: Lowering, node: ast.BoolOp, env: Environment) -> Operand:
    """`a and b` is b where a is true, else a; each operand is evaluated only where those before it do not decide."""
    stops_at = STOPS_AT[type(node.op)]
    value = lower_expression(low, node.values[0], env)
    for item in node.values[1:]:
        value = either(low, value, partial(lower_expression, low, item, env), stops_at, span_of(node))
    return value


def either(low: Lowering, value: Operand, other: Callable[[], Operand], stops_at: bool, span: Span) -> Operand:
    """`value` where its truth is `stops_at`, else `other()`."""
    condition = truth(low, value, span)
    if isinstance(condition, bool):
        return value if condition is stops_at else other()
    same = partial(_same, value)
    return choose(low, condition, span, (same, other) if stops_at else (other, same))


def _same(value: Operand) -> Operand:
    return value


@evaluates(ast.Subscript)
def _subscript(low: Lowering, node: ast.Subscript, env: Environment) -> Operand:
    parts = Parts()
    owner: Operand = None
    with parts:
        owner = lower_expression(low, node.value, env)
        if isinstance(owner, TypeObject):
            return TypeObject(owner.element)  # another class, in Python
        if isinstance(owner, TypingObject):
            return owner
    index: list[IndexItem] = []
    several = items_of_tuple(node.slice)
    with parts:
        for found in each(partial(_index_items, low, env=env), [node.slice] if several is None else several):
            index.extend(found)
    parts.close()
    if (
        len(index) == 1
        and isinstance(index[0], tuple)
        and not isinstance(index[0], StaticList)
        and isinstance(owner, ir.Value)
    ):
        index = list(index[0])  # a name for `i, j`
    if isinstance(owner, StaticDict):
        return item_of_dict(low, owner, index[0] if several is None else tuple(index), span_of(node))
    refuse_number(low, owner, "items", span_of(node.value))
    known = item_of_array(low, owner, index, span_of(node)) if low.held.known_arrays else None
    if known is not None:
        return known
    item = subscript(low, owner, index, span_of(node))
    if not low.held.arrays or not is_array(low, owner):
        return item
    if ELLIPSIS in index:  # which gives an array, of rank 0 too
        note_array(low, item)
        return item
    return computed_by_numpy(low, item, span_of(node))


def _index_items(low: Lowering, node: ast.expr, env: Environment) -> tuple[IndexItem, ...]:
    """What one part of a subscript stands for: itself, or all items of what is starred."""
    if isinstance(node, ast.Slice):
        return (SliceItem(*each(partial(_bound, low, env=env), (node.lower, node.upper, node.step))),)
    if isinstance(node, ast.Constant):
        return (ELLIPSIS if node.value is Ellipsis else _constant(low, node, env),)
    return _spread(low, node, env, "`*` in a subscript")


def _bound(low: Lowering, node: ast.expr | None, env: Environment) -> Operand:
    return None if node is None else lower_expression(low, node, env)


# ----------------------------------------------------------------------------------------------- operators


@evaluates(ast.BinOp)
def _bin_op(low: Lowering, node: ast.BinOp, env: Environment) -> Operand:
    """Left-deep chains are followed by a loop: `a + b + c + ...` nests as deep as it is long."""
    if isinstance(node.left, ast.Name):
        left = env.get(node.left.id)
        if type(left) is ir.Value:
            return _bin_step(low, node, left, env)
    spine: list[ast.BinOp] = []
    current: ast.expr = node
    while isinstance(current, ast.BinOp):
        spine.append(current)
        current = current.left
    value: Operand = None
    wrong = False
    try:
        value = lower_expression(low, current, env)
    except Poisoned as found:
        found.recover()
        wrong = True
    while spine:
        step = spine.pop()
        try:
            value = lower_expression(low, step.right, env) if wrong else _bin_step(low, step, value, env)
        except Poisoned as found:
            found.recover()
            wrong = True
    if wrong:
        raise Poisoned
    return value


def _bin_step(low: Lowering, node: ast.BinOp, left: Operand, env: Environment) -> Operand:
    """`left op right`, of which the left side is lowered already."""
    made = emit_with_literal(low, node, left)
    if made is not None:
        return made
    right = lower_expression(low, node.right, env)
    symbol, span = BINARY_SYMBOLS[type(node.op)], span_of(node)
    made = emit_plain_binary(low, symbol, left, right, span)
    if made is not None:
        return made
    return binary(low, symbol, left, right, span, (span_of(node.left), span_of(node.right)))


@evaluates(ast.Compare)
def _compare(low: Lowering, node: ast.Compare, env: Environment) -> Operand:
    if len(node.ops) > 1:
        return _chain(low, node, env)
    sides = (node.left, node.comparators[0])
    left, right = each(partial(_compared, low, env=env), sides)
    symbol = _COMPARE_SYMBOLS.get(type(node.ops[0]))
    made = None if symbol is None else emit_plain_binary(low, symbol, left, right, span_of(node))
    if made is not None:
        return made
    return _compare_pair(low, node.ops[0], left, right, span_of(node), (span_of(sides[0]), span_of(sides[1])))


def _chain(low: Lowering, node: ast.Compare, env: Environment) -> Operand:
    """`a < b < c`: each operand once, and c only where a < b."""
    left, right = each(partial(_compared, low, env=env), (node.left, node.comparators[0]))
    return _chain_from(low, node, env, 0, left, right)


def _chain_step(low: Lowering, node: ast.Compare, env: Environment, index: int, left: Operand) -> Operand:
    return _chain_from(low, node, env, index, left, _compared(low, node.comparators[index], env))


def _chain_from(
    low: Lowering, node: ast.Compare, env: Environment, index: int, left: Operand, right: Operand
) -> Operand:
    comparator, span = node.comparators[index], span_of(node)
    before = span_of(node.comparators[index - 1] if index else node.left)
    result = _compare_pair(low, node.ops[index], left, right, span, (before, span_of(comparator)))
    if index + 1 == len(node.ops):
        return result
    return either(low, result, partial(_chain_step, low, node, env, index + 1, right), False, span)


class _Opset(int):
    """The target opset where it is compared: of the answer depends less than of the number."""


def _compared(low: Lowering, node: ast.expr, env: Environment) -> Operand:
    """An operand of a comparison."""
    asked_of = versioned(node)
    if asked_of is not None:
        owner = lower_expression(low, asked_of, env)
        if isinstance(owner, OpsetObject) and not owner.domain:
            return _Opset(low.target.bare_opset)  # what it is compared with is noted
    return lower_expression(low, node, env)


def _compare_pair(
    low: Lowering, step: ast.cmpop, left: Operand, right: Operand, span: Span, spans: tuple[Span, Span]
) -> Operand:
    for operand, place in zip((left, right), spans, strict=True):
        for item in (operand, *(items_in(operand) or ())):
            check_exists(low, item, place)
    if isinstance(left, _Opset) or isinstance(right, _Opset):
        _note_question(low, _COMPARE_SYMBOLS.get(type(step), ""), left, right)
    if type(step) in _RELATIONS:
        relation, negated = _RELATIONS[type(step)]
        return relation(low, negated, left, right, span)
    symbol = _COMPARE_SYMBOLS[type(step)]
    known = compare_rank(low, symbol, left, right)
    if known is not None:
        return known
    for operand, place in zip((left, right), spans, strict=True):
        if isinstance(operand, AttributeOperand):
            ask_enumerated(low, operand, place)
    objects = any(operand is None or isinstance(operand, NamedObject) for operand in (left, right))
    if objects and symbol in ("==", "!=") and is_static(left) and is_static(right):
        try:
            return static.compare(symbol, left, right)
        except static.StaticError as error:
            raise low.no_value(error, f"`{symbol}` has no value here", span) from None
    return binary(low, symbol, left, right, span, spans)


def _note_question(low: Lowering, symbol: str, left: Operand, right: Operand) -> None:
    """Notes what is asked of the target opset; no symbol: neither an order nor equality."""
    if symbol and isinstance(left, _Opset) and is_int(right):
        low.target.note(symbol, right)
    elif symbol and isinstance(right, _Opset) and is_int(left):
        low.target.note(MIRRORED[symbol], left)
    else:
        low.target.note()


def _membership(low: Lowering, negated: bool, left: Operand, right: Operand, span: Span) -> Operand:
    if isinstance(right, StaticDict):
        return held_key(low, right.entries, left, span)[1] is not negated
    if not isinstance(right, (tuple, str, range)):
        raise _no_static_question(low, span)
    known = rank_is_in(low, left, right)
    if known is not None:
        return known is not negated
    items = items_in(right)
    if items is not None and not all(map(is_plain, items)):
        items = None
    if items is not None and isinstance(left, AttributeOperand) and can_stay_open(low, left, span):
        return _is_one_of(low, negated, left, items, span)
    need_static(low, left, span)
    need_static(low, right, span)
    if items is not None and value_of(left) is not None:
        return _is_one_of(low, negated, left, items, span)
    if not is_static(left) or not (isinstance(right, range) or all(map(is_static, right))):
        raise _no_static_question(low, span)
    try:
        return static.contains(right, left) is not negated
    except static.StaticError as error:
        raise low.no_value(error, "`in` has no value here", span) from None


def _is_one_of(low: Lowering, negated: bool, left: Operand, right: tuple[Operand, ...], span: Span) -> Operand:
    """Whether a value of the run time equals one of some numbers and texts that are known."""
    found: ir.Value | None = None
    for item in right:
        same = truth(low, binary(low, "==", left, item, span, (span, span)), span)
        if same is True:
            return not negated
        if same is not False:
            same = as_scalar(low, same, span)
            found = same if found is None else Writer(low, span).or_(found, same)
    if found is None:
        return negated
    return negate(low, found, span) if negated else as_number(found, ir.NumberKind.BOOL)


def _no_static_question(low: Lowering, span: Span) -> Poisoned:
    return low.error(
        "OW304",
        "`in` needs static operands",
        span,
        reason="membership is a static question, but for a value in a tuple of numbers or texts that are known",
        help="compare with each: `x == a or x == b`; of a tensor, `op.ReduceMax(op.Cast(xs == x, to=INT64)) > 0`",
    )


# What is asked of two operands by a word, and whether the answer is the opposite.
_RELATIONS: dict[type[ast.cmpop], tuple[Callable[[Lowering, bool, Operand, Operand, Span], Operand], bool]] = {
    ast.Is: (is_none, False),
    ast.IsNot: (is_none, True),
    ast.In: (_membership, False),
    ast.NotIn: (_membership, True),
}


@evaluates(ast.UnaryOp)
def _unary_op(low: Lowering, node: ast.UnaryOp, env: Environment) -> Operand:
    symbol, span = _UNARY_SYMBOLS[type(node.op)], span_of(node)
    if symbol == "not":
        return negate(low, lower_condition(low, node.operand, env), span)
    operand = lower_expression(low, node.operand, env)
    if is_static(operand) and not isinstance(operand, NamedObject):
        try:
            folded: Operand = static.unary(symbol, operand)
            return folded
        except static.StaticError as error:
            raise low.no_value(error, f"`{symbol}` has no value here", span) from None
    return unary(low, symbol, operand, span, span_of(node.operand))


# --------------------------------------------------------------------------------------------------- calls


@evaluates(ast.Call)
def _call(low: Lowering, node: ast.Call, env: Environment) -> Operand:
    return _call_for(low, node, env, None)


def _call_for(low: Lowering, node: ast.Call, env: Environment, count: int | None) -> Operand:
    """A call whose value is unpacked to so many names, where that is known."""
    try:
        callee = _operator_named(low, node.func, env) or lower_expression(low, node.func, env)
    except Poisoned as wrong:
        wrong.recover()
        lower_arguments(low, node, env, count)
        raise
    if isinstance(callee, TypingObject) and callee.name == "Opset":
        return make_opset(low, node, env)
    arguments = lower_arguments(low, node, env, count)
    rule = call_rule(callee)
    if rule is None:
        raise _refuse_call(low, callee, node.func)
    return rule(low, callee, arguments, env)


def _operator_named(low: Lowering, callee: ast.expr, env: Environment) -> OperatorObject | None:
    """The operator that `op.Relu` names, where the module has looked `op` up already: most calls are of these."""
    if type(callee) is not ast.Attribute or type(callee.value) is not ast.Name or callee.value.id in env:
        return None
    opset = low.scope.known(callee.value.id)
    return opset.operator(callee.attr) if type(opset) is OpsetObject and callee.attr != "version" else None


@calls(AttributeOperand)
def _call_attribute(low: Lowering, callee: AttributeOperand, arguments: Arguments, env: Environment) -> Operand:
    """A function that is called as a graph; the caller's is known when the function is built."""
    if callee.parameter.kind is ir.AttributeKind.GRAPH:
        need_static(low, callee, arguments.callee_span)
    raise _cannot_be_called(low, callee, arguments.callee_span)


def _refuse_call(low: Lowering, callee: Operand, node: ast.expr) -> Poisoned:
    if not _makes_tuples(callee):
        return _cannot_be_called(low, callee, span_of(node))
    return low.error(
        "OW304",
        f"the namedtuple `{ast.unparse(node)}` is not part of the language",
        span_of(node),
        reason="it has operators of its own, or is made from another class",
        help="write a tuple, `p = (a, b)`, and unpack it: `a, b = p`",
    )


def _cannot_be_called(low: Lowering, callee: Operand, span: Span) -> Poisoned:
    return low.error(
        "OW304",
        f"{describe(callee)} cannot be called",
        span,
        reason="only operators, functions, element types, functions of math and a few builtins can be called",
        help="",
    )


def _makes_tuples(callee: Operand) -> bool:
    """Whether it is a class that `namedtuple` or `NamedTuple` has made."""
    return isinstance(callee, NamespaceObject) and callee.makes_tuples


def lower_arguments(low: Lowering, node: ast.Call, env: Environment, count: int | None) -> Arguments:
    """Evaluated left to right, as Python does."""
    positional: list[tuple[Operand, Span]] = []
    wrong = False
    for argument in node.args:
        try:
            if isinstance(argument, ast.Starred):
                items = _spread(low, argument, env, "a starred argument")
                positional.extend((item, span_of(argument)) for item in items)
            else:
                operand = env.get(argument.id) if type(argument) is ast.Name else None
                if type(operand) is not ir.Value:
                    operand = lower_expression(low, argument, env)
                positional.append((operand, span_of(argument)))
        except Poisoned as found:
            found.recover()
            wrong = True
    keywords: dict[str, tuple[Operand, Span]] = {}
    for keyword in node.keywords:
        if keyword.arg in keywords:
            raise low.error("OW203", f"`{keyword.arg}` is given twice", span_of(keyword))
        try:
            if keyword.arg is None:
                _add_named(low, keyword.value, env, keywords)
            else:
                keywords[keyword.arg] = (lower_expression(low, keyword.value, env), span_of(keyword.value))
        except Poisoned as found:
            found.recover()
            wrong = True
    if wrong:
        raise Poisoned
    return Arguments(positional, keywords, count, span_of(node), span_of(node.func))


def _add_named(low: Lowering, node: ast.expr, env: Environment, keywords: dict[str, tuple[Operand, Span]]) -> None:
    """The arguments that `**` stands for in a call."""
    found, span = lower_expression(low, node, env), span_of(node)
    if not isinstance(found, StaticDict):
        raise low.error("OW312", "`**` needs a dictionary here", span, f"it gets {describe(found)}")
    for key, operand in found.entries.items():
        if not isinstance(key, str):
            raise low.error("OW312", "`**` has no value here", span, "Python says: keywords must be strings")
        if key in keywords:
            raise low.error("OW203", f"`{key}` is given twice", span)
        keywords[key] = (operand, span)


@evaluates(ast.NamedExpr)
def _named(low: Lowering, node: ast.NamedExpr, env: Environment) -> Operand:
    """`(name := value)`."""
    try:
        value = lower_expression(low, node.value, env)
    except Poisoned:
        bind_target(low, node.target, POISON, env)  # what reads it in the same statement
        raise
    check_waiting(low, span_of(node))
    if low.call_frame.is_on_one_path:
        raise low.error(
            "OW304",
            "`:=` is not part of the language where one path alone evaluates it",
            span_of(node),
            reason=f"`{ast.unparse(node.target)}` would have a value on that path only",
            help="assign the name in a separate statement before",
        )
    bind_target(low, node.target, value, env)
    return value
