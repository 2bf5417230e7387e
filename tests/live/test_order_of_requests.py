"""What a function gives does not depend on what it was asked for before: each request is compared with that of a
function of which nothing has been asked yet."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, Literal

import numpy as np
import pytest
from onnx import FunctionProto, ModelProto
from opwright import FLOAT, DiagnosticError, OnnxFunction, opset18, script

Request = Callable[[OnnxFunction], Any]

VECTOR, MATRIX = np.array([1, 2, 0.5], np.float32), np.array([[1, 2, 3], [0.5, 1, 2]], np.float32)
INTEGERS = np.array([1, 2, 3])


def made() -> dict[str, OnnxFunction]:
    """Functions of all kinds, of which nothing has been asked."""
    op = opset18

    @script(default_opset=op)
    def plain(x, y):
        return x + y * 2.0

    @script(default_opset=op)
    def of_one_variant(x, y):
        assert x.rank >= 2
        return x + y

    @script(default_opset=op)
    def of_ranks(x, y):
        if x.rank < 2:
            return op.Neg(x) + y
        return x - y

    @script(default_opset=op)
    def template(x, y):
        return op.ReduceSum(x, list(range(x.rank)), keepdims=0) + y

    @script(default_opset=op)
    def may_be_absent(x, y: FLOAT | None = None):
        if y is None:
            return op.Exp(x)
        return x / y

    @script(default_opset=op)
    def chooses(x, y, mode: Literal["a", "b"] = "a"):
        if mode == "a":
            return x + y
        return x - y

    @script(default_opset=op)
    def needs_a_number(x, y, k: int):
        for _ in range(k):
            x = x + y
        return x

    @script(default_opset=op)
    def broken(x, y):
        return x @ None

    @script(default_opset=op)
    def calls(x, y):
        return plain(x, y) + of_one_variant(y, x)

    @script(default_opset=op)
    def calls_variants(x: FLOAT[3], y: FLOAT[3]):
        return of_ranks(x, y) + of_ranks(op.Unsqueeze(x, [0]), y) + chooses(x, y, mode="b")

    @script(default_opset=op)
    def calls_what_is_broken(x, y):
        return broken(x, y) + plain(x, y)

    return {name: value for name, value in locals().items() if isinstance(value, OnnxFunction)}


REQUESTS: dict[str, Request] = {
    "proto": lambda function: function.to_function_proto(),
    "proto at 15": lambda function: function.to_function_proto(15),
    "protos": lambda function: function.to_function_protos(),
    "protos by overload": lambda function: function.to_function_protos(profile="overload"),
    "proto of a rank": lambda function: function.to_function_proto(variant={"x.rank": 1}),
    "proto without y": lambda function: function.to_function_proto(variant={"y": "absent"}),
    "proto of a mode": lambda function: function.to_function_proto(variant={"mode": "b"}),
    "proto of a number": lambda function: function.to_function_proto(variant={"k": 2}),
    "model": lambda function: function.to_model_proto(),
    "model of vectors": lambda function: function.to_model_proto(input_types=[FLOAT["N"], FLOAT["N"]]),
    "model of matrices": lambda function: function.to_model_proto(input_types=[FLOAT["N", 3], FLOAT["N", 3]], opset=20),
    "vectors": lambda function: function(VECTOR, VECTOR),
    "matrices": lambda function: function(MATRIX, MATRIX),
    "integers": lambda function: function(INTEGERS, INTEGERS),
    "one input": lambda function: function(VECTOR),
    "a number": lambda function: function(VECTOR, VECTOR, k=2),
    "a mode": lambda function: function(VECTOR, VECTOR, mode="b"),
}


def given(request: Request, function: OnnxFunction) -> object:
    """What a request gives, in a form that can be compared."""
    try:
        found = request(function)
    except (DiagnosticError, TypeError, ValueError, AssertionError) as error:  # an `assert` of its own, as Python
        return type(error), str(error)
    if isinstance(found, FunctionProto | ModelProto):
        return found.SerializeToString(deterministic=True)
    if isinstance(found, list):
        return [proto.SerializeToString(deterministic=True) for proto in found]
    array = np.asarray(found)
    return array.dtype, array.shape, array.tobytes()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", made())
def test_no_request_changes_what_another_gives(name: str) -> None:
    alone = {which: given(request, made()[name]) for which, request in REQUESTS.items()}
    asked = made()[name]
    order = Random(name).choices(list(REQUESTS), k=4 * len(REQUESTS))
    for position, which in enumerate(order):
        assert given(REQUESTS[which], asked) == alone[which], order[: position + 1]


def test_a_function_of_one_variant_gives_its_proto_twice() -> None:
    function = made()["of_one_variant"]
    assert function.to_function_proto() == function.to_function_proto() == function.to_function_protos()[0]
