"""Any text gives a function or located diagnostics, never a traceback and never without end."""

from __future__ import annotations

import random

import pytest
from conftest_lang import HEADER
from opwright.diagnostics.diagnostic import Diagnostic
from opwright.elements import BY_NAME
from opwright.lang.emit import emit_function
from opwright.lang.families.family import build_family
from opwright.lang.ir_verify import verify
from opwright.lang.lower.module_scope import evaluate_static, scope_of_text
from opwright.lang.meaning.function_unit import Unit
from opwright.lang.meaning.interface import Declaration, DeclaredValue, read_interface
from opwright.lang.meaning.resolve import FileScope, NoFiles, NoLibraries
from opwright.lang.text.source import Source
from opwright.lang.text.syntax import parse

from tests.shares import one_in
from tests.work import ends

SEEDS = [
    "def F(x, n, axes=None, alpha: float = 0.5):\n    s = 0\n    for i in range(n):\n        s = s + x * i\n"
    "    if op.ReduceSum(x, keepdims=0) > 3:\n        y = helper(s, alpha)\n    else:\n        y = -x % 2\n"
    "    if axes is not None:\n        y = y + op.ReduceSum(y, axes, keepdims=1)\n    return y // 2\n\n"
    "def helper(a, b=2.0):\n    return a * b + K\n\nK = math.sqrt(0.5) * 2\n",
    "def F(x, n, axes=None, alpha: float = 1.0):\n    a, b = op.TopK(x, [1], axis=-1)\n    a, b = b, a\n    del a\n"
    "    y = op.Where((x > 0) & (x < 1), x, 0) if op.version > 15 else x\n    assert x.dtype == FLOAT\n"
    "    for k in (1, 2.5):\n        y += k ** 2\n    return op.Clip(y, None, alpha)\n",
]
TOKENS = [
    "x", "n", "op", "None", "0", "1", "-1", "1e400", "0.5", "(", ")", "[", "]", ",", ":", "=", "+", "**", "//", "%",
    "if",
    "else", "for", "in", "return", "not", "and", "lambda", "def", "yield", "await", "*", "@", ".dtype", "'s'",
    "True", "x.y",
    "op.Relu", "op.Add(x)", "while x:", "K", "math.sqrt", "10**9", "axes=", "\n", "    ", "~", "==", "is", "{}",
    "f'{x}'", "...",
    "import os", "global x", "try:", "del x", "range", "len", "helper(", "FLOAT", "alpha", "(x := 1)", "*x", "**n",
    "3j", "b'1'",
]  # fmt: skip


def mutate(text: str, rng: random.Random) -> str:
    lines = text.split("\n")
    for _ in range(rng.randint(1, 3)):
        kind = rng.randrange(6)
        at = rng.randrange(len(lines))
        line = lines[at]
        cut = rng.randrange(len(line) + 1)
        if kind == 0:
            lines[at] = line[:cut] + rng.choice(TOKENS) + line[cut:]
        elif kind == 1:
            lines[at] = line[:cut] + line[cut + rng.randint(1, 4) :]
        elif kind == 2:
            lines.insert(at, lines[rng.randrange(len(lines))])
        elif kind == 3 and len(lines) > 1:
            del lines[at]
        elif kind == 4:
            words = line.split(" ")
            words[rng.randrange(len(words))] = rng.choice(TOKENS)
            lines[at] = " ".join(words)
        else:
            lines[at] = line[:cut] + chr(rng.choice([0, 9, 12, 40, 46, 0x7F, 0xE9, 0x2028, 0x1F600])) + line[cut:]
    return "\n".join(lines)


def compile_text(text: str) -> list[Diagnostic]:
    """Everything a build does with a function's text, at three opsets."""
    module = parse(Source("f.py", text))
    if isinstance(module, Diagnostic):
        return [module]
    node = module.function("F")
    if node is None:
        return []
    found: list[Diagnostic] = []
    scope = FileScope(module, NoFiles(), NoLibraries(), evaluate_static, found.append)
    interface = read_interface(module.source, node, scope.constant, found.append, scope)
    if found:
        return found
    declaration = Declaration(
        "test.domain",
        "F",
        1,
        {"x": DeclaredValue("T"), "n": DeclaredValue("int64", 0), "axes": DeclaredValue("int64")},
        {"y": DeclaredValue("T")},
        {"T": (BY_NAME["float"], BY_NAME["double"])},
    )
    unit = Unit(module, node, declaration, interface, scope_of_text(module, NoFiles(), NoLibraries()))
    for opset in (13, 18, 28):
        family = build_family(unit, opset)
        found.extend(family.diagnostics)
        for variant in family.variants:
            assert variant.lowered.function is not None
            assert verify(variant.lowered.function) == []
            emit_function(variant.lowered.function, "test.domain")
    return found


@pytest.mark.parametrize("seed", one_in(4, range(4)))
def test_mutated_functions(seed: int) -> None:
    rng = random.Random(seed)
    compiled = 0
    for _ in range(250):
        text = mutate(HEADER + rng.choice(SEEDS), rng)
        with ends(text):
            found = compile_text(text)
        compiled += not found
        for diagnostic in found:
            assert diagnostic.place is not None and diagnostic.place.file == "f.py", (diagnostic, text)
            assert diagnostic.place.line <= text.count("\n") + 2, (diagnostic, text)
    assert compiled >= 5  # the mutations are small enough that some are no mistake


def test_deep_and_long_texts() -> None:
    for text in (
        "def F(x):\n    return x" + " + x" * 900 + "\n",
        "def F(x):\n    return " + "(" * 150 + "x" + ")" * 150 + "\n",
        "def F(x):\n    return " + "-" * 3000 + "x\n",
        "def F(x):\n" + "".join(" " * depth + "if x:\n" for depth in range(1, 95)) + " " * 95 + "return x\n",
        "def F(x):\n    return " + "[" * 90 + "x" + "]" * 90 + "\n",
        "def F(x):\n    t = (1, 2)\n" + "    t = (t, t)\n" * 60 + "    return op.Add(x, t)\n",
        "def F(x):\n" + "    if x:\n        x = x\n" * 300 + "    return x\n",
    ):
        compile_text(HEADER + text)
