"""`opwright test`."""

from __future__ import annotations

import argparse
from pathlib import Path

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
    add_rerun,
    add_sandbox,
    add_sarif,
    add_selection,
    add_timings,
    add_vector_limit,
    add_watch,
    work_options,
)
from opwright_build.cli.watched import once_or_watching
from opwright_build.report.reporter import Reporter
from opwright_build.workflow.judged.narrowing import Narrowing
from opwright_build.workflow.opened.task import reporting
from opwright_build.workflow.selection.language import parse_opsets
from opwright_build.workflow.verify import Scope, verify


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_path(parser)
    add_json(parser)
    parser.add_argument("--junit", metavar="FILE", type=Path, help="write JUnit XML as well")
    add_selection(parser)
    help_ = "only what failed when it was last tested"
    parser.add_argument("--lf", "--last-failed", dest="failed", action="store_true", help=help_)
    help_ = "only cells of this element type"
    parser.add_argument("--type", dest="types", metavar="T", action="append", default=[], help=help_)
    help_ = "only cells at this opset, or 18-21"
    parser.add_argument("--opset", metavar="N", action="append", default=[], help=help_)
    help_ = "only this runtime, as in onnxruntime/*"
    parser.add_argument("--runtime", metavar="R", action="append", default=[], help=help_)
    help_ = "one or two opsets of each variant in place of all: what a gate can afford"
    parser.add_argument("--spread", action="store_true", help=help_)
    parser.add_argument("-x", "--exitfirst", action="store_true", help="stop at the first failure")
    add_packages(parser)
    parser.add_argument("--table", action="store_true", help="print how each function and type ended")
    parser.add_argument("--mutants", action="store_true", help="also see which mutants the vectors let live")
    help_ = "write what the runtimes at hand refuse to specs/runtime-gaps.yaml"
    parser.add_argument("--update-gaps", action="store_true", help=help_)
    parser.add_argument("--no-oracle", action="store_true", help="run no Python of a spec")
    add_sandbox(parser)
    add_rerun(parser)
    add_jobs(parser)
    add_vector_limit(parser)
    add_executor(parser)
    add_watch(parser)
    add_timings(parser)
    add_cache(parser)
    add_sarif(parser)
    add_manner(parser)


def run(options: argparse.Namespace) -> int:
    def task(reporter: Reporter, started: float) -> int:
        ranges = tuple(parse_opsets(text) for text in options.opset)
        cells = Narrowing(tuple(options.types), ranges, tuple(options.runtime), options.spread, options.exitfirst)
        scope = Scope(
            cells,
            options.mutants,
            options.update_gaps,
            not options.no_oracle,
            options.table or options.verbose,
            options.junit,
            options.require_sandbox,
        )
        return verify(options.path, reporter, work_options(options), scope, started)

    def once(started: float) -> int:
        reporter = reporter_for("test", options)
        return reporting(reporter, lambda: task(reporter, started))

    return once_or_watching(options, START, once)
