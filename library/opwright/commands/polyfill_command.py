"""`opwright polyfill`."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from opwright.bundle.read import find_bundle
from opwright.commands.command_output import counted, exit_status, show_findings
from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Severity
from opwright.diagnostics.exits import Exit
from opwright.diagnostics.findings_json import to_json
from opwright.downlevel.rewrite import DEFAULT_LIBRARY, Rewritten, choose_target, polyfill_libraries
from opwright.graphs.model_file import read_model, write_model

SCHEMA = "opwright.polyfill/1"

DESCRIPTION = """Writes the model for a consumer that takes an older opset: operators that it lacks become calls of
functions of the library, others stay where their older version computes the same. What cannot be done is listed, all of
it at once, and nothing is written then."""
_RUNTIME = "the release of onnxruntime that shall run it, as in ort==1.17; `ort` means the installed one"
_LIBRARY = f"a .onnxlib file or an installed library, {DEFAULT_LIBRARY} by default; may be repeated"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", type=Path)
    parser.add_argument("--opset", type=int, metavar="N", help="the newest opset that the consumer takes")
    parser.add_argument("--runtime", default="", metavar="X", help=_RUNTIME)
    parser.add_argument("--library", action="append", default=[], metavar="X", help=_LIBRARY)
    parser.add_argument("--inline", action="store_true", help="put nodes in place of functions")
    parser.add_argument("--json", action="store_true", help="one object a line for each node, finding and the summary")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="by default model.opsetN.onnx")


@dataclass(frozen=True, slots=True)
class _Written:
    """What was done, the file that holds it, and how long that took."""

    done: Rewritten
    output: Path
    seconds: float


def run(options: argparse.Namespace) -> int:
    try:
        written = _write(options)
    except DiagnosticError as error:
        if not options.json:
            raise
        status = exit_status(error.diagnostics)
        for line in _failed_lines(error.diagnostics, status):
            print(line)
        return status
    if not options.json:
        show_findings(written.done.diagnostics)
    for line in _json_lines(written) if options.json else _text_lines(written):
        print(line)
    return Exit.GOOD


def _write(options: argparse.Namespace) -> _Written:
    """Does what the command line asks for. Raises DiagnosticError."""
    started = monotonic()
    target = choose_target(options.opset, options.runtime)
    model = read_model(options.model)
    libraries = [find_bundle(name, options.beside) for name in options.library or [DEFAULT_LIBRARY]]
    done = polyfill_libraries(model, libraries, target, inline=options.inline, file=options.model.as_posix())
    output = options.output or options.model.with_name(f"{options.model.stem}.opset{done.opset}.onnx")
    write_model(done.model, output, options.model)
    return _Written(done, output, monotonic() - started)


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


def _json_lines(written: _Written) -> Iterator[str]:
    """An object for each node that is another one now, then findings and the summary."""
    done = written.done
    for item in done.treatments:
        yield _line(
            event="node",
            place=item.place,
            operator=item.operator,
            since_version=item.since_version,
            function=item.identity,
            older_version=item.older_version,
        )
    yield from _finding_lines(done.diagnostics)
    functions = sum(1 for item in done.treatments if item.identity)
    yield _line(
        event="summary",
        exit=0,
        **_tally(done.diagnostics),
        output=written.output.as_posix(),
        opset=done.opset,
        ir_version=done.model.ir_version,
        served=functions,
        restamped=len(done.treatments) - functions,
        functions=len(done.functions),
        inlined=done.inlined,
        seconds=round(written.seconds, 3),
    )


def _failed_lines(diagnostics: Sequence[Diagnostic], exit_status: int) -> Iterator[str]:
    """The findings and the summary of a run that wrote nothing."""
    yield from _finding_lines(diagnostics)
    yield _line(event="summary", exit=exit_status, **_tally(diagnostics))


def _finding_lines(diagnostics: Iterable[Diagnostic]) -> Iterator[str]:
    for item in diagnostics:
        yield _line(event="finding", finding=to_json(item))


def _tally(diagnostics: Iterable[Diagnostic]) -> dict[str, int]:
    found = [item.severity for item in diagnostics]
    return {"errors": found.count(Severity.ERROR), "warnings": found.count(Severity.WARNING)}


def _line(**values: object) -> str:
    return json.dumps({"schema": SCHEMA, **values})
