"""A decompiled module: imports, arrays, functions, and how the model is made again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from onnx import FunctionProto, ModelProto

from opwright.bundle.format import Bundle
from opwright.decompiler.functions import write_functions
from opwright.decompiler.layout import WIDTH, call_lines
from opwright.decompiler.literals import quoted
from opwright.decompiler.main_graph import MainGraph, making
from opwright.decompiler.operators import Forms
from opwright.decompiler.parts import Parts
from opwright.decompiler.refuse import refuse
from opwright.decompiler.text_of import mapping_text
from opwright.link.exported import functions_at
from opwright.version import OPSETS


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


def model_module(model: ModelProto, side_file: str, faithful: bool) -> Decompiled:
    """A model as a module. Raises DiagnosticError for what no script can say."""
    if model.training_info:
        raise refuse("a model with training graphs cannot be written", "a script has one graph")
    parts = Parts()
    imports = {item.domain: item.version for item in model.opset_import}
    forms = Forms(imports, parts.taken)
    functions = write_functions(list(model.functions), parts, forms, faithful)
    writer = MainGraph(model, parts, forms, faithful)
    function = writer.lines()
    made = list(making(model, writer))
    head = list(_head(parts, forms, side_file))
    if functions:
        functions += ["", ""]
    lines = [*head, "", "", *functions, *function, "", "", *made, ""]
    return Decompiled("\n".join(lines), parts.side, side_file)


def function_module(proto: FunctionProto, side_file: str, faithful: bool) -> Decompiled:
    """A function as a module. Raises DiagnosticError for what no script can say."""
    parts = Parts()
    parts.taken.add("function")
    imports = {item.domain: item.version for item in proto.opset_import}
    forms = Forms(imports, parts.taken)
    function = write_functions([proto], parts, forms, faithful)
    name = forms.local[proto.domain, proto.name, proto.overload].call[:-1]
    head = list(_head(parts, forms, side_file))
    made = [
        "def function():",
        '    """The function that this module says."""',
        f"    return {name}.to_function_proto(opset_imports={mapping_text(imports)})",
    ]
    return Decompiled("\n".join([*head, "", "", *function, "", "", *made, ""]), parts.side, side_file)


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
    head = list(_head(parts, forms, side_file))
    names = [f"{form.call[:-1]}," for form in forms.local.values()]
    made = [
        "def functions():",
        '    """The functions that this module says, callees first."""',
        "    listed = (",
        *(f"        {name}" for name in names),
        "    )",
        f"    return [function.to_function_proto({opset}) for function in listed]",
    ]
    return Decompiled("\n".join([*head, "", "", *lines, "", "", *made, ""]), parts.side, side_file)


def _head(parts: Parts, forms: Forms, side_file: str) -> Iterator[str]:
    yield '"""An ONNX model as ONNX Script; `model()` makes it."""'
    yield ""
    standard = {name for name in parts.modules if name == "math"}
    if standard:
        yield "import math"
    if parts.side:
        parts.modules.add("np")
        yield "from pathlib import Path"
    if standard or parts.side:
        yield ""
    if "ml_dtypes" in parts.modules:
        yield "import ml_dtypes"
    if "np" in parts.modules:
        yield "import numpy as np"
    opsets = dict(forms.used)
    names = sorted({*parts.types, "script"})
    made = []
    for domain, name in opsets.items():
        prefix = "opset" if not domain else f"opset_{domain.replace('.', '_')}"
        version = forms.imports.get(domain, 1)
        if version <= OPSETS.get(prefix, 0):
            made.append(f"from opwright import {prefix}{version} as {name}")
        else:
            names = sorted({*names, "Opset"})
            made.append(f"{name} = Opset({quoted(domain)}, {version})")
    line = f"from opwright import {', '.join(names)}"
    if len(line) <= WIDTH:
        yield line
    else:
        yield from call_lines("", "from opwright import (", names, ")")
    yield from (line for line in made if line.startswith("from"))
    others = [line for line in made if not line.startswith("from")]
    if others or parts.arrays or parts.side:
        yield ""
    yield from others
    if parts.side:
        yield f"ARRAYS = np.load(Path(__file__).with_name({quoted(side_file)}))"
    yield from (f"{name} = {expression}" for name, expression in parts.arrays.items())
