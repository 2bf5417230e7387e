"""CONTRIBUTING.md names files and folders that exist."""

from __future__ import annotations

import re

from tests.docs.pages import DOCS

ROOT = DOCS.parent
_PATH = re.compile(r"`((?:benchmarks|buildtool|docs|library|specs|tests)/[^`\s]*)`")
_PLACEHOLDER = re.compile(r"<\w+>")


def test_what_it_names_exists() -> None:
    """`<name>` stands for any."""
    named = _PATH.findall((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    assert len(named) >= 10
    missing = [path for path in named if not any(ROOT.glob(_PLACEHOLDER.sub("*", path)))]
    assert not missing
