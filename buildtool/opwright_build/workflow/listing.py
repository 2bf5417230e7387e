"""`opwright ls`: the versions of all functions, as their YAML declares them. Nothing is compiled: which of them are
templates is what the last build said."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from opwright.diagnostics.diagnostic import has_errors
from opwright.diagnostics.exits import Exit

from opwright_build.engine.action import Action
from opwright_build.engine.environment import environment_digest
from opwright_build.engine.hints import FileHints
from opwright_build.engine.read_stamps import ReadStamps
from opwright_build.engine.sources import FILE, LIST, FolderSources
from opwright_build.engine.state_file import StateFile
from opwright_build.engine.user_secret import user_seal
from opwright_build.report.console import Console
from opwright_build.report.reporter import Reporter, in_reading_order
from opwright_build.report.tables import counted, text_table
from opwright_build.spec.library_root import find_library
from opwright_build.workflow.built.version_table import VersionTable, declared, load_version_table
from opwright_build.workflow.opened.excerpt_text import library_text
from opwright_build.workflow.opened.session import (
    READ_STAMPS,
    WORK,
    Options,
    folder_seal,
    open_session,
    own_environment,
)
from opwright_build.workflow.opened.task import reporting
from opwright_build.workflow.selection.last_runs import built_templates

SCHEMA = "opwright.ls/1"


def list_versions(path: Path, console: Console, reporter: Reporter, as_json: bool, options: Options) -> int:
    """Lists the sound specs of the library around `path`, all or those that are asked for; findings about the others go
    to standard error. What a selector asks may have to be compiled, into the cache."""

    def task() -> int:
        root = find_library(path)
        table = None if options.packages or options.asked else _table_of_now(root)
        declarations = None if table is None else table.declarations()
        if table is not None and declarations is not None:
            owned = list(zip(table.facts["owners"], declarations, strict=True))
            _show(console, root, as_json, owned, several=len(table.facts["packages"]) > 1)
            return Exit.GOOD
        return _list_what_is_read(root, console, reporter, as_json, options)

    return reporting(reporter, task)


def _list_what_is_read(root: Path, console: Console, reporter: Reporter, as_json: bool, options: Options) -> int:
    from opwright_build.spec.confine import LibraryFiles
    from opwright_build.spec.library_file import read_library
    from opwright_build.spec.load import load_library
    from opwright_build.workflow.built.select_packages import select_packages
    from opwright_build.workflow.selection.chosen import choose
    from opwright_build.workflow.selection.knowledge import LibraryKnowledge

    names = None
    packages = options.packages
    if packages:
        library = read_library(LibraryFiles(root))
        names = [package.name for package in select_packages(library, packages)]
    loaded = load_library(root, only=names)
    shown = select_packages(loaded.library, packages)
    domains = {domain: package.name for package in shown for domain in package.domains}
    versions = [version for version in loaded.versions if version.domain.name in domains]
    if options.asked:
        with open_session(root, reporter, replace(options, reads_only=True)) as session:
            chosen = choose(options.asked, replace(loaded, versions=tuple(versions)), LibraryKnowledge(session, loaded))
        versions = [version for version in versions if version.identity in chosen.identities]
    told = [(domains[version.domain.name], declared(version)) for version in versions]
    _show(console, root, as_json, told, several=len(loaded.library.packages) > 1)
    reporter.findings(in_reading_order(loaded.diagnostics), library_text(root))
    return Exit.FINDINGS if has_errors(loaded.diagnostics) else Exit.GOOD


def _table_of_now(root: Path) -> VersionTable | None:
    """What the last build knows of the versions, where all files that declare them are as they were then and nothing
    was found in them."""
    here = folder_seal(user_seal())
    table = load_version_table(root / WORK, here)
    if table is None or table.facts["found"][""]:
        return None
    hints = FileHints(StateFile(root / WORK / "hints.json", here))
    environment = environment_digest(own_environment(hints))
    if table.facts["action"] != Action("library", "library", {}, {}, environment).key:
        return None
    stamps = ReadStamps(StateFile(root / WORK / READ_STAMPS, here), root, hints, FolderSources(root, hints))
    changed = stamps.changed(table.facts["trace"])
    if changed is None:
        return None
    declarations = (name for name in changed if name.partition(":")[0] in (FILE, LIST) and not name.endswith(".py"))
    return None if any(declarations) else table


def _show(
    console: Console, root: Path, as_json: bool, versions: Sequence[tuple[str, Mapping[str, Any]]], several: bool
) -> None:
    """Prints versions, each with the name of its package; `several`: the library has more than one."""
    templates = built_templates(root)
    if as_json:
        for package, version in versions:
            console.result(json.dumps(version_json(version, package, templates)))
    else:
        console.result(_table(versions, several, templates or ()))


def version_json(version: Mapping[str, Any], package: str, templates: Collection[str] | None) -> dict[str, Any]:
    """One line of `ls --json`. `library` is the package; `template` is null where no build has told; for the rest see
    `declared`."""
    told = {"schema": SCHEMA, "library": package}
    for name in ("domain", "name", "since_version", "summary", "deprecated"):
        told[name] = version[name]
    template = None if templates is None else identity_of(version) in templates
    return {**told, "template": template, **{name: version[name] for name in ("tags", "opsets", "types", "pairs")}}


def identity_of(version: Mapping[str, Any]) -> str:
    """The identity of a version that is declared so."""
    return f"{version['domain']}::{version['name']}@{version['since_version']}"


def _table(versions: Sequence[tuple[str, Mapping[str, Any]]], several: bool, templates: Collection[str]) -> str:
    """`several`: packages are told; `templates` are the versions that are."""
    rows = [
        [
            identity_of(version),
            *([package] if several else []),
            f"{version['opsets']['first']}-{version['opsets']['last']}",
            " ".join(version["pairs"]),
            _marks(version, templates) + version["summary"],
        ]
        for package, version in versions
    ]
    head = ["function", *(["package"] if several else []), "opsets", "types", "summary"]
    pairs = sum(len(version["pairs"]) for _, version in versions)
    totals = f"{counted(len(versions), 'version')}, {counted(pairs, '(version, type) pair')}"
    return f"{text_table(head, rows)}\n\n{totals}"


def _marks(version: Mapping[str, Any], templates: Collection[str]) -> str:
    marks = ["deprecated"] if version["deprecated"] else []
    if identity_of(version) in templates:
        marks.append("template")
    return f"({', '.join(marks)}) " if marks else ""
