"""A node on its way to another version of its operator."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from onnx import AttributeProto, NodeProto, TensorProto, helper, numpy_helper

from opwright.elements import BY_NAME
from opwright.graphs.constant_nodes import tensor_of_constant
from opwright.link.propagate import Fact, Visit
from opwright.link.value_types import ABSENT, element_of, text_of_code, unwrap
from opwright.opsets.records import CONSTANT
from opwright.opsets.version_rules import Replacement, Value

MOST_ELEMENTS = 64  # of an input that becomes an attribute: axes, one for each dimension


@dataclass(slots=True)
class Form:
    """What is to become of a node: its operator, its inputs and attributes, and nodes around it.

    An input is the name of a value, empty for an absent one, or what is yet to become a constant: a tensor, or a list
    of ints that is an attribute of the function around. `facts` and `ranks` say what is known of each. `goal` is the
    opset that the model is brought to. `is_initializer`: the node goes, and its value is an initializer.
    """

    visit: Visit
    goal: int
    operator: str
    inputs_: list[str | TensorProto | AttributeProto]
    outputs_: list[str]
    facts: list[Fact]
    ranks: list[int | None]
    attributes: dict[str, AttributeProto]
    read: Collection[str]
    replacement: tuple[Replacement, tuple[int, ...]] | None = None
    is_initializer: bool = False

    @classmethod
    def of(cls, visit: Visit, goal: int, read: Collection[str]) -> Form:
        node = visit.node
        ranks = [*visit.ranks, *[None] * (len(node.input) - len(visit.ranks))]
        attributes = {item.name: item for item in node.attribute}
        return cls(
            visit, goal, node.op_type, list(node.input), list(node.output), list(visit.inputs), ranks, attributes, read
        )

    @property
    def is_one_node(self) -> bool:
        """Whether the node itself, with other inputs and attributes, is all that it takes."""
        if self.replacement is not None or self.operator != self.visit.node.op_type:
            return False
        return all(isinstance(item, str) for item in self.inputs_)

    @property
    def tensor(self) -> TensorProto | None:
        """The value of a constant of the main graph; None of any other node."""
        is_of_main = self.visit.function is None and self.visit.scope is not None and self.visit.scope.outer is None
        if not is_of_main or not CONSTANT.describes(self.visit.node) or self.attributes.keys() != {"value"}:
            return None
        return self.attributes["value"].t

    @property
    def names(self) -> list[str]:
        """The inputs where it is one node."""
        return [item for item in self.inputs_ if isinstance(item, str)]

    @property
    def inputs(self) -> int:
        return len(self.inputs_)

    @property
    def outputs(self) -> int:
        return len(self.outputs_)

    @property
    def model(self) -> Form:
        return self

    def element(self, index: int) -> str | None:
        """The element type of an input; None when it is not known, not given, or not a tensor."""
        return element_of(self.facts[index]) if index < len(self.inputs_) else None

    def item(self, index: int) -> str | None:
        """The element type of the tensors in an input that is a sequence; None when it is none, or not known."""
        fact = self.facts[index] if index < len(self.inputs_) else None
        return element_of(unwrap(fact)) if fact is not None and fact.startswith("seq(") else None

    def rank(self, index: int) -> int | None:
        """The rank of an input, where it is known."""
        return self.ranks[index] if index < len(self.inputs_) else None

    def shape(self, index: int) -> tuple[object, ...] | None:
        """The sizes of an input, None each that is not known."""
        source = self.inputs_[index] if index < len(self.inputs_) else ""
        if isinstance(source, TensorProto):
            return tuple(source.dims)
        if isinstance(source, AttributeProto):
            return (None,)
        scope = self.visit.scope
        shape = scope.shape(source) if scope is not None and source else None
        return None if shape is None else tuple(shape)

    def has_input(self, index: int) -> bool:
        return index < len(self.inputs_) and self.inputs_[index] != ""

    def given(self) -> tuple[str, ...]:
        return tuple(self.attributes)

    def value(self, name: str, default: Value | None = None) -> Value | None:
        """An attribute's value; `default` when it is not given, None when it is not known."""
        if name not in self.attributes:
            return default
        known = self._resolved(name)
        return None if known is None else plain_value(known)

    def _resolved(self, name: str) -> AttributeProto | None:
        """An attribute that is given, or the one of the function around that it refers to, where that is known."""
        given = self.attributes[name]
        if not given.ref_attr_name:
            return given
        scope = self.visit.scope
        return scope.attributes.get(given.ref_attr_name) if scope is not None else None

    def constant(self, index: int) -> tuple[int, ...] | None:
        """The integers that an input always is."""
        found = self._source(index)
        return _integers(found) if isinstance(found, TensorProto) else None

    def floats(self, index: int) -> tuple[float, ...] | None:
        """The numbers of 32 bits that an input always is, of whatever type of floats it is."""
        found = self._source(index)
        array = _small_array(found) if isinstance(found, TensorProto) else None
        if array is None or array.dtype not in (np.float16, np.float32, np.float64):
            return None
        with np.errstate(over="ignore"):
            single = array.astype(np.float32)
        kept = np.array_equal(single.astype(array.dtype), array, equal_nan=True)
        return tuple(map(float, single.reshape(-1))) if kept else None

    def truths(self, index: int) -> tuple[bool, ...] | None:
        """The bools that an input always is."""
        found = self._source(index)
        array = _small_array(found) if isinstance(found, TensorProto) else None
        return tuple(map(bool, array.reshape(-1))) if array is not None and array.dtype == np.bool_ else None

    def numbers(self, name: str, element: str) -> tuple[float, ...] | None:
        """The elements of an attribute that is a tensor of that type, and lies in the model itself."""
        known = self._resolved(name) if name in self.attributes else None
        if known is None or known.t.data_type != BY_NAME[element].code:
            return None
        if known.t.data_location == TensorProto.EXTERNAL:
            return None
        try:
            return tuple(numpy_helper.to_array(known.t).reshape(-1).tolist())
        except (ValueError, TypeError, KeyError):
            return None

    def yielded(self, name: str) -> list[tuple[object, ...] | None]:
        """The shapes that a graph of the node gives: sizes that are numbers or have names, None each that is neither,
        and None where not even the rank is known."""
        graph = self.attributes[name].g
        known: dict[str, tuple[object, ...]] = {item.name: tuple(item.dims) for item in graph.initializer}
        for value in (*graph.value_info, *graph.output):
            if value.type.HasField("tensor_type") and value.type.tensor_type.HasField("shape"):
                sizes = value.type.tensor_type.shape.dim
                known[value.name] = tuple(
                    size.dim_value if size.HasField("dim_value") else size.dim_param or None for size in sizes
                )
        return [known.get(value.name) for value in graph.output]

    def is_read(self, index: int) -> bool:
        """Whether anything reads an output of the node."""
        return self.outputs_[index] in self.read

    def leave_out(self, index: int) -> None:
        """Takes away an output that nothing reads, and with it what the model declares of it."""
        self.outputs_[index] = ""
        while self.outputs_ and self.outputs_[-1] == "":
            self.outputs_.pop()

    def reference(self, index: int) -> str | None:
        """The attribute of the function around that an input always is, where that is a list that is not empty."""
        found = self._source(index)
        if not isinstance(found, AttributeProto):
            return None
        return self._list_around(found)

    def referred(self, name: str) -> str | None:
        found = self.attributes.get(name)
        return None if found is None or not found.ref_attr_name else self._list_around(found)

    def _list_around(self, found: AttributeProto) -> str | None:
        """The attribute of the function around that another one refers to, where it is a list that is not empty."""
        scope = self.visit.scope
        given = scope.attributes.get(found.ref_attr_name) if scope is not None else None
        return found.ref_attr_name if given is not None and given.ints else None

    def _source(self, index: int) -> TensorProto | AttributeProto | None:
        source = self.inputs_[index] if index < len(self.inputs_) else ""
        if not isinstance(source, str):
            return source
        scope = self.visit.scope
        known = scope.constant(source) if scope is not None and source else None
        return _constant_of_node(known) if isinstance(known, NodeProto) else known

    def drop(self, name: str) -> None:
        self.attributes.pop(name, None)

    def set_attribute(self, name: str, value: Value) -> None:
        kept = list(value) if isinstance(value, tuple) else value
        kind = AttributeProto.INTS if isinstance(value, tuple) and not value else None
        self.attributes[name] = helper.make_attribute(name, kept, attr_type=kind)

    def set_reference(self, name: str, referred: str) -> None:
        self.attributes[name] = AttributeProto(name=name, type=AttributeProto.INTS, ref_attr_name=referred)

    def set_integers(self, index: int, values: tuple[int, ...]) -> None:
        self._set_tensor(index, np.array(values, np.int64))

    def set_numbers(self, index: int, values: float | tuple[float, ...], element: str) -> None:
        dtype = helper.tensor_dtype_to_np_dtype(BY_NAME[element].code)
        with np.errstate(over="ignore"):  # a limit beyond the type is no limit
            self._set_tensor(index, np.array(values, np.float64).astype(dtype))

    def refer(self, index: int, referred: str) -> None:
        found = AttributeProto(name="value_ints", type=AttributeProto.INTS, ref_attr_name=referred)
        self._set_input(index, found, TensorProto.INT64, 1)

    def _set_tensor(self, index: int, array: np.ndarray[tuple[int, ...], np.dtype[np.generic]]) -> None:
        tensor = numpy_helper.from_array(array)
        self._set_input(index, tensor, tensor.data_type, array.ndim)

    def _set_input(self, index: int, source: TensorProto | AttributeProto, element: int, rank: int) -> None:
        while len(self.inputs_) <= index:
            self._insert(len(self.inputs_))
        self.inputs_[index], self.facts[index], self.ranks[index] = source, text_of_code(element), rank

    def set_tensor(self, name: str, values: Value, element: str) -> None:
        dtype = object if element == "string" else helper.tensor_dtype_to_np_dtype(BY_NAME[element].code)
        self.attributes[name] = helper.make_attribute(name, numpy_helper.from_array(np.array(values, dtype)))

    def insert_input(self, index: int) -> None:
        self._insert(index)

    def _insert(self, index: int) -> None:
        self.inputs_.insert(index, "")
        self.facts.insert(index, ABSENT)
        self.ranks.insert(index, None)

    def drop_inputs(self, first: int) -> None:
        """Takes away an input and those behind it, and absent ones at the end with them."""
        del self.inputs_[first:]
        while self.inputs_ and self.inputs_[-1] == "":
            self.inputs_.pop()

    def rename(self, operator: str) -> None:
        self.operator = operator

    def replace(self, how: Replacement, *values: int) -> None:
        assert self.replacement is None, "one step of an operator puts nodes around it"
        self.replacement = (how, values)


def plain_value(attribute: AttributeProto) -> Value | None:
    """The value as Python has it; None for tensors, graphs and types, and for bytes that are no text."""
    value = helper.get_attribute_value(attribute)
    if isinstance(value, bytes):
        return _as_text(value)
    if isinstance(value, int | float | str):
        return value
    if attribute.type in (AttributeProto.INTS, AttributeProto.FLOATS):
        return tuple(value)
    if attribute.type == AttributeProto.STRINGS:
        texts = [_as_text(item) for item in value]
        return None if None in texts else tuple(text for text in texts if text is not None)
    return None


def _as_text(data: bytes) -> str | None:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _constant_of_node(node: NodeProto) -> TensorProto | AttributeProto | None:
    """The tensor that a Constant gives, or the list of ints of the function around that it refers to."""
    first = node.attribute[0] if len(node.attribute) == 1 else None
    if first is not None and first.ref_attr_name:
        return first if first.name == "value_ints" else None
    return tensor_of_constant(node)


def _integers(tensor: TensorProto) -> tuple[int, ...] | None:
    array = _small_array(tensor)
    whole = array is not None and array.dtype.kind in "iu"
    return tuple(int(item) for item in array.reshape(-1)) if array is not None and whole else None


def _small_array(tensor: TensorProto) -> np.ndarray[tuple[int, ...], np.dtype[np.generic]] | None:
    """What a tensor of rank 0 or 1 holds, where it is short and lies in the model itself."""
    if tensor.data_location == TensorProto.EXTERNAL or len(tensor.dims) > 1:
        return None
    if any(size > MOST_ELEMENTS for size in tensor.dims):
        return None
    try:
        return numpy_helper.to_array(tensor)
    except (ValueError, TypeError, KeyError):
        return None
