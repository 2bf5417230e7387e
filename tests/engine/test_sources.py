from pathlib import Path

import pytest
from opwright_build.engine.digest import digest_bytes
from opwright_build.engine.hints import FileHints
from opwright_build.engine.sources import FolderSources


def make(root: Path) -> FolderSources:
    return FolderSources(root, FileHints(root / "hints.json"))


def test_a_listing_is_sorted_and_leaves_hidden_and_compiled_files_out(tmp_path: Path) -> None:
    for name in ("specs/b/x.yaml", "specs/a/y.py", "specs/a/__pycache__/y.pyc", "specs/.git/config", "specs/z"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret").write_bytes(b"")
    (tmp_path / "specs" / "link").symlink_to(tmp_path / "outside")
    assert make(tmp_path).read("list:specs") == b"a/y.py\nb/x.yaml\nlink\nz"
    assert make(tmp_path).read("list:none") is None


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
