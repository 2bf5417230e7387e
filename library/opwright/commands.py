"""The commands `attach`, `inspect`, `detach`, `polyfill` and `decompile`. They need onnx alone: to build is no need."""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from opwright.bundle.read import find_bundle
from opwright.command_parser import OnceParser
from opwright.decompiler import decompile_command as decompile
from opwright.diagnostics import Diagnostic, DiagnosticError, Severity, has_errors, render
from opwright.diagnostics.exits import Exit
from opwright.downlevel import polyfill_command as polyfill
from opwright.graphs.ids import FunctionId
from opwright.graphs.model_file import read_model, write_model
from opwright.link.apply import Attached, attach_libraries
from opwright.link.detach import detach_libraries
from opwright.link.inspect import FunctionReport, State, inspect
from opwright.link.profile import Profile

COMMANDS = ("attach", "inspect", "detach", "polyfill", "decompile")

_USAGE_CODES = frozenset({"OW510", "OW518", "OW550", "OW584"})  # a file that is not there, a target that makes no sense
_INFRASTRUCTURE_CODES = frozenset({"OW572"})


def main(arguments: Sequence[str], beside: Sequence[str] = ()) -> int:
    """Runs one of `COMMANDS`, its name first among the arguments; returns the exit status.

    Installed libraries are looked for on the import path and in the folders `beside`.

    Results go to stdout, findings to stderr. What is wrong with the command line itself ends in SystemExit(2), as
    argparse does it.
    """
    parser, _ = _parsers()
    options = parser.parse_args(arguments)
    options.beside = beside
    if getattr(options, "sha256", None) and len(options.sha256) != len(options.library):
        parser.error(f"{_count(len(options.library), '--library')} and {len(options.sha256)} --sha256")
    run: Callable[[argparse.Namespace], int] = options.run
    try:
        return run(options)
    except DiagnosticError as error:
        _show(error.diagnostics)
        return _status(error.diagnostics)


def command_parsers() -> Mapping[str, argparse.ArgumentParser]:
    """The parser of each of `COMMANDS`, for those who tell what options there are."""
    return _parsers()[1]


def _parsers() -> tuple[argparse.ArgumentParser, Mapping[str, argparse.ArgumentParser]]:
    """The parser of the command line, and those of its commands by name."""
    parser = OnceParser(prog="opwright", allow_abbrev=False)
    commands = parser.add_subparsers(required=True, metavar="command")

    attach = commands.add_parser(
        "attach", allow_abbrev=False, help="add the functions that a model's nodes call", description=_ATTACH
    )
    attach.add_argument("model", type=Path)
    attach.add_argument("--library", action="append", required=True, metavar="X", help=_LIBRARY)
    attach.add_argument("--sha256", action="append", default=[], type=_digest, metavar="HEX", help=_SHA256)
    attach.add_argument("--replace", action="store_true", help="serve the standard's own operators too")
    attach.add_argument("--inline", action="store_true", help="put nodes in place of functions")
    attach.add_argument("--profile", choices=[item.value for item in Profile], default="portable", help=_PROFILE)
    attach.add_argument("--portable", dest="profile", action="store_const", const="portable", help=argparse.SUPPRESS)
    attach.add_argument("-o", "--output", type=Path, required=True, metavar="FILE")
    attach.set_defaults(run=_run_attach)

    look = commands.add_parser(
        "inspect", allow_abbrev=False, help="say where a model's functions came from", description=_INSPECT
    )
    look.add_argument("model", type=Path)
    look.add_argument("--library", action="append", default=[], metavar="X", help=f"compare with {_LIBRARY}")
    look.add_argument("--json", action="store_true", help="one object a line for each function")
    look.set_defaults(run=_run_inspect)

    detach = commands.add_parser(
        "detach", allow_abbrev=False, help="take attached functions out again", description=_DETACH
    )
    detach.add_argument("model", type=Path)
    detach.add_argument("-o", "--output", type=Path, required=True, metavar="FILE")
    detach.set_defaults(run=_run_detach)

    older = commands.add_parser("polyfill", allow_abbrev=False, help="rewrite a model for an older opset or runtime")
    polyfill.add_arguments(older)
    older.set_defaults(run=_run_polyfill)

    back = commands.add_parser("decompile", allow_abbrev=False, help="write a model as ONNX Script")
    decompile.add_arguments(back)
    back.set_defaults(run=_run_decompile)
    return parser, commands.choices


_LIBRARY = "a .onnxlib file or an installed library; may be repeated"
_SHA256 = "the digest that the library's file must have; one for each --library, in their order"
_PROFILE = """how variants are told apart: by name (portable, the default), or by overload (IR 10, onnxruntime 1.27 and
later; other tools ignore overloads)"""
_ATTACH = """Writes the model with the functions that its nodes of the libraries' domains need, for the model's own
opset. The result is judged by onnx.checker and, where it is installed, loaded on onnxruntime."""
_INSPECT = """Recomputes the digest of every function and compares it with the one on record. Exit status 1 when a
function was altered."""
_DETACH = """Writes the model as it was before libraries were attached to it."""


def _digest(text: str) -> str:
    """A sha256 as it is written on the command line."""
    if not re.fullmatch(r"[0-9a-fA-F]{64}", text):
        raise argparse.ArgumentTypeError(f"{text[:80]!r} is no sha256: 64 hexadecimal digits")
    return text.lower()


def _run_attach(options: argparse.Namespace) -> int:
    model = read_model(options.model)
    libraries = [
        find_bundle(name, options.beside, digest)
        for name, digest in zip(options.library, options.sha256 or [""] * len(options.library), strict=True)
    ]
    done = attach_libraries(
        model,
        libraries,
        replace=options.replace,
        inline=options.inline,
        profile=Profile(options.profile),
        file=options.model.as_posix(),
    )
    write_model(done.model, options.output, options.model)
    _show(done.diagnostics)
    for line in _attached_lines(done, options, model.ir_version):
        print(line)
    return Exit.GOOD


def _attached_lines(done: Attached, options: argparse.Namespace, ir_version: int) -> Iterable[str]:
    for identity, count in done.served:
        yield f"{identity}: {_count(count, 'node')}"
    added = "inlined" if options.inline else f"{_count(len(done.functions), 'function')} added"
    total = sum(count for _, count in done.served)
    changes = f", IR version {ir_version} -> {done.model.ir_version}" if done.model.ir_version != ir_version else ""
    yield f"wrote {options.output}: {_count(total, 'node')} served, {added}{changes}"


def _run_inspect(options: argparse.Namespace) -> int:
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
    name = _id_text((report.domain, report.name, report.overload))
    origin = f"{report.identity} of {report.library} {report.release}" if report.identity else "of no known library"
    return f"{name}: {report.state.value}, {origin}, {_count(report.calls, 'call')}"


def _run_detach(options: argparse.Namespace) -> int:
    model = read_model(options.model)
    done = detach_libraries(model, file=options.model.as_posix())
    write_model(done.model, options.output, options.model)
    _show(done.diagnostics)
    for identity in done.functions:
        print(f"removed {_id_text(identity)}")
    print(f"wrote {options.output}: {_count(done.restored, 'node')} restored")
    return Exit.GOOD


def _run_polyfill(options: argparse.Namespace) -> int:
    try:
        written = polyfill.run(options)
    except DiagnosticError as error:
        if options.json:
            for line in polyfill.failed_lines(error.diagnostics, _status(error.diagnostics)):
                print(line)
            return _status(error.diagnostics)
        raise
    if not options.json:
        _show(written.done.diagnostics)
    for line in polyfill.json_lines(written) if options.json else polyfill.text_lines(written):
        print(line)
    return Exit.GOOD


def _run_decompile(options: argparse.Namespace) -> int:
    for line in decompile.run(options, _show):
        print(line)
    return Exit.GOOD


def _id_text(identity: FunctionId) -> str:
    domain, name, overload = identity
    return f"{domain}::{name}" + (f" [{overload}]" if overload else "")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _show(diagnostics: Iterable[Diagnostic]) -> None:
    found = tuple(diagnostics)
    if found:
        color = sys.stderr.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        sys.stderr.write(render(found, lambda _: None, color))


def _status(diagnostics: Sequence[Diagnostic]) -> int:
    codes = {item.code for item in diagnostics if item.severity is Severity.ERROR}
    if not has_errors(diagnostics):
        return Exit.GOOD
    if codes & _USAGE_CODES:
        return Exit.USAGE
    return Exit.INFRASTRUCTURE if codes & _INFRASTRUCTURE_CODES else Exit.FINDINGS
