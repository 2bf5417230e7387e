"""`opwright upgrade`."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from functools import partial
from time import monotonic

from opwright.bundle.format import Bundle
from opwright.bundle.read import find_bundle
from opwright.commands.command_output import counted, exit_status, show_findings
from opwright.commands.json_lines import JsonLines
from opwright.commands.model_jobs import (
    Job,
    add_inputs,
    add_outputs,
    jobs_to_read,
    jobs_to_write,
    require_output,
    run_jobs,
    tell,
)
from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Severity
from opwright.diagnostics.exits import Exit
from opwright.link.upgrade import UpgradedFunction, plan_upgrade_libraries

Show = Callable[[Sequence[Diagnostic]], None]

LINES = JsonLines("opwright.upgrade/1")
DESCRIPTION = """Writes the model with the functions of a newer release of the libraries that were attached to it, and
says of each what becomes of it. Functions that compute something else are refused unless they are accepted."""
_LIBRARY = "a .onnxlib file or an installed library, in the release that is wanted; may be repeated"
_ACCEPT = "a function that may compute something else, as Swish or com.acme::Swish, or all; may be repeated"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_inputs(parser)
    parser.add_argument("--library", action="append", required=True, metavar="X", help=_LIBRARY)
    parser.add_argument("--accept", action="append", default=[], metavar="NAME", help=_ACCEPT)
    parser.add_argument("--dry-run", action="store_true", help="show what changes, and write nothing")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="json: one object a line")
    add_outputs(parser, required=False)


def run(options: argparse.Namespace) -> int:
    started = monotonic()
    if not options.dry_run:
        require_output(options)
    jobs = jobs_to_read(options) if options.dry_run else jobs_to_write(options, options.library)
    libraries = [find_bundle(name, options.beside) for name in options.library]
    found: list[Diagnostic] = []

    def show(diagnostics: Sequence[Diagnostic]) -> None:
        found.extend(diagnostics)
        if options.format == "json":
            tell(LINES.findings(diagnostics), options.output)
        else:
            show_findings(diagnostics)

    work = partial(_upgrade, libraries=libraries, options=options, show=show)
    if options.format == "text":
        return run_jobs(jobs, work, show)
    try:
        status = run_jobs(jobs, work, show)
    except DiagnosticError as error:
        show(error.diagnostics)
        status = exit_status(error.diagnostics)
    tell([LINES.summary(status, found, seconds=round(monotonic() - started, 3))], options.output)
    return status


def _upgrade(job: Job, libraries: Sequence[Bundle], options: argparse.Namespace, show: Show) -> int:
    plan = plan_upgrade_libraries(job.read(), libraries, accept=options.accept, file=job.file)
    job.tell(_events(job, plan.functions) if options.format == "json" else _lines(job, plan.functions))
    if plan.model is None:
        show([item for item in plan.diagnostics if item.severity is Severity.WARNING])
        raise DiagnosticError(item for item in plan.diagnostics if item.severity is Severity.ERROR)
    if job.output is not None:
        job.write(plan.model, job.output)
    show(plan.diagnostics)
    nodes = sum(len(function.nodes) for function in plan.functions)
    if options.format == "json":
        output = None if job.output is None else job.output.as_posix()
        job.tell([LINES.line(event="model", model=job.file, output=output, nodes=nodes)])
    else:
        what = f"wrote {job.output}" if job.output is not None else "nothing is written"
        job.tell([f"{what}: {counted(nodes, 'node')} attached again"])
    return Exit.GOOD


def _lines(job: Job, functions: Sequence[UpgradedFunction]) -> Iterator[str]:
    for item in functions:
        name = f"{item.identity} [{item.variant}]" if item.variant else item.identity
        releases = f"{item.library} {item.release} -> {item.new_release or 'none'}"
        change = f"{item.change.value}, accepted" if item.accepted else item.change.value
        text = f" ({item.text})" if item.text else ""
        start = "" if job.alone else f"{job.file}: "
        yield f"{start}{name}, {releases}: {change}{text}, {counted(len(item.nodes), 'node')}"


def _events(job: Job, functions: Sequence[UpgradedFunction]) -> Iterator[str]:
    for item in functions:
        yield LINES.line(event="function", model=job.file, **{**asdict(item), "change": item.change.value})
