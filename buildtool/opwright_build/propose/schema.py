"""The operator's schema in C++: a source file that compiles by itself against onnx's headers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from opwright.bundle.call_interface import ANY, split_type
from opwright.bundle.format import FunctionEntry, InputEntry, OutputEntry

from opwright_build.propose.body_conditions import UnseenError
from opwright_build.propose.body_text import NoTextError, body_text
from opwright_build.propose.builder import Builder, make_builder
from opwright_build.propose.constraints import SchemaTypes, schema_types
from opwright_build.propose.cpp_text import attribute_default, raw_string, string
from opwright_build.propose.differentiation import Differentiation
from opwright_build.propose.inference import InferenceRules, ShapeKind, TypeKind, TypeRule
from opwright_build.propose.subject import Proposal
from opwright_build.templates import render

PACKAGE = "opwright_build.propose"


@dataclass(frozen=True, slots=True)
class PlainBody:
    """A body of the schema itself: literals of its text, from one opset on."""

    opset: int
    is_first: bool
    text: str


@dataclass(frozen=True, slots=True)
class Bodies:
    """The bodies in C++: texts, or builders; `obstacle` says why there are none."""

    plain: tuple[PlainBody, ...] = ()
    builders: tuple[Builder, ...] = ()
    obstacle: str = ""


def make_bodies(proposal: Proposal) -> Bodies:
    """The bodies of all sets, as C++ says them."""
    if not proposal.sets or proposal.is_template:
        return Bodies(obstacle="it is a template: only a call says what its body is")
    try:
        if not proposal.uses_text:
            return Bodies(builders=tuple(make_builder(proposal, bodies) for bodies in proposal.sets))
        return Bodies(
            plain=tuple(
                PlainBody(
                    bodies.opset,
                    bodies.opset == proposal.entry.since_version,
                    raw_string(f"\n{{\n{body_text(bodies.variants[0].function)}\n}}\n"),
                )
                for bodies in proposal.sets
            )
        )
    except (NoTextError, UnseenError) as error:
        return Bodies(obstacle=str(error))


def render_schema(
    proposal: Proposal, bodies: Bodies, rules: InferenceRules, derivatives: Mapping[str, Differentiation]
) -> str:
    """The source file: documentation, builders, and the schema's definition."""
    entry, home = proposal.entry, proposal.home
    types = schema_types(entry)
    start = f"{entry.name}, {entry.since_version}"
    if not home.standard:
        start = f"{entry.name}, {home.class_domain}, {string(home.domain)}, {entry.since_version}, false"
    return render(
        PACKAGE,
        "schema.cc.jinja2",
        name=entry.name,
        license=proposal.license,
        constant=f"{entry.name}_ver{entry.since_version}_doc",
        doc=raw_string(f"\n{(entry.doc or entry.summary).strip()}\n", "DOC"),
        macro=home.macro,
        start=start,
        builders=bodies.builders,
        plain=bodies.plain,
        attributes=[
            (string(item.name), string(item.doc), item.type, attribute_default(item)) for item in entry.attributes
        ],
        inputs=[_input(types, index, item, derivatives[item.name].value) for index, item in enumerate(entry.inputs)],
        outputs=[
            _output(types, index, item, derivatives[f"-> {item.name}"].value)
            for index, item in enumerate(entry.outputs)
        ],
        constraints=[
            (string(item.name), ", ".join(map(string, item.types)), string(item.doc)) for item in types.constraints
        ],
        determinism="NonDeterministic" if proposal.is_random else "Deterministic",
        deprecated=entry.deprecated,
        inference=_inference(entry, rules),
        first_input_alone=_is_first_input_alone(entry, rules),
    )


def _input(types: SchemaTypes, index: int, item: InputEntry, derivative: str) -> tuple[str, ...]:
    option = "Variadic" if item.variadic else "Optional" if item.optional else "Single"
    return _value(types, index, item, option, derivative, 0 if item.variadic else 1)


def _output(types: SchemaTypes, index: int, item: OutputEntry, derivative: str) -> tuple[str, ...]:
    return _value(types, index, item, "Variadic" if item.variadic else "Single", derivative, 1)


def _value(
    types: SchemaTypes, index: int, item: InputEntry | OutputEntry, option: str, derivative: str, least: int
) -> tuple[str, ...]:
    """`least`: how many there are of it at least."""
    names = (str(index), string(item.name), string(item.doc), string(types.names[item.type]))
    same = "false" if item.variadic and split_type(item.type)[1] == ANY else "true"
    return (*names, option, derivative, same, str(least))


# ------------------------------------------------------------------------------------------------ inference


def _is_first_input_alone(entry: FunctionEntry, rules: InferenceRules) -> bool:
    """Whether onnx's function for unary operators says it all."""
    if len(rules.shapes) != 1 or any(item.rank is not None for item in entry.inputs):
        return False
    kind, shape = rules.types[0], rules.shapes[0]
    return (kind.kind, kind.input, shape.kind, shape.input) == (TypeKind.INPUT, 0, ShapeKind.SAME, 0)


def _inference(entry: FunctionEntry, rules: InferenceRules) -> list[str]:
    """The statements of the inference function; none where onnx infers through the body."""
    if rules.through_body:
        return []
    lines: list[str] = []
    for index, output in enumerate(entry.outputs):
        rule = rules.types[index]
        types, shapes = _type_steps(rule, index), _shape_steps(entry, rules, index)
        if not rule.may_be_absent(entry):
            steps = [*types, *shapes]
        elif rule.absent is None:
            # Of a type that does not follow onnx takes no shape either.
            steps = [f"if ({_is_given(rule)}) {{", *_indented(types), *_indented(shapes), "}"]
        else:
            otherwise = _indented(_type_steps(rule.absent, index))
            steps = [f"if ({_is_given(rule)}) {{", *_indented(types), "} else {", *otherwise, "}", *shapes]
        if steps and index:
            lines += [f"if (ctx.getNumOutputs() > {index}) {{ // {output.name}", *_indented(steps), "}"]
        else:
            lines += steps
    for index, item in enumerate(entry.inputs):
        if item.rank is not None:
            differs = f"getInputShape(ctx, {index}).dim_size() != {item.rank}"
            lines.append(f"if (hasInputShape(ctx, {index}) && {differs}) {{")
            lines.append(f"  fail_shape_inference({string(f'{item.name} must have rank {item.rank}')});")
            lines.append("}")
    return lines


def _indented(lines: Sequence[str]) -> list[str]:
    return [f"  {line}" for line in lines]


def _is_given(rule: TypeRule) -> str:
    """The condition that the call has what says the type."""
    if rule.kind is TypeKind.INPUT:
        return f"ctx.hasInput({rule.input})"
    return f"ctx.getAttribute({string(rule.attribute)}) != nullptr"


def _type_steps(rule: TypeRule, index: int) -> list[str]:
    match rule.kind:
        case TypeKind.INPUT:
            return [f"propagateElemTypeFromInputToOutput(ctx, {rule.input}, {index});"]
        case TypeKind.FIXED:
            return [f"updateOutputElemType(ctx, {index}, TensorProto::{rule.element.upper()});"]
        case TypeKind.ATTRIBUTE:
            default = f", TensorProto::{rule.element.upper()}" if rule.element else ""
            return [f"propagateElemTypeFromAttributeToOutput(ctx, {string(rule.attribute)}, {index}{default});"]
    return []


def _shape_steps(entry: FunctionEntry, rules: InferenceRules, index: int) -> list[str]:
    rule = rules.shapes[index]
    match rule.kind:
        case ShapeKind.SAME:
            condition = f"if (hasInputShape(ctx, {rule.input})) {{"
            return [condition, f"  propagateShapeFromInputToOutput(ctx, {rule.input}, {index});", "}"]
        case ShapeKind.BROADCAST:
            return _broadcast_steps(entry, index)
        case ShapeKind.RANK:
            shape = f"shape_{index}"
            lines = [f"TensorShapeProto {shape};"]
            lines += [f"{shape}.add_dim();"] * rule.rank
            return [*lines, f"updateOutputShape(ctx, {index}, {shape});"]
    return []


def _broadcast_steps(entry: FunctionEntry, index: int) -> list[str]:
    count = len(entry.inputs)
    if count == 2:
        call = "bidirectionalBroadcastShapeInference("
        return [
            "if (hasNInputShapes(ctx, 2)) {",
            f"  {call}getInputShape(ctx, 0), getInputShape(ctx, 1), *getOutputShape(ctx, {index}));",
            "}",
        ]
    shapes = ", ".join(f"&getInputShape(ctx, {item})" for item in range(count))
    return [
        f"if (hasNInputShapes(ctx, {count})) {{",
        f"  multidirectionalBroadcastShapeInference({{{shapes}}}, *getOutputShape(ctx, {index}));",
        "}",
    ]
