"""Calls of an operator of PyTorch as calls of the function that implements it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import chain, repeat
from typing import Any

import numpy as np
from opwright.aten.array_calls import facts_of_array, input_array
from opwright.aten.binding import Binding, bind_operator
from opwright.aten.call import FunctionCall, NoCall, call_of_operator
from opwright.bundle.format import FunctionEntry, ImplementsEntry, OutputEntry
from opwright.graphs.ndarrays import DTYPES

from opwright_build.verify.case_model import Value
from opwright_build.verify.cases.bindings import Unbound
from opwright_build.verify.cases.stored.stored_rows import StoredVector


def under_operator(vector: StoredVector, entry: FunctionEntry) -> StoredVector:
    """The vector with what the function is given, and what it should give, for the operator's call. Raises Unbound."""
    assert vector.call is not None
    if entry.implements is None:
        raise Unbound("it is a call of an operator of PyTorch, and the spec names none that it implements")
    binding = _binding(entry.implements, _Interface(entry))
    try:
        call = call_of_operator(binding, vector.call.args, vector.call.kwargs, facts_of_array)
    except NoCall as error:
        raise Unbound(str(error)) from None
    outputs = vector.outputs
    assert isinstance(outputs, tuple)
    exact = vector.exact
    if call.result is not None:
        exact = exact or outputs
        outputs = tuple(
            _as_computed(value, formal, call) for value, formal in zip(exact, _formals(entry), strict=False)
        )
    if call.to_rank_0:
        outputs, exact = tuple(map(_of_rank_1, outputs)), tuple(map(_of_rank_1, exact))
    return replace(
        vector,
        attributes=call.attributes,
        inputs=tuple(None if item is None else input_array(item) for item in call.inputs),
        outputs=outputs,
        exact=exact,
        checked=True,
        call=None,
    )


def _formals(entry: FunctionEntry) -> Iterator[OutputEntry]:
    """The function's outputs, the last one again and again."""
    return chain(entry.outputs, repeat(entry.outputs[-1]))


def _as_computed(value: Value | None, formal: OutputEntry, call: FunctionCall) -> Value | None:
    """What the function gives in the type in which it computes, where the operator's result is cast from it."""
    element = call.elements.get(formal.type)
    if element is None or not isinstance(value, np.ndarray):
        return value
    with np.errstate(over="ignore"):  # double is computed on the way, and beyond the range is infinite in float
        return value.astype(DTYPES[element])


def _of_rank_1(value: Value | None) -> Value | None:
    """What the function gives for a tensor of one element, where the operator gives a scalar."""
    return value.reshape(1) if isinstance(value, np.ndarray) else value


class _Interface:
    """An entry by its interface alone: bodies are many, and no part of a binding."""

    def __init__(self, entry: FunctionEntry) -> None:
        self.entry = entry
        self._key = (entry.identity, entry.inputs, entry.outputs, entry.attributes, entry.types)

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, _Interface) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)


@lru_cache(maxsize=512)
def _binding(implements: ImplementsEntry, interface: _Interface) -> Binding:
    bound = bind_operator(implements, interface.entry)
    assert isinstance(bound, Binding), "a version that does not fit its operator is not compiled"
    return bound
