"""The C++ of schemas. Whether it compiles, and does what it should, `nox -s proposals` sees; here stand the texts."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from pathlib import Path

import onnx
import pytest
from onnx import helper
from opwright.bundle.format import AttributeEntry
from opwright_build.propose.cpp_text import attribute_default, attribute_value, float_literal, raw_string, string
from opwright_build.propose.differentiation import differentiation
from opwright_build.propose.inference import InferenceRules, ShapeKind, ShapeRule, TypeKind, TypeRule, infer_rules
from opwright_build.propose.schema import make_bodies, render_schema

from tests.propose.conftest import Propose

GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.parametrize(
    "name", ["Softplus@22", "Clip@13", "Gelu@20", "Range@11", "SquareFlip@22", "Over@22", "Halve@5", "Twice@1"]
)
def test_schemas_are_as_stored(name: str, propose: Propose, golden: Callable[[Path, str], None]) -> None:
    made = propose(name)
    rules = infer_rules(made.proposal, made.chosen.cases)
    text = render_schema(made.proposal, make_bodies(made.proposal), rules, differentiation(made.proposal))
    golden(GOLDEN / f"{name.partition('@')[0]}.cc", text)


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        ("Softplus@22", [ShapeRule(ShapeKind.SAME)]),
        ("Clip@13", [ShapeRule(ShapeKind.SAME)]),
        ("Range@11", [ShapeRule(ShapeKind.RANK, rank=1)]),
        ("SquareFlip@22", [ShapeRule(ShapeKind.UNKNOWN)]),
        ("Halve@5", [ShapeRule(ShapeKind.SAME), ShapeRule(ShapeKind.RANK, rank=0)]),
    ],
)
def test_shapes_follow_from_the_body(name: str, rules: list[ShapeRule], propose: Propose) -> None:
    made = propose(name)
    assert list(infer_rules(made.proposal, made.chosen.cases).shapes) == rules


def test_nothing_is_read_of_an_input_that_may_be_absent(propose: Propose) -> None:
    """Neither its type nor, since onnx takes no shape without one, a shape."""
    proposal = propose("Clip@13").proposal
    rules = InferenceRules((TypeRule(TypeKind.INPUT, input=1),), (ShapeRule(ShapeKind.RANK, rank=1),), confirmed=1)
    text = render_schema(proposal, make_bodies(proposal), rules, differentiation(proposal))
    inference = text.partition("TypeAndShapeInferenceFunction(")[2].partition("        })")[0]
    assert [line.strip() for line in inference.splitlines()[1:7]] == [
        "if (ctx.hasInput(1)) {",
        "propagateElemTypeFromInputToOutput(ctx, 1, 0);",
        "TensorShapeProto shape_0;",
        "shape_0.add_dim();",
        "updateOutputShape(ctx, 0, shape_0);",
        "}",
    ]


def test_a_type_that_may_be_absent_falls_back_on_what_the_body_gives(propose: Propose) -> None:
    made = propose("Over@22")
    of_input = TypeRule(TypeKind.INPUT, input=0)
    by_attribute = TypeRule(TypeKind.ATTRIBUTE, attribute="dtype", absent=of_input)
    assert infer_rules(made.proposal, made.chosen.cases).types == (
        by_attribute,
        TypeRule(TypeKind.INPUT, input=1, absent=of_input),
    )
    given = [case for case in made.chosen.cases if "dtype" in case.attributes]
    found = infer_rules(made.proposal, given).types[0]
    assert found == replace(by_attribute, absent=None), "no node test is without it"


def test_the_type_of_an_output_is_fixed_where_it_is_the_same_for_all_inputs(propose: Propose) -> None:
    """As far as one tells by calls in all element types, and not by those of the node tests alone."""
    made = propose("Over@22")
    floats = [case for case in made.chosen.cases if case.case.bindings["T"] == "float"]
    assert infer_rules(made.proposal, floats).types[0].absent == TypeRule(TypeKind.INPUT, input=0)
    always = deepcopy(made.proposal)
    for variant in always.sets[0].variants:
        for node in variant.function.node:
            if node.op_type == "CastLike" and node.output[0] == "Y":
                node.CopyFrom(helper.make_node("Cast", node.input[:1], ["Y"], to=onnx.TensorProto.FLOAT))
    assert infer_rules(always, floats).types[0].absent == TypeRule(TypeKind.FIXED, element="float")


def test_nothing_is_inferred_without_the_attribute_where_no_rule_is_known(propose: Propose) -> None:
    proposal = propose("Over@22").proposal
    unknown = TypeRule(TypeKind.ATTRIBUTE, attribute="dtype")
    shape = ShapeRule(ShapeKind.RANK, rank=0)
    rules = InferenceRules((unknown, TypeRule(TypeKind.INPUT)), (shape, shape), confirmed=1)
    text = render_schema(proposal, make_bodies(proposal), rules, differentiation(proposal))
    inference = text.partition("TypeAndShapeInferenceFunction(")[2]
    assert [line.strip() for line in inference.splitlines()[1:6]] == [
        'if (ctx.getAttribute("dtype") != nullptr) {',
        'propagateElemTypeFromAttributeToOutput(ctx, "dtype", 0);',
        "TensorShapeProto shape_0;",
        "updateOutputShape(ctx, 0, shape_0);",
        "}",
    ]


@pytest.mark.parametrize(
    ("text", "literal"),
    [
        ("a", 'R"ONNX(a)ONNX"'),
        (')ONNX"', 'R"ONNX_()ONNX")ONNX_"'),
        ('"\\', 'R"ONNX("\\)ONNX"'),
    ],
)
def test_raw_strings_hold_anything(text: str, literal: str) -> None:
    assert raw_string(text) == literal


def test_long_texts_are_several_literals() -> None:
    line = "x" * 99 + "\n"
    literals = raw_string(line * 300).split(')ONNX"\n')
    assert len(literals) == 3
    assert all(len(item) < 13_000 for item in literals)


@pytest.mark.parametrize(
    ("text", "literal"), [("a", '"a"'), ('"b"\n', '"\\"b\\"\\n"'), ("\\", '"\\\\"'), ("??=", '"\\?\\?="')]
)
def test_strings_are_escaped(text: str, literal: str) -> None:
    assert string(text) == literal


@pytest.mark.parametrize(
    ("value", "literal"),
    [
        (1.0, "1.0f"),
        (0.1, "0.1f"),
        (1e-5, "1e-05f"),
        (float("-inf"), "-std::numeric_limits<float>::infinity()"),
        (float("nan"), "std::numeric_limits<float>::quiet_NaN()"),
    ],
)
def test_floats_are_those_of_float32(value: float, literal: str) -> None:
    assert float_literal(value) == literal


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        ("INT", -(1 << 63), "std::numeric_limits<int64_t>::min()"),
        ("INT", True, "int64_t{1}"),
        ("STRING", "a b", 'std::string("a b")'),
        ("INTS", (1, -2), "std::vector<int64_t>{int64_t{1}, int64_t{-2}}"),
        ("STRINGS", (), "std::vector<std::string>{}"),
    ],
)
def test_values_of_attributes(kind: str, value: object, text: str) -> None:
    assert attribute_value(kind, value) == text


def test_defaults_of_attributes() -> None:
    assert attribute_default(AttributeEntry("a", "INT", required=True)) == ""
    assert attribute_default(AttributeEntry("a", "INT", required=False)) == ", OPTIONAL_VALUE"
    assert attribute_default(AttributeEntry("a", "FLOAT", False, 2.0)) == ", 2.0f"
