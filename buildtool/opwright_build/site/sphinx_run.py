"""Sphinx, with Furo, over a folder of sources: HTML in another folder. The only module that imports Sphinx."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

# An extra, which type checkers may be without.
from sphinx.application import Sphinx  # pyright: ignore[reportMissingImports]
from sphinx.util.docutils import docutils_namespace, patch_docutils  # pyright: ignore[reportMissingImports]

from opwright_build.site.site_pages import FUNCTIONS

_CAPTION = 'role="heading"'
PAGES = "functions/"  # of functions lie below it
_HERE = Path(__file__).parent
_FONT = (
    "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'Noto Sans', 'Liberation Sans', Arial, sans-serif"
)
_MONOSPACE = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace"


def run_sphinx(title: str, sources: Path, output: Path, kept: Path) -> str:
    """Writes the pages to `output`; `kept` is for what Sphinx keeps besides. Gives what it warned of."""
    warnings = io.StringIO()
    with patch_docutils(str(sources)), docutils_namespace():
        app = Sphinx(
            srcdir=sources,
            confdir=None,
            outdir=output,
            doctreedir=kept,
            buildername="html",
            confoverrides=_settings(title, sources),
            status=None,
            warning=warnings,
            freshenv=True,
            parallel=1,
        )
        app.connect("html-page-context", _share_navigation(), priority=100)
        app.build(force_all=True)
    return warnings.getvalue()


def _share_navigation() -> Callable[[Sphinx, str, str, dict[str, Any], object], None]:
    """The side bar is the same on all pages of functions in one folder, which none of its entries is: it is made once
    for each folder, so that pages take the same time however many there are. Its captions say how deep they are."""
    made: dict[str, str] = {}

    def share(app: Sphinx, page: str, template: str, context: dict[str, Any], tree: object) -> None:
        toctree = context.get("toctree")
        if toctree is None:
            return
        alike = page.startswith(PAGES) and page != FUNCTIONS
        folder = page.rpartition("/")[0] if alike else page

        def shared(**options: Any) -> str:
            if folder not in made:
                made[folder] = str(toctree(**options)).replace(_CAPTION, f'{_CAPTION} aria-level="2"')
            return made[folder]

        context["toctree"] = shared

    return share


def _settings(title: str, sources: Path) -> dict[str, Any]:
    variables = {"font-stack": _FONT, "font-stack--monospace": _MONOSPACE}
    return {
        "project": title,
        "html_title": title,
        "extensions": [],
        "html_theme": "furo",
        "html_theme_options": {
            "light_css_variables": variables,
            "dark_css_variables": variables,
            "top_of_page_buttons": [],
        },
        "html_static_path": [str(_HERE / "static"), str(sources / "_static")],
        "html_css_files": ["opwright-site.css"],
        "html_js_files": ["functions.js", "opwright-site.js"],
        "templates_path": [str(_HERE / "templates")],
        "html_sidebars": {
            "**": [
                "sidebar/brand.html",
                "sidebar/search.html",
                "sidebar/scroll-start.html",
                "sidebar.html",
                "sidebar/navigation.html",
                "sidebar/scroll-end.html",
            ]
        },
        "exclude_patterns": ["_static"],
        # A page that lies in a folder fetches no other one: results of a search are names and links.
        "html_show_search_summary": False,
        "html_copy_source": False,
        "html_show_sourcelink": False,
        "html_show_sphinx": False,
        "html_show_copyright": False,
        "html_use_index": False,
        "html_domain_indices": False,
        "html_last_updated_fmt": None,
        "smartquotes": False,
        "html_permalinks_icon": "#",
        "language": "en",
        "suppress_warnings": ["toc.not_included"],
    }
