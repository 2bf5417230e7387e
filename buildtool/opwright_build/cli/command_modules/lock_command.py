"""`opwright lock`."""

from __future__ import annotations

import argparse

from opwright_build.cli.reporters import reporter_for
from opwright_build.cli.shared_arguments import (
    START,
    add_cache,
    add_json,
    add_packages,
    add_path,
    add_sarif,
    work_options,
)
from opwright_build.workflow.locking import Accepting, lock


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_path(parser)
    parser.add_argument("--check", action="store_true", help="fail where the lock refuses a release")
    help_ = "accept the new body of a version; may be repeated"
    parser.add_argument("--accept", metavar="X", action="append", default=[], help=help_)
    parser.add_argument("--all", dest="everything", action="store_true", help="accept every new body")
    help_ = "how far values may be from those released"
    parser.add_argument("--within", choices=("exact", "tolerance"), default="tolerance", help=help_)
    parser.add_argument("--reason", metavar="TEXT", default="", help="why; it is kept in the lock")
    parser.add_argument("--unjudged", action="store_true", help="accept bodies that no vector runs, too")
    add_packages(parser)
    add_json(parser)
    add_cache(parser)
    add_sarif(parser)


def run(options: argparse.Namespace) -> int:
    accept = tuple(options.accept)
    accepting = Accepting(accept, options.everything, options.within, options.reason, options.unjudged)
    return lock(options.path, reporter_for("lock", options), work_options(options), accepting, options.check, START)
