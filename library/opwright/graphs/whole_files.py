"""Files that are written whole or not at all, also several that belong together."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def written_whole(path: Path) -> Iterator[BinaryIO]:
    """A stream whose bytes become the file when the block ends; where the block fails, the file is as it was."""
    with written_together(path) as (stream,):
        yield stream


@contextmanager
def written_together(*paths: Path) -> Iterator[Sequence[BinaryIO]]:
    """Streams whose bytes become the files when the block ends; where anything fails, all files are as they were.

    All bytes are written before the first file is replaced, so that a process that is killed leaves the old files too,
    unless that is between two renames.
    """
    partials = [_hidden(path, "partial") for path in paths]
    try:
        with ExitStack() as opened:
            streams = [opened.enter_context(partial.open("wb")) for partial in partials]
            yield streams
            for stream in streams:
                stream.flush()
                os.fsync(stream.fileno())
        with ExitStack() as replaced:
            for path, partial in zip(paths, partials, strict=True):
                if path is not paths[-1]:
                    replaced.enter_context(_put_back_on_failure(path))
                partial.replace(path)
    finally:
        for partial in partials:
            partial.unlink(missing_ok=True)


@contextmanager
def _put_back_on_failure(path: Path) -> Iterator[None]:
    """A block that replaces the file; where it fails the file is as it was. OSError where it cannot be kept."""
    existed, saved = path.is_file(), _hidden(path, "saved")
    saved.unlink(missing_ok=True)
    if existed:
        try:
            os.link(path, saved)
        except OSError:  # a file system without hard links
            path.replace(saved)
    try:
        yield
    except BaseException:
        if existed:
            saved.replace(path)
        elif path.is_file():
            path.unlink()
        raise
    finally:
        saved.unlink(missing_ok=True)  # a rename of one file to another name of it leaves both


def _hidden(path: Path, kind: str) -> Path:
    return path.with_name(f".{path.name}.{os.getpid()}.{kind}")
