"""Ranges: of opsets (`>=13,<=28`), and of releases (`>=0.1,<2`)."""

from __future__ import annotations

import re

from opwright_build.spec.model import OpsetRange

_OPSET_PART = re.compile(r"(>=|<=|==)\s*([0-9]{1,6})", re.ASCII)
_RELEASE_PART = re.compile(r"(>=|<=|==|!=|>|<)\s*([0-9]{1,9}(?:\.[0-9]{1,9}){0,5})", re.ASCII)

OPSET_FORMS = "`>=13`, `>=13,<=20` or `==18`"
RELEASE_FORMS = "`>=0.1` or `>=0.1,<2`"


class RangeError(ValueError):
    """The text is no range; the message says why, as the end of a sentence."""


def range_of(text: str, outer: OpsetRange | None = None, *, both_ends: bool = False) -> str:
    """A help text: the ranges that a text such as `15`, `18+` or `13-20` may be meant as, within `outer`."""
    bounds = re.findall(r"([<>]=?)?\s{0,4}(\d{1,6})", text, re.ASCII)
    numbers = [int(number) + {">": 1, "<": -1}.get(sign, 0) for sign, number in bounds]
    if len(numbers) not in (1, 2) or not 1 <= numbers[0] <= numbers[-1]:
        return f"A range is {OPSET_FORMS}."
    if outer is not None and any(not outer.first <= number <= outer.last for number in numbers):
        return f"The library has the opsets {outer.first} to {outer.last}; a range is {OPSET_FORMS}."
    if len(numbers) == 2:
        return f'Write `">={numbers[0]},<={numbers[1]}"`.'
    if bounds[0][0].startswith("<"):
        return f'A range has a first opset: `">={outer.first if outer else 13},<={numbers[0]}"`.'
    if both_ends:
        return f'A library has a first and a last opset: `">={numbers[0]},<=28"`.'
    return (
        f'Write `">={numbers[0]}"` for this opset and all later ones of the library, `"=={numbers[0]}"` for this alone.'
    )


def meant_range(text: str, outer: OpsetRange | None = None) -> str:
    """The one range that a text such as `13-20`, `18+` or `>=13 <=20` is sure to mean; empty where there is none.

    A number alone may mean two things. `outer` is the range of the library; without it a range needs both ends."""
    span = _SPAN.fullmatch(text)
    bounds = re.findall(r"(>=|<=|==)\s*(\d{1,6})", text, re.ASCII)
    if span is not None:
        found = f">={span[1]},<={span[2]}"
    elif later := _LATER.fullmatch(text):
        found = f">={later[1] or later[2]}"
    elif alone := _ALONE.fullmatch(text):
        found = f"=={alone[1]}"
    elif len(bounds) > 1 and not re.sub(r"(>=|<=|==)\s*\d+|[\s,;&]|and", "", text):
        found = ",".join(f"{sign}{number}" for sign, number in bounds)
    else:
        return ""
    try:
        opsets = parse_opsets(found, outer)
    except RangeError:
        return ""
    inside = outer is None or outer.first <= opsets.first <= opsets.last <= outer.last
    return found if inside and found != text else ""


_SPAN = re.compile(r"\s*(\d{1,6})\s*(?:-|\.\.\.?|to|:)\s*(\d{1,6})\s*", re.ASCII)
_LATER = re.compile(r"\s*(?:(\d{1,6})\s*\+|(?:=>|≥)\s*(\d{1,6}))\s*", re.ASCII)
_ALONE = re.compile(r"\s*=\s*(\d{1,6})\s*", re.ASCII)


def parse_opsets(text: str, outer: OpsetRange | None = None) -> OpsetRange:
    """The opsets that a text names. `>=N` alone reaches to the end of `outer`; without `outer` it needs an end.

    Raises RangeError for text of another form and for an empty range; does not ask whether `outer` holds it.
    """
    bounds: dict[str, int] = {}
    for part in text.split(","):
        match = _OPSET_PART.fullmatch(part.strip())
        if match is None:
            raise RangeError(f"is not of the form {OPSET_FORMS}")
        if match[1] in bounds:
            raise RangeError(f"has `{match[1]}` twice")
        bounds[match[1]] = int(match[2])
    if "==" in bounds:
        if len(bounds) > 1:
            raise RangeError("joins `==` with another bound")
        return _range(bounds["=="], bounds["=="])
    if ">=" not in bounds:
        raise RangeError("has no first opset (`>=N`)")
    if "<=" in bounds:
        return _range(bounds[">="], bounds["<="])
    if outer is None:
        raise RangeError("has no last opset (`<=N`)")
    return OpsetRange(bounds[">="], max(outer.last, bounds[">="]))


def _range(first: int, last: int) -> OpsetRange:
    if first < 1:
        raise RangeError("begins before opset 1")
    if first > last:
        raise RangeError("is empty")
    return OpsetRange(first, last)


def admits_release(requirement: str, release: str) -> bool:
    """Whether a release satisfies all parts of a requirement; RangeError for text of another form.

    Releases are compared by their numbers alone: 0.1.0rc1 counts as 0.1.0.
    """
    have = release_numbers(release)
    satisfied = True
    for part in requirement.split(","):
        match = _RELEASE_PART.fullmatch(part.strip())
        if match is None:
            raise RangeError(f"is not of the form {RELEASE_FORMS}")
        satisfied &= _compare(match[1], have, release_numbers(match[2]))
    return satisfied


def release_numbers(release: str) -> tuple[int, ...]:
    """The leading numbers of a release, trailing zeros dropped, so that 1.0 equals 1."""
    leading = re.match(r"[0-9]+(?:\.[0-9]+)*", release, re.ASCII)
    numbers = [int(number) for number in leading[0].split(".")] if leading else []
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


def _compare(operator: str, left: tuple[int, ...], right: tuple[int, ...]) -> bool:
    match operator:
        case ">=":
            return left >= right
        case "<=":
            return left <= right
        case ">":
            return left > right
        case "<":
            return left < right
        case "==":
            return left == right
        case _:
            return left != right
