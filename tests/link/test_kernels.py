"""Functions that a runtime's kernel hides."""

from __future__ import annotations

import json

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from opwright.bundle.format import Bundle
from opwright.link import kernels
from opwright.link.apply import attach, attach_libraries
from opwright.link.kernels import OPERATORS, has_kernel, runtime_with_kernel

from tests.link.conftest import LibraryBuilder, parse

MODEL = """<ir_version: 8, opset_import: ["": 18, "com.microsoft": 1, "com.acme": 1]>
g (float[N] x) => (float[N] y) { y = com.acme.Outer(x) }"""


@pytest.fixture
def libraries() -> list[Bundle]:
    """FastGelu that negates, and a function that calls it."""
    ms = LibraryBuilder(name="ms-ops", domain="com.microsoft")
    ms.add("FastGelu", "(X) => (Y) { Y = Neg(X) }", inputs=["X"], outputs=["Y"])
    acme = LibraryBuilder(known=dict(ms.known))
    acme.add("Outer", "(x) => (y) { y = com.microsoft.FastGelu(x) }")
    return [ms.bundle(), acme.bundle()]


def run(model: onnx.ModelProto) -> float:
    """What a model makes of 3."""
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return float(np.asarray(session.run(None, {"x": np.array([3], np.float32)})[0])[0])


def test_the_kernel_is_run_below_functions_too_and_that_is_told_once(libraries: list[Bundle]) -> None:
    done = attach_libraries(parse(MODEL), libraries)
    (found,) = done.diagnostics
    text = f"onnxruntime {ort.__version__} runs a kernel of its own for com.microsoft::FastGelu"
    assert (found.code, found.message.startswith(text)) == ("OW540", True)
    assert run(done.model) > 0  # the kernel's, not -3


def test_inlined_bodies_are_not_hidden(libraries: list[Bundle]) -> None:
    done = attach_libraries(parse(MODEL), libraries, inline=True)
    assert not done.diagnostics
    assert run(done.model) == -3


def test_names_that_nothing_knows_are_run() -> None:
    library = LibraryBuilder(domain="com.microsoft")
    library.add("Swosh", "(x) => (y) { y = Neg(x) }")
    text = MODEL.replace("com.acme.Outer", "com.microsoft.Swosh")
    done = attach_libraries(parse(text), [library.bundle()])
    assert not done.diagnostics


@pytest.mark.parametrize(
    ("domain", "name", "version", "expected"),
    [
        ("com.microsoft", "FastGelu", 1, True),
        ("com.microsoft", "Swosh", 1, False),
        ("ai.onnx", "Gelu", 20, True),
        ("ai.onnx", "Gelu", 18, False),  # onnxruntime refuses the model then
        ("ai.onnx.ml", "Scaler", 1, True),
        ("ai.onnx.preview", "FlexAttention", 1, False),
        ("com.acme", "Gelu", 1, False),
    ],
)
def test_what_is_hidden(domain: str, name: str, version: int, expected: bool) -> None:
    assert bool(runtime_with_kernel((domain, name, ""), version)) == expected


@pytest.fixture
def no_onnxruntime(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "find_spec", lambda name: None)


@pytest.mark.usefixtures("no_onnxruntime")
def test_without_onnxruntime_a_release_is_known() -> None:
    release = json.loads(OPERATORS.read_text(encoding="utf-8"))["release"]
    assert runtime_with_kernel(("com.microsoft", "FastGelu", ""), 1) == f"onnxruntime {release}"
    assert runtime_with_kernel(("com.microsoft", "Swosh", ""), 1) == ""


def test_the_operators_that_are_known_have_kernels() -> None:
    """Three of the table: each takes a session. A later release may drop one, which this would tell."""
    known = json.loads(OPERATORS.read_text(encoding="utf-8"))["operators"]["com.microsoft"]
    assert known == sorted(known) and len(known) > 100
    assert all(has_kernel("com.microsoft", name) for name in (known[0], "QuickGelu", known[-1]))


def test_attach_gives_the_model_all_the_same(libraries: list[Bundle]) -> None:
    assert {item.name for item in attach(parse(MODEL), libraries).functions} == {"FastGelu", "Outer"}
