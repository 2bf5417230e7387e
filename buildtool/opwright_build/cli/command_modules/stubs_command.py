"""`opwright stubs`."""

from __future__ import annotations

import argparse

from opwright_build.cli.reporters import reporter_for
from opwright_build.cli.shared_arguments import (
    START,
    add_cache,
    add_check,
    add_json,
    add_manner,
    add_packages,
    add_path,
    add_sarif,
    add_selection,
    work_options,
)
from opwright_build.workflow.stubs import stubs


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_path(parser)
    add_packages(parser)
    add_check(parser)
    add_json(parser)
    add_cache(parser)
    add_sarif(parser)
    add_selection(parser)
    add_manner(parser)


def run(options: argparse.Namespace) -> int:
    return stubs(options.path, reporter_for("stubs", options), work_options(options), options.check, START)
