"""A shared cache in S3, which `moto_server` plays in a process of its own (`nox -s services`)."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

import pytest
import s3fs
from opwright.diagnostics.diagnostic import DiagnosticError
from opwright_build.engine.action import Done, Read, Record
from opwright_build.engine.content_digest import digest_bytes
from opwright_build.engine.seal import Seal
from opwright_build.engine.shared_store import LayeredStore, SharedStore
from opwright_build.engine.signing import SIGNING_KEY, TRUSTED_KEYS, Keys, Signer
from opwright_build.engine.store import SHARED, LocalStore
from opwright_build.engine.url_files import Patience, UrlFiles
from opwright_build.workflow.opened.session import SHARED_MODE

from tests.claimed import claim_a_sandbox
from tests.cli.conftest import library, opwright

__all__ = ["library", "opwright"]

CI, OTHER = Signer(b"1" * 32), Signer(b"2" * 32)
WRITER, READER = Keys(frozenset((CI.public,)), CI), Keys(frozenset((CI.public,)))
KEY = digest_bytes(b"an action")
URL = "s3://acme-builds/cache"


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{port}"
    for _ in range(300):
        try:
            urlopen(f"{url}/moto-api/").close()
            break
        except URLError:
            assert server.poll() is None, "moto_server has ended"
            time.sleep(0.2)
    yield url
    server.terminate()
    server.wait()


@pytest.fixture(autouse=True)
def bucket(endpoint: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> s3fs.S3FileSystem:
    """An empty bucket, with what the environment of a machine says of it."""
    variables = {"AWS_ENDPOINT_URL": endpoint, "AWS_DEFAULT_REGION": "us-east-1", "AWS_EC2_METADATA_DISABLED": "true"}
    for name, value in {**variables, "AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "no-config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "no-credentials"))
    urlopen(f"{endpoint}/moto-api/reset", data=b"").close()
    files = s3fs.S3FileSystem(skip_instance_cache=True, use_listings_cache=False)
    files.mkdir("acme-builds")
    return files


def machine(folder: Path, keys: Keys = READER, url: str = URL) -> LayeredStore:
    return LayeredStore(LocalStore(folder, Seal(b"s" * 32)), SharedStore(UrlFiles(url), keys, writes=True))


def result(data: bytes, read: str = "a") -> tuple[Record, dict[str, bytes]]:
    digest = digest_bytes(data)
    return Record(Done({"x": digest}), (Read(f"file:{read}", digest_bytes(read.encode())),)), {digest: data}


def objects(bucket: s3fs.S3FileSystem) -> dict[str, bytes]:
    return {path: bucket.cat_file(path) for path in bucket.find("acme-builds")}


@pytest.mark.parametrize("size", [0, 2000, 1 << 23])
def test_stored_by_one_machine_and_read_by_another(tmp_path: Path, bucket: s3fs.S3FileSystem, size: int) -> None:
    record, made = result(os.urandom(size))
    assert list(machine(tmp_path / "early").records(KEY)) == []
    assert machine(tmp_path / "ci", WRITER).add_record(KEY, record, made)
    (path,) = objects(bucket)
    assert path.startswith(f"acme-builds/cache/signed/{KEY[:2]}/{KEY}/")
    reader = machine(tmp_path / "reader")
    assert list(reader.records(KEY)) == [record]
    assert reader.held(made) == made
    assert reader.warnings == []


def test_forged_and_corrupted_objects_are_misses(tmp_path: Path, bucket: s3fs.S3FileSystem) -> None:
    record, made = result(b"a result")
    machine(tmp_path / "other", Keys(frozenset((OTHER.public,)), OTHER)).add_record(KEY, *result(b"theirs"))
    reader = machine(tmp_path / "reader")
    assert (list(reader.records(KEY)), [item.code for item in reader.warnings]) == ([], ["OW919"])
    machine(tmp_path / "ci", WRITER).add_record(KEY, record, made)
    whole = objects(bucket)
    for change in (lambda data: b"", lambda data: data[:90], lambda data: data[:-1] + b"?", lambda data: b"?" + data):
        for path, data in whole.items():
            bucket.pipe_file(path, change(data))
        assert list(machine(tmp_path / "reader").records(KEY)) == []
    machine(tmp_path / "ci again", WRITER).add_record(KEY, record, made)
    assert list(machine(tmp_path / "reader").records(KEY)) == [record]


def test_machines_that_write_at_once(tmp_path: Path, bucket: s3fs.S3FileSystem) -> None:
    results = [result(os.urandom(500), str(number)) for number in range(6)]

    def write(number: int) -> bool:
        store = machine(tmp_path / str(number), WRITER)
        return all(store.add_record(KEY, *one) for one in results)

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(write, range(4)))
    found = list(machine(tmp_path / "reader").records(KEY))
    assert sorted(record.trace for record in found) == sorted(record.trace for record, _ in results)
    assert len(objects(bucket)) == len(results)


def test_more_objects_than_a_listing_holds(tmp_path: Path, bucket: s3fs.S3FileSystem) -> None:
    """One answer of S3 lists a thousand. The result behind them, which is the latest, is found."""
    folder = f"acme-builds/cache/signed/{KEY[:2]}/{KEY}"
    bucket.pipe({f"{folder}/{number:064x}": b"x" for number in range(1100)})
    time.sleep(1.1)  # S3 tells whole seconds
    record, made = result(b"the latest")
    machine(tmp_path / "ci", WRITER).add_record(KEY, record, made)
    assert list(machine(tmp_path / "reader").records(KEY)) == [record]
    assert len(list(UrlFiles(URL).walk("signed"))) == 1101


def refusal(use: Callable[[], object]) -> str:
    with pytest.raises(DiagnosticError) as caught:
        use()
    return caught.value.diagnostics[0].code


def test_places_out_of_reach(monkeypatch: pytest.MonkeyPatch) -> None:
    haste = Patience(attempts=2, seconds=60, pause=0.01)
    assert refusal(lambda: UrlFiles("s3://no-such-bucket/cache", haste).listed("signed", 1)) == "OW918"
    assert refusal(lambda: UrlFiles("s3://no-such-bucket", haste).listed("signed", 1)) == "OW918"
    assert UrlFiles("s3://acme-builds", haste).listed("signed", 1) == ()
    with monkeypatch.context() as patch:
        patch.delenv("AWS_ACCESS_KEY_ID")
        patch.delenv("AWS_SECRET_ACCESS_KEY")
        assert refusal(lambda: UrlFiles(URL, haste).listed("signed", 1)) == "OW921"
    with socket.socket() as silent:  # takes requests, and never answers
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{silent.getsockname()[1]}")
        slow = Patience(attempts=2, seconds=0.5, pause=0.01)
        assert refusal(lambda: UrlFiles(URL, slow).listed("signed", 1)) == "OW922"
    assert refusal(lambda: UrlFiles(URL, haste).listed("signed", 1)) == "OW918"  # nobody listens there any more


def test_builds(
    library: Path,
    bucket: s3fs.S3FileSystem,
    monkeypatch: pytest.MonkeyPatch,
    opwright: Callable[..., Any],
) -> None:
    """CI builds; somebody else takes all of it from the bucket, and adds nothing."""
    claim_a_sandbox(monkeypatch)
    monkeypatch.setenv(SHARED, URL)
    monkeypatch.setenv(SIGNING_KEY, (b"1" * 32).hex())
    assert opwright("build", "--json").summary["actions_run"] > 0
    bundle, kept = (library / "dist/base-1.0.0.onnxlib").read_bytes(), objects(bucket)
    assert kept
    for name in (".opwright", "dist", "library"):
        shutil.rmtree(library / name)
    monkeypatch.delenv(SIGNING_KEY)
    monkeypatch.setenv(TRUSTED_KEYS, CI.public)
    monkeypatch.delenv(SHARED)
    assert opwright("build", "--json", "--cache", URL).summary["actions_run"] == 0
    assert (library / "dist/base-1.0.0.onnxlib").read_bytes() == bundle
    shutil.rmtree(library / ".opwright")
    monkeypatch.setenv(SIGNING_KEY, (b"2" * 32).hex())
    monkeypatch.setenv(SHARED_MODE, "read")
    monkeypatch.setenv(TRUSTED_KEYS, OTHER.public)
    assert opwright("build", "--json", "--cache", URL).summary["actions_run"] > 0
    assert objects(bucket) == kept
