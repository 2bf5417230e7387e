"""What is read of files that are not what they say."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest
from opwright.regular_file import NotRegularError, read_opened, read_regular


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
