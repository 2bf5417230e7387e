"""Functions as converters of scikit-learn's estimators: `register(Clipper, Clip)`, then `link(model, [Clip])`.

Imported on request alone: it needs skl2onnx.
"""

# pyright: reportMissingImports=false

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from onnx import TypeProto
from skl2onnx import update_registered_converter
from skl2onnx.common import data_types

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError
from opwright.elements import BY_CODE, BY_NAME, ElementType
from opwright.foreign.callables import (
    Callable,
    emitted_domain,
    expect_function,
    newest_opset_of,
    parameters_of,
    version_of,
)
from opwright.foreign.inferred_shapes import note_shapes
from opwright.foreign.link import link
from opwright.foreign.typed_call import Typed, call_model
from opwright.graphs.ndarrays import DTYPES, element_of_dtype, is_masked
from opwright.graphs.ndarrays import element_of as element_of_array
from opwright.link.value_types import element_of, text_of
from opwright.suggest import nearest

__all__ = ["link", "register"]

_TYPES = {
    "float": data_types.FloatTensorType,
    "double": data_types.DoubleTensorType,
    "int64": data_types.Int64TensorType,
    "int32": data_types.Int32TensorType,
    "bool": data_types.BooleanTensorType,
    "string": data_types.StringTensorType,
}


def register(estimator: type, function: Callable, fitted: Mapping[str, str] | None = None) -> None:
    """Makes the function, one under `@script` or of a library, the converter of an estimator: skl2onnx then writes a
    call of it where it meets one.

    The function's first inputs are what the step gets in a pipeline; `fitted` names, for each other parameter, the
    attribute of the estimator that has its value (default: the parameter's own name, or that with `_` behind, as
    estimators name what they have learnt). Inputs become initializers, floats of the type of the data; attributes of
    the function stay attributes. `link(model, [function])` gives the model the function.

    A model for which a value is missing or wrong is refused with a DiagnosticError when it is converted. Raises
    DiagnosticError: OW681 where the function has no parameter that `fitted` names, OW683 for what is no function.
    """
    function = expect_function(function)
    names = dict(fitted or {})
    _check_names(function, names)

    def shapes(operator: Any) -> None:
        outputs = _step_of(function, operator, names).outputs
        if len(outputs) != len(operator.outputs):
            raise DiagnosticError([_count(function, len(outputs), len(operator.outputs))])
        for variable, type_ in zip(operator.outputs, outputs, strict=True):
            variable.type = _variable_type(type_)

    def convert(scope: Any, operator: Any, container: Any) -> None:
        made = _step_of(function, operator, names)
        given: list[str] = []
        for value in made.inputs:
            if isinstance(value, np.ndarray):
                name = scope.get_unique_variable_name(f"{function.name}_fitted")
                element = element_of_dtype(value.dtype)
                assert element is not None
                container.add_initializer(name, element.code, list(value.shape), value.ravel().tolist())
                given.append(name)
            else:
                given.append(value)
        container.add_node(
            function.name,
            given,
            [item.full_name for item in operator.outputs],
            op_domain=emitted_domain(function),
            op_version=version_of(function),
            name=scope.get_unique_operator_name(function.name),
            **made.attributes,
        )
        note_shapes(container.nodes[-1], [_typed(item).shape for item in operator.inputs])

    update_registered_converter(estimator, f"{emitted_domain(function)}.{function.name}", shapes, convert)


@dataclass(frozen=True, slots=True)
class _Step:
    """A step of a pipeline as a call: inputs as names of values, or arrays (empty where absent)."""

    inputs: tuple[str | np.ndarray[Any, Any], ...]
    attributes: Mapping[str, Any]
    outputs: tuple[TypeProto, ...]


def _step_of(function: Callable, operator: Any, names: Mapping[str, str]) -> _Step:
    formals, declared = parameters_of(function)
    data = formals[: len(operator.inputs)]
    if len(data) < len(operator.inputs):
        raise DiagnosticError([_takes_less(function, len(operator.inputs))])
    typed: dict[str, Any] = {}
    inputs: list[str | np.ndarray[Any, Any]] = []
    for formal, variable in zip(data, operator.inputs, strict=True):
        typed[formal.name] = _typed(variable)
        inputs.append(str(variable.full_name))
        if formal.name in names:
            raise DiagnosticError([_is_data(function, formal.name)])
    first = element_of(typed[data[0].name].type) if data else None
    for formal in formals[len(data) :]:
        value = _fitted(operator.raw_operator, formal.name, names, function, required=formal.required)
        array = None if value is None else _array(value, BY_NAME.get(first or ""), function, formal.name)
        inputs.append("" if array is None else array)
        if array is not None:
            element = element_of_dtype(array.dtype)
            assert element is not None
            typed[formal.name] = Typed(f"tensor({element.name})", array.shape)
    attributes: dict[str, Any] = {}
    for attribute in declared:
        value = _fitted(operator.raw_operator, attribute.name, names, function, required=attribute.required)
        if value is not None:
            attributes[attribute.name] = value.tolist() if isinstance(value, np.ndarray | np.generic) else value
    while inputs and isinstance(inputs[-1], str) and not inputs[-1]:
        inputs.pop()
    model = call_model(function.name, function, [], {**typed, **attributes}, newest_opset_of(function))
    return _Step(tuple(inputs), attributes, tuple(item.type for item in model.graph.output))


def _typed(variable: Any) -> Typed:
    proto = variable.type.to_onnx_type()
    shape = proto.tensor_type.shape.dim
    text = text_of(proto)
    assert text is not None
    return Typed(text, tuple(dim.dim_value if dim.dim_value > 0 else None for dim in shape))


def _fitted(estimator: Any, name: str, names: Mapping[str, str], function: Callable, *, required: bool) -> Any:
    """What the estimator has for a parameter; None where it has nothing and need not."""
    wanted = [names[name]] if name in names else [name, f"{name}_"]
    for attribute in wanted:
        if hasattr(estimator, attribute):
            return getattr(estimator, attribute)
    if not required and name not in names:
        return None
    kind = type(estimator).__name__
    text = f"`{function.name}` needs `{name}`, and the {kind} has no {' or '.join(f'`{item}`' for item in wanted)}"
    help_text = f'say which attribute has it: `register({kind}, {function.name}, {{"{name}": "..."}})`; is it fitted?'
    raise DiagnosticError([Diagnostic("OW681", text, help=help_text)])


def _array(value: Any, data: ElementType | None, function: Callable, name: str) -> np.ndarray[Any, Any]:
    """A fitted value as an initializer: floats have the type of the data, as scikit-learn computes with that."""
    array = np.asarray(value)
    if is_masked(value) or element_of_array(array) is None:
        text = (
            f"the value for `{name}` of `{function.name}` is a {type(value).__name__}, and no array of elements of ONNX"
        )
        raise DiagnosticError([Diagnostic("OW681", text, help="have `fit` make a plain array of it")])
    if array.dtype.kind != "f":
        return array
    return array.astype(DTYPES[data] if data is not None and data.is_float else np.float32)


def _variable_type(type_: TypeProto) -> Any:
    element = BY_CODE.get(type_.tensor_type.elem_type)
    class_ = _TYPES.get(element.name if element is not None else "")
    if class_ is None:
        text = f"skl2onnx has no variables of type {text_of(type_) or 'that is not known'}"
        raise DiagnosticError([Diagnostic("OW681", text, help="cast what the function returns")])
    sizes = [dim.dim_value if dim.HasField("dim_value") else None for dim in type_.tensor_type.shape.dim]
    return class_(sizes)


def _check_names(function: Callable, names: Mapping[str, str]) -> None:
    parameters = [item.name for group in parameters_of(function) for item in group] if names else []
    for name in names:
        if name not in parameters:
            near = nearest(name, parameters)
            text = f"`{function.name}` has no parameter `{name}`, for which `{names[name]}` is given"
            reason = f"its parameters are {', '.join(f'`{item}`' for item in parameters)}"
            help_text = f"did you mean `{near}`?" if near else "name one of them"
            raise DiagnosticError([Diagnostic("OW681", text, reason=reason, help=help_text)])


def _is_data(function: Callable, name: str) -> Diagnostic:
    text = f"`{name}` of `{function.name}` is given an attribute of the estimator, and is what the step gets"
    return Diagnostic("OW681", text, help="the first inputs are the data: declare what is fitted behind them")


def _takes_less(function: Callable, count: int) -> Diagnostic:
    text = f"the step gets {count} values, and `{function.name}` has fewer inputs"
    return Diagnostic("OW681", text, help="give the function an input for each value that the step gets")


def _count(function: Callable, gives: int, has: int) -> Diagnostic:
    text = f"`{function.name}` gives {gives} values, and the step of the pipeline has {has}"
    return Diagnostic("OW681", text, help="return as many values as the step has")
