"""A few calls that stand for an archive."""

from __future__ import annotations

import io
import json
from typing import Any

import numpy as np
from opwright_build.verify.cases.stored.numpy_archive import calls_of, members_of
from opwright_build.verify.cases.stored.sampled import sampled


def archive(*args: Any) -> bytes:
    """Calls of one tensor each, `call-0` on the smallest one."""
    arrays = {f"x{number}": np.zeros(number + 1, np.float32) for number in range(len(args))}
    calls = [
        {
            "name": f"call-{number}",
            "call": {"args": [{"array": f"x{number}", "type": "float"}, value], "kwargs": {}},
            "outputs": [{"array": f"x{number}", "type": "float"}],
        }
        for number, value in enumerate(args)
    ]
    stream = io.BytesIO()
    np.savez(stream, calls=np.array(json.dumps({"schema": 1, "calls": calls})), **arrays)
    return stream.getvalue()


def names(data: bytes) -> list[str]:
    return [item["name"] for item in calls_of(members_of(data))]


def test_each_value_is_kept_once() -> None:
    assert names(sampled(archive(1, 1, 2, 2), 40)) == ["call-0", "call-2"]


def test_small_calls_come_first() -> None:
    assert names(sampled(archive(1, 2, 3), 1)) == ["call-0"]


def test_calls_may_be_left_out() -> None:
    assert names(sampled(archive(1, 2, 3), 1, {"call-0"})) == ["call-1"]


def test_what_calls_reach_is_reached_however_few_are_kept() -> None:
    reached = {"call-0": ["a"], "call-1": ["a"], "call-2": ["b", "c"], "call-3": ["c"]}
    assert names(sampled(archive(1, 1, 1, 1), 1, (), reached)) == ["call-0", "call-2"]
