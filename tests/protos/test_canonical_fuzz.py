"""Functions from anywhere: a canonical form or RefusedError, whatever the bytes."""

from __future__ import annotations

import random

import onnx.parser
import pytest
from google.protobuf.message import DecodeError
from onnx import FunctionProto, TensorProto, helper
from opwright.protos.canonical import canonicalise
from opwright.protos.canonical_tensors import RefusedError

from tests.work import ends

LOOP = """<domain: "com.acme", opset_import: ["": 18, "com.other": 2]>
F <alpha: float = 0.5, k>(x, n) => (y, s) {
    t = Constant<value = bool {1}>()
    w = Constant<value_float: float = @alpha>()
    u = com.other.Op<mode = "a", sizes = [1, 2], slopes = [0.5, 1.5]>(x, w)
    y, s = Loop(n, t, u)<body = b (int64 i, bool c, float[N] a) => (bool d, float[N] e, float[N] f) {
        d = Identity(c)
        e = Add(a, x)
        f = Mul(e, w)
    }>
}"""


def functions() -> list[FunctionProto]:
    loop = onnx.parser.parse_function(LOOP)
    sparse = helper.make_sparse_tensor(
        helper.make_tensor("v", TensorProto.FLOAT, [2], [1, 2]),
        helper.make_tensor("i", TensorProto.INT64, [2], [0, 3]),
        [5],
    )
    nodes = [
        helper.make_node("Constant", [], ["a"], sparse_value=sparse),
        helper.make_node("Constant", [], ["b"], value=helper.make_tensor("t", TensorProto.INT4, [3], [1, -2, 3])),
        helper.make_node("Constant", [], ["c"], value_strings=["x", "y"]),
        helper.make_node("Optional", [], ["d"], type=helper.make_tensor_type_proto(TensorProto.FLOAT, ["N", 3])),
    ]
    constants = helper.make_function("d", "G", [], ["a", "b", "c", "d"], nodes, [helper.make_opsetid("", 21)])
    return [loop, constants]


@pytest.mark.parametrize("function", functions(), ids=["loop", "constants"])
def test_changed_bytes(function: FunctionProto) -> None:
    randomness = random.Random(11)
    original = function.SerializeToString()
    outcomes = {"body": 0, "refused": 0, "no function": 0}
    for _ in range(3000):
        data = bytearray(original)
        for _ in range(randomness.randint(1, 4)):
            place = randomness.randrange(len(data))
            match randomness.randrange(3):
                case 0:
                    data[place] = randomness.randrange(256)
                case 1:
                    del data[place]
                case 2:
                    data[place:place] = data[place : place + randomness.randint(1, 20)]
        outcomes[outcome(bytes(data))] += 1
    assert min(outcomes["body"], outcomes["refused"]) > 20, outcomes


def outcome(data: bytes) -> str:
    """What became of it; any exception but RefusedError fails the test."""
    try:
        function = FunctionProto.FromString(data)
    except DecodeError:
        return "no function"
    try:
        with ends(data):
            body = canonicalise(function, callees={})
    except RefusedError:
        return "refused"
    assert canonicalise(FunctionProto.FromString(body.proto), callees={}).digest == body.digest
    return "body"
