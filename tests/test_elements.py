"""The table of element types, against ONNX's own, and elements below a byte as tensors store them."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator
from opwright import FLOAT, FLOAT4E2M1, FLOAT6E2M3, FLOAT6E3M2, INT4, DiagnosticError, Tensor, digest, script
from opwright import opset28 as op
from opwright.eager.arrays import array_of, data_of
from opwright.elements import BY_CODE, ElementType, pack_bits
from opwright.graphs.ndarrays import DTYPES

SMALL = [element for element in BY_CODE.values() if 0 < element.bits < 8]
HALVES = (0.0, 1.0, -1.5, 0.5, 2.0, 3.0, -4.0)  # seven of them: the last byte is never full


def test_every_type_of_onnx_is_there() -> None:
    known = {name.lower(): code for name, code in TensorProto.DataType.items() if code}
    assert known == {element.name: code for code, element in BY_CODE.items()}


@pytest.mark.parametrize("element", BY_CODE.values(), ids=repr)
def test_numpy_s_dtype_is_that_of_onnx(element: ElementType) -> None:
    assert DTYPES[element] == helper.tensor_dtype_to_np_dtype(element.code)


@pytest.mark.parametrize("element", SMALL, ids=repr)
@pytest.mark.parametrize("count", range(10))
def test_elements_below_a_byte_are_packed_as_onnx_packs_them(element: ElementType, count: int) -> None:
    codes = np.arange(3, 3 + count, dtype=np.uint8) * 5 & (1 << element.bits) - 1
    if element.is_float:
        array = codes.view(DTYPES[element])
    else:
        sign = 1 << element.bits - 1 if element.kind == "int" else 0
        array = ((codes.astype(np.int8) ^ sign) - sign).astype(DTYPES[element])
    stored = numpy_helper.from_array(array).raw_data
    assert pack_bits(codes.tobytes(), element.bits) == stored
    assert data_of(array).data == stored
    np.testing.assert_array_equal(array_of(data_of(array)), array)


@script()
def widened(x: FLOAT6E2M3["N"]) -> FLOAT["N"]:
    return op.Cast(x, to=FLOAT)


@script()
def there_and_back(x: FLOAT["N"]):
    return op.Cast(op.Cast(x, to=FLOAT6E3M2), to=FLOAT), op.Cast(op.Cast(FLOAT(-1.8), to=FLOAT6E2M3), to=FLOAT)


TABLE = np.array([0.5, -1.75, 3.0], DTYPES[BY_CODE[27]])


@script()
def constants(x: FLOAT["N"]):
    return op.Cast(FLOAT6E3M2(-1.5), to=FLOAT) + op.Cast(TABLE, to=FLOAT)


@script()
def table(x: FLOAT["N"]):
    return op.Cast(TABLE, to=FLOAT)


def test_a_function_of_float6() -> None:
    model = widened.to_model_proto()
    onnx.checker.check_model(model, full_check=True)
    assert model.ir_version == 14
    assert model.graph.input[0].type.tensor_type.elem_type == TensorProto.FLOAT6E2M3


def test_it_runs_as_it_compiles() -> None:
    x = np.array([0.3, -2.7, 30.0], np.float32)
    expected = ReferenceEvaluator(there_and_back.to_model_proto()).run(None, {"x": x})
    for one, other in zip(expected, there_and_back(x), strict=True):
        np.testing.assert_array_equal(one, other)


def test_constants_of_a_type_that_constant_does_not_give_are_refused() -> None:
    for function in (constants, table):
        with pytest.raises(DiagnosticError) as raised:
            function.to_function_proto()
        (found,) = raised.value.diagnostics
        assert (found.code, found.message.split(" at ")[0][:27]) == ("OW208", "`Constant` cannot hold floa")

    @script()
    def narrow(x: FLOAT["N"]):
        return op.Cast(INT4(3), to=FLOAT) + x

    assert narrow.to_function_proto(28).node[0].op_type == "Constant"
    with pytest.raises(DiagnosticError, match="cannot hold int4 at opset 20"):
        narrow.to_function_proto(20)


def test_numbers_that_float6_does_not_hold_exactly_are_rounded() -> None:
    assert float(FLOAT6E2M3(0.3).numpy()) == 0.25
    assert float(FLOAT6E3M2(0.3).numpy()) == 0.3125
    assert Tensor(np.array([1], DTYPES[BY_CODE[27]])).dtype == FLOAT6E2M3


def test_operators_that_do_not_take_it_are_refused() -> None:
    @script()
    def added(x: FLOAT6E2M3["N"]):
        return x + x

    with pytest.raises(DiagnosticError) as raised:
        added.to_function_proto()
    assert [item.code for item in raised.value.diagnostics] == ["OW208"]


@pytest.mark.parametrize("type_", [FLOAT6E2M3, FLOAT6E3M2, FLOAT4E2M1], ids=lambda type_: type_.__name__)
def test_the_digest_does_not_see_where_elements_are_stored(type_: type[Tensor]) -> None:
    assert type_.dtype is not None
    typed = helper.make_tensor("value", type_.dtype.code, [7], HALVES)
    raw = numpy_helper.from_array(numpy_helper.to_array(typed), "value")
    assert typed.int32_data
    assert raw.raw_data
    assert _digest(typed) == _digest(raw)


def test_bits_that_no_element_has_are_refused() -> None:
    tensor = TensorProto(data_type=TensorProto.FLOAT6E2M3, dims=[1], int32_data=[64])
    with pytest.raises(DiagnosticError, match="out of range"):
        _digest(tensor)


def _digest(tensor: TensorProto) -> str:
    node = helper.make_node("Constant", [], ["y"], value=tensor)
    return digest(helper.make_function("d", "F", [], ["y"], [node], [helper.make_opsetid("", 28)]))
