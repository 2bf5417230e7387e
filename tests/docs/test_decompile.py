"""docs/decompile.md runs, and prints what it shows."""

from __future__ import annotations

import contextlib
import io
import re
from typing import Any

from tests.decompiler.exceptions import read_exceptions
from tests.docs.pages import DOCS

PAGE = DOCS / "decompile.md"


def test_every_block_runs_and_prints_what_is_shown() -> None:
    text = PAGE.read_text(encoding="utf-8")
    names: dict[str, Any] = {"__name__": "decompile"}
    for code, _, shown in re.findall(r"```python\n(.*?)```(\n```text\n(.*?)```)?", text, re.DOTALL):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, str(PAGE), "exec"), names)
        assert printed.getvalue().rstrip() == shown.rstrip()


def test_the_counts_are_those_of_the_lists() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for faithful, form in ((False, "readable form"), (True, "faithful one")):
        assert f"{1884 - len(read_exceptions(faithful)):,}" in text, form
