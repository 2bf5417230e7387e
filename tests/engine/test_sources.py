import os
import shutil
import time
from pathlib import Path

import pytest
from opwright.diagnostics import DiagnosticError
from opwright_build.engine import sources
from opwright_build.engine.content_digest import digest_bytes
from opwright_build.engine.hints import FileHints
from opwright_build.engine.sources import REFUSED, FolderSources, digest_now

from tests.sealed import kept


def make(root: Path) -> FolderSources:
    return FolderSources(root, FileHints(kept(root / "hints.json")))


def test_a_listing_is_sorted_and_leaves_hidden_and_compiled_files_out(tmp_path: Path) -> None:
    for name in ("specs/b/x.yaml", "specs/a/y.py", "specs/a/__pycache__/y.pyc", "specs/.git/config", "specs/z"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret").write_bytes(b"")
    (tmp_path / "specs" / "link").symlink_to(tmp_path / "outside")
    (tmp_path / "specs" / "within").symlink_to("z")
    listing = b"a/y.py\nb/x.yaml\nlink\t40000 outside\nwithin\t100000 specs/z\nz"
    assert make(tmp_path).read("list:specs") == listing
    assert make(tmp_path).read("list:none") is None


def test_a_listing_tells_what_a_name_stands_for(tmp_path: Path) -> None:
    """A file that becomes a pipe or a link out is refused without being read; what was known of it does not hold."""
    (tmp_path / "specs").mkdir()
    path = tmp_path / "specs" / "x"
    path.write_bytes(b"")
    seen = {make(tmp_path).digest("list:specs")}
    for change in (
        os.mkfifo,
        lambda path: path.symlink_to("/dev/zero"),
        lambda path: path.symlink_to("/dev"),
        lambda path: path.symlink_to("x"),
        lambda path: path.symlink_to("nothing"),
    ):
        path.unlink()
        change(path)
        seen.add(make(tmp_path).digest("list:specs"))
    assert len(seen) == 6 and None not in seen


def test_a_listing_holds_while_no_folder_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Folders are looked at instead of what is in them; young ones, and those with links, are looked through."""
    root, state = tmp_path / "root", kept(tmp_path / "hints.json")
    deep = root / "specs" / "a" / "b"
    deep.mkdir(parents=True)
    (deep / "one").write_bytes(b"1")
    scans: list[str] = []
    listing = sources._listing

    def counted(folder: str, root: str) -> object:
        scans.append(folder)
        return listing(folder, root)

    def seen() -> tuple[str | None, int]:
        del scans[:]
        hints = FileHints(state)
        digest = FolderSources(root, hints).digest("list:specs")
        hints.save()
        return digest, len(scans)

    monkeypatch.setattr(sources, "_listing", counted)
    first = seen()
    assert first[1] == 1
    assert seen() == first, "the folders are young"
    real = time.time_ns
    monkeypatch.setattr("opwright_build.engine.hints.time.time_ns", lambda: real() + 3_600_000_000_000)
    assert seen() == first
    assert seen() == (first[0], 0)
    (deep / "one").write_bytes(b"2")
    assert seen() == (first[0], 0), "the names are as they were"
    (deep / "new").write_bytes(b"3")
    (deep / "new").replace(deep / "one")
    (deep / ".hidden").write_bytes(b"")
    assert seen() == (first[0], 0), "only the folder that was stamped anew is looked at"
    assert seen() == (first[0], 0)
    shutil.copytree(deep, root / "copy")
    shutil.rmtree(deep)
    (root / "copy").rename(deep)
    assert seen() == (first[0], 0), "another folder with the same names"
    digests = {first[0]}
    for change in (
        lambda: (deep / "two").write_bytes(b""),
        lambda: (deep / "two").rename(deep / "three"),
        lambda: shutil.copytree(deep, deep / "c"),
        lambda: (deep / "three").unlink(),
        lambda: (root / "specs" / "a").rename(root / "specs" / "z"),
        lambda: (root / "specs" / "z" / "four").mkdir(),
        lambda: (root / "specs" / "z" / "four").joinpath("five").write_bytes(b""),
        lambda: (root / "specs" / "five").symlink_to("z"),
    ):
        change()
        digest, scanned = seen()
        assert scanned == 1
        assert digest == make(root).digest("list:specs")
        digests.add(digest)
    assert len(digests) == 8
    assert seen()[1] == 1, "what a link leads to may change"


def test_one_build_sees_one_state(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"one")
    sources = make(tmp_path)
    assert sources.digest("file:a") == digest_bytes(b"one")
    assert sources.read("file:a") == b"one"
    (tmp_path / "a").write_bytes(b"two")
    assert sources.read("file:a") == b"one"
    assert sources.digest("file:a") == digest_bytes(b"one")


@pytest.mark.parametrize("name", ["file:/etc/passwd", "file:../x", "file:a/../../x", "url:x", "a", ""])
def test_nothing_outside_the_folder_can_be_named(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="no such kind of source"):
        make(tmp_path).read(name)


@pytest.mark.parametrize(("name", "code"), [("out.py", "OW127"), ("linked/in.py", "OW127"), ("pipe.py", "OW115")])
def test_what_is_not_to_be_read_is_refused_and_depended_on(tmp_path: Path, name: str, code: str) -> None:
    root, home = tmp_path / "root", tmp_path / "home"
    (root / "specs").mkdir(parents=True)
    home.mkdir()
    (home / "in.py").write_bytes(b"secret")
    (root / "specs" / "out.py").symlink_to(home / "in.py")
    (root / "specs" / "linked").symlink_to(home)
    os.mkfifo(root / "specs" / "pipe.py")
    for fresh in (make(root), make(root)):
        with pytest.raises(DiagnosticError) as caught:
            fresh.read(f"file:specs/{name}")
        assert [item.code for item in caught.value.diagnostics] == [code]
        assert fresh.digest(f"file:specs/{name}") == REFUSED
    assert make(root).digest(f"file:specs/{name}") == REFUSED


def test_a_link_inside_the_root_is_read(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_bytes(b"text")
    (tmp_path / "two.py").symlink_to("one.py")
    assert make(tmp_path).read("file:two.py") == b"text"


def test_a_name_that_cannot_be_one_has_no_digest(tmp_path: Path) -> None:
    for name in ("", "x", "file:/etc/passwd", "file:../x", "exec:ls"):
        assert digest_now(make(tmp_path), name) is None
