"""What callers must know of a compiled function under `@script`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from opwright.diagnostics.diagnostic import Related, Severity
from opwright.lang import ir
from opwright.lang.dead import is_pure
from opwright.lang.families.family import Family, Variant, labels_of
from opwright.lang.lower.calls.scan_ranks import rank_sources
from opwright.lang.lower.numbers.ranks import ranks_like
from opwright.lang.meaning.function_unit import Unit
from opwright.lang.meaning.interface import Arity, Input, Interface
from opwright.lang.meaning.objects import Script, ScriptVariant
from opwright.opsets.signatures import AttributeSpec, Formal, Option, Signature, elements_of
from opwright.variants import Key


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
        tuple([item.arg for item in (*arguments.posonlyargs, *arguments.args)]),
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
    if not family.diagnostics:
        return ()
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
    lowered = variant.lowered
    function, outputs = lowered.function, lowered.outputs
    assert function is not None
    declared = {item.name: item for item in unit.interface.inputs}
    admitted: dict[str, tuple[str, ...]] = {}
    formals = [_formal(declared[value.name], value.type, admitted) for value in function.inputs]
    kept = tuple(parameter.name for parameter in function.attributes)
    signature = _signature(unit, domain, version, formals, admitted, len(outputs), kept)
    pure = all(is_pure(node) for node in function.body.nodes)
    sources = rank_sources(function, function.body.yields)
    inputs = tuple(function.inputs)
    like = ranks_like(function, function.body.yields)
    return ScriptVariant(
        variant.key, label, signature, inputs, outputs, kept, pure, sources, like, lowered.returns_tuple
    )


def _formal(declared: Input, type_: ir.Type, admitted: dict[str, tuple[str, ...]]) -> Formal:
    name, types = _type_strings(type_)
    if name:
        admitted[name] = types
    return Formal(declared.name, name or types[0], _option(declared.arity), True, 0)


def _option(arity: Arity) -> Option:
    if arity is Arity.REQUIRED:
        return Option.REQUIRED
    return Option.OPTIONAL if arity is Arity.OPTIONAL else Option.VARIADIC


def _type_strings(type_: ir.Type) -> tuple[str, tuple[str, ...]]:
    """The name of the type variable ("" where there is none), and the ONNX types that are admitted."""
    if isinstance(type_, ir.TensorType):
        element = ir.settle(type_.element)
        if isinstance(element, ir.TypeVariable):
            return element.name, _admitted(element.mask)
        return "", _admitted(element.mask)
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
    return "", ("",)


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
    found.outputs = _unnamed(outputs)
    found.attributes = {
        item.name: AttributeSpec(item.name, item.kind, item.required, item.default)
        for item in unit.interface.attributes
        if item.name in attributes
    }
    found.min_inputs = len([item for item in found.inputs if item.option is Option.REQUIRED])
    found.max_inputs = len(found.inputs)
    found.min_outputs = found.max_outputs = outputs
    found.derive()
    return found


@cache
def _unnamed(count: int) -> tuple[Formal, ...]:
    """So many outputs, of which callers know the types from elsewhere."""
    return tuple(Formal(f"output {index}", "", Option.REQUIRED, False, 1) for index in range(count))


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
