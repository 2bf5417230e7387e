"""`opwright polyfill`."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import monotonic

from opwright.bundle.format import Bundle
from opwright.bundle.read import find_bundle
from opwright.commands.command_output import counted, exit_status, show_findings
from opwright.commands.json_lines import JsonLines
from opwright.commands.model_jobs import Job, add_inputs, add_outputs, jobs_to_write, run_jobs, tell
from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError
from opwright.diagnostics.exits import Exit
from opwright.downlevel.rewrite import DEFAULT_LIBRARY, Rewritten, choose_target, polyfill_libraries
from opwright.downlevel.target import Target

LINES = JsonLines("opwright.polyfill/1")

DESCRIPTION = """Writes the model for a consumer that takes an older opset: operators that it lacks become calls of
functions of the library, others stay where their older version computes the same. What cannot be done is listed, all of
it at once, and nothing is written then."""
_RUNTIME = "the release of onnxruntime that shall run it, as in ort==1.17; `ort` means the installed one"
_LIBRARY = f"a .onnxlib file or an installed library, {DEFAULT_LIBRARY} by default; may be repeated"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_inputs(parser)
    parser.add_argument("--opset", type=int, metavar="N", help="the newest opset that the consumer takes")
    parser.add_argument("--runtime", default="", metavar="X", help=_RUNTIME)
    parser.add_argument("--library", action="append", default=[], metavar="X", help=_LIBRARY)
    parser.add_argument("--inline", action="store_true", help="put nodes in place of functions")
    parser.add_argument("--json", action="store_true", help="one object a line for each node, finding and the summary")
    add_outputs(parser, default="model.opsetN.onnx")


@dataclass(frozen=True, slots=True)
class _Written:
    """What was done to the model of a job, and the file that holds it now."""

    job: Job
    done: Rewritten
    output: Path


def run(options: argparse.Namespace) -> int:
    started = monotonic()
    found: list[Diagnostic] = []
    written: list[_Written] = []
    print_lines = partial(tell, output=options.output)

    def show(diagnostics: Sequence[Diagnostic]) -> None:
        found.extend(diagnostics)
        if options.json:
            print_lines(LINES.findings(diagnostics))
        else:
            show_findings(diagnostics)

    def polyfill(job: Job, libraries: Sequence[Bundle], target: Target) -> int:
        done = polyfill_libraries(job.read(), libraries, target, inline=options.inline, file=job.file)
        output = job.output or job.source.with_name(f"{job.source.stem}.opset{done.opset}.onnx")
        job.write(done.model, output)
        written.append(_Written(job, done, output))
        if options.json:
            print_lines(_node_lines(written[-1]))
        show(done.diagnostics)
        print_lines([_model_line(written[-1])] if options.json else _text_lines(written[-1]))
        return Exit.GOOD

    try:
        target = choose_target(options.opset, options.runtime)
        jobs = jobs_to_write(options, options.library)
        libraries = [find_bundle(name, options.beside) for name in options.library or [DEFAULT_LIBRARY]]
        status = run_jobs(jobs, partial(polyfill, libraries=libraries, target=target), show)
    except DiagnosticError as error:
        show(error.diagnostics)
        status = exit_status(error.diagnostics)
    if options.json:
        account = _account(written[0]) if written and written[0].job.alone else {}
        seconds = {"seconds": round(monotonic() - started, 3)}
        print_lines([LINES.summary(status, found, **account, **seconds)])
    return status


def _text_lines(written: _Written) -> Iterator[str]:
    """What was done, operator by operator, then the file."""
    done = written.done
    counts: dict[str, int] = {}
    for item in done.treatments:
        how = "by the function" if item.identity else f"as of version {item.older_version}"
        what = f"{item.operator}@{item.since_version} {how}"
        counts[what] = counts.get(what, 0) + 1
    for what, count in counts.items():
        yield f"{what}: {counted(count, 'node')}"
    added = "functions inlined" if done.inlined else f"{counted(len(done.functions), 'function')} added"
    yield f"wrote {written.output}: opset {done.opset}, IR version {done.model.ir_version}, {added}"


def _node_lines(written: _Written) -> Iterator[str]:
    """An object for each node that is another one now."""
    for item in written.done.treatments:
        yield LINES.line(
            event="node",
            model=written.job.file,
            place=item.place,
            operator=item.operator,
            since_version=item.since_version,
            function=item.identity,
            older_version=item.older_version,
        )


def _model_line(written: _Written) -> str:
    return LINES.line(event="model", model=written.job.file, **_account(written))


def _account(written: _Written) -> dict[str, object]:
    """The file of the new model, and what was done to it."""
    done = written.done
    functions = sum(1 for item in done.treatments if item.identity)
    return {
        "output": written.output.as_posix(),
        "opset": done.opset,
        "ir_version": done.model.ir_version,
        "served": functions,
        "restamped": len(done.treatments) - functions,
        "functions": len(done.functions),
        "inlined": done.inlined,
    }
