"""Whole functions on one session each: what a call of this kind did as Python, done again on other data.

The first call of a kind runs as Python. The second does so too, and is traced; from the third on the trace runs as one
graph. Python is asked again whenever something may be different: a debugger follows, a name around the function means
something else, an array has another size than it declares, the graph fails.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from inspect import Parameter
from typing import TYPE_CHECKING, Any

import numpy as np

from opwright.eager.described import describe_function
from opwright.eager.kept import Kept
from opwright.eager.replay import Unkeyed, is_kept, static_key
from opwright.eager.settings import Settings
from opwright.eager.tensor import Tensor, make_tensor
from opwright.eager.trace import Trace
from opwright.functions import OnnxFunction

if TYPE_CHECKING:
    from opwright.eager.whole_graph import Graph

KEPT = 256  # kinds of calls; a session takes some 50 KiB and more
_ATTEMPTS = 4  # names around a function that change with every call would cost a trace each time
_DEBUGGER, _COVERAGE = 0, 1  # ids of sys.monitoring's tools, by which newer Pythons have lines followed
_get_tool: Callable[[int], object] | None = getattr(getattr(sys, "monitoring", None), "get_tool", None)

Plainly = Callable[[OnnxFunction, Sequence[object], Mapping[str, object], Trace | None], Any]


class Table:
    """A function as it is now: which of its parameters are attributes."""

    __slots__ = ("_attributes", "_defaults", "_seen", "described", "named", "positional", "variadic")

    def __init__(self, function: OnnxFunction) -> None:
        self._seen = _parts(function)
        self.described = describe_function(function)
        self._defaults = self.described.defaults or None  # most functions have none that may change in place
        attributes = {item.name for item in self.described.interface.attributes}
        parameters = self.described.signature.parameters.values()
        self.named = {item.name: item.name in attributes for item in parameters}
        kinds = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
        self.positional = [(item.name, self.named[item.name]) for item in parameters if item.kind in kinds]
        self.variadic = next((item.name for item in parameters if item.kind is Parameter.VAR_POSITIONAL), None)
        self._attributes = [is_attribute for _, is_attribute in self.positional]

    def is_attribute(self, index: int) -> bool:
        """Whether a positional argument is an attribute."""
        return index < len(self._attributes) and self._attributes[index]

    def holds(self, function: OnnxFunction) -> bool:
        wrapped, code, defaults, keywords, annotations = self._seen
        now = function.__wrapped__
        return (
            now is wrapped
            and now.__code__ is code
            and now.__defaults__ is defaults
            and now.__kwdefaults__ is keywords
            and now.__annotations__ is annotations
            and (self._defaults is None or self._defaults.still_hold())
        )


def _parts(function: OnnxFunction) -> tuple[Any, ...]:
    found = function.__wrapped__
    return found, found.__code__, found.__defaults__, found.__kwdefaults__, found.__annotations__


class _Kind:
    """Calls of one kind: seen once, or with the graph that does them, or such that only Python does."""

    __slots__ = ("attempts", "by_sizes", "graph", "only_plainly", "used")

    def __init__(self) -> None:
        self.attempts = 0  # of making a graph
        self.graph: Graph | None = None
        self.by_sizes = False  # what is done depends on sizes: each is a separate kind
        self.only_plainly = False
        self.used = False

    def drop(self) -> None:
        self.graph = None


_KINDS: Kept[_Kind] = Kept(KEPT)


def call_whole(
    function: OnnxFunction, settings: Settings, args: Sequence[object], kwargs: Mapping[str, object], plainly: Plainly
) -> Any:
    """What `plainly` gives, by a graph where there is one for this kind of call, and no debugger or tracer watches."""
    if sys.gettrace() is not None or (
        _get_tool is not None and (_get_tool(_DEBUGGER) is not None or _get_tool(_COVERAGE) is not None)
    ):
        return plainly(function, args, kwargs, None)
    table: Table | None = function.whole
    if table is None or not table.holds(function):
        table = function.whole = Table(function)
    key: list[object] = [table, settings.evaluators, settings.forced, settings.running, len(args)]
    data: list[Any] = []
    gives_tensors = settings.running is not None
    try:
        for index, value in enumerate(args):
            if type(value) is np.ndarray:
                key += (value.dtype, value.ndim)
                data.append(value)
            elif _add_argument(key, data, value, table.is_attribute(index)):
                gives_tensors = True
        if kwargs:
            for name, value in kwargs.items():
                key.append(name)
                if _add_argument(key, data, value, table.named.get(name, False)):
                    gives_tensors = True
    except Unkeyed:
        return plainly(function, args, kwargs, None)
    kind = _KINDS.get(tuple(key))
    shaped = False
    if kind is not None and kind.by_sizes:
        kind.used = shaped = True
        key += map(np.shape, data)
        kind = _KINDS.get(tuple(key))
    if kind is None:
        _KINDS.keep(tuple(key), _Kind())
        return plainly(function, args, kwargs, None)
    kind.used = True
    graph = kind.graph
    if graph is None or not graph.still_holds(function):
        if kind.only_plainly:
            return plainly(function, args, kwargs, None)
        return _prepare(function, table, kind, shaped, data, args, kwargs, plainly)
    results = graph.run(data)
    if results is None:
        return plainly(function, args, kwargs, None)
    if gives_tensors:
        results = [make_tensor(item) for item in results]
    return tuple(results) if graph.gives_tuple else results[0]


def _prepare(
    function: OnnxFunction,
    table: Table,
    kind: _Kind,
    shaped: bool,
    data: Sequence[Any],
    args: Sequence[object],
    kwargs: Mapping[str, object],
    plainly: Plainly,
) -> Any:
    """The results as Python gives them; and the graph for the next call of this kind, where there can be one."""
    kind.attempts += 1
    kind.graph = None
    kind.only_plainly = True  # where Python fails too
    trace = Trace()
    results = plainly(function, args, kwargs, trace)
    if all(map(is_kept, data)) and kind.attempts < _ATTEMPTS:
        from opwright.eager.whole_graph import make_graph  # with the compiler, which few calls need

        kind.graph = make_graph(function, table.described, trace, _given(table, args, kwargs), shaped)
        kind.by_sizes = not shaped and trace.needs_sizes
        kind.only_plainly = kind.graph is None and not kind.by_sizes
    return results


def _given(table: Table, args: Sequence[object], kwargs: Mapping[str, object]) -> list[tuple[tuple[str, int], object]]:
    """The inputs of a call in its order: by parameter, with the place in a variadic one."""
    count = len(table.positional)
    named = [((name, 0), value) for (name, _), value in zip(table.positional, args, strict=False)]
    spread = [((table.variadic or "", index), value) for index, value in enumerate(args[count:])]
    found = [*named, *spread, *(((name, 0), value) for name, value in kwargs.items())]
    return [(item, value) for item, value in found if value is not None and not table.named.get(item[0], False)]


def _add_argument(key: list[object], data: list[Any], value: Any, is_attribute: bool) -> bool:
    """As `add_operand`; a number that is an input is an array, whatever its value. Says whether it is a tensor."""
    kind = type(value)
    if kind is np.ndarray:
        key += (value.dtype, value.ndim)
        data.append(value)
    elif kind is Tensor and value.other is None:
        array = value.data
        key += (array.dtype, array.ndim)
        data.append(array)
        return True
    elif is_attribute or value is None:
        key.append(static_key(value))
    elif kind is float or kind is int or kind is bool:
        key.append(kind)
        data.append(value)
    elif isinstance(value, np.generic):
        key += (value.dtype, 0)
        data.append(np.asarray(value))
    else:
        raise Unkeyed
    return False
