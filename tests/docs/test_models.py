"""docs/models.md runs, and prints what it shows."""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import onnx
import pytest
from opwright.bundle.write import write_bundle
from opwright.downlevel import rewrite

from tests.docs.pages import DOCS
from tests.link.conftest import make_acme, parse

PAGE = DOCS / "models.md"
MODEL = """<ir_version: 8, opset_import: ["": 20, "com.acme": 1]>
g (float[2, 3] x) => (float[2, 3] y) { y = com.acme.Twice(x) }"""
CALL = """#!/bin/sh
exec "$PYTHON" -c 'import sys; from opwright.commands import main; sys.exit(main(sys.argv[1:]))' "$@"
"""


def test_every_block_runs_and_prints_what_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, standard_file: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(rewrite, "DEFAULT_LIBRARY", str(standard_file))
    text = PAGE.read_text(encoding="utf-8")
    names: dict[str, Any] = {"__name__": "models"}
    blocks = re.findall(r"```python\n(.*?)```(\n```text\n(.*?)```)?", text, re.DOTALL)
    assert len(blocks) == 3
    for code, _, shown in blocks:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, str(PAGE), "exec"), names)
        assert printed.getvalue().rstrip() == shown.rstrip()


@pytest.mark.long
def test_every_command_runs(tmp_path: Path) -> None:
    text = PAGE.read_text(encoding="utf-8")
    (block,) = re.findall(r"```console\n(.*?)```", text, re.DOTALL)
    commands = [line.removeprefix("$ ") for line in block.splitlines()]
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "opwright").write_text(CALL)
    (tmp_path / "bin" / "opwright").chmod(0o755)
    library = make_acme()
    (tmp_path / "acme.onnxlib").write_bytes(write_bundle(library.index, library.bodies))
    (tmp_path / "models").mkdir()
    for name in ("model", "models/one", "models/two"):
        onnx.save(parse(MODEL), tmp_path / f"{name}.onnx")
    environment = {
        **os.environ,
        "PATH": os.pathsep.join([str(tmp_path / "bin"), os.environ["PATH"]]),
        "PYTHON": sys.executable,
        "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry),
    }
    printed = ""
    for command in commands:
        done = subprocess.run(["sh", "-c", command], cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        printed = done.stdout
    assert "def g(x" in printed
    assert sorted(path.name for path in (tmp_path / "ready").iterdir()) == ["model.onnx", "one.onnx", "two.onnx"]
    for path in (tmp_path / "ready").iterdir():
        assert onnx.load(path) == parse(MODEL)
