"""`opwright fmt`."""

from __future__ import annotations

import argparse
from pathlib import Path

from opwright_build.cli.reporters import text_reporter
from opwright_build.workflow.tidy import tidy


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", nargs="?", type=Path, default=Path(), help="a folder of the library")
    parser.add_argument("--check", action="store_true", help="write nothing; fail where a file is in another form")


def run(options: argparse.Namespace) -> int:
    return tidy(options.path, options.check, text_reporter())
