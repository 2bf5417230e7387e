"""Names that onnxruntime would give to two values where it inlines functions.

It calls a value `v` of a function `F` `_inlfunc_F_v`, whatever the domain of `F`, and tells two calls apart where they
stand in one graph. So where a function calls another one of its name in the graph of a node, two values have one name,
and so have `u_v` of `F` and `v` of a function `F_u` that it calls there: the model does not load, or computes with the
other value (measured with onnxruntime 1.31.1 and 1.32.0).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence

from onnx import FunctionProto

from opwright.graphs.ids import FunctionId, function_id
from opwright.graphs.walk import graphs_in, names_of, rename_values


def keep_apart(functions: Sequence[FunctionProto], given: Collection[FunctionId] = ()) -> None:
    """Renames values inside of functions of one model, in place, so that no two of different functions get one name.

    The functions `given` stay as they are. Inputs and outputs keep their names: calls give them others. The digest of a
    body knows no names.
    """
    alike = _alike(functions)
    if not alike:
        return
    taken = {name for function in alike for name in _inlined(function, _formals(function))}
    for function in sorted(alike, key=lambda item: function_id(item) not in given):
        inside = _inside(function)
        if function_id(function) not in given:
            inside = _renamed(function, inside, taken)
        taken.update(_inlined(function, inside))


def same_but_for_names(one: FunctionProto, other: FunctionProto) -> bool:
    """Whether two functions are the same, but for the names of values inside of them."""
    if one.SerializeToString(deterministic=True) == other.SerializeToString(deterministic=True):
        return True
    return _numbered(one) == _numbered(other)


def _numbered(function: FunctionProto) -> bytes:
    """The function with its values named in the order in which it makes them, by what no formal parameter is called."""
    made = FunctionProto()
    made.CopyFrom(function)
    formals = _formals(made)
    numbers: dict[str, str] = {}

    def number(name: str) -> str:
        return name if name in formals else numbers.setdefault(name, f"\0{len(numbers)}")

    rename_values(made.node, number)
    for value in made.value_info:
        value.name = number(value.name)
    return made.SerializeToString(deterministic=True)


def _alike(functions: Sequence[FunctionProto]) -> list[FunctionProto]:
    """The functions whose names are those of others, or begin like them up to an underscore."""
    by_name: dict[str, list[FunctionProto]] = {}
    for function in functions:
        by_name.setdefault(function.name, []).append(function)
    found: set[str] = set()
    for name, own in by_name.items():
        shorter = [name[:end] for end, sign in enumerate(name) if sign == "_" and name[:end] in by_name]
        if shorter or len(own) > 1:
            found.update((name, *shorter))
    return [function for function in functions if function.name in found]


def _inlined(function: FunctionProto, names: Iterable[str]) -> Iterator[str]:
    return (f"{function.name}_{name}" for name in names)


def _formals(function: FunctionProto) -> set[str]:
    return {*function.input, *function.output}


def _inside(function: FunctionProto) -> set[str]:
    """The names of the values that it makes, those of graphs of its nodes included."""
    found = {name for node in function.node for name in node.output}
    for graph in graphs_in(function):
        found.update(names_of(graph))
    return found - _formals(function) - {""}


def _renamed(function: FunctionProto, inside: set[str], taken: Collection[str]) -> set[str]:
    """The names of the values `inside` of a function, of which it has none any more whose inlined name is taken."""
    new = _new_names(function, inside, taken)
    if not new:
        return inside
    rename_values(function.node, lambda name: new.get(name, name))
    for value in function.value_info:
        value.name = new.get(value.name, value.name)
    return {new.get(name, name) for name in inside}


def _new_names(function: FunctionProto, inside: Collection[str], taken: Collection[str]) -> dict[str, str]:
    """Names that nothing has, for the values whose names are taken where the function is inlined."""
    own = {*inside, *_formals(function)}
    numbers: Counter[str] = Counter()
    found: dict[str, str] = {}
    for name in sorted(inside):
        new = name
        while f"{function.name}_{new}" in taken or (new != name and new in own):
            numbers[name] += 1
            new = f"{name}_{numbers[name]}"
        if new != name:
            found[name] = new
            own.add(new)
    return found
