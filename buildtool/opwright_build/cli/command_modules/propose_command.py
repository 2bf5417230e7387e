"""`opwright propose`."""

from __future__ import annotations

import argparse
from pathlib import Path

from opwright_build.cli.reporters import text_reporter
from opwright_build.cli.shared_arguments import START, add_cache, add_name, add_path, add_sandbox, work_options
from opwright_build.workflow.propose import propose


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_name(parser)
    help_ = "a new or empty folder"
    parser.add_argument("-o", "--output", metavar="FOLDER", type=Path, required=True, help=help_)
    add_path(parser)
    add_sandbox(parser)
    add_cache(parser)


def run(options: argparse.Namespace) -> int:
    work, sandbox = work_options(options), options.require_sandbox
    return propose(options.name, options.path, options.output, text_reporter(), work, sandbox, START)
