"""What a file of stored vectors holds, before it meets the interface of a version."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from opwright.diagnostics.diagnostic import Diagnostic, Place

from opwright_build.verify.case_model import Value

Named = Mapping[str, tuple[Value | None, ...]]  # by input or output; several of a variadic one


@dataclass(frozen=True, slots=True)
class OperatorCall:
    """A call of an operator of PyTorch: arrays, numbers, texts, element types, None, and lists of them."""

    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class StoredVector:
    """One call and what it gives. `inputs` and `outputs` are by name, or in the order of the interface.

    `versions` narrow it (None: all); `attributes` are JSON values of an archive, with `checked` false, else ONNX's.
    `version` is the domain's that the call was made for, 0 where nothing says it. `call` is one of the operator that
    the function implements: what the function is given follows from it, and `outputs` are the operator's; `exact` are
    these in double precision, where that says more. Of `random` outputs types and shapes count alone. `reason` says
    why `scale` is beyond all values, `operator` which function a model calls.
    """

    name: str
    attributes: Mapping[str, Any]
    inputs: Named | tuple[Value | None, ...]
    outputs: Named | tuple[Value | None, ...]
    place: Place
    scale: float = 1.0
    versions: tuple[int, ...] | None = None
    checked: bool = False
    version: int = 0
    call: OperatorCall | None = None
    exact: tuple[Value | None, ...] = ()
    random: bool = False
    reason: str = ""
    operator: str = ""


@dataclass(frozen=True, slots=True)
class StoredFile:
    """The vectors of one source, what is wrong with others, and the files that were looked at: their bytes, or None."""

    vectors: tuple[StoredVector, ...]
    diagnostics: tuple[Diagnostic, ...]
    files: Mapping[str, bytes | None]


class UnusableError(Exception):
    """Stored values that cannot be used; the text says why."""
