"""`opwright doctor`."""

from __future__ import annotations

import argparse
from pathlib import Path

from opwright_build.cli.reporters import data_reporter, standard_console
from opwright_build.workflow.doctor import doctor


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", nargs="?", type=Path, default=Path(), help="a folder of the library")
    parser.add_argument("--json", action="store_true", help="one object a line")


def run(options: argparse.Namespace) -> int:
    return doctor(options.path, standard_console(), data_reporter(), options.json)
