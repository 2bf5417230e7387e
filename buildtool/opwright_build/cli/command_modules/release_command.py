"""`opwright release`."""

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
from opwright_build.workflow.releasing import release


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("version", metavar="VERSION", help="three numbers, for example 1.2.0")
    add_path(parser)
    add_packages(parser)
    parser.add_argument("--dry-run", action="store_true", help="say what would be written; write nothing")
    add_json(parser)
    add_cache(parser)
    add_sarif(parser)


def run(options: argparse.Namespace) -> int:
    reporter, work = reporter_for("release", options), work_options(options)
    return release(options.path, reporter, work, options.version, options.dry_run, START)
