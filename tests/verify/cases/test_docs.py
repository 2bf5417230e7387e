"""The examples of docs/vectors.md are what they say."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from opwright.diagnostics.diagnostic import Place
from opwright_build.spec.confine import LibraryFiles
from opwright_build.spec.model import VectorKind, VectorSource
from opwright_build.spec.vectors_file import (
    Choice,
    Distribution,
    GeneratedTensor,
    Integers,
    LiteralTensor,
    Normal,
    SequenceSource,
    Uniform,
    VariadicSource,
    ZeroTensor,
    read_vectors_file,
)
from opwright_build.verify.cases.oracle import Limits, Oracle, Reference
from opwright_build.verify.cases.stored import numpy_archive
from opwright_build.verify.cases.stored.numpy_archive import read_archive

PAGE = Path(__file__).parents[3] / "docs" / "vectors.md"
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


def test_the_rows() -> None:
    read = read_vectors_file(BLOCKS[0][1].encode(), "vectors.yaml")
    assert read.diagnostics == ()
    assert [row.name for row in read.rows] == ["edges", "drawn", "refused"]
    assert read.rows[1].random
    assert read.rows[2].error


def test_the_long_forms() -> None:
    lines = [line.partition("#")[0].strip() for block in BLOCKS[1:3] for line in block[1].splitlines()]
    rows = "".join(f"  - {{name: r{number}, inputs: {{X: {line}}}}}\n" for number, line in enumerate(lines))
    read = read_vectors_file(f"schema: 1\nrows:\n{rows}".encode(), "vectors.yaml")
    assert read.diagnostics == ()
    sources = [row.inputs["X"] for row in read.rows]
    assert [type(source) for source in sources] == [
        LiteralTensor,
        ZeroTensor,
        *[GeneratedTensor] * 4,
        *[SequenceSource] * 2,
        VariadicSource,
    ]
    made: list[Distribution] = [source.distribution for source in sources if isinstance(source, GeneratedTensor)]
    assert [type(distribution) for distribution in made] == [Normal, Uniform, Integers, Choice]


def test_the_archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = next(text for language, text in BLOCKS if language == "python" and "np.savez" in text)
    monkeypatch.chdir(tmp_path)
    exec(text, {})
    source = VectorSource(VectorKind.ARRAYS, Place("spec.yaml"), path="kept.npz")
    found = read_archive(LibraryFiles(tmp_path), ".", source)
    assert found.diagnostics == ()
    assert [vector.name for vector in found.vectors] == ["kept"]
    limits = (
        numpy_archive.MOST_BYTES >> 20,
        numpy_archive.MOST_MEMBERS,
        numpy_archive.MOST_UNPACKED >> 20,
        numpy_archive.MOST_RATE,
    )
    assert [f"{limit:,}" for limit in limits] == ["64", "4,096", "256", "1,000"], "as the page says"


def test_the_reference() -> None:
    text = next(text for language, text in BLOCKS if language == "python" and "def Softplus" in text)
    with Oracle(Limits()) as oracle:
        (output,) = oracle.ask(Reference(text.encode()), "Softplus", [np.zeros(2)], {})
    assert output.tolist() == [np.log(2.0)] * 2


def test_the_limits() -> None:
    limits = Limits()
    assert f"{limits.memory >> 30} GiB" in PAGE.read_text(encoding="utf-8")
    assert f"{limits.cpu} s of processor time or {limits.wall:g} s" in PAGE.read_text(encoding="utf-8")
