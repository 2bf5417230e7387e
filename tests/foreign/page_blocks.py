"""The blocks of a page of docs/, run in order: each prints what the page shows."""

from __future__ import annotations

import contextlib
import io
import linecache
import re
import sys
from pathlib import Path
from types import ModuleType

DOCS = Path(__file__).parents[2] / "docs"


def check_page(name: str) -> None:
    """AssertionError where a block prints something else."""
    text = (DOCS / name).read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```(?:\n```text\n(.*?)```)?", text, re.DOTALL)
    assert len(blocks) >= 2
    page = ModuleType("page_blocks_page")
    sys.modules[page.__name__] = page  # onnxscript looks for the module of what it decorates
    for index, (code, shown) in enumerate(blocks):
        file = f"{name} block {index}"
        linecache.cache[file] = (len(code), None, code.splitlines(keepends=True), file)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, file, "exec", dont_inherit=True), vars(page))
        assert printed.getvalue().rstrip() == shown.rstrip()
