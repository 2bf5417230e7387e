"""The commands on argparse: which there are, and how one of them is run."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Protocol, cast

from opwright.diagnostics.exits import Exit


class CommandModule(Protocol):
    """A module of `cli.command_modules`."""

    SUMMARY: str

    def add_arguments(self, parser: argparse.ArgumentParser) -> None: ...

    def run(self, options: argparse.Namespace) -> int: ...


def command_module(name: str) -> CommandModule:
    return cast(CommandModule, import_module(f"opwright_build.cli.command_modules.{name}_command"))


def command_parser(name: str) -> argparse.ArgumentParser:
    """The parser of one command; it tells its usage and ends with SystemExit(2) where words make no sense."""
    module = command_module(name)
    parser = argparse.ArgumentParser(prog=f"opwright {name}", description=module.SUMMARY, allow_abbrev=False)
    module.add_arguments(parser)
    return parser


def run_own(words: Sequence[str]) -> int:
    """Runs one of OWN_COMMANDS, its name first among the words; gives its exit status."""
    try:
        options = command_parser(words[0]).parse_args(words[1:])
        return command_module(words[0]).run(options)
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else Exit.USAGE
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return Exit.INTERRUPTED
