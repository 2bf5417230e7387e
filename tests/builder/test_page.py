"""The blocks of docs/builder.md, run in order."""

from __future__ import annotations

import linecache
import re
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[2] / "docs" / "builder.md"


def test_the_page_runs() -> None:
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) > 6
    text = "\n".join(blocks)
    linecache.cache["builder.md"] = (len(text), None, text.splitlines(keepends=True), "builder.md")
    names: dict[str, Any] = {"__name__": "page"}
    exec(compile(text, "builder.md", "exec", dont_inherit=True), names)
    assert names["found"].place.file.endswith("builder.md")
