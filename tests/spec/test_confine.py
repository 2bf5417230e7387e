from __future__ import annotations

import os
from pathlib import Path

import pytest
from opwright.diagnostics.diagnostic import Diagnostic, Place
from opwright_build.engine.tree import stays_inside
from opwright_build.spec.confine import LibraryFiles

HERE = "specs/com.acme/Swish"


@pytest.fixture
def files(tmp_path: Path) -> LibraryFiles:
    (tmp_path / "root" / HERE / "data").mkdir(parents=True)
    (tmp_path / "root" / HERE / "a.yaml").write_bytes(b"a: 1\n")
    (tmp_path / "root" / HERE / "data" / "b.yaml").write_bytes(b"b: 1\n")
    (tmp_path / "secret.yaml").write_bytes(b"secret\n")
    return LibraryFiles(tmp_path / "root")


@pytest.mark.parametrize("name", ["a.py", "data/a.py", "a b.py", "..a.py", "é.yaml"])
def test_paths_inside(name: str) -> None:
    assert stays_inside(name)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "/a.py",
        "../a.py",
        "a/../b.py",
        "a/..",
        "./a.py",
        "a//b.py",
        "a\\b.py",
        "C:/a.py",
        "C:a.py",
        "a/",
        "a\x00.py",
    ],
)
def test_paths_that_leave(name: str) -> None:
    assert not stays_inside(name)


def test_reading_remembers(files: LibraryFiles) -> None:
    assert files.read(HERE, "a.yaml", 100) == b"a: 1\n"
    assert files.read(HERE, "data/b.yaml", 100) == b"b: 1\n"
    assert files.sources == {f"{HERE}/a.yaml": b"a: 1\n", f"{HERE}/data/b.yaml": b"b: 1\n"}


def test_one_byte_more_than_the_limit(files: LibraryFiles) -> None:
    assert files.read(HERE, "a.yaml", 2) == b"a: "


def code(found: bytes | Diagnostic | None) -> str:
    assert isinstance(found, Diagnostic)
    return found.code


def test_what_is_not_there(files: LibraryFiles) -> None:
    place = Place("specs/x.yaml", 3, 1)
    assert code(files.read(HERE, "c.yaml", 100)) == "OW115"
    assert code(files.missing(HERE, "data")) == "OW115"
    assert code(files.missing(HERE, "a\x00")) == "OW115"
    found = files.missing(HERE, "c.yaml", place)
    assert found is not None
    assert found.place == place
    assert files.missing(HERE, "a.yaml") is None


def test_links(files: LibraryFiles, tmp_path: Path) -> None:
    folder = tmp_path / "root" / HERE
    (folder / "inside.yaml").symlink_to(folder / "a.yaml")
    (folder / "out.yaml").symlink_to(tmp_path / "secret.yaml")
    (folder / "dangling.yaml").symlink_to(folder / "nothing")
    (folder / "round.yaml").symlink_to(folder / "round.yaml")
    (folder / "up").symlink_to(tmp_path)
    assert files.read(HERE, "inside.yaml", 100) == b"a: 1\n"
    assert code(files.read(HERE, "out.yaml", 100)) == "OW127"
    assert code(files.read(HERE, "dangling.yaml", 100)) == "OW115"
    assert code(files.read(HERE, "round.yaml", 100)) == "OW115"
    assert code(files.read(HERE, "up/secret.yaml", 100)) == "OW127"
    assert not files.leaves(HERE)
    assert files.leaves(f"{HERE}/up")


def test_a_pipe_is_no_file(files: LibraryFiles, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "root" / HERE / "pipe.yaml")
    assert code(files.read(HERE, "pipe.yaml", 100)) == "OW115"


def test_folders_are_sorted_and_hidden_ones_left_out(files: LibraryFiles, tmp_path: Path) -> None:
    for name in ("b", "a", ".hidden", "__pycache__"):
        (tmp_path / "root" / "specs" / name).mkdir()
    assert files.folders("specs") == ["a", "b", "com.acme"]
    assert files.has_files(HERE)
    assert not files.has_files("specs/a")
