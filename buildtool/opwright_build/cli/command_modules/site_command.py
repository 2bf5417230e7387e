"""`opwright site`."""

from __future__ import annotations

import argparse
from pathlib import Path

from opwright_build.cli.reporters import text_reporter
from opwright_build.cli.shared_arguments import START, add_cache, add_packages, add_path, work_options
from opwright_build.workflow.library_site import site


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_path(parser)
    add_packages(parser)
    help_ = "by default dist/site of the library"
    parser.add_argument("-o", "--output", metavar="FOLDER", type=Path, help=help_)
    add_cache(parser)


def run(options: argparse.Namespace) -> int:
    return site(options.path, text_reporter(), work_options(options), options.output, START)
