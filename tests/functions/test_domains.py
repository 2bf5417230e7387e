"""Operators of other domains than the default one."""

from __future__ import annotations

import pytest
from opwright import Opset, script
from opwright.diagnostics import DiagnosticError

acme = Opset("com.acme", 2)


@script()
def call_of_a_domain_without_signatures(x):
    return acme.Gelu(x)


def test_a_domain_without_signatures_is_refused() -> None:
    with pytest.raises(DiagnosticError) as raised:
        call_of_a_domain_without_signatures.to_function_proto()
    (found,) = raised.value.diagnostics
    assert found.code == "OW201"
    assert found.message == "nothing says what com.acme::Gelu accepts"
