"""Texts of a library's author, put into documents that are Markdown: what they say stays, but none of it is HTML."""

from __future__ import annotations

import re
from collections.abc import Iterator

# Code is shown as it is: a span on one line, and a block whose fences begin their lines. What other readers of Markdown
# might take for no code is text here.
_BLOCK = r"^(?P<fence>`{3,})[^`\n]*\n(?:.*\n)*?(?P=fence)`*[ \t]*$"
_SPAN = r"(?<!`)(?P<mark>`+)(?!`)[^\n]*?(?<!`)(?P=mark)(?!`)"
_CODE = re.compile(f"{_BLOCK}|{_SPAN}", re.MULTILINE)
_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_SCHEME = re.compile(r"(\](?:\(|:)\s*<?\s*(?:javascript|vbscript|data)\s*):", re.IGNORECASE)


def prose(text: str) -> str:
    """The text with what would begin a tag, or a link that runs something, as characters; code stays as it is."""
    return "".join(_parts(text))


def _parts(text: str) -> Iterator[str]:
    end = 0
    for code in _CODE.finditer(text):
        yield _harmless(text[end : code.start()])
        yield code[0]
        end = code.end()
    yield _harmless(text[end:])


def _harmless(text: str) -> str:
    return _SCHEME.sub(r"\1&#58;", _TAG.sub("&lt;", text))
