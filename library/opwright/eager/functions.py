"""Functions run as plain Python on tensors: arguments bound and checked as at a compiled call, results as outputs."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from opwright.eager import settings
from opwright.eager.arrays import Array
from opwright.eager.lowering import NOWHERE, EagerLowering
from opwright.eager.operations import operand, sequence, wrap
from opwright.eager.place import caller, place_of
from opwright.eager.tensor import Items, Tensor
from opwright.elements import BY_NAME, ElementType
from opwright.lang import ir
from opwright.lang.interface import Arity, AttributeDeclaration, Declaration, Interface, convert_attribute
from opwright.lang.lower.numbers import as_tensor, describe
from opwright.lang.resolve import TypeObject


class Scripted(Protocol):
    """What eager mode must know of a function under `@script`."""

    @property
    def function(self) -> Callable[..., Any]:
        """The author's own function."""
        ...

    @property
    def interface(self) -> Interface: ...

    @property
    def declaration(self) -> Declaration:
        """What the annotations say of its inputs and outputs."""
        ...

    @property
    def default_opset(self) -> int:
        """The default-domain opset that its source names."""
        ...

    def check(self, opset: int) -> None:
        """Compiles it; DiagnosticError with what the compiler finds."""


def call_function(function: Scripted, args: Sequence[object], kwargs: Mapping[str, object]) -> Any:
    """The results of the function, run as Python: a tensor or a sequence, in a tuple where there are several.

    Numpy arrays in give numpy arrays out, tensors give tensors, and so does every call inside of another function.
    DiagnosticError at the caller's line for arguments that a compiled call refuses.
    """
    opset = settings.opset_in_force(function.default_opset)
    if settings.is_strict():
        function.check(opset)
    low = EagerLowering(opset, place_of(caller()))
    given = _bind(low, function.function, args, kwargs)
    inputs = {item.name for item in function.interface.inputs}
    tensors = settings.is_inside_function() or any(
        isinstance(item, Tensor) for name in inputs & given.keys() for item in _each(given[name])
    )
    arguments = _Arguments(low, function)
    results = _run(function.function, arguments.convert(given), opset, function.declaration, low)
    if tensors:
        return results[0] if len(results) == 1 else results
    arrays = [item for name in inputs & given.keys() for item in _each(given[name]) if isinstance(item, np.ndarray)]
    plain = tuple(_plain(item, arrays) for item in results)
    return plain[0] if len(plain) == 1 else plain


def run_body(
    function: Callable[..., Any], inputs: Mapping[str, Any], attributes: Mapping[str, Any], opset: int
) -> tuple[Any, ...]:
    """The results of a plain function on arguments by name, without checks: tensors, one for each value returned.

    Arrays and numbers among `inputs` become tensors; attributes are handed on as they are.
    """
    low = EagerLowering(opset, place_of(caller()))
    given = {name: _input(low, value, None) for name, value in inputs.items()}
    return _run(function, {**given, **attributes}, opset, None, low)


def _run(
    function: Callable[..., Any],
    arguments: Mapping[str, Any],
    opset: int,
    declaration: Declaration | None,
    low: EagerLowering,
) -> tuple[Any, ...]:
    bound = inspect.signature(function).bind_partial()
    bound.arguments.update(arguments)
    with settings.inside_function(opset):
        found = function(*bound.args, **bound.kwargs)
    return _outputs(low, function.__name__, found, declaration)


# ------------------------------------------------------------------------------------------------ arguments


def _each(value: object) -> Iterable[object]:
    return value if isinstance(value, (list, tuple)) else (value,)


def _bind(
    low: EagerLowering, function: Callable[..., Any], args: Sequence[object], kwargs: Mapping[str, object]
) -> dict[str, Any]:
    """Arguments to parameters, by Python's rules."""
    try:
        return dict(inspect.signature(function).bind(*args, **kwargs).arguments)
    except TypeError as error:
        name = function.__name__
        code = "OW204" if str(error).startswith("missing") else "OW203"
        low.error(code, f"`{name}`: {error}", NOWHERE, reason=f"it is `{name}{inspect.signature(function)}`")
        raise


class _Arguments:
    """The arguments of one call, each checked by what is declared of its parameter."""

    def __init__(self, low: EagerLowering, function: Scripted) -> None:
        self.low = low
        self.name = function.function.__name__
        self.interface = function.interface
        self.declaration = function.declaration
        self.bound: dict[str, ElementType] = {}  # type variables, once a tensor has decided them

    def convert(self, given: Mapping[str, Any]) -> dict[str, Any]:
        for item in self.interface.inputs:  # tensors first: numbers take the type that these decide
            for value in _each(given.get(item.name)) if item.arity is Arity.VARIADIC else (given.get(item.name),):
                if isinstance(value, (Tensor, np.ndarray, np.generic)):
                    self._decide(item.name, value)
        converted = {}
        for item in self.interface.inputs:
            if item.name not in given:
                continue
            value = given[item.name]
            if item.arity is Arity.VARIADIC:
                converted[item.name] = tuple(_input(self.low, part, self._element(item.name)) for part in value)
            elif value is None and item.arity is Arity.REQUIRED:
                self.low.error("OW204", f"`{self.name}` needs its input `{item.name}`", NOWHERE, "it is None")
            else:
                converted[item.name] = _input(self.low, value, self._element(item.name))
        for attribute in self.interface.attributes:
            converted[attribute.name] = self._attribute(attribute, given)
        return converted

    def _element(self, name: str) -> ElementType | None:
        declared = self.declaration.inputs.get(name)
        return None if declared is None else BY_NAME.get(declared.type) or self.bound.get(declared.type)

    def _decide(self, name: str, value: Any) -> None:
        """Meets a tensor with what is declared of the input."""
        declared = self.declaration.inputs.get(name)
        if declared is None:
            return
        type_ = operand(self.low, value).type
        if not isinstance(type_, ir.TensorType):
            return
        element = ir.settle(type_.element)
        assert isinstance(element, ElementType)
        variable = self.declaration.types.get(declared.type)
        admitted = (BY_NAME[declared.type],) if variable is None else variable
        if element not in admitted:
            self.low.error(
                "OW208",
                f"`{self.name}` does not take {type_!r} as `{name}`",
                NOWHERE,
                reason=f"the input is declared {', '.join(item.name for item in admitted)}",
                help="cast the argument, or change the annotation",
                subject=self.name,
            )
        if self.bound.setdefault(declared.type, element) is not element:
            self.low.error(
                "OW315",
                f"`{self.name}` takes tensors of one element type, not {self.bound[declared.type]!r} and {element!r}",
                NOWHERE,
                reason=f"`{name}` is declared `{declared.type}`, as another input is",
                help="cast one of them",
            )
        if declared.rank is not None and type_.rank != declared.rank:
            self.low.error(
                "OW372",
                f"`{self.name}` takes `{name}` with rank {declared.rank}, not {type_!r}",
                NOWHERE,
                reason="the rank is part of the annotation: `FLOAT` alone is a scalar, `FLOAT[...]` has any rank",
                help="reshape the argument, or change the annotation",
            )

    def _attribute(self, declared: AttributeDeclaration, given: Mapping[str, Any]) -> Any:
        """The value as a compiled function has it: floats rounded to float32, lists as tuples."""
        value = given.get(declared.name, declared.default)
        if value is None or declared.kind == "GRAPH":
            if value is None and declared.required:
                self.low.error("OW206", f"`{self.name}` needs its attribute `{declared.name}`", NOWHERE, "it is None")
            return value
        static = operand(self.low, value)
        code = static.element.code if isinstance(static, TypeObject) else static
        converted = None if isinstance(code, ir.Value) else convert_attribute(code, declared.kind)
        if isinstance(static, ir.Value):
            self.low.error(
                "OW324",
                f"`{declared.name}` of `{self.name}` must be known when the function is built",
                NOWHERE,
                reason=f"it is an attribute, and {describe(static)} is computed at run time",
                help="pass a Python value",
            )
        choices = declared.choices
        if converted is None or (choices and converted not in choices):
            self.low.error(
                "OW207",
                f"`{declared.name}` of `{self.name}` cannot be {describe(static)}",
                NOWHERE,
                reason=f"it is one of {', '.join(map(repr, choices))}"
                if choices
                else f"it is an attribute of type {declared.kind}",
                subject=self.name,
            )
        return bool(converted) if declared.is_bool else converted


def _input(low: EagerLowering, value: Any, element: ElementType | None) -> Any:
    """An argument as a tensor, a sequence or None."""
    if value is None or isinstance(value, (Tensor, Items)):
        return value
    if isinstance(value, np.generic):
        value = np.asarray(value)  # given by a caller it has the type that it says
    tensors = isinstance(value, list) and any(isinstance(item, (Tensor, np.ndarray)) for item in value)
    made = sequence(low, value) if tensors else as_tensor(low, operand(low, value), element, None)
    assert isinstance(made, ir.Value)
    return wrap(low.data[made], made.type)


# -------------------------------------------------------------------------------------------------- results


def _outputs(low: EagerLowering, name: str, found: Any, declaration: Declaration | None) -> tuple[Any, ...]:
    declared = tuple(((declaration and declaration.outputs) or {}).values())
    values = found if isinstance(found, tuple) else (found,)
    if any(value is None for value in values):
        low.error(
            "OW306",
            f"`{name}` returns nothing" if found is None else f"an output of `{name}` is None",
            NOWHERE,
            reason="a function of ONNX has outputs",
            help="return a value on every path",
        )
    if declared and len(values) != len(declared):
        low.error(
            "OW215",
            f"`{name}` returns {len(values)} values, and {len(declared)} are declared",
            NOWHERE,
            reason="the annotation of its result says how many there are",
            help="return one value for each output, in their order",
        )
    results = []
    for index, value in enumerate(values):
        element = BY_NAME.get(declared[index].type) if declared else None
        results.append(_output(low, name, value, element))
    return tuple(results)


def _output(low: EagerLowering, name: str, value: Any, element: ElementType | None) -> Any:
    made = _input(low, value, element)
    if element is not None and isinstance(made, Tensor) and made.dtype is not element:
        low.error(
            "OW210",
            f"`{name}` is declared to give {element!r}, and gives {made.type!r}",
            NOWHERE,
            reason="a function returns the element type that its interface promises",
            help="cast the result, or change the declared type",
        )
    return made


def _plain(value: Any, given: Sequence[Array]) -> Any:
    """The array of a tensor; never one that the caller handed in, since that may change."""
    if isinstance(value, Items):
        return [_plain(item, given) for item in value]
    data = value.data
    if not isinstance(data, np.ndarray):
        return data
    shared = not data.flags.writeable or any(np.may_share_memory(data, array) for array in given)
    return data.copy() if shared else data
