import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from opwright_build.engine.environment import (
    environment_digest,
    environment_parts,
    installed_build,
    installed_versions,
    sources_digest,
)
from opwright_build.engine.hints import FileHints

from tests.sealed import kept


def test_versions_are_those_that_the_packaging_metadata_gives() -> None:
    names = ["onnx", "numpy", "pytest", "typing-extensions", "no-such-distribution"]
    expected = {name: version(name) for name in names[:-1]}
    assert installed_versions(names) == expected


def test_the_first_folder_on_the_path_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "onnx-9.9.9.dist-info").mkdir()
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    assert installed_versions(["onnx"]) == {"onnx": "9.9.9"}


def test_a_change_of_any_source_or_version_changes_the_digest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool = tmp_path / "tool"
    (tool / "templates").mkdir(parents=True)
    (tool / "a.py").write_text("a = 1")
    (tool / "templates" / "b.jinja2").write_text("b")
    (tool / "__pycache__").mkdir()

    def digest() -> str:
        sources = sources_digest([tool], FileHints(kept(tmp_path / "hints.json")))
        return environment_digest(environment_parts(sources, ["onnx"]))

    seen = [digest()]
    (tool / "__pycache__" / "a.py").write_text("not a source")
    assert digest() == seen[0]
    for change in (
        lambda: (tool / "a.py").write_text("a = 2"),
        lambda: (tool / "templates" / "b.jinja2").write_text("c"),
        lambda: (tool / "c.py").write_text(""),
        lambda: (tool / "c.py").rename(tool / "d.py"),
        lambda: monkeypatch.setattr(sys, "path", []),
    ):
        change()
        seen.append(digest())
    assert len(set(seen)) == len(seen)


def test_a_build_is_told_by_the_list_of_what_was_installed(tmp_path: Path) -> None:
    package = tmp_path / "runtime"
    package.mkdir()
    library = package / "core.so"
    library.write_bytes(b"1")
    listing = tmp_path / "runtime_gpu-1.0.dist-info" / "RECORD"
    other = tmp_path / "another-1.0.dist-info" / "RECORD"
    for path, name in ((listing, "runtime"), (other, "runtime_tools")):
        path.parent.mkdir()
        path.write_text(f"{name}/__init__.py,sha256=AAAA,0\n")
    before = installed_build("runtime", package)
    other.write_text("runtime_tools/__init__.py,sha256=CCCC,0\n")
    assert installed_build("runtime", package) == before
    listing.write_text("runtime/__init__.py,sha256=AAAA,0\nruntime/core.so,sha256=BBBB,1\n")
    changed = installed_build("runtime", package)
    assert changed != before
    listing.unlink()
    stamped = installed_build("runtime", package)
    assert stamped not in (before, changed)
    library.write_bytes(b"22")
    assert installed_build("runtime", package) != stamped
