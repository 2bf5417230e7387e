"""Functions whose results have no exact values, or that compute nothing themselves: what is compared instead."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from opwright.bundle.format import FunctionEntry
from opwright.diagnostics.diagnostic import Place
from opwright_build.verify.case_model import Case, SuiteJudge

from benchmarks.numerics.calls import Caller
from benchmarks.numerics.points import MILLION

PROBABILITIES = (0.0, 0.1, 0.25, 0.5, 0.9, 1.0)


def _bernoulli(caller: Caller, entry: FunctionEntry) -> str:
    """How far the share of ones is from the probability, ours and the standard's; seeded, so each time the same."""
    ours: list[float] = []
    standard: list[float] = []
    for place, probability in enumerate(PROBABILITIES):
        drawn = np.full([MILLION], probability, dtype=np.float32)
        bindings = {name: "float" for name, _ in entry.types}
        given = {"seed": float(place + 1)}
        case = Case(
            entry.identity, f"p={probability}", bindings, (drawn,), given, None, SuiteJudge(0, 0), Place(""), ""
        )
        answers = caller.call(entry, case)
        assert answers.ours is not None
        ours.append(abs(float(answers.ours[0].mean()) - probability))
        standard.append(abs(float(answers.standard[0].mean()) - probability))
    listed = ", ".join(f"{probability:g}" for probability in PROBABILITIES)
    turned = "it draws ones with the probability 1 - p: " if standard[0] > 0.5 else ""
    return (
        f"results are random. Of {MILLION:,} draws for each p among {listed} the share of ones is within "
        f"{max(ours):.2g} of p, where a standard deviation is at most {0.5 / MILLION**0.5:.2g}, and for 0 and 1 within "
        f"{max(ours[0], ours[-1]):g} (the standard's body: {turned}{max(standard):.2g} and "
        f"{max(standard[0], standard[-1]):g})"
    )


def _sequence_map(caller: Caller, entry: FunctionEntry) -> str:
    return (
        "computes nothing itself: it calls a graph once for each element of its sequences. Nothing is measured; its "
        "vectors judge what it calls the graph with, and in which order"
    )


NOTES: dict[str, Callable[[Caller, FunctionEntry], str]] = {"Bernoulli": _bernoulli, "SequenceMap": _sequence_map}
