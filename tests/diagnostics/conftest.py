"""Runs the examples of diagnostic codes through the real command line, in process."""

from __future__ import annotations

import errno
import importlib
import os
import re
import shutil
import sys
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import NoReturn

import onnx
import onnx.parser
import pytest
from opwright.diagnostics import Diagnostic, DiagnosticError, DiagnosticWarning, render
from opwright_build.cli.entry import main
from opwright_build.cluster.cluster import unreachable
from opwright_build.cluster.tls_files import require_tls_file
from opwright_build.engine import state_file, url_files
from opwright_build.engine.action import Done, Failed, Record
from opwright_build.engine.content_digest import digest_bytes
from opwright_build.engine.mutual_actions import Result
from opwright_build.engine.run import Engine
from opwright_build.engine.signing import TRUSTED_KEYS
from opwright_build.engine.store import SHARED
from opwright_build.engine.system_errors import InfrastructureError
from opwright_build.engine.tree import write_whole
from opwright_build.engine.user_secret import VARIABLE, user_seal
from opwright_build.report.progress import PlainProgress
from opwright_build.sandbox.levels import CAGES
from opwright_build.verify.cases import oracle
from opwright_build.verify.run import worker_process
from opwright_build.verify.run.worker_process import Answer, Surroundings
from opwright_build.workflow import library_site
from opwright_build.workflow.opened import session
from opwright_build.workflow.opened.session_cluster import SessionCluster

from tests.claimed import claim_a_sandbox
from tests.cluster.threads import ThreadCluster
from tests.diagnostics.examples import Example
from tests.sealed import SECRET, change_records

BASE = Path(__file__).parent / "base_library"
FINDING = re.compile(r"(?:^|: )(?:error|warning|note) (OW\d{3}): ", re.MULTILINE)
SECONDS = re.compile(r"\b\d+\.\d\d s\b")


@dataclass(frozen=True)
class Ran:
    """The exit status of an example's last command, everything it printed, and the codes of its findings."""

    status: int
    text: str

    @property
    def codes(self) -> set[str]:
        return set(FINDING.findall(self.text))


Run = Callable[[Example], Ran]


@pytest.fixture
def run_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Lays an example over the base library in an empty folder and runs its commands there."""
    monkeypatch.setattr(PlainProgress, "step", lambda self, text: None)
    for name in ("CI", "NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", "")
    monkeypatch.setenv(VARIABLE, SECRET)
    monkeypatch.setenv(SHARED, "")
    monkeypatch.setenv(TRUSTED_KEYS, "")
    claim_a_sandbox(monkeypatch)

    def step(words: list[str], root: Path) -> int:
        if words[0] == "workers":
            monkeypatch.setattr(worker_process, "WorkerProcess", partial(_LostWorker, words[1] == "crash"))
            return 0
        if words[0] == "cluster":
            if words[1] == "uninstalled":
                monkeypatch.setitem(sys.modules, "opwright_build.cluster.dask_cluster", None)
            else:
                monkeypatch.setattr(SessionCluster, "connected", lambda _: CLUSTERS[words[1]]())
            return 0
        if words == ["edited-meanwhile"]:
            (root / "dist" / "base-1.0.0.onnxlib").unlink()
            monkeypatch.setattr(Engine, "fetch", _edited_before(Engine.fetch, root / "specs" / "library.yaml"))
            return 0
        if words == ["generator", "uninstalled"]:
            monkeypatch.setattr(library_site, "find_spec", lambda name: None)
            return 0
        if words == ["without-sandbox"]:
            monkeypatch.setattr(oracle, "CAGES", CAGES[-1:])
            return 0
        if words[0] == "no-room-for":
            monkeypatch.setattr(state_file, "write_whole", _refusing(words[1]))
            return 0
        if words == ["read-only"]:
            monkeypatch.setattr(session, "folder_lock", _read_only)
            return 0
        if words[0] == "shared" and words[1] in PLACES:
            monkeypatch.setattr(url_files, "open_place", PLACES[words[1]])
            monkeypatch.setattr(url_files, "PATIENCE", url_files.Patience(seconds=0.05))
        return _step(words, root)

    def run(example: Example) -> Ran:
        root = Path(shutil.copytree(BASE, tmp_path / "library", dirs_exist_ok=True))
        _lay(example.files, root)
        monkeypatch.chdir(root)
        status = 0
        for command in example.command.split(" && "):
            capsys.readouterr()
            status = step(command.split(), root)
        printed = capsys.readouterr()
        text = SECONDS.sub("N s", printed.out + printed.err)
        assert "Traceback" not in text
        assert str(tmp_path) not in text, "an absolute path reached the output"
        return Ran(status, text)

    return run


class _LostWorker:
    """A process that crashes over its first action, or before."""

    def __init__(
        self, ready: bool, surroundings: Surroundings, deliver: Callable[[Answer | None], None], serve: str
    ) -> None:
        self._deliver = deliver
        deliver(Answer({"ready": True}) if ready else None)

    def send(self, message: bytes) -> None:
        self._deliver(None)

    def stop(self) -> str:
        return "crashed (signal 11)"


def _edited_before(fetch: Callable[[Engine, Result, str], bytes], library: Path) -> object:
    """The library gets another version when an archive is asked for."""

    def edit_and_fetch(engine: Engine, result: Result, name: str) -> bytes:
        if name.startswith("dist/"):
            library.write_text(library.read_text(encoding="utf-8").replace("1.0.0", "1.0.1"), encoding="utf-8")
        return fetch(engine, result, name)

    return edit_and_fetch


def _read_only(path: Path, on_wait: Callable[[], None]) -> NoReturn:
    raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))


def _refusing(name: str) -> Callable[[Path, bytes], None]:
    def write(path: Path, data: bytes) -> None:
        if path.name == name:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        write_whole(path, data)

    return write


def _lay(files: Mapping[str, str], root: Path) -> None:
    for name, content in files.items():
        path = root / name
        if not content:
            path.unlink()
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        if name.endswith(".onnx.txt"):
            onnx.save(onnx.parser.parse_model(content), path.with_suffix(""))
        elif name.endswith(".hex"):
            path.with_suffix("").write_bytes(bytes.fromhex(content))
        else:
            path.write_text(content, encoding="utf-8")


def _step(words: list[str], root: Path) -> int:
    match words:
        case ["damage", folder]:
            for path in _files(root / folder):
                data = path.read_bytes()
                path.write_bytes(data[:-1] + bytes([data[-1] ^ 1]) if data else b"?")
            return 0
        case ["forge", folder]:
            change_records(root / folder, _forged)
            return 0
        case ["misdirect", folder]:
            change_records(root / folder, _misdirected)
            return 0
        case ["secret", what]:
            _put_secret(what, root.parent / "home" / ".config" / "opwright")
            return 0
        case ["put", name, target]:
            (root / target).write_bytes((root / name).read_bytes())
            return 0
        case ["shared", what]:
            _put_shared(what, root)
            return 0
        case ["link", name, target]:
            (root / name).symlink_to(target)
            return 0
        case ["python", file]:
            return _run_python(root / file)
    try:
        return main(words)
    except SystemExit as stop:  # argparse
        return stop.code if isinstance(stop.code, int) else 1


def _run_python(path: Path) -> int:
    """Runs a file as a program that prints what it is warned of and the findings it ends with; what it has imported
    of the library's folder is gone afterwards, and the folder from the import path."""
    text = path.read_text(encoding="utf-8")
    found: list[Diagnostic] = []
    places, imported = list(sys.path), set(sys.modules)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            exec(compile(text, path.name, "exec", dont_inherit=True), {"__name__": "__main__"})
        except DiagnosticError as error:
            found.extend(error.diagnostics)
    warned = [item.message.diagnostic for item in caught if isinstance(item.message, DiagnosticWarning)]
    print(render([*warned, *found], {path.name: text}.get), end="")
    sys.path[:] = places
    importlib.invalidate_caches()  # of folders that are relative to the current one
    for name in sys.modules.keys() - imported:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(path.parent)):
            del sys.modules[name]
    return 1 if found else 0


def _put_secret(what: str, folder: Path) -> None:
    """What this user has to seal results with: `another` file, an `exposed` one or `none`, or a `short` text."""
    os.environ[VARIABLE] = "secret" if what == "short" else ""
    shutil.rmtree(folder.parent, ignore_errors=True)
    folder.parent.mkdir(parents=True)
    if what == "none":
        folder.write_bytes(b"a file, not a folder\n")
    elif what in ("another", "exposed"):
        assert user_seal().warnings == ()
    if what == "exposed":
        (folder / "secret").chmod(0o644)


def _not_installed(url: str) -> NoReturn:
    raise ImportError("Install s3fs to access S3")


def _denying(url: str) -> NoReturn:
    raise PermissionError("Access Denied")


def _silent(url: str) -> NoReturn:
    time.sleep(2)
    raise TimeoutError


def _without_tls() -> NoReturn:
    require_tls_file("ca-file", None)
    raise AssertionError


def _without_workers() -> NoReturn:
    raise InfrastructureError([unreachable("dask:tcp://127.0.0.1:8786", "it has no workers")])


def _without_sandbox() -> ThreadCluster:
    cluster = ThreadCluster()
    cluster.require(2)
    return cluster


CLUSTERS: dict[str, Callable[[], ThreadCluster]] = {
    "without-tls": _without_tls,
    "without-workers": _without_workers,
    "without-sandbox": _without_sandbox,
    "dying": lambda: ThreadCluster(loses=lambda data: True),
    "lying": lambda: ThreadCluster(spoils=lambda data: b""),
}
PLACES = {"uninstalled": _not_installed, "refusing": _denying, "silent": _silent}


def _put_shared(what: str, root: Path) -> None:
    """A shared cache that is at a URL (one of PLACES), `gone`, that no key is trusted for (`keyless`), that has results
    which nobody trusted has signed (`forged`), or an empty one with a key that is `trusted`."""
    folder = root.parent / "shared-cache"
    os.environ[SHARED] = "s3://bucket/cache" if what in PLACES else str(folder)
    os.environ[TRUSTED_KEYS] = "" if what == "keyless" else "0" * 64
    if what != "gone":
        folder.mkdir()
    if what == "forged":
        assert main(["build"]) == 0
        for path in _files(root / ".opwright" / "cache" / "records"):
            body = path.read_bytes().partition(b"\n")[2]
            key, _, name = path.name.partition(".")
            forged = folder / "signed" / key[:2] / key / name
            forged.parent.mkdir(parents=True)
            forged.write_bytes(f"{digest_bytes(body)} {'1' * 64} {'0' * 128}\n".encode() + body)
        shutil.rmtree(root / ".opwright" / "cache" / "records")


def _files(folder: Path) -> list[Path]:
    assert folder.is_dir()
    return [Path(parent, name) for parent, _, names in os.walk(folder) for name in names]


def _forged(record: Record) -> Record:
    match record.outcome:
        case Done(outputs):
            return Record(replace(record.outcome, outputs={**outputs, "forged": "0" * 64}), record.reads)
        case Failed() | _:
            return record


def _misdirected(record: Record) -> Record:
    match record.outcome:
        case Done(outputs):
            misled = {**outputs, "../elsewhere": next(iter(record.outcome.kept().values()))}
            return Record(replace(record.outcome, outputs=misled), record.reads)
        case Failed() | _:
            return record
