"""What a linked function says of its origin, and the digest that its nodes really have."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

from onnx import FunctionProto

from opwright.graphs.ids import FunctionId, call_id, callees_first, function_id
from opwright.graphs.walk import all_nodes
from opwright.link.metadata import (
    ATTRIBUTES,
    BODY,
    FLATTENED,
    IDENTITY,
    LATE,
    LIBRARY,
    RELEASE,
    TEMPLATE,
    TYPED,
    VARIANT,
)
from opwright.protos.canonical import Callee, canonicalise
from opwright.protos.canonical_tensors import RefusedError


@dataclass(frozen=True, slots=True)
class Record:
    """The metadata_props of a linked function. `template` is that of an instance which the library does not hold,
    `late` the digests of the bodies that one which follows its element type is made of, `typed` that of one whose casts
    name types."""

    identity: str
    variant: str
    body: str
    library: str
    release: str
    flattened: str
    template: str
    late: str = ""
    typed: str = ""

    @property
    def origin(self) -> str:
        return f"{self.library} {self.release}".strip() or "a library without a name"

    @property
    def expected(self) -> str:
        """The digest that the function's nodes have unless they were altered."""
        return self.typed or self.flattened or self.body


def record_of(function: FunctionProto) -> Record | None:
    """What the linker recorded on a function; None on functions that it did not make."""
    facts = {item.key: item.value for item in function.metadata_props}
    if IDENTITY not in facts or BODY not in facts:
        return None
    keys = (IDENTITY, VARIANT, BODY, LIBRARY, RELEASE, FLATTENED, TEMPLATE, LATE, TYPED)
    return Record(*(facts.get(key, "") for key in keys))


def function_digests(functions: Iterable[FunctionProto]) -> dict[FunctionId, str]:
    """The digest of each function, those of its callees included in it; "" where a function has no canonical form.

    A call of a function that is not among them counts as an operator of that domain.
    """
    by_id = {function_id(function): function for function in functions}
    bodies: dict[FunctionId, Callee] = {}
    for function in callees_first(by_id):
        callees = {
            (node.domain, node.op_type, node.overload): bodies[call_id(node)]
            for node in all_nodes(function.node)
            if call_id(node) in bodies
        }
        with suppress(RefusedError):
            bodies[function_id(function)] = canonicalise(_in_body_order(function), callees=callees).callee
    return {identity: bodies[identity].digest if identity in bodies else "" for identity in by_id}


def _in_body_order(function: FunctionProto) -> FunctionProto:
    """The function with its attributes listed as its body numbers them, where the proto cannot list them so."""
    order = attributes_in_body_order(function)
    names = [*function.attribute, *(item.name for item in function.attribute_proto)]
    if order == names or sorted(order) != sorted(names):
        return function
    copy = FunctionProto()
    copy.CopyFrom(function)
    del copy.attribute_proto[:]
    copy.attribute[:] = order
    return copy


def attributes_in_body_order(function: FunctionProto) -> list[str]:
    """The attributes as the body numbers them: a digest says nothing of their names."""
    order = next((item.value for item in function.metadata_props if item.key == ATTRIBUTES), None)
    if order is not None:
        return order.split(" ")
    return [*function.attribute, *(item.name for item in function.attribute_proto)]
