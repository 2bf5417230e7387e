"""Models run on inputs that are drawn, on onnx's reference evaluator, with an end.

A run ends when it has taken so many nodes: a model may say that a loop has 2**40 trips.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any

import numpy as np
from onnx import ModelProto, TypeProto
from onnx.reference import ReferenceEvaluator

from opwright.elements import BY_CODE
from opwright.graphs.loop_conditions import give_conditions, lacks_conditions
from opwright.graphs.ndarrays import DTYPES

SEEDS = (1, 2, 3, 4)

_WORDS = ("", "a", "two words", "é")
_MOST_NODES = 100_000  # that one run of a model may take, loops counted out
_MOST_BYTES = 1 << 26  # more than the model has, of a value that is handed on: in a loop it may double with each trip
_LARGEST = 1 << 22  # elements of an input that is drawn


class EndlessError(Exception):
    """A run that has taken what it may."""


class _Fuel:
    """What a run may still take."""

    __slots__ = ("most_bytes", "nodes")

    def __init__(self, model: ModelProto) -> None:
        self.nodes = _MOST_NODES
        self.most_bytes = _MOST_BYTES + model.ByteSize()


_FUEL: ContextVar[_Fuel] = ContextVar("fuel")


class _Limited(ReferenceEvaluator):
    """A reference evaluator with an end. It runs the graphs of nodes and the functions with others of its class."""

    def run(self, output_names: Any, feed_inputs: Any, *arguments: Any, **options: Any) -> Any:
        fuel = _FUEL.get()
        fuel.nodes -= 1 + len(self.rt_nodes_)
        largest = max((item.nbytes for item in feed_inputs.values() if isinstance(item, np.ndarray)), default=0)
        if fuel.nodes < 0 or largest > fuel.most_bytes:
            raise EndlessError
        return super().run(output_names, feed_inputs, *arguments, **options)


def run_limited(model: ModelProto, inputs: Mapping[str, Any]) -> list[Any]:
    """The outputs of a model. Raises EndlessError, and whatever the evaluator raises."""
    if lacks_conditions(model):
        given, model = model, ModelProto()
        model.CopyFrom(given)
        give_conditions(model)
    before = _FUEL.set(_Fuel(model))
    try:
        with np.errstate(all="ignore"):
            return list(_Limited(model).run(None, dict(inputs)))
    finally:
        _FUEL.reset(before)


def draw_inputs(model: ModelProto, seed: int) -> dict[str, Any]:
    """Inputs of the model; each named size is one number. Raises ValueError where they cannot be drawn."""
    random = np.random.Generator(np.random.PCG64(seed))
    sizes: dict[str, int] = {}
    defaults = {item.name for item in model.graph.initializer}
    return {
        item.name: _value(item.type, sizes, random, seed) for item in model.graph.input if item.name not in defaults
    }


def _value(type_: TypeProto, sizes: dict[str, int], random: np.random.Generator, seed: int) -> Any:
    if type_.HasField("sequence_type"):
        return [_value(type_.sequence_type.elem_type, sizes, random, seed) for _ in range(seed)]
    if type_.HasField("optional_type"):
        return _value(type_.optional_type.elem_type, sizes, random, seed)
    tensor = type_.tensor_type
    if not tensor.HasField("shape"):
        raise ValueError("its rank is not known")
    shape = [
        size.dim_value if size.HasField("dim_value") else sizes.setdefault(size.dim_param, 1 + seed)
        for size in tensor.shape.dim
    ]
    if math.prod(shape) > _LARGEST:
        raise ValueError("it is too large to be drawn")
    element = BY_CODE[tensor.elem_type]
    if element.kind == "string":
        return np.array(random.choice(_WORDS, shape), object)
    if element.is_float or element.kind == "complex":
        return np.array(random.standard_normal(shape)).astype(DTYPES[element])
    if element.kind == "bool":  # first all are true, then none, so that both branches are taken
        return np.array(random.random(shape) < (1, 0, 0.5, 0.5)[seed - 1])
    return np.array(random.integers(0, 4, shape)).astype(DTYPES[element])


def same_value(one: Any, other: Any) -> bool:
    """Whether two outputs are equal to the last bit."""
    if isinstance(one, list) or isinstance(other, list):
        both = isinstance(one, list) and isinstance(other, list) and len(one) == len(other)
        return both and all(map(same_value, one, other))
    if one is None or other is None:
        return one is other
    a, b = np.asarray(one), np.asarray(other)
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    return bool(a.tolist() == b.tolist()) if a.dtype.kind in "OU" else a.tobytes() == b.tobytes()
