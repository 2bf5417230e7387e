"""Bodies as text: what onnx's parser reads from it is the body."""

from __future__ import annotations

import numpy as np
import pytest
from ml_dtypes import int4
from onnx import FunctionProto, helper, numpy_helper, parser
from opwright.protos.digest import digest
from opwright_build.propose.body_text import NoTextError, body_text, require_same
from opwright_build.propose.readable import make_readable, snake

from tests.propose.conftest import Propose

NAMES = ("Softplus@1", "Softplus@22", "Clip@13", "Gelu@20", "Range@11", "SquareFlip@22", "Halve@5", "Twice@1")


@pytest.mark.parametrize("name", NAMES)
def test_every_body_is_read_back_as_it_is_stored(name: str, propose: Propose) -> None:
    proposal = propose(name).proposal
    for bodies in proposal.sets:
        for variant in bodies.variants:
            text = body_text(variant.function)
            require_same(variant.function, text)
            assert digest(variant.function) == variant.body.body


@pytest.mark.parametrize(
    ("name", "opsets", "plain"),
    [("Softplus@22", [22], True), ("Softplus@1", [13, 15], False), ("Clip@13", [13], False), ("Gelu@20", [20], False)],
)
def test_bodies_that_say_the_same_are_one(name: str, opsets: list[int], plain: bool, propose: Propose) -> None:
    proposal = propose(name).proposal
    assert [bodies.opset for bodies in proposal.sets] == opsets
    assert proposal.uses_text == plain


def test_another_domain_takes_the_newest_bodies(propose: Propose) -> None:
    (bodies,) = propose("Halve@5").proposal.sets
    assert bodies.opset == 21
    assert not propose("Halve@5").proposal.uses_text, "its text alone would not say which opset it needs"


def test_values_have_the_names_of_their_operators() -> None:
    function = parser.parse_function(
        '<domain: "d", opset_import: ["" : 18]>\nF (X, exp) => (Y) {\n'
        "v0 = Exp (X)\nv1 = ReduceSum <keepdims: int = 1, noop_with_empty_axes: int = 1> (v0)\nv2 = Exp (v1)\n"
        "v3 = If (exp) <then_branch = t () => (v4) { v4 = Neg (v2) }, else_branch = e () => (v5) { v5 = Neg (v1) }>\n"
        "Y = Add (v3, v2)\n}"
    )
    readable = make_readable(function)
    assert [name for node in readable.node for name in node.output] == ["exp_2", "reduce_sum", "exp_3", "if", "Y"]
    assert [item.name for item in readable.node[1].attribute] == ["noop_with_empty_axes"]
    assert digest(readable) == digest(function)


@pytest.mark.parametrize(
    ("name", "words"), [("CastLike", "cast_like"), ("LSTM", "lstm"), ("ReduceL1", "reduce_l1"), ("SwiGLU", "swi_glu")]
)
def test_names_in_words(name: str, words: str) -> None:
    assert snake(name) == words


def constant(value: np.ndarray) -> FunctionProto:
    node = helper.make_node("Constant", [], ["Y"], value=numpy_helper.from_array(value))
    return helper.make_function("d", "F", [], ["Y"], [node], [helper.make_opsetid("", 22)])


@pytest.mark.parametrize("value", [0.1, 1e-40, np.inf, -np.inf, -0.0, 3e38])
def test_constants_keep_their_bits(value: float) -> None:
    for kind in (np.float16, np.float32, np.float64):
        with np.errstate(over="ignore"):
            body_text(constant(np.array([value], dtype=kind)))


def test_what_the_text_form_lacks_is_said() -> None:
    with pytest.raises(NoTextError, match="parser"):
        body_text(constant(np.array([1], dtype=int4)))


def test_another_text_is_noticed() -> None:
    function = constant(np.array(1.0))
    with pytest.raises(NoTextError, match="another body"):
        require_same(function, "Y = Constant <value: tensor = double {2}> ()")
