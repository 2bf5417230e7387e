"""`opwright inspect`."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict

from opwright.bundle.read import find_bundle
from opwright.commands.command_output import counted, show_findings, written_id
from opwright.commands.model_jobs import Job, add_inputs, jobs_to_read, run_jobs
from opwright.diagnostics.diagnostic import Diagnostic, Place
from opwright.diagnostics.exits import Exit
from opwright.link.inspect import FunctionReport, Requirement, State, inspect

DESCRIPTION = """Recomputes the digest of every function and compares it with the one on record, and lists what nodes
call and nothing defines, with the libraries at hand that have it. Exit status 1 when the model is not what it has to
be."""
_LIBRARY = "compare with a .onnxlib file or an installed library; may be repeated"
_REQUIRE = """what the exit status says, one or several of defined (libraries or the model have all that nodes call),
unaltered (the default) and verified (each function is one that its library has verified)"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_inputs(parser)
    parser.add_argument("--library", action="append", default=[], metavar="X", help=_LIBRARY)
    parser.add_argument("--require", default="unaltered", metavar="X,...", help=_REQUIRE)
    parser.add_argument("--json", action="store_true", help="one object a line for each function")


def run(options: argparse.Namespace) -> int:
    required = _requirements(options.require)
    libraries = [find_bundle(name, options.beside) for name in options.library]

    def report_on(job: Job) -> int:
        reports = inspect(job.read(), libraries, job.file, beside=options.beside)
        if options.json:
            job.tell(json.dumps(_as_json(report, job.file)) for report in reports)
        else:
            lines = [_as_line(report) for report in reports] or ["the model has no functions"]
            job.tell(lines if job.alone else (f"{job.file}: {line}" for line in lines))
        found = [item for wanted in required for item in _against(wanted, reports, job.file)]
        show_findings(found)
        return Exit.FINDINGS if found else Exit.GOOD

    return run_jobs(jobs_to_read(options), report_on)


def _requirements(text: str) -> list[Requirement]:
    try:
        return [Requirement(word) for word in dict.fromkeys(text.split(","))]
    except ValueError:
        known = ", ".join(item.value for item in Requirement)
        raise argparse.ArgumentError(None, f"--require: {text[:80]!r} is none of {known}, by commas") from None


def _against(wanted: Requirement, reports: Sequence[FunctionReport], file: str) -> list[Diagnostic]:
    """One finding, where functions of the model are not what is wanted."""
    refused = [report for report in reports if wanted.refuses(report.state)]
    if not refused:
        return []
    named = [
        f"{written_id((item.domain, item.name, item.overload))} is {item.state.value}" for item in refused[:_SHOWN]
    ]
    more = len(refused) - len(named)
    reason = ", ".join(named) + (f" and {counted(more, 'other')}" if more else "")
    text = f"the model is not {wanted.value}: {counted(len(refused), 'function')}"
    return [Diagnostic("OW541", text, Place(file), reason, _HELP[wanted])]


_SHOWN = 5  # functions that a finding names
_HELP = {
    Requirement.DEFINED: "attach the libraries that have them (`opwright attach`)",
    Requirement.UNALTERED: "attach the library to the original model again",
    Requirement.VERIFIED: "take functions as a library has verified them, and give calls of templates a vector",
}


def _as_json(report: FunctionReport, file: str) -> dict[str, object]:
    return {"schema": "opwright.inspect/1", "model": file, **asdict(report), "state": report.state.value}


def _as_line(report: FunctionReport) -> str:
    name = written_id((report.domain, report.name, report.overload))
    if report.state is State.UNDEFINED:
        where = f"in {', '.join(report.found_in)}" if report.found_in else "in no library at hand"
        return f"{name}: undefined, {where}, {counted(report.calls, 'call')}"
    origin = f"{report.identity} of {report.library} {report.release}" if report.identity else "of no known library"
    if report.uncovered:
        origin += f" ({report.uncovered})"
    return f"{name}: {report.state.value}, {origin}, {counted(report.calls, 'call')}"
