"""The functions of specs/ run as Python, against their compiled bodies, on the vectors that they are verified with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

import numpy as np
from onnx import FunctionProto
from opwright.bundle.format import Bundle, FunctionEntry
from opwright.eager import at_opset, whole_functions
from opwright.eager.messages import one_line
from opwright.eager.tensor import Items as EagerItems
from opwright.elements import ElementType
from opwright.evaluator import ReferenceEvaluator, default_as
from opwright.lang import ir
from opwright_build.spec.model import LoadedLibrary, SpecVersion
from opwright_build.spec.runtime_names import ONNXRUNTIME_OFF, REFERENCE
from opwright_build.verify.case_model import Answer, Case, Items, RandomJudge, Value
from opwright_build.verify.facts.refusals import Refusal
from opwright_build.verify.items import answer_of, tensors_of
from opwright_build.verify.judge.outputs import judge_outputs
from opwright_build.verify.run.batches import Batch, Vector, load
from opwright_build.verify.run.instantiated import BodyFunctions
from opwright_build.verify.run.matrix import Plan
from opwright_build.verify.run.runtimes import Failed, Session, available

from tests.eager.live_specs import argument_of, attribute_of, live_version

HALF_ULPS = 4
WHOLE_FROM = 3  # the call of a kind from which on a function may run as one graph


class Agreement(Enum):
    EXACT = "equal to the last bit"
    WITHIN = "within the tolerance of the vector"
    RANDOM = "random, as declared"
    BOTH_FAIL = "failing alike"
    DIFFERENT = "different"


@dataclass(frozen=True, slots=True)
class Row:
    """What became of a vector of a body on a runtime: the function as Python and, on onnxruntime, as one graph."""

    identity: str
    case: str
    runtime: str
    opset: int
    agreement: Agreement
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.identity} {self.case}, {self.runtime} at opset {self.opset}: {self.detail}"


def compare(
    loaded: LoadedLibrary, bundle: Bundle, cases: Sequence[Case], runtimes: Sequence[str] = (ONNXRUNTIME_OFF, REFERENCE)
) -> Iterator[Row]:
    """Each case on each body of the bundle that fits it and that the runtime loads, against the function as Python on
    the same runtime: onnxruntime without optimisations, or the reference evaluator."""
    versions = {version.identity: version for version in loaded.versions}
    for runtime in available(runtimes):
        plan = Plan(BodyFunctions(bundle), bundle.index.functions, (runtime,))
        for case in cases:
            plan.add(case)
        for draft in plan.drafts:
            batch = draft.batch(draft.vectors)
            functions = [FunctionProto.FromString(data) for data in batch.functions]
            session = load(runtime, functions, batch.signature, batch.opset)
            if isinstance(session, Refusal):
                continue  # a gap of the runtime: see specs/runtime-gaps.yaml
            seen: set[object] = set()
            for vector in batch.vectors:
                agreement, detail = _agreement(versions[draft.identity], batch, session, vector, seen)
                yield Row(draft.identity, vector.case.name, batch.runtime, batch.opset, agreement, detail)


def newest_bodies(bundle: Bundle) -> Bundle:
    """The bundle with the bodies of each version's newest opsets alone."""
    functions = tuple(map(_newest, bundle.index.functions))
    return replace(bundle, index=replace(bundle.index, functions=functions))


def _newest(entry: FunctionEntry) -> FunctionEntry:
    last = max(body.last_opset for body in entry.bodies)
    return replace(entry, bodies=tuple(body for body in entry.bodies if body.last_opset == last))


def _agreement(
    version: SpecVersion, batch: Batch, session: Session | Failed, vector: Vector, seen: set[object]
) -> tuple[Agreement, str]:
    compiled = _compiled(session, vector)
    try:
        calls = _eager(version, vector.case, batch, seen)
    except Exception as error:  # whatever it is, it is compared
        failed = isinstance(compiled, Failed)
        return (
            Agreement.BOTH_FAIL if failed else Agreement.DIFFERENT,
            f"Python: {type(error).__name__} {one_line(error)}",
        )
    found = calls[0]
    if isinstance(compiled, Failed):
        return Agreement.DIFFERENT, f"the compiled body fails, Python gives {found}: {compiled}"
    case = vector.case
    answers: Sequence[Answer | None] = case.expected or [answer_of(value) for value in compiled]
    if isinstance(case.judge, RandomJudge):
        wrong = judge_outputs(case.judge, batch.outputs, answers, found)
        return (Agreement.DIFFERENT, wrong) if wrong else (Agreement.RANDOM, "")
    for whole in calls[1:]:
        if _bits(whole) != _bits(found):
            return Agreement.DIFFERENT, f"{found} as Python, {whole} as one graph"
    if _bits(found) == _bits(compiled):
        return Agreement.EXACT, ""
    wrong = judge_outputs(case.judge, batch.outputs, answers, found)
    if wrong and not _are_halves_rounded_otherwise(batch, found, compiled):
        return Agreement.DIFFERENT, wrong
    return Agreement.WITHIN, f"{found}, compiled {compiled}"


def _are_halves_rounded_otherwise(batch: Batch, found: Sequence[Value], compiled: Sequence[Value]) -> bool:
    """Whether the outputs differ in halves alone, and by less than rounding after each operator can make: onnxruntime
    computes halves in float, and rounds those of a graph where they leave it."""
    if batch.runtime != ONNXRUNTIME_OFF or len(found) != len(compiled):
        return False
    for one, other in zip(found, compiled, strict=True):
        if _bits([one]) == _bits([other]):
            continue
        if isinstance(one, Items) or isinstance(other, Items) or one.dtype != np.float16 or one.shape != other.shape:
            return False
        if not np.all(np.abs(one.astype(np.float32) - other) <= HALF_ULPS * np.spacing(np.abs(other))):
            return False
    return True


def _compiled(session: Session | Failed, vector: Vector) -> Sequence[Value] | Failed:
    if isinstance(session, Failed):
        return session
    try:
        return session.run(vector.feeds)
    except Failed as failure:
        return failure


def _eager(version: SpecVersion, case: Case, batch: Batch, seen: set[object]) -> list[list[Value]]:
    """The results as Python and, on onnxruntime, of calls that may run as one graph: the first of its kind is repeated
    until it may, others of the kind, which `seen` holds, do so at once."""
    function = live_version(version, batch.opset)
    arguments = [argument_of(value) for value in case.inputs]
    attributes = {name: attribute_of(value, batch.opset) for name, value in case.attributes.items()}
    on_reference = batch.runtime == REFERENCE
    with default_as(ReferenceEvaluator()) if on_reference else nullcontext(), at_opset(batch.opset):
        with whole_functions(False):
            found = [_values(function(*arguments, **attributes))]
        if not on_reference:
            kind = repr([[item.shape for item in tensors_of(value)] for value in case.inputs])
            with whole_functions():
                for _ in range(1 if kind in seen else WHOLE_FROM + 2):
                    found.append(_values(function(*arguments, **attributes)))
            seen.add(kind)
    return found


def _values(found: Any) -> list[Value]:
    return [_value(item) for item in (found if isinstance(found, tuple) else (found,))]


def _value(found: Any) -> Value:
    if not isinstance(found, EagerItems):
        return np.asarray(found)
    assert isinstance(found.item, ir.TensorType)
    element = ir.settle(found.item.element)
    assert isinstance(element, ElementType)
    return Items(element.name, tuple(np.asarray(part.data) for part in found))


def _bits(values: Sequence[Value]) -> list[list[object]]:
    return [[isinstance(value, Items), *map(_bits_of, tensors_of(value))] for value in values]


def _bits_of(array: np.ndarray[Any, Any]) -> tuple[object, ...]:
    return array.dtype, array.shape, array.tolist() if array.dtype.kind == "O" else array.tobytes()
