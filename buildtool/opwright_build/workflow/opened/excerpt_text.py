"""The text of a library's files, for the excerpts in findings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path, PurePosixPath

from opwright_build.engine.tree import MOST_SOURCE_BYTES, Tree, read_regular


def library_text(root: Path) -> Callable[[str], str | None]:
    """A function from a path relative to `root` to the file's text; None for what cannot be had or lies outside."""

    tree = Tree(root)

    def text(file: str) -> str | None:
        path = PurePosixPath(file)
        if path.is_absolute() or ".." in path.parts:
            return None
        if tree.refuse_source(file) is not None:
            return None
        try:
            return read_regular(root / path, MOST_SOURCE_BYTES).decode("utf-8", "replace")
        except (OSError, ValueError):
            return None

    return text
