"""The record of a small library."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from opwright_build.report.quiet import QuietReporter
from opwright_build.site.site_record import SiteRecord
from opwright_build.workflow.built.library import build_library
from opwright_build.workflow.library_site import recorded
from opwright_build.workflow.opened.session import Options, Session
from opwright_build.workflow.opened.task import on_library
from opwright_build.workflow.reference import documented_library

from tests.site.hostile_library import lay

Record = Callable[[dict[str, str]], SiteRecord]


@pytest.fixture
def record(tmp_path: Path) -> Record:
    """The record of the base library with other files over it."""

    def make(files: dict[str, str]) -> SiteRecord:
        root = tmp_path / "library"
        lay(root, files)
        found: list[SiteRecord] = []

        def task(session: Session) -> int:
            library = build_library(session)
            assert library.good, [str(item) for item in library.diagnostics]
            documented, _ = documented_library(session, library)
            found.append(recorded(session, documented))
            return 0

        assert on_library(root, QuietReporter(), Options(), task) == 0
        return found[0]

    return make
