"""Texts from templates: those of a package lie in its folder `templates`. The filter `prose` is for authors' texts in
Markdown; templates of HTML escape all that they are given."""

from __future__ import annotations

from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined

from opwright_build.prose import prose


def render(package: str, template: str, /, **values: object) -> str:
    """The text of a template of the package, such as `opwright_build.package`. A name without a value is an error."""
    return _environment(package, False).get_template(template).render(**values)


def render_html(package: str, template: str, /, **values: object) -> str:
    """The same of a template of HTML: what is no `markupsafe.Markup` is escaped."""
    return _environment(package, True).get_template(template).render(**values)


@cache
def _environment(package: str, escapes: bool) -> Environment:
    environment = Environment(
        loader=PackageLoader(package),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=escapes,
    )
    environment.filters["prose"] = prose
    return environment
