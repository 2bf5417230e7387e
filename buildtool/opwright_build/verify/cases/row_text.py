"""Values as rows of `vectors.yaml` write them: read again they are the same, element for element."""

from __future__ import annotations

from opwright_build.spec.yaml_scalars import quoted
from opwright_build.verify.case_model import Array, Items, Value
from opwright_build.verify.dtypes import element_of
from opwright_build.verify.items import tensors_of


def value_text(value: Value) -> str:
    """A tensor or a sequence of tensors."""
    if not isinstance(value, Items):
        return _tensor_text(value)
    texts = ", ".join(map(_tensor_text, value.arrays))
    return f"{{sequence: [{texts}]{'' if texts else f', type: {value.kind}'}}}"


def _tensor_text(array: Array) -> str:
    """Nested lists, which do not say every shape of an empty tensor."""
    return f"{{shape: {list(array.shape)}}}" if array.ndim > 1 and not array.size else _nested(array)


def _nested(array: Array) -> str:
    if array.ndim:
        rows = (array[index : index + 1].reshape(array.shape[1:]) for index in range(len(array)))
        return f"[{', '.join(map(_nested, rows))}]"
    match element_of(array).kind:
        case "float":
            return repr(float(str(array)))  # the fewest digits that say it
        case "complex":
            return quoted(str(array.item()))
        case _:
            return scalar_text(array.item())


def scalar_text(value: object) -> str:
    """A number, a truth value or a text; of several a list."""
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(scalar_text, value))}]"
    if isinstance(value, bool):
        return "true" if value else "false"
    return quoted(value) if isinstance(value, str) else repr(value)


def is_short(value: Value, most: int) -> bool:
    """Whether a value has at most so many elements."""
    return sum(array.size for array in tensors_of(value)) <= most
