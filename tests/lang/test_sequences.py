"""Lists that grow: the compiled graph computes what the same text computes as Python with Python's lists."""

from __future__ import annotations

import itertools
import random
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from conftest_lang import Compiler, run_everywhere
from opwright.lang.ir_verify import verify

X = np.arange(6, dtype=np.float32).reshape(2, 3)


class _Operators:
    """numpy and Python's lists in place of the operators that the programs use."""

    def Concat(self, *xs: np.ndarray, axis: int) -> np.ndarray:
        return np.concatenate(xs, axis)

    def ConcatFromSequence(self, xs: list[np.ndarray], axis: int, new_axis: int = 0) -> np.ndarray:
        return np.stack(xs, axis) if new_axis else np.concatenate(xs, axis)

    def SplitToSequence(self, x: np.ndarray, axis: int = 0) -> list[np.ndarray]:
        return np.split(x, x.shape[axis], axis)

    def SequenceConstruct(self, *xs: np.ndarray) -> list[np.ndarray]:
        return list(xs)

    def SequenceAt(self, xs: list[np.ndarray], index: int) -> np.ndarray:
        return xs[int(index)]

    def SequenceLength(self, xs: list[np.ndarray]) -> np.ndarray:
        return np.array(len(xs))

    def ReduceSum(self, x: np.ndarray, keepdims: int) -> np.ndarray:
        return x.sum()

    def Size(self, x: np.ndarray) -> np.ndarray:
        return np.array(x.size)

    def Cast(self, x: np.ndarray, to: int) -> np.ndarray:
        return np.asarray(x, np.float32)


JOIN = "\nreturn op.ConcatFromSequence(ys, axis=0)"
PROGRAMS = {
    "has items or none": (
        "ys = []\nfor i in range(s):\n    if not ys:\n        ys.append(x)\n    elif i > 2:\n        ys.append(-x)\n"
        "return op.ConcatFromSequence(ys, axis=0) if ys else x * 5"
    ),
    "a sequence as a condition": "ys = op.SplitToSequence(x)\nif ys:\n    return x\nreturn -x",
    "an item is an index before any is appended": (
        "ys = []\nz = x[0] * 0\nfor i in range(2):\n    for y in ys:\n        z = z + x[y]\n"
        "    ys.append(op.Size(x) - 5 - i)\nreturn z"
    ),
    "an item decides whether one is appended": (
        "ys = []\nz = x[0] * 0\nfor i in range(s):\n    good = True\n    for y in ys:\n        if x[y, 0] > 2 + i:\n"
        "            good = False\n    if good:\n        ys.append(op.Size(x) * 0)\n"
        "for y in ys:\n    z = z + x[y]\nreturn z"
    ),
    "a part of a sequence": "ys = op.SplitToSequence(x)\nreturn ys[1:][0]",
    "slices": (
        "ys = []\nfor i in range(s):\n    ys.append(x * i)\nzs = ys[::-1]\nfor y in ys[1:-1]:\n    zs.append(y)\n"
        "for y in ys[s - 9 : s // 2 : 2]:\n    zs.append(-y)\nfor y in zs[:1:-3]:\n    zs.append(y + 1)\nzs.append(x)\n"
        "return op.ConcatFromSequence(zs, axis=0)"
    ),
    "a slice of a list of known length": (
        "ys = [x, -x, x * 2]\nzs = ys[s // 4 :]\nzs.append(x)\nfor y in ys[: s - 6 : -1]:\n    zs.append(y)\n"
        "return op.ConcatFromSequence(zs, axis=0)"
    ),
    "a list loses its last items": (
        "ys = []\nn = op.Size(x) * 0\nfor i in range(s):\n    while ys and ys[-1] < i % 3:\n        ys = ys[:-1]\n"
        "    ys.append(op.Size(x) * 0 + i % 4)\n    n = n + len(ys)\nreturn x * op.Cast(n, to=1)"
    ),
    "an item makes the next one": (
        "ys = []\ny = x\nfor i in range(s):\n    if ys:\n        y = y + ys[-1] * 0.5\n    ys.append(y)" + JOIN
    ),
    "all items make the next one": (
        "ys = []\nfor i in range(s):\n    t = x\n    for y in ys:\n        t = t - y * 0.5\n    ys.append(t)" + JOIN
    ),
    "the last items make the next one": (
        "ys = []\nwhile len(ys) < s:\n    if len(ys) < 2:\n        y = x\n    else:\n"
        "        y = ys[-1] - 0.5 * ys[-2]\n    ys.append(y)" + JOIN
    ),
    "an item or a number": (
        "ys = []\ny = x\nfor i in range(s):\n    y = y + (ys[-1] if ys else 2.0)\n    ys.append(y)" + JOIN
    ),
    "two lists feed each other": (
        "ys = []\nzs = []\nfor i in range(s):\n    if ys:\n        zs.append(ys[-1] * 2.0)\n    if zs:\n"
        "        ys.append(zs[-1] + 1.0)\n    if not zs:\n        zs.append(x)" + JOIN
    ),
    "the last item is an index": (
        "ys = []\nz = x[0] * 0\nfor i in range(s):\n    if len(ys) > 0:\n        z = z + x[ys[-1]] * i\n"
        "    ys.append(op.Size(x) - 5)\nreturn z"
    ),
    "grows": "ys = []\nys.append(x)\nys.append(-x)" + JOIN,
    "grows in a loop": "ys = []\nfor i in range(len(x)):\n    ys.append(x * i)" + JOIN,
    "grows in a loop over a static range": "ys = []\nfor i in range(3):\n    ys.append(x * i)" + JOIN,
    "begins with items": "ys = [x, -x]\nfor i in range(op.Size(x)):\n    ys.append(x * i)" + JOIN,
    "grows in a branch": "ys = [x]\nif s > 3:\n    ys.append(-x)" + JOIN,
    "grows in both branches": "ys = []\nif s > 3:\n    ys.append(-x)\nelse:\n    ys.append(x)\n    ys.append(x)" + JOIN,
    "grows by one in both branches": "ys = []\nif s > 3:\n    ys.append(-x)\nelse:\n    ys.append(x)" + JOIN,
    "grows in a branch in a loop": (
        "ys = [x]\nfor i in range(5):\n    if i > s:\n        ys.append(x * i)\n    else:\n        x = x + 1" + JOIN
    ),
    "grows in a branch of the trip": "ys = []\nfor i in range(4):\n    if i > 1:\n        ys.append(x * i)" + JOIN,
    "grows and breaks": (
        "ys = []\nfor i in range(9):\n    ys.append(x * i)\n    if op.ReduceSum(x, keepdims=0) * i > 20:\n        break"
        + JOIN
    ),
    "grows and continues": (
        "ys = []\nfor i in range(6):\n    if (op.Size(x) + i) % 2 == 0:\n        continue\n    ys.append(x * i)\n"
        "ys.append(x)" + JOIN
    ),
    "grows in a while loop": "ys = []\nwhile len(ys) < 3:\n    ys.append(x * len(ys))" + JOIN,
    "grows in nested loops": (
        "ys = []\nfor i in range(len(x)):\n    for j in range(x.shape[1]):\n        ys.append(x * i + j)" + JOIN
    ),
    "grows inside and outside": (
        "ys = []\nfor i in range(len(x)):\n    ys.append(x * i)\n    for j in range(i):\n        ys.append(x - j)"
        + JOIN
    ),
    "two of them": (
        "ys = []\nzs = []\nfor i in range(len(x)):\n    ys.append(x * i)\n    zs.append(x - i)\n"
        "return op.ConcatFromSequence(ys, axis=0) + op.ConcatFromSequence(zs, axis=0)"
    ),
    "begun anew": (
        "ys = [x]\nfor i in range(len(x) + 1):\n    if i == 1:\n        ys = []\n    ys.append(x * i)" + JOIN
    ),
    "one in each trip": (
        "y = x\nfor i in range(len(x)):\n    parts = []\n    for j in range(i + 1):\n        parts.append(y + j)\n"
        "    y = parts[-1] + len(parts)\nreturn y"
    ),
    "joined": "ys = [x] + [-x]\nys = ys + [x + 1]\nreturn op.Concat(*ys, axis=1)",
    "joined in a loop": "ys = []\nfor i in range(len(x)):\n    ys = ys + [x * i, x]" + JOIN,
    "augmented": "ys = [x]\nys += [-x]\nys += (x + 1,)" + JOIN,
    "augmented in a loop": "ys = []\nfor i in range(len(x)):\n    ys += [x, -x]" + JOIN,
    "extended": "ys = []\nfor i in range(len(x)):\n    ys.extend([x, -x])" + JOIN,
    "items": "ys = []\nfor i in range(4):\n    ys.append(x * i)\nreturn ys[0] + ys[-1] * 2 + ys[len(x)]",
    "static items": "ys = [x, x + 1, x + 2]\nreturn ys[0] + ys[-1] * 2 + ys[1:][0] + len(ys)",
    "an item by a number": "ys = [x, x + 1, x + 2]\nreturn ys[len(x)]",
    "an item by a tensor": "ys = [x, x + 1, x + 2, x, x, x, x - 1]\nreturn ys[op.Size(x)]",
    "the length": "ys = []\nfor i in range(len(x) + 2):\n    ys.append(x)\nreturn x * len(ys) / 3",
    "run over": "ys = op.SplitToSequence(x)\nt = x * 0\nfor y in ys:\n    t = t + y\nreturn t",
    "run over what has grown": (
        "ys = []\nfor i in range(len(x)):\n    ys.append(x * i)\nt = x\nfor y in ys:\n    t = t * 2 + y\nreturn t"
    ),
    "run over and left": (
        "t = x\nfor y in op.SplitToSequence(x):\n    if op.ReduceSum(y, keepdims=0) > 4:\n        break\n"
        "    t = t + y\nreturn t"
    ),
    "run over a static list": "t = x * 0\nys = [x, -x, x + 2]\nfor y in ys:\n    t = t * 2 + y\nreturn t",
    "run over a copy": "ys = [x]\nfor y in ys + []:\n    ys.append(y)" + JOIN,
    "of an operator": "ys = op.SequenceConstruct(x, -x)\nys.append(x + 1)" + JOIN,
    "given to operators": ("ys = [x, -x]\nreturn op.SequenceAt(ys, 1) + op.Cast(op.SequenceLength(ys), to=1)"),
    "copied": "ys = [x]\nzs = ys + []\nys.append(-x)\nreturn ys[1] + zs[-1]",
    "one name after the other": "ys = [x]\nys.append(-x)\nzs = ys\nreturn zs[1] + ys[0] * len(zs)",
    "swapped": "ys = [x]\nzs = [-x]\nys, zs = zs, ys\nys.append(x + 5)\nreturn ys[0] * len(ys) + zs[0] * len(zs)",
    "chosen": "ys = [x] if s > 3 else [x, -x]\nreturn x * len(ys) + ys[-1]",
    "chosen and grown": "ys = [x] if s > 3 else []\nys.append(-x)\nreturn x * len(ys) + ys[-1]",
    "items of several ranks": (
        "ys = [x[0]]\nfor i in range(len(x)):\n    ys.append(x)\nreturn ys[-1] + op.ReduceSum(ys[1][1:], keepdims=0)"
    ),
    "one of two": "ys = [x]\nzs = [-x, x]\nif s > 3:\n    vs = ys\nelse:\n    vs = zs\nreturn vs[0] * len(vs)",
    "returned early": (
        "ys = []\nif s > 3:\n    ys.append(x)\n    return ys[0] * 2\nys.append(-x)\nreturn ys[0] * len(ys)"
    ),
    "returned from a loop": (
        "ys = []\nfor i in range(6):\n    ys.append(x * i)\n    if len(ys) > s:\n"
        "        return ys[-1] + len(ys)\nreturn x"
    ),
    "returned as a whole from a loop": "ys = grown(x)\nreturn ys[-1] + len(ys)",
    "made by a helper": "ys = pair(x)\nys.append(x + 3)" + JOIN,
    "read by a helper": "ys = [x, -x]\ny = last(ys)\nys.append(y)" + JOIN,
    "of lists": "ys = [[x], [x, -x]]\nreturn ys[1][1] * len(ys)",
    "of numbers": "ks = [1, 2]\nks.append(4)\nreturn x * ks[2] + ks[0] + len(ks)",
    "of numbers in a static loop": "ks = []\nfor i in range(4):\n    ks.append(i * 2)\nreturn x * ks[3] + ks[2] / 4",
    "a star": "a, *ys = [x, -x, x + 1]\nys.append(a)" + JOIN,
    "unpacked": "ys = [x, -x]\na, b = ys\nreturn a * 2 + b",
}
HELPERS = """
def pair(v):
    made = [v]
    made.append(-v)
    return made

def last(vs):
    return vs[-1] * 2

def grown(v):
    ys = [v]
    for i in range(len(v) + 5):
        ys.append(v * i)
        if i > 2:
            return ys
    return ys + [v]
"""


def _text(body: str) -> str:
    return "def F(x, s):\n" + "".join(f"    {line}\n" for line in body.split("\n")) + HELPERS


@pytest.mark.parametrize("opset", [13, 18])
@pytest.mark.parametrize("name", PROGRAMS)
def test_compiled_equals_python(compiler: Compiler, name: str, opset: int) -> None:
    text = _text(PROGRAMS[name])
    function = compiler.function(text, {"x": "float", "s": "int64/0"}, {"y": "float"}, opset=opset)
    assert verify(function) == []
    namespace: dict[str, Any] = {"op": _Operators()}
    exec(text, namespace)
    for s in (2, 7):
        wanted = namespace["F"](X, s)
        for runtime, (got,) in run_everywhere(function, {"x": X, "s": np.array(s)}).items():
            np.testing.assert_allclose(got, wanted, rtol=1e-6, err_msg=runtime)


@pytest.mark.parametrize("opset", [13, 18])
def test_a_list_of_the_caller_s_type(compiler: Compiler, opset: int) -> None:
    """The element type of an empty sequence is an attribute: that takes a variant for each."""
    text = _text("ys = []\nfor i in range(s):\n    ys.append(x * i)\nreturn op.ConcatFromSequence(ys, axis=0)")
    types = {"T": ["float", "double"]}
    family = compiler.family(text, {"x": "T", "s": "int64/0"}, {"y": "T"}, types, opset=opset)
    assert not family.diagnostics
    assert len(family.variants) == 2
    for variant, dtype in zip(family.variants, (np.float32, np.float64), strict=True):
        assert variant.lowered.function is not None
        x = X.astype(dtype)
        for (got,) in run_everywhere(variant.lowered.function, {"x": x, "s": np.array(2)}).values():
            np.testing.assert_array_equal(got, np.concatenate([x * 0, x]))


REFUSED = {
    "a list from around, by `max`": ("ys = max(CONSTANT, [0])\nys.append(3)\nreturn x * len(CONSTANT)", ["OW344"]),
    "an item of a list, by `min`": ("ys = min([CONSTANT, [9]])\nys.append(3)\nreturn x * len(CONSTANT)", ["OW344"]),
    "a list from around, by `sum`": ("ys = sum([], CONSTANT)\nys.append(3)\nreturn x * len(CONSTANT)", ["OW344"]),
    "two names": ("ys = [x]\nzs = ys\nys.append(x)\nreturn zs[0]", ["OW344"]),
    "two names the other way": ("ys = [x]\nzs = ys\nzs.append(x)\nreturn ys[0]", ["OW344"]),
    "two names, augmented": ("ys = [x]\nzs = ys\nys += [x]\nreturn zs[0]", ["OW344"]),
    "two names in a chain": ("ys = zs = []\nys.append(x)\nreturn ys[0]", ["OW344"]),
    "two names before a loop": (
        "ys = [x]\nzs = ys\nfor i in range(s):\n    ys.append(x)\nreturn zs[0]",
        ["OW344"],
    ),
    "two names from the second trip on": (
        "ys = [x]\nzs = [x]\nfor i in range(s):\n    ys.append(x)\n    x = x + len(zs)\n    zs = ys\nreturn x",
        ["OW344"],
    ),
    "two names after a branch": (
        "ys = [x]\nzs = [x]\nif s > 3:\n    zs = ys\nzs.append(x)\nreturn ys[0]",
        ["OW344"],
    ),
    "two names after a loop": (
        "ys = [x]\nzs = [x]\nfor i in range(s):\n    zs = ys\nys.append(x)\nreturn zs[0]",
        ["OW344"],
    ),
    "two names after a choice": ("ys = [x]\nzs = ys if s > 3 else []\nys.append(x)\nreturn zs[0]", ["OW344"]),
    "two names after a choice of equal lists": (
        "ys = [x]\nzs = [x]\nvs = ys if s > 3 else zs\nzs.append(x)\nreturn vs[0]",
        ["OW344"],
    ),
    "held by a tuple": ("ys = [x]\nt = (ys, x)\nys.append(x)\nreturn t[0][0]", ["OW344"]),
    "held by a list": ("ys = [x]\nt = [ys]\nys.append(x)\nreturn t[0][0]", ["OW344"]),
    "a helper's parameter": ("ys = [x]\nput(ys, x)\nreturn ys[0]", ["OW344"]),
    "a helper's name for it": ("ys = [x]\nput_to_another(ys, x)\nreturn ys[0]", ["OW344"]),
    "given back by a helper": ("ys = [x]\nzs = same(ys)\nzs.append(x)\nreturn ys[0]", ["OW344"]),
    "the module's": ("CONSTANT.append(x)\nreturn x", ["OW345"]),
    "the module's under another name": ("ks = CONSTANT\nks.append(1)\nreturn x", ["OW344"]),
    "a helper's default": ("return defaulted(x)", ["OW344"]),
    "while it is run over": ("ys = [x]\nfor y in ys:\n    ys.append(y)\nreturn ys[0]", ["OW344"]),
    "by an augmented assignment while it is run over": (
        "ys = [x]\nfor y in ys:\n    ys += [y]\nreturn ys[0]",
        ["OW344"],
    ),
    "two names from the second trip on, augmented": (
        "ys = [x]\nzs = [x]\nfor i in range(s):\n    ys += [x]\n    ys = zs\nreturn zs[0]",
        ["OW344"],
    ),
    "while it is enumerated": ("ys = [x]\nfor i, y in enumerate(ys):\n    ys.append(y)\nreturn ys[0]", ["OW344"]),
    "pop inside an expression": ("ys = [x]\nreturn ys.pop() + x", ["OW345"]),
    "insert without a place": ("ys = [x]\nys.insert(None, x)\nreturn x", ["OW312"]),
    "a place of what is wrong": ("ys = [nope for i in (1, 2)]\ndel ys[0]\nreturn x", ["OW302"]),
    "insert of one": ("ys = [x]\nys.insert(x)\nreturn x", ["OW345"]),
    "sort": ("ys = [x]\nys.sort()\nreturn x", ["OW345"]),
    "remove": ("ys = [x]\nys.remove(x)\nreturn x", ["OW345"]),
    "append of two": ("ys = [x]\nys.append(x, x)\nreturn x", ["OW345"]),
    "append as a value": ("ys = [x]\nz = ys.append(x)\nreturn x", ["OW345"]),
    "append to an item": ("ys = [[x]]\nys[0].append(x)\nreturn x", ["OW345"]),
    "append to a tensor": ("x.append(x)\nreturn x", ["OW304"]),
    "an item beyond the list is assigned": ("ys = [x]\nys[1] = x\nreturn x", ["OW312"]),
    "items are deleted": ("ys = [x]\ndel ys[:]\nreturn x", ["OW345"]),
    "an item of a tensor is deleted": ("del x[0]\nreturn x", ["OW303"]),
    "numbers in a loop": ("ys = []\nfor i in range(s):\n    ys.append(i)\nreturn x", ["OW346"]),
    "two element types": ("ys = [x]\nfor i in range(s):\n    ys.append(op.Size(x))\nreturn x", ["OW346"]),
    "lists in a loop": ("ys = []\nfor i in range(s):\n    ys.append([x])\nreturn x", ["OW346"]),
    "a list of numbers that grows": ("ys = [1]\nfor i in range(s):\n    ys = ys + [2]\nreturn x + ys[0]", ["OW321"]),
    "no element type": ("ys = []\nfor i in range(s):\n    ys = []\nreturn op.SequenceLength(ys)", ["OW346"]),
    "a sum of a sequence": ("ys = op.SplitToSequence(x)\nreturn ys + 2", ["OW314"]),
}
REFUSED_HELPERS = """
CONSTANT = [1, 2]

def put(vs, v):
    vs.append(v)
    return vs

def put_to_another(vs, v):
    ws = vs
    ws.append(v)
    return ws

def same(vs):
    return vs

def defaulted(v, vs=[1]):
    vs.append(2)
    return v * vs[0]
"""


@pytest.mark.parametrize("name", REFUSED)
def test_refused(compiler: Compiler, name: str) -> None:
    body, codes = REFUSED[name]
    text = _text(body) + REFUSED_HELPERS
    found = compiler.codes(text, {"x": "float", "s": "int64/0"}, {"y": "float"})
    assert found == codes


# -------------------------------------------------------------------------------------------- generated programs


class _Writer:
    """Random statements about three lists: they grow, change names, meet in branches and run through loops."""

    NAMES = ("us", "vs", "ws")

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.depth = 0

    def name(self) -> str:
        return self.chance.choice(self.NAMES)

    def item(self) -> str:
        return self.chance.choice(
            ["x", "x + 1", f"x * len({self.name()})", f"{self.name()}[-1]", f"{self.name()}[0] - 1"]
        )

    def value(self) -> str:
        name, other = self.name(), self.name()
        forms = [f"{name} + [{self.item()}]", f"[{self.item()}]", f"[{self.item()}, x]", name, f"{name} + {other}"]
        return self.chance.choice([*forms, f"{name} if s > {self.chance.randint(0, 9)} else {other}", f"same({name})"])

    def statement(self, indent: str) -> list[str]:
        kind = self.chance.random()
        if kind < 0.4:
            return [f"{indent}{self.name()}.append({self.item()})"]
        if kind < 0.5:
            return [f"{indent}{self.name()} += [{self.item()}]"]
        if kind < 0.7:
            return [f"{indent}{self.name()} = {self.value()}"]
        if kind < 0.75:
            return [f"{indent}x = x + {self.name()}[0] * len({self.name()})"]
        if self.depth >= 2:
            return [f"{indent}x = x + 1"]
        self.depth += 1
        body = self.block(indent + "    ", self.chance.randint(1, 3))
        if kind < 0.88:
            lines = [f"{indent}if s > {self.chance.randint(0, 9)}:", *body]
            if self.chance.random() < 0.5:
                lines += [f"{indent}else:", *self.block(indent + "    ", self.chance.randint(1, 2))]
        else:
            head = self.chance.choice(["for i in range(2)", "for i in range(s % 4)", f"for y in {self.name()}"])
            lines = [f"{indent}{head}:", *body]
            if self.chance.random() < 0.2:
                lines += [f"{indent}    if s > {self.chance.randint(0, 9)}:", f"{indent}        break"]
        self.depth -= 1
        return lines

    def block(self, indent: str, count: int) -> list[str]:
        return [line for _ in range(count) for line in self.statement(indent)]

    def program(self) -> str:
        start = [f"    {name} = [{'x, ' * self.chance.randint(1, 2)}]" for name in self.NAMES]
        lines = [*start, *self.block("    ", self.chance.randint(2, 6))]
        result = " + ".join(f"{name}[-1] * len({name})" for name in self.NAMES)
        return "\n".join(["def F(x, s):", *lines, f"    return {result}", "", "def same(vs):", "    return vs", ""])


@pytest.mark.parametrize("seed", range(40))
def test_generated_lists(compiler: Compiler, seed: int) -> None:
    """Whatever compiles computes what Python computes, whose lists change under every name."""
    text = _Writer(seed).program()
    opset = (13, 18)[seed % 2]
    family = compiler.family(text, {"x": "float/1", "s": "int64/0"}, {"y": "float"}, opset=opset)
    if family.diagnostics:
        assert {item.code for item in family.diagnostics} <= {"OW344", "OW308", "OW345", "OW346"}, text
        return
    function = family.variants[0].lowered.function
    assert function is not None and verify(function) == []
    namespace: dict[str, Any] = {}
    exec(text, namespace)
    x = np.array([1, 2], np.float32)
    for s in (1, 6):
        try:
            with np.errstate(all="ignore"):
                wanted = _bounded(namespace["F"], x, s)
        except RecursionError:
            continue
        for runtime, (got,) in run_everywhere(function, {"x": x, "s": np.array(s)}).items():
            np.testing.assert_allclose(got, wanted, rtol=1e-5, err_msg=f"{runtime}\n{text}")


def _bounded(function: Callable[..., Any], *arguments: object) -> Any:
    """The result; RecursionError where the program runs over a list that grows for ever."""
    steps = itertools.count()

    def trace(frame: object, event: str, argument: object) -> Any:
        if next(steps) > 20_000:
            raise RecursionError
        return trace

    sys.settrace(trace)
    try:
        return function(*arguments)
    finally:
        sys.settrace(None)
