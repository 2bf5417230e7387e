"""pdb in a function under `@script`, driven by commands; docs/debugging.md shows this very session."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "debugging.md"
PROGRAM = Path(__file__).with_name("nets.py")
PROMPT = "(Pdb) "
COMMANDS = (
    "break 12",
    "continue",
    "p mean",
    "next",
    "centred",
    "centred.shape, centred.dtype",
    "op.ReduceMax(centred, [-1])",
    "clear 1",
    "continue",
    "quit",
)
BEGIN, END = "<!-- recorded by tests/debugging/test_pdb.py -->\n```text\n", "```\n"


def session() -> str:
    """What stands on the terminal: pdb's output, and behind each prompt what is typed."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "library"), "COLUMNS": "120"}
    done = subprocess.run(
        [sys.executable, "-m", "pdb", PROGRAM.name],
        input="\n".join(COMMANDS) + "\n",
        cwd=PROGRAM.parent,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert not done.stderr, done.stderr
    first, *rest = done.stdout.split(PROMPT)
    assert len(rest) >= len(COMMANDS), done.stdout
    typed = [f"{PROMPT}{command}\n{answer}" for command, answer in zip(COMMANDS, rest, strict=False)]
    return "".join([first, *typed]).replace(str(PROGRAM.parent) + os.sep, "")


def test_the_page_shows_the_session(golden: Callable[[Path, str], None]) -> None:
    found = session()
    assert "-> centred = x - mean" in found
    assert f"{PROMPT}p mean\nTensor(float[2, 1], [[2.], [2.]])\n" in found
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    shown = f"$ python -m pdb {PROGRAM.name}\n{found}".rstrip() + "\n"
    golden(PAGE, before + BEGIN + shown + END + after)
