"""Whole models: functions and older versions together, inside subgraphs and functions, back again by detach."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnx.parser
import opwright
import pytest
from opwright.bundle.format import Bundle
from opwright.diagnostics import DiagnosticError
from opwright.downlevel.rewrite import Rewritten, polyfill_libraries
from opwright.downlevel.target import Target, target_of_opset, target_of_runtime
from opwright.link.detach import detach, detach_libraries
from opwright.link.inspect import State, inspect

from tests.downlevel.standard_cases import session_of
from tests.link.conftest import LibraryBuilder

X = np.linspace(-4, 4, 24, dtype=np.float32).reshape(4, 6)

MODEL = """<ir_version: 13, opset_import: ["": 28, "my": 3]> g (float[4,6] x, bool c) => (float[N,M] y)
<int64[1] a = {1}> {
    t = Mish(x)
    u = If (c) <then_branch = p () => (float[4,6] r) { r = Celu<alpha = 0.5>(t) },
                else_branch = q () => (float[4,6] s) { s = my.Half<scale = 0.5>(t) }>
    y = ReduceMax<noop_with_empty_axes = 0>(u, a)
}
<domain: "my", opset_import: ["": 28]> Half <scale: float = 0.25> (v) => (w) {
    k = Constant<value_float: float = @scale>()
    h = Mul(v, k)
    w = Swish(h)
}"""


def parse(text: str = MODEL) -> onnx.ModelProto:
    return onnx.parser.parse_model(text)


def rewritten(model: onnx.ModelProto, library: Bundle, opset: int, **options: Any) -> Rewritten:
    return polyfill_libraries(model, [library], target_of_opset(opset), **options)


def run(model: onnx.ModelProto, **values: Any) -> Any:
    return session_of(model).run(None, values)[0]


def expected(c: bool) -> np.ndarray[Any, Any]:
    v = X.astype(np.float64)
    v = v * np.tanh(np.logaddexp(0, v))
    h = 0.5 * v
    v = np.where(v > 0, v, 0.5 * np.expm1(v / 0.5)) if c else h / (1 + np.exp(-h))
    return v.max(axis=1, keepdims=True)


@pytest.mark.parametrize("opset", [13, 14, 15, 17, 18, 19, 20, 21, 23])
@pytest.mark.parametrize("inline", [False, True])
@pytest.mark.parametrize("c", [False, True])
def test_functions_and_older_versions_in_subgraphs_and_functions(
    standard: Bundle, opset: int, inline: bool, c: bool
) -> None:
    model = parse()
    done = rewritten(model, standard, opset, inline=inline)
    np.testing.assert_allclose(run(done.model, x=X, c=np.array(c)), expected(c), rtol=1e-5, atol=1e-6)
    versions = {item.domain: item.version for item in done.model.opset_import}
    assert versions[""] == opset
    assert {item.version for f in done.model.functions for item in f.opset_import if item.domain == ""} <= {opset}
    newest_ir = max(row[1] for row in onnx.helper.VERSION_TABLE if row[2] == opset)
    assert done.model.ir_version <= newest_ir
    assert done.inlined == (inline or opset < 19)  # the model's function has a default, which IR 9 brought
    assert bool(done.model.functions) != done.inlined
    if not done.inlined:
        assert versions["opwright.ai.onnx"] == 28
        reports = inspect(done.model, [standard])
        assert {item.state for item in reports if item.domain != "my"} == {State.UNALTERED}
        assert detach(done.model) == model
        assert model == parse()


def test_what_was_done_is_told_node_by_node(standard: Bundle) -> None:
    done = rewritten(parse(), standard, 22)
    told = [(item.place, item.operator, item.since_version, item.identity) for item in done.treatments]
    assert ("node 1 (If), graph 'p', node 0 (Celu)", "ai.onnx::Celu", 28, "") in told
    assert ("function my::Half, node 2 (Swish)", "ai.onnx::Swish", 24, "ai.onnx::Swish@24") in told
    assert [item.version for item in done.treatments if item.operator == "ai.onnx::Celu"] == [12]


def test_functions_for_consumers_before_overloads(standard: Bundle) -> None:
    """IR 8 and 9: no overloads, no defaults of attributes; every call has its attributes."""
    text = """<ir_version: 10, opset_import: ["": 20]> g (float[4,6] x) => (float[N,M] y)
    { y = Gelu<approximate = "tanh">(x) }"""
    for opset, ir_version in ((18, 8), (19, 9)):
        done = rewritten(parse(text), standard, opset)
        assert (done.model.ir_version, done.inlined) == (ir_version, False)
        assert not any(function.overload for function in done.model.functions)
        assert ir_version >= 9 or not any(function.attribute_proto for function in done.model.functions)
        assert {item.state for item in inspect(done.model, [standard])} == {State.UNALTERED}
        assert detach(done.model) == parse(text)
        v = X.astype(np.float64)
        wanted = 0.5 * v * (1 + np.tanh(np.sqrt(2 / np.pi) * (v + 0.044715 * v**3)))
        np.testing.assert_allclose(run(done.model, x=X), wanted, rtol=1e-5, atol=1e-6)


def test_everything_that_cannot_be_done_is_listed_at_once(standard: Bundle) -> None:
    text = """<ir_version: 10, opset_import: ["": 24]>
    g (float[4,6] x, uint4[4] z, float[N] w) => (uint4[4] y, float[M] v, float[4,6] u)
    { y = Identity(z) v = TensorScatter(w, w) u = ImageDecoder(x) }"""
    with pytest.raises(DiagnosticError) as caught:
        rewritten(parse(text), standard, 18)
    found = caught.value.diagnostics
    assert [item.code for item in found] == ["OW582", "OW581", "OW581"]
    assert all(item.help and item.reason and "node " in item.message for item in found)


def test_a_missing_kernel_is_served(standard: Bundle) -> None:
    text = '<ir_version: 8, opset_import: ["": 17]> g (double[4,6] x) => (double[N,M] y) { y = Elu(x) }'
    kept = rewritten(parse(text), standard, 18)
    assert not kept.treatments
    target = Target(18, 10, "a runtime", {("", "Elu", 6): ({"X": "float"}, {"T": "double"})})
    done = polyfill_libraries(parse(text), [standard], target)
    assert [item.identity for item in done.treatments] == ["ai.onnx::Elu@6"]
    v = X.astype(np.float64)
    np.testing.assert_allclose(run(done.model, x=v), np.where(v < 0, np.expm1(v), v), rtol=1e-12)
    assert detach(done.model) == parse(text)


def test_the_installed_runtime_gets_what_it_lacks(standard: Bundle) -> None:
    """Opset 28 is too new for it, and of opset 26 it has no kernel for Swish."""
    done = polyfill_libraries(parse(), [standard], target_of_runtime("ort"))
    assert "ai.onnx::Swish@24" in {item.identity for item in done.treatments}
    for c in (False, True):
        np.testing.assert_allclose(run(done.model, x=X, c=np.array(c)), expected(c), rtol=1e-5, atol=1e-6)


def test_a_polyfilled_model_is_polyfilled_again_from_what_it_was(standard: Bundle) -> None:
    once = rewritten(parse(), standard, 23).model
    twice = rewritten(once, standard, 21)
    assert twice.model == rewritten(parse(), standard, 21).model
    assert rewritten(once, standard, 24).model == once
    with pytest.raises(DiagnosticError) as caught:
        rewritten(once, LibraryBuilder().bundle(), 21)
    assert [item.code for item in caught.value.diagnostics] == ["OW585"]


def test_nodes_of_the_mirror_domain_get_their_bodies_too(standard: Bundle) -> None:
    text = """<ir_version: 10, opset_import: ["": 24, "opwright.ai.onnx": 28]> g (float[4,6] x) => (float[4,6] y)
    { t = opwright.ai.onnx.Mish(x) y = Swish(t) }"""
    done = rewritten(parse(text), standard, 18)
    v = X.astype(np.float64)
    v = v * np.tanh(np.logaddexp(0, v))
    np.testing.assert_allclose(run(done.model, x=X), v / (1 + np.exp(-v)), rtol=1e-5, atol=1e-6)
    assert detach(done.model) == parse(text)


def test_a_model_that_is_old_enough_stays_as_it_is(standard: Bundle) -> None:
    text = '<ir_version: 7, opset_import: ["": 13]> g (float[4,6] x) => (float[N,M] y) { y = Relu(x) }'
    done = rewritten(parse(text), standard, 18)
    assert done.model == parse(text)
    assert [item.code for item in done.diagnostics] == ["OW587"]
    lowered = rewritten(parse(text.replace("ir_version: 7", "ir_version: 12")), standard, 18)
    assert (lowered.model.ir_version, lowered.diagnostics) == (8, ())
    assert detach(lowered.model).ir_version == 12


def test_one_node_that_is_reached_with_different_types_is_refused() -> None:
    text = """<ir_version: 10, opset_import: ["": 14, "my": 1]> g (float[4] x, int32[4] z) => (float[4] y, int32[4] v)
    { y = my.F(x) v = my.F(z) }
    <domain: "my", opset_import: ["": 14]> F (a) => (b) { b = Relu(a) }"""
    with pytest.raises(DiagnosticError) as caught:
        rewritten(parse(text), LibraryBuilder().bundle(), 13)
    assert [item.code for item in caught.value.diagnostics] == ["OW582"]


def test_other_domains_of_the_standard_are_lowered_too() -> None:
    text = """<ir_version: 10, opset_import: ["": 21, "ai.onnx.ml": 5, "com.microsoft": 1]>
    g (float[2,3] x) => (float[2,3] y)
    { t = ai.onnx.ml.Scaler<scale = [2.0], offset = [1.0]>(x) y = com.microsoft.Gelu(t) }"""
    done = rewritten(parse(text), LibraryBuilder().bundle(), 18)
    imports = {item.domain: item.version for item in done.model.opset_import}
    assert imports == {"": 18, "ai.onnx.ml": 3, "com.microsoft": 1}
    assert detach(done.model) == parse(text)


def test_notes_that_somebody_has_damaged_are_a_finding(standard: Bundle) -> None:
    model = rewritten(parse(), standard, 22).model
    for item in model.metadata_props:
        item.value = '{"imports":[["",28,1]]}'
    with pytest.raises(DiagnosticError) as caught:
        detach_libraries(model)
    assert [item.code for item in caught.value.diagnostics] == ["OW576"]


def test_the_public_function(standard: Bundle) -> None:
    model = parse()
    assert opwright.polyfill(model, opset=22, libraries=standard) == rewritten(model, standard, 22).model
    with pytest.raises(DiagnosticError):
        opwright.polyfill(model, libraries=[standard])


def test_a_model_without_functions_is_polyfilled_again_from_what_it_was_too() -> None:
    text = """<ir_version: 10, opset_import: ["": 18]> g (float[4,6] x) => (float[N,M] y, int64[K] n)
    <int64[1] a = {1}> { y = ReduceMax(x, a) n = Shape<start = 1>(x) }"""
    nothing = LibraryBuilder().bundle()
    once = rewritten(parse(text), nothing, 17).model
    assert rewritten(once, nothing, 13).model == rewritten(parse(text), nothing, 13).model


MAPPED = """<ir_version: 8, opset_import: ["": 17]> g (float[N] x, float[M] z) => (float[K] y)
{
  s = SequenceConstruct(x, z)
  t = SequenceMap(s) <body = doubled (float[A] a) => (float[A] b) { c = Identity(a) b = Add(a, c) }>
  y = ConcatFromSequence<axis = 0>(t)
}"""


@pytest.mark.parametrize("opset", [13, 14, 16])
def test_graphs_may_have_versions_that_take_more_types(standard: Bundle, opset: int) -> None:
    """Identity and Add of 13 compute what those of 17 do, of all types that they take."""
    found = rewritten(parse(MAPPED), standard, opset).model
    x, z = np.float32([1, 2]), np.float32([3])
    np.testing.assert_array_equal(run(found, x=x, z=z), [2, 4, 6])


SIZED = """<ir_version: 8, opset_import: ["": 18]> g (float[N,2] x, float[M,2] z) => (int64[K] y)
{
  s = SequenceConstruct(x, z)
  t = SequenceMap(s) <body = largest (float[A,2] a) => (int64[B] b)
    {
      axes = Constant<value_ints = [0, 1]>()
      m = ReduceMax<keepdims = 0>(a, axes)
      c = Cast<to = 7>(m)
      zero = Constant<value = int64[1] {0}>()
      d = Unsqueeze(c, zero)
      i = Shape(a)
      b = Concat<axis = 0>(i, d)
    }>
  y = ConcatFromSequence<axis = 0>(t)
}"""


@pytest.mark.parametrize("opset", [13, 15, 17])
def test_nodes_of_graphs_become_those_of_an_older_version(standard: Bundle, opset: int) -> None:
    """The axes of ReduceMax are an attribute below 18, and of Shape of 15 there is no part."""
    found = rewritten(parse(SIZED), standard, opset).model
    x, z = np.float32([[1, 2], [7, 3]]), np.float32([[3, 4]])
    np.testing.assert_array_equal(run(found, x=x, z=z), [2, 2, 7, 1, 2, 4])


@pytest.mark.parametrize("opset", [15, 16])
def test_graphs_come_back_with_their_nodes(standard: Bundle, opset: int) -> None:
    """Nobody has added the nodes in them, whose versions are others at 17 and 18."""
    for text in (MAPPED, SIZED):
        model = parse(text.replace("ir_version: 8", "ir_version: 10"))
        found = rewritten(model, standard, opset).model
        assert found.functions
        assert detach(found) == model


def test_graphs_with_versions_that_mean_something_else_are_refused(standard: Bundle) -> None:
    text = MAPPED.replace("c = Identity(a)", "i = Shape<start = 1>(a) c = Cast<to = 1>(i)")
    reason = (
        "one of ai.onnx::Shape@15, and of ai.onnx::Shape@13, the version at opset 13, it cannot be: .* start is set"
    )
    with pytest.raises(DiagnosticError, match=reason):
        rewritten(parse(text), standard, 13)
