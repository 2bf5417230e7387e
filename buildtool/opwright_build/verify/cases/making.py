"""Making cases: judges, digests, and the outputs that are expected."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import isfinite

import numpy as np
from opwright.bundle.call_interface import ANY, split_type
from opwright.bundle.format import FunctionEntry
from opwright.elements import ElementType, element
from opwright.graphs.ndarrays import DTYPES

from opwright_build.spec.model import SpecVersion, Tolerance
from opwright_build.spec.tolerances import DEFAULT_TOLERANCES
from opwright_build.spec.vectors_file import VectorRow
from opwright_build.verify.case_model import (
    Array,
    Case,
    Expected,
    ExpectedItems,
    Judge,
    RandomJudge,
    SuiteJudge,
    ToleranceJudge,
    Value,
    judge_on,
)
from opwright_build.verify.cases.bindings import resolve_type
from opwright_build.verify.cases.exact_rounding import NotRepresentable, round_floats, truncate_to_integers
from opwright_build.verify.cases.suite import attribute_bytes
from opwright_build.verify.dtypes import array_digest_parts, digest
from opwright_build.verify.items import parts_of, sequence_mark, tensors_of, value_digest_parts

# What the suite's own runner grants bfloat16, in whose last place 1e-3 is nothing.
_BFLOAT16_RTOL = 2.0**-6


def with_digest(case: Case) -> Case:
    """The case with the digest of everything that is judged: not of its name, identity or place."""
    return replace(case, digest=digest(_digest_parts(case)))


def suite_judge(rtol: float, atol: float, outputs: Sequence[Value | None]) -> SuiteJudge:
    """The runner's rule. Where bfloat16 stands next to other outputs, the judge widens `rtol` for it alone."""
    present = [array for value in outputs for array in tensors_of(value)]
    if present and all(array.dtype.name == "bfloat16" for array in present):
        rtol = max(rtol, _BFLOAT16_RTOL)
    return SuiteJudge(rtol, atol)


def tolerance_judge(
    version: SpecVersion, entry: FunctionEntry, bindings: Mapping[str, str], scale: float
) -> ToleranceJudge:
    """Ours, whole for the types that the outputs have."""
    found = {split_type(resolve_type(bindings, output.type))[1] for output in entry.outputs}
    names = sorted(DEFAULT_TOLERANCES if ANY in found else found)
    own = {
        runtime: _whole(tolerances, names)
        for runtime, tolerances in version.runtime_tolerances.items()
        if any(tolerances.get(name) != version.tolerances.get(name) for name in names)
    }
    return ToleranceJudge(_whole(version.tolerances, names), scale, own)


def _whole(tolerances: Mapping[str, Tolerance], names: Sequence[str]) -> dict[str, Tolerance]:
    return {name: tolerances.get(name, DEFAULT_TOLERANCES[name]) for name in names}


def case_on(case: Case, runtime: str) -> Case:
    """The case as one runtime is judged by it, with a digest that no other runtime's tolerance is part of."""
    judge = judge_on(case.judge, runtime)
    return case if judge is case.judge else with_digest(replace(case, judge=judge))


def row_judge(version: SpecVersion, entry: FunctionEntry, row: VectorRow, bindings: Mapping[str, str]) -> Judge:
    """What the row says of random outputs; otherwise ours."""
    if row.random is not None:
        return RandomJudge(row.random.values, row.random.mean, row.random.within)
    return tolerance_judge(version, entry, bindings, row.scale)


def expected_from_oracle(answer: Array, target: ElementType) -> Expected:
    """The oracle's answer, rounded once to the output's type. Raises NotRepresentable where it cannot be."""
    kind = answer.dtype.kind
    if target.is_float and kind in "fiu":
        exact = answer.astype(np.float64)
        return Expected(round_floats(exact, target), exact)
    if target.is_integer and kind in "fiu":
        return Expected(truncate_to_integers(answer, target))
    if target.kind == "complex" and kind in "fiuc":
        wide = answer.astype(np.complex128)
        with np.errstate(over="ignore", under="ignore"):
            return Expected(wide.astype(DTYPES[target]), wide)
    if (target.kind == "bool" and kind == "b") or (target.kind == "string" and kind == "O"):
        return Expected(answer)
    raise NotRepresentable(f"{answer.dtype} where {target.name} is wanted")


def magnitude(case: Case) -> float | None:
    """The largest finite number that goes into a call or comes out of it; None where what comes out is not known."""
    if case.expected is None:
        return None
    numbers = [array for value in case.inputs for array in tensors_of(value)]
    numbers += [
        part.array if part.exact is None else part.exact for answer in case.expected for part in parts_of(answer)
    ]
    floats = (value for value in case.attributes.values() if isinstance(value, float))
    return max((*map(abs, filter(isfinite, floats)), *map(_largest, numbers)), default=0.0)


def _largest(array: Array) -> float:
    if array.dtype.kind in "OSUb" or not array.size:
        return 0.0
    with np.errstate(invalid="ignore"):  # as a signalling nan is
        wide = np.abs(array.astype(np.complex128 if array.dtype.kind == "c" else np.float64))
    return float(np.max(wide, where=np.isfinite(wide), initial=0.0))


def output_elements(entry: FunctionEntry, bindings: Mapping[str, str]) -> list[ElementType]:
    return [element(resolve_type(bindings, output.type)) for output in entry.outputs]


def _digest_parts(case: Case) -> Iterator[bytes]:
    yield b"case/1"
    yield repr(sorted(case.bindings.items())).encode()
    for name in sorted(case.attributes):
        yield name.encode()
        yield attribute_bytes(case.attributes[name])
    for value in case.inputs:
        yield b"input"
        if value is not None:
            yield from value_digest_parts(value)
    yield b"unknown" if case.expected is None else b"known"
    for expected in case.expected or ():
        if expected is None:
            yield b"hole"
            continue
        if isinstance(expected, ExpectedItems):
            yield sequence_mark(expected.kind, len(expected.items))
        for part in parts_of(expected):
            yield from array_digest_parts(part.array)
            if part.exact is not None:
                yield from array_digest_parts(part.exact)
    yield _judge_text(case.judge).encode()
    yield case.error.encode()
    if case.shapes:
        yield repr(("shapes", case.shapes)).encode()


def _judge_text(judge: Judge) -> str:
    if isinstance(judge, RandomJudge):
        return repr(("random", judge.values, judge.mean, judge.within))
    if isinstance(judge, SuiteJudge):
        return repr(("suite", judge.rtol, judge.atol))
    own = {name: _limits(tolerances) for name, tolerances in sorted(judge.by_runtime.items())}
    return repr(("tolerance", _limits(judge.tolerances), judge.scale, *([own] if own else [])))


def _limits(tolerances: Mapping[str, Tolerance]) -> list[tuple[str, float, float]]:
    return [(name, item.ulp, item.absolute) for name, item in sorted(tolerances.items())]
