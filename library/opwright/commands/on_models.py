"""The commands on models: the parser of each, and how one of them is run."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Protocol, cast

from opwright.command_parser import CommandParser
from opwright.commands.command_output import exit_status, show_findings
from opwright.diagnostics import DiagnosticError

COMMANDS = ("attach", "inspect", "upgrade", "detach", "polyfill", "convert", "decompile")


class ModelCommand(Protocol):
    """A module of this package whose name ends in `_command`."""

    DESCRIPTION: str

    def add_arguments(self, parser: argparse.ArgumentParser) -> None: ...

    def run(self, options: argparse.Namespace) -> int:
        """The exit status. Raises DiagnosticError, and ArgumentError for options that contradict one another."""
        ...


def main(arguments: Sequence[str], beside: Sequence[str] = ()) -> int:
    """Runs one of `COMMANDS`, its name first among the arguments; returns the exit status.

    Installed libraries are looked for on the import path and in the folders `beside`.

    Results go to stdout, findings to stderr. What is wrong with the command line itself ends in SystemExit(2).
    """
    name = _name(arguments)
    parser = _parser(name)
    options = parser.parse_words(arguments[1:])
    options.beside = beside
    try:
        return _command(name).run(options)
    except argparse.ArgumentError as error:
        parser.error(str(error))
    except DiagnosticError as error:
        show_findings(error.diagnostics)
        return exit_status(error.diagnostics)


def command_parsers() -> Mapping[str, argparse.ArgumentParser]:
    """The parser of each of `COMMANDS`, for those who tell what options there are."""
    return {name: _parser(name) for name in COMMANDS}


def _name(arguments: Sequence[str]) -> str:
    parser = CommandParser(prog="opwright", allow_abbrev=False)
    parser.add_argument("command", choices=COMMANDS)
    return str(parser.parse_args(arguments[:1]).command)


def _parser(name: str) -> CommandParser:
    command = _command(name)
    parser = CommandParser(prog=f"opwright {name}", description=command.DESCRIPTION, allow_abbrev=False)
    command.add_arguments(parser)
    return parser


def _command(name: str) -> ModelCommand:
    return cast(ModelCommand, import_module(f"opwright.commands.{name}_command"))
