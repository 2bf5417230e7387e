"""Values that are made of others, where control flow meets: each part is joined by itself, at any depth."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
from opwright import FLOAT, INT64, DiagnosticError, OnnxFunction, script
from opwright import opset18 as op
from opwright.lang.meaning import static
from opwright.lang.meaning.operands import POISON, VACANT, Frame, Unbound

from tests.functions.everywhere import same_everywhere

X = np.array([1.0, -2.0], np.float32)


class Pair(NamedTuple):
    first: Any
    second: Any


def listed(x, n):
    if n > 1:
        return [x, 1]
    return [-x, 0]


def within_a_tuple(x, n):
    if n > 1:
        return x, (n, 1)
    return -x, (n * 2, 0)


def named(x, n):
    if n > 1:
        return Pair(x, 1)
    return Pair(-x, 0)


def deep(x, n):
    if n > 0:
        if n > 5:
            return {"a": [x, 1], "b": Pair(x, (n, 2))}
    else:
        return {"a": [x, 2], "b": Pair(-x, (n, 2))}
    return {"a": [x * 2, 3], "b": Pair(-x, (n * 2, 0))}


def objects(x, n):
    if n > 1:
        return slice(1, None), op.Neg, abs, FLOAT["N"], x
    return slice(n, None), op.Neg, abs, FLOAT["N"], x * 2


@script()
def condition(x: FLOAT["N"], n: INT64):
    pair = listed(x, n)
    if pair[1]:
        return x * 10
    return x


@script()
def item_of_an_item(x: FLOAT["N"], n: INT64):
    first, rest = within_a_tuple(x, n)
    return first * 10 if rest[1] else first


@script()
def truths(x: FLOAT["N"], n: INT64):
    p = named(x, n)
    if not p.second:
        x = x + 1
    return (p.second and 7) * x + (p.second or 5)


@script()
def unpacked(x: FLOAT["N"], n: INT64):
    a, b = listed(x, n)
    return a * 2 + b


@script()
def parts_of_parts(x: FLOAT["N"], n: INT64):
    found = deep(x, n)
    if found["b"].second[1]:
        x = x + 1
    return x * found["a"][1] + found["a"][0] + found["b"].first * op.Cast(found["b"].second[0], to=FLOAT)


@script()
def named_objects(x: FLOAT["N"], n: INT64):
    where, negate, absolute, kind, y = objects(x, n)
    return negate(absolute(y)[where]) * op.Cast(n, to=kind)


@script()
def one_operator_in_both_branches(x: FLOAT["N"], n: INT64):
    if n > 0:
        f, g, y = op.Neg, abs, x
    else:
        f, g, y = op.Neg, abs, x * 2
    return f(y) + g(y)


@script()
def chosen(x: FLOAT["N"], n: INT64):
    a, b = (x, x * 2) if n > 0 else (-x, x)
    c, (d, e) = [x, (n, 0.5)] if n > 1 else [a, (3, 1.5)]
    both = {"k": x, "s": slice(0, n)} if n > 2 else {"k": b, "s": slice(1, 2)}
    return op.ReduceSum((a * b + c * op.Cast(d, to=FLOAT) + e + both["k"])[both["s"]], keepdims=0)


@script()
def only_on_one_path(x: FLOAT["N"], n: INT64):
    if n > 0:
        if n > 5:
            return x
        y = x * 3
        table, where, scaled = {"a": x * 2}, slice(n - 1, None), lambda v, by=y: v * by
    else:
        return -x
    return scaled(table["a"])[where]


@pytest.mark.parametrize(
    "function",
    [
        *(condition, item_of_an_item, truths, unpacked, parts_of_parts, named_objects),
        *(one_operator_in_both_branches, chosen, only_on_one_path),
    ],
    ids=lambda function: function.__wrapped__.__name__,
)
def test_parts_are_those_of_the_path_that_is_taken(function: OnnxFunction) -> None:
    for n in (0, 1, 2, 7):
        same_everywhere(function, X, np.array(n))


def test_parts_of_other_types_are_told() -> None:
    @script()
    def F(x: FLOAT["N"], n: INT64):
        y, (z, k) = (x, (x, 1)) if n > 1 else (x, (x, 1.5))
        return y * z * k

    with pytest.raises(DiagnosticError) as caught:
        F.to_function_proto()
    (found,) = caught.value.diagnostics
    assert (found.code, found.reason) == ("OW307", "one is `1`, the other `1.5`")


def test_a_type_conflict_is_told_behind_other_branches() -> None:
    @script()
    def F(x: FLOAT["N"], n: INT64):
        if n > 2:
            s = 3
        elif n > 1:
            s = 2
        else:
            s = 0.5
        return x * s

    @script()
    def G(x: FLOAT["N"], n: INT64):
        k = n
        for k in range(n):
            x = x + k
        return x, k

    @script()
    def H(x: FLOAT["N"], n: INT64):
        s = 1
        for i in range(n):
            x = x * s
            s = 2 if i > 1 else s
            if n > 3:
                s = "a"
        return x

    for function, reason in (
        (F, "it is `2` on one path, and `0.5` on the other"),
        (G, "it is a value of type int64[] when the loop makes no trip, and what it runs over after one"),
        (H, "it is `'a'` on one path, and a value of type number(int) on the other"),
    ):
        with pytest.raises(DiagnosticError) as caught:
            function.to_function_proto()
        (found,) = caught.value.diagnostics
        assert (found.code, found.reason) == ("OW308", reason)
        assert "has no single type" in found.message


@pytest.mark.parametrize("nothing", [POISON, VACANT, Frame(), Unbound("")], ids=lambda item: type(item).__name__)
def test_what_has_no_value_decides_nothing(nothing: Any) -> None:
    for step in (
        lambda: bool(nothing),
        lambda: static.unary("not", nothing),
        lambda: static.compare("==", (1, nothing), (1, 2)),
        lambda: static.contains((nothing,), 1),
        lambda: static.call_builtin("bool", [nothing]),
    ):
        with pytest.raises(AssertionError):
            step()
