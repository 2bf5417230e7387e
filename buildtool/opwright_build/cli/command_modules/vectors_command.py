"""`opwright vectors`."""

from __future__ import annotations

import argparse
from pathlib import Path

from opwright.diagnostics.exits import Exit

from opwright_build.cli.reporters import data_reporter, reporter_for, standard_console
from opwright_build.cli.shared_arguments import (
    START,
    add_cache,
    add_json,
    add_manner,
    add_sarif,
    add_selection,
    work_options,
)
from opwright_build.workflow.vectors import show_vectors, vectors


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("words", nargs="*", metavar="PATH | show X", help="a folder; or the functions to show")
    parser.add_argument("--update", action="store_true", help="rewrite specs/vectors.lock")
    add_json(parser)
    add_cache(parser)
    add_sarif(parser)
    add_selection(parser)
    add_manner(parser)


def run(options: argparse.Namespace) -> int:
    if options.words[:1] == ["show"]:
        return show_vectors(Path(), standard_console(), data_reporter(), work_options(options, options.words[1:]))
    if len(options.words) > 1:
        standard_console().progress("opwright vectors: one folder, or `show` and names")
        return Exit.USAGE
    path = Path(*options.words)
    return vectors(path, reporter_for("vectors", options), work_options(options), options.update, START)
