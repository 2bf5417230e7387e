"""`opwright update`."""

from __future__ import annotations

import argparse
from pathlib import Path

from opwright_build.cli.reporters import reporter_for
from opwright_build.cli.shared_arguments import START, add_cache, add_indexes, add_json, work_options
from opwright_build.workflow.update import update


def add_arguments(parser: argparse.ArgumentParser) -> None:
    help_ = "only these dependencies; by default all of them"
    parser.add_argument("names", nargs="*", metavar="NAME", help=help_)
    add_indexes(parser)
    help_ = "a folder of the library; by default the current one"
    parser.add_argument("--path", metavar="PATH", type=Path, default=Path(), help=help_)
    add_json(parser)
    add_cache(parser)


def run(options: argparse.Namespace) -> int:
    reporter, work = reporter_for("update", options), work_options(options)
    return update(options.names, options.indexes, options.path, reporter, work, START)
