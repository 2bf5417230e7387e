"""A decompiled module: imports, arrays, functions, and how the model is made again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from onnx import FunctionProto, ModelProto

from opwright.bundle.format import Bundle
from opwright.decompiler.functions import write_functions
from opwright.decompiler.head import head_lines
from opwright.decompiler.layout import laid_out
from opwright.decompiler.literals import Constant
from opwright.decompiler.main_graph import MainGraph, making
from opwright.decompiler.operators import Forms
from opwright.decompiler.parts import Parts
from opwright.decompiler.refuse import refuse
from opwright.decompiler.text_of import mapping_text
from opwright.link.exported import functions_at


@dataclass(frozen=True, slots=True)
class Decompiled:
    """A module's text, and the arrays that it reads from the file `side_file` beside it, by name; none where it needs
    no such file."""

    text: str
    arrays: Mapping[str, Any] = field(default_factory=dict)
    side_file: str = ""

    def __str__(self) -> str:
        return self.text

    def write(self, path: Path) -> list[Path]:
        """Writes the module, and beside it the arrays; gives the files. OSError where that fails."""
        import numpy as np

        path.write_text(self.text, encoding="utf-8")
        if not self.arrays:
            return [path]
        side = path.with_name(self.side_file)
        np.savez(side, **self.arrays)
        return [path, side]


def model_module(
    model: ModelProto, side_file: str, faithful: bool, outside: Mapping[str, Constant] | None = None
) -> Decompiled:
    """A model as a module; `outside` are initializers whose elements are not in it. Raises DiagnosticError for what no
    script can say."""
    if model.training_info:
        raise refuse("a model with training graphs cannot be written", "a script has one graph")
    parts = Parts()
    imports = {item.domain: item.version for item in model.opset_import}
    forms = Forms(imports, parts.taken)
    functions = write_functions(list(model.functions), parts, forms, faithful, model.graph.node)
    writer = MainGraph(model, parts, forms, faithful, outside or {})
    function = writer.lines()
    made = list(making(model, writer))
    if functions:
        functions += ["", ""]
    return _module("model", [*functions, *function], made, parts, forms, side_file)


def function_module(proto: FunctionProto, side_file: str, faithful: bool) -> Decompiled:
    """A function as a module. Raises DiagnosticError for what no script can say."""
    parts = Parts()
    parts.taken.add("function")
    imports = {item.domain: item.version for item in proto.opset_import}
    forms = Forms(imports, parts.taken)
    function = write_functions([proto], parts, forms, faithful)
    name = forms.local[proto.domain, proto.name, proto.overload].call[:-1]
    made = [
        "def function():",
        '    """The function that this module says."""',
        f"    return {name}.to_function_proto(opset_imports={mapping_text(imports)})",
    ]
    return _module("function", function, made, parts, forms, side_file)


def newest_of(bundle: Bundle) -> int:
    """The newest opset at which the library has a body."""
    served = (body.last_opset for entry in bundle.index.functions for body in entry.bodies)
    return max(served, default=bundle.index.opsets[1])


def library_module(bundle: Bundle, side_file: str, faithful: bool) -> Decompiled:
    """The functions of a library at its newest opset as a module. Raises DiagnosticError."""
    parts = Parts()
    parts.taken.add("functions")
    opset = newest_of(bundle)
    protos = functions_at(bundle, opset)
    imports = {domain.mirror: domain.version for domain in bundle.index.domains} | {"": opset}
    forms = Forms(imports, parts.taken)
    lines = write_functions(protos, parts, forms, faithful)
    names = [f"{form.call[:-1]}," for form in forms.local.values()]
    made = [
        "def functions():",
        '    """The functions that this module says, callees first."""',
        "    listed = (",
        *(f"        {name}" for name in names),
        "    )",
        f"    return [function.to_function_proto({opset}) for function in listed]",
    ]
    return _module("functions", lines, made, parts, forms, side_file)


def _module(what: str, body: list[str], made: list[str], parts: Parts, forms: Forms, side_file: str) -> Decompiled:
    """The module whose function `what` gives all again."""
    head = head_lines(
        f"{_NOUNS[what]} as ONNX Script; `{what}()` makes {_OBJECTS[what]}.", body, parts, forms, side_file
    )
    return Decompiled("\n".join(laid_out([*head, "", "", *body, "", "", *made, ""])), parts.side, side_file)


_NOUNS = {"model": "An ONNX model", "function": "An ONNX function", "functions": "ONNX functions"}
_OBJECTS = {"model": "it", "function": "it", "functions": "them"}
