"""FunctionProtos of living functions."""

from __future__ import annotations

from collections.abc import Mapping

from onnx import AttributeProto, FunctionProto, helper

from opwright.diagnostics.model import Diagnostic, DiagnosticError
from opwright.functions import OnnxFunction
from opwright.lang.emit import Identify, emit_function, own_identity
from opwright.lang.family import Variant
from opwright.lang.lower import Unit
from opwright.live.compiled import Compiled, Run, chosen_facts, target_opset
from opwright.opsets.opset import Opset
from opwright.variants import overload_of


def function_proto(function: OnnxFunction, opset: Opset | int | None, variant: Mapping[str, object]) -> FunctionProto:
    """The one variant that `variant` leaves. See `OnnxFunction.to_function_proto`."""
    compiled = Run(target_opset(function, opset)).compile(function)
    left = _left(compiled, variant)
    if len(left) != 1:
        raise DiagnosticError([_not_one(compiled, left)])
    return emit_variant(compiled, left[0])


def function_protos(
    function: OnnxFunction, opset: Opset | int | None, variant: Mapping[str, object]
) -> list[FunctionProto]:
    """Every variant that `variant` leaves. See `OnnxFunction.to_function_protos`."""
    compiled = Run(target_opset(function, opset)).compile(function)
    return [emit_variant(compiled, item) for item in _left(compiled, variant)]


def emit_variant(compiled: Compiled, variant: Variant, identify: Identify = own_identity) -> FunctionProto:
    """A variant as a proto, with its documentation and the defaults of its attributes."""
    function = variant.lowered.function
    assert function is not None
    overload = overload_of(variant.key)
    proto = emit_function(function, compiled.function.domain, overload, identify)
    proto.doc_string = compiled.function.__doc__ or ""
    with_default = {item.name: item for item in function.attributes if item.default is not None}
    if with_default:
        plain = [name for name in proto.attribute if name not in with_default]
        del proto.attribute[:]
        proto.attribute.extend(plain)
        for name, item in with_default.items():
            kind = AttributeProto.AttributeType.Value(item.kind.value)
            value = list(item.default) if isinstance(item.default, tuple) else item.default
            proto.attribute_proto.append(helper.make_attribute(name, value, attr_type=kind))
    return proto


def _left(compiled: Compiled, variant: Mapping[str, object]) -> list[Variant]:
    facts = chosen_facts(compiled.unit, variant)
    return [
        item
        for item in compiled.family.variants
        if all(facts.get(axis, value) == value for axis, value in item.key) and _admits(compiled.unit, item, facts)
    ]


def _admits(unit: Unit, variant: Variant, facts: Mapping[str, str]) -> bool:
    from opwright.lang.family import admitted

    assert variant.lowered.function is not None
    types = dict(admitted(variant.lowered.function))
    return all(value in types[axis] for axis, value in facts.items() if axis in types)


def _not_one(compiled: Compiled, left: list[Variant]) -> Diagnostic:
    unit, variants = compiled.unit, compiled.family.variants
    keys = "; ".join(",".join(f"{axis}={value}" for axis, value in item.key) for item in left or variants)
    axes = dict.fromkeys(axis for item in left or variants for axis, _ in item.key)
    node = unit.node
    return Diagnostic(
        "OW353",
        f"`{node.name}` has {len(left)} variants" if left else f"`{node.name}` has no such variant",
        unit.module.source.place((node.lineno, node.col_offset, node.lineno, node.col_offset + len(node.name) + 4)),
        reason=f"it asks static questions about {', '.join(f'`{axis}`' for axis in axes)}; its variants are {keys}",
        help="say which one is meant with `variant={...}`, or take them all with `to_function_protos`",
    )
