"""`--timings`: where the time of a build or test went, by step, by kind of action, and the slowest actions."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from opwright_build.report.forwarding import ForwardingReporter
from opwright_build.report.reporter import Reporter
from opwright_build.report.tables import text_table

STARTING = "starting"  # the step before the first one
_SLOWEST = 10


class Timings:
    """Steps as they begin on the clock of `time.perf_counter`, and actions as they end. All are in seconds; those of
    actions are of the process that ran them, so together they may be more than the steps."""

    def __init__(self) -> None:
        self._steps: list[tuple[str, float]] = []
        self._actions: dict[tuple[str, str], float] = {}

    def begin(self, step: str) -> None:
        self._steps.append((step, time.perf_counter()))

    def took(self, kind: str, action: str, seconds: float) -> None:
        """An action, or a part of one that has others, took so long."""
        key = kind, action
        self._actions[key] = self._actions.get(key, 0.0) + seconds

    def summary(self, started: float, ended: float) -> dict[str, Any]:
        """As it stands in records and in JSON."""
        times = [(STARTING, started), *self._steps]
        ends = [*(begun for _, begun in self._steps), ended]
        steps: dict[str, float] = {}
        for (name, begun), end in zip(times, ends, strict=True):
            steps[name] = steps.get(name, 0.0) + end - begun
        kinds: dict[str, tuple[int, float]] = {}
        for (kind, _), seconds in self._actions.items():
            count, total = kinds.get(kind, (0, 0.0))
            kinds[kind] = count + 1, total + seconds
        slowest = sorted(self._actions.items(), key=lambda item: (-item[1], item[0]))[:_SLOWEST]
        return {
            "steps": [{"step": name, "seconds": round(seconds, 4)} for name, seconds in steps.items()],
            "kinds": [
                {"kind": kind, "actions": count, "seconds": round(seconds, 4)}
                for kind, (count, seconds) in sorted(kinds.items(), key=lambda item: (-item[1][1], item[0]))
            ],
            "slowest": [{"action": action, "seconds": round(seconds, 4)} for (_, action), seconds in slowest],
        }


def timings_text(summary: Mapping[str, Any]) -> str:
    """The tables for people."""
    tables = [text_table(("step", "seconds"), [_row(item, "step") for item in summary["steps"]], right=(1,))]
    if summary["kinds"]:
        rows = [(item["kind"], f"{item['actions']:,}", f"{item['seconds']:.2f}") for item in summary["kinds"]]
        tables.append(text_table(("kind of action", "run", "seconds"), rows, right=(1, 2)))
        slowest = [_row(item, "action") for item in summary["slowest"]]
        tables.append(text_table(("slowest", "seconds"), slowest, right=(1,)))
    return "\n\n".join(tables)


def _row(item: Mapping[str, Any], name: str) -> tuple[str, str]:
    return str(item[name]), f"{item['seconds']:.2f}"


class TimedReporter(ForwardingReporter):
    """Tells `inner` everything, and notes when steps begin."""

    def __init__(self, inner: Reporter, timings: Timings) -> None:
        super().__init__(inner)
        self._timings = timings

    def step(self, text: str) -> None:
        self._timings.begin(text)
        super().step(text)
