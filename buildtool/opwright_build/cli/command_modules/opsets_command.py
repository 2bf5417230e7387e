"""`opwright opsets`."""

from __future__ import annotations

import argparse

from opwright_build.cli.reporters import data_reporter, standard_console
from opwright_build.cli.shared_arguments import add_cache, add_json, add_packages, add_path, add_selection, work_options
from opwright_build.workflow.opsets import show_opsets


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_path(parser)
    add_packages(parser)
    add_json(parser)
    add_cache(parser)
    add_selection(parser)


def run(options: argparse.Namespace) -> int:
    return show_opsets(options.path, standard_console(), data_reporter(), work_options(options), options.json)
