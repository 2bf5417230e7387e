"""Bodies that share a session get the verdicts that each of them gets by itself."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from onnx import ModelProto
from opwright.bundle.format import AttributeEntry, InputEntry
from opwright_build.spec.runtime_names import ONNXRUNTIME_FULL, ONNXRUNTIME_OFF, REFERENCE
from opwright_build.verify.case_model import Case, Outcome, Status
from opwright_build.verify.run import matrix, packs
from opwright_build.verify.run.batches import Batch
from opwright_build.verify.run.isolation import run_tasks
from opwright_build.verify.run.matrix import verify_cases
from opwright_build.verify.run.models import Signature
from opwright_build.verify.run.packs import MAX_BODIES, Pack
from opwright_build.verify.run.runtimes import OnnxRuntime, Refused, Session, available

ORT = available([ONNXRUNTIME_OFF, ONNXRUNTIME_FULL])
OFF = available([ONNXRUNTIME_OFF])
KINDS = {"float": np.float32, "double": np.float64, "int32": np.int32, "int64": np.int64}
BODY = "(i0) => (o0) { c = Constant<value_float = %d.0>() k = CastLike(c, i0) o0 = Add(i0, k) }"


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The tasks of all runs."""
    found: list[Any] = []

    def watched(tasks: Sequence[Any], **options: Any) -> Any:
        found.extend(tasks)
        return run_tasks(tasks, **options)

    monkeypatch.setattr(matrix, "run_tasks", watched)
    return found


def adders(library: Any, make_case: Any, count: int, kinds: Sequence[str] = tuple(KINDS)) -> list[Case]:
    """Cases of functions that add 0, 1 ...; those of float are more, so that it is float that stays a call."""
    cases = []
    for number in range(count):
        entry = library.add(f"Add{number}", (BODY % number, 15, 18), types=kinds)
        for kind in kinds:
            for step in range(3 if kind == "float" else 1 + number % 2):
                x = np.array([1, 2 + step], KINDS[kind])
                cases.append(make_case(entry, [x], x + KINDS[kind](number), type=kind, name=f"{kind}{step}"))
    return cases


def alone(library: Any, cases: Sequence[Case], monkeypatch: pytest.MonkeyPatch, **options: Any) -> list[Outcome]:
    """The outcomes where no two bodies share a session."""
    with monkeypatch.context() as patch:
        patch.setattr(packs, "MAX_BODIES", 1)
        return verify_cases(library.bundle(), cases, **options)


@pytest.mark.parametrize("workers", [0, 2])
def test_bodies_share_sessions_and_one_call_of_each_does_not(
    library: Any, make_case: Any, sent: list[Any], workers: int
) -> None:
    cases = adders(library, make_case, 20)
    outcomes = verify_cases(library.bundle(), cases, runtimes=ORT, workers=workers)
    assert [(item.case.name, item.status) for item in outcomes] == [
        (case.name, Status.PASS) for case in cases for _ in ORT
    ]
    together = [task for task in sent if isinstance(task, Pack)]
    assert sum(len(task.batches) for task in together) == (len(KINDS) * len(ORT) - 1) * 20
    assert max(len(task.batches) for task in together) == MAX_BODIES
    by_themselves = [task for task in sent if not isinstance(task, Pack)]
    assert {(task.runtime, task.signature.inputs[0][0]) for task in by_themselves} == {(ONNXRUNTIME_FULL, "float")}
    assert len(by_themselves) == 20


def test_a_wrong_body_and_a_wrong_value_among_others_fail_as_they_do_alone(
    library: Any, make_case: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    cases = adders(library, make_case, 20)
    wrong = library.add("Wrong", (BODY % 7, 15, 18), types=tuple(KINDS))
    for kind in KINDS:
        x = np.array([1, 2], KINDS[kind])
        cases.insert(40, make_case(wrong, [x], x + KINDS[kind](8), type=kind, name=f"wrong {kind}"))
    cases[20] = replace(cases[20], expected=cases[22].expected)
    outcomes = verify_cases(library.bundle(), cases, runtimes=ORT, workers=0)
    assert outcomes == alone(library, cases, monkeypatch, runtimes=ORT, workers=0)
    failed = {item.case.name for item in outcomes if item.status is Status.FAIL}
    assert failed == {cases[20].name, *(f"wrong {kind}" for kind in KINDS)}
    messages = {item.message for item in outcomes if item.case.name == "wrong int64"}
    assert messages == {"Y differs in 2 of 2 elements: at [0] 8, expected 9"}


def test_what_fails_when_it_runs_or_is_not_loaded_fails_for_itself(
    library: Any, make_case: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    cases = adders(library, make_case, 12)
    picked = library.add(
        "Picked",
        ("(i0) => (o0) { t = Constant<value_ints = [1]>() o0 = Gather(i0, t) }", 15, 18),
        types=("float", "double"),
    )
    for kind in ("float", "double"):
        cases.insert(9, make_case(picked, [np.ones(1, KINDS[kind])], np.ones(1, KINDS[kind]), type=kind, name="out"))
        cases.insert(9, make_case(picked, [np.ones(2, KINDS[kind])], np.ones(1, KINDS[kind]), type=kind, name="in"))
    erf = library.add("Error", ("(i0) => (o0) { o0 = Erf(i0) }", 15, 18), types=("float", "double"))
    for kind in ("float", "double"):
        cases.insert(5, make_case(erf, [np.zeros(1, KINDS[kind])], np.zeros(1, KINDS[kind]), type=kind, name=kind))
    outcomes = verify_cases(library.bundle(), cases, runtimes=ORT, workers=0)
    assert outcomes == alone(library, cases, monkeypatch, runtimes=ORT, workers=0)
    assert {item.case.name for item in outcomes if item.status is Status.FAIL} == {"out"}
    refused = [item for item in outcomes if item.status is Status.NO_KERNEL]
    assert {(item.case.identity, item.case.name) for item in refused} == {(erf.identity, "double")}


def divisions(library: Any, make_case: Any, body: str, values: Sequence[int]) -> list[Case]:
    """Cases of an int32 body; those of float are more."""
    entry = library.add(
        "Divided", (body, 14, 18), inputs=(InputEntry("A", "T"), InputEntry("B", "T")), types=("float", "int32")
    )
    least = -(2**31)
    cases = []
    for kind, dtype in (("float", np.float32), ("int32", np.int32)):
        for by in (*values, 8, 16) if kind == "float" else values:
            a, b = np.array([least], dtype), np.array([by], dtype)
            wanted = None if by == -1 else np.array([least // by], dtype)
            cases.append(make_case(entry, [a, b], wanted, type=kind, name=f"{kind} by {by}"))
    return cases


def test_a_crash_in_a_pack_costs_the_one_vector(library: Any, make_case: Any, sent: list[Any]) -> None:
    """On x86 onnxruntime ends the process over the one quotient of int32 that does not fit."""
    cases = adders(library, make_case, 4)
    cases[6:6] = divisions(library, make_case, "(i0, i1) => (o0) { o0 = Div(i0, i1) }", (1, 2, -1, 4))
    outcomes = verify_cases(library.bundle(), cases, runtimes=OFF, workers=1)
    named = {outcome.case.name: outcome for outcome in outcomes}
    crashed = named.pop("int32 by -1")
    assert any(
        "int32 by -1" in [v.case.name for b in task.batches for v in b.vectors]
        for task in sent
        if isinstance(task, Pack)
    )
    assert crashed.status is not Status.PASS
    assert {item.status for item in named.values() if item.case.name != "float by -1"} == {Status.PASS}


HANGS = """(i0, i1) => (o0) {
    m = Constant<value_int = 9223372036854775807>() z = Sub(i1, i1) c = Less(i1, z) q = Div(i0, i1)
    o0 = Loop<body = g (int64 i, bool p, w) => (bool r, x) { r = Identity(p) x = Identity(w) }>(m, c, q)
}"""


def test_a_hang_in_a_pack_costs_the_one_vector(library: Any, make_case: Any, sent: list[Any]) -> None:
    """A body that loops for ever where it divides by a negative number."""
    cases = adders(library, make_case, 3, ("float", "int32"))
    given = [case for case in divisions(library, make_case, HANGS, (2, -2, 4)) if case.name != "float by -2"]
    cases[5:5] = given
    outcomes = verify_cases(library.bundle(), cases, runtimes=OFF, workers=1, timeout=1.0)
    together = [vector.case.name for task in sent if isinstance(task, Pack) for vector in task.vectors]
    assert "int32 by -2" in together
    assert {item.case.name: item.message for item in outcomes if item.status is not Status.PASS} == {
        "int32 by -2": "the runtime gave no answer within 1 s"
    }


def test_those_of_one_name_and_of_other_values_do_not_share(library: Any, make_case: Any, sent: list[Any]) -> None:
    """Bodies of several opsets have one name; strings do not go in beside bfloat16."""
    entry = library.add(
        "Same", ("(i0) => (o0) { o0 = Identity(i0) }", 16, 18), types=("float", "double", "string", "bool", "int32")
    )
    twice = library.add("Same", ("(i0) => (o0) { t = Identity(i0) o0 = Identity(t) }", 18, 18), types=entry.types[0][1])
    library.functions[-1] = twice = replace(twice, since_version=2)
    arrays = {"float": np.ones(1, np.float32), "double": np.ones(1), "bool": np.ones(1, bool)}
    arrays |= {"string": np.array(["a"], object), "int32": np.ones(1, np.int32)}
    cases = [
        make_case(version, [array], array, type=kind, name=kind)
        for version in (entry, twice)
        for kind, array in arrays.items()
    ]
    outcomes = verify_cases(library.bundle(), cases, runtimes=OFF, workers=0)
    assert {item.status for item in outcomes} == {Status.PASS}
    together = [task for task in sent if isinstance(task, Pack)]
    assert together
    for task in together:
        assert len({batch.functions for batch in task.batches}) == 1


def test_the_reference_evaluator_runs_a_computation_once(library: Any, make_case: Any, sent: list[Any]) -> None:
    """Opsets tell it apart what an operator does only where another class does it: `Relu` is one, `Clip` were two."""
    library.add("One", ("(i0) => (o0) { o0 = Relu(i0) }", 14, 14), ("(i0) => (o0) { o0 = Relu(i0) }", 15, 18))
    library.add("Two", ("(i0) => (o0) { o0 = Softmax(i0) }", 12, 12), ("(i0) => (o0) { o0 = Softmax(i0) }", 13, 18))
    one, two = library.functions
    x = np.array([[1.0, -1.0]], np.float32)
    soft = np.exp(x) / np.exp(x).sum()
    cases = [make_case(one, [x], np.maximum(x, 0)), make_case(two, [x], soft.astype(np.float32))]
    outcomes = verify_cases(library.bundle(), cases, runtimes=available([REFERENCE]), workers=0)
    assert [(item.case.identity, item.opset, item.status) for item in outcomes] == [
        (one.identity, 14, Status.PASS),
        (one.identity, 18, Status.PASS),
        (two.identity, 12, Status.PASS),
        (two.identity, 18, Status.PASS),
    ]
    assert len([vector for task in sent for vector in task.vectors]) == 2


def test_onnxruntime_runs_a_body_once_for_all_opsets_with_the_same_operators(
    library: Any, make_case: Any, sent: list[Any]
) -> None:
    """`Relu` is of version 14 at all of them, `Identity` of versions 14 and 16."""
    library.add("One", ("(i0) => (o0) { o0 = Relu(i0) }", 14, 14), ("(i0) => (o0) { o0 = Relu(i0) }", 15, 18))
    library.add("Two", ("(i0) => (o0) { o0 = Identity(i0) }", 14, 15), ("(i0) => (o0) { o0 = Identity(i0) }", 16, 18))
    one, two = library.functions
    x = np.array([[1.0, -1.0]], np.float32)
    outcomes = verify_cases(
        library.bundle(), [make_case(one, [x], np.maximum(x, 0)), make_case(two, [x], x)], runtimes=ORT, workers=0
    )
    assert [(item.case.identity, item.opset, item.runtime, item.status) for item in outcomes] == [
        (entry.identity, opset, runtime.name, Status.PASS)
        for entry, opsets in ((one, (14, 18)), (two, (15, 18)))
        for opset in opsets
        for runtime in ORT
    ]
    runs = [
        (task.runtime if isinstance(task, Batch) else task.batches[0].runtime) for task in sent for _ in task.vectors
    ]
    assert sorted(runs) == sorted([runtime.name for runtime in ORT] * 3)


def test_one_call_of_a_text_stays_a_call_whatever_its_opset(library: Any, make_case: Any, sent: list[Any]) -> None:
    """The one with the most vectors, optimised, and of several with as many the one at the newest opset."""
    body = "(i0) => (o0) { t = Identity(i0) o0 = Identity(t) }"
    library.add("One", (body, 13, 13), (body, 14, 15), (body, 16, 18))
    (entry,) = library.functions
    cases = [
        make_case(
            entry, [np.full(size, 1, KINDS[kind])], np.full(size, 1, KINDS[kind]), type=kind, name=kind + str(size)
        )
        for kind, size in (("float", 1), ("double", 1), ("double", 2))
    ]
    outcomes = verify_cases(library.bundle(), cases, runtimes=ORT, workers=0)
    assert [item.status for item in outcomes] == [Status.PASS] * 3 * 3 * len(ORT)
    called = [task for task in sent if isinstance(task, Batch)]
    assert [(task.runtime, task.opset, task.signature.inputs[0][0], len(task.vectors)) for task in called] == [
        (ONNXRUNTIME_FULL, 18, "double", 2)
    ]
    assert sum(len(task.batches) for task in sent if isinstance(task, Pack)) == 6 * len(ORT) - 1


def test_a_pack_of_one_is_inlined_and_what_fails_in_it_is_a_call(
    library: Any, make_case: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = library.add("One", ("(i0) => (o0) { o0 = Identity(i0) }", 16, 18), types=("float", "double"))
    cases = [
        make_case(entry, [np.ones(1, KINDS[kind])], np.ones(1, KINDS[kind]) + wrong, type=kind, name=f"{kind} {wrong}")
        for kind, wrong in (("float", 0), ("float", 1), ("double", 0), ("double", 1))
    ]
    loaded: list[int] = []
    load = OnnxRuntime.load

    def watched(self: OnnxRuntime, model: ModelProto, signature: Signature, *, alone: bool = True) -> Session:
        loaded.append(len(model.functions))
        return load(self, model, signature, alone=alone)

    with monkeypatch.context() as patch:
        patch.setattr(OnnxRuntime, "load", watched)
        outcomes = verify_cases(library.bundle(), cases, runtimes=OFF, workers=0)
    assert loaded == [1, 0, 1]
    assert {item.case.name for item in outcomes if item.status is Status.FAIL} == {"float 1", "double 1"}


def test_what_is_like_a_refused_call_is_not_put_among_others(
    library: Any, make_case: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether it is refused as well is found by itself."""
    monkeypatch.setattr(packs, "_refused", set())
    body = "(i0) => (o0) { c = Constant<value_float = %d.0>() k = CastLike(c, i0) t = Erf(i0) o0 = Mul(t, k) }"
    cases = []
    for number in range(40):
        entry = library.add(f"Erf{number}", (body % number, 13, 18), types=("float", "double"))
        cases += [make_case(entry, [np.zeros(n, np.float32)], np.zeros(n, np.float32), type="float") for n in (1, 2)]
        cases.append(make_case(entry, [np.zeros(1)], np.zeros(1), type="double"))
    cases += adders(library, make_case, 8)
    refusals: list[int] = []
    load = OnnxRuntime.load

    def watched(self: OnnxRuntime, model: ModelProto, signature: Signature, *, alone: bool = True) -> Session:
        try:
            return load(self, model, signature, alone=alone)
        except Refused:
            refusals.append(len(model.graph.output))
            raise

    with monkeypatch.context() as patch:
        patch.setattr(OnnxRuntime, "load", watched)
        outcomes = verify_cases(library.bundle(), cases, runtimes=OFF, workers=0)
    assert outcomes == alone(library, cases, monkeypatch, runtimes=OFF, workers=0)
    assert sum(item.status is Status.NO_KERNEL for item in outcomes) == 40
    assert len([count for count in refusals if count > 1]) == 1


def test_attributes_stay_with_their_calls(library: Any, make_case: Any, sent: list[Any]) -> None:
    entry = library.add(
        "Leaky",
        ("<a0>(i0) => (o0) { o0 = LeakyRelu<alpha: float = @a0>(i0) }", 16, 18),
        attributes=(AttributeEntry("alpha", "FLOAT", False, 0.25),),
    )
    cases = []
    for alpha in (0.5, 1.5, 2.5, None):
        x = np.array([-4.0, 4.0], np.float32)
        y = np.array([-4.0 * (0.25 if alpha is None else alpha), 4.0], np.float32)
        given = {} if alpha is None else {"alpha": alpha}
        cases.append(make_case(entry, [x], y, attributes=given, name=str(alpha)))
    outcomes = verify_cases(library.bundle(), cases, runtimes=ORT, workers=0)
    assert {item.status for item in outcomes} == {Status.PASS}
    assert [len(task.batches) for task in sent if isinstance(task, Pack)] == [4, 3]
