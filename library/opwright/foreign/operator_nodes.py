"""Calls of PyTorch's operators as nodes of onnx_ir: one bare node each, with the casts that its inputs need.

onnx_ir is imported by those who have values of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from onnx import AttributeProto, helper

from opwright.aten.array_calls import number_array
from opwright.aten.binding import Binding
from opwright.aten.call import (
    FunctionCall,
    Input,
    JoinedInput,
    NoCall,
    NumberInput,
    TensorInput,
    call_of_operator,
)
from opwright.aten.tensor_facts import Facts
from opwright.bundle.format import AttributeEntry, FunctionEntry
from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError
from opwright.elements import BY_CODE, BY_NAME, ElementType
from opwright.foreign.operator_registry import Implementation
from opwright.foreign.recorded_nodes import FUNCTION

NewValue = Callable[[], Any]
Symbols = tuple[str, ...] | str  # expressions of a tensor's sizes, or that of a number

# Operators whose result is their first argument in another element type, as an exporter leaves them.
_CONVERSIONS = ("prims::convert_element_type", "aten::_to_copy")
_CONVERTS = "opwright.converts"  # in the `meta` of a node: it is one of those
_SIZE_OF = "opwright.size_of"  # in the `meta` of a node: the dimension of its input whose size it gives


class OperatorNodes:
    """Makes the nodes of calls: `add` gets each of them, `new_value` makes their results. `symbols` has, by the `id` of
    a value, the expressions that an exporter knows of it."""

    def __init__(
        self, add: Callable[[Any], None], new_value: NewValue, symbols: Mapping[int, Symbols] | None = None
    ) -> None:
        import onnx_ir

        self.ir = onnx_ir
        self.add = add
        self.new_value = new_value
        self.symbols = symbols or {}

    def call(
        self,
        implementation: Implementation,
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        results: Sequence[ElementType | None],
    ) -> list[Any]:
        """The results of the operator, one for each of the element types that PyTorch gives them (None: not known).

        Raises DiagnosticError (OW686), also where the function would give another type.
        """
        try:
            made = call_of_operator(implementation.binding, args, kwargs, self._facts, len(results))
            _check_results(implementation.function, made, results)
        except NoCall as error:
            raise DiagnosticError([_not_served(implementation.binding, str(error))]) from None
        return self._nodes(implementation, made, len(results))

    def float_number(self, implementation: Implementation, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """The result of an operator that gives a number of Python, as `item()` does, in float, as which exporters take
        such numbers.

        Raises DiagnosticError (OW686), also for an element of a tensor of doubles, whose digits float does not have.
        """
        known = [self._facts(item) for item in args]
        if any(facts is not None and facts.element.name == "double" for facts in known):
            reason = "the exporter takes numbers as float, and this one is a double"
            raise DiagnosticError([_not_served(implementation.binding, reason)])
        (result,) = self.call(implementation, args, kwargs, [None])
        return self._cast(result, BY_NAME["float"])

    def _facts(self, value: Any) -> Facts | None:
        if not isinstance(value, self.ir.Value):
            return None
        element = None if value.dtype is None else BY_CODE.get(int(value.dtype))
        if element is None:
            return None
        shape = value.shape
        sizes = None if shape is None else tuple(item if isinstance(item, int) else None for item in shape)
        known = self.symbols.get(id(value), ())
        if isinstance(known, str):
            return Facts(element, sizes, symbol=known)
        symbols = known if sizes is not None and len(known) == len(sizes) else ()
        source = self._source(value)
        return Facts(element, sizes, symbols=symbols, source=None if source is None else BY_CODE[int(source.dtype)])

    def _source(self, value: Any) -> Any:
        """The narrowest integers that a tensor of wider ones is a cast of; None where it is none."""
        node = value.producer()
        if node is None or not (_CONVERTS in node.meta or (node.op_type == "Cast" and not node.domain)):
            return None
        source = node.inputs[0]
        narrow, wide = (None if item.dtype is None else BY_CODE.get(int(item.dtype)) for item in (source, value))
        if narrow is None or wide is None or wide.kind != "int" or narrow.bits >= wide.bits:
            return None
        if narrow.kind not in ("bool", "int", "uint"):
            return None
        first = self._source(source)  # as of `mask.int().sum()`, which the exporter converts to int64 after that
        return source if first is None else first

    def _nodes(self, implementation: Implementation, call: FunctionCall, results: int) -> list[Any]:
        entry = implementation.function
        kinds = {item.name: item for item in entry.attributes}
        inputs = [None if item is None else self._input(item) for item in call.inputs]
        attributes = [self._attribute(kinds[name], value) for name, value in call.attributes.items()]
        outputs = self._node(implementation.domain, entry.name, inputs, attributes, results, entry.since_version)
        node = outputs[0].producer()
        node.meta[FUNCTION] = implementation.library
        if implementation.binding.schema.identity in _CONVERSIONS:
            node.meta[_CONVERTS] = True
        if implementation.binding.schema.identity == "aten::sym_size.int":
            node.meta[_SIZE_OF] = call.attributes["dim"]
        if call.result is not None:
            outputs = [self._cast(item, call.result) for item in outputs]
        if call.to_rank_0:
            scalar = self._constant([], BY_CODE[7])
            outputs = [self._node("", "Reshape", [item, scalar])[0] for item in outputs]
        return outputs

    def _input(self, item: Input) -> Any:
        if isinstance(item, NumberInput):
            return self._constant(item.value, item.element)
        if isinstance(item, JoinedInput):
            return self._joined(item.parts)
        assert isinstance(item, TensorInput)
        value = item.value if item.cast is None else self._cast(item.value, item.cast)
        return self._list_of_one(value) if item.lifted else value

    def _joined(self, parts: Sequence[Any]) -> Any:
        """Numbers one after the other, those between computed ones as one constant."""
        pieces: list[Any] = []
        numbers: list[int] = []
        for part in parts:
            if isinstance(part, int):
                numbers.append(part)
                continue
            if numbers:
                pieces.append(self._constant(numbers, BY_CODE[7]))
                numbers = []
            facts = self._facts(part)
            wide = part if facts is None or facts.element.name == "int64" else self._cast(part, BY_CODE[7])
            pieces.append(self._list_of_one(wide))
        if numbers:
            pieces.append(self._constant(numbers, BY_CODE[7]))
        if len(pieces) == 1:
            return pieces[0]
        joined = self._node("", "Concat", pieces, [self.ir.AttrInt64("axis", 0)])[0]
        joined.dtype, joined.shape = self.ir.DataType.INT64, self.ir.Shape([len(parts)])
        return joined

    def _cast(self, value: Any, element: ElementType) -> Any:
        source = self._source(value)
        operand = value if source is None else source
        made = self._node("", "Cast", [operand], [self.ir.AttrInt64("to", element.code)])[0]
        made.dtype, made.shape = self.ir.DataType(element.code), value.shape
        return made

    def _list_of_one(self, value: Any) -> Any:
        producer = value.producer()
        dim = None if producer is None else producer.meta.get(_SIZE_OF)
        if dim is None:
            made = self._node("", "Reshape", [value, self._constant([1], BY_CODE[7])])[0]
        else:  # Shape gives it as a list in one step, the call of the operator in three
            ends = {"start": dim} if dim == -1 else {"start": dim, "end": dim + 1}
            attributes = [self.ir.AttrInt64(name, place) for name, place in ends.items()]
            made = self._node("", "Shape", [producer.inputs[0]], attributes)[0]
        made.dtype, made.shape = value.dtype, self.ir.Shape([1])
        return made

    def _constant(self, value: Any, element: ElementType) -> Any:
        array = number_array(NumberInput(value, element))
        tensor = self.ir.tensor(array, dtype=self.ir.DataType(element.code))
        made = self._node("", "Constant", [], [self.ir.AttrTensor("value", tensor)])[0]
        made.dtype, made.shape = tensor.dtype, tensor.shape
        return made

    def _attribute(self, entry: AttributeEntry, value: Any) -> Any:
        kind = AttributeProto.AttributeType.Value(entry.type)
        return self.ir.from_proto(helper.make_attribute(entry.name, value, attr_type=kind))

    def _node(
        self,
        domain: str,
        name: str,
        inputs: Sequence[Any],
        attributes: Sequence[Any] = (),
        results: int = 1,
        version: int | None = None,
    ) -> list[Any]:
        outputs = [self.new_value() for _ in range(results)]
        self.add(self.ir.Node(domain, name, inputs, attributes, version=version, outputs=outputs))
        return outputs


def _check_results(entry: FunctionEntry, call: FunctionCall, results: Sequence[ElementType | None]) -> None:
    """A function that lacks a type computes in a wider one: right for a sine of integers, and not for their sum."""
    formals = [*entry.outputs, *entry.outputs[-1:] * len(results)]
    for formal, wanted in zip(formals, results, strict=False):
        given = call.result or call.elements.get(formal.type) or BY_NAME.get(formal.type)
        if wanted is not None and given is not None and given is not wanted:
            raise NoCall(f"its result is {wanted}, and the function would give {given}")


def _not_served(binding: Binding, reason: str) -> Diagnostic:
    implements = binding.function.implements
    assert implements is not None
    return Diagnostic(
        "OW686",
        f"{binding.schema.identity} is called in a way that {binding.function.identity} does not serve",
        reason=reason,
        help=f"the operator is {implements.schema}",
    )


def with_element_types(
    binding: Binding, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[list[Any], dict[str, Any]]:
    """The arguments as torch's exporter gives them: element types by ONNX's codes (-1 for none), layouts and formats as
    the texts of torch's own values."""
    named = {item.name: item.kind for item in binding.schema.arguments}
    positional = [item.kind for item in binding.schema.arguments if not item.keyword_only]
    return (
        [_plain(value, kind) for value, kind in zip(args, [*positional, *[""] * len(args)], strict=False)],
        {name: _plain(value, named.get(name, "")) for name, value in kwargs.items()},
    )


def _plain(value: Any, kind: str) -> Any:
    if kind == "ScalarType" and isinstance(value, int):
        return BY_CODE.get(int(value))
    return value.removeprefix("torch.") if isinstance(value, str) else value
