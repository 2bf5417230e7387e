"""The types of the attributes that functions require: a FunctionProto gives no more than their names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from onnx import AttributeProto, FunctionProto, NodeProto

from opwright.decompiler.refuse import refuse
from opwright.graphs.ids import FunctionId, call_id, function_id
from opwright.graphs.walk import all_nodes

Kinds = Mapping[str, int]  # types by the names of attributes
_Attribute = tuple[FunctionId, str]


def attribute_kinds(protos: Sequence[FunctionProto], nodes: Iterable[NodeProto]) -> dict[FunctionId, Kinds]:
    """The types of what each function requires: of its own nodes that read it, else of those of functions that it is
    handed on to or comes from, else of the values in calls; `nodes` are those of the graph that calls the functions.

    One that nothing reads and no call gives is an int. Raises DiagnosticError (OW590) where the values, or
    those that read it elsewhere, differ.
    """
    if not any(item.attribute for item in protos):
        return {}
    found = _Found({function_id(item): item for item in protos})
    for node in all_nodes(nodes):
        found.add(node, None)
    for proto in protos:
        for node in all_nodes(proto.node):
            found.add(node, function_id(proto))
    return {function_id(item): {name: found.kind(item, name) for name in item.attribute} for item in protos}


class _Found:
    """What the nodes say of the attributes of functions. Those that are handed on to one another have one type."""

    def __init__(self, functions: Mapping[FunctionId, FunctionProto]) -> None:
        self._functions = functions
        self._same: defaultdict[_Attribute, list[_Attribute]] = defaultdict(list)
        self._read: defaultdict[_Attribute, list[int]] = defaultdict(list)
        self._given: defaultdict[_Attribute, list[int]] = defaultdict(list)
        self._all: dict[_Attribute, tuple[int, ...]] = {}  # with those that are handed on
        for identity, proto in functions.items():
            for item in proto.attribute_proto:
                self._read[identity, item.name].append(item.type)

    def add(self, node: NodeProto, owner: FunctionId | None) -> None:
        """Notes what a node says of attributes of the function that it calls, and of its `owner`."""
        callee = call_id(node)
        if owner is None and callee not in self._functions:
            return
        for attribute in node.attribute:
            if owner is not None and attribute.ref_attr_name:
                own = owner, attribute.ref_attr_name
                if attribute.type:  # not every exporter writes it
                    self._read[own].append(attribute.type)
                if callee in self._functions:
                    self._same[own].append((callee, attribute.name))
                    self._same[callee, attribute.name].append(own)
            elif callee in self._functions:
                self._given[callee, attribute.name].append(attribute.type)

    def kind(self, proto: FunctionProto, name: str) -> int:
        """The type of an attribute."""
        own = function_id(proto), name
        if own in self._read:
            return self._read[own][0]
        if own not in self._all:
            self._note_all(own)
        kinds = self._all[own]
        if len(kinds) > 1:
            texts = " and ".join(AttributeProto.AttributeType.Name(kind) for kind in kinds)
            what = f"the attribute {name!r} of the function {proto.name} cannot be declared"
            raise refuse(what, f"no node of the function says its type, and others say {texts}")
        return kinds[0] if kinds else AttributeProto.INT

    def _note_all(self, attribute: _Attribute) -> None:
        """Notes the types that are said of the attribute and of all that have its value or give it theirs."""
        same = {attribute: None}
        pending = [attribute]
        while pending:
            others = [item for item in self._same.get(pending.pop(), ()) if item not in same]
            same.update(dict.fromkeys(others))
            pending += others
        read, given = (
            dict.fromkeys(kind for item in same for kind in said.get(item, ())) for said in (self._read, self._given)
        )
        kinds = tuple(read or given)
        self._all.update((item, kinds) for item in same)
