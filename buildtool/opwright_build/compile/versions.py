"""One spec version over its opset range: families, the classes of opsets that share one, and their bodies."""

from __future__ import annotations

from collections.abc import Sequence

from opwright.bundle.format import BodyEntry, FunctionEntry, TemplateEntry
from opwright.diagnostics.diagnostic import Choice, Diagnostic, DiagnosticError, Related, Severity
from opwright.elements import BY_NAME
from opwright.lang import ir
from opwright.lang.families.bodies import AnonymousBodies, body_entry
from opwright.lang.families.carried import carried
from opwright.lang.families.family import Family, Variant, build_family
from opwright.lang.families.template import digest_of, write_template
from opwright.lang.looked_up import schemas
from opwright.lang.meaning.function_unit import Unit
from opwright.lang.meaning.resolve import Libraries
from opwright.opsets.signatures import signature

from opwright_build.compile.compiled_version import CompiledVersion, Unreachable
from opwright_build.compile.files import SpecFiles
from opwright_build.compile.operator_bindings import binding_findings
from opwright_build.compile.reach import unreachable
from opwright_build.compile.trim import drop_settled_inputs
from opwright_build.compile.unit import interface_entries, make_unit
from opwright_build.compile.unused import unused_attributes
from opwright_build.spec.model import OpsetRange, SpecVersion

# What says that the operators of an opset do not allow this source: the opset is out of reach, and no more than that.
_OF_OPSET = Choice.OPSET | Choice.ELEMENT_TYPE


def compile_version(version: SpecVersion, files: SpecFiles, libraries: Libraries) -> CompiledVersion:
    """The version with all its bodies; after errors it has none, and they stand in its `diagnostics`.

    Reads through `files`, asks `libraries` for the functions that it calls, runs nothing, writes nothing.
    """
    try:
        return _compile(version, files, libraries)
    except DiagnosticError as error:  # a function that is called has errors of its own
        return CompiledVersion(_entry(version, None, ()), {}, (), error.diagnostics)


def _compile(version: SpecVersion, files: SpecFiles, libraries: Libraries) -> CompiledVersion:
    found: list[Diagnostic] = []
    unit = make_unit(version, files, libraries, found)
    if unit is None:
        return CompiledVersion(_entry(version, None, ()), {}, (), tuple(found))
    families = _families(version, unit)
    for family in families:
        drop_settled_inputs(unit, family)
    found.extend(_errors(families))
    found.extend(binding_findings(version, _entry(version, unit, ())))
    bodies: dict[str, bytes] = {}
    entries: list[BodyEntry] = []
    templates, texts = _templates(unit, families, found)
    if not found:
        anonymous = AnonymousBodies()
        for first, last, family in _classes(families, anonymous):
            found.extend(_defined_by_itself(version, unit, family, last))
            for variant in family.variants:
                entries.append(_body(variant, first, last, bodies, anonymous, names=unit.declaration.variadic_output))
        if not templates:
            found.extend(_never_admitted(version, families, entries))
    gaps = unreachable(unit, families)
    if not found:
        found.extend(_opsets_without_body(version, gaps))
    if any(item.severity is Severity.ERROR for item in found):
        return CompiledVersion(_entry(version, unit, ()), {}, (), tuple(dict.fromkeys(found)))
    if version.domain.mirror is None:  # otherwise the interface is the standard's
        found.extend(unused_attributes(unit))
    entry = _entry(version, unit, tuple(entries), templates)
    return CompiledVersion(entry, bodies, gaps, tuple(found), texts)


def _entry(
    version: SpecVersion,
    unit: Unit | None,
    bodies: tuple[BodyEntry, ...],
    templates: tuple[TemplateEntry, ...] = (),
) -> FunctionEntry:
    inputs, outputs, attributes = interface_entries(version, unit) if unit is not None else ((), (), ())
    return FunctionEntry(
        version.domain.name,
        version.name,
        version.since_version,
        version.summary,
        version.doc,
        version.deprecated,
        inputs,
        outputs,
        attributes,
        tuple((name, tuple(elements)) for name, elements in version.types.items()),
        bodies,
        templates,
        version.implements,
    )


def _templates(
    unit: Unit, families: Sequence[Family], found: list[Diagnostic]
) -> tuple[tuple[TemplateEntry, ...], dict[str, bytes]]:
    """What serves the opsets at which the family is open: the template, and its text by digest."""
    ranges: list[tuple[int, int, tuple[str, ...]]] = []
    for opset, family in enumerate(families, families[0].opset if families else 0):
        if not family.open_axes:
            continue
        if ranges and ranges[-1][1] == opset - 1 and ranges[-1][2] == family.open_axes:
            ranges[-1] = (ranges[-1][0], opset, family.open_axes)
        else:
            ranges.append((opset, opset, family.open_axes))
    data = write_template(unit, found.append) if ranges else None
    if data is None:
        return (), {}
    digest = digest_of(data)
    return tuple(TemplateEntry(first, last, digest, axes) for first, last, axes in ranges), {digest: data}


# -------------------------------------------------------------------------------------------------- opsets


def _families(version: SpecVersion, unit: Unit) -> list[Family]:
    """One family per opset; opsets at which every look-up has the same answer share one. The function is lowered where
    its family cannot be carried on from the opset before."""
    families: list[Family] = []
    for opset in range(version.opsets.first, version.opsets.last + 1):
        family = carried(families[-1], opset) if families else None
        families.append(build_family(unit, opset) if family is None else family)
    return families


def _classes(families: Sequence[Family], anonymous: AnonymousBodies) -> list[tuple[int, int, Family]]:
    """(first opset, last opset, family) of each class that has bodies: neighbours that resolve to the same schemas."""
    classes: list[tuple[int, int, Family]] = []
    opset = families[0].opset - 1 if families else 0
    for family in families:
        opset += 1
        if not family.variants:
            continue
        if classes and classes[-1][1] == opset - 1 and _one_class(classes[-1][2], family, anonymous):
            classes[-1] = (classes[-1][0], opset, classes[-1][2])
        else:
            classes.append((opset, opset, family))
    return classes


def _one_class(left: Family, right: Family, anonymous: AnonymousBodies) -> bool:
    if left is right:
        return True
    if schemas(left.looked_up) != schemas(right.looked_up):
        return False
    return _bodies(left, anonymous) == _bodies(right, anonymous)


def _bodies(family: Family, anonymous: AnonymousBodies) -> list[tuple[object, str]]:
    return [(variant.key, anonymous.of(variant.lowered).digest) for variant in family.variants]


# -------------------------------------------------------------------------------------------------- bodies


def _body(
    variant: Variant, first: int, last: int, bodies: dict[str, bytes], anonymous: AnonymousBodies, *, names: bool
) -> BodyEntry:
    """The body of a variant, which goes to `bodies`; `names`: the entry is to name its outputs, as many as it has."""
    made, function = anonymous.of(variant.lowered), variant.lowered.function
    bodies.setdefault(made.digest, made.proto)
    outputs = tuple(function.outputs) if names and function is not None else ()
    return body_entry(variant.key, variant.lowered, made, (first, last), outputs)


# ------------------------------------------------------------------------------------------------ findings


def _errors(families: Sequence[Family]) -> list[Diagnostic]:
    """What is wrong at every opset, or wrong in a way that has nothing to do with the opset."""
    found: dict[Diagnostic, None] = {}
    for family in families:
        if not family.open_axes:
            found.update(dict.fromkeys(item for item in family.diagnostics if not item.depends_on & _OF_OPSET))
    if found or any(family.variants or family.open_axes for family in families):
        return list(found)
    return list(dict.fromkeys(item for item in families[-1].diagnostics)) if families else []


def _defined_by_itself(version: SpecVersion, unit: Unit, family: Family, last: int) -> list[Diagnostic]:
    """A mirror of a standard operator must not be made of that operator, unless an older version of it is meant at all
    opsets up to `last`."""
    if version.domain.mirror is None:
        return []
    for variant in family.variants:
        function = variant.lowered.function
        assert function is not None
        for _, node in ir.walk(function.body):
            if isinstance(node, ir.Call) and _is_itself(version, node.callee, last):
                return [
                    Diagnostic(
                        "OW217",
                        f"{version.name} is defined by {version.name}",
                        unit.module.source.place(node.span),
                        reason="a function-op says what an operator means in terms of others",
                        help="write it with simpler operators",
                        subject=version.name,
                    )
                ]
    return []


def _is_itself(version: SpecVersion, callee: ir.Operator | ir.FunctionReference, opset: int) -> bool:
    domain, name, _ = callee.identity
    if name != version.name or domain not in ("", version.domain.name):
        return False
    found = signature(domain, name, opset) if isinstance(callee, ir.Operator) else None
    return found is None or found.since_version >= version.since_version


def _never_admitted(version: SpecVersion, families: Sequence[Family], entries: Sequence[BodyEntry]) -> list[Diagnostic]:
    """Declared element types that no body admits at any opset."""
    found: list[Diagnostic] = []
    for variable, declared in version.types.items():
        admitted_somewhere = {
            name for entry in entries for axis, names in entry.admits if axis == variable for name in names
        }
        for position, element in enumerate(declared):
            if element not in admitted_somewhere:
                place = version.places.get(f"types.{variable}.{position}") or version.places.get(f"types.{variable}")
                found.append(
                    Diagnostic(
                        "OW214",
                        f"no body of {version.identity} admits {element} as `{variable}`",
                        place,
                        reason=_refusal(families, element) or "an operator of the body does not take it, at any opset",
                        help=f"leave {element} out of `{variable}`, or cast inside the function",
                    )
                )
    return found


def _opsets_without_body(version: SpecVersion, gaps: Sequence[Unreachable]) -> list[Diagnostic]:
    """Opsets that the spec declares, and that no body serves: a promise, as declared types are."""
    missing = [gap for gap in gaps if not gap.variant]
    lacking = {opset for gap in missing for opset in range(gap.first, gap.last + 1)}
    served = [opset for opset in version.opsets if opset not in lacking]
    found: list[Diagnostic] = []
    for gap in missing:
        opsets = f"opset {gap.first}" if gap.first == gap.last else f"opsets {gap.first} to {gap.last}"
        declared = version.places.get("opset")
        found.append(
            Diagnostic(
                "OW621",
                f"{version.identity} declares {opsets}, and has no body there",
                gap.place,
                reason=gap.reason,
                help=_narrower(served, version.opsets),
                related=() if declared is None else (Related(declared, "the opsets that are declared"),),
                subject=gap.operator,
            )
        )
    return found


def _narrower(served: Sequence[int], declared: OpsetRange) -> str:
    """The range to write instead, where what is served is one."""
    if not served or served[-1] - served[0] + 1 != len(served):
        return "write a version of the body that these opsets have, or declare a range that is served"
    text = f">={served[0]}" if served[-1] == declared.last else f">={served[0]},<={served[-1]}"
    return f'declare `opset: "{text}"`, or write it with operators that these opsets have'


def _refusal(families: Sequence[Family], element: str) -> str:
    """What an operator said to that element type, newest opset first."""
    for family in reversed(families):
        for variant in family.variants:
            function = variant.lowered.function
            for variable in function.variables.values() if function is not None else ():
                taken = variable.narrowed_by if isinstance(variable, ir.TypeVariable) else []
                for mask, operator in taken:
                    if mask >> BY_NAME[element].code & 1:
                        return f"{operator}, the version at opset {family.opset}, does not take it"
        for variant in family.refused:
            if element in (value for _, value in variant.key) and variant.lowered.diagnostics:
                first = variant.lowered.diagnostics[0]
                return f"{first.message} ({first.place})"
    return ""
