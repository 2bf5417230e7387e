"""Pages of an index for pip, uv and their like: the simple repository API as HTML (PEP 503), of static files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from urllib.parse import quote

from opwright.bundle.normal_name import normal_name

from opwright_build.package.core_metadata import PYTHON
from opwright_build.publication.static_index import ListedRelease

_PAGE = """\
<!DOCTYPE html>
<html><head><meta charset="utf-8"><meta name="pypi:repository-version" content="1.0"><title>{title}</title></head>
<body>
{links}
</body></html>
"""


def simple_pages(releases: Sequence[ListedRelease]) -> dict[str, bytes]:
    """The pages by path: one with the libraries, and one for each with its wheels and source distributions."""
    libraries: dict[str, list[ListedRelease]] = {}
    for item in releases:
        libraries.setdefault(normal_name(item.library), []).append(item)
    pages = {"simple/index.html": _page("libraries", (_link(f"{name}/", name) for name in sorted(libraries)))}
    for name, known in libraries.items():
        pages[f"simple/{name}/index.html"] = _page(name, _downloads(sorted(known, key=lambda item: item.numbers)))
    return pages


def _downloads(releases: Iterable[ListedRelease]) -> Iterable[str]:
    for item in releases:
        for file in item.files:
            if file.name.endswith((".whl", ".tar.gz")):
                address = f"../../{quote(item.path_of(file))}#sha256={file.sha256}"
                yield _link(address, file.name, f' data-requires-python="{escape(PYTHON)}"')


def _page(title: str, links: Iterable[str]) -> bytes:
    return _PAGE.format(title=escape(title), links="\n".join(links)).encode()


def _link(address: str, text: str, rest: str = "") -> str:
    return f'<a href="{escape(address)}"{rest}>{escape(text)}</a><br>'
