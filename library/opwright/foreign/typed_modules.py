"""Modules of typed functions on the values of spox, as text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from opwright.eager.described import describe_function
from opwright.foreign.callables import Callable, output_names
from opwright.functions import OnnxFunction
from opwright.lang.meaning.interface import Arity
from opwright.packaged import LibraryFunction

_PYTHON = {
    "INT": "int",
    "FLOAT": "float",
    "STRING": "str",
    "INTS": "Sequence[int]",
    "FLOATS": "Sequence[float]",
    "STRINGS": "Sequence[str]",
}
_HEAD = '''"""Functions on the values of spox. Written by opwright.spox.typed_module: do not edit."""

from __future__ import annotations

from collections.abc import Sequence

from opwright.spox import call
from spox import Var
'''


def module_text(functions: Iterable[Callable]) -> str:
    """See `opwright.spox.typed_module`."""
    given = list(functions)
    imports = sorted({f"import {_home(function)}" for function in given})
    parts = [_HEAD.rstrip() + "\n", "\n".join(imports) + "\n"]
    parts += [f"\n\n{_definition(function)}" for function in given]
    names = ", ".join(f'"{_name(function)}"' for function in sorted(given, key=_name))
    return "\n".join(parts[:2]) + "".join(parts[2:]) + f"\n\n__all__ = [{names}]\n"


def _home(function: Callable) -> str:
    if isinstance(function, LibraryFunction):
        return f"{function.package}.opset{function.opset.version}"
    if "<locals>" in function.__qualname__ or function.__module__ == "__main__":
        raise ValueError(f"{function.name} cannot be imported: define it at the top of a module")
    return function.__module__


def _path(function: Callable) -> str:
    return f"{_home(function)}.{function.name if isinstance(function, LibraryFunction) else function.__qualname__}"


def _name(function: Callable) -> str:
    return function.name if isinstance(function, LibraryFunction) else function.__name__


def _definition(function: Callable) -> str:
    inputs, attributes, doc, results = _interface(function)
    parameters: list[str] = []
    passed: list[str] = []
    stars = False
    for name, option in inputs:
        if option is Arity.VARIADIC:
            parameters.append(f"*{name}: Var")
            passed.append(f"*{name}")
            stars = True
        else:
            parameters.append(f"{name}: Var" if option is Arity.REQUIRED else f"{name}: Var | None = None")
            passed.append(f"{name}={name}" if stars else name)
    if attributes and not stars:
        parameters.append("*")
    for name, kind, required, default in attributes:
        type_ = _PYTHON[kind]
        if required:
            parameters.append(f"{name}: {type_}")
        else:
            parameters.append(
                f"{name}: {type_} = {default!r}" if default is not None else f"{name}: {type_} | None = None"
            )
        passed.append(f"{name}={name}")
    result = "Var" if results == 1 else f"tuple[{', '.join(['Var'] * results)}]"
    lines = [f"def {_name(function)}({', '.join(parameters)}) -> {result}:"]
    if doc:
        lines.append(f'    """{_quoted(doc)}"""')
    body = ", ".join([_path(function), *passed])
    lines += [f"    made: {result} = call({body})", "    return made", ""]
    return "\n".join(lines)


def _quoted(doc: str) -> str:
    return doc.strip().replace("\\", "\\\\").replace('"""', '\\"\\"\\"')


def _interface(
    function: Callable,
) -> tuple[Sequence[tuple[str, Arity]], Sequence[tuple[str, str, bool, Any]], str, int]:
    """Inputs, attributes (name, kind, whether required, default), the documentation, and how many outputs."""
    if isinstance(function, OnnxFunction):
        interface = describe_function(function).interface
        inputs = [(item.name, item.arity) for item in interface.inputs]
        attributes = [(item.name, item.kind, item.required, item.default) for item in interface.attributes]
        return inputs, attributes, function.__doc__ or "", len(output_names(function))
    entry = function.entry
    given = [
        (item.name, Arity.VARIADIC if item.variadic else Arity.OPTIONAL if item.optional else Arity.REQUIRED)
        for item in entry.inputs
    ]
    known = [(item.name, item.type, item.required, item.default) for item in entry.attributes]
    return given, known, entry.doc or entry.summary, len(entry.outputs)
