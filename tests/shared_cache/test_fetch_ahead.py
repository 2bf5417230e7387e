"""A shared cache that is far away: what is looked up next is fetched meanwhile, and believed as ever."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import fsspec
import pytest
from fsspec.implementations.memory import MemoryFileSystem
from opwright.diagnostics.diagnostic import DiagnosticError
from opwright_build.engine.action import Done, Read, Record
from opwright_build.engine.content_digest import digest_bytes
from opwright_build.engine.fetch_ahead import AHEAD, AT_ONCE, FetchAhead
from opwright_build.engine.seal import Seal
from opwright_build.engine.shared_store import LayeredStore, SharedStore
from opwright_build.engine.signing import SIGNING_KEY, TRUSTED_KEYS, Keys, Signer
from opwright_build.engine.store import SHARED, LocalStore
from opwright_build.engine.url_files import Patience, UrlFiles

from tests.claimed import claim_a_sandbox
from tests.cli.conftest import Ran, library, opwright

__all__ = ["library", "opwright"]

CI, OTHER = Signer(b"1" * 32), Signer(b"2" * 32)
WRITER, READER = Keys(frozenset((CI.public,)), CI), Keys(frozenset((CI.public,)))
LATENCY = 0.02  # seconds


class Far(MemoryFileSystem):
    """Every request takes a while; `requests` are their kinds, `most` how many were under way at a time."""

    protocol = "far"
    cachable = False
    async_impl = True
    requests: list[str] = []  # noqa: RUF012
    most = 0
    _now = 0
    _counting = threading.Lock()
    fails = False

    @classmethod
    def _strip_protocol(cls, path: str) -> str:
        return "/" + path.partition("://")[2].rstrip("/") if "://" in path else path.rstrip("/")

    @classmethod
    def _asked(cls, kind: str) -> None:
        with Far._counting:
            Far.requests.append(kind)
            Far._now += 1
            Far.most = max(Far.most, Far._now)
        time.sleep(LATENCY)
        with Far._counting:
            Far._now -= 1
        if Far.fails:
            raise OSError("no route to host")

    def ls(self, path: str, detail: bool = True, **options: Any) -> Any:
        self._asked("ls")
        return super().ls(path, detail, **options)

    def info(self, path: str, **options: Any) -> Any:
        self._asked("info")
        return super().info(path, **options)

    def cat_file(self, path: str, *given: Any, **options: Any) -> Any:
        self._asked("cat")
        return super().cat_file(path, *given, **options)


class OneByOne(Far):
    """One whose package is not made for several requests at a time."""

    protocol = "onebyone"
    async_impl = False


fsspec.register_implementation("far", Far, clobber=True)
fsspec.register_implementation("onebyone", OneByOne, clobber=True)


@pytest.fixture(autouse=True)
def far() -> Iterator[type[Far]]:
    def clear() -> None:
        MemoryFileSystem.store.clear()
        MemoryFileSystem.pseudo_dirs[:] = [""]
        Far.requests, Far.most, Far.fails = [], 0, False

    clear()
    MemoryFileSystem().makedirs("/cache")
    yield Far
    clear()


def machine(folder: Path, keys: Keys = READER, kind: str = "far") -> LayeredStore:
    files = UrlFiles(f"{kind}://cache", Patience(attempts=1))
    return LayeredStore(LocalStore(folder, Seal(b"s" * 32)), SharedStore(files, keys, writes=True))


def result(data: bytes, read: str = "a") -> tuple[Record, dict[str, bytes]]:
    digest = digest_bytes(data)
    return Record(Done({"x": digest}), (Read(f"file:{read}", digest_bytes(read.encode())),)), {digest: data}


def unknown(record: Record) -> bool:
    return False


def known(record: Record) -> bool:
    return True


KEYS = [digest_bytes(f"action {number}".encode()) for number in range(40)]


def fill(folder: Path, keys: Keys = WRITER, size: int = 100) -> dict[str, Record]:
    store = machine(folder, keys)
    made = {key: result(key.encode() * (size // 64 + 1)) for key in KEYS}
    for key, (record, contents) in made.items():
        assert store.add_record(key, record, contents)
    Far.requests, Far.most = [], 0
    return {key: record for key, (record, _) in made.items()}


def test_two_requests_a_result_and_several_at_a_time(tmp_path: Path) -> None:
    expected = fill(tmp_path / "ci")
    store = machine(tmp_path / "reader")
    store.expect(KEYS, unknown)
    assert {key: next(store.records(key)) for key in KEYS} == expected
    assert Far.requests.count("cat") == len(KEYS)
    assert Far.requests.count("ls") == len(KEYS) + 1, "and one for the root"
    assert Far.requests.count("info") == 0
    assert 1 < Far.most <= AT_ONCE
    for key, record in expected.items():
        assert store.get_output(key, record.outcome.outputs["x"]) == key.encode() * 2  # type: ignore[union-attr]


def test_nothing_is_asked_for_what_is_known_here(tmp_path: Path) -> None:
    fill(tmp_path / "ci")
    store = machine(tmp_path / "ci")
    store.expect(KEYS, known)
    assert all(next(store.records(key)) for key in KEYS)
    assert Far.requests == []
    store.expect(KEYS[:1], unknown)  # a record that does not hold any more
    assert len(list(store.records(KEYS[0]))) == 1, "which is not read there again"
    assert Far.requests.count("ls") == 2


def test_in_any_order_and_twice(tmp_path: Path) -> None:
    expected = fill(tmp_path / "ci")
    store = machine(tmp_path / "reader")
    store.expect(KEYS, unknown)
    for key in [*reversed(KEYS), *KEYS]:
        assert list(store.records(key)) == [expected[key]]
    store.expect([*KEYS, *KEYS], unknown)
    assert [list(store.records(key)) for key in KEYS] == [[expected[key]] for key in KEYS]


def test_a_place_for_one_request_at_a_time(tmp_path: Path) -> None:
    expected = fill(tmp_path / "ci")
    store = machine(tmp_path / "reader", kind="onebyone")
    store.expect(KEYS, unknown)
    assert {key: next(store.records(key)) for key in KEYS} == expected
    assert Far.most == 1


def test_what_is_fetched_ahead_is_not_believed_sooner(tmp_path: Path) -> None:
    fill(tmp_path / "other", Keys(frozenset((OTHER.public,)), OTHER))
    store = machine(tmp_path / "reader")
    store.expect(KEYS, unknown)
    assert [list(store.records(key)) for key in KEYS] == [[] for _ in KEYS]
    assert [item.code for item in store.warnings] == ["OW919"]
    expected = fill(tmp_path / "ci")
    for path, file in list(MemoryFileSystem.store.items()):
        if path.split("/")[-2] == KEYS[0] and CI.public.encode() in file.getvalue():
            MemoryFileSystem().pipe_file(path, file.getvalue()[:-1] + b"?")
    store = machine(tmp_path / "second reader")
    store.expect(KEYS, unknown)
    assert list(store.records(KEYS[0])) == [], "a damaged one"
    assert [list(store.records(key)) for key in KEYS[1:]] == [[expected[key]] for key in KEYS[1:]]


def test_large_results_are_read_when_they_are_asked_for(tmp_path: Path) -> None:
    store = machine(tmp_path / "ci", WRITER)
    noise = b"".join(digest_bytes(str(number).encode()).encode() for number in range(40_000))
    record, made = result(noise)
    store.add_record(KEYS[0], record, made)
    Far.requests = []
    reader = machine(tmp_path / "reader")
    found = reader._shared._fetch(KEYS[0])
    assert (len(found.listed), found.data) == (1, {})
    assert "cat" not in Far.requests
    assert list(reader.records(KEYS[0])) == [record]


def test_a_place_out_of_reach_is_told_when_it_is_asked(tmp_path: Path) -> None:
    store = machine(tmp_path / "reader")
    Far.fails = True
    store.expect(KEYS, unknown)
    with pytest.raises(DiagnosticError) as caught:
        list(store.records(KEYS[0]))
    assert [item.code for item in caught.value.diagnostics] == ["OW918"]


def test_a_build(library: Path, opwright: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch) -> None:
    """CI builds and tests; somebody else takes all of it, several results at a time."""
    claim_a_sandbox(monkeypatch)
    home = library / "specs" / "com.acme"
    for letter in "ABCDEFGH":
        shutil.copytree(home / "Swish", home / f"Swish{letter}")
        for path in (home / f"Swish{letter}").iterdir():
            path.write_text(path.read_text().replace("Swish", f"Swish{letter}"))
    monkeypatch.setenv(SHARED, "far://cache")
    monkeypatch.setenv(SIGNING_KEY, (b"1" * 32).hex())
    assert opwright("test").status == 0
    monkeypatch.delenv(SIGNING_KEY)
    monkeypatch.setenv(TRUSTED_KEYS, CI.public)
    shutil.rmtree(library / ".opwright")
    Far.requests, Far.most = [], 0
    ran = opwright("test", "--json")
    assert ran.summary["kept"] == len([line for line in ran.lines if line["event"] == "outcome"])
    assert 1 < Far.most <= AT_ONCE
    asked = len(Far.requests)
    opwright("test")
    assert len(Far.requests) == asked, "what was used is kept here"


# ------------------------------------------------------------------------------------------------- its bookkeeping


def test_no_more_than_a_few_lie_ready() -> None:
    taken = 0
    started: list[str] = []
    most = 0
    lock = threading.Lock()

    begun = threading.Event()

    def fetch(name: str) -> str:
        nonlocal most
        with lock:
            started.append(name)
            most = max(most, len(started) - taken)
        begun.set()
        return name.upper()

    ahead = FetchAhead(fetch, at_once=4, ahead=10)
    names = [f"n{number}" for number in range(300)]
    ahead.expect(names)
    assert begun.wait(60)  # else a busy machine may take them all before any is fetched
    for name in names:
        found = ahead.take(name)
        assert found in (name.upper(), None)
        if found is not None:
            with lock:
                taken += 1
    assert 1 <= most <= 10 + 1  # one is taken here before it is counted
    assert len(started) == len(set(started))
    assert AT_ONCE <= AHEAD


def test_nothing_is_begun_after_the_end() -> None:
    go, begun = threading.Event(), threading.Semaphore(0)
    started: list[str] = []

    def fetch(name: str) -> None:
        started.append(name)
        begun.release()
        assert go.wait(60)

    ahead = FetchAhead(fetch, at_once=2, ahead=10)
    ahead.expect([f"n{number}" for number in range(50)])
    for _ in range(2):
        assert begun.acquire(timeout=60)
    ahead.close()
    go.set()
    ahead.expect(["more"])
    while any(thread.name.endswith("(_work)") and thread.is_alive() for thread in threading.enumerate()):
        time.sleep(0.01)
    assert len(started) == 2
    assert ahead.take("n7") is None


def test_after_an_error_nothing_more_is_fetched() -> None:
    started: list[str] = []

    def fetch(name: str) -> str:
        started.append(name)
        raise LookupError(name)

    ahead = FetchAhead(fetch, at_once=1)
    ahead.expect(["a", "b", "c"])
    while not started:
        time.sleep(0.01)
    with pytest.raises(LookupError):
        ahead.take("a")
    assert ahead.take("b") is None
    assert started == ["a"]
