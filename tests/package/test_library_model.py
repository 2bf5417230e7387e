"""The library model: valid at every opset, complete, callees first, and computing what the bodies compute."""

from __future__ import annotations

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import ModelProto, TensorProto, helper
from opwright.bundle.format import AttributeEntry
from opwright.variants import Profile
from opwright_build.package.library_model import export_model

from tests.link.conftest import LibraryBuilder
from tests.package.sample import sample_library

BUNDLE = sample_library()


def names(model: ModelProto) -> list[tuple[str, str]]:
    return [(function.name, function.overload) for function in model.functions]


@pytest.mark.parametrize("opset", range(13, 25))
@pytest.mark.parametrize("profile", Profile)
def test_it_passes_the_checker_at_every_opset(opset: int, profile: Profile) -> None:
    model = export_model(BUNDLE, opset, profile)
    onnx.checker.check_model(model, full_check=True)
    assert {(item.domain, item.version) for item in model.opset_import} == {("", opset), ("acme.mirror", 3)}
    assert model.ir_version >= 10


def test_each_function_is_there_in_its_newest_version() -> None:
    assert sorted(names(export_model(BUNDLE, 18))) == [
        ("Limit__most_absent", ""),
        ("Limit__most_present", ""),
        ("Scale", ""),
        ("Scale__since_1", ""),
        ("Split2", ""),
        ("Twice", ""),
    ]


def test_variants_have_overloads_on_request() -> None:
    assert sorted(names(export_model(BUNDLE, 18, Profile.OVERLOAD)))[:2] == [
        ("Limit", "most=absent"),
        ("Limit", "most=present"),
    ]


def test_a_function_without_a_body_at_the_opset_is_left_out() -> None:
    assert {name for name, _ in names(export_model(BUNDLE, 13))} == {
        "Limit__most_absent",
        "Limit__most_present",
        "Split2",
    }


def test_callees_come_first_and_every_attribute_is_written_at_every_call() -> None:
    model = export_model(BUNDLE, 18)
    seen: set[str] = set()
    declared = {function.name: {item.name for item in function.attribute_proto} for function in model.functions}
    for function in model.functions:
        for node in function.node:
            if node.domain:
                assert node.op_type in seen
                assert {attribute.name for attribute in node.attribute} == declared[node.op_type]
        seen.add(function.name)


def test_a_call_into_the_exported_model_computes_the_function() -> None:
    model = export_model(BUNDLE, 18)
    model.graph.node.append(helper.make_node("Twice", ["x"], ["y"], domain="acme.mirror"))
    model.graph.input.append(helper.make_tensor_value_info("x", TensorProto.FLOAT, [3]))
    model.graph.output.append(helper.make_tensor_value_info("y", TensorProto.FLOAT, [3]))
    session = ort.InferenceSession(model.SerializeToString())
    x = np.array([-4, 0, 8], np.float32)
    np.testing.assert_array_equal(session.run(None, {"x": x})[0], x / 4)


def test_the_same_bytes_every_time() -> None:
    models = {export_model(sample_library(), 18).SerializeToString(deterministic=True) for _ in range(2)}
    assert len(models) == 1


def test_a_long_chain_of_calls_is_shortened_until_the_checker_takes_it() -> None:
    library = LibraryBuilder()
    library.add("F0", "(x) => (y) { y = Neg(x) }")
    for level in range(1, 150):
        library.add(f"F{level}", f"(x) => (y) {{ y = com.acme.F{level - 1}(x) }}")
    onnx.checker.check_model(export_model(library.bundle(), 18), full_check=True)


def test_defaults_are_kept_in_the_functions() -> None:
    library = LibraryBuilder()
    library.add(
        "Soft",
        "<axis>(x) => (y) { y = Softmax<axis: int = @axis>(x) }",
        attributes=[AttributeEntry("axis", "INT", False, 1)],
    )
    [function] = export_model(library.bundle(), 18).functions
    assert [(item.name, item.i) for item in function.attribute_proto] == [("axis", 1)]
