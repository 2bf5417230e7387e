"""What a store holds, which of it cannot be used, and what goes, in which order."""

from __future__ import annotations

import os
import random
import threading
import time
from collections.abc import Iterable
from pathlib import Path

import pytest
from opwright_build.engine.action import Action, Done, Read, Record
from opwright_build.engine.content_digest import digest_bytes
from opwright_build.engine.seal import Seal
from opwright_build.engine.store import LocalStore
from opwright_build.engine.tree import StoredFile
from opwright_build.engine.upkeep import Condition, Kind, Limits, choose, discard_all, examine_all, survey

from tests.sealed import OTHERS, SEAL

DAY = 86_400.0
NOW = time.time()


def add(root: Path, name: str, size: int = 10, age: float = 0.0, seal: Seal = SEAL, inline: int = 1 << 16) -> Path:
    """A result of an action of that name with one output, last used `age` seconds ago; the file of its record."""
    data = random.Random(name).randbytes(size)
    record = Record(Done({"x": digest_bytes(data)}), (Read(f"file:{name}", None),))
    key = digest_bytes(name.encode())
    store = LocalStore(root, seal, most_inline=inline)
    assert store.add_record(key, record, {digest_bytes(data): data})
    path = root / store.record_path(key, record.trace)
    for file in (path, *(root / output for output in store.outputs_of(path.relative_to(root).as_posix()))):
        if file.exists():
            os.utime(file, (NOW - age, NOW - age))
    return path


def names(root: Path, files: Iterable[StoredFile]) -> set[Path]:
    return {root / file.path for file in files}


def test_an_empty_store(tmp_path: Path) -> None:
    store = LocalStore(tmp_path / "nothing", SEAL)
    assert all(tally.files == 0 for tally in survey(store).values())
    assert examine_all(store) == {}
    assert choose(store, Limits(0, 0), NOW) == []


def test_files_are_told_by_kind_and_age(tmp_path: Path) -> None:
    add(tmp_path, "young", age=1)
    large = add(tmp_path, "large", 2000, age=100, inline=0)
    (tmp_path / "records" / "README").write_bytes(b"mine")
    large.with_name(f".{large.name}.{'0' * 16}").write_bytes(b"half of")
    tallies = survey(LocalStore(tmp_path, SEAL))
    assert {kind: tally.files for kind, tally in tallies.items()} == {
        Kind.RESULT: 2,
        Kind.OUTPUT: 1,
        Kind.LEFTOVER: 1,
        Kind.OTHER: 1,
    }
    results, outputs = tallies[Kind.RESULT], tallies[Kind.OUTPUT]
    assert outputs.bytes == 2000
    assert results.oldest == pytest.approx(NOW - 100) and results.newest == pytest.approx(NOW - 1)


def test_every_result_is_examined(tmp_path: Path) -> None:
    add(tmp_path, "good")
    add(tmp_path, "theirs", seal=OTHERS)
    damaged = add(tmp_path, "damaged")
    damaged.write_bytes(damaged.read_bytes()[:-1])
    lost = add(tmp_path, "lost", inline=0)
    (blob,) = LocalStore(tmp_path, SEAL).outputs_of(lost.relative_to(tmp_path).as_posix())
    (tmp_path / blob).unlink()
    add(tmp_path, "changed", inline=0)
    (changed,) = (tmp_path / "blobs").glob("*/*")
    changed.write_bytes(b"another")
    told: dict[Path, Condition] = {}
    found = examine_all(
        LocalStore(tmp_path, SEAL), lambda file, condition: told.update({tmp_path / file.path: condition})
    )
    assert found == {Condition.GOOD: 2, Condition.FOREIGN: 1, Condition.DAMAGED: 2, Condition.INCOMPLETE: 1}
    assert (told[damaged], told[lost], told[changed]) == (Condition.DAMAGED, Condition.INCOMPLETE, Condition.DAMAGED)
    assert damaged.exists() and changed.exists()  # it only looks


def test_what_was_not_used_for_long_goes(tmp_path: Path) -> None:
    old, older = add(tmp_path, "old", age=31 * DAY), add(tmp_path, "older", age=60 * DAY)
    add(tmp_path, "young", age=29 * DAY)
    store = LocalStore(tmp_path, SEAL)
    assert names(tmp_path, choose(store, Limits(30 * DAY), NOW)) == {old, older}
    used = frozenset((old.relative_to(tmp_path).as_posix(),))
    assert names(tmp_path, choose(store, Limits(30 * DAY), NOW, used)) == {older}


def test_a_use_is_noted(tmp_path: Path) -> None:
    path = add(tmp_path, "used", age=40 * DAY)
    store = LocalStore(tmp_path, SEAL)
    (record,) = store.records(digest_bytes(b"used"))
    store.used(digest_bytes(b"used"), record)
    assert path.stat().st_mtime > NOW - DAY
    young = NOW - 60
    os.utime(path, (young, young))
    store.used(digest_bytes(b"used"), record)
    assert path.stat().st_mtime == pytest.approx(young)
    path.unlink()
    store.used(digest_bytes(b"used"), record)


def test_the_longest_unused_go_until_it_fits(tmp_path: Path) -> None:
    paths = [add(tmp_path, f"{age}", 1000, age=age) for age in (100, 200, 300, 400)]
    store = LocalStore(tmp_path, SEAL)
    sizes = [path.stat().st_size for path in paths]
    assert names(tmp_path, choose(store, Limits(size=sum(sizes[:2])), NOW)) == set(paths[2:])
    assert choose(store, Limits(size=sum(sizes)), NOW) == []
    used = frozenset((paths[3].relative_to(tmp_path).as_posix(),))
    assert names(tmp_path, choose(store, Limits(size=sum(sizes[:2])), NOW, used)) == set(paths[1:3])
    assert names(tmp_path, choose(store, Limits(size=0), NOW, used)) == set(paths)


def test_large_outputs_go_with_the_last_result_that_names_them(tmp_path: Path) -> None:
    """Two results with one output: it stays as long as one of them does."""
    first, second = add(tmp_path, "a", 2000, age=50 * DAY, inline=0), tmp_path
    data = random.Random("a").randbytes(2000)
    digest, key = digest_bytes(data), digest_bytes(b"b")
    store = LocalStore(tmp_path, OTHERS, most_inline=0)  # another user's counts as well
    store.add_record(key, Record(Done({"y": digest})), {digest: data})
    second = tmp_path / store.record_path(key, Record(Done({})).trace)
    blob = tmp_path / "blobs" / digest[:2] / digest
    os.utime(blob, (NOW - 50 * DAY, NOW - 50 * DAY))
    ours = LocalStore(tmp_path, SEAL)
    assert names(tmp_path, choose(ours, Limits(30 * DAY), NOW)) == {first}
    assert names(tmp_path, choose(ours, Limits(size=0), NOW)) == {first, second, blob}
    first.unlink()
    second.unlink()
    assert names(tmp_path, choose(ours, Limits(), NOW)) == {blob}
    os.utime(blob, (NOW - 60, NOW - 60))  # its record may be about to be written
    assert choose(ours, Limits(), NOW) == []


def test_leftovers_go_when_no_write_can_be_theirs(tmp_path: Path) -> None:
    path = add(tmp_path, "a")
    left = path.with_name(f".{path.name}.{'0' * 16}")
    left.write_bytes(b"half")
    store = LocalStore(tmp_path, SEAL)
    assert choose(store, Limits(), NOW) == []
    os.utime(left, (NOW - DAY, NOW - DAY))
    assert names(tmp_path, choose(store, Limits(), NOW)) == {left}


def test_files_of_others_stay(tmp_path: Path) -> None:
    add(tmp_path, "a")
    for name in ("records/mine", "records/aa/mine", "blobs/mine", "mine"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"mine")
        os.utime(tmp_path / name, (0, 0))
    (tmp_path / "records" / "link").symlink_to(tmp_path)
    store = LocalStore(tmp_path, SEAL)
    discard_all(store, choose(store, Limits(0, 0), NOW + DAY))
    assert sorted(path.name for path in tmp_path.rglob("*") if path.is_file()) == ["mine"] * 4


def test_a_clock_that_jumped_removes_nothing(tmp_path: Path) -> None:
    add(tmp_path, "of tomorrow", age=-3 * DAY)
    assert choose(LocalStore(tmp_path, SEAL), Limits(30 * DAY), NOW) == []


def test_what_is_used_after_it_was_chosen_stays(tmp_path: Path) -> None:
    path, gone = add(tmp_path, "a", age=40 * DAY), add(tmp_path, "b", age=40 * DAY)
    store = LocalStore(tmp_path, SEAL)
    chosen = choose(store, Limits(30 * DAY), NOW)
    os.utime(path)
    gone.unlink()
    assert discard_all(store, chosen) == []
    assert path.exists()


def test_stores_at_work_while_everything_is_removed(tmp_path: Path) -> None:
    """Whoever adds and reads results sees right ones or none, whatever goes meanwhile."""
    ended = threading.Event()

    def collect() -> None:
        while not ended.is_set():
            store = LocalStore(tmp_path, SEAL)
            discard_all(store, choose(store, Limits(size=0), time.time()))

    collector = threading.Thread(target=collect)
    collector.start()
    seen = 0
    try:
        for number in range(300):
            store = LocalStore(tmp_path, SEAL, most_inline=100 * (number % 2))
            data = str(number % 7).encode() * 50
            action = Action("kind", f"{number}", {}, {"number": number % 7}, "")
            record = Record(Done({"x": digest_bytes(data)}))
            assert store.add_record(action.key, record, {digest_bytes(data): data})
            for found in LocalStore(tmp_path, SEAL).records(action.key):
                assert found == record
                assert LocalStore(tmp_path, SEAL).get_output(action.key, digest_bytes(data)) in (data, None)
                seen += 1
    finally:
        ended.set()
        collector.join()
    assert LocalStore(tmp_path, SEAL).warnings == []
    assert seen
