"""The unit of work of verification: one session, and every case that it serves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from onnx import FunctionProto

from opwright_build.verify.case_model import Case, Status, Value
from opwright_build.verify.facts.refusals import Refusal
from opwright_build.verify.judge.outputs import judge_outputs
from opwright_build.verify.judge.promised_shapes import wrong_result
from opwright_build.verify.run.models import Signature, one_node_model
from opwright_build.verify.run.runtimes import Failed, Refused, Runtime, Session, Tells, available, require_valid

Result = tuple[Status, str]


@dataclass(frozen=True, slots=True)
class Vector:
    """A case, and the inputs of it that a body takes."""

    case: Case
    taken: tuple[int, ...]  # which inputs of the case

    @property
    def feeds(self) -> list[Value]:
        return [value for index in self.taken if (value := self.case.inputs[index]) is not None]


@dataclass(frozen=True, slots=True)
class Batch:
    """Cases of one body on one runtime that share a session. `functions` are serialised, the called one last."""

    runtime: str
    opset: int
    functions: tuple[bytes, ...]
    signature: Signature
    outputs: tuple[str, ...]
    vectors: tuple[Vector, ...]

    def run(self) -> list[list[str]]:
        """(status, message) for each vector, as JSON values."""
        return [[status.value, message] for status, message in run_batch(self)]

    def pieces(self) -> list[Batch]:
        """One batch for each vector."""
        return [replace(self, vectors=(vector,)) for vector in self.vectors]

    def join(self, results: Sequence[Any]) -> list[list[str]]:
        """The results of the pieces as results of the whole."""
        return [answer for answers in results for answer in answers]

    def lost(self, how: str) -> list[list[str]]:
        """The results when the process died over a single vector."""
        return [[Status.FAIL.value, f"the runtime {how}"] for _ in self.vectors]


def run_batch(batch: Batch) -> list[Result]:
    """Loads the session once and judges every vector."""
    (runtime,) = available([batch.runtime])
    functions = [parsed(data) for data in batch.functions]
    session = load(runtime, functions, batch.signature, batch.opset)
    return [judge_vector(session, batch.outputs, vector) for vector in batch.vectors]


@lru_cache(1024)
def parsed(data: bytes) -> FunctionProto:
    """A function, not to be changed: many batches call the same."""
    return FunctionProto.FromString(data)


def load(
    runtime: Runtime, functions: Sequence[FunctionProto], signature: Signature, opset: int, *, check: bool = False
) -> Session | Refusal | Failed:
    """A session for a call of the last of the functions, or why there is none.

    With `check`, what the standard refuses is refused even where the runtime itself would not look.
    """
    model = one_node_model(functions, signature, opset)
    try:
        if check and runtime.tells is Tells.NOTHING:
            require_valid(model)
        return runtime.load(model, signature)
    except Refused as error:
        return error.refusal
    except Failed as error:
        return error


def judge_vector(session: Session | Refusal | Failed, names: Sequence[str], vector: Vector) -> Result:
    """What becomes of one vector."""
    case = vector.case
    match session:
        case Refusal(status, reason):
            # A runtime that lacks a kernel says nothing about the call, whatever its words hold.
            is_expected = status is Status.UNSUPPORTED and case.error and case.error in reason
            return (Status.PASS, "") if is_expected else (status, reason)
        case Failed():
            return _judge_error(case, str(session))
    try:
        actual = session.run(vector.feeds)
    except Refused as error:
        return error.refusal.status, error.refusal.reason
    except Failed as error:
        return _judge_error(case, str(error))
    return judge_values(names, case, actual)


def judge_values(names: Sequence[str], case: Case, actual: Sequence[Value]) -> Result:
    """What becomes of a vector that gives these outputs."""
    if case.error:
        return Status.FAIL, f"no error, expected one that says {case.error!r}"
    message = "" if case.expected is None else judge_outputs(case.judge, names, case.expected, actual)
    message = message or wrong_result(names, case.shapes, actual)
    if case.expected is None and not message:
        return Status.UNVERIFIED, "no expected values are known"
    return (Status.FAIL, message) if message else (Status.PASS, "")


def _judge_error(case: Case, message: str) -> Result:
    if case.error and case.error in message:
        return Status.PASS, ""
    if case.error:
        return Status.FAIL, f"{message}; expected an error that says {case.error!r}"
    return Status.FAIL, message
