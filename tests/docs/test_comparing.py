"""docs/comparing.md runs, and prints what it shows."""

from __future__ import annotations

import linecache
import re
from typing import Any

import pytest

from tests.docs.pages import DOCS

PAGE = DOCS / "comparing.md"


def test_the_page_runs_and_prints_what_it_shows(capsys: pytest.CaptureFixture[str]) -> None:
    page = PAGE.read_text(encoding="utf-8")
    text = "\n".join(re.findall(r"^```python\n(.*?)^```$", page, re.DOTALL | re.MULTILINE))
    [shown] = re.findall(r"^```text\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    linecache.cache["<comparing>"] = (len(text), None, text.splitlines(keepends=True), "<comparing>")
    namespace: dict[str, Any] = {"__name__": "comparing"}
    exec(compile(text, "<comparing>", "exec", dont_inherit=True), namespace)
    assert capsys.readouterr().out == shown
