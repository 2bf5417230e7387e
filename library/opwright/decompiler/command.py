"""The command `decompile`; `opwright.link.command` runs it."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from opwright.bundle.format import SUFFIX
from opwright.bundle.read import read_bundle_file
from opwright.decompiler.decompile import decompile
from opwright.decompiler.modules import Decompiled
from opwright.decompiler.refuse import refuse
from opwright.diagnostics.model import Diagnostic, DiagnosticError
from opwright.link.model_file import read_model, refuse_broken_text

_DESCRIPTION = """Writes a model, or the functions of a library, as ONNX Script: text that the compiler makes the same
model of again. Large tensors go to a .npz file beside it."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the command line on a parser that was made for it."""
    parser.description = _DESCRIPTION
    parser.add_argument("model", type=Path, help="a .onnx or a .onnxlib file")
    parser.add_argument("--faithful", action="store_true", help="keep every node, at the cost of readability")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="by default the text goes to stdout")


def run(options: argparse.Namespace) -> Iterator[str]:
    """Does what the command line asks for; gives the lines for stdout. Raises DiagnosticError."""
    source: Path = options.model
    output: Path | None = options.output
    side_file = (output or source).with_suffix(".npz").name
    made = decompile_file(source, side_file, options.faithful)
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


def decompile_file(source: Path, side_file: str, faithful: bool) -> Decompiled:
    """A file as a module. Raises DiagnosticError."""
    if source.suffix == SUFFIX:
        return decompile(read_bundle_file(source), side_file=side_file, faithful=faithful)
    model = read_model(source)
    refuse_broken_text(model, source.as_posix())
    return decompile(model, side_file=side_file, faithful=faithful, folder=source.parent)
