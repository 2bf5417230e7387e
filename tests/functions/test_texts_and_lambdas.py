"""f-strings, lambdas and slices: what Python gives, in both ways into the compiler."""

from __future__ import annotations

import numpy as np
import pytest
from opwright import FLOAT, DiagnosticError, script
from opwright import opset18 as op

from tests.functions.everywhere import same_everywhere
from tests.lang.static_text import compile_text

X = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)

halve = lambda x, by=2: x / by  # noqa: E731
several = (lambda x: x + 1, lambda x: x * 3)


@pytest.mark.parametrize(
    "text",
    [
        """f"{3:>4d}|{2.5!r}|{'a'!r}|{[1, (2,)]}|{None}\"""",
        """f"{True}{-0.0:+.3e}{10:#x}\"""",
        """f"{'wide':{'>'}{6}}{{}}\"""",
    ],
)
def test_an_f_string_is_what_python_makes_of_it(text: str) -> None:
    assert compile_text(f"def F(x):\n    assert {text} == {eval(text)!r}\n    return x\n") == ()


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("f'{x}'", "OW304"),
        ("f'{len}'", "OW304"),
        ("f'{1:n}'", "OW304"),
        ("f'{1:d}' + f'{1:99999d}'", "OW311"),
        ("f'{1.5:d}'", "OW312"),
    ],
)
def test_what_has_no_text_is_refused(text: str, code: str) -> None:
    found = compile_text(f"def F(x):\n    y = {text}\n    return x\n")
    assert [item.code for item in found] == [code]


def test_lambdas_around_a_function_are_helpers() -> None:
    @script()
    def F(x: FLOAT["M", "N"]):
        return halve(x) + halve(x, by=4) + several[1](several[0](x))

    expected = X / 2 + X / 4 + (X + 1) * 3
    np.testing.assert_array_equal(same_everywhere(F, X), expected)


def test_lambdas_of_a_text_are_helpers() -> None:
    text = "half = lambda v, by=2: v / by\n\ndef F(x):\n    twice = lambda f, v: f(f(v))\n    return twice(half, x)\n"
    assert compile_text(text, ("float",)) == ()


def test_a_lambda_sees_the_names_around_it_when_it_is_called() -> None:
    @script()
    def F(x: FLOAT["M", "N"]):
        k = 1
        f = lambda v, first=k: v * k + first  # noqa: E731
        k = 10
        return f(x)

    np.testing.assert_array_equal(same_everywhere(F, X), X * 10 + 1)


def test_a_lambda_of_a_comprehension_is_called_after_it() -> None:
    @script()
    def F(x: FLOAT["M", "N"]):
        y = x * 3
        fs = [[lambda v, j=j, k=k: v * k + j * y for k in (1, 2)] for j in (3, 4)]
        y = y + 1
        return fs[1][0](x) - fs[0][1](x)

    np.testing.assert_array_equal(same_everywhere(F, X), X + 4 * (3 * X + 1) - (2 * X + 3 * (3 * X + 1)))


@pytest.mark.parametrize(
    "made", ["[lambda v: v * k for k in (1, 2)]", "[g for k in (1, 2) for g in [lambda v: v * k]]"]
)
def test_the_names_of_a_comprehension_end_with_it(made: str) -> None:
    (found,) = compile_text(f"def F(x):\n    k = 3\n    fs = {made}\n    return fs[1](x)\n", ("float",))
    assert found.code == "OW303"


def test_a_lambda_becomes_a_graph() -> None:
    @script()
    def F(x: FLOAT["M", "N"]):
        total, rows = op.Scan(x[0] * 0, x, body=lambda s, row: (s + row, op.Identity(row)), num_scan_inputs=1)
        return total

    np.testing.assert_array_equal(same_everywhere(F, X), X.sum(0))


def test_a_list_that_a_default_holds_does_not_change() -> None:
    @script()
    def F(x: FLOAT["M", "N"]):
        xs = [x]
        f = lambda of=xs: len(of)  # noqa: E731
        xs.append(x)
        return x * f()

    with pytest.raises(DiagnosticError) as caught:
        F.to_function_proto()
    assert [item.code for item in caught.value.diagnostics] == ["OW344"]


def test_slices_are_values() -> None:
    @script()
    def F(x: FLOAT["M", "N"]):
        where = [slice(None, None, -1)] + [slice(n, None) for n in (1,)]
        return x[*where]

    np.testing.assert_array_equal(same_everywhere(F, X), X[::-1, 1:])
    (found,) = compile_text("def F(x):\n    assert slice(1) == slice(1)\n    return x\n")
    assert found.code == "OW314"
