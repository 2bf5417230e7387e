"""`opwright release`."""

from __future__ import annotations

import argparse

from opwright_build.cli.reporters import reporter_for
from opwright_build.cli.shared_arguments import (
    START,
    add_cache,
    add_jobs,
    add_json,
    add_packages,
    add_path,
    add_sandbox,
    add_sarif,
    add_vector_limit,
    work_options,
)
from opwright_build.workflow.releasing import Releasing, release


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("version", metavar="VERSION", help="three numbers, for example 1.2.0")
    add_path(parser)
    add_packages(parser)
    parser.add_argument("--dry-run", action="store_true", help="say what would be written; write nothing")
    help_ = "release what fails on its vectors too: run none, and no Python of a spec"
    parser.add_argument("--unverified", action="store_true", help=help_)
    add_sandbox(parser)
    add_jobs(parser)
    add_vector_limit(parser)
    add_json(parser)
    add_cache(parser)
    add_sarif(parser)


def run(options: argparse.Namespace) -> int:
    reporter, work = reporter_for("release", options), work_options(options)
    wanted = Releasing(options.version, options.dry_run, options.unverified, options.require_sandbox)
    return release(options.path, reporter, work, wanted, START)
