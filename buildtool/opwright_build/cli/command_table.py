"""Every command with its options, whatever parses it: for `help` and for the completion of shells."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum

import typer
from opwright.commands import COMMANDS, command_parsers

from opwright_build.cli.entry import OWN_COMMANDS
from opwright_build.cli.own_commands import command_module, command_parser


@dataclass(frozen=True, slots=True)
class DescribedOption:
    """`choices` are the values that it takes, where they are a few words; `of_functions`: it takes names of them."""

    spellings: tuple[str, ...]
    help: str
    takes_value: bool
    choices: tuple[str, ...] = ()

    @property
    def of_functions(self) -> bool:
        return "--select" in self.spellings


@dataclass(frozen=True, slots=True)
class DescribedCommand:
    summary: str
    options: tuple[DescribedOption, ...]
    words: tuple[str, ...] = ()  # that may follow it, where they are a few


_HELP = DescribedOption(("-h", "--help"), "Show the options.", False)


def described_commands() -> Mapping[str, DescribedCommand]:
    """By name, in alphabetical order."""
    found = dict(_of_app())
    for name, parser in command_parsers().items():
        found[name] = _of_parser(parser, (parser.description or "").partition(". ")[0].rstrip("."))
    for name in OWN_COMMANDS:
        found[name] = _of_parser(command_parser(name), command_module(name).SUMMARY)
    assert {*COMMANDS, *OWN_COMMANDS} <= found.keys()
    return dict(sorted(found.items()))


def _of_app() -> Iterator[tuple[str, DescribedCommand]]:
    from opwright_build.cli.app import app

    commands = getattr(typer.main.get_command(app), "commands", {})
    for name, command in commands.items():
        options = [
            DescribedOption(
                (*item.opts, *item.secondary_opts),
                item.help or "",
                not item.is_flag,
                _choices(getattr(getattr(item, "type_descriptor", None), "annotation", None)),
            )
            for item in command.params
            if item.param_type_name == "option"
        ]
        yield name, DescribedCommand(command.get_short_help_str(200), (*options, _HELP))


def _choices(kind: object) -> tuple[str, ...]:
    """The words that a value may be, where its type lists them."""
    if isinstance(kind, type) and issubclass(kind, Enum):
        return tuple(str(member.value) for member in kind)
    return ()


def _of_parser(parser: argparse.ArgumentParser, summary: str) -> DescribedCommand:
    options: list[DescribedOption] = []
    words: tuple[str, ...] = ()
    for action in parser._actions:
        choices = tuple(str(choice) for choice in action.choices or ())
        if not action.option_strings:
            words += choices
        elif action.help != argparse.SUPPRESS and "--help" not in action.option_strings:
            options.append(DescribedOption(tuple(action.option_strings), action.help or "", action.nargs != 0, choices))
    return DescribedCommand(summary, (*options, _HELP), words)
