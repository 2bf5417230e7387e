from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from opwright.diagnostics import Severity
from opwright_build.verify.cases import suite
from opwright_build.verify.cases.lock import check_lock, lock_case, read_lock, unused_lines, write_lock
from opwright_build.verify.cases.suite import SuiteCase

# Operators whose expected outputs numpy computes differently with and without vector instructions.
OPERATORS = ["Elu", "Mish", "ReduceLogSum", "Selu", "SwiGLU"]


@pytest.fixture(scope="module")
def cases() -> tuple[SuiteCase, ...]:
    return suite.extract(OPERATORS)


def codes(cases: tuple[SuiteCase, ...], text: str, whole: bool = True) -> list[str]:
    locked, findings = read_lock(text)
    stale = unused_lines({case.name for case in cases}, locked) if whole else []
    return [item.code for item in [*findings, *check_lock(cases, locked), *stale]]


def test_what_is_written_holds(cases: tuple[SuiteCase, ...]) -> None:
    text = write_lock(cases, {})
    lines = text.splitlines()[1:]
    assert len(lines) == len(cases)
    assert lines == sorted(lines)
    assert codes(cases, text) == []
    assert text == write_lock(reversed(cases), {})


def test_another_processor_changes_nothing(cases: tuple[SuiteCase, ...], run_python: Callable[..., bytes]) -> None:
    """numpy without its vector instructions makes other last bits; the lock holds all the same."""
    script = (
        "import pickle, sys; from opwright_build.verify.cases import suite;"
        "sys.stdout.buffer.write(pickle.dumps(suite.extract(sys.argv[1:])))"
    )
    instructions = " ".join(np.show_config(mode="dicts")["SIMD Extensions"].get("found", []))
    others = pickle.loads(run_python(script, *OPERATORS, NPY_DISABLE_CPU_FEATURES=instructions))
    locked, _ = read_lock(write_lock(cases, {}))
    assert check_lock(others, locked) == []
    assert write_lock(others, locked) == write_lock(cases, {})


def test_a_missing_line(cases: tuple[SuiteCase, ...]) -> None:
    lines = write_lock(cases, {}).splitlines(keepends=True)
    assert codes(cases, "".join(lines[:1] + lines[2:])) == ["OW400"]
    assert codes(cases, "") == ["OW400"] * len(cases)


def changed(case: SuiteCase, relative: float) -> SuiteCase:
    """The case with the largest value of its output moved."""
    output = np.array(case.outputs[0])
    position = np.unravel_index(np.argmax(np.abs(output)), output.shape)
    output[position] *= 1.0 + relative
    return replace(case, outputs=(output,))


def test_a_changed_output(cases: tuple[SuiteCase, ...]) -> None:
    text = write_lock(cases, {})
    elu = next(case for case in cases if case.name == "test_elu")
    assert codes((changed(elu, 1e-6),), text, whole=False) == []
    assert codes((changed(elu, 1e-2),), text, whole=False) == ["OW401"]
    permuted = replace(elu, outputs=(np.array(elu.outputs[0])[::-1],))
    assert codes((permuted,), text, whole=False) == ["OW401"]
    endless = np.array(elu.outputs[0])
    endless[0, 0, 0] = np.inf
    assert codes((replace(elu, outputs=(endless,)),), text, whole=False) == ["OW401"]


def test_a_changed_question(cases: tuple[SuiteCase, ...]) -> None:
    text = write_lock(cases, {})
    elu = next(case for case in cases if case.name == "test_elu")
    moved = np.array(elu.inputs[0])
    moved[0, 0, 0] = np.nextafter(moved[0, 0, 0], np.float32(9))
    variants = [
        replace(elu, inputs=(moved,)),
        replace(elu, attributes={"alpha": 2.5}),
        replace(elu, since_version=6),
        replace(elu, rtol=1e-2),
        replace(elu, outputs=(np.array(elu.outputs[0], dtype=np.float64),)),
    ]
    for variant in variants:
        assert codes((variant,), text, whole=False) == ["OW401"]


def test_updating_replaces_only_what_changed(cases: tuple[SuiteCase, ...]) -> None:
    before, _ = read_lock(write_lock(cases, {}))
    moved = tuple(changed(case, 1e-2) if case.name == "test_selu" else case for case in cases)
    old = write_lock(cases, {}).splitlines()
    new = write_lock(moved, before).splitlines()
    assert [line.split()[0] for line, other in zip(old, new, strict=True) if line != other] == ["test_selu"]


def test_a_line_that_no_case_needs(cases: tuple[SuiteCase, ...]) -> None:
    locked, _ = read_lock(write_lock(cases, {}))
    findings = unused_lines({case.name for case in cases[1:]}, locked)
    assert [(item.code, item.severity) for item in findings] == [("OW403", Severity.WARNING)]
    assert check_lock(cases[1:], locked) == []


@pytest.mark.parametrize(
    "line",
    ["word", "test_elu 123", "test_elu " + "g" * 64, "test_elu " + "a" * 64 + " 1.0", "test_elu " + "a" * 64 + " x:1"],
)
def test_a_line_that_is_none(line: str) -> None:
    locked, findings = read_lock(f"# a comment\n\n{line}\n")
    assert locked == {}
    assert [(item.code, item.place and item.place.line) for item in findings] == [("OW402", 3)]


def test_a_case_stands_once(cases: tuple[SuiteCase, ...]) -> None:
    text = write_lock(cases, {})
    assert [item.code for item in read_lock(text + text.splitlines()[1] + "\n")[1]] == ["OW402"]


def test_a_line_of_nan_never_agrees(cases: tuple[SuiteCase, ...]) -> None:
    elu = next(case for case in cases if case.name == "test_elu")
    name, digest, _ = str(lock_case(elu)).split(" ")
    assert codes((elu,), f"{name} {digest} nan:0,0,0,0\n") == ["OW401"]
    assert codes((elu,), f"{name} {digest} {lock_case(elu).sketches[0].total}:nan,nan,nan,nan\n") == ["OW401"]


def test_all_cases_of_the_plain_functions_fit_in_a_small_file(plain_versions: list[tuple[str, int]]) -> None:
    text = write_lock(suite.extract({name for name, _ in plain_versions}), {})
    assert len(text) < 20_000
    assert text.isascii()
