"""Newer releases of the libraries whose bundles `opwright add` took from an index."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError

from opwright_build.dependencies.resolution import Resolved, wanted_libraries
from opwright_build.publication.index_place import IndexPlace
from opwright_build.publication.static_index import ListedRelease
from opwright_build.spec.library_file import read_library
from opwright_build.spec.library_root import LIBRARY_FILE, SPECS
from opwright_build.spec.load import domain_folders
from opwright_build.spec.model import Dependency, Library, Package
from opwright_build.spec.ranges import admits_release, release_numbers
from opwright_build.workflow.adding import VENDOR, Added, EditedFiles, fetched, newest_release, no_index_lists
from opwright_build.workflow.opened.session import Session


def newer_releases(
    session: Session, library: Library, resolved: Resolved, names: Collection[str], places: Sequence[IndexPlace]
) -> dict[str, bytes | None]:
    """What is to be written for the newest releases that fit, by path: the bundles, library.yaml that names them; None
    for a bundle that goes. Nothing where those that are there are the newest. `names` are the libraries that have to be
    listed, as package indexes compare them; without any, all that are taken from indexes are asked for."""
    bundles: dict[str, bytes | None] = {}
    moved: dict[str, str] = {}  # the new path of each bundle
    for name, wishes in wanted_libraries(library.packages).items():
        old = wishes[0][2].bundle
        if (names and name not in names) or not is_vendored(wishes[0][2]):
            continue
        asked = ",".join(dict.fromkeys(dependency.releases for _, _, dependency in wishes if dependency.releases))
        found = newest_release(session, name, asked, places)
        if found is None:
            if names:
                raise DiagnosticError([no_index_lists(name, places)])
            continue
        added = _newer(*found, asked, resolved, name)
        if added is not None:
            bundles |= {f"{SPECS}/{added.path}": added.data}
            moved[old] = added.path
    if not moved:
        return {}
    text = with_bundles((session.tree.read(LIBRARY_FILE) or b"").decode("utf-8"), library.packages, moved)
    _require_said(session, library, text, moved)
    gone = dict.fromkeys((f"{SPECS}/{old}" for old in moved), None)
    return {**gone, **bundles, LIBRARY_FILE: text.encode()}


def is_vendored(dependency: Dependency) -> bool:
    """Whether the bundle is where `opwright add` puts those of indexes."""
    return dependency.bundle.rpartition("/")[0] == VENDOR


def _newer(place: IndexPlace, release: ListedRelease, asked: str, resolved: Resolved, name: str) -> Added | None:
    """The release, unless what is there fits and is no older one."""
    there = resolved.libraries.get(name)
    version = "" if there is None else there.locked.version
    fits = bool(version) and (not asked or admits_release(asked, version))
    is_newest = fits and release_numbers(release.version) <= release_numbers(version)
    return None if is_newest else fetched(place, release, asked)


def with_bundles(text: str, packages: Iterable[Package], moved: Mapping[str, str]) -> str:
    """library.yaml with other paths of bundles, edited in their lines. The caller looks at what came of it."""
    lines = text.split("\n")
    found = [
        (place.line - 1, place.column - 1, dependency.bundle)
        for package in packages
        for name, dependency in package.dependencies.items()
        if dependency.bundle in moved and (place := package.places.get(f"dependencies.{name}.bundle")) is not None
    ]
    for line, column, bundle in sorted(found, reverse=True):  # from behind, so that places stay
        head, rest = lines[line][:column], lines[line][column:]
        match = re.match(rf"""(["']?bundle["']?\s*:\s*["']?){re.escape(bundle)}""", rest)
        if match is not None:
            lines[line] = f"{head}{match[1]}{moved[bundle]}{rest[match.end() :]}"
    return "\n".join(lines)


def _require_said(session: Session, library: Library, text: str, moved: Mapping[str, str]) -> None:
    """DiagnosticError where the text says anything but the same of all packages, with the bundles that moved."""
    files = EditedFiles(session.root, {LIBRARY_FILE: text.encode()})
    said = read_library(files, folders=domain_folders(files)).packages
    wanted = [
        {name: (item.releases, moved.get(item.bundle, item.bundle)) for name, item in package.dependencies.items()}
        for package in library.packages
    ]
    found = [{name: (item.releases, item.bundle) for name, item in package.dependencies.items()} for package in said]
    plain = [
        replace(new, dependencies=old.dependencies, places=old.places)
        for new, old in zip(said, library.packages, strict=True)
    ]
    if found != wanted or plain != list(library.packages):
        old, new = next(iter(moved.items()))
        raise DiagnosticError(
            [
                Diagnostic(
                    "OW676",
                    f"{LIBRARY_FILE} is not of a form in which {old} can be replaced",
                    reason="it was left as it is: an edit that might mean something else is not made",
                    help=f"put {new} there yourself, name it as `bundle:` and run `opwright update`",
                )
            ]
        )
