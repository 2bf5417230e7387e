"""`opwright update`: lock the libraries that this one depends on to what is found now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from opwright.bundle.format import MOST_BYTES
from opwright.bundle.normal_name import normal_name
from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, has_errors
from opwright.suggest import close_or

from opwright_build.dependencies.dependencies_lock import (
    LOCK_FILE,
    LockedLibrary,
    read_dependencies_lock,
    write_dependencies_lock,
)
from opwright_build.dependencies.resolution import (
    closure_findings,
    find_libraries,
    replaced_releases,
    wanted_libraries,
)
from opwright_build.report.reporter import Reporter
from opwright_build.spec.confine import LibraryFiles
from opwright_build.spec.library_file import read_library
from opwright_build.spec.library_root import SPECS
from opwright_build.spec.load import domain_folders
from opwright_build.spec.model import Dependency
from opwright_build.workflow.adding import EditedFiles
from opwright_build.workflow.newer_releases import is_vendored, newer_releases
from opwright_build.workflow.opened.installed_library import installed_library
from opwright_build.workflow.opened.session import Options, Session
from opwright_build.workflow.opened.status import UsageError, usage_error
from opwright_build.workflow.opened.task import finish, on_library
from opwright_build.workflow.opened.writing import write_below
from opwright_build.workflow.searching import index_places


def update(
    names: Sequence[str], indexes: Sequence[str], path: Path, reporter: Reporter, options: Options, started: float
) -> int:
    """Writes the lock of the library around `path`: the lines of the libraries `names`, or all. Where indexes are
    asked, those that were added from one become the newest release that fits. Nothing is written where a library cannot
    be found, is of a release that is not accepted, does not fit the others, or has other bytes than the locked ones
    under the same version and is not named."""
    return on_library(path, reporter, options, lambda session: _update(session, names, indexes, started))


def _update(session: Session, names: Sequence[str], indexes: Sequence[str], started: float) -> int:
    files = LibraryFiles(session.root)
    library = read_library(files, folders=domain_folders(files))
    wanted = wanted_libraries(library.packages)
    chosen = {normal_name(name) for name in names}
    for name in names:
        if normal_name(name) not in wanted:
            raise _unknown(name, [wish[0][1] for wish in wanted.values()])
        dependency = wanted[normal_name(name)][0][2]
        if indexes and not is_vendored(dependency):
            raise _of_no_index(name, dependency)
    data = session.tree.read(LOCK_FILE)
    before, unreadable = read_dependencies_lock(data or b"")
    if names and unreadable:
        return finish(session, started, unreadable, "", {"written": False})
    resolved = find_libraries(library.packages, partial(_fetch, files))
    edited: dict[str, bytes | None] = {}
    places = index_places(indexes)
    if places:
        edited = newer_releases(session, library, resolved, chosen, places)
    if edited:
        files = EditedFiles(session.root, {path: data for path, data in edited.items() if data is not None})
        library = read_library(files, folders=domain_folders(files))
        resolved = find_libraries(library.packages, partial(_fetch, files))
    found = [*resolved.diagnostics]
    for package in library.packages:
        found += closure_findings(library, package, resolved)
    if not names:
        found += replaced_releases(resolved, before)
    if has_errors(found):
        return finish(session, started, list(dict.fromkeys(found)), "", {"written": False})
    after = {
        name: item.locked if not names or name in chosen else before.get(name, item.locked)
        for name, item in resolved.libraries.items()
    }
    lines = _tell(session, before, after)
    fresh = write_dependencies_lock(after.values())
    if edited:
        session.transaction.write({**edited, LOCK_FILE: fresh})
        lines += [f"{'removed' if content is None else 'wrote'} {path}" for path, content in edited.items()]
        written = True
    else:
        written = (data is not None or bool(after)) and write_below(session.tree, LOCK_FILE, fresh)
    lines.append(f"{LOCK_FILE} {'written' if written else 'unchanged'}")
    return finish(session, started, found, "\n".join(lines), {"written": written})


def _fetch(files: LibraryFiles, name: str, dependency: Dependency) -> bytes | None:
    if not dependency.bundle:
        return installed_library(normal_name(name))
    folder, slash, file = dependency.bundle.rpartition("/")
    data = files.read(f"{SPECS}/{folder}" if slash else SPECS, file, MOST_BYTES, dependency.place)
    if isinstance(data, Diagnostic):
        raise DiagnosticError([data])
    return data


def _of_no_index(name: str, dependency: Dependency) -> UsageError:
    where = f"specs/{dependency.bundle}" if dependency.bundle else "what is installed"
    help_ = f"put the release there that you want, and run `opwright update {name}`"
    return usage_error(f"{name} is not from an index: it is {where}", help=help_)


def _tell(session: Session, before: Mapping[str, LockedLibrary], after: Mapping[str, LockedLibrary]) -> list[str]:
    """What becomes of each line, told as it is."""
    lines: list[str] = []
    for name in sorted({*before, *after}):
        old, new = before.get(name), after.get(name)
        item = new or old
        assert item is not None
        status = _status(old, new)
        event = {"library": item.library, "version": item.version, "sha256": item.sha256, "source": item.source}
        session.reporter.event("dependency", {**event, "before": old.version if old else None, "status": status})
        if status == "changed" and old is not None:
            lines.append(f"{item.library} {_change(old, item)}")
        elif status != "unchanged":
            lines.append(f"{item.library} {item.version} {status} ({item.source})")
    return lines


def _change(old: LockedLibrary, new: LockedLibrary) -> str:
    if old.version != new.version:
        return f"{old.version} -> {new.version} ({new.source})"
    if old.sha256 != new.sha256:
        return f"{new.version} has other bytes: sha256 {old.sha256} -> {new.sha256} ({new.source})"
    return f"{new.version} ({old.source} -> {new.source})"


def _status(old: LockedLibrary | None, new: LockedLibrary | None) -> str:
    if new is None:
        return "removed"
    if old is None:
        return "added"
    same = (old.version, old.sha256, old.source) == (new.version, new.sha256, new.source)
    return "unchanged" if same else "changed"


def _unknown(name: str, known: list[str]) -> UsageError:
    help_ = close_or(name, known, "dependencies stand in specs/library.yaml", cutoff=0.5)
    return usage_error(f"no package depends on {name}", help=help_)
