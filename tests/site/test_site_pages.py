"""Sources of pages from the record of a library: a golden page, and that nothing of an author is markup."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from opwright_build.site.guide_index import listed_pages
from opwright_build.site.recorded_library import unusual
from opwright_build.site.safe_markdown import safe_html, safe_inline
from opwright_build.site.site_pages import FUNCTION_LIST, site_pages
from opwright_build.site.site_record import SiteRecord
from opwright_build.site.source_page import SourcePage

from tests.bundle.sample import sample_index
from tests.site.hostile_library import HOSTILE

GOLDEN = Path(__file__).with_name("golden")
Golden = Callable[[Path, str], None]
Record = Callable[[dict[str, str]], SiteRecord]

HTML = "   "  # what begins a line of a block
DIRECTIVES = {".. raw:: html", ".. toctree::", ".. meta::", ":orphan:"}
# What our templates, the drawings and the reader of Markdown write.
TAGS = """
a br button circle code dd details div dl dt em figcaption figure g h2 li math mfrac mi mn mo mrow mtext nav ol p path
pre rect section span strong summary svg table tbody td text th thead tr tspan ul
"""
ATTRIBUTES = """
aria-hidden aria-label class cx cy d data-zoom display dy fill height href id mathvariant r rel role rx scope style
tabindex title transform type viewbox width x y
"""


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_decl(self, decl: str) -> None:
        raise AssertionError(decl)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)


def blocks(page: str) -> Iterator[tuple[str, str]]:
    """The directives of a page with what they hold; whatever else is not a heading is refused."""
    head, held = "", []
    lines = page.split("\n")
    for number, line in enumerate(lines):
        if line.startswith(HTML) or (head and not line):
            held.append(line[len(HTML) :])
            continue
        if head and line:
            yield head, "\n".join(held)
            head, held = "", []
        if line in DIRECTIVES or line.startswith(".. code-block:: "):
            head = line
        elif line and not re.fullmatch(r"([=~^'-])\1{3,}", line):
            assert re.fullmatch(r"(?:[^\W_]|[ ]|\\.)+", line), line  # a heading, every mark of it escaped
            assert re.fullmatch(r"([=~^'-])\1{3,}", lines[number + 1]), line
    if head:
        yield head, "\n".join(held)


def tags_of(html: str) -> list[tuple[str, dict[str, str | None]]]:
    parser = _Tags()
    parser.feed(html)
    parser.close()
    return parser.tags


def require_harmless(html: str) -> None:
    for tag, attributes in tags_of(html):
        assert tag in TAGS.split(), tag
        assert set(attributes) <= set(ATTRIBUTES.split()), (tag, attributes)
        href = attributes.get("href") or "#"
        assert not re.match(r"\s*(?!https?:|mailto:)[\w+.-]*:|//", href), href


def test_nothing_of_an_author_is_markup(record: Record) -> None:
    pages = site_pages(record(HOSTILE))
    assert set(pages) == {
        "index.rst",
        "functions/index.rst",
        "functions/com.acme/Swish.rst",
        "calls.rst",
        "guide/one.rst",
        "guide/two.rst",
        FUNCTION_LIST,
    }
    for path, text in pages.items():
        if path == FUNCTION_LIST:
            continue
        for head, held in blocks(text):
            if head == ".. raw:: html":
                require_harmless(held)
    page = pages["functions/com.acme/Swish.rst"]
    for number in (1, 2, 4, 6, 7, 8):
        assert f"alert({number})" in page  # as text
    assert "https://example.org/?a=1&amp;b=2" in page


def test_links_of_the_guide_lead_to_pages_of_the_site(record: Record) -> None:
    html = "".join(held for _, held in blocks(site_pages(record(HOSTILE))["guide/one.rst"]))
    links = [attributes["href"] for tag, attributes in tags_of(html) if tag == "a"]
    assert links == ["one.html", "../functions/com.acme/Swish.html", "#at-two--raw-html"]
    assert 'id="at-two--raw-html"' in html


def test_a_page_of_a_function(record: Record, golden: Golden) -> None:
    site = record({})
    (function,) = site.functions
    assert function.newest.example is not None
    pages = site_pages(site)
    golden(GOLDEN / "Swish.rst", pages["functions/com.acme/Swish.rst"])
    golden(GOLDEN / "index.rst", pages["index.rst"])
    assert pages == site_pages(site)


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("a <b>c</b> & d", "a &lt;b&gt;c&lt;/b&gt; &amp; d"),
        ("[x](javascript:alert(1))", "[x](javascript:alert(1))"),
        ("[x](JaVaScript&#58;alert(1))", "[x](JaVaScript:alert(1))"),
        ("[x](data:text/html,1)", "[x](data:text/html,1)"),
        ("[x](other.md)", "<span>x</span>"),
        ("[x](ftp://h/y)", "<span>x</span>"),
        ("[x](//h/y)", "<span>x</span>"),
        ("<https://h/y>", '<a href="https://h/y" rel="noopener noreferrer">https://h/y</a>'),
        ("![alt](http://h/y.png)", "alt"),
        ("<!-- comment -->", ""),
        ("`<i>`", '<code class="docutils literal">&lt;i&gt;</code>'),
    ],
)
def test_markdown_of_authors(text: str, html: str) -> None:
    assert safe_inline(text) == html


def test_blocks_of_html_are_text() -> None:
    assert safe_html("<div>\nx\n</div>") == "<p>&lt;div&gt;\nx\n&lt;/div&gt;</p>\n"


def test_a_block_ends_with_its_indentation() -> None:
    page = SourcePage("T")
    page.code("python", "a\x0cb\u2028c\r\n\nd\x85e")
    assert all(line.startswith(HTML) or not line for line in page.text().split("   :force:")[1].splitlines())


def test_the_index_of_a_guide() -> None:
    text = "# All\n\n[no](no.md)\n\n- [a](a.md#x)\n\n## Two\n\n"
    text += "- [b](x/b.md) and [a](a.md), [c](https://h/c.md), [d](../d.md)\n"
    assert listed_pages(text) == [("Guide", ["a.md"]), ("Two", ["x/b.md"])]


def test_the_guide_of_this_repository_has_all_of_its_pages() -> None:
    docs = Path(__file__).parents[2] / "docs"
    pages = {path.relative_to(docs).as_posix() for folder in (docs, docs / "files") for path in folder.glob("*.md")}
    listed = [path for _, paths in listed_pages((docs / "README.md").read_text(encoding="utf-8")) for path in paths]
    assert sorted(listed) == sorted(pages - {"README.md"}), "a page is missing in docs/README.md, or stands there twice"


def test_the_body_shown_first_is_that_of_a_usual_call() -> None:
    """Of matrices, or of images, and not of vectors."""
    entry = next(item for item in sample_index().functions if item.bodies)
    for ranks, usual in ((("1", "2", "other"), "2"), (("0", "3", "4"), "4"), (("0", "1", "other"), "other")):
        bodies = [replace(entry.bodies[0], variant=(("weight.rank", rank),)) for rank in ranks]
        assert min(bodies, key=unusual(entry)).variant == (("weight.rank", usual),)
