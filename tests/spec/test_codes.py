from __future__ import annotations

import re
from pathlib import Path

from tests.diagnostics.examples import operators
from tests.diagnostics.examples.spec import PAIRS

ROOMS = Path(__file__).parents[2] / "buildtool" / "opwright_build"
SOURCES = [*(ROOMS / "spec").rglob("*.py"), *(ROOMS / "dependencies").rglob("*.py")]
SOURCES.append(ROOMS / "compile" / "operator_bindings.py")


def test_every_code_that_is_used_has_its_examples_and_every_example_is_used() -> None:
    used = {code for path in SOURCES for code in re.findall(r'"(OW1\d{2})"', path.read_text("utf-8"))}
    assert used == {pair.code for pair in (*PAIRS, *operators.PAIRS)}


def test_examples_stand_in_order_without_gaps() -> None:
    assert [pair.code for pair in PAIRS] == [f"OW{101 + number}" for number in range(len(PAIRS))]
