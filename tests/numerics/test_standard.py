import onnx
from opwright.bundle.format import FunctionEntry
from opwright_build.verify.run.models import Signature

from benchmarks.numerics.standard import DOMAIN, schema_of, stamped, standard_body


def entry(name: str, since_version: int) -> FunctionEntry:
    return FunctionEntry("ai.onnx", name, since_version, "", "", False, (), (), (), (), ())


def test_an_operator_without_a_body_or_of_another_version_is_none_to_compare_with() -> None:
    assert schema_of(entry("Gelu", 20)) is not None
    assert schema_of(entry("Gelu", 19)) is None
    assert schema_of(entry("Add", 14)) is None
    assert schema_of(entry("NoSuchOperator", 14)) is None


def test_a_plain_body_holds_where_its_operators_are_the_same() -> None:
    found = standard_body(schema_of(entry("HardSwish", 22)), Signature((("float", None),), (), ("float",)), [(3,)], {})
    assert found is not None
    function, opsets = found
    assert (function.domain, function.name) == (DOMAIN, "HardSwish")
    assert opsets == list(range(onnx.defs.onnx_opset_version(), 21, -1))  # HardSigmoid is new at 22
    assert [item.version for item in stamped(function, 23).opset_import] == [23]


def test_a_builder_sees_which_inputs_are_there() -> None:
    schema = schema_of(entry("Clip", 13))
    scalar = ("float", None)
    both = standard_body(schema, Signature((scalar, scalar, scalar), (), ("float",)), [(3,), (), ()], {})
    neither = standard_body(schema, Signature((scalar, None, None), (), ("float",)), [(3,), None, None], {})
    assert both is not None
    assert neither is not None
    assert len(both[0].node) > len(neither[0].node)


def test_a_builder_sees_shapes() -> None:
    schema = schema_of(entry("CausalConvWithState", 27))
    present = ("float", None)
    signature = Signature((present, present, None, None), (), ("float", "float"))
    found = standard_body(schema, signature, [(1, 2, 8), (2, 1, 4), None, None], {})
    assert found is not None
    assert any(node.op_type == "Conv" for node in found[0].node)
