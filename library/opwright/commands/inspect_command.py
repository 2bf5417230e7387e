"""`opwright inspect`."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict

from opwright.bundle.read import find_bundle
from opwright.commands.command_output import counted, written_id
from opwright.commands.model_jobs import Job, add_inputs, jobs_to_read, run_jobs
from opwright.diagnostics.exits import Exit
from opwright.link.inspect import FunctionReport, State, inspect

DESCRIPTION = """Recomputes the digest of every function and compares it with the one on record. Exit status 1 when a
function was altered."""
_LIBRARY = "compare with a .onnxlib file or an installed library; may be repeated"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_inputs(parser)
    parser.add_argument("--library", action="append", default=[], metavar="X", help=_LIBRARY)
    parser.add_argument("--json", action="store_true", help="one object a line for each function")


def run(options: argparse.Namespace) -> int:
    libraries = [find_bundle(name, options.beside) for name in options.library]

    def report_on(job: Job) -> int:
        reports = inspect(job.read(), libraries, job.file)
        if options.json:
            job.tell(json.dumps(_as_json(report, job.file)) for report in reports)
        else:
            lines = [_as_line(report) for report in reports] or ["the model has no functions"]
            job.tell(lines if job.alone else (f"{job.file}: {line}" for line in lines))
        return Exit.FINDINGS if any(report.state is State.ALTERED for report in reports) else Exit.GOOD

    return run_jobs(jobs_to_read(options), report_on)


def _as_json(report: FunctionReport, file: str) -> dict[str, object]:
    return {"schema": "opwright.inspect/1", "model": file, **asdict(report), "state": report.state.value}


def _as_line(report: FunctionReport) -> str:
    name = written_id((report.domain, report.name, report.overload))
    origin = f"{report.identity} of {report.library} {report.release}" if report.identity else "of no known library"
    return f"{name}: {report.state.value}, {origin}, {counted(report.calls, 'call')}"
