"""What keeps functions from opsets, as few sentences: rows of `opsets --json` that say the same thing, together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Obstacle:
    """One reason at one place. `variants` are the variants that it prevents, none for the function as a whole."""

    identity: str
    opsets: tuple[int, ...]
    variants: tuple[Mapping[str, str], ...]
    operator: str
    reason: str
    place: str

    @property
    def which(self) -> str:
        """The variants, as briefly as is still true; empty for the function as a whole."""
        if not self.variants:
            return ""
        first, count = self.variants[0], len(self.variants)
        if count == 1:
            return _facts(first)
        if all(len(item) == 1 for item in self.variants):
            return _values(self.variants)
        shared = {
            axis: value for axis, value in first.items() if all(item.get(axis) == value for item in self.variants)
        }
        return f"{_facts(shared)} ({count} variants)" if shared else f"{_facts(first)} and {count - 1} more"


def obstacles(rows: Iterable[Mapping[str, Any]]) -> list[Obstacle]:
    """In the order of the rows. A reason may name a variant's element type, so that of the first one stands for all."""
    cells: dict[tuple[str, str, str, str, tuple[tuple[str, str], ...]], list[int]] = {}
    for row in rows:
        if row["body"] is None and row["reason"]:
            variant = tuple(row["variant"].items())
            found = (identity_of(row), row["operator"] or "", row["place"], row["reason"], variant)
            cells.setdefault(found, []).append(row["opset"])
    grouped: dict[tuple[str, str, str, str, tuple[int, ...]], Obstacle] = {}
    for (identity, operator, place, reason, variant), opsets in cells.items():
        key = (identity, operator, place, "" if variant else reason, tuple(sorted(opsets)))
        known = grouped.get(key)
        variants = (*(known.variants if known else ()), *([dict(variant)] if variant else []))
        grouped[key] = Obstacle(identity, key[4], variants, operator, known.reason if known else reason, place)
    return list(grouped.values())


def identity_of(row: Mapping[str, Any]) -> str:
    return f"{row['domain']}::{row['name']}@{row['since_version']}"


def spans(opsets: Sequence[int]) -> str:
    """`13-15,17`."""
    found: list[list[int]] = []
    for opset in sorted(opsets):
        if found and found[-1][1] == opset - 1:
            found[-1][1] = opset
        else:
            found.append([opset, opset])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in found)


def _values(variants: Iterable[Mapping[str, str]]) -> str:
    """Of variants of one fact each: `T=int4|uint4, U=int4`."""
    by_axis: dict[str, list[str]] = {}
    for variant in variants:
        for axis, value in variant.items():
            by_axis.setdefault(axis, []).append(value)
    return ", ".join(f"{axis}={'|'.join(values)}" for axis, values in by_axis.items())


def _facts(variant: Mapping[str, str]) -> str:
    return ",".join(f"{axis}={value}" for axis, value in variant.items())
