"""`opwright opsets`: which body serves which opset, and what prevents the others."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from opwright_build.report.console import Console
from opwright_build.report.reporter import Reporter
from opwright_build.report.tables import text_table
from opwright_build.workflow.library import TABLE, build_library
from opwright_build.workflow.select import select_identities
from opwright_build.workflow.session import Options, Session
from opwright_build.workflow.task import on_library, only_findings

SCHEMA = "opwright.opsets/1"
DIGITS = 8  # of a body's digest in the table


def show_opsets(
    path: Path, name: str | None, console: Console, reporter: Reporter, options: Options, as_json: bool
) -> int:
    """Prints the table for the library around `path`, or for the function called `name`."""

    def task(session: Session) -> int:
        library = build_library(session)
        if not library.good:
            return only_findings(session, library.diagnostics)
        rows = json.loads(session.engine.fetch(library.result, TABLE))
        if name is not None:
            wanted = set(select_identities(name, dict.fromkeys(_identity(row) for row in rows)))
            rows = [row for row in rows if _identity(row) in wanted]
        if as_json:
            for row in rows:
                console.result(json.dumps({"schema": SCHEMA, **row}))
        else:
            console.result(opsets_text(rows))
        return only_findings(session, library.diagnostics)

    return on_library(path, reporter, options, task)


def opsets_text(rows: Sequence[Mapping[str, Any]]) -> str:
    """The table function x opset, a line for each variant, and below it what prevents the opsets that have a `-`."""
    opsets = sorted({row["opset"] for row in rows})
    served: dict[tuple[str, str], dict[int, str]] = {}
    for row in rows:
        if row["body"] is not None:
            variant = ",".join(f"{axis}={value}" for axis, value in row["variant"].items())
            served.setdefault((_identity(row), variant), {})[row["opset"]] = _short(row["body"])
    head = ["function", "variant", *map(str, opsets)]
    table = [
        [identity, variant, *(found.get(opset, "-") for opset in opsets)]
        for (identity, variant), found in served.items()
    ]
    lines = [text_table(head, table)] if table else []
    return "\n".join([*lines, *_prevented(rows)])


def _prevented(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    reasons: dict[tuple[str, str, str, str], list[int]] = {}
    for row in rows:
        if row["body"] is None:
            reasons.setdefault((_identity(row), row["place"], row["operator"], row["reason"]), []).append(row["opset"])
    lines = [
        f"{identity} at {_ranges(opsets)}: {operator} at {place}: {reason}"
        for (identity, place, operator, reason), opsets in reasons.items()
    ]
    return ["", *lines] if lines else []


def _ranges(opsets: Sequence[int]) -> str:
    """`13-15,17`."""
    spans: list[list[int]] = []
    for opset in sorted(opsets):
        if spans and spans[-1][1] == opset - 1:
            spans[-1][1] = opset
        else:
            spans.append([opset, opset])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in spans)


def _identity(row: Mapping[str, Any]) -> str:
    return f"{row['domain']}::{row['name']}@{row['since_version']}"


def _short(body: str) -> str:
    return body.partition(":")[2][:DIGITS]
