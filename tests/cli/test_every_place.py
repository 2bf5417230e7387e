"""Whatever stands in the place of a file that commands read or write: a finding or a result, never a hang or traceback.

A file that may not be read is played by an audit hook, since tests may run as root.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from opwright.diagnostics.exits import Exit
from opwright_build.engine.store import LocalStore

from tests.shares import one_in

Opwright = Callable[..., Any]

SPEC = "specs/com.acme/Swish"
FACTS = ("specs/runtime-gaps.yaml", "specs/numerics.yaml", "specs/mutants-survivors.yaml", "specs/vectors.lock")
SOURCES = ("specs/library.yaml", "specs/com.acme/domain.yaml", f"{SPEC}/spec.yaml", f"{SPEC}/function.py")
TESTED = (f"{SPEC}/vectors.yaml", f"{SPEC}/reference.py")
STATE = tuple(f".opwright/{name}" for name in ("lock", "hints.json", "actions.json", "outputs.json", "run.json"))
OUTPUTS = ("dist/base-1.0.0.onnxlib", "library/base/__init__.py", "docs/reference/Swish.md")
FOLDERS = ("specs", "specs/com.acme", SPEC, ".opwright", ".opwright/cache", "dist", "library", "docs", "library/base")

PLACES = (*SOURCES, *TESTED, *FACTS, f"{SPEC}/unknown.py", "specs/com.other", "specs/x", *STATE, *OUTPUTS, *FOLDERS)
COMMANDS = {  # beside `build`, by the beginning of a place
    ".opwright/cache": ("cache", "verify"),
    ".opwright": ("cache", "gc", "--max-size", "0"),
    "library": ("stubs", "--check"),
    "docs": ("docs",),
    "specs/numerics": ("docs",),
    "specs/vectors.lock": ("vectors",),
    "specs/runtime-gaps": ("test", "--no-oracle", "--function", "nothing"),
    "specs/mutants-survivors": ("test", "--no-oracle", "--function", "nothing"),
    f"{SPEC}/vectors": ("test", "--no-oracle"),
    f"{SPEC}/reference": ("test", "--no-oracle"),
    "specs": ("ls",),
}


def _large(path: Path) -> None:
    with open(path, "wb") as file:
        file.truncate(3 << 40)  # it takes no space


KINDS: dict[str, Callable[[Path, Path], object]] = {
    "a pipe": lambda path, home: os.mkfifo(path),
    "a link to a device": lambda path, home: path.symlink_to("/dev/zero"),
    "a folder": lambda path, home: path.mkdir(),
    "a file": lambda path, home: path.write_bytes(b"\0\xff"),
    "a link to a file outside": lambda path, home: path.symlink_to(home / "mine"),
    "a link to a folder outside": lambda path, home: path.symlink_to(home),
    "a link to itself": lambda path, home: path.symlink_to(path.name),
    "a link to its folder": lambda path, home: path.symlink_to("."),
    "a link to nothing": lambda path, home: path.symlink_to(home / "new"),
    "terabytes": lambda path, home: _large(path),
}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    made = tmp_path / "home"
    made.mkdir()
    (made / "mine").write_bytes(b"mine")
    return made


def remove(path: Path) -> None:
    if path.is_symlink() or path.is_file():
        path.unlink()
    elif path.is_dir():
        shutil.rmtree(path)


def try_all(opwright: Opwright, place: str) -> None:
    commands = [("build",), *(words for start, words in COMMANDS.items() if place.startswith(start))]
    for words in commands:
        ran = opwright(*words)
        assert ran.status in (Exit.GOOD, Exit.FINDINGS, Exit.USAGE, Exit.INFRASTRUCTURE), (words, ran.out, ran.err)
        assert "Traceback" not in ran.out + ran.err, (words, ran.err)
        if ran.status != Exit.GOOD:
            assert "error" in ran.out + ran.err, words


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("place", one_in(3, PLACES))
def test_something_else_in_the_place_of_a_file(
    library: Path, home: Path, opwright: Opwright, place: str, kind: str
) -> None:
    path = library / place
    remove(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    KINDS[kind](path, home)
    try_all(opwright, place)
    assert [item.name for item in home.iterdir()] == ["mine"]
    assert (home / "mine").read_bytes() == b"mine"


@pytest.mark.parametrize("kind", ["a pipe", "a link to a device", "a link to itself", "a folder", "terabytes"])
@pytest.mark.parametrize("folder", ["records", "blobs"])
def test_something_else_in_the_place_of_entries_of_the_cache(
    library: Path, home: Path, opwright: Opwright, monkeypatch: pytest.MonkeyPatch, folder: str, kind: str
) -> None:
    monkeypatch.setattr(LocalStore.__init__, "__kwdefaults__", {"most_inline": 0})  # so that outputs are blobs
    assert opwright("build").status == 0
    entries = [path for path in (library / ".opwright" / "cache" / folder).rglob("*") if path.is_file()]
    assert entries
    for path in entries:
        path.unlink()
        KINDS[kind](path, home)
    try_all(opwright, ".opwright/cache")


class _Closed:
    """Opening and listing what lies below a path fails, as it does for a user who may not."""

    path: str = ""

    def __init__(self) -> None:
        sys.addaudithook(self.asked)

    def asked(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self.path and event in ("open", "os.scandir", "os.listdir") and isinstance(arguments[0], str | os.PathLike):
            asked = os.path.abspath(os.fspath(arguments[0]))
            if asked == self.path or asked.startswith(f"{self.path}{os.sep}"):
                raise PermissionError(13, "Permission denied")


_closed = _Closed()


@pytest.fixture
def close() -> Iterator[Callable[[Path], None]]:
    yield lambda path: setattr(_closed, "path", os.path.abspath(path))
    _closed.path = ""


@pytest.mark.parametrize("built", [False, True])
@pytest.mark.parametrize("place", one_in(3, PLACES))
def test_a_file_that_may_not_be_read(
    library: Path, opwright: Opwright, close: Callable[[Path], None], place: str, built: bool
) -> None:
    if built:
        assert opwright("build").status == 0
    path = library / place
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"")
    close(path)
    try_all(opwright, place)


@pytest.mark.parametrize("kind", ["a pipe", "a link to a device", "a link to a file outside", "a link to itself"])
@pytest.mark.parametrize("name", ["vectors.yaml", "reference.py", "function.py", "spec.yaml"])
def test_a_build_after_another_says_what_a_first_one_says(
    library: Path, home: Path, opwright: Opwright, name: str, kind: str
) -> None:
    """Some files are looked at, and not read, when a library is built: what they are decides as well."""
    assert opwright("build").status == 0
    remove(library / SPEC / name)
    KINDS[kind](library / SPEC / name, home)
    again = opwright("build")
    clean = opwright("build", "--cache", str(home / "cache"))
    assert again.status == clean.status != 0
    assert again.out == clean.out


LINKED = {
    "a file beside it": ("notes.txt", ("new", "function", "com.acme/Other", "--like", "com.acme/Swish")),
    "a function that is copied": ("function.py", ("new", "function", "com.acme/Other", "--like", "com.acme/Swish")),
    "a function of which a version is made": ("function.py", ("new", "version", "com.acme/Swish")),
}


@pytest.mark.parametrize("what", LINKED)
@pytest.mark.parametrize("kind", ["a link to a file outside", "a link to a device", "terabytes"])
def test_nothing_is_copied_that_is_no_file_of_the_folder(
    library: Path, home: Path, opwright: Opwright, what: str, kind: str
) -> None:
    """A link in a library's folder would put a file of the user's home next to what is committed."""
    name, words = LINKED[what]
    before = (library / "specs" / "library.yaml").read_bytes()
    remove(library / SPEC / name)
    KINDS[kind](library / SPEC / name, home)
    ran = opwright(*words)
    if name == "notes.txt" and kind == "a link to a device":
        assert ran.status == 0, "it is no file, and left out"
        return
    assert ran.status in (1, 2), ran.out + ran.err
    assert any(code in ran.out + ran.err for code in ("OW127", "OW115", "OW907")), ran.out + ran.err
    made = [path for path in (library / "specs").rglob("*") if path.is_file() and not path.is_symlink()]
    assert not any(path.read_bytes() == b"mine" for path in made if path.stat().st_size < 1 << 20)
    assert not (library / "specs/com.acme/Other").exists() and not (library / SPEC / "version2.py").exists()
    assert (library / "specs" / "library.yaml").read_bytes() == before


@pytest.mark.parametrize("cookie", ["# coding: rot13", "#!/usr/bin/python\n# -*- coding: utf-16 -*-"])
def test_references_are_utf8(library: Path, opwright: Opwright, cookie: str) -> None:
    """Python would run another text than the one that is read here."""
    path = library / SPEC / "reference.py"
    path.write_text(f"{cookie}\n{path.read_text()}")
    ran = opwright("test")
    assert ran.status == 1 and "OW301: the file asks to be read as" in ran.out, ran.out
