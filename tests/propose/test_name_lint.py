"""The lint of names."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from opwright.bundle.format import AttributeEntry, FunctionEntry, InputEntry, OutputEntry
from opwright_build.propose.name_lint import lint_names


def entry(
    name: str = "Op", inputs: Sequence[str] = ("X",), outputs: Sequence[str] = ("Y",), attributes: Sequence[str] = ()
) -> FunctionEntry:
    return FunctionEntry(
        "ai.onnx",
        name,
        1,
        "",
        "",
        False,
        tuple(InputEntry(item, "T") for item in inputs),
        tuple(OutputEntry(item, "T") for item in outputs),
        tuple(AttributeEntry(*item.split(":"), required=False) for item in attributes),
        (("T", ("float",)),),
        (),
    )


@pytest.mark.parametrize(
    "good",
    [
        entry(inputs=["X", "W", "B"]),
        entry(inputs=["X1", "past_state"], outputs=["output", "present_state"]),
        entry(attributes=["axis:INT", "axes:INTS", "keepdims:INT", "epsilon:FLOAT", "stash_type:INT"]),
        entry("LSTM"),
        entry("DepthToSpace"),
    ],
)
def test_names_of_the_standards_kind_are_good(good: FunctionEntry) -> None:
    assert lint_names(good) == []


@pytest.mark.parametrize(
    ("bad", "name", "better"),
    [
        (entry("my_op"), "my_op", "MyOp"),
        (entry(inputs=["x"]), "x", "X"),
        (entry(outputs=["outputValue"]), "outputValue", "output_value"),
        (entry(inputs=["X", "bias"]), "bias", "B"),
        (entry(inputs=["X", "weights"]), "weights", "W"),
        (entry(attributes=["Alpha:FLOAT"]), "Alpha", "alpha"),
        (entry(attributes=["keepDims:INT"]), "keepDims", "keep_dims"),
        (entry(attributes=["dim:INT"]), "dim", "axis"),
        (entry(attributes=["eps:FLOAT"]), "eps", "epsilon"),
        (entry(attributes=["axis:INTS"]), "axis", "axes"),
        (entry(attributes=["axes:INT"]), "axes", "axis"),
        (entry(inputs=["X"], outputs=["X"]), "X", ""),
    ],
)
def test_others_are_told_what_would_be(bad: FunctionEntry, name: str, better: str) -> None:
    (finding,) = lint_names(bad)
    assert (finding.name, finding.better) == (name, better)
    assert finding.reason
