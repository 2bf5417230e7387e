"""Trials leave nothing behind: a loop that is tried as a `Loop` first decides nothing about the copies that follow."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import permutations

import pytest
from conftest_lang import Compiler
from opwright.lang import ir
from opwright.lang.lower.paths import speculate as trials
from opwright.lang.lower.paths.checkpoints import RecordedEnvironment
from opwright.lang.lower.state.context import Lowering
from opwright.lang.meaning.operands import Environment
from opwright.lang.trail import Trail

from tests.trials import watch

ANY = {"T": ["float", "int64"], "U": ["float", "int64"]}

# Bodies of a loop that must be unrolled, since a value changes its type; all orders of their lines mean the same.
BODIES = {
    "swap": ("x, y = y, x", "z = op.Cast(z, to=11)"),
    "equal": ("w = x + x", "v = y * y", "z = op.Cast(z, to=11)"),
    "narrow": ("w = op.Sin(op.Cast(x, to=1))", "v = y % y", "z = op.Cast(z, to=11)"),
}
INPUTS = {"x": "T", "y": "U", "z": "float/1"}


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trials, "watch", watch)


@pytest.mark.parametrize("body", BODIES)
def test_the_order_of_independent_lines_decides_nothing(compiler: Compiler, checked: None, body: str) -> None:
    found = set()
    for lines in permutations(BODIES[body]):
        text = "\n".join(
            ["def F(x, y, z):", "    for i in range(2):", *(f"        {line}" for line in lines), "    return x, y, z"]
        )
        family = compiler.family(text, INPUTS, {"a": "T", "b": "U", "c": "double/1"}, ANY)
        assert not family.diagnostics
        found.add(tuple((variant.key, operators(variant.lowered.function)) for variant in family.variants))
    assert len(found) == 1


def operators(function: ir.Function | None) -> tuple[str, ...]:
    assert function is not None
    nodes = [node for _, node in ir.walk(function.body)]
    return tuple(
        sorted(item.callee.identity[1] if isinstance(item, ir.Call) else type(item).__name__ for item in nodes)
    )


def _unrolled(compiler: Compiler) -> list[str]:
    body = "        x, y = y, x\n        z = op.Cast(z, to=11)\n"
    text = f"def F(x, y, z):\n    for i in range(2):\n{body}    return x, y, z"
    return compiler.codes(text, INPUTS, {"a": "T", "b": "U", "c": "double/1"}, ANY)


PLANTED: dict[str, Callable[[Lowering], object]] = {
    "a constant": lambda low: low.prologue.values.update(
        {("planted", len(low.prologue.values)): ir.Value(ir.UnknownType())}
    ),
    "a field of its own": lambda low: low.__dict__.update(planted=low.__dict__.get("planted", 0) + 1),
    "a narrowed type": lambda low: [
        setattr(variable, "_mask", variable.mask & (variable.mask - 1))
        for variable in low.function.variables.values()
        if isinstance(variable, ir.TypeVariable)
    ],
    "a node": lambda low: low.region.nodes.append(_node(low)),
    "a list": lambda low: low.lists._sources.update({len(low.lists._sources): frozenset()}),
}


def _node(low: Lowering) -> ir.Node:
    condition = ir.Value(ir.UnknownType())
    return ir.If(low.operator("If", None), condition, ir.Region(), ir.Region(), [], None)


@pytest.mark.parametrize("planted", PLANTED)
def test_a_change_that_goes_around_the_trail_is_noticed(
    compiler: Compiler, monkeypatch: pytest.MonkeyPatch, planted: str
) -> None:
    def plant(low: Lowering, env: Environment | None) -> Callable[[], None]:
        compare = watch(low, env)
        PLANTED[planted](low)
        return compare

    assert _unrolled(compiler) == []
    monkeypatch.setattr(trials, "watch", plant)
    with pytest.raises(AssertionError, match="a trial was rolled back, and a change of it stayed"):
        _unrolled(compiler)


@pytest.mark.parametrize("seed", range(20))
def test_an_environment_goes_back_to_each_mark(seed: int) -> None:
    draw = random.Random(seed)
    trail = Trail()
    trail.begin()
    env = RecordedEnvironment(trail)
    marks = [(trail.mark, dict(env))]
    for step in range(400):
        name = draw.choice("abcd")
        match draw.choice(("bind", "bind", "bind", "delete", "update", "mark", "back")):
            case "bind":
                env[name] = step
            case "delete":
                env.pop(name, None)
            case "update":
                env.update({name: step})
            case "mark":
                marks.append((trail.mark, dict(env)))
            case "back":
                del marks[draw.randrange(len(marks)) + 1 :]
                mark, before = marks[-1]
                trail.back_to(mark)
                assert env == before
