"""A node on its way to an older version of its operator."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from onnx import AttributeProto, NodeProto, TensorProto, helper, numpy_helper

from opwright.link.propagate import Visit
from opwright.link.value_types import element_of
from opwright.opsets.version_rules import Value

MOST_ELEMENTS = 64  # of an input that becomes an attribute: axes, one for each dimension


@dataclass(slots=True)
class Form:
    """What is to become of a node's inputs and attributes. Inputs are only ever removed at the end."""

    visit: Visit
    names: list[str]  # of its inputs
    attributes: dict[str, AttributeProto]

    @classmethod
    def of(cls, visit: Visit) -> Form:
        return cls(visit, list(visit.node.input), {item.name: item for item in visit.node.attribute})

    @property
    def inputs(self) -> int:
        return len(self.names)

    @property
    def outputs(self) -> int:
        return len(self.visit.node.output)

    def element(self, index: int) -> str | None:
        """The element type of an input; None when it is not known, not given, or not a tensor."""
        return element_of(self.visit.inputs[index]) if index < len(self.names) else None

    def rank(self, index: int) -> int | None:
        """The rank of an input, where it is known."""
        return self.visit.ranks[index] if index < min(len(self.names), len(self.visit.ranks)) else None

    def shape(self, index: int) -> tuple[object, ...] | None:
        """The sizes of an input, None each that is not known."""
        scope = self.visit.scope
        shape = scope.shape(self.names[index]) if scope is not None and self.has_input(index) else None
        return None if shape is None else tuple(shape)

    def has_input(self, index: int) -> bool:
        return index < len(self.names) and bool(self.names[index])

    def given(self) -> tuple[str, ...]:
        return tuple(self.attributes)

    def value(self, name: str, default: Value | None = None) -> Value | None:
        """An attribute's value; `default` when it is not given, None when it is not known."""
        given = self.attributes.get(name)
        if given is None:
            return default
        known = self.visit.attributes.get(name, given)
        return None if known.ref_attr_name else plain_value(known)

    def constant(self, index: int) -> tuple[int, ...] | None:
        """The integers that an input always is."""
        found = self._source(index)
        return found if isinstance(found, tuple) else None

    def reference(self, index: int) -> str | None:
        """The attribute of the function around that an input always is, where that is a list that is not empty."""
        found = self._source(index)
        if not isinstance(found, AttributeProto):
            return None
        scope = self.visit.scope
        given = scope.attributes.get(found.ref_attr_name) if scope is not None else None
        return found.ref_attr_name if given is not None and given.ints else None

    def _source(self, index: int) -> tuple[int, ...] | AttributeProto | None:
        scope = self.visit.scope
        source = scope.constant(self.names[index]) if scope is not None and index < len(self.names) else None
        if isinstance(source, NodeProto):
            return _constant_of_node(source)
        return _integers(source) if source is not None else None

    def drop(self, name: str) -> None:
        self.attributes.pop(name, None)

    def set_attribute(self, name: str, value: Value) -> None:
        kept = list(value) if isinstance(value, tuple) else value
        kind = AttributeProto.INTS if isinstance(value, tuple) and not value else None
        self.attributes[name] = helper.make_attribute(name, kept, attr_type=kind)

    def set_reference(self, name: str, referred: str) -> None:
        self.attributes[name] = AttributeProto(name=name, type=AttributeProto.INTS, ref_attr_name=referred)

    def set_integers(self, index: int, values: tuple[int, ...]) -> None:
        raise NotImplementedError("models are brought to older opsets alone, where inputs only become attributes")

    def drop_inputs(self, first: int) -> None:
        """Takes away an input and those behind it, and absent ones at the end with them."""
        del self.names[first:]
        while self.names and not self.names[-1]:
            self.names.pop()


def plain_value(attribute: AttributeProto) -> Value | None:
    """The value as Python has it; None for tensors, graphs and types."""
    value = helper.get_attribute_value(attribute)
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, int | float | str):
        return value
    if attribute.type in (AttributeProto.INTS, AttributeProto.FLOATS):
        return tuple(value)
    if attribute.type == AttributeProto.STRINGS:
        return tuple(item.decode("utf-8", "replace") for item in value)
    return None


def _constant_of_node(node: NodeProto) -> tuple[int, ...] | AttributeProto | None:
    if len(node.attribute) != 1:
        return None
    (attribute,) = node.attribute
    if attribute.name not in ("value", "value_int", "value_ints"):
        return None
    if attribute.ref_attr_name:
        return attribute if attribute.name == "value_ints" else None
    match attribute.name:
        case "value":
            return _integers(attribute.t)
        case "value_int":
            return (attribute.i,)
    return tuple(attribute.ints)


def _integers(tensor: TensorProto) -> tuple[int, ...] | None:
    if tensor.data_location == TensorProto.EXTERNAL or len(tensor.dims) > 1:
        return None
    if any(size > MOST_ELEMENTS for size in tensor.dims):
        return None
    try:
        array = numpy_helper.to_array(tensor)
    except (ValueError, TypeError):
        return None
    return tuple(int(item) for item in array.reshape(-1)) if array.dtype in (np.int32, np.int64) else None
