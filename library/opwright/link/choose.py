"""Which body a call means: the call checked against the interface, types bound, the variant chosen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from onnx import AttributeProto, helper

from opwright.bundle.call_interface import Sizes, inputs_of_call, split_type
from opwright.bundle.format import AttributeEntry, BodyEntry, FunctionEntry, InputEntry
from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Place
from opwright.elements import BY_NAME
from opwright.lang.facts import RANK, fact_of
from opwright.link.naming import Instance, bodies_at, template_at
from opwright.link.propagate import Visit
from opwright.link.value_types import ABSENT, element_of
from opwright.opsets.domains import normal_domain
from opwright.suggest import close_names
from opwright.variants import match_variants


@dataclass(frozen=True, slots=True)
class Call:
    """A node that calls a function version, at one default opset. `file` names the model in messages."""

    entry: FunctionEntry
    visit: Visit
    opset: int
    file: str

    def problem(self, code: str, message: str, reason: str = "", help_text: str = "") -> Diagnostic:
        return Diagnostic(code, f"{self.visit.place}: {message}", Place(self.file), reason, help_text)


def bind_types(call: Call) -> dict[str, str]:
    """The element type of each type variable that an input determines. Wrong calls make no difference here."""
    bound: dict[str, str] = {}
    variables = dict(call.entry.types)
    for formal, fact in zip(_formals(call), call.visit.inputs, strict=False):
        element = element_within(formal.type, fact)
        inner = split_type(formal.type)[1]
        if element is not None and inner in variables:
            bound.setdefault(inner, element)
    return bound


def _formals(call: Call) -> Sequence[InputEntry]:
    return inputs_of_call(call.entry, len(call.visit.inputs))


def element_within(declared: str, fact: str | None) -> str | None:
    """The element type that stands for `T` of a declared `T` or `seq(T)`; None where the fact is another kind."""
    if not fact:
        return None
    wrap, inner = split_type(fact)
    return element_of(inner) if wrap == split_type(declared)[0] else None


def choose_body(call: Call, make: Callable[[Call], Instance] | None = None) -> Instance:
    """The one body that fits. Raises DiagnosticError with everything that is wrong with the call.

    `make` gives the body that a template has for a call; without it such calls are refused.
    """
    problems = [*_arity_problems(call), *_attribute_problems(call), *_type_problems(call), *_shape_problems(call)]
    if problems:
        raise DiagnosticError(problems)
    if template_at(call.entry, call.opset) is not None:
        return _from_template(call, make)
    bodies = bodies_at(call.entry, call.opset)
    if not bodies:
        raise DiagnosticError([_no_body(call)])
    bound = bind_types(call)
    match = match_variants(bodies, lambda axis: _axis_value(call, bound, axis))
    if not match.fitting:
        raise DiagnosticError([_no_variant(call, bound, bodies)])
    admitting = [body for body in match.fitting if not _not_admitted(bound, body)]
    if not admitting:
        raise DiagnosticError([_unadmitted(call, bound, match.fitting[0])])
    instances = [Instance(call.entry, body) for body in admitting]
    if match.open_axes and len({instance.content for instance in instances}) > 1:
        raise DiagnosticError([_missing_fact(call, match.open_axes)])
    return instances[0]


def _from_template(call: Call, make: Callable[[Call], Instance] | None) -> Instance:
    if make is None:
        text = f"{call.entry.identity} is made for each call, which is done for the nodes of a model"
        raise DiagnosticError(
            [call.problem("OW577", text, "it is a template", "use it in a model, and attach the library")]
        )
    made, bound = make(call), bind_types(call)
    if _not_admitted(bound, made.body):
        raise DiagnosticError([_unadmitted(call, bound, made.body)])
    return made


def reasons(call: Call, instance: Instance, replaced: bool) -> tuple[str, ...]:
    """Why this body of this version is the one that a call means: the version, each axis of its variant, the opset."""
    axes = (_axis_reason(call, axis, value) for axis, value in instance.body.variant)
    return (_version_reason(call, replaced), *axes, _body_reason(call, instance.body))


def _version_reason(call: Call, replaced: bool) -> str:
    entry, domain = call.entry, normal_domain(call.visit.node.domain)
    imported = call.visit.imports.get(domain)
    called = domain or "ai.onnx"
    if imported is None:
        return f"{called} is not imported: of its newest version {entry.name} is version {entry.since_version}"
    what = "the standard's operator" if replaced else entry.name
    return f"{called} {imported} is imported, where {what} is version {entry.since_version}"


def _axis_reason(call: Call, axis: str, value: str) -> str:
    """What of a call an answer comes from."""
    formals = [item.name for item, fact in zip(_formals(call), call.visit.inputs, strict=False) if fact]
    if axis in dict(call.entry.types):
        telling = [item.name for item in _formals(call) if split_type(item.type)[1] == axis and item.name in formals]
        return f"{axis}={value}: the type of {' and '.join(telling) or 'no input'}"
    if any(item.name == axis for item in call.entry.inputs):
        return f"{axis}={value}: the node {'leaves it out' if value == 'absent' else 'gives it'}"
    if axis.endswith(RANK):
        return f"{axis}={value}: the rank that is known of {axis.removesuffix(RANK)}"
    given = any(item.name == axis for item in call.visit.node.attribute)
    return f"{axis}={value}: {'as the node says' if given else 'the default'}"


def _body_reason(call: Call, body: BodyEntry) -> str:
    opsets = opset_ranges([(body.first_opset, body.last_opset)])
    made = template_at(call.entry, call.opset) is not None
    return f"opset {call.opset} is the model's: " + (
        "the body is made for this call" if made else f"the body is for opsets {opsets}"
    )


def _arity_problems(call: Call) -> Iterable[Diagnostic]:
    entry, visit = call.entry, call.visit
    shown = (item.name + "?" * item.optional + "..." * item.variadic for item in entry.inputs)
    signature = f"the inputs are {_names(shown)}"
    formals = _formals(call)
    if len(visit.inputs) > len(formals):
        text = f"{len(visit.inputs)} inputs are given, {entry.identity} has {len(entry.inputs)}"
        yield call.problem("OW557", text, signature, "remove the surplus inputs")
    for index, formal in enumerate(formals):
        given = visit.inputs[index] if index < len(visit.inputs) else ABSENT
        if given == ABSENT and not formal.optional:
            text = f"the input {formal.name} of {entry.identity} is required"
            yield call.problem("OW557", text, signature, f"give {formal.name} as input {index + 1} of the node")
    is_variadic = bool(entry.outputs) and entry.outputs[-1].variadic
    if len(visit.node.output) > len(entry.outputs) and not is_variadic:
        text = f"{len(visit.node.output)} outputs are named, {entry.identity} has {len(entry.outputs)}"
        yield call.problem("OW557", text, f"the outputs are {_names(item.name for item in entry.outputs)}")


def _attribute_problems(call: Call) -> Iterable[Diagnostic]:
    known = {attribute.name: attribute for attribute in call.entry.attributes}
    given = {attribute.name: attribute for attribute in call.visit.node.attribute}
    for name, attribute in given.items():
        if name not in known:
            close = close_names(name, sorted(known))
            text = f"{call.entry.identity} has no attribute {name}"
            reason = f"its attributes are {_names(known)}" if known else "it has no attributes at all"
            yield call.problem("OW558", text, reason, f"did you mean {close[0]}?" if close else "remove it")
            continue
        resolved = call.visit.attributes.get(name, attribute)
        kind = AttributeProto.AttributeType.Name(resolved.type)
        if kind != known[name].type:
            text = f"the attribute {name} of {call.entry.identity} is given as {kind}, it is of type {known[name].type}"
            yield call.problem("OW558", text, help_text=_attribute_help(known[name]))
    for name, declared in known.items():
        if declared.required and name not in given:
            text = f"the attribute {name} of {call.entry.identity} is required"
            yield call.problem("OW558", text, "it has no default value", f"set {name} on the node")


def _attribute_help(attribute: AttributeEntry) -> str:
    if attribute.type == "FLOAT":
        return f"write a float: onnx.helper makes an INT of `{attribute.name}=1` and a FLOAT of `{attribute.name}=1.0`"
    return f"make the node's attribute with attr_type=AttributeProto.{attribute.type}"


def _type_problems(call: Call) -> Iterable[Diagnostic]:
    variables = dict(call.entry.types)
    first_of: dict[str, tuple[str, str]] = {}
    for formal, fact in zip(_formals(call), call.visit.inputs, strict=False):
        inner = split_type(formal.type)[1]
        if not fact or (inner not in variables and inner not in BY_NAME):
            continue
        allowed = variables.get(inner, (inner,))
        element = element_within(formal.type, fact)
        if element not in allowed:
            text = f"the input {formal.name} of {call.entry.identity} is {element or fact}"
            yield call.problem("OW560", text, f"the types allowed are {_names(allowed)}", CAST)
            continue
        name, seen = first_of.setdefault(inner, (formal.name, element))
        if seen != element:
            text = f"the input {formal.name} of {call.entry.identity} is {element}, {name} is {seen}"
            yield call.problem("OW561", text, f"both are of the type {inner}, so they must be the same", CAST)


CAST = "put a Cast before the node"
CHANGE = "change the node"


def _shape_problems(call: Call) -> Iterable[Diagnostic]:
    sizes = Sizes()
    for position, (formal, fact) in enumerate(zip(_formals(call), call.visit.inputs, strict=False)):
        if fact == ABSENT or formal.declared_shape is None:
            continue
        wrong = sizes.contradiction(formal.name, formal.declared_shape, call.visit.shape(position))
        if wrong:
            text = f"the input {formal.name} of {call.entry.identity} {wrong}"
            yield call.problem("OW143", text, "a body is compiled for the shapes that its function declares", _RESHAPE)


_RESHAPE = "give the node a tensor of that shape, with a Reshape, Squeeze or Unsqueeze before it"


def promised_shapes(call: Call) -> list[tuple[int | None, ...] | None]:
    """What the interface promises of the outputs' shapes, with the sizes that the inputs tell."""
    sizes = Sizes()
    for position, formal in enumerate(_formals(call)[: len(call.visit.inputs)]):
        sizes.contradiction(formal.name, formal.declared_shape, call.visit.shape(position))
    return [
        None if (shape := item.declared_shape) is None else sizes.numbers(shape)
        for item in call.entry.outputs
        if not item.variadic
    ]


def _axis_value(call: Call, bound: Mapping[str, str], axis: str) -> tuple[str, ...] | None:
    """The spellings under which a variant may name what the call has on that axis; None when it is not known."""
    if axis in dict(call.entry.types):
        return (bound[axis],) if axis in bound else None
    for index, formal in enumerate(call.entry.inputs):
        if formal.name == axis:
            given = call.visit.inputs[index] if index < len(call.visit.inputs) else ABSENT
            return ("absent",) if given == ABSENT else ("present",)
        if formal.name + RANK == axis:
            rank = call.visit.ranks[index] if index < len(call.visit.ranks) else None
            return None if rank is None else (str(rank),)
    for attribute in call.entry.attributes:
        if attribute.name == axis:
            return _attribute_value(call, attribute)
    return None


def _attribute_value(call: Call, attribute: AttributeEntry) -> tuple[str, ...] | None:
    given = call.visit.attributes.get(attribute.name)
    value: object
    if given is not None:
        value = helper.get_attribute_value(given)
    elif any(item.name == attribute.name for item in call.visit.node.attribute) and attribute.default is None:
        return None  # a reference to an attribute of a function without callers
    else:
        value = attribute.default
    if value is None:
        return ("absent",)
    text = fact_of(value)
    # A variant asks for the value, or, of an attribute without a default, whether it is given.
    optional = attribute.default is None and not attribute.required
    return (text, "present") if optional else (text,)


def _not_admitted(bound: Mapping[str, str], body: BodyEntry) -> list[tuple[str, str]]:
    admits = dict(body.admits)
    return [
        (variable, element) for variable, element in bound.items() if element not in admits.get(variable, (element,))
    ]


def _no_body(call: Call) -> Diagnostic:
    ranges = sorted({(body.first_opset, body.last_opset) for body in call.entry.bodies})
    has = f"it has bodies for these opsets: {opset_ranges(ranges)}" if ranges else "it has no bodies at all"
    text = f"{call.entry.identity} has no body for opset {call.opset}"
    return call.problem("OW556", text, has, _CONVERT)


_CONVERT = "use the model at one of them: `opwright convert` changes the opset of a model"


def _no_variant(call: Call, bound: Mapping[str, str], bodies: Sequence[BodyEntry]) -> Diagnostic:
    for variable, element in bound.items():
        allowed = dict.fromkeys(value for body in bodies for axis, value in body.variant if axis == variable)
        if allowed and element not in allowed:
            return _types_refused(call, variable, element, list(allowed))
    axes = dict.fromkeys(axis for body in bodies for axis, _ in body.variant)
    facts = [f"{axis}={actual[0]}" for axis in axes if (actual := _axis_value(call, bound, axis))]
    text = f"{call.entry.identity} has no variant for {_names(facts)}"
    built = "; ".join(dict.fromkeys(",".join(f"{axis}={value}" for axis, value in body.variant) for body in bodies))
    return call.problem("OW557", text, f"its variants at opset {call.opset} are {built}", "call it with one of these")


def _unadmitted(call: Call, bound: Mapping[str, str], body: BodyEntry) -> Diagnostic:
    variable, element = _not_admitted(bound, body)[0]
    return _types_refused(call, variable, element, dict(body.admits)[variable])


def _types_refused(call: Call, variable: str, element: str, allowed: Sequence[str]) -> Diagnostic:
    text = f"{call.entry.identity} cannot take {element} as {variable} at opset {call.opset}"
    reason = f"the types that its body for this opset allows are {_names(allowed)}"
    others = {(body.first_opset, body.last_opset) for body in call.entry.bodies if _serves(body, variable, element)}
    if others:
        opsets = opset_ranges(sorted(others))
        return call.problem("OW560", text, reason, f"{element} is possible at the opsets {opsets}")
    return call.problem("OW560", text, reason, CAST)


def _serves(body: BodyEntry, variable: str, element: str) -> bool:
    wanted = dict(body.variant).get(variable, element)
    return wanted == element and element in dict(body.admits).get(variable, (element,))


def _missing_fact(call: Call, axes: Sequence[str]) -> Diagnostic:
    facts = [asked(call, axis) for axis in axes]
    return call.problem(
        "OW559",
        f"{call.entry.identity} has several bodies, and {' and '.join(facts)} is not known here",
        "different bodies are right for different facts, and a model must not be given the wrong one",
        "declare the type in the graph's value_info, or run onnx.shape_inference.infer_shapes on the model first",
    )


def asked(call: Call, axis: str) -> str:
    """What a call must tell on an axis, in words."""
    inputs = [item.name for item in call.entry.inputs if split_type(item.type)[1] == axis]
    if inputs:
        return f"the element type of {' or '.join(inputs)}"
    return f"the rank of {axis.removesuffix(RANK)}" if axis.endswith(RANK) else axis


def _names(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"


def opset_ranges(ranges: Iterable[tuple[int, int]]) -> str:
    """`13 to 17, 20`, neighbours joined."""
    joined: list[list[int]] = []
    for first, last in ranges:
        if joined and first <= joined[-1][1] + 1:
            joined[-1][1] = max(last, joined[-1][1])
        else:
            joined.append([first, last])
    return ", ".join(f"{first} to {last}" if first != last else str(first) for first, last in joined)
