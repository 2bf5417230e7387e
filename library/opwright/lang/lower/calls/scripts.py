"""Calls of functions under `@script`: they stay calls, of the variant that fits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from opwright.diagnostics.diagnostic import Choice
from opwright.elements import BY_CODE
from opwright.lang import ir
from opwright.lang.infer.result_types import OF_ATTRIBUTE, Mismatch, bind
from opwright.lang.lower.calls.call_variants import Given, fit_variant
from opwright.lang.lower.calls.template_calls import call_template
from opwright.lang.lower.calls.written_calls import check_arguments
from opwright.lang.lower.nodes.emitted_calls import report_mismatch
from opwright.lang.lower.nodes.item_ranks import held_types
from opwright.lang.lower.nodes.primitives import Writer, typed
from opwright.lang.lower.rules import calls
from opwright.lang.lower.state.context import Lowering, complete
from opwright.lang.lower.state.poison import Poisoned
from opwright.lang.meaning.objects import Script, ScriptObject, ScriptVariant
from opwright.lang.meaning.operands import Arguments, Environment, Operand
from opwright.lang.text.source import Span
from opwright.opsets.signatures import Signature

Item = TypeVar("Item")


# ------------------------------------------------------------------------------------------------------ calls


@calls(ScriptObject)
def call_script(low: Lowering, callee: ScriptObject, arguments: Arguments, env: Environment) -> Operand:
    """A call of the variant that fits: one value, or a tuple of them where the function returns a tuple.

    `env` is the caller's, for graphs that a template is given.
    """
    script = callee.at(low.target.opset)
    if script.template is not None:
        return call_template(low, script.template, arguments, env)
    if not script.variants:
        raise low.error(
            "OW350",
            f"`{script.name}` cannot be called: it does not compile",
            arguments.callee_span,
            reason=f"it has errors at opset {low.target.bare_opset}",
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
    given = Given(inputs, found, attributes)
    variant = fit_variant(low, script.signature, script.variants, given, _content, arguments.span)
    kept, places = _kept(variant, script.signature, inputs), _kept(variant, script.signature, spans)
    if variant.signature is not script.signature:
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
        variant.ranks_like,
    )
    low.trail.append(low.calls, reference)
    written = attributes and {name: item for name, item in attributes.items() if name in variant.signature.attributes}
    full = complete(variant.signature, written)
    elements = _elements(variant, kept, full)
    types = [_instance(type_, elements) for type_ in outputs]
    types = [_ranked(type_, like, kept) for type_, like in zip(types, variant.ranks_like, strict=True)]
    results = [ir.Value(type_, "", arguments.span) for type_ in types]
    low.append(ir.Call(reference, kept, full, list(results), arguments.span))
    for result, sources in zip(results, variant.rank_sources, strict=True):
        said = None if sources is None else [kept[index] for index in sources if index < len(kept)]
        origins = None if said is None else [item for item in said if item is not None]
        low.trail.put(low.rank_origins, result, origins)
    return tuple(results) if variant.returns_tuple or len(results) > 1 else results[0]


def _outputs(
    low: Lowering,
    callee: ScriptObject,
    variant: ScriptVariant,
    inputs: list[ir.Value | None],
    spans: Sequence[Span | None],
) -> tuple[ir.Type, ...]:
    """The types of the results. Refuses an input that may not have the shape which its annotation promises.

    What was asked of ranks and sizes when the body was compiled is no question any more, so the caller must be sure of
    them: of the ranks always, of the sizes where the body would be another one without them. Symbols answer nothing.
    What a proto is given in `inputs` is replaced where it must be checked when the model runs.
    """
    unsure: list[int] = []
    fits = True
    for index, (formal, value, span) in enumerate(zip(variant.inputs, inputs, spans, strict=False)):
        one, other = formal.type, ir.UnknownType() if value is None else value.type
        if one.item is not None and value is not None and one.innermost.carried_shape is not None:
            fits = False  # of what a sequence holds little is known
            for held in held_types(low, value):
                if _contradicts(one.innermost, held):
                    raise _unfit(low, callee, formal, held, span, False)
        if one.shape is None or other.element is None:
            fits = fits and (value is None or one.shape is None)
            continue
        if other.shape is None:
            raise _unfit(low, callee, formal, other, span, True)
        if _contradicts(one, other):
            raise _unfit(low, callee, formal, other, span, False)
        pairs = zip(map(ir.size_of, one.shape), map(ir.size_of, other.shape), strict=True)
        if any(promised not in (known, None) for promised, known in pairs):
            unsure.append(index)
    if callee.is_proto:
        for index in unsure:
            inputs[index] = _checked(low, callee, variant.inputs[index], inputs[index], spans[index])
        return variant.outputs if fits else tuple(type_.with_tensors(_without_shape) for type_ in variant.outputs)
    if not unsure:
        return variant.outputs
    outputs = callee.without_sizes(variant.variant)
    if outputs is None:
        first = unsure[0]
        value = inputs[first]
        assert value is not None
        raise _unfit(low, callee, variant.inputs[first], value.type, spans[first], True)
    return outputs


def _contradicts(promised: ir.Type, found: ir.Type) -> bool:
    """Whether a tensor is known to have another shape than that which is promised."""
    if promised.shape is None or found.shape is None:
        return False
    pairs = zip(map(ir.size_of, promised.shape), map(ir.size_of, found.shape), strict=False)
    return len(promised.shape) != len(found.shape) or any(
        size is not None and known not in (size, None) for size, known in pairs
    )


def _checked(
    low: Lowering, callee: ScriptObject, formal: ir.Value, value: ir.Value | None, span: Span | None
) -> ir.Value:
    """The value, with which a model fails to run where a size that the proto promises is another one.

    One `Reshape` for each size: where it copies the others, it fails unless the size is the same. It copies for 0, too,
    and so cannot check that.
    """
    assert value is not None and value.type.shape is not None and formal.type.shape is not None
    op = Writer(low, span)
    shape = list(value.type.shape)
    for axis, promised in enumerate(map(ir.size_of, formal.type.shape)):
        if promised is None or ir.size_of(shape[axis]) is not None:
            continue
        if promised == 0:
            raise _unfit(low, callee, formal, value.type, span, True)
        shape[axis] = promised
        sizes = [promised if index == axis else 0 for index in range(len(shape))]
        assert value.type.element is not None
        value = typed(op.reshape(value, op.int64s(sizes)), value.type.element, tuple(shape))
    return value


def _unfit(
    low: Lowering, callee: ScriptObject, formal: ir.Value, found: ir.Type, span: Span | None, may: bool
) -> Poisoned:
    """`may`: the value may have the shape that is promised, for all that is known."""
    declares = "its proto declares" if callee.is_proto else "its annotation says"
    return low.error(
        "OW208",
        f"`{callee.name}` does not take {found!r} {'as' if formal.type.item is None else 'in'} `{formal.name}`",
        span,
        reason=f"{declares} {formal.type!r}" + (", and the body has been compiled for that" if may else ""),
        help=_how_to_promise(formal.type.innermost) if may else _how_to_fit(callee),
        subject=callee.name,
        depends_on=Choice.ELEMENT_TYPE,
    )


def _how_to_promise(type_: ir.Type) -> str:
    """Annotations of local variables are nothing to a builder, which runs what is written as Python. `Reshape` copies a
    size where it is told 0, so that it makes no axis one of no elements."""
    help_ = f"if it always is, annotate it: `value: {_annotation(type_)} = ...`"
    sizes = [ir.size_of(size) for size in type_.shape or ()]
    return help_ if 0 in sizes else f"{help_}; in a builder, `op.Reshape(value, {[size or 0 for size in sizes]})`"


def _how_to_fit(callee: ScriptObject) -> str:
    return "reshape the value" if callee.is_proto else "reshape the value, or change the annotation"


def _annotation(type_: ir.Type) -> str:
    element = ir.known_element(type_.element)
    name = "Tensor" if element is None else element.name.upper()
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
    if not script.signature.attributes:
        return arguments
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


def _kept(variant: ScriptVariant, signature: Signature, items: Sequence[Item]) -> list[Item]:
    """Of what belongs to each input, that of the inputs which the variant has; the others are absent in it."""
    if len(variant.signature.inputs) == len(signature.inputs):
        return list(items)
    kept = {formal.name for formal in variant.signature.inputs}
    return [item for formal, item in zip(signature.inputs, items, strict=False) if formal.name in kept]


def _elements(
    variant: ScriptVariant, inputs: Sequence[ir.Value | None], attributes: Mapping[str, ir.Attribute]
) -> dict[str, ir.Element]:
    """The callee's type variables as they are at this call."""
    found: dict[str, ir.Element] = {}
    for formal, value in zip(variant.inputs, inputs, strict=False):
        one: ir.Type = formal.type
        other: ir.Type = value.type if value is not None else ir.UnknownType()
        while one.item is not None and other.item is not None and one.holder == other.holder:
            one, other = one.item, other.item
        variable = ir.open_element(one.element)
        if variable is not None and other.element is not None:
            found.setdefault(variable.name, other.element)
    for name, attribute in attributes.items():
        code = None if attribute.integer is None else BY_CODE.get(attribute.integer)
        if code is not None:
            found[f"{OF_ATTRIBUTE}{name}"] = code  # `op.Cast(x, to=to)` in the callee
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
    variable = ir.open_element(type_.element)
    element = type_.known_element if variable is None else elements.get(variable.name)
    return ir.UnknownType() if element is None else ir.TensorType(element, type_.sizes)


def _ranked(type_: ir.Type, like: int | None, inputs: Sequence[ir.Value | None]) -> ir.Type:
    """The type of a result that has the rank of an input, where that is known."""
    given = inputs[like] if like is not None and like < len(inputs) else None
    if given is None or given.type.rank is None or type_.shape is not None or not isinstance(type_, ir.TensorType):
        return type_
    return ir.TensorType(type_.element, (None,) * given.type.rank)


def _without_shape(type_: ir.TensorType) -> ir.Type:
    return ir.TensorType(type_.element)
