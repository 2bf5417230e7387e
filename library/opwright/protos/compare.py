"""A structural comparison of two functions or two models that says where they part.

Forgiven: the names of values, nodes and graphs, of the compared functions and of the functions a model carries; the
order of nodes where no order is implied; documentation, metadata, types of inner values, symbolic dimensions, opset
imports and the IR version where no operator means anything else; an attribute that is left out where its default
stands on the other side; pure nodes and initializers that nothing reads; functions that nothing calls.

Not forgiven: everything that is computed. Nodes are never merged, so a value that one side shares and the other
computes twice is a difference, random or not.

Both sides are walked together, depth first from the outputs, so the first difference is reached on a path that both
have. Each node is visited once and nothing recurses; nesting, chains and calls may be as deep as memory allows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from onnx import FunctionProto, GraphProto, ModelProto, NodeProto, SparseTensorProto, TypeProto

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError
from opwright.graphs.ids import FunctionId
from opwright.graphs.model_forms import AnyModel, given_model
from opwright.graphs.own_class import is_of
from opwright.graphs.structure import check_structure
from opwright.graphs.walk import subgraphs_by_name
from opwright.protos.canonical_operators import Operator
from opwright.protos.canonical_tensors import RefusedError, encode_sparse_tensor, encode_tensor, encode_type
from opwright.protos.difference import Comparison, DifferenceError, DifferenceKind, Part, Step, Trail
from opwright.protos.digest import HasFunctionProto
from opwright.protos.node_attributes import check_attributes, function_attributes
from opwright.protos.node_text import node_text, tensor_text, type_text
from opwright.protos.scopes import (
    Body,
    LocalFunction,
    Meaning,
    Scope,
    Source,
    Tensor,
    function_scope,
    graph_scope,
    pair,
    trimmed,
)

Comparable = FunctionProto | HasFunctionProto | AnyModel
Task = Iterator["Task | None"]  # yields what is to be done before it goes on


def compare(left: Comparable, right: Comparable) -> Comparison:
    """Whether two functions, or two models, compute the same by the same structure; if not, where they part.

    A side is a FunctionProto, a function under `@script`, or a model: a ModelProto, the bytes of one, a path, an
    onnx_ir.Model or a torch.onnx.ONNXProgram. Inputs and outputs correspond by position, the attributes of functions by
    name. Functions that a model carries are compared where they are called, whatever they are called; functions that
    are not there must agree in domain, name and overload.

    Raises DiagnosticError: OW580 when a side is malformed or keeps tensors in other files (a path is fine), OW550,
    OW551, OW578 and OW579 when a side is none of these; TypeError when one side is a function and the other a model.
    """
    one, other = _read(left), _read(right)
    try:
        if isinstance(one, FunctionProto) and isinstance(other, FunctionProto):
            _Comparison({}, {}).functions(one, other)
        elif isinstance(one, ModelProto) and isinstance(other, ModelProto):
            _Comparison(_carried(one), _carried(other)).models(one, other)
        else:
            raise TypeError(f"cannot compare {type(one).__name__} with {type(other).__name__}")
    except DifferenceError as found:
        return Comparison(found.difference)
    except RefusedError as refused:
        help_ = "compare the models' files, by their paths" if "another file" in str(refused) else ""
        text = "the two cannot be compared"
        raise DiagnosticError([Diagnostic("OW580", text, reason=str(refused), help=help_)]) from None
    return Comparison()


def _read(side: Comparable) -> FunctionProto | ModelProto:
    if is_of(side, FunctionProto):
        return side
    if is_of(side, HasFunctionProto):  # type: ignore[type-abstract]
        return side.to_function_proto()
    given = given_model(side, also=", or a function")
    if given.tensors is not None:
        check_structure(given.proto, given.file)
    return given.whole()


def _carried(model: ModelProto) -> dict[FunctionId, LocalFunction]:
    return {item.identity: item for item in map(LocalFunction, model.functions)}


class _Comparison:
    """One comparison: the functions of both sides, and the pairs of them that are to be equal."""

    def __init__(self, left: dict[FunctionId, LocalFunction], right: dict[FunctionId, LocalFunction]) -> None:
        self.left = left
        self.right = right
        self.pending: list[tuple[LocalFunction, LocalFunction]] = []
        self.classes: dict[int, int] = {}

    def functions(self, left: FunctionProto, right: FunctionProto) -> None:
        function_attributes(LocalFunction(left), LocalFunction(right), None)
        self._function(left, right, None)

    def models(self, left: ModelProto, right: ModelProto) -> None:
        _run(self._graph(left.graph, right.graph, Body(left, self.left), Body(right, self.right), (None, None), None))
        training = [model.training_info for model in (left, right)]
        if list(training[0]) != list(training[1]):
            counts = [f"{len(items)} training graphs" for items in training]
            raise DifferenceError(DifferenceKind.TRAINING, None, *counts)
        while self.pending:
            one, other = self.pending.pop()
            path = (None, Step(Part.FUNCTION, name="::".join(one.identity[:2])))
            function_attributes(one, other, path)
            self._function(one.proto, other.proto, path)

    def _function(self, left: FunctionProto, right: FunctionProto, path: Trail | None) -> None:
        _check_number(DifferenceKind.INPUTS, left.input, right.input, path)
        _check_number(DifferenceKind.OUTPUTS, left.output, right.output, path)
        one, left_outputs = function_scope(left, Body(left, self.left))
        other, right_outputs = function_scope(right, Body(right, self.right))
        pair(one, other)
        _run(self._outputs(one, other, left.output, left_outputs, right_outputs, path))

    def _graph(
        self,
        left: GraphProto,
        right: GraphProto,
        left_body: Body,
        right_body: Body,
        parents: tuple[Scope | None, Scope | None],
        path: Trail | None,
    ) -> Task:
        _check_number(DifferenceKind.INPUTS, [v.name for v in left.input], [v.name for v in right.input], path)
        _check_number(DifferenceKind.OUTPUTS, [v.name for v in left.output], [v.name for v in right.output], path)
        one, left_outputs = graph_scope(left, left_body, parents[0])
        other, right_outputs = graph_scope(right, right_body, parents[1])
        pair(one, other)
        for part, values in ((Part.INPUT, (left.input, right.input)), (Part.OUTPUT, (left.output, right.output))):
            for index, (a, b) in enumerate(zip(*values, strict=True)):
                if a.type != b.type and _type_encoding(a.type) != _type_encoding(b.type):
                    step = (path, Step(part, index, a.name))
                    raise DifferenceError(DifferenceKind.TYPE, step, type_text(a), type_text(b))
        for index, (a, b) in enumerate(zip(left.input, right.input, strict=True)):
            tensors = (one.initializers.get(a.name), other.initializers.get(b.name))
            _check_tensors(*tensors, (path, Step(Part.INPUT, index, a.name)))
        names = [value.name for value in left.output]
        yield from self._outputs(one, other, names, left_outputs, right_outputs, path)

    def _outputs(
        self,
        left: Scope,
        right: Scope,
        shown: Sequence[str],
        left_names: Sequence[str],
        right_names: Sequence[str],
        path: Trail | None,
    ) -> Task:
        for index, (one, other) in enumerate(zip(left_names, right_names, strict=True)):
            yield self._value(left, one, right, other, (path, Step(Part.OUTPUT, index, shown[index])))
        yield from self._unread(left, right, path)

    def _unread(self, left: Scope, right: Scope, path: Trail | None) -> Task:
        """Nodes that must stay though nothing reads them: the same ones, in the same order."""
        count = 0
        ours, theirs = _kept(left), _kept(right)
        while True:
            one, other = next(ours, None), next(theirs, None)
            if one is None and other is None:
                return
            if one is None or other is None:
                texts = (
                    "none" if index is None else node_text(scope.nodes[index])
                    for scope, index in ((left, one), (right, other))
                )
                raise DifferenceError(DifferenceKind.EFFECTS, path, *texts)
            left.met[one], right.met[other] = other, one
            yield self._node(left, one, right, other, (path, Step(Part.UNREAD, count)))
            count += 1

    def _value(self, left: Scope, one: str, right: Scope, other: str, path: Trail) -> Task | None:
        """Checks that two names stand for the same; gives what remains to be done for that."""
        if not one or not other:
            if one or other:
                raise DifferenceError(DifferenceKind.ARGUMENTS, path, one or "absent", other or "absent")
            return None
        ours, theirs = left.find(one), right.find(other)
        alike = (ours.node is None) == (theirs.node is None) and ours.index == theirs.index
        if not alike or ours.scope.twin is not theirs.scope:
            raise DifferenceError(DifferenceKind.VALUE, path, _origin(ours, one), _origin(theirs, other))
        if ours.node is None or theirs.node is None:
            if ours.index is None:
                _check_initializers(ours.scope, one, theirs.scope, other, path)
            return None
        met, back = ours.scope.met[ours.node], theirs.scope.met[theirs.node]
        if met == theirs.node:
            return None
        if met is not None or back is not None:
            raise DifferenceError(DifferenceKind.SHARING, path, _shared(ours, met), _shared(theirs, back))
        ours.scope.met[ours.node], theirs.scope.met[theirs.node] = theirs.node, ours.node
        return self._node(ours.scope, ours.node, theirs.scope, theirs.node, path)

    def _node(self, left: Scope, ours: int, right: Scope, theirs: int, path: Trail) -> Task:
        one, other = left.nodes[ours], right.nodes[theirs]
        meanings = (left.body.meaning(one), right.body.meaning(other))
        self._check_meanings(one, other, *meanings, path)
        left_names, right_names = trimmed(one.input), trimmed(other.input)
        results = [
            list(map(bool, trimmed(node.output) if _trims_outputs(meaning) else node.output))
            for node, meaning in zip((one, other), meanings, strict=True)
        ]
        if len(left_names) != len(right_names):
            raise DifferenceError(DifferenceKind.ARGUMENTS, path, node_text(one), node_text(other))
        if results[0] != results[1]:
            raise DifferenceError(DifferenceKind.RESULTS, path, node_text(one), node_text(other))
        if one.attribute or other.attribute:
            check_attributes(one, other, *meanings, path)
        for index, names in enumerate(zip(left_names, right_names, strict=True)):
            step = Step(Part.ARGUMENT, index, operator=one.op_type)
            yield self._value(left, names[0], right, names[1], (path, step))
        for (name, graphs), (_, others) in zip(subgraphs_by_name(one), subgraphs_by_name(other), strict=True):
            for index, (graph, twin) in enumerate(zip(graphs, others, strict=True)):
                step = Step(Part.GRAPH, index, name, one.op_type)
                yield self._graph(graph, twin, left.body, right.body, (left, right), (path, step))

    def _check_meanings(self, one: NodeProto, other: NodeProto, ours: Meaning, theirs: Meaning, path: Trail) -> None:
        if isinstance(ours, LocalFunction) and isinstance(theirs, LocalFunction):
            if self._join(id(ours), id(theirs)):
                self.pending.append((ours, theirs))
            return
        if isinstance(ours, Operator) and isinstance(theirs, Operator):
            if ours.encoding == theirs.encoding and one.overload == other.overload:
                return
            if (one.domain, one.op_type, one.overload) == (other.domain, other.op_type, other.overload):
                texts = (node_text(one, ours.since_version), node_text(other, theirs.since_version))
                raise DifferenceError(DifferenceKind.OPERATOR, path, *texts)
        raise DifferenceError(DifferenceKind.OPERATOR, path, node_text(one), node_text(other))

    def _join(self, left: int, right: int) -> bool:
        """Whether two functions were not yet taken for equal; they are from now on.

        Equality is transitive, so n functions are told apart by fewer than n comparisons: a union of classes.
        """
        one, other = self._class(left), self._class(right)
        self.classes[one] = other
        return one != other

    def _class(self, function: int) -> int:
        found = function
        while (above := self.classes.get(found, found)) != found:
            self.classes[found] = self.classes.get(above, above)
            found = above
        return found


def _run(task: Task) -> None:
    """Runs a task and those that it asks for, depth first."""
    stack = [task]
    while stack:
        for asked in stack[-1]:
            if asked is not None:
                stack.append(asked)
                break
        else:
            stack.pop()


def _kept(scope: Scope) -> Iterator[int]:
    """The nodes that are not met when they are reached, and are not pure."""
    for index, node in enumerate(scope.nodes):
        if scope.met[index] is None and not scope.body.is_pure(node):
            yield index


def _trims_outputs(meaning: Meaning) -> bool:
    return isinstance(meaning, LocalFunction) or meaning.trims_outputs


def _type_encoding(type_proto: TypeProto) -> bytes:
    return encode_type(type_proto)[0] if type_proto.WhichOneof("value") else b""


def _check_number(kind: DifferenceKind, left: Sequence[str], right: Sequence[str], path: Trail | None) -> None:
    if len(left) != len(right):
        texts = (f"{len(names)}: {', '.join(names)}" if names else "none" for names in (left, right))
        raise DifferenceError(kind, path, *texts)


def _check_initializers(left: Scope, one: str, right: Scope, other: str, path: Trail) -> None:
    met, back = left.renamed.get(one), right.renamed.get(other)
    if met == other and back == one:
        return
    if met is not None or back is not None:
        raise DifferenceError(DifferenceKind.SHARING, path, _used(one, met), _used(other, back))
    left.renamed[one], right.renamed[other] = other, one
    _check_tensors(left.initializers[one], right.initializers[other], path)


def _check_tensors(left: Tensor | None, right: Tensor | None, path: Trail) -> None:
    if left is None and right is None:
        return
    if left is None or right is None or _encoding(left) != _encoding(right):
        texts = ("none" if tensor is None else tensor_text(tensor) for tensor in (left, right))
        raise DifferenceError(DifferenceKind.INITIALIZER, path, *texts)


def _encoding(tensor: Tensor) -> tuple[bool, bytes]:
    if isinstance(tensor, SparseTensorProto):
        return True, encode_sparse_tensor(tensor)[0]
    return False, encode_tensor(tensor)[0]


def _origin(source: Source, name: str) -> str:
    """A name with what it stands for."""
    if source.node is not None:
        return node_text(source.scope.nodes[source.node])
    if source.index is not None:
        return f"input {source.index} ({name})"
    return f"initializer {name}"


def _shared(source: Source, met: int | None) -> str:
    assert source.node is not None
    return _used(node_text(source.scope.nodes[source.node]), met)


def _used(text: str, met: object) -> str:
    return f"{text}, {'here for the first time' if met is None else 'used before'}"
