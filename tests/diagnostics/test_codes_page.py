from opwright.diagnostics.registry import Code

from tests.diagnostics.codes_page import codes_page, shortened
from tests.diagnostics.examples import Example, Pair

CODE = Code("OW201", "No such operator", "A runtime would refuse it.")
PAIR = Pair(
    "OW201",
    bad=Example("build", {"a/f.py": "x = '```'\n", "gone.yaml": ""}),
    good=Example("build"),
)


def test_a_code_has_its_examples_and_its_output() -> None:
    page = codes_page([CODE], {"OW201": PAIR}, {"OW201": "a/f.py:1:1: error OW201: no\n"})
    assert "## Operators, opsets and types\n\n### OW201\n\n**No such operator.** A runtime would refuse it.\n" in page
    assert "`a/f.py`:\n\n````python\nx = '```'\n````\n" in page
    assert "`gone.yaml`: deleted\n" in page
    assert "It prints\n\n```text\na/f.py:1:1: error OW201: no\n```\n" in page
    assert "Right, with `opwright build`.\n" in page


def test_what_is_too_long_is_shortened() -> None:
    assert shortened("short\ntext\n") == "short\ntext"
    assert shortened("x" * 1000) == f"{'x' * 150} ... (1000 characters)"
    assert shortened("x\n" * 1000).splitlines()[-1] == "... (1000 lines)"
