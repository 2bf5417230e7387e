"""Which calls of a harvest a spec keeps, and which failures are a runtime's own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from opwright_build.verify.cases.stored.numpy_archive import calls_of, members_of
from opwright_build.verify.cases.stored.sampled import sampled

from tests.opinfo.archive import Tensor, Vector, write_vectors
from tests.opinfo.runtime_faults import ALL, Fault, read_faults


def call(name: str, *elements: float, kind: str = "float") -> Vector:
    stored = {"float": np.float32, "bfloat16": np.uint16}[kind]
    tensor = Tensor(np.array(elements, stored), kind)
    return Vector(name, [tensor], {}, [tensor], "")


@pytest.fixture
def archive(tmp_path: Path) -> bytes:
    write_vectors(tmp_path / "x.npz", [call("float-0", 1, 2), call("float-1", 3, 4), call("float-2", 5, 6)])
    return (tmp_path / "x.npz").read_bytes()


def names(archive: bytes) -> list[str]:
    return [item["name"] for item in calls_of(members_of(archive))]


def test_of_equal_kinds_one_call_is_kept(archive: bytes) -> None:
    assert names(sampled(archive, 10)) == ["float-0"]


def test_calls_that_alone_show_something_are_kept_whatever_they_are_like(archive: bytes) -> None:
    assert names(sampled(archive, 1, reached={"float-1": ["a"], "float-2": ["b"]})) == ["float-1", "float-2"]


def test_calls_that_are_left_out_are_not_kept(archive: bytes) -> None:
    assert names(sampled(archive, 10, without=["float-0"], reached={"float-0": ["a"]})) == ["float-1"]


FAULT = Fault(("am*",), "onnxruntime/*", ("nan", "double-*"), "ReduceMax")


@pytest.mark.parametrize(
    ("function", "runtime", "vector", "covered"),
    [
        ("amax", "onnxruntime/off", call("float-0", 1, np.nan), True),
        ("amax", "onnxruntime/off", call("bfloat16-0", 0x7FC0, kind="bfloat16"), True),
        ("amax", "onnxruntime/off", call("bfloat16-0", 0x7F80, kind="bfloat16"), False),
        ("amax", "onnxruntime/off", call("double-3", 1), True),
        ("amax", "onnxruntime/off", call("float-0", 1), False),
        ("amax", "reference", call("float-0", np.nan), False),
        ("sum", "onnxruntime/off", call("float-0", np.nan), False),
    ],
)
def test_a_fault_covers_the_calls_that_it_names(function: str, runtime: str, vector: Vector, covered: bool) -> None:
    assert FAULT.covers(function, runtime, vector, "result differs in 1 of 1 elements") == covered


@pytest.mark.parametrize(
    ("vector", "message", "covered"),
    [
        (call("float-0", 1, 2, 1), "indices differs in 1 of 2 elements", True),
        (call("float-0", 1, 2, 1), "values differs in 1 of 2 elements", False),
        (call("float-0", 1, 2, 3), "indices differs in 1 of 2 elements", False),
    ],
)
def test_places_among_equal_elements_are_open_on_all_runtimes(vector: Vector, message: str, covered: bool) -> None:
    fault = Fault(("topk",), ALL, ("ties",), "which comes first")
    assert fault.covers("topk", "reference", vector, message) == covered
    assert fault.covers("topk", "onnxruntime/full", vector, message) == covered


def test_each_row_of_faults_says_what_the_runtime_does() -> None:
    assert all(fault.functions and fault.runtime and fault.calls and fault.reason for fault in read_faults())
