"""The whole package: files that backends, evaluators and the standard's own test classes take."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper, shape_inference
from onnx.reference import ReferenceEvaluator
from opwright_build.propose.inference import TypeKind, TypeRule, infer_rules
from opwright_build.propose.node_cases import choose_cases
from opwright_build.propose.reference_class import render_reference
from opwright_build.verify.case_model import Expected, Items, Status, ToleranceJudge
from opwright_build.verify.judge.outputs import judge_outputs

from tests.propose.conftest import Made, Propose

KNOWN = ("Softplus@22", "Clip@13", "Gelu@20", "Range@11")  # operators that the installed onnx has
NEW = ("SquareFlip@22", "Halve@5", "Over@22", "Twice@1")
RUNNER = Path(__file__).with_name("backend_run.py")


@pytest.fixture(scope="session")
def written(propose: Propose, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The folders of all proposals."""
    root = tmp_path_factory.mktemp("written")
    folders = {}
    for name in (*KNOWN, *NEW):
        folders[name] = root / name
        for path, data in propose(name).package().files.items():
            (folders[name] / path).parent.mkdir(parents=True, exist_ok=True)
            (folders[name] / path).write_bytes(data)
    return folders


def run(kind: str, folders: Sequence[Path]) -> str:
    command = [sys.executable, str(RUNNER), kind, *map(str, folders)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip()


@pytest.mark.long
def test_the_folders_run_under_the_standards_runner(written: dict[str, Path]) -> None:
    assert run("folders", [written[name] for name in KNOWN]).startswith("OK")


def test_the_python_makes_the_folders(written: dict[str, Path]) -> None:
    assert run("modules", [written[name] for name in KNOWN]) == "OK 21"


@pytest.mark.parametrize("name", [*KNOWN, *NEW])
def test_every_expansion_passes_everywhere(name: str, propose: Propose) -> None:
    checked = propose(name).package().checked
    assert [item for item in checked if item.status is Status.FAIL] == []
    assert {item.runtime for item in checked if item.status is Status.PASS} >= {"reference", "onnxruntime/full"}


@pytest.mark.parametrize("name", NEW)
def test_a_wrong_vector_is_found(name: str, propose: Propose) -> None:
    made = propose(name)
    (first, *rest) = made.cases
    assert first.expected is not None
    wrong = tuple(Expected((item.array + 1).astype(item.array.dtype)) for item in first.expected)
    broken = Made(made.proposal, (replace(first, expected=wrong), *rest), made.reference)
    assert any(item.status is Status.FAIL for item in broken.package().checked)


# ------------------------------------------------------------------------------------- reference evaluator


@pytest.mark.parametrize("name", ["Softplus@22", "Clip@13", "Over@22", "Halve@5", "Twice@1"])
def test_the_evaluators_class_gives_what_the_tests_expect(name: str, propose: Propose) -> None:
    made = propose(name)
    files = made.package().files
    (path,) = (path for path in files if "/op_" in path)
    module = ModuleType("proposed")
    exec(compile(files[path], path, "exec"), module.__dict__)
    operator = getattr(module, made.proposal.entry.name)
    if not made.proposal.home.domain:
        operator.op_domain = ""
    for case in made.chosen.cases:
        folder = path_of(files, case.name)
        model = onnx.load_from_string(files[f"{folder}/model.onnx"])
        del model.functions[:]
        given = {item[0]: item[1] for item in case.inputs if item is not None}
        with np.errstate(all="ignore"):
            outputs = ReferenceEvaluator(model, new_ops=[operator]).run(None, given)
        expected = [Expected(array) for _, array in case.outputs]
        names = [value for value, _ in case.outputs]
        assert judge_outputs(case.case.judge, names, expected, [np.asarray(item) for item in outputs]) == ""


@pytest.mark.parametrize(
    ("inputs", "told"),
    [
        ({"X": np.ones(2, np.float32)}, {"T": "float", "S": "float", "U": "float"}),
        (
            {"X": np.ones(2, np.float64), "start": np.ones((), np.int64)},
            {"T": "double", "S": "int64", "U": "double"},
        ),
    ],
)
def test_the_class_tells_its_function_the_types(inputs: Any, told: dict[str, str], propose: Propose) -> None:
    """That of an input which may be absent and has a variable to itself too."""
    made = propose("Over@22")
    entry = made.proposal.entry
    (first, count) = entry.outputs
    proposal = replace(made.proposal, entry=replace(entry, outputs=(first, replace(count, type="T"))))
    rules = infer_rules(proposal, [])
    of_input = TypeRule(TypeKind.INPUT)
    rules = replace(rules, types=(replace(rules.types[0], absent=of_input), of_input))
    text = render_reference(proposal, rules, "def Over(X, start, *, types):\n    raise KeyError(types)\n", "Over")
    assert text is not None
    namespace: dict[str, Any] = {}
    exec(compile(text, "op_over.py", "exec"), namespace)
    node = helper.make_node("Over", list(inputs), ["Y", "count"])
    operator = namespace["Over"](node, {"log": None, "opsets": {"": 22}, "new_ops": None})
    with pytest.raises(KeyError) as raised:
        operator._run(**inputs)
    assert raised.value.args == (told,)


def path_of(files: Any, test: str) -> str:
    (path,) = (path for path in files if path.endswith(f"/{test}/model.onnx"))
    return str(path).removesuffix("/model.onnx")


# ----------------------------------------------------------------------------------------- shape inference


class Harness:
    """What the standard's class of these tests offers to its methods."""

    def _make_graph(self, seeds: Any, nodes: Any, values: Any) -> onnx.GraphProto:
        inputs = [helper.make_tensor_value_info(name, kind, shape) for name, kind, shape in seeds]
        return helper.make_graph(nodes, "test", inputs, [], value_info=values)

    def _assert_inferred(self, graph: onnx.GraphProto, values: Any, opset_imports: Any) -> None:
        model = helper.make_model(graph, opset_imports=opset_imports)
        inferred = shape_inference.infer_shapes(model, check_type=True, strict_mode=True)
        found = {value.name: value.type.tensor_type for value in inferred.graph.value_info}
        for value in values:
            wanted, got = value.type.tensor_type, found[value.name]
            assert got.elem_type == wanted.elem_type
            assert got.HasField("shape") == wanted.HasField("shape")
            dims = zip(got.shape.dim, wanted.shape.dim, strict=True)
            assert all(
                (a.dim_value, a.dim_param) == (b.dim_value, b.dim_param) for a, b in dims if b.WhichOneof("value")
            )


@pytest.mark.parametrize("name", ["Softplus@22", "Clip@13", "Gelu@20", "Range@11"])
def test_shape_tests_hold_for_the_operators_that_onnx_has(name: str, propose: Propose) -> None:
    text = propose(name).package().files["insert/shape_inference_test.py"]
    namespace: dict[str, Any] = {}
    exec(compile(text, "shape_inference_test.py", "exec"), namespace)
    (tests,) = (value for key, value in namespace.items() if key.startswith("Test"))
    methods = [method for key, method in vars(tests).items() if key.startswith("test_")]
    assert len(methods) >= 3
    for method in methods:
        method(Harness())


# ----------------------------------------------------------------------------------------------- the rest


def test_conversions_name_both_versions(propose: Propose) -> None:
    files = propose("Softplus@22").package().files
    assert b'_test_op_upgrade(\n            "Softplus",\n            22,' in files["insert/automatic_upgrade_test.py"]
    assert (
        b'_test_op_downgrade(\n            "Softplus",\n            1,' in files["insert/automatic_downgrade_test.py"]
    )
    registration = files["insert/registration.h"].decode()
    assert 'CompatibleAdapter>("Softplus", OpSetID(21), OpSetID(22))' in registration
    assert 'TypeRestriction>("Softplus", OpSetID(22), OpSetID(21)' in registration
    assert "TensorProto_DataType_BFLOAT16" in registration


def test_rows_too_large_for_a_source_are_named(propose: Propose) -> None:
    made = propose("Softplus@22")
    assert made.chosen.left_out == ("large",)
    assert "large" in made.package().files["CHECKLIST.md"].decode()


def test_every_element_type_has_a_test(propose: Propose) -> None:
    made = propose("Clip@13")
    assert {case.case.bindings["T"] for case in made.chosen.cases} == {"float", "double", "int32"}


def test_a_domain_of_somebody_else_gets_what_makes_sense(propose: Propose) -> None:
    files = propose("Twice@1").package().files
    assert [path for path in files if not path.startswith("node/")] == [
        "CHECKLIST.md",
        "Operators.md",
        "RFC.md",
        "reference/op_twice.py",
        "schema.cc",
    ]
    model = onnx.load_from_string(files["node/test_com_acme_twice_biased/model.onnx"])
    tensor = TensorProto.FromString(files["node/test_com_acme_twice_biased/test_data_set_0/output_0.pb"])
    given = [
        TensorProto.FromString(files[f"node/test_com_acme_twice_biased/test_data_set_0/input_{at}.pb"]) for at in (0, 1)
    ]
    arrays = {item.name: numpy_helper.to_array(item) for item in given}
    (result,) = ReferenceEvaluator(model).run(None, arrays)
    np.testing.assert_array_equal(result, numpy_helper.to_array(tensor))


def test_the_same_bytes_each_time(propose: Propose) -> None:
    made = propose("Clip@13")
    assert Made(made.proposal, made.cases, made.reference).package().files == made.package().files


@pytest.mark.parametrize(("name", "since_version"), [("SquareFlip@22", 99), ("Halve@5", 9)])
def test_a_version_that_onnx_has_not_yet_is_left_to_a_person(name: str, since_version: int, propose: Propose) -> None:
    made = propose(name)
    assert "DomainToVersionRange" not in made.package().files["CHECKLIST.md"].decode()
    later = replace(made.proposal, entry=replace(made.proposal.entry, since_version=since_version))
    text = Made(later, (), made.reference).package().files["CHECKLIST.md"].decode()
    assert f"to {since_version}: `DomainToVersionRange`" in text


def test_a_template_gets_a_schema_without_a_body(propose: Propose) -> None:
    made = propose("Clip@13")
    files = Made(replace(made.proposal, is_template=True), made.cases, made.reference).package().files
    assert b"FunctionBody" not in files["insert/schema.cc"]
    assert "Write the function body by hand: it is a template" in files["CHECKLIST.md"].decode()
    assert any(path.endswith("_expanded/model.onnx") for path in files), "its instances are tested all the same"


def test_vectors_with_sequences_or_graphs_are_no_node_tests(propose: Propose) -> None:
    made = propose("Softplus@22")
    rows = [case for case in made.cases if isinstance(case.judge, ToleranceJudge)]
    sequence = replace(rows[0], name="sequence", inputs=(Items("float", ()),))
    graph = replace(rows[0], name="graph", attributes={"body": onnx.GraphProto()})
    chosen = choose_cases(made.proposal, [*rows, sequence, graph])
    assert chosen.not_tensors == ("sequence", "graph")
    assert [case.name for case in chosen.cases] == [case.name for case in choose_cases(made.proposal, rows).cases]
