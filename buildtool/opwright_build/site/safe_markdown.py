"""Markdown of authors as HTML that is text and nothing else: no tags of theirs, no images, no links that run something.

Links lead to pages of the site, as `resolve` says, or by http, https and mailto; what else is linked stays as text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableMapping, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from typing import Any
from urllib.parse import urlsplit

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

Resolve = Callable[[str], str | None]
_SCHEMES = ("http", "https", "mailto")
_COMMENT = "<!--"


@dataclass(frozen=True, slots=True)
class Heading:
    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Code:
    language: str
    text: str


@dataclass(frozen=True, slots=True)
class Prose:
    """What is between headings and code."""

    tokens: tuple[Token, ...]

    def html(self, resolve: Resolve) -> str:
        return _rendered(self.tokens, resolve)


Block = Heading | Code | Prose


def nowhere(target: str) -> str | None:
    """For texts that link to no page of the site."""
    return None


def safe_html(text: str, resolve: Resolve = nowhere) -> str:
    """Blocks of Markdown as HTML."""
    return _rendered(_parser().parse(text), resolve)


def safe_inline(text: str, resolve: Resolve = nowhere) -> str:
    """Text of one line as HTML, without a paragraph around it."""
    return _rendered(_parser().parseInline(" ".join(text.split())), resolve)


def safe_blocks(text: str) -> Iterator[Block]:
    """The headings, the blocks of code and what is between them, in order. Headings are plain text."""
    tokens: list[Token] = []
    pending = iter(_parser().parse(text))
    for token in pending:
        if token.level or token.type not in ("heading_open", "fence", "code_block"):
            tokens.append(token)
            continue
        if tokens:
            yield Prose(tuple(tokens))
            tokens = []
        if token.type == "heading_open":
            yield Heading(int(token.tag[1:]), _plain(next(pending)))
            next(pending)  # its end
        else:
            yield Code((token.info.split() or [""])[0], token.content)
    if tokens:
        yield Prose(tuple(tokens))


@cache
def _parser() -> MarkdownIt:
    # With `html`, tags are tokens of their own, so that comments can be told from text.
    return MarkdownIt("commonmark", {"html": True}, renderer_cls=_Renderer).enable("table")


def _rendered(tokens: Sequence[Token], resolve: Resolve) -> str:
    parser = _parser()
    return str(parser.renderer.render(tokens, parser.options, {"resolve": resolve}))


def _plain(token: Token) -> str:
    texts = (
        child.content if child.type in ("text", "code_inline", "html_inline") else "" for child in token.children or ()
    )
    return " ".join("".join(texts).split())


class _Renderer(RendererHTML):
    def html_block(self, tokens: Sequence[Token], idx: int, options: Any, env: MutableMapping[str, Any]) -> str:
        content = tokens[idx].content
        return "" if content.lstrip().startswith(_COMMENT) else f"<p>{escape(content)}</p>\n"

    def html_inline(self, tokens: Sequence[Token], idx: int, options: Any, env: MutableMapping[str, Any]) -> str:
        content = tokens[idx].content
        return "" if content.startswith(_COMMENT) else escape(content)

    def image(self, tokens: Sequence[Token], idx: int, options: Any, env: MutableMapping[str, Any]) -> str:
        return escape(tokens[idx].content)

    def fence(self, tokens: Sequence[Token], idx: int, options: Any, env: MutableMapping[str, Any]) -> str:
        return f"<pre>{escape(tokens[idx].content)}</pre>\n"

    def link_open(self, tokens: Sequence[Token], idx: int, options: Any, env: MutableMapping[str, Any]) -> str:
        target = _target(str(tokens[idx].attrs.get("href", "")), env["resolve"])
        if target is None:
            return "<span>"
        foreign = ' rel="noopener noreferrer"' if urlsplit(target).scheme else ""
        return f'<a href="{escape(target)}"{foreign}>'

    def link_close(self, tokens: Sequence[Token], idx: int, options: Any, env: MutableMapping[str, Any]) -> str:
        depth = 0
        for token in reversed(tokens[:idx]):
            depth += (token.type == "link_close") - (token.type == "link_open")
            if depth < 0:
                linked = _target(str(token.attrs.get("href", "")), env["resolve"]) is not None
                return "</a>" if linked else "</span>"
        return ""

    def table_open(self, tokens: Sequence[Token], idx: int, options: Any, env: MutableMapping[str, Any]) -> str:
        return '<div class="table-wrapper" tabindex="0"><table class="docutils">\n'

    def table_close(self, tokens: Sequence[Token], idx: int, options: Any, env: MutableMapping[str, Any]) -> str:
        return "</table></div>\n"

    def code_inline(self, tokens: Sequence[Token], idx: int, options: Any, env: MutableMapping[str, Any]) -> str:
        return f'<code class="docutils literal">{escape(tokens[idx].content)}</code>'


def _target(href: str, resolve: Resolve) -> str | None:
    try:
        parts = urlsplit(href)
    except ValueError:
        return None
    if parts.scheme or parts.netloc:
        return href if parts.scheme in _SCHEMES else None
    return resolve(href)
