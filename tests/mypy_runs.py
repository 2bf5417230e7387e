"""mypy, started by tests: its runs share what it keeps of our own packages, which are most of its work.

What it keeps of a module serves runs with the same options for that module alone. So the projects of tests have the
options of our own code (`[tool.mypy]`), the plugin included.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from opwright_build.engine.folder_lock import folder_lock

SETTINGS = "[mypy]\nstrict = true\npython_version = 3.11\nplugins = opwright.mypy\n"


@dataclass(frozen=True, slots=True)
class Mypy:
    """`cache` is the folder of what it keeps."""

    cache: Path

    def run(
        self, arguments: Sequence[str], folder: Path, environment: Mapping[str, str]
    ) -> subprocess.CompletedProcess[str]:
        """Runs it in that folder, one run after another."""
        command = [sys.executable, "-m", "mypy", "--cache-dir", str(self.cache), *arguments]
        with folder_lock(self.cache.with_suffix(".lock"), lambda: None):
            return subprocess.run(
                command, cwd=folder, capture_output=True, text=True, env={**os.environ, **environment}, timeout=600
            )
