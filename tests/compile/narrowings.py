"""Programs whose type variables are narrowed by operators that take other element types at other opsets, and what is
another where a family is carried on to an opset than where it is lowered there.

`python -m tests.compile.narrowings --count 20000` tries so many of a seed that is drawn anew and printed.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from opwright.lang.families.bodies import anonymous_body, body_entry
from opwright.lang.families.carried import carried, carried_instance
from opwright.lang.families.family import Family, Variant, build_family
from opwright.lang.families.instances import MissingFact, TemplateInstance, specialise
from opwright.lang.meaning.function_unit import Unit
from opwright_build.compile.unit import make_unit

from tests.compile.test_versions import HEAD, Tree, spec

TYPES = (
    "{T: [float, double]}",
    "{T: [float16, float, bfloat16]}",
    "{T: [int32, float, uint8]}",
    "{T: [float]}",
    "{T: [bool, int64]}",
    "{T: [float, bfloat16, float8e4m3fn, int4]}",
    "{T: [int8, uint8, int16, float16]}",
    "{T: [float, float16, double, bfloat16, int8, uint8, uint4, float8e5m2, int32]}",
)
MAKERS = (
    *["op.Cast(X, to=to)"] * 4,
    *["op.Cast(X, to=other)"] * 2,
    "op.EyeLike(X, dtype=to)",
    "op.RandomNormalLike(X, dtype=to)",
    "op.Multinomial(op.Cast(X, to=FLOAT.dtype), dtype=other)",
    "op.SequenceAt(op.SequenceEmpty(dtype=to), 0)",
)
ONE = (
    *("Abs({a})", "Relu({a})", "Neg({a})", "Sign({a})", "Sqrt({a})", "Softmax({a})", "Identity({a})", "Tanh({a})"),
    *("Transpose({a})", "Flatten({a})", "Erf({a})", "Gelu({a})", "Exp({a})", "Floor({a})", "Not({a})", "Max({a})"),
    *("Clip({a})", "Reshape({a}, [-1])", "Unsqueeze({a}, [0])", "ReduceSum({a})", "ReduceMax({a})", "CumSum({a}, 0)"),
    *("Expand({a}, [2, 2])", "Tile({a}, [2])", "Gather({a}, [0])", "ReduceMean({a})", "Trilu({a})", "Pad({a}, [0, 1])"),
    *("BitwiseNot({a})", "Cast({a}, to=to)", "Cast({a}, to=other)", "CastLike({a}, {a})", "TopK({a}, [1])[0]"),
    *(
        "OptionalGetElement(op.Optional({a}))",
        "SequenceAt(op.SequenceConstruct({a}), 0)",
        "Split({a}, num_outputs=1)[0]",
    ),
    *("Squeeze({a}, [0])", "Resize({a}, None, FLOAT([1.0, 2.0]))", "ConcatFromSequence([{a}, {a}], axis=0)"),
)
TWO = (
    *("Add({a}, {b})", "Mul({a}, {b})", "Max({a}, {b})", "Min({a}, {b}, {a})", "Where(yes, {a}, {b})", "Pow({a}, {b})"),
    *("Mod({a}, {b})", "Concat({a}, {b}, axis=0)", "CastLike({a}, {b})", "MatMul({a}, {b})", "PRelu({a}, {b})"),
    *("Clip({a}, {b})", "BitwiseAnd({a}, {b})", "BitShift({a}, {b}, direction='LEFT')", "Div({a}, {b})"),
    *("Where(op.Equal({a}, {b}), {a}, {b})", "Where(op.Less({a}, {b}), {a}, {b})", "GatherElements({a}, [[0]])"),
    *("SequenceAt(op.SequenceConstruct({a}, {b}), 0)", "Range({a}, {b}, {a})", "OneHot(1, 2, {a})"),
    "SequenceAt(op.SequenceInsert(op.SequenceConstruct({a}), {b}), 0)",
)
# What takes few element types, others at other opsets, of whole numbers and of floats.
WHOLE = (
    *("MatMulInteger({a}, {a})", "DequantizeLinear({a}, FLOAT(0.5))", "BitShift({a}, {a}, direction='LEFT')"),
    *("Relu({a})", "BitwiseNot({a})", "Neg({a})", "Range({a}, {a}, {a})", "CumSum({a}, 0)", "Max({a}, {a})"),
    *("Mod({a}, {a})", "ReduceMax({a})", "Abs({a})", "Where(yes, {a}, {a})", "Less({a}, {a})", "TopK({a}, [1])[0]"),
)
FLOATS = (
    *("Round({a})", "Softmax({a})", "Multinomial({a})", "QuantizeLinear({a}, FLOAT(0.5))", "Range({a}, {a}, {a})"),
    *("CumSum({a}, 0)", "IsNaN({a})", "Relu({a})", "Sqrt({a})", "Where(yes, {a}, {a})", "LpNormalization({a})"),
    *("Less({a}, {a})", "Max({a}, {a})", "Resize({a}, None, FLOAT([1.0]))", "Pow({a}, {a})", "CastLike({a}, X)"),
)
# What asks which types are left, or takes the rest from the function's own.
SEEING = (
    "op.Where(yes, {a}, X)",
    "op.Max({a}, X)",
    "{a} * 2",
    "{a} + 1",
    "{a} / {a}",
    "{a} // {a}",
    "{a} % {a}",
    "-{a}",
)
SYMBOLS = ("+", "-", "*", "/", "//", "%", "**", "@", "&")
NUMBERS = ("{a} * 2", "{a} + 1.5", "op.Max({a}, 0)", "{a}[0]", "-{a}", "{a} ** 2", "{a} % 2", "~{a}")
CONDITIONS = (
    "op.ReduceSum(op.Cast(X, to=FLOAT.dtype), keepdims=0) > 0",
    "op.version < 20",
    "op.version >= 24",
    "alpha > 0.5",
    "X.rank == 2",
)


class Program:
    """The text of a function: tensors of types that nothing declares, and what is done with them."""

    def __init__(self, draw: random.Random) -> None:
        self.draw = draw
        self.lines: list[str] = ["    yes = op.Cast(X, to=BOOL.dtype)"]
        self.names: list[str] = []
        if draw.random() < 0.5:
            self.short()
            return
        for _ in range(draw.randint(1, 2)):
            self.bind("    ", draw.choice(MAKERS))
        for _ in range(draw.randint(1, 6)):
            self.statement("    ", 0)
        kept = draw.sample(self.names, min(len(self.names), draw.randint(1, 2)))
        ends = draw.choices(("op.CastLike({a}, X)", "{a}", "op.CastLike(op.Shape({a}), X)"), (8, 1, 1), k=len(kept))
        results = [end.replace("{a}", name) for end, name in zip(ends, kept, strict=True)]
        self.lines.append(f"    return {' + '.join(results)}")

    def short(self) -> None:
        """One tensor or two, of which some operators take few types, before and after something sees the rest."""
        draw = self.draw
        kind = draw.choice((WHOLE, FLOATS))
        for _ in range(draw.choice((1, 1, 2))):
            self.bind("    ", draw.choice(MAKERS[:4]))
        for _ in range(draw.randint(0, 3)):
            self.few("    ", kind, draw.choice(self.names))
        if len(self.names) == 2:
            self.bind("    ", "op.Where(yes, v0, v1)", "both")
        if draw.random() < 0.3:
            self.lines.append(f"    if {draw.choice(CONDITIONS)}:")
            self.few("        ", kind, "v0")
            self.bind("        ", draw.choice(SEEING).replace("{a}", "v0"), "v0")
        self.bind("    ", draw.choice(SEEING).replace("{a}", "v0"), "seen")
        for _ in range(draw.randint(0, 2)):
            self.few("    ", kind, draw.choice(self.names))
        self.lines.append(f"    return {draw.choice(('seen', 'X', 'op.CastLike(seen, X)', 'op.CastLike(v0, X)'))}")

    def few(self, margin: str, kind: tuple[str, ...], name: str) -> None:
        self.bind(margin, f"op.{self.draw.choice(kind)}".replace("{a}", name), "few")

    def bind(self, margin: str, value: str, name: str = "") -> None:
        if not name:
            name = f"v{len(self.names)}"
            self.names.append(name)
        self.lines.append(f"{margin}{name} = {value}")

    def value(self) -> str:
        draw = self.draw
        first, second = draw.choice(self.names), draw.choice(self.names)
        kind = draw.choices(("one", "two", "symbol", "own", "known", "number", "helper"), (7, 4, 4, 4, 1, 2, 1))[0]
        if kind == "helper":
            return f"{draw.choice(('softened', 'turned'))}({first})"
        if kind == "number":
            return draw.choice(NUMBERS).replace("{a}", first)
        if kind == "symbol":
            return f"{first} {draw.choice(SYMBOLS)} {second}"
        if kind == "own":
            second = "X"
        elif kind == "known":
            second = f"op.Cast(X, to={draw.choice(('FLOAT', 'INT64', 'FLOAT16', 'UINT8'))}.dtype)"
        return "op." + draw.choice(ONE if kind == "one" else TWO).replace("{a}", first).replace("{b}", second)

    def statement(self, margin: str, depth: int) -> None:
        draw, inner = self.draw, f"{margin}    "
        kind = draw.choices(("new", "again", "few", "maker", "if", "for"), (6, 6, 6, 1, 2, 1))[0]
        if kind == "few":
            self.few(margin, draw.choice((WHOLE, FLOATS)), draw.choice(self.names))
        elif kind == "maker" and not depth:
            self.bind(margin, draw.choice(MAKERS))
        elif kind == "if" and depth < 2:
            name = draw.choice(self.names)
            self.lines.append(f"{margin}if {draw.choice(CONDITIONS)}:")
            self.bind(inner, self.value(), name)
            if draw.random() < 0.7:
                self.lines.append(f"{margin}else:")
                self.bind(inner, self.value(), name)
        elif kind == "for" and depth < 2:
            self.lines.append(f"{margin}for i in range({draw.choice(('2', '5', 'op.Size(X)'))}):")
            for _ in range(draw.randint(1, 2)):
                self.bind(inner, self.value(), draw.choice(self.names))
        else:
            self.bind(margin, self.value(), "" if kind == "new" and not depth else draw.choice(self.names))

    @property
    def text(self) -> str:
        head = HEAD.replace("FLOAT", "BOOL, FLOAT, FLOAT16, INT64, UINT8")
        body = "\n".join(self.lines)
        helpers = (
            "def softened(x):\n    return op.Softmax(x)\n\n\n"
            "def turned(x):\n    if x.rank == 2:\n        return op.Transpose(x)\n    return op.Neg(x)\n\n\n"
        )
        head = head.replace("from acme_ops import opset1 as acme\n", "")
        return f"{head}{helpers}def F(X, to: int, other: int = 1, alpha: float = 1.0):\n{body}\n"


def differences(root: Path, text: str, types: str, seen: Counter[str]) -> Iterator[str]:
    """Of each opset at which the family before is carried on, what lowering there gives another of. `seen` counts."""
    extra = "attributes: {to: A type., other: Another., alpha: A factor.}\n"
    files = {"specs/com.acme/F/spec.yaml": spec("F", types=types, extra=extra), "specs/com.acme/F/function.py": text}
    tree = Tree(root, files)
    version = tree.loaded.versions[0]
    unit = make_unit(replace(version, folder=version.folder.relative_to(root)), tree.files, tree, [])
    if unit is None:
        seen["no unit"] += 1
        return
    before: Family | None = None
    for opset in range(version.opsets.first, version.opsets.last + 1):
        found = None if before is None else carried(before, opset)
        fresh = build_family(unit, opset)
        seen["valid" if fresh.variants else "open" if fresh.open_axes else "refused"] += 1
        if found is None:
            before = fresh
            continue
        seen["carried"] += 1
        if found is not before and found.looked_up.reads.decisive:
            seen["carried past narrowings"] += 1
        if _described(found, opset) != _described(fresh, opset):
            yield f"opset {opset}: carried {_described(found, opset)}\nlowered {_described(fresh, opset)}"
        before = found
    yield from _other_instances(unit, version.opsets, seen)


def _other_instances(unit: Unit, opsets: Iterable[int], seen: Counter[str]) -> Iterator[str]:
    """The same of what the function is for one call, as if it were a template."""
    before: TemplateInstance | None = None
    for opset in opsets:
        found = None if before is None else carried_instance(before, opset)
        try:
            fresh = specialise(unit, opset, lambda axis, values: values[-1] if values else "2", {})
        except MissingFact:
            before = None
            continue
        if found is None:
            before = fresh
            continue
        seen["instances carried"] += 1
        if _instance(found) != _instance(fresh):
            yield f"opset {opset}: carried {_instance(found)}\nlowered {_instance(fresh)}"
        before = found


def _instance(made: TemplateInstance) -> object:
    family = Family(0, (Variant(made.key, made.lowered),), (), made.looked_up, made.lowered.diagnostics)
    if made.lowered.function is None:
        return made.key, made.lowered.diagnostics
    return _described(family, 0), dict(made.looked_up)


def _described(family: Family, opset: int) -> object:
    """All that is made of a family, and all that is said of it."""
    bodies = []
    for variant in family.variants:
        made = anonymous_body(variant.lowered)
        bodies.append(
            (variant.key, made.digest, made.proto, body_entry(variant.key, variant.lowered, made, (opset, opset)))
        )
    # What is refused may name the first of several opsets at which nothing that it asks differs.
    told = [re.sub(r"\bopset ?\d+", "opset", repr(item)) for item in family.diagnostics]
    return bodies, [variant.key for variant in family.refused], told, family.open_axes


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.compile.narrowings", description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    seen: Counter[str] = Counter()
    wrong = 0
    for number in range(options.count):
        draw = random.Random(f"{options.seed} {number}")
        text, types = Program(draw).text, draw.choice(TYPES)
        with tempfile.TemporaryDirectory() as folder:
            for found in differences(Path(folder), text, types, seen):
                print(f"{number} {types}\n{text}\n{found}", flush=True)
                wrong += 1
    print(dict(seen), f"{wrong} differences")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
