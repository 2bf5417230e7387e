"""A call that has a plan becomes what it becomes when it is looked at closely: the same bytes, or the same finding."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from types import ModuleType

import onnx
import pytest
from conftest_lang import Compiler
from opwright import DiagnosticError, compile_source
from opwright.lang import ir
from opwright.lang.families.family import build_family
from opwright.lang.lower.calls import written_calls
from opwright.lang.lower.expressions import arithmetic, expression_rules, plain_calls

from tests.shares import one_in

ROUNDS, CALLS = 4, 300
OPSETS = (7, 9, 11, 12, 13, 15, 18, 21, 22, 24)
ANNOTATIONS = ("", ': FLOAT["N", "M"]', ": FLOAT[2, 3]", ": INT64[2]", ": FLOAT[...]", ': DOUBLE["N"]', ": BOOL[...]")
ENDS = ("return r", "return op.Identity(r)", "return r, q", "return r + r", "return q / r")
VALUES = {
    "INT": ("0", "1", "-1", "2", "3", "True", "False", "1.5"),
    "FLOAT": ("0.5", "1", "-0.5", "0.0", "1e38", "1e39"),
    "STRING": ("'NOTSET'", "'SAME_UPPER'", "'none'", "''"),
    "INTS": ("[0]", "[1, 0]", "[2, 2]"),
}
WITH_GRAPHS = ("If", "Loop", "Scan", "SequenceMap")
Outcome = tuple[object, ...]
Without = Callable[[str], Outcome]


def schemas() -> list[tuple[int, onnx.defs.OpSchema]]:
    """Every operator of ai.onnx at each of the opsets that have it."""
    since: dict[str, int] = {}
    for item in onnx.defs.get_all_schemas_with_history():
        if not item.domain and item.name not in WITH_GRAPHS:
            since[item.name] = min(item.since_version, since.get(item.name, item.since_version))
    return [
        (opset, onnx.defs.get_schema(name, opset, ""))
        for name, first in sorted(since.items())
        for opset in OPSETS
        if first <= opset
    ]


def drawn(draw: random.Random, opset: int, schema: onnx.defs.OpSchema) -> str:
    """A function with a call of the operator behind another one, when the opset is known."""
    count = draw.randint(min(schema.min_input, 3), min(schema.max_input, 3))
    parameters = [f"x{index}" for index in range(max(1, count))]
    shared = draw.choice(ANNOTATIONS)
    declared = ", ".join(name + (shared if draw.random() < 0.5 else draw.choice(ANNOTATIONS)) for name in parameters)
    inputs = [draw.choice([*parameters, "q", "op.Identity(q)"]) for _ in range(count)]
    attributes = [
        f"{item.name}={draw.choice(VALUES.get(item.type.name, ('1.0',)))}"
        for item in schema.attributes.values()
        if item.required or draw.random() < 0.35
    ]
    return "\n".join(
        (
            f"from opwright import BOOL, DOUBLE, FLOAT, INT64, opset{opset} as op, script",
            "@script(default_opset=op)",
            f"def f({declared}):",
            f"    q = op.Identity({parameters[0]})",
            f"    r = op.{schema.name}({', '.join([*inputs, *attributes])})",
            f"    {draw.choice(ENDS)}",
            "",
        )
    )


def outcome(text: str) -> Outcome:
    try:
        function = compile_source(text, "f")
        made = [proto.SerializeToString(deterministic=True) for proto in function.to_function_protos()]
    except DiagnosticError as error:
        return tuple((item.code, item.message, item.reason) for item in error.diagnostics)
    try:
        return (*made, function.to_model_proto().SerializeToString(deterministic=True))
    except DiagnosticError as error:
        return (*made, *((item.code, item.message) for item in error.diagnostics))


@pytest.fixture
def without_plans(monkeypatch: pytest.MonkeyPatch) -> Without:
    modules: tuple[ModuleType, ...] = (arithmetic, written_calls, expression_rules, plain_calls)
    ways = ("emit_call_of", "emit_plain", "emit_plain_binary", "emit_with_literal")

    def run(text: str) -> Outcome:
        with monkeypatch.context() as patch:
            for module in modules:
                for way in ways:
                    if hasattr(module, way):
                        patch.setattr(module, way, lambda *args, **kwargs: None)
            return outcome(text)

    return run


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", one_in(ROUNDS, range(ROUNDS)))
def test_a_plan_gives_what_a_close_look_gives(seed: int, without_plans: Without) -> None:
    draw, every = random.Random(seed), schemas()
    seen: Counter[bool] = Counter()
    for _ in range(CALLS):
        text = drawn(draw, *draw.choice(every))
        planned = outcome(text)
        assert planned == without_plans(text), text
        seen[isinstance(planned[0], bytes)] += 1
    assert min(seen[True], seen[False]) > CALLS // 5, seen


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "call", ["op.Split(q, num_outputs=3)", "op.Constant(value_int=0)", "op.SequenceConstruct(q, q)"]
)
def test_what_is_more_than_a_result_and_its_type_has_no_plan(call: str, without_plans: Without) -> None:
    after = "return q // r" if "Constant" in call else "return op.ConcatFromSequence(r, axis=0, new_axis=1)"
    text = (
        "from opwright import FLOAT, INT64, opset22 as op, script\n@script(default_opset=op)\n"
        f"def f(x: INT64[6]):\n    q = op.Identity(x)\n    r = {call}\n    {'return r' if 'Split' in call else after}\n"
    )
    assert outcome(text) == without_plans(text)


def test_what_is_wrong_with_an_opset_is_reported_again_after_it_was_taken_back(compiler: Compiler) -> None:
    """At opset 13 the number asks for one variant per element type: the function goes back to the loop."""
    text = """\
from opwright import opset18 as op
def F(x, n):
    s = 0
    for i in range(n):
        s = s + x * i
    return op.Relu(s)
"""
    unit = compiler.unit(text, {"x": "T", "n": "int64/0"}, {"y": "T"}, {"T": ["float", "double"]})
    for opset in (18, 13):
        assert [item.code for item in build_family(unit, opset).diagnostics] == ["OW309"]


@pytest.mark.parametrize("order", ["abcd", "bacd", "cabd", "dbca"])
@pytest.mark.parametrize(
    "call", ["{0} + {1}", "op.Sub({1}, {0})", "op.Where({0} < {1}, {2}, {3})", "op.Sum({0}, {1}, {2})"]
)
def test_variants_are_named_after_the_first_of_the_inputs_that_are_of_one_type(
    call: str, order: str, without_plans: Without
) -> None:
    """In whatever order a call names them: `%` asks about the type that they have in common."""
    text = (
        "from opwright import opset20 as op, script\n@script(default_opset=op)\n"
        f"def f(a, b, c, d):\n    r = {call.format(*order)}\n    return op.Concat(r % {order[2]}, d, axis=0)\n"
    )
    assert outcome(text) == without_plans(text)


def test_the_types_of_a_call_are_not_compared_with_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[object] = []
    monkeypatch.setattr(ir.TypeVariable, "__eq__", lambda self, other: compared.append(other) or self is other)
    names = ", ".join(f"p{index}" for index in range(100))
    text = f"from opwright import opset18 as op, script\n@script()\ndef f({names}):\n    return op.Sum({names})\n"
    assert len(compile_source(text, "f").to_function_proto().input) == 100
    assert len(compared) < 100
