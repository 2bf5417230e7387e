"""What an author sees of typical mistakes: the cause, once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Opwright = Callable[..., Any]
SWISH = Path("specs/com.acme/Swish")


def change(file: str, before: str, after: str) -> None:
    path = SWISH / file
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after))


def found(opwright: Opwright, *words: str) -> list[str]:
    return [line["finding"]["code"] for line in opwright(*words, "--json").lines if line["event"] == "finding"]


def test_a_wrong_expectation_is_told_once(library: Path, opwright: Opwright) -> None:
    text = "schema: 1\nrows:\n  - {name: wrong, inputs: {X: [0.0]}, outputs: {Y: [1.0]}}\n"
    (SWISH / "vectors.yaml").write_text(text)
    assert found(opwright, "test") == ["OW450"]


def test_a_reference_that_cannot_be_called_is_told_once(library: Path, opwright: Opwright) -> None:
    change("reference.py", "def Swish(X, alpha", "def Swish(X, beta")
    change("reference.py", "(-alpha", "(-beta")
    with (SWISH / "vectors.yaml").open("a") as file:
        file.writelines(
            f"  - {{name: more{number}, inputs: {{X: [{number}.0]}}, attributes: {{alpha: 2.0}}}}\n"
            for number in range(8)
        )
    (finding,) = (line["finding"] for line in opwright("test", "--json").lines if line["event"] == "finding")
    assert finding["code"] == "OW418"
    assert finding["help"] == "it is called as `Swish(X, alpha=...)`"
    assert "and " in finding["message"]


def test_an_attribute_that_nothing_reads_is_a_warning(library: Path, opwright: Opwright) -> None:
    change("function.py", "alpha: float = 1.0", "alpha: float = 1.0, beta: int = 2")
    ran = opwright("lint", "--json")
    (finding,) = (line["finding"] for line in ran.lines if line["event"] == "finding")
    assert (ran.status, finding["code"], finding["severity"]) == (0, "OW155", "warning")
    assert finding["message"] == "the attribute `beta` is not used"


def test_causes_come_first(library: Path, opwright: Opwright) -> None:
    """What is wrong with a spec stands before what is wrong with its vectors, whatever the files are called."""
    change("spec.yaml", "reference: reference.py", "reference: a.py")
    (SWISH / "reference.py").rename(SWISH / "a.py")
    change("a.py", "def Swish(X, alpha", "def Swish(X, beta")
    change("a.py", "(-alpha", "(-beta")
    change("function.py", "alpha: float = 1.0", "alpha: float = 1.0, beta: int = 2")
    assert found(opwright, "test") == ["OW155", "OW418"]


# What is written, as (file, before, after), the advice of the finding, and what comes of following it. The chain ends
# with no finding at all.
CHAINS = [
    (("spec.yaml", 'opset: ">=18"', "opset: 18"), 'Write `">=18"`', 'opset: ">=18"'),
    (("spec.yaml", 'opset: ">=18"', "opset: 18"), '`"==18"`', 'opset: "==18"'),
    (("spec.yaml", 'opset: ">=18"', 'opset: "18+"'), 'Write `">=18"`', 'opset: ">=18"'),
    (("spec.yaml", 'opset: ">=18"', 'opset: "18-20"'), 'Write `">=18,<=20"`', 'opset: ">=18,<=20"'),
    (("spec.yaml", "[float, double]", "[float32, double]"), "`float`", "[float, double]"),
    (("spec.yaml", "[float, double]", "[float, float64]"), "`double`", "[float, double]"),
    (("spec.yaml", "[float, double]", "[half, float]"), "`float16`", "[float16, float]"),
    (("spec.yaml", "outputs:", "output:"), "`outputs`", "outputs:"),
]


@pytest.mark.parametrize(("mistake", "advice", "followed"), CHAINS, ids=[item[0][2] for item in CHAINS])
def test_advice_that_is_followed_ends_the_matter(
    library: Path, opwright: Opwright, mistake: tuple[str, str, str], advice: str, followed: str
) -> None:
    change(*mistake)
    (finding,) = (line["finding"] for line in opwright("lint", "--json").lines if line["event"] == "finding")
    assert advice in finding["help"]
    change(mistake[0], mistake[2], followed)
    assert found(opwright, "lint") == []


def test_an_import_that_cannot_be_made_one_is_not_sent_to_the_dependencies(library: Path, opwright: Opwright) -> None:
    change("function.py", "from opwright", "import os\nimport scipy\nfrom opwright")
    change("function.py", "return ", "return os.sep * scipy.pi * ")
    findings = [line["finding"] for line in opwright("lint", "--json").lines if line["event"] == "finding"]
    told = {item["message"]: item["help"] for item in findings}
    assert "dependencies" not in told["`os` cannot be imported here"]
    assert "only where it is a library that `opwright build` wrote" in told["`scipy` cannot be imported here"]
