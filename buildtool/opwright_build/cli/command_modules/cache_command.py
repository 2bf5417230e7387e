"""`opwright cache`."""

from __future__ import annotations

import argparse

from opwright.diagnostics.exits import Exit

from opwright_build.cli.reporters import reporter_for, standard_console
from opwright_build.cli.shared_arguments import START, add_cache, add_json, add_path, work_options
from opwright_build.workflow.cache import Question, keep_up, upkeep_asked_for


def add_arguments(parser: argparse.ArgumentParser) -> None:
    words = [question.value for question in Question]
    parser.add_argument("question", choices=words, metavar="|".join(words), help="what to do")
    add_path(parser)
    parser.add_argument("--shared", action="store_true", help="the shared cache, in place of this machine's")
    parser.add_argument("--remove", action="store_true", help="verify: remove what cannot be used")
    help_ = "gc: unused for longer; by default 30d"
    parser.add_argument("--max-age", metavar="AGE", default="", help=help_)
    parser.add_argument("--max-size", metavar="SIZE", default="", help="gc: keep at most this, as 2G")
    parser.add_argument("--dry-run", action="store_true", help="gc: only say what would go")
    add_json(parser)
    add_cache(parser)


def run(options: argparse.Namespace) -> int:
    limits = options.max_age, options.max_size
    try:
        question = Question(options.question)
        upkeep = upkeep_asked_for(question, options.shared, options.remove, *limits, options.dry_run)
    except ValueError as error:
        standard_console().progress(f"opwright cache: {error}")
        return Exit.USAGE
    return keep_up(options.path, reporter_for("cache", options), work_options(options), upkeep, START)
