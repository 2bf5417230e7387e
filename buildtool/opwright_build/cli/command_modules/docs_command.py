"""`opwright docs`."""

from __future__ import annotations

import argparse
from pathlib import Path

from opwright_build.cli.reporters import text_reporter
from opwright_build.cli.shared_arguments import START, add_cache, add_check, add_packages, add_path, work_options
from opwright_build.workflow.reference import reference


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_path(parser)
    add_packages(parser)
    help_ = "by default docs/reference of the library"
    parser.add_argument("-o", "--output", metavar="FOLDER", type=Path, help=help_)
    add_check(parser)
    add_cache(parser)


def run(options: argparse.Namespace) -> int:
    work = work_options(options)
    return reference(options.path, text_reporter(), work, options.output, options.check, START)
