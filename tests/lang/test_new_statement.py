"""What it takes to add a statement to the language: its form, its rule, and the line that registers the rule's module.

`with_statement.patch` adds `with nullcontext(value) as name:`, which binds names, reads expressions and contains a
block, as `match` does. Where the sources around it have moved, apply what is left by hand and write the patch anew:
`git add -AN library; git diff -U1 -- library`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.own_specs import ROOT

PATCH = Path(__file__).with_name("with_statement.patch")
MOST_FILES = 3

PROGRAM = """
import numpy as np
import opwright
from contextlib import nullcontext
from onnx.reference import ReferenceEvaluator
from opwright import FLOAT, opset18 as op, script

def doubled(x):
    with nullcontext(x) as inner:
        return inner * 2.0

@script()
def scaled(x: FLOAT["N"]) -> FLOAT["N"]:
    total = x
    for i in range(10):
        with nullcontext(doubled(total)) as twice, nullcontext():
            total = twice + x
            if op.ReduceSum(total, keepdims=0) > 100.0:
                break
    with nullcontext((x, 3.0)) as (a, b):
        return total + a * b

print(opwright.__file__)
x = np.array([1.0, 2.0], np.float32)
print(ReferenceEvaluator(scaled.to_model_proto()).run(None, {"x": x})[0].tolist())
"""
RESULT = "[66.0, 132.0]"  # what Python makes of it with numpy's arrays


def run(folder: Path) -> subprocess.CompletedProcess[str]:
    """The program with the package below that folder."""
    (folder / "program.py").write_text(PROGRAM, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(folder / "library")}
    command = [sys.executable, "program.py"]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("copy")
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "library" / "opwright", folder / "library" / "opwright", ignore=ignored)
    return folder


@pytest.mark.long
def test_a_statement_is_added_in_three_files(copied: Path) -> None:
    before = run(copied)
    assert before.returncode == 1
    assert "error OW303: `with` is not part of the language" in before.stderr

    files = [line for line in PATCH.read_text(encoding="utf-8").splitlines() if line.startswith("+++ ")]
    assert all(line.startswith("+++ b/library/opwright/") for line in files)
    assert len(files) <= MOST_FILES
    applied = subprocess.run(["git", "apply", str(PATCH)], cwd=copied, capture_output=True, text=True)
    assert applied.returncode == 0, f"{applied.stderr}\nThe sources have moved on: {__doc__}"

    after = run(copied)
    assert after.stderr == ""
    assert after.stdout.splitlines() == [str(copied / "library" / "opwright" / "__init__.py"), RESULT]
