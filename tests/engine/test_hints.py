import os
import time
from pathlib import Path

import pytest
from opwright_build.engine.content_digest import digest_bytes
from opwright_build.engine.hints import FileHints

from tests.sealed import kept

OLD = time.time_ns() - 3_600_000_000_000


def _aged(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    os.utime(path, ns=(OLD, OLD))
    return path


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if every file had been read an hour after it was written (ctime cannot be set back)."""
    real = time.time_ns
    monkeypatch.setattr("opwright_build.engine.hints.time.time_ns", lambda: real() + 3_600_000_000_000)


def _count_reads(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    reads: list[Path] = []
    real = FileHints.read

    def counted(self: FileHints, path: Path) -> bytes | None:
        reads.append(path)
        return real(self, path)

    monkeypatch.setattr(FileHints, "read", counted)
    return reads


@pytest.mark.usefixtures("settled")
def test_an_unchanged_file_is_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = _aged(tmp_path / "a.txt", b"one")
    first = FileHints(kept(tmp_path / "hints.json"))
    assert first.digest(path) == digest_bytes(b"one")
    first.save()
    reads = _count_reads(monkeypatch)
    assert FileHints(kept(tmp_path / "hints.json")).digest(path) == digest_bytes(b"one")
    assert reads == []


@pytest.mark.usefixtures("settled")
def test_rehash_reads_every_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = _aged(tmp_path / "a.txt", b"one")
    first = FileHints(kept(tmp_path / "hints.json"))
    first.digest(path)
    first.save()
    reads = _count_reads(monkeypatch)
    assert FileHints(kept(tmp_path / "hints.json"), rehash=True).digest(path) == digest_bytes(b"one")
    assert reads == [path]


@pytest.mark.usefixtures("settled")
@pytest.mark.parametrize("keep_mtime", [True, False])
def test_a_change_of_the_same_size_is_seen(tmp_path: Path, keep_mtime: bool) -> None:
    path = _aged(tmp_path / "a.txt", b"one")
    first = FileHints(kept(tmp_path / "hints.json"))
    first.digest(path)
    first.save()
    path.write_bytes(b"two")
    if keep_mtime:  # ctime gives it away
        os.utime(path, ns=(OLD, OLD))
    assert FileHints(kept(tmp_path / "hints.json")).digest(path) == digest_bytes(b"two")


def test_a_file_as_young_as_the_reading_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"one")
    first = FileHints(kept(tmp_path / "hints.json"))
    first.digest(path)
    first.save()
    reads = _count_reads(monkeypatch)
    FileHints(kept(tmp_path / "hints.json")).digest(path)
    assert reads == [path]


def test_a_missing_file_has_no_digest(tmp_path: Path) -> None:
    hints = FileHints(kept(tmp_path / "hints.json"))
    assert hints.digest(tmp_path / "none") is None
    assert hints.read(tmp_path / "none") is None
    assert hints.digest(tmp_path / "none" / "below") is None


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"format":1,"files":{}}', b'{"format":1,"files":{"a":[1]}}'])
def test_damaged_hints_are_no_hints(tmp_path: Path, damage: bytes) -> None:
    (tmp_path / "hints.json").write_bytes(damage)
    path = _aged(tmp_path / "a.txt", b"one")
    assert FileHints(kept(tmp_path / "hints.json")).digest(path) == digest_bytes(b"one")


@pytest.mark.usefixtures("settled")
def test_few_small_files_are_read_again_rather_than_all_hints_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [_aged(tmp_path / f"{number}.txt", b"one") for number in range(300)]

    def seen() -> list[Path]:
        hints = FileHints(kept(tmp_path / "hints.json"))
        del reads[:]
        assert [hints.digest(path) for path in paths] == [digest_bytes(path.read_bytes()) for path in paths]
        hints.save()
        return list(reads)

    monkeypatch.setattr("opwright_build.engine.hints._MANY", 200)
    reads = _count_reads(monkeypatch)
    assert seen() == paths
    assert seen() == []
    _aged(paths[3], b"two")
    _aged(paths[5], b"two")
    assert seen() == [paths[3], paths[5]]
    _aged(paths[7], b"two")
    assert seen() == [paths[3], paths[5], paths[7]]
    _aged(paths[9], b"two")
    assert seen() == [paths[3], paths[5], paths[7], paths[9]], "that many are worth it"
    assert seen() == []
    _aged(paths[3], b"three" * 100_000)
    assert seen() == [paths[3]], "one that is large is"
    assert seen() == []
