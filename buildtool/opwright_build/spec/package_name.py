"""What a library's import package may not be called, whatever is installed."""

from __future__ import annotations

import keyword
import sys

from opwright.diagnostics.diagnostic import Diagnostic, Place

_OURS = ("opwright", "opwright_build")
_AT_START = ("sitecustomize", "usercustomize")  # Python imports them by itself
# Modules of one Python or another from 3.11 on, and its tests, which it does not list; the wheel is for all of them.
# fmt: off
_STANDARD = frozenset([
    "aifc", "annotationlib", "asynchat", "asyncore", "audioop", "cgi", "cgitb", "chunk", "compression", "crypt",
    "distutils", "imghdr", "imp", "lib2to3", "mailcap", "msilib", "nis", "nntplib", "ossaudiodev", "pipes", "smtpd",
    "sndhdr", "spwd", "sunau", "telnetlib", "test", "uu", "xdrlib",
])
# fmt: on


def why_taken(package: str) -> str | None:
    """A clause about a name that means something else to Python or to this tool; None for a name that is free."""
    if package in _OURS:
        return "which is this tool's own"
    if keyword.iskeyword(package):
        return "which is a keyword of Python"
    if package in _AT_START:
        return "which Python imports whenever it starts"
    if package.startswith("__") and package.endswith("__"):  # __main__ is no file, __pycache__ no package
        return "which is of Python's own form of names"
    if package in sys.stdlib_module_names or package in _STANDARD:
        return "which is a module of Python's standard library"
    return None


def refuse_package(package: str, why: str, place: Place) -> Diagnostic:
    """The finding about a package whose name is taken."""
    return Diagnostic(
        code="OW109",
        message=f"the package cannot be called `{package}`, {why}",
        place=place,
        reason="programs that import the other module would get this one, or its files would be overwritten",
        help="choose a name that nothing else has, such as that of the library",
    )
