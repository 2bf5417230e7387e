"""The functions of installed libraries, as calls in a living function reach them: through the package's opset."""

from __future__ import annotations

from types import ModuleType

from opwright.bundle.format import FunctionEntry
from opwright.diagnostics.model import Diagnostic
from opwright.lang.syntax import Module
from opwright.packaged import LibraryOpset

# The packages whose opsets have been met, by domain.
_OPSETS: dict[str, LibraryOpset] = {}


def opset_of_module(module: ModuleType) -> LibraryOpset | None:
    """The opset that a generated module shows; None for any other module."""
    found = vars(module).get("_OPSET")
    if not isinstance(found, LibraryOpset):
        return None
    _OPSETS[found.domain] = found
    return found


class NoFiles:
    """A living function reaches other files through what Python imported."""

    def module(self, name: str, level: int, origin: str) -> Module | Diagnostic | None:
        return None


class InstalledLibraries:
    """The functions of the packages that have been met."""

    def domain_of(self, package: str) -> str | None:
        return None

    def function(self, domain: str, name: str, version: int) -> FunctionEntry | None:
        return None

    def emitted_domain(self, domain: str) -> str | None:
        return None

    def names(self, domain: str) -> tuple[str, ...]:
        return ()
