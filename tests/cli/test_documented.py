"""What docs/command-line.md promises about statuses and schemas is what the code has."""

import re
from pathlib import Path

from opwright.diagnostics.exits import Exit
from opwright_build.cli.crash import OUR_BUG
from opwright_build.report.schemas import output_schemas

ROOT = Path(__file__).parents[2]


def test_the_exit_statuses() -> None:
    text = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
    listed = [int(number) for number in re.findall(r"^\| (\d+) \|", text, re.MULTILINE)]
    assert listed == [int(status) for status in Exit]
    assert Exit.OUR_BUG == OUR_BUG


def test_every_command_with_json_has_a_schema() -> None:
    source = (ROOT / "buildtool" / "opwright_build" / "cli" / "app.py").read_text(encoding="utf-8")
    declared = [part.partition("def ")[2] for part in source.split("@app.command")[1:] if "JsonOption" in part]
    commands = {text.partition("(")[0] for text in declared} | {
        "polyfill",  # which is not the build tool's
        "diff",  # whose option is --format
    }
    assert {"test" if name == "run_tests" else name for name in commands} == set(output_schemas())
