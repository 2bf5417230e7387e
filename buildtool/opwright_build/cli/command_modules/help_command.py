"""`opwright help`."""

from __future__ import annotations

import argparse

from opwright.diagnostics.exits import Exit

from opwright_build.cli.command_summaries import ON_LIBRARIES, ON_MODELS, overview
from opwright_build.cli.entry import main
from opwright_build.cli.reporters import standard_console


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("command", metavar="COMMAND", nargs="?", default="", help="the command to show")


def run(options: argparse.Namespace) -> int:
    if not options.command:
        standard_console().result(overview())
        return Exit.GOOD
    known = options.command in ON_MODELS or options.command in ON_LIBRARIES
    return main([options.command, "--help"] if known else [options.command])
