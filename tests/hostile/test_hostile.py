"""A few hostile models through every command, in a process with limits; `nox -s fuzz_inputs` tries thousands."""

from __future__ import annotations

import random
from pathlib import Path

from tests.hostile.changes import changed_model, seeds
from tests.hostile.judge import judging
from tests.hostile.models import by_hand

NAMES = (
    "40 functions that call each other twice",
    "a ring of 2 functions",
    "If: no outputs",
    "Loop: hollow graphs",
    "33 nested Ifs",
    "a sequence 40 deep",
    "a circle of values",
    "long names at every call",
    "a value called b'\\xff'",
    "opset 2147483648",
)


def test_models_made_by_hand(tmp_path: Path) -> None:
    made = dict(by_hand())
    with judging(tmp_path) as judge:
        for name in NAMES:
            assert judge.judge("model", made[name]).findings == {}, name


def test_models_changed(tmp_path: Path) -> None:
    numbers, started = random.Random(40), seeds()
    assert len(started) >= 200
    with judging(tmp_path) as judge:
        for step in range(10):
            data = changed_model(numbers.choice(started[:24]), numbers)
            assert judge.judge("model", data).findings == {}, (step, data)
