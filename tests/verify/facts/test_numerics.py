from dataclasses import replace

import pytest
from opwright_build.verify.facts.numerics import Measured, Note, Numerics, Row, joined, read_numerics, write_numerics

ROW = Row(
    "a.b::F@1", "float", ("reference",), (18, 20), 3, 1, 1000, Measured(1e-7, 0.5, 0, 3), Measured(2e31, 1.0, 4, 2)
)
NUMERICS = Numerics({"onnx": "1.2"}, (ROW,), (Note("a.b::G@1", 'says "so"'),))


def test_what_is_written_is_read_again() -> None:
    text = write_numerics(NUMERICS)
    read = read_numerics(text.encode())
    assert read.diagnostics == ()
    assert read.numerics == NUMERICS
    assert write_numerics(read.numerics) == text


def test_three_digits_are_kept() -> None:
    row = replace(ROW, ours=Measured(1.23456e-9, 16777206.99, 0, 3))
    assert "ours: {abs: 1.23e-09, ulp: 16800000.0, lost: 0, nodes: 3}" in write_numerics(Numerics({}, (row,), ()))


@pytest.mark.parametrize(
    ("ours", "broken"),
    [
        (Measured(1.0, 1.0, 4, 9), []),
        (Measured(1.09, 1.09, 0, 9), []),
        (Measured(1.2, 1.0, 4, 9), ["abs"]),
        (Measured(0.0, 1.2, 4, 9), ["ulp"]),
        (Measured(1.2, 1.2, 5, 9), ["lost", "abs", "ulp"]),
    ],
)
def test_the_budget(ours: Measured, broken: list[str]) -> None:
    assert replace(ROW, ours=ours, standard=Measured(1.0, 1.0, 4, 2)).over_budget == broken


def test_what_is_measured_again_takes_the_place_of_the_old() -> None:
    other, again = replace(ROW, function="a.b::H@1"), replace(ROW, calls=9)
    old = replace(NUMERICS, rows=(ROW, other))
    assert joined(old, [again], [], ["a.b::F@1"]).rows == (other, again)
    assert joined(old, [], [], ["a.b::G@1"]).notes == ()


def test_a_damaged_file_gives_findings() -> None:
    read = read_numerics(b"schema: 1\nrows: []\n")
    assert read.numerics.rows == ()
    assert [item.code for item in read.diagnostics] != []
