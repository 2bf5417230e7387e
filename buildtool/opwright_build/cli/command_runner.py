"""The commands on libraries: the parser of each, and how one of them is run."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from importlib import import_module
from typing import Protocol, cast

from opwright.command_parser import CommandParser

from opwright_build.cli.command_summaries import ON_LIBRARIES


class CommandModule(Protocol):
    """A module of `cli.command_modules`."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None: ...

    def run(self, options: argparse.Namespace) -> int: ...


def command_module(name: str) -> CommandModule:
    return cast(CommandModule, import_module(f"opwright_build.cli.command_modules.{name}_command"))


def command_parser(name: str) -> CommandParser:
    """The parser of one command."""
    parser = CommandParser(prog=f"opwright {name}", description=ON_LIBRARIES[name], allow_abbrev=False)
    command_module(name).add_arguments(parser)
    return parser


def run_command(words: Sequence[str]) -> int:
    """Runs a command on libraries, its name first among the words; gives its exit status. SystemExit(2) where the words
    make no sense."""
    return command_module(words[0]).run(command_parser(words[0]).parse_words(words[1:]))
