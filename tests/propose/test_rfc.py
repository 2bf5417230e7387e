"""The document of a proposal: what is specified, what comes out, and what its author says."""

from __future__ import annotations

import io
import shutil
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from pathlib import Path

import pytest
from opwright_build.cli.entry import main
from opwright_build.propose.assemble import assemble
from opwright_build.propose.differentiation import Differentiation, differentiation
from opwright_build.propose.node_cases import choose_cases
from opwright_build.propose.rfc import Background
from opwright_build.spec.model import Tolerance
from opwright_build.verify.case_model import Expected, Status, ToleranceJudge
from opwright_build.verify.items import parts_of
from opwright_build.verify.run.runtimes import available

from tests.claimed import claim_a_sandbox
from tests.propose.conftest import Propose

GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.parametrize("name", ["Clip@13", "Twice@1"])
def test_the_document(name: str, propose: Propose, golden: Callable[[Path, str], None]) -> None:
    text = propose(name).package().files["RFC.md"].decode()
    golden(GOLDEN / f"{name.partition('@')[0]}.rfc.md", text)


def test_what_the_author_says_stands_in_it(propose: Propose) -> None:
    made = propose("Twice@1")
    background = Background("Twice is in every *model*.\n", ("test_twice_old",))
    package = assemble(made.proposal, made.cases, made.reference, available(["reference"]), 0, background)
    text = package.files["RFC.md"].decode()
    assert "\nTwice is in every *model*.\n" in text
    assert "To be written" not in text
    assert "They stay as they are: `test_twice_old`." in text


def test_the_command_finds_the_authors_words_and_the_standards_tests(
    built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = Path(shutil.copytree(built, tmp_path / "library"))
    monkeypatch.chdir(root)
    claim_a_sandbox(monkeypatch)
    Path("specs/ai.onnx/Softplus/proposal.md").write_text("Because of the large models.\n")
    out = io.StringIO()
    with redirect_stdout(out), redirect_stderr(out):
        assert main(["propose", "Softplus", "-o", "out"]) == 0, out.getvalue()
    text = Path("out/RFC.md").read_text()
    assert "Because of the large models." in text
    assert "`test_softplus`, `test_softplus_example`" in text
    assert "Say why" not in Path("out/CHECKLIST.md").read_text()


def test_names_of_tests_that_exist_are_theirs(propose: Propose) -> None:
    made = propose("Softplus@22")
    (first, *rest) = [case.name for case in made.chosen.cases]
    again = [case.name for case in choose_cases(made.proposal, made.cases, [first]).cases]
    assert again == [f"{first}_2", *rest]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("Softplus@22", {"X": "YES", "-> Y": "YES"}),
        ("Gelu@20", {"X": "YES", "-> Y": "YES"}),
        ("Clip@13", {"input": "YES", "min": "YES", "max": "YES", "-> output": "YES"}),
    ],
)
def test_what_can_be_differentiated_follows_from_the_body(name: str, told: dict[str, str], propose: Propose) -> None:
    found = differentiation(propose(name).proposal)
    assert {key: item.name for key, item in found.items()} == told


def test_a_vector_that_only_the_specs_tolerance_passes_is_no_node_test(propose: Propose) -> None:
    """The standard judges every test by one rule: no test of it can be as coarse as the spec."""
    made = propose("Twice@1")
    case = next(case for case in made.cases if case.expected and case.name.startswith("biased"))
    parts = [part for answer in case.expected or () for part in parts_of(answer)]
    near = tuple(Expected((part.array * 1.01).astype(part.array.dtype)) for part in parts)
    coarse = replace(
        case, expected=near, judge=ToleranceJudge({"float": Tolerance(0, 0.1), "double": Tolerance(0, 0.1)})
    )
    others = [item for item in made.cases if not item.name.startswith("biased")]
    package = assemble(made.proposal, [*others, coarse], made.reference, available(["reference"]), 0)
    assert [item for item in package.checked if item.status is Status.FAIL] == []
    assert not [path for path in package.files if "biased" in path]
    assert "are no tests: test_com_acme_twice_biased." in package.files["CHECKLIST.md"].decode()


def test_what_no_schema_tells_is_unknown(propose: Propose) -> None:
    for name in ("Range@11", "SquareFlip@22"):
        found = differentiation(propose(name).proposal)
        assert set(found.values()) <= set(Differentiation)
        text = propose(name).package().files
        schema = next(data.decode() for path, data in text.items() if path.endswith("schema.cc"))
        assert all(f"OpSchema::{item.value}" in schema for item in found.values())
