"""A process goes on with the sources of the build tool that it began with, which are those that it has imported."""

from pathlib import Path

import pytest
from opwright_build.engine.hints import FileHints
from opwright_build.workflow.opened import session

from tests.sealed import kept


def test_sources_are_looked_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def told(folder: str) -> dict[str, str]:
        return session.own_environment(FileHints(kept(tmp_path / folder / "hints.json")))

    source = tmp_path / "tool" / "a.py"
    source.parent.mkdir()
    source.write_text("a = 1")
    monkeypatch.setattr(session, "_own_sources", lambda: [source.parent])
    monkeypatch.setattr(session, "_read_at_first", [])
    before = told("one")
    source.write_text("a = 2")
    assert told("one") == told("two") == before
    monkeypatch.setattr(session, "_read_at_first", [])
    after = told("one")
    assert {name for name in after if after[name] != before[name]} == {"the build tool's own sources"}
