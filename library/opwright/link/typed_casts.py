"""Casts to types that are known once a model is linked.

A body that serves several element types casts its numbers by `CastLike`. onnxruntime expands each of these into a
function of one `Cast` after it has folded constants, so such a number is cast anew in each run, and is in the way of
fusions. Where all calls of a function agree on the type, the body in the model says it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from onnx import AttributeProto, ModelProto, NodeProto

from opwright.elements import BY_NAME
from opwright.graphs.ids import FunctionId, function_id
from opwright.graphs.walk import all_nodes
from opwright.link.digests import function_digests, record_of
from opwright.link.metadata import LIKE, TYPED
from opwright.link.propagate import Fact, Propagation, Visit
from opwright.link.value_types import element_of
from opwright.opsets.records import CAST, CAST_LIKE


def write_types_of_casts(model: ModelProto) -> None:
    """Makes each `CastLike` of a library's function, where it always meets one type, a `Cast` to that type.

    The digests that the nodes of functions have then are written down on those that this concerns, their callers among
    them, so that `inspect` and `detach` tell them from altered ones. Functions that were altered before stay, and those
    that have such casts already: `restore_casts` comes first.
    """
    casts = _Casts()
    Propagation(model, casts, casts.note).run()
    found = casts.of_one_type()
    if not found:
        return
    before = function_digests(model.functions)
    sound: set[FunctionId] = set()
    for function in model.functions:
        record = record_of(function)
        if record is not None and not record.typed and before[function_id(function)] == record.expected:
            sound.add(function_id(function))
    changed = False
    for node, owner, element in found:
        if owner in sound:
            changed = True
            node.op_type = CAST.name
            node.metadata_props.add(key=LIKE, value=node.input[1])
            del node.input[1]
            node.attribute.add(name="to", type=AttributeProto.INT, i=BY_NAME[element].code)
    after = function_digests(model.functions) if changed else before
    for function in model.functions:
        identity = function_id(function)
        if identity in sound and after[identity] != before[identity]:
            function.metadata_props.add(key=TYPED, value=after[identity])


def restore_casts(model: ModelProto) -> None:
    """Makes each `CastLike` that was made a `Cast` what it was, before calls are added that may have other types.

    A function of which a value was renamed since stays; `attach` refuses it where it is called.
    """
    for function in model.functions:
        record = record_of(function)
        if record is None or not record.typed:
            continue
        known = {*function.input, *(name for node in all_nodes(function.node) for name in node.output)}
        marks = [(node, item) for node in all_nodes(function.node) for item in node.metadata_props if item.key == LIKE]
        if not all(item.value in known for _, item in marks):
            continue
        for node, item in marks:
            node.op_type = CAST_LIKE.name
            node.input.append(item.value)
            _remove(node.attribute, "name", "to")
            _remove(node.metadata_props, "key", LIKE)
        _remove(function.metadata_props, "key", TYPED)


def _remove(items: Any, field: str, name: str) -> None:
    for index in reversed(range(len(items))):
        if getattr(items[index], field) == name:
            del items[index]


class _Casts:
    """The casts in functions, with the types that each has met; None is among them where one is not known."""

    def __init__(self) -> None:
        self._found: dict[int, tuple[NodeProto, FunctionId, set[str | None]]] = {}

    def visit(self, visit: Visit) -> None:
        return None

    def note(self, visit: Visit, outputs: Sequence[Fact]) -> None:
        if visit.function is None or not CAST_LIKE.describes(visit.node) or len(visit.node.input) != 2:
            return
        node = visit.node  # kept, so that it stays the one of its id
        _, _, elements = self._found.setdefault(id(node), (node, function_id(visit.function), set()))
        elements.add(element_of(visit.inputs[1]))

    def of_one_type(self) -> list[tuple[NodeProto, FunctionId, str]]:
        return [
            (node, owner, element)
            for node, owner, elements in self._found.values()
            if len(elements) == 1 and (element := next(iter(elements))) is not None
        ]
