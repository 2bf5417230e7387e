"""The settings of eager mode: the active evaluators, the opset of the running function, and the modes that are on.

All of it is one value of a context variable: what one thread or task sets, no other one sees.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar, Token
from functools import cache
from typing import TYPE_CHECKING, TypeVar

from opwright.eager.outcome import Capturing, Evaluator
from opwright.opsets import opset as opset_module
from opwright.opsets.signatures import newest_opset

if TYPE_CHECKING:
    from opwright.eager.trace import Trace


class Settings:
    """Never changed: who sets something else makes another one.

    `evaluators` is empty for the default ones; `forced` is the opset of `at_opset`, `running` that of the function
    whose body runs; `trace` is told what it does, and `whole` says whether functions may run as one graph.
    """

    __slots__ = ("capturing", "evaluators", "forced", "running", "strict", "trace", "whole")

    def __init__(
        self,
        evaluators: tuple[Evaluator, ...] = (),
        capturing: Capturing | None = None,
        forced: int | None = None,
        running: int | None = None,
        strict: bool = False,
        whole: bool = True,
        trace: Trace | None = None,
    ) -> None:
        self.evaluators = evaluators
        self.capturing = capturing
        self.forced = forced
        self.running = running
        self.strict = strict
        self.whole = whole
        self.trace = trace

    def but(self, **changes: object) -> Settings:
        """The same, with these changes."""
        made = Settings(self.evaluators, self.capturing, self.forced, self.running, self.strict, self.whole, self.trace)
        for name, value in changes.items():
            setattr(made, name, value)
        return made


_INITIAL = Settings()
_CURRENT: ContextVar[Settings] = ContextVar("opwright_settings", default=_INITIAL)
current = _CURRENT.get


@contextmanager
def _set(**changes: object) -> Iterator[None]:
    token = _CURRENT.set(current().but(**changes))
    try:
        yield
    finally:
        restore(_CURRENT, token)


Held = TypeVar("Held")


def restore(variable: ContextVar[Held], token: Token[Held]) -> None:
    """Gives a variable the value that it had. A generator may end in another context than the one that it began in, as
    asynchronous ones do: nothing has been set there, and what was set where it began ended with that context."""
    try:
        variable.reset(token)
    except ValueError:
        return


@contextmanager
def default_as(*evaluators: Evaluator | Capturing) -> Iterator[None]:
    """Runs operators within on these: on the first that takes the node and its types. Without any: on the default ones.

    One that captures takes the calls themselves, and stands alone. TypeError where it does not, or where something is
    no evaluator. It holds for the thread or task that enters it, and for the tasks started within.
    """
    for item in evaluators:
        if isinstance(item, type) or not (isinstance(item, Capturing) or callable(getattr(item, "load", None))):
            raise TypeError(f"{item!r} is no evaluator: those have `load(task)`; write `default_as(OnnxRuntime())`")
    capturing = [item for item in evaluators if isinstance(item, Capturing)]
    if not capturing:
        with _set(evaluators=evaluators, capturing=None):
            yield
        return
    if len(evaluators) > 1:
        raise TypeError("an evaluator that captures stands alone: it takes the calls, and nothing is run")
    with _set(capturing=capturing[0]):
        yield


def evaluators() -> Sequence[Evaluator]:
    """The active ones: by default onnxruntime where it is installed, and the reference evaluator for what it lacks."""
    return current().evaluators or _default()


@cache
def _default() -> tuple[Evaluator, ...]:
    from opwright.eager.ort import OnnxRuntime, is_installed
    from opwright.eager.reference_evaluator import ReferenceEvaluator

    reference = ReferenceEvaluator()
    return (OnnxRuntime(), reference) if is_installed() else (reference,)


@contextmanager
def at_opset(version: int) -> Iterator[None]:
    """Runs operators of the default domain as that opset defines them, whatever opset the source names.

    This is what compiling for another opset does. ValueError where the installed onnx does not know the opset.
    """
    if not isinstance(version, int) or not 1 <= version <= newest_opset():
        raise ValueError(f"the installed onnx knows the opsets 1 to {newest_opset()}, not {version!r}")
    with _set(forced=version):
        yield


@contextmanager
def inside_function(opset: int, trace: Trace | None = None) -> Iterator[None]:
    """While the body of a function runs: the opset is the function's own. `trace` is told what is done in it."""
    with _set(running=opset, trace=trace or current().trace):
        yield


def is_inside_function() -> bool:
    return current().running is not None


def _running_opset() -> int | None:
    found = current()
    return found.forced or found.running


opset_module.running = _running_opset  # so that `op.version` says it


def opset_in_force(named: int | None = None) -> int:
    """The default-domain opset of an operator; `named` is the one that the source names."""
    return _running_opset() or named or newest_opset()


@contextmanager
def strict(enabled: bool = True) -> Iterator[None]:
    """Functions called within refuse what the compiler refuses: each is compiled, for the types given, before it runs.

    DiagnosticError with the compiler's findings.
    """
    with _set(strict=enabled):
        yield


def is_strict() -> bool:
    return current().strict


@contextmanager
def whole_functions(enabled: bool = True) -> Iterator[None]:
    """Whether functions called within may run as one graph each, from the third call of a kind on. They do by default.

    What is not sure to give what Python gives runs as Python all the same (docs/eager.md#whole-functions).
    """
    with _set(whole=enabled):
        yield
