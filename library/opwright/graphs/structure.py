"""What every walk over a model relies on, checked once and before any of them.

`check_structure` takes a model, function or graph as it came from anywhere. Afterwards these hold: every text is text;
graphs and types nest no deeper than protobuf's parsers read; every graph attribute has its graphs and every graph of
control flow gives something; versions fit 32 bits; tensors have sizes that a file can have; no two functions of a model
have one id, none calls itself, by others too, and their calls in place of one another come to no more than
`MOST_EXPANDED` nodes, and to no more than `MOST_OPTIONALS` of the operator `Optional`. The check is linear in the size
of what it is given and recurses on nothing.

What it leaves to others: whether operators exist, values are defined, types fit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from math import prod
from operator import sub

from onnx import (
    AttributeProto,
    FunctionProto,
    GraphProto,
    ModelProto,
    NodeProto,
    OperatorSetIdProto,
    SparseTensorProto,
    TensorProto,
    TypeProto,
    ValueInfoProto,
)

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Place
from opwright.graphs.ids import FunctionId, call_id, callees_first, function_id
from opwright.graphs.model_file import refuse_broken_text
from opwright.graphs.node_columns import ColumnsOf, NodeColumns
from opwright.graphs.walk import all_nodes
from opwright.opsets.domains import STANDARD_DOMAINS, normal_domain
from opwright.opsets.record import Role
from opwright.opsets.records import IF, LOOP, OPTIONAL, record_of
from opwright.opsets.signatures import Option, signature

MOST_EXPANDED = 250_000  # nodes; what runs a model puts bodies in place of calls, and no runtime ends at many more
# Each may hold what another one gives: onnx infers types that nest as deep as that, in time that grows with the cube.
MOST_OPTIONALS = 1_000
DEEPEST_GRAPH = 33  # nested graphs that protobuf's parsers read: 100 messages, of which each takes three
DEEPEST_TYPE = 40  # sequences and optionals inside one another: each takes two messages
MOST_SHOWN = 20  # findings

_LARGEST_INT32 = 2**31 - 1
_LARGEST_INT64 = 2**63 - 1
_GRAPHS = {
    Role.IF: ("then_branch", "else_branch"),
    Role.LOOP: ("body",),
    Role.SCAN: ("body",),
    Role.SEQUENCE_MAP: ("body",),
}
_VALUES = {  # the field that holds the value of an attribute of each type
    AttributeProto.FLOAT: "f",
    AttributeProto.INT: "i",
    AttributeProto.STRING: "s",
    AttributeProto.TENSOR: "t",
    AttributeProto.GRAPH: "g",
    AttributeProto.SPARSE_TENSOR: "sparse_tensor",
    AttributeProto.TYPE_PROTO: "tp",
    AttributeProto.FLOATS: "floats",
    AttributeProto.INTS: "ints",
    AttributeProto.STRINGS: "strings",
    AttributeProto.TENSORS: "tensors",
    AttributeProto.GRAPHS: "graphs",
    AttributeProto.SPARSE_TENSORS: "sparse_tensors",
    AttributeProto.TYPE_PROTOS: "type_protos",
}
_MESSAGES = frozenset({"t", "g", "sparse_tensor", "tp"})  # a number that is left out is 0, a message is missing
_HELD = frozenset(_VALUES.values())


def check_structure(
    proto: ModelProto | FunctionProto | GraphProto, file: str = "model", columns: ColumnsOf | None = None
) -> None:
    """Raises DiagnosticError (OW551, OW595 to OW598) with what breaks the promises above; `file` names the proto.

    `columns` has those of the nodes afterwards, for those who read them next.
    """
    columns = columns or ColumnsOf()
    refuse_broken_text(proto, file, columns)
    check = _Check(file, columns)
    if isinstance(proto, ModelProto):
        check.model(proto)
    elif isinstance(proto, FunctionProto):
        check.function(proto)
    else:
        check.graph(proto)
    if check.problems:
        raise DiagnosticError(check.problems[:MOST_SHOWN])
    if isinstance(proto, ModelProto) and proto.functions:
        refuse_expansion(proto, file)
    _refuse_optionals(check.optionals, file)


def refuse_expansion(model: ModelProto, file: str) -> None:
    """Raises DiagnosticError (OW596) where calls in place of one another come to more than `MOST_EXPANDED` nodes, or
    `MOST_OPTIONALS` of `Optional`, or to no end."""
    nodes, optionals = _expanded(model, file)
    _refuse_optionals(optionals, file)
    if nodes > MOST_EXPANDED:
        text = f"the model's functions come to more than {MOST_EXPANDED:,} nodes"
        reason = "each call stands for all nodes of its function, and those that call others multiply"
        help_text = "call functions fewer times, or give the model with fewer levels of them"
        raise DiagnosticError([Diagnostic("OW596", text, Place(file), reason, help_text)])


def _refuse_optionals(count: int, file: str) -> None:
    if count > MOST_OPTIONALS:
        text = f"the model has more than {MOST_OPTIONALS:,} nodes `Optional`, those of functions counted at each call"
        reason = "each may hold what another one gives, and types nest no deeper than protobuf's parsers read"
        help_text = "give what is always there without `Optional`"
        raise DiagnosticError([Diagnostic("OW596", text, Place(file), reason, help_text)])


def expanded_nodes(model: ModelProto, file: str = "model") -> int:
    """How many nodes the model has with the nodes of functions in place of their calls; those of functions that nothing
    calls count once. Raises DiagnosticError (OW596) where a function calls itself, by others too."""
    return _expanded(model, file)[0]


def _expanded(model: ModelProto, file: str) -> _Size:
    functions = {function_id(function): function for function in model.functions}
    sizes: dict[FunctionId, _Size] = {}
    called: set[FunctionId] = set()
    for function in callees_first(functions, lambda identity: DiagnosticError([_recursion(identity, file)])):
        sizes[function_id(function)] = _size(function.node, sizes, called)
    found = [_size(model.graph.node, sizes, called)]
    found += (size for identity, size in sizes.items() if identity not in called)
    return sum(nodes for nodes, _ in found), sum(optionals for _, optionals in found)


_Size = tuple[int, int]  # nodes, and those of them that are `Optional`


def _size(nodes: Iterable[NodeProto], sizes: Mapping[FunctionId, _Size], called: set[FunctionId]) -> _Size:
    total = optionals = 0
    for node in all_nodes(nodes):
        identity = call_id(node)
        total += 1
        if identity in sizes:
            called.add(identity)
            inner, inner_optionals = sizes[identity]
            total += inner
            optionals += inner_optionals
        elif identity[1] == OPTIONAL.name and OPTIONAL.describes(node):
            optionals += 1
    return total, optionals


def _recursion(identity: FunctionId, file: str) -> Diagnostic:
    text = f"the function {identity[0]}::{identity[1]} calls itself"
    reason = "directly or by others; ONNX has no recursion, and such a model has no end"
    return Diagnostic("OW596", text, Place(file), reason, "write what repeats as a Loop")


@dataclass(slots=True)
class _Check:
    file: str
    columns: ColumnsOf
    problems: list[Diagnostic] = field(default_factory=list)
    optionals: int = 0  # nodes, those of functions once
    _functions: set[FunctionId] = field(default_factory=set)
    _model: dict[str, int] = field(default_factory=dict)  # the versions of the standard's domains that it imports
    _versions: dict[str, int] = field(default_factory=dict)  # those of what is walked
    # By the versions: operators with numbers of inputs, all of whose nodes have what they need.
    _kinds: dict[tuple[tuple[str, int], ...], set[_Kind]] = field(default_factory=dict)

    def model(self, model: ModelProto) -> None:
        if not -_LARGEST_INT32 <= model.ir_version <= _LARGEST_INT32:
            self._note("OW598", f"the model has the IR version {model.ir_version}", _VERSION, _VERSION_HELP)
        self._imports(model.opset_import, "the model")
        self._model = self._versions = _standard_versions(model.opset_import)
        for function in model.functions:
            identity = function_id(function)
            if identity in self._functions:
                text = f"the model has two functions {_shown('::'.join(identity[:2]))}"
                self._note("OW596", text, "which of them a node calls is not said", "remove or rename one of them")
            self._functions.add(identity)
        self.graph(model.graph)
        for training in model.training_info:
            self.graph(training.initialization)
            self.graph(training.algorithm)
        for function in model.functions:
            self.function(function)

    def function(self, function: FunctionProto) -> None:
        place = f"function {_shown(function.name)}"
        self._imports(function.opset_import, place)
        for attribute in function.attribute_proto:
            self._attribute(attribute, place)
        self._values(function.value_info, place)
        self._versions = self._model | _standard_versions(function.opset_import)
        self._walk(function, place)

    def graph(self, graph: GraphProto) -> None:
        self._declarations(graph, "the graph")
        self._walk(graph, "")

    def _walk(self, owner: GraphProto | FunctionProto, place: str) -> None:
        """The nodes, and those of their graphs, by a stack. Models have many nodes, so that usual ones are passed over:
        those of a kind that lacks nothing, whose attributes are plain values or small tensors."""
        kinds = self._kinds.setdefault(tuple(sorted(self._versions.items())), set())
        stack = [(_unusual(self.columns(owner), kinds), place, 0)]
        self.optionals += _optionals(self.columns(owner))
        while stack:
            listed, around, depth = stack[-1]
            for index, node, kind in listed:
                if kind in kinds and all(map(_is_usual, node.attribute)):
                    continue
                where = _placed(node, index, around)
                for attribute in node.attribute:
                    self._attribute(attribute, where)
                if self._required(node, where):
                    kinds.add(kind)
                if len(self.problems) > MOST_SHOWN:
                    return
                graphs = list(_graphs_of(node))
                if graphs and depth >= DEEPEST_GRAPH:
                    text = f"graphs stand more than {DEEPEST_GRAPH} deep inside one another"
                    self._note("OW595", text, "protobuf's parsers read no deeper", "write functions in their place")
                    return
                for graph in graphs:
                    self._declarations(graph, f"{where}, graph {_shown(graph.name)}")
                    stack.append((_unusual(self.columns(graph), kinds), where, depth + 1))
                    self.optionals += _optionals(self.columns(graph))
                if graphs:
                    break
            else:
                stack.pop()

    def _required(self, node: NodeProto, where: str) -> bool:
        """An operator of the standard has the inputs and outputs that it cannot do without, and its graphs. Gives
        whether that is so of every node of the operator that has as many inputs, and a first output."""
        domain = normal_domain(node.domain)
        if domain not in STANDARD_DOMAINS:
            return True
        if call_id(node) in self._functions:
            return False
        operator = signature(domain, node.op_type, self._versions.get(domain, 0))
        lacks = operator is not None and any(
            formal.option is Option.REQUIRED and index >= len(node.input)
            for index, formal in enumerate(operator.inputs)
        )
        if operator is not None and lacks:
            needed = ", ".join(item.name for item in operator.inputs if item.option is Option.REQUIRED)
            reason = f"{node.op_type} needs {needed}"
            self._note("OW595", f"{where} lacks inputs", reason, "give the node its inputs")
        has_outputs = any(node.output)
        names = _GRAPHS.get(record_of(domain, node.op_type).role)
        if names is None:
            if operator is not None and not node.output:
                self._note("OW595", f"{where} has no outputs", "nothing can take what it gives", "remove it")
            return has_outputs and not lacks
        given = {item.name: item for item in node.attribute}
        for name in names:
            attribute = given.get(name)
            if attribute is None or (attribute.type != AttributeProto.GRAPH and not attribute.ref_attr_name):
                text = f"{where} has no graph {name}"
                self._note("OW595", text, f"{node.op_type} runs it", f"give the node the attribute {name}")
            elif not attribute.ref_attr_name and attribute.HasField("g"):
                self._yields(node, attribute.g, name, where)
        if not has_outputs:
            self._note("OW595", f"{where} has no outputs", "nothing can take what it gives", "remove it")
        return False

    def _yields(self, node: NodeProto, graph: GraphProto, name: str, where: str) -> None:
        """The graph of a control flow node gives what the node gives."""
        first = 1 if node.op_type == LOOP.name else 0  # whether there is another trip
        given = len(graph.output) - first
        wrong = given != len(node.output) if node.op_type == IF.name else given < len(node.output)
        if wrong or not graph.output:
            text = f"{where} has {len(node.output)} outputs, and its graph {name} gives {len(graph.output)} values"
            reason = f"{node.op_type} gives what its graph gives{', but for the condition' if first else ''}"
            self._note("OW595", text, reason, "give the node and its graphs the same number of outputs")
        elif first and len(graph.input) < 2:
            text = f"{where} has a body of {len(graph.input)} inputs"
            self._note("OW595", text, "a Loop gives it the number of the trip and the condition", "declare them")

    def _attribute(self, attribute: AttributeProto, where: str) -> None:
        kind = attribute.type
        held = _VALUES.get(kind)
        name = f"{where}: the attribute {_shown(attribute.name)}"
        if attribute.ref_attr_name and kind not in (AttributeProto.GRAPH, AttributeProto.GRAPHS):
            return
        if held is None:
            filled = [item.name for item, _ in attribute.ListFields() if item.name in _HELD]
            if filled or kind != AttributeProto.UNDEFINED:
                self._note("OW595", f"{name} has a value and no type of one", _TYPED, _TYPED_HELP)
            return
        if held in _MESSAGES and not attribute.ref_attr_name and not attribute.HasField(held):
            self._note("OW595", f"{name} has no value", f"its type asks for the field {held}", _TYPED_HELP)
            return
        if kind in _PLAIN:
            stranger = next((item for item in ("t", "g", "sparse_tensor", "tp") if attribute.HasField(item)), "")
            if not stranger and (attribute.graphs or attribute.tensors):
                stranger = "graphs" if attribute.graphs else "tensors"
        else:
            filled = [item.name for item, _ in attribute.ListFields() if item.name in _HELD]
            stranger = next((item for item in filled if item != held), "")
        if stranger:
            reason = f"its type is that of the field {held}, and {stranger} has one too"
            self._note("OW595", f"{name} has several values", reason, _TYPED_HELP)
            return
        match kind:
            case AttributeProto.TENSOR:
                self._tensor(attribute.t, name)
            case AttributeProto.TENSORS:
                for tensor in attribute.tensors:
                    self._tensor(tensor, name)
            case AttributeProto.SPARSE_TENSOR:
                self._sparse(attribute.sparse_tensor, name)
            case AttributeProto.SPARSE_TENSORS:
                for sparse in attribute.sparse_tensors:
                    self._sparse(sparse, name)
            case AttributeProto.TYPE_PROTO:
                self._type(attribute.tp, name)
            case AttributeProto.TYPE_PROTOS:
                for type_ in attribute.type_protos:
                    self._type(type_, name)

    def _declarations(self, graph: GraphProto, where: str) -> None:
        for tensor in graph.initializer:
            if not _is_usual_tensor(tensor):
                self._tensor(tensor, f"{where}: the initializer {_shown(tensor.name)}")
        for sparse in graph.sparse_initializer:
            self._sparse(sparse, f"{where}: the initializer {_shown(sparse.values.name)}")
        for values in (graph.input, graph.output, graph.value_info):
            self._values(values, where)

    def _values(self, values: Iterable[ValueInfoProto], where: str) -> None:
        for value in values:
            if value.type.WhichOneof("value") not in _WITHOUT_TYPES:
                self._type(value.type, f"{where}: {_shown(value.name)}")

    def _type(self, type_: TypeProto, where: str) -> None:
        for _ in range(DEEPEST_TYPE):
            match type_.WhichOneof("value"):
                case "sequence_type":
                    type_ = type_.sequence_type.elem_type
                case "optional_type":
                    type_ = type_.optional_type.elem_type
                case "map_type":
                    type_ = type_.map_type.value_type
                case _:
                    return
        text = f"{where} has a type of more than {DEEPEST_TYPE} types inside one another"
        self._note("OW595", text, "protobuf's parsers read no deeper", "declare what the value is")

    def _sparse(self, sparse: SparseTensorProto, where: str) -> None:
        self._sizes(sparse.dims, where)
        self._tensor(sparse.values, where)
        self._tensor(sparse.indices, where)

    def _tensor(self, tensor: TensorProto, where: str) -> None:
        self._sizes(tensor.dims, where)
        for entry in tensor.external_data:
            if entry.key in ("offset", "length") and not _is_position(entry.value):
                text = f"{where} lies in a file at an impossible place: {entry.key} {_shown(entry.value)}"
                reason = f"it must be a number of bytes, 0 to {_LARGEST_INT64}"
                self._note("OW597", text, reason, "write the model again with its weights")

    def _sizes(self, dims: Iterable[int], where: str) -> None:
        total = 1
        smallest = 0
        for count, size in enumerate(dims):
            smallest = min(smallest, size)
            total *= max(size, 1)
            if smallest < 0 or total > _LARGEST_INT64 or count >= _MOST_DIMS:
                text = f"{where} has sizes that no tensor has"
                reason = f"a size is not negative, there are at most {_MOST_DIMS} of them, and 2**63 elements"
                self._note("OW597", text, reason, "write the model again with its weights")
                return

    def _imports(self, imports: Iterable[OperatorSetIdProto], what: str) -> None:
        for item in imports:
            if not -_LARGEST_INT32 <= item.version <= _LARGEST_INT32:
                text = f"{what} imports version {item.version} of {_shown(item.domain or 'ai.onnx')}"
                self._note("OW598", text, _VERSION, _VERSION_HELP)

    def _note(self, code: str, message: str, reason: str, help_text: str) -> None:
        self.problems.append(Diagnostic(code, message, Place(self.file), reason, help_text))


_PLAIN = frozenset({AttributeProto.FLOAT, AttributeProto.INT, AttributeProto.STRING}) | {
    AttributeProto.FLOATS,
    AttributeProto.INTS,
    AttributeProto.STRINGS,
}  # numbers and texts, one or a list of them
_WITHOUT_TYPES = (None, "tensor_type", "sparse_tensor_type")  # that hold no other types
_MOST_DIMS = 64  # numpy's limit
_VERSION = "versions are numbers of 32 bits to every tool"
_VERSION_HELP = "write the version that the model was made for"
_TYPED = "the type of an attribute says which of its fields is read"
_TYPED_HELP = "write the attribute again, with onnx.helper.make_attribute"


# An operator, its domain, how many inputs the node has, and whether it has a first output.
_Kind = tuple[str, str, int, bool]


def _optionals(columns: NodeColumns) -> int:
    """How many nodes are ONNX's `Optional`: functions of other domains may have that name."""
    if OPTIONAL.name not in columns.operators:
        return 0
    pairs = zip(columns.operators, columns.domains, strict=True)
    return sum(name == OPTIONAL.name and not normal_domain(domain) for name, domain in pairs)


def _standard_versions(imports: Iterable[OperatorSetIdProto]) -> dict[str, int]:
    """Of the domains whose operators are looked up: a model may import thousands of others."""
    versions = {normal_domain(item.domain): item.version for item in imports}
    return {domain: versions[domain] for domain in STANDARD_DOMAINS if domain in versions}


def _unusual(columns: NodeColumns, kinds: Set[_Kind]) -> Iterator[tuple[int, NodeProto, _Kind]]:
    """The nodes that are of none of the kinds, by the time when they are reached, or have other attributes than plain
    values."""
    counts = map(sub, columns.ends, columns.begins)
    gives = map(bool, columns.firsts)
    others = columns.with_others
    for index, kind in enumerate(zip(columns.operators, columns.domains, counts, gives, strict=True)):
        if kind not in kinds or index in others:
            yield index, columns.protos[index], kind


def _graphs_of(node: NodeProto) -> Iterator[GraphProto]:
    for attribute in node.attribute:
        if attribute.type == AttributeProto.GRAPH and attribute.HasField("g"):
            yield attribute.g
        elif attribute.type == AttributeProto.GRAPHS:
            yield from attribute.graphs


def _placed(node: NodeProto, index: int, around: str) -> str:
    """What messages call a node that stands there in a graph or function."""
    name = f" {_shown(node.name)}" if node.name else ""
    return f"{around}{', ' if around else ''}node {index}{name} ({_shown(node.op_type)})"


def _is_usual(attribute: AttributeProto) -> bool:
    """Whether an attribute is sure to have one value, of its type, and no graph: found without a message for it."""
    kind = attribute.type
    if kind == AttributeProto.TENSOR:
        fields = attribute.ListFields()
        return len(fields) == 3 and bool(attribute.name) and attribute.HasField("t") and _is_usual_tensor(attribute.t)
    return kind in _PLAIN and not (
        attribute.HasField("t")
        or attribute.HasField("g")
        or attribute.HasField("tp")
        or attribute.HasField("sparse_tensor")
        or attribute.tensors
        or attribute.graphs
    )


def _is_usual_tensor(tensor: TensorProto) -> bool:
    """Whether a tensor is sure to have sizes that a tensor has, and its elements in itself."""
    dims = tensor.dims
    sizes = not dims or (len(dims) <= _MOST_DIMS and min(dims) > 0 and prod(dims) <= _LARGEST_INT64)
    return sizes and not tensor.external_data


def _is_position(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 19 and int(text) <= _LARGEST_INT64


def _shown(text: str) -> str:
    """A name from a stranger, as a message may hold it."""
    short = text if len(text) <= 80 else f"{text[:77]}..."
    return short if short.isprintable() else ascii(short)[1:-1]
