"""Pieces of bytes in one file: what was written is read, and what stands there in its place is not believed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from opwright_build.engine.piece_file import PieceFile

PIECES = [b"one", b"", b"three" * 100]


def test_what_was_written_is_read(tmp_path: Path) -> None:
    file = PieceFile(tmp_path / "pieces")
    refs = file.write(PIECES)
    more = file.append([b"four", b"five"])
    assert file.read_all([*refs, *more]) == [*PIECES, b"four", b"five"]
    assert [file.read(ref) for ref in reversed(refs)] == PIECES[::-1]
    assert file.size() == sum(map(len, PIECES)) + 8


def test_a_piece_that_is_another_one_is_lost(tmp_path: Path) -> None:
    file = PieceFile(tmp_path / "pieces")
    refs = file.write(PIECES)
    (tmp_path / "pieces").write_bytes(b"One" + b"three" * 99)
    assert [file.read(ref) for ref in refs] == [None, b"", None]
    assert file.read_all(refs) is None
    assert file.read_all(refs[1:2]) == [b""]
    (tmp_path / "pieces").unlink()
    assert file.read(refs[0]) is None
    assert file.read_all(refs) is None


def test_no_more_is_read_than_the_pieces(tmp_path: Path) -> None:
    path = tmp_path / "pieces"
    file = PieceFile(path)
    refs = file.write(PIECES)
    os.truncate(path, 1 << 30)  # a sparse file: its end costs nothing unless it is read
    assert file.read_all(refs) == PIECES


@pytest.mark.parametrize("kind", ["pipe", "link", "folder", "nothing"])
def test_what_is_no_file_is_not_written_to(kind: str, tmp_path: Path) -> None:
    path, other = tmp_path / "pieces", tmp_path / "other"
    other.write_bytes(b"precious")
    {
        "pipe": lambda: os.mkfifo(path),
        "link": lambda: path.symlink_to(other),
        "folder": path.mkdir,
        "nothing": lambda: None,
    }[kind]()
    with pytest.raises(OSError, match=r"\[Errno"):
        PieceFile(path).append([b"more"])
    assert other.read_bytes() == b"precious"
