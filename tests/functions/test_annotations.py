"""What annotations declare: inputs, attributes, outputs and local names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal, Optional, TypeVar

import numpy as np
import onnx
import pytest
from opwright import BOOL, DOUBLE, FLOAT, INT32, INT64, DiagnosticError, OnnxFunction, Tensor, script
from opwright import opset18 as op

TFloat = TypeVar("TFloat", bound=FLOAT[...] | DOUBLE[...])
TPair = TypeVar("TPair", FLOAT[...], INT64[...])
Alias = FLOAT["N", 3]


def types_of(function: OnnxFunction) -> list[str]:
    """The inputs and outputs of the model, in ONNX's text form."""
    graph = function.to_model_proto().graph
    return [_text(value) for value in (*graph.input, *graph.output)]


def _text(value: onnx.ValueInfoProto) -> str:
    type_ = value.type
    prefix = ""
    while type_.HasField("sequence_type"):
        type_, prefix = type_.sequence_type.elem_type, f"{prefix}seq "
    name = onnx.TensorProto.DataType.Name(type_.tensor_type.elem_type)
    if not type_.tensor_type.HasField("shape"):
        return f"{prefix}{name}[...]"
    dims = [dim.dim_param or str(dim.dim_value) for dim in type_.tensor_type.shape.dim]
    return f"{prefix}{name}[{', '.join(dims)}]"


def codes(function: OnnxFunction, **keywords: object) -> list[str]:
    with pytest.raises(DiagnosticError) as raised:
        function.to_model_proto(**keywords)
    return [item.code for item in raised.value.diagnostics]


def test_shapes_of_inputs_and_outputs() -> None:
    @script()
    def f(a: FLOAT[2, 3], b: Alias, c: INT64, d: "FLOAT['N', 3]") -> tuple[FLOAT[2, 3], INT64]:
        return op.Add(a, op.ReduceSum(b, keepdims=1) + op.ReduceSum(d)), op.Neg(c)

    assert types_of(f) == ["FLOAT[2, 3]", "FLOAT[N, 3]", "INT64[]", "FLOAT[N, 3]", "FLOAT[2, 3]", "INT64[]"]


def test_sequences() -> None:
    @script()
    def f(x: Sequence[FLOAT[...]]) -> Sequence[FLOAT[...]]:
        return op.SequenceInsert(x, op.SequenceAt(x, 0))

    assert types_of(f) == ["seq FLOAT[...]", "seq FLOAT[...]"]


def test_type_variables_and_unions() -> None:
    @script()
    def f(x: TFloat, y: TFloat, z: FLOAT[...] | DOUBLE[...]) -> TFloat:
        return x + y + 0.1 * z

    model = f.to_model_proto(input_types={"x": DOUBLE[3], "y": DOUBLE[3], "z": DOUBLE[3]})
    assert {value.type.tensor_type.elem_type for value in (*model.graph.input, *model.graph.output)} == {
        onnx.TensorProto.DOUBLE
    }
    assert codes(f, input_types={"x": INT32[3], "y": INT32[3], "z": INT32[3]}) == ["OW354"] * 3
    assert codes(f, input_types={"x": FLOAT[3], "y": DOUBLE[3], "z": FLOAT[3]}) == ["OW354"]


def test_inputs_without_annotation_take_what_the_body_takes() -> None:
    @script()
    def f(x, y):
        return op.Erf(x) + y

    assert codes(f) == ["OW354", "OW354"]  # the body leaves several types
    assert codes(f, input_types=[BOOL[3], FLOAT[3]]) == ["OW208"]
    assert codes(f, input_types=[FLOAT[3], INT64[3]]) == ["OW315"]
    model = f.to_model_proto(input_types=[FLOAT[3], FLOAT[3]])
    assert model.graph.output[0].type.tensor_type.elem_type == onnx.TensorProto.FLOAT


def test_a_type_that_the_body_decides_needs_no_annotation() -> None:
    @script()
    def f(x, y: FLOAT[4]):
        return x + y

    with pytest.raises(DiagnosticError) as raised:
        f.to_model_proto(strict=True)
    assert [item.message for item in raised.value.diagnostics] == ["the rank of the input `x` is not known"]


def test_attributes_of_every_kind() -> None:
    @script()
    def f(
        x: FLOAT[3],
        a: int,
        b: float = 0.5,
        c: str = "tanh",
        d: bool = True,
        e: Sequence[int] = (1, 2),
        g: Optional[float] = None,  # noqa: UP045
        h: Literal["up", "down"] = "up",
        i: Annotated[int, "documented"] = 3,
        *,
        j: list[float] = (1.0,),
    ):
        y = op.Constant(value_ints=e)
        return op.Cast(op.ReduceSum(y), to=FLOAT) + x * b + a + i + op.Constant(value_floats=j)

    proto = f.to_function_proto()
    assert next(iter(proto.attribute)) == "a"
    kinds = {item.name: onnx.AttributeProto.AttributeType.Name(item.type) for item in proto.attribute_proto}
    expected = {"b": "FLOAT", "c": "STRING", "d": "INT", "e": "INTS", "h": "STRING", "i": "INT", "j": "FLOATS"}
    assert {name: kind for name, kind in expected.items() if name in kinds} == kinds
    assert codes(f) == ["OW354"]
    assert codes(f, a="one") == ["OW354"]
    assert codes(f, a=1, h="sideways") == ["OW354"]
    assert codes(f, a=1, unknown=1) == ["OW354"]
    onnx.checker.check_model(f.to_model_proto(a=1, b=2, h="down", e=[3, 4, 5]), full_check=True)


def test_returns_that_contradict_their_annotation() -> None:
    @script()
    def element(x: FLOAT[3]) -> INT64[3]:
        return op.Abs(x)

    @script()
    def rank(x: FLOAT[3]) -> FLOAT[3, 3]:
        return op.Abs(x)

    @script()
    def count(x: FLOAT[3]) -> tuple[FLOAT[3], FLOAT[3]]:
        return op.Abs(x)

    assert [codes(item) for item in (element, rank, count)] == [["OW210"], ["OW210"], ["OW215"]]


def test_local_annotations_declare_and_are_checked() -> None:
    @script()
    def f(x: FLOAT[6], shape: INT64["R"]):
        y: FLOAT[2, 3] = op.Reshape(x, shape)
        n: int = 2
        if len(y.shape) == 2:
            return y * n
        return op.Neg(y)

    assert [node.op_type for node in f.to_model_proto().graph.node] == ["Constant", "Reshape", "Mul"]
    assert types_of(f)[-1] == "FLOAT[2, 3]"

    @script()
    def g(x: FLOAT[6]):
        y: INT64[6] = op.Abs(x)
        return y

    assert codes(g) == ["OW210"]


def test_annotations_that_mean_nothing() -> None:
    @script()
    def f(x: FLOAT[3], y: int | str = 1):
        return x

    assert codes(f) == ["OW317"]

    @script()
    def g(x):
        y: FLOAT[9223372036854775808] = op.Abs(x)
        return y

    with pytest.raises(DiagnosticError, match="`9223372036854775808` is no dimension"):
        g.to_model_proto()


def test_any_tensor() -> None:
    @script()
    def f(x: Tensor, y: Tensor):
        return x + op.CastLike(y, x)

    model = f.to_model_proto(input_types=[FLOAT["N"], INT64["N"]])
    assert [_text(value) for value in model.graph.output] == ["FLOAT[N]"]


def test_presence_is_a_variant() -> None:
    @script()
    def f(x: FLOAT["N"], y: Optional[FLOAT["N"]] = None):  # noqa: UP045
        if y is None:
            return x
        return x + y

    assert [item.name for item in f.to_function_protos()] == ["f__y_absent", "f__y_present"]
    assert len(f.to_model_proto().graph.input) == 1
    assert len(f.to_model_proto(input_types={"y": FLOAT["N"]}).graph.input) == 2


@pytest.mark.parametrize(
    ("given", "element"),
    [(np.float64, "DOUBLE"), (np.ones(3, np.int64), "INT64"), (np.dtype("float32"), "FLOAT"), (1, "FLOAT")],
)
def test_what_is_no_type_of_tensors_is_not_passed_over(given: object, element: str) -> None:
    @script()
    def f(x):
        return op.Relu(x)

    for types in ([given], {"x": given}):
        with pytest.raises(DiagnosticError) as raised:
            f.to_model_proto(input_types=types)
        (found,) = raised.value.diagnostics
        assert (found.code, found.message) == ("OW354", "the type of `x` is not understood")
        assert found.help == f"write `{element}[2, 3]`"
