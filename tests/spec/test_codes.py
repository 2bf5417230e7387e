from __future__ import annotations

import re
from pathlib import Path

from tests.diagnostics.examples.spec import PAIRS

SOURCES = Path(__file__).parents[2] / "buildtool" / "opwright_build" / "spec"


def test_every_code_that_is_used_has_its_examples_and_every_example_is_used() -> None:
    used = {code for path in SOURCES.rglob("*.py") for code in re.findall(r'"(OW\d{3})"', path.read_text("utf-8"))}
    assert used == {pair.code for pair in PAIRS}


def test_examples_stand_in_order_without_gaps() -> None:
    assert [pair.code for pair in PAIRS] == [f"OW{101 + number}" for number in range(len(PAIRS))]
