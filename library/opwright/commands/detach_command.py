"""`opwright detach`."""

from __future__ import annotations

import argparse
from pathlib import Path

from opwright.commands.command_output import counted, show_findings, written_id
from opwright.diagnostics.exits import Exit
from opwright.graphs.model_file import read_model, write_model
from opwright.link.detach import detach_libraries

DESCRIPTION = """Writes the model as it was before libraries were attached to it."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE")


def run(options: argparse.Namespace) -> int:
    model = read_model(options.model)
    done = detach_libraries(model, file=options.model.as_posix())
    write_model(done.model, options.output, options.model)
    show_findings(done.diagnostics)
    for identity in done.functions:
        print(f"removed {written_id(identity)}")
    print(f"wrote {options.output}: {counted(done.restored, 'node')} restored")
    return Exit.GOOD
