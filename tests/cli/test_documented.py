"""What docs/command-line.md promises about statuses and schemas is what the code has."""

import re
from pathlib import Path

from opwright.diagnostics.exits import Exit
from opwright_build.cli.command_runner import command_parser
from opwright_build.cli.command_summaries import ON_LIBRARIES
from opwright_build.cli.crash import OUR_BUG
from opwright_build.report.schemas import output_schemas

ROOT = Path(__file__).parents[2]


def test_the_exit_statuses() -> None:
    text = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
    listed = [int(number) for number in re.findall(r"^\| (\d+) \|", text, re.MULTILINE)]
    assert listed == [int(status) for status in Exit]
    assert Exit.OUR_BUG == OUR_BUG


def test_every_command_with_json_has_a_schema() -> None:
    parsers = {name: command_parser(name) for name in ON_LIBRARIES}
    commands = {name for name, parser in parsers.items() if "--json" in parser.format_help()}
    others = {"polyfill", "convert", "attach", "upgrade", "diff"}  # not the build tool's, or it is --format
    assert commands | others == set(output_schemas())
