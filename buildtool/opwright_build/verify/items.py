"""Values of vectors that may be sequences: several tensors of one element type, in order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from opwright.bundle.call_interface import split_type

from opwright_build.verify.case_model import Answer, Array, Expected, ExpectedItems, Items, Value
from opwright_build.verify.dtypes import array_digest_parts, element_of

SEQUENCE = ("seq",)


def items_of(arrays: Sequence[Array], kind: str) -> Items:
    """A sequence of these, of the element type that its tensors have: `kind` where there are none. ValueError where
    they differ."""
    kinds = {element_of(array).name for array in arrays} or {kind}
    if len(kinds) > 1:
        raise ValueError(f"tensors of {' and '.join(sorted(kinds))} are no sequence")
    return Items(kinds.pop(), tuple(arrays))


def type_of(value: Value) -> str:
    """`float`, or `seq(float)`."""
    return f"seq({value.kind})" if isinstance(value, Items) else element_of(value).name


def type_of_answer(answer: Answer) -> str:
    """Likewise, of what is expected."""
    return f"seq({answer.kind})" if isinstance(answer, ExpectedItems) else element_of(answer.array).name


def is_sequence(declared: str) -> bool:
    """Whether a declared type is that of sequences of tensors."""
    return split_type(declared)[0] == SEQUENCE


def tensors_of(value: Value | None) -> tuple[Array, ...]:
    """The arrays that a value consists of."""
    if value is None:
        return ()
    return value.arrays if isinstance(value, Items) else (value,)


def tensor_in(value: Value) -> Array:
    """The tensor that a value is. TypeError where it is a sequence: for those who have made sure of it."""
    if isinstance(value, Items):
        raise TypeError(f"{type_of(value)} where a tensor is wanted")
    return value


def parts_of(answer: Answer | None) -> tuple[Expected, ...]:
    """The tensors that an answer consists of."""
    if answer is None:
        return ()
    return answer.items if isinstance(answer, ExpectedItems) else (answer,)


def answer_of(value: Value) -> Answer:
    """The answer that is that value."""
    if isinstance(value, Items):
        return ExpectedItems(value.kind, tuple(Expected(array) for array in value.arrays))
    return Expected(value)


def sequence_mark(kind: str, count: int) -> bytes:
    """What in a digest tells a sequence from as many tensors."""
    return f"sequence of {count} {kind}".encode()


def value_digest_parts(value: Value) -> Iterator[bytes]:
    """What tells one value from another, as parts for `digest`."""
    if isinstance(value, Items):
        yield sequence_mark(value.kind, len(value.arrays))
    for array in tensors_of(value):
        yield from array_digest_parts(array)
