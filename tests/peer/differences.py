"""Holds what docs/from-onnxscript.md says of the onnxscript package against the package."""

from __future__ import annotations

import importlib
import inspect
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, get_origin

import numpy as np
import onnx
import onnxruntime as ort
from onnx import helper

from tests.docs.pages import DOCS, Claim, ClaimKind, Expectation, read_header, read_rows

PAGE = DOCS / "from-onnxscript.md"
OURS_ALONE = ("Graph, ", "Opset, ")  # names of the page's import line that the other package has not
_DTYPES = {"DOUBLE": np.float64, "FLOAT": np.float32, "INT64": np.int64, "INT32": np.int32, "BOOL": np.bool_}
_SEEDS = "12345"


def check_page(folder: Path) -> list[str]:
    """What is not as the page says; modules are written to the folder, which must be on Python's path."""
    header = read_header(PAGE).replace("from opwright", "from onnxscript")
    for name in OURS_ALONE:
        header = header.replace(name, "")
    problems: list[str] = []
    for row in read_rows(PAGE):
        for example in row.examples:
            for index, claim in enumerate(example.claims):
                bare = claim.kind is ClaimKind.REFUSES_BARE
                text = example.text if bare else example.text.replace("@script()", "@script(default_opset=op)")
                name = f"peer_{row.id}_{example.line}_{index}"
                (folder / f"{name}.py").write_text(header + text, encoding="utf-8")
                found = _check(claim, name)
                if found:
                    problems.append(f"{PAGE.name}:{example.line}: {row.id}: {found}")
    return problems


def _check(claim: Claim, module: str) -> str:
    """Why the claim does not hold; empty where it does."""
    if claim.kind is ClaimKind.OTHER_BYTES:
        digests = {_bytes_in_a_process(module, seed) for seed in _SEEDS}
        return "" if len(digests) > 1 else "each process writes the same bytes"
    try:
        function = importlib.import_module(module).F
        proto = function.to_function_proto()
    except Exception as error:  # the page names the kind of each
        kind = type(error).__name__
        return "" if kind == claim.error else f"refused with {kind}: {error}"
    if claim.error:
        return "it is not refused"
    assert claim.call is not None
    try:
        outputs = _run(proto, *_bind(function.function, claim.call))
    except Exception as error:  # onnxruntime's own errors have no common class
        return "" if claim.kind is ClaimKind.FAILS else f"onnxruntime fails: {error}"
    if claim.kind is ClaimKind.FAILS:
        return f"onnxruntime runs it: {outputs}"
    wanted = claim.call.result if isinstance(claim.call.result, tuple) else (claim.call.result,)
    same = len(outputs) == len(wanted) and all(
        np.shape(one) == np.shape(other) and np.allclose(one, other) for one, other in zip(outputs, wanted, strict=True)
    )
    return "" if same else f"it gives {outputs}"


def _bytes_in_a_process(module: str, seed: str) -> str:
    program = (
        f"import hashlib, {module} as m; print(hashlib.sha256(m.F.to_function_proto().SerializeToString()).hexdigest())"
    )
    path = os.pathsep.join(item for item in sys.path if item)
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": path}
    command = [sys.executable, "-c", program]
    return subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout


def _bind(function: Any, call: Expectation) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    signature = inspect.signature(function)
    bound = signature.bind(*call.arguments, **dict(call.keywords)).arguments
    inputs: dict[str, np.ndarray] = {}
    attributes: dict[str, Any] = {}
    for name, value in bound.items():
        annotation = signature.parameters[name].annotation
        if annotation in (int, float, str, bool) or get_origin(annotation) is Literal:
            attributes[name] = value
        elif value is not None:
            known = next((dtype for word, dtype in _DTYPES.items() if word in str(annotation)), np.float32)
            inputs[name] = np.array(value, known)
    return inputs, attributes


def _run(proto: onnx.FunctionProto, inputs: Mapping[str, np.ndarray], attributes: Mapping[str, Any]) -> list[Any]:
    node = helper.make_node(
        proto.name,
        [name if name in inputs else "" for name in proto.input],
        list(proto.output),
        domain=proto.domain,
        **attributes,
    )
    declared = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)
        for name, value in inputs.items()
    ]
    graph = helper.make_graph([node], "call", declared, [onnx.ValueInfoProto(name=name) for name in proto.output])
    imports = [helper.make_opsetid("", 18), helper.make_opsetid(proto.domain, 1)]
    model = helper.make_model(graph, functions=[proto], opset_imports=imports, ir_version=10)
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    session = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    outputs: list[Any] = session.run(None, dict(inputs))
    return outputs
