"""Do the vectors notice when a body is wrong? Each body is changed in many small ways, and its vectors are run.

One body of each version and variant stands for all: that of the newest opset that onnxruntime accepts. Mutants run on
onnxruntime without optimisation, and those that survive there on the reference evaluator, which has every type.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from onnx import FunctionProto
from opwright.bundle.format import Bundle, FunctionEntry
from opwright.variants import overload_of

from opwright_build.spec.runtime_names import ONNXRUNTIME_OFF, REFERENCE
from opwright_build.verify.case_model import Case, Status
from opwright_build.verify.facts.refusals import Refusal
from opwright_build.verify.mutants.perturb import mutants_of
from opwright_build.verify.run.batches import Batch, judge_vector, load
from opwright_build.verify.run.isolation import Workers, run_tasks
from opwright_build.verify.run.matrix import passing_batches
from opwright_build.verify.run.runtimes import Failed, Runtime, available, newest_accepted

KILLED, SURVIVED, STILLBORN = "killed", "survived", "stillborn"


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of one mutant. `id` stays the same as long as the node and the change do.

    `by` names the runtime and the vector that noticed, or how the runtime died over it. A stillborn mutant is one that
    the standard's rules refuse for every type: no vector is needed against it.
    """

    identity: str
    id: str
    fate: str
    by: str = ""


@dataclass(frozen=True, slots=True)
class MutationScore:
    """The mutants of one version, in the order of its bodies and their nodes."""

    identity: str
    fates: tuple[Fate, ...]

    def count(self, fate: str) -> int:
        return sum(item.fate == fate for item in self.fates)


@dataclass(frozen=True, slots=True)
class MutantTask:
    """One mutant and the sessions' worth of vectors that the original passes. `function` replaces each batch's last."""

    function: bytes
    batches: tuple[Batch, ...]

    def run(self) -> list[str]:
        """[fate, by]"""
        loaded = False
        for batch in self.batches:
            (runtime,) = available([batch.runtime])
            functions = [FunctionProto.FromString(data) for data in (*batch.functions[:-1], self.function)]
            session = load(runtime, functions, batch.signature, batch.opset, check=True)
            if isinstance(session, Refusal | Failed):
                continue
            loaded = True
            for vector in batch.vectors:
                if judge_vector(session, batch.outputs, vector)[0] is Status.FAIL:
                    return [KILLED, f"{batch.runtime}: {vector.case.name}"]
        return [SURVIVED if loaded else STILLBORN, ""]

    def pieces(self) -> list[MutantTask]:
        return [self]

    def join(self, results: Sequence[Any]) -> Any:
        (result,) = results
        return result

    def lost(self, how: str) -> list[str]:
        """A body over which the runtime crashes or hangs does not pass for the right one."""
        return [KILLED, f"the runtime {how}"]


def run_mutants(
    bundle: Bundle,
    cases: Sequence[Case],
    *,
    workers: Workers = 1,
    timeout: float = 10.0,
    progress: Callable[[int, int], None] | None = None,
) -> list[MutationScore]:
    """The fates of all mutants of every version that has cases.

    `timeout` is in seconds and for each mutant; `progress` gets the number of mutants done and their total.
    """
    runtimes = available([ONNXRUNTIME_OFF, REFERENCE])
    identities = dict.fromkeys(case.identity for case in cases)
    entries = [entry for entry in bundle.index.functions if entry.identity in identities]
    pruned = [representative(entry, runtimes[0]) for entry in entries]
    passing = passing_batches(bundle, pruned, cases, runtimes=runtimes, workers=workers)
    tasks: list[MutantTask] = []
    names: list[tuple[str, str]] = []
    for entry in pruned:
        for position in _changed(entry, passing):
            body, batches = entry.bodies[position], passing.get((entry.identity, position), ())
            variant = f"[{overload_of(body.variant)}]" if body.variant else ""
            for mutant in mutants_of(FunctionProto.FromString(batches[0].functions[-1])) if batches else ():
                tasks.append(MutantTask(mutant.function.SerializeToString(), tuple(batches)))
                names.append((entry.identity, f"{entry.identity}{variant} {mutant.node} {mutant.change}"))
    done = 0

    def report(number: int, result: object, seconds: float) -> None:
        nonlocal done
        done += 1
        if progress is not None:
            progress(done, len(tasks))

    results = run_tasks(tasks, workers=workers, timeout=timeout, progress=report)
    fates = [Fate(*name, *result) for name, result in zip(names, results, strict=True)]
    return [
        MutationScore(entry.identity, tuple(fate for fate in fates if fate.identity == entry.identity))
        for entry in pruned
    ]


def _changed(entry: FunctionEntry, passing: Mapping[tuple[str, int], Sequence[Batch]]) -> list[int]:
    """The positions of the bodies to change: all, but of a template's instances the one with the most vectors.

    Instances share the text of their template. Most of them are there for one vector, which shows that they can be made
    and cannot notice everything.
    """
    positions = list(range(len(entry.bodies)))
    if not entry.templates:
        return positions
    counts = [sum(len(batch.vectors) for batch in passing.get((entry.identity, index), ())) for index in positions]
    return [counts.index(max(counts))] if counts else []


def representative(entry: FunctionEntry, runtime: Runtime) -> FunctionEntry:
    """The version with the bodies of one opset alone: the newest that the runtime accepts, else the newest of all."""
    accepted = [
        opset
        for body in entry.bodies
        if isinstance(opset := newest_accepted(runtime, body.first_opset, body.last_opset), int)
    ]
    opset = max(accepted, default=max((body.last_opset for body in entry.bodies), default=0))
    bodies = [replace(body, last_opset=opset) for body in entry.bodies if body.first_opset <= opset <= body.last_opset]
    return replace(entry, bodies=tuple(bodies))
