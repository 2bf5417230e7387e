"""The digests of functions that call each other."""

from __future__ import annotations

import onnx.parser
import pytest
from onnx import FunctionProto
from opwright import DiagnosticError
from opwright.protos import digest as digests
from opwright.protos.canonical import CanonicalBody, canonicalise
from opwright.protos.digest import Digests, digest

LENGTH = 12


def function(name: str, body: str) -> FunctionProto:
    return onnx.parser.parse_function(f'<domain: "d", opset_import: ["": 18, "d": 1]>\n{name} (x) => (y) {{ {body} }}')


def chain(first: str) -> list[FunctionProto]:
    """Functions each of which calls the one before."""
    made = [function("F0", first)]
    made += [function(f"F{index}", f"u = Abs(x) y = d.F{index - 1}(u)") for index in range(1, LENGTH)]
    return made


@pytest.fixture
def formed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the functions that are brought into their canonical form."""
    names: list[str] = []

    def noted(function: FunctionProto, **given: object) -> CanonicalBody:
        names.append(function.name)
        return canonicalise(function, **given)

    monkeypatch.setattr(digests, "canonicalise", noted)
    return names


@pytest.mark.parametrize("turned", [False, True])
def test_each_callee_is_brought_into_its_form_once(turned: bool, formed: list[str]) -> None:
    functions = chain("y = Neg(x)")
    wanted = [digest(item, functions) for item in functions]
    assert len({*wanted}) == LENGTH
    formed.clear()
    found = Digests(functions)
    for index in sorted(range(LENGTH), reverse=turned):
        assert found.of(functions[index]) == wanted[index]
    assert len(formed) == LENGTH + LENGTH - 1  # as itself, and as what another one calls


@pytest.mark.parametrize(
    ("first", "reason"), [("y = Neg(nothing)", "'nothing' is not defined"), ("y = d.F3(x)", "calls itself")]
)
def test_what_has_no_form_is_found_once(first: str, reason: str, formed: list[str]) -> None:
    functions = chain(first)
    found = Digests(functions)
    for item in reversed(functions):
        with pytest.raises(DiagnosticError) as caught:
            found.of(item)
        assert reason in caught.value.diagnostics[0].reason
    assert len(formed) <= 2
