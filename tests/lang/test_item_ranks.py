"""Ranks of the items of lists: kept through loops and branches, and unknown where the items differ."""

from __future__ import annotations

import numpy as np
import pytest
from opwright import DiagnosticError, OnnxFunction

from tests.docs.running import define, run_model

HEADER = "from opwright import FLOAT, INT64, script\nfrom opwright import opset18 as op\n"
X = np.array([1, 2], np.float32)
APPENDED = "ys = []\nfor i in range(n):\n    ys.append(x * i)\n"
STACKED = "return op.ConcatFromSequence(ys, axis=0, new_axis=1)"
JOINED = "return op.ConcatFromSequence(ys, axis=0)"
KNOWN = {
    "stacked": (APPENDED + STACKED, 2, [[0, 0], [1, 2], [2, 4]]),
    "joined": (APPENDED + JOINED, 1, [0, 0, 1, 2, 2, 4]),
    "an item": (APPENDED + "return ys[1]", 1, [1, 2]),
    "an item in the loop": (
        "ys = [x]\nfor i in range(n):\n    ys.append(ys[i] + x)\n" + STACKED,
        2,
        [[1, 2], [2, 4], [3, 6], [4, 8]],
    ),
    "in a branch": (
        "ys = [x]\nfor i in range(n):\n    if i > 1:\n        ys.append(x)\n    else:\n        ys.append(-x)\n"
        + STACKED,
        2,
        [[1, 2], [-1, -2], [-1, -2], [1, 2]],
    ),
    "chosen lists": ("if n > 2:\n    ys = [x, x]\nelse:\n    ys = [-x]\n" + STACKED, 2, [[1, 2], [1, 2]]),
    "nested loops": (
        "ys = []\nfor i in range(n):\n    for j in range(i):\n        ys.append(x * j)\n" + STACKED,
        2,
        [[0, 0], [0, 0], [1, 2]],
    ),
    "by operators": (
        "ys = op.SequenceInsert(op.SequenceConstruct(x, x), -x)\n" + STACKED,
        2,
        [[1, 2], [1, 2], [-1, -2]],
    ),
    "stacked and asked": (
        APPENDED + "y = op.ConcatFromSequence(ys, axis=0, new_axis=1)\nreturn y if y.rank == 2 else x",
        2,
        [[0, 0], [1, 2], [2, 4]],
    ),
}
UNKNOWN = {
    "two ranks": ("ys = [x]\nfor i in range(n):\n    ys.append(op.Unsqueeze(x, [0]))\nreturn ys[n - 3]", 1),
    "two ranks in branches": ("if n > 2:\n    ys = [x]\nelse:\n    ys = [op.Unsqueeze(x, [0])]\nreturn ys[0]", 1),
    "lists that change places": (
        "ys = [op.Unsqueeze(x, [0])]\nzs = [x]\nfor i in range(n):\n    ys, zs = zs, ys\nreturn ys[0]",
        1,
    ),
    "two ranks in an empty list": (
        "ys = []\nfor i in range(n):\n    if i > 0:\n        ys.append(x)\n    else:\n"
        "        ys.append(op.Unsqueeze(x, [0]))\nreturn ys[n - 1]",
        1,
    ),
}


def _define(body: str) -> OnnxFunction:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return define(HEADER, f'@script()\ndef F(x: FLOAT["N"], n: INT64):\n{lines}', f"<{body}>")


@pytest.mark.parametrize("name", KNOWN)
def test_a_rank_that_all_items_have_is_known(name: str) -> None:
    body, rank, wanted = KNOWN[name]
    function = _define(body)
    model = function.to_model_proto(opset=18)
    assert len(model.graph.output[0].type.tensor_type.shape.dim) == rank
    for outputs in [*run_model(model, {"x": X, "n": np.array(3)}).values(), [function(X, np.array(3))]]:
        assert outputs[0].tolist() == wanted


@pytest.mark.filterwarnings("ignore::opwright.DiagnosticWarning")
@pytest.mark.parametrize("name", UNKNOWN)
def test_a_rank_that_may_be_another_is_not(name: str) -> None:
    body, rank = UNKNOWN[name]
    model = _define(body).to_model_proto(opset=18)
    assert not model.graph.output[0].type.tensor_type.HasField("shape")
    assert _define(body)(X, np.array(3)).ndim == rank


def test_a_new_axis_is_there_or_not() -> None:
    """Any other number has no meaning; one of billions is no number of dimensions to make."""
    with pytest.raises(DiagnosticError, match="`new_axis` is 0 or 1, not 2147483648"):
        _define(f"return op.ConcatFromSequence([x, x], axis=0, new_axis={2**31})").to_model_proto(opset=18)
