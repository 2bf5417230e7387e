"""Operators that exporters are known to lack or to get wrong: each has a function here, whose sample has such calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from opwright_build.spec.load import load_library
from opwright_build.spec.model import SpecVersion

from tests.opinfo.archive import Named, Tensor, Vector, read_vectors

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def implementing() -> Mapping[str, SpecVersion]:
    """Functions by the operator that each implements."""
    loaded = load_library(ROOT, only=["opwright-aten"])
    return {
        version.implements.schema.partition("(")[0]: version
        for version in loaded.versions
        if version.implements is not None
    }


def calls(version: SpecVersion) -> list[Vector]:
    return read_vectors(version.folder / "vectors.npz")


@pytest.mark.parametrize(
    "operator",
    [
        "aten::_adaptive_avg_pool2d",
        "aten::_adaptive_avg_pool3d",
        "aten::adaptive_avg_pool1d",
        "aten::_cdist_forward",
        "aten::_pdist_forward",
        "aten::cdist",
        "aten::randperm",
        "aten::squeeze.dims",
        "aten::sym_numel",
        "aten::var.correction",
        "aten::var.dim",
    ],
)
def test_operators_that_others_lack(implementing: Mapping[str, SpecVersion], operator: str) -> None:
    assert calls(implementing[operator])


def _numbers(call: Vector) -> list[float]:
    return [float(item.text) if isinstance(item, Named) else item for item in call.args if not isinstance(item, Tensor)]


def _counts_in_double(call: Vector) -> bool:
    """Of 0.1 to 1.1 by 1 there is one number in double precision, and there are two in single precision."""
    return _numbers(call)[:2] == [0.1, 1.1] and call.outputs[0].array.shape == (1,)


def _has_no_bias(call: Vector) -> bool:
    return len(call.args) < 3 or call.args[2] is None


def _sums_over_nothing(call: Vector) -> bool:
    return bool(call.args[0].array.shape[1] == 0)


def _is_scalar_along_a_dimension(call: Vector) -> bool:
    return call.args[0].array.ndim == 0 and len(call.args) + len(call.kwargs) > 1


@pytest.mark.parametrize(
    ("operator", "edge"),
    [
        ("aten::arange.start_step", _counts_in_double),
        ("aten::conv3d", _has_no_bias),
        ("aten::mm", _sums_over_nothing),
        ("aten::_softmax", _is_scalar_along_a_dimension),
        ("aten::amax", _is_scalar_along_a_dimension),
        ("aten::sum.dim_IntList", _is_scalar_along_a_dimension),
        ("aten::cumsum", _is_scalar_along_a_dimension),
    ],
)
def test_calls_that_others_get_wrong(
    implementing: Mapping[str, SpecVersion], operator: str, edge: Callable[[Vector], Any]
) -> None:
    assert any(edge(call) for call in calls(implementing[operator]))
