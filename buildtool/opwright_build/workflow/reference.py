"""`opwright docs`: a page for each function of the library, generated, committed and checked."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Place, has_errors

from opwright_build.engine.system_errors import cannot_be
from opwright_build.engine.tree import Tree
from opwright_build.report.reporter import Reporter
from opwright_build.report.tables import counted
from opwright_build.workflow.build import action_counts
from opwright_build.workflow.built.library import BuiltLibrary, build_library, read_packages, read_rows
from opwright_build.workflow.built.select_packages import domains_of_others, names_asked_for
from opwright_build.workflow.opened.session import Options, Session
from opwright_build.workflow.opened.task import finish, on_library
from opwright_build.workflow.opened.writing import write_below

if TYPE_CHECKING:
    from opwright_build.reference.documented_library import Documented, Vectors
    from opwright_build.spec.model import LoadedLibrary, SpecVersion

COMMAND = "opwright docs"
FOLDER = "docs/reference"

Facts = TypeVar("Facts")


def reference(
    path: Path, reporter: Reporter, options: Options, output: Path | None, check: bool, started: float
) -> int:
    """Writes the pages of the library around `path`; with `check` only compares them.

    `output` is by default docs/reference in the library. Pages of functions that are no more are removed.
    """
    wanted = replace(options, reads_only=check or output is not None)
    return on_library(path, reporter, wanted, lambda session: _reference(session, output, check, started))


def _reference(session: Session, output: Path | None, check: bool, started: float) -> int:
    from opwright_build.reference.pages import reference_pages

    folder = output or session.root / FOLDER
    if output is None:
        session.tree.require_folder(FOLDER)
    tree = Tree(folder)
    library = build_library(session)
    counts = action_counts(session, library)
    if not library.good:
        return finish(session, started, library.diagnostics, "", counts)
    documented, found = documented_library(session, library)
    diagnostics = [*library.diagnostics, *found]
    if has_errors(diagnostics):
        return finish(session, started, diagnostics, "", counts)
    pages = reference_pages(documented)
    others = domains_of_others(session)
    stale = [path for path in _generated(tree) if path not in pages and path.partition("/")[0] not in others]
    if check:
        differing = [path for path, data in pages.items() if _read(tree, path) != data]
        findings = [_out_of_date(session, folder / path, "differs from") for path in differing]
        findings += [_out_of_date(session, folder / path, "is no longer part of") for path in stale]
        text = "" if findings else f"{counted(len(pages), 'page')} up to date"
        return finish(session, started, [*diagnostics, *findings], text, counts)
    written = sum([write_below(tree, path, data) for path, data in pages.items()])
    for path in stale:
        _remove(folder / path)
    text = f"{written} of {counted(len(pages), 'page')} written"
    return finish(session, started, diagnostics, text, counts)


def documented_library(session: Session, library: BuiltLibrary) -> tuple[Documented, list[Diagnostic]]:
    """Everything that pages tell of a library that was built well, and what is wrong with the files it stands in."""
    from opwright.bundle.join import join_bundles

    from opwright_build.reference.documented_library import Documented
    from opwright_build.spec.load import load_library
    from opwright_build.verify.facts import gaps, numerics

    loaded = load_library(session.root, only=names_asked_for(session) if session.packages else None)
    if has_errors(loaded.diagnostics):  # it has changed since it was built
        raise DiagnosticError(loaded.diagnostics)
    refusals = _fact_file(session.tree, gaps.FILE, gaps.read_gaps, gaps.GapsFile(()))
    nothing = numerics.NumericsFile(numerics.Numerics({}, (), ()))
    measured = _fact_file(session.tree, numerics.FILE, numerics.read_numerics, nothing)
    vectors, found = _vectors(session, loaded)
    sources = {version.identity: _source(session, version) for version in loaded.versions}
    bundles = read_packages(session, library)
    documented = Documented(
        bundle=join_bundles(bundles),
        packages=[bundle.index for bundle in bundles],
        versions={version.identity: version for version in loaded.versions},
        prevented=read_rows(session, library),
        gaps=refusals,
        numerics=measured.numerics,
        vectors=vectors,
        sources=sources,
        texts={path: session.source_text(path) or "" for path in sorted(set(sources.values()))},
    )
    return documented, [*refusals.diagnostics, *measured.diagnostics, *found]


def _fact_file(tree: Tree, name: str, read: Callable[[bytes], Facts], nothing: Facts) -> Facts:
    data = _read(tree, name)
    return nothing if data is None else read(data)


def _vectors(session: Session, loaded: LoadedLibrary) -> tuple[Mapping[str, Vectors], list[Diagnostic]]:
    """Which vectors each version has. The suite is asked for its cases' names; no Python of a spec is run."""
    from opwright_build.reference.documented_library import Vectors
    from opwright_build.spec.confine import LibraryFiles
    from opwright_build.spec.model import VectorKind
    from opwright_build.spec.vectors_file import read_vectors_file
    from opwright_build.spec.yaml_source import MAX_BYTES
    from opwright_build.verify.cases.collect import load_for
    from opwright_build.verify.cases.suite import extract
    from opwright_build.verify.cases.suite_cases import select

    session.reporter.step("reading vectors")
    suite = load_for(loaded.versions, extract)
    files = LibraryFiles(session.root)
    found: list[Diagnostic] = []
    vectors: dict[str, Vectors] = {}
    for version in loaded.versions:
        folder = _folder(session, version)
        rows = []
        for source in version.vectors:
            if source.kind is not VectorKind.ROWS:
                continue
            data = files.read(folder, source.path, MAX_BYTES, source.place)
            if isinstance(data, Diagnostic):
                found.append(data)
                continue
            read = read_vectors_file(data, f"{folder}/{source.path}")
            found += read.diagnostics
            rows += [row for row in read.rows if row.versions is None or version.since_version in row.versions]
        cases = sorted({item.case.name for item in select(version, suite)[0]})
        vectors[version.identity] = Vectors(tuple(cases), tuple(rows))
    return vectors, found


def _folder(session: Session, version: SpecVersion) -> str:
    return version.folder.relative_to(session.root).as_posix()


def _source(session: Session, version: SpecVersion) -> str:
    return f"{_folder(session, version)}/{version.function_file}"


def _generated(tree: Tree) -> list[str]:
    """The pages that are ours, relative to the folder; links among them are not."""
    from opwright_build.reference.documented_library import MARK

    found = sorted(tree.root.rglob("*.md")) if tree.root.is_dir() else []
    paths = [path.relative_to(tree.root).as_posix() for path in found if path.is_file() and not path.is_symlink()]
    return [path for path in paths if MARK.encode() in (_read(tree, path) or b"")[:200]]


def _read(tree: Tree, path: str) -> bytes | None:
    try:
        return tree.read(path)
    except OSError as error:
        raise cannot_be("read", os.path.relpath(tree.root / path), error) from error


def _remove(path: Path) -> None:
    try:
        path.unlink()
    except OSError as error:
        raise cannot_be("removed", os.path.relpath(path), error) from error


def _out_of_date(session: Session, path: Path, how: str) -> Diagnostic:
    shown = os.path.relpath(path, session.root).replace(os.sep, "/")
    return Diagnostic(
        code="OW906",
        message=f"{shown} {how} what the library gives",
        place=Place(shown),
        reason="the reference is generated; what people read would not be what the library holds",
        help=f"run `{COMMAND}` and commit the result",
    )
