"""Dictionaries and namedtuples of what is known when the function is built; their items may be anything.

A dictionary does not change: it is written once, and read by `d[key]`, `get`, `in` and loops.
"""

from __future__ import annotations

import ast

from opwright.lang import ir
from opwright.lang.dispatch import (
    Operation,
)
from opwright.lang.lower.numbers.number_operands import describe
from opwright.lang.lower.rules import calls, evaluates, lower_expression
from opwright.lang.lower.state.context import Lowering
from opwright.lang.lower.state.known import need_static
from opwright.lang.lower.values.static_calls import call_array_method, check_exists
from opwright.lang.meaning import static
from opwright.lang.meaning.objects import (
    FunctionObject,
    NestedObject,
    OperatorObject,
    PartialObject,
    RecordObject,
    ScriptObject,
)
from opwright.lang.meaning.operands import (
    Arguments,
    Environment,
    MethodObject,
    Operand,
    StaticDict,
    StaticView,
    items_in,
)
from opwright.lang.meaning.static import Key, RecordType, StaticList, StaticNamed
from opwright.lang.text.source import Span, span_of

READERS = ("get", "items", "keys", "values")


@evaluates(ast.Dict)
def _dictionary(low: Lowering, node: ast.Dict, env: Environment) -> Operand:
    """`{"a": 1, **others}`."""
    entries: dict[Key, Operand] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        if key is not None:
            add_entry(low, entries, key, value, env)
            continue
        other = lower_expression(low, value, env)
        if not isinstance(other, StaticDict):
            raise low.error("OW312", "`**` needs a dictionary here", span_of(value), f"it gets {describe(other)}")
        for found, item in other.entries.items():
            held_key(low, entries, found, span_of(value))
            entries[found] = item
    return dictionary_of(low, entries, span_of(node))


def add_entry(low: Lowering, entries: dict[Key, Operand], key: ast.expr, value: ast.expr, env: Environment) -> None:
    """`key: value` of a dictionary; the key first, as Python evaluates them."""
    found, _ = held_key(low, entries, lower_expression(low, key, env), span_of(key))
    entries[found] = lower_expression(low, value, env)


def dictionary_of(low: Lowering, entries: dict[Key, Operand], span: Span) -> StaticDict:
    if len(entries) > static.SEQUENCE_ITEMS:
        raise low.error("OW311", "the dictionary is too long", span, "dictionaries have a limit")
    return StaticDict(entries)


def held_key(low: Lowering, entries: dict[Key, Operand], operand: Operand, span: Span) -> tuple[Key, bool]:
    """A key, and whether there is an entry of it."""
    key = _key_of(low, operand, span)
    try:
        return key, key in entries
    except static.StaticError as error:
        raise low.error(error.code, f"{describe(operand)} may be a key or not", span, reason=str(error)) from None


def _key_of(low: Lowering, operand: Operand, span: Span) -> Key:
    """A key: a number, a text, None, an operator, a function, or a tuple of them."""
    need_static(low, operand, span)
    return _key.of(operand)(operand, low, span)


def _no_key(operand: Operand, low: Lowering, span: Span) -> Key:
    raise low.error(
        "OW304",
        f"{describe(operand)} is no key of a dictionary",
        span,
        reason="keys are numbers, texts, None, operators, functions and tuples of them that are known when the "
        "function is built",
        help="choose with `if`",
    )


_key: Operation[Operand, [Lowering, Span], Key] = Operation(_no_key)
_key.on(type(None), bool, int, float, str)(lambda operand, low, span: operand)
_key.on(FunctionObject, NestedObject, PartialObject, ScriptObject)(lambda operand, low, span: operand)


@_key.on(OperatorObject)
def _operator(operand: OperatorObject, low: Lowering, span: Span) -> Key:
    check_exists(low, operand, span)
    return operand


_key.on(tuple)(lambda operand, low, span: tuple(_key_of(low, item, span) for item in operand))
_key.on(StaticList)(_no_key)


def item_of_dict(low: Lowering, owner: StaticDict, key: Operand, span: Span) -> Operand:
    """`d[key]`."""
    found, is_held = held_key(low, owner.entries, key, span)
    if not is_held:
        known = ", ".join(map(describe, list(owner.entries)[:8])) or "none"
        raise low.error("OW312", f"the dictionary has no key {describe(found)}", span, reason=f"its keys are: {known}")
    return owner.entries[found]


@calls(MethodObject)
def _call_method(low: Lowering, callee: MethodObject, arguments: Arguments, env: Environment) -> Operand:
    """`d.get(key, default)`, `d.items()`, `d.keys()`, `d.values()`; methods of arrays and namedtuples."""
    if isinstance(callee.owner, ir.TensorData):
        return call_array_method(low, callee.owner, callee.name, arguments)
    if isinstance(callee.owner, StaticNamed):
        return _replaced(low, callee.owner, arguments)
    entries, name, span = callee.owner.entries, callee.name, arguments.span
    most = 2 if name == "get" else 0
    if arguments.keywords or not most // 2 <= len(arguments.positional) <= most:
        raise low.error(
            "OW203", f"`{name}` has Python's signature", span, "a key and a default for `get`, else nothing"
        )
    if name == "get":
        (key, place), *default = arguments.positional
        found, is_held = held_key(low, entries, key, place)
        return entries[found] if is_held else default[0][0] if default else None
    items: tuple[Operand, ...] = tuple(entries.items())
    if name != "items":
        items = tuple(entries) if name == "keys" else tuple(entries.values())
    return StaticView(items, name)


# -------------------------------------------------------------------------------------------------- namedtuples


@calls(RecordObject)
def _make_record(low: Lowering, callee: RecordObject, arguments: Arguments, env: Environment) -> Operand:
    """`P(a, y=b)`."""
    fields = callee.record.fields
    given = dict(zip(fields, (operand for operand, _ in arguments.positional), strict=False))
    problem = "" if len(arguments.positional) <= len(fields) else f"{len(arguments.positional)} values are given"
    for name, (operand, _) in arguments.keywords.items():
        if name not in fields or name in given:
            problem = problem or f"`{name}` is given twice, or is no field"
        given[name] = operand
    missing = [name for name in fields if name not in given and name not in callee.defaults]
    if problem or missing:
        raise low.error(
            "OW203",
            f"`{callee.record.name}` takes {', '.join(f'`{name}`' for name in fields) or 'nothing'}",
            arguments.span,
            reason=problem or f"`{missing[0]}` is not given",
        )
    items: list[Operand] = [given[name] if name in given else callee.defaults[name] for name in fields]
    return StaticNamed(callee.record, items)


def _replaced(low: Lowering, owner: StaticNamed, arguments: Arguments) -> Operand:
    """`p._replace(y=b)`."""
    if arguments.positional:
        raise low.error("OW203", "`_replace` takes fields by name", arguments.span, "it has Python's signature")
    before: dict[str, Operand] = dict(zip(owner.record.fields, owner, strict=True))
    return _make_record(low, RecordObject(owner.record, before), arguments, {})


def call_namedtuple(low: Lowering, arguments: Arguments) -> Operand:
    """`namedtuple("P", "x y")`: a class."""
    operands = [operand for operand, _ in arguments.positional]
    if arguments.keywords or len(operands) != 2:
        raise low.error("OW304", "`namedtuple` takes a name and fields here", arguments.span, "it has no other options")
    name, fields = operands
    if isinstance(fields, str):
        fields = tuple(fields.replace(",", " ").split())
    parts = items_in(fields)
    names = [item for item in parts or () if isinstance(item, str)]
    known = parts is not None and len(names) == len(parts) == len(set(names))
    if not isinstance(name, str) or not known or not all(_is_field(item) for item in names):
        raise low.error(
            "OW312", "`namedtuple` has no value here", arguments.span, "names of fields are texts, each another one"
        )
    return RecordObject(RecordType(name, tuple(names)), {})


def _is_field(name: str) -> bool:
    return name.isidentifier() and not name.startswith("_")
