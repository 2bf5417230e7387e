"""Tuples, namedtuples and dictionaries that a loop of the run time changes: each part is carried by itself."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
from opwright import FLOAT, INT64, DiagnosticError, OnnxFunction, script
from opwright import opset18 as op

from tests.functions.everywhere import same_everywhere


class State(NamedTuple):
    hidden: Any
    cell: Any
    mode: str = "sum"


def cell(state, x):
    hidden, kept = state
    return op.Tanh(hidden * 0.5 + x), kept + hidden


@script()
def a_tuple(x: FLOAT["N"], n: INT64):
    state = (FLOAT(0.0), FLOAT(1.0))
    for v in x:
        state = (state[0] + v, state[1] * v)
    return state[0] + state[1]


@script()
def of_numbers(x: FLOAT["N"], n: INT64):
    state = (0, 1.0)
    for i in range(n):
        count, total = state
        state = (count + i, total * 2)
    return x * state[0] + state[1]


@script()
def a_namedtuple(x: FLOAT["N"], n: INT64):
    state = State(FLOAT(0.0), 1.0)
    i = 0
    while i < x.shape[0]:
        state = State(state.hidden + x[i], state.cell * 0.5, "sum")
        if state.cell < 0.2:
            break
        i = i + 1
    return state.hidden * state.cell if state.mode == "sum" else x


@script()
def a_dictionary(x: FLOAT["N"], n: INT64):
    state = {"h": x[:0], "n": 0, "t": (FLOAT(0.0), None)}
    for v in x:
        if v > 1.5:
            state = {"h": op.Concat(state["h"], op.Unsqueeze(v, [0]), axis=0), "n": state["n"] + 1, "t": (v, None)}
    return state["h"] * state["n"] + state["t"][0]


@script()
def in_a_helper(x: FLOAT["N"], n: INT64):
    state = (FLOAT(0.0), FLOAT(0.0))
    for _ in range(n):
        for v in x:
            state = cell(state, v)
        state = (state[0] * 0.5, state[1])
    return state[0] + state[1]


@script()
def with_a_list(x: FLOAT["N"], n: INT64):
    state = (FLOAT(0.0), [x])
    for v in x:
        state = (state[0] + v, state[1] + [v + x])
    return op.ConcatFromSequence(state[1], axis=0) + state[0]


@script()
def with_a_return(x: FLOAT["N"], n: INT64):
    state = (FLOAT(0.0), x)
    for v in x:
        if v > 100.0:
            return state[1] * 2.0
        state = (state[0] + v, state[1] + state[0])
    else:
        state = (state[0], -state[1])
    return state[1]


@script()
def a_number_that_becomes_a_tensor(x: FLOAT["N"], n: INT64):
    state = ((0.0, 1), n)
    for v in x:
        state = ((state[0][0] + v, state[0][1] + 1), state[1] * 2)
    return state[0][0] * state[0][1] + op.CastLike(state[1], x)


@script()
def of_known_ints(x: FLOAT["N"], n: INT64):
    s = (x, (1, 2), State(3, 4))
    for i in range(n):
        pair = (s[1][1], s[1][0]) if i > 1 else (s[1][0], i)
        s = (s[0] + 1, pair, State(1, i) if i > 2 else State(s[2].cell, s[2].hidden))
    named = State(1, 2) if n > 1 else State(3, 4)
    return s[0] * s[1][0] * s[2].hidden + s[1][1] + s[2].cell * named.cell


@script()
def of_another_form_where_each_path_returns(x: FLOAT["N"], n: INT64):
    state = (x, 1)
    while n > 1:
        state = (x, 1, 2)
        return state[0] * state[2]
    return state[0]


@script()
def a_list_of_numbers(x: FLOAT["N"], n: INT64):
    counts = [1, 2]
    for i in range(n):
        counts[0] = counts[0] + i
        counts = [counts[1], counts[0]]
    return x * counts[0] + counts[1]


@script()
def of_a_text_that_stays(x: FLOAT["N"], n: INT64):
    s = ("sum", x)
    for v in x:
        s = (s[0], s[1] + v if s[0] == "sum" else s[1])
    return s[1]


@pytest.mark.parametrize("values", [[1, 2, 3, 4], [5], [150, 1], []])
@pytest.mark.parametrize(
    "function",
    [
        a_tuple,
        of_numbers,
        a_namedtuple,
        a_dictionary,
        in_a_helper,
        with_a_list,
        with_a_return,
        a_number_that_becomes_a_tensor,
        of_known_ints,
        of_another_form_where_each_path_returns,
        a_list_of_numbers,
        of_a_text_that_stays,
    ],
    ids=lambda function: function.name,
)
def test_parts_are_carried(function: OnnxFunction, values: list[float]) -> None:
    same_everywhere(function, np.array(values, np.float32), np.array(len(values)))


@script()
def longer(x: FLOAT["N"]):
    state = (x, x)
    for v in x:
        state = (state[0] + v, state[1], v)
    return state[0]


@script()
def another_text(x: FLOAT["N"]):
    state = (x, "a")
    for v in x:
        state = (state[0] + v, "b")
    return state[0]


@script()
def another_type(x: FLOAT["N"]):
    state = (x, (x, 0))
    for v in x:
        state = (state[0] + v, (op.Cast(x, to=INT64), 0))
    return state[0]


@script()
def another_list(x: FLOAT["N"]):
    state, others = (x, [1, 2]), [3, 4]
    for v in x:
        state = (state[0] + v, others)
    others[0] = 5
    return state[0] * state[1][0]


@script()
def other_keys(x: FLOAT["N"]):
    state = {"a": x, "b": x}
    for v in x:
        state = {"b": state["a"] + v, "a": state["b"]}
    return state["a"]


@script()
def perhaps_unbound(x: FLOAT["N"]):
    state = (x, x)
    for v in x:
        if v > 0.0:
            del state
        state = (state[0] + v, x)
    return state[0]


@pytest.mark.parametrize(
    ("function", "code", "reason"),
    [
        (longer, "OW321", "it enters the trip as a tuple of 2 items and leaves it as a tuple of 3 items"),
        (another_text, "OW321", "`state[1]` enters the trip as `'a'` and leaves it as `'b'`"),
        (
            another_type,
            "OW321",
            "`state[1][0]` enters the trip as a value of type float[N] and leaves it as a value of type int64[N]",
        ),
        (
            other_keys,
            "OW321",
            "it enters the trip as a dictionary and leaves it as another: a dictionary with other names, keys or sizes",
        ),
        (another_list, "OW344", "in Python both names would see the change; in a graph each name is a value"),
        (perhaps_unbound, "OW308", ""),
    ],
)
def test_parts_stay_what_they_are(function: OnnxFunction, code: str, reason: str) -> None:
    with pytest.raises(DiagnosticError) as caught:
        function.to_function_proto()
    (found,) = caught.value.diagnostics
    assert found.code == code
    assert not reason or found.reason == reason
