"""`opwright index`."""

from __future__ import annotations

import argparse
from pathlib import Path

from opwright_build.cli.reporters import text_reporter
from opwright_build.workflow.indexing import index


def add_arguments(parser: argparse.ArgumentParser) -> None:
    help_ = "the folder of the index, which a web server then serves"
    parser.add_argument("site", metavar="SITE", type=Path, help=help_)
    help_ = "folders of releases to add, as `publish` writes them"
    parser.add_argument("releases", metavar="RELEASE", nargs="*", type=Path, help=help_)


def run(options: argparse.Namespace) -> int:
    return index(options.site, options.releases, text_reporter())
