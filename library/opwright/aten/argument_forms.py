"""Forms: conversions of a call's arguments to what a function takes.

A spec names a form for an argument (`implements: {arguments: {padding: {form: both_ends}}}`). A form gets the value of
the argument and what is known of the call; it returns the value that the function gets.
"""

from __future__ import annotations

import itertools
import math
import string
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from opwright.aten.operator_schema import Argument
from opwright.aten.promotion import is_normal
from opwright.elements import ElementType


class NoForm(ValueError):
    """A value that a form does not accept, with the reason."""


@dataclass(frozen=True, slots=True)
class CallShape:
    """What a form knows of the call: the argument, the values of all arguments, and the shape of the first tensor.

    `sizes` has None for a size that is not known, and is None itself without a rank; a tensor of rank 0 that is taken
    as one of rank 1 has one size. `sizes_of` gives a tensor's own ones, `element_of` its element type, and `is_complex`
    whether it is complex; `first_element` is the element type of the first tensor. `element` is that of the input which
    the argument becomes, None of an attribute. `symbols` are expressions of the sizes of the first tensor, empty where
    there are none, and `symbol_of` gives that of a number which the graph computes.
    """

    argument: Argument
    values: Mapping[str, Any]
    sizes: tuple[int | None, ...] | None
    sizes_of: Callable[[Any], tuple[int | None, ...] | None]
    element_of: Callable[[Any], ElementType | None] = lambda tensor: None
    is_complex: Callable[[Any], bool] = lambda tensor: False
    element: ElementType | None = None
    first_element: ElementType | None = None
    symbols: tuple[str, ...] = ()
    symbol_of: Callable[[Any], str] = lambda number: ""

    def is_own_size(self, number: Any, place: int) -> bool:
        """Whether a number that the graph computes is known to be the size of that dimension of the first tensor."""
        symbol = self.symbol_of(number)
        return bool(symbol) and 0 <= place < len(self.symbols) and self.symbols[place] == symbol

    @property
    def rank(self) -> int:
        if self.sizes is None:
            raise NoForm("the rank of the first tensor is not known")
        return len(self.sizes)

    @property
    def spatial_rank(self) -> int:
        """The number of spatial dimensions: as the schema says, else all but batch and channels."""
        return self.argument.size or self.rank - 2


Form = Callable[[Any, CallShape], Any]

_LAST = (1 << 63) - 1


def _axis(value: int, rank: int) -> int:
    """The dimension as a non-negative number. In PyTorch a tensor of rank 0 has one dimension here."""
    count = max(rank, 1)
    if not -count <= value < count:
        raise NoForm(f"there is no dimension {value} among {rank}")
    return value % count


def axes(value: Any, call: CallShape) -> Any:
    """Dimensions as non-negative numbers; a number or a list."""
    if value is None:
        return None
    if isinstance(value, int):
        return _axis(value, call.rank)
    found = [_axis(item, call.rank) for item in value]
    if len({*found}) != len(found):
        raise NoForm("a dimension stands there twice")
    return found


def all_axes(value: Any, call: CallShape) -> Any:
    """As `axes`; all dimensions if none is given."""
    if value is None or (not isinstance(value, int) and not value):
        return list(range(call.rank))
    return axes([value] if isinstance(value, int) else value, call)


def axes_of_one(value: Any, call: CallShape) -> list[int] | None:
    """Those of the dimensions whose size is 1; None if there are none. An unknown size counts as other than 1, as in
    PyTorch's exporter."""
    sizes = call.sizes if call.rank else ()
    assert sizes is not None
    chosen = axes([value] if isinstance(value, int) else value, call)
    return [item for item in chosen if item < len(sizes) and sizes[item] == 1] or None


def all_axes_of_one(value: Any, call: CallShape) -> list[int] | None:
    """All dimensions of the tensor whose size is 1; None if there are none."""
    return axes_of_one(list(range(call.rank)), call)


def listed(value: Any, call: CallShape) -> list[Any] | None:
    """The number as a list of one; None if there is no number."""
    return None if value is None else [value]


def order(value: Any, call: CallShape) -> list[int] | None:
    """The permutation that swaps `dim0` and `dim1`, or `axis0` and `axis1`; None if it is the identity."""
    first, second = axes(value, call), axes(call.values.get("dim1", call.values.get("axis1")), call)
    places = list(range(call.rank))
    if first == second:
        return None
    places[first], places[second] = second, first
    return places


def moved_order(value: Any, call: CallShape) -> list[int]:
    """The permutation that moves the dimensions `source` to the positions `destination`."""
    source, destination = (axes(numbers(call.values[name], call), call) for name in ("source", "destination"))
    others = (item for item in range(call.rank) if item not in source)
    target = dict(zip(destination, source, strict=True))
    return [target[place] if place in target else next(others) for place in range(call.rank)]


def view_sizes(value: Any, call: CallShape) -> list[Any]:
    """Sizes of a view, without computing those that follow: one of the tensor's own in its place is 0, where
    `keeps_sizes` is true, and a last one that is computed is -1."""
    return _without_computed(value, call) or [*value]


def keeps_sizes(value: Any, call: CallShape) -> bool:
    """Whether 0 among the sizes of a view stands for the tensor's own."""
    return 0 in (_without_computed(value, call) or ())


def _without_computed(value: Sequence[Any], call: CallShape) -> list[int] | None:
    """The sizes as numbers alone; None where that is not possible, or where they are numbers already."""
    computed = [place for place, item in enumerate(value) if not isinstance(item, int)]
    known = [item for item in value if isinstance(item, int)]
    if not computed or 0 in known:
        return None
    found: list[Any] = [*value]
    is_inferred = -1 in known
    if len(computed) > 1 or is_inferred:
        for place in computed:
            found[place] = 0 if call.is_own_size(value[place], place) else value[place]
    left = [place for place in computed if not isinstance(found[place], int)]
    if len(left) == 1 and not is_inferred:
        found[left.pop()] = -1
    return None if left else found


def kept_sizes(value: Any, call: CallShape) -> list[Any]:
    """Sizes to which a tensor is expanded: -1, which keeps its own, as 1, and so those that are known to be its own."""
    before = len(value) - call.rank if call.symbols else 0
    return [
        1 if (isinstance(item, int) and item == -1) or call.is_own_size(item, place - before) else item
        for place, item in enumerate(value)
    ]


def repetitions(value: Any, call: CallShape) -> list[Any]:
    """The number of repetitions of each dimension; 1 for leading dimensions that the list does not cover."""
    return [1] * (call.rank - len(value)) + list(value)


def new_axes(value: Any, call: CallShape) -> list[int] | None:
    """The leading dimensions by which the list is longer than the tensor's shape; None if there are none."""
    return list(range(len(value) - call.rank)) or None


def spatial(value: Any, call: CallShape) -> list[int]:
    """A number for each spatial dimension; a single number is repeated."""
    return _repeated(value, call.spatial_rank)


def both_ends(value: Any, call: CallShape) -> list[int]:
    """As `spatial`, for the beginnings and then for the ends of the dimensions."""
    return _repeated(value, call.spatial_rank) * 2


def stride(value: Any, call: CallShape) -> list[int]:
    """As `spatial`; `kernel_size` if no stride is given."""
    return spatial(value if value else call.values["kernel_size"], call)


def padding(value: Any, call: CallShape) -> list[Any]:
    """The padding in the order of ONNX's Pad: all beginnings, then all ends; from pairs for the last dimensions."""
    rank, pairs = call.rank, len(value) // 2
    if len(value) % 2 or pairs > rank:
        raise NoForm(f"{len(value)} numbers do not pad {rank} dimensions")
    none = [0] * (rank - pairs)
    return [*none, *reversed(value[0::2]), *none, *reversed(value[1::2])]


def start(value: Any, call: CallShape) -> list[Any]:
    """The start of a slice as a list of one; 0 if there is none."""
    return [0 if value is None else value]


def end(value: Any, call: CallShape) -> list[Any]:
    """A list of one: behind the last element where there is no number."""
    return [_LAST if value is None else value]
    """The end of a slice as a list of one; the largest int64 if there is none."""
    return [(1 << 63) - 1 if value is None else value]


def start_from_front(value: Any, call: CallShape) -> list[Any]:
    """An index of the dimension `dim` as a list of one, non-negative."""
    if not isinstance(value, int) or value >= 0:
        return [value]
    size = call.sizes[_axis(call.values["dim"], call.rank)] if call.sizes is not None else None
    if size is None:
        raise NoForm(f"it is {value}, counted from the end of a dimension whose size is not known")
    return [value + size]


def non_empty(value: Any, call: CallShape) -> list[Any]:
    """The tensors without empty ones of rank 1, which PyTorch ignores."""
    kept = [item for item in value if call.sizes_of(item) != (0,)]
    return kept or [value[0]]


def no_number(value: Any, call: CallShape) -> Any:
    """None if the value is the default of the schema."""
    return None if value == call.argument.default else value


def is_zero(value: Any, call: CallShape) -> bool:
    """Whether the value is 0: a factor that drops its term."""
    return bool(value == 0)


def factor(value: Any, call: CallShape) -> Any:
    """A factor in the element type of `self`; for integers it is truncated and wraps around."""
    element = call.element_of(call.values["self"])
    if element is not None and element.kind == "bool":
        return int(value != 0)
    if element is None or not element.is_integer or not _is_finite(value):
        return value
    low, count = int(element.minimum), 1 << element.bits
    return (int(value) - low) % count + low


def first(value: Any, call: CallShape) -> Any:
    """The first one of a list."""
    return _item(value, 0)


def second(value: Any, call: CallShape) -> Any:
    """The second one of a list."""
    return _item(value, 1)


def _item(value: Any, place: int) -> Any:
    if len(value) <= place:
        raise NoForm(f"it has {len(value)} items")
    return value[place]


def hidden_size(value: Any, call: CallShape) -> int:
    """The size of a recurrent network's state, which the weights `params` tell."""
    sizes = call.sizes_of(_item(call.values["params"], 1))
    if sizes is None or sizes[-1] is None:
        raise NoForm("the sizes of the weights are not known")
    size: int = sizes[-1]
    return size


def weights_each(value: Any, call: CallShape) -> int:
    """How many of the weights `params` of a recurrent network each layer has for each direction. One that drops
    elements between its layers is refused."""
    values = call.values
    if values["train"] and values["dropout"] and values["num_layers"] > 1:
        raise NoForm("elements are dropped between the layers")
    directions, layers = 2 if values["bidirectional"] else 1, int(values["num_layers"])
    return len(values["params"]) // (layers * directions)


def named_norm(value: Any, call: CallShape) -> str:
    """A norm as `norm` has it, 2 for any other number, which is given by itself. The greatest of no elements is
    refused."""
    name = norm(value, call)
    if name == "inf" and call.sizes is not None and call.sizes[-1:] == (0,):
        raise NoForm("vectors have no elements, of which none is the greatest")
    return name or "2"


def last_two_swapped(value: Any, call: CallShape) -> list[int]:
    """All dimensions of a tensor, the last two of them swapped."""
    sizes = call.sizes_of(value)
    if sizes is None or len(sizes) < 2:
        raise NoForm("its rank is not known, or below 2")
    order_ = list(range(len(sizes)))
    return [*order_[:-2], order_[-1], order_[-2]]


def attention_scale(value: Any, call: CallShape) -> float | None:
    """The scale of attention, where there is none one over the root of the last size of `query`, as a number of type
    float; None where the function computes it: for tensors of type double, and of a size that is not known."""
    element = call.element_of(call.values["query"])
    is_double = element is not None and element.name == "double"
    if value is not None:
        if is_double and value != _as_float(value):
            raise NoForm(f"{value!r} is no number of type float")
        return float(value)
    size = (call.sizes_of(call.values["query"]) or (None,))[-1]
    return None if is_double or not size else 1 / math.sqrt(size)


def key_heads(value: Any, call: CallShape) -> list[int] | None:
    """For each head of the queries that of the keys, where `enable_gqa` says that several queries share one; else
    None."""
    if not value:
        return None
    queries, keys = (_size_of_heads(call, name) for name in ("query", "key"))
    if queries is None or keys is None or not keys or queries % keys:
        raise NoForm("the numbers of heads are not known, or those of the queries are no multiple")
    return None if queries == keys else [head * keys // queries for head in range(queries)]


def fits_attention(value: Any, call: CallShape) -> bool:
    """Whether ONNX's Attention takes tensors of these sizes: of rank 4, with one batch, none of them empty."""
    known = [call.sizes_of(call.values[name]) for name in ("query", "key", "value")]
    if any(sizes is None or len(sizes) != 4 or 0 in sizes for sizes in known):
        return False
    batches = {None if sizes is None else sizes[0] for sizes in known}
    return len(batches - {None}) < 2 and (call.values["enable_gqa"] or _are_heads_equal(call))


def _are_heads_equal(call: CallShape) -> bool:
    return len({_size_of_heads(call, name) for name in ("query", "key", "value")} - {None}) < 2


def _size_of_heads(call: CallShape, name: str) -> int | None:
    sizes = call.sizes_of(call.values[name])
    return None if sizes is None or len(sizes) < 3 else sizes[-3]


def _as_float(value: float) -> float:
    found: float = struct.unpack("f", struct.pack("f", value))[0]
    return found


def single(value: Any, call: CallShape) -> Any:
    """A number for an attribute, which is of type float; None where the first tensor is of type double."""
    return None if _first_is_double(call) else value


def of_double(value: Any, call: CallShape) -> Any:
    """A number where the first tensor is of type double, else None: it stands beside an attribute with the form
    `single`."""
    return value if _first_is_double(call) else None


def _first_is_double(call: CallShape) -> bool:
    element = call.element_of(call.values["self"])
    return element is not None and element.name == "double"


def inner_equation(value: Any, call: CallShape) -> str:
    """What Einsum computes of `self` and `other`: sums of products along the last dimension of both."""
    first, second = _letters(call, "self"), _letters(call, "other", 26)
    if not first or not second:
        return f"{first},{second}->{first}{second}"
    return f"{first},{second[:-1]}{first[-1]}->{first[:-1]}{second[:-1]}"


def tensordot_equation(value: Any, call: CallShape) -> str:
    """What Einsum computes of `self` and `other`: sums of products along `dims_self` and `dims_other`."""
    first, second = _letters(call, "self"), [*_letters(call, "other", 26)]
    summed, others = (
        [_axis(item, len(letters)) for item in call.values[name]]
        for name, letters in (("dims_self", first), ("dims_other", second))
    )
    for place, other in zip(summed, others, strict=True):
        second[other] = first[place]
    kept = "".join(letter for place, letter in enumerate(first) if place not in summed)
    return f"{first},{''.join(second)}->{kept}{''.join(x for place, x in enumerate(second) if place not in others)}"


def trilinear_equation(value: Any, call: CallShape) -> str:
    """What Einsum computes of `i1`, `i2` and `i3`, each with new dimensions: sums of products along `sumdim`."""
    factors = []
    rank = len(_letters(call, "i1")) + len(call.values["expand1"])
    for number in ("1", "2", "3"):
        new = [_axis(item, rank) for item in call.values[f"expand{number}"]]
        factors.append("".join(_LETTERS[place] for place in range(rank) if place not in new))
        if len(factors[-1]) != len(_letters(call, f"i{number}")):
            raise NoForm(f"`i{number}` is of another rank than the others")
    summed = [_axis(item, rank) for item in call.values["sumdim"]]
    present = {*"".join(factors)}
    kept = [_LETTERS[place] for place in range(rank) if place not in summed]
    if any(letter not in present for letter in kept):
        raise NoForm("a dimension is new in all of them")
    return f"{','.join(factors)}->{''.join(kept)}"


def kron_axes(value: Any, call: CallShape) -> list[int] | None:
    """The new dimensions of a tensor in a Kronecker product of `self` and `other`: one behind each of the first, one
    before each of the second, those that it has fewer than the other in front; None without any."""
    own, rank = len(_letters_of(call, value)), max(len(_letters(call, name)) for name in ("self", "other"))
    is_first = call.argument.name == "self"
    beside = [2 * place + is_first for place in range(rank)]
    front = [2 * place + (not is_first) for place in range(rank - own)]
    return sorted([*beside, *front]) or None


def first_of_three(value: Any, call: CallShape) -> int:
    """A dimension, where there is none the first one of size 3."""
    if value is not None:
        return _axis(value, call.rank)
    if call.sizes is None or None in call.sizes:
        raise NoForm("which dimension has size 3 is not known")
    if 3 not in call.sizes:
        raise NoForm("no dimension has size 3")
    return call.sizes.index(3)


def not_negative(value: Any, call: CallShape) -> int:
    """An exponent, which is not negative."""
    if value < 0:
        raise NoForm(f"it is {value}, and the function has no inverse")
    return int(value)


_LETTERS = string.ascii_lowercase + string.ascii_uppercase


def _letters(call: CallShape, name: str, start: int = 0) -> str:
    """A letter for each dimension of a tensor."""
    return _letters_of(call, call.values[name], start)


def _letters_of(call: CallShape, tensor: Any, start: int = 0) -> str:
    sizes = call.sizes_of(tensor)
    if sizes is None:
        raise NoForm("the rank of a tensor is not known")
    return _LETTERS[start : start + len(sizes)]


def below_one(value: Any, call: CallShape) -> Any:
    """None if the value, the probability of a dropout, is 1."""
    return None if value == 1 else value


def unless_false(value: Any, call: CallShape) -> bool:
    """True if there is no value."""
    return value is not False


def number_of_dtype(value: Any, call: CallShape) -> Any:
    """The number in the element type `dtype`; for integers it is truncated."""
    dtype = call.values["dtype"]
    return int(value) if dtype is not None and dtype.is_integer and _is_finite(value) else value


def end_of_dtype(value: Any, call: CallShape) -> Any:
    """The end of a range as `number_of_dtype`, moved where PyTorch gives more elements: for integer types other than
    int64 it computes their number before it truncates."""
    dtype, start, step = call.values["dtype"], call.values.get("start", 0), call.values.get("step", 1)
    is_counted = dtype is not None and dtype.is_integer and dtype.name != "int64" and step != 0
    if not is_counted or not all(map(_is_finite, (start, value, step))):
        return number_of_dtype(value, call)
    if not int(step):
        raise NoForm(f"`step` is {step}, which is 0 in {dtype}")
    return int(start) + math.ceil((value - start) / step) * int(step)


def first_of_last_axes(value: Any, call: CallShape) -> int:
    """Of the last dimensions, of which a list has the sizes, the first one, counted from the end."""
    if not value:
        raise NoForm("it names no dimension")
    return -len(value)


def row(value: Any, call: CallShape) -> int | None:
    """An index of the first dimension, counted from its beginning; None where there is none."""
    if value is None or value >= 0:
        return None if value is None else int(value)
    if call.sizes is None or call.sizes[0] is None:
        raise NoForm(f"it is {value}, counted from the end of a dimension whose size is not known")
    return int(value + call.sizes[0])


def may_broadcast(value: Any, call: CallShape) -> bool:
    """Whether the tensors are not known to have the same sizes."""
    found = [sizes for sizes in map(call.sizes_of, call.values.values()) if sizes is not None]
    return any(None in sizes or sizes != found[0] for sizes in found)


def group_sizes(value: Any, call: CallShape) -> list[int]:
    """The batch, groups of channels, and how many elements each one has, as ONNX's Reshape takes sizes: 0 for that of
    the tensor, -1 for one that is not known."""
    sizes = [*(call.sizes or ())][1:]
    known = [item for item in sizes if item is not None]
    return [0, value, math.prod(known) // value if known and len(known) == len(sizes) else -1]


def last_axes(value: Any, call: CallShape) -> list[int]:
    """The last dimensions, of which a list has the sizes, counted from the first one."""
    if not value or len(value) > call.rank:
        raise NoForm(f"it names {len(value)} of {call.rank} dimensions")
    return list(range(call.rank - len(value), call.rank))


def axes_of_channels(value: Any, call: CallShape) -> list[int]:
    """All dimensions but that of channels, the second one."""
    if call.rank < 2:
        raise NoForm("the tensor has no channels")
    return [0, *range(2, call.rank)]


def axes_of_space(value: Any, call: CallShape) -> list[int]:
    """The dimensions behind batch and channels; the third where there are none."""
    return list(range(2, max(call.rank, 3)))


def channel_sizes(value: Any, call: CallShape) -> list[int]:
    """Sizes in which a vector stands beside the tensor for its channels: 1 for each other dimension. Without a batch
    the first dimension is theirs."""
    return [-1] if call.rank == 1 else [1, -1, *[1] * (call.rank - 2)]


def is_empty(value: Any, call: CallShape) -> bool:
    """Whether the first tensor is known to have no elements."""
    return call.sizes is not None and 0 in call.sizes


def in_double(value: Any, call: CallShape) -> Any:
    """A number where the first tensor is of double, else nothing: an attribute holds it as a float."""
    return value if call.first_element is not None and call.first_element.name == "double" else None


def _is_finite(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


def not_nan(value: Any, call: CallShape) -> Any:
    """The number unchanged. NaN is refused: runtimes differ in comparisons with it."""
    if isinstance(value, float) and math.isnan(value):
        raise NoForm("it is nan")
    return value


def wrapped(value: Any, call: CallShape) -> Any:
    """A number, of integers as it wraps around beyond the element type: PyTorch makes tensors of numbers there. A
    divisor does not where the quotient is not rounded, which is none of integers."""
    element = call.element
    if call.values.get("rounding_mode", "") is None:
        return value
    if not isinstance(value, int) or isinstance(value, bool) or element is None or not element.is_integer:
        return value
    return (value - element.minimum) % (1 << element.bits) + element.minimum


def normal_factor(value: Any, call: CallShape) -> Any:
    """A number as `wrapped`. One is refused of which float16 or bfloat16 has no normal value: PyTorch multiplies by it
    in float."""
    element = call.element
    if element is None or not element.is_float or element.bits != 16 or not _is_finite(value):
        return wrapped(value, call)
    if not is_normal(value, element):
        raise NoForm(f"it is {value!r}, and no normal value of {element}")
    return value


def root(value: Any, call: CallShape) -> str | None:
    """`sqrt` for the exponent 0.5, `rsqrt` for -0.5, else None. PyTorch computes roots there, which are NaN for -inf,
    and powers are not."""
    return None if value not in (0.5, -0.5) else "sqrt" if value > 0 else "rsqrt"


def no_root(value: Any, call: CallShape) -> Any:
    """The exponent; None if `root` gives it."""
    return None if root(value, call) else value


def window_padding(value: Any, call: CallShape) -> list[int]:
    """The padding for `same` or `valid` with the kernel `weight`: all beginnings, then all ends."""
    if value == "valid":
        sizes = call.sizes_of(call.values["weight"])
        if sizes is None:
            raise NoForm("the rank of the filters is not known")
        return [0] * (2 * (len(sizes) - 2))
    if value != "same":
        raise NoForm(f"it is {value!r}, and neither 'same' nor 'valid'")
    kernel = [*(call.sizes_of(call.values["weight"]) or ())][2:]
    known = [item for item in kernel if item is not None]
    if not known or len(known) != len(kernel):
        raise NoForm("it is 'same', and the size of the filters is not known")
    if any(item != 1 for item in _repeated(call.values["stride"], len(known))):
        raise NoForm("it is 'same', and the stride is not 1")
    dilation = _repeated(call.values["dilation"], len(known))
    total = [apart * (size - 1) for apart, size in zip(dilation, known, strict=True)]
    return [*(item // 2 for item in total), *(item - item // 2 for item in total)]


def pool_pads(value: Any, call: CallShape) -> list[int]:
    """The padding of a pool: all beginnings, then all ends, which `ceil_mode` extends to the ends of the last windows.
    Without the padding that `pool_zeros` gives."""
    beyond = _beyond(call)
    begins = [0] * len(beyond) if _has_zeros(call) else _repeated(value, len(beyond))
    return [*begins, *(item + more for item, more in zip(begins, beyond, strict=True))]


def pool_zeros(value: Any, call: CallShape) -> list[int] | None:
    """The explicit padding of an average pool in the order of ONNX's Pad, needed if averages include the padding but
    not what `ceil_mode` adds; else None."""
    if not _has_zeros(call):
        return None
    items = _repeated(value, call.spatial_rank)
    none = [0] * (call.rank - len(items))
    return [*none, *items, *none, *items]


def pool_counts(value: Any, call: CallShape) -> bool:
    """Whether averages include the padding that `pool_pads` gives."""
    if call.values.get("divisor_override") is not None:
        return True
    return bool(call.values["count_include_pad"]) and not any(_beyond(call))


def window_elements(value: Any, call: CallShape) -> int:
    """The number of elements of a window."""
    return math.prod(_repeated(value, call.spatial_rank))


def quantized_limit(value: Any, call: CallShape) -> Any:
    """A limit of quantized values, `quant_min` or `quant_max`; None if both are those of `dtype`, an 8-bit type."""
    dtype, values = call.values["dtype"], call.values
    is_whole = (values["quant_min"], values["quant_max"]) == (dtype.minimum, dtype.maximum)
    return None if is_whole and dtype.bits == 8 else value


def group_of_last(value: Any, call: CallShape) -> int:
    """The size of groups along the last dimension, at most the size of that dimension."""
    size = None if call.sizes is None else call.sizes[-1]
    return int(value) if size is None else min(int(value), size)


def trailing_axes(value: Any, call: CallShape) -> list[int]:
    """The axes that align a vector with the given dimension: one for each dimension behind it."""
    return list(range(1, call.rank - _axis(value, call.rank)))


def trailing_axes_from_front(value: Any, call: CallShape) -> list[int]:
    """As `trailing_axes`; a negative dimension is refused, which some operators do not count from the last one."""
    if value < 0:
        raise NoForm(f"the dimension {value} is negative")
    return trailing_axes(value, call)


def edge_padding(value: Any, call: CallShape) -> list[Any]:
    """As `padding`; refused if all elements of a dimension are removed, so that there is no edge to repeat."""
    sizes = [*reversed(call.sizes or ())]
    for begin, end, size in zip(value[0::2], value[1::2], sizes, strict=False):
        removed = [-item for item in (begin, end) if isinstance(item, int) and item < 0]
        if size is not None and removed and sum(removed) >= size:
            raise NoForm(f"it removes all {size} elements of a dimension")
    return padding(value, call)


def padding_of_mode(value: Any, call: CallShape) -> list[Any]:
    """As `padding`, or as `edge_padding` if `mode` is `replicate`; negative numbers are refused if it is `circular`,
    where PyTorch repeats elements that they remove."""
    mode = call.values["mode"]
    if mode == "circular" and any(isinstance(item, int) and item < 0 for item in value):
        raise NoForm("negative numbers remove elements that circular padding repeats")
    return edge_padding(value, call) if mode == "replicate" else padding(value, call)


def all_ones(value: Any, call: CallShape) -> bool:
    """Whether each number is 1."""
    return all(isinstance(item, int) and item == 1 for item in ([value] if isinstance(value, int) else value))


def adaptive_kernel(value: Any, call: CallShape) -> list[int] | None:
    """The size of the windows of an adaptive pool to `output_size`; None if it differs within a dimension or a size of
    the input is unknown."""
    windows = _adaptive_windows(value, call)
    return None if windows is None else [size for size, _ in windows]


def adaptive_stride(value: Any, call: CallShape) -> list[int] | None:
    """The stride of the windows of an adaptive pool; None as for `adaptive_kernel`."""
    windows = _adaptive_windows(value, call)
    return None if windows is None else [step for _, step in windows]


def hop_of_frames(value: Any, call: CallShape) -> int:
    """The distance of frames; a quarter of their length `n_fft` if there is none."""
    return int(call.values["n_fft"] // 4 if value is None else value)


def length_of_window(value: Any, call: CallShape) -> int:
    """The length of a window; that of a frame, `n_fft`, if there is none."""
    return int(call.values["n_fft"] if value is None else value)


def margin_of_window(value: Any, call: CallShape) -> int | None:
    """The padding before a window of the given length that centers it in a frame of the length `n_fft`; None if it has
    that length."""
    missing = int(call.values["n_fft"]) - length_of_window(value, call)
    return missing // 2 if missing else None


def signal_sizes(value: Any, call: CallShape) -> list[Any] | None:
    """The sizes of the dimensions `dim` to crop or pad to, with the size of a dimension for -1."""
    if value is None:
        return None
    found: list[Any] = []
    for item, axis in zip(value, axes(call.values["dim"], call), strict=True):
        size = call.sizes[axis] if call.sizes is not None and isinstance(item, int) and item == -1 else item
        if size is None:
            raise NoForm("it is -1 for a dimension of unknown size")
        found.append(size)
    return found


def half_spectrum(value: Any, call: CallShape) -> Any:
    """The length `n` of a real signal; refused unless its one-sided spectrum has `n // 2 + 1` frequencies."""
    axis = _axis(call.values["dim"][-1], call.rank)
    size = None if call.sizes is None else call.sizes[axis]
    if size is not None and isinstance(value, int) and size != value // 2 + 1:
        raise NoForm(f"a real signal of length {value} has {value // 2 + 1} frequencies, and {size} are given")
    return value


def pairs(value: Any, call: CallShape) -> Any:
    """A tensor that may be complex, stored as pairs of real numbers in a last dimension of size 2. Without this form
    complex tensors are refused."""
    return value


def is_complex(value: Any, call: CallShape) -> bool:
    """Whether the tensor is complex."""
    return call.is_complex(value)


def _adaptive_windows(value: Any, call: CallShape) -> list[tuple[int, int]] | None:
    """The size and stride of the windows of each dimension; None if they vary within one."""
    outputs = [value] if isinstance(value, int) else [*value]
    sizes = [None] * len(outputs) if call.sizes is None else call.sizes[-len(outputs) :]
    found = []
    for size, output in zip(sizes, outputs, strict=True):
        if size is None or not isinstance(output, int) or not 0 < output <= max(size, 1):
            return None
        begins = [place * size // output for place in range(output)]
        lengths = {-(-(place + 1) * size // output) - begin for place, begin in enumerate(begins)}
        steps = {after - begin for begin, after in itertools.pairwise(begins)} or {1}
        if len(lengths) > 1 or len(steps) > 1:
            return None
        found.append((lengths.pop(), steps.pop()))
    return found


def sizes_of_index(value: Any, call: CallShape) -> bool:
    """Whether a tensor has the sizes of `index`, as far as all of them are known."""
    return _are_equal(call.sizes_of(value), call.sizes_of(call.values["index"]))


def sizes_of_first(value: Any, call: CallShape) -> bool:
    """Whether a tensor has the sizes of the first one, as far as all of them are known."""
    return _are_equal(call.sizes_of(value), call.sizes)


def of_equal_sizes(value: Any, call: CallShape) -> bool:
    """Whether the tensors of a list have the same sizes, as far as all of them are known, and none is of truth values.
    None is passed over."""
    given = [item for item in value if item is not None]
    known = [call.sizes_of(item) for item in given]
    return all(_are_equal(known[0], sizes) for sizes in known) and not any(_is_mask(item, call) for item in given)


def sizes_of_indexed(value: Any, call: CallShape) -> bool:
    """Whether a tensor has the sizes of what `indices` take of the first one, as far as all of them are known."""
    indices, own = call.values["indices"], call.sizes_of(value)
    if call.sizes is None or any(_is_mask(item, call) for item in indices if item is not None):
        return False
    places = [place for place, item in enumerate(indices) if item is not None]
    joint = _broadcast([call.sizes_of(indices[place]) for place in places])
    if joint is None or not places:
        return False
    rest = [size for place, size in enumerate(call.sizes) if place not in places]
    first = places[0] if places == list(range(places[0], places[-1] + 1)) else 0
    return _are_equal(own, (*rest[:first], *joint, *rest[first:]))


def _are_equal(first: tuple[int | None, ...] | None, second: tuple[int | None, ...] | None) -> bool:
    return first is not None and None not in first and first == second


def _is_mask(tensor: Any, call: CallShape) -> bool:
    """Whether it counts by where it is true; PyTorch takes uint8 so, too."""
    element = call.element_of(tensor)
    return element is None or element.name in ("bool", "uint8")


def _broadcast(shapes: Sequence[tuple[int | None, ...] | None]) -> tuple[int, ...] | None:
    """The sizes of tensors that are broadcast together; None where one is not known."""
    found: list[int] = []
    for sizes in shapes:
        if sizes is None:
            return None
        found = [1] * (len(sizes) - len(found)) + found
        for place, size in enumerate(sizes, len(found) - len(sizes)):
            if size is None:
                return None
            found[place] = size if found[place] == 1 else found[place]
    return tuple(found)


def of_equal_rank(value: Any, call: CallShape) -> Any:
    """A tensor that has as many dimensions as the first one. PyTorch takes others where they have no elements."""
    sizes = call.sizes_of(value)
    if sizes is not None and call.sizes is not None and max(len(sizes), 1) != max(len(call.sizes), 1):
        raise NoForm(f"it has {len(sizes)} dimensions, and the first tensor {len(call.sizes)}")
    return value


def along(value: Any, call: CallShape) -> list[int]:
    """The shape in which a list is broadcast along a dimension: -1, and 1 for each dimension behind it."""
    return [-1] + [1] * (call.rank - 1 - _axis(value, call.rank))


def part_is_known(value: Any, call: CallShape) -> bool:
    """Whether it is known which elements are between `start` and `end`, and all of these are meant."""
    return _part(call) is not None


def part_start(value: Any, call: CallShape) -> list[int] | None:
    """A list of one: the first element from `start` to `end`; None where that is the very first, or is not known."""
    part = _part(call)
    return None if part is None or part[0] == 0 else [part[0]]


def part_end(value: Any, call: CallShape) -> list[int] | None:
    """A list of one: the first element behind those from `start` to `end`; None without any, or where that is not
    known."""
    part = _part(call)
    size = None if call.sizes is None else call.sizes[_axis(call.values["dim"], call.rank)]
    return None if part is None or part[1] == (_LAST if size is None else size) else [part[1]]


def _part(call: CallShape) -> tuple[int, int] | None:
    """From which element to which `start` and `end` are, counted from the first, where that is known."""
    size = None if call.sizes is None else call.sizes[_axis(call.values["dim"], call.rank)]
    first, last = call.values["start"], call.values["end"]
    bounds: list[int] = []
    for bound in (0 if first is None else first, _LAST if last is None else last):
        if not isinstance(bound, int) or (bound < 0 and size is None):
            return None
        from_front = bound + size if bound < 0 and size is not None else bound
        bounds.append(max(from_front if size is None else min(from_front, size), 0))
    return (bounds[0], max(bounds)) if call.values["step"] == 1 else None


def dimensions_last(value: Any, call: CallShape) -> list[int] | None:
    """All dimensions, `dim1` and `dim2` at the end; None where they are there."""
    pair = axes([call.values["dim1"], call.values["dim2"]], call)
    order = [*(item for item in range(call.rank) if item not in pair), *pair]
    return None if order == list(range(call.rank)) else order


def joined_sizes(value: Any, call: CallShape) -> list[int]:
    """The sizes without those of `dim1` and `dim2`, and behind them what these come to: 0 for one that stays, -1 for
    the last, where one is not known."""
    pair = axes([call.values["dim1"], call.values["dim2"]], call)
    sizes = call.sizes or ()
    rest = [sizes[item] for item in range(call.rank) if item not in pair]
    known = [item for item in (*rest, *(sizes[item] for item in pair)) if item is not None]
    if len(known) == len(sizes):
        return [*known[:-2], known[-2] * known[-1]]
    if 0 in known:
        raise NoForm("a dimension has size 0, and the size of another one is not known")
    return [0] * len(rest) + [-1]


def diagonal_places(value: Any, call: CallShape) -> list[int] | None:
    """Of the elements of each matrix those of a diagonal; None where sizes are not known."""
    first, second = axes([call.values["dim1"], call.values["dim2"]], call)
    sizes = call.sizes or ()
    rows, columns = sizes[first], sizes[second]
    if rows is None or columns is None:
        return None
    row, column = below_zero(value, call), above_zero(value, call)
    count = max(min(rows - row, columns - column), 0)
    return [row * columns + column + place * (columns + 1) for place in range(count)]


def below_zero(value: Any, call: CallShape) -> int:
    """How far a number is below 0."""
    return -value if value < 0 else 0


def above_zero(value: Any, call: CallShape) -> int:
    """How far a number is above 0."""
    return value if value > 0 else 0


def strided_whole(value: Any, call: CallShape) -> bool:
    """Whether `size` and `stride` are about all elements of the first tensor, in their order."""
    known = [item for item in call.sizes or () if item is not None]
    if call.sizes is None or len(known) != len(call.sizes) or call.values["storage_offset"]:
        return False
    step = 1
    for size, stride in zip(reversed(value), reversed(call.values["stride"]), strict=True):
        if size != 1 and stride != step:
            return False
        step *= size
    return step == math.prod(known)


def sizes_beside_dim(value: Any, call: CallShape) -> bool:
    """Whether a tensor has the sizes of the first one but for the dimension `dim`, as far as they are known."""
    own, dim = call.sizes_of(value), call.values["dim"]
    if own is None or call.sizes is None or dim is None or len(own) != call.rank:
        return False
    axis = _axis(dim, call.rank)
    return _are_equal((*own[:axis], *own[axis + 1 :]), (*call.sizes[:axis], *call.sizes[axis + 1 :]))


def count_of_parts(value: Any, call: CallShape) -> int:
    """How many parts the dimension `dim` has, at least one."""
    size = _size_of_dim(call)
    if size == 0:
        raise NoForm("there is no part, and a function has a result")
    return size


def _size_of_dim(call: CallShape) -> int:
    axis = _axis(call.values["dim"], call.rank)
    size = None if not call.sizes else call.sizes[axis]
    if size is None:
        raise NoForm("the size of the dimension is not known")
    return size


def part_sizes(value: Any, call: CallShape) -> list[int]:
    """The sizes of parts of one size along `dim`, the last one of what is left."""
    size = _size_of_dim(call)
    if not isinstance(value, int):
        raise NoForm("it is computed in the graph, and decides how many results there are")
    return [min(value, size - start) for start in range(0, size, max(value, 1))] or [0]


def chunk_sizes(value: Any, call: CallShape) -> list[int]:
    """The sizes of so many parts along `dim` or fewer, of one size but for the last one."""
    size = _size_of_dim(call)
    return part_sizes(-(-size // value), call) if size else [0] * value


def section_sizes(value: Any, call: CallShape) -> list[int]:
    """The sizes of so many parts along `dim`, the first ones by one larger where they cannot all be equal."""
    size = _size_of_dim(call)
    if not isinstance(value, int):
        raise NoForm("it is computed in the graph, and decides how many results there are")
    return [size // value + (place < size % value) for place in range(value)]


def sizes_between(value: Any, call: CallShape) -> list[int]:
    """The sizes of the parts along `dim` that end before given positions, and of the last one."""
    size = _size_of_dim(call)
    if not all(isinstance(item, int) for item in value):
        raise NoForm("positions are computed in the graph")
    bounds = [0, *(max(item + size if item < 0 else min(item, size), 0) for item in value), size]
    if bounds != sorted(bounds):
        raise NoForm("a part begins before the end of another one")
    return [end - start for start, end in pairwise(bounds)]


def matrix_sizes(value: Any, call: CallShape) -> list[Any]:
    """How many rows and columns a matrix has, which are `n` and `m`, or `row` and `col`; without the second as many."""
    values = call.values
    return [value, values.get("m", values.get("col", value))]


def dtype_unless_float(value: Any, call: CallShape) -> ElementType | None:
    """The element type, that of `self` where there is none; None for float."""
    found = value or call.element_of(call.values.get("self"))
    return None if found is None or found.name == "float" else found


def other_dtype(value: Any, call: CallShape) -> ElementType | None:
    """The element type; None where it is that of the first tensor."""
    return None if value is call.element_of(call.values["self"]) else value


def numbers(value: Any, call: CallShape) -> list[int]:
    """A number or a list of them as a list."""
    return [value] if isinstance(value, int) else list(value)


def unless_negative(value: Any, call: CallShape) -> Any:
    """Nothing, where the value is below 0."""
    return None if isinstance(value, int) and value < 0 else value


def right_or_side(value: Any, call: CallShape) -> bool:
    """True where `side` is `right`, too."""
    return bool(value) or call.values["side"] == "right"


def behind(value: Any, call: CallShape) -> int | None:
    """The dimension behind one, counted from the first; None without a number."""
    return None if value is None else _axis(value, call.rank) + 1


def flat_shape(value: Any, call: CallShape) -> list[int] | None:
    """The shape for ONNX's Reshape in which the dimensions from `start_dim` to `end_dim` are one; None where sizes that
    are not known are behind them."""
    first, last = _axis(call.values["start_dim"], call.rank), _axis(call.values["end_dim"], call.rank)
    sizes = call.sizes or ()
    return _joined_shape(sizes[:first], sizes[first : last + 1], sizes[last + 1 :])


def _joined_shape(
    before: Sequence[int | None], joined: Sequence[int | None], rest: Sequence[int | None]
) -> list[int] | None:
    known = [item for item in (*before, *joined, *rest) if item is not None]
    is_known = len(known) == len(before) + len(joined) + len(rest)
    if not is_known and 0 in known:
        raise NoForm("a dimension has size 0, and the size of another one is not known")
    if None in rest:
        return None
    return [*(item or 0 for item in before), math.prod(known[len(before) : len(known) - len(rest)]) if is_known else -1,
            *(item or 0 for item in rest)]  # fmt: skip


def sizes_are_known(value: Any, call: CallShape) -> bool:
    """Whether all sizes of the first tensor are known."""
    return call.sizes is not None and None not in call.sizes


def unflat_shape(value: Any, call: CallShape) -> list[int] | None:
    """The shape for ONNX's Reshape in which the dimension `dim` has become those of a list; None where sizes are
    computed, or those that are not known are behind them."""
    axis, sizes = _axis(call.values["dim"], call.rank), call.sizes or ()
    if not all(isinstance(item, int) for item in value) or None in sizes[axis + 1 :]:
        return None
    others = math.prod(item for item in value if item != -1)
    if -1 in value and sizes[axis] is not None and others:
        value = [(sizes[axis] or 0) // others if item == -1 else item for item in value]
    if None in sizes and 0 in (*sizes, *value):
        raise NoForm("a dimension has size 0, and the size of another one is not known")
    return [*(item or 0 for item in sizes[:axis]), *value, *(item or 0 for item in sizes[axis + 1 :])]


def counts_behind(value: Any, call: CallShape) -> list[Any]:
    """A number for the new dimension behind `dim`, or behind all elements, and 1 for each other one."""
    dim = call.values["dim"]
    if dim is None or not call.sizes:
        return [1, value]
    axis = _axis(dim, call.rank)
    return [1] * (axis + 1) + [value] + [1] * (call.rank - 1 - axis)


def new_axis_behind(value: Any, call: CallShape) -> list[int] | None:
    """A list of one: the dimension behind one; None without a number, and for a tensor of rank 0."""
    return None if value is None or not call.sizes else [_axis(value, call.rank) + 1]


def repeated_shape(value: Any, call: CallShape) -> list[int] | None:
    """The shape for ONNX's Reshape of a tensor whose parts along `dim` are repeated; None where sizes behind it are not
    known."""
    dim = call.values["dim"]
    if dim is None or not call.sizes:
        return None
    axis, sizes = _axis(dim, call.rank), call.sizes
    times = value if isinstance(value, int) else None
    return _joined_shape(sizes[:axis], (sizes[axis], times), sizes[axis + 1 :])


def roll_cuts(value: Any, call: CallShape) -> list[int]:
    """For each of `dims`, or for all elements, the position of what comes first after a shift, -1 where the size is not
    known."""
    shifts, dims, sizes = numbers(value, call), numbers(call.values["dims"], call), call.sizes or ()
    found = [sizes[_axis(dim, call.rank)] for dim in dims] if call.sizes else [1 for _ in dims]
    if not dims:
        found = [None if None in sizes else math.prod(item or 0 for item in sizes)]
    return [-1 if size is None else -shift % max(size, 1) for shift, size in zip(shifts, found, strict=True)]


def turned_axes(value: Any, call: CallShape) -> list[int]:
    """The dimensions whose elements come in reverse order where the plane of `dims` is turned by `k` right angles."""
    first, second = axes(call.values["dims"], call)
    found: list[int] = [[], [second], [first, second], [first]][call.values["k"] % 4]
    return found


def turned_order(value: Any, call: CallShape) -> list[int] | None:
    """All dimensions, those of `dims` exchanged where the plane is turned by 90 or 270 degrees; else None."""
    first, second = axes(call.values["dims"], call)
    places = list(range(call.rank))
    places[first], places[second] = second, first
    return places if call.values["k"] % 2 else None


def part_last(value: Any, call: CallShape) -> list[int] | None:
    """Where a dimension has become two, all dimensions, the second of these at the end; None where it is there."""
    if call.sizes == ():
        raise NoForm("the first tensor has rank 0")
    inner = _axis(value, call.rank) + 1
    return None if inner == call.rank else [*(item for item in range(call.rank + 1) if item != inner), inner]


def embedded_order(value: Any, call: CallShape) -> list[int] | None:
    """All dimensions of matrices that are made of vectors, those of the matrices in place of `dim1` and `dim2`; None
    where that is the end."""
    rank = call.rank + 1
    first, second = (_axis(call.values[name], rank) for name in ("dim1", "dim2"))
    others = iter(range(rank - 2))
    order = [rank - 2 if item == first else rank - 1 if item == second else next(others) for item in range(rank)]
    return None if order == list(range(rank)) else order


def is_one(value: Any, call: CallShape) -> bool:
    """Whether a number is 1."""
    return isinstance(value, int) and value == 1


def _has_zeros(call: CallShape) -> bool:
    counts = call.values.get("count_include_pad") and call.values.get("divisor_override") is None
    return bool(counts) and any(_repeated(call.values["padding"], call.spatial_rank)) and any(_beyond(call))


def _beyond(call: CallShape) -> list[int]:
    """How far the last window of each dimension extends beyond the padding: with `ceil_mode` there may be one more
    window, unless it starts beyond the input. For an unknown size it is the largest possible extent."""
    count = call.spatial_rank
    if not call.values["ceil_mode"]:
        return [0] * count
    sizes = [None] * count if call.sizes is None else call.sizes[-count:]
    kernel = _repeated(call.values["kernel_size"], count)
    return [
        _reach(size, apart * (window - 1) + 1, step, pad)
        for size, window, step, pad, apart in zip(
            sizes,
            kernel,
            _repeated(call.values["stride"] or kernel, count),
            _repeated(call.values["padding"], count),
            _repeated(call.values.get("dilation", 1), count),
            strict=True,
        )
    ]


def _reach(size: int | None, window: int, step: int, pad: int) -> int:
    if size is None:
        if pad + step > window:
            raise NoForm("whether there is a last window with `ceil_mode` depends on a size that is not known")
        return step - 1
    room = size + 2 * pad
    last = -((window - room) // step) * step
    if last >= size + pad:
        last -= step
    return max(last + window - room, 0)


def _repeated(value: Any, count: int) -> list[int]:
    items: Sequence[int] = [value] if isinstance(value, int) else list(value)
    if len(items) == 1:
        items = [*items] * count
    if len(items) != count:
        raise NoForm(f"there are {len(items)} numbers for {count} dimensions")
    return list(items)


def channel_shape(value: Any, call: CallShape) -> list[int] | None:
    """The shape of numbers that stand beside the second dimension; None where that is their own."""
    own = call.sizes_of(value)
    if own == () or (call.sizes is not None and len(call.sizes) in (1, 2)):
        return None
    return [] if call.rank == 0 else [-1, *[1] * (call.rank - 2)]


def power_of_ten(value: int, call: CallShape) -> float | None:
    """10 to that power, None where it is not positive."""
    return float(10**value) if value > 0 else None


def power_of_ten_below(value: int, call: CallShape) -> float | None:
    """10 to the power of a negative number without its sign, None where it is none."""
    return float(10**-value) if value < 0 else None


def half_at_most(value: Any, call: CallShape) -> Any:
    """A number from 0 to 0.5; others are refused."""
    if value is not None and not 0 <= value <= 0.5:
        raise NoForm(f"{value!r} is not from 0 to 0.5")
    return value


def own_axes(value: Any, call: CallShape) -> Any:
    """Dimensions that the tensor has, counted from the first one; a number or a list. One of rank 0 has none."""
    if call.rank:
        return axes(value, call)
    axes(value, call)
    return None if value is None or isinstance(value, int) else []


def other_axes(value: Any, call: CallShape) -> list[int] | None:
    """All dimensions but one, nothing where none is named."""
    one = axes(value, call)
    return None if one is None else [item for item in range(call.rank) if item != one]


def range_limit(value: Any, call: CallShape) -> Any:
    """A limit of a range, nothing where `min` and `max` are the same."""
    return None if call.values["min"] == call.values["max"] else value


_NORMS = {0: "0", 1: "1", 2: "2", math.inf: "inf", -math.inf: "-inf"}


def norm(value: Any, call: CallShape) -> str | None:
    """A norm as a text: 0, 1, 2, inf or -inf, 2 where there is no number, and nothing for any other."""
    return _NORMS.get(2 if value is None else value)


def exponent(value: Any, call: CallShape) -> float | None:
    """The number of a norm that `norm` has no text for."""
    return None if norm(value, call) else float(value)


def with_elements(value: Any, call: CallShape) -> Any:
    """The tensor, which is not known to be without elements along the dimensions `dim`, or at all without `dim`."""
    if _is_hollow(call):
        raise NoForm("it has no elements")
    return value


def correction(value: Any, call: CallShape) -> float | None:
    """What is taken off the number of elements: 1 where there is no value; nothing where it is 0 and the tensor is not
    known to be without elements."""
    number = 1.0 if value is None else float(value)
    return number if number or _is_hollow(call) else None


def _is_hollow(call: CallShape) -> bool:
    """Whether the first tensor is known to be without elements along `dim`."""
    return call.sizes is not None and any(call.sizes[item] == 0 for item in all_axes(call.values.get("dim"), call))


@dataclass(frozen=True, slots=True)
class _Resized:
    """One dimension that is resized: its sizes, None where they are not known, and the scale, None without any."""

    before: int | None
    after: int | None
    scale: float | None


_SCALES = ("scale_factors", "scales", "scales_d", "scales_h", "scales_w")


def _resized(call: CallShape) -> list[_Resized]:
    """The dimensions behind batch and channels."""
    count = call.rank - 2
    before = [*(call.sizes or ())][2:]
    given = [call.values[name] for name in _SCALES if name in call.values]
    scales: Sequence[Any] = given[0] if given and isinstance(given[0], list | tuple) else given
    scales = [item if item is not None and item > 0 else None for item in scales] or [None] * count
    if all(item is None for item in scales):
        scales = [None] * count
    asked = call.values["output_size"]
    after = _floored(before, scales) if asked is None else [item if isinstance(item, int) else None for item in asked]
    if not len(after) == len(scales) == count:
        raise NoForm(f"sizes or scales are not of {count} dimensions")
    return [_Resized(*item) for item in zip(before, after, scales, strict=True)]


def _floored(sizes: Sequence[int | None], scales: Sequence[float | None]) -> list[int | None]:
    return [
        None if size is None or scale is None else int(size * scale) for size, scale in zip(sizes, scales, strict=False)
    ]


def _keeps_all(call: CallShape, found: Sequence[_Resized]) -> bool:
    """Whether PyTorch copies: of two dimensions that keep their sizes, whatever the scales are."""
    known = all(item.before is not None and item.before == item.after for item in found)
    return known and len(found) == 2 and "align_corners" not in call.values


def resize_sizes(value: Any, call: CallShape) -> list[Any] | None:
    """The sizes to which a tensor is resized, as they are given or follow from scales; None where scales say it."""
    found = _resized(call)
    by_sizes = call.values.get("align_corners", False) or resize_by_index(value, call) or not _uses_scales(call, found)
    if not by_sizes:
        return None
    if call.values["output_size"] is not None:
        return list(call.values["output_size"])
    return [item.after for item in found] if all(item.after is not None for item in found) else None


def resize_scales(value: Any, call: CallShape) -> list[float] | None:
    """How many times as large dimensions become, as floats by which ONNX's Resize comes to PyTorch's sizes; None where
    sizes say it."""
    if resize_sizes(value, call) is not None:
        return None
    return [_scale(item) for item in _resized(call)]


def linear_scales(value: Any, call: CallShape) -> list[float] | None:
    """As `resize_scales`, and 1 for a dimension that keeps its size: PyTorch interpolates nothing there."""
    if resize_sizes(value, call) is not None:
        return None
    return [1.0 if item.before is not None and item.before == item.after else _scale(item) for item in _resized(call)]


def resize_by_index(value: Any, call: CallShape) -> bool:
    """Whether ONNX's Resize takes other elements than PyTorch does as the nearest ones, or has no kernel for them."""
    if "align_corners" in call.values:
        return False
    found = _resized(call)
    if call.first_element is not None and call.first_element.name == "double":
        return True
    return not _keeps_all(call, found) and not all(map(_is_same_nearest, found))


def resize_steps(value: Any, call: CallShape) -> list[float] | None:
    """How far apart the nearest elements are, where they are taken by their indices and scales say it; else None."""
    found = _resized(call)
    if not resize_by_index(value, call) or not _uses_scales(call, found):
        return None
    steps: list[float] = []
    for item in found:
        if item.scale is not None:
            steps.append(1 / item.scale)
        elif item.before is None or item.after is None:
            raise NoForm("a dimension has neither a scale nor sizes that are known")
        else:
            steps.append(item.before / item.after)
    return steps


def _uses_scales(call: CallShape, found: Sequence[_Resized]) -> bool:
    return any(item.scale is not None for item in found) and not _keeps_all(call, found)


def _scale(item: _Resized) -> float:
    """A float near the scale that gives the known size, whether it is multiplied in single or in double precision."""
    if item.scale is None:
        if item.before is None or item.after is None:
            raise NoForm("a dimension has neither a scale nor sizes that are known")
        nearest = _single(item.after / item.before)
    else:
        nearest = _single(item.scale)
    if item.before is None or item.after is None:
        return nearest if item.scale is None else _float_above(item.scale)
    for scale in (nearest, _next_single(nearest, 1), _next_single(nearest, -1)):
        if int(scale * item.before) == int(_single(scale * item.before)) == item.after:
            return scale
    raise NoForm(f"the scale {item.scale} does not give the size {item.after}")


def _is_same_nearest(item: _Resized) -> bool:
    if item.before is None or item.after is None:
        return item.scale is not None and math.frexp(item.scale)[0] == 0.5  # a power of 2: nothing is rounded
    try:
        scale = item.after / item.before if item.scale is None else _scale(item)
    except NoForm:
        return False
    step = _single(item.before / item.after if item.scale is None else 1 / item.scale)
    last = item.before - 1
    return all(
        min(int(_single(place * step)), last)
        == min(int(_single(place / _single(scale))), last)
        == min(int(place / scale), last)
        for place in range(item.after)
    )


def _single(value: float) -> float:
    """The nearest float of single precision."""
    return float(struct.unpack("<f", struct.pack("<f", value))[0])


def _next_single(value: float, by: int) -> float:
    """The float of single precision after a positive one, or before it."""
    bits = struct.unpack("<i", struct.pack("<f", value))[0]
    return float(struct.unpack("<f", struct.pack("<i", bits + by))[0])


def _float_above(value: float | None) -> float:
    """The least float of single precision that is not below."""
    if value is None:
        raise NoForm("a dimension has neither a scale nor a size")
    nearest = _single(value)
    return nearest if nearest >= value else _next_single(nearest, 1)


FORMS: Mapping[str, Form] = {
    form.__name__: form
    for form in (
        axes,
        all_axes,
        axes_of_one,
        all_axes_of_one,
        listed,
        order,
        moved_order,
        view_sizes,
        keeps_sizes,
        kept_sizes,
        repetitions,
        new_axes,
        spatial,
        both_ends,
        stride,
        padding,
        start,
        end,
        start_from_front,
        non_empty,
        no_number,
        is_zero,
        factor,
        normal_factor,
        single,
        of_double,
        first,
        second,
        hidden_size,
        weights_each,
        named_norm,
        last_two_swapped,
        attention_scale,
        key_heads,
        fits_attention,
        inner_equation,
        tensordot_equation,
        trilinear_equation,
        kron_axes,
        first_of_three,
        not_negative,
        below_one,
        unless_false,
        number_of_dtype,
        end_of_dtype,
        not_nan,
        wrapped,
        root,
        no_root,
        window_padding,
        pool_pads,
        pool_zeros,
        pool_counts,
        window_elements,
        quantized_limit,
        group_of_last,
        trailing_axes,
        trailing_axes_from_front,
        edge_padding,
        padding_of_mode,
        all_ones,
        adaptive_kernel,
        adaptive_stride,
        hop_of_frames,
        length_of_window,
        margin_of_window,
        signal_sizes,
        half_spectrum,
        pairs,
        is_complex,
        sizes_of_index,
        sizes_of_first,
        sizes_of_indexed,
        of_equal_sizes,
        of_equal_rank,
        along,
        part_is_known,
        part_start,
        part_end,
        dimensions_last,
        joined_sizes,
        diagonal_places,
        below_zero,
        above_zero,
        strided_whole,
        sizes_beside_dim,
        count_of_parts,
        part_sizes,
        chunk_sizes,
        section_sizes,
        sizes_between,
        matrix_sizes,
        dtype_unless_float,
        other_dtype,
        numbers,
        unless_negative,
        right_or_side,
        behind,
        flat_shape,
        sizes_are_known,
        unflat_shape,
        counts_behind,
        new_axis_behind,
        repeated_shape,
        roll_cuts,
        turned_axes,
        turned_order,
        part_last,
        embedded_order,
        is_one,
        channel_shape,
        power_of_ten,
        power_of_ten_below,
        half_at_most,
        own_axes,
        other_axes,
        range_limit,
        norm,
        exponent,
        with_elements,
        correction,
        first_of_last_axes,
        row,
        resize_sizes,
        resize_scales,
        linear_scales,
        resize_by_index,
        resize_steps,
        other_axes,
        may_broadcast,
        group_sizes,
        last_axes,
        axes_of_channels,
        axes_of_space,
        channel_sizes,
        is_empty,
        in_double,
    )
}
