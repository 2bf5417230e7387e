"""The files with a model's weights, when the model is written into another folder.

A runtime finds weights relative to the model's folder, and none outside it. So they are copied or moved next to the new
model under the names that it has for them, or stay where that is below its folder. No file is overwritten, and none is
removed before what takes its place has been read and compared.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import BinaryIO

from onnx import ModelProto

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError
from opwright.graphs.external_tensors import FolderTensors, external_tensors
from opwright.graphs.model_file import external_files
from opwright.graphs.whole_files import written_whole
from opwright.regular_file import open_regular

_PIECE = 1 << 20
_MOST = 1 << 62  # bytes of a file


class ExternalData(Enum):
    """What becomes of weights in other files when a model goes to another folder."""

    COPY = "copy"
    MOVE = "move"
    REFERENCE = "reference"


@dataclass(frozen=True, slots=True)
class Moved:
    """A file of weights that has got another place, where it has been written already."""

    old: Path
    new: Path


def remove_moved(places: Iterable[Moved]) -> None:
    """Removes files from their old places, after each was compared with what is in the new one. DiagnosticError (OW571)
    where one is not what it was, with nothing removed, or cannot be removed."""
    listed = list(dict.fromkeys(places))
    for place in listed:
        try:
            same = _are_equal(place.old, place.new)
        except OSError as error:
            raise DiagnosticError([_refused(place.new, f"{place.old}: {_text(error)}")]) from None
        if not same:
            raise DiagnosticError([_refused(place.new, f"{place.old} is not what it was when it was copied")])
    for old, place in {place.old: place for place in listed}.items():
        try:
            real = _real(old)
            old.unlink()
            real.unlink(missing_ok=True)  # where the name was a link
        except OSError as error:
            raise DiagnosticError([_refused(place.new, f"{old} cannot be removed: {_text(error)}")]) from None


@contextmanager
def weights_beside(model: ModelProto, source: Path, path: Path, how: ExternalData) -> Iterator[list[Moved]]:
    """The weights of the model at `source` next to `path`, where the block writes it; what is to be removed then.

    Where the block fails, no new file stays. With `REFERENCE` the model gets other names for the files. Raises
    DiagnosticError: OW550 where a tensor is not whole in a file of the model's folder, OW571 where that cannot be where
    it has to be.
    """
    old, new = source.parent, path.parent
    elsewhere = any(True for _ in external_tensors(model))
    made: list[Path] = []
    moved: list[Moved] = []
    try:
        if elsewhere and _real(old) != _real(new) and new.is_dir():  # else the model cannot be written: it is said then
            if how is ExternalData.REFERENCE:
                _refer(model, source, path)
            else:
                _require_whole(model, source)
                for name in external_files(model):
                    place = _place(name, source, new, path)
                    if _bring(place, made) and how is ExternalData.MOVE:
                        moved.append(place)
        yield moved
    except BaseException:
        for item in reversed(made):
            with suppress(OSError):
                item.rmdir() if item.is_dir() else item.unlink()
        raise


def _refer(model: ModelProto, source: Path, path: Path) -> None:
    old, new = _real(source.parent), _real(path.parent)
    if new not in old.parents:
        reason = f"they lie next to {source}, and runtimes read none from outside the model's folder"
        raise DiagnosticError([_refused(path, reason)])
    _require_whole(model, source)
    for tensor in external_tensors(model):
        for item in tensor.external_data:
            if item.key == "location":
                item.value = (old.relative_to(new) / item.value).as_posix()


def _require_whole(model: ModelProto, source: Path) -> None:
    """Refuses tensors that do not lie whole in files of the model at `source`."""
    there = FolderTensors(source.parent, source.as_posix())
    for tensor in external_tensors(model):
        there.place(tensor)


def _place(name: str, source: Path, new: Path, path: Path) -> Moved:
    """Where a file of weights of the model at `source` is, and where it has to be."""
    if ".." in Path(name).parts:
        raise DiagnosticError([_refused(path, f"{name[:200]} goes up a folder")])
    target = new / name
    try:
        outside = not _real(target).is_relative_to(_real(new))
    except (OSError, ValueError) as error:
        raise DiagnosticError([_refused(path, f"{name[:200]}: {_text(error)}")]) from None
    if outside:
        raise DiagnosticError([_refused(path, f"{target} leads out of its folder")])
    if _real(target) == _real(path):
        raise DiagnosticError([_refused(path, "its weights would lie there")])
    return Moved(source.parent / name, target)


def _real(path: Path) -> Path:
    """With all links followed."""
    return Path(os.path.realpath(path))


def _bring(place: Moved, made: list[Path]) -> bool:
    """Puts a file where it has to be, and notes the files and folders that it makes; False where the two places are
    one."""
    try:
        if os.path.lexists(place.new):
            if os.path.samefile(place.old, place.new):
                return False
            if not _are_equal(place.old, place.new):
                raise DiagnosticError([_refused(place.new, "there is another file of that name")])
            return True
        for folder in reversed(place.new.parents):
            if not folder.exists():
                folder.mkdir()
                made.append(folder)
        _copy(place.old, place.new)
    except OSError as error:
        raise DiagnosticError([_refused(place.new, _text(error))]) from None
    made.append(place.new)
    return True


def _copy(source: Path, path: Path) -> None:
    """The same bytes, holes where the file has holes: whole or not at all."""
    with _opened(source) as file, written_whole(path) as stream:
        size = os.fstat(file.fileno()).st_size
        for begin, end in _filled(file.fileno(), size):
            file.seek(begin)
            stream.seek(begin)
            while begin < end:
                part = file.read(min(_PIECE, end - begin))
                if not part:
                    raise OSError(errno.EIO, "it became shorter meanwhile")
                stream.write(part)
                begin += len(part)
        stream.truncate(size)


def _filled(descriptor: int, size: int) -> Iterator[tuple[int, int]]:
    """The parts of a file that are no holes; all of it where the system does not tell."""
    position = 0
    while position < size:
        begin, end = position, size
        if hasattr(os, "SEEK_DATA"):
            try:
                begin = os.lseek(descriptor, position, os.SEEK_DATA)
                end = min(size, os.lseek(descriptor, begin, os.SEEK_HOLE))
            except OSError as error:
                if error.errno == errno.ENXIO:  # a hole is all that is left
                    return
        yield begin, end
        position = end


def _are_equal(one: Path, other: Path) -> bool:
    """Whether two files have the same bytes. OSError where they are no regular files, or cannot be read."""
    with _opened(one) as first, _opened(other) as second:
        sizes = {os.fstat(file.fileno()).st_size for file in (first, second)}
        if len(sizes) > 1:
            return False
        places = [place for file in (first, second) for place in _filled(file.fileno(), *sizes)]
        return all(
            _read(first, at, min(_PIECE, end - at)) == _read(second, at, min(_PIECE, end - at))
            for begin, end in places
            for at in range(begin, end, _PIECE)
        )


def _opened(path: Path) -> BinaryIO:
    return open(open_regular(path, _MOST), "rb", buffering=0)


def _read(file: BinaryIO, position: int, length: int) -> bytes:
    file.seek(position)
    return file.read(length)


def _refused(path: Path, reason: str) -> Diagnostic:
    text = f"the model's weights cannot be next to {path}"
    help_text = "write the model to another folder, or into the one in which its weights are"
    return Diagnostic("OW571", text, reason=reason, help=help_text)


def _text(error: Exception) -> str:
    return (getattr(error, "strerror", None) or str(error))[:300]
