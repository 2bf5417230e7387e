"""`convert`: a model with its functions at another opset, older or newer, with the same values."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import onnx
import onnx.parser
import pytest
from onnx import helper
from opwright import attach, convert, detach
from opwright.bundle.format import AttributeEntry, Bundle
from opwright.diagnostics import DiagnosticError, Severity
from opwright.downlevel.rewrite import polyfill_libraries
from opwright.downlevel.target import Target, opset_alone, target_of_opset
from opwright.elements import BY_NAME
from opwright.graphs.walk import all_nodes
from opwright.link.inspect import State, inspect

from tests.downlevel.conversions import (
    OPSETS,
    Outcome,
    campaign,
    converted,
    difference,
    forgotten,
    judged,
    light_models,
    stored_models,
)
from tests.downlevel.standard_cases import all_cases, imported, session_of
from tests.link.conftest import Body, LibraryBuilder

X = np.linspace(-3, 3, 2 * 3 * 4, dtype=np.float32).reshape(2, 3, 4)
SEED = 20261124

# Nodes of opset 12 in functions that call one another, in one of an older opset, and in the graphs of nodes.
NESTED = onnx.parser.parse_model(
    """<ir_version: 9, opset_import: ["": 12, "my": 1]>
    g (float[2,3,4] x, bool c, int64 n) => (float[A,B,C] y, float[D] z) {
        a = If (c) <then_branch = p () => (float[I,J,K] r) { r = my.Outer(x) },
                    else_branch = q () => (float[L,M,N] s) { s = LogSoftmax<axis = 1>(x) }>
        k = Constant<value = bool {1}>()
        b, z = Loop (n, k, a) <body = m (int64 i, bool go, float[O,P,Q] v) => (bool on, float[R,S,T] w, float part) {
            on = Identity(go) h = my.Inner<axes = [1]>(v) w = Add(v, h) f = Unsqueeze<axes = [0]>(v)
            e = ReduceSum<axes = [0, 1, 2, 3], keepdims = 0>(f)
            low = Constant<value = float {-1.5}>() part = Clip(e, low)
        }>
        y = my.Old(b)
    }
    <domain: "my", opset_import: ["": 12, "my": 1]> Outer (v) => (w) { t = Softmax(v) w = my.Inner<axes = [2]>(t) }
    <domain: "my", opset_import: ["": 12]> Inner <axes> (v) => (w) { w = ReduceSum<axes: ints = @axes>(v) }
    <domain: "my", opset_import: ["": 12]> Old (v) => (w) {
        s = Constant<value = int64[1] {1}>() e = Constant<value = int64[1] {9}>() t = Slice(v, s, e)
        w = Unsqueeze<axes = [1]>(t) }"""
)


def values(model: onnx.ModelProto, **feeds: Any) -> list[Any]:
    return list(session_of(model).run(None, feeds))


def refusals(model: onnx.ModelProto, opset: int, libraries: Any = ()) -> list[str]:
    with pytest.raises(DiagnosticError) as caught:
        convert(model, opset=opset, libraries=libraries)
    return [item.code for item in caught.value.diagnostics]


@pytest.mark.parametrize("opset", [13, 14, 18, 21, 24])
def test_functions_and_nested_graphs(opset: int) -> None:
    done = converted(NESTED, opset)
    assert [function.name for function in done.functions] == [function.name for function in NESTED.functions]
    assert done.ir_version == NESTED.ir_version
    for chosen in (True, False):
        for count in (0, 2):
            feeds = {"x": X, "c": np.array(chosen), "n": np.array(count)}
            assert difference(values(NESTED, **feeds), values(done, **feeds)) == ""
    again = converted(forgotten(done), 12 + opset % 2 * 8)
    assert difference(values(NESTED, **feeds), values(again, **feeds)) == ""


CONSTANTS = """<ir_version: 9, opset_import: ["": 18, "my": 1]>
    g (float[2,3] x) => (float[A,B] y, float[C,D] z) {{ y = my.F<axes = [0]>(x)
        low = Constant<value_float = -1.0>() high = Constant<value_float = 1.0>() z = Clip(x, low, high) }}
    <domain: "my", opset_import: ["": 18]> F <axes> (v) => (w) {{ a = Constant<value_ints: ints = @axes>() {nodes} }}"""


@pytest.mark.parametrize(
    "nodes",
    [
        "w = ReduceSum(v, a)",
        "u = Unsqueeze(v, a) s = Squeeze(u, a) w = Neg(s)",
        "f = Cast<to = 1>(a) s = ReduceSum(v, a) w = Add(s, f)",
    ],
)
@pytest.mark.parametrize("opset", [13, 12, 11, 10])
def test_constants_that_an_older_opset_writes_otherwise(nodes: str, opset: int) -> None:
    model = onnx.parser.parse_model(CONSTANTS.format(nodes=nodes))
    new = convert(model, opset=opset)
    again = convert(new, opset=20)
    assert detach(new) == detach(again) == model
    for made in (new, again):
        assert difference(values(model, x=X[0, :2, :3]), values(made, x=X[0, :2, :3])) == ""


WHOLE = """<ir_version: {ir_version}, opset_import: ["": 13]> g (float[2,3] x) => (float[A,B] y, int64[1] k) {{
    p = Softplus(x) s = Constant<value = int64[2] {{3, 2}}>() r = Reshape(x, s)
    k = Constant<value_ints = [7]>() a = Constant<value = int64[1] {{0}}>() u = Unsqueeze(r, a) t = Squeeze(u, a)
    y = {node} }}"""


@pytest.mark.parametrize("opset", [7, 8])
def test_a_constant_of_whole_numbers_is_an_initializer_where_no_constant_holds_them(opset: int) -> None:
    model = onnx.parser.parse_model(WHOLE.format(ir_version=4, node="Neg(t)"))
    new = convert(model, opset=opset)
    assert [tensor.name for tensor in new.graph.initializer] == ["s", "k", "a"]
    assert detach(new).SerializeToString() == model.SerializeToString()
    assert detach(convert(new, opset=15)) == model
    for one, other in zip(values(model, x=X[0, :2, :3]), values(new, x=X[0, :2, :3]), strict=True):
        np.testing.assert_array_equal(one, other)
    new.graph.node.insert(1, new.graph.node.pop(0))
    assert [node.op_type for node in detach(new).graph.node[:3]] == ["Constant", "Reshape", "Softplus"]
    new.graph.initializer[0].raw_data = np.array([2, 3], np.int64).tobytes()
    with pytest.raises(DiagnosticError, match="OW576: the initializer s"):
        detach(new)


def test_a_constant_of_whole_numbers_in_another_place_is_refused() -> None:
    """Initializers are inputs below IR version 4, and functions have none."""
    assert refusals(onnx.parser.parse_model(WHOLE.format(ir_version=3, node="Neg(t)")), 8) == ["OW582"] * 3
    held = """<ir_version: 8, opset_import: ["": 13, "my": 1]> g (float[2,3] x) => (float[A,B] y) { y = my.F(x) }
        <domain: "my", opset_import: ["": 13]> F (v) => (w) { s = Constant<value_ints = [3, 2]>() w = Reshape(v, s) }"""
    assert refusals(onnx.parser.parse_model(held), 8) == ["OW582"]
    for text in (WHOLE.format(ir_version=3, node="Neg(t)"), held):
        with pytest.raises(DiagnosticError) as caught:
            convert(onnx.parser.parse_model(text), opset=8)
        assert {item.help for item in caught.value.diagnostics} == {
            "make it an initializer of the main graph, which IR version 4 is needed for, or a `Cast` of floats"
        }


def test_a_constant_of_whole_numbers_that_nothing_reads() -> None:
    """ONNX's inference does not take it in an old model either."""
    text = """<ir_version: {}, opset_import: ["": 13]> g (float[2,3] x) => (float[2,3] y) {{
        k = Constant<value = int64[1] {{7}}>() y = Neg(x) }}"""
    model = onnx.parser.parse_model(text.format(4))
    new = convert(model, opset=8)
    assert [tensor.name for tensor in new.graph.initializer] == ["k"]
    assert detach(new) == model
    assert refusals(onnx.parser.parse_model(text.format(3)), 8) == ["OW582"]


def test_the_node_tests_of_the_standard() -> None:
    """A sample; `python -m tests.downlevel.conversions` tries them all, at every opset."""
    cases = all_cases()[::1158]
    found = list(campaign(cases, random.Random(SEED)))
    assert [item for item in found if item[-1].outcome is Outcome.DIFFERS] == []
    outcomes = [item[-1].outcome for item in found]
    assert outcomes.count(Outcome.SAME_ON_ORT) > 15
    assert outcomes.count(Outcome.REFUSED) > 3
    assert outcomes.count(Outcome.NOT_RUN) < len(found) / 5


def test_models_of_years_ago() -> None:
    """A sample of the models that onnx brings as files; the module tries them all."""
    cases = list(stored_models())[::38]
    found = list(campaign(cases, random.Random(SEED)))
    assert [item for item in found if item[-1].outcome is Outcome.DIFFERS] == []
    assert sum(item[-1].outcome is Outcome.SAME_ON_ORT for item in found) > len(found) / 2


@pytest.mark.parametrize("name", ["light_squeezenet", pytest.param("light_zfnet512", marks=pytest.mark.long)])
def test_networks(name: str) -> None:
    """Of opset 9; one has masks of Dropout that nothing reads, and that are of another type since 10."""
    network = next(item for item in light_models() if item.name == name)
    sets = [inputs for inputs, _ in network.data_sets]
    for opset in (13, 21):
        assert judged(network.model, converted(network.model, opset), sets).outcome is Outcome.SAME_ON_ORT
    model = onnx.ModelProto()
    model.CopyFrom(network.model)
    for node in model.graph.node:
        if node.op_type == "Dropout":
            model.graph.output.add(name=node.output[1]).type.tensor_type.elem_type = onnx.TensorProto.FLOAT
            assert "OW582" in refusals(model, 13)


OPERATORS = (
    "{1} = Relu({0})",
    "{1} = Add({0}, x)",
    "{1} = Dropout({0})",
    "{1} = Softmax<axis = 1>({0})",
    "{1} = Hardmax<axis = 1>({0})",
    "{1} = ReduceSum<axes = [0]>({0})",
    "{1} = my.F<axes = [1]>({0})",
    "{1}_u = Unsqueeze<axes = [0]>({0}) {1} = Squeeze<axes = [0]>({1}_u)",
    "{1}_a, {1}_b = Split<axis = 1>({0}) {1} = Concat<axis = 1>({1}_b, {1}_a)",
    "{1}_k = Constant<value = float {{0.5}}>() {1} = Clip({0}, {1}_k)",
    "{1}_s = Shape({0}) {1}_f = Flatten<axis = 2>({0}) {1} = Reshape({1}_f, {1}_s)",
    "{1} = If (c) <then_branch = t{1} () => (float[I{1},J{1},K{1}] {1}_t) {{ {1}_t = LogSoftmax({0}) }}, "
    "else_branch = e{1} () => (float[L{1},M{1},N{1}] {1}_e) {{ {1}_e = my.F<axes = [0, 1]>({0}) }}>",
)


def generated(seed: int) -> onnx.ModelProto:
    """A model of opset 12 of nodes that later versions read in another way."""
    chance = random.Random(seed)
    nodes = []
    for number in range(chance.randrange(3, 9)):
        nodes.append(chance.choice(OPERATORS).format(f"v{number}" if number else "x", f"v{number + 1}"))
    nodes.append(f"v{number + 2} = my.F<axes = [2]>(v{number + 1})")
    body = " ".join(nodes)
    axis = chance.choice((0, 1, 2, -1))
    return onnx.parser.parse_model(
        f"""<ir_version: 8, opset_import: ["": 12, "my": 1]> g (float[2,4,6] x, bool c) => (float[A,B,C] v{number + 2})
        {{ {body} }}
        <domain: "my", opset_import: ["": 12]> F <axes> (v) => (w)
        {{ a = ReduceMax<axes: ints = @axes>(v) b = Softmax<axis = {axis}>(v) w = Sub(b, a) }}"""
    )


@pytest.mark.parametrize("seed", range(12))
def test_generated_models_up_and_down_again(seed: int) -> None:
    model = generated(seed)
    chance = random.Random(SEED + seed)
    x = np.random.default_rng(seed).standard_normal((2, 4, 6)).astype(np.float32)
    sets = [[x, np.array(chosen)] for chosen in (True, False)]
    newer = converted(model, chance.choice(OPSETS[6:17]))
    assert judged(model, newer, sets).outcome is Outcome.SAME_ON_ORT
    assert converted(newer, 12).SerializeToString(deterministic=True) == model.SerializeToString(deterministic=True)
    other = converted(forgotten(newer), chance.choice(range(imported(newer), OPSETS[17])))
    assert judged(model, other, sets).outcome is Outcome.SAME_ON_ORT


# ------------------------------------------------------------------------------------------------ libraries


def libraries() -> list[Bundle]:
    """One of the standard's own functions, and a function whose body differs between opsets."""
    builder = LibraryBuilder(name="acme-std", domain="ai.onnx", mirror="opwright.ai.onnx", domain_version=28)
    builder.add("Gelu", [Body("(x) => (y) { y = Neg(x) }", (13, 28))], since_version=20)
    mine = LibraryBuilder()
    older = "(x) => (y) { y = ReduceMean<keepdims = 0, axes = [0]>(x) }"
    newer = "(x) => (y) { a = Constant<value = int64[1] {0}>() y = ReduceMean<keepdims = 0>(x, a) }"
    mine.add("Total", [Body(older, (13, 17)), Body(newer, (18, 28))])
    return [builder.bundle(), mine.bundle()]


CALLS = onnx.parser.parse_model(
    """<ir_version: 8, opset_import: ["": 20, "com.acme": 1, "my": 1]> g (float[2,3] x, bool c) => (float[N] y)
    { t = Gelu(x) u = If (c) <then_branch = p () => (float[I] r) { r = com.acme.Total(t) },
                              else_branch = q () => (float[J] s) { s = my.F(t) }> y = Relu(u) }
    <domain: "my", opset_import: ["": 20, "com.acme": 1]> F (v) => (w) { m = Mish(v) w = com.acme.Total(m) }"""
)


@pytest.mark.parametrize("replace", [True, False])
@pytest.mark.parametrize("opset", [21, 24, 20])
def test_attached_functions_get_the_bodies_for_the_opset(opset: int, replace: bool) -> None:
    given = libraries()
    attached = attach(CALLS, given, replace=replace)
    done = convert(attached, opset=opset, libraries=given)
    assert detach(done) == CALLS
    assert {item.state for item in inspect(done, given)} == {State.UNALTERED, State.FOREIGN}
    calls = [node for node in all_nodes(done.graph.node) if node.op_type == "Gelu"]
    assert [node.domain for node in calls] == ["opwright.ai.onnx" if replace else ""]
    for chosen in (True, False):
        feeds = {"x": X[0, :2, :3].copy(), "c": np.array(chosen)}
        assert difference(values(attached, **feeds), values(done, **feeds)) == ""
    by_way = convert(convert(attached, opset=22, libraries=given), opset=opset, libraries=given)
    assert difference(values(attached, **feeds), values(by_way, **feeds)) == ""


def test_a_body_for_an_older_opset() -> None:
    _, mine = libraries()
    model = onnx.parser.parse_model(
        """<ir_version: 8, opset_import: ["": 18, "com.acme": 1]> g (float[2,3] x) => (float[N] y)
        { y = com.acme.Total(x) }"""
    )
    attached = attach(model, mine)
    done = convert(attached, opset=13, libraries=mine)
    (function,) = done.functions
    assert [item.state for item in inspect(done, mine)] == [State.UNALTERED]
    assert [node.op_type for node in function.node] == ["ReduceMean"]
    assert any(attribute.name == "axes" for node in function.node for attribute in node.attribute)
    assert difference(values(attached, x=X[0, :2, :3].copy()), values(done, x=X[0, :2, :3].copy())) == ""
    assert refusals(attached, 13) == ["OW585"]


@pytest.mark.parametrize("declared", ["float y", "y"])
@pytest.mark.parametrize("target", [opset_alone(20), opset_alone(16), target_of_opset(17)])
def test_outputs_that_attach_completed_stay_complete(declared: str, target: Target) -> None:
    model = onnx.parser.parse_model(
        """<ir_version: 8, opset_import: ["": 18, "com.acme": 1]> g (float[2,3] x) => (float[3] y)
        { t = com.acme.Total(x) y = Relu(t) }"""
    )
    model.graph.output[0].type.tensor_type.ClearField("shape")
    if declared == "y":
        model.graph.output[0].ClearField("type")
    _, mine = libraries()
    attached = attach(model, mine)
    done = polyfill_libraries(attached, [mine], target).model
    assert done.graph.output == attached.graph.output
    assert detach(done) == model
    again = polyfill_libraries(done, [mine], opset_alone(18)).model
    assert again.graph.output == attached.graph.output
    assert difference(values(attached, x=X[0, :2, :3].copy()), values(done, x=X[0, :2, :3].copy())) == ""
    inlined = polyfill_libraries(attached, [mine], target_of_opset(17), inline=True).model
    assert inlined.graph.output == attached.graph.output
    assert not any(item.key.startswith("opwright") for item in inlined.metadata_props)


def _scale(
    body: str, release: str, *, alpha: float = 0.5, last: int = 28, library: str = "acme-ops", **more: Any
) -> Bundle:
    builder = LibraryBuilder(library, version=release)
    attributes = [AttributeEntry("alpha", "FLOAT", False, alpha), AttributeEntry("beta", "FLOAT", False, 1.0)]
    bodies = [Body(body, (13, last))]
    if last < 28:
        bodies.append(Body(body.replace("Mul(c, x)", "Mul(x, c)"), (last + 1, 28)))
    builder.add("Scale", bodies, attributes=attributes, **more)
    return builder.bundle()


SCALE = (
    "<alpha, beta>(x) => (y) { a = Constant<value_float: float = @alpha>() b = Constant<value_float: float = @beta>() \
c = Sub(a, b) y = Mul(c, x) }"
)
SCALED = """<ir_version: 8, opset_import: ["": 18, "com.acme": 1]> g (float[2,3] x) => (float[2,3] y)
{ t = com.acme.Scale(x) y = com.acme.Scale<beta = 2.0>(t) }"""


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        (_scale(SCALE.replace("y = Mul(c, x)", "t = Mul(c, x) y = Neg(t)"), "2.0.0"), "its body is another one"),
        (_scale(SCALE.replace("y = Mul(c, x)", "t = Mul(c, x) y = Neg(t)"), "1.0.0"), "its body is another one"),
        (_scale(SCALE, "2.0.0", alpha=0.25), "the default of its attribute alpha is another one"),
        (_scale(SCALE.replace("<alpha, beta>", "<beta, alpha>"), "2.0.0"), "its body is another one"),
    ],
)
@pytest.mark.parametrize("target", [opset_alone(20), target_of_opset(15)])
def test_functions_of_another_release_do_not_take_the_place_of_attached_ones(
    other: Bundle, reason: str, target: Target
) -> None:
    attached = attach(onnx.parser.parse_model(SCALED), _scale(SCALE, "1.0.0"))
    with pytest.raises(DiagnosticError) as caught:
        polyfill_libraries(attached, [other], target)
    assert {item.code for item in caught.value.diagnostics} == {"OW585"}
    assert any(reason in item.reason for item in caught.value.diagnostics)


def test_another_library_of_the_domain_is_no_release_to_upgrade_to() -> None:
    attached = attach(onnx.parser.parse_model(SCALED), _scale(SCALE, "1.0.0"))
    other = _scale(SCALE.replace("Mul(c, x)", "Add(c, x)"), "0.1.0", library="other-ops")
    with pytest.raises(DiagnosticError) as caught:
        convert(attached, opset=20, libraries=other)
    (found,) = caught.value.diagnostics
    help_text = "give acme-ops 1.0.0 with --library, or `opwright detach` the model, and attach other-ops 0.1.0"
    assert (found.code, found.help) == ("OW585", f"{help_text} to what that gives")
    assert convert(attach(detach(attached), other), opset=20, libraries=other)


def test_a_release_with_the_same_bodies_may_take_their_place() -> None:
    attached = attach(onnx.parser.parse_model(SCALED), _scale(SCALE, "1.0.0"))
    done = convert(attached, opset=20, libraries=_scale(SCALE, "2.0.0", last=18))
    assert difference(values(attached, x=X[0, :2, :3].copy()), values(done, x=X[0, :2, :3].copy())) == ""
    assert refusals(attached, 20, _scale(SCALE, "2.0.0", last=16)) == ["OW585"]
    attached.functions[0].input[0] = "renamed"
    attached.functions[0].node[-1].input[1] = "renamed"
    assert convert(attached, opset=20, libraries=_scale(SCALE, "1.0.0", last=18)).functions == done.functions


@pytest.mark.parametrize("release", ["1.0.0", "2.0.0"])
def test_a_release_that_cuts_variants_otherwise_is_another(release: str) -> None:
    def library(release: str, double: str) -> Bundle:
        builder = LibraryBuilder(version=release)
        texts = {"float": "(x) => (y) { y = Neg(x) }", "double": double, "float16": "(x) => (y) { y = Abs(x) }"}
        bodies = [Body(text, (13, 28), (("T", name),), (name,)) for name, text in texts.items()]
        builder.add("Kind", bodies)
        return builder.bundle()

    model = onnx.parser.parse_model(
        """<ir_version: 8, opset_import: ["": 18, "com.acme": 1]> g (double[2,3] x) => (double[2,3] y)
        { y = com.acme.Kind(x) }"""
    )
    attached = attach(model, library("1.0.0", "(x) => (y) { y = Neg(x) }"))
    assert convert(attached, opset=20, libraries=library(release, "(x) => (y) { y = Neg(x) }"))
    other = library("2.0.0", "(x) => (y) { y = Relu(x) }")
    assert refusals(attached, 20, other) == ["OW585"]


def test_an_operator_that_came_later_needs_a_library() -> None:
    model = onnx.parser.parse_model(
        '<ir_version: 8, opset_import: ["": 20]> g (float[2,3] x) => (float[2,3] y) { y = Gelu(x) }'
    )
    assert refusals(model, 18) == ["OW581"]
    done = convert(model, opset=18, libraries=libraries())
    assert [node.domain for node in done.graph.node] == ["opwright.ai.onnx"]
    assert detach(done) == model
    back = convert(done, opset=21, libraries=libraries())
    assert [node.domain for node in back.graph.node] == [""]


# ------------------------------------------------------------------------------------------------ what is refused


def test_each_node_is_named_with_both_versions() -> None:
    model = onnx.parser.parse_model(
        """<ir_version: 9, opset_import: ["": 18, "my": 1]>
        g (float[2,4,3,3] x, float[2] s, bool c) => (float[A,B,C,D] y) {
            y = If (c) <then_branch = p () => (float[E,F,G,H] r) { r = my.F(x, s) },
                        else_branch = q () => (float[I,J,K,L] t) { t = GroupNormalization<num_groups = 2>(x, s, s) }>
        }
        <domain: "my", opset_import: ["": 18]> F (v, s) => (w) { w = GroupNormalization<num_groups = 2>(v, s, s) }"""
    )
    with pytest.raises(DiagnosticError) as caught:
        convert(model, opset=21)
    found = caught.value.diagnostics
    assert [item.code for item in found] == ["OW582", "OW582"]
    what = "node 0 (GroupNormalization): GroupNormalization of version 18 is not that of opset 21, version 21"
    assert {item.message for item in found} == {f"function my::F, {what}", f"node 0 (If), graph 'q', {what}"}


@pytest.mark.parametrize(("opset", "oldest", "reason"), [(6, 7, "7 to"), (29, 7, "7 to 28"), (-1, 7, "7 to")])
def test_opsets_that_are_none(opset: int, oldest: int, reason: str) -> None:
    with pytest.raises(DiagnosticError, match=reason) as caught:
        convert(NESTED, opset=opset)
    assert [item.code for item in caught.value.diagnostics] == ["OW584"]


@pytest.mark.parametrize(("version", "operator"), [(99, "Relu"), (13, "Gelu"), (13, "Unheard")])
def test_an_operator_of_which_nothing_is_known(version: int, operator: str) -> None:
    model = onnx.parser.parse_model(
        f'<ir_version: 8, opset_import: ["": {version}]> g (float[2] x) => (float[2] y) {{ y = {operator}(x) }}'
    )
    assert refusals(model, 20) == ["OW582"]


@pytest.mark.parametrize("operator", ["Abs", "Unheard", "Gelu"])
@pytest.mark.parametrize("domain", ["", "ai.onnx", "ai.onnx.ml"])
def test_functions_in_the_standards_own_domain_are_refused(operator: str, domain: str) -> None:
    """onnxruntime runs the operator where there is one, and refuses the model where there is none."""
    model = onnx.parser.parse_model(
        f"""<ir_version: 8, opset_import: ["": 20, "ai.onnx.ml": 3]> g (float[2] x) => (float[2] y)
        {{ y = {operator}(x) }}
        <domain: "{domain}", opset_import: ["": 20]> {operator} (v) => (w) {{ w = Neg(v) }}"""
    )
    assert refusals(model, 18) == ["OW589"]
    assert refusals(model, 20) == ["OW589"]
    for inline in (True, False):
        with pytest.raises(DiagnosticError, match="OW589"):
            polyfill_libraries(model, [], target_of_opset(18), inline=inline)


def test_a_library_brings_no_function_into_the_standards_own_domain() -> None:
    builder = LibraryBuilder(domain="ai.onnx", mirror="ai.onnx.ml", domain_version=28)
    builder.add("Gelu", "(x) => (y) { y = Neg(x) }", since_version=20)
    model = onnx.parser.parse_model(
        '<ir_version: 8, opset_import: ["": 20]> g (float[2,3] x) => (float[2,3] y) { y = Gelu(x) }'
    )
    assert refusals(model, 18, builder.bundle()) == ["OW589"]
    with pytest.raises(DiagnosticError, match="OW589"):
        polyfill_libraries(model, [builder.bundle()], target_of_opset(18))


def test_a_function_of_an_older_opset_than_the_model_comes_along() -> None:
    model = onnx.parser.parse_model(
        """<ir_version: 8, opset_import: ["": 18, "my": 1]> g (float[2,3] x) => (float[2,3] y) { y = my.F(x) }
        <domain: "my", opset_import: ["": 17]> F (v) => (w) { w = Relu(v) }"""
    )
    assert [item.version for item in converted(model, 18).functions[0].opset_import] == [18]
    done = polyfill_libraries(converted(model, 18), [], opset_alone(18))
    assert [item.severity for item in done.diagnostics if item.code == "OW587"] == [Severity.NOTE]


def test_a_model_without_an_opset_of_its_own() -> None:
    model = helper.make_model(
        helper.make_graph([helper.make_node("F", ["x"], ["y"], domain="my")], "g",
                          [helper.make_tensor_value_info("x", 1, [2])], [helper.make_tensor_value_info("y", 1, [2])]),
        functions=[helper.make_function("my", "F", ["v"], ["w"], [helper.make_node("Relu", ["v"], ["w"])],
                                        [helper.make_opsetid("", 13)])],
        opset_imports=[helper.make_opsetid("my", 1)], ir_version=8,
    )  # fmt: skip
    done = converted(model, 17)
    assert imported(done) == 17


@pytest.mark.parametrize(
    ("nodes", "opset", "others", "shapes", "initializers"),
    [
        ("u = Unsqueeze(x, w) y = Squeeze(u, a)", 13, (11, 10, 7), "float[2,3,4] y",
         "int64[2] w = {-1, 0}, int64[2] a = {-1, 0}"),
        ("h = Cast<to = 11>(x) y = Pad(h, p, v)", 12, (10, 8), "double[2,4,4] y",
         "int64[6] p = {0,1,0,0,0,0}, double v = {0.5}"),
        ("y = GroupNormalization<num_groups = 1>(x, o, o)", 20, (18, 19), "float[2,3,4] y", "float[1] o = {1.5}"),
    ],
)  # fmt: skip
def test_what_no_longer_hinders(
    nodes: str, opset: int, others: tuple[int, ...], shapes: str, initializers: str
) -> None:
    """Axes out of order, numbers of 64 bits that 32 hold, an operator that the checker calls deprecated throughout."""
    text = (
        f'<ir_version: 8, opset_import: ["": {opset}]> g (float[2,3,4] x) => ({shapes}) <{initializers}> {{ {nodes} }}'
    )
    model = onnx.parser.parse_model(text)
    for other in others:
        done = convert(model, opset=other)
        assert detach(done) == model
        assert difference(values(model, x=X), values(done, x=X)) == ""


@pytest.mark.parametrize(
    ("node", "output", "opset", "reason"),
    [
        ('y = Constant<value_string = "a">()', "string y", 11, "its attribute value_string is set"),
        ("l = Constant<value = double {1.0e-300}>() y = Clip(d, l)", "double[4] y", 10, "its min is an input that"),
        (
            "r = Constant<value = float {1.0}>() y = ReduceMax<axes = [-1]>(r)",
            "float y",
            10,
            "which are no axes of rank 0",
        ),
    ],
)
def test_what_an_attribute_cannot_hold(node: str, output: str, opset: int, reason: str) -> None:
    text = f'<ir_version: 8, opset_import: ["": 13]> g (double[4] d) => ({output}) {{ {node} }}'
    model = onnx.parser.parse_model(text)
    for attribute in model.graph.node[0].attribute:
        if attribute.name == "value_string":
            attribute.s = b"\xff"  # no text
    with pytest.raises(DiagnosticError, match=reason):
        convert(model, opset=opset)


def cast_to(element: str, operator: str, saturate: int, opset: int, source: str = "float") -> onnx.ModelProto:
    to = f"to = {BY_NAME[element].code}, " if operator == "Cast" else ""
    given = "x" if operator == "Cast" else "x, l"
    return onnx.parser.parse_model(
        f"""<ir_version: 12, opset_import: ["": {opset}]> g ({source}[N] x, {element}[1] l) => ({element}[N] y)
        {{ y = {operator}<{to}saturate = {saturate}>({given}) }}"""
    )


EIGHT_BITS = ["float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz"]


@pytest.mark.parametrize("operator", ["Cast", "CastLike"])
@pytest.mark.parametrize("saturate", [0, 1])
@pytest.mark.parametrize("element", EIGHT_BITS)
def test_casts_to_eight_bits_differ_by_infinities_alone(element: str, saturate: int, operator: str) -> None:
    """What is refused are the rows and columns in which the tables in the text of Cast differ between 23 and 24."""
    for here, there in ((21, 26), (26, 19)):
        model = cast_to(element, operator, saturate, here)
        if element.endswith("fnuz") and saturate:
            with pytest.raises(DiagnosticError, match=f"an infinity that is cast to {element} with saturate"):
                convert(model, opset=there)
        else:
            (node,) = converted(model, there).graph.node
            assert node == model.graph.node[0]
        integers = cast_to(element, operator, saturate, here, source="int32")
        assert converted(integers, there).graph.node == integers.graph.node


def test_what_version_24_of_cast_changed_in_its_tables() -> None:
    def rows(version: int) -> list[list[str]]:
        lines = [line.split("|") for line in onnx.defs.get_schema("Cast", version).doc.splitlines()]
        return [[cell.strip() for cell in line[1:-1]] for line in lines if len(line) == 7]

    older, newer = rows(23), rows(24)
    columns = older[0]
    assert len(older) == len(newer)
    assert {
        (before[0], columns[index], before[index], after[index])
        for before, after in zip(older, newer, strict=True)
        for index in range(1, len(columns))
        if before[index] != after[index]
    } == {(f"{sign}Inf", column, "NaN", f"{sign}FLT_MAX") for sign in ("", "-") for column in ("E4M3FNUZ", "E5M2FNUZ")}


@pytest.mark.parametrize(
    ("element", "node", "opset"),
    [
        ("int4", "Cast<to = 22>(x)", 20),
        ("float8e5m2", "CastLike(x, z)", 18),
        ("float4e2m1", "Cast<to = 23>(x)", 21),
        ("int4", "QuantizeLinear(x, s, z)", 20),
    ],
)
def test_a_type_that_the_opset_lacks_is_in_no_library(element: str, node: str, opset: int) -> None:
    model = onnx.parser.parse_model(
        f"""<ir_version: 11, opset_import: ["": 23]> g (float[N] x, float s, {element} z) => ({element}[M] y)
        {{ y = {node} }}"""
    )
    serves = LibraryBuilder(domain="ai.onnx", mirror="acme.ai.onnx", domain_version=28)
    serves.add("CastLike", "(x, z) => (y) { y = Identity(z) }", inputs=("x", "z"), since_version=23)
    for libraries in ((), (serves.bundle(),)):
        with pytest.raises(DiagnosticError) as caught:
            convert(model, opset=opset, libraries=libraries)
        (finding,) = caught.value.diagnostics
        assert finding.code == "OW582"
        assert "library" not in finding.reason
        assert finding.help == f"change the node: opset {opset} has no {element}, and so no library helps"
