"""Models of one node: what is in them, and that checkers and runtimes take them."""

from typing import Any

import numpy as np
import onnx
import onnx.parser
from opwright.bundle.format import AttributeEntry, InputEntry
from opwright_build.verify.run.models import (
    Signature,
    arguments_of,
    inlined,
    lowest_ir,
    one_node_model,
    signature_of,
)

INPUTS = (InputEntry("X", "T"), InputEntry("low", "T", optional=True), InputEntry("axes", "int64", optional=True))
ATTRIBUTES = (
    AttributeEntry("alpha", "FLOAT", False, 0.5),
    AttributeEntry("perm", "INTS", False),
    AttributeEntry("mode", "STRING", False, "linear"),
)
BODY = "<a0, a1, a2>(i0, i1, i2) => (o0) { o0 = Identity(i0) }"


def test_a_signature_is_the_call_with_every_default_written(library: Any, make_case: Any) -> None:
    entry = library.add("F", (BODY, 18, 22), inputs=INPUTS, attributes=ATTRIBUTES)
    x, axes = np.zeros((2, 3)), np.array([1])
    case = make_case(entry, [x, None, axes], x, type="double", attributes={"perm": [1, 0]})
    signature = signature_of(entry, entry.bodies[0], case)
    assert signature.inputs == (("double", 2), None, ("int64", 1))
    assert signature.outputs == ("double",)
    assert signature.attributes == (
        ("alpha", "FLOAT", 0.5),
        ("perm", "INTS", (1, 0)),
        ("mode", "STRING", "linear"),
    )
    assert [id(array) for array in arguments_of(entry, entry.bodies[0], case)] == [id(x), id(axes)]


def test_an_attribute_without_a_value_is_left_out(library: Any, make_case: Any) -> None:
    entry = library.add("F", (BODY, 18, 22), inputs=INPUTS, attributes=ATTRIBUTES)
    case = make_case(entry, [np.zeros(1)], np.zeros(1), type="double")
    signature = signature_of(entry, entry.bodies[0], case)
    assert [name for name, _, _ in signature.attributes] == ["alpha", "mode"]
    assert signature.inputs == (("double", 1), None, None)


def test_inputs_that_a_variant_does_not_keep_are_not_passed(library: Any, make_case: Any) -> None:
    text = "<a0, a1, a2>(i0, i1) => (o0) { o0 = Identity(i0) }"
    variant = (("low", "absent"),)
    entry = library.add("F", (text, 18, 22, variant, ("X", "axes")), inputs=INPUTS, attributes=ATTRIBUTES)
    axes = np.array([1])
    case = make_case(entry, [np.zeros(1), None, axes], np.zeros(1), type="double")
    assert signature_of(entry, entry.bodies[0], case).inputs == (("double", 1), ("int64", 1))
    assert len(arguments_of(entry, entry.bodies[0], case)) == 2


def test_the_model_is_whole() -> None:
    function = onnx.parser.parse_function(
        '<domain: "com.acme", opset_import: ["": 18, "com.other": 3]> F<slope>(x, low) => (y) '
        "{ y = LeakyRelu<alpha: float = @slope>(x) }"
    )
    function.overload = "low=absent"
    signature = Signature((("float", 2), None), (("slope", "FLOAT", 0.25),), ("float",))
    model = one_node_model([function], signature, 18)
    assert {item.domain: item.version for item in model.opset_import} == {"": 18, "com.acme": 1, "com.other": 3}
    (node,) = model.graph.node
    assert (node.domain, node.op_type, node.overload) == ("com.acme", "F", "low=absent")
    assert list(node.input) == ["x0", ""]
    assert [dim.dim_param for dim in model.graph.input[0].type.tensor_type.shape.dim] == ["x0_0", "x0_1"]
    assert not model.graph.output[0].type.tensor_type.HasField("shape")
    del model.graph.output[:]
    onnx.checker.check_model(model, full_check=True)
    model.graph.output.add(name="y0")
    flat = inlined(model)
    assert not flat.functions
    assert [item.op_type for item in flat.graph.node] == ["LeakyRelu"]
    assert flat.graph.node[0].attribute[0].f == 0.25


def test_the_ir_version_is_the_lowest_that_will_do() -> None:
    function = onnx.parser.parse_function('<domain: "com.acme", opset_import: ["": 13]> F(x) => (y) { y = Abs(x) }')
    assert lowest_ir([function], 13) == 8
    function.attribute_proto.append(onnx.helper.make_attribute("alpha", 1.0))
    assert lowest_ir([function], 13) == 9
    function.metadata_props.add(key="a", value="b")
    assert lowest_ir([function], 13) == 10
    assert lowest_ir([function], 23) == 11
    assert lowest_ir([], 28) == 14
