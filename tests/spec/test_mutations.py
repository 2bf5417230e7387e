"""Real specs with bytes, keys and tokens changed: success or located diagnostics, never anything else, never slowly."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError
from opwright_build.spec.load import load_library
from opwright_build.spec.vectors_file import read_vectors_file

from tests.diagnostics.examples import operators
from tests.diagnostics.examples.spec import PAIRS
from tests.own_specs import copy_functions
from tests.shares import one_in
from tests.work import ends

FUNCTION, OPERATOR = "Softplus", "sum_dim_IntList"
FILES = (
    "library.yaml",
    "ai.onnx/domain.yaml",
    f"ai.onnx/{FUNCTION}/spec.yaml",
    f"ai.onnx/{FUNCTION}/vectors.yaml",
    f"opwright.aten/{OPERATOR}/spec.yaml",
)
CODES = {pair.code for pair in (*PAIRS, *operators.PAIRS)}
TOKENS = [
    *("[", "]", "{", "}", ":", ": ", ",", "- ", "-", "#", " #", "'", '"', "|", ">", "&a ", "*a", "!t ", "? ", "?"),
    *("\n", "\n  ", "  ", "---\n", "%", "@", "<<: ", "null", "true", "1e-5", ".nan", "-1", "0", "99999999999", "1.5"),
    *(
        "T",
        "float",
        "../x",
        "/etc/passwd",
        "é",
        "\t",
        "\x00",
        "\u2028",
        "schema: 1\n",
        "versions: []\n",
        "{}",
        "[]",
        '""',
    ),
]


class Copy:
    """The library with two functions, of which one file is changed at a time."""

    def __init__(self, root: Path) -> None:
        self.root = root
        copy_functions(root, FUNCTION, OPERATOR)
        self.original = {name: (root / "specs" / name).read_bytes() for name in FILES}

    def judge(self, name: str, data: bytes) -> bool:
        """Reads the library with that file changed; whether it still was sound."""
        path = self.root / "specs" / name
        path.write_bytes(data)
        try:
            with ends(data):
                found = list(self.read())
        finally:
            path.write_bytes(self.original[name])
        for item in found:
            assert item.code in CODES
            assert item.message
            assert item.place is not None
            assert not item.place.file.startswith("/")
            lines = data.decode("utf-8", "replace").split("\n")
            if item.place.file.endswith(name) and item.place.line:
                assert item.place.line <= len(lines)
                assert 1 <= item.place.column <= len(lines[item.place.line - 1]) + 1
                assert item.place.end_column > item.place.column
        return not found

    def read(self) -> Iterable[Diagnostic]:
        rows = self.root / "specs" / FILES[3]
        yield from read_vectors_file(rows.read_bytes(), f"specs/{FILES[3]}").diagnostics
        try:
            yield from load_library(self.root).diagnostics
        except DiagnosticError as error:
            yield from error.diagnostics


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    return Copy(tmp_path_factory.mktemp("mutations") / "library")


def test_the_copy_is_sound(copy: Copy) -> None:
    for name in FILES:
        assert copy.judge(name, copy.original[name])


def mutate_tokens(choose: random.Random, text: bytearray) -> None:
    at = choose.randrange(len(text) + 1)
    text[at : at + choose.choice((0, 0, 1, 4))] = choose.choice(TOKENS).encode()


def mutate_lines(choose: random.Random, text: bytearray) -> None:
    """Drops, repeats, swaps or indents whole lines: the mistakes of hands."""
    lines = bytes(text).split(b"\n")
    at, other = choose.randrange(len(lines)), choose.randrange(len(lines))
    match choose.randrange(4):
        case 0:
            del lines[at]
        case 1:
            lines.insert(other, lines[at])
        case 2:
            lines[at], lines[other] = lines[other], lines[at]
        case _:
            lines[at] = b"  " + lines[at]
    text[:] = b"\n".join(lines)


def mutate_words(choose: random.Random, text: bytearray) -> None:
    """Changes, drops or swaps a word: the mistakes of keys and names."""
    words = bytes(text).split(b" ")
    at, other = choose.randrange(len(words)), choose.randrange(len(words))
    match choose.randrange(3):
        case 0:
            words[at], words[other] = words[other], words[at]
        case 1:
            words[at] = words[at][1:] + words[at][:1]
        case _:
            del words[at]
    text[:] = b" ".join(words)


@pytest.mark.parametrize("mutate", one_in(3, [mutate_tokens, mutate_lines, mutate_words]))
def test_mutations(copy: Copy, mutate: Callable[[random.Random, bytearray], None]) -> None:
    choose = random.Random(mutate.__name__)
    refused = 0
    for _ in range(200):
        name = choose.choice(FILES)
        text = bytearray(copy.original[name])
        for _ in range(choose.randrange(1, 4)):
            mutate(choose, text)
        refused += not copy.judge(name, bytes(text))
    assert refused > 50


@pytest.mark.long
@settings(
    max_examples=150, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    name=st.sampled_from(FILES),
    cuts=st.lists(st.tuples(st.floats(0, 1), st.integers(0, 40), st.binary(max_size=12)), min_size=1, max_size=4),
)
def test_mutated_bytes(copy: Copy, name: str, cuts: list[tuple[float, int, bytes]]) -> None:
    text = bytearray(copy.original[name])
    for where, length, inserted in cuts:
        at = int(where * len(text))
        text[at : at + length] = inserted
    copy.judge(name, bytes(text))


@settings(
    max_examples=100, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(name=st.sampled_from(FILES), data=st.binary(max_size=200))
def test_any_bytes(copy: Copy, name: str, data: bytes) -> None:
    copy.judge(name, data)
