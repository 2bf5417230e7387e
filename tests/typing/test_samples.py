"""The samples that type checkers accept are programs that compile, and compute what they should."""

from __future__ import annotations

import importlib.util
import math
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import onnx
import pytest
from opwright import OnnxFunction, Opset
from opwright.version import OPSETS

SAMPLES = Path(__file__).parent / "samples"
PAGE = Path(__file__).parents[2] / "docs" / "typing.md"


def load(name: str) -> ModuleType:
    return load_file(SAMPLES / f"{name}.py")


def load_file(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"typing_sample_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", sorted(path.stem for path in SAMPLES.glob("*.py")))
def test_every_function_of_a_sample_compiles(name: str) -> None:
    functions = [value for value in vars(load(name)).values() if isinstance(value, OnnxFunction)]
    assert functions
    for function in functions:
        for proto in function.to_function_protos():
            onnx.checker.check_function(proto)


def test_gelu() -> None:
    x = np.linspace(-3, 3, 13, dtype=np.float32)
    expected = [value * 0.5 * (1 + math.erf(value / math.sqrt(2))) for value in x.tolist()]
    np.testing.assert_allclose(load("activations").gelu(x), expected, rtol=1e-5, atol=1e-6)


def test_hardmax_through_a_model() -> None:
    rng = np.random.default_rng(0)
    x, weights, bias = (rng.standard_normal(shape).astype(np.float32) for shape in ((64, 128), (128, 10), (10,)))
    module = load("hardmax")
    result = module.sample_model(x, weights, bias)
    assert result.shape == (64, 10)
    np.testing.assert_array_equal(result.argmax(axis=1), (x @ weights + bias).argmax(axis=1))
    np.testing.assert_array_equal(result.sum(axis=1), np.ones(64))
    model = module.sample_model.to_model_proto()
    onnx.checker.check_model(model, full_check=True)
    assert [function.name for function in model.functions] == ["onnx_hardmax"]


def test_ten_chunks() -> None:
    pieces: list[Any] = load("chunk").ten_chunks_model(np.arange(48, dtype=np.float32))
    assert [piece.shape for piece in pieces] == [(5,)] * 9 + [(3,)]
    np.testing.assert_array_equal(np.concatenate(pieces), np.arange(48))


def test_cumulative_sum() -> None:
    x = np.arange(5, dtype=np.float32)
    np.testing.assert_array_equal(load("scan").CumulativeSum(x), np.cumsum(x))


def test_dropout_that_does_not_train() -> None:
    x = np.arange(6, dtype=np.float32)
    output, mask = load("dropout").Dropout(x, np.float32(0.5), np.array(False), seed=1.0)
    np.testing.assert_array_equal(output, x)
    assert mask.dtype == np.bool_
    assert mask.all()


def test_the_example_of_the_page(tmp_path: Path) -> None:
    (tmp_path / "example.py").write_text(example_of_the_page())
    x = np.array([[1, 3, 2], [6, 4, 5]], np.float32)
    result = load_file(tmp_path / "example.py").head(x, np.array([2], np.int64))
    np.testing.assert_allclose(result, np.full((2, 2), [0.73105858, 0.26894142]), rtol=1e-5)


def example_of_the_page() -> str:
    return PAGE.read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]


def test_the_page_names_the_opsets() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert all(f"`{prefix}{newest}`" in text for prefix, newest in OPSETS.items())


def test_a_function_of_a_domain_keeps_it() -> None:
    swish = load("operators").swish
    assert swish.opset == Opset("com.acme", 1)
    assert swish.to_function_protos()[0].domain == "com.acme"
