"""Tensors in the canonical form: the same elements, the same bytes, however they are stored."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import AttributeProto, TensorProto, helper, numpy_helper
from opwright.protos.canonical import CanonicalBody, canonicalise

from tests.protos.canonical_texts import (
    constant_digest,
    function,
    parsed,
    reason,
    with_constant,
)


class TestTensors:
    def test_raw_and_typed_data_are_equal_for_every_element_type(self) -> None:
        for name, values in TYPED_VALUES.items():
            kind = getattr(TensorProto, name)
            typed = helper.make_tensor("t", kind, [len(values)], values)
            raw = numpy_helper.from_array(numpy_helper.to_array(typed), "u")
            raw.data_type = kind
            assert raw.HasField("raw_data") != typed.HasField("raw_data")
            assert constant_digest(raw) == constant_digest(typed), name

    def test_packed_elements_ignore_the_spare_bits(self) -> None:
        one = TensorProto(data_type=TensorProto.INT4, dims=[3], raw_data=b"\x21\x03")
        other = TensorProto(data_type=TensorProto.INT4, dims=[3], raw_data=b"\x21\xf3")
        assert constant_digest(one) == constant_digest(other)

    def test_nan_payloads_are_kept(self) -> None:
        quiet, signalling = (
            TensorProto(data_type=TensorProto.FLOAT, dims=[1], raw_data=bits)
            for bits in (b"\0\0\xc0\x7f", b"\1\0\x80\x7f")
        )
        assert constant_digest(quiet) != constant_digest(signalling)
        typed = TensorProto.FromString(b"\x08\x01\x10\x01\x22\x04\x01\x00\x80\x7f")
        assert constant_digest(typed) == constant_digest(signalling)

    def test_nan_payloads_of_float_attributes_are_kept(self) -> None:
        def body(bits: bytes, tag: bytes, kind: int) -> CanonicalBody:
            proto = function("() => (z) { z = Constant<value_float = 1.0>() }")
            name = b"\x0a\x0bvalue_float"
            attribute = AttributeProto.FromString(name + tag + bits + b"\xa0\x01" + bytes((kind,)))
            proto.node[0].attribute[0].CopyFrom(attribute)
            return canonicalise(proto, callees={})

        for tag, kind in ((b"\x15", AttributeProto.FLOAT), (b"\x3d", AttributeProto.FLOATS)):
            signalling = body(b"\1\0\x80\x7f", tag, kind)
            assert signalling.digest != body(b"\1\0\xc0\x7f", tag, kind).digest
            assert b"\1\0\x80\x7f" in signalling.proto

    def test_shape_type_and_value_matter(self) -> None:
        arrays = [
            np.zeros((2, 3), np.float32),
            np.zeros((3, 2), np.float32),
            np.zeros((6,), np.float32),
            np.zeros((2, 3), np.int32),
            np.array([[0, 0, 0], [0, 0, -0.0]], np.float32),
            np.zeros((0, 3), np.float32),
            np.zeros((), np.float32),
            np.array(["a", "bc"], dtype=object),
            np.array(["ab", "c"], dtype=object),
        ]
        digests = [constant_digest(numpy_helper.from_array(array)) for array in arrays]
        assert len(set(digests)) == len(arrays)

    def test_sparse_tensors(self) -> None:
        def body(values: list[float], dims: list[int]) -> str:
            sparse = helper.make_sparse_tensor(
                helper.make_tensor("v", TensorProto.FLOAT, [2], values),
                helper.make_tensor("i", TensorProto.INT64, [2], [0, 3]),
                dims,
            )
            node = helper.make_node("Constant", [], ["y"], sparse_value=sparse)
            proto = helper.make_function("d", "F", [], ["y"], [node], [helper.make_opsetid("", 18)])
            result = canonicalise(proto, callees={})
            assert canonicalise(parsed(result), callees={}).proto == result.proto
            return result.digest

        assert len({body([1, 2], [5]), body([1, 3], [5]), body([1, 2], [6])}) == 3

    def test_types_as_attributes_forget_symbols(self) -> None:
        def body(*dims: int | str | None) -> str:
            kind = helper.make_tensor_type_proto(TensorProto.FLOAT, dims)
            node = helper.make_node("Optional", [], ["y"], type=helper.make_sequence_type_proto(kind))
            return canonicalise(
                helper.make_function("d", "F", [], ["y"], [node], [helper.make_opsetid("", 18)]), callees={}
            ).digest

        assert body("N", 3) == body("M", 3) == body(None, 3)
        assert len({body("N", 3), body("N", 4), body(3), body()}) == 4

    @pytest.mark.parametrize(
        ("tensor", "words"),
        [
            (TensorProto(data_type=1, dims=[1], data_location=TensorProto.EXTERNAL), "another file"),
            (TensorProto(data_type=1, dims=[2], raw_data=b"\0\0\0\0"), "4 bytes instead of 8"),
            (TensorProto(data_type=99, dims=[1], raw_data=b"\0"), "unknown element type 99"),
            (TensorProto(data_type=1, dims=[-1], raw_data=b""), "negative dimension"),
            (TensorProto(data_type=1, dims=[1 << 62] * 999, raw_data=b""), "more elements"),
            (TensorProto(data_type=3, dims=[1], int32_data=[300]), "out of range"),
            (TensorProto(data_type=8, dims=[2], string_data=[b"a"]), "do not fit"),
            (TensorProto(data_type=1, dims=[1], segment=TensorProto.Segment(begin=0)), "segments"),
        ],
    )
    def test_refusals(self, tensor: TensorProto, words: str) -> None:
        assert words in reason(with_constant(tensor))


TYPED_VALUES: dict[str, list[object]] = {
    "FLOAT": [1.5, -0.0, float("inf")],
    "DOUBLE": [1.5, -0.0, 1e300],
    "FLOAT16": [1.5, -0.0, 6e4],
    "BFLOAT16": [1.5, -0.0, 2.0],
    "INT8": [-128, 0, 127],
    "INT16": [-(2**15), 0, 2**15 - 1],
    "INT32": [-(2**31), 0, 2**31 - 1],
    "INT64": [-(2**63), 0, 2**63 - 1],
    "UINT8": [0, 255],
    "UINT16": [0, 2**16 - 1],
    "UINT32": [0, 2**32 - 1],
    "UINT64": [0, 2**64 - 1],
    "BOOL": [True, False],
    "COMPLEX64": [1 + 2j, -0.5j],
    "COMPLEX128": [1 + 2j, -0.5j],
    "INT4": [-8, 7, 3],
    "UINT4": [0, 15, 3],
    "FLOAT8E4M3FN": [1.0, -2.0],
    "FLOAT8E5M2": [1.0, -2.0],
}
