"""How much work the compiler does, counted: the numbers are the same on every machine."""

from __future__ import annotations

import ast
import types
from dataclasses import replace
from pathlib import Path

import pytest
from opwright import OnnxFunction
from opwright.lang.families.family import build_family
from opwright.lang.families.solve import Solver
from opwright.lang.lower import rules
from opwright.lang.lower.function import Attempt
from opwright.lang.lower.state.context import Lowering
from opwright.lang.meaning.operands import Environment
from opwright.lang.meaning.resolve import NoLibraries
from opwright_build.compile.files import SpecFiles
from opwright_build.compile.unit import make_unit

from benchmarks.programs import PROGRAMS
from tests.own_specs import ROOT, SLOW, load_standard

FIRST_LINES = 1.05  # attempts that begin at the first line, for each family


def test_a_family_begins_at_the_first_line_once(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = {"families": 0, "cases": 0, "attempts": 0}
    run, lower = Attempt.run, Solver.next

    def running(attempt: Attempt) -> object:
        counts["attempts"] += 1
        return run(attempt)

    def lowering(solver: Solver) -> object:
        counts["cases"] += 1
        return lower(solver)

    monkeypatch.setattr(Attempt, "run", running)
    monkeypatch.setattr(Solver, "next", lowering)
    files = SpecFiles(lambda path: (ROOT / path).read_bytes() if (ROOT / path).is_file() else None)
    loaded = load_standard()
    for version in loaded.versions:
        if version.name in SLOW:
            continue
        relative = replace(version, folder=version.folder.relative_to(loaded.library.root))
        unit = make_unit(relative, files, NoLibraries(), [])
        assert unit is not None
        build_family(unit, version.opsets.last)
        counts["families"] += 1
    assert counts["cases"] > 4 * counts["families"], "hardly a spec asks anything"
    assert counts["attempts"] <= FIRST_LINES * counts["families"]


@pytest.mark.parametrize("seed", [1, 424242])
@pytest.mark.parametrize(
    ("kind", "most"), [("functions", 1.1), ("long", 1.1), ("live", 1.1), ("chain", 1.1), ("nested", 2.6)]
)
def test_statements_are_lowered_once(
    kind: str, most: float, seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those in loops once for each round that finds what the loop carries."""
    text = PROGRAMS[kind](seed, 12, "opwright")
    path = tmp_path / "program.py"
    path.write_text(text, encoding="utf-8")
    module = types.ModuleType("program")
    module.__file__ = str(path)
    exec(compile(text, str(path), "exec"), vars(module))
    written = sum(
        isinstance(inner, ast.stmt)
        for node in ast.parse(text).body
        if isinstance(node, ast.FunctionDef)
        for inner in ast.walk(node)
        if inner is not node
    )
    lowered = []
    for kind, rule in rules.STATEMENTS.items():

        def lower(low: Lowering, node: ast.stmt, env: Environment, rule: object = rule) -> None:
            lowered.append(node)
            assert callable(rule)
            rule(low, node, env)

        monkeypatch.setitem(rules.STATEMENTS, kind, lower)
    for function in list(vars(module).values()):
        if isinstance(function, OnnxFunction):
            function.to_function_proto()
    assert written > 5
    assert len(lowered) <= most * written
