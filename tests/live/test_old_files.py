"""Functions of files that are older than the process, which are read one by one, are those of files read as a whole."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.differential.campaign import mixed_of, mutant_of, nested_of, program_of, trials_of
from tests.differential.compiling import HEADER

CHILD = Path(__file__).with_name("modules_of_folder.py")
SEED = 20
PROGRAMS = 10  # of each kind

# A range that must be unrolled because of what a helper asks, in a text of its own.
HELPERS = {
    "axis": ("return op.Softmax(z, axis=i)", "FLOAT['M', 'N']"),
    "if": ("return z + 1 if i == 0 else z * 2", "FLOAT['M', 'N']"),
    "rank": ("return z if z.rank == 1 else op.Squeeze(z, [0])", "FLOAT[...]"),
    "match": ("match i:\n        case 0:\n            return -z\n    return z", "FLOAT['M', 'N']"),
    "key": ("return op.Transpose(z, perm={0: [0, 1], 1: [1, 0]}[i])", "FLOAT['M', 'N']"),
    "text": ("return {'k0': z, 'k1': -z}[f'k{i}']", "FLOAT['M', 'N']"),
}


def made(folder: Path, age: str) -> dict[str, object]:
    command = [sys.executable, str(CHILD), str(folder), age]
    found = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert found.returncode == 0, found.stderr
    read: dict[str, object] = json.loads(found.stdout)
    return read


def test_programs_of_old_and_young_files_become_the_same(tmp_path: Path) -> None:
    for source in (program_of, mutant_of, mixed_of, trials_of, nested_of):
        for index in range(PROGRAMS):
            program = source(SEED, index)
            text = HEADER.format(opset=program.opset) + program.text
            name = f"{source.__name__}_{index}_{program.opset}.py"
            (tmp_path / name).write_text(text, encoding="utf-8")
    old = made(tmp_path, "old")
    assert len(old) == 5 * PROGRAMS
    assert sum(isinstance(item, list) and len(str(item)) > 64 for item in old.values()) > 2 * PROGRAMS
    assert old == made(tmp_path, "young")


@pytest.mark.parametrize("count", ["2", "3 if 1 else 2"], ids=["number", "known"])
def test_a_helper_may_ask_for_copies_of_its_callers_loop(tmp_path: Path, count: str) -> None:
    for name, (body, type_) in HELPERS.items():
        text = (
            f"from opwright import FLOAT, opset18 as op, script\n\n\ndef helper(z, i):\n    {body}\n\n\n"
            f"@script()\ndef F(x: {type_}):\n    for i in range({count if name != 'key' else 2}):\n"
            "        x = helper(x, i)\n    return x\n"
        )
        (tmp_path / f"{name}_18.py").write_text(text, encoding="utf-8")
    old = made(tmp_path, "old")
    assert old == made(tmp_path, "young")
    assert [name for name, item in old.items() if isinstance(item, str)] == []


def test_the_current_folder_may_be_gone(tmp_path: Path) -> None:
    (tmp_path / "one_18.py").write_text(
        "from opwright import FLOAT, opset18 as op, script\n\n\n"
        "@script()\ndef F(x: FLOAT['N']):\n    return op.Foo(x)\n",
        encoding="utf-8",
    )
    program = (
        f"import onnx, os, runpy, sys; os.mkdir({str(tmp_path / 'gone')!r}); os.chdir({str(tmp_path / 'gone')!r});"
        f"os.rmdir(os.getcwd()); sys.argv = ['', {str(tmp_path)!r}, 'old'];"
        f"runpy.run_path({str(CHILD)!r}, run_name='__main__')"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=600)
    assert found.returncode == 0, found.stderr
    assert json.loads(found.stdout) == {"one_18": [["OW201", 6]]}
