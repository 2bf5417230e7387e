"""`opwright why`."""

from __future__ import annotations

import argparse

from opwright_build.cli.reporters import data_reporter, standard_console
from opwright_build.cli.shared_arguments import add_cache, add_path, work_options
from opwright_build.workflow.graph import why


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("caller", metavar="A", help="the function that calls")
    parser.add_argument("callee", metavar="B", help="the function that is called")
    add_path(parser)
    add_cache(parser)


def run(options: argparse.Namespace) -> int:
    work = work_options(options)
    return why(options.caller, options.callee, options.path, standard_console(), data_reporter(), work)
