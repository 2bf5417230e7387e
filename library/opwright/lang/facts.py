"""The answers to static questions, as text: what variants are named by and what a call is matched against.

An axis is a type variable (value: an element type), an input (`absent` or `present`; of a variadic one the number of
tensors), `<input>.rank` (a number, or `other`: none of those that the family tells apart) or an attribute (its value,
`absent`, or `present` where only that was asked).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from opwright.lang.dispatch import Operation
from opwright.lang.ir import AttributeLiteral
from opwright.variants import NOT
from opwright.variants import OTHER as OTHER

ABSENT, PRESENT = "absent", "present"
RANK = ".rank"
_EXCLUDED = "other than "


def declared_values(choices: Sequence[object], is_bool: bool) -> tuple[str, ...]:
    """The values of an attribute of which there are few, as facts; none where they are open."""
    if choices:
        return tuple(fact_of(value) for value in choices)
    return (fact_of(False), fact_of(True)) if is_bool else ()


def fact_of(value: object) -> str:
    """An attribute's value as a fact. A truth value is the integer that ONNX stores; a list is written `[1, 2]`."""
    return _fact.of(value)(value)


def _list_fact(value: object) -> str:
    assert isinstance(value, Iterable)
    return f"[{', '.join(map(_item_fact, value))}]"


def _item_fact(item: object) -> str:
    return repr(item) if isinstance(item, str) else fact_of(item)


_fact: Operation[object, [], str] = Operation(_list_fact)
_fact.on(type(None))(lambda value: ABSENT)
_fact.on(bytes)(lambda value: fact_of(value.decode("utf-8", "replace")))
_fact.on(bool, int)(lambda value: str(int(value)))
_fact.on(float)(repr)


@_fact.on(str)
def _text_fact(value: str) -> str:
    special = value in (ABSENT, PRESENT, OTHER) or value.startswith(("'", '"', NOT))
    return repr(value) if special else value


def value_of(fact: str, kind: str, is_bool: bool) -> AttributeLiteral:
    """The Python value of an attribute of an ONNX kind (`INT`, `STRINGS`...): the opposite of `fact_of`."""
    if kind == "INT":
        return bool(int(fact)) if is_bool else int(fact)
    if kind == "FLOAT":
        return float(fact)
    if kind == "STRING":
        return _unquoted(fact) if fact[:1] in ("'", '"') else fact
    if kind == "INTS":
        return tuple(bool(int(item)) if is_bool else int(item) for item in _items(fact))
    if kind == "FLOATS":
        return tuple(map(float, _items(fact)))
    if kind == "STRINGS":
        return tuple(_unquoted(item) if item[:1] in ("'", '"') else item for item in _items(fact))
    raise ValueError(f"attributes of kind {kind} have no value that is text")


def _items(fact: str) -> list[str]:
    """The items of `[1, 2]`; quotes may hold commas."""
    import ast

    if not fact.startswith("["):
        raise ValueError(f"{fact!r} is no list")
    parsed = ast.parse(fact, mode="eval").body
    assert isinstance(parsed, ast.List)
    return [ast.get_source_segment(fact, item) or "" for item in parsed.elts]


def _unquoted(text: str) -> str:
    import ast

    value = ast.literal_eval(text)
    assert isinstance(value, str)
    return value


# --------------------------------------------------------------------------------------------------- ranks


def other_rank(excluded: Sequence[int]) -> str:
    """The fact that a rank is none of those; variants are named `other`."""
    return _EXCLUDED + ", ".join(map(str, sorted(excluded)))


def excluded_ranks(fact: str) -> tuple[int, ...] | None:
    """The ranks that a fact rules out; None where it says which rank it is."""
    if fact == OTHER:
        return ()
    if fact.startswith(NOT):
        return tuple(int(item) for item in fact.removeprefix(NOT).split("|"))
    if not fact.startswith(_EXCLUDED):
        return None
    return tuple(int(item) for item in fact.removeprefix(_EXCLUDED).split(", "))


def says(axis: str, fact: str, less: str) -> bool:
    """Whether a fact of an axis says all that another one says. A variant that is wrong early has been asked less."""
    ruled_out = excluded_ranks(less) if axis.endswith(RANK) else None
    if fact == less or ruled_out is None:
        return fact == less
    also = excluded_ranks(fact)
    return int(fact) not in ruled_out if also is None else set(ruled_out) <= set(also)


def exact_rank(fact: str) -> int | None:
    """The rank that a fact says; None where it only rules some out."""
    return int(fact) if excluded_ranks(fact) is None else None


def shown(fact: str, complete: bool = True) -> str:
    """The fact as it stands in a variant's key; `complete`: whether each rank that it rules out has a variant."""
    if not fact.startswith(_EXCLUDED):
        return fact
    return OTHER if complete else NOT + fact.removeprefix(_EXCLUDED).replace(", ", "|")
