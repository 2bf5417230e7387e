"""`opwright opsets`: which body serves which opset, and what prevents the others."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from opwright_build.report.console import Console
from opwright_build.report.obstacles import Obstacle, identity_of, obstacles, spans
from opwright_build.report.reporter import Reporter
from opwright_build.report.tables import text_table
from opwright_build.workflow.built.library import build_library, read_rows
from opwright_build.workflow.opened.session import Options, Session
from opwright_build.workflow.opened.task import on_library, only_findings

SCHEMA = "opwright.opsets/1"
DIGITS = 8  # of a body's digest in the table


def show_opsets(path: Path, console: Console, reporter: Reporter, options: Options, as_json: bool) -> int:
    """Prints the table for the library around `path`, or for the versions that are selected."""

    def task(session: Session) -> int:
        library = build_library(session)
        if not library.good:
            return only_findings(session, library.diagnostics)
        rows = read_rows(session, library)
        rows = [row for row in rows if library.is_chosen(identity_of(row))]
        if as_json:
            for row in rows:
                console.result(json.dumps({"schema": SCHEMA, **row}))
        else:
            console.result(opsets_text(rows, each_variant=library.chosen is not None))
        return only_findings(session, library.diagnostics)

    return on_library(path, reporter, replace(options, reads_only=True), task)


def opsets_text(rows: Sequence[Mapping[str, Any]], each_variant: bool = True) -> str:
    """The table function x opset, and below it what prevents the opsets, variants and types that are missing.

    A line is a variant, or with `each_variant` false a version: its first body and how many more there are. `-` is an
    opset without a body; where nothing stands, the spec does not ask for one. Opsets at which all lines are the same
    share a column.
    """
    lines: dict[tuple[str, str], dict[int, list[str]]] = {}
    asked: dict[str, list[int]] = {}
    for row in rows:
        asked.setdefault(identity_of(row), []).append(row["opset"])
        if row["body"] is not None:
            variant = ",".join(f"{axis}={value}" for axis, value in row["variant"].items()) if each_variant else ""
            lines.setdefault((identity_of(row), variant), {}).setdefault(row["opset"], []).append(row["body"])
    table = {key: {opset: _cell(found.get(opset, ())) for opset in asked[key[0]]} for key, found in lines.items()}
    columns = _columns(sorted({row["opset"] for row in rows}), list(lines.values()), list(table.values()))
    named = 2 if each_variant else 1  # of (function, variant)
    head = [*("function", "variant")[:named], *map(spans, columns)]
    cells = [[*key[:named], *(line.get(column[0], "") for column in columns)] for key, line in table.items()]
    text = [text_table(head, cells)] if cells else []
    if any("+" in cell for line in cells for cell in line[named:]):
        text += ["", "+N: as many more variants; `opwright opsets -s NAME` shows each"]
    told = [_sentence(obstacle) for obstacle in obstacles(rows)]
    return "\n".join([*text, *([""] if told else []), *told])


def _columns(
    opsets: Sequence[int], bodies: Sequence[Mapping[int, Sequence[str]]], cells: Sequence[Mapping[int, str]]
) -> list[list[int]]:
    """Neighbouring opsets at which every line has the same bodies and shows the same."""
    columns: list[list[int]] = []
    for opset in opsets:
        before = opset - 1
        same = columns and columns[-1][-1] == before
        if same and all(line.get(before) == line.get(opset) for line in (*bodies, *cells)):
            columns[-1].append(opset)
        else:
            columns.append([opset])
    return columns


def _cell(bodies: Sequence[str]) -> str:
    if not bodies:
        return "-"
    more = f" +{len(bodies) - 1}" if len(bodies) > 1 else ""
    return bodies[0].partition(":")[2][:DIGITS] + more


def _sentence(obstacle: Obstacle) -> str:
    which = f" without {obstacle.which}" if obstacle.which else ""
    cause = f"{obstacle.operator} at {obstacle.place}" if obstacle.operator else obstacle.place
    return f"{obstacle.identity} at {spans(obstacle.opsets)}{which}: {cause}: {obstacle.reason}"
