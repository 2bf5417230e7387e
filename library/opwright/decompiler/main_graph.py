"""The main graph of a model as a function under `@script`, and the function that makes the model again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from onnx import GraphProto, ModelProto, TensorProto, TypeProto, ValueInfoProto, helper

from opwright.decompiler.annotation_text import annotation
from opwright.decompiler.body import Body
from opwright.decompiler.collected_types import collected_types, is_scalar, open_conditions
from opwright.decompiler.declared_ranks import declared_ranks
from opwright.decompiler.function_text import maybe_uncalled, own_metadata
from opwright.decompiler.inner_types import (
    annotations_of,
    declared_beyond_inference,
    declares_types,
    inferred_anew,
    wrongly_declared,
)
from opwright.decompiler.layout import WIDTH, call_lines, def_lines, return_lines
from opwright.decompiler.literal_text import MOST_INLINE, Constant, constant_of, quoted
from opwright.decompiler.nodes import graphs_inside
from opwright.decompiler.operator_forms import Forms
from opwright.decompiler.parts import MOST_BYTES, Parts
from opwright.decompiler.python_names import Names, common_prefix
from opwright.decompiler.refuse import refuse, refuse_unclear
from opwright.decompiler.text_of import block, docstring, mapping_text, metadata, plain
from opwright.elements import BY_CODE, fits_size
from opwright.graphs.ir_versions import INITIALIZERS_IR, OF_ELEMENTS, ir_version_of_function
from opwright.opsets.records import SCAN


class MainGraph:
    """The main graph as a function under `@script`."""

    def __init__(
        self, model: ModelProto, parts: Parts, forms: Forms, faithful: bool, outside: Mapping[str, Constant]
    ) -> None:
        graph = model.graph
        self.graph = graph
        self.model = model
        self.parts = parts
        self.faithful = faithful
        self.ir_version = model.ir_version
        self.name = parts.fresh(graph.name or "main_graph")
        self.names = Names(parts.taken, prefix="" if faithful else common_prefix(graph))
        declared = {item.name: _element(item.type.tensor_type.elem_type) for item in graph.input}
        declared.update({item.name: _element(item.data_type) for item in graph.initializer})
        self.nodes = parts.columns(graph)
        self.body = Body(parts, forms, self.names, self.nodes, declared, faithful)
        self.initializers: dict[str, str] = {}  # parameter -> expression
        self.defaults: dict[str, str] = {}
        self.renamed: dict[str, str] = {}
        self.outside = outside
        self.large = False  # whether it carries tensors that are worth a file next to the model
        self.exact = False  # whether the compiler may find more of types than the model says, or ask for more

    def lines(self) -> list[str]:
        graph, parts, names = self.graph, self.parts, self.names
        refuse_unclear(
            [item.name for item in graph.input],
            [item.name for item in graph.output],
            "the inputs and outputs of the model",
        )
        refuse_unclear([item.name for item in graph.initializer], [], "the initializers")
        parameters = [
            f"{self._interface(item.name)}: {annotation(item.type, parts.types, f'the input {item.name!r}')}"
            for item in graph.input
        ]
        inputs = {item.name for item in graph.input}
        outputs = [item.name for item in graph.output]
        for tensor in graph.initializer:
            parameters.extend(self._initializer(tensor, tensor.name in inputs, tensor.name in outputs))
        if graph.sparse_initializer:
            raise refuse("sparse initializers cannot be written", "a script has none")
        if not graph.output:
            raise refuse("a model without outputs cannot be written", "a script gives what it returns")
        inner = [*graphs_inside(self.nodes, self.body.forms)]
        inferred = inferred_anew(self.model, inner) if declares_types((self.graph, *inner)) else []
        self.body.wrong = wrongly_declared(self.model, inner, inferred)
        types = [
            annotation(self.body.declared(item), parts.types, f"the output {item.name!r}") for item in graph.output
        ]
        # What inference finds besides would take the place of what is not a number.
        self.exact = any(word in text for text in types for word in ("None", "...", "Sequence", '"', "'"))
        self.exact = self.exact or any("[...]" in text for text in parameters)
        returns = types[0] if len(types) == 1 else f"tuple[{', '.join(types)}]"
        given = inputs | {name for name in outputs if names.get(name) in self.initializers}
        counts = Counter(outputs)
        results = [self._result(name, counts[name], name in given) for name in outputs]
        lines = self.body.lines
        self.body.scalars = {item.name for item in graph.input if is_scalar(item.type)}
        parts.attribute_names = {}
        carried: dict[str, str] = {}
        self.body.carry = lambda tensor, name: carried.update({name: self._carried(tensor, name)})
        self._nodes(frozenset(outputs), inner, inferred)
        self.body.carry = None  # which refers back to all of this: it would wait for the garbage collector
        for index, name in enumerate(outputs):
            if name in carried:  # by a Constant
                given.add(name)
                results[index] = self._result(name, 1, True)
        for name in outputs:
            if name in self.body.constants:
                lines.append(f"    {names[name]} = {self.body.own(name)}")
        parameters.extend(carried.values())
        lines += [f"    {found} = {names[name]}" for name, found in zip(outputs, results, strict=True) if name in given]
        head = ["@script()", *def_lines("", self.name, parameters, f" -> {returns}"), *docstring(graph.doc_string)]
        if lines and not lines[0]:
            lines.pop(0)
        return [*head, *lines, *return_lines("    ", results)]

    def _nodes(self, kept: frozenset[str], inner: Sequence[GraphProto], inferred: Sequence[GraphProto]) -> None:
        """The statements; twice where there is a Scan, which wants ranks that must be declared then. `inner` are the
        graphs inside, `inferred` all with the types that follow."""
        body, names, constants = self.body, dict(self.names), dict(self.body.constants)
        taken = set(self.names.taken)
        body.note_untyped(self.graph.node)
        types = declared_beyond_inference(self.model, inner, inferred, self.faithful)
        declared = annotations_of(types, self.parts.types)
        body.annotations.update(declared)
        if inner and not self.faithful:
            body.collected, body.conditions = collected_types(self.model), open_conditions(self.model)
        body.nodes(self.nodes, "    ", kept)
        if ("", SCAN.name) in body.forms:
            body.annotations.update(declared_ranks(self.model, self.parts.types))
            body.annotations.update(declared)
            body.lines.clear()
            self.names.clear()
            self.names.update(names)
            self.names.retake(taken)
            body.constants.clear()
            body.constants.update(constants)
            body.nodes(self.nodes, "    ", kept)

    def _interface(self, name: str) -> str:
        found = self.names.keep(name)
        if found != name:
            self.renamed[found] = name
        return found

    def _result(self, name: str, count: int, is_given: bool) -> str:
        """The name under which an output is returned: one of its own where it is an input, or carried."""
        if count > 1:
            raise refuse(f"the output {name!r} is another output too", "a script gives each a name")
        if not is_given:
            return self._interface(name)
        found = self.names.fresh(f"{self.names[name]}_out")
        self.renamed[found] = name
        return found

    def _initializer(self, tensor: TensorProto, is_input: bool, is_output: bool) -> Iterator[str]:
        size = 1
        for dim in tensor.dims:
            size *= dim
        constant = None
        is_short = (size <= MOST_INLINE or is_output) and self.body.forms.holds(tensor)
        if not is_input and not self.faithful and is_short:
            constant = constant_of(tensor)
            if is_output or not constant.is_long:
                self.body.constants[tensor.name] = constant
                return
        if is_input:
            name = self._interface(tensor.name)
            self.defaults[name] = self._expression(tensor, tensor.name)
            return
        yield self._carried(tensor, tensor.name, constant)

    def _carried(self, tensor: TensorProto, onnx_name: str, known: Constant | None = None) -> str:
        """The parameter of a tensor that the model carries; `known` is that tensor where it has been read."""
        name = self._interface(onnx_name)
        if name not in self.initializers:
            self.initializers[name] = self._expression(tensor, onnx_name, known)
        dims = ", ".join(map(str, tensor.dims))
        return f"{name}: {self.parts.type_name(BY_CODE[tensor.data_type])}" + (f"[{dims}]" if dims else "")

    def _expression(self, tensor: TensorProto, onnx_name: str, known: Constant | None = None) -> str:
        """The array of a value: a Constant's tensor may itself have another name."""
        constant = self.outside.get(onnx_name) or known or constant_of(tensor)
        self.large = self.large or constant.array.nbytes >= MOST_BYTES
        return self.parts.array_expression(constant, self.names[onnx_name])


def _element(code: int) -> str:
    return BY_CODE[code].name if code in BY_CODE else ""


def _said_of(value: ValueInfoProto, parts: Parts) -> Iterator[str]:
    """Assignments of what is said of an input or output, and that no annotation says."""
    if value.doc_string:
        yield f"doc_string = {parts.text(value.doc_string, 'doc_string')}"
    yield from _said_of_type(value.type, "type", parts)
    yield from metadata(value.metadata_props, parts)


def _shape(type_: TypeProto) -> Iterator[str]:
    """Calls that give a tensor's type the sizes that it has."""
    shape = "type.tensor_type.shape"
    sizes = type_.tensor_type.shape.dim
    if not sizes:
        yield f"{shape}.SetInParent()"
    for size in sizes:
        value = plain(size.dim_param or size.dim_value)
        yield f"{shape}.dim.add({f'{kind}={value}' if (kind := size.WhichOneof('value')) else ''})"


def _said_of_type(type_: TypeProto, where: str, parts: Parts) -> Iterator[str]:
    """The same of a type, and of those that it holds."""
    if type_.denotation:
        yield f"{where}.denotation = {parts.text(type_.denotation, 'denotation')}"
    for index, size in enumerate(type_.tensor_type.shape.dim):
        place = f"{where}.tensor_type.shape.dim[{index}]"
        if not fits_size(size.dim_value):  # older exporters wrote -1 where they did not know
            yield f"{place}.dim_value = {size.dim_value}"
        if size.denotation:
            yield f"{place}.denotation = {parts.text(size.denotation, 'denotation')}"
    kind = type_.WhichOneof("value")
    if kind in _HELD:
        yield from _said_of_type(getattr(getattr(type_, kind), _HELD[kind]), f"{where}.{kind}.{_HELD[kind]}", parts)


_HELD = {"sequence_type": "elem_type", "optional_type": "elem_type", "map_type": "value_type"}


def _said_by_name(model: ModelProto, writer: MainGraph) -> Iterator[str]:
    """Statements with what is said of initializers that the model carries, and of functions."""
    parts, carried = writer.parts, writer.initializers.keys() | writer.defaults.keys()
    said = {item.name: [*_said_of_tensor(item, parts)] for item in model.graph.initializer}
    said = {name: texts for name, texts in said.items() if texts and writer.names.get(name) in carried}
    if said:
        yield "    initializers = {item.name: item for item in made.graph.initializer}"
        yield from (f"    initializers[{quoted(name)}].{text}" for name, texts in said.items() for text in texts)
    functions = [(item, entries) for item in model.functions if (entries := own_metadata(item))]
    if functions:
        yield "    functions = {(item.domain, item.name, item.overload): item for item in made.functions}"
    for function, entries in functions:
        identity = ", ".join(map(quoted, (function.domain, function.name, function.overload)))
        yield from (f"    functions[{identity}].{text}" for text in metadata(entries, parts))


def _said_of_tensor(tensor: TensorProto, parts: Parts) -> Iterator[str]:
    if tensor.doc_string:
        yield f"doc_string = {parts.text(tensor.doc_string, 'doc_string')}"
    yield from metadata(tensor.metadata_props, parts)


def _lowest_ir_version(model: ModelProto, writer: MainGraph) -> int:
    """The lowest that the compiler takes for the text; some models have one below, and runtimes take them."""
    lowest = int(helper.find_min_ir_version_for(list(model.opset_import), ignore_unknown=True))
    elements = {*map(str.lower, writer.parts.types), *writer.parts.elements}
    return max(
        lowest,
        INITIALIZERS_IR if writer.initializers else 0,
        *map(ir_version_of_function, model.functions),
        *(OF_ELEMENTS.get(name, 0) for name in elements),
    )


def ir_version_made(model: ModelProto, carries: bool) -> int:
    """The IR version of the model that the text of one makes: the same, unless Constants have become initializers, and
    that version knows these as defaults of inputs only. `carries`: whether it has initializers that are no inputs."""
    if not carries or not 0 < model.ir_version < INITIALIZERS_IR:
        return model.ir_version
    inputs = {item.name for item in model.graph.input}
    is_valid = all(item.name in inputs for item in model.graph.initializer)
    return INITIALIZERS_IR if is_valid else model.ir_version


def making(model: ModelProto, writer: MainGraph) -> Iterator[str]:
    """The function that makes the model again."""
    graph, parts = model.graph, writer.parts
    imports = {item.domain: item.version for item in model.opset_import}
    lowest, ir_version = _lowest_ir_version(model, writer), ir_version_made(model, bool(writer.initializers))
    arguments = [f"ir_version={ir_version}"] if ir_version >= lowest else []
    arguments += [f"opset_imports={mapping_text(imports)}"]
    arguments.append(f"producer_name={parts.text(model.producer_name, 'producer_name')}")
    if model.doc_string or graph.doc_string:
        arguments.append(f"doc_string={parts.text(model.doc_string, 'doc_string')}")
    if writer.exact:
        arguments.append("exact_types=True")
    if kept := maybe_uncalled(model):
        calls = (writer.body.forms.local[item.domain, item.name, item.overload].call for item in kept)
        arguments.append(f"kept_functions=[{', '.join(call[:-1] for call in calls)}]")
    if writer.renamed:
        arguments.append(f"names={mapping_text(writer.renamed)}")
    for keyword, tensors in (("initializers", writer.initializers), ("input_defaults", writer.defaults)):
        if tensors:
            items = ", ".join(f"{quoted(name)}: {expression}" for name, expression in tensors.items())
            arguments.append(f"{keyword}={{{items}}}")
    if writer.large:
        arguments.append("external_data=external_data")
    after = [f"    made.ir_version = {ir_version}"] if 0 < ir_version < lowest else []
    for field, text in (("producer_version", model.producer_version), ("domain", model.domain)):
        if text:
            after.append(f"    made.{field} = {parts.text(text, field)}")
    if model.model_version:
        after.append(f"    made.model_version = {model.model_version}")
    if graph.name != writer.name:
        after.append(f"    made.graph.name = {parts.text(graph.name, 'graph_name')}")
    if graph.doc_string:
        after.append(f"    made.graph.doc_string = {block(graph.doc_string, parts)}")
    for where in ("input", "output"):
        for index, value in enumerate(getattr(graph, where)):
            texts = [*_said_of(value, parts)]
            if where == "output" and value.name in writer.body.wrong:
                texts = [*_shape(value.type), *texts]
            after += [f"    made.graph.{where}[{index}].{text}" for text in texts]
    for prefix, entries in (("made", model.metadata_props), ("made.graph", graph.metadata_props)):
        after += [f"    {prefix}.{text}" for text in metadata(entries, parts)]
    after += _said_by_name(model, writer)
    if writer.large:
        yield "def model(external_data=None):"
        yield '    """The model that this module says; large tensors go to the file `external_data`, if given."""'
    else:
        yield "def model():"
        yield '    """The model that this module says."""'
    head, call = "made =" if after else "return", f"{writer.name}.to_model_proto("
    line = f"    {head} {call}{', '.join(arguments)})"
    yield from [line] if len(line) <= WIDTH else call_lines("    ", head, call, arguments)
    yield from after
    if after:
        yield "    return made"
