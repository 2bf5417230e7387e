"""Static questions about ranks: which variants they make, and what each computes."""

from __future__ import annotations

import numpy as np
import pytest
from conftest_lang import Compiler, run_everywhere
from opwright.lang.emit import emit_function
from opwright.lang.families.family import Family
from opwright.lang.infer.result_ranks import infer_rank
from opwright.lang.ir_verify import verify
from opwright.opsets.records import record_of

HEADER = "from typing import Literal\n"


def family(compiler: Compiler, *lines: str, inputs: dict[str, str] | None = None, parameters: str = "x") -> Family:
    text = f"def F({parameters}):\n" + "".join(f"    {line}\n" for line in lines)
    return compiler.family(text, inputs or {"x": "float"}, {"y": "float"})


def ranks(found: Family) -> list[str]:
    assert not found.diagnostics, found.diagnostics
    return [dict(variant.key).get("x.rank", "") for variant in found.variants]


def run(found: Family, rank: str, x: np.ndarray) -> np.ndarray:
    (variant,) = [item for item in found.variants if dict(item.key)["x.rank"] == rank]
    assert variant.lowered.function is not None
    results = [got for (got,) in run_everywhere(variant.lowered.function, {"x": x}).values()]
    for got in results:
        np.testing.assert_array_equal(got, results[0])
    return results[0]


@pytest.mark.parametrize(
    ("question", "expected", "true_for"),
    [
        ("x.rank == 3", ["3", "other"], [3]),
        ("3 == x.rank", ["3", "other"], [3]),
        ("x.rank != 3", ["3", "other"], [0, 1, 2, 4]),
        ("x.rank == True", ["1", "other"], [1]),
        ("x.rank != False", ["0", "other"], [1, 2, 3, 4]),
        ("x.rank in (True, 2)", ["1", "2", "other"], [1, 2]),
        ("x.rank > True", ["0", "1", "other"], [2, 3, 4]),
        ("len(x.shape) == 3", ["3", "other"], [3]),
        ("x.rank >= 2", ["0", "1", "other"], [2, 3, 4]),
        ("2 > x.rank", ["0", "1", "other"], [0, 1]),
        ("x.rank <= 1", ["0", "1", "other"], [0, 1]),
        ("x.rank > 1", ["0", "1", "other"], [2, 3, 4]),
        ("x.rank in (3, 4)", ["3", "4", "other"], [3, 4]),
        ("x.rank not in [3, 4]", ["3", "4", "other"], [0, 1, 2]),
        ("x.rank in range(2)", ["0", "1", "other"], [0, 1]),
        ("1 <= x.rank < 3", ["0", "1", "2", "other"], [1, 2]),
        ("x.rank == 2 or x.rank == 4", ["2", "4", "other"], [2, 4]),
        ("x.rank", ["0", "other"], [1, 2, 3, 4]),
        ("not x.rank", ["0", "other"], [0]),
        ("op.Relu(x * 2 + 1).rank == 3", ["3", "other"], [3]),
    ],
)
def test_predicates(compiler: Compiler, question: str, expected: list[str], true_for: list[int]) -> None:
    found = family(compiler, f"if {question}:", "    return x + 1", "return x - 1")
    assert ranks(found) == expected
    for rank in range(5):
        x = np.zeros((1,) * rank, np.float32)
        name = str(rank) if str(rank) in expected else "other"
        assert run(found, name, x).item() == (1 if rank in true_for else -1), rank


@pytest.mark.parametrize(
    "lines",
    [
        ["if op.ReduceSum(x, keepdims=0) > 1:", "    x = op.Relu(x)", "y = x * 2"],
        ["y = op.Relu(x) if op.ReduceSum(x, keepdims=0) > 1 else x - 1"],
        ["for i in range(op.Size(x)):", "    x = x + i", "y = op.Neg(x)"],
        ["for i in range(3):", "    if op.ReduceSum(x, keepdims=0) > 1:", "        x = x + i", "y = x"],
        ["while op.ReduceSum(x, keepdims=0) < 1:", "    x = x + 1", "y = x"],
    ],
)
def test_ranks_are_followed_through_branches_and_loops(compiler: Compiler, lines: list[str]) -> None:
    found = family(compiler, *lines, "return y + 100 if y.rank == 3 else y - 100")
    assert ranks(found) == ["3", "other"]
    for name, x in (("3", np.ones((1, 1, 1), np.float32)), ("other", np.ones((1, 1), np.float32))):
        assert (run(found, name, x).item() > 0) == (name == "3")


@pytest.mark.parametrize(
    "lines",
    [
        ["if op.ReduceSum(x, keepdims=0) > 1:", "    x = op.Unsqueeze(x, [0])"],
        ["for i in range(op.Size(x)):", "    x = op.Unsqueeze(x, [0])"],
        ["for i in range(op.Size(x)):", "    x, w = w, x"],
    ],
)
def test_ranks_that_paths_change_are_unknown(compiler: Compiler, lines: list[str]) -> None:
    text = "def F(x, w):\n" + "".join(f"    {line}\n" for line in [*lines, "return x if x.rank == 3 else -x"])
    assert compiler.codes(text, {"x": "float", "w": "float"}, {"y": "float"}) == ["OW360"]


def test_each_value_is_followed_once(compiler: Compiler) -> None:
    """Both sides of each of 600 branches lead back to the branch before."""
    lines = [f"if op.ReduceSum(x, keepdims=0) > {number}:\n        x = -x" for number in range(600)]
    assert ranks(family(compiler, *lines, "return x if x.rank > 2 else -x")) == ["0", "1", "2", "other"]


def test_a_name_holds_the_rank(compiler: Compiler) -> None:
    found = family(compiler, "r = x.rank", "if r == 2:", "    return x", "return op.Neg(x) if r < 1 else x")
    assert ranks(found) == ["0", "2", "other"]


def test_a_later_question_refines_the_others(compiler: Compiler) -> None:
    found = family(
        compiler, "if x.rank == 3:", "    return x + 3", "if x.rank < 2:", "    return x + x.rank", "return x - 1"
    )
    assert ranks(found) == ["0", "1", "3", "other"]
    assert run(found, "1", np.zeros(1, np.float32)).item() == 1


def test_a_variant_may_rely_on_its_rank(compiler: Compiler) -> None:
    found = family(
        compiler, "if x.rank == 3:", "    return op.Transpose(x, perm=[i for i in range(x.rank)][::-1])", "return x"
    )
    x = np.arange(6, dtype=np.float32).reshape(1, 2, 3)
    np.testing.assert_array_equal(run(found, "3", x), x.T)


def test_a_declared_rank_is_no_question(compiler: Compiler) -> None:
    found = family(compiler, "return op.Softmax(x, axis=x.rank - 1)", inputs={"x": "float/3"})
    assert ranks(found) == [""]


def test_a_rank_as_a_value_makes_a_template(compiler: Compiler) -> None:
    for lines in (
        ["return op.Softmax(x, axis=x.rank - 1)"],
        ["return x * x.rank"],
        ["for i in range(x.rank):", "    x = op.Softmax(x, axis=i)", "return x"],
        ["return op.Reshape(x, [1] * x.rank)"],
        ["return op.Neg(x) if x.rank == op.Size(x) else x"],
    ):
        found = family(compiler, *lines)
        assert [item.code for item in found.diagnostics] == ["OW361"], lines
        assert found.open_axes == ("x.rank",)


@pytest.mark.parametrize(
    ("lines", "code"),
    [
        (["y = op.Reshape(x, op.Shape(x)[1:])", "return x if y.rank == 2 else y"], "OW360"),
        (["y = 3", "return x if y.rank == 2 else x"], "OW304"),
        (["assert x.rank == 1 and x.rank == 2", "return x"], "OW363"),
    ],
)
def test_refusals(compiler: Compiler, lines: list[str], code: str) -> None:
    assert [item.code for item in family(compiler, *lines).diagnostics] == [code]


def test_an_assert_prunes_ranks(compiler: Compiler) -> None:
    found = family(compiler, "assert x.rank in (2, 3)", "return op.Softmax(x, axis=1) if x.rank == 2 else x")
    assert ranks(found) == ["2", "3"]
    found = family(compiler, "assert x.rank != 3", "return x")
    assert ranks(found) == ["not:3"]


@pytest.mark.parametrize(
    ("expression", "rank"),
    [
        ("op.Transpose(x)", 3),
        ("x + w", 3),
        ("op.MatMul(x, w)", 3),
        ("op.MatMul(w, w)", 2),
        ("op.Unsqueeze(x, [0, 1])", 5),
        ("op.Squeeze(x, [0])", 2),
        ("op.Reshape(x, [3, -1])", 2),
        ("op.Reshape(x, op.Constant(value_ints=[-1]))", 1),
        ("op.Expand(w, [1, 2, 3, 3])", 4),
        ("op.ReduceSum(x, [0], keepdims=0)", 2),
        ("op.ReduceSum(x, keepdims=0)", 0),
        ("op.ReduceMax(x, axes=[0], keepdims=1)", 3),
        ("op.ArgMax(x, axis=0, keepdims=0)", 2),
        ("op.Gather(x, [0, 0])", 3),
        ("op.Gather(x, 0)", 2),
        ("op.Concat(x, x, axis=0)", 3),
        ("op.Shape(x)", 1),
        ("op.Size(x)", 0),
        ("op.Slice(x, [0], [1])", 3),
        ("op.Cast(x, to=INT64)", 3),
        ("op.Flatten(x)", 2),
        ("op.NonZero(x)", 2),
        ("op.Where(x > 0, x, w)", 3),
        ("op.Einsum(x, w, equation='abc,cd->ad')", 2),
        ("op.ConstantOfShape([2, 3, 4, 5])", 4),
        ("op.OneHot(op.ArgMax(x), 3, [0.0, 1.0])", 4),
        ("op.Split(x, num_outputs=1)[0]", 3),
        ("op.Range(0, 3, 1)", 1),
        ("x[0]", 2),
        ("x[:, None]", 4),
    ],
)
def test_inferred_ranks_are_those_of_the_runtimes(compiler: Compiler, expression: str, rank: int) -> None:
    """The body computes the rank itself; were the inference wrong it would be refused."""
    text = f"def F(x, w):\n    y = {expression}\n    assert y.rank == {rank}\n    return op.Size(op.Shape(y))\n"
    function = compiler.function(text, {"x": "float/3", "w": "float/2"}, {"y": "int64"})
    arrays = {"x": np.ones((1, 3, 3), np.float32), "w": np.ones((3, 3), np.float32)}
    for (got,) in run_everywhere(function, arrays).values():
        assert got.item() == rank


def test_ranks_that_are_not_certain_are_not_inferred() -> None:
    assert infer_rank(record_of("", "Reshape"), 0, [None, None], {}) is None
    assert infer_rank(record_of("", "TopK"), 1, [None, None], {}) is None
    assert infer_rank(record_of("", "Unheard"), 0, [], {}) is None


def test_a_rank_that_only_follows_from_a_comparison_may_be_impossible(compiler: Compiler) -> None:
    found = family(compiler, "if x.rank > 2:", "    x = op.Flatten(x)", "return x[0]")
    assert ranks(found) == ["1", "2", "not:0|1|2"]
    found = family(compiler, "if x.rank >= 2:", "    x = x @ x", "return x @ x")
    assert ranks(found) == ["1", "not:0|1"]
    # A rank that is named must be possible.
    assert [item.code for item in family(compiler, "return x[0] if x.rank == 0 else x").diagnostics] != []
    assert [item.code for item in family(compiler, "return x[0] if x.rank < 1 else op.Nope(x)").diagnostics] != []


def test_a_number_that_takes_the_type_of_an_input_sees_it_as_its_rank_is_asked(compiler: Compiler) -> None:
    """The question comes after the number, which looked at the input, and no line before it names the input."""
    text = "def F(y, z):\n    n = 2 * z\n    if y.rank:\n        n = n + 1\n    return n"
    family = compiler.family(text, {"y": "T", "z": "T/2"}, {"result": "T"}, {"T": ("int32", "int64")})
    assert not family.diagnostics
    assert len(family.variants) == 2
    for variant in family.variants:
        assert variant.lowered.function is not None
        verify(variant.lowered.function)
        emit_function(variant.lowered.function, "test.domain")
