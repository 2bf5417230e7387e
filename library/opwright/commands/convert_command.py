"""`opwright convert`."""

from __future__ import annotations

import argparse
from functools import partial

from opwright.commands.json_lines import JsonLines
from opwright.commands.model_jobs import add_inputs, add_outputs
from opwright.commands.rewriting import Rewriting, run_rewriting
from opwright.downlevel.target import opset_alone

LINES = JsonLines("opwright.convert/1")

DESCRIPTION = """Writes the model at another opset, older or newer; it computes the same, and keeps its functions. Nodes
stay where their operator means the same there, and are rewritten where that is known to be exact. What cannot be done
is listed, all of it at once, and nothing is written then."""
_LIBRARY = "a .onnxlib file or an installed library: where functions of the model came from, or may come from"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_inputs(parser)
    parser.add_argument("--opset", type=int, required=True, metavar="N", help="the opset of the new model")
    parser.add_argument("--library", action="append", default=[], metavar="X", help=f"{_LIBRARY}; may be repeated")
    parser.add_argument("--json", action="store_true", help="one object a line for each node, finding and the summary")
    add_outputs(parser, default="model.opsetN.onnx")


def run(options: argparse.Namespace) -> int:
    return run_rewriting(
        options,
        Rewriting(
            LINES, partial(opset_alone, options.opset), lambda item: {"became": item.became, "version": item.version}
        ),
    )
