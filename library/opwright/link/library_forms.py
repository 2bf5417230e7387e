"""The forms in which a library is given to a function of ours: what `find_bundle` gives, or what it takes.

| given | the library |
|---|---|
| `Bundle` | itself |
| path (`str`, `os.PathLike`) of a `.onnxlib` file | the one in it |
| name of an installed package or distribution | that one |
| a package that is imported | that one |
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType

from opwright.bundle.format import Bundle
from opwright.bundle.read import find_bundle
from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError
from opwright.graphs.ir_models import first_cause

AnyLibrary = Bundle | str | os.PathLike[str] | ModuleType
Libraries = AnyLibrary | Iterable[AnyLibrary]

_TAKEN = "a Bundle, the path of a .onnxlib file, and an installed package or its name are taken"


def given_library(given: AnyLibrary) -> Bundle:
    """The library in any of the forms above.

    Raises DiagnosticError: OW518 for anything else and for a name that no library has, OW510 to OW516 for the file.
    """
    if isinstance(given, Bundle):
        return given
    if isinstance(given, ModuleType):
        return find_bundle(given.__name__)
    if isinstance(given, str):
        return find_bundle(given)
    if not isinstance(given, os.PathLike):
        raise _no_library(given, _TAKEN)
    try:
        path = Path(os.fsdecode(given))
    except Exception as error:  # a PathLike may raise anything
        raise _no_library(given, first_cause(error)) from None
    return find_bundle(path)


def given_libraries(given: Libraries) -> list[Bundle]:
    """One library, or several, each in any of the forms above. Raises DiagnosticError as `given_library` does."""
    if isinstance(given, Bundle | str | os.PathLike | ModuleType):
        return [given_library(given)]
    several: object = given
    if isinstance(several, bytes) or not isinstance(several, Iterable):
        raise _no_library(given, _TAKEN)
    return [given_library(item) for item in several]


def _no_library(given: object, reason: str) -> DiagnosticError:
    text = f"an object of {type(given).__name__} is no library"
    if isinstance(given, bytes):
        help = "`opwright.read_bundle` reads bytes"
    elif isinstance(given, Iterable):
        help = "give the libraries in it one by one, as `*libraries` does"
    else:
        help = "`opwright.find_bundle` opens one"
    return DiagnosticError([Diagnostic("OW518", text, reason=reason, help=help)])
