"""docs/models.md runs, and prints what it shows."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path
from typing import Any

import pytest
from opwright.bundle.read import find_bundle
from opwright.downlevel import rewrite

from tests.docs.pages import DOCS

PAGE = DOCS / "models.md"


def test_every_block_runs_and_prints_what_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, standard_file: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(rewrite, "find_bundle", lambda name: find_bundle(standard_file))
    text = PAGE.read_text(encoding="utf-8")
    names: dict[str, Any] = {"__name__": "models"}
    blocks = re.findall(r"```python\n(.*?)```(\n```text\n(.*?)```)?", text, re.DOTALL)
    assert len(blocks) == 3
    for code, _, shown in blocks:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, str(PAGE), "exec"), names)
        assert printed.getvalue().rstrip() == shown.rstrip()
