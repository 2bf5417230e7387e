"""`opwright ls`: the versions of all functions, as their YAML declares them. Nothing is compiled: which of them are
templates is what the last build said."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from opwright.diagnostics.diagnostic import has_errors
from opwright.diagnostics.exits import Exit

from opwright_build.report.console import Console
from opwright_build.report.reporter import Reporter, in_reading_order
from opwright_build.report.tables import counted, text_table
from opwright_build.workflow.excerpt_text import library_text
from opwright_build.workflow.session import Options, find_root, open_session
from opwright_build.workflow.task import reporting

if TYPE_CHECKING:
    from opwright_build.spec.model import Package, SpecVersion

SCHEMA = "opwright.ls/1"


def list_versions(path: Path, console: Console, reporter: Reporter, as_json: bool, options: Options) -> int:
    """Lists the sound specs of the library around `path`, all or those that are asked for; findings about the others go
    to standard error. What a selector asks may have to be compiled, into the cache."""

    def task() -> int:
        from opwright_build.spec.confine import LibraryFiles
        from opwright_build.spec.library_file import read_library
        from opwright_build.spec.load import load_library
        from opwright_build.workflow.select_packages import select_packages
        from opwright_build.workflow.selection.chosen import choose
        from opwright_build.workflow.selection.knowledge import LibraryKnowledge
        from opwright_build.workflow.selection.last_runs import built_templates

        root = find_root(path)
        names = None
        packages = options.packages
        if packages:
            library = read_library(LibraryFiles(root))
            names = [package.name for package in select_packages(library, packages)]
        loaded = load_library(root, only=names)
        shown = select_packages(loaded.library, packages)
        domains = {domain: package for package in shown for domain in package.domains}
        versions = [version for version in loaded.versions if version.domain.name in domains]
        if options.asked:
            with open_session(root, reporter, options) as session:
                chosen = choose(
                    options.asked, replace(loaded, versions=tuple(versions)), LibraryKnowledge(session, loaded)
                )
            versions = [version for version in versions if version.identity in chosen.identities]
        templates = built_templates(root)
        if as_json:
            for version in versions:
                console.result(json.dumps(version_json(version, domains[version.domain.name], templates)))
        else:
            console.result(_table(versions, domains if len(loaded.library.packages) > 1 else {}, templates or ()))
        reporter.findings(in_reading_order(loaded.diagnostics), library_text(root))
        return Exit.FINDINGS if has_errors(loaded.diagnostics) else Exit.GOOD

    return reporting(reporter, task)


def version_json(version: SpecVersion, package: Package, templates: Collection[str] | None) -> dict[str, Any]:
    """One line of `ls --json`. `library` is the package; `pairs` are the element types of the widest type variable:
    what is verified apart; `template` is null where no build has told."""
    return {
        "schema": SCHEMA,
        "library": package.name,
        "domain": version.domain.name,
        "name": version.name,
        "since_version": version.since_version,
        "summary": version.summary,
        "deprecated": version.deprecated,
        "template": None if templates is None else version.identity in templates,
        "tags": list(version.tags),
        "opsets": {"first": version.opsets.first, "last": version.opsets.last},
        "types": {variable: list(admitted) for variable, admitted in version.types.items()},
        "pairs": list(version.pairs),
    }


def _table(versions: Sequence[SpecVersion], packages: Mapping[str, Package], templates: Collection[str]) -> str:
    """`packages` are those of the domains, where there is more than one; `templates` the versions that are."""
    rows = [
        [
            version.identity,
            *([packages[version.domain.name].name] if packages else []),
            f"{version.opsets.first}-{version.opsets.last}",
            " ".join(version.pairs),
            _marks(version, templates) + version.summary,
        ]
        for version in versions
    ]
    head = ["function", *(["package"] if packages else []), "opsets", "types", "summary"]
    pairs = sum(len(version.pairs) for version in versions)
    totals = f"{counted(len(versions), 'version')}, {counted(pairs, '(version, type) pair')}"
    return f"{text_table(head, rows)}\n\n{totals}"


def _marks(version: SpecVersion, templates: Collection[str]) -> str:
    marks = ["deprecated"] if version.deprecated else []
    if version.identity in templates:
        marks.append("template")
    return f"({', '.join(marks)}) " if marks else ""
