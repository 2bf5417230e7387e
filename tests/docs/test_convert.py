"""docs/convert.md runs, and prints what it shows."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest
from opwright.commands import main

from tests.docs.pages import DOCS

PAGE = DOCS / "convert.md"


def test_every_block_runs_and_prints_what_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = PAGE.read_text(encoding="utf-8")
    ((code, shown),) = re.findall(r"```python\n(.*?)```\n```text\n(.*?)```", text, re.DOTALL)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, str(PAGE), "exec"), {"__name__": "converting"})
    assert printed.getvalue().rstrip() == shown.rstrip()
    ((console),) = re.findall(r"```console\n(.*?)```", text, re.DOTALL)
    for block in console.split("$ opwright ")[1:]:
        command, *lines = block.splitlines()
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            assert main(command.split()) == 0
        assert printed.getvalue().splitlines() == lines
