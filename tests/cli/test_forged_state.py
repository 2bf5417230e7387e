"""What a checkout may bring in `.opwright/` to be believed: records, hints and lists that agree with themselves.

Each attack is played twice: without the secret it comes to nothing; with the secret it works, so that what keeps it
out is the seal.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from opwright_build.engine.action import Done, Record
from opwright_build.engine.content_digest import canonical_json, digest_bytes
from opwright_build.engine.machine import machine_identity
from opwright_build.engine.seal import Seal
from opwright_build.engine.state_file import StateFile
from opwright_build.engine.store import LocalStore
from opwright_build.engine.user_secret import VARIABLE
from opwright_build.workflow.opened.session import BUILD_RUN

from tests.sealed import OTHERS, SEAL, change_records, read_entry, record_files

Opwright = Callable[..., Any]
BUNDLE = "dist/base-1.0.0.onnxlib"
SWISH = Path("specs/com.acme/Swish/function.py")
CACHE = Path(".opwright/cache")
HERE = machine_identity()
EVIL = b"a bundle with another body"


@dataclass(frozen=True)
class Built:
    """What a build did, and the codes of what it found."""

    run: int
    cached: int
    codes: list[str]


@pytest.fixture
def build(opwright: Opwright) -> Callable[[], Built]:
    def run() -> Built:
        ran = opwright("build", "--json")
        assert ran.status == 0, ran.out
        events = [json.loads(line) for line in ran.out.splitlines()]
        found = [event["finding"]["code"] for event in events if event["event"] == "finding"]
        return Built(events[-1]["actions_run"], events[-1]["actions_cached"], found)

    return run


Build = Callable[[], Built]


@contextmanager
def another_user() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, "the secret of somebody else who builds here too")
        yield


def poison(seal: Seal) -> None:
    """Makes each record of the cache say that the bundle has other bytes, and stores those bytes."""
    digest = LocalStore(CACHE).put(EVIL)

    def changed(record: Record) -> Record:
        if not isinstance(record.outcome, Done) or BUNDLE not in record.outcome.outputs:
            return record
        unkept = tuple(path for path in record.outcome.unkept if path != BUNDLE)
        return Record(Done({**record.outcome.outputs, BUNDLE: digest}, (), unkept), record.reads)

    change_records(CACHE, changed, seal)


def test_a_forged_cache_in_a_clone_is_not_served(library: Path, build: Build) -> None:
    everything = build()
    honest = Path(BUNDLE).read_bytes()
    poison(OTHERS)
    shutil.rmtree("dist")
    for name in ("hints.json", "outputs.json", "actions.json", "versions.table", "versions.lines", "reads.stamps"):
        Path(".opwright", name).unlink(missing_ok=True)  # there are no hints of files that were made just now
    assert build() == Built(everything.run, 0, ["OW914"])
    assert Path(BUNDLE).read_bytes() == honest
    assert build() == Built(0, everything.run, [])
    assert Path(BUNDLE).read_bytes() == honest
    poison(SEAL)
    assert build().run == 0
    assert Path(BUNDLE).read_bytes() == EVIL  # what the seal kept out


def compiled(different: bytes) -> tuple[dict[str, str], dict[str, bytes]]:
    """What compiling Swish gave, other bodies than these: digests of outputs, and their bytes."""
    for path in record_files(CACHE):
        record, contents = read_entry(path)
        if isinstance(record.outcome, Done) and "bodies" in record.outcome.outputs:
            outputs = dict(record.outcome.outputs)
            if contents[outputs["bodies"]] != different:
                return outputs, contents
    raise LookupError("no record of a compilation")


@pytest.mark.parametrize(("seal", "served"), [(OTHERS, False), (SEAL, True)])
def test_a_forged_body_is_not_built_into_a_bundle(library: Path, build: Build, seal: Seal, served: bool) -> None:
    """The record of one compilation names the body of another function; nothing else is in the clone."""
    everything = build()
    honest, source = Path(BUNDLE).read_bytes(), SWISH.read_text()
    first, held = compiled(b"")
    SWISH.write_text(source.replace("return X * ", "return X + "))
    build()
    evil = Path(BUNDLE).read_bytes()
    outputs, contents = compiled(held[first["bodies"]])
    SWISH.write_text(source)
    shutil.rmtree(CACHE / "records")
    with another_user():
        build()

    def changed(record: Record) -> Record:
        forged = isinstance(record.outcome, Done) and "bodies" in record.outcome.outputs
        return Record(Done(outputs), record.reads) if forged else record

    change_records(CACHE, changed, seal, contents)
    for path in record_files(CACHE):
        if b'"bodies"' not in path.read_bytes():
            path.unlink()
    shutil.rmtree("dist")
    assert build() == (Built(everything.run - 1, 1, []) if served else Built(everything.run, 0, ["OW914"]))
    assert Path(BUNDLE).read_bytes() == (evil if served else honest)


def test_records_as_they_were_before_there_were_seals_are_not_served(library: Path, build: Build) -> None:
    everything = build()
    honest = Path(BUNDLE).read_bytes()
    poison(OTHERS)
    for path in record_files(CACHE):
        _, _, body = path.read_bytes().partition(b"\n")
        path.write_bytes(digest_bytes(body).encode() + b"\n" + body)
    assert build() == Built(everything.run, 0, ["OW914"])
    assert Path(BUNDLE).read_bytes() == honest


def test_a_restored_cache_works_for_its_user_and_for_no_other(library: Path, build: Build, tmp_path: Path) -> None:
    everything = build()
    kept = tmp_path / "kept"
    shutil.copytree(CACHE, kept)

    def restore() -> None:
        shutil.rmtree(".opwright")
        shutil.rmtree("dist")
        shutil.copytree(kept, CACHE)

    restore()
    assert build() == Built(0, everything.run, [])
    restore()
    with another_user():
        assert build() == Built(everything.run, 0, ["OW914"])
        assert build() == Built(0, everything.run, [])
    assert build() == Built(0, everything.run, [])  # both users' results stand beside each other


def test_a_clone_with_a_committed_cache_helps_its_maker_alone(
    library: Path, build: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With secrets in files, as users have them."""
    monkeypatch.delenv(VARIABLE)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "maker"))
    everything = build()
    for user, expected in (
        ("victim", Built(everything.run, 0, ["OW914"])),
        ("maker", Built(0, everything.run, [])),
    ):
        clone = Path(shutil.copytree(library, tmp_path / f"clone of {user}"))
        monkeypatch.chdir(clone)
        monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / user))
        assert build() == expected


def test_without_a_secret_results_serve_one_run(
    library: Path, build: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def kept() -> dict[Path, bytes]:
        """All state but the record of the last build, which nothing reads."""
        files = (path for path in Path(".opwright").rglob("*") if path.is_file() and path.name != BUILD_RUN)
        return {path: path.read_bytes() for path in files}

    everything = build()
    before = kept()
    monkeypatch.setenv(VARIABLE, "")
    monkeypatch.setenv("HOME", str(tmp_path / "nowhere"))
    monkeypatch.setenv("XDG_CONFIG_HOME", "/dev/null/nowhere")
    for _ in range(2):
        assert build() == Built(everything.run, 0, ["OW913"])
    assert kept() == before


def forge_hints(seal: Seal | None) -> None:
    """Says that function.py has the bytes that it had before it was changed to what it is."""
    old = digest_bytes(SWISH.read_bytes())
    SWISH.write_text(SWISH.read_text().replace("return X * ", "return X + "))
    status = SWISH.stat()
    stamp = [status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino]
    value = {"files": {os.fspath(SWISH.absolute()): [*stamp, old]}}
    path = Path(".opwright/hints.json")
    if seal is None:
        path.write_bytes(canonical_json({"format": 1, **value}))
    else:
        StateFile(path, seal).save(value)


@pytest.mark.parametrize("seal", [None, OTHERS, OTHERS.bound_to(HERE), SEAL, SEAL.bound_to("another machine")])
def test_forged_hints_hide_no_change(library: Path, build: Build, seal: Seal | None) -> None:
    build()
    honest = Path(BUNDLE).read_bytes()
    forge_hints(seal)
    assert build().run > 0
    assert Path(BUNDLE).read_bytes() != honest


def test_what_forged_hints_would_do_with_the_secret(library: Path, build: Build) -> None:
    build()
    forge_hints(SEAL.bound_to(HERE))
    assert build().run == 0


def forge_outputs(seal: Seal | None, files: dict[str, bytes]) -> None:
    value = {"files": {path: digest_bytes(data) for path, data in files.items()}}
    path = Path(".opwright/outputs.json")
    path.parent.mkdir(exist_ok=True)
    if seal is None:
        path.write_bytes(canonical_json({"format": 1, **value}))
    else:
        StateFile(path, seal).save(value)


@pytest.mark.parametrize(
    ("seal", "believed"),
    [(None, False), (OTHERS, False), (SEAL.bound_to("another machine"), False), (SEAL.bound_to(HERE), True)],
)
def test_a_forged_list_of_outputs_removes_and_overwrites_nothing(
    library: Path, opwright: Opwright, seal: Seal | None, believed: bool
) -> None:
    wheel, module = Path("dist/base-0.9.0-py3-none-any.whl"), Path("library/base/__init__.py")
    for path in (wheel, module):
        path.parent.mkdir(parents=True)
    wheel.write_bytes(b"a release of last year")
    forge_outputs(seal, {wheel.as_posix(): wheel.read_bytes()})
    assert opwright("build").status == 0
    assert wheel.exists() == (not believed)
    module.write_bytes(b"written by hand\n")
    forge_outputs(seal, {module.as_posix(): b""})
    ran = opwright("build")
    assert (ran.status, "OW904" in ran.out) == ((0, False) if believed else (1, True))
    assert (module.read_bytes() == b"written by hand\n") == (not believed)
