"""The shared store: what is signed with a trusted key is a result, everything else a miss, and no store is no miss."""

from __future__ import annotations

import os
import pickle
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from opwright.diagnostics.diagnostic import DiagnosticError
from opwright_build.engine import shared_store
from opwright_build.engine.action import Done, Read, Record, encode_entry
from opwright_build.engine.content_digest import digest_bytes
from opwright_build.engine.seal import Seal
from opwright_build.engine.shared_store import FolderFiles, LayeredStore, SharedStore
from opwright_build.engine.signing import SIGNING_KEY, TRUSTED_KEYS, Keys, Signer, keys_of_this_user, make_keys
from opwright_build.engine.store import LocalStore
from opwright_build.engine.system_errors import InfrastructureError

CI, OTHER = Signer(b"1" * 32), Signer(b"2" * 32)
KEY = digest_bytes(b"an action")
READS = (Read("file:a", digest_bytes(b"a")),)
WRITER, READER = Keys(frozenset((CI.public,)), CI), Keys(frozenset((CI.public,)))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / "shared"
    made.mkdir()
    return made


def machine(root: Path, name: str, keys: Keys, writes: bool = True) -> LayeredStore:
    local = LocalStore(root.parent / name, Seal(name.encode() * 32))
    return LayeredStore(local, SharedStore(FolderFiles(root), keys, writes))


def result(data: bytes) -> tuple[Record, dict[str, bytes]]:
    """A record with one output, and its bytes by digest."""
    digest = digest_bytes(data)
    return Record(Done({"x": digest}), READS), {digest: data}


def put(root: Path, keys: Keys = WRITER, data: bytes = b"a result", name: str = "ci") -> Record:
    record, made = result(data)
    assert machine(root, name, keys).add_record(KEY, record, made)
    return record


def output(record: Record) -> str:
    assert isinstance(record.outcome, Done)
    return record.outcome.outputs["x"]


def seen(root: Path, keys: Keys = READER) -> tuple[list[Record], list[str]]:
    store = machine(root, "reader", keys, writes=False)
    return list(store.records(KEY)), [item.code for item in store.warnings]


def record_file(root: Path) -> Path:
    (found,) = (root / "signed").rglob("*/*/*")
    return found


def listing(root: Path) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


@pytest.mark.parametrize("size", [8, 1 << 17])
def test_a_result_travels(root: Path, size: int) -> None:
    data = os.urandom(size)
    record = put(root, data=data)
    assert [path.parent for path in root.rglob("*") if path.is_file()] == [root / "signed" / KEY[:2] / KEY]
    store = machine(root, "reader", READER)
    assert list(store.records(KEY)) == [record]
    assert store.has(output(record))
    assert store.get(output(record)) == data
    assert machine(root, "another", READER).get_output(KEY, output(record)) == data


def test_what_was_used_is_kept_here(root: Path) -> None:
    record = put(root)
    store = machine(root, "reader", READER)
    assert list(store.records(KEY)) == [record]
    assert not (root.parent / "reader").exists()
    store.used(KEY, record)
    shutil.rmtree(root / "signed")
    again = machine(root, "reader", READER)
    assert list(again.records(KEY)) == [record]
    assert again.get(output(record)) == b"a result"


def test_what_is_known_here_is_not_read_there(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record = put(root)
    store = machine(root, "reader", READER)
    assert list(store.records(KEY)) == [record]
    store.used(KEY, record)
    read: list[str] = []
    monkeypatch.setattr(FolderFiles, "read", lambda self, path, most: read.append(path))
    assert list(machine(root, "reader", READER).records(KEY)) == [record]
    assert read == []


def test_one_whose_outputs_were_lost_here_is_read_there(root: Path) -> None:
    data = os.urandom(1 << 17)
    record = put(root, data=data)
    shutil.rmtree(root.parent / "ci" / "blobs")
    store = machine(root, "ci", WRITER)
    assert list(store.records(KEY)) == [record, record]
    store.used(KEY, record)
    assert LocalStore(root.parent / "ci").get(output(record)) == data


def test_a_machine_looks_at_its_own_results_first(root: Path) -> None:
    shared = put(root)
    own = Record(Done({"x": digest_bytes(b"own")}), (*READS, Read("file:b", None)))
    LocalStore(root.parent / "reader", Seal(b"reader" * 32)).add_record(KEY, own)
    assert seen(root) == ([own, shared], [])


@pytest.mark.parametrize("signer", [OTHER, None])
def test_what_no_trusted_key_has_signed_is_a_miss(root: Path, signer: Signer | None) -> None:
    record = put(root)
    path, body = record_file(root), encode_entry(record, {output(record): b"a result"})
    line = f"{digest_bytes(body)} {CI.public} {'0' * 128}\n".encode()
    path.write_bytes(line + body if signer is None else signer.close(f"record {KEY}", body))
    before = listing(root)
    assert seen(root) == ([], ["OW919"])
    assert listing(root) == before  # others may believe it


def test_a_signer_who_is_trusted_as_well(root: Path) -> None:
    record = put(root, Keys(frozenset((OTHER.public,)), OTHER))
    assert seen(root) == ([], ["OW919"])
    assert seen(root, Keys(frozenset((CI.public, OTHER.public)))) == ([record], [])


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data[:-1] + b"?",
        lambda data: data.replace(b" ", b"", 1),
        lambda data: b"\xff" + data,
        lambda data: data.partition(b"\n")[2],
        lambda data: b"",
        lambda data: data.replace(CI.public.encode(), OTHER.public.encode()),
    ],
)
def test_a_changed_record_is_a_miss(root: Path, change: Callable[[bytes], bytes]) -> None:
    put(root)
    path = record_file(root)
    path.write_bytes(change(path.read_bytes()))
    assert seen(root)[0] == []


def test_a_record_under_another_key_is_a_miss(root: Path) -> None:
    put(root)
    path, other = record_file(root), digest_bytes(b"another action")
    moved = root / "signed" / other[:2] / other / path.name
    moved.parent.mkdir(parents=True)
    path.rename(moved)
    store = machine(root, "reader", READER)
    assert list(store.records(other)) == []
    assert [item.code for item in store.warnings] == ["OW919"]


@pytest.mark.parametrize("held", [{}, {digest_bytes(b"a result"): b"another"}, {digest_bytes(b"another"): b"another"}])
def test_a_record_without_its_outputs_is_a_miss_and_is_put_right(root: Path, held: dict[str, bytes]) -> None:
    record = put(root)
    record_file(root).write_bytes(CI.close(f"record {KEY}", encode_entry(record, held)))
    before = listing(root)
    assert seen(root) == ([], [])
    assert listing(root) == before
    assert put(root, name="ci again") == record
    assert seen(root) == ([record], [])


def test_too_large_a_result_is_not_shared(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_store, "MOST_ENTRY_BYTES", 1000)
    record = put(root, data=os.urandom(1000))
    assert listing(root) == {}
    assert list(machine(root, "ci", WRITER).records(KEY)) == [record]
    small = put(root, name="another machine")
    assert seen(root)[0] == [small]


@pytest.mark.parametrize(("keys", "writes"), [(READER, True), (WRITER, False)])
def test_who_does_not_write_changes_nothing(root: Path, keys: Keys, writes: bool) -> None:
    store = machine(root, "reader", keys, writes)
    record, made = result(b"mine")
    assert store.add_record(KEY, record, made)
    assert listing(root) == {}
    assert list(store.records(KEY)) == [record]


def test_another_result_for_the_same_inputs_is_told_and_not_kept(root: Path) -> None:
    record = put(root)
    assert not machine(root, "ci again", WRITER).add_record(KEY, *result(b"another"))
    assert seen(root)[0] == [record]


def test_a_store_that_is_gone_is_no_empty_one(root: Path) -> None:
    record, made = result(b"a result")
    store = machine(root, "reader", READER)
    writer = machine(root, "ci", WRITER)
    shutil.rmtree(root)
    for use in (
        lambda: list(store.records(KEY)),
        lambda: store.get_output(KEY, output(record)),
        lambda: writer.add_record(KEY, record, made),
    ):
        with pytest.raises(InfrastructureError) as error:
            use()
        assert error.value.diagnostics[0].code == "OW918"
    with pytest.raises(InfrastructureError, match="OW918"):
        FolderFiles(root)


@pytest.mark.parametrize("what", ["link", "pipe", "folder", "large"])
def test_what_is_no_file_of_a_record(root: Path, what: str) -> None:
    put(root)
    path = record_file(root)
    kept = path.rename(path.with_name("kept"))
    match what:
        case "link":
            path.symlink_to(kept)
        case "pipe":
            os.mkfifo(path)
        case "folder":
            path.mkdir()
        case "large":
            with open(path, "wb") as file:
                file.truncate(1 << 40)
    if what == "large":
        assert seen(root) == ([], [])
    else:
        with pytest.raises(DiagnosticError) as error:
            seen(root)
        assert error.value.diagnostics[0].code == "OW521"


def test_a_thousand_files_of_others_are_not_read(root: Path) -> None:
    put(root)
    folder = record_file(root).parent
    for number in range(1000):
        (folder / f"{number:064x}").write_bytes(b"x")
    store = machine(root, "reader", READER)
    assert len(list(store.records(KEY))) <= 1


def test_the_private_key_stays_in_its_process(root: Path) -> None:
    with pytest.raises(TypeError, match="stays in its process"):
        pickle.dumps(CI)
    copied = pickle.loads(pickle.dumps(machine(root, "ci", WRITER)))
    assert isinstance(copied, LocalStore)
    assert b"1" * 32 not in pickle.dumps(copied)


# --------------------------------------------------------------------------------------------------- keys


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The configuration folder of a user who has no keys yet."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    for name in (SIGNING_KEY, TRUSTED_KEYS):
        monkeypatch.delenv(name, raising=False)
    made = tmp_path / "config" / "opwright"
    made.mkdir(parents=True, mode=0o700)
    return made


def write_key(folder: Path, name: str, text: str, mode: int = 0o600) -> Path:
    path = folder / name
    path.write_text(text)
    path.chmod(mode)
    return path


def test_keys_from_files_and_from_the_environment(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_key(folder, "cache-trusted-keys", f"# those who build\n{CI.public}  # CI\n\n{OTHER.public}\n", 0o644)
    assert keys_of_this_user() == Keys(frozenset((CI.public, OTHER.public)))
    write_key(folder, "cache-signing-key", f"{(b'2' * 32).hex()}\n")
    signer = keys_of_this_user().signer
    assert signer is not None and signer.public == OTHER.public
    monkeypatch.setenv(TRUSTED_KEYS, CI.public)
    monkeypatch.setenv(SIGNING_KEY, (b"1" * 32).hex())
    keys = keys_of_this_user()
    assert keys.trusted == {CI.public}
    assert keys.signer is not None and keys.signer.public == CI.public


@pytest.mark.parametrize("text", ["x", "0" * 63, "0" * 65, "G" * 64, "é" * 64])
@pytest.mark.parametrize("name", [SIGNING_KEY, TRUSTED_KEYS])
def test_a_key_that_is_none(folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str) -> None:
    monkeypatch.setenv(name, text)
    with pytest.raises(DiagnosticError, match="OW917"):
        keys_of_this_user()


def test_no_key_at_all(folder: Path) -> None:
    with pytest.raises(DiagnosticError, match="no key is trusted"):
        keys_of_this_user()


@pytest.mark.parametrize(("name", "mode"), [("cache-signing-key", 0o640), ("cache-trusted-keys", 0o622)])
def test_a_file_that_others_could_read_or_write(folder: Path, name: str, mode: int) -> None:
    write_key(folder, name, CI.public, mode)
    with pytest.raises(DiagnosticError, match="other users of this machine could"):
        keys_of_this_user()


@pytest.mark.parametrize("what", ["pipe", "folder", "large"])
def test_what_is_no_file_of_keys(folder: Path, what: str) -> None:
    path = folder / "cache-trusted-keys"
    match what:
        case "pipe":
            os.mkfifo(path, 0o600)
        case "folder":
            path.mkdir(mode=0o700)
        case "large":
            path.write_bytes(b"#" * 100_000)
            path.chmod(0o600)
    with pytest.raises(DiagnosticError, match="OW917"):
        keys_of_this_user()


def test_a_folder_that_came_with_a_library_has_no_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library = tmp_path / "library"
    (library / "specs").mkdir(parents=True)
    (library / "specs" / "library.yaml").write_text("schema: 1\n")
    folder = library / "opwright"
    folder.mkdir()
    write_key(folder, "cache-trusted-keys", OTHER.public)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(library))
    with pytest.raises(DiagnosticError, match="no key is trusted"):
        keys_of_this_user()


def test_a_pair_that_is_made(capsys: pytest.CaptureFixture[str]) -> None:
    from opwright_build.engine.signing import print_pair

    print_pair()
    told = dict(line.split("=") for line in capsys.readouterr().out.splitlines() if "=" in line)
    keys = make_keys([told[TRUSTED_KEYS]], told[SIGNING_KEY])
    assert keys.signer is not None and keys.trusted == {keys.signer.public}


def test_without_the_package_that_signs(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(root)
    monkeypatch.delitem(sys.modules, "opwright_build.engine.ed25519")
    monkeypatch.delattr("opwright_build.engine.ed25519")
    monkeypatch.setitem(sys.modules, "cryptography.exceptions", None)
    for use in (lambda: Signer(b"3" * 32), lambda: seen(root)):
        with pytest.raises(InfrastructureError, match="OW920"):
            use()
