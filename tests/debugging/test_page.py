"""The blocks of docs/debugging.md: what they define and print."""

from __future__ import annotations

import contextlib
import io
import linecache
import re
from collections.abc import Callable
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "debugging.md"
NETS = Path(__file__).with_name("nets.py")
PRINTED = re.compile(r"(<!-- printed by the block above -->\n```text\n)(.*?)(```)", re.DOTALL)


def blocks() -> list[str]:
    return re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


def test_the_function_is_the_one_that_is_debugged() -> None:
    assert blocks()[0] in NETS.read_text(encoding="utf-8")


def test_the_page_shows_what_is_printed(golden: Callable[[Path, str], None]) -> None:
    text = blocks()[1]
    linecache.cache["joined.py"] = (len(text), None, text.splitlines(keepends=True), "joined.py")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(text, "joined.py", "exec", dont_inherit=True), {"__name__": "joined"})
    page = PAGE.read_text(encoding="utf-8")
    golden(PAGE, PRINTED.sub(lambda found: found[1] + printed.getvalue() + found[3], page))
