"""The shapes that inputs may turn out to have, as far as they are not known when a function is built.

ONNX's inference of one node is to pass over what it does not know, and does not everywhere: it takes a list of unknown
length for an empty one (Resize), and an input of unknown rank, or a size, for one of another kind (Pad, STFT,
StringNormalizer). So what it has against a call is a proof only if it holds however the call is completed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, product

Sizes = tuple[int | None, ...] | None  # of a tensor; None where its rank is not known
InputType = tuple[int, Sizes]  # the code of the element type, and the sizes

_MOST_RANK = 4  # of an input whose rank is not known
_LARGEST_SIZE = 64
_MOST_SIZES = 12
_MOST_OPEN = 6  # inputs that are completed in pairs


def completions(types: Sequence[InputType | None], lengths: Sequence[int]) -> Iterator[dict[int, tuple[int, ...]]]:
    """Shapes of one input that lacks something, then of all that do, then of two, by index, in every way that may
    matter.

    Sizes that may matter are those of other inputs, their ranks, and `lengths`, those of the lists that the call has.
    """
    shapes = {index: type_[1] for index, type_ in enumerate(types) if type_ is not None}
    sizes = _sizes([shape for shape in shapes.values() if shape is not None], lengths)
    whole = _whole_shapes(shapes.values(), sizes)
    choices = {
        index: whole if shape is None else [_filled(shape, size) for size in sizes]
        for index, shape in shapes.items()
        if shape is None or None in shape
    }
    for index, found in choices.items():
        for made in found:
            yield {index: made}
    if len(choices) > 1:
        for size, made in [*((1, made) for made in whole), *((size, (size,)) for size in sizes)]:
            yield {index: made if shapes[index] is None else _filled(shapes[index], size) for index in choices}
    for one, other in combinations(list(choices)[:_MOST_OPEN], 2):
        for first, second in product(choices[one], choices[other]):
            yield {one: first, other: second}


def completed(types: Sequence[InputType | None], shapes: Mapping[int, tuple[int, ...]]) -> tuple[InputType | None, ...]:
    """The inputs with those shapes in the place of theirs."""
    return tuple(
        (type_[0], shapes[index]) if type_ is not None and index in shapes else type_
        for index, type_ in enumerate(types)
    )


def _sizes(shapes: Sequence[tuple[int | None, ...]], lengths: Sequence[int]) -> list[int]:
    found = {1, 2}
    for shape in shapes:
        found.update(size for size in shape if size is not None)
        found.update((len(shape), 2 * len(shape)))
    for length in lengths:
        found.update((length // 2, length, 2 * length))
    return sorted(size for size in found if 0 < size <= _LARGEST_SIZE)[:_MOST_SIZES]


def _whole_shapes(shapes: Iterable[Sizes], sizes: Sequence[int]) -> list[tuple[int, ...]]:
    """The shapes that an input of unknown rank may have: scalars, lists, ones, and those of other inputs."""
    ones = [(1,) * rank for rank in range(2, _MOST_RANK + 1)]
    return list(
        dict.fromkeys([(), *((size,) for size in sizes), *ones, *(_filled(item, 1) for item in shapes if item)])
    )


def _filled(shape: Sizes, size: int) -> tuple[int, ...]:
    return tuple(size if known is None else known for known in shape or ())
