"""The file of arrays next to a decompiled module: a `.npz` that its module owns, and that is checked when it is read.

Its arrays are followed by a list of their digests. The module's text names the digest of that list, so a file
that belongs to another module is found when the module is imported, and each array is checked when it is taken. Which
module owns a file stands in the comment of the archive: only that module's text may be written anew with the file.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.lib.format import read_array, write_array
from numpy.typing import NDArray

from opwright.decompiler.literal_text import quoted
from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Place
from opwright.regular_file import open_regular

Array = NDArray[np.generic]
MOST_LETTERS = 60  # of the name of an array that stands in the name of its member
_DIGESTS = "digests.json"  # is no identifier, so that no array is called so
_OWNER = "opwright decompile: "
_LARGEST = 1 << 62  # weights may be of any size, and are read one at a time
_BROKEN = (KeyError, ValueError, EOFError, OSError, RuntimeError, NotImplementedError, zipfile.BadZipFile, zlib.error)


def digests_of(arrays: Mapping[str, Array]) -> bytes:
    """The list of digests, as the file holds it; nothing where there are no arrays."""
    return json.dumps({name: _digest(array) for name, array in arrays.items()}).encode() if arrays else b""


def loading(side_file: str, digests: bytes) -> str:
    """The expression that a module loads its arrays with."""
    name = f"with_name({quoted(side_file)})" if side_file else 'with_suffix(".npz")'
    return f'load_arrays(Path(__file__).{name}, "{hashlib.sha256(digests).hexdigest()}")'


def write_arrays(stream: BinaryIO, arrays: Mapping[str, Array], digests: bytes, module: str) -> None:
    """Writes the file of a module. `module` is the name of the module's own file."""
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
        archive.comment = f"{_OWNER}{module}".encode()
        archive.writestr(zipfile.ZipInfo(_DIGESTS), digests)
        for name, array in arrays.items():
            with archive.open(zipfile.ZipInfo(f"{name}.npy"), "w", force_zip64=True) as member:
                write_array(member, np.asanyarray(array), allow_pickle=False)


def owner_of(path: Path) -> str:
    """The module that a file was written for; empty where it is no file of ours."""
    try:
        with open(open_regular(path, _LARGEST), "rb") as stream, zipfile.ZipFile(stream) as archive:
            comment = archive.comment.decode()
    except (*_BROKEN, UnicodeDecodeError):
        return ""
    return comment.removeprefix(_OWNER) if comment.startswith(_OWNER) else ""


def load_arrays(path: Path, digest: str) -> Mapping[str, Array]:
    """The arrays of the file next to a decompiled module; each is read when it is taken.

    `digest` stands in the module's text. Raises DiagnosticError (OW591) where the file is not there or is not the one
    that was written with the text, and where an array is taken whose bytes have changed.
    """
    return _Arrays(path, digest)


class _Arrays(Mapping[str, Array]):
    """The arrays of a file that has been found to be the right one. It stays open, as long as the module lives."""

    def __init__(self, path: Path, digest: str) -> None:
        self._path = path
        try:
            self._archive = zipfile.ZipFile(open(open_regular(path, _LARGEST), "rb"))  # noqa: SIM115 - as long as we
            digests = self._archive.read(_DIGESTS)
        except FileNotFoundError:
            raise _refused(path, "it is not there", "keep the two files together") from None
        except _BROKEN as error:
            raise _refused(path, f"it cannot be read: {error}") from None
        if hashlib.sha256(digests).hexdigest() != digest:
            raise _refused(path, "its arrays are others than those that the text was written with")
        self._digests: dict[str, str] = json.loads(digests)

    def __getitem__(self, name: str) -> Array:
        wanted = self._digests[name]
        try:
            with self._archive.open(f"{name}.npy") as member:
                array: Array = read_array(member, allow_pickle=False)
        except _BROKEN as error:
            raise _refused(self._path, f"the array {name} cannot be read: {error}") from None
        if _digest(array) != wanted:
            raise _refused(self._path, f"the array {name} has other bytes than when it was written")
        return array

    def __iter__(self) -> Iterator[str]:
        return iter(self._digests)

    def __len__(self) -> int:
        return len(self._digests)


def _digest(array: Array) -> str:
    found = hashlib.sha256(f"{array.dtype.str} {array.shape} ".encode())
    found.update(np.ascontiguousarray(array).data)
    return found.hexdigest()


def _refused(path: Path, reason: str, help_: str = "decompile the model again") -> DiagnosticError:
    message = f"{path.name} is not the file that belongs to this module"
    return DiagnosticError([Diagnostic("OW591", message, Place(path.as_posix()), reason, help_)])
