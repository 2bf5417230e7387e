"""Every command with its options: for the completion of shells."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass

from opwright.commands import command_parsers

from opwright_build.cli.command_runner import command_parser
from opwright_build.cli.command_summaries import ON_LIBRARIES, ON_MODELS


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
    parsers = {**command_parsers(), **{name: command_parser(name) for name in ON_LIBRARIES}}
    summaries = {**ON_MODELS, **ON_LIBRARIES}
    return {name: _of_parser(parsers[name], summaries[name]) for name in sorted(parsers)}


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
