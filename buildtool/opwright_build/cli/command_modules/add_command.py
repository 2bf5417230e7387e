"""`opwright add`."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from opwright_build.cli.reporters import reporter_for
from opwright_build.cli.shared_arguments import START, add_cache, add_indexes, add_json, add_packages, work_options
from opwright_build.workflow.adding import add


def add_arguments(parser: argparse.ArgumentParser) -> None:
    help_ = "the library, with a range where not any release will do: 'acme-ops>=1.2,<2'"
    parser.add_argument("name", metavar="NAME", help=help_)
    add_indexes(parser)
    help_ = "the sha256 that its bundle has to have"
    parser.add_argument("--sha256", metavar="HEX", type=_digest, help=help_)
    help_ = "a folder of the library; by default the current one"
    parser.add_argument("--path", metavar="PATH", type=Path, default=Path(), help=help_)
    add_packages(parser)
    add_json(parser)
    add_cache(parser)


def run(options: argparse.Namespace) -> int:
    reporter, work = reporter_for("add", options), work_options(options)
    return add(options.name, options.sha256 or "", options.indexes, options.path, reporter, work, START)


def _digest(text: str) -> str:
    if not re.fullmatch(r"[0-9a-f]{64}", text, re.ASCII):
        raise argparse.ArgumentTypeError("a sha256 is 64 hexadecimal digits in lower case")
    return text
