"""Runs a function under `@script` on every runtime and as Python: what it gives must be the same."""

from __future__ import annotations

import inspect

import numpy as np
from opwright import OnnxFunction

from tests.docs.running import OPSET, run_model


def same_everywhere(function: OnnxFunction, *arrays: np.ndarray) -> np.ndarray:
    """The one value that the function gives."""
    eager = np.asarray(function(*arrays))
    names = list(inspect.signature(function.__wrapped__).parameters)
    for runtime, (found,) in run_model(
        function.to_model_proto(opset=OPSET), dict(zip(names, arrays, strict=True))
    ).items():
        assert found.dtype == eager.dtype, runtime
        np.testing.assert_allclose(found, eager, rtol=1e-6, err_msg=runtime)
    return eager
