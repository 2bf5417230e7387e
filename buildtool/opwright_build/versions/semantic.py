"""What a release may bring, by its number: semantic versioning over the changes since the last one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import IntEnum

from opwright_build.versions.change import Change

_NUMBERS = re.compile(r"(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})", re.ASCII)
Release = tuple[int, int, int]


class Step(IntEnum):
    """The part of the number that a release counts up."""

    PATCH = 0
    MINOR = 1
    MAJOR = 2

    @property
    def noun(self) -> str:
        return self.name.lower()


def parse_release(text: str) -> Release | None:
    """The numbers of `1.2.0`; None where it is not three of them."""
    match = _NUMBERS.fullmatch(text)
    return None if match is None else (int(match[1]), int(match[2]), int(match[3]))


def needed(change: Change, last: Release) -> Step:
    """The least step that a change is allowed in. Before 1.0.0 a minor release may break what worked."""
    if change.breaks:
        return Step.MAJOR if last[0] else Step.MINOR
    return Step.MINOR if change.adds and last[0] else Step.PATCH


def step_between(last: Release, next_: Release) -> Step | None:
    """Which part is counted up; None where `next_` is not later."""
    if next_ <= last:
        return None
    if next_[0] != last[0]:
        return Step.MAJOR
    return Step.MINOR if next_[1] != last[1] else Step.PATCH


def smallest(changes: Sequence[Change], last: Release) -> str:
    """The lowest number that a release with these changes may have."""
    step = max((needed(change, last) for change in changes), default=Step.PATCH)
    major, minor, patch = last
    numbers = {Step.MAJOR: (major + 1, 0, 0), Step.MINOR: (major, minor + 1, 0), Step.PATCH: (major, minor, patch + 1)}
    return ".".join(map(str, numbers[step]))


def development_version(version: str, last: str) -> str:
    """The version of what is built after a release: the patch after it, or the one that library.yaml announces."""
    numbers, before = parse_release(version), parse_release(last)
    if numbers is None or before is None:
        return f"{version}.dev0"
    coming = numbers if numbers > before else (before[0], before[1], before[2] + 1)
    return f"{'.'.join(map(str, coming))}.dev0"
