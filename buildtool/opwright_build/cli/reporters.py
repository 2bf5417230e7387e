"""The reporters of commands, on the streams of this process."""

from __future__ import annotations

import argparse
import os
import sys

from opwright_build.report.console import Console, open_console
from opwright_build.report.reporter import JsonReporter, Manner, Reporter, TextReporter


def standard_console() -> Console:
    return open_console(sys.stdout, sys.stderr, os.environ)


def text_reporter() -> TextReporter:
    """That of commands that have a text form alone."""
    return TextReporter(standard_console())


def data_reporter() -> TextReporter:
    """That of commands whose result is data: findings go to standard error."""
    return TextReporter(standard_console(), findings_aside=True)


def reporter_for(command: str, options: argparse.Namespace) -> Reporter:
    """That of a command by its arguments: `--json`, `--sarif`, `--quiet`, `--verbose`, as far as it has them."""
    given = vars(options)
    console = standard_console()
    manner = Manner.QUIET if given.get("quiet") else Manner.VERBOSE if given.get("verbose") else Manner.NORMAL
    reporter: Reporter = TextReporter(console, manner=manner)
    if given.get("json"):
        reporter = JsonReporter(console, command)
    sarif = given.get("sarif")
    if sarif is None:
        return reporter
    from opwright_build.report.findings_file import SarifReporter
    from opwright_build.workflow.opened.writing import write_file

    return SarifReporter(reporter, command, lambda data: write_file(sarif, data))
