"""Signs of Python that mean the operator for some element types only: written where those are known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from onnx import NodeProto

from opwright.decompiler.operator_forms import Form
from opwright.elements import BY_NAME
from opwright.opsets.record import Operands

if TYPE_CHECKING:
    from opwright.decompiler.body import Body

_SHIFTS = {b"LEFT": "<<", b"RIGHT": ">>"}


def typed_sign(body: Body, form: Form, node: NodeProto, inputs: list[str]) -> str | None:
    """The node as a sign between its operands; None where it must stay a call."""
    found = form.record.sign
    if found is None:
        return None
    if found.operands is Operands.FLOATS:
        return _between(body, found.text, inputs, "floats")  # of integers the sign is exact or refused, and Pow neither
    if found.operands is Operands.SHIFTED:
        sign = next((_SHIFTS.get(item.s) for item in node.attribute if not item.ref_attr_name), None)
        signed = any(not item.startswith("tensor(u") for item in _admitted(form))
        return sign and _between(body, sign, inputs, "unsigned" if signed else "alike")
    if found.operands is Operands.INTEGERS:
        plain = not body.faithful and not any(item.ref_attr_name or item.i for item in node.attribute)
        return _between(body, found.text, inputs, "integer") if plain else None
    if body.typed or node.attribute:
        return None  # which needs no types
    if found.unary:
        return f"{found.text}{body.names[inputs[0]]}" if _are_bits(body, inputs[0]) else None
    return _between(body, found.text, inputs, "bits")


def _between(body: Body, sign: str, inputs: list[str], need: str) -> str | None:
    """Two operands with a sign between them, where what it needs is so."""
    if len(inputs) != 2 or not body.names_tensors(inputs):
        return None
    tensors = [name for name in inputs if name not in body.constants]
    constants = [body.constants[name] for name in inputs if name in body.constants] if len(tensors) < 2 else []
    if not tensors or (need == "bits" and constants):
        return None
    element = body.types.of(tensors[0])
    if need == "integer" and not (element in BY_NAME and BY_NAME[element].is_integer):
        return None
    if need == "unsigned" and not element.startswith("uint"):
        return None  # which Python's shift asks for
    if need == "bits" and not all(_are_bits(body, name) for name in tensors):
        return None
    if need == "floats" and not (_is_float(element) and all(body.types.of(name) == element for name in tensors[1:])):
        return None
    for constant in constants:
        known = element or (need == "alike" and body.typed and constant.element.name)
        if not constant.is_scalar or constant.literal is None or known != constant.element.name:
            return None
    left, right = (body.literal(name) for name in inputs)
    if sign == "**":
        return None if left.startswith("-") else f"{left}**{body.parts.noted(right)}"
    return f"{left} {sign} {right}"


def _admitted(form: Form) -> tuple[str, ...]:
    return () if form.signature is None else form.signature.admitted[form.signature.inputs[0].type]


def _is_float(element: str) -> bool:
    return element in BY_NAME and BY_NAME[element].is_float


def _are_bits(body: Body, name: str) -> bool:
    element = body.types.of(name)
    return not body.knows(name) and element in BY_NAME and (element == "bool" or BY_NAME[element].is_integer)
