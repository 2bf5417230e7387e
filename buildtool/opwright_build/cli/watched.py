"""`--watch` of commands: once, or again after each change."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

from opwright_build.cli.reporters import standard_console, text_reporter


def once_or_watching(options: argparse.Namespace, started: float, once: Callable[[float], int]) -> int:
    """The status of the task, which is given when it began; with `--watch` it runs again and again."""
    if not options.watch:
        return once(started)
    from opwright_build.workflow.opened.task import reporting
    from opwright_build.workflow.watching import watch

    def task() -> int:
        return watch(options.path, lambda: once(time.perf_counter()), standard_console().progress)

    return reporting(text_reporter(), task)
