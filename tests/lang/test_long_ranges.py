"""Ranges of more numbers than a list may have: what Python knows of them at once is known, all else is refused."""

from __future__ import annotations

import pytest
from opwright.diagnostics.diagnostic import DiagnosticError

from tests.docs.running import define

HEADER = "import numpy as np\nfrom opwright import FLOAT, script\nfrom opwright import opset18 as op\n"
LONG = "range(10 ** 9)"

KNOWN = {
    "len(r)": 10**9,
    "r[5]": 5,
    "r[-1]": 10**9 - 1,
    "3 in r": True,
    "len(r[::7])": -(-(10**9) // 7),
    "r == range(3)": False,
}
REFUSED = [
    "sum(r)",
    "max(r)",
    "sorted(r)[0]",
    "list(r)[3]",
    "tuple(r)[3]",
    "[i for i in r][0]",
    "any(i > 3 for i in r)",
    "3.5 in r",
    "x[r]",
    "np.array(r)[0]",
    "np.prod(r)",
    "op.Concat(*r, axis=0)",
    "[*r][0]",
    "list(zip(r, [1]))[0][0]",
    "list(enumerate(r))[0][0]",
    "list(reversed(r))[0]",
]


def compiled(body: str) -> object:
    text = f"@script(default_opset=op)\ndef F(x: FLOAT['N']):\n{body}\n"
    return define(HEADER, text, f"<{body}>").to_model_proto()


@pytest.mark.parametrize("expression", KNOWN)
def test_what_is_known_at_once(expression: str) -> None:
    value = KNOWN[expression]
    assert compiled(f"    r = {LONG}\n    assert ({expression}) == {value!r}\n    return x")
    with pytest.raises(DiagnosticError):
        compiled(f"    r = {LONG}\n    assert ({expression}) != {value!r}\n    return x")


@pytest.mark.parametrize("expression", REFUSED)
def test_what_goes_through_all_of_them_is_refused(expression: str) -> None:
    with pytest.raises(DiagnosticError) as caught:
        compiled(f"    r = {LONG}\n    return x + ({expression})")
    assert {item.code for item in caught.value.diagnostics} == {"OW311"}


@pytest.mark.parametrize(
    "body",
    [
        "    for i, j in zip(r, [1]):\n        x = x + i\n    return x",
        "    match r:\n        case [a, b]:\n            return x\n    return -x",
    ],
)
def test_statements_too(body: str) -> None:
    with pytest.raises(DiagnosticError) as caught:
        compiled(f"    r = {LONG}\n{body}")
    assert {item.code for item in caught.value.diagnostics} == {"OW311"}


@pytest.mark.parametrize("expression", ["len(range(10 ** 30))", "sum(range(10 ** 30))", "range(10 ** 30)[0]"])
def test_more_than_an_int64_counts(expression: str) -> None:
    with pytest.raises(DiagnosticError) as caught:
        compiled(f"    return x + {expression}")
    assert [item.code for item in caught.value.diagnostics] == ["OW311"]


@pytest.mark.parametrize("call", ["enumerate(x, x, start=2)", "enumerate([1], 2, start=3)", "enumerate([1], 2, 3)"])
def test_enumerate_has_one_start(call: str) -> None:
    with pytest.raises(DiagnosticError) as caught:
        compiled(f"    for i, v in {call}:\n        x = x + i\n    return x")
    assert [item.code for item in caught.value.diagnostics] == ["OW203"]
