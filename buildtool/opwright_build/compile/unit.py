"""A spec version and its source as one compilation unit: Python and YAML, each fact from its one home."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from opwright.bundle.call_interface import shape_text, split_type
from opwright.bundle.format import AttributeEntry, InputEntry, OutputEntry, Shape
from opwright.diagnostics.diagnostic import Diagnostic, Place, Related
from opwright.elements import BY_NAME
from opwright.lang.lower.module_scope import evaluate_static, scope_of_text
from opwright.lang.meaning.annotations import TensorAnnotation, read_returns, why_returns_not_understood
from opwright.lang.meaning.function_unit import Unit
from opwright.lang.meaning.interface import Arity, Declaration, DeclaredValue, Interface, read_interface
from opwright.lang.meaning.resolve import FileScope, Libraries
from opwright.lang.text.source import span_of
from opwright.lang.text.syntax import Module
from opwright.suggest import meant_by

from opwright_build.compile.files import SpecFiles
from opwright_build.spec.model import SpecVersion, ValueDeclaration
from opwright_build.spec.name_patterns import IDENTIFIER, matches


def make_unit(version: SpecVersion, files: SpecFiles, libraries: Libraries, found: list[Diagnostic]) -> Unit | None:
    """The unit; or None, with the reasons in `found`."""
    path = f"{version.folder.as_posix()}/{version.function_file}"
    module = files.open(path)
    if module is None:
        found.append(
            Diagnostic(
                "OW322",
                f"there is no file {path}",
                _place(version, "function", path),
                reason="a function is looked up in `function.py` of its folder",
                help="write it, or name the file with `function: file.py:name`",
            )
        )
        return None
    if isinstance(module, Diagnostic):
        found.append(module)
        return None
    node = module.function(version.function_name)
    if node is None:
        found.append(_no_function(version, module, path))
        return None
    scope = FileScope(module, files, libraries, evaluate_static, found.append)
    scope.decorators_of(node)
    problems: list[Diagnostic] = []
    interface = read_interface(module.source, node, scope.constant, problems.append, scope)
    found.extend(problems)
    if not problems:
        _compare(version, module, interface, found)
    returns = _returns(version, scope, node, found)
    if found:
        return None
    declaration = _declaration(version, interface, returns)
    return Unit(module, node, declaration, interface, scope_of_text(module, files, libraries))


def _no_function(version: SpecVersion, module: Module, path: str) -> Diagnostic:
    names = ", ".join(f"`{node.name}`" for node in module.functions()) or "none"
    bound = module.bindings.get(version.function_name, [])
    related = tuple(Related(module.source.place(span_of(item.node)), "bound here") for item in bound[:2])
    if "function" in version.places:
        related = (*related, Related(version.places["function"], "named here"))
    return Diagnostic(
        "OW322",
        f"{path} defines no function `{version.function_name}`",
        Place(path),
        reason="the name is bound more than once or under a condition" if bound else f"its functions are: {names}",
        help=f"write `def {version.function_name}(...):` once, at top level",
        related=related,
    )


def _place(version: SpecVersion, key: str, path: str) -> Place:
    """Where the YAML file says `key`; the file as a whole where it does not."""
    return version.places.get(key) or next(iter(version.places.values()), Place(path))


def _compare(version: SpecVersion, module: Module, interface: Interface, found: list[Diagnostic]) -> None:
    """YAML must name exactly the inputs and attributes that Python has."""
    declared = {item.name for item in version.inputs}
    attributes = {item.name for item in interface.attributes}
    parameters = {item.name: item for item in interface.inputs}
    places = {name: module.source.place(item.span) for name, item in parameters.items()}
    untyped = [name for name in parameters if name not in declared]
    unknown = [item.name for item in version.inputs if item.name not in {*parameters, *attributes}]
    meant = meant_by(unknown, [*parameters], untyped)
    for name in untyped:
        if name not in meant.values():
            found.append(
                Diagnostic(
                    "OW211",
                    f"the input `{name}` has no type",
                    places[name],
                    reason=f"`inputs:` of the spec names {_listed(declared)}",
                    help=f"add `{name}: T` there, or make it an attribute: `{name}: float`",
                    related=(Related(_place(version, "inputs", ""), "the declared inputs"),),
                )
            )
    for item in version.inputs:
        if item.name in parameters:
            annotation, path = parameters[item.name].annotation, f"inputs.{item.name}"
            found.extend(_contradictions(version, places[item.name], annotation, item, path))
        else:
            other = meant.get(item.name)
            related = () if other is None else (Related(places[other], f"the input `{other}`, which has no type"),)
            what = "an attribute of the function" if item.name in attributes else "no parameter of the function"
            found.append(
                Diagnostic(
                    "OW211",
                    f"`{item.name}` is {what}",
                    _place(version, f"inputs.{item.name}", ""),
                    reason=f"`def {version.function_name}` has the inputs {_listed(parameters)}",
                    help="name the same inputs in Python and in YAML",
                    related=related,
                )
            )
    for name in version.attribute_docs:
        if name not in attributes and name not in untyped:
            found.append(
                Diagnostic(
                    "OW211",
                    f"`{name}` is no attribute of the function",
                    _place(version, f"attributes.{name}", ""),
                    reason=f"`def {version.function_name}` has the attributes {_listed(attributes)}",
                    help="attributes, their types and defaults are declared in Python",
                )
            )


def _contradictions(
    version: SpecVersion, place: Place, annotation: TensorAnnotation, item: ValueDeclaration, path: str
) -> Iterator[Diagnostic]:
    """Where an annotation says something else than YAML does of an input or output."""
    elements = {element.name for element in annotation.elements}
    wanted = set(version.types.get(split_type(item.type)[1], (split_type(item.type)[1],)))
    declared = _declared_shape(item)
    names = [size for size in annotation.shape or () if isinstance(size, str) and not matches(IDENTIFIER, size)]
    if names:
        yield Diagnostic(
            "OW211",
            f"`{names[0][:80]}` is no name of a size",
            place,
            reason=f"the annotation of `{item.name}` is part of the interface, which people read",
            help='write a name, `FLOAT["N", 3]`, or `None` for any size',
        )
        return
    problem = ""
    if elements and elements != wanted:
        problem = f"its annotation says {_listed(elements)}, YAML {_listed(wanted)}"
    elif annotation.shape is not None and declared is not None and _met(annotation.shape, declared) is None:
        problem = f"its annotation says {shape_text(annotation.shape)}, YAML {shape_text(declared)}"
    if problem:
        yield Diagnostic(
            "OW211",
            f"the type of `{item.name}` is declared twice, and differently",
            place,
            reason=problem,
            help="leave the annotation out: YAML is where types are declared",
            related=(Related(_place(version, path, ""), f"the declared {path.partition('s.')[0]}"),),
        )


def _returns(
    version: SpecVersion, scope: FileScope, node: ast.FunctionDef, found: list[Diagnostic]
) -> tuple[TensorAnnotation, ...] | None:
    """What the annotation of the results says of each output; None where it says nothing."""
    if node.returns is None:
        return None
    place = scope.module.source.place(span_of(node.returns))
    reason = why_returns_not_understood(node.returns, scope)
    if reason:
        found.append(
            Diagnostic(
                "OW317",
                f"the annotation of what `{version.function_name}` returns is not understood",
                place,
                reason=reason,
                help="write a tensor type for each output, `-> FLOAT[2, 3]` or `-> tuple[FLOAT[7], INT64[...]]`, "
                "or leave the annotation out",
            )
        )
        return None
    returns = read_returns(node.returns, names=scope)
    if returns is None:
        return None
    single = tuple(item for item in version.outputs if not item.variadic)
    if len(returns) < len(single) or (len(returns) > len(single) and single == version.outputs):
        found.append(
            Diagnostic(
                "OW211",
                f"the annotation of `{version.function_name}` is of {_count(len(returns))}",
                place,
                reason=f"`outputs:` of the spec names {_listed(item.name for item in version.outputs)}",
                help="write a type for each output, in their order: `-> tuple[FLOAT[7], FLOAT[...]]`",
                related=(Related(_place(version, "outputs", ""), "the declared outputs"),),
            )
        )
        return None
    for annotation, item in zip(returns, single, strict=False):
        found.extend(_contradictions(version, place, annotation, item, f"outputs.{item.name}"))
    return returns[: len(single)]


def _count(values: int) -> str:
    return "one value" if values == 1 else f"{values} values"


def _declared_shape(item: ValueDeclaration) -> Shape | None:
    """What YAML says of the shape."""
    return item.shape if item.shape is not None or item.rank is None else (None,) * item.rank


def _met(first: Shape | None, second: Shape | None) -> Shape | None:
    """What two declarations say together; None where they contradict each other, or say nothing."""
    if first is None or second is None:
        return second if first is None else first
    if len(first) != len(second) or any(
        None not in (one, other) and one != other for one, other in zip(first, second, strict=True)
    ):
        return None
    return tuple(other if one is None else one for one, other in zip(first, second, strict=True))


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in sorted(names)) or "none"


def _declaration(
    version: SpecVersion, interface: Interface, returns: tuple[TensorAnnotation, ...] | None
) -> Declaration:
    shapes = {item.name: item.annotation.shape for item in interface.inputs}
    results = [item.shape for item in returns or ()]
    results += [None] * (len(version.outputs) - len(results))
    return Declaration(
        version.domain.name,
        version.name,
        version.since_version,
        {item.name: _declared(item, shapes.get(item.name)) for item in version.inputs},
        {item.name: _declared(item, shape) for item, shape in zip(version.outputs, results, strict=True)},
        {name: tuple(BY_NAME[element] for element in elements) for name, elements in version.types.items()},
        variadic_output=bool(version.outputs) and version.outputs[-1].variadic,
    )


def _declared(item: ValueDeclaration, annotated: Shape | None) -> DeclaredValue:
    """What YAML and the annotation, which agree, say of a value."""
    wrap, inner = split_type(item.type)
    shape = _met(annotated, _declared_shape(item))
    if shape is None or all(size is None for size in shape):
        return DeclaredValue(inner, None if shape is None else len(shape), None, wrap)
    return DeclaredValue(inner, len(shape), shape, wrap)


def interface_entries(
    version: SpecVersion, unit: Unit
) -> tuple[tuple[InputEntry, ...], tuple[OutputEntry, ...], tuple[AttributeEntry, ...]]:
    """The interface as the bundle's index holds it."""
    interface, promised = unit.interface, unit.declaration
    declared = {item.name: item for item in version.inputs}
    inputs = tuple(
        InputEntry(
            item.name,
            declared[item.name].type,
            item.arity is Arity.OPTIONAL or item.has_gaps,
            item.arity is Arity.VARIADIC,
            promised.inputs[item.name].rank,
            declared[item.name].doc,
            promised.inputs[item.name].shape,
        )
        for item in interface.inputs
    )
    results = promised.outputs or {}
    outputs = tuple(
        OutputEntry(item.name, item.type, item.doc, item.variadic, results[item.name].dimensions)
        for item in version.outputs
    )
    attributes = tuple(
        AttributeEntry(
            item.name,
            item.kind,
            item.required,
            item.default,
            version.attribute_docs.get(item.name, ""),
            tuple(int(value) for value in item.choices) if item.is_bool else item.choices,
            item.is_bool,
        )
        for item in interface.attributes
    )
    return inputs, outputs, attributes
