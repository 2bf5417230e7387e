"""The reporter of commands that have a text form alone."""

from __future__ import annotations

import os
import sys

from opwright_build.report.console import Console, open_console
from opwright_build.report.reporter import TextReporter


def text_reporter() -> TextReporter:
    return TextReporter(standard_console())


def standard_console() -> Console:
    return open_console(sys.stdout, sys.stderr, os.environ)
