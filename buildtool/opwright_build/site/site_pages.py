"""The pages of a site as sources of the generator: the same record, the same bytes.

HTML is written by templates that escape what they are given; what is marked as HTML there is made by `safe_markdown`
and by the drawings, which escape on their own.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from posixpath import relpath

from markupsafe import Markup

from opwright_build.report.tables import counted
from opwright_build.site.body_drawing import Drawing, body_drawing
from opwright_build.site.call_drawing import call_drawing
from opwright_build.site.error_plot import error_plot
from opwright_build.site.formula_markup import formula_markup
from opwright_build.site.guide_source import guide_pages, guide_title
from opwright_build.site.safe_markdown import safe_html, safe_inline
from opwright_build.site.site_record import (
    BodyRecord,
    Callee,
    FunctionRecord,
    Part,
    SiteRecord,
    SupportMatrix,
    VersionRecord,
)
from opwright_build.site.source_page import SourcePage
from opwright_build.templates import render_html

INDEX = "index"
FUNCTIONS = "functions/index"
CALLS = "calls"
FUNCTION_LIST = "_static/functions.js"


def site_pages(site: SiteRecord) -> dict[str, str]:
    """Texts by path below the folder of sources."""
    pages = {INDEX: _index(site), FUNCTIONS: _functions(site), CALLS: _calls(site)}
    pages |= {function.page: _Function(function).page() for function in site.functions}
    pages |= dict(guide_pages(site.guide, {function.page for function in site.functions}))
    return {f"{path}.rst": page.text() for path, page in pages.items()} | {FUNCTION_LIST: _function_list(site)}


def _index(site: SiteRecord) -> SourcePage:
    page = SourcePage(site.name, site.summary)
    page.html(_render("index.html.jinja2", site=site, summary=_summary(site.summary), guide=_guide_links(site)))
    page.html(_list(site, INDEX))
    page.contents("Library", [FUNCTIONS, CALLS])
    for group in site.guide:
        page.contents(group.title, [f"guide/{item.path}" for item in group.pages])
    return page


def _summary(text: str) -> Markup:
    return Markup(safe_html(text))


def _guide_links(site: SiteRecord) -> list[tuple[str, list[tuple[str, str]]]]:
    return [
        (group.title, [(f"guide/{item.path}.html", guide_title(item)) for item in group.pages]) for group in site.guide
    ]


def _functions(site: SiteRecord) -> SourcePage:
    page = SourcePage("All functions")
    page.html(_list(site, FUNCTIONS))
    return page


def _list(site: SiteRecord, page: str) -> str:
    domains: dict[str, list[tuple[str, FunctionRecord, Markup]]] = {}
    for item in site.functions:
        row = (link_to(item.page, page), item, Markup(safe_inline(item.summary)))
        domains.setdefault(item.domain, []).append(row)
    return _render("function_list.html.jinja2", domains=domains)


def _calls(site: SiteRecord) -> SourcePage:
    page = SourcePage("Who calls whom")
    names = {item.page: item.name for item in site.functions}
    own = {item.page: item for item in site.functions}
    callers = [item for item in site.functions if item.callees]
    drawing = call_drawing(site.calls, names, {item: link_to(item, CALLS) for item in own})
    rows = [(link_to(item.page, CALLS), item.name, _callees(item.callees, CALLS)) for item in callers]
    page.html(_render("calls.html.jinja2", rows=rows, drawing=drawing, alone=len(site.functions) - len(callers)))
    return page


def _function_list(site: SiteRecord) -> str:
    """For the filter of the side bar: names and pages, as a script of data."""
    rows = [[item.name, item.domain, f"{item.page}.html"] for item in site.functions]
    return f"window.opwrightFunctions = {json.dumps(rows, separators=(',', ':'))};\n"


class _Function:
    """The page of one function."""

    def __init__(self, function: FunctionRecord) -> None:
        self.function = function

    def page(self) -> SourcePage:
        function, newest = self.function, self.function.newest
        page = SourcePage(function.name, function.summary)
        page.html(_render("head.html.jinja2", function=function, newest=newest, summary=_summary(function.summary)))
        page.code("python", "\n".join(newest.python))
        if newest.doc:
            page.html(self._markdown(newest.doc))
        self._formula(page, newest)
        self._example(page, newest)
        page.heading(2, "Interface")
        page.html(self._parts(newest.interface))
        page.code("text", newest.onnx)
        self._support(page, newest)
        self._numerics(page, newest)
        self._bodies(page, newest)
        self._versions(page)
        self._calls(page)
        self._vectors(page)
        page.heading(2, "Source")
        for source in function.sources:
            page.html(_render("source.html.jinja2", source=source, several=len(function.sources) > 1))
            page.code("python", source.text)
        return page

    def _formula(self, page: SourcePage, version: VersionRecord) -> None:
        body = next(iter(version.bodies), None)
        if body is None or not body.formulas:
            return
        page.heading(2, "Formula")
        lines = [Markup(formula_markup(item)) for item in body.formulas]
        page.html(_render("formula.html.jinja2", lines=lines, body=body))

    def _example(self, page: SourcePage, version: VersionRecord) -> None:
        if version.example is None:
            return
        page.heading(2, "Example")
        page.code("python", "\n".join(version.example.code))
        page.html('<p class="ow-caption">It prints</p>')
        page.code("text", version.example.printed)

    def _support(self, page: SourcePage, version: VersionRecord) -> None:
        page.heading(2, "Where it runs")
        page.html(matrix_html(version.support))
        if version.runtimes is not None:
            page.html(self._folded("Reasons, as recorded", [version.runtimes]))

    def _numerics(self, page: SourcePage, version: VersionRecord) -> None:
        if not version.promised:
            return
        page.heading(2, "Numerics")
        promised = [part for part in version.promised if part.title != "Measured"]
        measured = [part for part in version.promised if part.title == "Measured"]
        if version.measured:
            plots = [
                (title, Markup(error_plot(version.measured, name)))
                for title, name in (
                    ("Largest absolute error", "absolute"),
                    ("Largest error in units in the last place", "ulp"),
                )
            ]
            page.html(_render("plots.html.jinja2", plots=plots))
            page.html(self._folded("The figures, this body / the standard's own", measured))
        page.html(self._parts(promised))

    def _bodies(self, page: SourcePage, version: VersionRecord) -> None:
        page.heading(2, "Body")
        for number, body in enumerate(version.bodies):
            page.html(self._body(body, folded=number > 0))
        if version.bodies_by_opset is not None:
            page.html(self._folded("Bodies by variant and opset", [version.bodies_by_opset]))

    def _body(self, body: BodyRecord, folded: bool) -> str:
        return _render("body.html.jinja2", body=body, folded=folded, drawing=self._drawing(body))

    def _drawing(self, body: BodyRecord) -> Drawing | None:
        if body.graph is None:
            return None
        here = self.function.page
        pages = [item.page for item in self.function.callees if item.page]
        title = f"The graph of the body of {self.function.name}: {counted(body.count, 'node')}"
        return body_drawing(body.graph, title, {page: link_to(page, here) for page in pages})

    def _versions(self, page: SourcePage) -> None:
        page.heading(2, "Versions")
        told = [(number, Markup(safe_inline(changes))) for number, changes in self.function.history]
        page.html(_render("history.html.jinja2", history=told))
        for version in self.function.versions[1:]:
            page.heading(3, f"Version {version.since_version}")
            page.code("python", "\n".join(version.python))
            if version.doc and version.doc != self.function.newest.doc:
                page.html(self._markdown(version.doc))
            parts = [*version.interface, *([version.bodies_by_opset] if version.bodies_by_opset else [])]
            page.html(self._folded("Interface and bodies", parts))
            page.html(self._folded("Where it runs", [], matrix_html(version.support)))

    def _calls(self, page: SourcePage) -> None:
        function = self.function
        page.heading(2, "Calls")
        here = function.page
        page.html(
            _render(
                "neighbours.html.jinja2",
                callers=_callees(function.callers, here),
                callees=_callees(function.callees, here),
                name=function.name,
            )
        )

    def _vectors(self, page: SourcePage) -> None:
        vectors = self.function.newest.vectors
        if vectors is None and not self.function.rows:
            return
        page.heading(2, "Vectors", "at-rows")
        if vectors is not None:
            page.html(self._markdown("\n".join(vectors.lines)))
        if self.function.rows:
            page.html(self._folded(counted(len(self.function.rows), "row"), [Part("", self.function.rows)]))

    def _parts(self, parts: Sequence[Part]) -> str:
        shown = [(part.title, Markup(self._markdown("\n".join(part.lines)))) for part in parts]
        return _render("parts.html.jinja2", parts=shown)

    def _folded(self, title: str, parts: Sequence[Part], html: str = "") -> str:
        inner = Markup((self._parts(parts) if parts else "") + html)
        return _render("folded.html.jinja2", title=title, inner=inner)

    def _markdown(self, text: str) -> str:
        return safe_html(text, _within)


def _within(target: str) -> str | None:
    """Links of generated lines lead to their own page alone."""
    return "#at-rows" if target == "#rows" else None


def matrix_html(support: SupportMatrix) -> str:
    return _render("matrix.html.jinja2", support=support)


def link_to(page: str, here: str) -> str:
    """The address of a page, relative to another one."""
    return f"{relpath(page, here.rpartition('/')[0] or '.')}.html"


def _callees(callees: Sequence[Callee], here: str) -> list[tuple[str, str]]:
    """Identities with where they lead; empty where that is no page of this site."""
    return [(item.identity, link_to(item.page, here) if item.page else "") for item in callees]


def _render(template: str, **values: object) -> str:
    return render_html("opwright_build.site", template, **values)
