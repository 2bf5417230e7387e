"""The arguments of a function's call: bound by Python's rules, checked and converted as at a compiled call."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from types import FunctionType
from typing import Any

import numpy as np

from opwright.diagnostics.diagnostic import DiagnosticError
from opwright.eager.arrays import data_of
from opwright.eager.described import Described
from opwright.eager.eager_lowering import NOWHERE, EagerLowering
from opwright.eager.python_values import GraphArgument, operand, sequence
from opwright.eager.settings import is_inside_function
from opwright.eager.tensor import Items, Tensor, wrap
from opwright.elements import BY_NAME, ElementType
from opwright.functions import OnnxFunction
from opwright.graphs.ndarrays import as_array, element_of, is_masked, nests_too_deep, python_number
from opwright.lang import ir
from opwright.lang.lower.nodes.held_arrays import with_lists, with_numbers
from opwright.lang.lower.numbers.number_operands import as_tensor, describe, shared_element
from opwright.lang.lower.values.annotated import type_of_element, wrapped
from opwright.lang.meaning.attribute_values import convert_attribute
from opwright.lang.meaning.interface import Arity, AttributeDeclaration, DeclaredValue, Input
from opwright.lang.meaning.objects import ArrayObject, TypeObject
from opwright.lang.meaning.operands import Operand
from opwright.live.compiled import Run
from opwright.opsets.signatures import Signature, tensor_element
from opwright.suggest import meant_by, nearest


def bind_by_python(
    low: EagerLowering, name: str, signature: inspect.Signature, args: Sequence[object], kwargs: Mapping[str, object]
) -> dict[str, Any]:
    """Arguments to parameters, those left out not among them. DiagnosticError with Python's words, of an unknown
    keyword before what is missing, which it may stand for."""
    try:
        return dict(signature.bind(*args, **kwargs).arguments)
    except TypeError as error:
        unknown = [key for key in kwargs if key not in signature.parameters]
        words = f"got an unexpected keyword argument {unknown[0]!r}" if unknown else str(error)
        code = "OW204" if words.startswith("missing") else "OW203"
        free = [item for item in [*signature.parameters.values()][len(args) :] if item.name not in kwargs]
        help_ = _meant(unknown, free) if unknown else ""
        low.error(code, f"`{name}`: {words}", NOWHERE, reason=f"it is `{name}{signature}`", help=help_)
        raise


def _meant(unknown: Sequence[str], free: Sequence[inspect.Parameter]) -> str:
    """A help text: the parameter that the first unknown keyword stands for."""
    names = [item.name for item in free]
    meant = meant_by(unknown, names, [item.name for item in free if item.default is item.empty])
    other = meant.get(unknown[0]) or nearest(unknown[0], names)
    return f"did you mean `{other}`?" if other else ""


def each(value: object) -> Iterable[object]:
    return value if isinstance(value, (list, tuple)) else (value,)


def is_array(value: object) -> bool:
    """What has an element type, which numbers have not."""
    return isinstance(value, (Tensor, np.ndarray, np.generic))


def _is_scalar(value: object) -> bool:
    data = value.data if isinstance(value, Tensor) else value
    return isinstance(data, (bool, int, float)) or (isinstance(data, (np.ndarray, np.generic)) and data.ndim == 0)


def _is_sequence(value: object) -> bool:
    return isinstance(value, Items) or (isinstance(value, list) and any(map(is_array, value)))


def _is_list_for(declared: DeclaredValue, value: object) -> bool:
    """Whether an argument has to be a list of tensors; an optional of one may be an optional."""
    given = isinstance(value, (list, tuple)) or (value is not None and declared.wrap == ("seq",))
    return given and declared.wrap[-1:] == ("seq",)


def handed_by_body(value: Any) -> Any:
    """What a body hands to a function or returns: numpy's float64 and int64 are Python's numbers, in lists too. Lists
    that nest deeper than arrays do stay what they are: what takes them refuses them."""
    is_list = isinstance(value, (list, tuple)) and not isinstance(value, Items)
    return value if is_list and nests_too_deep(value) else _handed(value)


def _handed(value: Any) -> Any:
    if isinstance(value, np.generic):
        number = python_number(value)
        return value if number is None else number
    if isinstance(value, Items) or not isinstance(value, (list, tuple)):
        return value
    items = map(_handed, value)
    return list(items) if isinstance(value, list) else tuple(items)


def as_input(low: EagerLowering, value: Any, element: ElementType | None) -> Any:
    """An argument as a tensor, a sequence or None; numbers take `element`, or what numbers become without one."""
    if value is None or isinstance(value, (Tensor, Items)):
        return value
    if isinstance(value, np.generic):
        value = np.asarray(value)  # given by a caller it has the type that it says
    tensors = isinstance(value, list) and any(map(is_array, value))
    made = sequence(low, value) if tensors else as_tensor(low, operand(low, value), element, None)
    assert isinstance(made, ir.Value)
    return wrap(low.data[made], made.type)


class Arguments:
    """The arguments of one call, each checked by what is declared of its parameter."""

    def __init__(self, low: EagerLowering, function: OnnxFunction, described: Described) -> None:
        self.low = low
        self.function = function
        self.described = described
        self.bound: dict[str, ElementType] = {}  # type variables, once a tensor has decided them
        self.elements: dict[str, ElementType] = {}  # by input
        self.sizes: dict[str, int] = {}  # symbols of shapes
        self.numbers: dict[str, list[Operand]] = {}  # numbers and lists of them, by input

    @property
    def name(self) -> str:
        return self.function.name

    def convert(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """What the body gets, by parameter."""
        inputs = self.described.interface.inputs
        if is_inside_function():
            names = {item.name for item in inputs}
            given = {name: self._joined(name, value) if name in names else value for name, value in given.items()}
        for item in inputs:  # tensors first: numbers take the types that these decide
            for value in self._values(item, given):
                tensor = next(filter(is_array, value), None) if isinstance(value, (list, tuple)) else value
                if is_array(tensor):
                    self._decide(item.name, tensor)
                elif value is not None and not isinstance(value, (Items, dict)):
                    self.numbers.setdefault(item.name, []).append(operand(self.low, value))
        converted: dict[str, Any] = {}
        for item in inputs:
            if item.arity is Arity.VARIADIC:
                converted[item.name] = tuple(self._input(item, part) for part in given.get(item.name, ()))
            elif item.name in given:
                converted[item.name] = self._input(item, given[item.name])
        for attribute in self.described.interface.attributes:
            converted[attribute.name] = self._attribute(attribute, given)
        return converted

    def _joined(self, name: str, value: Any) -> Any:
        """A list of numbers and tensors of rank 0 that a body hands on, as the tensor that it is to a compiled function
        which declares no sequence."""
        declared = self.described.declaration.inputs.get(name)
        is_list = isinstance(value, list) and not isinstance(value, Items) and any(map(is_array, value))
        if not is_list or not all(map(_is_scalar, value)) or (declared is not None and declared.wrap):
            return value
        made = as_tensor(self.low, operand(self.low, value), None, None)
        return wrap(self.low.data[made], made.type)

    def _values(self, item: Input, given: Mapping[str, Any]) -> Iterable[object]:
        value = given.get(item.name)
        return each(value) if item.arity is Arity.VARIADIC else (value,)

    # ------------------------------------------------------------------------------------------- inputs

    def _input(self, item: Input, value: Any) -> Any:
        declared = self.described.declaration.inputs.get(item.name)
        may_hold_nothing = value is None and declared is not None and declared.wrap[:1] == ("optional",)
        element = self._wanted(item.name) if may_hold_nothing else None
        if declared is not None and element is not None:
            return wrap(None, type_of_element(element, declared))
        if value is None and item.arity is not Arity.OPTIONAL and not item.has_gaps:
            self.low.error("OW204", f"`{self.name}` needs its input `{item.name}`", NOWHERE, "it is None")
        if _is_sequence(value) and item.annotation.elements and not item.annotation.wrap:
            self.low.error(
                "OW325",
                f"`{self.name}` takes a tensor as `{item.name}`, not a list of tensors",
                NOWHERE,
                reason="the annotation says so",
                help="join them: `op.ConcatFromSequence`, or annotate `Sequence[...]`",
            )
        if declared is not None and _is_list_for(declared, value):
            return self._sequence(item, value, declared)
        if isinstance(value, dict) and declared is not None and declared.type in BY_NAME and len(declared.wrap) == 1:
            return wrap(dict(value), wrapped(declared.wrap[0], ir.TensorType(BY_NAME[declared.type], ())))
        if is_array(value) or value is None:
            return as_input(self.low, value, None)
        made = as_input(self.low, value, self._wanted(item.name))
        if declared is not None and isinstance(made, Tensor) and isinstance(made.type, ir.TensorType):
            self._fit_shape(item.name, declared, made.type)
        return made

    def _sequence(self, item: Input, value: Any, declared: DeclaredValue) -> Any:
        """A list of tensors; numbers, and a list of none, take the element type that is declared or decided."""
        if not isinstance(value, (list, tuple)):
            self.low.error(
                "OW325",
                f"`{self.name}` takes a list of tensors as `{item.name}`, not {describe(operand(self.low, value))}",
                NOWHERE,
                reason="the annotation says so",
                help="give a list: `[x]`",
            )
        made = sequence(self.low, value if isinstance(value, list) else list(value), self._wanted(item.name))
        assert isinstance(made.type, ir.SequenceType)
        if isinstance(made.type.item, ir.TensorType):
            self._admit(item.name, declared, made.type.item)
        return wrap(self.low.data[made], made.type)

    def _wanted(self, name: str) -> ElementType | None:
        """The element type that a number takes as this input, where anything decides it."""
        declared = self.described.declaration.inputs.get(name)
        if declared is None:
            return None
        found = BY_NAME.get(declared.type) or self.bound.get(declared.type)
        return found or self._inferred(name)

    def _inferred(self, name: str) -> ElementType | None:
        """As the compiler finds it: an input may have to be of the type of another one."""
        try:
            signature: Signature = Run(self.low.target.opset).compile(self.function).script.signature
        except DiagnosticError:  # what does not compile may still run
            return None
        types = {formal.name: formal.type for formal in signature.inputs}
        wanted = types.get(name, "")
        met = next((element for other, element in self.elements.items() if types.get(other) == wanted), None)
        admitted = signature.admitted.get(wanted, (wanted,))
        if met is not None or len(admitted) == 1:
            return met or tensor_element(admitted[0])
        sharing = [item for other, items in self.numbers.items() if types.get(other) == wanted for item in items]
        return shared_element(self.low, sharing)

    def _decide(self, name: str, value: Any) -> None:
        """Meets a tensor with what is declared of the input."""
        array = value if isinstance(value, Tensor) else np.asarray(value)
        made = operand(self.low, array)
        type_ = made.type if isinstance(made, ir.Value) else None
        declared = self.described.declaration.inputs.get(name)
        if not isinstance(type_, ir.TensorType) or declared is None:
            return
        self._admit(name, declared, type_)
        self._fit_shape(name, declared, type_)

    def _admit(self, name: str, declared: DeclaredValue, type_: ir.TensorType) -> None:
        """The element type has to be one that is declared, and the one of the other inputs of its type variable."""
        element = ir.settle(type_.element)
        assert isinstance(element, ElementType)
        self.elements[name] = element
        variable = self.described.declaration.types.get(declared.type)
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

    def _fit_shape(self, name: str, declared: DeclaredValue, type_: ir.TensorType) -> None:
        wanted, found = declared.dimensions, type_.shape
        if wanted is None or found is None or declared.wrap:
            return
        fits = len(wanted) == len(found)
        for dim, size in zip(wanted, found, strict=False):
            assert isinstance(size, int)
            known = self.sizes.setdefault(dim, size) if isinstance(dim, str) else dim
            fits = fits and known in (None, size)
        if not fits:
            self.low.error(
                "OW372",
                f"`{self.name}` takes `{name}` with the shape {declared.shape_text}, not {type_!r}",
                NOWHERE,
                reason="the annotation says so: `FLOAT` alone is a scalar, and `FLOAT[...]` has any shape",
                help="reshape the argument, or change the annotation",
            )

    # --------------------------------------------------------------------------------------- attributes

    def _attribute(self, declared: AttributeDeclaration, given: Mapping[str, Any]) -> Any:
        """The value as a compiled function has it: floats rounded to float32, lists as tuples; the default for None."""
        value = given.get(declared.name)
        if value is None:
            value = declared.default
        if value is None:
            if declared.required:
                self.low.error("OW206", f"`{self.name}` needs its attribute `{declared.name}`", NOWHERE, "it is None")
            return None
        if declared.kind == "GRAPH":
            return self._graph(declared, value)
        is_array = isinstance(value, np.ndarray) and element_of(as_array(value)) is not None and not is_masked(value)
        given_as = ArrayObject(data_of(as_array(value))) if is_array else operand(self.low, value)
        static = with_lists(self.low, with_numbers(self.low, given_as), NOWHERE)
        if isinstance(static, ir.Value):
            self.low.error(
                "OW324",
                f"`{declared.name}` of `{self.name}` must be known when the function is built",
                NOWHERE,
                reason=f"it is an attribute, and {describe(static)} is computed at run time",
                help="pass a Python value",
            )
        code = static.element.code if isinstance(static, TypeObject) else static
        converted = convert_attribute(code, declared.kind)
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

    def _graph(self, declared: AttributeDeclaration, value: Any) -> Any:
        if isinstance(value, (FunctionType, OnnxFunction)):
            return GraphArgument(value)
        if not isinstance(value, GraphArgument):
            self.low.error(
                "OW207",
                f"`{declared.name}` of `{self.name}` cannot be {describe(operand(self.low, value))}",
                NOWHERE,
                reason="it is a graph",
                help="pass a function",
                subject=self.name,
            )
        return value
