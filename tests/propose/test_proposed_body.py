"""A body that is proposed in place of the one that is shipped: what it is made of, judged by, and told of."""

from __future__ import annotations

import io
import shutil
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from pathlib import Path

import pytest
from opwright.bundle.format import AttributeEntry, FunctionEntry
from opwright_build.cli.entry import main
from opwright_build.propose.shipped_body import interface_differences

from tests.claimed import claim_a_sandbox
from tests.propose.conftest import Propose

SPEC = Path("specs/ai.onnx/Softplus/spec.yaml")
FUNCTION = SPEC.with_name("function.py")
SOFTPLUS = """

def Simple(X):
    y = op.Log(1 + op.Exp(X))
    return op.Where(X == 0.1, 0.5 * y, y)
"""


@pytest.fixture
def library(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the built library; the current folder."""
    root = Path(shutil.copytree(built, tmp_path / "library"))
    monkeypatch.chdir(root)
    claim_a_sandbox(monkeypatch)
    return root


def opwright(*words: str) -> tuple[int, str]:
    out = io.StringIO()
    with redirect_stdout(out), redirect_stderr(io.StringIO()):
        status = main([*words])
    return status, out.getvalue()


def propose_softplus() -> tuple[int, str]:
    return opwright("propose", "ai.onnx/Softplus", "-o", "out")


def name(proposal: str, source: str = SOFTPLUS) -> None:
    """Names a body in the spec of Softplus, and writes its function."""
    SPEC.write_text(f"{SPEC.read_text()}proposal: {proposal}\n")
    FUNCTION.write_text(FUNCTION.read_text() + source)


def test_the_body_that_is_named_is_proposed_and_compared(library: Path) -> None:
    """In a file of its own, at the version's own opset, which need not be among the first of the function."""
    source = "from opwright import opset22 as op\n\n\ndef Simple(X):\n    return op.Softplus(X)\n"
    source = source.replace("op.Softplus(X)", "op.Log(op.Add(op.Exp(X), op.CastLike(1, X)))")
    SPEC.with_name("simple.py").write_text(source)
    name("simple.py:Simple", "")
    status, out = propose_softplus()
    assert status == 0, out
    assert "the body is not the library's: 4 nodes (4); largest errors bfloat16 " in out
    schema = Path("out/insert/schema.cc").read_text()
    assert "add = Add (exp, cast_like)" in schema
    rfc, checklist = Path("out/RFC.md").read_text(), Path("out/CHECKLIST.md").read_text()
    assert "The library ships another body, of 4 nodes where this one has 4." in rfc
    for text in (rfc, checklist):
        assert "| float | " in text
        assert "Vectors that this body does not pass" not in text


def test_vectors_that_it_need_not_pass_are_no_node_tests(library: Path) -> None:
    name("{function: 'function.py:Simple', inexact: {edges: It halves 0.1.}}")
    status, out = propose_softplus()
    assert status == 0, out
    assert "vectors that it need not pass, and does not: edges\n" in out
    tests = {path.name for path in Path("out/onnx/backend/test/data/node").iterdir()}
    assert "test_softplus_matrix" in tests
    assert not any("edges" in test for test in tests)
    for document in ("RFC.md", "CHECKLIST.md"):
        assert "\n- `edges`: It halves 0.1.\n" in Path("out", document).read_text()


def test_a_vector_that_it_fails_must_be_named(library: Path) -> None:
    name("function.py:Simple")
    status, out = propose_softplus()
    assert status == 1
    assert "specs/ai.onnx/Softplus/spec.yaml:13:1: error OW657: `Simple` fails the vector edges on " in out
    assert "1 error\n" in out
    checklist = Path("out/CHECKLIST.md").read_text()
    assert "- fails: edges on reference, where the library's body does not: Y differs in 1 of 4 elements" in checklist
    assert "- [ ] Fix the body that is proposed, or what the spec says of it" in checklist


@pytest.mark.parametrize("row", ["matrix", "nowhere"])
def test_a_name_that_says_nothing_is_told(row: str, library: Path) -> None:
    name(f"{{function: 'function.py:Simple', inexact: {{edges: It halves 0.1., {row}: Why not.}}}}")
    status, out = propose_softplus()
    assert status == 1
    assert f"OW657: `Simple` fails no vector of the name {row}\n" in out
    assert "1 error\n" in out


def test_a_function_that_is_not_there(library: Path) -> None:
    name("function.py:Simpel")
    status, out = propose_softplus()
    assert status == 1
    assert "OW322: specs/ai.onnx/Softplus/function.py defines no function `Simpel`" in out
    assert "its functions are: `Softplus`, `Simple`" in out
    assert "specs/ai.onnx/Softplus/spec.yaml:13:1: note: named here" in out
    assert not Path("out").exists()


def test_a_function_with_another_interface(library: Path) -> None:
    name("function.py:Simple", SOFTPLUS.replace("(X):", "(X, factor: float = 0.5):").replace("0.5 * y", "factor * y"))
    status, out = propose_softplus()
    assert status == 1
    assert (
        "spec.yaml:13:1: error OW656: `Simple` cannot be proposed as Softplus: Softplus has no attribute factor" in out
    )


def test_what_compiling_finds_is_told(library: Path) -> None:
    name("function.py:Simple", "\n\ndef Simple(X):\n    return op.Lug(X)\n")
    status, out = propose_softplus()
    assert status == 1
    assert "specs/ai.onnx/Softplus/function.py:9:" in out
    assert "Lug" in out


def test_nothing_else_knows_of_the_body(library: Path) -> None:
    (bundle,) = Path("dist").glob("*.onnxlib")
    before = bundle.read_bytes()
    name("function.py:Simple")
    assert opwright("build")[0] == 0
    assert bundle.read_bytes() == before


def test_differences_of_interfaces(propose: Propose) -> None:
    """Whatever a call, or a reader of the schema, would notice."""
    clip = propose("Clip@13").proposal.entry
    attribute = AttributeEntry("alpha", "FLOAT", False, 1.0)
    (input_, low, high) = clip.inputs

    def told(other: FunctionEntry, of: FunctionEntry = clip) -> list[str]:
        return list(interface_differences(of, other))

    assert told(clip) == []
    assert told(replace(clip, summary="Other.", inputs=(replace(input_, doc="Other."), low, high))) == []
    assert told(replace(clip, inputs=(input_, high, low))) == [
        "it has the inputs input, max, min, and Clip input, min, max"
    ]
    assert told(replace(clip, inputs=(input_, replace(low, optional=False), high))) == [
        "the input min is required there, and optional of Clip"
    ]
    assert told(replace(clip, inputs=(input_, replace(low, rank=1), high))) == [
        "the input min has another declared shape than that of Clip"
    ]
    having = replace(clip, attributes=(attribute,))
    assert told(having) == ["Clip has no attribute alpha"]
    assert told(clip, having) == ["it has no attribute alpha"]
    assert told(replace(clip, attributes=(replace(attribute, default=2.0),)), having) == [
        "the attribute alpha has another type, default or choices than that of Clip"
    ]
