"""An operator that an opset lacks, asked for by a function that runs as Python: what the compiler says of it."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from opwright import FLOAT, DiagnosticError, OnnxFunction, script
from opwright import opset7 as op7
from opwright import opset8 as op8
from opwright import opset9 as op9
from opwright.eager import at_opset
from opwright.opsets.opset import NoOperatorError


@script()
def older(x: FLOAT[...]):
    return op8.Sign(x)


@script()
def mod(x: FLOAT[...]):
    return x + op9.Mod(x, x, fmod=1)


@script()
def unknown(x: FLOAT[...]):
    return op7.Rellu(x)


@script()
def calls(x: FLOAT[...]):
    return older(x)


@pytest.mark.parametrize("function", [older, mod, unknown, calls])
def test_it_is_the_diagnostic_of_the_compiler(function: OnnxFunction) -> None:
    with pytest.raises(DiagnosticError) as compiled:
        function.to_model_proto()
    with pytest.raises(DiagnosticError) as eager:
        function(np.ones(2, np.float32))
    (found,) = eager.value.diagnostics
    expected = compiled.value.diagnostics[0]
    if function is not calls:  # whose diagnostic leads to the call
        assert (found.code, found.message, found.reason, found.help) == (
            *(expected.code, expected.message),
            *(expected.reason, expected.help),
        )
    assert found.place is not None
    assert found.place.file.endswith("test_missing_operators.py")


def test_another_opset_in_force_says_so() -> None:
    @script()
    def newer(x: FLOAT[...]):
        return op9.Sign(x)

    with at_opset(8), pytest.raises(DiagnosticError, match="OW2"):
        newer(np.ones(2, np.float32))


def test_outside_of_functions_it_is_pythons_own_error() -> None:
    assert not hasattr(op8, "Sign")
    with pytest.raises(NoOperatorError, match="opset 9 has it") as caught:
        op8.Sign  # noqa: B018
    for made in (copy.copy(caught.value), pickle.loads(pickle.dumps(caught.value))):
        assert (made.opset, made.name, made.args) == (op8, "Sign", caught.value.args)


def test_what_the_function_does_with_its_own_objects_stays_pythons_error() -> None:
    @script()
    def wrong(x: FLOAT[...]):
        return x.nothing

    with pytest.raises(AttributeError, match="nothing"):
        wrong(np.ones(2, np.float32))
