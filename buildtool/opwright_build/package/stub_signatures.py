"""The types of a function's call: one signature on tensors, one on numpy arrays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from opwright.bundle.call_interface import ANY, split_type
from opwright.bundle.format import AttributeEntry, FunctionEntry, InputEntry
from opwright.bundle.function_words import literal
from opwright.elements import BY_NAME, ElementType

from opwright_build.package.stub_docs import def_lines

_ARRAY = "_NDArray[_Any]"
ATTRIBUTE_TYPES = {
    "INT": "int",
    "FLOAT": "float",
    "STRING": "str",
    "INTS": "_Sequence[int]",
    "FLOATS": "_Sequence[float]",
    "STRINGS": "_Sequence[str]",
}
_CONSTANTS = {"float": "_Floats", "int": "_Ints", "uint": "_Ints", "bool": "_Bools", "string": "_Strings"}


@dataclass(frozen=True, slots=True)
class Signature:
    """`parameters` with the receiver, as written between the parentheses; `result` the type returned."""

    parameters: tuple[str, ...]
    result: str

    @property
    def lines(self) -> list[str]:
        return def_lines("__call__", self.parameters, self.result)


@dataclass(frozen=True, slots=True)
class TypeVariable:
    """`types` are the names of the tensor classes that it stands for."""

    name: str
    types: tuple[str, ...]


@dataclass(slots=True)
class TypeVariables:
    """Those of one module: functions share the variables that stand for the same types. `asked` are the names that were
    given, one for each question."""

    declared: list[TypeVariable] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def name_for(self, types: tuple[str, ...], taken: set[str]) -> str:
        """A variable for these types that the function does not use already."""
        known = (item.name for item in self.declared if item.types == types and item.name not in taken)
        name = next(known, "")
        if not name:
            name = f"_T{len(self.declared) + 1}"
            self.declared.append(TypeVariable(name, types))
        self.asked.append(name)
        return name


def constants(elements: Iterable[ElementType]) -> str:
    """What Python's numbers and strings may stand for tensors of these types; empty where none may."""
    kinds = {element.kind for element in elements}
    if "float" in kinds:  # to a type checker every int is a float, and every bool an int
        kinds -= {"int", "uint", "bool"}
    elif kinds & {"int", "uint"}:
        kinds -= {"bool"}
    return " | ".join(dict.fromkeys(_CONSTANTS[kind] for kind in sorted(kinds) if kind in _CONSTANTS))


def signatures(entry: FunctionEntry, variables: TypeVariables) -> tuple[Signature, ...]:
    """Numpy arrays have a signature of their own where an input is required; else one serves both. Where inputs take
    anything, nothing tells arrays from tensors, and results may be either.

    Numbers and lists of them may stand for tensors. The first input that is required, and that does not take anything,
    tells the signatures apart: of tensors it is one, and where nothing else is given either numbers make arrays.
    """
    tensors = _tensor_types(entry, variables)
    attributes = [_attribute(attribute) for attribute in entry.attributes]
    required = [item for item in entry.inputs if not item.optional and not item.variadic]
    telling = [item.name for item in required if split_type(item.type)[1] != ANY]
    first = next(iter((*telling, *(item.name for item in required))), None)
    if first is None:
        both = {name: f"{kind} | {_ARRAY}" for name, kind in tensors.items()}
        return (_signature(entry, both, attributes, tensors),)
    arrays = {name: kind if name == ANY else _ARRAY for name, kind in tensors.items()}
    of_tensors = _signature(entry, tensors, attributes, tensors, first)
    of_arrays = _signature(entry, arrays, attributes, arrays)
    if of_tensors.parameters == of_arrays.parameters:
        return (_signature(entry, tensors, attributes, dict.fromkeys(tensors, "_Any")),)
    return (of_tensors, of_arrays)


def _signature(
    entry: FunctionEntry, given: dict[str, str], attributes: list[str], returned: dict[str, str], tensor: str = ""
) -> Signature:
    """`tensor` is the input that no numbers may stand for."""
    names = {item.name for item in entry.inputs} | {item.name for item in entry.attributes}
    receiver = "self"
    while receiver in names:
        receiver = f"_{receiver}"  # checkers take that for a receiver too
    # The receiver is positional, lest it stand in the way of a keyword.
    parameters: list[str] = [receiver, "/"]
    for item in entry.inputs:
        numbers = "" if item.name == tensor else _numbers(entry, item)
        parameters.append(_input(item, _wrapped(item.type, given) + (f" | {numbers}" if numbers else "")))
    if attributes:
        parameters += [*([] if any(item.variadic for item in entry.inputs) else ["*"]), *attributes]
    if entry.outputs and entry.outputs[-1].variadic:
        return Signature(tuple(parameters), "_Any")
    results = [_wrapped(output.type, returned) for output in entry.outputs]
    return Signature(tuple(parameters), results[0] if len(results) == 1 else f"tuple[{', '.join(results)}]")


def _numbers(entry: FunctionEntry, item: InputEntry) -> str:
    """The constants that may stand for the input; sequences have none, and anything is anything already."""
    wrap, inner = split_type(item.type)
    return "" if wrap or inner == ANY else constants(BY_NAME[name] for name in _elements(entry, inner))


def _elements(entry: FunctionEntry, name: str) -> tuple[str, ...]:
    """The element types that a type of the interface stands for."""
    return dict(entry.types).get(name, (name,))


def _wrapped(declared: str, kinds: dict[str, str]) -> str:
    """The Python type of a declared one; sequences of ONNX are Python's lists."""
    wrap, inner = split_type(declared)
    kind = kinds[inner]
    for _ in wrap:
        kind = f"_Sequence[{kind}]"
    return kind


def _input(item: InputEntry, kind: str) -> str:
    if item.variadic:
        return f"*{item.name}: {kind}"
    return f"{item.name}: {kind} | None = None" if item.optional else f"{item.name}: {kind}"


def _attribute(attribute: AttributeEntry) -> str:
    kind = ATTRIBUTE_TYPES.get(attribute.type, "_Any")
    if attribute.is_bool:
        kind = "bool"
    elif attribute.choices:
        kind = f"_Literal[{', '.join(map(_choice, attribute.choices))}]"
    if attribute.required:
        return f"{attribute.name}: {kind}"
    if attribute.default is None:
        return f"{attribute.name}: {kind} | None = None"
    return f"{attribute.name}: {kind} = {literal(attribute)}"


def _choice(value: int | str) -> str:
    return repr(value) if isinstance(value, int) else literal(AttributeEntry("", "STRING", False, value))


def _tensor_types(entry: FunctionEntry, variables: TypeVariables) -> dict[str, str]:
    """The Python type of each type that the interface mentions.

    A type variable of the function becomes a TypeVar where that says something: where it ties an input to something
    else. Otherwise it is the union of its types.
    """
    inputs = Counter(split_type(item.type)[1] for item in entry.inputs)
    uses = inputs + Counter(split_type(item.type)[1] for item in entry.outputs)
    types: dict[str, str] = {}
    taken: set[str] = set()
    for name in uses:
        if name == ANY:
            types[name] = "_Any"
            continue
        classes = tuple(_tensor_class(element) for element in _elements(entry, name))
        if len(classes) > 1 and uses[name] > 1 and inputs[name]:
            types[name] = variables.name_for(classes, taken)
            taken.add(types[name])
        else:
            types[name] = " | ".join(classes)
    return types


def _tensor_class(element: str) -> str:
    return BY_NAME[element].name.upper()
