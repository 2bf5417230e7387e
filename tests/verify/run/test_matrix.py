"""Whole runs over libraries made by hand, on the real runtimes."""

from dataclasses import replace
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from opwright.bundle.format import AttributeEntry, CallEntry, InputEntry
from opwright_build.spec.runtime_names import ONNXRUNTIME_OFF, REFERENCE
from opwright_build.verify.case_model import Case, CaseName, Outcome, Status, kinds_of
from opwright_build.verify.facts.gaps import gaps_from
from opwright_build.verify.run import matrix
from opwright_build.verify.run.isolation import run_tasks
from opwright_build.verify.run.matrix import passing_batches, rows_of, verify_cases, with_gaps
from opwright_build.verify.run.runtimes import available, newest_accepted

RUNTIMES = [runtime.name for runtime in available()]
SOFTPLUS = """(i0) => (o0) {
    a = Abs(i0) n = Neg(a) e = Exp(n) c = Constant<value_float = 1.0>() k = CastLike(c, e)
    s = Add(e, k) l = Log(s) r = Relu(i0) o0 = Add(r, l)
}"""
DTYPES: dict[str, Any] = {
    "float16": np.float16,
    "float": np.float32,
    "double": np.float64,
    "bfloat16": ml_dtypes.bfloat16,
}


def softplus_cases(entry: Any, make_case: Any, types: tuple[str, ...] = ("float", "double")) -> list[Case]:
    cases = []
    for kind in types:
        for number, values in enumerate([[[0.5, -3.0]], [[200.0]], np.zeros((0, 3)), [1.0, 2.0]]):
            x = np.array(values, DTYPES[kind])
            exact = np.log1p(np.exp(x.astype(np.float64)))
            expected = exact.astype(x.dtype)
            cases.append(make_case(entry, [x], expected, exact=exact, type=kind, name=f"case{number}"))
    return cases


def cells(outcomes: list[Outcome]) -> list[tuple[str, int, str, str]]:
    return [(item.case.name, item.opset, item.runtime, item.status.value) for item in outcomes]


@pytest.mark.parametrize("workers", [0, 1, 2])
def test_every_case_runs_on_every_body_and_runtime_in_order(library: Any, make_case: Any, workers: int) -> None:
    entry = library.add("Softplus", (SOFTPLUS, 15, 18), (SOFTPLUS, 19, 20), (SOFTPLUS, 21, 22))
    cases = softplus_cases(entry, make_case)
    seen: list[matrix.Known] = []
    outcomes = verify_cases(library.bundle(), cases, workers=workers, progress=seen.append)
    expected = [(c.name, opset, runtime, "pass") for c in cases for opset in (18, 20, 22) for runtime in RUNTIMES]
    assert cells(outcomes) == expected
    assert (seen[-1].done, seen[-1].total, seen[-1].failed) == (len(outcomes), len(outcomes), 0)
    assert {identity for known in seen for identity in known.seconds} == {entry.identity}
    assert {item.body for item in outcomes} == {body.body for body in entry.bodies}


def test_a_wrong_body_fails_where_it_is_wrong(library: Any, make_case: Any) -> None:
    wrong = SOFTPLUS.replace("Add(r, l)", "Sub(r, l)")
    entry = library.add("Softplus", (SOFTPLUS, 15, 18), (wrong, 19, 20))
    outcomes = verify_cases(library.bundle(), softplus_cases(entry, make_case), workers=0)
    for item in outcomes:
        good = item.opset == 18 or item.case.name in ("case1", "case2")  # at 200 the wrong sign is out of sight
        assert (item.status is Status.PASS) == good, item
        assert ("Y differs" in item.message) != good


def test_a_runtime_runs_the_newest_opset_of_a_class_that_it_accepts(library: Any, make_case: Any) -> None:
    entry = library.add("Softplus", (SOFTPLUS, 25, 28))
    (off,) = available([ONNXRUNTIME_OFF])
    newest = newest_accepted(off, 25, 28)
    outcomes = verify_cases(library.bundle(), softplus_cases(entry, make_case)[:1], workers=0)
    assert [item.opset for item in outcomes] == [newest, newest, 28]
    assert {item.status for item in outcomes} == {Status.PASS}


def test_an_opset_that_a_runtime_does_not_accept_is_unsupported_there(library: Any, make_case: Any) -> None:
    entry = library.add("Softplus", (SOFTPLUS, 28, 28))
    outcomes = verify_cases(library.bundle(), softplus_cases(entry, make_case)[:1], workers=0)
    assert [item.status for item in outcomes] == [Status.UNSUPPORTED, Status.UNSUPPORTED, Status.PASS]
    assert outcomes[0].opset == 28
    assert "not accepted" in outcomes[0].message


def test_a_missing_kernel_is_no_failure_and_its_row_is_named(library: Any, make_case: Any) -> None:
    entry = library.add("Softplus", (SOFTPLUS, 15, 18), types=("float", "bfloat16"))
    cases = softplus_cases(entry, make_case, ("bfloat16",))
    outcomes = verify_cases(library.bundle(), cases, workers=0)
    assert {item.status for item in outcomes if item.runtime == REFERENCE} == {Status.PASS}
    refused = [item for item in outcomes if item.runtime != REFERENCE]
    assert {item.status for item in refused} == {Status.NO_KERNEL}
    assert {item.gap for item in outcomes} == {""}
    declared = list(with_gaps(verify_cases(library.bundle(), cases, workers=0), gaps_from(outcomes)))
    for item in declared:
        row = "onnxruntime: com.acme::Softplus@1 T=bfloat16 no-kernel"
        assert item.gap == ("" if item.runtime == REFERENCE else row)


def test_a_type_that_the_operators_do_not_take_is_not_run(library: Any, make_case: Any) -> None:
    entry = library.add("Softplus", (SOFTPLUS, 15, 18), types=("float", "double"), admits=("float",))
    outcomes = verify_cases(library.bundle(), softplus_cases(entry, make_case, ("double",)), workers=0)
    assert {item.status for item in outcomes} == {Status.NOT_ADMITTED}
    assert outcomes[0].message == "its operators do not take T=double"


def test_absent_inputs_and_attributes_are_passed_on(library: Any, make_case: Any) -> None:
    entry = library.add(
        "Shifted",
        ("<a0>(i0, i1) => (o0) { c = Clip(i0, i1) o0 = LeakyRelu<alpha: float = @a0>(c) }", 16, 18),
        inputs=(InputEntry("X", "T"), InputEntry("low", "T", optional=True)),
        attributes=(AttributeEntry("slope", "FLOAT", False, 0.5),),
    )
    x, low = np.array([-4.0, 2.0], np.float32), np.array(-1.0, np.float32)
    cases = [
        make_case(entry, [x, None], np.array([-2.0, 2.0], np.float32), name="default"),
        make_case(entry, [x, low], np.array([-0.5, 2.0], np.float32), name="low"),
        make_case(entry, [x], np.array([-1.0, 2.0], np.float32), name="slope", attributes={"slope": 0.25}),
        make_case(entry, [x, low], np.array([-9.0, 2.0], np.float32), name="wrong"),
    ]
    outcomes = verify_cases(library.bundle(), cases, workers=0)
    assert {item.case.name for item in outcomes if item.status is Status.FAIL} == {"wrong"}
    assert {item.case.name for item in outcomes if item.status is Status.PASS} == {"default", "low", "slope"}


def test_a_body_runs_with_what_it_calls(library: Any, make_case: Any) -> None:
    doubled = library.add("Doubled", ("(i0) => (o0) { o0 = Add(i0, i0) }", 14, 18))
    digest = doubled.bodies[0].body
    text = f"(i0) => (o0) {{ h = body1.call{digest.removeprefix('body1:')}(i0) o0 = Neg(h) }}"
    caller = library.add("Caller", (text, 14, 18))
    call = CallEntry("com.acme", "Doubled", 1, (), digest)
    library.call(caller, call)
    x = np.array([3.0], np.float32)
    outcomes = verify_cases(library.bundle(), [make_case(caller, [x], -2 * x)], workers=0)
    assert [item.status for item in outcomes] == [Status.PASS] * 3


def test_a_stated_error_must_come_and_be_the_one(library: Any, make_case: Any) -> None:
    entry = library.add(
        "Reshaped",
        ("(i0, i1) => (o0) { o0 = Reshape(i0, i1) }", 14, 18),
        inputs=(InputEntry("X", "T"), InputEntry("shape", "int64")),
    )
    x = np.ones(6, np.float32)
    cases = [
        make_case(entry, [x, np.array([7])], None, name="right", error="eshape"),
        make_case(entry, [x, np.array([7])], None, name="other words", error="no such words"),
        make_case(entry, [x, np.array([6])], None, name="no error", error="eshape"),
    ]
    outcomes = verify_cases(library.bundle(), cases, workers=0)
    assert [item.status.value for item in outcomes] == ["pass"] * 3 + ["fail"] * 6
    assert "expected an error that says 'no such words'" in outcomes[3].message
    assert outcomes[6].message == "no error, expected one that says 'eshape'"


def test_what_nobody_has_said_is_unverified_and_still_run(library: Any, make_case: Any) -> None:
    entry = library.add("Reshaped", ("(i0) => (o0) { s = Constant<value_ints = [6]>() o0 = Reshape(i0, s) }", 14, 18))
    cases = [make_case(entry, [np.ones(size, np.float32)], None, name=str(size)) for size in (6, 5)]
    outcomes = verify_cases(library.bundle(), cases, workers=0)
    assert [item.status for item in outcomes] == [Status.UNVERIFIED] * 3 + [Status.FAIL] * 3


def test_a_call_that_no_variant_is_for_fails(library: Any, make_case: Any) -> None:
    entry = library.add(
        "F",
        ("(i0, i1) => (o0) { o0 = Add(i0, i1) }", 14, 18, (("B", "present"),), ("X", "B")),
        inputs=(InputEntry("X", "T"), InputEntry("B", "T", optional=True)),
    )
    outcomes = verify_cases(library.bundle(), [make_case(entry, [np.ones(1, np.float32)], None)], workers=0)
    assert {(item.status, item.message) for item in outcomes} == {
        (Status.FAIL, "no body of the version is meant for such a call")
    }


def test_cases_of_other_libraries_have_no_outcome(library: Any, make_case: Any) -> None:
    assert verify_cases(library.bundle(), [make_case("org.other::F@1", [np.ones(1)], np.ones(1))], workers=0) == []


@pytest.mark.long
def test_a_crash_of_the_runtime_costs_the_one_vector(library: Any, make_case: Any) -> None:
    """On x86 onnxruntime ends the process over the one quotient of int32 that does not fit."""
    entry = library.add(
        "Divided",
        ("(i0, i1) => (o0) { o0 = Div(i0, i1) }", 14, 18),
        inputs=(InputEntry("A", "T"), InputEntry("B", "T")),
        types=("int32",),
    )
    least = np.array([-(2**31)], np.int32)
    cases = []
    for by in (1, 2, -1, 4):
        wanted = None if by == -1 else least // np.int32(by)
        cases.append(make_case(entry, [least, np.array([by], np.int32)], wanted, type="int32", name=str(by)))
    outcomes = verify_cases(library.bundle(), cases, workers=1, runtimes=available([ONNXRUNTIME_OFF]))
    assert [item.status.value for item in outcomes if item.case.name != "-1"] == ["pass"] * 3
    assert outcomes[2].status is not Status.PASS


def test_large_groups_are_cut(library: Any, make_case: Any) -> None:
    entry = library.add("Same", ("(i0) => (o0) { o0 = Identity(i0) }", 16, 18))
    cases = [
        make_case(entry, [np.array([i], np.float32)], np.array([i if i != 700 else -1], np.float32), name=str(i))
        for i in range(1200)
    ]
    outcomes = verify_cases(library.bundle(), cases, workers=0)
    assert [item.case.name for item in outcomes if item.status is Status.FAIL] == ["700"] * 3


def test_rows_count_outcomes_by_version_and_types(library: Any, make_case: Any) -> None:
    entry = library.add("Softplus", (SOFTPLUS, 15, 18), (SOFTPLUS, 28, 28), types=("float", "bfloat16"))
    cases = softplus_cases(entry, make_case, ("float", "bfloat16"))
    rows = rows_of(kinds_of(verify_cases(library.bundle(), cases, workers=0)), [entry])
    assert [(row.identity, row.types) for row in rows] == [
        ("com.acme::Softplus@1", (("T", "float"),)),
        ("com.acme::Softplus@1", (("T", "bfloat16"),)),
    ]
    assert dict(rows[0].counts[ONNXRUNTIME_OFF]) == {Status.PASS: 4, Status.UNSUPPORTED: 4}
    assert dict(rows[1].counts[ONNXRUNTIME_OFF]) == {Status.NO_KERNEL: 4, Status.UNSUPPORTED: 4}
    assert dict(rows[1].counts[REFERENCE]) == {Status.PASS: 8}


def test_rows_go_by_the_widest_variable(library: Any, make_case: Any) -> None:
    entry = library.add("F", ("(i0) => (o0) { o0 = Identity(i0) }", 18, 18))
    entry = replace(entry, types=(("T", ("float",)), ("U", ("int32", "int64"))))
    one = make_case(entry, [np.ones(1, np.float32)], None)
    outcomes = [
        Outcome(
            CaseName(one.identity, one.name, {"T": "float", "U": kind}, one.place),
            18,
            "body1:0",
            REFERENCE,
            Status.PASS,
        )
        for kind in ("int64", "int32", "int64")
    ]
    assert [(row.types, row.counts) for row in rows_of(kinds_of(outcomes), [entry])] == [
        ((("U", "int64"),), {REFERENCE: {Status.PASS: 2}}),
        ((("U", "int32"),), {REFERENCE: {Status.PASS: 1}}),
    ]


def test_only_what_passes_is_kept_for_mutants(library: Any, make_case: Any) -> None:
    entry = library.add("Softplus", (SOFTPLUS, 15, 18))
    cases = softplus_cases(entry, make_case)
    wrong = make_case(entry, [np.ones(1, np.float32)], np.ones(1, np.float32), name="wrong")
    found = passing_batches(library.bundle(), [entry], [*cases, wrong], runtimes=available([REFERENCE]), workers=0)
    assert list(found) == [(entry.identity, 0)]
    assert sorted(vector.case.name for batch in found[entry.identity, 0] for vector in batch.vectors) == sorted(
        case.name for case in cases
    )


def test_equal_bodies_of_several_versions_share_a_session(
    library: Any, make_case: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = library.add("Softplus", (SOFTPLUS, 15, 18))
    second = replace(first, since_version=2, doc="Another text.")
    library.functions.append(second)
    other = library.add("Other", (SOFTPLUS.replace("Exp(n)", "Abs(n)"), 15, 18))
    cases = [case for entry in (first, second, other) for case in softplus_cases(entry, make_case)]
    sent: list[list[str]] = []

    def watched(tasks: Any, **options: Any) -> Any:
        sent.extend([vector.case.identity for vector in task.vectors] for task in tasks)
        return run_tasks(tasks, **options)

    monkeypatch.setattr(matrix, "run_tasks", watched)
    outcomes = verify_cases(library.bundle(), cases, runtimes=available([REFERENCE]), workers=0)
    assert [set(identities) for identities in sent] == [{first.identity, second.identity}, {other.identity}]
    assert [outcome.case.name for outcome in outcomes] == [case.name for case in cases]
    assert {outcome.status for outcome in outcomes if outcome.case.identity != other.identity} == {Status.PASS}
    assert Status.FAIL in {outcome.status for outcome in outcomes if outcome.case.identity == other.identity}
