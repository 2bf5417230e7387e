"""Where the secret comes from: the environment, else a file of the user's own."""

import os
import stat
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from opwright.diagnostics import DiagnosticError
from opwright_build.engine import user_secret
from opwright_build.engine.folder_lock import folder_lock
from opwright_build.engine.user_secret import VARIABLE, UserSeal, user_seal


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where this user's secret is looked for; nothing is there yet."""
    monkeypatch.delenv(VARIABLE)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path / "config" / "opwright"


def codes(user: UserSeal) -> list[str]:
    return [item.code for item in user.warnings]


def name(user: UserSeal) -> str:
    """A text that tells one secret from another."""
    assert user.seal is not None
    return user.seal.name("x")


def test_a_secret_is_made_on_first_use_for_its_owner_alone(folder: Path) -> None:
    previous = os.umask(0)
    try:
        first = user_seal()
    finally:
        os.umask(previous)
    assert codes(first) == []
    assert name(user_seal()) == name(first)
    assert stat.S_IMODE((folder / "secret").stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert sorted(path.name for path in folder.iterdir()) == ["secret", "secret.lock"]


def test_two_users_have_two_secrets(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = user_seal()
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "another"))
    assert name(user_seal()) != name(first)


def test_without_the_variable_it_is_below_home(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for value in ("", "relative"):
        monkeypatch.setenv("XDG_CONFIG_HOME", value)
        monkeypatch.setattr(user_secret.sys, "platform", "linux")
        user_seal()
    assert (tmp_path / ".config" / "opwright" / "secret").is_file()
    monkeypatch.setattr(user_secret.sys, "platform", "darwin")
    user_seal()
    assert (tmp_path / "Library" / "Application Support" / "opwright" / "secret").is_file()


def test_the_environment_goes_first_and_makes_no_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "x" * 32)
    first = user_seal()
    monkeypatch.setenv(VARIABLE, "y" * 32)
    assert name(user_seal()) != name(first)
    assert not folder.exists()
    monkeypatch.setenv(VARIABLE, "")
    assert name(user_seal()) != name(first)
    assert folder.exists()


@pytest.mark.parametrize("text", ["x", "x" * 31])
def test_a_text_that_can_be_guessed_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv(VARIABLE, text)
    with pytest.raises(DiagnosticError) as caught:
        user_seal()
    assert [item.code for item in caught.value.diagnostics] == ["OW916"]
    assert text not in str(caught.value).replace(VARIABLE, "").split()


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o620, 0o660, 0o666])
def test_a_secret_that_others_could_read_is_replaced(folder: Path, mode: int) -> None:
    first = user_seal()
    (folder / "secret").chmod(mode)
    second = user_seal()
    assert codes(second) == ["OW915"]
    assert name(second) != name(first)
    assert codes(user_seal()) == []
    assert name(user_seal()) == name(second)


@pytest.mark.parametrize("text", [b"", b"abc", b"0" * 63, b"0" * 65, b"x" * 9999])
def test_a_file_that_holds_no_secret_is_replaced(folder: Path, text: bytes) -> None:
    folder.mkdir(parents=True)
    (folder / "secret").write_bytes(text)
    (folder / "secret").chmod(0o600)
    assert codes(user_seal()) == ["OW915"]
    assert codes(user_seal()) == []


@pytest.mark.parametrize("what", ["link", "pipe", "folder", "file above", "another's", "not private", "unreadable"])
def test_where_no_secret_can_be_had_there_is_a_warning(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    folder.parent.mkdir()
    path = folder / "secret"
    if what == "file above":
        folder.write_bytes(b"")
    else:
        folder.mkdir()
    if what == "link":
        (tmp_path / "real").write_bytes(b"0" * 64)
        (tmp_path / "real").chmod(0o600)
        path.symlink_to(tmp_path / "real")
    elif what == "pipe":
        os.mkfifo(path, 0o600)
    elif what == "folder":
        path.mkdir()
    elif what == "another's":
        user_seal()
        monkeypatch.setattr(os, "geteuid", lambda: 12345)
    elif what == "not private":  # as on a filesystem without modes
        real = os.fstat

        def exposed(descriptor: int) -> os.stat_result:
            status = list(real(descriptor))
            status[0] |= 0o777
            return os.stat_result(status)

        monkeypatch.setattr(os, "fstat", exposed)
    elif what == "unreadable":
        user_seal()
        real_open = os.open

        def refused(file: object, *arguments: int) -> int:
            if os.fspath(file) == os.fspath(path):  # root may read any file
                raise PermissionError(13, "Permission denied")
            return real_open(file, *arguments)

        monkeypatch.setattr(os, "open", refused)
    found = user_seal()
    assert found.seal is None
    assert codes(found) == ["OW913"]
    assert "~/config/opwright" in found.warnings[0].reason


def test_a_secret_from_a_librarys_folder_is_none(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    user_seal()
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "library.yaml").write_text("schema: 1\n")
    assert user_seal().seal is None
    assert codes(user_seal()) == ["OW913"]
    outside = tmp_path.with_name(f"{tmp_path.name}-outside")
    outside.symlink_to(tmp_path, target_is_directory=True)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(outside / "config"))
    assert user_seal().seal is None


@pytest.mark.parametrize("exposed", [False, True])
def test_many_first_uses_at_once_agree(folder: Path, monkeypatch: pytest.MonkeyPatch, exposed: bool) -> None:
    """All wait at the lock, each having seen that there is no secret that it can use."""
    if exposed:
        user_seal()
        (folder / "secret").chmod(0o644)
    threads = 8
    seen = threading.Semaphore(0)
    real = user_secret._read

    def read(path: Path) -> bytes:
        try:
            return real(path)
        finally:
            seen.release()

    monkeypatch.setattr(user_secret, "_read", read)
    folder.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(threads) as pool:
        with folder_lock(folder / "secret.lock", lambda: None):
            futures = [pool.submit(user_seal) for _ in range(threads)]
            for _ in range(threads):
                assert seen.acquire(timeout=60)
        found = [future.result(timeout=60) for future in futures]
    assert {name(user) for user in found} == {name(user_seal())}
    assert sorted(map(codes, found)) == [[]] * (7 if exposed else 8) + [["OW915"]] * exposed


def test_processes_that_use_it_first_at_once_agree(folder: Path) -> None:
    text = "from opwright_build.engine.user_secret import user_seal; print(user_seal().seal.name('x'))"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    started = [
        subprocess.Popen([sys.executable, "-c", text], env=environment, stdout=subprocess.PIPE, text=True)
        for _ in range(6)
    ]
    names = {process.communicate(timeout=60)[0].strip() for process in started}
    assert names == {name(user_seal())}
