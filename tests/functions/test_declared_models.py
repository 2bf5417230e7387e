"""What a script says of a model beside its nodes: names that Python lacks, imports, initializers, exact types."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx.reference import ReferenceEvaluator
from opwright import FLOAT, INT64, DiagnosticError, Opset, OptionalValue, Tensor, opset22, opset_ai_onnx_ml3, script
from opwright import opset18 as op

ml = opset_ai_onnx_ml3


@script()
def scaled(x: FLOAT["N"], weights: FLOAT[2], sizes: INT64[1]) -> FLOAT[None]:
    shifted = op.Reshape(x + weights, sizes)
    return ml.Binarizer(shifted)


WEIGHTS = np.array([1, -4], np.float32)
TENSORS = {"weights": WEIGHTS, "sizes": np.array([2])}


def refused(**arguments: object) -> str:
    with pytest.raises(DiagnosticError) as caught:
        scaled.to_model_proto(**arguments)  # type: ignore[arg-type]
    assert [item.code for item in caught.value.diagnostics] == ["OW354"]
    return caught.value.diagnostics[0].message


def test_names_that_python_lacks() -> None:
    model = scaled.to_model_proto(names={"x": "x:0", "weights": "shifted", "result": "y/0"})
    onnx.checker.check_model(model, full_check=True)
    assert [item.name for item in model.graph.input] == ["x:0", "shifted", "sizes"]
    assert model.graph.output[0].name == "y/0"
    given = {"x:0": np.array([1, 2], np.float32), "shifted": WEIGHTS, "sizes": np.array([2])}
    assert ReferenceEvaluator(model).run(None, given)[0].tolist() == [1, 0]


def test_names_that_collide_or_are_nobodys() -> None:
    assert "one name" in refused(names={"x": "sizes"})
    assert "`x` and `weights` would have one name, 'a'" in refused(names={"x": "a", "weights": "a"})
    assert "no input" in refused(names={"shifted": "a"})
    assert "cannot be called ''" in refused(names={"x": ""})
    assert "cannot be called ''" in refused(names={"result": ""})
    assert "cannot be called None" in refused(names={"x": None})


def test_initializers_are_no_inputs() -> None:
    model = scaled.to_model_proto(initializers=TENSORS)
    onnx.checker.check_model(model, full_check=True)
    assert [item.name for item in model.graph.input] == ["x"]
    assert sorted(item.name for item in model.graph.initializer) == ["sizes", "weights"]
    assert ReferenceEvaluator(model).run(None, {"x": np.array([1, 2], np.float32)})[0].tolist() == [1, 0]


def test_a_large_initializer() -> None:
    @script()
    def added(x: FLOAT[1], large: FLOAT[5000]) -> FLOAT[5000]:
        return x + large

    large = np.arange(5000, dtype=np.float32)
    model = added.to_model_proto(initializers={"large": large})
    onnx.checker.check_model(model, full_check=True)
    assert [item.name for item in model.graph.input] == ["x"]
    assert onnx.numpy_helper.to_array(model.graph.initializer[0]).tolist() == large.tolist()


def test_defaults_of_inputs() -> None:
    model = scaled.to_model_proto(input_defaults=TENSORS)
    assert [item.name for item in model.graph.input] == ["x", "weights", "sizes"]
    assert sorted(item.name for item in model.graph.initializer) == ["sizes", "weights"]


def test_tensors_that_do_not_fit() -> None:
    assert "not of its type" in refused(initializers={"weights": np.zeros(3, np.float32)})
    assert "not of its type" in refused(initializers={"weights": np.zeros(2, np.float64)})
    assert "not of its type" in refused(initializers={"weights": [1.0, 2.0]})
    for option in ("initializers", "input_defaults"):
        with pytest.raises(DiagnosticError, match=r"it is float64\[2\], and `weights` is float\[2\]") as caught:
            scaled.to_model_proto(**{option: {"weights": np.zeros(2, np.float64)}})
        place = caught.value.diagnostics[0].place
        assert place is not None
        assert Path(place.file).name == Path(__file__).name
    assert "no input" in refused(initializers={"other": WEIGHTS})
    assert "two tensors" in refused(initializers=TENSORS, input_defaults={"weights": WEIGHTS})


@pytest.mark.parametrize("order", [">", "<"])
def test_tensors_of_either_byte_order(tmp_path: Path, order: str) -> None:
    rows = {
        "table": np.arange(600_000, dtype=f"{order}f4").reshape(300_000, 2),
        "bias": np.array([1, -2], f"{order}f4"),
    }

    @script()
    def looked_up(x: INT64, table: FLOAT[300_000, 2], bias: FLOAT[2]) -> FLOAT[2]:
        return op.Gather(table, x) + bias

    for arguments in (
        {"initializers": rows},
        {"input_defaults": rows},
        {"initializers": rows, "external_data": tmp_path / "rows.data"},
    ):
        model = looked_up.to_model_proto(**arguments)  # type: ignore[arg-type]
        onnx.save(model, tmp_path / "model.onnx")
        loaded = onnx.load(tmp_path / "model.onnx")
        assert ReferenceEvaluator(loaded).run(None, {"x": np.array(7)})[0].tolist() == [15, 13]


def test_scalars_of_numpy_are_attributes() -> None:
    @script()
    def mixed(x: FLOAT[2], n: int = 1, deep: bool = True, a: float = 0.5, ns: Sequence[int] = (1,)) -> FLOAT[2]:
        y = op.LeakyRelu(x, alpha=a) if deep else x
        return y + op.CastLike(op.Constant(value_int=n), x) + op.CastLike(op.Constant(value_ints=ns), x)

    x = np.array([-2, 4], np.float32)
    given = {"n": np.int64(3), "deep": np.bool_(True), "a": np.float32(0.25), "ns": [np.int32(5)]}
    model = mixed.to_model_proto(**given)
    assert model == mixed.to_model_proto(n=3, deep=True, a=0.25, ns=[5])
    assert ReferenceEvaluator(model).run(None, {"x": x})[0].tolist() == mixed(x, **given).tolist() == [7.5, 12]
    for wrong in (
        {"n": np.float32(3)},
        {"n": np.array([3])},
        {"n": np.array(3.0)},
        {"n": Tensor(np.int64(3))},
        {"ns": [np.float64(1)]},
        {"a": np.datetime64(1, "s")},
    ):
        with pytest.raises(DiagnosticError, match="OW354"):
            mixed.to_model_proto(**wrong)


def test_a_masked_array_is_no_initializer() -> None:
    masked = np.ma.masked_array(np.float32([1, 2]), [False, True])
    for given in ({"initializers": {"x": masked}}, {"input_defaults": {"x": masked}}):
        with pytest.raises(DiagnosticError, match="OW354"):
            negated.to_model_proto(**given)


@script()
def negated(x: FLOAT[2], all_of_it: bool = True, times: int = 3) -> FLOAT[2]:
    return -x * times if all_of_it else x * times


@script()
def negated_by_default(x: FLOAT[2]) -> FLOAT[2]:
    return negated(x, all_of_it=None, times=None)


def test_none_leaves_an_attribute_at_its_default() -> None:
    x = np.float32([1, 2])
    model = negated.to_model_proto(all_of_it=None, times=None)
    for found in (negated(x, all_of_it=None, times=None), negated_by_default(x)):
        assert found.tolist() == [-3, -6]
    for made in (model, negated_by_default.to_model_proto()):
        assert ReferenceEvaluator(made).run(None, {"x": x})[0].tolist() == [-3, -6]


def test_opset_imports() -> None:
    model = scaled.to_model_proto(opset_imports={"": 17, "ai.onnx.ml": 3, "com.acme": 2})
    found = {item.domain: item.version for item in model.opset_import}
    assert found == {"": 17, "ai.onnx.ml": 3, "com.acme": 2}


def test_opset_imports_that_cannot_be() -> None:
    assert "lacks ai.onnx.ml" in refused(opset_imports={"": 18})

    @script()
    def labels(x: FLOAT["N"]) -> FLOAT["N"]:
        return Opset("ai.onnx.ml", 4).LabelEncoder(x, keys_floats=[1.0], values_floats=[2.0])

    with pytest.raises(DiagnosticError, match="another operator"):
        labels.to_model_proto(opset_imports={"": 18, "ai.onnx.ml": 1})


def test_exact_types() -> None:
    @script()
    def doubled(x: FLOAT[2, 3]) -> FLOAT[None, "M"]:
        return x + x

    free, exact = (doubled.to_model_proto(exact_types=flag).graph.output[0] for flag in (False, True))
    sizes = [[dim.WhichOneof("value") for dim in item.type.tensor_type.shape.dim] for item in (free, exact)]
    assert sizes == [["dim_value", "dim_value"], [None, "dim_param"]]


def test_exact_types_may_lack_ranks() -> None:
    @script()
    def reshaped(x: FLOAT[...], y: FLOAT[...], sizes: INT64["R"]) -> tuple[FLOAT[...], FLOAT[...]]:
        return op.Reshape(x, sizes), op.Relu(y)

    with pytest.raises(DiagnosticError, match="rank of the input `x`"):
        reshaped.to_model_proto(strict=True)
    default = np.array([[1.0, -2.0]], np.float32)
    model = reshaped.to_model_proto(exact_types=True, input_defaults={"y": default})
    assert [item.type.tensor_type.HasField("shape") for item in model.graph.input] == [False, False, True]
    assert not any(item.type.tensor_type.HasField("shape") for item in model.graph.output)
    given = {"x": np.ones((2, 3), np.float32), "sizes": np.array([3, 2])}
    found = ReferenceEvaluator(model).run(None, given)
    assert [item.tolist() for item in found] == [[[1, 1], [1, 1], [1, 1]], [[1, 0]]]


def test_exact_types_do_not_hide_what_is_wrong() -> None:
    @script()
    def wrong(x: FLOAT[...], y: FLOAT["N", "M"]) -> FLOAT[...]:
        return op.Reshape(op.MatMul(x, op.Reshape(y, op.Constant(value_ints=[2, 3, 4]))), op.Shape(y), allowzero=7)

    with pytest.raises(DiagnosticError):
        wrong.to_model_proto(exact_types=True, opset_imports={"": 13})


def test_optional_values() -> None:
    @script()
    def held(x: OptionalValue[FLOAT[2]]) -> FLOAT[2]:
        return op.OptionalGetElement(x)

    model = held.to_model_proto()
    onnx.checker.check_model(model, full_check=True)
    assert model.graph.input[0].type.optional_type.elem_type.tensor_type.elem_type == onnx.TensorProto.FLOAT


def test_functions_by_other_names_and_overloads() -> None:
    @script(Opset("aten", 1), name="add.Tensor", overload="int", names={"self_": "self", "result": "out:0"})
    def add_tensor(self_, other):
        return op.Add(self_, other)

    @script(Opset("aten", 1), name="add.Tensor", overload="float")
    def add_scalar(x, other):
        return op.Add(x, other)

    proto = add_tensor.to_function_proto()
    assert (proto.name, proto.overload, list(proto.input), list(proto.output)) == (
        "add.Tensor",
        "int",
        ["self", "other"],
        ["out:0"],
    )

    @script()
    def both(x: FLOAT["N"]) -> FLOAT["N"]:
        return add_scalar(add_tensor(x, x), x)

    model = both.to_model_proto()
    onnx.checker.check_model(model, full_check=True)
    assert [(node.op_type, node.overload) for node in model.graph.node] == [
        ("add.Tensor", "int"),
        ("add.Tensor", "float"),
    ]
    assert sorted(item.overload for item in model.functions) == ["float", "int"]


@script(Opset("kept", 1))
def clipped(x: FLOAT[...], low: FLOAT | None = None) -> FLOAT[...]:
    return x if low is None else op.Max(x, low)


@script(Opset("kept", 1))
def clipped_twice(x: FLOAT[...]) -> FLOAT[...]:
    return clipped(x) * 2.0


@script()
def halved(x: FLOAT["N"]) -> FLOAT["N"]:
    _ = clipped_twice(x)
    return x * 0.5


def test_functions_that_are_kept_though_nothing_calls_them() -> None:
    assert not halved.to_model_proto().functions
    for functions in (None, []):
        model = halved.to_model_proto(kept_functions=[clipped_twice], functions=functions)
        onnx.checker.check_model(model, full_check=True)
        inlined = functions is not None
        assert [item.name for item in model.functions] == ["clipped__low_absent"] * (not inlined) + ["clipped_twice"]
        assert {item.domain for item in model.opset_import} == {"", "kept"}
    with_variants = halved.to_model_proto(kept_functions=[clipped])
    assert [item.name for item in with_variants.functions] == ["clipped__low_absent", "clipped__low_present"]


@script(Opset("kept", 1))
def of_any_rank(x: Tensor) -> Tensor:
    for axis in range(len(x.shape)):
        x = op.ReduceMax(x, [axis], keepdims=1)
    return x


def test_a_template_has_no_body_to_keep() -> None:
    with pytest.raises(DiagnosticError, match="OW353"):
        halved.to_model_proto(kept_functions=[of_any_rank])
    with pytest.raises(TypeError, match="under `@script`, not 'clipped'"):
        halved.to_model_proto(kept_functions=["clipped"])  # type: ignore[list-item]


def test_results_called_underscore_are_left_out() -> None:
    @script()
    def last(x: FLOAT[1, 1, 2], w: FLOAT[1, 8, 2], r: FLOAT[1, 8, 2]) -> FLOAT[1, 1, 2]:
        _, hidden = opset22.LSTM(x, w, r, hidden_size=2)
        return hidden

    model = last.to_model_proto()
    assert list(model.graph.node[0].output) == ["", "hidden"]
    onnx.checker.check_model(model, full_check=True)
