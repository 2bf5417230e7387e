"""Options that are given more than once: they add up, or are refused; none is taken for the last in silence."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import pytest
import typer
from opwright import commands
from opwright_build.cli.app import app
from opwright_build.cli.entry import main
from opwright_build.cli.repeated import Option, repeated_option

Opwright = Callable[..., Any]
BUILD: dict[str, Any] = vars(typer.main.get_command(app))["commands"]


def single_valued() -> list[tuple[str, str, str]]:
    """Every option of every command that takes one value, with a value: of the build tool, and of those on models."""
    found = [
        (name, spelling, "1")
        for name, command in BUILD.items()
        for option in command.params
        if option.param_type_name == "option" and not option.is_flag and not option.multiple
        for spelling in option.opts
    ]
    for name, parser in commands.command_parsers().items():
        for action in parser._actions:
            if not isinstance(action, argparse._AppendAction) and action.nargs is None:
                value = next(iter(action.choices or "1"))
                found += ((name, spelling, value) for spelling in action.option_strings)
    return found


@pytest.mark.parametrize(("command", "option", "value"), single_valued())
def test_a_second_value_of_an_option_that_has_one_is_refused(
    command: str, option: str, value: str, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        status: object = main([command, option, value, option, value])
    except SystemExit as stop:  # argparse
        status = stop.code
    told = capsys.readouterr().err
    assert status == 2
    assert option in told
    assert "takes one value and is given several" in told


def test_every_command_of_both_kinds_is_looked_at() -> None:
    names = {command for command, _, _ in single_valued()}
    assert {"build", "test", "export", "attach", "polyfill", "decompile"} <= names


@pytest.mark.parametrize(
    ("words", "repeated"),
    [
        ("--cache a --cache b", "--cache"),
        ("--cache=a --cache b", "--cache"),
        ("-o a --output=b", "--output"),
        ("-oa -ob", "-o"),
        ("-s a -s b", ""),
        ("--json --json", ""),
        ("-o --cache --cache b", ""),
        ("-- --cache a --cache b", ""),
    ],
)
def test_what_counts_as_repeated(words: str, repeated: str) -> None:
    options = [
        Option(("--cache",), takes_value=True, may_repeat=False),
        Option(("-o", "--output"), takes_value=True, may_repeat=False),
        Option(("-s", "--select"), takes_value=True, may_repeat=True),
        Option(("--json",), takes_value=False, may_repeat=False),
    ]
    assert repeated_option(options, words.split()) == repeated


def test_selections_add_up(library: Any, opwright: Opwright) -> None:
    assert len(opwright("ls", "-s", "Swish", "-s", "com.acme/*", "--json").lines) == 1
    assert opwright("ls", "-s", "Swihs", "-s", "Swosh").err.count("OW907") == 2
