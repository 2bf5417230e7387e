"""The standard's own tests of single operators, made once.

onnx computes them with numpy each time that they are asked for, which takes seconds; they are the same each time.
`python -m tests.node_cases FILE` computes them, in a process that has imported nothing else of onnx's suite before.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Collection
from importlib.metadata import version
from pathlib import Path
from typing import Any

from onnx.backend.test.case import node
from onnx.backend.test.case.test_case import TestCase
from onnx.backend.test.loader import load_model_tests
from opwright_build.engine.folder_lock import folder_lock

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / ".opwright" / "tests"
PACKAGES = ("onnx", "numpy", "ml_dtypes", "protobuf")  # what the cases and their bytes come from


def node_cases() -> list[TestCase]:
    """All cases, as objects of the caller's own, from the file that the first call in this checkout has written."""
    return _read()[0]


def cases_of(modules: Collection[str]) -> list[TestCase]:
    """Those that modules below the suite's package make."""
    cases, homes = _read()
    return [case for case in cases if homes[case.name] in modules]


def _read() -> tuple[list[TestCase], dict[str, str]]:
    own = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:8]  # what it writes changes with this file
    file = FOLDER / f"node-cases-{'-'.join(version(name) for name in PACKAGES)}-{own}.pickle"
    if not file.exists():
        FOLDER.mkdir(parents=True, exist_ok=True)
        with folder_lock(FOLDER / "node-cases.lock", lambda: None):
            if not file.exists():
                path = os.pathsep.join([str(ROOT), *sys.path])
                command = [sys.executable, "-m", "tests.node_cases", str(file)]
                subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, check=True, timeout=600)
    found: tuple[list[TestCase], dict[str, str]] = pickle.loads(file.read_bytes())
    return found


def _write(file: Path) -> None:
    homes: dict[str, str] = {}
    expect = node.expect

    def expect_from(*arguments: Any, **named: Any) -> None:
        before = len(node._NodeTestCases)
        expect(*arguments, **named)
        home = sys._getframe(1).f_globals["__name__"].removeprefix(f"{node.__name__}.")
        homes.update(dict.fromkeys((case.name for case in node._NodeTestCases[before:]), home))

    node.expect = expect_from
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # numpy's, while the suite makes its own expectations
        made = load_model_tests(kind="node")
    with tempfile.NamedTemporaryFile(dir=file.parent, delete=False) as written:
        written.write(pickle.dumps((made, homes)))
    os.replace(written.name, file)


if __name__ == "__main__":
    _write(Path(sys.argv[1]))
