"""`opwright polyfill`."""

from __future__ import annotations

import argparse
from functools import partial

from opwright.commands.json_lines import JsonLines
from opwright.commands.model_jobs import add_inputs, add_outputs
from opwright.commands.rewriting import Rewriting, run_rewriting
from opwright.downlevel.rewrite import DEFAULT_LIBRARY, choose_target

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


def run(options: argparse.Namespace) -> int:
    return run_rewriting(
        options,
        Rewriting(
            LINES,
            partial(choose_target, options.opset, options.runtime),
            lambda item: {"older_version": item.version},
            (DEFAULT_LIBRARY,),
            options.inline,
        ),
    )
