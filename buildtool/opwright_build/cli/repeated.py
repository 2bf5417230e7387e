"""Options that hold one value and are given two: refused, where a parser would take the last without a word."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Option:
    """The spellings of an option, whether a value follows it, and whether it may be given more than once."""

    spellings: tuple[str, ...]
    takes_value: bool
    may_repeat: bool


def repeated_option(options: Iterable[Option], words: Sequence[str]) -> str:
    """The first option among the words of a command that takes one value and has another already; empty for none."""
    by_spelling = {spelling: option for option in options for spelling in option.spellings}
    seen: set[tuple[str, ...]] = set()
    rest = iter(words)
    for word in rest:
        if word == "--":
            return ""
        name, equals, _ = word.partition("=")
        option = by_spelling.get(name)
        if option is None and word[:1] == "-" and word[:2] != "--":
            option, equals = by_spelling.get(word[:2]), word[2:]
        if option is None or not option.takes_value:
            continue
        if not option.may_repeat and option.spellings in seen:
            return name if name in by_spelling else word[:2]
        seen.add(option.spellings)
        if not equals:
            next(rest, None)
    return ""
