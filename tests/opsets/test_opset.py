"""Opsets as values: look-ups, names that are like others, equality, what importing them costs."""

from __future__ import annotations

import copy
import inspect
import pickle
import subprocess
import sys
from pathlib import Path

import opwright
import pytest
from onnx import defs
from opwright import FLOAT, Opset, latest, opset1, opset13, opset18, script
from opwright.opsets import find_opset
from opwright.opsets.operator import Operator
from opwright_build.opset_stubs.domain_versions import all_versions

LIBRARY = Path(opwright.__file__).parents[1]


def test_every_operator_of_every_opset_is_found() -> None:
    """All schema versions that onnx has, each at the version that introduces it, callable and documented."""
    met = set()
    for version in all_versions():
        opset = find_opset(version.name)
        assert opset is not None
        for name in opset:
            operator = opset[name]
            assert getattr(opset, name) is operator
            met.add((operator.domain, name, operator.since_version))
    expected = {(item.domain, item.name, item.since_version) for item in defs.get_all_schemas_with_history()}
    assert met == expected
    assert len(met) == 659


def test_an_operator_says_what_it_is() -> None:
    softmax = opset18.Softmax
    assert (softmax.name, softmax.domain, softmax.since_version) == ("Softmax", "", 13)
    assert repr(softmax) == "<ai.onnx::Softmax@13 of opset 18>"
    assert str(inspect.signature(softmax)) == "(input, *, axis=-1)"
    assert "normalized exponential" in softmax.__doc__
    assert softmax.__doc__.endswith("https://onnx.ai/onnx/operators/onnx__Softmax.html#softmax-13")
    assert "onnx_aionnxml_Binarizer.html#binarizer-1-ai-onnx-ml" in opwright.opset_ai_onnx_ml3.Binarizer.page


@pytest.mark.parametrize(
    ("opset", "name", "shown"),
    [
        (opset18, "Clip", "(input, min=None, max=None)"),
        (opset18, "Concat", "(*inputs, axis)"),
        (opset18, "Cast", "(input, *, to)"),
        (opset1, "Split", "(input, split_=None, /, *, axis=None, split=None)"),
    ],
)
def test_signatures_are_those_of_calls(opset: Opset, name: str, shown: str) -> None:
    assert str(inspect.signature(opset[name])) == shown


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Gelu", "ai.onnx has no operator 'Gelu' at opset 18; opset 20 has it"),
        ("Sofmax", "ai.onnx has no operator 'Sofmax' at opset 18; did you mean 'Softmax' or 'LogSoftmax'?"),
        ("Gelus", "ai.onnx has no operator 'Gelus' at opset 18; did you mean 'Gelu' (opset 20) or 'Elu'?"),
        ("Xyzzy", "ai.onnx has no operator 'Xyzzy' at opset 18"),
    ],
)
def test_unknown_operators_come_with_a_hint(name: str, message: str) -> None:
    with pytest.raises(AttributeError) as raised:
        getattr(opset18, name)
    assert str(raised.value) == message
    assert not hasattr(opset18, "__wrapped__")


def test_a_domain_without_signatures_is_no_guess() -> None:
    with pytest.raises(AttributeError, match=r"give `Opset\(\.\.\., signatures=\)`"):
        Opset("com.acme", 1).Twice  # noqa: B018 - the look-up is what fails


TWICE = defs.OpSchema(
    "Twice",
    "com.acme",
    1,
    inputs=[defs.OpSchema.FormalParameter("X", "T")],
    outputs=[defs.OpSchema.FormalParameter("Y", "T")],
    type_constraints=[("T", ["tensor(float)", "tensor(double)"], "")],
    attributes=[defs.OpSchema.Attribute("times", defs.OpSchema.AttrType.INT, "", required=True)],
)


def test_signatures_can_be_given() -> None:
    acme = Opset("com.acme", 1, signatures={"Twice": TWICE})
    assert list(acme) == ["Twice"]
    assert isinstance(acme.Twice, Operator)
    assert acme.Twice.domain == "com.acme"
    assert str(inspect.signature(acme.Twice)) == "(X, *, times)"
    assert acme.Twice.page == ""
    assert acme.Twice.__doc__ == "T: tensor(double), tensor(float)\n\nSince version 1 of com.acme."
    assert acme != Opset("com.acme", 1)
    assert acme == Opset("com.acme", 1, acme.signatures)
    with pytest.raises(AttributeError, match=r"com\.acme has no operator 'Gelu' at opset 1"):
        acme.Gelu  # noqa: B018 - the look-up is what fails
    with pytest.raises(TypeError, match=r"is an onnx\.defs\.OpSchema, not str"):
        Opset("com.acme", 1, signatures={"Twice": "X -> Y"})


def test_a_function_may_call_operators_whose_signatures_are_given() -> None:
    acme = Opset("com.acme", 1, signatures={"Twice": TWICE})

    @script()
    def four_times(x: FLOAT[...]) -> FLOAT[...]:
        return acme.Twice(acme.Twice(x, times=1), times=1)

    proto = four_times.to_function_proto()
    assert [(node.domain, node.op_type) for node in proto.node] == [("com.acme", "Twice")] * 2
    assert {item.domain: item.version for item in proto.opset_import}["com.acme"] == 1


def test_containment_listing_and_version() -> None:
    assert "Softmax" in opset13
    assert "Gelu" not in opset13
    assert 3 not in opset13
    assert {"Softmax", "version", "domain"} <= set(dir(opset13))
    assert opset13.version == 13
    assert latest.version == defs.onnx_opset_version()


def test_opsets_are_values() -> None:
    assert Opset("", 18) == opset18 == Opset("ai.onnx", 18)
    assert hash(Opset("ai.onnx", 18)) == hash(opset18)
    assert opset18 != opset13
    assert opset18 != 18
    for copied in (copy.deepcopy(opset18), pickle.loads(pickle.dumps(opset18))):
        assert copied == opset18
    assert repr(opset18) == "Opset('', 18)"
    operator = opset18.Relu
    for copied_operator in (copy.copy(operator), copy.deepcopy([operator])[0], pickle.loads(pickle.dumps(operator))):
        assert copied_operator is operator
    own = Opset("", 18)
    assert copy.deepcopy(own.Relu) is own.Relu
    assert pickle.loads(pickle.dumps(own)) == own
    assert pickle.loads(pickle.dumps(own.Relu)).since_version == operator.since_version


@pytest.mark.parametrize("version", [0, -1, True, 1.5, "18"])
def test_a_version_is_a_positive_int(version: int) -> None:
    with pytest.raises(ValueError, match="the version of an opset is a positive int"):
        Opset("", version)


@pytest.mark.parametrize("name", ["opset0", "opset29", "opset013", "opset", "opsetx", "opset_ai_onnx_ml6", "opset1_8"])
def test_other_names_are_no_opsets(name: str) -> None:
    with pytest.raises(AttributeError, match=f"has no attribute '{name}'"):
        getattr(opwright, name)


def test_importing_an_opset_and_a_type_loads_nothing_large() -> None:
    heavy = ("numpy", "onnx", "dataclasses", "inspect", "ast", "re", "typing", "collections.abc", "enum", "functools")
    text = "from opwright import opset18 as op, FLOAT, script; FLOAT['N', 3]; op.version"
    code = f"import sys; {text}; print([m for m in {heavy!r} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-S", "-c", code], capture_output=True, text=True, env={"PYTHONPATH": str(LIBRARY)}, check=True
    )
    assert done.stdout.strip() == "[]"
