"""Numbers of the run time: lengths, entries of shapes and attributes obey Python, kind and value."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from conftest_lang import Compiler, run_everywhere

from tests.shares import one_in

BINARY = ["+", "-", "*", "/", "//", "%", "**", "<<", ">>", "&", "|", "^", "<", "<=", "==", "!=", ">", ">="]
ATTRIBUTES = {"a": -3, "b": 5, "f": 0.75, "g": -2.5}
PARAMETERS = "x, a: int = -3, b: int = 5, f: float = 0.75, g: float = -2.5"
X = np.zeros((2, 3, 7), np.float32)
KINDS = {bool: ("BOOL", "bool"), int: ("INT64", "int64"), float: ("DOUBLE", "double")}


class _Tensor:
    """`x` as Python sees it."""

    shape = X.shape

    def __len__(self) -> int:
        return len(X)


def _abs(value: float) -> float:
    """Python has an `abs` of complex numbers; the language has no complex numbers."""
    if isinstance(value, complex):
        raise TypeError
    return abs(value)


NAMES = {"x": _Tensor(), "abs": _abs, **ATTRIBUTES}
LEAVES = ["a", "b", "f", "g", "len(x)", "x.shape[1]", "x.shape[-1]", "(a < b)", "(f > 1)", "2", "-1", "3", "0.5", "1.5"]


def _expression(chance: random.Random, depth: int) -> str:
    if not depth or chance.random() < 0.1:
        return chance.choice(LEAVES)
    part = _expression(chance, depth - 1)
    match chance.randrange(8):
        case 0:
            return f"{chance.choice('+-~')}{part}"
        case 1:
            return f"{chance.choice(['abs', 'int', 'float', 'bool', 'round'])}({part})"
        case 2:
            return f"{chance.choice(['min', 'max'])}({part}, {_expression(chance, depth - 1)})"
        case 3:
            return f"({part} if {_expression(chance, 1)} else {part})"
    return f"({part} {chance.choice(BINARY)} {_expression(chance, depth - 1)})"


def _value(expression: str) -> bool | int | float | None:
    """Python's value; None where it raises, or leaves what int64 and double hold exactly."""
    try:
        value = eval(expression, dict(NAMES))
    except (ArithmeticError, TypeError, ValueError):
        return None
    if isinstance(value, complex) or abs(value) > 1 << 40:
        return None
    return value


def _check(compiler: Compiler, cases: list[tuple[str, bool | int | float]], opset: int) -> None:
    casts = [f"{KINDS[type(value)][0]}({expression})" for expression, value in cases]
    text = f"def F({PARAMETERS}):\n    return ({', '.join(casts)},)\n"
    outputs = {f"y{index}": KINDS[type(value)][1] for index, (_, value) in enumerate(cases)}
    function = compiler.function(text, {"x": "float"}, outputs, opset=opset)
    for runtime, results in run_everywhere(function, {"x": X}).items():
        for (expression, value), got in zip(cases, results, strict=True):
            assert got.shape == (), (runtime, expression)
            # `**` of floats is the C library's, which differs in the last digit.
            limit = 1e-15 * abs(value) if isinstance(value, float) and "**" in expression else 0
            assert abs(got.item() - value) <= limit, (runtime, expression, value, got)


@pytest.mark.parametrize("seed", one_in(5, range(30)))
def test_generated_arithmetic(compiler: Compiler, seed: int) -> None:
    """What compiles computes Python's value, of Python's kind; what is refused has a reason among these."""
    chance = random.Random(seed)
    opset = (13, 18, 21)[seed % 3]
    cases: list[tuple[str, bool | int | float]] = []
    while len(cases) < 8:
        expression = _expression(chance, chance.randint(1, 3))
        value = _value(expression)
        if value is None:
            continue
        cast, name = KINDS[type(value)]
        text = f"def F({PARAMETERS}):\n    return {cast}({expression})\n"
        codes = compiler.codes(text, {"x": "float"}, {"y": name}, opset=opset)
        if codes:
            assert set(codes) <= {"OW347", "OW307", "OW202", "OW308", "OW361"}, (expression, codes)
        else:
            cases.append((expression, value))
    _check(compiler, cases, opset)


CASES = [
    "len(x) // 2", "-len(x) // 2", "len(x) % -3", "-b // 2", "b // -2", "a % b", "a % -b", "g // f", "g % f", "-g % -f",
    "a / b", "len(x) / 2", "b ** 3", "a ** 0", "a ** 1", "a ** -2", "f ** 2", "g ** 3", "2.0 ** b", "b << 3", "a >> 1",
    "a << 0", "a & b", "a | b", "a ^ b", "(a < b) & (b < a)", "(a < b) | False", "(a < b) ^ True", "(a < b) + (f < 1)",
    "-(a < b)", "+(a < b)", "~a", "~(a < b)", "abs(a)", "abs(g)", "abs(a < b)", "int(g)", "int(-g)", "int(a < b)",
    "float(a)", "float(a < b)", "bool(a)", "bool(f)", "bool(a - a)", "round(g)", "round(g + 1)", "round(f)", "round(a)",
    "round(b / 2)", "round(7 / len(x))", "min(a, b)", "max(a, b, 1)", "min(f, g)", "max(g, -1.5)", "min(a < b, b < a)",
    "max(x.shape)", "min(x.shape)", "sum(x.shape)", "sum([a, b, 1])", "max([a, b])", "min((f, g, 0.5))",
    "a < b < 7", "not a", "a and b", "a - a or b", "b if a < 0 else a", "len(x.shape[1:])", "len([a, b])",
    "[1, 2, 5][len(x)]", "(0.5, 2.5)[-len(x)]", "x.shape[len(x) - 1]", "x.shape[1:][a + 3]",
]  # fmt: skip


@pytest.mark.parametrize("opset", [18, 21])
def test_arithmetic(compiler: Compiler, opset: int) -> None:
    _check(compiler, [(case, eval(case, dict(NAMES))) for case in CASES], opset)


@pytest.mark.parametrize(
    ("expression", "code"),
    [
        ("2 ** b", "OW361"),
        ("2 ** len(x)", "OW347"),
        ("b ** 65", "OW347"),
        ("1 << b", "OW361"),
        ("1 << len(x)", "OW347"),
        ("1 << 63 << a", "OW361"),
        ("min(a, f)", "OW361"),
        ("min(len(x), 0.5)", "OW347"),
        ("f & 1", "OW314"),
        ("~f", "OW314"),
        ("f << 1", "OW314"),
        ("a @ b", "OW314"),
        ("[1, 2] * b", "OW361"),
        ("[1, 2] * len(x)", "OW314"),
        ("[1, 2] + b", "OW361"),
        ("math.log2(len(x))", "OW304"),
        ("str(len(x))", "OW304"),
        ("int(x)", "OW304"),
        ("max(x, x)", "OW304"),
        ("round(x)", "OW304"),
        ("FLOAT(x)", "OW314"),
        ("INT64(f)", "OW313"),
        ("(0, 0.5)[len(x)]", "OW340"),
    ],
)
def test_refused(compiler: Compiler, expression: str, code: str) -> None:
    text = f"def F({PARAMETERS}):\n    return x * ({expression})\n"
    assert compiler.codes(text, {"x": "float"}, {"y": "float"}) == [code]


def test_items_of_several_kinds_are_told_as_such(compiler: Compiler) -> None:
    for items in ("(1, 0.5)", "[True, 2]", "(x, 1)"):
        text = f"def F(x, n):\n    return x * {items}[n]\n"
        (found,) = compiler.family(text, {"x": "float", "n": "int64/0"}, {"y": "float"}).diagnostics
        assert found.code == "OW340"
        assert "not of one kind" in found.message


def test_a_power_of_an_int_keeps_every_digit(compiler: Compiler) -> None:
    function = compiler.function("def F(n: int = 3):\n    return INT64(n ** 39)\n", {}, {"y": "int64"})
    for (got,) in run_everywhere(function, {}).values():
        assert got == 3**39


def test_a_power_with_a_list_of_exponents(compiler: Compiler) -> None:
    function = compiler.function("def F(x):\n    return x ** [2, 3]\n", {"x": "float/1"}, {"y": "float"})
    for (got,) in run_everywhere(function, {"x": np.array([3.0, 2.0], np.float32)}).values():
        assert got.tolist() == [9.0, 8.0]


def test_a_number_takes_the_type_of_the_tensor_that_it_meets(compiler: Compiler) -> None:
    text = "def F(x, y):\n    return x * len(x) // 2, y + len(x) / 2\n"
    function = compiler.function(text, {"x": "int32", "y": "float16"}, {"a": "int32", "b": "float16"})
    x, y = np.array([5, 7, 9], np.int32), np.array([0.5], np.float16)
    for a, b in run_everywhere(function, {"x": x, "y": y}).values():
        np.testing.assert_array_equal(a, x * 3 // 2)
        np.testing.assert_array_equal(b, y + np.float16(1.5))
        assert (a.dtype, b.dtype) == (x.dtype, y.dtype)


def test_a_truth_value_meets_a_tensor_as_0_or_1(compiler: Compiler) -> None:
    results = "x * (len(x) > 1) + flag, x * (flag & (len(x) > 9)), op.Where(flag, x, -x)"
    text = f"def F(x, flag: bool = True):\n    return {results}\n"
    function = compiler.function(text, {"x": "float"}, dict.fromkeys("abc", "float"))
    x = np.array([1, 2], np.float32)
    for flag in (True, False):
        for a, b, c in run_everywhere(function, {"x": x}, {"flag": int(flag)}).values():
            np.testing.assert_array_equal(a, x + flag)
            np.testing.assert_array_equal(b, x * 0)
            np.testing.assert_array_equal(c, x if flag else -x)


def test_a_truth_value_is_no_index(compiler: Compiler) -> None:
    """`x[True]` adds an axis in numpy; it is not the second element."""
    text = "def F(x, flag: bool = True):\n    return x[{}]\n"
    for index in ("flag", "len(x) > 1", "True"):
        assert compiler.codes(text.format(index), {"x": "float"}, {"y": "float"}) == ["OW340"]


COMPARED = ["==", "!=", "<", "<=", ">", ">="]
INTS = [0, 1, -1, 2**53, 2**53 + 1, -(2**53) - 1, 2**62 + 1, 2**63 - 1, -(2**63)]
FLOATS = [0.0, 0.5, -0.5, 2.0**53, -(2.0**53), 2.0**63, -(2.0**63), 1e30, -1e30, math.inf, -math.inf, math.nan]


def _python(symbol: str, left: float, right: float) -> bool:
    return bool(eval(f"left {symbol} right", {"left": left, "right": right}))


def _compare_all(compiler: Compiler, pairs: list[tuple[str, str]], values: dict[str, float]) -> None:
    cases = [(symbol, left, right) for left, right in pairs for symbol in COMPARED]
    results = ", ".join(f"BOOL({left} {symbol} {right})" for symbol, left, right in cases)
    text = f"def F(n: int = 0, f: float = 0.0):\n    return ({results},)\n"
    outputs = {f"y{index}": "bool" for index in range(len(cases))}
    function = compiler.function(text, {}, outputs)
    names = {"n": values.get("n", 0), "f": values.get("f", 0.0), "math": math}
    for runtime, got in run_everywhere(function, {}, {**values}).items():
        for (symbol, left, right), result in zip(cases, got, strict=True):
            expected = _python(symbol, eval(left, dict(names)), eval(right, dict(names)))
            assert bool(result) is expected, (runtime, left, symbol, right, values)


@pytest.mark.parametrize("number", one_in(3, INTS))
def test_an_int_is_compared_exactly_with_floats(compiler: Compiler, number: int) -> None:
    """Beyond 2**53 too, where a double holds no int exactly."""
    texts = [repr(real).replace("inf", "math.inf").replace("nan", "math.nan") for real in FLOATS]
    _compare_all(compiler, [*(("n", text) for text in texts), *((text, "n") for text in texts)], {"n": number})


@pytest.mark.parametrize("real", one_in(3, FLOATS))
def test_a_float_is_compared_exactly_with_ints(compiler: Compiler, real: float) -> None:
    texts = [repr(number) for number in (*INTS, 2**70 + 1, -(2**70) - 1, 2**1030, -(2**1030))]
    _compare_all(compiler, [*(("f", text) for text in texts), *((text, "f") for text in texts)], {"f": real})


@pytest.mark.parametrize("real", one_in(3, FLOATS))
def test_two_numbers_of_the_run_time_are_compared_exactly(compiler: Compiler, real: float) -> None:
    for number in INTS:
        _compare_all(compiler, [("n", "f"), ("f", "n")], {"n": number, "f": real})


TRUTHS = [
    *("not ({t})", "1 if ({t}) else 2", "(({t}) or 2.0) == 2.0", "(({t}) and 2.0) == 2.0", "not max({t}, 0.0)"),
    *(
        "not (({t}) if a > 0 else ({t}))",
        "3 if not ({t}) or not a else 4",
    ),
    *("bool({t})", "0 < ({t}) < 1"),
]


@pytest.mark.parametrize(("number", "a"), [("a * 1e-50", 1.0), ("a / 1e50", 1.0), ("a ** 2", 1e-40), ("-a", 0.0)])
@pytest.mark.parametrize("opset", [12, 18])
def test_the_truth_of_a_float_is_that_of_the_double(compiler: Compiler, number: str, a: float, opset: int) -> None:
    """A number that no float32 holds but zero is true."""
    exact = float(np.float32(a))
    cases = [(case, eval(case, {"a": exact})) for case in (case.format(t=number) for case in TRUTHS)]
    casts = [f"{KINDS[type(value)][0]}({case})" for case, value in cases]
    text = f"def F(a: float = {a!r}):\n    return ({', '.join(casts)},)\n"
    outputs = {f"y{index}": KINDS[type(value)][1] for index, (_, value) in enumerate(cases)}
    function = compiler.function(text, {}, outputs, opset=opset)
    for runtime, results in run_everywhere(function, {}).items():
        for (case, value), got in zip(cases, results, strict=True):
            assert got.item() == value, (runtime, case)


def test_a_loop_runs_while_a_double_is_true(compiler: Compiler) -> None:
    loop = "    t, c = a * 1e-50, 0\n    while t:\n        t, c = t * 1e-100, c + 1\n"
    text = f"def F(a: float = 1.0):\n{loop}    return INT64(c)\n"
    function = compiler.function(text, {}, {"y": "int64"})
    for runtime, (got,) in run_everywhere(function, {}).items():
        assert got == 3, runtime
