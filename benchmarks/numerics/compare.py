"""The functions of a library beside the standard's own bodies: one measurement for each function and type."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from onnx import GraphProto
from opwright.bundle.format import Bundle, FunctionEntry
from opwright.diagnostics.diagnostic import Place
from opwright.elements import element
from opwright_build.spec.confine import LibraryFiles
from opwright_build.spec.model import SpecVersion
from opwright_build.verify.case_model import Array, Case, Expected, SuiteJudge
from opwright_build.verify.cases.bindings import bind, input_entries, resolve_type, type_attribute
from opwright_build.verify.cases.making import output_elements
from opwright_build.verify.cases.oracle import Limits, Oracle
from opwright_build.verify.cases.references import ReferenceCall, References, Unanswered
from opwright_build.verify.dtypes import element_of
from opwright_build.verify.facts.numerics import Measured, Row

from benchmarks.numerics.calls import Answers, Caller, NoComparison
from benchmarks.numerics.errors import Errors, compare, deviation
from benchmarks.numerics.grids import GRIDS, Grid
from benchmarks.numerics.points import Points

KINDS = ("float", "float16")
LIMITS = Limits(wall=300.0, cpu=280, memory=8 << 30)  # a million points cost an oracle more than a row does


@dataclass(slots=True)
class Measurement:
    """What the calls of one function and type came to."""

    ours: Errors = field(default_factory=Errors)
    standard: Errors = field(default_factory=Errors)
    elements: int = 0
    calls: int = 0
    refused: int = 0
    nodes: tuple[int, int] = (0, 0)
    runtimes: frozenset[str] = frozenset()
    opsets: frozenset[int] = frozenset()


class Comparison:
    """Compares versions of one library; asks the oracle of each spec."""

    def __init__(self, root: Path, bundle: Bundle, oracle: Oracle) -> None:
        self._root = root
        self._references = References(LibraryFiles(root), oracle)
        self._caller = Caller(bundle)

    def rows(self, version: SpecVersion, entry: FunctionEntry, edges: Sequence[Case]) -> Iterator[Row]:
        """A row for each type of `KINDS` that the version declares and the grid and vectors reach."""
        declared = {kind for _, kinds in entry.types for kind in kinds} | {item.type for item in entry.inputs}
        for kind in KINDS:
            if kind not in declared:
                continue
            cases = [*_grid_cases(entry, kind), *(case for case in edges if _kind(entry, case) == kind)]
            measured = Measurement()
            for case in cases:
                self._add(version, entry, case, measured)
            if measured.calls:
                yield _row(entry, kind, measured)

    def _add(self, version: SpecVersion, entry: FunctionEntry, case: Case, measured: Measurement) -> None:
        folder = version.folder.relative_to(self._root).as_posix()
        assert version.reference_file is not None
        file, name = version.reference_file, version.reference_name
        path = f"{folder}/{file}"
        if self._references.check(folder, file, name):
            raise ValueError(f"{path} cannot be asked")
        what = f"the call {case.name}"
        call = ReferenceCall(path, name, entry, case.bindings, case.inputs, case.attributes, what)
        try:
            exact = self._references.expect(call)
            answers = self._caller.call(entry, case)
        except (Unanswered, NoComparison) as why:
            print(f"  {entry.identity} {case.name}: {why}", file=sys.stderr)
            measured.refused += 1
            return
        _tally(entry, case, exact, answers, measured)


def edges_of(cases: Sequence[Case], identity: str) -> list[Case]:
    """The vectors of a version that expect values; without those that give it graphs, which no oracle runs."""
    return [case for case in cases if case.identity == identity and not case.error and not _has_graphs(case)]


def _has_graphs(case: Case) -> bool:
    return any(isinstance(value, GraphProto) for value in case.attributes.values())


def _tally(
    entry: FunctionEntry, case: Case, exact: Sequence[Expected], answers: Answers, measured: Measurement
) -> None:
    targets = output_elements(entry, case.bindings)
    given = len(answers.standard)  # it may leave out the last outputs
    for place, (expected, target) in enumerate(zip(exact[:given], targets, strict=False)):
        if target.kind == "string":
            continue
        mine, theirs = _output(answers.ours, place), _output(answers.standard, place)
        ours, standard = compare(deviation(expected, mine, target), deviation(expected, theirs, target))
        if _worse(ours, standard):
            print(f"  {entry.identity} {case.name} [{place}]: {ours} beside {standard}", file=sys.stderr)
        measured.ours = measured.ours.joined(ours)
        measured.standard = measured.standard.joined(standard)
        measured.elements += expected.array.size
    measured.calls += 1
    measured.nodes = max(measured.nodes[0], answers.nodes[0]), max(measured.nodes[1], answers.nodes[1])
    measured.runtimes |= {answers.runtime}
    measured.opsets |= frozenset(answers.opsets)


def _worse(ours: Errors, standard: Errors) -> bool:
    return ours.lost > standard.lost or ours.ulp > 1.1 * standard.ulp or ours.absolute > 1.1 * standard.absolute


def _output(outputs: Sequence[Array] | None, place: int) -> Array | None:
    return None if outputs is None else outputs[place]


def _row(entry: FunctionEntry, kind: str, measured: Measurement) -> Row:
    ours, standard = (
        Measured(found.absolute, found.ulp, found.lost, nodes)
        for found, nodes in zip((measured.ours, measured.standard), measured.nodes, strict=True)
    )
    runtimes = tuple(sorted(measured.runtimes))
    return Row(
        entry.identity,
        kind,
        runtimes,
        tuple(sorted(measured.opsets)),
        measured.calls,
        measured.refused,
        measured.elements,
        ours,
        standard,
    )


def _grid_cases(entry: FunctionEntry, kind: str) -> Iterator[Case]:
    for place, grid in enumerate(GRIDS.get(entry.name, ())):
        inputs = grid.inputs(Points(kind))
        yield _case(entry, kind, grid, f"grid {place} ({grid.says})", inputs)


def _case(entry: FunctionEntry, kind: str, grid: Grid, name: str, inputs: tuple[Array | None, ...]) -> Case:
    attributes = dict(grid.attributes)
    kinds = [None if array is None else element_of(array).name for array in inputs]
    bindings = bind(entry, kinds, ())
    decided = type_attribute(entry)
    if decided is not None and kind in dict(entry.types)[decided[0]]:
        attributes[decided[1].name] = element(kind).code
        bindings[decided[0]] = kind
    return Case(entry.identity, name, bindings, inputs, attributes, None, SuiteJudge(0.0, 0.0), Place(""), "")


def _kind(entry: FunctionEntry, case: Case) -> str:
    """The floating-point type that a call is about: its first such input's, else its output's."""
    declared = input_entries(entry, len(case.inputs))
    pairs = zip(declared, case.inputs, strict=True)
    given = [resolve_type(case.bindings, item.type) for item, array in pairs if array is not None]
    kinds = [*given, *(resolve_type(case.bindings, output.type) for output in entry.outputs)]
    return next((kind for kind in kinds if element(kind).is_float), "")
