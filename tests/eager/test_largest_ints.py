"""Bounds at the ends of 64 bits, known at run time: Python, eager execution and onnxruntime agree."""

from __future__ import annotations

from itertools import product

import numpy as np
import onnxruntime
from opwright import FLOAT, INT64, script
from opwright import opset18 as op

LARGEST = 2**63 - 1
TRIPS = 6


@script(default_opset=op)
def up(start: INT64, stop: INT64):
    n = 0
    for _ in range(start, stop, 3):
        n = n + 1
        if n > TRIPS:
            break
    return n


@script(default_opset=op)
def down(start: INT64, stop: INT64):
    n = 0
    for _ in range(start, stop, -3):
        n = n + 1
        if n > TRIPS:
            break
    return n


@script(default_opset=op)
def down_by_one(start: INT64, stop: INT64):
    n = 0
    for _ in range(start, stop, -1):
        n = n + 1
        if n > TRIPS:
            break
    return n


def test_trips_of_ranges() -> None:
    for function, step in ((up, 3), (down, -3), (down_by_one, -1)):
        session = onnxruntime.InferenceSession(function.to_model_proto().SerializeToString())
        for start, stop in product((-7, -1, 0, 1, 2, 9, LARGEST), (-9, -1, 0, 1, 4, 7, LARGEST - 1, LARGEST)):
            if not abs(stop - start) <= LARGEST:
                continue  # so many trips that no int counts them
            near = min(stop, start + 100) if step > 0 else max(stop, start - 100)
            wanted = min(len(range(start, near, step)), TRIPS + 1)
            feeds = {"start": np.array(start), "stop": np.array(stop)}
            assert session.run(None, feeds)[0] == wanted, (start, stop, step)
            assert function(np.int64(start), np.int64(stop)) == wanted, (start, stop, step)


def test_more_trips_than_an_int_counts_end_no_process() -> None:
    """onnxruntime dies of the smallest int divided by -1."""
    for function in (up, down, down_by_one):
        session = onnxruntime.InferenceSession(function.to_model_proto().SerializeToString())
        for start, stop in ((0, -LARGEST - 1), (-LARGEST - 1, 0), (LARGEST, -LARGEST - 1)):
            assert session.run(None, {"start": np.array(start), "stop": np.array(stop)})[0] <= TRIPS + 1


@script(default_opset=op)
def walks(x: FLOAT[5], a: INT64, b: INT64, c: INT64):
    return x[a::-1], x[:a:-1], x[a:b:-2], x[:b:c], x[2:b:c], x[: 2**63 - 1 : -1], x[2**63 - 1 : b : -1]


def test_walks_down() -> None:
    x = np.arange(5, dtype=np.float32)
    session = onnxruntime.InferenceSession(walks.to_model_proto().SerializeToString())
    bounds = (-LARGEST - 1, -6, -5, -1, 0, 1, 4, 5, LARGEST - 1, LARGEST)
    for a, b in product(bounds, bounds):
        c = (-3, -1, 2, LARGEST, -LARGEST)[(a + b) % 5]
        wanted = (x[a::-1], x[:a:-1], x[a:b:-2], x[:b:c], x[2:b:c], x[:LARGEST:-1], x[LARGEST:b:-1])
        feeds = {"x": x, "a": np.array(a), "b": np.array(b), "c": np.array(c)}
        for found in (session.run(None, feeds), walks(x, np.int64(a), np.int64(b), np.int64(c))):
            assert [item.tolist() for item in found] == [item.tolist() for item in wanted], (a, b, c)
