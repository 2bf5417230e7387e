"""What a function gives without making it is copied by operators, which have to take it at the target opset."""

from __future__ import annotations

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper
from opwright.lang.emit import emit_function
from opwright.lang.families.family import Family, admitted

from tests.differential.compiling import DOMAIN, compile_program
from tests.differential.program import Program

TYPES = {"float": TensorProto.FLOAT, "double": TensorProto.DOUBLE}


def family(text: str, element: str, types: dict[str, tuple[str, ...]], opset: int) -> Family:
    made = compile_program(Program(text, {"x": element}, {"y": element}, types, (), opset, ()))
    assert isinstance(made, Family), made
    return made


@pytest.mark.parametrize("opset", [13, 14])
def test_sequences_of_types_that_the_caller_knows_are_copied(opset: int) -> None:
    """Identity takes no sequences at opset 13, where an item of their own type is inserted and erased again."""
    made = family("def F(x):\n    return x\n", "seq T", {"T": ("float", "double")}, opset)
    assert len(made.variants) == (2 if opset == 13 else 1)
    for variant in made.variants:
        lowered = variant.lowered.function
        assert lowered is not None
        for element in dict(variant.key).values() or TYPES:
            kind = helper.make_sequence_type_proto(helper.make_tensor_type_proto(TYPES[element], None))
            inputs, outputs = (helper.make_value_info(name, kind) for name in ("a", "b"))
            graph = helper.make_graph([helper.make_node("F", ["a"], ["b"], domain=DOMAIN)], "g", [inputs], [outputs])
            imports = [helper.make_opsetid("", opset), helper.make_opsetid(DOMAIN, 1)]
            functions = [emit_function(lowered, DOMAIN)]
            model = helper.make_model(graph, opset_imports=imports, functions=functions, ir_version=8)
            session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
            given = [np.array([1, 2], helper.tensor_dtype_to_np_dtype(TYPES[element])), np.array([3.5], "f4")[:0]]
            given[1] = given[1].astype(given[0].dtype)
            (found,) = session.run(None, {"a": given})
            assert [(item.dtype, item.tolist()) for item in found] == [(item.dtype, item.tolist()) for item in given]


@pytest.mark.parametrize(("opset", "taken"), [(18, ("float",)), (19, ("float", "float8e4m3fn"))])
def test_types_that_nothing_copies_are_not_admitted(opset: int, taken: tuple[str, ...]) -> None:
    made = family("def F(x):\n    return x\n", "T", {"T": ("float", "float8e4m3fn")}, opset)
    (variant,) = made.variants
    assert variant.lowered.function is not None
    assert dict(admitted(variant.lowered.function)) == {"T": taken}
