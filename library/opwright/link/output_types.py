"""The element types of what a call gives, and whether the function declares them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from onnx import AttributeProto, ModelProto, helper

from opwright.bundle.call_interface import inputs_of_call, split_type
from opwright.diagnostics.diagnostic import Diagnostic
from opwright.elements import BY_NAME
from opwright.graphs.ids import FunctionId
from opwright.link.choose import Call, bind_types, element_within
from opwright.link.instantiate import CALL_DOMAIN, closure, default_attribute, parse_body
from opwright.link.model_instances import Instances
from opwright.link.naming import Instance
from opwright.link.propagate import DEEPEST, Fact, Propagation, Visit
from opwright.link.value_types import tensor_of, wrap
from opwright.opsets.domains import DEFAULT_DOMAIN


class OutputTypes:
    """Types of outputs: from the interface, and those that it leaves open by going through the stored body."""

    def __init__(self, instances: Instances, opset: int) -> None:
        self._instances = instances
        self._opset = opset
        model = ModelProto(opset_import=[helper.make_opsetid(DEFAULT_DOMAIN, opset)])
        self._propagation = Propagation(model, self)

    def of(self, call: Call, chosen: Instance | None) -> Sequence[Fact]:
        """Those of a call, which has that body; None for what is not known."""
        bound = bind_types(call)
        known = [_declared_type(item.type, bound) for item in call.entry.outputs]
        if call.entry.outputs and call.entry.outputs[-1].variadic:
            known = [None] * len(call.visit.node.output)
        if None in known and chosen is not None:
            inferred = self._inferred(call, chosen)
            known = [fact or other for fact, other in zip(known, inferred, strict=False)]
        return known

    def visit(self, visit: Visit) -> Sequence[Fact] | None:
        return None  # whatever stands in a body is an operator or a call of a body

    def _inferred(self, call: Call, instance: Instance) -> Sequence[Fact]:
        catalogue = self._instances.catalogue
        callees = closure(catalogue, [instance], self._opset)
        if len(callees) > DEEPEST // 2:
            return ()  # a chain of calls that may be too deep to follow; the type stays unknown
        for item in callees:
            self._propagation.add_function(_body_id(item), parse_body(catalogue, item))
        formals = inputs_of_call(call.entry, len(call.visit.inputs))
        positions = {item.name: index for index, item in enumerate(formals)}
        given = dict(enumerate(call.visit.inputs))
        arguments = [given.get(positions[name], "") for name in instance.body.inputs]
        return self._propagation.call(_body_id(instance), arguments, _positional(call, instance))


def _body_id(instance: Instance) -> FunctionId:
    """A body as the nodes of other bodies call it."""
    return (CALL_DOMAIN, instance.body.body.partition(":")[2], "")


def _positional(call: Call, instance: Instance) -> Mapping[str, AttributeProto]:
    """The attributes of a call, given or default, under the names that the anonymous body has for them."""
    declared = {attribute.name: attribute for attribute in call.entry.attributes}
    result: dict[str, AttributeProto] = {}
    for index, name in enumerate(instance.body.attributes):
        value = call.visit.attributes.get(name)
        if value is None and declared[name].default is not None:
            value = default_attribute(declared[name])
        if value is not None:
            result[f"a{index}"] = AttributeProto()
            result[f"a{index}"].CopyFrom(value)
            result[f"a{index}"].name = f"a{index}"
    return result


def _declared_type(declared: str, bound: Mapping[str, str]) -> Fact:
    """The type that a declared one means under these bindings; None where they leave it open."""
    kinds, inner = split_type(declared)
    element = bound.get(inner, inner)
    found: Fact = tensor_of(element) if element in BY_NAME else None
    for kind in reversed(kinds):
        found = wrap(kind, found)
    return found


def undeclared_outputs(call: Call, facts: Sequence[Fact]) -> Iterator[Diagnostic]:
    """What is wrong with a call whose outputs have these types: an attribute can ask for one that is not declared. What
    the node does not name is not looked at, since nothing gets it."""
    entry, variables = call.entry, dict(call.entry.types)
    formals = (*entry.outputs, *entry.outputs[-1:] * (len(facts) - len(entry.outputs)))
    for name, formal, fact in zip(call.visit.node.output, formals, facts, strict=False):
        allowed = variables.get(split_type(formal.type)[1])
        if not name or not fact or allowed is None:
            continue
        element = element_within(formal.type, fact)
        if element not in allowed:
            text = f"the output {formal.name} of {entry.identity} would be {element or fact}"
            yield call.problem("OW560", text, f"the types allowed are {', '.join(allowed)}", _CAST_BEHIND)


_CAST_BEHIND = "let the node ask for one of these, and put a Cast behind it"
