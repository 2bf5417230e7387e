"""Mutation of whole libraries: strong vectors kill, weak ones are told, and the list of survivors is kept true."""

from typing import Any

import numpy as np
import pytest
from opwright.bundle.format import AttributeEntry
from opwright.diagnostics.diagnostic import Severity
from opwright_build.spec.runtime_names import ONNXRUNTIME_OFF, REFERENCE
from opwright_build.verify.mutants.mutation_score import (
    KILLED,
    STILLBORN,
    SURVIVED,
    Fate,
    MutationScore,
    representative,
    run_mutants,
)
from opwright_build.verify.mutants.survivors import FILE, check_mutants, read_survivors, tally
from opwright_build.verify.run.runtimes import available, newest_accepted

LEAKY = """<a0>(i0) => (o0) {
    p = Relu(i0) n = Neg(i0) q = Relu(n) c = Constant<value_float: float = @a0>()
    k = CastLike(c, i0) m = Mul(q, k) o0 = Sub(p, m)
}"""
SLOPE = (AttributeEntry("slope", "FLOAT", False, 0.5),)
PLACES: dict[str, Any] = {}


def leaky(library: Any, make_case: Any, values: list[list[float]], slopes: list[float]) -> list[Any]:
    entry = library.add("Leaky", (LEAKY, 15, 18), attributes=SLOPE)
    cases = []
    for number, (row, slope) in enumerate(zip(values, slopes, strict=True)):
        x = np.array(row, np.float32)
        wanted = np.where(x < 0, x * np.float32(slope), x)
        cases.append(make_case(entry, [x], wanted, name=f"case{number}", attributes={"slope": slope}))
    return cases


@pytest.mark.parametrize("workers", [0, 1])
def test_strong_vectors_kill_every_mutant(library: Any, make_case: Any, workers: int) -> None:
    cases = leaky(library, make_case, [[1.5, -2.0], [3.0, -4.0]], [0.5, 0.25])
    seen: list[tuple[int, int]] = []
    (score,) = run_mutants(
        library.bundle(), cases, workers=workers, progress=lambda done, total: seen.append((done, total))
    )
    assert [(fate.id, fate.fate) for fate in score.fates] == [
        (f"com.acme::Leaky@1 {name}", KILLED)
        for name in (
            "Relu#1 becomes Identity",
            "Neg#1 becomes Identity",
            "Relu#2 becomes Identity",
            "Constant#1 value_float fixed at the default of slope",
            "Mul#1 becomes Div",
            "Mul#1 is its operand 1 alone",
            "Mul#1 is its operand 2 alone",
            "Sub#1 becomes Add",
            "Sub#1 operands swapped",
            "Sub#1 is its operand 1 alone",
            "Sub#1 is its operand 2 alone",
        )
    ]
    assert all(fate.by.startswith("onnxruntime/off: case") for fate in score.fates)
    assert seen[-1] == (11, 11)
    assert check_mutants([score], (), places=PLACES, identities=[score.identity]) == []


def test_weak_vectors_let_mutants_through(library: Any, make_case: Any) -> None:
    cases = leaky(library, make_case, [[1.5, 0.0]], [0.5])
    (score,) = run_mutants(library.bundle(), cases, workers=0)
    survived = {fate.id.removeprefix("com.acme::Leaky@1 ") for fate in score.fates if fate.fate == SURVIVED}
    assert "Constant#1 value_float fixed at the default of slope" in survived
    assert "Mul#1 becomes Div" in survived
    assert "Sub#1 operands swapped" not in survived
    findings = check_mutants([score], (), places=PLACES, identities=[score.identity])
    assert {item.code for item in findings} == {"OW470", "OW471"}
    assert sum(item.code == "OW471" for item in findings) == len(survived)


def test_a_vector_that_the_body_itself_fails_kills_nothing(library: Any, make_case: Any) -> None:
    cases = leaky(library, make_case, [[1.5, 0.0]], [0.5])
    wrong = make_case(cases[0].identity, [np.array([1.0], np.float32)], np.array([9.0], np.float32), name="wrong")
    (before,) = run_mutants(library.bundle(), cases, workers=0)
    (after,) = run_mutants(library.bundle(), [*cases, wrong], workers=0)
    assert after == before


def test_mutants_that_the_standard_refuses_need_no_vector(library: Any, make_case: Any) -> None:
    text = "(i0) => (o0) { o0 = Equal(i0, i0) }"
    entry = library.add("F", (text, 15, 18), types=("bool",))
    x = np.array([True, False])
    (score,) = run_mutants(library.bundle(), [make_case(entry, [x], x | True, type="bool")], workers=0)
    assert [(fate.id.split(" ", 1)[1], fate.fate) for fate in score.fates] == [
        ("Equal#1 becomes Less", STILLBORN)  # which takes no truth values
    ]


def test_a_type_that_only_the_reference_runs_counts_too(library: Any, make_case: Any) -> None:
    import ml_dtypes

    entry = library.add("F", ("(i0) => (o0) { o0 = Neg(i0) }", 15, 18), types=("bfloat16",))
    x = np.array([3.0], ml_dtypes.bfloat16)
    (score,) = run_mutants(library.bundle(), [make_case(entry, [x], -x, type="bfloat16")], workers=0)
    assert [(fate.fate, fate.by) for fate in score.fates] == [(KILLED, "reference: case")]


@pytest.mark.long
def test_a_mutant_that_never_ends_is_killed(library: Any, make_case: Any) -> None:
    text = """(i0) => (o0) {
        m = Constant<value = int64 {9000000000000000000}>() t = Constant<value = bool {1}>()
        o0 = Loop(m, t, i0) <body = b (int64 k, bool c, float[n] s) => (bool d, float[n] r) {
            r = Relu(s) f = Less(k, m) d = Not(f)
        }>
    }"""
    entry = library.add("F", (text, 15, 18), types=("float",))
    cases = [make_case(entry, [np.array([1.0], np.float32)], np.array([1.0], np.float32))]
    (score,) = run_mutants(library.bundle(), cases, workers=1, timeout=1)
    fates = {fate.id.split(" ", 1)[1]: fate for fate in score.fates}
    assert fates["Not#1 becomes Identity"].fate == KILLED
    assert fates["Not#1 becomes Identity"].by == "the runtime gave no answer within 1 s"
    assert fates["Relu#1 becomes Identity"].fate == SURVIVED


def test_one_opset_stands_for_all(library: Any) -> None:
    (off,) = available([ONNXRUNTIME_OFF])
    text = "(i0) => (o0) { o0 = Neg(i0) }"
    newest = newest_accepted(off, 13, 28)
    entry = library.add("F", (text, 13, 17), (text, 18, 28))
    (body,) = representative(entry, off).bodies
    assert (body.first_opset, body.last_opset) == (18, newest)
    too_new = library.add("G", (text, 28, 28))
    if newest != 28:
        assert representative(too_new, off).bodies == too_new.bodies
    (reference,) = available([REFERENCE])
    assert representative(too_new, reference).bodies == too_new.bodies


def score(*fates: tuple[str, str]) -> MutationScore:
    return MutationScore("a::F@1", tuple(Fate("a::F@1", f"a::F@1 {name}", fate, "x") for name, fate in fates))


def rows(*names: str) -> Any:
    text = "".join(f'  - {{id: "{name}", reason: "both branches agree there"}}\n' for name in names)
    found = read_survivors(f"schema: 1\nsurvivors:\n{text}".encode())
    assert found.diagnostics == ()
    return found.survivors


def test_a_survivor_with_a_reason_does_not_count() -> None:
    scores = [score(*[(f"m{i}", KILLED) for i in range(18)], ("s", SURVIVED), ("t", SURVIVED), ("u", STILLBORN))]
    listed = rows("a::F@1 s", "a::F@1 t")
    assert check_mutants(scores, listed, places=PLACES, identities=["a::F@1"]) == []
    total = tally(scores, listed)
    assert (total.killed, total.listed, total.unlisted, total.stillborn, total.rate) == (18, 2, 0, 1, 1.0)
    findings = check_mutants(scores, listed[:1], places=PLACES, identities=["a::F@1"])
    assert [(item.code, item.severity) for item in findings] == [
        ("OW471", Severity.WARNING),
        ("OW470", Severity.ERROR),
    ]
    assert "18 of 19 mutants (94.7%)" in findings[1].message


def test_a_row_that_is_not_true_is_found() -> None:
    scores = [score(*[(f"m{i}", KILLED) for i in range(99)], ("s", SURVIVED))]
    listed = rows("a::F@1 s", "a::F@1 m1", "a::F@1 gone", "b::G@1 x", "a::F@1 s", "c::H@1[B=absent] x")
    findings = check_mutants(scores, listed, places=PLACES, identities=["a::F@1", "c::H@1"])
    assert [(item.code, item.reason) for item in findings] == [
        ("OW472", "it is killed (x)"),
        ("OW472", "there is no such mutant"),
        ("OW472", "this library has no such version"),
        ("OW472", "the same row stands above"),
    ]
    assert [item.place.line for item in findings if item.place is not None] == [4, 5, 6, 7]


def test_a_row_may_stand_for_many_versions_and_types() -> None:
    fates = [("[T=float] Less#1 x", SURVIVED), ("[T=double] Less#1 x", SURVIVED), ("[T=int8] Less#1 x", KILLED)]
    scores = [
        MutationScore(identity, tuple(Fate(identity, f"{identity}{name}", fate, "v") for name, fate in fates))
        for identity in ("a::F@1", "a::F@13")
    ]
    everything = ["a::F@1", "a::F@13"]
    assert check_mutants(scores, rows("a::F@*[T=*] Less#1 x"), places=PLACES, identities=everything) == []
    assert check_mutants(scores, rows("a::F@*Less#1 x"), places=PLACES, identities=everything) == []
    one_only = check_mutants(scores, rows("a::F@1[*] Less#1 x"), places=PLACES, identities=everything)
    assert [item.code for item in one_only] == ["OW471", "OW471", "OW470"]
    dead = check_mutants(scores, rows("a::F@*[*] Less#1 x", "*[T=int8]*"), places=PLACES, identities=everything)
    assert [(item.code, item.reason) for item in dead] == [("OW472", "it is killed (v)")]
    part = check_mutants(scores[:1], rows("a::F@*[*] Less#1 x", "*[T=int8]*"), places=PLACES, identities=everything)
    assert part == []


def test_a_malformed_file_is_a_finding_at_its_place() -> None:
    found = read_survivors(b"schema: 1\nsurvivors:\n  - {id: x}\n")
    assert found.survivors == ()
    assert [(item.code, item.place.file) for item in found.diagnostics if item.place] == [("OW107", FILE)]


def test_nothing_to_mutate_is_no_shortcoming() -> None:
    assert check_mutants([], (), places=PLACES, identities=[]) == []
