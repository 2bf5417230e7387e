"""A spec version and its source as one compilation unit: Python and YAML, each fact from its one home."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from opwright.bundle.call_interface import split_type
from opwright.bundle.format import AttributeEntry, InputEntry, OutputEntry
from opwright.diagnostics.diagnostic import Diagnostic, Place, Related
from opwright.elements import BY_NAME
from opwright.lang.interface import Arity, Declaration, DeclaredValue, Input, Interface, read_interface
from opwright.lang.lower.function_unit import Unit, evaluate_static
from opwright.lang.resolve import FileScope, Libraries
from opwright.lang.source import span_of
from opwright.lang.syntax import Module

from opwright_build.compile.files import SpecFiles
from opwright_build.spec.model import SpecVersion, ValueDeclaration


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
    interface = read_interface(module.source, node, scope.constant, found.append)
    _compare(version, module, interface, found)
    if found:
        return None
    return Unit(module, node, _declaration(version), interface, files, libraries)


def _no_function(version: SpecVersion, module: Module, path: str) -> Diagnostic:
    names = ", ".join(f"`{node.name}`" for node in module.functions()) or "none"
    bound = module.bindings.get(version.function_name, [])
    related = tuple(Related(module.source.place(span_of(item.node)), "bound here") for item in bound[:2])
    return Diagnostic(
        "OW322",
        f"{path} defines no function `{version.function_name}`",
        Place(path),
        reason="the name is bound more than once or under a condition" if related else f"its functions are: {names}",
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
    for parameter in interface.inputs:
        if parameter.name not in declared:
            found.append(
                Diagnostic(
                    "OW211",
                    f"the input `{parameter.name}` has no type",
                    module.source.place(parameter.span),
                    reason=f"`inputs:` of the spec names {_listed(declared)}",
                    help=f"add `{parameter.name}: T` there, or make it an attribute: `{parameter.name}: float`",
                    related=(Related(_place(version, "inputs", ""), "the declared inputs"),),
                )
            )
    names = {item.name for item in interface.inputs}
    annotations = {item.name: item for item in interface.inputs}
    for item in version.inputs:
        if item.name in annotations:
            found.extend(_contradictions(version, module, annotations[item.name], item.type, item.rank))
        if item.name not in names:
            what = "an attribute of the function" if item.name in attributes else "no parameter of the function"
            found.append(
                Diagnostic(
                    "OW211",
                    f"`{item.name}` is {what}",
                    _place(version, f"inputs.{item.name}", ""),
                    reason=f"`def {version.function_name}` has the inputs {_listed(names)}",
                    help="name the same inputs in Python and in YAML",
                )
            )
    for name in version.attribute_docs:
        if name not in attributes:
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
    version: SpecVersion, module: Module, parameter: Input, declared: str, rank: int | None
) -> Iterator[Diagnostic]:
    """Where a parameter's annotation says something else than YAML does of the input."""
    annotation = parameter.annotation
    elements = {element.name for element in annotation.elements}
    wanted = set(version.types.get(declared, (declared,)))
    problem = ""
    if elements and elements != wanted:
        problem = f"its annotation says {_listed(elements)}, YAML {_listed(wanted)}"
    elif annotation.shape is not None and rank is not None and len(annotation.shape) != rank:
        problem = f"its annotation says rank {len(annotation.shape)}, YAML rank {rank}"
    if problem:
        yield Diagnostic(
            "OW211",
            f"the type of `{parameter.name}` is declared twice, and differently",
            module.source.place(parameter.span),
            reason=problem,
            help="leave the annotation out: YAML is where types are declared",
            related=(Related(_place(version, f"inputs.{parameter.name}", ""), "the declared input"),),
        )


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in sorted(names)) or "none"


def _declaration(version: SpecVersion) -> Declaration:
    return Declaration(
        version.domain.name,
        version.name,
        version.since_version,
        {item.name: _declared(item) for item in version.inputs},
        {item.name: _declared(item) for item in version.outputs},
        {name: tuple(BY_NAME[element] for element in elements) for name, elements in version.types.items()},
        variadic_output=bool(version.outputs) and version.outputs[-1].variadic,
    )


def _declared(item: ValueDeclaration) -> DeclaredValue:
    wrap, inner = split_type(item.type)
    return DeclaredValue(inner, item.rank, None, wrap)


def interface_entries(
    version: SpecVersion, interface: Interface
) -> tuple[tuple[InputEntry, ...], tuple[OutputEntry, ...], tuple[AttributeEntry, ...]]:
    """The interface as the bundle's index holds it."""
    declared = {item.name: item for item in version.inputs}
    inputs = tuple(
        InputEntry(
            item.name,
            declared[item.name].type,
            item.arity is Arity.OPTIONAL,
            item.arity is Arity.VARIADIC,
            declared[item.name].rank,
            declared[item.name].doc,
        )
        for item in interface.inputs
    )
    outputs = tuple(OutputEntry(item.name, item.type, item.doc, item.variadic) for item in version.outputs)
    attributes = tuple(
        AttributeEntry(
            item.name,
            item.kind,
            item.required,
            item.default,
            version.attribute_docs.get(item.name, ""),
            item.choices,
            item.is_bool,
        )
        for item in interface.attributes
    )
    return inputs, outputs, attributes
