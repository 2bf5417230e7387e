"""Which pages a guide has: those that the lists of `docs/README.md` link to, grouped by its headings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from posixpath import normpath
from urllib.parse import urlsplit

from opwright_build.engine.tree import stays_inside
from opwright_build.site.safe_markdown import Heading, Prose, safe_blocks

GUIDE = "docs/README.md"
_GROUP = "Guide"
_PATH = re.compile(r"[\w./-]+\.md")
_LIST_BEGINS = ("bullet_list_open", "ordered_list_open")
_LIST_ENDS = ("bullet_list_close", "ordered_list_close")


def listed_pages(text: str) -> list[tuple[str, list[str]]]:
    """The paths of pages below the folder of the guide, each once, by the heading that they stand under."""
    groups: list[tuple[str, list[str]]] = [(_GROUP, [])]
    seen: set[str] = set()
    for block in safe_blocks(text):
        if isinstance(block, Heading) and block.level > 1:
            groups.append((block.text, []))
        elif isinstance(block, Prose):
            for path in _linked(block):
                if path not in seen:
                    seen.add(path)
                    groups[-1][1].append(path)
    return [(title, paths) for title, paths in groups if paths]


def _linked(block: Prose) -> Iterator[str]:
    depth = 0
    for token in block.tokens:
        depth += (token.type in _LIST_BEGINS) - (token.type in _LIST_ENDS)
        for child in (token.children or ()) if depth else ():
            href = str(child.attrs.get("href", "")) if child.type == "link_open" else ""
            path = normpath(href.partition("#")[0])
            if _PATH.fullmatch(path) and stays_inside(path) and not _is_foreign(href):
                yield path


def _is_foreign(href: str) -> bool:
    try:
        parts = urlsplit(href)
    except ValueError:
        return True
    return bool(parts.scheme or parts.netloc)
