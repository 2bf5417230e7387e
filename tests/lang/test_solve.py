"""Questions: lowering goes on at the statement that an answer is about, and gives what it gives from the first line."""

from __future__ import annotations

import ast
import gc
import weakref
from textwrap import dedent

import pytest
from opwright.lang import ir
from opwright.lang.families.family import Family, build_family
from opwright.lang.families.solve import Solver, lower_function
from opwright.lang.ir_print import print_function
from opwright.lang.looked_up import LookedUp
from opwright.lang.lower import rules
from opwright.lang.lower.function import Lowered
from opwright.lang.lower.state.context import Lowering
from opwright.lang.lower.state.poison import Question
from opwright.lang.meaning.function_unit import Target
from opwright.lang.meaning.operands import Environment

from tests.lang.conftest_lang import Compiler

FORKS = {
    "presence": (
        """
        def F(x, bias=None):
            y = op.Relu(x)
            y = op.Neg(y)
            if bias is not None:
                y = op.Add(y, bias)
            return op.Abs(y)
        """,
        {"x": "T", "bias": "T"},
        {"r": "T"},
    ),
    "rank": (
        """
        def F(x, y):
            z = op.Relu(y)
            if x.rank == 2:
                x = op.Transpose(x)
            elif x.rank == 1:
                z = op.Neg(z)
            return x, z
        """,
        {"x": "float", "y": "float"},
        {"r": "float", "s": "float"},
    ),
    "attribute": (
        """
        def F(x, *, mode: Literal["a", "b"] = "a", side: Literal[1, 2] = 1):
            y = op.Neg(x)
            if mode == "a":
                y = op.Relu(y)
            if side == 1:
                y = op.Abs(y)
            return y
        """,
        {"x": "float"},
        {"r": "float"},
    ),
    "element type": (
        """
        def F(x, y):
            z = op.Neg(y)
            if x.dtype == FLOAT:
                return x + 1, z
            return x, z
        """,
        {"x": "T", "y": "float"},
        {"r": "T", "s": "float"},
    ),
    "a loop that a later statement has unrolled": (
        """
        def F(x, *, mode: Literal["a", "b"]):
            for i in range(2):
                last = op.Neg(x)
            y = op.Abs(x)
            if mode == "a":
                y = last
            return y
        """,
        {"x": "float"},
        {"r": "float"},
    ),
    "a question before a loop that has been reached once": (
        """
        def F(x, bias=None):
            k = 1
            t = 0
            ys = []
            for i in range(4):
                k = k + 1
            for i in range(4):
                if k > 2:
                    break
                if bias is not None:
                    x = x + bias
                ys.append(x)
                for j in range(2):
                    t = t + i
            return op.Concat(x, *ys, axis=0), t
        """,
        {"x": "float", "bias": "float"},
        {"r": "float", "t": "int64"},
    ),
    "an earlier input of the type": (
        """
        def F(y, x=None, bias=None):
            z = y * 2
            if bias is not None:
                z = z + bias
            if x is not None:
                z = z * x
            return z
        """,
        {"y": "T", "x": "T", "bias": "T"},
        {"r": "T"},
    ),
}


@pytest.fixture
def lowered(monkeypatch: pytest.MonkeyPatch) -> list[ast.stmt]:
    """The plain assignments that are lowered."""
    seen: list[ast.stmt] = []
    rule = rules.STATEMENTS[ast.Assign]

    def handle(low: Lowering, statement: ast.Assign, env: Environment) -> None:
        seen.append(statement)
        rule(low, statement, env)

    monkeypatch.setitem(rules.STATEMENTS, ast.Assign, handle)
    return seen


def _text(function: ir.Function | None) -> str:
    assert function is not None
    return print_function(function)


@pytest.mark.parametrize("name", FORKS)
def test_each_variant_is_what_it_is_when_its_facts_are_known_from_the_start(compiler: Compiler, name: str) -> None:
    text, inputs, outputs = FORKS[name]
    unit = compiler.unit(dedent(text), inputs, outputs, {"T": ("float", "double", "float16")})
    target, seen = Target(18, {}), list[dict[str, str]]()
    solver = Solver(unit, target, LookedUp())
    while solver.pending:
        found = solver.next()
        if isinstance(found, Question):
            solver.split(found, found.values)
            continue
        alone = lower_function(unit, Target(18, solver.facts))
        assert isinstance(alone, Lowered)
        assert alone.diagnostics == found.diagnostics
        assert _text(alone.function) == _text(found.function)
        assert solver.facts not in seen, "each case is lowered once"
        seen.append(solver.facts)
    assert len(seen) > 1


def test_what_stands_before_the_question_is_lowered_once(compiler: Compiler, lowered: list[ast.stmt]) -> None:
    text = """
        def F(x, bias=None):
            a = op.Relu(x)
            b = op.Neg(a)
            if bias is not None:
                b = op.Add(b, bias)
            c = op.Abs(b)
            return c
    """
    family: Family = compiler.family(dedent(text), {"x": "float", "bias": "float"}, {"r": "float"})
    assert len(family.variants) == 2
    assert [statement.lineno for statement in lowered].count(lowered[0].lineno) == 1
    assert len(lowered) == 2 + 1 + 2


def test_a_function_without_questions_is_lowered_once(compiler: Compiler, lowered: list[ast.stmt]) -> None:
    lines = "\n".join(f"    x = op.Neg(x) + {index}" for index in range(50))
    compiler.family(f"def F(x):\n{lines}\n    return x\n", {"x": "float"}, {"r": "float"})
    assert len(lowered) == 50


@pytest.mark.parametrize("kind", FORKS)
def test_nothing_keeps_the_tree_of_a_function_that_is_gone(compiler: Compiler, kind: str) -> None:
    text, inputs, outputs = FORKS[kind]
    unit = compiler.unit(dedent(text), inputs, outputs, {"T": ("float", "double", "float16")})
    statements = [weakref.ref(statement) for statement in unit.node.body]
    assert len(build_family(unit, 18).variants) > 1
    del unit
    gc.collect()
    assert not any(statement() for statement in statements)
