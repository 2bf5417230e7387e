"""`opwright add`: a library becomes a dependency: found, its digest checked, written into library.yaml and the lock."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from opwright.bundle.format import MOST_BYTES
from opwright.bundle.normal_name import normal_name
from opwright.bundle.read import read_bundle
from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Place, has_errors

from opwright_build.dependencies.dependencies_lock import (
    LOCK_FILE,
    LockedLibrary,
    read_dependencies_lock,
    write_dependencies_lock,
)
from opwright_build.dependencies.resolution import closure_findings, find_libraries
from opwright_build.publication.static_index import ListedRelease
from opwright_build.report.reporter import Reporter
from opwright_build.spec.confine import LibraryFiles
from opwright_build.spec.library_file import read_library
from opwright_build.spec.library_root import LIBRARY_FILE, SPECS
from opwright_build.spec.load import domain_folders
from opwright_build.spec.ranges import RangeError, admits_release, release_numbers
from opwright_build.workflow.opened.installed_library import installed_library
from opwright_build.workflow.opened.session import Options, Session
from opwright_build.workflow.opened.status import usage_error
from opwright_build.workflow.opened.task import finish, on_library
from opwright_build.workflow.searching import index_places

if TYPE_CHECKING:
    from opwright_build.publication.index_place import IndexPlace
    from opwright_build.spec.model import Dependency, Library, Package

VENDOR = "vendor"  # below specs/: bundles that were added from an index
_WANTED = re.compile(r"([A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?)\s*([<>=!].*)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Added:
    """A library that is to be a dependency: its bundle, the range of releases, and the bundle's path below specs/,
    empty where it is installed."""

    name: str
    version: str
    data: bytes
    releases: str
    path: str = ""

    @property
    def written(self) -> str:
        """What library.yaml says of it."""
        return f'{{bundle: {self.path}, version: "{self.releases}"}}' if self.path else f'"{self.releases}"'


class EditedFiles(LibraryFiles):
    """The files of a library as they will be."""

    def __init__(self, root: Path, edited: Mapping[str, bytes]) -> None:
        super().__init__(root)
        self._edited = edited

    def read(self, folder: str, name: str, limit: int, place: Place | None = None) -> bytes | Diagnostic:
        data = self._edited.get(f"{folder}/{name}")
        return super().read(folder, name, limit, place) if data is None else data[: limit + 1]


def add(
    wanted: str, digest: str, indexes: Sequence[str], path: Path, reporter: Reporter, options: Options, started: float
) -> int:
    """Makes `NAME` or `NAME>=1.2,<2` a dependency of the library around `path`: the newest release that fits of the
    first index that lists it or, where no index is asked, what is installed. Nothing is written where anything is
    wrong; `digest`, where it is given, is the sha256 that the bundle has to have."""
    return on_library(path, reporter, options, lambda session: _add(session, wanted, digest, indexes, started))


def _add(session: Session, wanted: str, digest: str, indexes: Sequence[str], started: float) -> int:
    match = _WANTED.fullmatch(wanted.strip())
    if match is None:
        raise usage_error(f"{wanted[:100]!r} names no library", help="acme-ops, or acme-ops>=1.2")
    name, asked = match[1], (match[2] or "").replace(" ", "")
    try:
        admits_release(asked or ">=0", "0")
    except RangeError as error:
        raise usage_error(f"the range {asked[:100]} {error}") from None
    files = LibraryFiles(session.root)
    library = read_library(files, folders=domain_folders(files))
    package = _package(library, session.packages)
    for known in (*package.dependencies, *package.siblings):
        if normal_name(known) == normal_name(name):
            message = f"{package.name} depends on {known} already"
            help_ = f"`opwright update {known}` locks what is found now: with --index, the newest release that fits"
            raise usage_error(message, help=help_)
    _refuse_own(library, package, name)
    places = index_places(indexes)
    added = _from_indexes(session, name, asked, places) if places else _from_installed(name, asked)
    found_digest = sha256(added.data).hexdigest()
    if digest and digest != found_digest:
        message = f"{added.name} {added.version} is not the library that is wanted"
        reason = f"its bundle has the sha256 {found_digest}, and {digest} is asked for"
        raise DiagnosticError([Diagnostic("OW672", message, reason=reason, help="nothing was written")])
    return _write(session, library, package, added, started)


def _package(library: Library, asked: Sequence[str]) -> Package:
    """The one package that the dependency is for."""
    named = [item for item in library.packages if {item.name, item.package} & set(asked)] if asked else library.packages
    if len(named) != 1 or len(asked) > 1:
        names = " or ".join(f"-p {item.name}" for item in library.packages)
        raise usage_error("a dependency is added to one package", help=f"choose one with {names}")
    return named[0]


def _refuse_own(library: Library, package: Package, name: str) -> None:
    """What is built here is neither installed nor taken from an index. Raises DiagnosticError for the package itself,
    UsageError for another one."""
    own = next((item for item in library.packages if normal_name(item.name) == normal_name(name)), None)
    if own is package:
        message = f"the package `{own.name}` would depend on itself"
        help_ = f"nothing is to be added: its functions are called with `from {own.package} import opset1`"
        raise DiagnosticError([Diagnostic("OW138", message, own.places["library"], help=help_)])
    if own is not None:
        help_ = f"write `{own.name}` below `dependencies:` of {package.name}: a package beside it needs no lock"
        raise usage_error(f"{own.name} is a package of this library", help=help_)


def _from_installed(name: str, asked: str) -> Added:
    data = installed_library(normal_name(name))
    if data is None:
        help_ = "install it, or name an index that lists it with --index"
        raise DiagnosticError([Diagnostic("OW673", f"no library {name} is installed", help=help_)])
    index = read_bundle(data, name).index
    return Added(index.library, index.version, data, asked or compatible_range(index.version))


def _from_indexes(session: Session, name: str, asked: str, places: Sequence[IndexPlace]) -> Added:
    found = newest_release(session, name, asked, places)
    if found is None:
        raise DiagnosticError([no_index_lists(name, places)])
    return fetched(*found, asked)


def newest_release(
    session: Session, name: str, asked: str, places: Sequence[IndexPlace]
) -> tuple[IndexPlace, ListedRelease] | None:
    """The newest release that fits, of the first index that lists the library; None where none does. DiagnosticError
    where that index lists others alone."""
    for place in places:
        session.reporter.step(f"reading {place.name}")
        listed = [item for item in place.releases() if normal_name(item.library) == normal_name(name)]
        fitting = [item for item in listed if not asked or admits_release(asked, item.version)]
        if fitting:
            return place, max(fitting, key=lambda item: item.numbers)
        if listed:
            numbers = ", ".join(item.version for item in sorted(listed, key=lambda item: item.numbers)[-10:])
            message = f"{place.name} lists no release of {name} that is {asked}"
            raise DiagnosticError([Diagnostic("OW673", message, reason=f"it lists {numbers}")])
    return None


def no_index_lists(name: str, places: Sequence[IndexPlace]) -> Diagnostic:
    return Diagnostic("OW673", f"no index lists {name}", reason=", ".join(place.name for place in places))


def fetched(place: IndexPlace, release: ListedRelease, asked: str) -> Added:
    """The bundle, which is what the index says that it is: by its digest, and by what it says itself."""
    data = place.file(release, release.bundle)
    index = read_bundle(data, release.bundle.name).index
    if (index.library, index.version) != (release.library, release.version):
        message = f"{release.bundle.name} from {place.name} is of {index.library} {index.version}"
        help_ = "nothing was written; tell those who keep the index"
        raise DiagnosticError([Diagnostic("OW672", message, help=help_)])
    path = f"{VENDOR}/{release.bundle.name}"
    return Added(index.library, index.version, data, asked or compatible_range(index.version), path)


def compatible_range(version: str) -> str:
    """From this release up to the next that may break: `>=1.2,<2`, before 1.0 `>=0.3.1,<0.4`."""
    numbers = release_numbers(version)
    major, minor, *_ = (*numbers, 0, 0)
    upper = str(major + 1) if major else f"0.{minor + 1}"
    return f">={'.'.join(map(str, numbers)) or '0'},<{upper}"


def _write(session: Session, library: Library, package: Package, added: Added, started: float) -> int:
    """Looks at the library as it would be with the dependency, then writes it, all of it or nothing."""
    before = session.tree.read(LIBRARY_FILE) or b""
    text = with_dependency(before.decode("utf-8"), package, added.name, added.written)
    files = EditedFiles(session.root, {LIBRARY_FILE: text.encode()})
    edited = _read_edited(files, package, added)
    if edited is None:
        raise DiagnosticError([_not_edited(package, added)])

    def fetch(name: str, dependency: Dependency) -> bytes | None:
        if normal_name(name) == normal_name(added.name):
            return added.data
        if not dependency.bundle:
            return installed_library(normal_name(name))
        folder, slash, file = dependency.bundle.rpartition("/")
        data = files.read(f"{SPECS}/{folder}" if slash else SPECS, file, MOST_BYTES, dependency.place)
        return data if isinstance(data, bytes) else None

    resolved = find_libraries(edited.packages, fetch)
    found = [*resolved.diagnostics]
    for item in edited.packages:
        found += closure_findings(edited, item, resolved)
    locked, unreadable = read_dependencies_lock(session.tree.read(LOCK_FILE) or b"")
    found += unreadable
    fields = {"library": added.name, "version": added.version, "sha256": sha256(added.data).hexdigest()}
    if has_errors(found):
        return finish(session, started, list(dict.fromkeys(found)), "", {**fields, "written": False})
    lines: dict[str, LockedLibrary] = dict(locked)
    lines[normal_name(added.name)] = resolved.libraries[normal_name(added.name)].locked
    written: dict[str, bytes | None] = {LIBRARY_FILE: text.encode(), LOCK_FILE: write_dependencies_lock(lines.values())}
    if added.path:
        written = {f"{SPECS}/{added.path}": added.data, **written}
    session.transaction.write(written)
    told = [f"added {added.name} {added.version}, sha256 {fields['sha256']}", *(f"wrote {path}" for path in written)]
    return finish(session, started, found, "\n".join(told), {**fields, "written": True})


def _read_edited(files: LibraryFiles, package: Package, added: Added) -> Library | None:
    """The library as it is with the edit; None where it says anything but that one dependency more."""
    try:
        edited = read_library(files, folders=domain_folders(files))
        found = edited.package(package.name)
    except (DiagnosticError, KeyError):
        return None
    new = found.dependencies.get(added.name)
    said = {name: (item.releases, item.bundle) for name, item in found.dependencies.items()}
    wanted = {name: (item.releases, item.bundle) for name, item in package.dependencies.items()}
    plain = replace(found, dependencies=package.dependencies, places=package.places)
    is_same = plain == package and said == {**wanted, added.name: (added.releases, added.path)}
    return edited if new is not None and is_same else None


def with_dependency(text: str, package: Package, name: str, value: str) -> str:
    """library.yaml with one dependency more, edited by lines, so that comments stay. The caller looks at what came of
    it: a file may be written in ways that this does not know."""
    lines = text.split("\n")
    place = package.places.get("dependencies")
    entry = f"{name}: {value}"
    if place is None:
        beside = package.places["library"]
        lines.insert(beside.line, f"{' ' * (beside.column - 1)}dependencies: {{{entry}}}")
        return "\n".join(lines)
    line = lines[place.line - 1]
    head, rest = line[: place.column - 1], line[place.column - 1 :]
    if flow := re.fullmatch(r"""(["']?dependencies["']?\s*:\s*\{)(.*?)\s*(\}\s*(?:\#.*)?\r?)""", rest):
        inner = flow[2].strip()
        lines[place.line - 1] = f"{head}{flow[1]}{f'{inner}, ' if inner else ''}{entry}{flow[3]}"
        return "\n".join(lines)
    following = next((item for item in lines[place.line :] if item.strip() and item.strip()[0] != "#"), "")
    indent = len(following) - len(following.lstrip())
    lines.insert(place.line, f"{' ' * max(indent, place.column + 1)}{entry}")
    return "\n".join(lines)


def _not_edited(package: Package, added: Added) -> Diagnostic:
    return Diagnostic(
        "OW676",
        f"{LIBRARY_FILE} is not of a form in which {added.name} can be added",
        package.places.get("dependencies"),
        reason="it was left as it is: an edit that might mean something else is not made",
        help=f"write `{added.name}: {added.written}` below `dependencies:` and run `opwright update {added.name}`",
    )
