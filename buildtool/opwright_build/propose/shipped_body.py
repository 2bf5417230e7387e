"""A proposed body beside the one that the library ships: the same interface, and how exact both are.

The spec may name a function whose body is proposed because it reads better. What it computes is judged here, on every
vector of the version, by the rule of the standard's suite, which is what the standard will run it by.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from onnx import ModelProto
from opwright.bundle.format import FunctionEntry
from opwright.graphs.walk import all_nodes

from opwright_build.propose.expansions import RULE, Values, run_model
from opwright_build.propose.node_cases import as_node_case, row_of, usable_cases
from opwright_build.propose.subject import Proposal
from opwright_build.propose.test_models import expand
from opwright_build.verify.case_model import Array, Case, Expected, Status, ToleranceJudge
from opwright_build.verify.dtypes import element_of
from opwright_build.verify.judge.outputs import judge_outputs, ulp_distance
from opwright_build.verify.run.isolation import run_tasks
from opwright_build.verify.run.runtimes import Failed, Refused, Runtime


@dataclass(frozen=True, slots=True)
class ShippedBody:
    """The body that the library ships where another one is proposed. `inexact` are the vectors that the latter need not
    pass, by name, with the reason."""

    proposal: Proposal
    inexact: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Errors:
    """The largest errors of finite elements; `lost` are those that came out as infinite or not a number, and the other
    way round."""

    ulp: int = 0
    absolute: float = 0.0
    lost: int = 0

    def __or__(self, other: Errors) -> Errors:
        return Errors(max(self.ulp, other.ulp), max(self.absolute, other.absolute), self.lost + other.lost)

    def __str__(self) -> str:
        lost = f", {self.lost} lost" if self.lost else ""
        return f"{self.ulp:.3g} ulp, {self.absolute:.3g}{lost}"


@dataclass(frozen=True, slots=True)
class Measured:
    """Both bodies on the outputs of one element type; `runs` of each body, one a vector and runtime."""

    element: str
    runs: int
    proposed: Errors
    shipped: Errors


@dataclass(frozen=True, slots=True)
class WrongRow:
    """A vector that the proposed body fails on a runtime, where the shipped one does not."""

    row: str
    runtime: str
    message: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """`inexact` are the vectors that the proposed body fails and need not pass, with the reason that the spec gives;
    `wrong` those that it fails and must pass; `failed` the names of all cases that it fails.

    `idle` are names that the spec gives and no vector has, or only vectors that the body passes. `nodes` are those of
    the largest proposed and shipped body, constants left out.
    """

    measured: tuple[Measured, ...]
    inexact: Mapping[str, str]
    failed: frozenset[str]
    wrong: tuple[WrongRow, ...]
    idle: tuple[str, ...]
    nodes: tuple[int, int]


def interface_differences(shipped: FunctionEntry, proposed: FunctionEntry) -> Iterator[str]:
    """What calls would notice of a proposed body's function, a phrase each."""
    ours, theirs = [item.name for item in shipped.inputs], [item.name for item in proposed.inputs]
    if ours != theirs:
        yield f"it has the inputs {', '.join(theirs)}, and {shipped.name} {', '.join(ours)}"
        return
    for one, other in zip(shipped.inputs, proposed.inputs, strict=True):
        if (one.optional, one.variadic) != (other.optional, other.variadic):
            kinds = (
                "variadic" if item.variadic else "optional" if item.optional else "required" for item in (other, one)
            )
            yield "the input {} is {} there, and {} of {}".format(one.name, *kinds, shipped.name)
        elif (one.rank, one.shape) != (other.rank, other.shape):
            yield f"the input {one.name} has another declared shape than that of {shipped.name}"
    given = {item.name: item for item in proposed.attributes}
    for attribute in shipped.attributes:
        if attribute.name not in given:
            yield f"it has no attribute {attribute.name}"
        elif (found := given[attribute.name]) != attribute:
            what = [(item.type, item.required, item.default, item.choices) for item in (found, attribute)]
            if what[0] != what[1]:
                yield f"the attribute {attribute.name} has another type, default or choices than that of {shipped.name}"
    known = {item.name for item in shipped.attributes}
    yield from (f"{shipped.name} has no attribute {name}" for name in given if name not in known)


def compare_bodies(
    proposal: Proposal, shipped: ShippedBody, cases: Iterable[Case], runtimes: Sequence[Runtime], workers: int
) -> Comparison:
    """Runs both bodies on the vectors, in that many processes of verification, or here."""
    vectors = usable_cases(proposal, cases)
    runs = [
        (case, runtime.name, ours, theirs)
        for case in vectors
        for ours, theirs in [(_task(proposal, case), _task(shipped.proposal, case))]
        if ours is not None
        for runtime in runtimes
    ]
    tasks = [
        _BodyRun(model, values, runtime)
        for _, runtime, *both in runs
        for model, values in (item for item in both if item is not None)
    ]
    answers = iter(run_tasks(tasks, workers=workers))
    found = [
        (case, runtime, _Answer(*next(answers)), None if theirs is None else _Answer(*next(answers)))
        for case, runtime, _, theirs in runs
    ]
    failing = [
        (case, WrongRow(row_of(case), runtime, ours.message))
        for case, runtime, ours, theirs in found
        if ours.status == Status.FAIL.value and (theirs is None or theirs.status != Status.FAIL.value)
    ]
    rows = {item.row for _, item in failing}
    return Comparison(
        tuple(_measured(found)),
        {row: reason for row, reason in shipped.inexact.items() if row in rows},
        frozenset(case.name for case, _ in failing),
        tuple(item for _, item in failing if item.row not in shipped.inexact),
        tuple(row for row in shipped.inexact if row not in rows),
        (_nodes(proposal), _nodes(shipped.proposal)),
    )


@dataclass(frozen=True, slots=True)
class _Answer:
    """What became of a body on a vector and a runtime; `errors` by element type of the outputs."""

    status: str
    message: str
    errors: Mapping[str, tuple[int, float, int]]


@dataclass(frozen=True, slots=True)
class _BodyRun:
    """One body on one vector, on one runtime, in a process of its own: a task of `isolation`."""

    model: bytes
    values: Values
    where: str

    def run(self) -> tuple[str, str, dict[str, tuple[int, float, int]]]:
        try:
            outputs = run_model(ModelProto.FromString(self.model), self.values, self.where)
        except Refused as error:
            return error.refusal.status.value, error.refusal.reason, {}
        except Failed as error:
            return Status.FAIL.value, str(error), {}
        names = [name for name, _ in self.values.outputs]
        expected = [Expected(array) for _, array in self.values.outputs]
        wrong = judge_outputs(self.values.judge, names, expected, outputs)
        errors: dict[str, Errors] = {}
        for wanted, got in zip(expected, outputs, strict=True):
            element = element_of(wanted.array)
            if isinstance(got, np.ndarray) and got.shape == wanted.array.shape and element.is_float:
                errors[element.name] = errors.get(element.name, Errors()) | _errors(wanted.array, got)
        told = {name: (item.ulp, item.absolute, item.lost) for name, item in errors.items()}
        return (Status.FAIL if wrong else Status.PASS).value, wrong, told

    def pieces(self) -> Sequence[_BodyRun]:
        return (self,)

    def join(self, results: Sequence[Any]) -> Any:
        return results[0]

    def lost(self, how: str) -> tuple[str, str, dict[str, tuple[int, float, int]]]:
        return Status.FAIL.value, f"the runtime {how}", {}


def _task(proposal: Proposal, case: Case) -> tuple[bytes, Values] | None:
    """The case with the first of the proposal's bodies in the operator's place; None where none serves it."""
    named = as_node_case(proposal.entry, case, row_of(case))
    test = None if proposal.first is None else expand(proposal, named, proposal.first)
    if test is None:
        return None
    judge = RULE if isinstance(case.judge, ToleranceJudge) else case.judge
    inputs = tuple(item for item in named.inputs if item is not None)
    return test.model.SerializeToString(deterministic=True), Values(inputs, named.outputs, judge)


def _errors(wanted: Array, got: Array) -> Errors:
    with np.errstate(invalid="ignore", over="ignore"):
        right, found = wanted.astype(np.float64), got.astype(np.float64)
        finite = np.isfinite(right) & np.isfinite(found)
        same = (right == found) | (np.isnan(right) & np.isnan(found))
        ulp = np.where(finite, ulp_distance(got.astype(wanted.dtype), wanted, element_of(wanted)), 0)
        apart = np.where(finite, np.abs(right - found), 0.0)
    return Errors(int(ulp.max(initial=0)), float(apart.max(initial=0.0)), int(np.count_nonzero(~finite & ~same)))


def _measured(found: Iterable[tuple[Case, str, _Answer, _Answer | None]]) -> Iterator[Measured]:
    """Where both bodies gave something."""
    sums: dict[str, tuple[int, Errors, Errors]] = {}
    for _, _, ours, theirs in found:
        if theirs is None:
            continue
        for element in ours.errors.keys() & theirs.errors.keys():
            runs, one, other = sums.get(element, (0, Errors(), Errors()))
            sums[element] = (runs + 1, one | Errors(*ours.errors[element]), other | Errors(*theirs.errors[element]))
    for element, (runs, one, other) in sorted(sums.items()):
        yield Measured(element, runs, one, other)


def _nodes(proposal: Proposal) -> int:
    variants = proposal.first.variants if proposal.first is not None else ()
    return max(
        (sum(node.op_type != "Constant" for node in all_nodes(item.function.node)) for item in variants), default=0
    )
