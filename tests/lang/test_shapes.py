"""`x.shape`, `len(x)` and lists that hold what is known at run time only: Python's tuples, and tensors where wanted."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
import pytest
from conftest_lang import Compiler, run_everywhere
from opwright.lang.ir_verify import verify

X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)


class _Operators:
    """numpy in place of the operators that the programs use."""

    def Reshape(self, x: np.ndarray, shape: Any) -> np.ndarray:
        return np.reshape(x, [int(item) for item in shape])

    def Expand(self, x: np.ndarray, shape: Any) -> np.ndarray:
        return x * np.ones([int(item) for item in shape], x.dtype)

    def Identity(self, x: Any) -> np.ndarray:
        made = np.array(x)
        return made.astype(np.float32) if made.dtype == np.float64 else made

    def Size(self, x: np.ndarray) -> np.ndarray:
        return np.array(x.size, np.int64)

    def Cast(self, x: Any, to: Any) -> np.ndarray:
        return np.array(x).astype(np.float32)


# name: (body, whether the rank must be declared)
PROGRAMS = {
    "an entry": ("return x * x.shape[0] + x.shape[-1]", False),
    "the whole shape": ("return op.Reshape(x * 2, x.shape)", False),
    "a part": ("return op.Expand(x[0] * 0, x.shape[1:])", False),
    "parts": ("return op.Identity(x.shape[:-1]), op.Identity(x.shape[-2:]), op.Identity(x.shape[1:-1])", False),
    "backwards": ("return op.Identity(x.shape[::-1])", False),
    "every second": ("return op.Identity(x.shape[::2])", False),
    "a part of a part": ("return op.Identity(x.shape[1:][1:])", False),
    "a part up to a number": ("return op.Identity(x.shape[: len(x)])", False),
    "unpacked": ("a, b, c = x.shape\nreturn op.Reshape(x, [c, -1]) * a + b", True),
    "unpacked with a star": ("a, *rest = x.shape\nreturn op.Reshape(x, rest + [a])", True),
    "joined": ("return op.Reshape(x, x.shape + (1,))", False),
    "joined to what is known": ("return op.Reshape(x, (1,) + x.shape[1:] + (-1,))", True),
    "joined to an unknown part": ("return op.Reshape(x, (1, -1) + x.shape[1:])", False),
    "compared": ("if x.shape == (2, 3, 4):\n    return x\nreturn -x", True),
    "compared and different": ("if x.shape != (2, 3, 5):\n    return x\nreturn -x", True),
    "of another length": ("if x.shape == (2, 3):\n    return x\nreturn -x", True),
    "compared with another shape": ("if x.shape[1:] == x[0].shape:\n    return x\nreturn -x", True),
    "run over": ("for size in x.shape:\n    x = x * size + 1\nreturn x", True),
    "run over with places": ("for i, size in enumerate(x.shape):\n    x = x * size + i\nreturn x", True),
    "a comprehension": ("return op.Reshape(x, [size * 1 for size in x.shape[1:]] + [-1])", True),
    "the length of it": ("return x * len(x.shape) + len(x.shape[1:])", True),
    "the length of the tensor": ("return x / len(x)", False),
    "of an intermediate": ("y = x[0]\nreturn y * len(y) + y.shape[1]", False),
    "in a loop": ("for i in range(len(x)):\n    x = x * 2 + i\nreturn x", False),
    "in a loop over entries": ("y = x\nfor i in range(x.shape[1]):\n    y = y + x.shape[2] * i\nreturn y", False),
    "in a branch": ("if op.Size(x) > x.shape[0]:\n    return x * x.shape[1]\nreturn x", False),
    "joined by a branch": (
        "s = x.shape\nif op.Size(x) > 3:\n    s = s[1:]\nreturn x * (s[0] / 2) + len(s)",
        False,
    ),
    "of a path that goes on": (
        "if op.Size(x) > 3:\n    if op.Size(x) > 999:\n        return x\n    s = (x * 2).shape\n"
        "else:\n    s = (x * 3).shape\nreturn x * (s[-1] / 8)",
        False,
    ),
    "chosen": ("s = x.shape if op.Size(x) > 99 else (5, 7)\nreturn x * (s[1] / 2)", False),
    "a list of numbers": ("return op.Identity([len(x), 1, 2, x.shape[1]])", False),
    "a list of floats": ("return op.Identity([len(x) / 4, 1, 2.5])", False),
    "nested lists": ("return op.Identity([[len(x), 1], [2, x.shape[1]]])", False),
    "a list with a tensor": ("return op.Identity([op.Size(x), 1, len(x)])", False),
    "a list that meets a tensor": ("return x + [0, len(x), x.shape[1] / 2, 0.5]", False),
    "a shape that meets a tensor": ("return x[:, :, 1:] * x.shape", False),
    "a slice of a tensor": ("return x[: x.shape[0] - 1, x.shape[1] // 2]", False),
    "as a condition": ("if len(x):\n    return x\nreturn -x", False),
    "in arithmetic": ("b = x.shape[0]\nn = x.shape[1]\nreturn x * (b * n // 4) + b ** 2 - n % b", False),
    "a product": ("return x * math.prod(x.shape)", False),
    "a product of a part": ("return x * math.prod(x.shape[1:]) + math.prod((len(x), 2.5)) - math.prod(())", True),
    "min and max": ("return x * max(x.shape) + min(x.shape) + sum(x.shape)", False),
    "a tuple with entries": ("t = (x.shape[0], x)\nreturn t[1] * t[0]", False),
    "an index into it": ("return x * x.shape[int(op_k)]", False),
}
SHAPES = [(2, 3, 4), (1, 1, 1), (3, 0, 4)]
SIZES = {"a list that meets a tensor": 1, "a shape that meets a tensor": 1}


@pytest.mark.parametrize("opset", [13, 18])
@pytest.mark.parametrize("declared", [False, True])
@pytest.mark.parametrize("name", PROGRAMS)
def test_compiled_equals_python(compiler: Compiler, name: str, declared: bool, opset: int) -> None:
    body, needs_rank = PROGRAMS[name]
    text = "def F(x, op_k: int = 1):\n" + "".join(f"    {line}\n" for line in body.split("\n"))
    namespace: dict[str, Any] = {"op": _Operators(), "math": math}
    exec(text, namespace)
    first = namespace["F"](X)
    results = first if isinstance(first, tuple) else (first,)
    outputs = {f"y{index}": {"f": "float", "i": "int64"}[item.dtype.kind] for index, item in enumerate(results)}
    inputs = {"x": "float/3" if declared else "float"}
    if needs_rank and not declared:
        assert set(compiler.codes(text, inputs, outputs, opset=opset)) <= {"OW361", "OW341", "OW360"}
        return
    function = compiler.function(text, inputs, outputs, opset=opset)
    # For `Reshape` 0 and -1 have meanings of their own, and an entry of an empty axis is out of range.
    count = 2 if "Reshape" in body or "x[0]" in body or "//" in body else 3
    for shape in SHAPES[: SIZES.get(name, count)]:
        x = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
        expected = namespace["F"](x)
        for runtime, got in run_everywhere(function, {"x": x}).items():
            for one, other in zip(got, expected if isinstance(expected, tuple) else (expected,), strict=True):
                assert one.shape == other.shape, (runtime, shape)
                np.testing.assert_allclose(one, other, rtol=1e-6, err_msg=f"{runtime} {shape}")


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("a, b = x.shape\n    return x", "OW328"),
        ("return x * x.shape[3]", "OW342"),
        ("return x * x.shape[-4]", "OW342"),
        ("return x * x.shape['a']", "OW340"),
        ("return x * x.shape[0, 1]", "OW340"),
        ("return x * x.shape[None]", "OW340"),
        ("return op.Reshape(x, x.shape + [1])", "OW312"),
        ("return x * (x.shape < (1, 2, 3))", "OW314"),
        ("return x * (x.shape * 2)[9]", "OW314"),
        ("return x * x.shape.index(3)", "OW304"),
        ("return op.Softmax(x, axis=x.shape[0])", "OW324"),
        ("return op.Add(x, [x, x])", "OW325"),
        ("return op.Add(x, [[1.0, len(x)], [1.0]])", "OW325"),
        ("*a, *b = x, x\n    return x", "OW328"),
        ("a, *b, c, d, e = x.shape\n    return x", "OW328"),
    ],
)
def test_refused(compiler: Compiler, body: str, code: str) -> None:
    assert compiler.codes(f"def F(x):\n    {body}\n", {"x": "float/3"}, {"y": "float"}) == [code]


def test_a_helper_gives_a_tuple_of_one(compiler: Compiler) -> None:
    """`h(x)[0]` is the item of the tuple, not the first element of the tensor."""
    text = (
        "def F(x):\n    t = h(x)\n    return t[0] * len(t)\n\ndef h(v):\n    if v.shape[0] > 5:\n        return (v,)\n"
    )
    function = compiler.function(text + "    return (v + 1,)\n", {"x": "float"}, {"y": "float"})
    for (got,) in run_everywhere(function, {"x": X}).values():
        np.testing.assert_array_equal(got, X + 1)
    assert compiler.codes(text + "    return v\n", {"x": "float"}, {"y": "float"}) == ["OW307"]


def test_a_shape_does_not_leave_a_loop(compiler: Compiler) -> None:
    """What a helper returns would be a tensor, on which `/` is another operator than on the ints of a tuple."""
    text = "def F(x):\n    return x * (h(x)[0] / 4)\n\ndef h(v):\n    for i in range(len(v)):\n        if i > 2:\n"
    text += "            return v.shape[i:]\n    return v.shape\n"
    assert compiler.codes(text, {"x": "float"}, {"y": "float"}) == ["OW321"]


def test_a_shape_of_an_input_is_made_once(compiler: Compiler) -> None:
    text = "def F(x):\n    if x.shape[0] > 1:\n        return x * x.shape[0]\n    return x * x.shape[1]\n"
    function = compiler.function(text, {"x": "float"}, {"y": "float"})
    from opwright.lang.emit import emit_function

    proto = emit_function(function, "d")
    assert [node.op_type for node in proto.node].count("Shape") == 1


def test_list_attributes(compiler: Compiler) -> None:
    text = (
        "def F(x, axes: tuple[int, ...]):\n    return x * axes[-1] + len(axes) + axes[1:][0], op.Identity(axes[::-1])\n"
    )
    function = compiler.function(text, {"x": "float"}, {"y": "float", "z": "int64"})
    for y, z in run_everywhere(function, {"x": X}, {"axes": [3, 5, 7]}).values():
        np.testing.assert_array_equal(y, X * 7 + 8)
        np.testing.assert_array_equal(z, [7, 5, 3])


def test_list_attributes_are_joined_as_lists(compiler: Compiler) -> None:
    text = "def F(x, axes: tuple[int, ...]):\n    return op.Identity(axes + x.shape), op.Identity((len(x),) + axes)\n"
    function = compiler.function(text, {"x": "float"}, {"y": "int64", "z": "int64"})
    for y, z in run_everywhere(function, {"x": X}, {"axes": [9, 8]}).values():
        assert y.tolist() == [9, 8, 2, 3, 4] and z.tolist() == [2, 9, 8]


def test_whether_a_list_attribute_has_items(compiler: Compiler) -> None:
    text = "def F(x, axes: tuple[int, ...]):\n    if axes:\n        return x\n    return -x\n"
    function = compiler.function(text, {"x": "float"}, {"y": "float"})
    for axes, wanted in (([0], X), ([0, 0], X)):
        for (got,) in run_everywhere(function, {"x": X}, {"axes": axes}).values():
            np.testing.assert_array_equal(got, wanted)


# -------------------------------------------------------------------------------------------- generated programs


class _Writer:
    """Random statements about tuples of ints and numbers, in branches and loops."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.depth = 0

    def tuple_(self) -> str:
        one, other, number = self.chance.choice("tu"), self.chance.choice("tu"), self.chance.choice("nm")
        forms = [
            "x.shape",
            one,
            f"{one}[1:]",
            f"{one}[:-1]",
            f"{one}[::-1]",
            f"{one} + {other}",
            f"({number}, 2)",
            "(3,)",
        ]
        forms += [f"({number},) + {one}", f"{one} if s > {self.chance.randint(0, 9)} else {other}", f"pick({one}, s)"]
        return self.chance.choice(forms)

    def number(self) -> str:
        one, number, other = self.chance.choice("tu"), self.chance.choice("nm"), self.chance.choice("nm")
        forms = [f"len({one})", f"{one}[0]", f"{one}[-1]", f"{number} * 2 - {other}", f"{number} // 3", f"{number} % 4"]
        forms += ["len(x)", f"max({number}, {other})", f"{number} if s > {self.chance.randint(0, 9)} else {other}"]
        forms += [f"sum({one})", f"int(f) + {number}", f"-{number}", f"({number} > {other}) + 1"]
        return self.chance.choice(forms)

    def statement(self, indent: str) -> list[str]:
        kind = self.chance.random()
        if kind < 0.3:
            return [f"{indent}{self.chance.choice('tu')} = {self.tuple_()}"]
        if kind < 0.55:
            return [f"{indent}{self.chance.choice('nm')} = {self.number()}"]
        if kind < 0.65:
            return [f"{indent}f = {self.chance.choice(['n / 4', 'f * 0.5 + m', 'f + 1', 't[0] / 2'])}"]
        if kind < 0.75 or self.depth >= 2:
            return [f"{indent}x = x * 0.5 + {self.chance.choice(['n', 'f', 'm / 2', 'len(t)', 't[-1]', 'x[0]'])}"]
        self.depth += 1
        body = self.block(indent + "    ", self.chance.randint(1, 3))
        if kind < 0.9:
            lines = [f"{indent}if s > {self.chance.randint(0, 9)}:", *body]
            if self.chance.random() < 0.5:
                lines += [f"{indent}else:", *self.block(indent + "    ", self.chance.randint(1, 2))]
        else:
            lines = [
                f"{indent}for i in {self.chance.choice(['range(2)', 'range(s % 3)', 't', 'range(len(x))'])}:",
                *body,
            ]
        self.depth -= 1
        return lines

    def block(self, indent: str, count: int) -> list[str]:
        return [line for _ in range(count) for line in self.statement(indent)]

    def program(self) -> str:
        lines = ["    t = x.shape", "    u = (2, len(x))", "    n = 1", "    m = len(x)", "    f = 0.5"]
        lines += self.block("    ", self.chance.randint(3, 8))
        lines.append("    return x * 0.5 + n + m / 2 + f + len(t) + sum(u)")
        return "\n".join(
            ["def F(x, s):", *lines, "", "def pick(v, s):", "    if s > 4:", "        return v", "    return v[1:]", ""]
        )


REFUSALS = {"OW307", "OW308", "OW312", "OW313", "OW314", "OW321", "OW341", "OW342", "OW347", "OW361", "OW362"}


@pytest.mark.parametrize("seed", range(40))
def test_generated_programs(compiler: Compiler, seed: int) -> None:
    """Whatever compiles computes what Python computes."""
    text = _Writer(seed).program()
    family = compiler.family(text, {"x": "float/2", "s": "int64/0"}, {"y": "float"}, opset=(13, 18)[seed % 2])
    if family.diagnostics:
        assert {item.code for item in family.diagnostics} <= REFUSALS, text
        return
    function = family.variants[0].lowered.function
    assert function is not None and verify(function) == []
    namespace: dict[str, Any] = {}
    exec(text, namespace)
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    for s in (2, 7):
        try:
            wanted = namespace["F"](x, s)
        except (IndexError, ZeroDivisionError):
            continue
        for runtime, (got,) in run_everywhere(function, {"x": x, "s": np.array(s)}).items():
            np.testing.assert_allclose(got, wanted, rtol=1e-4, err_msg=f"{runtime}\n{text}")


@pytest.mark.parametrize("opset", [9, 11])
def test_old_opsets(compiler: Compiler, opset: int) -> None:
    """Before 11 `Gather` takes no negative index: what would need one is refused."""
    text = "def F(x):\n    return x * x.shape[1] + len(x)\n"
    function = compiler.function(text, {"x": "float"}, {"y": "float"}, opset=opset)
    for (got,) in run_everywhere(function, {"x": X}).values():
        np.testing.assert_array_equal(got, X * 3 + 2)
    for part in ("x.shape[-1]", "sum(x.shape[1:])"):
        codes = compiler.codes(f"def F(x):\n    return x * {part}\n", {"x": "float"}, {"y": "float"}, opset=opset)
        assert codes == ([] if opset >= 11 else ["OW202"])
