"""The figures of a build, counted from the bundle's index alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from opwright.bundle.format import FunctionEntry, Index


@dataclass(frozen=True, slots=True)
class Figures:
    """`opset_bodies`: one for each (version, variant, opset); `stored_bodies`: the distinct ones that the bundle holds.

    `bytes_saved` is what a body stored once for each of its uses would take, less what it takes stored once.
    """

    versions: int
    pairs: int
    opset_bodies: int
    stored_bodies: int
    bytes_saved: int


def widest(function: FunctionEntry) -> int:
    """How many element types the widest type variable of a function admits: what is verified apart."""
    return max((len(admitted) for _, admitted in function.types), default=0)


def count_figures(index: Index, sizes: Mapping[str, int]) -> Figures:
    """`sizes` maps the digest of each stored body to its size in bytes."""
    uses = 0
    spread = 0
    for function in index.functions:
        for body in function.bodies:
            opsets = body.last_opset - body.first_opset + 1
            uses += opsets
            spread += opsets * sizes[body.body]
    return Figures(
        versions=len(index.functions),
        pairs=sum(map(widest, index.functions)),
        opset_bodies=uses,
        stored_bodies=len(sizes),
        bytes_saved=spread - sum(sizes.values()),
    )
