"""Inputs for the compared functions: made from the annotations, or by a maker of ours where these say too little."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = Any
Value = Array | list[Array] | None

_FLOATS = (np.float32, np.float64, np.float16)
_REALS = (*_FLOATS, np.int32, np.int64, np.int8)
# The element types that are tried for each annotation; a body takes fewer of them than its annotation says.
TYPES: dict[str, tuple[type, ...]] = {
    "TFloat": _FLOATS,
    "TFloatHighPrecision": _FLOATS[:2],
    "TReal": _REALS,
    "TRealOrUInt8": (*_REALS, np.uint8),
    "TTensor": (*_REALS, np.uint8, np.bool_),
    "TTensor2": (*_REALS, np.uint8, np.bool_),
    "Union[RealType, BOOL]": (*_REALS, np.bool_),
}
SHAPES = ((3, 4), (), (0, 3), (2, 3, 4))


@dataclass(frozen=True)
class Case:
    """What one comparison calls the function with; an input that is None is left out."""

    inputs: dict[str, Value]
    attributes: dict[str, Any]

    def __str__(self) -> str:
        shown = [f"{name}: {_shown(value)}" for name, value in self.inputs.items()]
        return ", ".join([*shown, *(f"{name}={value!r}" for name, value in self.attributes.items())])


def _shown(value: Value) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_shown, value))}]"
    return "absent" if value is None else f"{value.dtype}{list(value.shape)}"


def cases(name: str, function: Callable[..., Any]) -> Iterator[Case]:
    """All cases of a function, each with inputs of its own seed."""
    random = np.random.default_rng(sum(name.encode()))
    maker = MAKERS.get(name, _by_annotations)
    yield from maker(random, function)


def tensor(random: np.random.Generator, dtype: type, shape: tuple[int, ...]) -> Array:
    """Numbers of both signs; among floats also infinities and nan, where there is room for them."""
    if dtype is np.bool_:
        return random.integers(0, 2, shape).astype(dtype)
    if issubclass(dtype, np.integer):
        least = 0 if issubclass(dtype, np.unsignedinteger) else -9
        return random.integers(least, 10, shape).astype(dtype)
    values = np.asarray(random.normal(0, 3, shape)).astype(dtype)
    if values.size > 8:
        values.reshape(-1)[:4] = (np.inf, -np.inf, np.nan, 0)
    return values


def _tensors(
    random: np.random.Generator, function: Callable[..., Any], shape: tuple[int, ...]
) -> Iterator[dict[str, Value]]:
    """All tensor parameters with one shape, in each element type."""
    parameters = _inputs(function)
    types = TYPES[parameters[next(iter(parameters))]]
    for dtype in types:
        yield {
            name: tensor(random, dtype if annotation in TYPES else np.int64, shape)
            for name, annotation in parameters.items()
        }


def _inputs(function: Callable[..., Any]) -> dict[str, str]:
    parameters = inspect.signature(function).parameters.values()
    annotations = {item.name: str(item.annotation) for item in parameters if item.annotation not in _ATTRIBUTES}
    return {name: annotation.removeprefix("tensor_typing.") for name, annotation in annotations.items()}


_ATTRIBUTES: dict[str, tuple[Any, ...]] = {
    "int": (0,),
    "float": (0.5, -2.0),
    "bool": (True,),
    "str": ("cpu",),
}


def _by_annotations(random: np.random.Generator, function: Callable[..., Any]) -> Iterator[Case]:
    """Every shape and type with the defaults, and each attribute with other values."""
    parameters = inspect.signature(function).parameters.values()
    others = {item.name: _ATTRIBUTES[item.annotation] for item in parameters if item.annotation in _ATTRIBUTES}
    for shape in SHAPES:
        for inputs in _tensors(random, function, shape):
            yield Case(inputs, {})
            for name, values in others.items():
                for value in values:
                    yield Case(inputs, {name: value})


# ------------------------------------------------------------------------------------------------------ makers

Maker = Callable[[np.random.Generator, Callable[..., Any]], Iterator[Case]]


def shaped(attributes: tuple[dict[str, Any], ...] = ({},), **shapes: tuple[tuple[int, ...], ...]) -> Maker:
    """Inputs of the shapes given, `shapes[name][i]` in the i-th case, in each element type of the annotation."""

    def make(random: np.random.Generator, function: Callable[..., Any]) -> Iterator[Case]:
        parameters = _inputs(function)
        count = len(next(iter(shapes.values())))
        for index in range(count):
            for dtype in TYPES[parameters[next(iter(shapes))]]:
                inputs: dict[str, Value] = {
                    name: tensor(random, dtype if parameters[name] in TYPES else np.int64, shapes[name][index])
                    for name in shapes
                }
                for given in attributes:
                    yield Case(inputs, given)

    return make


def reduced(random: np.random.Generator, function: Callable[..., Any]) -> Iterator[Case]:
    for dtype in TYPES["TRealOrUInt8"]:
        for dims in ([0], [-1, 0], [1, 2], []):
            for keepdim in ({}, {"keepdim": True}):
                given = tensor(random, dtype, (2, 3, 4))
                yield Case({"self": given, "dim": np.array(dims, np.int64)}, keepdim)


def sequences(random: np.random.Generator, function: Callable[..., Any]) -> Iterator[Case]:
    for dtype in (np.float32, np.int64, np.float64):
        for shapes in ([(), (3,), (2, 3), (2, 3, 4)], [()], [(5,), (5,)], [(0,)]):
            yield Case({"self": [tensor(random, dtype, shape) for shape in shapes]}, {})


def items(random: np.random.Generator, function: Callable[..., Any]) -> Iterator[Case]:
    given = [tensor(random, np.float32, shape) for shape in ((), (3,), (2, 3))]
    for index in (0, 2, -1, -3):
        yield Case({"self": given, "i": np.array(index, np.int64)}, {})


def chunks(random: np.random.Generator, function: Callable[..., Any]) -> Iterator[Case]:
    for dtype in (np.float32, np.int64):
        for count in (1, 2, 3, 5, 10):
            for dim in (0, 1):
                yield Case({"self": tensor(random, dtype, (5, 6))}, {"chunks": count, "dim": dim})


def bags(with_padding: bool) -> Maker:
    """Bags of rows, some of them empty, in each mode."""

    def make(random: np.random.Generator, function: Callable[..., Any]) -> Iterator[Case]:
        for mode in (0, 1, 2):
            for last in (False, True):
                for dtype in (np.float32, np.float64):
                    for padding in (0, 3, -1) if with_padding else (None,):
                        for offsets in ([0, 2, 2, 5], [0, 5], [0, 0, 3]):
                            inputs = {
                                "weight": random.normal(size=(6, 3)).astype(dtype),
                                "indices": random.integers(0, 6, 7).astype(np.int64),
                                "offsets": np.array(offsets, np.int64),
                                "per_sample_weights": random.normal(size=7).astype(dtype),
                            }
                            attributes = {"mode": mode, "include_last_offset": last}
                            yield Case(
                                inputs, attributes if padding is None else {**attributes, "padding_idx": padding}
                            )

    return make


def chances(random: np.random.Generator, function: Callable[..., Any]) -> Iterator[Case]:
    """With one seed for both, so that the same numbers are drawn."""
    for dtype in (np.float32, np.float64, np.int64):
        for p in (0.0, 0.3, 1.0):
            yield Case({"self": tensor(random, dtype, (20, 30))}, {"p": p})


_SQUARE = ((3, 3), (2, 3, 3), (1, 1))
_MATRICES = ((3, 4), (2, 3, 4), (0, 2), (1, 5))
MAKERS: dict[str, Maker] = {
    "_aten_embedding_bag_1d_padding_idx_onnx": bags(True),
    "_aten_embedding_bag_onnx": bags(False),
    "aten_addbmm": shaped(
        ({}, {"beta": 0.5}, {"alpha": -2.0}), self=((3, 5), (5,)), batch1=((2, 3, 4),) * 2, batch2=((2, 4, 5),) * 2
    ),
    "aten_addmv": shaped(({}, {"beta": 0.5}, {"alpha": -2.0}), self=((3,), ()), mat=((3, 4),) * 2, vec=((4,),) * 2),
    "aten_amax": reduced,
    "aten_amin": reduced,
    "aten_atleast_1d_sequence": sequences,
    "aten_atleast_2d_sequence": sequences,
    "aten_atleast_3d_sequence": sequences,
    "aten_bernoulli_p": chances,
    "aten_chunk": chunks,
    "aten_cross": shaped(({}, {"dim": 0}), self=((3, 3), (3, 2, 3)), other=((3, 3), (3, 2, 3))),
    "aten_div_complex": shaped(self=((3, 2), (2, 1, 2)), other=((3, 2), (4, 2))),
    "aten_fill": shaped(self=((3, 4), (0, 2), ()), value=((), (), ())),
    "aten_getitem": items,
    "aten_glu": shaped(({}, {"dim": 0}), self=((4, 6), (2, 2))),
    "aten_is_nonzero": shaped(self=((1,), (), (1, 1), (2,), (0,))),
    "aten_linalg_det": shaped(A=_SQUARE),
    "aten_mH": shaped(self=_MATRICES),
    "aten_mT": shaped(self=_MATRICES),
    "aten_mT_complex": shaped(self=((3, 4, 2), (2, 3, 4, 2))),
    "aten_round_decimals": shaped(({}, {"decimals": 2}, {"decimals": -1}), self=SHAPES),
}
