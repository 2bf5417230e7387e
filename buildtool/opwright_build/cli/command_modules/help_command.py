"""`opwright help`."""

from __future__ import annotations

import argparse

from opwright.diagnostics.exits import Exit

from opwright_build.cli.command_table import described_commands
from opwright_build.cli.entry import main
from opwright_build.cli.text_reporter import standard_console

SUMMARY = "List all commands, or show the options of one."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("command", nargs="?", default="", help="the command to show")


def run(options: argparse.Namespace) -> int:
    commands = described_commands()
    if options.command in commands:
        return main([options.command, "--help"])
    console = standard_console()
    if options.command:
        console.progress(f"opwright: there is no command {options.command!r}")
        return Exit.USAGE
    width = max(map(len, commands))
    for name, command in commands.items():
        console.result(f"  {name.ljust(width)}  {command.summary}")
    console.result("\n`opwright help COMMAND` shows the options of one.")
    return Exit.GOOD
