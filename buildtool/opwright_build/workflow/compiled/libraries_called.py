"""The libraries that the packages of a build depend on, each read recorded."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from opwright.bundle.normal_name import normal_name

from opwright_build.dependencies.dependencies_lock import LOCK_FILE, read_dependencies_lock
from opwright_build.dependencies.resolution import (
    Resolved,
    closure_findings,
    find_libraries,
    hold_against_lock,
    unused_lines,
)
from opwright_build.engine.reader import Reader
from opwright_build.workflow.opened.session import INSTALLED

if TYPE_CHECKING:
    from opwright_build.spec.model import Dependency, LoadedLibrary


def libraries_called(reader: Reader, loaded: LoadedLibrary) -> Resolved:
    """What the packages that are built depend on, as the lock has it, and everything that is wrong with it."""
    data = reader.read(f"file:{LOCK_FILE}")
    if data is None and not any(package.dependencies for package in loaded.packages):
        return Resolved({})

    def fetch(name: str, dependency: Dependency) -> bytes | None:
        source = f"file:specs/{dependency.bundle}" if dependency.bundle else f"{INSTALLED}:{normal_name(name)}"
        return reader.read(source)

    locked, found = read_dependencies_lock(data or b"")
    resolved = hold_against_lock(find_libraries(loaded.packages, fetch), locked)
    found += [*resolved.diagnostics, *unused_lines(locked, loaded.library.packages)]
    for package in loaded.packages:
        found += closure_findings(loaded.library, package, resolved)
    return replace(resolved, diagnostics=tuple(dict.fromkeys(found)))
