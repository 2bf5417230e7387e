"""The functions that exist as protos and are called by one model: each once, under a unique id."""

from __future__ import annotations

from collections.abc import Callable

from onnx import FunctionProto

from opwright.graphs.ids import FunctionId
from opwright.graphs.walk import all_nodes
from opwright.live.proto_functions import ProtoFunction
from opwright.opsets.domains import normal_domain
from opwright.protos.digest import Digests
from opwright.variants import name_of_overload

# Whether an id is free for what has this digest; it is taken then.
Take = Callable[[FunctionId, str], bool]


class ProtoCalls:
    """Functions of one id and one body are one function; another body gets another name."""

    def __init__(self, opset: int, take: Take) -> None:
        self.opset = opset
        self.protos: dict[FunctionId, FunctionProto] = {}
        self._take = take
        self._made: dict[tuple[FunctionId, str], FunctionId] = {}

    def identify(self, function: ProtoFunction) -> FunctionId:
        """The id under which the function stands in the model; it and its callees are added. DiagnosticError (OW386)
        where it cannot be called at the opset of the model."""
        key = function.id, function.digest
        if key not in self._made:
            proto, callees = function.at_opset(self.opset)
            ids: dict[FunctionId, FunctionId] = {}
            digests = Digests(function.callees.values())
            for old, callee in zip(function.callees, callees, strict=True):
                ids[old] = self._id(old, digests.of(callee))
            ids[function.id] = self._made[key] = self._id(function.id, function.digest)
            for old, made in (*zip(function.callees, callees, strict=True), (function.id, proto)):
                if ids[old] not in self.protos:
                    self.protos[ids[old]] = _renamed(made, ids[old], ids)
        return self._made[key]

    def given_names(self) -> dict[FunctionId, str]:
        """The names that functions have where nothing else has them, by their ids in the model."""
        return {made: name_of_overload(identity[1], identity[2]) for (identity, _), made in self._made.items()}

    def family_names(self) -> dict[FunctionId, str]:
        """The names that functions had where they came from, by their ids in the model."""
        return {made: identity[1] for (identity, _), made in self._made.items()}

    def overload_ids(self) -> dict[FunctionId, FunctionId]:
        """The ids that functions had where they came from, by their ids in the model."""
        return {made: identity for (identity, _), made in self._made.items()}

    def _id(self, wanted: FunctionId, body: str) -> FunctionId:
        """An overload becomes a part of the name: below functions no runtime resolves overloads."""
        domain, name, overload = wanted
        name = name_of_overload(name, overload)
        number, found = 1, (domain, name, "")
        while not self._take(found, body):
            number += 1
            found = domain, f"{name}_{number}", ""
        return found


def _renamed(proto: FunctionProto, identity: FunctionId, ids: dict[FunctionId, FunctionId]) -> FunctionProto:
    """The function under its id in the model, calling others by theirs. Types belong to the model that it was."""
    proto.domain, proto.name, proto.overload = identity
    del proto.value_info[:]
    for node in all_nodes(proto.node):
        found = ids.get((normal_domain(node.domain), node.op_type, node.overload))
        if found is not None:
            node.domain, node.op_type, node.overload = found
    return proto
