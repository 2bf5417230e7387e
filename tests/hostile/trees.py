"""JSON and YAML as trees: parts are swapped, moved, doubled, nested and given values that fit nowhere."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator, Sequence

_MANY = 20  # of which no single one matters

Tree = object  # dict, list, text, number, truth value or None, as `json` and `yaml` give them

NUMBERS: Sequence[Tree] = (0, 1, -1, 7, 99, 2**31, 2**63, -(2**63), 2**70, 10**400, 0.5, -0.0, 1e308)
SPECIAL: Sequence[Tree] = (float("nan"), float("inf"), True, None, [], {}, "", [[]], {"": None})
TEXTS: Sequence[Tree] = (
    *("../x", "/etc/passwd", "a/../../b", ".", "..", "con", "-x", "a" * 5_000, "x y", "é", "\u202e", "\u2028"),
    *("a\nb", "*/", '"""', "`", "<script>", "\0", "\ud800", "{{x}}", "%s", "\\", "${HOME}", "🦀", "\ufeff", "\x1b[2J"),
    *("true", "1e999", "nan", "0x10", "1_000", "==", ">=13", "<=99", ">=28,<13", ">=1e9", "*", "17-15", "latest"),
    *("If", "ai.onnx", "com.microsoft", "this", "T", "float", "tensor(float)", "FLOAT[N]", "body1:" + "0" * 64),
)


def spots(tree: Tree, most: int = 5_000) -> list[tuple[list[Tree] | dict[str, Tree], int | str]]:
    """Every place in a tree, as what holds it and the key there."""
    found: list[tuple[list[Tree] | dict[str, Tree], int | str]] = []
    pending = [tree]
    while pending and len(found) < most:
        holder = pending.pop()
        if isinstance(holder, dict):
            found.extend((holder, key) for key in holder)
            pending.extend(holder.values())
        elif isinstance(holder, list):
            found.extend((holder, index) for index in range(len(holder)))
            pending.extend(holder)
    return found


def _by_kind(tree: Tree, most: int = 5_000) -> dict[str, list[tuple[list[Tree] | dict[str, Tree], int | str]]]:
    """The places of a tree by the way that leads there: the items of a long list are of one kind, those of a short one
    are fields of their own. So what occurs once in a document is changed as often as what occurs a thousand times."""
    found: dict[str, list[tuple[list[Tree] | dict[str, Tree], int | str]]] = {}
    pending: list[tuple[str, Tree]] = [("", tree)]
    count = 0
    while pending and count < most:
        way, holder = pending.pop()
        if isinstance(holder, dict):
            places: list[tuple[str, int | str]] = [
                (f"{way}.{key if len(holder) < _MANY else ''}", key) for key in holder
            ]
        elif isinstance(holder, list):
            row = len(holder) < _MANY and any(not isinstance(item, dict | list) for item in holder)
            places = [(f"{way}[{index if row else ''}]", index) for index in range(len(holder))]
        else:
            continue
        for deeper, key in places:
            found.setdefault(deeper, []).append((holder, key))
            pending.append((deeper, holder[key]))  # type: ignore[index]
        count += len(places)
    return found


def keys_of(tree: Tree) -> Iterator[str]:
    for holder, key in spots(tree):
        if isinstance(holder, dict) and isinstance(key, str):
            yield key


def scalar(numbers: random.Random) -> Tree:
    return copy.deepcopy(numbers.choice(numbers.choice((NUMBERS, SPECIAL, TEXTS, TEXTS))))


def changed_tree(tree: Tree, numbers: random.Random, words: Sequence[str] = ()) -> Tree:
    """The tree, itself changed in one place; `words` are keys that something may be asked for."""
    kinds = _by_kind(tree)
    if not kinds:
        return scalar(numbers)
    places = [place for places in kinds.values() for place in places]
    holder, key = numbers.choice(places if numbers.random() < 0.4 else numbers.choice(list(kinds.values())))
    value = holder[key]  # type: ignore[index]
    match numbers.randrange(11):
        case 0 | 1 | 2:
            _put(holder, key, _like(value, numbers))
        case 3:
            del holder[key]  # type: ignore[arg-type]
        case 4:  # the value of another place
            other, there = numbers.choice(places)
            if there in other if isinstance(other, dict) else int(there) < len(other):
                _put(holder, key, copy.deepcopy(other[there]))  # type: ignore[index]
        case 5:  # another key
            if isinstance(holder, dict) and isinstance(key, str):
                holder[str(numbers.choice([*words, *TEXTS[:6], key + "s"]))] = holder.pop(key)
            elif isinstance(holder, list):
                holder.insert(numbers.randrange(len(holder) + 1), copy.deepcopy(value))
        case 6:  # a further key
            if isinstance(holder, dict):
                holder[str(numbers.choice([*words, "x", ""]))] = copy.deepcopy(value)
            else:
                holder.extend([copy.deepcopy(value)] * numbers.choice((1, 2, 40)))
        case 7:  # inside a list or a mapping
            _put(holder, key, [value] if numbers.random() < 0.5 else {str(numbers.choice([*words, "x"])): value})
        case 8:  # deep
            for _ in range(numbers.choice((2, 30, 300))):
                value = [value]
            _put(holder, key, value)
        case 9:  # what comes after it as well
            if isinstance(holder, list):
                del holder[int(key) :]
            elif isinstance(value, list | dict):
                value.clear()
        case _:  # only one of what was a list
            _put(holder, key, value[0] if isinstance(value, list) and value else scalar(numbers))
    return tree


def _put(holder: list[Tree] | dict[str, Tree], key: int | str, value: Tree) -> None:
    holder[key] = value  # type: ignore[index]


def _like(value: Tree, numbers: random.Random) -> Tree:
    """Another value, more often one of the same kind."""
    if numbers.random() < 0.6:
        if isinstance(value, bool):
            return not value
        if isinstance(value, int | float):
            return numbers.choice((*NUMBERS, value + 1, -value))  # type: ignore[arg-type]
        if isinstance(value, str):
            return numbers.choice((*TEXTS, value.upper(), value + value, value[1:], value + "\n", f" {value}"))
    return scalar(numbers)


def changed_json(data: bytes, numbers: random.Random, words: Sequence[str] = ()) -> bytes:
    """The document with a few places changed, mostly still a document."""
    try:
        tree = json.loads(data)
    except (ValueError, RecursionError):
        return data
    for _ in range(numbers.choice((1, 1, 1, 2, 4))):
        tree = changed_tree(tree, numbers, words)
    try:
        written = json.dumps(tree, separators=(",", ":"), ensure_ascii=numbers.random() < 0.9, sort_keys=True)
    except (RecursionError, TypeError):
        return data
    if numbers.random() < 0.03:
        written = numbers.choice(("[" * 100_000, written[: len(written) // 2], written + "x", "﻿" + written, ""))
    return written.encode("utf-8", "surrogatepass")
