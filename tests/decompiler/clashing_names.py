"""Models whose graphs name their values from a small pool, as far as ONNX lets them: by all that is not visible."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from onnx import FunctionProto, GraphProto, ModelProto, NodeProto, TensorProto, ValueInfoProto, helper

_POOL = tuple("abcdef")
_DEEPEST = 3
_LAST = 4  # values, of which most nodes read one
_FLOAT, _BOOL, _INT64 = TensorProto.FLOAT, TensorProto.BOOL, TensorProto.INT64
_OPSET = helper.make_opsetid("", 21)
_INPUTS = ("x", "n", "t")


def clashing_model(seed: int) -> ModelProto:
    """A model that takes `x` (float[2]), `n` (int64, the trips of all loops) and `t` (bool)."""
    return _model(_Drawn(seed, has_scans=True).body())


def calling_clashing_function(seed: int) -> ModelProto:
    """One with all of it in a function: without a Scan, which wants ranks that nothing says there."""
    body = _Drawn(seed, has_scans=False).body()
    function = helper.make_function("my", "F", _INPUTS, body.results, body.nodes, [_OPSET])
    call = helper.make_node("F", _INPUTS, body.results, domain="my")
    return _model(_Body([call], body.results), function)


def _model(body: _Body, *functions: FunctionProto) -> ModelProto:
    inputs = [_value("x", _FLOAT, 2), _value("n", _INT64), _value("t", _BOOL)]
    graph = helper.make_graph(body.nodes, "g", inputs, [_value(name, _FLOAT, 2) for name in body.results])
    imports = [_OPSET, *(helper.make_opsetid(item.domain, 1) for item in functions)]
    return helper.make_model(graph, ir_version=10, opset_imports=imports, functions=functions)


@dataclass
class _Body:
    nodes: list[NodeProto]
    results: list[str]


@dataclass
class _Scope:
    """A graph that is being made: the values that its nodes may read, and the names that they may not give."""

    floats: list[str]
    bools: list[str]
    visible: set[str]
    own: list[str] = field(default_factory=list)  # those of `floats` that its nodes give
    nodes: list[NodeProto] = field(default_factory=list)
    tensors: list[TensorProto] = field(default_factory=list)

    def inner(self) -> _Scope:
        """A graph inside the next node."""
        return _Scope([*self.floats], [*self.bools], {*self.visible})


class _Drawn:
    def __init__(self, seed: int, has_scans: bool) -> None:
        self._random = random.Random(seed)
        self._kinds = [self._if, self._loop, self._loop, *([self._scan] if has_scans else [])]
        self._count = 0

    def body(self) -> _Body:
        scope = _Scope(["x"], ["t"], {*_INPUTS})
        self._fill(scope, 0)
        self._control(scope, 0)
        return _Body(scope.nodes, self._results(scope, 2))

    def _fill(self, scope: _Scope, depth: int) -> None:
        if depth and self._random.random() < 0.3:
            name = self._name(scope)
            scope.tensors.append(helper.make_tensor(name, _FLOAT, [2], self._numbers()))
            scope.floats.append(name)
        for _ in range(self._random.randint(1, 3)):
            kind = self._random.random()
            if kind < 0.4 and depth < _DEEPEST:
                self._control(scope, depth)
            elif kind < 0.5:
                self._condition(scope)
            elif kind < 0.6:
                scope.floats.append(self._node(scope, "Constant", [], value_floats=self._numbers()))
            else:
                operator, count = self._random.choice([("Neg", 1), ("Sin", 1), ("Add", 2), ("Sub", 2)])
                self._float(scope, operator, [self._read(scope) for _ in range(count)])

    def _control(self, scope: _Scope, depth: int) -> None:
        self._random.choice(self._kinds)(scope, depth + 1)

    def _if(self, scope: _Scope, depth: int) -> None:
        count = self._random.randint(1, 2)
        branches = {}
        for name in ("then_branch", "else_branch"):
            inner = scope.inner()
            self._fill(inner, depth)
            branches[name] = _graph(inner, [], [_value(given, _FLOAT, 2) for given in self._results(inner, count)])
        condition = self._random.choice(scope.bools)
        outputs = self._names(scope, count)
        scope.nodes.append(helper.make_node("If", [condition], outputs, **branches))
        _add(scope, outputs)

    def _loop(self, scope: _Scope, depth: int) -> None:
        count, collects = self._random.randint(1, 2), self._random.random() < 0.3
        inputs = ["n", self._random.choice(["", *scope.bools]), *(self._read(scope) for _ in range(count))]
        inner = scope.inner()
        index, going, *states = self._names(inner, 2 + count)
        inner.floats += states
        inner.bools.append(going)
        self._fill(inner, depth)
        if self._random.random() < 0.5:
            number = self._node(inner, "Cast", [index], to=_FLOAT)
            self._float(inner, "Sub", [self._read(inner), number])
        on = self._node(inner, "Identity", [going]) if self._random.random() < 0.5 else self._condition(inner)
        given = [_value(name, _FLOAT, 2) for name in self._results(inner, count + collects)]
        taken = [_value(index, _INT64), _value(going, _BOOL), *(_value(name, _FLOAT, 2) for name in states)]
        outputs = self._names(scope, count + collects)
        body = _graph(inner, taken, [_value(on, _BOOL), *given])
        scope.nodes.append(helper.make_node("Loop", inputs, outputs, body=body))
        _add(scope, outputs[:count])

    def _scan(self, scope: _Scope, depth: int) -> None:
        axis = self._node(scope, "Constant", [], value_ints=[0])
        inputs = [self._read(scope), self._node(scope, "Unsqueeze", [self._read(scope), axis])]
        inner = scope.inner()
        taken = self._names(inner, 2)
        inner.floats += taken
        self._fill(inner, depth)
        given = self._results(inner, 2)
        outputs = self._names(scope, 2)
        body = _graph(inner, *([_value(name, _FLOAT, 2) for name in names] for names in (taken, given)))
        scope.nodes.append(helper.make_node("Scan", inputs, outputs, body=body, num_scan_inputs=1))
        _add(scope, outputs[:1])

    def _condition(self, scope: _Scope) -> str:
        """Whether one value is smaller than another."""
        both = self._node(scope, "Less", [self._read(scope), self._read(scope)])
        index = self._node(scope, "Constant", [], value_int=self._random.randint(0, 1))
        scope.bools.append(self._node(scope, "Gather", [both, index]))
        return scope.bools[-1]

    def _float(self, scope: _Scope, operator: str, inputs: Sequence[str]) -> None:
        _add(scope, [self._node(scope, operator, inputs)])

    def _node(self, scope: _Scope, operator: str, inputs: Sequence[str], **attributes: object) -> str:
        name = self._name(scope)
        scope.nodes.append(helper.make_node(operator, inputs, [name], **attributes))
        return name

    def _results(self, scope: _Scope, count: int) -> list[str]:
        """What a graph gives: values of its nodes, each another one."""
        while len(scope.own) < count:
            self._float(scope, "Neg", [self._read(scope)])
        return self._random.sample(scope.own, count)

    def _read(self, scope: _Scope) -> str:
        return self._random.choice(scope.floats[-_LAST:] if self._random.random() < 0.7 else scope.floats)

    def _numbers(self) -> list[float]:
        return [self._random.randint(1, 9) / 8 for _ in range(2)]

    def _names(self, scope: _Scope, count: int) -> list[str]:
        return [self._name(scope) for _ in range(count)]

    def _name(self, scope: _Scope) -> str:
        """A name for a new value: one of the pool while there are any."""
        free = [name for name in _POOL if name not in scope.visible]
        self._count += 1
        name = self._random.choice(free) if free else f"v{self._count}"
        scope.visible.add(name)
        return name


def _add(scope: _Scope, names: Sequence[str]) -> None:
    """Notes values of type float[2] that a node gives."""
    scope.floats += names
    scope.own += names


def _graph(scope: _Scope, taken: Sequence[ValueInfoProto], given: Sequence[ValueInfoProto]) -> GraphProto:
    return helper.make_graph(scope.nodes, "g", taken, given, scope.tensors)


def _value(name: str, element: int, *dims: int) -> ValueInfoProto:
    return helper.make_tensor_value_info(name, element, dims)
