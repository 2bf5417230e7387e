"""`opwright inspect`."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path

from opwright.bundle.read import find_bundle
from opwright.commands.command_output import counted, written_id
from opwright.diagnostics.exits import Exit
from opwright.graphs.model_file import read_model
from opwright.link.inspect import FunctionReport, State, inspect

DESCRIPTION = """Recomputes the digest of every function and compares it with the one on record. Exit status 1 when a
function was altered."""
_LIBRARY = "compare with a .onnxlib file or an installed library; may be repeated"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", type=Path)
    parser.add_argument("--library", action="append", default=[], metavar="X", help=_LIBRARY)
    parser.add_argument("--json", action="store_true", help="one object a line for each function")


def run(options: argparse.Namespace) -> int:
    model = read_model(options.model)
    reports = inspect(model, [find_bundle(name, options.beside) for name in options.library], options.model.as_posix())
    for report in reports:
        print(json.dumps(_as_json(report)) if options.json else _as_line(report))
    if not reports and not options.json:
        print("the model has no functions")
    return Exit.FINDINGS if any(report.state is State.ALTERED for report in reports) else Exit.GOOD


def _as_json(report: FunctionReport) -> dict[str, object]:
    return {"schema": "opwright.inspect/1", **asdict(report), "state": report.state.value}


def _as_line(report: FunctionReport) -> str:
    name = written_id((report.domain, report.name, report.overload))
    origin = f"{report.identity} of {report.library} {report.release}" if report.identity else "of no known library"
    return f"{name}: {report.state.value}, {origin}, {counted(report.calls, 'call')}"
