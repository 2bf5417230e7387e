"""What two bodies compute, side by side: both are run on all vectors of a version, in the workers of verification.

The vectors' inputs alone are looked at, and no Python of a spec is run. Two results are equal, close (within the
tolerance of the vector), or differ; where they part the largest difference is told, and where it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

import numpy as np
from onnx import FunctionProto
from opwright.bundle.call_interface import outputs_of, split_type
from opwright.bundle.format import Bundle, FunctionEntry
from opwright.diagnostics.diagnostic import DiagnosticError
from opwright.lang.facts import OTHER

from opwright_build.verify.case_model import (
    Array,
    Case,
    Expected,
    Items,
    Judge,
    RandomJudge,
    ToleranceJudge,
    Value,
    judge_on,
)
from opwright_build.verify.dtypes import element_of
from opwright_build.verify.facts.refusals import Refusal
from opwright_build.verify.items import type_of
from opwright_build.verify.judge.outputs import mismatch, ulp_distance
from opwright_build.verify.run.batches import load
from opwright_build.verify.run.case_bodies import Bodies, refused_types
from opwright_build.verify.run.instantiated import BodyFunctions
from opwright_build.verify.run.isolation import run_tasks
from opwright_build.verify.run.models import Signature, arguments_of, signature_of
from opwright_build.verify.run.runtimes import Failed, Refused, Runtime, Session, Tells, available, newest_accepted
from opwright_build.versions.change import Change, Kind
from opwright_build.versions.promise import Promise
from opwright_build.versions.promise_changes import BodyPair, differing_bodies, has_other_template

_EXACT = ToleranceJudge({})
_OTHER_CALLS = "calls that no vector makes"  # of a template
_MOST_LISTED = 3  # bodies that a message names
_TIMEOUT = 120.0  # seconds, for the vectors of one pair of bodies on one runtime


class Within(Enum):
    """How far results of two bodies lie apart."""

    EXACT = "exact"
    TOLERANCE = "tolerance"
    BEYOND = "beyond"
    UNKNOWN = "unknown"  # of some bodies nothing could be compared


@dataclass(frozen=True, slots=True)
class Difference:
    """What became of one vector: `ulp` and `absolute` are the largest differences, `text` says where, or what else.
    `is_drawn`: an output is drawn at random, of which shape and type alone could be compared."""

    within: Within
    ulp: float = 0.0
    absolute: float = 0.0
    text: str = ""
    is_drawn: bool = False


@dataclass(frozen=True, slots=True)
class NumericVerdict:
    """What the bodies of a version compute now, compared with what they computed.

    `compared` counts vectors on runtimes; `unjudged` names the bodies of which none could be compared. `missing` says
    which bodies that they call are not at hand, and `drawn` names those of `unjudged` that vectors run and whose values
    are drawn at random, so that no vector would help.
    """

    identity: str
    within: Within
    compared: int = 0
    ulp: float = 0.0
    absolute: float = 0.0
    text: str = ""
    unjudged: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    drawn: tuple[str, ...] = ()

    @property
    def obstacle(self) -> str:
        """Why no further vector would tell how far the bodies lie apart; empty where some could."""
        if self.missing:
            return "what was released cannot be run any more"
        if not self.unjudged or not {*self.unjudged} <= {*self.drawn, _OTHER_CALLS}:
            return ""
        if self.drawn:
            return "no vector can compare values that are drawn"
        return "a template serves more calls than vectors make"

    def explain(self) -> str:
        """The figures, as the end of a sentence."""
        vectors = f"{self.compared:,} {'result' if self.compared == 1 else 'results'} compared"
        match self.within:
            case Within.EXACT:
                return f"all values are equal ({vectors})"
            case Within.TOLERANCE:
                return f"values are within the tolerance: {self.text} ({vectors})"
            case Within.BEYOND:
                return f"{self.text} ({vectors})"
            case Within.UNKNOWN:
                missing = f": {_listed(self.missing)}" if self.missing else ""
                what = f"what it computes could not be compared for {_listed(self.unjudged) or 'any vector'}{missing}"
                return f"{what}; values that are drawn at random differ from run to run" if self.drawn else what


def _listed(labels: Sequence[str]) -> str:
    """The first of them, and how many there are besides."""
    more = len(labels) - _MOST_LISTED
    return "; ".join([*labels[:_MOST_LISTED], *([f"and {more} more"] if more > 0 else [])])


@dataclass(frozen=True, slots=True)
class _Vector:
    """`old` and `new` are the feeds of either body."""

    name: str
    judge: Judge
    is_error: bool
    old: tuple[Value, ...]
    new: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class _Side:
    functions: tuple[bytes, ...]
    signature: Signature

    def load(self, runtime: Runtime, opset: int) -> Session | Refusal | Failed:
        return load(runtime, [FunctionProto.FromString(data) for data in self.functions], self.signature, opset)


@dataclass(frozen=True, slots=True)
class ComparedBodies:
    """Two bodies on one runtime, and the vectors that both serve: a task for a worker."""

    runtime: str
    opset: int
    old: _Side
    new: _Side
    outputs: tuple[str, ...]
    vectors: tuple[_Vector, ...]

    def run(self) -> list[list[Any]]:
        """(how far apart, ulp, absolute, text, is it drawn) for each vector, as JSON values."""
        (runtime,) = available([self.runtime])
        before, after = self.old.load(runtime, self.opset), self.new.load(runtime, self.opset)
        found = [_compare(before, after, self.outputs, vector) for vector in self.vectors]
        return [[item.within.value, item.ulp, item.absolute, item.text, item.is_drawn] for item in found]

    def pieces(self) -> list[ComparedBodies]:
        return [replace(self, vectors=(vector,)) for vector in self.vectors]

    def join(self, results: Sequence[Any]) -> list[list[Any]]:
        return [answer for answers in results for answer in answers]

    def lost(self, how: str) -> list[list[Any]]:
        return [[Within.BEYOND.value, 0.0, 0.0, f"the runtime {how}", False] for _ in self.vectors]


def _compare(
    before: Session | Refusal | Failed, after: Session | Refusal | Failed, names: Sequence[str], vector: _Vector
) -> Difference:
    """What the two make of one vector."""
    if isinstance(before, Refusal) or isinstance(after, Refusal):
        refused = after if isinstance(after, Refusal) else before
        return Difference(Within.UNKNOWN, text=refused.reason if isinstance(refused, Refusal) else "")
    left, right = _run(before, vector.old), _run(after, vector.new)
    if isinstance(left, str) or isinstance(right, str):
        if isinstance(right, str) and not isinstance(left, str):
            return Difference(Within.BEYOND, text=f"`{vector.name}` fails: {right}")
        if vector.is_error and isinstance(left, str) and not isinstance(right, str):
            return Difference(Within.BEYOND, text=f"`{vector.name}` gives values, and was an error")
        return Difference(Within.UNKNOWN, text=f"`{vector.name}` failed before")
    if len(left) != len(right):
        return Difference(Within.BEYOND, text=f"`{vector.name}` gives {len(right)} outputs, and gave {len(left)}")
    worst = Difference(Within.EXACT)
    for name, old, new in zip(names, left, right, strict=False):
        found = _difference(vector, name, old, new)
        if _rank(found) > _rank(worst):
            worst = found
    return worst


def _rank(item: Difference) -> tuple[int, float]:
    order = (Within.EXACT, Within.UNKNOWN, Within.TOLERANCE, Within.BEYOND)
    return order.index(item.within), item.ulp


def _run(session: Session | Failed | Refusal, feeds: tuple[Value, ...]) -> Sequence[Value] | str:
    if isinstance(session, Failed | Refusal):
        return str(session)
    try:
        return session.run(feeds)
    except (Failed, Refused) as error:
        return str(error)


def _difference(vector: _Vector, name: str, old: Value, new: Value) -> Difference:
    if isinstance(old, Items) or isinstance(new, Items):
        if not isinstance(old, Items) or not isinstance(new, Items) or len(old.arrays) != len(new.arrays):
            return Difference(Within.BEYOND, text=f"{name} of `{vector.name}` has another length or kind")
        pairs = list(zip(old.arrays, new.arrays, strict=True))
    else:
        pairs = [(old, new)]
    worst = Difference(Within.EXACT)
    for left, right in pairs:
        found = _of_tensor(vector, name, left, right)
        if _rank(found) > _rank(worst):
            worst = found
    return worst


def _of_tensor(vector: _Vector, name: str, old: Array, new: Array) -> Difference:
    expected = Expected(old)
    if isinstance(vector.judge, RandomJudge):
        shapes = mismatch(RandomJudge(), expected, new)
        if shapes:
            return Difference(Within.BEYOND, text=f"{name} of `{vector.name}` {shapes}")
        return Difference(Within.UNKNOWN, text="its values are random", is_drawn=True)
    if not mismatch(_EXACT, expected, new):
        return Difference(Within.EXACT)
    beyond = mismatch(vector.judge, expected, new)
    ulp, absolute, where = _largest(old, new)
    if beyond:
        return Difference(Within.BEYOND, ulp, absolute, f"{name} of `{vector.name}` {beyond}")
    text = f"at most {_figures(ulp, absolute)}, in {name}{where} of `{vector.name}`"
    return Difference(Within.TOLERANCE, ulp, absolute, text)


def _figures(ulp: float, absolute: float) -> str:
    return f"{ulp:,.0f} ulp ({absolute:.3g})" if ulp else f"{absolute:.3g}"


def _largest(old: Array, new: Array) -> tuple[float, float, str]:
    """The largest difference in units in the last place, and by value, and where it is."""
    try:
        kind = element_of(old)
    except KeyError:
        return 0.0, 0.0, ""
    if old.shape != new.shape or old.dtype != new.dtype or not old.size or not (kind.is_float or kind.is_integer):
        return 0.0, 0.0, ""
    left, right = old.astype(np.float64), new.astype(np.float64)
    finite = np.isfinite(left) & np.isfinite(right)
    with np.errstate(invalid="ignore", over="ignore"):
        apart = np.where(finite, np.abs(left - right), 0.0)
    distance = np.where(finite, ulp_distance(old, new, kind).astype(np.float64), 0.0) if kind.is_float else apart
    at = int(np.argmax(distance))
    where = [int(step) for step in np.unravel_index(at, old.shape)]
    ulp = float(distance.ravel()[at]) if kind.is_float else 0.0
    return ulp, float(apart.max()), str(where) if where else ""


_KINDS = {
    Within.EXACT: Kind.VALUES_EQUAL,
    Within.TOLERANCE: Kind.VALUES_CLOSE,
    Within.BEYOND: Kind.VALUES_DIFFER,
    Within.UNKNOWN: Kind.VALUES_UNKNOWN,
}


def with_values(changes: Iterable[Change], verdicts: Mapping[str, NumericVerdict]) -> list[Change]:
    """The changes, those of bodies with what came of running them."""
    found = []
    for change in changes:
        verdict = verdicts.get(change.identity) if change.kind is Kind.BODY else None
        if verdict is not None:
            change = Change(change.identity, _KINDS[verdict.within], after=verdict.explain())
        found.append(change)
    return found


# ------------------------------------------------------------------------------------------ whole versions


@dataclass(frozen=True, slots=True)
class Compared:
    """A version of both states; the bundles hold the bodies, and what they call."""

    old: Promise
    new: Promise
    old_bundle: Bundle
    new_bundle: Bundle
    cases: tuple[Case, ...]


def judge_versions_numerically(
    subjects: Iterable[Compared], *, runtimes: Sequence[Runtime] | None = None, workers: int = 1
) -> dict[str, NumericVerdict]:
    """The verdicts, by identity."""
    at_hand = available() if runtimes is None else runtimes
    tasks: list[ComparedBodies] = []
    owners: list[list[Difference]] = []
    pairs: dict[str, list[tuple[str, list[Difference]]]] = {}  # of each pair of bodies its label, and what was found
    missing: dict[str, list[str]] = {}
    for subject in subjects:
        differing = differing_bodies(subject.old, subject.new)
        found: dict[int, list[Difference]] = {id(pair): [] for pair in differing}
        pairs.setdefault(subject.new.identity, []).extend((_label(pair), found[id(pair)]) for pair in differing)
        if has_other_template(subject.old, subject.new):
            pairs[subject.new.identity].append((_OTHER_CALLS, []))
        lacking = missing.setdefault(subject.new.identity, [])
        for pair, task in _tasks(subject, differing, at_hand, lacking):
            tasks.append(task)
            owners.append(found[id(pair)])
    for owner, answers in zip(owners, run_tasks(tasks, workers=workers, timeout=_TIMEOUT), strict=True):
        owner += (Difference(Within(word), *rest) for word, *rest in answers)
    return {identity: _verdict(identity, labels, missing[identity]) for identity, labels in pairs.items()}


def _label(pair: BodyPair) -> str:
    """The calls that both bodies of a pair serve; `other` where neither says more."""
    opsets = f"opset {pair.first}" if pair.first == pair.last else f"opsets {pair.first} to {pair.last}"
    facts = dict(pair.new.variant)
    facts |= {axis: value for axis, value in pair.old.variant if facts.get(axis, OTHER) == OTHER}
    return ", ".join([opsets, *(f"{axis}={value}" for axis, value in facts.items())])


def _verdict(
    identity: str, pairs: Sequence[tuple[str, Sequence[Difference]]], missing: Sequence[str]
) -> NumericVerdict:
    known = [item for _, found in pairs for item in found if item.within is not Within.UNKNOWN]
    open_ = (label for label, found in pairs if not any(item.within is not Within.UNKNOWN for item in found))
    unjudged = tuple(dict.fromkeys(open_))
    random = {label for label, found in pairs if any(item.is_drawn for item in found)}
    worst = max(known, key=_rank, default=Difference(Within.UNKNOWN))
    within = worst.within
    if unjudged and within is not Within.BEYOND:
        within = Within.UNKNOWN
    ulp, absolute = (max((getattr(item, name) for item in known), default=0.0) for name in ("ulp", "absolute"))
    drawn = tuple(label for label in unjudged if label in random)
    lacking = tuple(dict.fromkeys(missing))
    return NumericVerdict(identity, within, len(known), ulp, absolute, worst.text, unjudged, lacking, drawn)


def _tasks(
    subject: Compared, pairs: Sequence[BodyPair], runtimes: Sequence[Runtime], missing: list[str]
) -> Iterator[tuple[BodyPair, ComparedBodies]]:
    """The vectors that both bodies of a pair serve, those that share a session together. What is called and not at hand
    is added to `missing`."""
    before, after = subject.old.entry, subject.new.entry
    made, made_now = BodyFunctions(subject.old_bundle), BodyFunctions(subject.new_bundle)
    for (index, pair), vectors in _served(subject, pairs).items():
        for runtime in runtimes:
            opset = newest_accepted(runtime, pair.first, pair.last)
            if isinstance(opset, Refusal):
                continue
            drafts: dict[tuple[Signature, Signature], list[_Vector]] = {}
            for (left, right), vector in vectors:
                if runtime.tells is not Tells.RANKS:
                    left, right = left.without_ranks(), right.without_ranks()
                judged = replace(vector, judge=judge_on(vector.judge, runtime.name))
                drafts.setdefault((left, right), []).append(judged)
            try:
                old = made.of(before, pair.old, opset).functions
                new = made_now.of(after, pair.new, opset).functions
            except DiagnosticError as error:  # a body that is called is not at hand
                missing += [item.message for item in error.diagnostics]
                continue
            outputs = outputs_of(after, pair.new)
            for (left, right), shared in drafts.items():
                sides = _Side(old, left), _Side(new, right)
                yield pairs[index], ComparedBodies(runtime.name, opset, *sides, outputs, tuple(shared))


_Served = dict[tuple[int, BodyPair], list[tuple[tuple[Signature, Signature], _Vector]]]


def _served(subject: Compared, pairs: Sequence[BodyPair]) -> _Served:
    """The vectors of each pair, with the calls that they make of either body."""
    before, after = subject.old.entry, subject.new.entry
    served, served_now = Bodies(before), Bodies(after)
    found: _Served = {}
    for case in subject.cases:
        earlier = _as_called_before(case, before, after) if case.identity == after.identity else None
        if earlier is None:
            continue
        left = {id(body) for body in served.of(earlier) if not refused_types(body, earlier)}
        right = {id(body) for body in served_now.of(case) if not refused_types(body, case)}
        for index, pair in enumerate(pairs):
            if id(pair.old) in left and id(pair.new) in right:
                calls = signature_of(before, pair.old, earlier), signature_of(after, pair.new, case)
                feeds = arguments_of(before, pair.old, earlier), arguments_of(after, pair.new, case)
                vector = _Vector(case.name, case.judge, bool(case.error), *feeds)
                found.setdefault((index, pair), []).append((calls, vector))
    return found


def _as_called_before(case: Case, before: FunctionEntry, after: FunctionEntry) -> Case | None:
    """The case as a call of the earlier interface; None where that has no such call."""
    names, names_now = [item.name for item in before.inputs], [item.name for item in after.inputs]
    inputs = case.inputs
    if set(case.attributes) - {item.name for item in before.attributes}:
        return None
    if names != names_now:
        if any(item.variadic for item in (*before.inputs, *after.inputs)):
            return None
        given = dict(zip(names_now, case.inputs, strict=False))
        if any(value is not None for name, value in given.items() if name not in names):
            return None
        inputs = tuple(given.get(name) for name in names)
        if any(value is None and not item.optional for value, item in zip(inputs, before.inputs, strict=True)):
            return None
    bindings = dict(case.bindings) if before.types == after.types else _bindings(before, inputs, case.bindings)
    return None if bindings is None else replace(case, inputs=inputs, bindings=bindings)


def _bindings(before: FunctionEntry, inputs: Sequence[Value | None], known: Mapping[str, str]) -> dict[str, str] | None:
    """The element types of the earlier type variables; None where the inputs do not say them, or they do not fit."""
    found = {name: known[name] for name, _ in before.types if name in known}
    for item, value in zip(before.inputs, inputs, strict=False):
        _, inner = split_type(item.type)
        if value is not None:
            kind = split_type(type_of(value))[1]
            if found.setdefault(inner, kind) != kind:
                return None
    admitted = dict(before.types)
    if any(found.get(name) not in types for name, types in admitted.items()):
        return None
    return {name: found[name] for name in admitted}
