from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np
import pytest
from onnx import TensorProto, defs, helper, numpy_helper
from opwright.bundle.format import FunctionEntry
from opwright.diagnostics.diagnostic import Place
from opwright_build.spec.model import SpecVersion, VectorKind, VectorSource
from opwright_build.verify.case_model import Case, CollectedCases, RandomJudge, SuiteJudge, ToleranceJudge
from opwright_build.verify.cases.collect import collect_cases, update_lock
from opwright_build.verify.cases.lock import LOCK_PATH
from opwright_build.verify.cases.oracle import Limits
from opwright_build.verify.cases.suite import SuiteCase, extract


class Making(Protocol):  # of conftest.py
    root: object

    def entry_of(self, name: str, since_version: int) -> FunctionEntry: ...
    def version_of(
        self, entry: FunctionEntry, vectors: Sequence[str], *, reference: str | None = None
    ) -> SpecVersion: ...
    def write(self, entry: FunctionEntry, files: dict[str, str]) -> None: ...


ROWS = """schema: 1
rows:
  - name: edges
    inputs: {X: [nan, inf, -0.0, 1.0e30]}
  - name: stored
    types: {T: [double]}
    inputs: {X: 0.5}
    outputs: {Y: 0.25}
    scale: 2
  - name: refused
    inputs: {X: {shape: [2]}}
    error: cannot
"""
REFERENCE = """import numpy as np

def Softplus(X):
    return np.logaddexp(0.0, X)
"""


def collect(
    making: Making,
    versions: Sequence[SpecVersion],
    entries: Sequence[FunctionEntry],
    run_oracle: bool = True,
    **rest: object,
) -> CollectedCases:
    interfaces = {entry.identity: entry for entry in entries}
    return collect_cases(versions, interfaces, making.root, run_oracle, **rest)  # type: ignore[arg-type]


def softplus(
    making: Making,
    rows: str = ROWS,
    reference: str | None = REFERENCE,
    vectors: Sequence[str] = ("vectors.yaml",),
    since_version: int = 22,
) -> tuple[list[SpecVersion], list[FunctionEntry]]:
    entry = making.entry_of("Softplus", since_version)
    files = {"vectors.yaml": rows}
    if reference is not None:
        files["reference.py"] = reference
    making.write(entry, files)
    version = making.version_of(entry, vectors, reference=None if reference is None else "reference.py")
    return [version], [entry]


def codes(collected: CollectedCases) -> list[str]:
    return [item.code for item in collected.diagnostics]


def lock(making: Making, versions: Sequence[SpecVersion]) -> None:
    text = update_lock(versions, making.root)  # type: ignore[arg-type]
    assert text is not None
    (making.root / LOCK_PATH).parent.mkdir(exist_ok=True)  # type: ignore[operator]
    (making.root / LOCK_PATH).write_text(text)  # type: ignore[operator]


# The suite and its replays.


def test_all_42_plain_versions(making: Making, plain_versions: list[tuple[str, int]]) -> None:
    entries = [making.entry_of(name, since) for name, since in plain_versions]
    versions = [making.version_of(entry, ["onnx", "onnx@latest"]) for entry in entries]
    lock(making, versions)
    collected = collect(making, versions, entries)
    # The declared types that the suite has no vector of are findings; there is nothing else.
    assert set(codes(collected)) == {"OW411"}
    newest = {
        entry.identity
        for entry in entries
        if defs.get_schema(entry.name, domain="").since_version == entry.since_version
    }
    counts = Counter(case.identity for case in collected.cases)
    assert len(newest) == 28
    assert sum(counts[identity] for identity in newest) == 104
    replays = {identity: count for identity, count in counts.items() if identity not in newest}
    assert replays == {
        "ai.onnx::Elu@6": 3,
        "ai.onnx::GreaterOrEqual@12": 8,
        "ai.onnx::HardSigmoid@6": 3,
        "ai.onnx::HardSwish@14": 1,
        "ai.onnx::LessOrEqual@12": 8,
        "ai.onnx::MeanVarianceNormalization@9": 1,
        "ai.onnx::Mish@18": 1,
        "ai.onnx::Range@11": 2,
        "ai.onnx::ReduceLogSum@18": 5,
        "ai.onnx::ReduceLogSumExp@18": 9,
        "ai.onnx::Selu@6": 3,
        "ai.onnx::Softplus@1": 2,
        "ai.onnx::Softsign@1": 2,
        "ai.onnx::ThresholdedRelu@10": 3,
    }
    assert all(isinstance(case.judge, SuiteJudge) and case.judge.atol == 1e-7 for case in collected.cases)
    assert len({(case.identity, case.name) for case in collected.cases}) == len(collected.cases)


def test_a_replay_that_does_not_fit_is_skipped_with_the_reason(making: Making) -> None:
    entry = making.entry_of("Range", 11)
    versions = [making.version_of(entry, ["onnx@latest"])]
    lock(making, versions)
    collected = collect(making, versions, [entry])
    assert {item.name: item.reason for item in collected.skipped} == {
        "test_range_bfloat16_type_positive_delta": "start is bfloat16, which T does not declare",
        "test_range_float16_type_positive_delta": "start is float16, which T does not declare",
    }


def test_bfloat16_gets_the_runners_tolerance(making: Making) -> None:
    entry = making.entry_of("Celu", 28)
    collected = collect(making, [making.version_of(entry, ["onnx"])], [entry])
    judges = {case.bindings["T"]: case.judge for case in collected.cases}
    assert judges["bfloat16"] == SuiteJudge(2.0**-6, 1e-7)
    assert judges["float"] == SuiteJudge(1e-3, 1e-7)


def test_inputs_are_one_for_each_of_the_interface(making: Making) -> None:
    entry = making.entry_of("Clip", 13)
    collected = collect(making, [making.version_of(entry, ["onnx"])], [entry])
    absent = {case.name: [array is None for array in case.inputs] for case in collected.cases}
    assert absent["test_clip"] == [False, False, False]
    assert absent["test_clip_default_min"] == [False, False, True]
    assert absent["test_clip_default_max"] == [False, True, False]


def test_an_attribute_binds_the_output_type(making: Making) -> None:
    entry = making.entry_of("HannWindow", 17)
    collected = collect(making, [making.version_of(entry, ["onnx"])], [entry])
    assert {(case.bindings["T1"], case.bindings["T2"]) for case in collected.cases} == {("int32", "float")}


def test_a_pattern_narrows(making: Making) -> None:
    entry = making.entry_of("Softplus", 22)
    collected = collect(making, [making.version_of(entry, ["onnx:*_example"])], [entry])
    assert [case.name for case in collected.cases] == ["test_softplus_example"]
    collected = collect(making, [making.version_of(entry, ["onnx:test_relu*"])], [entry])
    assert "OW409" in codes(collected)


def test_an_operator_that_the_standard_lacks(making: Making) -> None:
    entry = replace(making.entry_of("Softplus", 22), domain="com.acme", since_version=1)
    collected = collect(making, [making.version_of(entry, ["onnx"])], [entry])
    assert codes(collected) == ["OW409"]
    assert "com.acme::Softplus" in collected.diagnostics[0].reason


def test_plain_onnx_may_be_empty_for_an_older_version(making: Making) -> None:
    entry = making.entry_of("Softplus", 1)
    collected = collect(making, [making.version_of(entry, ["onnx"])], [entry])
    assert codes(collected) == ["OW412"]


def test_a_direct_case_that_does_not_fit_is_an_error(making: Making) -> None:
    entry = making.entry_of("Elu", 22)
    narrow = replace(entry, types=(("T", ("double",)),), attributes=())
    collected = collect(making, [making.version_of(narrow, ["onnx"])], [narrow])
    assert codes(collected)[:3] == ["OW413"] * 3
    assert "no attribute alpha" in collected.diagnostics[0].reason


def test_the_suite_is_loaded_only_when_asked_for(making: Making) -> None:
    versions, entries = softplus(making)
    asked: list[Sequence[str]] = []

    def load(operators: Sequence[str]) -> Sequence[SuiteCase]:
        asked.append(operators)
        return extract(operators)

    collect(making, versions, entries, load_suite=load)
    assert asked == []
    versions, entries = softplus(making, vectors=["onnx", "vectors.yaml"])
    collect(making, versions, entries, load_suite=load)
    assert asked == [["Softplus"]]


# The lock.


def test_the_lock_is_checked(making: Making) -> None:
    versions, entries = softplus(making, vectors=["onnx", "vectors.yaml"])
    assert codes(collect(making, versions, entries)) == ["OW400", "OW400"]
    lock(making, versions)
    assert codes(collect(making, versions, entries)) == []
    path = making.root / LOCK_PATH  # type: ignore[operator]
    path.write_text(path.read_text() + "test_relu " + "0" * 64 + "\n")
    collected = collect(making, versions, entries)
    assert [(item.code, item.place and str(item.place)) for item in collected.diagnostics] == [
        ("OW403", "specs/vectors.lock:4:1")
    ]
    assert codes(collect(making, versions, entries, only={"ai.onnx::Softplus@22"})) == []
    path.write_bytes(b"\xff\xfe junk")
    assert codes(collect(making, versions, entries)) == ["OW402", "OW400", "OW400"]


def test_no_suite_no_lock(making: Making) -> None:
    versions, _ = softplus(making)
    assert update_lock(versions, making.root) is None  # type: ignore[arg-type]
    with_suite, _ = softplus(making, vectors=["onnx"])
    lock(making, with_suite)
    emptied = update_lock(versions, making.root)  # type: ignore[arg-type]
    assert emptied is not None
    assert [line for line in emptied.splitlines() if not line.startswith("#")] == []


# Rows and the oracle.


def by_name(collected: CollectedCases) -> dict[str, Case]:
    return {case.name: case for case in collected.cases}


def test_rows_expect_what_the_oracle_says(making: Making) -> None:
    versions, entries = softplus(making)
    collected = collect(making, versions, entries)
    assert codes(collected) == []
    assert collected.references == ("specs/ai.onnx/Softplus/reference.py",)
    cases = by_name(collected)
    assert [name for name in cases if name.startswith("edges")] == [
        f"edges[T={name}]" for name in entries[0].types[0][1]
    ]
    (expected,) = cases["edges[T=float16]"].expected or ()
    assert expected.array.dtype == np.float16
    assert expected.array.tolist()[1:] == [np.inf, np.float16(np.log(2.0)), np.inf]
    assert expected.exact is not None
    assert expected.exact[2] == np.log(2.0)
    judge = cases["edges[T=bfloat16]"].judge
    assert isinstance(judge, ToleranceJudge)
    assert set(judge.tolerances) == {"bfloat16"}


def test_stored_outputs_come_first(making: Making) -> None:
    versions, entries = softplus(making)
    case = by_name(collect(making, versions, entries))["stored[T=double]"]
    assert case.expected is not None
    assert case.expected[0].array == 0.25
    assert isinstance(case.judge, ToleranceJudge)
    assert case.judge.scale == 2.0


@pytest.mark.parametrize(
    ("scale", "wrong"),
    [
        ("4", False),
        ("4.5", True),
        ("1.0e30", True),
        ("1.0e30\n    reason: It is so.", False),
        ("3.0e3\n    inputs: {X: [1.0e3, .inf, .nan]}", False),
        ("5.0e3\n    inputs: {X: [1.0e3, .inf, .nan]}", True),
        ("20\n    outputs: {Y: 5.0}", False),
    ],
)
@pytest.mark.parametrize("stated", [True, False])
def test_a_scale_beyond_all_values_has_a_reason(making: Making, scale: str, wrong: bool, stated: bool) -> None:
    row = f"schema: 1\nrows:\n  - name: one\n    types: {{T: [double]}}\n    scale: {scale}\n"
    row += "" if "inputs" in scale else "    inputs: {X: 0.5}\n"
    row += "    outputs: {Y: 0.25}\n" if stated and "inputs" not in scale and "outputs" not in scale else ""
    found = [item for item in collect(making, *softplus(making, row)).diagnostics if item.code == "OW126"]
    assert [item.place and item.place.line for item in found] == ([5] if wrong else [])


def test_a_stored_vector_with_a_scale_beyond_its_values_has_a_reason(making: Making) -> None:
    call: dict[str, object] = {"name": "one", "inputs": {"X": {"array": "x", "type": "double"}}, "scale": 1e30}
    call["outputs"] = {"Y": {"array": "x", "type": "double"}}
    for more, expected in (({}, ["OW126"]), ({"reason": "It is so."}, [])):
        text = np.array(json.dumps({"schema": 1, "calls": [{**call, **more}]}))
        (version,), entries = softplus(making)
        source = VectorSource(VectorKind.ARRAYS, Place("spec.yaml"), path="kept.npz")
        versions = [replace(version, vectors=(source,))]
        np.savez(version.folder / "kept.npz", calls=text, x=np.array([0.5]))
        found = collect(making, versions, entries).diagnostics
        assert [item.code for item in found if item.code == "OW126"] == expected


@pytest.mark.parametrize(("operator", "expected"), [("Softplus", []), ("Softsign", ["it is a call of Softsign"])])
def test_a_directory_of_another_operator_is_refused(making: Making, operator: str, expected: list[str]) -> None:
    (version,), entries = softplus(making)
    source = VectorSource(VectorKind.BACKEND, Place("spec.yaml"), path="case/")
    values = [helper.make_tensor_value_info(name, TensorProto.DOUBLE, [1]) for name in "xy"]
    graph = helper.make_graph([helper.make_node(operator, ["x"], ["y"])], "g", values[:1], values[1:])
    data = version.folder / "case" / "test_data_set_0"
    data.mkdir(parents=True)
    (data.parent / "model.onnx").write_bytes(helper.make_model(graph).SerializeToString())
    for file in ("input_0.pb", "output_0.pb"):
        (data / file).write_bytes(numpy_helper.from_array(np.array([1.0])).SerializeToString())
    found = collect(making, [replace(version, vectors=(source,))], entries).diagnostics
    assert [item.reason for item in found if item.code == "OW154"] == [f"It is not used: {text}." for text in expected]


def test_rows_that_expect_an_error(making: Making) -> None:
    versions, entries = softplus(making)
    case = by_name(collect(making, versions, entries))["refused[T=float]"]
    assert (case.error, case.expected) == ("cannot", None)


def test_without_the_oracle_nothing_is_run(making: Making) -> None:
    versions, entries = softplus(making, reference="raise SystemExit('it was run')\n")
    collected = collect(making, versions, entries, run_oracle=False)
    assert codes(collected) == []
    assert collected.references == ()
    cases = by_name(collected)
    assert cases["edges[T=float]"].expected is None
    assert cases["stored[T=double]"].expected is not None


def test_nothing_says_what_is_right(making: Making) -> None:
    versions, entries = softplus(making, reference=None)
    collected = collect(making, versions, entries)
    assert codes(collected) == ["OW410"]
    assert collected.diagnostics[0].place is not None
    assert collected.diagnostics[0].place.line == 3


@pytest.mark.parametrize(
    ("reference", "code", "line", "text"),
    [
        ("def Softplus(X:\n", "OW415", 1, ""),
        ("x = 'a\0b'\n", "OW415", 0, ""),
        ("def softplus(X):\n    return X\n", "OW416", 0, "def Softplus"),
        ("def Softplus(X):\n    return X\nreturn 1\n", "OW418", 3, "outside function"),
        ("def Softplus(X):\n    return '\\d\\ud800'\n", "OW418", 0, "UnicodeEncodeError"),
        ("def Softplus(X):\n    return " + "-" * 50000 + "X\n", "OW415", 0, ""),
        ("import numpy\nimport os\n", "OW417", 2, ""),
        ("from . import x\n", "OW417", 1, ""),
        ("def Softplus(X):\n    import scipy.special\n", "OW417", 2, "scipy.special"),
        ("def Softplus(X):\n    return X[7:8, 0]\n", "OW418", 2, "IndexError"),
        ("def Softplus():\n    return 1.0\n", "OW418", 0, "TypeError"),
        ("1 / 0\ndef Softplus(X):\n    return X\n", "OW418", 1, "ZeroDivisionError"),
        ("def Softplus(X):\n    return X, X\n", "OW420", 0, "2 outputs"),
        ("def Softplus(X):\n    return X > 0\n", "OW420", 0, "bool"),
    ],
)
def test_references_that_cannot_be_used(making: Making, reference: str, code: str, line: int, text: str) -> None:
    versions, entries = softplus(making, reference=reference)
    collected = collect(making, versions, entries)
    assert set(codes(collected)) == {code}
    finding = collected.diagnostics[0]
    assert finding.place is not None
    assert finding.place.file == "specs/ai.onnx/Softplus/reference.py"
    assert line in (0, finding.place.line)
    assert text in finding.message + finding.reason + finding.help
    # The rows that ask nothing of it remain.
    assert {case.name for case in collected.cases} >= {"stored[T=double]", "refused[T=float]"}


def test_a_reference_that_hangs_is_given_up(making: Making) -> None:
    reference = "def Softplus(X):\n    while X.ndim:\n        pass\n    return X\n"
    rows = "schema: 1\nrows:\n" + "".join(f"  - {{name: r{n}, inputs: {{X: [1]}}}}\n" for n in range(6))
    versions, entries = softplus(making, rows + "  - {name: fine, inputs: {X: 1}}\n", reference)
    collected = collect(making, versions, entries, limits=Limits(wall=0.4))
    assert codes(collected) == ["OW419", "OW419"]
    given_up, stopped = (item.message for item in collected.diagnostics)
    assert "not asked any more" in given_up
    assert stopped == "the reference was stopped on the row `r0`"


def test_a_stop_costs_its_own_row_alone(making: Making) -> None:
    reference = "def Softplus(X):\n    if X.ndim:\n        __import__('os')._exit(3)\n    return X\n"
    rows = (
        "schema: 1\nrows:\n  - {name: bad, types: {T: [float]}, inputs: {X: [1]}}\n  - {name: fine, inputs: {X: 1}}\n"
    )
    versions, entries = softplus(making, rows, reference)
    collected = collect(making, versions, entries)
    assert codes(collected) == ["OW419"]
    assert [case.name for case in collected.cases] == [f"fine[T={name}]" for name in entries[0].types[0][1]]


def test_the_reference_must_agree_with_the_suite(making: Making) -> None:
    versions, entries = softplus(making, vectors=["onnx"])
    lock(making, versions)
    assert "OW421" not in codes(collect(making, versions, entries))
    wrong = REFERENCE.replace("0.0, X)", "0.0, X) * 1.01")
    versions, entries = softplus(making, reference=wrong, vectors=["onnx"])
    collected = collect(making, versions, entries)
    assert codes(collected)[:2] == ["OW421", "OW421"]
    assert "test_softplus" in collected.diagnostics[0].message


def test_attributes_reach_the_reference_as_the_function_sees_them(making: Making) -> None:
    entry = making.entry_of("Elu", 22)
    reference = "import numpy as np\ndef Elu(X, alpha):\n    return X * 0 + alpha\n"
    rows = "schema: 1\nrows:\n  - {name: a, attributes: {alpha: 0.1}, inputs: {X: 1}}\n  - {name: b, inputs: {X: 1}}\n"
    making.write(entry, {"vectors.yaml": rows, "reference.py": reference})
    collected = collect(making, [making.version_of(entry, ["vectors.yaml"], reference="reference.py")], [entry])
    cases = by_name(collected)
    assert (cases["a[T=double]"].expected or ())[0].array == float(np.float32(0.1))
    assert (cases["b[T=double]"].expected or ())[0].array == 1.0
    assert (dict(cases["a[T=double]"].attributes), dict(cases["b[T=double]"].attributes)) == ({"alpha": 0.1}, {})


def test_a_reference_may_ask_for_the_element_types(making: Making) -> None:
    entry = making.entry_of("Elu", 22)
    reference = "def Elu(X, alpha, *, types):\n    return X * 0 + len(types['T'])\n"
    making.write(
        entry, {"vectors.yaml": "schema: 1\nrows:\n  - {name: a, inputs: {X: 1}}\n", "reference.py": reference}
    )
    collected = collect(making, [making.version_of(entry, ["vectors.yaml"], reference="reference.py")], [entry])
    cases = by_name(collected)
    assert [(cases[f"a[T={name}]"].expected or ())[0].array for name in ("double", "bfloat16")] == [6, 8]


def test_cases_of_random_operators_are_judged_by_shape_and_type(making: Making) -> None:
    entry = making.entry_of("Bernoulli", 22)
    row = "{name: a, types: {T1: [float], T2: [int8]}, inputs: {input: [0.5]}, random: {values: [0, 1]}}"
    making.write(
        entry,
        {
            "vectors.yaml": f"schema: 1\nrows:\n  - {row}\n",
            "reference.py": "def Bernoulli(input, dtype):\n    return input\n",
        },
    )
    version = making.version_of(entry, ["onnx", "vectors.yaml"], reference="reference.py")
    collected = collect(making, [version], [entry])
    assert {case.name: case.judge for case in collected.cases} == {
        "test_bernoulli": RandomJudge(),
        "test_bernoulli_double": RandomJudge(),
        "test_bernoulli_seed": RandomJudge(),
        "a[T1=float,T2=int8]": RandomJudge((0.0, 1.0)),
    }


def test_integer_outputs_are_cut_as_cast_does(making: Making) -> None:
    entry = making.entry_of("ReduceL2", 18)
    reference = "def ReduceL2(data, axes, keepdims, noop_with_empty_axes):\n    return (data * data).sum() ** 0.5\n"
    rows = "schema: 1\nrows:\n  - {name: a, inputs: {data: [1, 2]}}\n"
    making.write(entry, {"vectors.yaml": rows, "reference.py": reference})
    collected = collect(making, [making.version_of(entry, ["vectors.yaml"], reference="reference.py")], [entry])
    (expected,) = by_name(collected)["a[T=int32]"].expected or ()
    assert (expected.array.dtype, expected.array.tolist()) == (np.int32, 2)


# Coverage.


def test_a_declared_type_without_a_vector(making: Making) -> None:
    versions, entries = softplus(
        making, "schema: 1\nrows:\n  - {name: a, types: {T: [float, double]}, inputs: {X: 1}}\n"
    )
    collected = collect(making, versions, entries)
    assert codes(collected) == ["OW411"]
    assert (
        "bfloat16, float16" in collected.diagnostics[0].message
        or "float16, bfloat16" in collected.diagnostics[0].message
    )
    assert str(collected.diagnostics[0].place) == "specs/ai.onnx/Softplus/spec.yaml:9:3"


def test_a_row_that_expects_an_error_covers_no_type(making: Making) -> None:
    versions, entries = softplus(making, "schema: 1\nrows:\n  - {name: a, inputs: {X: 1}, error: no}\n")
    assert codes(collect(making, versions, entries)) == ["OW411"]


def test_a_version_without_vectors(making: Making) -> None:
    versions, entries = softplus(making, vectors=[])
    assert codes(collect(making, versions, entries)) == ["OW412"]


def test_a_mistake_in_the_rows_is_reported_once_and_alone(making: Making) -> None:
    rows = "schema: 1\nrows:\n  - {name: a, inputs: {Y: 1}}\n  - {name: b, nonsense: 1}\n"
    versions, entries = softplus(making, rows)
    older, older_entries = softplus(making, rows, since_version=1)
    collected = collect(making, older + versions, older_entries + entries)
    assert "OW106" in codes(collected)
    assert not {"OW411", "OW412"} & set(codes(collected))
    assert len(codes(collected)) == len(set(collected.diagnostics))


# The rest of the contract.


def test_a_version_that_did_not_compile_is_left_out(making: Making) -> None:
    versions, _ = softplus(making, vectors=["onnx", "vectors.yaml"])
    lock(making, versions)
    collected = collect(making, versions, [])
    assert (collected.cases, collected.diagnostics) == ((), ())


def test_digests(making: Making) -> None:
    versions, entries = softplus(making)
    first = by_name(collect(making, versions, entries))
    assert {name: case.digest for name, case in by_name(collect(making, versions, entries)).items()} == {
        name: case.digest for name, case in first.items()
    }
    assert len({case.digest for case in first.values()}) == len(first)
    versions, entries = softplus(making, ROWS.replace("Y: 0.25", "Y: 0.26").replace("name: edges", "name: other"))
    second = by_name(collect(making, versions, entries))
    assert second["other[T=float]"].digest == first["edges[T=float]"].digest
    assert second["stored[T=double]"].digest != first["stored[T=double]"].digest
    versions, entries = softplus(making, ROWS.replace("scale: 2", "scale: 3").replace("cannot", "can not"))
    third = by_name(collect(making, versions, entries))
    assert third["stored[T=double]"].digest != first["stored[T=double]"].digest
    assert third["refused[T=float]"].digest != first["refused[T=float]"].digest
