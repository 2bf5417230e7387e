"""A family that is carried on to another opset is the one that lowering the function there gives."""

from __future__ import annotations

import ast
import random
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import opwright.lang
import pytest
from opwright.elements import BY_CODE, ElementType
from opwright.lang.families.bodies import anonymous_body
from opwright.lang.families.family import Family, build_family
from opwright.lang.looked_up import LookedUp, OperatorName, OpsetQuestion, VersionQuestion, answer_at
from opwright.lang.lower.expressions import plain_calls
from opwright.lang.meaning.function_unit import Unit
from opwright.opsets.signatures import Signature, signature, tensor_element
from opwright_build.compile import CompiledVersion, versions
from opwright_build.compile.unit import make_unit

from benchmarks.generated_specs import function_text
from tests.compile.test_versions import HEAD, Tree, spec
from tests.shares import one_in

TYPES = (
    "{T: [float16, float, double]}",
    "{T: [float, bfloat16]}",
    "{T: [float]}",
    "{T: [int32, int64, float]}",
    "{T: [float, uint8, bfloat16, float8e4m3fn, int4]}",
)
BODIES = (
    "return X + 1",
    "return X",
    "return op.Mul(X, alpha)",
    "return op.Cast(X, to=INT64.dtype)",
    "return op.Cast(op.Cast(X, to=FLOAT8E4M3FN.dtype), to=FLOAT.dtype)",
    "return op.CastLike(FLOAT(2.0), X) * X",
    "return op.Softplus(op.Erf(X)) if alpha > 0.5 else X",
    "return op.Max(X, 2) // 3",
    "return X % 3 if op.version < 20 else X - op.Floor(X)",
    "return op.Reshape(X, op.Concat(op.Shape(X), [1], axis=0))",
    "return op.ReduceSum(X, [0], keepdims=0)",
    "return X[1:, 0]",
    "return op.Pad(X, [0, 1], mode='constant')",
    "return op.Where(X > 1, X, 0)",
    "return op.Clip(X, 0, 6)",
    "return op.Gelu(X)",
    "return op.Identity(X)",
    "return op.ConstantOfShape(op.Shape(X), value=TENSOR)",
    "return op.DequantizeLinear(op.QuantizeLinear(X, FLOAT(0.5)), FLOAT(0.5))",
    "return op.Resize(X, None, FLOAT([1.0, 2.0]))",
    "return acme.G(X) + acme.G(op.Neg(X))",
    "return op.SequenceAt(op.SplitToSequence(X, axis=0), 0)",
    "return op.Scan(X, X, body=lambda s, x: (s, x), num_scan_inputs=1)",
    "return op.BitShift(op.Cast(X, to=UINT8.dtype), 1, direction='LEFT')",
)
BRANCH = """\
    y = op.Abs(X)
    if op.ReduceSum(X, keepdims=0) > 0:
        y = X
    return y
"""
LOOP = """\
    total = X
    for i in range(3):
        if op.ReduceSum(total) > 1.0:
            total = total + X
        else:
            total = op.Abs(total)
    return total
"""
TEXTS = (*(f"    {body}\n" for body in BODIES), BRANCH, LOOP)
TEMPLATES = (
    "return X * X.rank",
    "return op.Cast(X, to=FLOAT8E4M3FN.dtype) if X.rank % 2 else op.Tanh(X * 1.5)",
    "return X * X.rank if op.version < 20 else X + 1",
    "return X if op.version < 20 else op.Tanh(X) * X.rank",
    "return X * math.floor(alpha) if op.version < 20 else X * X.rank + math.floor(alpha)",
    "return op.Gelu(X) * X.rank",
    "return op.StringNormalizer(X) * X.rank",
    "return acme.G(X) * X.rank",
)
CALLED = f"{HEAD}def G(X):\n    return op.Tanh(X) * 0.5 if op.version < 22 else op.Softsign(X) + 1\n"


def tree(root: Path, text: str, types: str, called_types: str = "") -> Tree:
    files = {
        "specs/com.acme/F/spec.yaml": spec("F", types=types, extra="attributes: {alpha: A factor.}\n"),
        "specs/com.acme/F/function.py": text,
        "specs/com.acme/G/spec.yaml": spec("G", types=called_types or types),
        "specs/com.acme/G/function.py": CALLED,
    }
    return Tree(root, files)


def function(body: str) -> str:
    head = HEAD.replace("FLOAT", "FLOAT, FLOAT8E4M3FN, INT64, UINT8").replace("opset18", "opset17")
    return f"import math\n{head}def F(X, alpha: float = 1.0):\n{body}"


def drawn(number: int) -> str:
    """A function of ten operators, as the benchmarks draw them."""
    text = function_text("F", random.Random(number), "G" if number % 2 else "").replace("(x, y, alpha", "(X, alpha")
    made = []
    for line in text.replace("generated_ops", "acme_ops").splitlines():
        before, called, _ = line.partition("own.G(")
        made.append(f"{before}{called}X)" if called else line)  # `G` has one input
        if line.startswith("def "):
            made += ["    x = X", "    y = op.Neg(X)"]
    return "\n".join(made) + "\n"


SOURCES = [  # each text with three of the lists, each list with texts of all kinds
    (function(text), TYPES[(number + turn) % len(TYPES)]) for number, text in enumerate(TEXTS) for turn in range(3)
]
SOURCES += [(function(f"    {body}\n"), types) for body in TEMPLATES for types in TYPES[:3]]
SOURCES += [(drawn(number), TYPES[number % len(TYPES)]) for number in range(8)]


def fresh(monkeypatch: pytest.MonkeyPatch, tree: Tree) -> CompiledVersion:
    """The function, lowered at each opset, and each body by itself."""
    with monkeypatch.context() as patched:
        patched.setattr(versions, "carried", lambda family, opset: None)
        patched.setattr(versions.AnonymousBodies, "of", lambda _, lowered: anonymous_body(lowered))
        return tree.compile("F")


@pytest.mark.parametrize(("text", "types"), one_in(3, SOURCES))
def test_what_is_carried_is_what_lowering_gives(
    text: str, types: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = tree(tmp_path, text, types)
    one, each = library.compile("F"), fresh(monkeypatch, library)
    assert _told(one) == _told(each)
    one, each = (replace(item, diagnostics=(), unreachable=()) for item in (one, each))
    assert one == each


def _told(compiled: CompiledVersion) -> list[object]:
    """What is said of the function, without the reasons: they name one of the opsets for which they hold."""
    gaps = (replace(item, reason="") for item in compiled.unreachable)
    return [*((item.code, item.place) for item in compiled.diagnostics), *gaps]


def test_a_function_is_lowered_once_for_all_opsets_that_differ_in_other_element_types(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Constant has six versions from opset 15 on, CastLike as many, which differ in narrow floats and integers."""
    lowered: Counter[str] = Counter()

    def counted(unit: Unit, opset: int) -> Family:
        lowered[unit.node.name] += 1
        return build_family(unit, opset)

    monkeypatch.setattr(versions, "build_family", counted)
    for number, (name, body, times) in enumerate(
        (
            ("plain", "    return op.Tanh(X + 1.5) * alpha\n", 1),
            ("calling", "    return acme.G(op.Abs(X)) * alpha\n", 1),  # of a function that is another one since 22
            ("asking", "    return op.Tanh(X) * 2 if op.version < 20 else X * 3\n", 2),
            ("template", "    return op.Tanh(X + 1.5) * X.rank\n", 1),
            ("asking template", "    return X * X.rank if op.version < 20 else op.Neg(X) * X.rank\n", 2),
            ("eight bits", "    return op.CastLike(op.Cast(X, to=FLOAT8E4M3FN.dtype), X)\n", 2),
        )
    ):
        library = tree(tmp_path / str(number), function(body), TYPES[0])
        for version in library.loaded.versions:
            object.__setattr__(version, "opsets", type(version.opsets)(15, 28))
        lowered.clear()
        compiled = library.compile("F")
        assert (name, lowered["F"]) == (name, times), compiled.diagnostics


# --------------------------------------------------------------------------------------------- what is noted


@pytest.mark.parametrize(
    ("question", "since"),
    [
        (OpsetQuestion("<", 13), 13),
        (OpsetQuestion("<=", 13), 14),
        (OpsetQuestion(">=", 13), 13),
        (OpsetQuestion(">", 13), 14),
        (OpsetQuestion("==", 13), None),
        (OpsetQuestion("!=", 13), None),
        (OpsetQuestion(), None),
        (VersionQuestion("", "Add", 13), 13),
        (VersionQuestion("", "Add", 99), None),
    ],
)
def test_a_question_is_left_out_where_newer_opsets_answer_alike(
    question: OpsetQuestion | VersionQuestion, since: int | None
) -> None:
    answers = {opset: answer_at(question, opset, None) for opset in range(7, 29)}
    for opset, answer in answers.items():
        found = LookedUp()
        found[question] = answer
        _, asked_again = found.kinds
        assert (not asked_again) == (since is not None and opset >= since)
        assert asked_again or {now for newer, now in answers.items() if newer >= opset} == {answer}


@contextmanager
def other_schemas(found: Family, draw: random.Random) -> Iterator[None]:
    """While the operators that a family looked up admit others of the element types of which nothing is noted, so that
    all is admitted that variables were noted with, and sequences where nothing is noted of these."""
    kept: list[tuple[Signature, dict[str, tuple[str, ...]]]] = []
    for key in found.looked_up:
        operator = signature(key.domain, key.name, found.opset) if isinstance(key, OperatorName) else None
        if operator is not None and not operator.domain:
            kept.append((operator, operator.admitted))
    narrowings = list(found.looked_up.reads.decisive.values())
    try:
        for operator, admitted in kept:
            about = [item for item in narrowings if any(asked.signature is operator for asked in item.asked)]
            asked = found.looked_up.reads.elements.get(operator.name, 0)
            share = draw.choice((0.0, 0.5, 1.0))
            for name in admitted:
                for element in BY_CODE.values():
                    if element.mask & asked or draw.random() > share:
                        continue
                    before = operator.admitted
                    operator.admitted = {**before, name: _toggled(before[name], element)}
                    if any(item.mask_at(found.opset) != item.mask for item in about):
                        operator.admitted = before
                if operator.name not in found.looked_up.reads.holders and draw.random() <= share:
                    operator.admitted = {**operator.admitted, name: _with_sequences(operator.admitted[name])}
            operator.derive()
        plain_calls.forget_plans()
        yield
    finally:
        for operator, admitted in kept:
            operator.admitted = admitted
            operator.derive()
        plain_calls.forget_plans()


def _toggled(types: tuple[str, ...], element: ElementType) -> tuple[str, ...]:
    """The types with tensors of that element type or without, as far as several remain."""
    if len(types) == 1 or not any(tensor_element(text) for text in types):
        return types
    made = {*types} ^ {f"tensor({element.name})"}
    return tuple(sorted(made)) if len(made) > 1 else types


def _with_sequences(types: tuple[str, ...]) -> tuple[str, ...]:
    """The types with sequences of tensors and optional ones, where several are admitted."""
    if len(types) == 1 or not any(tensor_element(text) for text in types):
        return types
    return tuple(dict.fromkeys((*types, "seq(tensor(float))", "seq(tensor(int64))", "optional(tensor(float))")))


def bodies_of(family: Family) -> list[str]:
    return [anonymous_body(variant.lowered).digest for variant in family.variants]


@pytest.mark.parametrize("opset", one_in(2, [13, 15, 19, 28]))
@pytest.mark.parametrize("types", TYPES[:4])
def test_nothing_is_asked_of_operators_that_is_not_noted(opset: int, types: str, tmp_path: Path) -> None:
    """Element types of which nothing is noted may be admitted or not: the function is the same."""
    compared, draw = 0, random.Random(opset)
    for number, body in enumerate(TEXTS):
        library = tree(tmp_path / str(number), function(body), types)
        version = next(item for item in library.loaded.versions if item.name == "F")
        unit = make_unit(version, library.files, library, [])
        if unit is None:
            continue
        plain_calls.forget_plans()
        found = build_family(unit, opset)
        if found.diagnostics or found.refused:
            continue
        bodies = bodies_of(found)
        for _ in range(3):
            with other_schemas(found, draw):
                assert bodies_of(build_family(unit, opset)) == bodies, body
        compared += 1
    assert compared > len(TEXTS) // 3


LANG = Path(opwright.lang.__file__).parent
# Where what an operator admits is read, and where it is written: each of these notes what it asks, or makes signatures.
READERS = {
    "admitted": {
        "families/carried.py",
        "families/script_description.py",
        "infer/result_types.py",
        "lower/calls/written_calls.py",
        "lower/nodes/emitted_calls.py",
        "lower/calls/function_calls.py",
        "lower/numbers/mixed.py",
        "lower/calls/proto_graphs.py",
        "schema_reads.py",
    },
    "input_masks": {"infer/result_types.py", "infer/of_protos.py"},
    "masks": {"lower/function.py", "lower/state/lowering_parts.py"},
    "bare_opset": {
        "lower/expressions/expression_rules.py",
        "lower/expressions/plain_calls.py",
        "lower/state/lowering_parts.py",
        "lower/nodes/written_for.py",
    },
}


@pytest.mark.parametrize("name", one_in(2, READERS))
def test_answers_of_schemas_are_read_where_they_are_noted(name: str) -> None:
    """`Target.takes`, `is_before`, `is_older` and `needs_version` note it. Findings may name the opset."""
    readers = set()
    for path in LANG.rglob("*.py"):
        tree_ = ast.parse(path.read_text(encoding="utf-8"))
        told = {id(node) for text in ast.walk(tree_) if isinstance(text, ast.JoinedStr) for node in ast.walk(text)}
        for node in ast.walk(tree_):
            if isinstance(node, ast.Attribute) and node.attr == name and id(node) not in told:
                readers.add(path.relative_to(LANG).as_posix())
    assert readers == READERS[name]
