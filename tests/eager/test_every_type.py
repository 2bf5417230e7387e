"""Every element type through the operators that take it, and through sequences and optionals; all others refuse it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from opwright import FLOAT, INT4, Tensor
from opwright import opset25 as op
from opwright.diagnostics.diagnostic import DiagnosticError
from opwright.elements import BY_NAME
from opwright.graphs.ndarrays import DTYPES

NEWEST = ("float6e2m3", "float6e3m2")  # of later opsets
NARROW = (
    *("float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz", "float8e8m0", "float4e2m1"),
    *("uint4", "int4", "uint2", "int2"),
)
NO_CAST = ("complex64", "complex128")
Step = Callable[[Any], Any]
ALL: dict[str, Step] = {
    "Identity": op.Identity,
    "Reshape": lambda x: op.Reshape(op.Reshape(x, [2, 1]), [-1]),
    "Transpose": lambda x: op.Transpose(op.Unsqueeze(x, [0])),
    "Shape": lambda x: op.Size(x),
    "Cast": lambda x: op.Cast(x, to=FLOAT),
}
WIDE: dict[str, Step] = {
    "Concat": lambda x: op.Concat(x, x, axis=0),
    "Where": lambda x: op.Where(np.array([True, False]), x, x),
    "subscript": lambda x: Tensor(x)[1:],
}
IN_SEQUENCES: dict[str, Step] = {
    "sequence": lambda x: op.SequenceAt(op.SequenceConstruct(x, x), 1),
    "optional": lambda x: op.OptionalGetElement(op.Optional(x)),
}


def sample(name: str) -> Any:
    dtype = DTYPES[BY_NAME[name]]
    if name == "string":
        return np.array(["1", "0"], object)
    return np.array([1, 2 if name == "float8e8m0" else 0]).astype(dtype)  # which has no zero


@pytest.mark.parametrize("name", [name for name in BY_NAME if name not in NEWEST])
def test_taken_or_refused(name: str) -> None:
    x = sample(name)
    taken = dict(ALL)
    refused: dict[str, Step] = {}
    (refused if name in NARROW else taken).update(WIDE)
    (refused if name in (*NARROW, "bfloat16") else taken).update(IN_SEQUENCES)
    if name in NO_CAST:
        refused["Cast"] = taken.pop("Cast")
    for label, step in taken.items():
        for _ in range(2):  # lowered, and replayed
            found = step(x)
            assert isinstance(found, Tensor), label
        if label in ("Identity", "Reshape", "sequence", "optional"):
            assert found.numpy().tolist() == x.tolist(), label
            assert found.dtype is BY_NAME[name], label
    for label, step in refused.items():
        with pytest.raises(DiagnosticError) as caught:
            step(x)
        (diagnostic,) = caught.value.diagnostics
        assert diagnostic.code == "OW208", label
        assert name in diagnostic.message, label  # what was given
        assert diagnostic.reason, label  # what is allowed


@pytest.mark.parametrize("name", NEWEST)
def test_types_of_later_opsets_are_refused(name: str) -> None:
    with pytest.raises(DiagnosticError):
        op.Identity(sample(name))


@pytest.mark.parametrize("name", list(BY_NAME))
def test_all_are_shown(name: str) -> None:
    assert repr(Tensor(sample(name))).startswith(f"Tensor({name}[2], [")


def test_texts_that_stand_together_are_gathered() -> None:
    """Of which the kernel of onnxruntime copies the first alone."""
    x = np.array([["a", "b"], ["c", "d"]], object)
    assert op.Gather(x, [1, 0], axis=0).numpy().tolist() == [["c", "d"], ["a", "b"]]
    assert op.Gather(x, 1, axis=1).numpy().tolist() == ["b", "d"]


@pytest.mark.parametrize("source", [np.float16, np.float32, np.float64])
def test_fractions_are_cut_off_in_a_cast_to_few_bits(source: type) -> None:
    """Which the kernel of onnxruntime rounds."""
    x = np.array([1.7, 2.5, -1.7, 0.5, -2], source)
    whole = op.Cast(np.array([0]), to=INT4)
    for made in (op.Cast(x, to=INT4), op.CastLike(x, whole)):
        assert made.numpy().astype(np.int8).tolist() == [1, 2, -1, 0, -2]
