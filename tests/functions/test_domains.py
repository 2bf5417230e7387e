"""Operators of other domains than the default one."""

from __future__ import annotations

import numpy as np
import pytest
from opwright import FLOAT, INT64, GraphBuilder, Opset, opset_ai_onnx_ml3, opset_ai_onnx_ml5, script
from opwright import opset18 as op
from opwright.diagnostics import DiagnosticError
from opwright.functions import OnnxFunction
from opwright_std import opset1, opset22

acme = Opset("com.nobody", 2)


@script()
def call_of_a_domain_without_signatures(x):
    return acme.Gelu(x)


def test_a_domain_without_signatures_is_refused() -> None:
    with pytest.raises(DiagnosticError) as raised:
        call_of_a_domain_without_signatures.to_function_proto()
    (found,) = raised.value.diagnostics
    assert found.code == "OW201"
    assert found.message == "com.nobody::Gelu has no known signature"


@script()
def named_where_it_is_used(x: FLOAT[None]):
    return Opset("ai.onnx.ml", 3).Binarizer(Opset("", 18).Abs(x), threshold=1.0)


def test_an_opset_may_be_named_where_it_is_used() -> None:
    x = np.array([-2, 0.5], np.float32)
    assert [node.op_type for node in named_where_it_is_used.to_function_proto().node] == ["Abs", "Binarizer"]
    np.testing.assert_array_equal(named_where_it_is_used(x), [1, 0])


@script()
def old_encoder(x: INT64[None]):
    return opset_ai_onnx_ml3.LabelEncoder(x, keys_int64s=[1], values_int64s=[2])


@script()
def two_encoders(x: INT64[None]):
    return opset_ai_onnx_ml5.LabelEncoder(old_encoder(x), keys_int64s=[1], values_int64s=[2])


@script()
def old_softplus(x: FLOAT[None]):
    return opset1.Softplus(x)


@script()
def two_softpluses(x: FLOAT[None]):
    return opset22.Softplus(x) + old_softplus(x)


@script()
def two_in_one(x: FLOAT[None]):
    return opset22.Softplus(x) + opset1.Softplus(x)


pytestmark = pytest.mark.usefixtures("standard_package")
TWO_VERSIONS = [two_encoders, two_softpluses, two_in_one]


@pytest.mark.parametrize("function", TWO_VERSIONS, ids=lambda function: function.name)
def test_what_a_model_would_give_another_meaning_is_refused(function: OnnxFunction) -> None:
    with pytest.raises(DiagnosticError, match="OW357"):
        function.to_model_proto(opset=18)


@script()
def binarized(x: FLOAT[None]):
    return opset_ai_onnx_ml3.Binarizer(x, threshold=1.0)


@script()
def of_one_meaning(x: INT64[None]):
    encoded: INT64[None] = opset_ai_onnx_ml5.LabelEncoder(x, keys_int64s=[1], values_int64s=[2])
    return binarized(op.Cast(encoded, to=FLOAT))


@script()
def inside_a_function(x: INT64[None]):
    return of_one_meaning(x)


@pytest.mark.parametrize("function", [of_one_meaning, inside_a_function], ids=lambda function: function.name)
def test_versions_at_which_an_operator_is_the_same_may_differ(function: OnnxFunction, run_model) -> None:
    model = function.to_model_proto(opset=18)
    assert [item.version for item in model.opset_import if item.domain == "ai.onnx.ml"] == [4]
    assert run_model(model, np.array([1, 0]), reference=False)[0].tolist() == [1.0, 0.0]


@pytest.mark.parametrize("inline", [False, True])
def test_a_graph_that_is_built_calls_functions_of_libraries(inline: bool) -> None:
    b = GraphBuilder(opset=22)
    x = b.input("x", FLOAT["N"])
    y = b.call(opset22.Celu, x, alpha=2.0, inline=True) if inline else opset22.Celu(x, alpha=2.0)
    b.output("y", y)
    assert bool(b.to_model_proto().functions) is not inline
    data = np.array([-2, 0.5], np.float32)
    np.testing.assert_allclose(b.run(y, x=data), opset22.Celu(data, alpha=2.0))
