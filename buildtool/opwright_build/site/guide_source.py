"""Pages of the guide: Markdown of the library's docs as sources of the generator, with links among them and to
functions.

A page that is long has its sections as pages of their own.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from posixpath import dirname, join, normpath, relpath

from opwright_build.site.safe_markdown import Block, Code, Heading, Prose, Resolve, safe_blocks
from opwright_build.site.site_record import GuideGroup, GuidePage
from opwright_build.site.source_page import SourcePage

_LONG = 100_000  # characters from which a page is cut
_HEAD = 4_000  # characters that have the title
_REFERENCE = "reference/"  # where the pages that `opwright docs` writes lie, below the guide


def guide_title(page: GuidePage) -> str:
    """The first heading of a page."""
    return next((block.text for block in safe_blocks(page.text[:_HEAD]) if isinstance(block, Heading)), page.path)


def guide_pages(groups: Sequence[GuideGroup], functions: Collection[str]) -> Iterator[tuple[str, SourcePage]]:
    """Sources by page. `functions` are the pages of functions."""
    pieces = [piece for group in groups for page in group.pages for piece in _pieces(page)]
    links = _Links(pieces, functions)
    for piece in pieces:
        yield f"guide/{piece.path}", _source(piece, links)


@dataclass(frozen=True, slots=True)
class _Piece:
    """A page, or a section of a long one, whose title is `within`: `path` is its own, `origin` that of the Markdown.
    `sections` are the pages that a long one is cut into."""

    path: str
    origin: str
    blocks: tuple[Block, ...]
    sections: tuple[tuple[str, str], ...] = ()
    within: str = ""


def _pieces(page: GuidePage) -> list[_Piece]:
    blocks = list(safe_blocks(page.text))
    if len(page.text) < _LONG:
        return [_Piece(page.path, page.path, tuple(blocks))]
    parts: list[list[Block]] = [[]]
    for block in blocks:
        if isinstance(block, Heading) and block.level == 2:
            parts.append([])
        parts[-1].append(block)
    found: list[_Piece] = []
    taken: set[str] = set()
    for part in parts[1:]:
        title = part[0].text if isinstance(part[0], Heading) else ""
        path = f"{page.path}/{_free(slug(title) or 'section', taken)}"
        found.append(_Piece(path, page.path, tuple(part), within=guide_title(page)))
    sections = tuple((piece.path, piece.blocks[0].text) for piece in found if isinstance(piece.blocks[0], Heading))
    return [_Piece(page.path, page.path, tuple(parts[0]), sections), *found]


class _Links:
    """Where links of the Markdown lead."""

    def __init__(self, pieces: Sequence[_Piece], functions: Collection[str]) -> None:
        self.functions = functions
        self.pages = {piece.origin for piece in pieces}
        self.anchors: dict[tuple[str, str], str] = {}  # of a page of Markdown, the piece that has the anchor
        for piece in pieces:
            for anchor, _ in _anchored(piece):
                self.anchors.setdefault((piece.origin, anchor), piece.path)

    def of(self, piece: _Piece) -> Resolve:
        here = f"guide/{piece.path}"

        def resolve(target: str) -> str | None:
            path, _, fragment = target.partition("#")
            if not path:
                return self._address(piece.origin, fragment, here)
            wanted = normpath(join(dirname(piece.origin), path))
            if not wanted.endswith(".md"):
                return None
            wanted = wanted.removesuffix(".md")
            if wanted in self.pages:
                return self._address(wanted, fragment, here)
            function = f"functions/{wanted.removeprefix(_REFERENCE)}"
            if wanted.startswith(_REFERENCE) and function in self.functions:
                return _relative(function, here)
            return _relative("functions/index", here) if wanted == f"{_REFERENCE}README" else None

        return resolve

    def _address(self, origin: str, fragment: str, here: str) -> str:
        page = f"guide/{self.anchors.get((origin, fragment), origin)}"
        anchor = f"#at-{fragment}" if (origin, fragment) in self.anchors else ""
        return anchor if page == here and anchor else f"{_relative(page, here)}{anchor}"


def _source(piece: _Piece, links: _Links) -> SourcePage:
    resolve = links.of(piece)
    here = f"guide/{piece.path}"
    headings = _anchored(piece)
    title, top = next(headings, ("", Heading(1, piece.path)))
    page = SourcePage(f"{piece.within}: {top.text}" if piece.within else top.text)
    page.html(_anchor(title))
    level, rest = 1, list(piece.blocks)
    if top in rest:
        rest.remove(top)
    for block in rest:
        match block:
            case Heading():
                anchor, _ = next(headings)
                level = min(max(block.level - top.level + 1, 2), level + 1)
                page.heading(level, block.text, f"at-{anchor}")
            case Code(language, text):
                page.code(language, text)
            case Prose():
                page.html(block.html(resolve))
    if piece.sections:
        items = (
            f'<li><a href="{escape(_relative(f"guide/{path}", here))}">{escape(text)}</a></li>'
            for path, text in piece.sections
        )
        page.html(f"<ul>{''.join(items)}</ul>")
        page.contents("Sections", [f"guide/{path}" for path, _ in piece.sections])
    return page


def _anchored(piece: _Piece) -> Iterator[tuple[str, Heading]]:
    """The headings of a piece with their anchors, as GitHub makes them."""
    taken: set[str] = set()
    for block in piece.blocks:
        if isinstance(block, Heading):
            yield _free(slug(block.text), taken), block


def slug(text: str) -> str:
    """The anchor of a heading: letters, digits, `-` and `_`."""
    return re.sub(r"[^\w-]", "", text.lower().replace(" ", "-"))


def _free(name: str, taken: set[str]) -> str:
    found, count = name, 0
    while found in taken:
        count += 1
        found = f"{name}-{count}"
    taken.add(found)
    return found


def _anchor(name: str) -> str:
    return f'<span class="ow-anchor" id="at-{escape(name)}"></span>' if name else ""


def _relative(page: str, here: str) -> str:
    return f"{relpath(page, dirname(here))}.html"
