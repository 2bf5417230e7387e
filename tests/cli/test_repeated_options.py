"""Options that are given more than once: they add up, or are refused; none is taken for the last in silence."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import pytest
from opwright import commands
from opwright_build.cli.command_runner import command_parser
from opwright_build.cli.command_summaries import ON_LIBRARIES
from opwright_build.cli.entry import main

Opwright = Callable[..., Any]
PARSERS = {**{name: command_parser(name) for name in ON_LIBRARIES}, **commands.command_parsers()}


def single_valued() -> list[tuple[str, str, str]]:
    """Every option of every command that takes one value, with a value: of the build tool, and of those on models."""
    found: list[tuple[str, str, str]] = []
    for name, parser in PARSERS.items():
        for action in parser._actions:
            if not isinstance(action, argparse._AppendAction) and action.nargs is None:
                value = "0" * 64 if action.dest == "sha256" else str(next(iter(action.choices or "1")))
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
        ("--opset 18 -o a --output=b", "--output"),
        ("--opset 18 -oa -ob", "-o"),
        ("--opset 18 a -o b -o c", "-o"),
        ("--opset 18 -s a -s b", ""),
        ("--opset 18 --opset 19", ""),
        ("--opset 18 -o c --cache b", ""),
    ],
)
def test_what_counts_as_repeated(words: str, repeated: str, capsys: pytest.CaptureFixture[str]) -> None:
    parser = command_parser("export")
    if repeated:
        with pytest.raises(SystemExit, match="2"):
            parser.parse_intermixed_args(words.split())
        assert f"{repeated} takes one value and is given several" in capsys.readouterr().err
    else:
        assert parser.parse_intermixed_args(words.split()).opset


def test_selections_add_up(library: Any, opwright: Opwright) -> None:
    assert len(opwright("ls", "-s", "Swish", "-s", "com.acme/*", "--json").lines) == 1
    assert opwright("ls", "-s", "Swihs", "-s", "Swosh").err.count("OW907") == 2
