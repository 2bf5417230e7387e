"""Models that people use, lifted to the newest opset and rewritten for older ones: the results stay what they were.

`python -m tests.downlevel.real_models LIBRARY.onnxlib FOLDER`, where the folder holds the packages with the models;
`nox -s models` fetches them. One line of counts for each model and target; exit status 1 when one differs.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import defs, version_converter
from opwright.bundle.format import Bundle
from opwright.bundle.read import find_bundle
from opwright.downlevel.rewrite import Rewritten, polyfill_libraries
from opwright.downlevel.target import Target, target_of_opset
from opwright.link.detach import detach

from tests.downlevel.standard_cases import imported, session_of

TARGETS = (13, 15, 18, 20, 21, 24)
# Sizes of inputs whose declared ones are left open, by the input's name and axis; other open sizes are 2.
SIZES = {("x", 0): 1, ("x", 1): 3, ("x", 2): 64, ("x", 3): 192, ("bytes", 0): 1, ("bytes", 1): 2048, ("input", 0): 1}
SIZES |= {("input", 1): 512, ("state", 1): 1, ("h", 1): 1, ("c", 1): 1}
SCALARS = {"sr": 16000}


def without_kernels(opset: int, model: onnx.ModelProto, bundle: Bundle) -> Target:
    """A consumer of that opset that has no kernel for float of any operator for which there is a function."""
    names = {entry.name for entry in bundle.index.functions} & {node.op_type for node in model.graph.node}
    versions = {(name, defs.get_schema(name, opset).since_version) for name in names}
    return Target(
        opset, target_of_opset(opset).ir_version, "nothing", {("", *key): ({"T": "float"},) for key in versions}
    )


def feeds(model: onnx.ModelProto) -> dict[str, Any]:
    """Random values of the declared types and shapes; the same on every run."""
    random = np.random.default_rng(0)
    found: dict[str, Any] = {}
    given = {tensor.name for tensor in model.graph.initializer}
    for value in model.graph.input:
        kind = value.type.tensor_type
        dtype = onnx.helper.tensor_dtype_to_np_dtype(kind.elem_type)
        shape = [
            size.dim_value if size.dim_value > 0 else SIZES.get((value.name, axis), 2)
            for axis, size in enumerate(kind.shape.dim)
        ]
        if value.name in SCALARS:
            found[value.name] = np.array(SCALARS[value.name], dtype)
        elif value.name not in given:
            whole = random.integers(0, 200, shape) if np.issubdtype(dtype, np.integer) else random.random(shape) - 0.5
            found[value.name] = whole.astype(dtype)
    return found


def results(model: onnx.ModelProto, values: dict[str, Any]) -> list[Any]:
    return list(session_of(model).run(None, values))


def judged(original: onnx.ModelProto, bundle: Bundle) -> Iterator[tuple[str, Rewritten, float]]:
    """What was done for each target, and the greatest difference from what the original gives."""
    values = feeds(original)
    expected = results(original, values)
    lifted = version_converter.convert_version(original, defs.onnx_opset_version())
    targets = [target_of_opset(opset) for opset in TARGETS if opset >= imported(original)]
    for target in (*targets, without_kernels(18, lifted, bundle)):
        done = polyfill_libraries(lifted, [bundle], target)
        assert done.inlined or detach(done.model) == lifted
        found = results(done.model, values)
        assert [(item.dtype, item.shape) for item in found] == [(item.dtype, item.shape) for item in expected]
        pairs = zip(expected, found, strict=True)
        worst = max((float(np.max(np.abs(a.astype(np.float64) - b))) for a, b in pairs if a.size), default=0.0)
        kernels = ", no kernels" if target.missing else ""
        yield f"{imported(lifted)} -> {target.opset}{kernels}", done, worst


def main(library: str, folder: str) -> int:
    bundle = find_bundle(Path(library))
    wrong, seen = 0, 0
    for path in sorted(Path(folder).rglob("*.onnx")):
        original = onnx.load(path)
        for label, done, worst in judged(original, bundle):
            counts = Counter("function" if item.identity else "older" for item in done.treatments)
            told = f"{counts['older']} nodes of an older version, {counts['function']} by functions"
            print(f"{path.name}: {label}: {told}, greatest difference {worst:.2g}")
            seen += 1
            wrong += worst > 1e-4
    print(f"{seen} rewritten, {wrong} that differ")
    return 1 if wrong or not seen else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
