"""Whether libraries that are given still have the functions that a model was attached: functions of another release
would compute something else in their place, and nothing would say so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from onnx import FunctionProto, ModelProto, NodeProto

from opwright.bundle.format import BodyEntry, Bundle, FunctionEntry
from opwright.diagnostics.diagnostic import Diagnostic, Place
from opwright.graphs.ids import call_id, function_id
from opwright.graphs.walk import all_nodes
from opwright.link.catalogue import Catalogue
from opwright.link.digests import Record, attributes_in_body_order, record_of
from opwright.link.instantiate import default_attribute
from opwright.link.metadata import is_polyfilled
from opwright.link.naming import bodies_at, template_at
from opwright.link.node_notes import newest_note
from opwright.link.plan import choose_opset
from opwright.link.upgrade import Change, plan_upgrade_libraries
from opwright.opsets.domains import normal_domain
from opwright.variants import labels, overload_of


def functions_of_others(
    model: ModelProto, catalogue: Catalogue, libraries: Sequence[Bundle], file: str
) -> list[Diagnostic]:
    """OW585 for each function that the model's own nodes call and that is not, at the model's own opset, what the
    libraries have. The catalogue is theirs, and has all its identities."""
    linked = {function_id(item): item for item in model.functions if record_of(item) is not None}
    opset = choose_opset(model, catalogue)
    calls: dict[str, tuple[FunctionProto, Record, list[NodeProto]]] = {}
    for node in own_nodes(model):
        function = linked.get(call_id(node))
        record = None if function is None else record_of(function)
        if function is not None and record is not None:
            calls.setdefault("\0".join(call_id(node)), (function, record, []))[2].append(node)
    found = []
    for function, record, nodes in calls.values():
        entry = catalogue.functions[record.identity]
        reason = _difference(entry, function, record, _opset_of(function, opset), _origin(catalogue, record))
        reason = reason or _other_default(entry, nodes)
        if reason:
            found.append(_another(catalogue, record, reason, model, file))
    records = [record for _, record, _ in calls.values()]
    others = [record for record in records if _origin(catalogue, record) != (record.library, record.release)]
    if found or not others or is_polyfilled(model):
        return found
    # Which variant a call takes is said by its release alone: an equal body may no more be the one for these types.
    return list(_called_otherwise(model, libraries, catalogue, file))


def own_nodes(model: ModelProto) -> Iterator[NodeProto]:
    """The nodes of the graph, and of functions that are the model's own."""
    yield from all_nodes(model.graph.node)
    for function in model.functions:
        if record_of(function) is None:
            yield from all_nodes(function.node)


def _opset_of(function: FunctionProto, default: int) -> int:
    return next((item.version for item in function.opset_import if not normal_domain(item.domain)), default)


def _difference(
    entry: FunctionEntry, function: FunctionProto, record: Record, opset: int, origin: tuple[str, str]
) -> str:
    """Why a function of the model is not what a library has for the model's opset; empty where it is."""
    siblings = bodies_at(entry, opset)
    template = template_at(entry, opset)
    if record.template:
        # A template's text says nothing of the bodies of the functions that it calls.
        is_same = template is not None and template.template == record.template
        return "" if is_same and origin == (record.library, record.release) else "its template is another one"
    if record.late:
        held = {body.body for body in siblings}
        return "" if held.issuperset(record.late.split()) else "its bodies are other ones"
    contents = [(body.body, body.inputs, body.attributes) for body in siblings]
    keys = [body.variant for body in siblings]
    named = keys if template is not None else labels(keys, contents)
    known = {overload_of(key) for key, body in zip(named, siblings, strict=True) if _is_body_of(function, record, body)}
    if not known:
        return f"at opset {opset} its body is another one"
    return "" if record.variant in known else f"at opset {opset} its body is for other calls"


def _is_body_of(function: FunctionProto, record: Record, body: BodyEntry) -> bool:
    """Whether a function of a model has that body, which is anonymous, with the same inputs and attributes in the same
    places. A tool may have given the inputs other names."""
    inputs = list(function.input)
    renamed = len(inputs) == len(body.inputs) and set(inputs) != set(body.inputs)
    same_inputs = renamed or inputs == list(body.inputs)
    return record.body == body.body and same_inputs and attributes_in_body_order(function) == list(body.attributes)


def _other_default(entry: FunctionEntry, nodes: Iterable[NodeProto]) -> str:
    """What attach wrote on nodes as the default of an attribute, and is another one; empty where there is none."""
    defaults = {item.name: default_attribute(item) for item in entry.attributes if item.default is not None}
    for node in nodes:
        written = (newest_note(node) or {}).get("attributes", ())
        for attribute in node.attribute:
            if attribute.name in written and defaults.get(attribute.name) != attribute:
                return f"the default of its attribute {attribute.name} is another one"
    return ""


def _called_otherwise(
    model: ModelProto, libraries: Sequence[Bundle], catalogue: Catalogue, file: str
) -> Iterator[Diagnostic]:
    plan = plan_upgrade_libraries(model, libraries, file=file)
    for row in plan.functions:
        if row.change is not Change.SAME:
            record = Record(row.identity, row.variant, row.body, row.library, row.release, "", "")
            yield _another(catalogue, record, row.text or "calls that the model makes get another body", model, file)
    if not plan.functions:
        yield from plan.diagnostics


def _origin(catalogue: Catalogue, record: Record) -> tuple[str, str]:
    origin = catalogue.origin_of(record.identity)
    return ("", "") if origin is None else (origin.library, origin.version)


def _another(catalogue: Catalogue, record: Record, reason: str, model: ModelProto, file: str) -> Diagnostic:
    given = catalogue.origin_of(record.identity)
    text = f"the model holds {record.identity} of {record.origin}, which {given or 'the library given'} has otherwise"
    if given is not None and given.library != record.library:
        other = f"`opwright detach` the model, and attach {given} to what that gives"
    elif is_polyfilled(model):
        other = "`opwright detach` the model"
    else:
        other = "take the model to the other release first, with `opwright upgrade`"
    return Diagnostic("OW585", text, Place(file), reason, f"give {record.origin} with --library, or {other}")
