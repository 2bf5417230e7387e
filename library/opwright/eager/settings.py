"""What eager mode goes by: the evaluators in force and the opset of the function that is running."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache

from opwright.eager.outcome import Evaluator
from opwright.opsets import opset as opset_module
from opwright.opsets.signatures import newest_opset

_EVALUATORS: ContextVar[tuple[Evaluator, ...]] = ContextVar("opwright_evaluators", default=())
_OPSET: ContextVar[int | None] = ContextVar("opwright_opset", default=None)
_FORCED: ContextVar[int | None] = ContextVar("opwright_forced_opset", default=None)
_STRICT: ContextVar[bool] = ContextVar("opwright_strict", default=False)


@contextmanager
def use_evaluator(*evaluators: Evaluator) -> Iterator[None]:
    """Runs operators on these: on the first that takes the node and its types."""
    token = _EVALUATORS.set(evaluators)
    try:
        yield
    finally:
        _EVALUATORS.reset(token)


def evaluators() -> Sequence[Evaluator]:
    """Those in force: by default onnxruntime where it is installed, and the reference evaluator for what it lacks."""
    return _EVALUATORS.get() or _default()


@cache
def _default() -> tuple[Evaluator, ...]:
    from opwright.eager.ort import OnnxRuntime, is_installed
    from opwright.eager.reference import ReferenceEvaluator

    reference = ReferenceEvaluator()
    return (OnnxRuntime(), reference) if is_installed() else (reference,)


@contextmanager
def at_opset(version: int) -> Iterator[None]:
    """Runs operators of the default domain as that opset defines them, whatever opset the source names.

    This is what compiling for another opset does. ValueError where the installed onnx does not know the opset.
    """
    if not 1 <= version <= newest_opset():
        raise ValueError(f"the installed onnx knows the opsets 1 to {newest_opset()}, not {version}")
    token = _FORCED.set(version)
    try:
        yield
    finally:
        _FORCED.reset(token)


@contextmanager
def inside_function(opset: int) -> Iterator[None]:
    """While the body of a function runs: the opset is the function's own."""
    token = _OPSET.set(opset)
    try:
        yield
    finally:
        _OPSET.reset(token)


def is_inside_function() -> bool:
    return _OPSET.get() is not None


def _running_opset() -> int | None:
    return _FORCED.get() or _OPSET.get()


opset_module.running = _running_opset  # so that `op.version` says it


def opset_in_force(named: int | None = None) -> int:
    """The default-domain opset of an operator; `named` is the one that the source names."""
    return _running_opset() or named or newest_opset()


@contextmanager
def strict(enabled: bool = True) -> Iterator[None]:
    """Functions called within refuse what the compiler refuses: each is compiled, for the types given, before it runs.

    DiagnosticError with the compiler's findings.
    """
    token = _STRICT.set(enabled)
    try:
        yield
    finally:
        _STRICT.reset(token)


def is_strict() -> bool:
    return _STRICT.get()
