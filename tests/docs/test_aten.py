"""docs/aten.md runs, one block behind the other, and its table of forms says what the code says."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from opwright.aten.argument_forms import FORMS

from tests.cli.conftest import run_command
from tests.docs.pages import DOCS
from tests.docs.tutorial_steps import Command, File, steps

PAGE = DOCS / "aten.md"
_FORMS = re.compile(r"(?<=<!-- forms -->\n).*?(?=<!-- end of forms -->)", re.DOTALL)


def run(command: Command) -> None:
    match shlex.split(command.line):
        case ["cd", folder]:
            os.chdir(folder)
        case ["mv", source, target]:
            shutil.move(source, target)
        case ["python", file]:
            subprocess.run([sys.executable, file], check=True, timeout=100)
        case ["opwright", *rest]:
            ran = run_command(*rest)
            assert ran.status == command.status, f"{command.line}\n{ran.out}{ran.err}"
            assert command.missing(ran.err + ran.out) == [], ran.err + ran.out
        case _:
            raise AssertionError(f"nothing here runs: {command.line}")


def test_the_page_from_its_first_block_to_its_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    for step in steps(PAGE.read_text(encoding="utf-8")):
        if isinstance(step, File):
            Path(step.path).write_text(step.text, encoding="utf-8")
        else:
            run(step)


def test_the_table_has_every_form(golden: Callable[[Path, str], None]) -> None:
    rows = [f"| `{name}` | {' '.join((form.__doc__ or '').split())} |" for name, form in FORMS.items()]
    table = "\n".join(["", "| form | what the function gets |", "|---|---|", *rows, "", ""])
    golden(PAGE, _FORMS.sub(lambda _: table, PAGE.read_text(encoding="utf-8")))
