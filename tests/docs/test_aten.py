"""docs/aten.md runs, one block behind the other, and its tables of forms say what the code says."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from itertools import groupby
from pathlib import Path

import pytest
from opwright.aten.forms.form_table import FORMS

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


def test_the_tables_have_every_form(golden: Callable[[Path, str], None]) -> None:
    """A table for each module, under what the module says of itself."""
    lines = [""]
    for module, forms in groupby(FORMS.values(), key=lambda form: form.__module__):
        lines += [_on_one_line(sys.modules[module]), "", "| form | what the function gets |", "|---|---|"]
        lines += [f"| `{form.__name__}` | {_on_one_line(form)} |" for form in forms]
        lines.append("")
    table = "\n".join([*lines, ""])
    golden(PAGE, _FORMS.sub(lambda _: table, PAGE.read_text(encoding="utf-8")))


def _on_one_line(item: object) -> str:
    return " ".join((item.__doc__ or "").split())
