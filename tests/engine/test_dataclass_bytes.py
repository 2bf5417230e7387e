import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

import pytest
from opwright_build.engine.dataclass_bytes import decode_value, encode_value


class Colour(Enum):
    RED = "red"


@dataclass(frozen=True)
class Inner:
    name: str
    rank: int | None = None


@dataclass(frozen=True)
class Outer:
    inner: Inner
    path: Path
    colour: Colour
    many: tuple[Inner, ...]
    pairs: tuple[tuple[str, tuple[str, ...]], ...]
    ordered: Mapping[str, Inner]
    default: int | float | str | tuple[int, ...] | tuple[float, ...] | tuple[str, ...] | None
    maybe: Inner | None
    blob: bytes


def make(default: object) -> Outer:
    return Outer(
        Inner("☃", 3),
        Path("specs/a"),
        Colour.RED,
        (Inner("a"), Inner("b", 0)),
        (("T", ("float", "int64")),),
        {"z": Inner("z"), "a": Inner("a")},
        default,  # type: ignore[arg-type]
        None,
        b"\x00\xff",
    )


@pytest.mark.parametrize(
    "default", [None, 1, 1.0, 0.1, -0.0, math.inf, -math.inf, "1", "", (), (1, 2), (1.0, 2.5), ("a",)]
)
def test_a_value_comes_back_equal_and_of_the_same_types(default: object) -> None:
    value = make(default)
    again = decode_value(Outer, encode_value(value))
    assert again == value
    assert repr(again.default) == repr(default)
    assert list(again.ordered) == ["z", "a"]
    assert encode_value(again) == encode_value(value)


def test_nan_comes_back() -> None:
    again = decode_value(Outer, encode_value(make(math.nan)))
    assert isinstance(again.default, float)
    assert math.isnan(again.default)


def test_order_of_a_mapping_is_part_of_the_value() -> None:
    assert encode_value({"a": 1, "b": 2}) != encode_value({"b": 2, "a": 1})


@pytest.mark.parametrize("value", [Path("/etc/passwd"), {1, 2}, object(), Inner])
def test_what_has_no_single_encoding_is_refused(value: object) -> None:
    with pytest.raises(TypeError):
        encode_value(value)
