"""The blocks of docs/eager.md, run in order."""

from __future__ import annotations

import linecache
import re
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[2] / "docs" / "eager.md"


def test_the_page_runs() -> None:
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) > 5
    text = "\n".join(blocks)
    linecache.cache["eager.md"] = (len(text), None, text.splitlines(keepends=True), "eager.md")
    names: dict[str, Any] = {"__name__": "page"}
    exec(compile(text, "eager.md", "exec", dont_inherit=True), names)
    assert callable(names["swish"])
