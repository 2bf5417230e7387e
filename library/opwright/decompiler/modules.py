"""A decompiled module: imports, arrays, functions, and how the model is made again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from onnx import FunctionProto, ModelProto

from opwright.decompiler.functions import write_functions
from opwright.decompiler.layout import WIDTH, call_lines
from opwright.decompiler.literals import quoted
from opwright.decompiler.main_graph import MainGraph, making
from opwright.decompiler.operators import Forms
from opwright.decompiler.parts import Parts
from opwright.decompiler.refuse import refuse
from opwright.decompiler.text_of import mapping_text
from opwright.version import OPSETS


@dataclass(frozen=True, slots=True)
class Decompiled:
    """A module's text, and the arrays that it reads from the file beside it, by name; none where that is not needed."""

    text: str
    arrays: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.text

    def write(self, path: Path) -> list[Path]:
        """Writes the module, and beside it, under the same name with `.npz`, the arrays; gives the files."""
        import numpy as np

        path.write_text(self.text, encoding="utf-8")
        if not self.arrays:
            return [path]
        side = path.with_suffix(".npz")
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
    return Decompiled("\n".join(lines), parts.side)


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
    return Decompiled("\n".join([*head, "", "", *function, "", "", *made, ""]), parts.side)


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
