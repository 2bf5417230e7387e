"""Programs in the manner of onnxscript's tutorials and tests: each compiles, and gives what numpy gives."""

from __future__ import annotations

import numpy as np
import opwright
import pytest
from onnx import helper
from opwright.elements import BY_CODE

from tests.docs.running import define, run_model
from tests.lang.tutorial_programs import HEADER, PROGRAMS, Program


def _type_of(array: np.ndarray) -> type:
    code = 8 if array.dtype == object else helper.np_dtype_to_tensor_dtype(array.dtype)
    tensor_type: type = getattr(opwright, BY_CODE[code].name.upper())
    return tensor_type[tuple(None for _ in array.shape)] if array.ndim else tensor_type


@pytest.mark.parametrize("item", PROGRAMS, ids=[item.name for item in PROGRAMS])
def test_a_program_gives_what_numpy_gives(item: Program) -> None:
    """On onnxruntime without and with optimisation, on the reference evaluator, and in eager mode."""
    function = define(HEADER, item.text, f"<{item.name}>")
    wanted = item.expected(*item.inputs, **item.attributes)
    wanted = [np.asarray(value) for value in (wanted if isinstance(wanted, tuple) else (wanted,))]
    types = [_type_of(value) for value in item.inputs]
    model = function.to_model_proto(input_types=types, opset=18, attributes=item.attributes)
    feeds = dict(zip((value.name for value in model.graph.input), item.inputs, strict=True))
    found = run_model(model, feeds)
    eager = function(*item.inputs, **item.attributes)
    found["eager"] = list(eager) if isinstance(eager, tuple) else [eager]
    for runtime, outputs in found.items():
        assert len(outputs) == len(wanted)
        for output, value in zip(outputs, wanted, strict=True):
            assert np.shape(output) == value.shape, runtime
            assert (output.dtype.kind, output.dtype.itemsize) == (value.dtype.kind, output.dtype.itemsize), runtime
            np.testing.assert_allclose(np.asarray(output), value, rtol=2e-5, atol=2e-6, err_msg=runtime)


def test_there_are_enough_of_them_and_each_differs() -> None:
    assert len(PROGRAMS) >= 120
    assert len({item.text for item in PROGRAMS}) >= len(PROGRAMS) - 4
