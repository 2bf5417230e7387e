"""A shared cache at a URL: the answers of one in a folder, and errors of the place that end in bounded time."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest
from fsspec.implementations.memory import MemoryFileSystem
from opwright.diagnostics.diagnostic import DiagnosticError
from opwright_build.engine import url_files
from opwright_build.engine.action import Done, Read, Record
from opwright_build.engine.content_digest import digest_bytes
from opwright_build.engine.seal import Seal
from opwright_build.engine.shared_store import FolderFiles, LayeredStore, SharedStore
from opwright_build.engine.signing import Keys, Signer
from opwright_build.engine.store import LocalStore
from opwright_build.engine.url_files import Patience, UrlFiles, shown_url
from opwright_build.workflow.opened.shared_place import open_files

CI, OTHER = Signer(b"1" * 32), Signer(b"2" * 32)
WRITER, READER = Keys(frozenset((CI.public,)), CI), Keys(frozenset((CI.public,)))
KEY = digest_bytes(b"an action")
URL = "memory://cache/of-acme"
HASTE = Patience(attempts=3, seconds=5.0, pause=0.001)


@pytest.fixture(autouse=True)
def _empty_memory() -> Iterator[None]:
    MemoryFileSystem.store.clear()
    MemoryFileSystem.pseudo_dirs[:] = [""]
    yield
    MemoryFileSystem.store.clear()


def machine(folder: Path, keys: Keys = READER, url: str = URL) -> LayeredStore:
    return LayeredStore(LocalStore(folder, Seal(b"s" * 32)), SharedStore(open_files(url), keys, writes=True))


def result(data: bytes, read: str = "a") -> tuple[Record, dict[str, bytes]]:
    digest = digest_bytes(data)
    return Record(Done({"x": digest}), (Read(f"file:{read}", digest_bytes(read.encode())),)), {digest: data}


def codes(run: Callable[[], object]) -> tuple[str, str]:
    with pytest.raises(DiagnosticError) as caught:
        run()
    (found,) = caught.value.diagnostics
    return found.code, found.message


@pytest.mark.parametrize("size", [0, 8, 1 << 17])
def test_a_result_travels_from_one_machine_to_another(tmp_path: Path, size: int) -> None:
    record, made = result(os.urandom(size))
    assert machine(tmp_path / "ci", WRITER).add_record(KEY, record, made)
    (name,) = MemoryFileSystem.store
    assert name.startswith(f"/cache/of-acme/signed/{KEY[:2]}/{KEY}/")
    reader = machine(tmp_path / "reader")
    assert list(reader.records(KEY)) == [record]
    assert reader.held(made) == made
    assert reader.warnings == []


def test_results_of_others_are_misses(tmp_path: Path) -> None:
    machine(tmp_path / "other", Keys(frozenset((OTHER.public,)), OTHER)).add_record(KEY, *result(b"theirs"))
    reader = machine(tmp_path / "reader")
    assert list(reader.records(KEY)) == []
    assert [item.code for item in reader.warnings] == ["OW919"]


def test_half_of_a_file_is_a_miss_and_is_put_right(tmp_path: Path) -> None:
    record, made = result(b"a result")
    machine(tmp_path / "ci", WRITER).add_record(KEY, record, made)
    memory = MemoryFileSystem()
    (path,) = MemoryFileSystem.store
    whole = memory.cat_file(path)
    for length in (0, 1, 70, len(whole) - 1):
        memory.pipe_file(path, whole[:length])
        assert list(machine(tmp_path / "reader").records(KEY)) == []
    machine(tmp_path / "ci again", WRITER).add_record(KEY, record, made)
    assert list(machine(tmp_path / "reader").records(KEY)) == [record]


def test_machines_that_write_at_once(tmp_path: Path) -> None:
    """The same results from eight machines, while a ninth reads: each sees whole results or none."""
    results = [result(os.urandom(2000), str(number)) for number in range(12)]
    records = [record for record, _ in results]

    def write(number: int) -> bool:
        store = machine(tmp_path / str(number), WRITER)
        return all(store.add_record(KEY, *one) for one in results)

    with ThreadPoolExecutor(9) as pool:
        writers = [pool.submit(write, number) for number in range(8)]
        while not all(writer.done() for writer in writers):
            assert all(record in records for record in machine(tmp_path / "reader").records(KEY))
        assert all(writer.result() for writer in writers)
    assert sorted(record.trace for record in machine(tmp_path / "reader").records(KEY)) == sorted(
        record.trace for record in records
    )
    assert len(MemoryFileSystem.store) == len(records)


def test_the_latest_are_looked_at_first_and_few(tmp_path: Path) -> None:
    store, memory = machine(tmp_path / "ci", WRITER), MemoryFileSystem()
    for number in range(40):
        store.add_record(KEY, *result(str(number).encode(), str(number)))
    for file in memory.store.values():
        file.modified = datetime(2020, 1, 1, tzinfo=UTC)
    latest, made = result(b"latest", "latest")
    store.add_record(KEY, latest, made)
    found = list(machine(tmp_path / "reader").records(KEY))
    assert (found[0], len(found)) == (latest, 32)


def test_too_large_a_file_is_a_miss() -> None:
    files = UrlFiles(URL)
    files.write("signed/x", b"12345")
    assert (files.read("signed/x", 5), files.read("signed/x", 4), files.read("signed/y", 5)) == (b"12345", None, None)


def test_files_are_walked_and_removed() -> None:
    files = UrlFiles(URL)
    files.write("signed/aa/x", b"123")
    files.write("signed/ab/y", b"")
    files.write("others", b"")
    assert [(file.path, file.size) for file in files.walk("signed")] == [("signed/aa/x", 3), ("signed/ab/y", 0)]
    files.remove("signed/aa/x")
    files.remove("signed/aa/x")
    assert [file.path for file in files.walk("signed")] == ["signed/ab/y"]
    assert list(files.walk("nowhere")) == []


# ------------------------------------------------------------------------------------------- a place that fails


class Place:
    """A filesystem of which requests fail as they are told to, first come first."""

    def __init__(self, *failures: Exception) -> None:
        self.failures = list(failures)
        self.asked = 0

    def ls(self, path: str, detail: bool) -> list[Mapping[str, object]]:
        self.asked += 1
        if self.failures:
            raise self.failures.pop(0)
        return []


class NoCredentialsError(Exception):
    """One that a package raises which is not installed here."""


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[UrlFiles, Place]]:
    def open_(*failures: Exception) -> tuple[UrlFiles, Place]:
        place = Place(*failures)
        monkeypatch.setattr(url_files, "open_place", lambda url: (place, "bucket/cache"))
        return UrlFiles("s3://bucket/cache", HASTE), place

    return open_


@pytest.mark.parametrize("failure", [OSError("reset"), TimeoutError(), ValueError("a bug of theirs"), RuntimeError()])
def test_what_fails_once_is_tried_again(opened: Callable[..., tuple[UrlFiles, Place]], failure: Exception) -> None:
    files, place = opened(failure, failure)
    assert files.listed("signed", 1) == []
    assert place.asked == 4  # two failures, the look at the root, and the question


@pytest.mark.parametrize(
    ("failure", "code", "attempts"),
    [
        (OSError("no route\x1b[31m to host"), "OW918", 3),
        (OSError("https://me:secret@host/x is gone"), "OW918", 3),
        (TimeoutError(), "OW918", 3),
        (PermissionError("Access Denied"), "OW921", 1),
        (NoCredentialsError("Unable to locate credentials"), "OW921", 1),
        (ImportError("Install s3fs to access S3"), "OW920", 1),
    ],
)
def test_what_fails_again_and_again(
    opened: Callable[..., tuple[UrlFiles, Place]], failure: Exception, code: str, attempts: int
) -> None:
    files, place = opened(*[failure] * 9)
    found, message = codes(lambda: files.listed("signed", 1))
    assert (found, place.asked) == (code, attempts)
    assert "s3://bucket/cache" in message
    assert "secret" not in message and "\x1b" not in message


def test_what_never_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    end = threading.Event()
    monkeypatch.setattr(url_files, "open_place", lambda url: end.wait(60))
    assert codes(lambda: UrlFiles(URL, Patience(seconds=0.01)).listed("signed", 1))[0] == "OW922"
    end.set()


def test_a_bucket_that_is_not_there_is_no_empty_store(opened: Callable[..., tuple[UrlFiles, Place]]) -> None:
    files, place = opened(FileNotFoundError("bucket/cache"))
    assert files.listed("signed", 1) == []  # nothing was written yet
    files, place = opened(FileNotFoundError("bucket/cache"), FileNotFoundError("The bucket does not exist"))
    assert codes(lambda: files.listed("signed", 1))[0] == "OW918"
    assert place.asked == 2


def test_a_folder_elsewhere_that_is_not_there_is_no_empty_store(monkeypatch: pytest.MonkeyPatch) -> None:
    place = Place(FileNotFoundError("/cache"))
    monkeypatch.setattr(url_files, "open_place", lambda url: (place, "/cache"))
    assert codes(lambda: UrlFiles("sftp://host/cache").listed("signed", 1))[0] == "OW918"


# ---------------------------------------------------------------------------------------------- what users write


@pytest.mark.parametrize("where", ["cache", "file://cache/x", "file:cache://", "nosuchscheme://x"])
def test_a_place_that_makes_no_sense(where: str) -> None:
    assert codes(lambda: open_files(where).listed("signed", 1))[0] == "OW917"


def test_a_folder_by_its_url(tmp_path: Path) -> None:
    for url in (tmp_path.as_uri(), f"file://localhost{tmp_path}", str(tmp_path)):
        files = open_files(url)
        assert isinstance(files, FolderFiles) and files.root == tmp_path
    assert codes(lambda: open_files((tmp_path / "gone").as_uri()))[0] == "OW918"


def test_without_fsspec(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    assert codes(lambda: UrlFiles(URL).listed("signed", 1))[0] == "OW920"


def test_passwords_are_not_shown() -> None:
    assert shown_url("sftp://me:secret@host:22/cache?key=secret") == "sftp://host:22/cache"


def test_the_place_is_asked_when_it_is_needed(opened: Callable[..., tuple[UrlFiles, Place]], tmp_path: Path) -> None:
    files, place = opened()
    record, made = result(b"known here")
    own = LocalStore(tmp_path, Seal(b"s" * 32))
    own.add_record(KEY, record, made)
    assert next(LayeredStore(own, SharedStore(files, READER, writes=True)).records(KEY)) == record
    assert place.asked == 0
