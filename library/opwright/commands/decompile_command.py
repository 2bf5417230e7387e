"""`opwright decompile`."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from opwright.bundle.format import SUFFIX
from opwright.bundle.read import read_bundle_file
from opwright.commands.command_output import show_findings
from opwright.commands.model_jobs import STREAM, Job, file_or_stream, tell
from opwright.decompiler.decompile import decompile
from opwright.decompiler.modules import Decompiled, newest_of
from opwright.decompiler.recompile_check import check_functions, check_model
from opwright.decompiler.refuse import refuse
from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError
from opwright.diagnostics.exits import Exit
from opwright.link.exported import functions_at

DESCRIPTION = """Writes a model, or the functions of a library, as ONNX Script: text that the compiler makes the same
model of again. Large tensors go to a .npz file next to it."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "model", type=file_or_stream, help="a .onnx or a .onnxlib file, or - for a model from standard input"
    )
    parser.add_argument("--faithful", action="store_true", help="keep every node, at the cost of readability")
    parser.add_argument(
        "--check", action="store_true", help="compile the text, and compare the model with the one given"
    )
    parser.add_argument(
        "-o", "--output", type=file_or_stream, metavar="FILE", help="by default the text goes to stdout, as with -"
    )


def run(options: argparse.Namespace) -> int:
    output = None if options.output == STREAM else options.output
    tell(_done_lines(options.model, output, options.faithful, options.check), output)
    return Exit.GOOD


def _done_lines(source: Path, output: Path | None, faithful: bool, check: bool) -> Iterator[str]:
    """The lines for stdout, after the warnings. Raises DiagnosticError; nothing is written then."""
    made, findings = decompile_file(source, faithful, check)
    show_findings(findings)
    if output is None:
        if made.arrays:
            reason = f"it has {len(made.arrays)} large tensors, which belong into a file of their own"
            raise refuse(f"{source} needs a file for its text", reason, "give one with -o")
        yield made.text.rstrip("\n")
        return
    try:
        written = made.write(output)
    except OSError as error:
        reason = error.strerror or str(error)
        raise DiagnosticError([Diagnostic("OW572", f"cannot write {output}", reason=reason)]) from None
    yield f"wrote {', '.join(path.as_posix() for path in written)}"


def decompile_file(source: Path, faithful: bool, check: bool = False) -> tuple[Decompiled, list[Diagnostic]]:
    """A file as a module, with the warnings of the check where there is one. Raises DiagnosticError."""
    if source.suffix == SUFFIX:
        bundle = read_bundle_file(source)
        made = decompile(bundle, faithful=faithful)
        if check:
            check_functions(made, functions_at(bundle, newest_of(bundle)))
        return made, []
    job = Job(source)
    model = job.read(leave_weights=False)
    folder = None if source == STREAM else source.parent
    made = decompile(model, faithful=faithful, folder=folder, file=job.file)
    return made, list(check_model(made, model if source == STREAM else source)) if check else []
