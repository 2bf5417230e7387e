"""The command `decompile`; `opwright.commands` runs it."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from opwright.bundle.format import SUFFIX
from opwright.bundle.read import read_bundle_file
from opwright.decompiler.decompile import decompile
from opwright.decompiler.modules import Decompiled, newest_of
from opwright.decompiler.recompile_check import check_functions, check_model
from opwright.decompiler.refuse import refuse
from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError
from opwright.graphs.model_file import read_model
from opwright.link.exported import functions_at

_DESCRIPTION = """Writes a model, or the functions of a library, as ONNX Script: text that the compiler makes the same
model of again. Large tensors go to a .npz file next to it."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the command line on a parser that was made for it."""
    parser.description = _DESCRIPTION
    parser.add_argument("model", type=Path, help="a .onnx or a .onnxlib file")
    parser.add_argument("--faithful", action="store_true", help="keep every node, at the cost of readability")
    parser.add_argument(
        "--check", action="store_true", help="compile the text, and compare the model with the one given"
    )
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="by default the text goes to stdout")


def run(options: argparse.Namespace, report: Callable[[Iterable[Diagnostic]], None]) -> Iterator[str]:
    """Does what the command line asks for; gives the lines for stdout, and `report` the warnings. Raises
    DiagnosticError; nothing is written then."""
    source: Path = options.model
    output: Path | None = options.output
    made, findings = decompile_file(source, options.faithful, options.check)
    report(findings)
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
    model = read_model(source)
    made = decompile(model, faithful=faithful, folder=source.parent, file=source.as_posix())
    return made, list(check_model(made, source)) if check else []
