"""Dictionaries, namedtuples and items of lists: what Python gives, in both ways into the compiler."""

from __future__ import annotations

from collections import namedtuple
from typing import NamedTuple

import numpy as np
import pytest
from opwright import FLOAT, INT64, DiagnosticError, script
from opwright import opset18 as op

from tests.functions.everywhere import same_everywhere
from tests.lang.static_text import compile_text

X = np.array([1.0, 2.0], np.float32)
CONFIG = {"scale": 2.0, "axes": (0, 1), 3: "three"}
Pair = namedtuple("Pair", "scale shift")
PAIR = Pair(2.0, 0.5)


class Options(NamedTuple):
    alpha: float
    steps: int = 3


def test_dictionaries_are_read() -> None:
    @script()
    def F(x: FLOAT["N"]):
        table = {"neg": op.Neg, "abs": op.Abs, "id": op.Identity}
        y = table["neg"](x) * CONFIG["scale"] + CONFIG.get("missing", len(CONFIG))
        for name, function in table.items():
            if name != "neg":
                y = y + function(x)
        for key in CONFIG:
            y = y + len(str(key))
        return y + sum({"a": 1, "b": 2}.values()) + ("neg" in table) * (3 in CONFIG) - max(len(k) for k in table)

    same_everywhere(F, X)


def test_a_dictionary_that_changes_is_read_again() -> None:
    table = {"k": 1.0}

    @script()
    def F(x: FLOAT["N"]):
        return x + table["k"]

    np.testing.assert_array_equal(same_everywhere(F, X), X + 1)
    table["k"] = 5.0
    np.testing.assert_array_equal(same_everywhere(F, X), X + 5)


def split(x):
    return Pair(x, x * 2)


def test_namedtuples_have_their_fields() -> None:
    @script()
    def F(x: FLOAT["N"], n: INT64):
        options = Options(0.5)
        pair = split(x)
        if n > 0:
            pair = Pair(shift=pair.scale, scale=pair.shift)
        first, second = pair
        return first * options.alpha + second * options.steps + pair.shift + PAIR.shift + len(pair) + pair[0]

    same_everywhere(F, X, np.array(1))
    same_everywhere(F, X, np.array(0))


def test_a_namedtuple_with_another_field() -> None:
    @script()
    def f(x: FLOAT["N"]):
        pair = Pair(x, 1)._replace(shift=x * 2)
        return pair.scale * pair.shift + PAIR._replace(scale=3.0).scale

    same_everywhere(f, X)


@pytest.mark.parametrize("call", ["pair._replace(1.0)", "pair._replace(other=1.0)"])
def test_fields_are_replaced_by_their_names(call: str) -> None:
    text = f"""from collections import namedtuple

Pair = namedtuple("Pair", ["a", "b"])

def F(x):
    pair = Pair(1.0, 2.0)
    return x * {call}.a
"""
    assert [item.code for item in compile_text(text)] == ["OW203"]


def test_texts_make_dictionaries_and_namedtuples() -> None:
    text = """
from collections import namedtuple
from typing import NamedTuple

Pair = namedtuple("Pair", ["a", "b"])

class Options(NamedTuple):
    alpha: float
    steps: int = 3

TABLE = {"k": Pair(1.0, b=2)}

def F(x):
    assert TABLE["k"].b == 2 and Options(1.0).steps == 3 and Pair(1, 2) == (1, 2)
    assert {1: "a"}[True] == "a" and list({"a": 1, "b": 2}) == ["a", "b"] and not {}
    return x * TABLE["k"].a
"""
    assert compile_text(text, ("float",)) == ()


@pytest.mark.parametrize(
    ("expression", "code"),
    [
        ("{}['a']", "OW312"),
        ("{[1]: 2}", "OW304"),
        ("{'a': 1} == {'a': 1}", "OW314"),
        ("{'a': 1}.pop('a')", "OW304"),
        ("{'a': 1}.get()", "OW203"),
        ("{'a': x} + x", "OW314"),
        ("op.Neg({'a': x})", "OW325"),
        ("f'{Pair(1, 2)}'", "OW304"),
        ("Pair(1)", "OW203"),
        ("Pair(1, 2).c", "OW304"),
    ],
)
def test_other_uses_are_refused(expression: str, code: str) -> None:
    head = "from collections import namedtuple\nfrom opwright import opset18 as op\nPair = namedtuple('Pair', 'a b')\n"
    found = compile_text(f"{head}def F(x):\n    y = {expression}\n    return x\n", ("float",))
    assert [item.code for item in found] == [code]


def test_items_of_lists_are_assigned() -> None:
    @script()
    def F(x: FLOAT["N"], n: INT64):
        xs = [x, x * 2, 3]
        xs[-1] = x * 4
        xs[0], xs[1] = xs[1], xs[0]
        xs[1] += 1
        for i in range(2):
            xs[i] = xs[i] + i
        if n > 0:
            xs[2] = -x
        return xs[0] + xs[1] * 10 + xs[2] * 100

    same_everywhere(F, X, np.array(1))
    same_everywhere(F, X, np.array(0))


@pytest.mark.parametrize(
    ("lines", "code"),
    [
        ("ys = xs; xs[0] = x", "OW344"),
        ("d = {'a': xs}; xs[0] = x", "OW344"),
        ("xs[5] = x", "OW312"),
        ("xs[0:1] = [x]", "OW345"),
        ("ys = [x, 1]; ys[op.Size(x)] = x", "OW345"),
        ("x[0] = 1", "OW343"),
        ("(1, 2)[0] = 1", "OW343"),
        ("y = [1 for xs[0] in (1, 2)]", "OW343"),
    ],
)
def test_other_items_are_refused(lines: str, code: str) -> None:
    body = "".join(f"    {line.strip()}\n" for line in lines.split(";"))
    head = "from opwright import opset18 as op\n"
    found = compile_text(f"{head}def F(x):\n    xs = [x, x]\n{body}    return xs[0]\n", ("float",))
    assert [item.code for item in found] == [code]


def test_a_helper_does_not_change_its_callers_list() -> None:
    def put(xs, x):
        xs[0] = x
        return xs

    @script()
    def F(x: FLOAT["N"]):
        xs = [x, x]
        put(xs, -x)
        return xs[0]

    with pytest.raises(DiagnosticError) as caught:
        F.to_function_proto()
    assert [item.code for item in caught.value.diagnostics] == ["OW344"]
