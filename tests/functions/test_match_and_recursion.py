"""`match` on what is known when a function is built, and helpers that call themselves on a static number."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest
from opwright import FLOAT, script
from opwright import opset18 as op

from tests.functions.everywhere import same_everywhere
from tests.lang.static_text import compile_text

X = np.array([1.0, 2.0], np.float32)


@pytest.mark.parametrize(
    "subject", ["1", "True", "1.0", "'a'", "None", "(1, 2)", "[1, 2, 3]", "()", "(1, (2, 'b'))", "-1", "range(2)", "7"]
)
def test_the_case_is_that_of_python(subject: str) -> None:
    text = f"""
match {subject}:
    case True:
        found = "true"
    case None | -1:
        found = "none"
    case 1 as one if one == 2:
        found = "never"
    case 1:
        found = "one"
    case "a":
        found = "text"
    case (0, 1):
        found = "range"
    case [1, (2, last)]:
        found = last
    case [1, *rest] if len(rest) > 1:
        found = str(rest)
    case [first, second]:
        found = str(first + second)
    case []:
        found = "empty"
    case other:
        found = str(other)
"""
    names: dict[str, object] = {}
    exec(text, names)
    body = "".join(f"    {line}\n" for line in text.splitlines())
    assert compile_text(f"def F(x):\n{body}    assert found == {names['found']!r}\n    return x\n") == ()


def test_items_of_a_sequence_may_be_tensors() -> None:
    @script()
    def F(x: FLOAT["N"], kind: Literal["add", "mul"] = "add"):
        match (kind, x, -x):
            case ("add", a, *others):
                y = a + others[0] * 2
            case ("mul", *items):
                y = items[0] * items[1]
        return y

    assert sorted(len(proto.node) for proto in F.to_function_protos()) == [2, 4]
    np.testing.assert_array_equal(F(X), -X)
    np.testing.assert_array_equal(F(X, kind="mul"), -X * X)


def test_a_case_may_branch_and_return() -> None:
    @script()
    def F(x: FLOAT["N"]):
        y = x
        for step in (1, 2, 3):
            match step:
                case 2:
                    continue
                case n if n > 2:
                    if op.ReduceSum(y, keepdims=0) > 3:
                        return y * n
                case _:
                    y = y + step
        return y

    same_everywhere(F, X)
    same_everywhere(F, -X)


@pytest.mark.parametrize(
    ("case", "code"),
    [
        ("match x:\n        case 1:\n            pass", "OW324"),
        ("match 1:\n        case int():\n            pass", "OW303"),
        ("match 1:\n        case {'a': 1}:\n            pass", "OW303"),
        ("match 1:\n        case y if op.Size(x) > 1:\n            pass", "OW324"),
        ("match 1:\n        case y:\n            pass\n        case 1:\n            pass", "OW301"),
        ("match 1:\n        case 2:\n            y = x\n    z = y", "OW308"),
    ],
)
def test_other_cases_are_refused(case: str, code: str) -> None:
    found = compile_text(
        f"from opwright import opset18 as op\ndef F(x):\n    {case}\n    return x\n",
        ("float",),
    )
    assert [item.code for item in found] == [code]


def power(x, n):
    if n == 0:
        return x * 0 + 1
    if n % 2:
        return x * power(x, n - 1)
    half = power(x, n // 2)
    return half * half


def even(x, n):
    return x if n == 0 else odd(x, n - 1)


def odd(x, n):
    return -x if n == 0 else even(x, n - 1)


def test_a_helper_calls_itself_on_a_static_number() -> None:
    @script()
    def F(x: FLOAT["N"]):
        return power(x, 5) + odd(x, 4)

    same_everywhere(F, X)


def test_a_helper_calls_itself_on_the_index_of_a_loop() -> None:
    @script()
    def F(x: FLOAT["N"]):
        y, m = x, 0
        for i in range(3):
            for j in range(i + 1):
                y = y + power(x, j)
            m = m + 1
        return y + power(x, m)

    same_everywhere(F, X)


def test_a_nested_function_and_a_lambda_call_themselves() -> None:
    @script()
    def F(x: FLOAT["N"]):
        def down(n):
            return x if n == 0 else down(n - 1) + n

        factorial = lambda n: 1 if n < 2 else n * factorial(n - 1)  # noqa: E731
        return down(3) * factorial(4)

    same_everywhere(F, X)


def horner(x, factors):
    return factors[0] if len(factors) == 1 else factors[0] + x * horner(x, factors[1:])


def chained(x, functions):
    return chained(functions[0](x), functions[1:]) if functions else x


def halves(xs):
    middle = len(xs) // 2
    return xs[0] if middle == 0 else op.Add(halves(xs[:middle]), halves(xs[middle:]))


def less(x, *others):
    return x if not others else x - less(*others)


def test_a_helper_calls_itself_on_a_shorter_list() -> None:
    @script()
    def F(x: FLOAT["N"]):
        y = less(x, x * 2, x * 5)
        return y + horner(x, (1.0, 2.0, 3.0)) + chained(x, [op.Neg, op.Exp]) * halves([x * float(i) for i in range(5)])

    same_everywhere(F, X)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("    return again(x)", "OW323"),
        ("    return again(-x, n)", "OW323"),
        ("    return again(x, n + 1)", "OW311"),
        ("    return x if n == 0 else again(x, n - 1)", "OW311"),
        ("    return 0 if n < 2 else again(x, n - 1) + again(x, n - 2)", "OW311"),
    ],
)
def test_recursion_has_an_end(body: str, code: str) -> None:
    found = compile_text(f"def again(x, n=60):\n{body}\n\ndef F(x):\n    return again(x, 100)\n", ("float",))
    assert [item.code for item in found] == [code]


def test_an_index_of_the_run_time_leads_to_no_end() -> None:
    text = "def again(x, n):\n    return x if n == 0 else again(x, n - 1)\n\n"
    loop = "def F(x, n):\n    for i in range(n):\n        x = again(x, i)\n    return x\n"
    found = compile_text(text + loop, ("int64",))
    assert [item.code for item in found] == ["OW323"]


@pytest.mark.parametrize(
    ("body", "code"),
    [("again([*xs, xs[0]])", "OW311"), ("again(xs + xs)", "OW311"), ("again(xs[:1])", "OW323"), ("again(xs)", "OW323")],
)
def test_recursion_over_lists_has_an_end(body: str, code: str) -> None:
    found = compile_text(f"def again(xs):\n    return {body}\n\ndef F(x):\n    return again([x])\n", ("float",))
    assert [item.code for item in found] == [code]
    starred = body.replace("again([*xs", "again(*[*xs").replace("again(xs", "again(*xs")
    found = compile_text(f"def again(*xs):\n    return {starred}\n\ndef F(x):\n    return again(x)\n", ("float",))
    assert [item.code for item in found] == [code]
