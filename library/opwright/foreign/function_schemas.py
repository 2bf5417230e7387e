"""The interface of a function as a schema of onnx."""

from __future__ import annotations

from collections.abc import Sequence

from onnx import AttributeProto, helper
from onnx.defs import OpSchema

from opwright.eager.described import describe_function
from opwright.elements import BY_NAME
from opwright.foreign.callables import Callable, emitted_domain, formals_of, output_names, version_of
from opwright.functions import OnnxFunction
from opwright.lang.meaning.interface import Arity

_Option = OpSchema.FormalParameterOption
_TENSORS = [f"tensor({item.name})" for item in BY_NAME.values()]


def schema_of(function: Callable) -> OpSchema:
    """Inputs and outputs of any type: which ones the function takes is said where it is linked."""
    inputs: list[tuple[str, _Option]]
    attributes: list[OpSchema.Attribute]
    if isinstance(function, OnnxFunction):
        interface = describe_function(function).interface
        options = {
            Arity.REQUIRED: _Option.Single,
            Arity.OPTIONAL: _Option.Optional,
            Arity.VARIADIC: _Option.Variadic,
        }
        inputs = [(item.name, options[item.arity]) for item in formals_of(function)]
        attributes = [_attribute(item.name, item.kind, item.default, item.required) for item in interface.attributes]
        outputs = output_names(function)
    else:
        entry = function.entry
        inputs = [
            (item.name, _Option.Variadic if item.variadic else _Option.Optional if item.optional else _Option.Single)
            for item in entry.inputs
        ]
        attributes = [_attribute(item.name, item.type, item.default, item.required) for item in entry.attributes]
        outputs = [item.name for item in entry.outputs]
    formals = [
        OpSchema.FormalParameter(name, f"T{index}", param_option=option, is_homogeneous=False)
        for index, (name, option) in enumerate(inputs)
    ]
    results = [OpSchema.FormalParameter(name, f"R{index}") for index, name in enumerate(outputs)]
    return OpSchema(
        function.name,
        emitted_domain(function),
        version_of(function),
        inputs=formals,
        outputs=results,
        type_constraints=[(item.type_str, _TENSORS, "") for item in (*formals, *results)],
        attributes=attributes,
    )


def _attribute(name: str, kind: str, default: object, required: bool) -> OpSchema.Attribute:
    if required or default is None:
        return OpSchema.Attribute(name, getattr(OpSchema.AttrType, kind), "", required=required)
    value = list(default) if isinstance(default, Sequence) and not isinstance(default, str | bytes) else default
    proto = helper.make_attribute(name, value, attr_type=AttributeProto.AttributeType.Value(kind))
    return OpSchema.Attribute(name, proto, "")
