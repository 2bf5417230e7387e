"""`opwright diff`."""

from __future__ import annotations

import argparse
from pathlib import Path

from opwright_build.cli.reporters import standard_console, text_reporter
from opwright_build.cli.shared_arguments import START, add_cache, add_packages, add_path, work_options
from opwright_build.report.findings_file import SarifReporter
from opwright_build.report.quiet import QuietReporter
from opwright_build.report.reporter import JsonReporter, Reporter
from opwright_build.workflow.differing import diff


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_path(parser)
    help_ = "lock, git:REVISION, FILE.onnxlib or an installed library"
    parser.add_argument("--against", metavar="STATE", default="lock", help=help_)
    help_ = "how to print what differs"
    parser.add_argument("--format", choices=("text", "json", "sarif"), default="text", help=help_)
    parser.add_argument("--notes", metavar="FILE", type=Path, help="write release notes as well")
    add_packages(parser)
    add_cache(parser)


def run(options: argparse.Namespace) -> int:
    reporter, work = _reporter(options.format), work_options(options)
    return diff(options.path, options.against, options.notes, reporter, work, START)


def _reporter(form: str) -> Reporter:
    console = standard_console()
    if form == "json":
        return JsonReporter(console, "diff")
    if form == "sarif":
        return SarifReporter(QuietReporter(), "diff", lambda data: console.result(data.decode().rstrip("\n")))
    return text_reporter()
