"""What ONNX's inference has against one node, whatever the shapes that are not known turn out to be.

ONNX's inference of one node is to pass over what it does not know, and does not everywhere: it takes a list of unknown
length for an empty one (Resize), and an input of unknown rank, or a size, for one of another kind (Pad, STFT,
StringNormalizer). So what it has against a call is a proof only if it holds however the call is completed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, product

from onnx import NodeProto, TensorProto, TypeProto, helper

from opwright.opsets.onnx_inference import Refused, infer_node

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


def infer(
    node: NodeProto,
    domain: str,
    version: int,
    types: Sequence[InputType | None],
    data: Sequence[TensorProto | None],
) -> dict[str, TypeProto]:
    """The types of what the node gives, by name, with inputs of these types, in their order. Raises Refused. `data` are
    the inputs whose elements are known, `version` that of the operator."""
    named = [(name, type_, content) for name, type_, content in zip(node.input, types, data, strict=False) if name]
    input_types = {name: helper.make_tensor_type_proto(*type_) for name, type_, _ in named if type_ is not None}
    input_data = {name: content for name, _, content in named if content is not None}
    return infer_node(node, domain, {domain: version}, input_types, input_data)


def refusal(
    node: NodeProto,
    domain: str,
    version: int,
    types: Sequence[InputType | None],
    data: Sequence[TensorProto | None],
) -> str | None:
    """ONNX's reason not to take the node; None where it has none."""
    try:
        infer(node, domain, version, types, data)
    except Refused as refused:
        return str(refused)
    return None


def proof(
    node: NodeProto,
    domain: str,
    version: int,
    types: Sequence[InputType | None],
    data: Sequence[TensorProto | None],
) -> str | None:
    """ONNX's reason not to take the node, however its inputs are completed; None where there is none."""
    refused = refusal(node, domain, version, types, data)
    if refused is None:
        return None
    others = (completed(types, shapes) for shapes in completions(types, lengths_of(node, data)))
    return refused if all(refusal(node, domain, version, made, data) is not None for made in others) else None


def lengths_of(node: NodeProto, data: Sequence[TensorProto | None]) -> list[int]:
    """The lengths of the lists that are known of a node."""
    attributes = [max(len(item.ints), len(item.floats)) for item in node.attribute]
    return attributes + [item.dims[0] for item in data if item is not None and len(item.dims) == 1]
