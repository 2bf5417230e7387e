"""What the names around a live function mean, and that they are read late."""

from __future__ import annotations

import enum
import linecache
import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import onnx
import opwright
import pytest
from onnx import numpy_helper
from opwright import FLOAT, INT64, DiagnosticError, OnnxFunction, Opset, script
from opwright import opset18 as op
from opwright.lang.lower.values.lists import LIST_BUILTINS
from opwright.lang.meaning.resolve import BUILTIN_NAMES
from opwright.lang.meaning.static import BUILTINS

from tests.lang.static_text import compile_text

SCALE = 2.0
NAMES = SimpleNamespace(K=3, inner=SimpleNamespace(L=4))
ARRAY = np.array([[1, 2], [3, 4]], np.int32)
LIST = [1.0, 2.0]
relu = op.Relu


class Mode(enum.IntEnum):
    ONE = 1


class Plain(enum.Enum):
    TWO = "two"


def constants(function: OnnxFunction) -> list[object]:
    """The constants of a function in the order of its nodes."""
    return [
        numpy_helper.to_array(attribute.t).tolist()
        for node in function.to_function_proto().node
        for attribute in node.attribute
        if node.op_type == "Constant" and attribute.name == "value"
    ]


def operators(function: OnnxFunction) -> list[str]:
    return [node.op_type for node in function.to_function_proto().node if node.op_type != "Constant"]


def codes(function: OnnxFunction) -> list[str]:
    with pytest.raises(DiagnosticError) as raised:
        function.to_function_proto()
    return [item.code for item in raised.value.diagnostics]


def test_numbers_lists_arrays_and_what_holds_them() -> None:
    @script()
    def f(x: FLOAT[...]):
        return x * SCALE + NAMES.K + NAMES.inner.L + op.Constant(value=LIST) + math.sqrt(4.0) + Mode.ONE

    assert sorted(map(str, constants(f))) == sorted(map(str, [2.0, 3.0, 4.0, [1.0, 2.0], 1.0]))


def test_arrays_are_attributes() -> None:
    @script()
    def f():
        return op.Constant(value=ARRAY)

    assert constants(f) == [[[1, 2], [3, 4]]]


def test_arrays_are_tensors_of_their_own_type() -> None:
    @script()
    def f(x):
        return op.Add(x, ARRAY)

    assert constants(f) == [[[1, 2], [3, 4]]]
    assert f.to_function_proto().node[0].attribute[0].t.data_type == onnx.TensorProto.INT32


def test_numpy_scalars_are_constants_and_values_of_attributes() -> None:
    half, axis = np.float32(0.5), np.int32(1)

    @script()
    def f(x: FLOAT[...]):
        return op.Softmax(x * half, axis=axis)

    assert constants(f) == [0.5]


def test_operators_opsets_types_and_modules() -> None:
    element = INT64

    @script()
    def f(x):
        return op.Cast(opwright.opset18.Abs(relu(x)), to=element)

    assert operators(f) == ["Relu", "Abs", "Cast"]


def test_helpers_have_names_of_their_own() -> None:
    def helper(x, times=SCALE):
        return x * times

    @script()
    def f(x: FLOAT[...]):
        SCALE = 5.0
        return helper(x) + helper(x, times=SCALE)

    assert sorted(constants(f)) == [2.0, 5.0]


def test_recursive_helpers_are_refused() -> None:
    def helper(x):
        return helper(x)

    @script()
    def f(x):
        return helper(x)

    assert codes(f) == ["OW323"]


@pytest.mark.parametrize(
    "value",
    [{1, 2}, b"bytes", object(), 1j, np.zeros((1 << 18) + 1, np.float32), np.array([1, None], object)],
)
def test_what_no_graph_can_hold(value: object) -> None:
    @script()
    def f(x):
        return op.Add(x, value)

    assert codes(f) == ["OW352"]


def help_of(function: OnnxFunction) -> str:
    with pytest.raises(DiagnosticError) as raised:
        function.to_model_proto()
    (found,) = raised.value.diagnostics
    return found.help


def test_what_is_meant_is_told() -> None:
    @script()
    def misspelt(value: FLOAT["N"]):
        return op.Relu(vlaue)

    @script()
    def builtin(x: FLOAT["N"]):
        return x * lenn([1, 2])

    @script()
    def method(x: FLOAT["N"]):
        return x.reduce_sum()

    @script()
    def type_by_place(x: FLOAT["N"]):
        return op.Cast(x, INT64)

    @script()
    def without_attributes(x: FLOAT["N"]):
        return op.Relu(x, 1)

    @script()
    def several(x: FLOAT["N"]):
        y = op.TopK(x, [2])
        return op.Relu(y)

    @script()
    def newer(x: FLOAT["N"]):
        return op.Gelu(x)

    @script()
    def newer_of_a_domain(x: FLOAT["N"]):
        return Opset("ai.onnx.ml", 1).TreeEnsemble(x)

    assert help_of(misspelt) == "did you mean `value`?"
    assert help_of(builtin) == "did you mean `len`?"
    assert help_of(method) == "use `op.ReduceSum(x)`"
    assert help_of(type_by_place) == "write attributes with their names: `to=...`"
    assert help_of(without_attributes) == "leave out what is too much"
    assert help_of(several) == "the call gives 2 results: `y1, y2 = ...`, or take one of them: `y[0]`"
    assert help_of(newer).startswith("write `from opwright import opset20 as op`, or use `if op.version < 20:`")
    assert help_of(newer_of_a_domain).startswith("write `from opwright import opset_ai_onnx_ml5 as op`")


def test_names_that_nothing_defines() -> None:
    @script()
    def f(x):
        return x + undefined_name

    def around():
        @script()
        def early(x):
            return x + late

        found = codes(early)
        late = 1
        return found

    assert codes(f) == ["OW302"]
    assert around() == ["OW302"]


def test_cells_and_globals_are_read_late() -> None:
    scale = 2.0

    @script()
    def f(x: FLOAT[...]):
        return x * scale

    assert constants(f) == [2.0]
    first = f.to_function_proto()
    assert f.to_function_proto() == first
    scale = 3.0
    assert constants(f) == [3.0]
    scale = 3
    assert constants(f) == [3.0]


def test_lists_and_arrays_that_change_are_seen() -> None:
    values = [1.0]
    array = np.array([1.0], np.float32)

    @script()
    def f(x: FLOAT[...]):
        return op.Add(x, values) + array

    assert constants(f) == [[1.0]]
    values.append(2.0)
    assert sorted(constants(f)) == [[1.0], [1.0, 2.0]]
    array[0] = 7.0
    assert sorted(constants(f)) == [[1.0, 2.0], [7.0]]


def test_a_helper_that_is_replaced_is_seen() -> None:
    def helper(x):
        return op.Abs(x)

    @script()
    def f(x):
        return helper(x)

    @script()
    def g(x):
        return f(x)

    assert operators(f) == ["Abs"]
    before = g.to_model_proto(input_types=[FLOAT[3]])

    def helper(x):  # noqa: F811
        return op.Neg(x)

    assert operators(f) == ["Neg"]
    after = g.to_model_proto(input_types=[FLOAT[3]])
    assert [node.op_type for node in before.functions[0].node] == ["Abs"]
    assert [node.op_type for node in after.functions[0].node] == ["Neg"]


def test_enumerations_that_are_no_numbers() -> None:
    @script()
    def f(x):
        return op.Identity(x) if Plain.TWO.value == "two" else op.Abs(x)

    assert operators(f) == ["Identity"]


def test_defaults_are_those_of_the_definition() -> None:
    alpha = 0.5

    @script(Opset("com.example", 1))
    def f(x: FLOAT[...], scale: float = alpha):
        return x * scale

    alpha = 0.75
    assert [attribute.f for attribute in f.to_function_proto().attribute_proto] == [0.5]
    assert alpha == 0.75


def test_arrays_of_either_byte_order() -> None:
    values = np.array([1, 2, 3], ">i4")

    @script()
    def f(x):
        return op.Add(x, values)

    assert constants(f) == [[1, 2, 3]]


# A call of each builtin of Python that the language has.
BUILTIN_CALLS = {
    "abs": "abs(-2)",
    "all": "all([True])",
    "any": "any([True])",
    "bool": "bool(2)",
    "divmod": "divmod(7, 2)[0]",
    "enumerate": "[i for i, _ in enumerate((3, 4))][1]",
    "float": "float(2)",
    "int": "int(2.5)",
    "isinstance": "isinstance([2], list)",
    "len": "len([2])",
    "list": "list((2, 3))[0]",
    "max": "max(1, 2)",
    "min": "min(1, 2)",
    "pow": "pow(2, 3)",
    "print": "print(2)",
    "range": "[i for i in range(3)][2]",
    "reversed": "[i for i in reversed((1, 2))][0]",
    "round": "round(2.25)",
    "slice": "[1, 2, 3][slice(1, 2)][0]",
    "sorted": "sorted([3, 2])[0]",
    "str": "len(str(12))",
    "sum": "sum([1, 2])",
    "tuple": "tuple([2, 3])[0]",
    "zip": "[i * j for i, j in zip((1, 2), (3, 4))][1]",
}


def test_builtins_that_calls_are_lowered_of_are_known_by_name() -> None:
    assert {*BUILTINS, *LIST_BUILTINS, "isinstance", "print", "slice"} == BUILTIN_NAMES == BUILTIN_CALLS.keys()


@pytest.mark.parametrize("name", sorted(BUILTIN_NAMES))
def test_a_builtin_has_its_meaning_by_another_name(name: str, tmp_path: Path) -> None:
    text = f"from opwright import FLOAT, opset18 as op\nalias = {name}\n\ndef F(x: FLOAT[...]):\n    return x * {{}}\n"
    by_name, by_alias = (
        text.format(BUILTIN_CALLS[name].replace(f"{name}(", f"{called}(")) for called in (name, "alias")
    )
    live = [_told(_live(item, tmp_path / "f.py")) for item in (by_name, by_alias)]
    built = [[(item.code, item.message) for item in compile_text(item, ("float",))] for item in (by_name, by_alias)]
    assert live[0] == live[1]
    assert built[0] == built[1]
    assert isinstance(live[0], bytes) == (built[0] == []) == (name != "print")


def _live(text: str, file: Path) -> OnnxFunction:
    file.write_text(text, encoding="utf-8")
    linecache.checkcache(str(file))
    names: dict[str, Any] = {}
    exec(compile(text, str(file), "exec"), names)
    return script()(names["F"])


def _told(function: OnnxFunction) -> bytes | list[tuple[str, str]]:
    """The function as bytes, without its places, or what is wrong with it."""
    try:
        return function.to_function_proto().SerializeToString()
    except DiagnosticError as error:
        return [(item.code, item.message) for item in error.diagnostics]
