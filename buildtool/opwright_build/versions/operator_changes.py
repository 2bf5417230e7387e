"""What differs in the operator of PyTorch that a function stands for, and in which of its calls it serves."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from opwright.aten.operator_schema import Argument, MalformedSchema, Schema, parse_schema
from opwright.bundle.format import ImplementsEntry

from opwright_build.versions.change import Kind


@dataclass(frozen=True, slots=True)
class OperatorChange:
    """`what` is the key of `implements:` that it is about, empty for the whole."""

    kind: Kind
    what: str = ""
    before: str = ""
    after: str = ""


def operator_changes(old: ImplementsEntry | None, new: ImplementsEntry | None) -> Iterator[OperatorChange]:
    """The changes from one `implements:` to the other. Exporters take the function for calls of the operator, so that
    each key decides what becomes of programs: only calls that were refused before may come to be served."""
    if old == new:
        return
    if old is None or new is None:
        kind = Kind.OPERATOR_GONE if new is None else Kind.OPERATOR_ADDED
        yield OperatorChange(kind, "", _name(old), _name(new))
        return
    if _name(old) != _name(new):
        yield OperatorChange(Kind.OPERATOR, "operator", _name(old), _name(new))
        return
    before, after = _parsed(old), _parsed(new)
    if (before is None or before != after) and old.schema != new.schema:
        widened = before is not None and after is not None and _takes_all_of(after, before)
        kind = Kind.OPERATOR_SCHEMA_WIDENED if widened else Kind.OPERATOR_SCHEMA
        yield OperatorChange(kind, "schema", old.schema, new.schema)
    told, told_now = _keys(old), _keys(new)
    for key in sorted(told.keys() | told_now.keys()):
        left, right = told.get(key, "left out"), told_now.get(key, "left out")
        if left != right:
            yield OperatorChange(Kind.OPERATOR_KEY, key, left, right)
    yield from _drops(old, new, before)


def _name(implements: ImplementsEntry | None) -> str:
    return "" if implements is None else implements.schema.partition("(")[0]


def _parsed(implements: ImplementsEntry) -> Schema | None:
    try:
        return parse_schema(implements.schema)
    except MalformedSchema:
        return None


def _takes_all_of(new: Schema, old: Schema) -> bool:
    """Whether calls of the old schema mean the same by the new one: PyTorch adds arguments with defaults to operators,
    lets sizes be computed, and None be given."""
    if new.returns != old.returns or len(new.arguments) < len(old.arguments):
        return False
    known = {item.name: item for item in new.arguments}
    positions = [item.name for item in old.arguments if not item.keyword_only]
    if [item.name for item in new.arguments[: len(positions)]] != positions:
        return False
    if not all(item.name in known and _takes(known[item.name], item) for item in old.arguments):
        return False
    return all(known[name].has_default for name in known.keys() - {item.name for item in old.arguments})


def _takes(new: Argument, old: Argument) -> bool:
    as_before = replace(new, symbolic=old.symbolic, optional=old.optional, keyword_only=old.keyword_only)
    wider = new.symbolic >= old.symbolic and new.optional >= old.optional and new.keyword_only <= old.keyword_only
    return wider and as_before == old


def _keys(implements: ImplementsEntry) -> dict[str, str]:
    """What each key says, but those of arguments that are dropped."""
    found = {f"arguments.{name}.form": form for name, form in implements.forms}
    found |= {f"arguments.{name}.of": ", ".join(names) for name, names in implements.sources}
    found |= {f"promotion.{variable}": rule for variable, rule in implements.promotion}
    found |= {"lifts": "true"} if implements.lifts else {}
    return found | ({"rank_of": implements.rank_of} if implements.rank_of else {})


def _drops(old: ImplementsEntry, new: ImplementsEntry, schema: Schema | None) -> Iterator[OperatorChange]:
    """At which values arguments may be left out: where nothing is said, at their defaults."""
    arguments = () if schema is None else schema.arguments
    defaults = {item.name: (json.dumps(item.default),) for item in arguments if item.has_default}
    dropped, dropped_now = dict(old.drops), dict(new.drops)
    for name in sorted(dropped.keys() | dropped_now.keys()):
        left, right = (
            drops[name] or None if name in drops else defaults.get(name, ()) for drops in (dropped, dropped_now)
        )
        if not _has_all(left, right) or not _has_all(right, left):
            kind = Kind.OPERATOR_CALLS_ADDED if _has_all(right, left) else Kind.OPERATOR_KEY
            yield OperatorChange(kind, f"arguments.{name}.drop", _values(left), _values(right))


def _has_all(values: Sequence[str] | None, others: Sequence[str] | None) -> bool:
    """Whether these values are all of the others, too; None: any value."""
    if values is None or others is None:
        return values is None
    known = [_value(text) for text in values]
    return all(_value(text) in known for text in others)


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:  # in a bundle that another tool made
        return text


def _values(texts: Sequence[str] | None) -> str:
    return "any value" if texts is None else ", ".join(texts) or "no value"
