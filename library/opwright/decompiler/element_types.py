"""Element types of values, as far as nodes alone tell: asked where a sign of Python depends on them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from onnx import AttributeProto, NodeProto

from opwright.elements import BY_CODE
from opwright.link.walk import all_nodes, subgraphs
from opwright.opsets.signatures import Option, Signature, tensor_element

_PLAIN = {
    "value_int": "int64",
    "value_ints": "int64",
    "value_float": "float",
    "value_floats": "float",
    "value_string": "string",
    "value_strings": "string",
}
_MOST_STEPS = 1000  # from a value back to where its type is said


class ElementTypes:
    """The element types of the values of a function or graph.

    `declared` are those of inputs and initializers by name; an input of a function stands for its own type. What the
    nodes say is looked up when the first value is asked for. `signature_of`: the signature of an operator that is no
    function of the module.
    """

    def __init__(
        self,
        nodes: Iterable[NodeProto],
        declared: Mapping[str, str],
        signature_of: Callable[[NodeProto], Signature | None],
    ) -> None:
        self._nodes = nodes
        self._known: dict[str, str] = dict(declared)
        self._signature_of = signature_of
        self._makers: dict[str, tuple[NodeProto, int] | None] | None = None

    def of(self, name: str) -> str:
        """The name of the element type, `=x` for that of the function's input x, "" where nothing tells."""
        passed: list[str] = []
        found: str | None = None
        for _ in range(_MOST_STEPS):
            found = self._known.get(name)
            if found is not None:
                break
            passed.append(name)
            found, name = self._step(name)
            if found is not None:
                break
        self._known.update(dict.fromkeys(passed, found or ""))
        return found or ""

    def is_known(self, name: str) -> bool:
        """Whether the type is one of ONNX's by name."""
        return self.of(name)[:1] not in ("", "=")

    def _step(self, name: str) -> tuple[str | None, str]:
        """The type of what a node gives, or the value that has the same type; "" where there is neither."""
        if self._makers is None:
            self._makers = _makers(self._nodes)
        made = self._makers.get(name)
        if made is None:
            return "", ""
        node, index = made
        signature = self._signature_of(node)
        if signature is None:
            return "", ""
        if not signature.domain and node.op_type in ("Constant", "Cast", "ConstantOfShape"):
            return _by_attribute(node), ""
        return _by_signature(node, index, signature)


def _makers(nodes: Iterable[NodeProto]) -> dict[str, tuple[NodeProto, int] | None]:
    """The nodes that give values, those of nested graphs too; None where a name means several values."""
    found: dict[str, tuple[NodeProto, int] | None] = {}
    for node in all_nodes(nodes):
        for index, name in enumerate(node.output):
            found[name] = None if name in found else (node, index)
        for graph in subgraphs(node) if node.attribute else ():
            found.update(dict.fromkeys(item.name for item in graph.input))
            found.update(dict.fromkeys(item.name for item in graph.initializer))
    return found


def _by_attribute(node: NodeProto) -> str:
    """The element type that an attribute of the node says."""
    for item in node.attribute:
        if item.name in _PLAIN:
            return _PLAIN[item.name]
        if item.ref_attr_name:
            return ""
        if item.type == AttributeProto.TENSOR:
            return _name(item.t.data_type)
        if item.name == "to":
            return _name(item.i)
    return "float" if node.op_type == "ConstantOfShape" else ""


def _name(code: int) -> str:
    return BY_CODE[code].name if code in BY_CODE else ""


def _by_signature(node: NodeProto, index: int, signature: Signature) -> tuple[str | None, str]:
    formal = signature.outputs[min(index, len(signature.outputs) - 1)]
    if not formal.homogeneous or (index >= len(signature.outputs) and formal.option is not Option.VARIADIC):
        return "", ""
    type_ = formal.type
    admitted = signature.admitted.get(type_, (type_,))
    if len(admitted) == 1:
        element = tensor_element(admitted[0])
        return ("" if element is None else element.name), ""
    for given, name in zip(signature.inputs, node.input, strict=False):
        if given.type == type_ and name and given.homogeneous:
            return None, name
    return "", ""
