"""A list of tensors of which some are None, from the spec to the model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime as ort
import pytest
from onnx import ModelProto, parser
from onnx.inliner import inline_local_functions
from onnx.reference import ReferenceEvaluator
from opwright import FLOAT, INT64, DiagnosticError, Tensor, script
from opwright import opset18 as op
from opwright.bundle.format import Bundle
from opwright.bundle.read import find_bundle
from opwright.link.apply import attach
from opwright.link.detach import detach
from opwright_build.cli.entry import main as build

_LIBRARY = """\
schema: 1
library: acme-ops
version: 1.0.0
package: acme_ops
opsets: ">=18,<=20"
"""
_SPEC = """\
schema: 1
domain: com.acme
name: {name}
summary: What stands at positions.
since_version: 1
opset: ">=18"
inputs: {{self: T, indices: {{type: {indices}}}}}
outputs: {{result: T}}
types: {{{types}}}
"""
_AT = """\
from opwright import Tensor


def {name}(self, *indices{annotation}):
    return self[*[slice(None) if index is None else index for index in indices]]
"""
X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
FIRST, SECOND = np.array([1, 0]), np.array([-1, 2])
MASK = np.array([True, False, True])


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    folder = tmp_path_factory.mktemp("library")
    _write(folder / "specs" / "library.yaml", _LIBRARY)
    _write(folder / "specs/com.acme/domain.yaml", "schema: 1\ndomain: com.acme\nversion: 1\n")
    for name, kind, annotation in (
        ("At", "any", ": Tensor | None"),
        ("Same", "I", ": Tensor | None"),
        ("All", "I", ""),
    ):
        _write(folder / f"specs/com.acme/{name}/function.py", _AT.format(name=name, annotation=annotation))
        types = "T: [float, double]" if kind == "any" else "T: [float, double], I: [int64, int32]"
        _write(folder / f"specs/com.acme/{name}/spec.yaml", _SPEC.format(name=name, indices=kind, types=types))
    assert build(["build", str(folder)]) == 0
    return find_bundle(folder / "dist" / "acme-ops-1.0.0.onnxlib")


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def _model(call: str) -> ModelProto:
    inputs = "float[2, 3, 4] X, int64[N] I, int64[N] J, bool[3] M"
    head = '<ir_version: 10, opset_import: ["": 18, "com.acme": 1]>'
    return parser.parse_model(f"{head} agraph ({inputs}) => (float[] Y) {{ Y = com.acme.{call} }}")


def _run(model: ModelProto) -> np.ndarray[Any, Any]:
    feeds: Any = {"X": X, "I": FIRST, "J": SECOND, "M": MASK}
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    first = session.run(None, feeds)[0]
    second: Any = next(iter(ReferenceEvaluator(inline_local_functions(model)).run(None, feeds)))
    np.testing.assert_array_equal(first, second)
    return np.asarray(first)


@pytest.mark.parametrize(
    ("call", "index"),
    [
        ('At(X, "", I)', (slice(None), FIRST)),
        ('At(X, I, "", J)', (FIRST, slice(None), SECOND)),
        ('At(X, "", M, J)', (slice(None), MASK, SECOND)),
        ("At(X, I)", (FIRST,)),
        ('At(X, "", "")', ()),
        ('Same(X, "", I)', (slice(None), FIRST)),
    ],
)
def test_a_node_leaves_out_what_is_none(bundle: Bundle, call: str, index: Any) -> None:
    model = _model(call)
    attached = attach(model, bundle)
    np.testing.assert_array_equal(_run(attached), X[index])
    assert "" not in attached.graph.node[0].input
    assert detach(attached) == model


def test_gaps_that_the_function_does_not_take(bundle: Bundle) -> None:
    with pytest.raises(DiagnosticError) as error:
        attach(_model('All(X, "", I)'), bundle)
    assert [item.code for item in error.value.diagnostics] == ["OW557"]
    assert "the input indices_0 of com.acme::All@1 is required" in error.value.diagnostics[0].message


def test_two_calls_with_other_gaps_have_two_bodies(bundle: Bundle) -> None:
    model = _model('At(X, "", I)')
    model.graph.node.append(_model('At(X, I, "", J)').graph.node[0])
    model.graph.node[1].output[0] = "Z"
    attached = attach(model, bundle)
    assert sorted(item.name for item in attached.functions) == [
        "At__indices_2__indices_0_absent__indices_1_int64",
        "At__self_rank_3__indices_3__indices_0_int64__indices_1_absent__indices_2_int64__indices_0_rank_1__indices_2_rank_1",
    ]


@script()
def at(x: Tensor, *indices: Tensor | None) -> Any:
    return x[*[slice(None) if index is None else index for index in indices]]


@script()
def joined(*xs: Any) -> Any:
    return op.Concat(*xs, axis=0)


def test_a_script_takes_gaps() -> None:
    for _ in range(3):
        np.testing.assert_array_equal(at(X, None, FIRST), X[:, FIRST])
    np.testing.assert_array_equal(at(X, FIRST, None, SECOND), X[FIRST, :, SECOND])

    @script()
    def main(x: FLOAT[2, 3, 4], i: INT64[2], j: INT64[2]) -> Any:
        return at(x, i, None, j)

    for model in (
        main.to_model_proto(opset=18),
        at.to_model_proto(input_types={"x": FLOAT[2, 3, 4], "indices": [INT64[2], None, INT64[2]]}, opset=18),
    ):
        names = [item.name for item in model.graph.input]
        session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        found = session.run(None, dict(zip(names, (X, FIRST, SECOND), strict=True)))[0]
        np.testing.assert_array_equal(found, X[FIRST, :, SECOND])


def test_a_script_that_takes_no_gaps_says_so() -> None:
    with pytest.raises(DiagnosticError) as error:
        joined(X, None)
    assert [item.code for item in error.value.diagnostics] == ["OW204"]
