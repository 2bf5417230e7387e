"""`opwright show`."""

from __future__ import annotations

import argparse

from opwright_build.cli.reporters import data_reporter, standard_console
from opwright_build.cli.shared_arguments import (
    add_cache,
    add_json,
    add_name,
    add_packages,
    add_path,
    add_selection,
    work_options,
)
from opwright_build.workflow.show import show


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_name(parser)
    add_path(parser)
    add_selection(parser)
    add_packages(parser)
    add_json(parser)
    add_cache(parser)


def run(options: argparse.Namespace) -> int:
    work = work_options(options, [options.name])
    return show(options.path, standard_console(), data_reporter(), work, options.json)
