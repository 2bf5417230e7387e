"""`opwright clean`."""

from __future__ import annotations

import argparse
from pathlib import Path

from opwright_build.cli.reporters import text_reporter
from opwright_build.workflow.clean import clean


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", nargs="?", type=Path, default=Path(), help="a folder of the library")
    parser.add_argument("--all", action="store_true", help="what was built below dist/ and library/ as well")
    parser.add_argument("-n", "--dry-run", action="store_true", help="say what would go; remove nothing")


def run(options: argparse.Namespace) -> int:
    return clean(options.path, options.all, options.dry_run, text_reporter())
