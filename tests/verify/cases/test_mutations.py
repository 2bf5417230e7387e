"""Damaged files: findings or success, never an exception."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from opwright_build.verify.cases.collect import collect_cases, update_lock
from opwright_build.verify.cases.lock import LOCK_PATH
from opwright_build.verify.cases.oracle import Limits
from opwright_build.verify.cases.suite import extract

ROWS = b"""schema: 1
rows:
  - name: edges
    types: {T: [float, double]}
    versions: [22]
    attributes: {alpha: 0.5}
    inputs: {X: [[nan, inf, -0.0, 1.0e30], [1, 2, 3, 4]]}
    scale: 2.0
  - name: random
    inputs: {X: {distribution: normal, shape: [2, 3], seed: 7, mean: 0, std: 3}}
    outputs: {Y: {shape: [2, 3]}}
  - name: whole
    inputs: {X: {distribution: integers, shape: [4], seed: 1, low: -3, high: 3}}
  - name: typed
    inputs: {X: {value: [1], type: bfloat16}}
    error: no
"""
REFERENCE = b"""import numpy as np

def Elu(X, alpha):
    return np.where(X > 0, X, alpha * (np.exp(X) - 1))
"""
SNIPPETS = [
    b"0",
    b"-1",
    b"[",
    b"]",
    b"{",
    b"}",
    b": ",
    b"9" * 30,
    b"1e999",
    b"nan",
    b"\xff",
    b"\x00",
    b"\n",
    b"  ",
    b"- ",
]
SNIPPETS += [b"X", b"T", b"Y", b"int8", b"shape", b"import os\n", b"raise ", b"return ", b"(", b"'", b"null", b"true"]


def damaged(data: bytes, random_source: random.Random) -> bytes:
    """One to three edits: a piece taken out, doubled, moved, or replaced by something else."""
    for _ in range(random_source.randint(1, 3)):
        start = random_source.randrange(len(data) + 1)
        end = min(len(data), start + random_source.choice([0, 1, 1, 3, 10, 40]))
        match random_source.randrange(4):
            case 0:
                data = data[:start] + data[end:]
            case 1:
                data = data[:end] + data[start:end] + data[end:]
            case 2:
                data = data[:start] + random_source.choice(SNIPPETS) + data[end:]
            case _:
                other = random_source.randrange(len(data) + 1)
                data = data[:start] + data[other : other + 20] + data[end:]
    return data


@pytest.fixture
def collect(making: Any) -> Any:
    entry = making.entry_of("Elu", 22)
    version = making.version_of(entry, ["onnx", "vectors.yaml"], reference="reference.py")
    making.write(entry, {})
    folder: Path = version.folder
    lock = making.root / LOCK_PATH
    suite = extract(["Elu"])  # which no damage changes

    def run(rows: bytes, reference: bytes, locked: bytes, run_oracle: bool) -> Sequence[str]:
        (folder / "vectors.yaml").write_bytes(rows)
        (folder / "reference.py").write_bytes(reference)
        lock.write_bytes(locked)
        collected = collect_cases(
            [version],
            {entry.identity: entry},
            making.root,
            run_oracle,
            load_suite=lambda operators: suite,
            limits=Limits(wall=2.0, cpu=2),
        )
        assert all(item.place is not None for item in collected.diagnostics)
        return [item.code for item in collected.diagnostics]

    run.lock = update_lock([version], making.root).encode()  # type: ignore[attr-defined,union-attr]
    return run


def test_the_files_are_sound(collect: Any) -> None:
    assert collect(ROWS, REFERENCE, collect.lock, True) == []


def test_damaged_rows(collect: Any) -> None:
    random_source = random.Random(1)
    found = [collect(damaged(ROWS, random_source), REFERENCE, collect.lock, False) for _ in range(400)]
    assert sum(bool(codes) for codes in found) > 200
    assert len({code for codes in found for code in codes}) > 8


@pytest.mark.long
def test_damaged_locks(collect: Any) -> None:
    random_source = random.Random(2)
    found = [collect(ROWS, REFERENCE, damaged(collect.lock, random_source), False) for _ in range(200)]
    assert {code for codes in found for code in codes} >= {"OW400", "OW401", "OW402", "OW403"}


def test_damaged_references(collect: Any) -> None:
    random_source = random.Random(3)
    found = [collect(ROWS, damaged(REFERENCE, random_source), collect.lock, True) for _ in range(60)]
    assert {code for codes in found for code in codes} >= {"OW415", "OW418"}
