"""The commands on libraries: the parser of each, and how one of them is run."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from importlib import import_module
from typing import NoReturn, Protocol, cast

from opwright.command_parser import OnceParser
from opwright.diagnostics.exits import Exit

from opwright_build.cli.command_summaries import ON_LIBRARIES


class CommandModule(Protocol):
    """A module of `cli.command_modules`."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None: ...

    def run(self, options: argparse.Namespace) -> int: ...


class CommandParser(OnceParser):
    """Tells mistakes in a line, and where the options stand."""

    def error(self, message: str) -> NoReturn:
        name = self.prog.rpartition(" ")[2]
        self.exit(Exit.USAGE, f"{self.prog}: {message}\n  help: `opwright help {name}` shows what it takes\n")


def command_module(name: str) -> CommandModule:
    return cast(CommandModule, import_module(f"opwright_build.cli.command_modules.{name}_command"))


def command_parser(name: str) -> argparse.ArgumentParser:
    """The parser of one command; it ends with SystemExit(2) where words make no sense."""
    parser = CommandParser(prog=f"opwright {name}", description=ON_LIBRARIES[name], allow_abbrev=False)
    command_module(name).add_arguments(parser)
    return parser


def run_command(words: Sequence[str]) -> int:
    """Runs a command on libraries, its name first among the words; gives its exit status."""
    try:
        options = command_parser(words[0]).parse_intermixed_args(words[1:])
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else Exit.USAGE
    return command_module(words[0]).run(options)
