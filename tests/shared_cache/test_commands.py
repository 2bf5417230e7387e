"""`opwright build` and `opwright test` with a shared cache: CI fills it, others read it, forgeries come to nothing."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fsspec.implementations.memory import MemoryFileSystem
from opwright_build.engine.action import Done, Record, decode_entry, encode_entry
from opwright_build.engine.content_digest import digest_bytes
from opwright_build.engine.signing import SIGNING_KEY, TRUSTED_KEYS, Signer
from opwright_build.engine.store import SHARED
from opwright_build.workflow.opened.session import SHARED_MODE

from tests.claimed import claim_a_sandbox

Opwright = Callable[..., Any]
Entry = tuple[Record, dict[str, bytes]]
Change = Callable[[Record, dict[str, bytes]], Entry]
CI, OTHER = Signer(b"1" * 32), Signer(b"2" * 32)
BUNDLE = Path("dist/base-1.0.0.onnxlib")
MODULE, EVIL = "library/base/__init__.py", b"import this\n"
SWISH = Path("specs/com.acme/Swish/function.py")


class Shared:
    """A shared cache, filled by CI from this very library; afterwards this is the clone of somebody who reads it."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch, opwright: Opwright) -> None:
        self.root = root
        self._patch = monkeypatch
        self._opwright = opwright
        monkeypatch.setenv(SHARED, str(root))

    def as_ci(self) -> None:
        self._patch.setenv(SIGNING_KEY, (b"1" * 32).hex())
        self._patch.delenv(TRUSTED_KEYS, raising=False)

    def as_reader(self, *keys: str) -> None:
        self._patch.delenv(SIGNING_KEY, raising=False)
        self._patch.setenv(TRUSTED_KEYS, " ".join(keys or (CI.public,)))

    def ran(self, *words: str) -> tuple[dict[str, Any], list[str]]:
        """The summary, and the codes of what was found."""
        ran = self._opwright(*words, "--json")
        assert ran.status == 0, ran.out
        return ran.summary, [line["finding"]["code"] for line in ran.lines if line["event"] == "finding"]

    def fresh(self) -> None:
        for name in (".opwright", "dist", "library"):
            shutil.rmtree(name, ignore_errors=True)

    def change(self, change: Change, signer: Signer | None) -> None:
        """Changes each record; without a signer the old signature stays, over a digest that is right."""
        for path in (self.root / "signed").glob("*/*/*"):
            line, _, body = path.read_bytes().partition(b"\n")
            entry = decode_entry(body)
            assert entry is not None
            new = encode_entry(*change(*entry))
            forged = digest_bytes(new).encode() + line[64:] + b"\n" + new
            path.write_bytes(signer.close(f"record {path.parent.name}", new) if signer else forged)


@pytest.fixture
def shared(library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opwright: Opwright) -> Shared:
    claim_a_sandbox(monkeypatch)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    root = tmp_path / "shared"
    root.mkdir()
    made = Shared(root, monkeypatch, opwright)
    made.as_ci()
    return made


def listing(root: Path) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def test_what_ci_has_built_others_do_not_build(shared: Shared) -> None:
    built, _ = shared.ran("build")
    honest, kept = BUNDLE.read_bytes(), listing(shared.root)
    assert built["actions_run"] > 0
    shared.fresh()
    shared.as_reader()
    again, codes = shared.ran("build")
    assert (again["actions_run"], codes) == (0, [])
    assert BUNDLE.read_bytes() == honest
    SWISH.write_text(SWISH.read_text() + "\n# changed\n")
    changed, _ = shared.ran("build")
    assert changed["actions_run"] > 0
    assert listing(shared.root) == kept


def evil(record: Record, contents: dict[str, bytes]) -> Entry:
    """Where the package is made, a module of somebody else's."""
    if not isinstance(record.outcome, Done) or MODULE not in record.outcome.outputs:
        return record, contents
    digest = digest_bytes(EVIL)
    outcome = replace(record.outcome, outputs={**record.outcome.outputs, MODULE: digest})
    return Record(outcome, record.reads), {**contents, digest: EVIL}


@pytest.mark.parametrize("signer", [None, OTHER, CI], ids=["forged", "another key", "the key"])
def test_forged_records_of_builds(shared: Shared, signer: Signer | None) -> None:
    built, _ = shared.ran("build")
    honest = Path(MODULE).read_bytes()
    shared.change(evil, signer)
    shared.fresh()
    shared.as_reader()
    again, codes = shared.ran("build")
    if signer is CI:  # what the signature keeps out
        assert again["actions_run"] == 0
        assert Path(MODULE).read_bytes() == EVIL
    else:
        assert 0 < again["actions_run"] <= built["actions_run"]
        assert (again["actions_run"] == built["actions_run"]) == (signer is OTHER)  # who has signed all of them anew
        assert codes == ["OW919"]
        assert Path(MODULE).read_bytes() == honest


@pytest.mark.parametrize("signer", [None, OTHER, CI], ids=["forged", "another key", "the key"])
def test_forged_records_of_verdicts(shared: Shared, signer: Signer | None) -> None:
    """A body that fails its vectors, and a cache that says that it passes."""
    first, _ = shared.ran("test")
    assert first["kept"] == 0
    shared.fresh()
    shared.as_reader()
    kept, codes = shared.ran("test")
    assert kept["kept"] > 0 and codes == []
    shared.change(lambda record, contents: (record, contents), signer)
    if signer is None:
        for path in (shared.root / "signed").glob("*/*/*"):
            data = path.read_bytes()
            path.write_bytes(data.replace(data.partition(b"\n")[0][-128:], b"0" * 128))
    shared.fresh()
    again, codes = shared.ran("test")
    assert (again["kept"] > 0, codes) == ((True, []) if signer is CI else (False, ["OW919"]))


def test_a_cache_in_the_clone_is_not_the_shared_one(shared: Shared, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys and the shared cache's place are of the user; files of such names in the library's folder say nothing."""
    shared.ran("build")
    shutil.copytree(shared.root, Path(".opwright/cache"), dirs_exist_ok=True)
    for name in ("cache-trusted-keys", ".opwright/cache-trusted-keys", ".config/opwright/cache-trusted-keys"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(CI.public)
    shared.as_reader(OTHER.public)
    shutil.rmtree(Path(".opwright/cache/records"))
    again, codes = shared.ran("build")
    assert again["actions_run"] > 0 and codes == ["OW919"]
    monkeypatch.delenv(TRUSTED_KEYS)
    refused = shared._opwright("build")
    assert refused.status == 2 and "OW917" in refused.out


def test_read_only(shared: Shared, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SHARED_MODE, "read")
    shared.ran("build")
    assert listing(shared.root) == {}
    monkeypatch.setenv(SHARED_MODE, "sometimes")
    refused = shared._opwright("build")
    assert refused.status == 2 and "error OW917: OPWRIGHT_SHARED_CACHE_MODE is not known" in refused.out


def test_upkeep(shared: Shared) -> None:
    """CI looks after the shared cache; others look at it."""
    shared.ran("build")
    files = listing(shared.root)
    shared.as_reader()
    assert shared.ran("cache", "stats", "--shared")[0]["kinds"]["result"]["files"] == len(files)
    assert shared.ran("cache", "verify", "--shared")[0]["conditions"]["good"] == len(files)
    assert shared.ran("cache", "gc", "--shared", "--max-size", "0", "--dry-run")[0]["removed"]["files"] == len(files)
    for words in (("gc", "--max-size", "0"), ("verify", "--remove")):
        refused = shared._opwright("cache", *words, "--shared")
        assert refused.status == 2 and "OW924" in refused.out
    assert listing(shared.root) == files
    shared.as_reader(OTHER.public)
    assert shared.ran("cache", "verify", "--shared")[0]["conditions"]["foreign"] == len(files)
    shared.as_ci()
    path, *_ = (shared.root / "signed").glob("*/*/*")
    path.write_bytes(path.read_bytes()[:-1])
    assert shared.ran("cache", "verify", "--shared", "--remove")[0]["removed"]["files"] == 1
    when = time.time() - 31 * 86_400
    path, *rest = (shared.root / "signed").glob("*/*/*")
    os.utime(path, (when, when))
    assert shared.ran("cache", "gc", "--shared")[0]["removed"]["files"] == 1
    assert sorted((shared.root / "signed").glob("*/*/*")) == sorted(rest)
    shared.fresh()
    shared.ran("build")
    assert listing(shared.root).keys() == files.keys()


def test_upkeep_of_a_shared_cache_at_a_url(shared: Shared, monkeypatch: pytest.MonkeyPatch) -> None:
    MemoryFileSystem.store.clear()
    monkeypatch.setenv(SHARED, "memory://builds/cache")
    shared.ran("build")
    count = len(MemoryFileSystem.store)
    assert shared.ran("cache", "verify", "--shared")[0]["conditions"]["good"] == count > 0
    assert shared.ran("cache", "gc", "--shared", "--max-size", "0")[0]["removed"]["files"] == count
    assert not MemoryFileSystem.store


def test_a_shared_cache_that_cannot_be_reached_is_no_miss(shared: Shared, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.rmtree(shared.root)
    refused = shared._opwright("build", "--json")
    assert refused.status == 3
    (found,) = [line["finding"] for line in refused.lines if line["event"] == "finding"]
    assert found["code"] == "OW918"
    assert not Path("dist").exists()
    monkeypatch.setenv(SHARED, "shared")
    refused = shared._opwright("build")
    assert refused.status == 2 and "OPWRIGHT_SHARED_CACHE is no absolute path" in refused.out
