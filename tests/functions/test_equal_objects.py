"""Values that are no numbers are equal where Python says so: with `==`, `in`, inside of tuples and in patterns."""

from __future__ import annotations

import collections
import enum
import itertools
import math
import types
from typing import Any

import numpy as np
import opwright
import pytest
from opwright import FLOAT, DiagnosticError, OnnxFunction, script
from opwright import opset18 as op
from opwright import opset19 as other_op

from tests.functions.everywhere import same_everywhere
from tests.shares import one_in


class Mode(enum.Enum):
    SUM = 1
    MEAN = 2


class Bits(enum.Flag):
    A = 1
    B = 2


class Odd(enum.Enum):
    """Whose members say themselves what they are equal to."""

    ONE = 1

    def __eq__(self, other: object) -> bool:
        return other == 1

    def __hash__(self) -> int:
        return 1


Pair = collections.namedtuple("Pair", "first second")


def double(x: Any) -> Any:
    return x * 2


def half(x: Any) -> Any:
    return x / 2


VALUES = {
    "member": Mode.SUM,
    "another member": Mode.MEAN,
    "bits": Bits.A | Bits.B,
    "the same bits": Bits(3),
    "odd": Odd.ONE,
    "none": None,
    "one": 1,
    "true": True,
    "text": "SUM",
    "nan": math.nan,
    "module": math,
    "class": Mode,
    "namespace": types.SimpleNamespace(a=1),
    "operator": op.Relu,
    "another operator": op.Abs,
    "operator of another opset": other_op.Relu,
    "function": double,
    "another function": half,
    "builtin": len,
    "function of math": math.sqrt,
    "type": FLOAT,
    "dictionary": {"a": 1},
    "dictionary of a member": {"a": Mode.SUM},
    "list in a tuple": ([1],),
    "tuple in a tuple": ((1,),),
    "named": Pair(1, Mode.SUM),
    "array": np.ones(2, np.float32),
}


def outcome(function: OnnxFunction) -> bool | None:
    """Whether it doubles; None where it is refused."""
    try:
        model = function.to_model_proto(opset=18)
    except DiagnosticError:
        return None
    return any(node.op_type == "Mul" for node in model.graph.node) or any(
        node.op_type == "Mul" for item in model.functions for node in item.node
    )


@pytest.mark.parametrize(("first", "second"), one_in(5, itertools.product(VALUES, VALUES)))
def test_equality_is_that_of_python_or_refused(first: str, second: str) -> None:
    left, right = VALUES[first], VALUES[second]
    holder = types.SimpleNamespace(right=right)

    @script()
    def equal(x: FLOAT["N"]):
        return x * 2 if left == right else x

    @script()
    def member(x: FLOAT["N"]):
        return x * 2 if left in (right,) else x

    @script()
    def tuples(x: FLOAT["N"]):
        return x * 2 if (left, 1) == (right, 1) else x

    @script()
    def pattern(x: FLOAT["N"]):
        match left:
            case holder.right:
                return x * 2
        return x

    @script()
    def inner(x: FLOAT["N"]):
        match (1, left):
            case (1, holder.right):
                return x * 2
        return x

    try:
        answers = [bool(left == right), left in (right,), (left, 1) == (right, 1), bool(left == right)]
    except ValueError:  # numpy's of arrays
        answers = [False, left is right, left is right, False]
    for function, answer in zip((equal, member, tuples, pattern, inner), (*answers, answers[3]), strict=True):
        assert outcome(function) in (answer, None), function.__name__


@pytest.mark.parametrize("right", ["member", "another member", "bits", "none", "dictionary", "class", "builtin"])
def test_what_is_equal_is_not_refused(right: str) -> None:
    value, others = VALUES[right], (Mode.MEAN, VALUES[right])

    @script()
    def member(x: FLOAT["N"]):
        return x * 2 if value in others else x

    assert outcome(member)


def test_members_of_enumerations_are_compared_in_each_way() -> None:
    mode = Mode.SUM

    @script()
    def f(x: FLOAT["N"]):
        is_sum = mode == Mode.SUM and mode is Mode.SUM and mode != Mode.MEAN and mode is not Mode.MEAN
        match mode:
            case Mode.MEAN:
                return x
            case Mode.SUM if is_sum:
                return x * 2
        return x

    assert same_everywhere(f, np.ones(2, np.float32)).tolist() == [2, 2]


def test_tuples_are_ordered_by_the_first_that_differ() -> None:
    @script()
    def f(x: FLOAT["N"]):
        less = (Mode.SUM, 1) < (Mode.SUM, 2) and (1, (2, 3)) < (1, (2, 4)) and (1,) < (1, 0) and not (2,) < (1, 0)
        return x * 2 if less else x

    assert same_everywhere(f, np.ones(2, np.float32)).tolist() == [2, 2]


def test_opset_objects_are_those_of_a_version() -> None:
    @script()
    def f(x: FLOAT["N"]):
        return x * 2 if (op, 1) == (opwright.opset18, 1) else x

    assert outcome(f) in (True, None)
