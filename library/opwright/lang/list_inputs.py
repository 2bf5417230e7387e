"""Inputs for which ONNX wants a list of numbers: a tensor of rank 1, though it hold one number alone."""

from __future__ import annotations

from opwright.opsets.signatures import Signature


def wants_list(signature: Signature, name: str) -> bool:
    """Whether an input of an operator is a list of numbers."""
    return name in signature.record.lists


def refuses_rank_0(signature: Signature, name: str) -> bool:
    """Whether runtimes refuse a tensor of rank 0 as that input."""
    return name in signature.record.lists and not signature.record.takes_one_number


def has_lists(signature: Signature) -> bool:
    """Whether any of its inputs is such a list."""
    return bool(signature.record.lists)
