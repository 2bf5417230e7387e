"""`opwright search`."""

from __future__ import annotations

import argparse

from opwright_build.cli.reporters import reporter_for
from opwright_build.cli.shared_arguments import START, add_indexes, add_json
from opwright_build.workflow.searching import search


def add_arguments(parser: argparse.ArgumentParser) -> None:
    help_ = "for example Swish, com.acme::Swish, com.acme::Swish@2 or 'com.acme::*'"
    parser.add_argument("pattern", metavar="FUNCTION", help=help_)
    add_indexes(parser)
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    return search(options.pattern, options.indexes, reporter_for("search", options), START)
