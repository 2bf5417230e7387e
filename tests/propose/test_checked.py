"""What is said of node tests that the installed onnx has another opinion of."""

from __future__ import annotations

from dataclasses import replace

from onnx import TensorProto
from opwright_build.propose.expansions import CHECKER, Checked, check_models
from opwright_build.propose.test_models import TestModel, make_models
from opwright_build.verify.case_model import Status

from tests.propose.conftest import Propose


def call_of(propose: Propose, name: str) -> TestModel:
    made = propose(name)
    return next(iter(make_models(made.proposal, made.chosen.cases[0])))


def checked(model: TestModel) -> Checked:
    (found,) = check_models([model], [], workers=0)
    assert found.runtime == CHECKER
    return found


def test_inference_of_the_schema_that_is_there_says_nothing_of_the_proposal(propose: Propose) -> None:
    call = call_of(propose, "Softplus@22")
    assert checked(call).status is Status.PASS
    call.model.graph.output[0].type.tensor_type.elem_type = TensorProto.INT8
    found = checked(call)
    assert found.status is Status.UNSUPPORTED
    assert found.message.startswith("the installed onnx infers something else: ")


def test_a_call_that_the_schema_does_not_have_fails(propose: Propose) -> None:
    call = call_of(propose, "Clip@13")
    call.model.graph.node[0].attribute.add(name="nothing", i=1, type=2)
    assert checked(call).status is Status.FAIL


def test_inference_of_an_expansion_counts(propose: Propose) -> None:
    made = propose("Softplus@22")
    expansion = list(make_models(made.proposal, made.chosen.cases[0]))[1]
    assert expansion.expanded
    expansion.model.graph.output[0].type.tensor_type.elem_type = TensorProto.INT8
    assert checked(replace(expansion, name="other")).status is Status.FAIL
