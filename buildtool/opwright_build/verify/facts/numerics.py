"""`specs/numerics.yaml`: how exact the bodies of a library are, and the standard's own of the same operators.

A measurement, not a promise: tolerances in specs are promises. `nox -s numerics` writes the file; pages about
functions show it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from opwright.diagnostics.diagnostic import Diagnostic

from opwright_build.spec.boundary import check
from opwright_build.spec.verification_model import MeasuredModel, NumericsModel
from opwright_build.spec.yaml_scalars import quoted
from opwright_build.spec.yaml_source import read_yaml

FILE = "specs/numerics.yaml"
BUDGET = 1.1  # ours may be this much worse
_HEADER = """\
# How exact the bodies are beside those of the standard. Measured, not written by hand.
# `abs` and `ulp`: largest errors over the elements that neither body loses; `lost`: finite values that came out as
# infinite or not a number, and the other way round; `nodes`: of the largest body that was called, constants left out.
"""


@dataclass(frozen=True, slots=True)
class Measured:
    """Largest errors, absolute and in units in the last place; elements lost; nodes of the body."""

    absolute: float
    ulp: float
    lost: int
    nodes: int


@dataclass(frozen=True, slots=True)
class Row:
    """One function (`domain::Name@since_version`) and element type; both bodies made the same `calls`.

    `refused` are the vectors for which the standard has no body, or none that runs.
    """

    function: str
    type: str
    runtimes: tuple[str, ...]
    opsets: tuple[int, ...]
    calls: int
    refused: int
    elements: int
    ours: Measured
    standard: Measured

    @property
    def over_budget(self) -> list[str]:
        """Of what ours has more than `BUDGET` times the standard's; loses may not be more at all."""
        broken = ["lost"] if self.ours.lost > self.standard.lost else []
        broken += ["abs"] if self.ours.absolute > BUDGET * self.standard.absolute else []
        return broken + (["ulp"] if self.ours.ulp > BUDGET * self.standard.ulp else [])


@dataclass(frozen=True, slots=True)
class Note:
    """What was compared of a function whose results have no exact values."""

    function: str
    text: str


@dataclass(frozen=True, slots=True)
class Numerics:
    """`measured_with` maps distributions to their versions."""

    measured_with: Mapping[str, str]
    rows: tuple[Row, ...]
    notes: tuple[Note, ...]


@dataclass(frozen=True, slots=True)
class NumericsFile:
    numerics: Numerics
    diagnostics: tuple[Diagnostic, ...] = ()


def read_numerics(data: bytes, file: str = FILE) -> NumericsFile:
    """What the file says; anything wrong with it as diagnostics at their places."""
    source = read_yaml(data, file)
    nothing = Numerics({}, (), ())
    if source.root is None:
        return NumericsFile(nothing, source.diagnostics)
    checked = check(NumericsModel, source.root)
    diagnostics = (*source.diagnostics, *checked.diagnostics)
    if checked.value is None:
        return NumericsFile(nothing, diagnostics)
    rows = tuple(
        Row(
            row.function,
            row.type,
            tuple(row.runtimes),
            tuple(row.opsets),
            row.calls,
            row.refused,
            row.elements,
            _measured(row.ours),
            _measured(row.standard),
        )
        for row in checked.value.rows
    )
    notes = tuple(Note(note.function, note.text) for note in checked.value.notes)
    return NumericsFile(Numerics(checked.value.measured_with, rows, notes), diagnostics)


def write_numerics(numerics: Numerics) -> str:
    """The text of the file, a row a line, sorted."""
    versions = ", ".join(f'{name}: "{version}"' for name, version in sorted(numerics.measured_with.items()))
    lines = [_HEADER, "schema: 1\n", f"measured_with: {{{versions}}}\n"]
    rows = sorted(numerics.rows, key=lambda row: (row.function, row.type))
    lines.append("rows:\n" if rows else "rows: []\n")
    lines += [_row_text(row) for row in rows]
    notes = sorted(numerics.notes, key=lambda note: note.function)
    lines.append("notes:\n" if notes else "notes: []\n")
    lines += [f'  - {{function: "{note.function}", text: {quoted(note.text)}}}\n' for note in notes]
    return "".join(lines)


def joined(old: Numerics, rows: Iterable[Row], notes: Iterable[Note], functions: Iterable[str]) -> Numerics:
    """`old` with what was measured again in its place; `functions` are all that were measured."""
    again = set(functions)
    kept = [row for row in old.rows if row.function not in again]
    others = [note for note in old.notes if note.function not in again]
    return Numerics(old.measured_with, (*kept, *rows), (*others, *notes))


def _measured(model: MeasuredModel) -> Measured:
    return Measured(model.abs, model.ulp, model.lost, model.nodes)


def _row_text(row: Row) -> str:
    runtimes, opsets = ", ".join(row.runtimes), ", ".join(map(str, row.opsets))
    made = f"calls: {row.calls}, refused: {row.refused}, elements: {row.elements}"
    return (
        f'  - {{function: "{row.function}", type: {row.type}, runtimes: [{runtimes}], opsets: [{opsets}], {made}, '
        f"ours: {_written(row.ours)}, standard: {_written(row.standard)}}}\n"
    )


def _written(measured: Measured) -> str:
    errors = f"abs: {_digits(measured.absolute)}, ulp: {_digits(measured.ulp)}"
    return f"{{{errors}, lost: {measured.lost}, nodes: {measured.nodes}}}"


def _digits(value: float) -> str:
    """Three digits: more say nothing."""
    text = f"{value:.3g}"
    return f"{float(text)!r}"
