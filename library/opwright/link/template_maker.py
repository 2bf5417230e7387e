"""Bodies that templates make for the calls of one model.

This brings the whole compiler, and few models call a template: it is imported by `model_instances` when one is called.
"""

from __future__ import annotations

from collections.abc import Mapping

from onnx import AttributeProto, helper

from opwright.bundle.format import FunctionEntry, TemplateEntry
from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError
from opwright.lang.families.template import MalformedTemplateError
from opwright.lang.meaning.objects import GraphObject
from opwright.link.catalogue import Catalogue
from opwright.link.choose import CHANGE, Call, asked
from opwright.link.naming import template_at
from opwright.link.propagate import Visit
from opwright.link.template_bodies import CallFacts, Instances, MadeInstance, NotMadeError, read_unit

_CHANGE_EITHER = f"{CHANGE}, or the function where the node is right"


class TemplateMaker:
    """Makes bodies of the templates of a catalogue, each of which is read once."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._instances: dict[tuple[str, str], Instances] = {}

    def make(self, call: Call) -> MadeInstance:
        """The body that a call of a template needs. Raises DiagnosticError with everything that is wrong with it."""
        entry, opset = call.entry, call.opset
        template = template_at(entry, opset)
        assert template is not None
        try:
            return self._of(entry, template).make(opset, facts_of(entry, call.visit))
        except NotMadeError as error:
            raise DiagnosticError([_not_made(call, error)]) from None
        except MalformedTemplateError as error:
            raise DiagnosticError([_damaged(entry, str(error))]) from None

    def _of(self, entry: FunctionEntry, template: TemplateEntry) -> Instances:
        key = (entry.identity, template.template)
        if key not in self._instances:
            self._instances[key] = Instances(read_unit(self._catalogue, entry, template), entry)
        return self._instances[key]


def facts_of(entry: FunctionEntry, visit: Visit) -> CallFacts:
    """What a node says to a template. An attribute that refers to one of a function without callers is left out."""
    attributes: dict[str, object] = {}
    written = {item.name for item in visit.node.attribute}
    for item in entry.attributes:
        given = visit.attributes.get(item.name)
        if given is not None:
            attributes[item.name] = _value_of(given, visit.imports)
        elif item.name not in written or item.default is not None:
            attributes[item.name] = item.default
    return CallFacts(visit.inputs, visit.ranks, attributes)


def _value_of(attribute: AttributeProto, imports: Mapping[str, int]) -> object:
    if attribute.type == AttributeProto.GRAPH:
        return GraphObject(attribute.g, imports)
    value = helper.get_attribute_value(attribute)
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, (list, tuple)):
        return tuple(item.decode("utf-8", "replace") if isinstance(item, bytes) else item for item in value)
    return value


def _not_made(call: Call, error: NotMadeError) -> Diagnostic:
    identity = call.entry.identity
    if error.axis:
        return call.problem(
            "OW559",
            f"{identity} is made for each call, and {asked(call, error.axis)} is not known here",
            "another body is right for other facts, and a model must not be given the wrong one",
            "declare the type in the graph's value_info, or run onnx.shape_inference.infer_shapes on the model first",
        )
    return call.problem("OW577", f"{identity} cannot be made for this call", error.reason, _CHANGE_EITHER)


def _damaged(entry: FunctionEntry, reason: str) -> Diagnostic:
    return Diagnostic(
        "OW575",
        f"the template of {entry.identity} cannot be used",
        reason=reason,
        help="build or install the library again",
    )
