"""`opwright export`."""

from __future__ import annotations

import argparse
from pathlib import Path

from opwright_build.cli.reporters import text_reporter
from opwright_build.cli.shared_arguments import START, add_cache, add_packages, add_path, add_selection, work_options
from opwright_build.workflow.export import export


def add_arguments(parser: argparse.ArgumentParser) -> None:
    help_ = "the default domain's version; may be repeated"
    parser.add_argument("--opset", metavar="N", action="append", type=int, required=True, help=help_)
    add_path(parser)
    add_packages(parser)
    parser.add_argument("-o", "--output", metavar="FILE", type=Path, help="by default in dist/")
    add_cache(parser)
    add_selection(parser)


def run(options: argparse.Namespace) -> int:
    work = work_options(options)
    return export(options.path, text_reporter(), work, options.opset, options.output, START)
