"""A model that others made, with inputs drawn for it."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
from numpy.random import Generator
from onnx import ModelProto

Feeds = dict[str, Any]


@dataclass(frozen=True, slots=True)
class GivenModel:
    """`family` is the row of the summary; `feeds` are sets of inputs, of several sizes where sizes are open."""

    family: str
    name: str
    model: ModelProto
    feeds: tuple[Feeds, ...]


def generator_of(seed: int, name: str) -> Generator:
    """The random numbers of one model: the same whatever other models are made."""
    return np.random.default_rng([seed, zlib.crc32(name.encode())])


def drawn(model: ModelProto, random: Generator, sizes: Mapping[str, int] | None = None, below: int = 10) -> Feeds:
    """Random values of the declared types and shapes: floats of a normal distribution, integers from 0 to `below`.

    `sizes` are those of open axes by their names; others are 2.
    """
    given = {tensor.name for tensor in model.graph.initializer}
    found: Feeds = {}
    for value in model.graph.input:
        if value.name in given:
            continue
        kind = value.type.tensor_type
        dtype = onnx.helper.tensor_dtype_to_np_dtype(kind.elem_type)
        shape = [
            size.dim_value if size.HasField("dim_value") else (sizes or {}).get(size.dim_param, 2)
            for size in kind.shape.dim
        ]
        found[value.name] = array(random, dtype, shape, below)
    return found


def array(random: Generator, dtype: Any, shape: list[int], below: int = 10) -> Any:
    dtype = np.dtype(dtype)
    if dtype == np.bool_:
        return random.integers(0, 2, shape).astype(bool)
    if dtype.kind in "iu":
        return random.integers(0, below, shape).astype(dtype)
    return random.standard_normal(shape).astype(dtype)
