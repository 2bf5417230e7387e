"""A function of a model, or some of its nodes, as the files of a spec: `opwright new function X --from MODEL:WHAT`.

The text is the decompiler's. Values become parameters where the nodes read them from outside; small constants come
along. The element types are those that onnx infers, the opsets those at which each operator is what it is in the model,
and one row of vectors has the outputs that a runtime computes.
"""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from math import prod
from pathlib import Path

import numpy as np
from onnx import AttributeProto, FunctionProto, GraphProto, ModelProto, NodeProto, TypeProto, defs, helper
from opwright import decompile
from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Place, Severity
from opwright.elements import BY_CODE
from opwright.graphs.ids import call_id, function_id
from opwright.graphs.inline import inline_into, inline_model
from opwright.graphs.model_file import read_model
from opwright.graphs.model_inference import infer_model
from opwright.graphs.structure import check_structure
from opwright.graphs.walk import all_nodes, rename_values, subgraphs
from opwright.opsets.domains import normal_domain

from opwright_build.spec.model import OpsetRange
from opwright_build.spec.yaml_scalars import as_key
from opwright_build.verify.case_model import Array
from opwright_build.verify.cases.generated import integers, normal
from opwright_build.verify.cases.row_text import scalar_text, value_text
from opwright_build.verify.run.computed_row import NotComputed, computed_outputs
from opwright_build.verify.run.models import AttributeValue, Signature, inlined, one_node_model

_SMALL = 16  # elements of a constant that comes along; a larger one is a parameter
_WRITTEN = 16  # elements of an input that is written out; a larger one is drawn
_MOST_DRAWN = 1 << 20
_TRIPS = 2  # of a loop whose number of trips is an input
_INTEGERS = frozenset(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))
_KINDS = {
    AttributeProto.INT: ("INT", "i"),
    AttributeProto.FLOAT: ("FLOAT", "f"),
    AttributeProto.STRING: ("STRING", "s"),
    AttributeProto.INTS: ("INTS", "ints"),
    AttributeProto.FLOATS: ("FLOATS", "floats"),
    AttributeProto.STRINGS: ("STRINGS", "strings"),
}


@dataclass(frozen=True, slots=True)
class ModelPart:
    """A function with the types of its inputs and outputs, in their order (None: not known), and the attributes of one
    call of it. `file` is where it is from, as the user wrote it."""

    file: str
    function: FunctionProto
    inputs: tuple[TypeProto | None, ...]
    outputs: tuple[TypeProto | None, ...]
    attributes: Mapping[str, AttributeProto]

    def files(
        self, domain: str, operator: str, version: int, admitted: OpsetRange
    ) -> tuple[dict[str, bytes], list[Diagnostic]]:
        """The files of a spec folder by name, with notes. DiagnosticError where the opsets of the library have none of
        the model's, or the function has no text."""
        opsets = _opsets(self.function, admitted, self.file)
        self.function.name, self.function.domain = operator, domain
        notes: list[Diagnostic] = []
        row = self._row(opsets.first, notes)
        files = {
            "spec.yaml": self._spec(domain, operator, version, opsets),
            "function.py": _source(self.function, self.file),
            "vectors.yaml": f"schema: 1\nrows:{row}",
        }
        return {name: text.encode() for name, text in files.items()}, notes

    def _spec(self, domain: str, operator: str, version: int, opsets: OpsetRange) -> str:
        ranked = _read_by_scans(self.function)
        lines = ["schema: 1", f"domain: {domain}", f"name: {operator}"]
        lines += [
            f"summary: Taken from {_plain(Path(self.file.partition('.onnx')[0]).name)}.onnx.",
            f"since_version: {version}",
        ]
        lines += [f'opset: ">={opsets.first},<={opsets.last}"']
        for key, names, types in (
            ("inputs", self.function.input, self.inputs),
            ("outputs", self.function.output, self.outputs),
        ):
            values = [
                f"  {as_key(name)}: {_declared(type_, key == 'inputs' and name in ranked)}"
                for name, type_ in zip(names, types, strict=True)
            ]
            lines += [f"{key}:" if values else f"{key}: {{}}", *values]  # a key without a value is refused
        return "\n".join([*lines, "vectors: [vectors.yaml]", ""])

    def _row(self, opset: int, notes: list[Diagnostic]) -> str:
        """One row with drawn inputs and the outputs that a runtime gives; none, and a note, where none runs it."""
        try:
            inputs = _Inputs(self.inputs, _trip_counts(self.function))
            attributes = tuple(_attribute(item) for item in self._attributes())
            kinds = tuple(_type(type_) for type_ in self.outputs)
            signature = Signature(
                tuple((kind, len(item.shape)) for kind, item in zip(inputs.kinds, inputs.arrays, strict=True)),
                attributes,
                kinds,
            )
            model = inlined(one_node_model([self.function], signature, opset))
            outputs = computed_outputs(model, signature, inputs.arrays)
        except (_NoRow, NotComputed) as error:
            message = f"no vector is made for {self.function.name}"
            help_ = "write a row with inputs that fit, in vectors.yaml"
            notes.append(Diagnostic("OW655", message, reason=str(error), help=help_, severity=Severity.NOTE))
            return " []\n"
        lines = ["", "  - name: computed"]
        if attributes:
            lines.append(f"    attributes: {{{_flow((name, scalar_text(value)) for name, _, value in attributes)}}}")
        lines.append(f"    inputs: {{{_flow(zip(self.function.input, inputs.texts, strict=True))}}}")
        lines.append(f"    outputs: {{{_flow(zip(self.function.output, outputs, strict=True))}}}")
        return "\n".join([*lines, "    doc: What the runtime at hand computed; not yet what is right.", ""])

    def _attributes(self) -> list[AttributeProto]:
        names = [*self.function.attribute, *(item.name for item in self.function.attribute_proto)]
        defaults = {item.name: item for item in self.function.attribute_proto}
        missing = [name for name in names if name not in self.attributes and name not in defaults]
        if missing:
            raise _NoRow(f"the attribute {missing[0]} has no default, and no call of the model says one")
        return [self.attributes.get(name, defaults.get(name, AttributeProto())) for name in names]


class _NoRow(Exception):
    """Why no vector is made."""


def part_of(text: str) -> ModelPart:
    """What `model.onnx:WHAT` names: a function of the model, nodes (`a,b`) or a range of them (`a..b`), each by its
    name or that of an output. DiagnosticError for anything else."""
    file, mark, what = text.partition(".onnx:")
    if not mark or not what:
        raise _refused(
            f"`{text[:80]}` names no part of a model", "write model.onnx:Function, or model.onnx:first..last"
        )
    path = Path(f"{file}.onnx")
    model = read_model(path)
    check_structure(model, path.as_posix())
    functions = {name: item for item in model.functions for name in (item.name, f"{item.domain}::{item.name}")}
    part = _function(model, functions[what], text) if what in functions else _nodes(model, what, text)
    if not part.function.output:
        raise _refused(f"`{what[:80]}` gives no output", "name a part of the model that computes something", text)
    return part


def _function(model: ModelProto, function: FunctionProto, file: str) -> ModelPart:
    known = _types(model)
    identity = function_id(function)
    functions = {function_id(item): item for item in model.functions}
    taken = FunctionProto()
    taken.CopyFrom(function)
    inline_into(taken, lambda called: functions.get(called) if called != identity else None)
    del taken.value_info[:]
    taken.overload = ""
    call = next((node for node in all_nodes(model.graph.node) if call_id(node) == identity), NodeProto())
    given = [*call.input, *[""] * len(taken.input)]
    inputs = tuple(known.get(name) for _, name in zip(taken.input, given, strict=False))
    outputs = tuple(
        known.get(name) for _, name in zip(taken.output, [*call.output, *[""] * len(taken.output)], strict=False)
    )
    _in_python(taken)
    return ModelPart(file, taken, inputs, outputs, {item.name: item for item in call.attribute})


def _nodes(model: ModelProto, what: str, file: str) -> ModelPart:
    inline_model(model)
    known = _types(model)
    graph = model.graph
    chosen = _chosen(graph, what, file)
    constants = {
        item.name: helper.make_node("Constant", [], [item.name], value=item)
        for item in graph.initializer
        if _is_small(item.dims)
    }
    constants |= {node.output[0]: node for node in graph.node if node.op_type == "Constant" and _is_small_node(node)}
    positions = set(chosen)
    nodes = [graph.node[position] for position in chosen]
    made = {name for node in nodes for name in node.output}
    read = list(dict.fromkeys(name for node in nodes for name in _reads(node) if name and name not in made))
    _refuse_detour(graph, positions, made, file)
    function = FunctionProto(node=[*(constants[name] for name in read if name in constants), *nodes])
    function.input.extend(name for name in read if name not in constants)
    outside = {name for number, node in enumerate(graph.node) if number not in positions for name in _reads(node)}
    outside |= {item.name for item in graph.output}
    results = [name for node in nodes for name in node.output if name]
    within = {name for node in nodes for name in _reads(node)}
    function.output.extend(
        [name for name in results if name in outside] or [name for name in results if name not in within]
    )
    used = {normal_domain(node.domain) for node in all_nodes(function.node)} | {""}
    function.opset_import.extend(item for item in model.opset_import if normal_domain(item.domain) in used)
    types = [tuple(known.get(name) for name in names) for names in (function.input, function.output)]
    _in_python(function)
    return ModelPart(file, function, types[0], types[1], {})


def _types(model: ModelProto) -> dict[str, TypeProto]:
    graph = infer_model(model) or model.graph
    known = {item.name: item.type for item in (*graph.value_info, *graph.input, *graph.output)}
    for tensor in graph.initializer:
        known.setdefault(tensor.name, helper.make_tensor_type_proto(tensor.data_type, list(tensor.dims)))
    return known


def _chosen(graph: GraphProto, what: str, file: str) -> list[int]:
    """The positions of the nodes that are named, in the graph's order."""
    named: dict[str, int] = {}
    for position, node in enumerate(graph.node):
        for name in (node.name, *node.output):
            if name:
                named.setdefault(name, position)

    def position_of(name: str) -> int:
        if name not in named:
            close = get_close_matches(name, named, 1)
            raise _refused(
                f"the model has no function and no node {name[:80]}",
                f"did you mean {close[0]}?" if close else "name a node, or one of its outputs",
                file,
            )
        return named[name]

    chosen: set[int] = set()
    for item in what.split(","):
        first, mark, last = item.strip().partition("..")
        start = position_of(first)
        chosen.update(range(start, position_of(last) + 1) if mark else [start])
    if not chosen:
        raise _refused(f"no node lies in `{what[:80]}`", "write the range in the order of the graph", file)
    return sorted(chosen)


def _refuse_detour(graph: GraphProto, chosen: set[int], made: set[str], file: str) -> None:
    """Refuses nodes between which others lie: they would have to run inside the function's one call."""
    reached = set(made)
    for position, node in enumerate(graph.node):
        reads = [name for name in _reads(node) if name in reached and name not in made]
        if position in chosen and reads:
            raise _refused(f"what makes {reads[0]} lies between the nodes that are taken", "take these nodes too", file)
        if position not in chosen and any(name in reached for name in _reads(node)):
            reached.update(node.output)


def _reads(node: NodeProto) -> list[str]:
    """What a node reads, with what its graphs read from outside of them."""
    found = [name for name in node.input if name]
    for graph in subgraphs(node):
        own = {item.name for item in graph.input} | {item.name for item in graph.initializer}
        for inner in graph.node:
            found += [name for name in _reads(inner) if name not in own]
            own.update(inner.output)
        found += [item.name for item in graph.output if item.name not in own]
    return list(dict.fromkeys(found))


def _is_small(dims: Iterable[int]) -> bool:
    return prod(dims) <= _SMALL


def _is_small_node(node: NodeProto) -> bool:
    tensor = next((item.t for item in node.attribute if item.name == "value"), None)
    return tensor is None or _is_small(tensor.dims)


def _in_python(function: FunctionProto) -> None:
    """Gives all values names that Python takes: parameters and YAML have the same ones."""
    taken = set(function.attribute) | {item.name for item in function.attribute_proto}
    names: dict[str, str] = {}

    def rename(name: str) -> str:
        if name not in names:
            base = re.sub(r"\W", "_", name, flags=re.ASCII).strip("_") or "x"
            base = f"v{base}" if base[0].isdigit() or keyword.iskeyword(base) else base
            number, made = 1, base
            while made in taken:
                number += 1
                made = f"{base}_{number}"
            taken.add(made)
            names[name] = made
        return names[name]

    function.input[:] = [rename(name) for name in function.input]
    function.output[:] = [rename(name) for name in function.output]
    rename_values(function.node, rename)


def _opsets(function: FunctionProto, admitted: OpsetRange, file: str) -> OpsetRange:
    """The opsets of the library at which every operator is the one of the model's opset."""
    own = next((item.version for item in function.opset_import if not normal_domain(item.domain)), admitted.first)
    operators = {node.op_type for node in all_nodes(function.node) if not normal_domain(node.domain)} - {"Constant"}
    meant = {name: _since(name, own) for name in operators}
    found = [
        opset
        for opset in range(admitted.first, admitted.last + 1)
        if all(_since(name, opset) == meant[name] for name in meant)
    ]
    last = next((opset for opset in range(own, admitted.last + 1) if opset + 1 not in found), own)
    first = next((opset for opset in range(own, admitted.first - 1, -1) if opset - 1 not in found), own)
    if own not in found:
        raise _refused(
            f"the model is of opset {own}, which is none of {admitted.first} to {admitted.last}",
            "widen `opsets:` in library.yaml, or convert the model",
            file,
        )
    return OpsetRange(first, last)


def _since(name: str, opset: int) -> int:
    try:
        return int(defs.get_schema(name, opset, "").since_version)
    except defs.SchemaError:
        return 0


def _source(function: FunctionProto, file: str) -> str:
    """The function's text without decorator, and what it needs of the module around it."""
    made = decompile(function)
    if made.arrays:
        raise _refused(
            "the nodes hold constants that are too large for a text",
            "name other nodes: a constant outside of them becomes a parameter",
            file,
        )
    lines = made.text.splitlines()
    kept: list[str] = []
    body = ast.parse(made.text).body
    defined = next(node for node in body if isinstance(node, ast.FunctionDef))
    within = [*range(defined.lineno - 1, defined.end_lineno or 0)]
    within += [node.lineno - 1 for node in body if isinstance(node, ast.Assign)]
    for node in body:
        text = "\n".join(lines[node.lineno - 1 : node.end_lineno])
        match node:
            case ast.FunctionDef() if node is not defined:
                continue
            case ast.Expr(value=ast.Constant()):
                continue
            case ast.ImportFrom(module="opwright"):
                names = _used(node, "\n".join(lines[index] for index in within))
                if not names:
                    continue
                text = ast.unparse(ast.ImportFrom("opwright", names, 0))
            case ast.FunctionDef():
                text = f"\n\n{text}"
            case ast.Assign():
                text = f"\n{text}"
        kept.append(text)
    return "\n".join(kept).lstrip("\n") + "\n"


def _used(node: ast.stmt, others: str) -> list[ast.alias]:
    """The names of an import that the other lines have a use for."""
    found = set(re.findall(r"\w+", others))
    return [item for item in getattr(node, "names", []) if (item.asname or item.name) in found]


def _type(type_: TypeProto | None) -> str:
    """A type as a spec writes it; float where it is not known."""
    if type_ is not None and type_.HasField("sequence_type"):
        return f"seq({_type(type_.sequence_type.elem_type)})"
    code = 0 if type_ is None else type_.tensor_type.elem_type
    return BY_CODE[code].name if code in BY_CODE else "float"


def _declared(type_: TypeProto | None, with_rank: bool) -> str:
    """A type as a spec writes it, with the rank where that is wanted and known."""
    if not with_rank or type_ is None or not type_.tensor_type.HasField("shape"):
        return _type(type_)
    return f"{{type: {_type(type_)}, rank: {len(type_.tensor_type.shape.dim)}}}"


def _read_by_scans(function: FunctionProto) -> set[str]:
    """What a Scan is computed from, in its body too: onnxruntime runs none where it cannot derive the ranks."""
    wanted: set[str] = set()
    for node in reversed(function.node):
        if not wanted.isdisjoint(node.output) or any(inner.op_type == "Scan" for inner in all_nodes([node])):
            wanted.update(_reads(node))
    return wanted


def _trip_counts(function: FunctionProto) -> set[int]:
    """The positions of inputs that say how often a Loop runs."""
    counts = {node.input[0] for node in all_nodes(function.node) if node.op_type == "Loop" and node.input}
    return {position for position, name in enumerate(function.input) if name in counts}


class _Inputs:
    """Drawn values for inputs of these types, with their text in a row; `counts` are the positions of numbers of trips.
    Raises _NoRow."""

    def __init__(self, types: Sequence[TypeProto | None], counts: Container[int]) -> None:
        self._sizes: dict[str, int] = {}
        self.kinds = [_type(type_) for type_ in types]
        self.arrays: list[Array] = []
        self.texts: list[str] = []
        for seed, (kind, type_) in enumerate(zip(self.kinds, types, strict=True), start=1):
            shape = self._shape(type_)
            if seed - 1 in counts and kind == "int64" and prod(shape) == 1:  # of none there is little to compare
                array = np.full(shape, _TRIPS, np.int64)
                text = value_text(array)
            else:
                array, text = self._drawn(kind, shape, seed)
            self.arrays.append(array)
            self.texts.append(text)

    def _shape(self, type_: TypeProto | None) -> list[int]:
        if type_ is None or not type_.tensor_type.HasField("shape"):
            return [2, 3]
        return [
            item.dim_value if item.HasField("dim_value") else self._size(item.dim_param)
            for item in type_.tensor_type.shape.dim
        ]

    def _size(self, symbol: str) -> int:
        return self._sizes.setdefault(symbol, 2 + len(self._sizes) % 3)

    def _drawn(self, kind: str, shape: list[int], seed: int) -> tuple[Array, str]:
        if prod(shape) > _MOST_DRAWN:
            raise _NoRow(f"an input has {prod(shape):,} elements")
        if kind in ("float16", "float", "double"):
            array = normal(shape, seed).astype({"float16": np.float16, "float": np.float32, "double": np.float64}[kind])
            text = f"{{distribution: normal, shape: {shape}, seed: {seed}}}"
        elif kind in _INTEGERS:
            array = integers(shape, seed, 0, 1).astype(kind)
            text = f"{{distribution: integers, shape: {shape}, seed: {seed}, low: 0, high: 1}}"
        elif kind == "bool":
            array = integers(shape, seed, 0, 1).astype(bool)
            text = ""
        else:
            raise _NoRow(f"an input is {kind}")
        if not text or (array.size <= _WRITTEN and array.dtype.kind != "f"):
            text = value_text(array)
        return array, text


def _attribute(item: AttributeProto) -> tuple[str, str, AttributeValue]:
    if item.type not in _KINDS:
        raise _NoRow(f"the attribute {item.name} is no number or text")
    kind, _ = _KINDS[item.type]
    value = helper.get_attribute_value(item)
    if isinstance(value, bytes):
        return item.name, kind, value.decode()
    if isinstance(value, (int, float)):
        return item.name, kind, value
    return item.name, kind, tuple(one.decode() if isinstance(one, bytes) else one for one in value)


def _flow(items: Iterable[tuple[str, str]]) -> str:
    return ", ".join(f"{as_key(name)}: {text}" for name, text in items)


def _plain(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.-]", "_", text)


def _refused(message: str, help_: str, file: str = "") -> DiagnosticError:
    return DiagnosticError([Diagnostic("OW653", message, Place(file) if file else None, help=help_)])
