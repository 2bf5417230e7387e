"""`opwright lint`."""

from __future__ import annotations

import argparse

from opwright.diagnostics.exits import Exit

from opwright_build.cli.reporters import reporter_for, standard_console
from opwright_build.cli.shared_arguments import (
    START,
    add_cache,
    add_json,
    add_manner,
    add_packages,
    add_path,
    add_sarif,
    add_selection,
    work_options,
)
from opwright_build.workflow.lint import lint, lint_and_fix


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_path(parser)
    add_packages(parser)
    add_json(parser)
    add_cache(parser)
    add_sarif(parser)
    add_selection(parser)
    parser.add_argument("--fix", action="store_true", help="write what findings are sure of, such as misspelt keys")
    parser.add_argument("--dry-run", action="store_true", help="with --fix: show what would change; write nothing")
    add_manner(parser)


def run(options: argparse.Namespace) -> int:
    reporter, work = reporter_for("lint", options), work_options(options)
    if options.fix:
        return lint_and_fix(options.path, reporter, work, START, options.dry_run)
    if options.dry_run:
        standard_console().progress("opwright lint: --dry-run goes with --fix; lint alone writes nothing")
        return Exit.USAGE
    return lint(options.path, reporter, work, START)
