"""Calls of several bodies in one session of onnxruntime, inlined beforehand.

To load a session costs more than all that is run in it, and sixteen bodies side by side cost little more than one. What
does not pass in such company, or lets it not be loaded, is run again by itself: a verdict on what does not pass is
always that on a model of one call.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from opwright.graphs.walk import all_nodes

from opwright_build.spec.runtime_names import ONNXRUNTIME_FULL
from opwright_build.verify.case_model import Status
from opwright_build.verify.facts.refusals import Refusal
from opwright_build.verify.run.batches import Batch, Result, Vector, judge_values, parsed, run_batch
from opwright_build.verify.run.instantiated import Instantiated, Symbol
from opwright_build.verify.run.known_casts import write_known_casts
from opwright_build.verify.run.models import Signature, inlined, model_of_calls
from opwright_build.verify.run.runtimes import Failed, Refused, Session, available

MAX_BODIES = 16  # in one session
# Bytes of their functions, about 160 nodes: what a session takes to load grows faster than its nodes, since
# onnxruntime looks through all memory that is free for each value.
_MOST_BYTES = 8 << 10
_FILLING = 4  # packs at a time: bodies of one name do not go into one
_FINE = (Status.PASS, Status.UNVERIFIED)

# Calls of which it is the same are mostly taken or refused alike: the runtime, the types of what goes in and comes out,
# and the operators in their order.
_Likeness = tuple[str, tuple[str, ...], tuple[str, ...]]

_refused: set[_Likeness] = set()  # of the calls that this process has seen refused for want of a kernel


@dataclass(frozen=True, slots=True)
class Pack:
    """Batches of one runtime and opset. The results are those of their vectors, one batch after the other."""

    batches: tuple[Batch, ...]

    @property
    def vectors(self) -> tuple[Vector, ...]:
        return tuple(vector for batch in self.batches for vector in batch.vectors)

    def run(self) -> list[list[str]]:
        """(status, message) for each vector, as JSON values."""
        return [[status.value, message] for answers in run_together(self.batches) for status, message in answers]

    def pieces(self) -> list[Batch]:
        """One batch for each vector."""
        return [piece for batch in self.batches for piece in batch.pieces()]

    def join(self, results: Sequence[Any]) -> list[list[str]]:
        """The results of the pieces as results of the whole."""
        return [answer for answers in results for answer in answers]

    def lost(self, how: str) -> list[list[str]]:
        """The results when the process died over a single vector."""
        return [answer for batch in self.batches for answer in batch.lost(how)]


def run_together(batches: Sequence[Batch]) -> list[list[Result]]:
    """The results of each batch. What is likely to be refused is run by itself, and where the whole of the others does
    not load or run, its parts do."""
    return _apart(batches, [_likeness(batch) in _refused for batch in batches])


def _apart(batches: Sequence[Batch], suspects: Sequence[bool]) -> list[list[Result]]:
    """The results of batches, of the suspects among them by themselves."""
    rest = iter(_run_others([batch for batch, suspect in zip(batches, suspects, strict=True) if not suspect]))
    return [_run_alone(batch) if suspect else next(rest) for batch, suspect in zip(batches, suspects, strict=True)]


def _run_others(batches: Sequence[Batch]) -> list[list[Result]]:
    if not batches:
        return []
    found = _results(batches)
    if isinstance(found, Refusal):
        if len(batches) == 1:
            return [_run_alone(batches[0])]
        suspects = [bool(found.operator) and found.operator in _operators(batch) for batch in batches]
        if any(suspects):
            return _apart(batches, suspects)
        middle = len(batches) // 2
        return _run_others(batches[:middle]) + _run_others(batches[middle:])
    return [
        answers if answers and all(status in _FINE for status, _ in answers) else _run_alone(batch)
        for batch, answers in zip(batches, found, strict=True)
    ]


def _run_alone(batch: Batch) -> list[Result]:
    answers = run_batch(batch)
    if any(status is Status.NO_KERNEL for status, _ in answers):
        _refused.add(_likeness(batch))
    return answers


def _likeness(batch: Batch) -> _Likeness:
    signature = batch.signature
    types = (*("" if item is None else item[0] for item in signature.inputs), "", *signature.outputs)
    return batch.runtime, types, _operators(batch)


def _operators(batch: Batch) -> tuple[str, ...]:
    return tuple(name for data in batch.functions for name in _operators_of(data))


@lru_cache(1024)
def _operators_of(function: bytes) -> tuple[str, ...]:
    return tuple(node.op_type for node in all_nodes(parsed(function).node))


def _results(batches: Sequence[Batch]) -> list[list[Result]] | Refusal:
    """The results of each batch in one session of all; or why that does not load, or not run."""
    try:
        session = _session(batches)
        found: list[list[Result]] = [[] for _ in batches]
        for turn in range(max(len(batch.vectors) for batch in batches)):
            # A session runs whole: those that have no vectors left are given their last ones again.
            vectors = [batch.vectors[min(turn, len(batch.vectors) - 1)] for batch in batches]
            values = iter(session.run([feed for vector in vectors for feed in vector.feeds]))
            for batch, vector, answers in zip(batches, vectors, found, strict=True):
                own = [next(values) for _ in batch.signature.outputs]
                if turn < len(batch.vectors):
                    answers.append(judge_values(batch.outputs, vector.case, own))
    except Refused as error:
        return error.refusal
    except Failed as error:
        return Refusal(Status.FAIL, str(error))
    return found


def _session(batches: Sequence[Batch]) -> Session:
    """Raises Refused or Failed."""
    (runtime,) = available([batches[0].runtime])
    calls = [([parsed(data) for data in batch.functions], batch.signature) for batch in batches]
    try:
        model = inlined(model_of_calls(calls, batches[0].opset))
    except Exception as error:  # the inliner raises what it likes
        raise Failed(str(error)) from None
    write_known_casts(model)
    return runtime.load(model, _joined(batch.signature for batch in batches), alone=False)


def _joined(signatures: Iterable[Signature]) -> Signature:
    """The signature of a model of several calls."""
    listed = list(signatures)
    inputs = tuple(item for signature in listed for item in signature.inputs if item is not None)
    return Signature(inputs, (), tuple(kind for signature in listed for kind in signature.outputs))


# ------------------------------------------------------------------------------------------------ which share one


@dataclass(frozen=True, slots=True)
class Candidate:
    """A batch by its position among all, with the functions that it calls."""

    position: int
    batch: Batch
    made: Instantiated

    @property
    def size(self) -> int:
        return sum(map(len, self.made.functions))


@dataclass(slots=True)
class _Open:
    """A pack while it is being filled."""

    members: list[int] = field(default_factory=list)
    size: int = 0  # bytes
    symbols: dict[Symbol, bytes | int] = field(default_factory=dict)

    def admits(self, candidate: Candidate, most: int) -> bool:
        """Whether it has a place left for a batch that has at least as many vectors as each of its own."""
        if len(self.members) == MAX_BODIES or (len(self.members) + 1) * len(candidate.batch.vectors) > most:
            return False
        if self.members and self.size + candidate.size > _MOST_BYTES:
            return False
        return all(self.symbols.get(name, value) == value for name, value in candidate.made.symbols.items())


def packed(candidates: Sequence[Candidate], most: int) -> tuple[list[int], list[list[int]]]:
    """The positions of those that are run as calls, and of those that share a session; `most` vectors in one pack.

    Of each body one call stays a call, by itself, so that onnxruntime's own inliner is tried: optimised, as users run
    it, the one with the most vectors, at one opset of those at which the body has the same text. So does one that
    expects an error, and one whose values go in by a way that others do not share.
    """
    called = _called(candidates)
    alone: list[int] = []
    found: list[list[int]] = []
    pools: dict[tuple[str, int, str], list[Candidate]] = {}
    for candidate in candidates:
        batch = candidate.batch
        (runtime,) = available([batch.runtime])
        company = runtime.company(batch.signature)
        if not company or candidate.position in called or any(vector.case.error for vector in batch.vectors):
            alone.append(candidate.position)
        else:
            pools.setdefault((batch.runtime, batch.opset, company), []).append(candidate)
    for pool in pools.values():
        filling: list[_Open] = []
        for candidate in sorted(pool, key=lambda item: (len(item.batch.vectors), item.made.operators)):
            place = next((item for item in filling if item.admits(candidate, most)), None)
            if place is None:
                place = _Open()
                filling = [*filling[1 - _FILLING :], place]
                found.append(place.members)
            place.members.append(candidate.position)
            place.size += candidate.size
            place.symbols.update(candidate.made.symbols)
    return alone, found


def _called(candidates: Iterable[Candidate]) -> set[int]:
    """The positions of those that are run as calls for their bodies: one of each family of runtimes, since onnxruntime
    inlines before it optimises, and so alike at both levels."""
    chosen: dict[tuple[str, str], Candidate] = {}
    for candidate in candidates:
        key = (candidate.batch.runtime.partition("/")[0], candidate.made.text)
        if key not in chosen or _weight(candidate) > _weight(chosen[key]):
            chosen[key] = candidate
    return {candidate.position for candidate in chosen.values()}


def _weight(candidate: Candidate) -> tuple[bool, int, int]:
    batch = candidate.batch
    return batch.runtime == ONNXRUNTIME_FULL, len(batch.vectors), batch.opset
