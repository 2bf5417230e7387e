"""Inputs for which ONNX wants a list of numbers: a tensor of rank 1, though it hold one number alone."""

from __future__ import annotations

from opwright.opsets.signatures import Signature

_REDUCTIONS = ("L1", "L2", "LogSum", "LogSumExp", "Max", "Mean", "Min", "Prod", "Sum", "SumSquare")

# By operator of ai.onnx, the names of such inputs in any version of it.
_LISTS: dict[str, frozenset[str]] = {
    "AffineGrid": frozenset({"size"}),
    "CenterCropPad": frozenset({"shape"}),
    "Col2Im": frozenset({"image_shape", "block_shape"}),
    "ConstantOfShape": frozenset({"input"}),
    "Expand": frozenset({"shape"}),
    "MaxUnpool": frozenset({"output_shape"}),
    "Pad": frozenset({"pads", "axes"}),
    "Reshape": frozenset({"shape"}),
    "Resize": frozenset({"roi", "scales", "sizes"}),
    "Slice": frozenset({"starts", "ends", "axes", "steps"}),
    "Split": frozenset({"split"}),
    "Squeeze": frozenset({"axes"}),
    "Tile": frozenset({"repeats"}),
    "TopK": frozenset({"K"}),
    "Unsqueeze": frozenset({"axes"}),
    "Upsample": frozenset({"scales"}),
    **{f"Reduce{name}": frozenset({"axes"}) for name in _REDUCTIONS},
}
_NONE: frozenset[str] = frozenset()
_TAKE_ONE_NUMBER = frozenset({"CenterCropPad", "Unsqueeze"})  # of rank 0: onnxruntime does, and models rely on it


def wants_list(signature: Signature, name: str) -> bool:
    """Whether an input of an operator is a list of numbers."""
    return not signature.domain and name in _LISTS.get(signature.name, _NONE)


def refuses_rank_0(signature: Signature, name: str) -> bool:
    """Whether runtimes refuse a tensor of rank 0 as that input."""
    return wants_list(signature, name) and signature.name not in _TAKE_ONE_NUMBER


def has_lists(signature: Signature) -> bool:
    """Whether any of its inputs is such a list."""
    return signature.name in _LISTS and not signature.domain
