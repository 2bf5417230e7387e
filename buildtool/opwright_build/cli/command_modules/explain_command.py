"""`opwright explain`."""

from __future__ import annotations

import argparse

from opwright_build.cli.reporters import data_reporter, standard_console
from opwright_build.cli.shared_arguments import add_path
from opwright_build.workflow.explain import explain


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("subject", metavar="CODE|ACTION", help="OW201, or an action such as `package`")
    add_path(parser)


def run(options: argparse.Namespace) -> int:
    return explain(options.subject, options.path, standard_console(), data_reporter())
