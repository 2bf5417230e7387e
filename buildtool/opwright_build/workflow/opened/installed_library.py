"""The bundles of installed libraries, as sources that actions read."""

from __future__ import annotations

from opwright.bundle.format import MOST_BYTES
from opwright.bundle.installed import distribution_bundle
from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Place
from opwright.regular_file import read_regular

from opwright_build.engine.system_errors import reason_of


def installed_library(name: str) -> bytes | None:
    """The bytes of the bundle of the installed distribution of that name; None where there is none.

    DiagnosticError when there is one that cannot be read. Nothing of it is imported.
    """
    path = distribution_bundle(name)
    if path is None:
        return None
    try:
        return read_regular(path, MOST_BYTES)
    except OSError as error:
        message = f"the bundle of {name} cannot be read"
        raise DiagnosticError([Diagnostic("OW510", message, Place(path.as_posix()), reason_of(error))]) from None
