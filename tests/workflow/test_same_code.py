"""Comments and layout are nothing to what is compiled, but for the places that are told."""

from __future__ import annotations

import pytest
from opwright_build.workflow.compiled.same_code import moved_places, same_code

OLD = b'from opwright import opset18 as op\n\n\ndef F(X):\n    """Doc."""\n    Y = op.Add(X, X)\n    return Y\n'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"from", b"# a comment\nfrom"),
        (b"Add(X, X)", b"Add(X, X)  # a comment"),
        (b"    return", b"\n    # a comment\n\n    return"),
        (b"Add(X, X)", b"Add(\n        X,\n        X,\n    )"),
        (b"\n", b"\r\n"),
        (b"from", b"\xef\xbb\xbffrom"),
    ],
)
def test_the_same_code(before: bytes, after: bytes) -> None:
    assert same_code(OLD, OLD.replace(before, after, 1 if before != b"\n" else -1))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"Add", b"Mul"),
        (b"Doc.", b"Doc. # no comment"),
        (b"from", b"# opwright: ignore[OW330] why\nfrom"),
        (b"from", b"# coding: latin-1\nfrom"),
        (b"Y = op", b"Y = = op"),
        (b"X, X)", b"X, \xff)"),
        (b"op.Add(X, X)", b"op.Add(X, 1)"),
    ],
)
def test_other_code(before: bytes, after: bytes) -> None:
    assert not same_code(OLD, OLD.replace(before, after, 1))
    assert not same_code(OLD.replace(before, after, 1), OLD)


def test_numbers_are_told_apart() -> None:
    texts = [b"x = 1", b"x = 1.0", b"x = True", b"x = -0.0", b"x = 0.0", b"x = '1'", b"x = b'1'", b"x = 1j"]
    assert [[one is other for other in texts] for one in texts] == [
        [same_code(one, other) for other in texts] for one in texts
    ]


def test_what_cannot_be_compiled_is_the_same_as_nothing() -> None:
    assert not same_code(b"def", b"def")
    deep = b"x = " + b"(" * 300 + b"1" + b")" * 300
    assert not same_code(deep, deep)


def test_places_follow_the_code() -> None:
    moved = moved_places("f.py", OLD, b"# a comment\n" + OLD.replace(b"Y = op", b"Y =  op"))
    assert moved is not None
    assert (moved["f.py:1:1"], moved["f.py:6:5"], moved["f.py:6:9"]) == ("f.py:2:1", "f.py:7:5", "f.py:7:10")


def test_two_places_do_not_become_one() -> None:
    assert moved_places("f.py", b"x = (a) + b", b"x = a + b") is None
    assert moved_places("f.py", b"x = a + b", b"x = (a) + b") is None
