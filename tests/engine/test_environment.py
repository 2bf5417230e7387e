import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from opwright_build.engine.environment import environment_digest, environment_parts, installed_versions
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
        return environment_digest(environment_parts([tool], ["onnx"], FileHints(kept(tmp_path / "hints.json"))))

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
