"""A page of reStructuredText, as the generator reads it: headings, code, and HTML that is ready.

Texts get into it as code, as HTML in which they are escaped, or as headings whose every mark is escaped. Lines are
split as docutils splits them, so that nothing ends the block that it stands in.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

_UNDERLINES = "=-~^'"
_LANGUAGES = {
    "python": "python",
    "py": "python",
    "sh": "bash",
    "bash": "bash",
    "console": "console",
    "yaml": "yaml",
    "json": "json",
    "toml": "toml",
    "diff": "diff",
    "ini": "ini",
    "make": "make",
    "c++": "cpp",
    "cpp": "cpp",
}


class SourcePage:
    def __init__(self, title: str, description: str = "") -> None:
        self._lines: list[str] = [":orphan:", ""]
        if description:
            self._lines += [".. meta::", f"   :description: {escaped(description)}", ""]
        self.heading(1, title)

    def heading(self, level: int, title: str, anchor: str = "") -> None:
        """`anchor` is where links within the site lead."""
        shown = escaped(" ".join(title.split())) or "..."
        underline = _UNDERLINES[min(level, len(_UNDERLINES)) - 1] * max(
            len(shown) * 2, 4
        )  # wide characters count twice
        self._lines += [shown, underline, ""]
        if anchor:
            self.html(f'<span class="ow-anchor" id="{escape(anchor)}"></span>')

    def html(self, text: str) -> None:
        """HTML in which every text is escaped."""
        if text.strip():
            self._block(".. raw:: html", text)

    def code(self, language: str, text: str) -> None:
        known = _LANGUAGES.get(language.lower(), "text")
        self._block(f".. code-block:: {known}\n   :force:", text.rstrip() or "...")

    def contents(self, title: str, pages: Iterable[str]) -> None:
        """Pages for the side bar, under that title."""
        self._lines += [".. toctree::", "   :hidden:", f"   :caption: {' '.join(title.split())}", ""]
        self._lines += [f"   /{page}" for page in pages]
        self._lines.append("")

    def text(self) -> str:
        return "\n".join(self._lines) + "\n"

    def _block(self, head: str, text: str) -> None:
        self._lines += [*head.split("\n"), "", *(f"   {line}".rstrip() for line in text.splitlines()), ""]


def escaped(text: str) -> str:
    """Text that docutils takes for text."""
    return "".join(char if char.isalnum() or char == " " else f"\\{char}" for char in text if char.isprintable())
