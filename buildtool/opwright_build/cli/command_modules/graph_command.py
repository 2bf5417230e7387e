"""`opwright graph`."""

from __future__ import annotations

import argparse
from pathlib import Path

from opwright_build.cli.reporters import data_reporter, standard_console
from opwright_build.cli.shared_arguments import add_cache, add_path, add_selection, work_options
from opwright_build.workflow.graph import graph


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_path(parser)
    parser.add_argument("--format", metavar="F", default="mermaid", help="mermaid, svg, dot or json")
    parser.add_argument("-o", "--output", metavar="FILE", type=Path, help="write it to this file")
    add_selection(parser)
    add_cache(parser)


def run(options: argparse.Namespace) -> int:
    work = work_options(options)
    return graph(options.path, standard_console(), data_reporter(), work, options.format, options.output)
