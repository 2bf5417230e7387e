"""`opwright build`."""

from __future__ import annotations

import argparse

from opwright_build.cli.reporters import reporter_for
from opwright_build.cli.shared_arguments import (
    START,
    add_cache,
    add_executor,
    add_jobs,
    add_json,
    add_manner,
    add_packages,
    add_path,
    add_rehash,
    add_rerun,
    add_sarif,
    add_selection,
    add_timings,
    add_watch,
    work_options,
)
from opwright_build.cli.watched import once_or_watching
from opwright_build.workflow.build import build


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_path(parser)
    add_packages(parser)
    add_json(parser)
    add_cache(parser)
    add_rehash(parser)
    add_rerun(parser)
    add_jobs(parser)
    help_ = "write the packages that are right, though others have errors"
    parser.add_argument("--keep-going", action="store_true", help=help_)
    help_ = "say what would run, and why; run and write nothing"
    parser.add_argument("--dry-run", action="store_true", help=help_)
    add_executor(parser)
    add_watch(parser)
    add_timings(parser)
    add_sarif(parser)
    add_selection(parser)
    add_manner(parser)


def run(options: argparse.Namespace) -> int:
    def once(started: float) -> int:
        reporter = reporter_for("build", options)
        if options.dry_run:
            from opwright_build.workflow.dry_run import dry_run

            return dry_run(options.path, reporter, work_options(options), started)
        return build(options.path, reporter, work_options(options), started, options.keep_going)

    return once_or_watching(options, START, once)
