"""Bodies as functions for verification."""

from typing import Any

import pytest
from opwright.diagnostics import DiagnosticError
from opwright.link import instantiate
from opwright_build.verify.run.instantiated import BodyFunctions


def test_own_bodies_are_not_checked_against_their_digests_again(library: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = library.add("One", ("(i0) => (o0) { o0 = Relu(i0) }", 14, 18))
    bundle = library.bundle()
    expected = BodyFunctions(bundle).of(entry, entry.bodies[0], 18)
    monkeypatch.setattr(instantiate, "_why_another", lambda digest, data: "it is another one")
    assert BodyFunctions(bundle, own=True).of(entry, entry.bodies[0], 18) == expected
    with pytest.raises(DiagnosticError, match="it is another one"):
        BodyFunctions(bundle).of(entry, entry.bodies[0], 18)
