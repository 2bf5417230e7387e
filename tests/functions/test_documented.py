"""The page on functions and models runs."""

from __future__ import annotations

import linecache
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[2] / "docs" / "functions.md"


def test_every_block_of_the_page_runs_after_those_before_it() -> None:
    inside = False
    lines = []
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        fence = line.startswith("```")
        inside = line == "```python" if fence else inside
        lines.append(line if inside and not fence else "")
    text = "\n".join(lines) + "\n"
    # The text keeps the page's line numbers, and stands where the compiler finds it.
    name = "<docs/functions.md>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    names: dict[str, Any] = {"__name__": "functions"}
    exec(compile(text, name, "exec", dont_inherit=True), names)
    assert "twice" in names
