"""The standard's node tests on onnxruntime, rewritten for every opset that the library and onnxruntime have.

The gate tries some of the cases; with OPWRIGHT_ALL_CASES=1, as in `nox -s models`, all are.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from opwright.bundle.format import Bundle
from opwright.diagnostics import DiagnosticError
from opwright.downlevel.target import target_of_runtime
from opwright.link.detach import detach
from opwright.link.inspect import State, inspect

from tests.downlevel.standard_cases import (
    Outcome,
    all_cases,
    function_cases,
    imported,
    judge,
    load,
    polyfilled,
    run_problem,
    shipped_session,
    table,
)
from tests.shares import one_in

PAGE = Path(__file__).parents[2] / "docs" / "polyfill.md"
BEGIN, END = "<!-- table: pytest tests/downlevel -k table --update-golden -->\n", "<!-- end of table -->\n"
SHOWN = (18, 20, 21)
LOW = (13, 15, 17)
OTHERS = (*LOW, 24, 26)
ALL = os.environ.get("OPWRIGHT_ALL_CASES") == "1"
WRONG = (Outcome.DIFFERS, Outcome.REFUSED)


@pytest.mark.long
def test_the_table_of_counts_is_up_to_date(standard: Bundle, golden: Callable[[Path, str], None]) -> None:
    """The gate tries each case at one of the opsets that the page shows, and compares the page where all are tried."""
    cases = function_cases()
    results = {
        opset: [judge(case, standard, opset) for case in (cases if ALL else cases[place :: len(SHOWN)])]
        for place, opset in enumerate(SHOWN)
    }
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    assert rest.partition(END)[1]
    if ALL:
        golden(PAGE, before + BEGIN + "\n" + table(results) + "\n" + END + rest.partition(END)[2])
    assert [item for found in results.values() for item in found if item.outcome in WRONG] == []


@pytest.mark.parametrize("opset", one_in(2, OTHERS))
def test_function_ops_at_every_other_opset(standard: Bundle, opset: int) -> None:
    """Below those of the table the gate tries each case at one of three."""
    cases = function_cases()
    tried = cases[LOW.index(opset) :: 3] if opset in LOW and not ALL else cases
    found = [judge(case, standard, opset) for case in tried]
    assert [item for item in found if item.outcome in WRONG] == []
    assert sum(item.outcome in (Outcome.SERVED, Outcome.RESTAMPED) for item in found) > 20


@pytest.mark.parametrize("opset", one_in(2, [13, 20]))
def test_operators_of_all_kinds_compute_what_they_did(standard: Bundle, opset: int) -> None:
    """Whatever is rewritten passes, unless onnxruntime fails the case as the standard has it; the gate tries half."""
    passed, wrong, refused = 0, [], set()
    for case in all_cases() if ALL else all_cases()[opset % 2 :: 2]:
        if imported(case.model) <= opset:
            continue
        try:
            done = polyfilled(case, standard, opset)
        except DiagnosticError as error:
            refused.update(item.code for item in error.diagnostics)
            continue
        if not done.inlined:
            assert detach(done.model) == case.model, case.name
            assert {item.state for item in inspect(done.model, [standard])} <= {State.UNALTERED}
        session = load(done.model)
        if isinstance(session, str):
            continue  # kernels are told of by test_target.py
        problem = run_problem(session, done.model, case)
        shipped = shipped_session(case) if problem else ""
        if not problem:
            passed += 1
        elif not isinstance(shipped, str) and not run_problem(shipped, case.model, case):
            wrong.append((case.name, problem))
    assert wrong == []
    assert refused <= {"OW581", "OW582"}
    assert passed > 170


def test_the_installed_onnxruntime_runs_what_it_refuses_as_shipped(standard: Bundle) -> None:
    target = target_of_runtime("ort")
    refused = [case for case in function_cases() if imported(case.model) > target.opset]
    found = [judge(case, standard, target.opset) for case in refused]
    assert all(item.shipped for item in found)
    assert sum(item.outcome in (Outcome.SERVED, Outcome.RESTAMPED) for item in found) >= 40
