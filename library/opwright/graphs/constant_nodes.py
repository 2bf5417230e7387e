"""What a node of `Constant` gives, in whichever of its attributes that is written."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from onnx import AttributeProto, NodeProto, TensorProto, numpy_helper


def tensor_of_constant(node: NodeProto, attributes: Mapping[str, AttributeProto] | None = None) -> TensorProto | None:
    """The tensor; None of a sparse one, and where an attribute of the function around decides it.

    `attributes` are those of that function, where they are known.
    """
    if len(node.attribute) != 1:
        return None
    given = node.attribute[0]
    known = (attributes or {}).get(given.ref_attr_name) if given.ref_attr_name else given
    if known is None:
        return None
    match given.name:
        case "value":
            return known.t
        case "value_int":
            return numpy_helper.from_array(np.array(known.i, np.int64))
        case "value_ints":
            return numpy_helper.from_array(np.array(known.ints, np.int64))
        case "value_float":
            return numpy_helper.from_array(np.array(known.f, np.float32))
        case "value_floats":
            return numpy_helper.from_array(np.array(known.floats, np.float32))
        case "value_string":
            return TensorProto(data_type=TensorProto.STRING, string_data=[known.s])
        case "value_strings":
            return TensorProto(data_type=TensorProto.STRING, dims=[len(known.strings)], string_data=known.strings)
    return None
