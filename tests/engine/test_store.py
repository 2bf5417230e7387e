import os
import pickle
import time
from pathlib import Path
from zlib import compress

import pytest
from opwright.diagnostics import Diagnostic, DiagnosticError, Place, Related, Severity
from opwright_build.engine.action import (
    Done,
    Failed,
    Read,
    Record,
    Unsupported,
    decode_entry,
    decode_record,
    encode_record,
)
from opwright_build.engine.content_digest import Json, canonical_json, digest_bytes
from opwright_build.engine.seal import Seal
from opwright_build.engine.store import RECORDS_PER_KEY, LocalStore
from opwright_build.engine.system_errors import InfrastructureError

from tests.sealed import OTHERS, SEAL

FINDING = Diagnostic(
    "OW301",
    "no operator Sigmod ☃",
    Place("f.py", 3, 5, 3, 9),
    "reason",
    "help",
    (Related(Place("g.yaml"), "here"),),
    Severity.WARNING,
)
KEY = digest_bytes(b"key")
ONE, OTHER = digest_bytes(b"one"), digest_bytes(b"other")


@pytest.mark.parametrize(
    "record",
    [
        Record(Done({"a": ONE, "b": OTHER}, (FINDING,)), (Read("file:x", "aa"), Read("file:y", None))),
        Record(Failed((FINDING, Diagnostic("OW101", "no place")))),
        Record(Unsupported("no kernel")),
    ],
)
def test_a_record_comes_back_equal(record: Record) -> None:
    assert decode_record(encode_record(record)) == record


def test_a_damaged_record_is_none() -> None:
    data = encode_record(Record(Unsupported("no kernel")))
    assert decode_record(data[:-1]) is None
    assert decode_record(b"") is None


@pytest.mark.parametrize(
    "value",
    [
        {"reads": [], "done": {"outputs": {"a": "../../../home/.ssh/id_rsa"}, "diagnostics": []}},
        {"reads": [], "done": {"outputs": {"a": 3}, "diagnostics": []}},
        {"reads": [], "done": {"outputs": {}}},
        {"reads": [["file:x"]], "unsupported": "no"},
        {"reads": [[3, None]], "unsupported": "no"},
        {"reads": [["file:x", 3]], "unsupported": "no"},
        {"reads": [], "failed": [{}]},
        {"reads": []},
        [],
    ],
)
def test_a_record_of_another_form_is_none(value: Json) -> None:
    assert decode_record(canonical_json(value)) is None


@pytest.mark.parametrize("folder", ["blobs", "blobs/{blob}", "records", "records/{two}"])
def test_nothing_behind_a_link_is_read_written_or_removed(tmp_path: Path, folder: str) -> None:
    home = tmp_path / "home"
    home.mkdir()
    for name in ("id", digest_bytes(b"x"), *(digest_bytes(bytes([index])) for index in range(RECORDS_PER_KEY + 1))):
        (home / name).write_bytes(b"mine")
    before = {path.name: path.read_bytes() for path in home.iterdir()}
    link = tmp_path / "cache" / folder.format(blob=digest_bytes(b"x")[:2], two=KEY[:2], key=KEY)
    link.parent.mkdir(parents=True)
    link.symlink_to(home, target_is_directory=True)
    store = LocalStore(tmp_path / "cache", SEAL)
    blobs = (lambda: store.put(b"x"), lambda: store.get(digest_bytes(b"x")), lambda: store.has(digest_bytes(b"x")))
    records = (lambda: list(store.records(KEY)), lambda: store.add_record(KEY, Record(Unsupported("no"))))
    for attempt in blobs if folder.startswith("blobs") else records:
        with pytest.raises(DiagnosticError) as caught:
            attempt()
        assert [item.code for item in caught.value.diagnostics] == ["OW520"]
    assert {path.name: path.read_bytes() for path in home.iterdir()} == before


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
def test_a_pipe_in_place_of_an_entry_is_not_waited_for(tmp_path: Path) -> None:
    store = LocalStore(tmp_path, SEAL)
    digest = digest_bytes(b"bytes")
    (tmp_path / "blobs" / digest[:2]).mkdir(parents=True)
    os.mkfifo(tmp_path / "blobs" / digest[:2] / digest)
    for attempt in (lambda: store.get(digest), lambda: store.has(digest), lambda: store.put(b"bytes")):
        with pytest.raises(DiagnosticError) as caught:
            attempt()
        assert [item.code for item in caught.value.diagnostics] == ["OW521"]


def test_what_is_no_digest_names_no_entry(tmp_path: Path) -> None:
    (tmp_path / "mine").write_bytes(b"mine")
    store = LocalStore(tmp_path / "cache", SEAL)
    for name in ("../../mine", "", KEY[:-1], KEY.upper()):
        with pytest.raises(ValueError, match="not a digest"):
            store.get(name)
    assert (tmp_path / "mine").read_bytes() == b"mine"


def test_what_is_put_is_got(tmp_path: Path) -> None:
    store = LocalStore(tmp_path / "cache", SEAL)
    digest = store.put(b"bytes")
    assert digest == digest_bytes(b"bytes")
    assert store.put(b"bytes") == digest
    assert store.has(digest)
    assert store.get(digest) == b"bytes"
    assert store.get(digest_bytes(b"other")) is None
    assert pickle.loads(pickle.dumps(store)).get(digest) == b"bytes"
    assert [path.name for path in (tmp_path / "cache").rglob("*") if path.is_file()] == [digest]


def test_uses_are_noted_where_links_have_no_time_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on Windows."""
    utime = os.utime

    def refusing(path: Path, times: tuple[float, float] | None = None, *, follow_symlinks: bool = True) -> None:
        if not follow_symlinks:
            raise NotImplementedError("utime: follow_symlinks unavailable on this platform")
        utime(path, times)

    monkeypatch.setattr(os, "utime", refusing)
    assert os.utime not in os.supports_follow_symlinks
    store = LocalStore(tmp_path, SEAL)
    digest, record = store.put(b"some bytes"), Record(Done({}))
    assert store.put(b"some bytes") == digest
    store.add_record(KEY, record)
    path = tmp_path / store.record_path(KEY, record.trace)
    utime(path, (0.0, 0.0))
    store.used(KEY, record)
    assert path.stat().st_mtime > 0


def test_a_damaged_blob_is_a_miss_and_a_warning_and_heals(tmp_path: Path) -> None:
    store = LocalStore(tmp_path, SEAL)
    digest = store.put(b"bytes")
    path = next(path for path in tmp_path.rglob("*") if path.is_file())
    path.write_bytes(b"bytez")
    assert store.get(digest) is None
    assert [item.code for item in store.warnings] == ["OW901"]
    assert not path.exists()
    path.write_bytes(b"torn")
    store.put(b"bytes")
    assert store.get(digest) == b"bytes"


def test_a_damaged_record_is_a_miss_and_a_warning(tmp_path: Path) -> None:
    store = LocalStore(tmp_path, SEAL)
    assert store.add_record(KEY, Record(Unsupported("no")))
    path = next(path for path in tmp_path.rglob("*") if path.is_file())
    path.write_bytes(path.read_bytes()[:-3])
    assert list(store.records(KEY)) == []
    assert [item.code for item in store.warnings] == ["OW901"]
    assert store.add_record(KEY, Record(Unsupported("no")))
    assert list(store.records(KEY)) == [Record(Unsupported("no"))]


def test_a_second_outcome_for_the_same_reads_is_told_and_the_first_stays(tmp_path: Path) -> None:
    store = LocalStore(tmp_path, SEAL)
    reads = (Read("file:x", "aa"),)
    made = {ONE: b"one", OTHER: b"other"}
    assert store.add_record(KEY, Record(Done({"a": ONE}), reads), made)
    assert store.add_record(KEY, Record(Done({"a": ONE}), reads), made)
    assert not store.add_record(KEY, Record(Done({"a": OTHER}), reads), made)
    assert list(store.records(KEY)) == [Record(Done({"a": ONE}), reads)]


def test_one_whose_outputs_are_lost_is_put_there_again(tmp_path: Path) -> None:
    lost, found = Record(Done({"a": ONE})), Record(Done({"a": OTHER}))
    LocalStore(tmp_path, SEAL).add_record(KEY, lost)
    store = LocalStore(tmp_path, SEAL)
    assert store.add_record(KEY, lost, {ONE: b"one"})
    assert LocalStore(tmp_path, SEAL).get_output(KEY, ONE) == b"one"
    assert not store.add_record(KEY, found, {OTHER: b"other"})
    assert list(LocalStore(tmp_path, SEAL).records(KEY)) == [lost]


def test_small_outputs_stand_in_the_file_of_their_record(tmp_path: Path) -> None:
    small, large = b"s" * 100, b"l" * 101
    outputs = {"small": digest_bytes(small), "large": digest_bytes(large)}
    record, made = Record(Done(outputs), (Read("file:x", "aa"),)), {digest_bytes(data): data for data in (small, large)}
    store = LocalStore(tmp_path, SEAL, most_inline=100)
    assert store.add_record(KEY, record, made)
    assert {path.parent.parent.name for path in tmp_path.rglob("*") if path.is_file()} == {"blobs", "records"}
    assert sum(path.is_file() for path in tmp_path.rglob("*")) == 2
    other = LocalStore(tmp_path, SEAL)
    assert [other.get(digest) for digest in outputs.values()] == [None, large]
    assert [other.get_output(KEY, digest) for digest in outputs.values()] == [small, large]
    assert [other.get(digest) for digest in outputs.values()] == [small, large]
    assert other.has(outputs["small"])
    assert LocalStore(tmp_path, OTHERS).get_output(KEY, outputs["small"]) is None


def test_what_is_held_is_not_written(tmp_path: Path) -> None:
    store = LocalStore(tmp_path, SEAL)
    digest = store.hold(b"input")
    assert store.get(digest) == b"input"
    assert store.held([digest, ONE]) == {digest: b"input"}
    assert list(tmp_path.iterdir()) == []
    assert pickle.loads(pickle.dumps(store)).get(digest) is None


def test_any_byte_of_a_record_counts(tmp_path: Path) -> None:
    made = {digest_bytes(b"some output"): b"some output"}
    LocalStore(tmp_path, SEAL).add_record(KEY, Record(Done({"a": digest_bytes(b"some output")})), made)
    path = only_file(tmp_path)
    whole = path.read_bytes()
    for position in range(0, len(whole), 3):
        path.write_bytes(whole[:position] + bytes([whole[position] ^ 1]) + whole[position + 1 :])
        store = LocalStore(tmp_path, SEAL)
        assert list(store.records(KEY)) == [], position
        assert store.get(next(iter(made))) is None
    path.write_bytes(whole)
    assert len(list(LocalStore(tmp_path, SEAL).records(KEY))) == 1


EMPTY, TWO = compress(b""), compress(b"xx")


@pytest.mark.parametrize(
    "rest",
    [
        b"\n[]\n" + TWO,
        b"\n{}\n" + EMPTY,
        b"\n[[1,2]]\n" + TWO,
        b'\n[["a",2]]\n' + TWO,
        b"\n\n" + EMPTY,
        b"\n[1]\n" + EMPTY,
        b"\n[]\nxx",
        b"\n[]\n",
        b"",
    ],
)
def test_contents_of_another_form_make_no_entry(rest: bytes) -> None:
    assert decode_entry(encode_record(Record(Unsupported("no"))) + rest) is None


def test_records_of_other_reads_stand_beside_each_other_newest_first_and_few(tmp_path: Path) -> None:
    store = LocalStore(tmp_path, SEAL)
    for index in range(RECORDS_PER_KEY + 3):
        record = Record(Done({"a": ONE}), (Read("file:x", f"{index:02}"),))
        store.add_record(KEY, record)
        path = record_path(tmp_path, SEAL.name(record.trace))
        os.utime(path, ns=(index * 10**9, index * 10**9))
    kept = [record.reads[0].digest for record in store.records(KEY)]
    assert kept == [f"{index:02}" for index in range(RECORDS_PER_KEY + 2, 2, -1)]


def test_an_unreachable_store_is_not_an_empty_one(tmp_path: Path) -> None:
    (tmp_path / "cache").write_bytes(b"a file, no folder")
    store = LocalStore(tmp_path / "cache", SEAL)
    for attempt in (
        lambda: store.get(KEY),
        lambda: store.put(b"x"),
        lambda: list(store.records(KEY)),
        lambda: store.add_record(KEY, Record(Unsupported("no"))),
    ):
        with pytest.raises(InfrastructureError) as caught:
            attempt()
        assert [item.code for item in caught.value.diagnostics] == ["OW902"]


def record_path(root: Path, name: str, key: str = KEY) -> Path:
    return root / "records" / key[:2] / f"{key}.{name}"


def only_file(folder: Path) -> Path:
    (found,) = [path for path in folder.rglob("*") if path.is_file()]
    return found


def test_a_record_of_another_secret_is_a_miss_and_stays(tmp_path: Path) -> None:
    theirs, ours = Record(Done({"a": OTHER})), Record(Done({"a": ONE}))
    LocalStore(tmp_path, OTHERS).add_record(KEY, theirs)
    store = LocalStore(tmp_path, SEAL)
    assert list(store.records(KEY)) == []
    assert [item.code for item in store.warnings] == ["OW914"]
    assert store.add_record(KEY, ours)
    assert list(LocalStore(tmp_path, SEAL).records(KEY)) == [ours]
    assert list(LocalStore(tmp_path, OTHERS).records(KEY)) == [theirs]


def test_records_of_another_secret_beside_ours_are_no_news(tmp_path: Path) -> None:
    for seal in (SEAL, OTHERS):
        LocalStore(tmp_path, seal).add_record(KEY, Record(Done({"a": ONE})))
    store = LocalStore(tmp_path, SEAL)
    assert len(list(store.records(KEY))) == 1
    assert store.warnings == []


def test_records_that_claim_to_be_of_tomorrow_do_not_push_out_ours(tmp_path: Path) -> None:
    folder = tmp_path / "records" / KEY[:2]
    folder.mkdir(parents=True)
    tomorrow = time.time() + 86_400
    for index in range(2 * RECORDS_PER_KEY):
        path = record_path(tmp_path, digest_bytes(bytes([index])))
        path.write_bytes(OTHERS.close(f"record {KEY}", encode_record(Record(Done({"a": OTHER})))))
        os.utime(path, (tomorrow, tomorrow))
    store, ours = LocalStore(tmp_path, SEAL), Record(Done({"a": ONE}))
    store.add_record(KEY, ours)
    assert list(store.records(KEY)) == [ours]
    assert len(list(folder.iterdir())) == RECORDS_PER_KEY


def test_a_record_without_a_seal_is_a_miss(tmp_path: Path) -> None:
    body = encode_record(Record(Done({"a": OTHER})))
    path = record_path(tmp_path, SEAL.name(Record(Done({})).trace))
    path.parent.mkdir(parents=True)
    for line in (digest_bytes(body), f"{digest_bytes(body)} {'0' * 64}", f"{digest_bytes(body)} "):
        path.write_bytes(line.encode() + b"\n" + body)
        store = LocalStore(tmp_path, SEAL)
        assert list(store.records(KEY)) == []
        assert [item.code for item in store.warnings] == ["OW914"]


def test_a_record_of_one_action_is_none_of_another(tmp_path: Path) -> None:
    other = digest_bytes(b"another key")
    store = LocalStore(tmp_path, SEAL)
    store.add_record(KEY, Record(Done({"a": ONE})))
    path = only_file(tmp_path)
    moved = record_path(tmp_path, path.name.partition(".")[2], other)
    moved.parent.mkdir(parents=True)
    path.rename(moved)
    assert list(store.records(other)) == []
    assert store.add_record(other, Record(Done({"a": OTHER})))
    assert list(store.records(other)) == [Record(Done({"a": OTHER}))]


def test_without_a_seal_records_serve_this_store_alone(tmp_path: Path) -> None:
    LocalStore(tmp_path, SEAL).add_record(KEY, Record(Done({"a": OTHER})))
    store = LocalStore(tmp_path)
    assert list(store.records(KEY)) == []
    first, second = (Record(Done({"a": ONE}), (Read("file:x", digest),)) for digest in ("aa", "bb"))
    assert store.add_record(KEY, first)
    assert store.add_record(KEY, second)
    assert not store.add_record(KEY, Record(Done({"a": OTHER}), first.reads))
    assert list(store.records(KEY)) == [second, first]
    assert list(LocalStore(tmp_path).records(KEY)) == []
    digest = store.put(b"bytes")
    assert LocalStore(tmp_path).get(digest) == b"bytes"


def test_a_pickled_store_has_no_secret(tmp_path: Path) -> None:
    seal = Seal(b"S" * 32)
    data = pickle.dumps(LocalStore(tmp_path, seal))
    assert b"S" * 32 not in data
    LocalStore(tmp_path, seal).add_record(KEY, Record(Done({"a": ONE})))
    assert list(pickle.loads(data).records(KEY)) == []
    with pytest.raises(TypeError):
        pickle.dumps(seal)
