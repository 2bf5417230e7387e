"""The judges see a model of the same meaning, without its weights."""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from opwright.graphs.inline_weights import HEAVY
from opwright.link import check
from opwright.link.check import check_model, undefined_nodes, without_weights

from tests.link.conftest import parse, refused

HEADER = '<ir_version: 10, opset_import: ["": 18]> '
TEXT = (
    HEADER
    + """g (float[1, 2] x, bool c) => (float[1, 2] y) {
    k = Constant<value = float[1] {1}>()
    t = MatMul(x, w)
    y = If (c) <then_branch = p () => (float[1, 2] a) <float[2] b> { a = Add(t, b) },
                else_branch = q () => (float[1, 2] d) { d = Add(t, k) }>
}"""
)


def external(name: str, *dims: int) -> TensorProto:
    tensor = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=dims, data_location=TensorProto.EXTERNAL)
    tensor.external_data.add(key="location", value="nowhere.bin")
    return tensor


def test_a_model_without_weights_is_judged_as_it_is() -> None:
    model = parse(HEADER + "g (float[N] x) => (float[N] y) { y = Neg(x) }")
    assert without_weights(model) is model
    assert check_model(model, model, "m") == []


def test_external_and_large_tensors_are_left_out_wherever_they_are() -> None:
    model = parse(TEXT)
    model.graph.initializer.append(external("w", 2, 2))
    branch = model.graph.node[2].attribute[0].g
    branch.initializer.append(external("b", 2))
    del branch.value_info[:]
    model.graph.node[0].attribute[0].t.CopyFrom(external("", 1))
    model.graph.initializer.append(numpy_helper.from_array(np.zeros(HEAVY // 4 + 1, np.float32), "large"))
    model.graph.initializer.append(numpy_helper.from_array(np.zeros(3, np.float32), "small"))
    before = model.SerializeToString(deterministic=True)
    light = without_weights(model)
    assert [value.name for value in light.graph.input] == ["x", "c", "w", "large", "k", "b"]
    assert [tensor.name for tensor in light.graph.initializer] == ["small"]
    assert light.ByteSize() < 2000
    assert check_model(model, model, "m") == []
    assert model.SerializeToString(deterministic=True) == before


def test_wrong_shapes_of_weights_are_still_found() -> None:
    model = parse(TEXT)
    model.graph.initializer.append(external("w", 3, 3))
    del model.graph.node[2].attribute[0].g.value_info[:]
    model.graph.node[2].attribute[0].g.initializer.append(external("b", 2))
    (found,) = refused(lambda: check_model(model, parse(TEXT.replace("MatMul(x, w)", "Neg(x)")), "m"))
    assert (found.code, found.message) == ("OW566", "the model would not be valid")
    assert "onnx.checker" in found.reason
    (found,) = refused(lambda: check_model(model, model, "m"))
    assert found.code == "OW567"


def test_whose_fault_it_is() -> None:
    good = parse(HEADER + "g (float[2, 3] x) => (float[N, M] y) { y = Neg(x) }")
    bad = parse(HEADER + "g (float[2, 3] x) => (float[N, M] y) { y = Transpose<perm = [1, 1]>(x) }")
    (found,) = refused(lambda: check_model(bad, good, "m"))
    assert found.message == "the model would not be valid"
    # Another fault than before is not its author's.
    worse = parse(HEADER + "g (float[2, 3] x) => (float[N, M] y) { y = Transpose<perm = [1]>(x) z = Neg<a = 1>(y) }")
    (found,) = refused(lambda: check_model(worse, bad, "m"))
    assert found.message == "the model would not be valid"


def test_what_was_invalid_before_is_a_warning_where_onnxruntime_takes_it() -> None:
    model = parse(HEADER + "g (float[N] x) => (float[N] y) { y = Neg(x) }")
    assert model.graph.node[0].attribute.add(name="unknown", type=1, f=1.0)
    found = check_model(model, model, "m")
    assert [(item.code, item.severity.value) for item in found] == [("OW588", "warning"), ("OW568", "note")]
    assert "unknown" in found[0].reason


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"ir_version": 14}, "Unsupported model IR version: 14"),
        ({"opset": 28}, "ONNX Runtime only *guarantees* support"),
        ({"domain": "nowhere"}, "nowhere:Erf(-1) is not a registered function/op"),
        ({"double": True}, "Could not find an implementation for Erf(13)"),
    ],
)
def test_what_onnxruntime_lacks_is_a_note(change: Mapping[str, Any], reason: str) -> None:
    model = parse(HEADER + "g (float[N] x) => (float[N] y) { y = Erf(x) }")
    model.ir_version = change.get("ir_version", 10)
    model.opset_import[0].version = change.get("opset", 18)
    if "domain" in change:
        model.graph.node[0].domain = change["domain"]
        model.opset_import.append(helper.make_opsetid(change["domain"], 1))
    if "double" in change:
        for value in (*model.graph.input, *model.graph.output):
            value.type.tensor_type.elem_type = TensorProto.DOUBLE
    (note,) = check_model(model, model, "m")
    assert (note.code, note.severity.value) == ("OW568", "note")
    assert reason in note.reason
    assert "onnxruntime_src" not in note.reason


def test_what_only_onnxruntime_finds_is_an_error() -> None:
    model = parse(HEADER + "g (float[N] x) => (float[N] y) { [same] t = Neg(x) [same] y = Neg(t) }")
    (found,) = refused(lambda: check_model(model, model, "m"))
    assert found.code == "OW567"
    assert found.reason.startswith("This is an invalid model. Error: two nodes with same node name")


def test_domains_that_nothing_defines_are_named_once() -> None:
    model = parse("""<ir_version: 10, opset_import: ["": 18, "far": 1, "my": 1, "com.microsoft": 1]>
    g (float[N] x, bool c) => (float[N] y) {
        a = far.A(x) b = my.Mine(a) d = com.microsoft.FusedGelu(b)
        y = If (c) <then_branch = p () => (r) { r = far.A(d) }, else_branch = q () => (s) { s = far.B(x) }>
    }
    <domain: "my", opset_import: ["": 18, "near": 1]> Mine (x) => (y) { y = near.C(x) }""")
    far, near = undefined_nodes(model, "m")
    assert (far.code, far.reason) == ("OW573", "neither a library nor the model has A, B")
    assert "domain near " in near.message


def test_without_onnxruntime_there_is_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    imports = builtins.__import__

    def without(name: str, *rest: Any, **options: Any) -> Any:
        if name == "onnxruntime":
            raise ImportError(name)
        return imports(name, *rest, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    model = parse(HEADER + "g (float[N] x) => (float[N] y) { y = Neg(x) }")
    assert [item.code for item in check_model(model, onnx.ModelProto(), "m")] == ["OW568"]


def test_a_type_that_has_no_kernel_once_casts_were_put_around_it_is_a_note() -> None:
    """onnxruntime says it in other words than of a type without a kernel."""
    model = helper.make_model(
        helper.make_graph(
            [helper.make_node("Cast", ["x"], ["y"], to=onnx.TensorProto.FLOAT4E2M1)],
            "g",
            [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT16, [2])],
            [helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT4E2M1, [2])],
        ),
        opset_imports=[helper.make_opsetid("", 23)],
        ir_version=11,
    )
    (note,) = check_model(model, onnx.ModelProto(), "m")
    assert (note.code, note.severity.value) == ("OW568", "note")
    assert note.reason.startswith("Failed to find kernel for Cast(23)")


def test_a_model_that_loads_with_its_functions_in_place_of_their_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    """What onnxruntime has against a model may be how functions are called: that is tried, and told."""
    model = parse(
        """<ir_version: 10, opset_import: ["": 18, "my": 1]> g (float[N] x) => (float[N] y) { y = my.F(x) }
        <domain: "my", opset_import: ["": 18]> F (a) => (b) { b = Neg(a) }"""
    )
    nothing = onnx.ModelProto()  # of which onnxruntime is not asked
    for loads, advice in ((True, "inline=True"), (False, "tell their authors")):

        def refusal(_: object, tried: onnx.ModelProto, loads: bool = loads) -> str:
            return "" if loads and not tried.functions else "this is wrong"

        monkeypatch.setattr(check, "_refusal", refusal)
        (found,) = refused(lambda: check_model(model, nothing, "m"))
        assert (found.code, found.reason) == ("OW567", "this is wrong")
        assert advice in found.help
