"""docs/adr and docs/architecture.md name code that is there: what is renamed or goes is renamed in them, or said to be
gone."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = [*sorted((ROOT / "docs" / "adr").glob("*.md")), ROOT / "docs" / "architecture.md"]
FOLDERS = ("library", "buildtool", "tests", "benchmarks", "specs")
SOURCES = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py") if path != Path(__file__).resolve()]
OF_OTHERS = {"Client.get_executor", "ONNXProgram.apply_weights"}
GONE = {"lang/pieces.py"}  # and the page says so


def named(pattern: str) -> dict[str, str]:
    """What stands between backticks, to the page that says it."""
    return {found[1]: page.name for page in PAGES for found in re.finditer(pattern, page.read_text(encoding="utf-8"))}


def test_each_part_of_a_dotted_name_is_a_word_of_the_code() -> None:
    words = {word for path in SOURCES for word in re.findall(r"\w+", path.read_text(encoding="utf-8"))}
    names = named(r"`([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+)(?:\([^`]*\))?`")
    unknown = {name for name in names if not words.issuperset(name.split("."))}
    assert unknown == OF_OTHERS, {name: names[name] for name in unknown ^ OF_OTHERS}


def test_each_module_that_is_named_with_its_folder_is_there() -> None:
    there = [path.as_posix() for path in SOURCES]
    names = named(r"`([\w.]+/[\w./]*\.py)`")
    unknown = {name for name in names if not any(path.endswith(f"/{name}") for path in there)}
    assert unknown == GONE, {name: names[name] for name in unknown ^ GONE}
