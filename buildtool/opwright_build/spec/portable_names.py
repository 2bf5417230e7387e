"""Names of files that other systems do not have as they are: two that differ in case alone are one file on Windows and
macOS, and Windows keeps some names for devices."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from opwright.diagnostics.diagnostic import Diagnostic, Place, Severity

_PORTS = (f"{port}{number}" for port in ("COM", "LPT") for number in (*range(1, 10), "¹", "²", "³"))
_DEVICES = frozenset(("AUX", "CON", "CONIN$", "CONOUT$", "NUL", "PRN", *_PORTS))
_SIGNS = frozenset('<>:"|?*\\')


def check_names(folder: str, names: Iterable[str]) -> list[Diagnostic]:
    """What is wrong with the names of files below a folder, given by their paths in it: each file or folder is told
    once, at its own place."""
    found: list[Diagnostic] = []
    spelled: dict[str, str] = {}  # the path of each file and folder by the one that other systems take it for
    seen: set[str] = set()
    ambiguous: set[str] = set()
    for name in sorted(names):
        parts = name.split("/")
        for count in range(1, len(parts) + 1):
            path = "/".join(parts[:count])
            if path in ambiguous:
                break  # so is all that lies in it
            if path in seen:
                continue
            seen.add(path)
            first = spelled.setdefault(_folded(path), path)
            if first != path:
                found.append(_ambiguous(f"{folder}/{path}", first.rpartition("/")[2]))
                ambiguous.add(path)
                break
            why = refuse_name(parts[count - 1])
            if why:
                found.append(_not_portable(f"{folder}/{path}", why))
    return found


def refuse_name(name: str) -> str:
    """Why Windows has no file or folder of that name; empty when it may have one."""
    if name.partition(".")[0].rstrip(" ").upper() in _DEVICES:
        return "Windows keeps that name for a device"
    if name.endswith((".", " ")):
        return "Windows leaves out a dot or a space at the end of a name"
    if not _SIGNS.isdisjoint(name) or any(letter < " " for letter in name):
        return "Windows has no names with one of these: " + " ".join(sorted(_SIGNS))
    return ""


def _folded(path: str) -> str:
    return path.lower() if path.isascii() else unicodedata.normalize("NFC", path).casefold()


def _ambiguous(path: str, first: str) -> Diagnostic:
    return Diagnostic(
        "OW968",
        f"{path} and `{first}` beside it differ in case alone",
        Place(path),
        reason="on Windows and macOS they are one file, so that a checkout there has one of them",
        help="rename one of them; of operators, give one another name",
    )


def _not_portable(path: str, why: str) -> Diagnostic:
    return Diagnostic(
        "OW969",
        f"{path} cannot be checked out on Windows",
        Place(path),
        reason=why,
        help="rename it",
        severity=Severity.WARNING,
    )
