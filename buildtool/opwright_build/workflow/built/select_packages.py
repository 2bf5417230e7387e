"""Which packages of a library a command works on."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from opwright.bundle.normal_name import normal_name
from opwright.suggest import close_names

from opwright_build.workflow.opened.session import Session
from opwright_build.workflow.opened.status import usage_error

if TYPE_CHECKING:
    from opwright_build.spec.model import Library, Package


def select_packages(library: Library, asked: Collection[str]) -> tuple[Package, ...]:
    """The packages that are asked for, in the order of library.yaml; all of them where nothing is.

    A package is asked for by the name of its distribution or of its import package. UsageError, with names that are
    close, for any other.
    """
    if not asked:
        return library.packages
    chosen: set[str] = set()
    for name in asked:
        found = [item for item in library.packages if _is_called(item, name)]
        if not found:
            names = [item.name for item in library.packages]
            close = close_names(name, names, most=3, cutoff=0.5) or names
            message = f"the library has no package {name}"
            raise usage_error(message, help=f"did you mean {' or '.join(close[:3])}?")
        chosen.add(found[0].name)
    return tuple(item for item in library.packages if item.name in chosen)


def _is_called(package: Package, name: str) -> bool:
    return name in (package.name, package.package) or normal_name(name) == normal_name(package.name)


def names_asked_for(session: Session) -> tuple[str, ...]:
    """The names of the packages that are asked for, in the order of library.yaml."""
    from opwright_build.spec.confine import LibraryFiles
    from opwright_build.spec.library_file import read_library

    library = read_library(LibraryFiles(session.root))
    return tuple(package.name for package in select_packages(library, session.packages))


def domains_asked_for(session: Session) -> frozenset[str]:
    """The domains of the packages that are asked for."""
    from opwright_build.spec.confine import LibraryFiles
    from opwright_build.spec.library_file import read_library

    library = read_library(LibraryFiles(session.root))
    return frozenset(domain for package in select_packages(library, session.packages) for domain in package.domains)


def domains_of_others(session: Session) -> frozenset[str]:
    """The domains of the packages that are not asked for."""
    from opwright_build.spec.confine import LibraryFiles
    from opwright_build.spec.library_file import read_library

    packages = read_library(LibraryFiles(session.root)).packages
    return frozenset(name for package in packages for name in package.domains) - domains_asked_for(session)
