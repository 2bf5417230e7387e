"""A decompiled module: imports, arrays, functions, and how the model is made again."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from onnx import FunctionProto, ModelProto, TensorProto

from opwright.bundle.format import Bundle
from opwright.decompiler.function_text import note_attributes, own_metadata, write_functions
from opwright.decompiler.head import head_lines
from opwright.decompiler.layout import laid_out
from opwright.decompiler.literal_text import Constant
from opwright.decompiler.main_graph import MainGraph, making
from opwright.decompiler.operator_forms import Forms
from opwright.decompiler.parts import Parts
from opwright.decompiler.refuse import DEVICES, refuse
from opwright.decompiler.side_file import Array, digests_of, loading, owner_of, write_arrays
from opwright.decompiler.text_of import mapping_text, metadata
from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError
from opwright.graphs.distinct_names import with_distinct_names
from opwright.graphs.loop_conditions import give_conditions, lacks_conditions
from opwright.graphs.node_columns import ColumnsOf
from opwright.graphs.whole_files import written_whole
from opwright.link.exported import functions_at


@dataclass(frozen=True, slots=True)
class Decompiled:
    """A module's text, and the arrays that it reads from a file next to it, by name; none where it needs no such file.

    `side_file` is the name of that file; where it is empty, it is called after the module. `digests` are those of the
    arrays, as the file holds them.
    """

    text: str
    arrays: Mapping[str, Array] = field(default_factory=dict)
    side_file: str = ""
    digests: bytes = b""

    def __str__(self) -> str:
        return self.text

    def write(self, path: str | os.PathLike[str]) -> list[Path]:
        """Writes the module, and next to it the arrays; gives the files.

        Each is written whole or not at all. Raises DiagnosticError (OW592) where that would replace a file that was not
        written so, or the arrays of another module; OSError where a file cannot be written.
        """
        path = Path(path)
        side = (path.with_name(self.side_file) if self.side_file else path.with_suffix(".npz")) if self.arrays else None
        _refuse_to_replace(path, side)
        if side is not None:
            with written_whole(side) as stream:
                write_arrays(stream, self.arrays, self.digests, path.name)
        if path.exists() and not path.is_file():  # a pipe, or a device
            path.write_text(self.text, encoding="utf-8")
        else:
            with written_whole(path.resolve()) as stream:
                stream.write(self.text.encode())
        return [path] if side is None else [path, side]


def _refuse_to_replace(path: Path, side: Path | None) -> None:
    """Raises DiagnosticError where a file is there that was not written by us, or not for the module `path`."""
    if side is not None and side.resolve() == path.resolve():
        raise _kept(path, "the text and its arrays would be one file", "give the module a name that ends in .py")
    if path.is_file() and path.stat().st_size:
        with path.open("rb") as stream:
            first = stream.readline(_MOST_TITLE).decode(errors="replace").rstrip()
        if first not in (f'"""{_title(what)}"""' for what in _NOUNS):
            raise _kept(path, "it does not begin as a decompiled module does", "give another name, or remove it")
    if side is not None and side.exists():
        owner = owner_of(side)
        if owner != path.name:
            reason = f"it holds the arrays of {owner}" if owner else "it holds no arrays of a decompiled module"
            raise _kept(side, reason, "give the module another name, or remove the file")


def _kept(path: Path, reason: str, help_: str) -> DiagnosticError:
    return DiagnosticError([Diagnostic("OW592", f"{path} would be replaced", reason=reason, help=help_)])


def model_module(
    model: ModelProto, side_file: str, faithful: bool, columns: ColumnsOf, outside: Mapping[str, Constant] | None = None
) -> Decompiled:
    """A model as a module; `outside` are initializers whose elements are not in it. `columns` has those of its nodes.
    Raises DiagnosticError for what no script can say."""
    if model.training_info:
        raise refuse("a model with training graphs cannot be written", "a script has one graph")
    if model.configuration:
        raise refuse(*DEVICES)
    parts = Parts(columns)
    note_attributes(model.functions, parts)
    imports = {item.domain: item.version for item in model.opset_import}
    forms = Forms(imports, parts.taken, parts.attributes_of_functions)
    if not forms.holds(TensorProto(data_type=TensorProto.BOOL)):
        model = _with_conditions(model)
    model = with_distinct_names(model, columns)
    functions = write_functions(list(model.functions), parts, forms, faithful, model.graph.node)
    writer = MainGraph(model, parts, forms, faithful, outside or {})
    function = writer.lines()
    made = list(making(model, writer))
    if functions:
        functions += ["", ""]
    return _module("model", [*functions, *function], made, parts, forms, side_file)


def _with_conditions(model: ModelProto) -> ModelProto:
    """The model with a condition for each loop: the compiler gives one to a loop without, and as no constant holds it
    at this opset it must be among what the model carries."""
    if not lacks_conditions(model):
        return model
    made = ModelProto()
    made.CopyFrom(model)
    give_conditions(made)
    return made


def function_module(proto: FunctionProto, side_file: str, faithful: bool, columns: ColumnsOf) -> Decompiled:
    """A function as a module; `columns` has those of its nodes. Raises DiagnosticError for what no script can say."""
    parts = Parts(columns)
    parts.taken.add("function")
    note_attributes([proto], parts)
    imports = {item.domain: item.version for item in proto.opset_import}
    forms = Forms(imports, parts.taken, parts.attributes_of_functions)
    function = write_functions([proto], parts, forms, faithful)
    name = forms.local[proto.domain, proto.name, proto.overload].call[:-1]
    call = f"{name}.to_function_proto(opset_imports={mapping_text(imports)})"
    made = ["def function():", '    """The function that this module says."""']
    said = [f"    made.{text}" for text in metadata(own_metadata(proto), parts)]
    made += [f"    made = {call}", *said, "    return made"] if said else [f"    return {call}"]
    return _module("function", function, made, parts, forms, side_file)


def newest_of(bundle: Bundle) -> int:
    """The newest opset at which the library has a body."""
    served = (body.last_opset for entry in bundle.index.functions for body in entry.bodies)
    return max(served, default=bundle.index.opsets[1])


def library_module(bundle: Bundle, side_file: str, faithful: bool) -> Decompiled:
    """The functions of a library at its newest opset as a module. Raises DiagnosticError."""
    parts = Parts()
    opset = newest_of(bundle)
    protos = functions_at(bundle, opset)
    note_attributes(protos, parts)
    imports = {domain.mirror: domain.version for domain in bundle.index.domains} | {"": opset}
    forms = Forms(imports, parts.taken, parts.attributes_of_functions)
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
    parts.settle()
    digests = digests_of(parts.side)
    head = head_lines(_title(what), body, parts, forms, loading(side_file, digests) if digests else "")
    text = "\n".join(laid_out([*head, "", "", *body, "", "", *made, ""]))
    return Decompiled(text, parts.side, side_file, digests)


def _title(what: str) -> str:
    """What a module's documentation says."""
    return f"{_NOUNS[what]} as ONNX Script; `{what}()` makes {_OBJECTS[what]}."


_MOST_TITLE = 200
_NOUNS = {"model": "An ONNX model", "function": "An ONNX function", "functions": "ONNX functions"}
_OBJECTS = {"model": "it", "function": "it", "functions": "them"}
