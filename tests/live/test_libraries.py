"""Libraries whose functions live functions call."""

from __future__ import annotations

import pytest
from opwright import FLOAT, script
from opwright.diagnostics import DiagnosticError
from opwright.live import libraries
from opwright.packaged import LibraryOpset
from opwright_std import opset22

pytestmark = pytest.mark.usefixtures("standard_package")
other = LibraryOpset("another", "another", "ai.onnx", 22, ("Softplus",), None)


@script()
def of_the_first(x: FLOAT[None]):
    return opset22.Softplus(x)


def test_two_packages_of_one_domain_are_not_taken_for_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    of_the_first.to_model_proto(opset=18)
    known = next(opset for opset in libraries._OPSETS.values() if opset.version == 22)
    bundle = libraries._bundle_of(known)
    monkeypatch.setattr(libraries, "_bundle_of", lambda opset: bundle)
    with pytest.raises(DiagnosticError, match=r"OW563.*opwright_std and another both have the domain"):
        libraries.opset_object(other)
