"""What is read of files that are not what they say."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest
from opwright.regular_file import NotRegularError, read_opened, read_regular, read_up_to


def test_no_more_is_read_than_may_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"12345")
    assert read_regular(path, 5) == b"12345"
    with pytest.raises(NotRegularError):
        read_regular(path, 4)
    small = os.stat(path)
    path.write_bytes(b"x" * 3_000_000)
    taken = 0

    class Growing(io.FileIO):
        """A file that was small when it was looked at, as those of the system are, and has more than is wanted."""

        def read(self, size: int | None = -1) -> bytes:
            nonlocal taken
            data = super().read(size) or b""
            taken += len(data)
            return data

    monkeypatch.setattr(os, "fstat", lambda descriptor: small)
    with Growing(path) as file, pytest.raises(NotRegularError):
        read_opened(file, 100)  # type: ignore[arg-type]
    assert taken == 101
    with Growing(path) as file:
        assert len(read_opened(file, 3_000_000)) == 3_000_000  # type: ignore[arg-type]


@pytest.mark.parametrize(("most", "expected"), [(0, b""), (3, b"abc"), (5, b"abcde"), (1 << 40, b"abcde")])
def test_no_more_is_asked_for_than_a_file_has(tmp_path: Path, most: int, expected: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"abcde")
    asked: list[int] = []

    class Noting(io.FileIO):
        def read(self, size: int | None = -1) -> bytes:
            assert size is not None
            asked.append(size)
            return super().read(size) or b""

    with Noting(path) as file:
        assert read_up_to(file, most) == expected  # type: ignore[arg-type]
    assert sum(asked) <= len(expected) + 1
