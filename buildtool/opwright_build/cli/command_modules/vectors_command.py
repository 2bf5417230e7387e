"""`opwright vectors`."""

from __future__ import annotations

import argparse
from pathlib import Path

from opwright.diagnostics.exits import Exit

from opwright_build.cli.reporters import data_reporter, reporter_for, standard_console, text_reporter
from opwright_build.cli.shared_arguments import (
    START,
    add_cache,
    add_corpus,
    add_json,
    add_manner,
    add_packages,
    add_sandbox,
    add_sarif,
    add_selection,
    work_options,
)
from opwright_build.workflow.corpus import CorpusOptions, export_vectors
from opwright_build.workflow.vectors import show_vectors, vectors

LAYOUT = "onnx-backend-test"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    help_ = "a folder; or the functions to show, or to export"
    parser.add_argument("words", nargs="*", metavar="PATH | show X | export X", help=help_)
    parser.add_argument("--update", action="store_true", help="rewrite specs/vectors.lock")
    help_ = "how `export` writes them; there is one layout so far"
    parser.add_argument("--layout", choices=(LAYOUT,), default=LAYOUT, help=help_)
    parser.add_argument("-o", "--output", metavar="FOLDER", type=Path, help="where to; a new or empty folder")
    add_corpus(parser, "`export` fails unless there are so many cases")
    add_sandbox(parser)
    add_packages(parser)
    add_json(parser)
    add_cache(parser)
    add_sarif(parser)
    add_selection(parser)
    add_manner(parser)


def run(options: argparse.Namespace) -> int:
    if options.words[:1] == ["show"]:
        return show_vectors(Path(), standard_console(), data_reporter(), work_options(options, options.words[1:]))
    if options.words[:1] == ["export"]:
        if options.output is None:
            standard_console().progress("opwright vectors export: a folder is wanted, as in -o corpus")
            return Exit.USAGE
        work = work_options(options, options.words[1:])
        corpus = CorpusOptions(options.opset, options.expanded, options.require_sandbox, int(options.min_count or 0))
        return export_vectors(Path(), text_reporter(), work, corpus, options.output, START)
    if len(options.words) > 1:
        standard_console().progress("opwright vectors: one folder, or `show` or `export` and names")
        return Exit.USAGE
    path = Path(*options.words)
    return vectors(path, reporter_for("vectors", options), work_options(options), options.update, START)
