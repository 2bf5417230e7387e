"""Calls of functions under `@script`: they stay calls, of the variant that fits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

from opwright.diagnostics.diagnostic import Related, Severity
from opwright.elements import BY_CODE, ElementType
from opwright.lang import ir
from opwright.lang.dead import is_pure
from opwright.lang.family import Family, Variant, labels_of
from opwright.lang.infer import Mismatch, bind
from opwright.lang.interface import Arity, Input, Interface
from opwright.lang.lower.call_variants import Given, fit_variant
from opwright.lang.lower.calls import Arguments, check_arguments, report_mismatch
from opwright.lang.lower.context import Lowering, complete
from opwright.lang.lower.function import Unit
from opwright.lang.lower.operands import Environment, Operand, is_tensor
from opwright.lang.lower.poison import Poisoned
from opwright.lang.lower.scan_ranks import rank_sources
from opwright.lang.objects import ScriptObject
from opwright.lang.source import Span
from opwright.opsets.signatures import AttributeSpec, Formal, Option, Signature, elements_of
from opwright.variants import Key

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class ScriptVariant:
    """One variant as its callers see it: what its proto is named by (`label`), takes and gives."""

    variant: Key
    label: Key
    signature: Signature
    inputs: tuple[ir.Value, ...]
    outputs: tuple[ir.Type, ...]
    attributes: tuple[str, ...]
    pure: bool
    rank_sources: tuple[tuple[int, ...] | None, ...]  # of each output: the inputs that say by theirs which it has


@dataclass(frozen=True, slots=True)
class Script:
    """A function under `@script`, compiled for one opset. `parameters` are those that may be given by position.

    `origin` is the living function, where it is one. `template`: only a call can say what its body is.
    `must_be_given`: parameters that may be None and have no default. `errors`: why there are no variants.
    """

    domain: str
    version: int
    name: str
    parameters: tuple[str, ...]
    variadic: bool
    signature: Signature
    variants: tuple[ScriptVariant, ...]
    origin: object = None
    template: Unit | None = None
    must_be_given: tuple[str, ...] = ()
    errors: tuple[Related, ...] = ()


def describe_script(unit: Unit, family: Family, domain: str, version: int, origin: object = None) -> Script:
    """What callers must know of a compiled function."""
    name, arguments = unit.declaration.name, unit.node.args
    named = labels_of(family)
    variants = tuple(_describe_variant(unit, item, named[item.key], domain, version) for item in family.variants)
    if len(variants) == 1 and _is_whole(unit.interface, variants[0]):
        whole = variants[0].signature
    else:
        whole = _family_signature(unit, variants, domain, version)
    return Script(
        domain,
        version,
        name,
        tuple(item.arg for item in (*arguments.posonlyargs, *arguments.args)),
        arguments.vararg is not None,
        whole,
        variants,
        origin,
        unit if family.open_axes else None,
        unit.interface.must_be_given,
        _first_error(family, name),
    )


def _first_error(family: Family, name: str) -> tuple[Related, ...]:
    """Where callers are sent that cannot call the function."""
    found = (item for item in family.diagnostics if item.severity is Severity.ERROR and item.place is not None)
    first = next(found, None)
    return (
        ()
        if first is None or first.place is None
        else (Related(first.place, f"in this call of `{name}`: {first.message}"),)
    )


def _is_whole(interface: Interface, variant: ScriptVariant) -> bool:
    """Whether the variant has all the parameters that the function declares."""
    return len(variant.inputs) == len(interface.inputs) and len(variant.attributes) == len(interface.attributes)


def _describe_variant(unit: Unit, variant: Variant, label: Key, domain: str, version: int) -> ScriptVariant:
    function, outputs = variant.lowered.function, variant.lowered.outputs
    assert function is not None
    declared = {item.name: item for item in unit.interface.inputs}
    admitted: dict[str, tuple[str, ...]] = {}
    formals = [_formal(declared[value.name], value.type, admitted) for value in function.inputs]
    kept = tuple(parameter.name for parameter in function.attributes)
    signature = _signature(unit, domain, version, formals, admitted, len(outputs), kept)
    pure = all(is_pure(node) for node in function.body.nodes)
    sources = tuple(rank_sources(function, value) for value in function.body.yields)
    return ScriptVariant(variant.key, label, signature, tuple(function.inputs), outputs, kept, pure, sources)


def _formal(declared: Input, type_: ir.Type, admitted: dict[str, tuple[str, ...]]) -> Formal:
    options = {
        Arity.REQUIRED: Option.REQUIRED,
        Arity.OPTIONAL: Option.OPTIONAL,
        Arity.VARIADIC: Option.VARIADIC,
    }
    name, types = _type_strings(type_)
    if name:
        admitted[name] = types
    return Formal(declared.name, name or types[0], options[declared.arity], True, 0)


def _type_strings(type_: ir.Type) -> tuple[str, tuple[str, ...]]:
    """The name of the type variable ("" where there is none), and the ONNX types that are admitted."""
    if isinstance(type_, ir.SequenceType):
        name, types = _type_strings(type_.item)
        return name and f"seq({name})", tuple(f"seq({item})" for item in types)
    if isinstance(type_, ir.MapType):
        name, types = _type_strings(type_.item)
        start = f"map({type_.key.name}, "
        return name and f"{start}{name})", tuple(f"{start}{item[7:-1]})" for item in types)  # without `tensor()`
    if isinstance(type_, ir.OptionalType):
        name, types = _type_strings(type_.item)
        return name and f"optional({name})", tuple(f"optional({item})" for item in types)
    if not isinstance(type_, ir.TensorType):
        return "", ("",)
    element = ir.settle(type_.element)
    if isinstance(element, ir.TypeVariable):
        return element.name, _admitted(element.mask)
    return "", (f"tensor({element.name})",)


@cache
def _admitted(mask: int) -> tuple[str, ...]:
    return tuple(f"tensor({item.name})" for item in elements_of(mask))


def _signature(
    unit: Unit,
    domain: str,
    version: int,
    inputs: Sequence[Formal],
    admitted: Mapping[str, tuple[str, ...]],
    outputs: int,
    attributes: Sequence[str],
) -> Signature:
    found = Signature.__new__(Signature)
    found.domain, found.name, found.since_version = domain, unit.declaration.name, version
    found.deprecated, found.deterministic = False, False
    found.admitted = dict(admitted)
    found.inputs = tuple(inputs)
    found.outputs = tuple(Formal(f"output {index}", "", Option.REQUIRED, False, 1) for index in range(outputs))
    found.attributes = {
        item.name: AttributeSpec(item.name, item.kind, item.required, item.default)
        for item in unit.interface.attributes
        if item.name in attributes
    }
    found.min_inputs = sum(item.option is Option.REQUIRED for item in found.inputs)
    found.max_inputs = len(found.inputs)
    found.min_outputs = found.max_outputs = outputs
    found.derive()
    return found


def _family_signature(unit: Unit, variants: Sequence[ScriptVariant], domain: str, version: int) -> Signature:
    """All variants in one: an input may be of any type that one of them takes."""
    admitted: dict[str, tuple[str, ...]] = {}
    formals = []
    for declared in unit.interface.inputs:
        types = dict.fromkeys(text for variant in variants for text in _admitted_by(variant, declared.name))
        declared_value = unit.declaration.inputs.get(declared.name)
        name = declared_value.type if declared_value is not None else f"T_{declared.name}"
        admitted[name] = tuple(dict.fromkeys((*admitted.get(name, ()), *types)))
        type_ = ir.TensorType(ir.TypeVariable(name))
        formal = _formal(declared, type_, {})
        formals.append(Formal(formal.name, name, formal.option, True, 0))
    attributes = [item.name for item in unit.interface.attributes]
    return _signature(unit, domain, version, formals, admitted, len(variants[0].outputs) if variants else 1, attributes)


def _admitted_by(variant: ScriptVariant, name: str) -> tuple[str, ...]:
    """The ONNX types that the variant takes as this input; none where it does not have it."""
    for formal in variant.signature.inputs:
        if formal.name == name:
            return variant.signature.admitted.get(formal.type, (formal.type,))
    return ()


# ------------------------------------------------------------------------------------------------------ calls


def call_script(low: Lowering, callee: ScriptObject, arguments: Arguments, env: Environment | None = None) -> Operand:
    """A call of the variant that fits: one value, or a tuple of them.

    `env` is the caller's, for graphs that a template is given.
    """
    script: Script = callee.at(low.opset)
    if script.template is not None:
        from opwright.lang.lower.template_calls import call_template

        return call_template(low, script.template, arguments, {} if env is None else env)
    if not script.variants:
        raise low.error(
            "OW350",
            f"`{script.name}` cannot be called: it does not compile",
            arguments.callee_span,
            reason=f"it has errors at opset {low.opset}",
            help="fix its errors first",
            related=script.errors,
            subject=script.name,
        )
    sorted_out = _by_kind(low, script, arguments)
    if script.must_be_given:
        _check_all_given(low, script, arguments)
    checked = check_arguments(low, script.signature, sorted_out)
    inputs, attributes, spans = checked
    try:
        found = bind(script.signature, inputs, low.trail)
    except Mismatch as mismatch:
        raise report_mismatch(low, script.signature, inputs, mismatch, spans) from None
    names = [formal.name for formal in script.signature.inputs]
    given = Given(inputs, found, attributes)
    variant = fit_variant(low, script.signature, script.variants, given, _content, arguments.span)
    kept, places = _kept(variant, names, inputs), _kept(variant, names, spans)
    try:
        bind(variant.signature, kept, low.trail)
    except Mismatch as mismatch:
        raise report_mismatch(low, variant.signature, kept, mismatch, places) from None
    outputs = _outputs(low, callee, variant, kept, places)
    reference = ir.FunctionReference(
        script.domain,
        script.domain,
        script.version,
        script.name,
        script.version,
        variant.label,
        "",
        variant.attributes,
        tuple(formal.name for formal in variant.signature.inputs),
        variant.pure,
        script.origin,
    )
    low.trail.append(low.calls, reference)
    written = {name: value for name, value in attributes.items() if name in variant.signature.attributes}
    full = complete(variant.signature, written)
    elements = _elements(variant, kept, full)
    results = [ir.Value(_instance(type_, elements), "", arguments.span) for type_ in outputs]
    low.append(ir.Call(reference, kept, full, list(results), arguments.span))
    for result, sources in zip(results, variant.rank_sources, strict=True):
        said = None if sources is None else [kept[index] for index in sources]
        origins = None if said is None else [item for item in said if item is not None]
        low.trail.put(low.rank_origins, result, origins)
    return results[0] if len(results) == 1 else tuple(results)


def _outputs(
    low: Lowering, callee: ScriptObject, variant: ScriptVariant, inputs: Sequence[Item], spans: Sequence[Span | None]
) -> tuple[ir.Type, ...]:
    """The types of the results. Refuses an input that may not have the shape which its annotation promises.

    What was asked of ranks and sizes when the body was compiled is no question any more, so the caller must be sure of
    them: of the ranks always, of the sizes where the body would be another one without them. Symbols answer nothing.
    """
    unsure: tuple[ir.Value, ir.Type, Span | None] | None = None
    for formal, value, span in zip(variant.inputs, inputs, spans, strict=False):
        one, other = formal.type, value.type if isinstance(value, ir.Value) else None
        if not isinstance(one, ir.TensorType) or not isinstance(other, ir.TensorType) or one.shape is None:
            continue
        if other.shape is None:
            raise _unfit(low, callee, formal, other, span, True)
        sizes = [(a, b) for a, b in zip(one.shape, other.shape, strict=False) if isinstance(a, int)]
        if len(one.shape) != len(other.shape) or any(a != b for a, b in sizes if isinstance(b, int)):
            raise _unfit(low, callee, formal, other, span, False)
        if unsure is None and any(a != b for a, b in sizes):
            unsure = formal, other, span
    if unsure is None:
        return variant.outputs
    outputs = callee.without_sizes(variant.variant)
    if outputs is None:
        raise _unfit(low, callee, *unsure, True)
    return outputs


def _unfit(
    low: Lowering, callee: ScriptObject, formal: ir.Value, found: ir.Type, span: Span | None, may: bool
) -> Poisoned:
    """`may`: the value may have the shape that is promised, for all that is known."""
    assert is_tensor(formal)
    return low.error(
        "OW208",
        f"`{callee.name}` does not take {found!r} as `{formal.name}`",
        span,
        reason=f"its annotation says {formal.type!r}" + (", and the body has been compiled for that" if may else ""),
        help=f"if it always is, annotate it: `value: {_annotation(formal.type)} = ...`"
        if may
        else "reshape the value, or change the annotation",
        subject=callee.name,
    )


def _annotation(type_: ir.TensorType) -> str:
    element = ir.settle(type_.element)
    name = element.name.upper() if isinstance(element, ElementType) else "Tensor"
    sizes = ", ".join(repr(size).replace("'", '"') for size in type_.shape or ())
    return f"{name}[{sizes}]" if sizes else name


def _check_all_given(low: Lowering, script: Script, arguments: Arguments) -> None:
    """Refuses a call that leaves out what may be None and has no default."""
    given = {*script.parameters[: len(arguments.positional)], *arguments.keywords}
    missing = [name for name in script.must_be_given if name not in given]
    for name in missing:
        low.error(
            "OW204",
            f"{script.name} needs its argument `{name}`",
            arguments.span,
            reason="it may be None, and has no default",
            help=f"write `{name}=None` where there is none",
            subject=script.name,
        )
    if missing:
        raise Poisoned


def _content(variant: ScriptVariant) -> tuple[object, ...]:
    """Variants of one proto that take other types give other types, too."""
    taken = tuple(item.type for item in variant.signature.inputs)
    return (variant.label, taken, tuple(map(repr, variant.outputs)))


def _by_kind(low: Lowering, script: Script, arguments: Arguments) -> Arguments:
    """Attributes that are given by position take their names, as Python binds them."""
    positional, keywords = [], dict(arguments.keywords)
    for index, argument in enumerate(arguments.positional):
        name = script.parameters[index] if index < len(script.parameters) else ""
        if name not in script.signature.attributes:
            positional.append(argument)
        elif name in keywords:
            raise low.error("OW203", f"`{script.name}` gets `{name}` twice", argument[1])
        else:
            keywords[name] = argument
    return Arguments(
        positional, keywords, arguments.result_count, span=arguments.span, callee_span=arguments.callee_span
    )


def _kept(variant: ScriptVariant, names: Sequence[str], items: Sequence[Item]) -> list[Item]:
    """Of what belongs to each input, that of the inputs which the variant has; the others are absent in it."""
    if len(variant.signature.inputs) == len(names):
        return list(items)
    kept = {formal.name for formal in variant.signature.inputs}
    return [item for name, item in zip(names, items, strict=False) if name in kept]


def _elements(
    variant: ScriptVariant, inputs: Sequence[ir.Value | None], attributes: Mapping[str, ir.Attribute]
) -> dict[str, ir.Element]:
    """The callee's type variables as they are at this call."""
    found: dict[str, ir.Element] = {}
    for formal, value in zip(variant.inputs, inputs, strict=False):
        one: ir.Type = formal.type
        other: ir.Type = value.type if value is not None else ir.UnknownType()
        while isinstance(one, (ir.SequenceType, ir.OptionalType, ir.MapType)) and isinstance(other, type(one)):
            one, other = one.item, other.item
        if isinstance(one, ir.TensorType) and isinstance(other, ir.TensorType):
            element = ir.settle(one.element)
            if isinstance(element, ir.TypeVariable):
                found.setdefault(element.name, other.element)
    for name, attribute in attributes.items():
        if isinstance(attribute, ir.AttributeValue) and isinstance(attribute.value, int):
            code = BY_CODE.get(attribute.value)
            if code is not None:
                found[f"@{name}"] = code  # `op.Cast(x, to=to)` in the callee
    return found


def _instance(type_: ir.Type, elements: Mapping[str, ir.Element]) -> ir.Type:
    """A type of the callee as the caller sees it; symbols of its shape mean nothing here."""
    if isinstance(type_, ir.SequenceType):
        return ir.SequenceType(_instance(type_.item, elements))
    if isinstance(type_, ir.OptionalType):
        return ir.OptionalType(_instance(type_.item, elements))
    if isinstance(type_, ir.MapType):
        return ir.MapType(type_.key, _instance(type_.item, elements))
    if not isinstance(type_, ir.TensorType):
        return ir.UnknownType()
    element = ir.settle(type_.element)
    if isinstance(element, ir.TypeVariable):
        if element.name not in elements:
            return ir.UnknownType()
        element = elements[element.name]
    shape = type_.shape
    return ir.TensorType(element, None if shape is None else tuple(_dimension(dim) for dim in shape))


def _dimension(dim: ir.Dimension) -> ir.Dimension:
    return dim if isinstance(dim, int) else None


def admitted_elements(variant: ScriptVariant) -> dict[str, tuple[str, ...]]:
    """The element types that the variant takes, by input."""
    found = {}
    for value in variant.inputs:
        if is_tensor(value):
            mask = ir.element_mask(value.type.element)
            found[value.name] = tuple(element.name for element in elements_of(mask))
    return found
