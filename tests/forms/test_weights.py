"""Weights in files, lazy ones and large ones stay what they are, and nothing of them is lost."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx_ir
import pytest
from onnx import ModelProto, TensorProto, helper, numpy_helper
from opwright import attach, compare, convert, decompile, detach, inspect, polyfill, proto_function, upgrade
from opwright.bundle.format import Bundle

from tests.forms.conftest import ONNXProgram, as_onnx_ir_says, session_of, with_weights
from tests.link.conftest import parse, refused

X = np.random.default_rng(9).standard_normal((1, 600), np.float32)


def run(model: ModelProto) -> np.ndarray[Any, Any]:
    return np.asarray(session_of(model).run(None, {"x": X})[0])


def expected(model: ModelProto) -> np.ndarray[Any, Any]:
    made = X / (1 + np.exp(-1.5 * X))
    for tensor in model.graph.initializer:
        made = made @ numpy_helper.to_array(tensor)
    return np.asarray(made)


def in_two_folders(model: ModelProto, folder: Path) -> onnx_ir.Model:
    """The model, each of its two weights in a file of one name in a folder of its own."""
    made = onnx_ir.from_proto(model)
    for name, value in made.graph.initializers.items():
        assert value.const_value is not None and value.shape is not None
        (folder / name).mkdir()
        (folder / name / "weights.bin").write_bytes(value.const_value.tobytes())
        value.const_value = onnx_ir.ExternalTensor(
            "weights.bin", 0, value.const_value.nbytes, value.const_value.dtype,
            shape=onnx_ir.Shape(value.shape), name=name, base_dir=str(folder / name),
        )  # fmt: skip
    return made


def tensors_of(model: onnx_ir.Model) -> dict[str, Any]:
    return {name: value.const_value for name, value in model.graph.initializers.items()}


WORK: dict[str, Callable[[Any, Bundle], Any]] = {
    "attach": attach,
    "attach inlined": lambda model, acme: attach(model, acme, inline=True),
    "detach": lambda model, acme: detach(attach(model, acme)),
    "polyfill": lambda model, acme: polyfill(attach(model, acme), opset=16, libraries=acme),
    "convert": lambda model, acme: convert(attach(model, acme), opset=22, libraries=acme),
    "upgrade": lambda model, acme: upgrade(attach(model, acme), acme),
}


@pytest.mark.parametrize("work", WORK)
def test_tensors_of_onnx_ir_in_files_keep_their_folders(work: str, acme: Bundle, tmp_path: Path) -> None:
    model = with_weights()
    given = in_two_folders(model, tmp_path)
    made = WORK[work](given, acme)
    assert made is not given
    for name, tensor in tensors_of(made).items():
        assert tensor is tensors_of(given)[name]
    again = onnx_ir.external_data.load_to_model(made)
    assert as_onnx_ir_says(onnx_ir.to_proto(again)) == as_onnx_ir_says(WORK[work](model, acme))
    if work != "detach":
        np.testing.assert_allclose(run(onnx_ir.to_proto(again)), expected(model), rtol=1e-3, atol=1e-5)


def test_compare_and_decompile_read_them(acme: Bundle, tmp_path: Path) -> None:
    model = with_weights()
    given = in_two_folders(model, tmp_path)
    assert compare(given, model)
    assert not compare(given, with_weights(seed=6))
    made = decompile(given)
    assert made.text == decompile(model).text
    for name, array in made.arrays.items():
        np.testing.assert_array_equal(array, numpy_helper.to_array(model.graph.initializer["ab".index(name)]))
    assert inspect(attach(given, acme), acme)[0].state.value == "unaltered"


@pytest.mark.parametrize("name", ["attach", "detach", "polyfill", "convert", "upgrade"])
def test_a_large_lazy_tensor_is_not_made(name: str, acme: Bundle) -> None:
    model = with_weights()
    given, made = onnx_ir.from_proto(model), list[str]()

    def lazily(value: Any) -> onnx_ir.LazyTensor:
        tensor = value.const_value
        return onnx_ir.LazyTensor(
            lambda: (made.append(value.name), tensor)[1], dtype=tensor.dtype, shape=tensor.shape, name=value.name
        )

    for value in given.graph.initializers.values():
        value.const_value = lazily(value)
    result = WORK[name](given, acme)
    assert made == []
    assert as_onnx_ir_says(onnx_ir.to_proto(result)) == as_onnx_ir_says(WORK[name](model, acme))


def test_a_tensor_without_elements_stays_one(acme: Bundle) -> None:
    """torch exports models of fake tensors, and puts the weights in afterwards."""

    class Fake(onnx_ir.LazyTensor):
        def tobytes(self) -> bytes:
            raise TypeError("a fake tensor has no elements")

    given = onnx_ir.from_proto(with_weights(size=4))
    for value in given.graph.initializers.values():
        tensor = value.const_value
        assert tensor is not None
        value.const_value = Fake(lambda: None, dtype=tensor.dtype, shape=tensor.shape, name=value.name)  # type: ignore[arg-type, return-value]
    made = attach(given, acme)
    assert tensors_of(made) == tensors_of(given)
    (found,) = refused(lambda: compare(made, made))
    assert (found.code, found.reason) == ("OW550", "TypeError: a fake tensor has no elements")


def test_tensors_of_nodes_graphs_and_functions(tmp_path: Path, acme: Bundle) -> None:
    text = """<ir_version: 10, opset_import: ["": 18, "d": 1, "com.acme": 1]>
    g (float[2] x, bool c) => (float[2] y) {
      a = Constant<value = float[2] {1, 2}>()
      b = If (c) <then_branch: graph = one () => (float[2] r) <float[2] v = {3, 4}> { r = Add(v, x) },
                  else_branch: graph = two () => (float[2] s) { t = Constant<value = float[2] {5, 6}>() s = Mul(t, x) }>
      f = d.F(b)  e = Add(a, f) y = com.acme.Swish(e) }
    <domain: "d", opset_import: ["": 18]> F (x) => (y) { k = Constant<value = float[2] {7, 8}>() y = Add(x, k) }"""
    model = onnx_ir.from_proto(parse(text))
    count = 0

    def outside(tensor: Any) -> onnx_ir.ExternalTensor:
        nonlocal count
        count += 1
        folder = tmp_path / f"{count}"
        folder.mkdir()
        (folder / "w").write_bytes(tensor.tobytes())
        return onnx_ir.ExternalTensor(
            "w", None, None, tensor.dtype, shape=onnx_ir.Shape(tensor.shape), name=tensor.name or "", base_dir=folder
        )

    for graph in model.graphs():
        for value in graph.initializers.values():
            value.const_value = outside(value.const_value)
        for node in graph:
            if node.op_type == "Constant":
                tensor = outside(node.attributes["value"].as_tensor())
                node.attributes["value"] = onnx_ir.AttrTensor("value", tensor)
    for function in model.functions.values():
        tensor = outside(function[0].attributes["value"].as_tensor())
        function[0].attributes["value"] = onnx_ir.AttrTensor("value", tensor)
    assert count == 4
    made = attach(model, acme)
    assert compare(detach(made), parse(text))
    assert not compare(detach(made), parse(text.replace("{7, 8}", "{7, 9}")))
    assert not compare(detach(made), parse(text.replace("{3, 4}", "{3, 9}")))


def test_a_program_keeps_its_weights(torch_onnx: type[ONNXProgram], acme: Bundle, tmp_path: Path) -> None:
    model = with_weights()
    given = torch_onnx(in_two_folders(model, tmp_path), "exported")
    made = attach(given, acme)
    assert (type(made), made.exported_program) == (torch_onnx, "exported")
    assert tensors_of(made.model) == tensors_of(given.model)


def saved_outside(model: ModelProto, folder: Path) -> Path:
    folder.mkdir()
    model = onnx.load_from_string(model.SerializeToString())  # onnx changes what it saves
    onnx.save(model, folder / "model.onnx", save_as_external_data=True, location="w.bin", size_threshold=0)
    return folder / "model.onnx"


def test_of_a_path_the_weights_are_loaded(acme: Bundle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = with_weights()
    path = saved_outside(model, tmp_path / "there")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    made = attach(path, acme)
    np.testing.assert_allclose(run(made), expected(model), rtol=1e-3, atol=1e-5)
    assert {item.data_location for item in made.graph.initializer} == {TensorProto.DEFAULT}
    assert compare(detach(made), path)
    assert compare(polyfill(path, opset=16, libraries=acme), polyfill(model, opset=16, libraries=acme))
    assert decompile(path).text == decompile(model).text
    assert inspect(path) == inspect(model)


def test_a_path_as_a_function_has_its_weights(tmp_path: Path) -> None:
    model = parse('<ir_version: 8, opset_import: ["": 18]> g (float[N] x) => (float[N] y) { y = Mul(x, w) }')
    model.graph.initializer.append(numpy_helper.from_array(np.array([2.0], np.float32), "w"))
    path = saved_outside(model, tmp_path / "there")
    x = np.array([1.0, 3.0], np.float32)
    np.testing.assert_array_equal(proto_function(path)(x), 2 * x)
    (found,) = refused(lambda: proto_function(onnx.load(path, load_external_data=False)))
    assert found.code == "OW386"


def test_weights_that_are_not_there(acme: Bundle, tmp_path: Path) -> None:
    path = saved_outside(with_weights(), tmp_path / "there")
    (path.parent / "w.bin").unlink()
    (found,) = refused(lambda: attach(path, acme))
    assert (found.code, "w.bin" in found.reason) == ("OW550", True)
    assert [item.name for item in inspect(path)] == ["Swish"]  # which asks for none


def test_bytes_and_protos_name_the_files_that_they_named(acme: Bundle, tmp_path: Path) -> None:
    path = saved_outside(with_weights(), tmp_path / "there")
    for given in (path.read_bytes(), onnx.load(path, load_external_data=False)):
        made = attach(given, acme)
        proto = made if isinstance(made, ModelProto) else onnx.load_from_string(made)
        before = onnx.load(path, load_external_data=False)
        assert list(proto.graph.initializer) == list(before.graph.initializer)
    assert decompile(path.read_bytes(), folder=path.parent).text == decompile(path).text


def test_an_element_type_that_numpy_lacks(tmp_path: Path) -> None:
    """Its elements are packed, two in a byte."""
    model = parse('<ir_version: 10, opset_import: ["": 21]> g () => (int4[5] y) { y = Identity(w) }')
    model.graph.initializer.append(helper.make_tensor("w", TensorProto.INT4, [5], [1, -2, 3, -4, 5]))
    given = onnx_ir.from_proto(model)
    value = given.graph.initializers["w"]
    assert value.const_value is not None
    (tmp_path / "w").write_bytes(value.const_value.tobytes())
    value.const_value = onnx_ir.ExternalTensor(
        "w", 0, 3, onnx_ir.DataType.INT4, shape=onnx_ir.Shape([5]), name="w", base_dir=tmp_path
    )
    assert compare(given, model)
