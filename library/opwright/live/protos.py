"""FunctionProtos of live functions (under @script)."""

from __future__ import annotations

from collections.abc import Mapping
from operator import attrgetter

from onnx import FunctionProto, helper

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Related
from opwright.functions import OnnxFunction
from opwright.graphs.left_out import leave_out_in, leave_out_unread
from opwright.graphs.walk import all_nodes
from opwright.lang import ir
from opwright.lang.emit import Called, Identify, PlaceOf, emit_function, own_identity
from opwright.lang.families.family import Family, Variant, admitted, labels_of
from opwright.lang.lower.function import Lowered
from opwright.lang.meaning.function_unit import Unit
from opwright.live.collecting import seldom_collected
from opwright.live.compiled import Compiled, Run, chosen_facts, target_opset
from opwright.live.declared_names import rename_function
from opwright.live.libraries import LibraryCalls
from opwright.live.proto_functions import ProtoFunction
from opwright.opsets.opset import Opset
from opwright.variants import Key, Profile, match_variants, overload_of, portable_name


@seldom_collected
def function_proto(
    function: OnnxFunction,
    opset: Opset | int | None,
    variant: Mapping[str, object],
    opset_imports: Mapping[str, int] | None = None,
    profile: str = "portable",
) -> FunctionProto:
    """The one variant that `variant` leaves. See `OnnxFunction.to_function_proto`."""
    if opset is None and opset_imports is not None:
        opset = opset_imports.get("")
    compiled, family, named, left = _left(function, opset, variant)
    if len(left) != 1:
        raise DiagnosticError([not_one(compiled.unit, family, left)])
    proto = _in_profile(compiled, left[0], named[left[0].key], profile)
    if opset_imports is not None:
        from opwright.live.declared_imports import declare_function_imports  # which few ask for

        declare_function_imports(proto, opset_imports)
    return proto


@seldom_collected
def function_protos(
    function: OnnxFunction, opset: Opset | int | None, variant: Mapping[str, object], profile: str = "portable"
) -> list[FunctionProto]:
    """Every variant that `variant` leaves, equal ones once. See `OnnxFunction.to_function_protos`."""
    compiled, _, named, left = _left(function, opset, variant)
    by_label = {named[item.key]: item for item in reversed(left)}
    labels = dict.fromkeys(named[item.key] for item in left)
    return [_in_profile(compiled, by_label[label], label, profile) for label in labels]


def _in_profile(compiled: Compiled, variant: Variant, label: Key, profile: str) -> FunctionProto:
    by_overload = Profile(profile) is Profile.OVERLOAD
    proto = emit_variant(compiled, variant, label, _identify(variant))
    if by_overload:
        from opwright.live.overloads import overload_id, set_id  # on request

        set_id(proto, overload_id(compiled.function, compiled.function.name, label))
    return proto


def _identify(variant: Variant) -> Identify:
    """The ids of what a variant calls: of live functions their own, of library functions those of the linker."""
    body = variant.lowered.function
    assert body is not None
    library = LibraryCalls(body.opset)
    return lambda callee: library.identify(callee) if callee.origin is None else live_identity(callee)


def live_identity(callee: ir.FunctionReference) -> tuple[str, str, str]:
    """The id of a live function that is called: its variant is part of the name."""
    function = callee.origin
    if isinstance(function, ProtoFunction):
        return function.id
    assert isinstance(function, Compiled)
    called = function.function
    return callee.emitted_domain, portable_name(called.name, callee.variant), called.overload


def emit_variant(
    compiled: Compiled, variant: Variant, label: Key, identify: Identify = own_identity, places: bool = False
) -> FunctionProto:
    """A variant of a function as a proto named by its label, with its documentation and the defaults of its
    attributes. A template's variant is one of a call's, which `compiled` does not keep.

    `places`: with the place of each node, for which the function must have been compiled for this alone."""
    if places:
        place_of = places_of(compiled.unit, variant.lowered)
        return _emit(compiled.function, variant, label, identify, place_of)
    if compiled.written is not None:
        return FunctionProto.FromString(compiled.written)
    proto = _emit(compiled.function, variant, label, identify)
    if len(compiled.family.variants) == 1 and not variant.key and not compiled.family.calls:
        compiled.keep_as_proto(proto)
    return proto


def places_of(unit: Unit, lowered: Lowered) -> PlaceOf:
    """Where the nodes of a function are made, as `file.py:12:5`."""

    def place_of(node: ir.Node) -> str | None:
        source = lowered.sources.get(node, unit.module.source)
        return None if node.span is None else str(source.place(node.span))

    return place_of


def _emit(
    function: OnnxFunction, variant: Variant, label: Key, identify: Identify, place_of: PlaceOf | None = None
) -> FunctionProto:
    body = variant.lowered.function
    assert body is not None
    called = Called()
    proto = emit_function(body, function.domain, function.overload, identify, place_of, called)
    proto.name = portable_name(function.name, label)
    if any(map(_LACKS_ATTRIBUTES, called.callees)):
        leave_out_in(proto.node)
    if called.gives_several:
        functions = {identify(callee) for callee in called.callees if type(callee) is ir.FunctionReference}
        imports = {item.domain: item.version for item in proto.opset_import}
        leave_out_unread(all_nodes(proto.node), proto.output, imports, functions)
    proto.doc_string = function.__doc__ or ""
    with_default = {item.name: item for item in body.attributes if item.default is not None}
    if with_default:
        plain = [name for name in proto.attribute if name not in with_default]
        del proto.attribute[:]
        proto.attribute.extend(plain)
        for name, item in with_default.items():
            value = list(item.default) if isinstance(item.default, tuple) else item.default
            proto.attribute_proto.append(helper.make_attribute(name, value, attr_type=item.kind.code))
    if function.names:
        rename_function(proto, function.names)
    return proto


_LACKS_ATTRIBUTES = attrgetter("lacks_attributes")


def _left(
    function: OnnxFunction, opset: Opset | int | None, variant: Mapping[str, object]
) -> tuple[Compiled, Family, dict[Key, Key], list[Variant]]:
    """The function's family, what its variants are named by, and those that fit. Raises DiagnosticError where the facts
    leave it open. An instance of a template is always named by its facts: there may be others."""
    run = Run(target_opset(function, opset))
    compiled = run.compile(function, to_call=bool(variant))
    family = compiled.family
    if len(family.variants) == 1 and not family.variants[0].key and not variant:
        return compiled, family, {(): ()}, list(family.variants)
    unit = compiled.unit
    facts = chosen_facts(unit, variant)
    if family.open_axes:
        unit, family = run.instantiate(function, facts)
        named = {item.key: item.key for item in family.variants}
    else:
        named = labels_of(family)
    match = match_variants([_Choice(item) for item in family.variants], lambda axis: _known(facts, axis))
    return compiled, family, named, [item.of for item in match.fitting if _admits(item.of, facts)]


class _Choice:
    """A variant as it is matched."""

    __slots__ = ("of", "variant")

    def __init__(self, variant: Variant) -> None:
        self.of = variant
        self.variant = variant.key


def _known(facts: Mapping[str, str], axis: str) -> tuple[str, ...] | None:
    return (facts[axis],) if axis in facts else None


def _admits(variant: Variant, facts: Mapping[str, str]) -> bool:
    assert variant.lowered.function is not None
    types = dict(admitted(variant.lowered.function))
    return all(value in types[axis] for axis, value in facts.items() if axis in types)


def not_one(unit: Unit, family: Family, left: list[Variant]) -> Diagnostic:
    """What is wrong where one variant is wanted, and these are `left`."""
    variants = family.variants
    keys = "; ".join(overload_of(item.key) for item in left or variants)
    axes = dict.fromkeys(axis for item in left or variants for axis, _ in item.key)
    node = unit.node
    return Diagnostic(
        "OW353",
        f"`{node.name}` has {len(left)} variants" if left else f"`{node.name}` has no such variant",
        unit.module.source.place((node.lineno, node.col_offset, node.lineno, node.col_offset + len(node.name) + 4)),
        reason=f"it asks static questions about {', '.join(f'`{axis}`' for axis in axes)}; its variants are {keys}",
        help="say which one is meant with `variant={...}`, or take them all with `to_function_protos`",
        related=tuple(
            Related(family.asked[axis], f"this asks about `{axis}`") for axis in axes if axis in family.asked
        ),
    )
