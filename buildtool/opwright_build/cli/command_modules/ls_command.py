"""`opwright ls`."""

from __future__ import annotations

import argparse

from opwright_build.cli.reporters import data_reporter, standard_console
from opwright_build.cli.shared_arguments import add_json, add_packages, add_path, add_selection, work_options
from opwright_build.workflow import listing


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_path(parser)
    add_packages(parser)
    add_json(parser)
    add_selection(parser)


def run(options: argparse.Namespace) -> int:
    work = work_options(options)
    return listing.list_versions(options.path, standard_console(), data_reporter(), options.json, work)
