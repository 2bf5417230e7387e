"""Functions whose results have no exact values, or that compute nothing themselves: what is compared instead."""

from __future__ import annotations

NOTES: dict[str, str] = {
    "SequenceMap": (
        "computes nothing itself: it calls the graph that it is given once for each element of its sequences. The "
        "results of the standard's cases are equal bit for bit to those of the standard's body "
        "(`opwright test`; each case's own tolerance is not needed)."
    ),
}
