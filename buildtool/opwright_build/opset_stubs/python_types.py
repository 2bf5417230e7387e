"""ONNX types as type checkers know them: `tensor(float)` is `FLOAT`, `seq(tensor(float))` is `_Sequence[FLOAT]`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from opwright.elements import BY_CODE, BY_NAME
from opwright.opsets.signatures import tensor_element

from opwright_build.package.stub_signatures import constants

ANY_TENSOR = "_AnyTensor"
_KEYS = {"int64": "int", "string": "str", "float": "float", "double": "float"}


def python_type(onnx_type: str) -> str:
    """The Python type of one ONNX type."""
    element = tensor_element(onnx_type)
    if element is not None:
        return element.name.upper()
    kind, _, rest = onnx_type.partition("(")
    inner = rest[:-1]
    if kind == "seq":
        return f"_Sequence[{python_type(inner)}]"
    if kind == "optional":
        return f"{python_type(inner)} | None"
    if kind == "map":
        key, _, value = inner.partition(", ")
        return f"_Mapping[{_KEYS[key]}, {_KEYS[value]}]"
    raise ValueError(f"no Python type for {onnx_type}")


def sort_types(onnx_types: Sequence[str]) -> tuple[str, ...]:
    """In the order of ONNX's codes, so that float comes first; what is no tensor comes last."""
    codes = {f"tensor({item.name})": code for code, item in BY_CODE.items()}
    return tuple(sorted(onnx_types, key=lambda item: (codes.get(item, len(codes) + 99), item)))


def is_every_tensor(onnx_types: Sequence[str]) -> bool:
    return {f"tensor({name})" for name in BY_NAME} <= set(onnx_types)


def arrays(onnx_types: Sequence[str]) -> str:
    """What numpy has for tensors of these types, and for sequences of them; empty where there are neither."""
    inner = [item.removeprefix("optional(") for item in onnx_types]
    kinds = {"tensor(": "_Array", "seq(tensor(": "_Sequence[_Array]"}
    return " | ".join(kind for start, kind in kinds.items() if any(item.startswith(start) for item in inner))


def literals(onnx_types: Sequence[str]) -> str:
    """What Python's numbers and strings may stand for tensors of these types; empty where none may."""
    return constants(element for element in map(tensor_element, onnx_types) if element is not None)


@dataclass(frozen=True, slots=True)
class Named:
    """A declared name: a type variable over `types` (one of them, or with "bound" some mixture), or an alias."""

    name: str
    types: tuple[str, ...]
    form: str  # "variable", "bound" or "alias"

    @property
    def line(self) -> str:
        if self.form == "alias":
            return f"{self.name}: _TypeAlias = {' | '.join(self.types)}"
        if self.form == "bound":
            return f'{self.name} = _TypeVar("{self.name}", bound={" | ".join(self.types)}, default={ANY_TENSOR})'
        return f'{self.name} = _TypeVar("{self.name}", {", ".join(self.types)}, default={ANY_TENSOR})'


@dataclass(slots=True)
class Names:
    """The type variables and aliases of one stub: operators share those that stand for the same types."""

    declared: list[Named] = field(default_factory=list)

    def variable(self, wish: str, onnx_types: Sequence[str], taken: set[str]) -> str:
        """A type variable over these types, named after `wish`, that the signature does not use already.

        An unknown tensor (`AnyTensor`) passes through; an array stands beside the variable, since results are tensors
        whatever is given. Where sequences and optionals are among the
        types the variable stands for anything of their kinds, since a list of all of them would not be read.
        """
        plain = all(tensor_element(item) is not None for item in onnx_types)
        if plain:
            types = (ANY_TENSOR, *(python_type(item) for item in sort_types(onnx_types)))
            return self._find(f"{_tidy(wish)}_{_label(onnx_types)}", types, "variable", taken)
        return self._find(_tidy(wish), _kinds(onnx_types), "bound", taken)

    def union(self, wish: str, onnx_types: Sequence[str]) -> str:
        """A type that says "one of these", where nothing else depends on which."""
        if len(onnx_types) == 1:
            return python_type(onnx_types[0])
        plain = all(tensor_element(item) is not None for item in onnx_types)
        if is_every_tensor(onnx_types) and plain:
            return "_Tensor"
        types = tuple(python_type(item) for item in sort_types(onnx_types)) if plain else _kinds(onnx_types)
        return self._find(_tidy(wish), types, "alias", set())

    def _find(self, wish: str, types: tuple[str, ...], form: str, taken: set[str]) -> str:
        for item in self.declared:
            if item.types == types and item.form == form and item.name not in taken:
                return item.name
        names = {item.name for item in self.declared}
        name, number = wish, 2
        while name in names:
            name, number = f"{wish}_{number}", number + 1
        self.declared.append(Named(name, types, form))
        return name


def _kinds(onnx_types: Sequence[str]) -> tuple[str, ...]:
    """The kinds of these types, without their elements: tensors, sequences of them, maps, and None."""
    found = {}
    for item in onnx_types:
        inner = item.removeprefix("optional(")
        if inner.startswith("tensor("):
            found["_Tensor"] = True
        elif inner.startswith("seq(tensor("):
            found["_Sequence[_Tensor]"] = True
        else:
            found[python_type(inner.removesuffix("))") + "))" if inner.startswith("seq") else inner)] = True
    if any(item.startswith("optional(") for item in onnx_types):
        found["None"] = True
    order = ("_Tensor", "_Sequence[_Tensor]")
    return (
        *(item for item in order if item in found),
        *sorted(set(found) - {*order, "None"}),
        *(["None"] * ("None" in found)),
    )


def _label(onnx_types: Sequence[str]) -> str:
    """A word for the set, which checkers print where an argument is none of it."""
    kinds = {element.kind for element in map(tensor_element, onnx_types) if element is not None}
    kinds = {"int" if kind == "uint" else kind for kind in kinds}
    words = {"float": "floats", "int": "ints", "bool": "bools", "string": "strings"}
    if len(kinds) == 1:
        return words.get(kinds.pop(), "complexes")
    return "numbers" if kinds == {"float", "int"} else "mixed"


def _tidy(wish: str) -> str:
    return wish if wish.isidentifier() and not wish.startswith("tensor") else "T"
