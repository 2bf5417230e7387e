"""What the examples of a page must do."""

from __future__ import annotations

import numpy as np
import pytest
from opwright import DiagnosticError

from tests.docs.pages import Example
from tests.docs.running import OPSET, define, give


def check_results(header: str, example: Example, name: str) -> None:
    """Each call gives what the page says, on every runtime and as plain Python."""
    function = define(header, example.text, name)
    for expectation in example.expectations:
        expected = expectation.result if isinstance(expectation.result, tuple) else (expectation.result,)
        for runner, outputs in give(function, expectation).items():
            assert len(outputs) == len(expected), runner
            for output, wanted in zip(outputs, expected, strict=True):
                where = f"line {expectation.line}, {runner}"
                assert np.shape(output) == np.shape(wanted), where
                np.testing.assert_allclose(np.asarray(output), wanted, rtol=1e-6, err_msg=where)


def check_refused(header: str, example: Example, name: str) -> None:
    """The example is refused with its code and no other, at places within it."""
    with pytest.raises(DiagnosticError) as caught:
        define(header, example.text, name).to_function_protos(OPSET)
    found = caught.value.diagnostics
    assert {item.code for item in found} == {example.code}, str(caught.value)
    for item in found:
        assert item.place is not None
        assert (item.place.file, item.place.line > len(header.splitlines())) == (name, True)
