"""Functions on the values of spox: `call`, and modules of typed functions around it; then `link(model, [...])`.

Imported on request alone: it needs spox. An operator that spox has not is a class of its own there; the classes here
are of the kind that spox generates for the operators of ONNX.
"""

# pyright: reportMissingImports=false

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Sequence as SeveralOf
from dataclasses import make_dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import spox
from onnx import AttributeProto, TypeProto
from spox import _attributes, _fields, _node, _var
from spox._internal_op import INTERNAL_MIN_OPSET  # no model of spox has an older one

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError
from opwright.elements import BY_CODE
from opwright.foreign.callables import (
    Callable,
    bind,
    emitted_domain,
    expect_function,
    newest_opset_of,
    oldest_opset_of,
    plain_value,
    version_of,
)
from opwright.foreign.callers_line import AtCallersLine
from opwright.foreign.link import link
from opwright.foreign.typed_call import Typed, call_model
from opwright.foreign.typed_modules import module_text
from opwright.graphs.ndarrays import DTYPES, element_of_dtype
from opwright.link.value_types import wrap

__all__ = ["call", "link", "typed_module"]

_ATTRIBUTES: dict[int, Any] = {
    AttributeProto.FLOAT: _attributes.AttrFloat32,
    AttributeProto.INT: _attributes.AttrInt64,
    AttributeProto.STRING: _attributes.AttrString,
    AttributeProto.FLOATS: _attributes.AttrFloat32s,
    AttributeProto.INTS: _attributes.AttrInt64s,
    AttributeProto.STRINGS: _attributes.AttrStrings,
}


def call(function: Callable, /, *args: Any, **kwargs: Any) -> Any:
    """The results of the function: one `spox.Var`, or a tuple of several, as nodes of the function's own domain.

    Inputs are `spox.Var`s, in order or by name, None where they are left out; attributes are given by name. What is
    wrong is a DiagnosticError at the caller's line.
    """
    with AtCallersLine():
        return _call(function, args, kwargs)


def _call(function: Callable, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    function = expect_function(function)
    typed = [_typed(value) for value in args]
    named = {name: _typed(value) for name, value in kwargs.items()}
    newest = newest_opset_of(function)
    model = call_model(function.name, function, typed, named, newest)
    bound = bind(function, args, kwargs)
    for value in bound.inputs:
        if value is not None and not isinstance(value, spox.Var):
            text = f"`{function.name}` is given {_shown(value)} as an input, which is no `spox.Var`"
            raise DiagnosticError([Diagnostic("OW681", text, help="make a constant: `op.const(...)` of spox")])
    outputs = [_spox_type(item.type) for item in model.graph.output]
    needed = oldest_opset_of(function)
    if needed is None and not _can_be_had(function, typed, named, INTERNAL_MIN_OPSET):
        needed = newest
    return _node_of(function, bound.inputs, bound.attributes, outputs, needed)


def _shown(value: Any) -> str:
    """A value in a message: an array is named by its type, as it may be long."""
    if isinstance(value, bool | int | float | str):
        return repr(value)
    kind = type(value)
    return f"an object of {kind.__module__}.{kind.__qualname__}"


def _can_be_had(function: Callable, args: list[Any], kwargs: dict[str, Any], opset: int) -> bool:
    try:
        call_model(function.name, function, args, kwargs, opset)
    except DiagnosticError:
        return False
    return True


def typed_module(functions: Iterable[Callable]) -> str:
    """The text of a module that has a typed function of spox's kind for each of these: inputs are `Var`s, attributes
    keywords with their types and defaults. ValueError for a function that has no name to import it by."""
    return module_text(functions)


def _typed(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_typed(item) for item in value]
    if not isinstance(value, spox.Var):
        return value
    if value.type is None:
        text = "the type of a `spox.Var` is not known"
        raise DiagnosticError([Diagnostic("OW681", text, help="give the values before it types")])
    return Typed(_text(value.type), _shape(value.type))


def _text(type_: Any) -> str:
    if isinstance(type_, spox.Sequence):
        return wrap("seq", _text(type_.elem_type)) or ""
    if isinstance(type_, spox.Optional):
        return wrap("optional", _text(type_.elem_type)) or ""
    element = element_of_dtype(np.dtype(type_.dtype))
    assert element is not None
    return f"tensor({element.name})"


def _shape(type_: Any) -> tuple[int | None, ...] | None:
    if not isinstance(type_, spox.Tensor) or type_.shape is None:
        return None
    return tuple(size if isinstance(size, int) else None for size in type_.shape)


def _spox_type(proto: TypeProto) -> Any:
    match proto.WhichOneof("value"):
        case "sequence_type":
            return spox.Sequence(_spox_type(proto.sequence_type.elem_type))
        case "optional_type":
            return spox.Optional(_spox_type(proto.optional_type.elem_type))
    tensor = proto.tensor_type
    sizes = [dim.dim_value if dim.HasField("dim_value") else dim.dim_param or None for dim in tensor.shape.dim]
    element = BY_CODE[tensor.elem_type]
    dtype = np.dtype(str) if element.name == "string" else DTYPES[element]
    return spox.Tensor(dtype, tuple(sizes) if tensor.HasField("shape") else None)


def _node_of(
    function: Callable,
    inputs: SeveralOf[Any],
    attributes: SeveralOf[AttributeProto],
    outputs: SeveralOf[Any],
    needed: int | None,
) -> Any:
    """The results of a node of the function; it needs that default opset, if any."""
    present = tuple(value is not None for value in inputs)
    kinds = tuple((item.name, item.type) for item in attributes)
    type_ = _node.OpType(function.name, emitted_domain(function), version_of(function))
    class_ = _node_class(type_, needed, present, kinds, len(outputs))
    made = class_(
        class_.Attributes(**{item.name: _ATTRIBUTES[item.type](plain_value(item), item.name) for item in attributes}),
        class_.Inputs(**{f"i{index}": _var.unwrap_vars(value) for index, value in enumerate(inputs)}),
        infer_types=False,
        validate=False,
    )
    for index, type_ in enumerate(outputs):
        getattr(made.outputs, f"o{index}").type = type_
    results = made.get_output_vars(infer_types=False)
    found = tuple(getattr(results, f"o{index}") for index in range(len(outputs)))
    return found[0] if len(found) == 1 else found


@lru_cache(maxsize=1024)
def _node_class(
    op_type: Any,
    opset: int | None,
    present: tuple[bool, ...],
    attributes: tuple[tuple[str, int], ...],
    outputs: int,
) -> Any:
    needed = {(op_type.domain, op_type.version)} | ({("", opset)} if opset is not None else set())
    info, absent = _var._VarInfo, _var._VarInfo | None
    members = {
        "op_type": op_type,
        "opset_req": property(lambda self: set(needed)),
        "Attributes": make_dataclass(
            "Attributes", [(key, _ATTRIBUTES[kind]) for key, kind in attributes], bases=(_fields.BaseAttributes,)
        ),
        "Inputs": make_dataclass(
            "Inputs",
            [(f"i{index}", info if given else absent) for index, given in enumerate(present)],
            bases=(_fields.BaseInputs,),
        ),
        "Outputs": make_dataclass(
            "Outputs", [(f"o{index}", info) for index in range(outputs)], bases=(_fields.BaseOutputs,)
        ),
    }
    return type(op_type.identifier, (_node.Node,), members)
