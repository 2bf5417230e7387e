"""The lengths of lists: results of rank 1, of which shapes, sizes and axes are made.

The rank of what such a list says the shape of is its length, so it matters more than other sizes. Only what is certain
stands here; where nothing does, the length is unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from opwright.lang import ir
from opwright.lang.infer.result_ranks import Attributes, Inputs, count_of, rank_of
from opwright.opsets.record import LengthRule, Record

Contents = Mapping[ir.Value, ir.TensorData]
_Rule = Callable[[Inputs, Attributes, Contents], int | None]
# Of a Slice with a negative step: onnxruntime takes these for the beginning, the standard for places behind the end.
ENDS_EITHER_WAY = (1 << 31) - 1, (1 << 63) - 1


def infer_length(
    record: Record, inputs: Inputs, attributes: Attributes, contents: Contents, trusting: bool = False
) -> int | None:
    """The length of the first result of an operator, which has rank 1; None where it is not
    certain. `contents` are the tensors that are known when the function is built.

    `trusting`: inputs have the dimensions that are asked of their shapes, and what is read as a list is one. That tells
    the lengths of lists which shapes are made of, and nothing of other values.
    """
    rule = _RULES.get(record.length)
    found = rule(inputs, attributes, contents) if rule is not None else None
    if found is None and trusting and record.length in _TRUSTING:
        return _TRUSTING[record.length](inputs, attributes, contents)
    return found


def _at(inputs: Inputs, index: int) -> ir.Value | None:
    return inputs[index] if index < len(inputs) else None


def _integers(value: ir.Value | None, contents: Contents) -> tuple[int, ...] | None:
    """The elements of a list of integers that is known."""
    data = None if value is None else contents.get(value)
    if data is None or data.packed is None or data.element.name not in ("int32", "int64"):
        return None
    size, packed = data.element.bits // 8, data.packed
    steps = range(0, len(packed), size)
    return tuple(int.from_bytes(packed[start : start + size], "little", signed=True) for start in steps)


def _one(value: ir.Value | None, contents: Contents) -> int | None:
    """The only element of a list that is known."""
    found = _integers(value, contents)
    return found[0] if found is not None and len(found) == 1 else None


def _listed(attributes: Attributes, name: str) -> int | None:
    """The only integer of a list attribute."""
    found = attributes.get(name)
    items = None if found is None else found.items
    return items[0] if items is not None and len(items) == 1 and isinstance(items[0], int) else None


def _given(attributes: Attributes, name: str, default: int | None) -> int | None:
    """An attribute that is an integer; the default too where it is one of the function's own."""
    found = attributes.get(name)
    return default if found is None or found.integer is None else found.integer


def _is_open(attributes: Attributes, name: str) -> bool:
    """Whether an attribute is one of the function's own, so that only a call says which."""
    return name in attributes and attributes[name].refers_to is not None


def _shape(inputs: Inputs, attributes: Attributes, contents: Contents) -> int | None:
    rank = rank_of(_at(inputs, 0))
    if rank is None or _is_open(attributes, "start") or _is_open(attributes, "end"):
        return None
    return len(range(rank)[_given(attributes, "start", 0) : _given(attributes, "end", None)])


def _concat(inputs: Inputs, attributes: Attributes, contents: Contents) -> int | None:
    counts = [count_of(value) for value in inputs]
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None


def _gather(inputs: Inputs, attributes: Attributes, contents: Contents) -> int | None:
    if rank_of(_at(inputs, 0)) != 1:
        return None  # the list may be a row
    return count_of(_at(inputs, 1))


def _slice(inputs: Inputs, attributes: Attributes, contents: Contents) -> int | None:
    count = count_of(_at(inputs, 0))
    if "starts" in attributes:
        start, end, step = _listed(attributes, "starts"), _listed(attributes, "ends"), 1
    else:
        start, end = _one(_at(inputs, 1), contents), _one(_at(inputs, 2), contents)
        given = _at(inputs, 4)
        step = 1 if given is None else _one(given, contents) or 0
    if count is None or start is None or end is None or not step:
        return None
    if step < 0 and start < -count:
        return None  # onnxruntime begins with the first element, and numpy takes none
    if step < 0 and end in ENDS_EITHER_WAY:
        return None  # likewise
    return len(range(count)[start:end:step])


def _reshape(inputs: Inputs, attributes: Attributes, contents: Contents) -> int | None:
    size = _listed(attributes, "shape") if "shape" in attributes else _one(_at(inputs, 1), contents)
    if size is None or size > 0:
        return size
    if size == -1:
        return 1 if rank_of(_at(inputs, 0)) == 0 else count_of(_at(inputs, 0))
    return None


def _filled(inputs: Inputs, attributes: Attributes, contents: Contents) -> int | None:
    size = _one(_at(inputs, 0), contents)
    return size if size is not None and size >= 0 else None


def _unsqueeze(inputs: Inputs, attributes: Attributes, contents: Contents) -> int | None:
    return 1 if rank_of(_at(inputs, 0)) == 0 else None


def _between(start: int | None, end: int | None) -> int | None:
    return end - start if start is not None and end is not None and 0 <= start < end else None


def _trusted_shape(inputs: Inputs, attributes: Attributes, contents: Contents) -> int | None:
    return _between(_given(attributes, "start", None), _given(attributes, "end", None))


def _trusted_slice(inputs: Inputs, attributes: Attributes, contents: Contents) -> int | None:
    if len(inputs) != 3:
        return None
    return _between(_one(_at(inputs, 1), contents), _one(_at(inputs, 2), contents))


def _trusted_gather(inputs: Inputs, attributes: Attributes, contents: Contents) -> int | None:
    return count_of(_at(inputs, 1))


_TRUSTING: dict[LengthRule, _Rule] = {
    LengthRule.GATHERED: _trusted_gather,
    LengthRule.SHAPE: _trusted_shape,
    LengthRule.SLICED: _trusted_slice,
}
_RULES: dict[LengthRule, _Rule] = {
    LengthRule.CONCATENATED: _concat,
    LengthRule.FILLED: _filled,
    LengthRule.GATHERED: _gather,
    LengthRule.RESHAPED: _reshape,
    LengthRule.SHAPE: _shape,
    LengthRule.SLICED: _slice,
    LengthRule.UNSQUEEZED: _unsqueeze,
}
