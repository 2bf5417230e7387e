"""Forms that say what is known of the sizes of tensors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from opwright.aten.forms.call_shape import NoForm
from opwright.aten.tensor_facts import Sizes

from tests.aten.form_calls import COMPUTED, counted, formed, tensor, zeros

STRIDED = {"stride": [3, 1], "storage_offset": 0}


@pytest.mark.parametrize(
    ("form", "value", "sizes", "values", "made"),
    [
        ("sizes_of_index", (2, 3), (4, 3), {"index": (2, 3)}, True),
        ("sizes_of_index", (2, 4), (4, 3), {"index": (2, 3)}, False),
        ("sizes_of_index", (2, None), (4, 3), {"index": (2, None)}, False),
        ("sizes_of_first", (2, 3), (2, 3), {}, True),
        ("sizes_of_first", None, None, {}, False),
        ("sizes_beside_dim", (2, 5), (2, 3), {"dim": -1}, True),
        ("sizes_beside_dim", (2, 5), (2, 3), {"dim": 0}, False),
        ("sizes_beside_dim", (2, 5), (2, 3), {"dim": None}, False),
        ("sizes_beside_dim", (5,), (2, 3), {"dim": 0}, False),
        ("sizes_are_known", 0, (2, 0), {}, True),
        ("sizes_are_known", 0, (2, None), {}, False),
        ("sizes_are_known", 0, None, {}, False),
        ("is_empty", None, (2, 0), {}, True),
        ("is_empty", None, (2, None), {}, False),
        ("is_empty", None, (), {}, False),
        ("is_empty", None, None, {}, False),
        ("may_broadcast", None, None, {"x1": (2, 3), "x2": (2, 3)}, False),
        ("may_broadcast", None, None, {"x1": (2, 3), "x2": (1, 3), "dim": 1}, True),
        ("may_broadcast", None, None, {"x1": (2, None), "x2": (2, None)}, True),
        ("of_equal_rank", (3,), (2,), {}, (3,)),
        ("of_equal_rank", (), (2,), {}, ()),
        ("of_equal_rank", None, (2,), {}, None),
        ("strided_whole", [2, 3], (6,), {"stride": [3, 1], "storage_offset": None}, True),
        ("strided_whole", [2, 1, 3], (6,), {"stride": [3, 9, 1], "storage_offset": 0}, True),
        ("strided_whole", [], (), {"stride": [], "storage_offset": 0}, True),
        ("strided_whole", [0], (0,), {"stride": [1], "storage_offset": 0}, True),
        ("strided_whole", [3, 2], (6,), {"stride": [1, 3], "storage_offset": 0}, False),
        ("strided_whole", [2, 2], (6,), {"stride": [2, 1], "storage_offset": 0}, False),
        ("strided_whole", [2, 3], (6,), {"stride": [3, 1], "storage_offset": 1}, False),
        ("strided_whole", [2, 3], (None,), STRIDED, False),
        ("strided_whole", [2, 3], None, STRIDED, False),
        ("strided_whole", [2, COMPUTED], (6,), STRIDED, False),
        ("strided_whole", [2, 3], (6,), {"stride": [COMPUTED, 1], "storage_offset": 0}, False),
        ("strided_whole", [2, 3], (6,), {"stride": [3, 1], "storage_offset": COMPUTED}, False),
    ],
)
def test_whether_sizes_are_equal(form: str, value: Any, sizes: Sizes | None, values: dict[str, Any], made: Any) -> None:
    assert formed(form, value, sizes, **values) == made


@pytest.mark.parametrize(
    ("form", "value", "sizes", "values", "made"),
    [
        ("sizes_along", -1, (None, 4), {}, [4]),
        ("sizes_along", [1, 2], (None, 4, 0), {}, [4, 0]),
        ("sizes_along", [0, 1], (None, 4), {}, None),
        ("sizes_along", 0, (), {}, [1]),
        ("sizes_along", 0, None, {}, None),
        ("size_of_channels", True, (None, 3, 4), {}, [3]),
        ("size_of_channels", True, (2, None), {}, None),
        ("size_of_channels", True, (2,), {}, None),
        ("size_of_channels", True, None, {}, None),
        ("sizes_of_space", None, (None, None, 4, 5), {}, [4, 5]),
        ("sizes_of_space", None, (2, 3, 4, None), {}, None),
        ("sizes_of_space", None, (2, 3), {}, None),
        ("sizes_of_space", None, None, {}, None),
        ("sizes_without_weight", [4, 5], None, {"weight": None}, [4, 5]),
        ("sizes_without_weight", [4, 5], None, {"weight": (4, 5)}, None),
        ("sizes_without_weight", [4, COMPUTED], None, {"weight": None}, None),
    ],
)
def test_sizes_that_are_known(form: str, value: Any, sizes: Sizes | None, values: dict[str, Any], made: Any) -> None:
    assert formed(form, value, sizes, **values) == made


def test_what_sizes_refuse() -> None:
    with pytest.raises(NoForm, match="it has 2 dimensions, and the first tensor 1"):
        formed("of_equal_rank", (2, 3), (2,))
    with pytest.raises(NoForm, match="there is no dimension 2 among 2"):
        formed("sizes_beside_dim", (2, 5), (2, 3), dim=2)
    with pytest.raises(NoForm, match="there is no dimension 2 among 2"):
        formed("sizes_along", 2, (2, 3))
    with pytest.raises(NoForm, match="there are 1 items beside 2"):
        formed("strided_whole", [6], (6,), **STRIDED)


@pytest.mark.parametrize(
    ("form", "value", "first", "values", "made"),
    [
        ("sizes_of_first", "n 3", "n 3", {}, True),
        ("sizes_of_first", "n 3", "m 3", {}, False),
        ("sizes_of_first", "n 3", "5 3", {}, False),
        ("sizes_of_first", "? 3", "? 3", {}, False),
        ("sizes_of_index", "n m", "4 4", {"index": "n m"}, True),
        ("sizes_of_index", "n m", "4 4", {"index": "m n"}, False),
        ("sizes_beside_dim", "n 2", "n m", {"dim": 1}, True),
        ("sizes_beside_dim", "n 2", "n m", {"dim": 0}, False),
        ("may_broadcast", "", "", {"x1": "n 3", "x2": "n 3"}, False),
        ("may_broadcast", "", "", {"x1": "n 3", "x2": "m 3"}, True),
        ("of_equal_sizes", ["n 2", None, "n 2"], "n", {}, True),
        ("of_equal_sizes", ["n 2", "m 2"], "n", {}, False),
        ("sizes_of_indexed", "m 3", "n 3", {"indices": ["m"]}, True),
        ("sizes_of_indexed", "n 3", "n 3", {"indices": ["m"]}, False),
        ("sizes_of_indexed", "n m", "n 3 4", {"indices": [None, "m", "1"]}, True),
        ("sizes_of_indexed", "n m", "n 3 4", {"indices": [None, "1", "m"]}, True),
        ("sizes_of_indexed", "m m", "3 4", {"indices": ["m 1", "m"]}, True),
        ("sizes_of_indexed", "m n", "3 4", {"indices": ["m 1", "n"]}, True),
        ("sizes_of_indexed", "5", "3 4", {"indices": ["m", "5"]}, True),
        ("sizes_of_indexed", "5", "3 4", {"indices": ["5", "m"]}, True),
        ("sizes_of_indexed", "m", "3 4", {"indices": ["m", "5"]}, False),
        ("sizes_of_indexed", "m", "3 4", {"indices": ["m", "n"]}, False),
        ("sizes_of_indexed", "5", "3 4", {"indices": ["?", "5"]}, False),
        ("sizes_of_indexed", "m", "3 4", {"indices": ["m", "?"]}, False),
        ("sizes_of_indexed", "1", "3 4", {"indices": ["1", "?"]}, False),
    ],
)
def test_whether_expressions_of_sizes_are_equal(form: str, value: Any, first: str, values: Any, made: bool) -> None:
    assert formed(form, _named(value), _named(first), **{name: _named(item) for name, item in values.items()}) is made


def _named(value: Any) -> Any:
    """A tensor of int64 for each text: numbers, letters for expressions, ? for a size of which nothing is known."""
    if isinstance(value, list):
        return [_named(item) for item in value]
    if not isinstance(value, str):
        return value
    words = value.split()
    sizes = tuple(int(word) if word.isdigit() else None for word in words)
    return tensor(sizes, "int64", tuple("" if word == "?" else word for word in words))


POSITIONS, MASK = np.zeros(3, np.int64), np.zeros(3, bool)


@pytest.mark.parametrize(
    "indices",
    [
        [POSITIONS],
        [None, POSITIONS],
        [POSITIONS, None, POSITIONS],
        [None, POSITIONS[:, None], POSITIONS],
        [POSITIONS[0]],
    ],
)
def test_the_sizes_of_what_positions_take(indices: list[Any]) -> None:
    x = counted(4, 5, 6)
    taken = x[tuple(slice(None) if item is None else item for item in indices)]
    given = [None if item is None else np.asarray(item) for item in indices]
    assert formed("sizes_of_indexed", taken, x.shape, indices=given) is True
    assert formed("sizes_of_indexed", zeros((5, 6, 7)), x.shape, indices=given) is False


@pytest.mark.parametrize("indices", [[MASK], [MASK.view(np.uint8)], [None], []])
def test_masks_and_no_positions(indices: list[Any]) -> None:
    assert formed("sizes_of_indexed", zeros((4, 5, 6)), (4, 5, 6), indices=indices) is False


@pytest.mark.parametrize("unknown", [(None, 2), None])
def test_positions_of_unknown_sizes(unknown: Sizes | None) -> None:
    assert formed("sizes_of_indexed", (3, 2), (4, 5), indices=[tensor(unknown, "int64")]) is False
    assert formed("sizes_of_indexed", (3,), None, indices=[POSITIONS]) is False


def test_lists_of_tensors_of_equal_sizes() -> None:
    assert formed("of_equal_sizes", [POSITIONS, None, POSITIONS])
    assert not formed("of_equal_sizes", [POSITIONS, POSITIONS[:1]])
    assert not formed("of_equal_sizes", [MASK, POSITIONS])
    assert not formed("of_equal_sizes", [tensor((None,), "int64")] * 2)
