"""What an annotation says of a parameter, an output or a local name: read from its syntax.

Names are judged by their last part: `FLOAT`, `ow.FLOAT` and `typing.Optional` mean what they say wherever they come
from.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping

from opwright.elements import BY_NAME, ElementType, fits_size
from opwright.lang.value_class import record

Dimension = int | str | None
SCALARS = {"int": "INT", "float": "FLOAT", "str": "STRING", "bool": "INT"}
SEQUENCES = frozenset({"Sequence", "list", "tuple", "List", "Tuple", "Iterable"})
_ELEMENTS = {name.upper(): element for name, element in BY_NAME.items()}
_DEEPEST = 100


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


# ------------------------------------------------------------------------------------------------- from syntax


def read_returns(
    node: ast.expr | None, variables: Mapping[str, TensorAnnotation] | None = None
) -> tuple[TensorAnnotation, ...] | None:
    """What the annotation of a function's results says of each; None where it does not say how many there are.
    `variables` are type variables by name."""
    if node is None or _is_none(node):
        return None
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        try:
            return read_returns(ast.parse(node.value, mode="eval").body, variables)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
    items = [node]
    if isinstance(node, ast.Tuple):
        items = node.elts
    elif isinstance(node, ast.Subscript) and _last_name(node.value) in ("tuple", "Tuple"):
        items = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if any(isinstance(item, ast.Constant) and item.value is ... for item in items):
            return None
    found = [read_annotation(item, variables) for item in items]
    if len(items) == 1 and (found[0] is None or found[0].kind is not None or found[0].tensor == ANY):
        return None
    return tuple(ANY if item is None or item.kind is not None else item.tensor for item in found)


def read_annotation(
    node: ast.expr | None, variables: Mapping[str, TensorAnnotation] | None = None, depth: int = 0
) -> Annotation | None:
    """What an annotation means; None when it is not understood. `variables` are type variables by name."""
    if node is None:
        return Annotation(None)
    if depth > _DEEPEST:
        return None
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        try:
            return read_annotation(ast.parse(node.value, mode="eval").body, variables, depth + 1)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return _read_union(_operands(node), variables, depth)
    if isinstance(node, ast.Subscript):
        return _read_generic(_last_name(node.value), node.slice, variables, depth)
    name = _last_name(node)
    if variables is not None and name in variables:
        return Annotation(None, tensor=variables[name])
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


def _read_union(
    nodes: list[ast.expr], variables: Mapping[str, TensorAnnotation] | None, depth: int
) -> Annotation | None:
    parts = [node for node in nodes if not _is_none(node)]
    found = make_union(read_annotation(node, variables, depth + 1) for node in parts)
    return make_optional(found) if found is not None and len(parts) < len(nodes) else found


def _read_generic(
    name: str, argument: ast.expr, variables: Mapping[str, TensorAnnotation] | None, depth: int
) -> Annotation | None:
    items = argument.elts if isinstance(argument, ast.Tuple) else [argument]
    if name == "Annotated" and items:
        return read_annotation(items[0], variables, depth + 1)
    if name == "Optional":
        inner = read_annotation(argument, variables, depth + 1)
        return inner and make_optional(inner)
    if name == "Union":
        return _read_union(items, variables, depth)
    if name == "Literal":
        values = tuple(item.value for item in items if isinstance(item, ast.Constant))
        return make_literal(values) if len(values) == len(items) else None
    if name == "OptionalValue":
        item = read_annotation(argument, variables, depth + 1)
        return item and make_optional_value(item)
    if name == "Map" and len(items) == 2:
        key, item = (read_annotation(part, variables, depth + 1) for part in items)
        return key and item and make_map(key, item)
    if name in SEQUENCES:
        item = read_annotation(items[0], variables, depth + 1) if items else None
        return item and make_sequence(item)
    if name in _ELEMENTS or name == "Tensor":
        elements = (_ELEMENTS[name],) if name in _ELEMENTS else ()
        dims = _read_dims(items)
        return None if dims is None else Annotation(None, tensor=TensorAnnotation(elements, shape=dims.shape))
    return Annotation(None) if name else None


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


def why_not_understood(node: ast.expr | None, otherwise: str) -> str:
    """Why an annotation means nothing: what stands for a dimension of a tensor type and is none, or `otherwise`."""
    for part in ast.walk(node) if node is not None else ():
        if not isinstance(part, ast.Subscript) or _last_name(part.value) not in {*_ELEMENTS, "Tensor"}:
            continue
        items = part.slice.elts if isinstance(part.slice, ast.Tuple) else [part.slice]
        wrong = next((item for item in items if _read_dims([item]) is None), None)
        if wrong is not None:
            return f"`{ast.unparse(wrong)[:80]}` is no dimension: a size from 0 to 2**63 - 1, a name in quotes or None"
    return otherwise


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Name):
        return node.id
    return node.attr if isinstance(node, ast.Attribute) else ""
