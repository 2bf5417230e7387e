"""What an annotation says of a parameter, an output or a local name: read from its syntax.

Types are judged by the last part of their names: `FLOAT`, `ow.FLOAT` and `typing.Optional` mean what they say wherever
they come from. What else a module calls them (`import FLOAT as F`, `V = FLOAT["N", 3]`) its scope says.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol

from opwright.elements import BY_NAME, ElementType, fits_size
from opwright.lang.value_class import record

Dimension = int | str | None
SCALARS = {"int": "INT", "float": "FLOAT", "str": "STRING", "bool": "INT"}
SEQUENCES = frozenset({"Sequence", "list", "tuple", "List", "Tuple", "Iterable"})
_ELEMENTS = {name.upper(): element for name, element in BY_NAME.items()}
NO_TENSOR_TYPE = "it says neither which element type nor which shape this tensor has"
_DEEPEST = 100
_SAY_NOTHING = ("TypeVar", "namedtuple", "NamedTuple")  # of tensors: what a call of these makes


@record
class TensorAnnotation:
    """The type of a value: the element types that it may have (none given: any), under the name of a type variable
    where there is one; its shape, None where the rank is unknown; and what it is an item of, outermost first."""

    elements: tuple[ElementType, ...] = ()
    variable: str = ""
    shape: tuple[Dimension, ...] | None = None
    wrap: tuple[str, ...] = ()


ANY = TensorAnnotation()


@record
class Annotation:
    """An attribute of a kind, or (kind None) an input. `optional`: `None` is among what it may be."""

    kind: str | None
    optional: bool = False
    is_bool: bool = False
    choices: tuple[int, ...] | tuple[str, ...] = ()
    tensor: TensorAnnotation = ANY


def make_optional(annotation: Annotation) -> Annotation:
    return Annotation(annotation.kind, True, annotation.is_bool, annotation.choices, annotation.tensor)


def make_sequence(item: Annotation) -> Annotation | None:
    """A sequence of what `item` is: of tensors an input, of numbers or strings an attribute."""
    if item.kind is None:
        tensor = item.tensor
        wrapped = TensorAnnotation(tensor.elements, tensor.variable, tensor.shape, ("seq", *tensor.wrap))
        return Annotation(None, tensor=wrapped)
    return Annotation(item.kind + "S") if item.kind in ("INT", "FLOAT", "STRING") else None


def make_optional_value(item: Annotation) -> Annotation | None:
    """ONNX's optional type of what `item` is: an input, as the item must be."""
    if item.kind is not None:
        return None
    tensor = item.tensor
    wrapped = TensorAnnotation(tensor.elements, tensor.variable, tensor.shape, ("optional", *tensor.wrap))
    return Annotation(None, tensor=wrapped)


def make_map(key: Annotation, item: Annotation) -> Annotation | None:
    """A dictionary of what `item` is, by integers or texts."""
    keys = key.tensor.elements
    if key.kind is not None or item.kind is not None or len(keys) != 1 or keys[0].kind not in ("int", "uint", "string"):
        return None
    tensor = item.tensor
    wrap = (f"map:{keys[0].name}", *tensor.wrap)
    return Annotation(None, tensor=TensorAnnotation(tensor.elements, tensor.variable, tensor.shape, wrap))


def make_literal(values: tuple[object, ...]) -> Annotation | None:
    texts = tuple(value for value in values if isinstance(value, str))
    if values and len(texts) == len(values):
        return Annotation("STRING", choices=texts)
    integers = tuple(value for value in values if isinstance(value, int))
    if values and len(integers) == len(values):
        return Annotation("INT", is_bool=all(isinstance(value, bool) for value in values), choices=integers)
    return None


def make_union(parts: Iterable[Annotation | None]) -> Annotation | None:
    """Several types: any of them. A number among tensors is a tensor's value, so the whole is an input."""
    found: list[Annotation] = []
    for part in parts:
        if part is None:
            return None
        found.append(part)
    optional = any(part.optional for part in found)
    tensors = [part.tensor for part in found if part.kind is None]
    if tensors:
        return Annotation(None, optional, tensor=union_of(tensors))
    return None if len(found) != 1 else make_optional(found[0]) if optional else found[0]


def union_of(tensors: list[TensorAnnotation]) -> TensorAnnotation:
    """What is true of each of the types; nothing where they differ in kind."""
    first = tensors[0]
    if len(tensors) == 1:
        return first
    if any(tensor.wrap != first.wrap for tensor in tensors):
        return ANY
    any_element = any(not tensor.elements for tensor in tensors)
    elements = () if any_element else tuple(dict.fromkeys(item for tensor in tensors for item in tensor.elements))
    same_shape = all(tensor.shape == first.shape for tensor in tensors)
    same_variable = all(tensor.variable == first.variable for tensor in tensors)
    return TensorAnnotation(
        elements, first.variable if same_variable else "", first.shape if same_shape else None, first.wrap
    )


# ---------------------------------------------------------------------------------------------- names of types


class Names(Protocol):
    """What names in annotations stand for, and what is known already of aliases: by their nodes and the type variables
    that they were read with."""

    aliases: dict[tuple[ast.expr, tuple[str, ...]], Annotation | None]

    def stands_for(self, node: ast.expr) -> str | Alias | Annotation | None:
        """Of a name, also a dotted one: the name of a type, what a module has bound to it, or what it means; "" of any
        other expression. None where that is not known before the program runs."""

    def why_unknown(self, node: ast.expr) -> str:
        """Why a name, also a dotted one, stands for nothing that is known; "" where the name is not the reason."""


@record
class Alias:
    """An expression that a module binds to a name, and the names around it."""

    node: ast.expr
    names: Names


class LastNames:
    """The names of types alone."""

    def __init__(self) -> None:
        self.aliases: dict[tuple[ast.expr, tuple[str, ...]], Annotation | None] = {}

    def stands_for(self, node: ast.expr) -> str | Alias | Annotation | None:
        return last_name(node)

    def why_unknown(self, node: ast.expr) -> str:
        return ""


def last_name(node: ast.expr) -> str:
    """The last part of a name; "" of any other expression."""
    if isinstance(node, ast.Name):
        return node.id
    return node.attr if isinstance(node, ast.Attribute) else ""


def _followed(node: ast.expr, names: Names) -> str | Alias | Annotation | None:
    """What a name stands for, names of names followed."""
    found = names.stands_for(node)
    for _ in range(_DEEPEST):
        if not isinstance(found, Alias) or not isinstance(found.node, ast.Name | ast.Attribute):
            return found
        found = found.names.stands_for(found.node)
    return None


# ------------------------------------------------------------------------------------------------- from syntax


def read_returns(
    node: ast.expr | None,
    variables: Mapping[str, TensorAnnotation] | None = None,
    names: Names | None = None,
) -> tuple[TensorAnnotation, ...] | None:
    """What the annotation of a function's results says of each; None where it does not say how many there are.
    `variables` and `names` as of `read_annotation`."""
    results = _results(node, variables or {}, names or LastNames())
    if results is None or results.is_open:
        return None
    found = [read_annotation(item, variables, results.names) for item in results.items]
    if len(found) == 1 and (found[0] is None or found[0].kind is not None or found[0].tensor == ANY):
        return None
    return tuple(ANY if item is None or item.kind is not None else item.tensor for item in found)


def why_returns_not_understood(node: ast.expr | None, names: Names) -> str:
    """Why the annotation of a function's results, or of one of them, means nothing; "" where each is understood."""
    results = _results(node, {}, names)
    if results is None:
        return ""
    wrong = next((item for item in results.items if read_annotation(item, names=results.names) is None), None)
    return "" if wrong is None else why_not_understood(wrong, results.names, NO_TENSOR_TYPE)


@record
class _Results:
    """The annotations of the results, and the names around them. `is_open`: there may be any number of them."""

    items: tuple[ast.expr, ...]
    names: Names
    is_open: bool = False


def _results(node: ast.expr | None, variables: Mapping[str, TensorAnnotation], names: Names) -> _Results | None:
    """None where nothing is annotated."""
    for _ in range(_DEEPEST):
        if node is None or _is_none(node):
            return None
        inner = _parsed(node.value) if isinstance(node, ast.Constant) and isinstance(node.value, str) else None
        if inner is not None:
            node = inner
            continue
        stands_for = names.stands_for(node)
        if not isinstance(stands_for, Alias) or last_name(node) in variables:
            break
        node, names = stands_for.node, stands_for.names
    if node is None:
        return None
    if isinstance(node, ast.Tuple):
        return _Results(tuple(node.elts), names)
    if isinstance(node, ast.Subscript) and _followed(node.value, names) in ("tuple", "Tuple"):
        items = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        known = tuple(item for item in items if not (isinstance(item, ast.Constant) and item.value is ...))
        return _Results(known, names, len(known) < len(items))
    return _Results((node,), names)


def read_annotation(
    node: ast.expr | None,
    variables: Mapping[str, TensorAnnotation] | None = None,
    names: Names | None = None,
    depth: int = 0,
) -> Annotation | None:
    """What an annotation means; None when it is not understood. `variables` are type variables by name; without `names`
    each name is that of a type."""
    if node is None:
        return Annotation(None)
    return _Reader(variables or {}, names or LastNames()).read(node, depth)


def _parsed(text: str) -> ast.expr | None:
    """The annotation that stands in quotes."""
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


@record
class _Reader:
    variables: Mapping[str, TensorAnnotation]
    names: Names

    def read(self, node: ast.expr, depth: int) -> Annotation | None:
        if depth > _DEEPEST:
            return None
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            inner = _parsed(node.value)
            return None if inner is None else self.read(inner, depth + 1)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            return self._union(_operands(node), depth)
        if isinstance(node, ast.Subscript):
            return self._generic(_followed(node.value, self.names), node.slice, depth)
        if isinstance(node, ast.Call):  # a type variable is for editors: what it admits is declared elsewhere
            return Annotation(None) if _followed(node.func, self.names) in _SAY_NOTHING else None
        if last_name(node) in self.variables:
            return Annotation(None, tensor=self.variables[last_name(node)])
        name = _followed(node, self.names)
        if isinstance(name, Alias):
            return self._alias(name, depth)
        return _named(name) if isinstance(name, str) else name

    def _alias(self, alias: Alias, depth: int) -> Annotation | None:
        """What a module has bound to a name, read once: others may be made of it, and it of itself."""
        known, key = alias.names.aliases, (alias.node, tuple(self.variables))
        if key not in known:
            known[key] = None
            known[key] = _Reader(self.variables, alias.names).read(alias.node, depth + 1)
        return known[key]

    def _union(self, nodes: list[ast.expr], depth: int) -> Annotation | None:
        parts = [node for node in nodes if not _is_none(node)]
        found = make_union(self.read(node, depth + 1) for node in parts)
        return make_optional(found) if found is not None and len(parts) < len(nodes) else found

    def _generic(self, name: str | Alias | Annotation | None, argument: ast.expr, depth: int) -> Annotation | None:
        items = argument.elts if isinstance(argument, ast.Tuple) else [argument]
        if not isinstance(name, str):
            return name if name == Annotation(None) else None  # a class that says nothing of tensors, as it is
        if name == "Annotated" and items:
            return self.read(items[0], depth + 1)
        if name == "Optional":
            inner = self.read(argument, depth + 1)
            return inner and make_optional(inner)
        if name == "Union":
            return self._union(items, depth)
        if name == "Literal":
            values = tuple(item.value for item in items if isinstance(item, ast.Constant))
            return make_literal(values) if len(values) == len(items) else None
        if name == "OptionalValue":
            item = self.read(argument, depth + 1)
            return item and make_optional_value(item)
        if name == "Map" and len(items) == 2:
            key, item = (self.read(part, depth + 1) for part in items)
            return key and item and make_map(key, item)
        if name in SEQUENCES:
            item = self.read(items[0], depth + 1) if items else None
            return item and make_sequence(item)
        if name in _ELEMENTS or name == "Tensor":
            elements = (_ELEMENTS[name],) if name in _ELEMENTS else ()
            dims = _read_dims(items)
            return None if dims is None else Annotation(None, tensor=TensorAnnotation(elements, shape=dims.shape))
        return Annotation(None) if name else None


def _named(name: str) -> Annotation | None:
    """What the name of a type means by itself."""
    if name in SCALARS:
        return Annotation(SCALARS[name], is_bool=name == "bool")
    if name == "Graph":
        return Annotation("GRAPH")
    if name in _ELEMENTS:
        return Annotation(None, tensor=TensorAnnotation((_ELEMENTS[name],), shape=()))
    return Annotation(None) if name else None


def _operands(node: ast.expr) -> list[ast.expr]:
    """The parts of `a | b | c`, which nests to the left."""
    found: list[ast.expr] = []
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        found.append(node.right)
        node = node.left
    found.append(node)
    return found[::-1]


def _read_dims(items: list[ast.expr]) -> TensorAnnotation | None:
    """A tensor of the dimensions that are written; None for what is no shape."""
    if len(items) == 1 and isinstance(items[0], ast.Constant) and items[0].value is ...:
        return ANY
    dims: list[Dimension] = []
    for item in items:
        value = item.value if isinstance(item, ast.Constant) else item
        if isinstance(value, bool) or not (value is None or isinstance(value, (int, str))):
            return None
        if isinstance(value, int) and not fits_size(value):
            return None
        dims.append(value)
    return TensorAnnotation(shape=tuple(dims))


def written_out(node: ast.expr, names: Names) -> ast.expr | None:
    """The annotation of a local name in names of types alone: itself where it is that already; None where it is not
    understood. What it says of anything but a tensor is not looked at."""
    found = read_annotation(node, names=names)
    if found is None or found == read_annotation(node):
        return None if found is None else node
    return ast.parse("int" if found.kind is not None else _text_of(found.tensor), mode="eval").body


def _text_of(tensor: TensorAnnotation) -> str:
    dims = "..." if tensor.shape is None else ", ".join(map(repr, tensor.shape))
    brackets = f"[{dims}]" if dims else ""
    named = [f"{element.name.upper()}{brackets}" for element in tensor.elements]
    text = " | ".join(named) or tensor.variable or f"Tensor{brackets}"
    for kind in reversed(tensor.wrap):
        word, _, key = kind.partition(":")
        before = {"seq": "Sequence[", "optional": "OptionalValue["}.get(word, f"Map[{key.upper()}, ")
        text = f"{before}{text}]"
    return text


def why_not_understood(node: ast.expr | None, names: Names, otherwise: str) -> str:
    """Why an annotation means nothing: what stands for a dimension of a tensor type and is none, a name of which
    no type is known, or `otherwise`."""
    return otherwise if node is None else next(_wrong_in(node, names, set()), otherwise)


def _wrong_in(node: ast.expr, names: Names, seen: set[ast.expr]) -> Iterator[str]:
    """What is wrong with the parts of an annotation, and with what its names stand for."""
    if node in seen or len(seen) > _DEEPEST or isinstance(node, ast.Call):
        return
    seen.add(node)
    parts: list[ast.expr] = []
    if isinstance(node, ast.Constant):
        inner = _parsed(node.value) if isinstance(node.value, str) else None
        parts = [] if inner is None else [inner]
    elif isinstance(node, ast.Name | ast.Attribute):
        found = names.stands_for(node)
        if isinstance(found, Alias):
            yield from _wrong_in(found.node, found.names, seen)
        elif found is None and (reason := names.why_unknown(node)):
            yield reason
    elif isinstance(node, ast.Subscript):
        name = _followed(node.value, names)
        items = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if isinstance(name, str) and (name in _ELEMENTS or name == "Tensor"):
            wrong = next((item for item in items if _read_dims([item]) is None), None)
            if wrong is not None:
                sizes = "a size from 0 to 2**63 - 1, a name in quotes or None"
                yield f"`{ast.unparse(wrong)[:80]}` is no dimension: {sizes}"
            return
        parts = [node.value, *(items if name != "Literal" else ())]
    elif isinstance(node, ast.BinOp):
        parts = _operands(node)
    for part in parts:
        yield from _wrong_in(part, names, seen)


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
