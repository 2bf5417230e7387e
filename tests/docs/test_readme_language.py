"""The README's function: it runs as Python, and the protos that it becomes do the same."""

from __future__ import annotations

import linecache
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import FunctionProto, ModelProto

from tests.docs.pages import read_header
from tests.docs.running import run_model

README = Path(__file__).parents[2] / "README.md"


def test_the_function_of_the_readme() -> None:
    text = read_header(README)
    *_, called, function_proto, model_proto = text.rstrip().splitlines()
    linecache.cache["<README>"] = (len(text), None, text.splitlines(keepends=True), "<README>")
    namespace: dict[str, Any] = {"__name__": "readme"}
    exec(compile(text, "<README>", "exec", dont_inherit=True), namespace)

    result = eval(called.partition("#")[0], namespace)
    np.testing.assert_allclose(result, eval(called.rpartition(": ")[2]), rtol=1e-6)
    assert isinstance(eval(function_proto.partition("#")[0], namespace), FunctionProto)
    model = eval(model_proto.partition("#")[0], namespace)
    assert isinstance(model, ModelProto)
    onnx.checker.check_model(model, full_check=True)
    for runner, (output,) in run_model(model, {"x": np.array([4.0, 9.0], np.float32)}).items():
        np.testing.assert_allclose(output, [2.0, 3.0], rtol=1e-5, err_msg=runner)


def test_it_leads_to_the_pages_of_the_language() -> None:
    text = README.read_text(encoding="utf-8")
    assert "(docs/language.md)" in text
    assert "(docs/from-onnxscript.md)" in text
