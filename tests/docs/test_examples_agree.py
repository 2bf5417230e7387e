"""The functions of the pages and of the published articles: as Python, as one graph, and compiled they give the same.

The rows of docs/language.md and docs/from-onnxscript.md have their calls and results beside them (`checks.py`); here
functions are called on arrays of the types that their models take.
"""

from __future__ import annotations

import linecache
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import onnxruntime
import pytest
from onnx import ModelProto, TypeProto
from onnx.helper import tensor_dtype_to_np_dtype
from opwright import BOOL, FLOAT, OnnxFunction
from opwright.diagnostics.diagnostic import DiagnosticError
from opwright.eager import at_opset, whole_functions

from tests.docs.pages import DOCS
from tests.functions import test_samples as samples

PAGES = ("builder.md", "comparing.md", "eager.md", "functions.md", "typing.md", "../README.md")
OPSET = 21  # the newest at which onnxruntime has kernels for all of them
SIZE = 60  # of dimensions of any size
# What models have to be told, by the function's name: types of inputs that nothing decides, attributes of no default.
TOLD: dict[str, tuple[list[Any], dict[str, Any]]] = {
    "swish": ([FLOAT["N"]], {}),
    "gelu": ([FLOAT["N", 3]], {}),
    "hardmax": ([FLOAT["N", 4]], {"axis": 1}),
    "chunk": ([FLOAT["N"]], {"chunks": 7}),
    "dropout": ([FLOAT["N"], FLOAT, BOOL], {"seed": 2.0}),
    "running_sum": ([FLOAT["N"]], {}),
    "clip": ([FLOAT["N"], FLOAT, FLOAT], {}),
    "twice": ([FLOAT["N"]], {}),
    "sizes": ([FLOAT["N", 2]], {}),
}
REFUSED = {"eager.md:lenient"}  # the page says so


def _functions() -> Iterator[tuple[str, OnnxFunction[..., Any]]]:
    for page in (DOCS / name for name in PAGES):
        blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
        text, file = "\n".join(blocks), f"<{page.name}>"
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
        names: dict[str, Any] = {"__name__": "page"}
        exec(compile(text, file, "exec", dont_inherit=True), names)
        yield from _named(page.name, names)
    yield from _named("samples", vars(samples))


def _named(where: str, names: dict[str, Any]) -> Iterator[tuple[str, OnnxFunction[..., Any]]]:
    yield from ((f"{where}:{name}", item) for name, item in names.items() if isinstance(item, OnnxFunction))


@pytest.fixture(scope="module")
def functions() -> dict[str, OnnxFunction[..., Any]]:
    return dict(_functions())


def _argument(type_: TypeProto, random: np.random.Generator) -> np.ndarray[Any, Any]:
    tensor = type_.tensor_type
    shape = [item.dim_value or SIZE for item in tensor.shape.dim]
    values = random.uniform(0.1, 0.9, shape)
    return np.asarray(np.round(values) if tensor.elem_type == 9 else values, tensor_dtype_to_np_dtype(tensor.elem_type))


def _run(model: ModelProto, arguments: dict[str, Any]) -> list[Any]:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return list(session.run(None, arguments))


def test_they_agree(functions: dict[str, OnnxFunction[..., Any]]) -> None:
    refused: set[str] = set()
    for name, function in functions.items():
        types, attributes = TOLD.get(function.name, (None, {}))
        try:
            model = function.to_model_proto(input_types=types, opset=OPSET, **attributes)
        except DiagnosticError:
            refused.add(name)
            continue
        random = np.random.default_rng(0)
        arguments = {item.name: _argument(item.type, random) for item in model.graph.input}
        expected = _run(model, arguments)
        with at_opset(OPSET):
            with whole_functions(False):
                found = function(**arguments, **attributes)
            np.testing.assert_equal(list(found) if isinstance(found, tuple) else [found], expected, err_msg=name)
            with whole_functions():
                for _ in range(5):
                    np.testing.assert_equal(function(**arguments, **attributes), found, err_msg=name)
    assert refused == REFUSED
    assert len(functions) > 20
