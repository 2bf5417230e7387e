"""The graph of a traced function: a session, and what has to be as it was when the trace was made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from opwright import types
from opwright.diagnostics.diagnostic import DiagnosticWarning
from opwright.eager.described import Described
from opwright.eager.operations import make_scalar
from opwright.eager.ort import load_whole
from opwright.eager.outcome import NoKernel
from opwright.eager.settings import opset_in_force
from opwright.eager.trace import Trace, Untraceable
from opwright.elements import ElementType
from opwright.functions import OnnxFunction
from opwright.graphs.ndarrays import element_of
from opwright.lang.meaning.interface import Arity
from opwright.live.compiled import target_opset
from opwright.live.dependencies import Dependencies, names_its_opset, read_dependencies

Check = Callable[[Sequence[Any]], bool]
Parameter = tuple[str, int]  # an input, with the place in a variadic one


class Graph:
    """What a function does with arguments of one kind."""

    __slots__ = (
        "_checks",
        "_dependencies",
        "_layout",
        "_names",
        "_opset",
        "_outputs",
        "_run",
        "_scalars",
        "gives_tuple",
    )

    def __init__(
        self,
        run: Callable[..., list[Any]],
        names: list[str],
        results: list[str],
        gives_tuple: bool,
        scalars: list[tuple[int, ElementType]],
        checks: list[Check],
        dependencies: Dependencies,
        opset: int | None,
    ) -> None:
        self._run = run
        self._names = names
        self._outputs = list(dict.fromkeys(results))
        self.gives_tuple = gives_tuple
        self._layout = None if self._outputs == results else [self._outputs.index(name) for name in results]
        self._scalars = scalars  # the data that are numbers, and the element types that they take
        self._checks = checks  # of sizes that are declared
        self._dependencies = dependencies
        self._opset = opset  # where something around the function says which

    def still_holds(self, function: OnnxFunction) -> bool:
        """Whether the names around the function mean what they did."""
        if self._opset is not None and target_opset(function, None) != self._opset:
            return False
        return self._dependencies.still_hold()

    def run(self, data: list[Any]) -> list[Any] | None:
        """The results; None where Python must say what is wrong."""
        for check in self._checks:
            if not check(data):
                return None
        try:
            for index, element in self._scalars:
                made = make_scalar(element, data[index]).data
                if type(data[index]) is int and int(made) != data[index]:
                    return None  # rounded, which is refused where another number has made it a float
                data[index] = made
            found = self._run(self._outputs, dict(zip(self._names, data, strict=True)), None)
        except Exception:  # a number that does not fit, or onnxruntime's errors, which share no base class
            return None
        return found if self._layout is None else [found[index] for index in self._layout]


def make_graph(
    function: OnnxFunction,
    described: Described,
    trace: Trace,
    given: Sequence[tuple[Parameter, Any]],
    shaped: bool,
) -> Graph | None:
    """The graph of a trace, for the inputs as a call gives them; None where there can be none.

    `shaped`: for inputs of these sizes alone.
    """
    if trace.problem:
        return None
    try:
        results = trace.outputs()
        model = trace.model(trace.opset(), list(dict.fromkeys(results)), shaped)
        trace.check_use(model.graph)
        if not trace.follows(model, shaped):
            return None
        dependencies = _dependencies(function, described, trace)
        if dependencies is None:
            return None
        session = load_whole(model)
    except (Untraceable, NoKernel, DiagnosticWarning):  # the last where filters make errors of them
        return None
    parameters = [item for item, _ in given]
    names = [trace.input_name(list(trace.inputs).index(item)) for item in parameters]
    scalars: list[tuple[int, ElementType]] = []
    for index, (item, value) in enumerate(given):
        element = element_of(trace.inputs[item])
        if type(value) in (int, float, bool) and element is not None:
            scalars.append((index, element))
    around = None if names_its_opset(function) else target_opset(function, None)
    checks = _checks(described, parameters)
    return Graph(session._sess.run, names, results, trace.gives_tuple, scalars, checks, dependencies, around)


def _dependencies(function: OnnxFunction, described: Described, trace: Trace) -> Dependencies | None:
    """None where the body is not one that a graph can do: then it may print, or change something."""
    given: dict[str, Any] = {}
    for item in described.interface.inputs:
        arrays = {place: array for (name, place), array in trace.inputs.items() if name == item.name}
        kinds = {place: _annotation(element_of(array), array.ndim) for place, array in arrays.items()}
        several = [kinds.get(place) for place in range(max(kinds, default=-1) + 1)]
        given[item.name] = several if item.arity is Arity.VARIADIC else kinds.get(0)
    opset = opset_in_force(target_opset(function, None))
    return read_dependencies(function, opset, given, trace.attributes)


def _annotation(element: ElementType | None, rank: int) -> object:
    assert element is not None
    found = getattr(types, element.name.upper())
    return found[(None,) * rank] if rank else found


def _checks(described: Described, parameters: Sequence[Parameter]) -> list[Check]:
    """The sizes that the annotations promise: `FLOAT[2, "N"]`. Ranks are a part of the kind of call."""
    found: list[Check] = []
    seen: dict[str, tuple[int, int]] = {}
    for index, (name, _) in enumerate(parameters):
        declared = described.declaration.inputs.get(name)
        for axis, dim in enumerate((declared and declared.dimensions) or ()):
            if isinstance(dim, int):
                found.append(_is_size(index, axis, dim))
            elif isinstance(dim, str):
                first = seen.setdefault(dim, (index, axis))
                if first != (index, axis):
                    found.append(_is_same_size(index, axis, *first))
    return found


def _is_size(index: int, axis: int, size: int) -> Check:
    return lambda data: data[index].shape[axis] == size


def _is_same_size(index: int, axis: int, other: int, other_axis: int) -> Check:
    return lambda data: data[index].shape[axis] == data[other].shape[other_axis]
