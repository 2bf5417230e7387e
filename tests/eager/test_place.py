"""What eager code can find out about the line that called it."""

from __future__ import annotations

import linecache
import sys
from typing import Any

import numpy as np
from opwright import Tensor
from opwright import opset18 as op
from opwright.eager.place import place_of, unpacked_to

X = Tensor(np.arange(6, dtype=np.float32))


def probe(*_: object) -> Any:
    frame = sys._getframe(1)
    seen.append((unpacked_to(frame), place_of(frame)))
    return 1, 2


seen: list[Any] = []


def test_to_how_many_names_a_result_is_unpacked() -> None:
    seen.clear()
    a, b = probe()
    (a, b) = probe(*[1], probe())
    a = probe()
    a, b = _, c = probe()
    a = b, c = probe()
    print(a, b, c, _)
    assert [count for count, _ in seen] == [2, None, 2, None, 2, None]


def test_many_names() -> None:
    seen.clear()
    names = ", ".join(f"n{index}" for index in range(300))
    exec(f"try:\n    {names} = probe()\nexcept ValueError:\n    pass", {"probe": probe})
    assert seen[0][0] == 300


def test_the_place_is_that_of_the_call() -> None:
    seen.clear()
    text = "x = 1 +   len(probe(\n    2))\n"
    exec(compile(text, "here.py", "exec"), {"probe": probe})
    place = seen[0][1]
    assert (place.file, place.line, place.column, place.end_line, place.end_column) == ("here.py", 1, 15, 2, 7)


def test_columns_count_characters() -> None:
    seen.clear()
    text = "x = 'äöü', probe()\n"
    linecache.cache["there.py"] = (len(text), None, [text], "there.py")
    exec(compile(text, "there.py", "exec"), {"probe": probe})
    place = seen[0][1]
    assert text[place.column - 1 : place.end_column - 1] == "probe()"


def test_operators_give_as_many_results_as_are_wanted() -> None:
    one, two, three = op.Split(X, num_outputs=3)
    assert [item.shape for item in (one, two, three)] == [(2,)] * 3
    values, indices = op.TopK(X, [2])
    assert (values.numpy().tolist(), indices.numpy().tolist()) == ([5, 4], [5, 4])
    kept, mask = op.Dropout(X)
    assert (kept.shape, mask.numpy().dtype) == ((6,), bool)
    assert op.Dropout(X).shape == (6,)
