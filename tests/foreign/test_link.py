"""`link`: bare nodes of a model get the functions that they call."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx_ir
import onnxruntime
import pytest
from onnx import ModelProto, checker, compose, inliner, parser, printer, version_converter
from onnx.reference import ReferenceEvaluator
from opwright import DiagnosticError, DiagnosticWarning, Opset, attach, detach, opset18, script
from opwright.foreign.callables import Parameter, oldest_opset_of, parameters_of
from opwright.ir import Link, link

from tests.foreign.scripts import Bounded, Gelu, Joined, Swish, Swished, acme
from tests.link.conftest import make_acme

X = np.linspace(-2, 3, 6, dtype=np.float32).reshape(2, 3)


def model_of(text: str, opset: int = 18, ir: int = 10) -> ModelProto:
    return parser.parse_model(f'<ir_version: {ir}, opset_import: ["": {opset}, "com.acme": 1]> {text}')


def graph_of(nodes: str, **options: int) -> ModelProto:
    return model_of(f"g (float[N, 3] x) => (float[N, M] y) {{ {nodes} }}", **options)


def run(model: ModelProto, **feeds: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """On onnxruntime; the reference evaluator says the same."""
    checker.check_model(model, full_check=True)
    feeds = feeds or {"x": X}
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    found = session.run(None, feeds)[0]
    np.testing.assert_allclose(ReferenceEvaluator(model).run(None, feeds)[0], found, rtol=1e-5, atol=1e-6)
    return np.asarray(found)


def names_of(model: ModelProto) -> list[str]:
    return [function.name for function in model.functions]


def refused(model: Any, *functions: Any) -> str:
    with pytest.raises(DiagnosticError) as caught:
        link(model, functions)
    (found,) = caught.value.diagnostics
    return f"{found.code} {found.message}"


# ------------------------------------------------------------------------------------------------- what is linked


def test_a_node_calls_its_function_and_the_argument_stays() -> None:
    model = graph_of("y = com.acme.Swish<alpha = 2.0>(x)")
    before = model.SerializeToString()
    linked = link(model, [Swish])
    assert names_of(linked) == ["Swish"]
    assert [node.op_type for node in linked.graph.node] == ["Swish"]
    np.testing.assert_allclose(run(linked), Swish(X, alpha=2.0), rtol=1e-6)
    assert model.SerializeToString() == before


def test_functions_that_are_called_come_with_it() -> None:
    linked = link(graph_of("y = com.acme.Swished(x)"), [Swished])
    assert names_of(linked) == ["Swish", "Swished"]
    np.testing.assert_allclose(run(linked), Swished(X), rtol=1e-6)


def test_each_node_calls_the_body_for_what_it_is_given() -> None:
    """Optional inputs, several outputs of which some are not taken, static attributes, defaults."""
    linked = link(
        graph_of(
            "a, most = com.acme.Bounded<factor = 2>(x) "
            "b = com.acme.Bounded<factor = 3.0, steps = 2>(a, most) "
            'c = com.acme.Gelu<approximate = "tanh">(b) y = com.acme.Gelu(c)'
        ),
        [Bounded, Gelu],
    )
    assert {name.partition("__")[0] for name in names_of(linked)} == {"Bounded", "Gelu"}
    assert len(linked.functions) == 4
    a, most = Bounded(X, factor=2.0)
    b, _ = Bounded(a, most, factor=3.0, steps=2)
    np.testing.assert_allclose(run(linked), Gelu(Gelu(b, approximate="tanh")), rtol=1e-5, atol=1e-6)


def test_a_function_of_any_number_of_inputs_stands_in_place_of_its_call() -> None:
    linked = link(graph_of("y = com.acme.Joined<axis = 1>(x, x, x)"), [Joined])
    assert not linked.functions
    np.testing.assert_allclose(run(linked), np.concatenate([X] * 3, 1))


def test_nodes_of_inner_graphs_and_of_functions() -> None:
    text = """
    g (float[N, 3] x, bool c) => (float[N, 3] y) {
      t = my.Twice(x)
      y = If(c) <
        then_branch = a () => (float[N, 3] r) { r = com.acme.Swish<alpha = 2.0>(t) },
        else_branch = b () => (float[N, 3] s) { s = com.acme.Swish(t) }
      >
    }
    <domain: "my", opset_import: ["": 18, "com.acme": 1]>
    Twice (v) => (w) { s = com.acme.Swish(v) w = Add(s, s) }
    """
    model = parser.parse_model(f'<ir_version: 10, opset_import: ["": 18, "com.acme": 1, "my": 1]> {text}')
    linked = link(model, [Swish])
    twice = 2 * Swish(X)
    assert sorted(names_of(linked)) == ["Swish", "Twice"]
    np.testing.assert_allclose(run(linked, x=X, c=np.array(True)), Swish(twice, alpha=2.0), rtol=1e-5)
    np.testing.assert_allclose(run(linked, x=X, c=np.array(False)), Swish(twice), rtol=1e-5)


HANDED = """
    g (float[2, 3] x, double[2, 3] d) => (float[2, 3] y, float[2, 3] z, double[2, 3] w) {{ {calls} }}
    <domain: "my", opset_import: ["": 18, "com.acme": 1]> S <{attribute}> (v) => (r) {{ r = com.acme.{node}(v) }}"""


def handed_on(calls: str, node: str, attribute: str = "a: float = 3.0") -> ModelProto:
    model = model_of(HANDED.format(calls=calls, node=node, attribute=attribute))
    model.opset_import.add(domain="my", version=1)
    return model


@pytest.mark.parametrize("attribute", ["a: float = 3.0", "a"])
def test_a_function_hands_on_its_attribute_and_takes_all_types(attribute: str) -> None:
    calls = "y = my.S<a = 0.5>(x) z = my.S(x) w = my.S<a = 2.0>(d)"
    linked = link(handed_on(calls, "Swish<alpha: float = @a>", attribute), [Swish])
    (handed,) = (item for item in linked.functions if item.name == "S")
    assert handed.node[0].attribute[0].ref_attr_name == "a"
    checker.check_model(linked, full_check=True)
    session = onnxruntime.InferenceSession(linked.SerializeToString(), providers=["CPUExecutionProvider"])
    double = X.astype(np.float64)
    wanted = (Swish(X, alpha=0.5), Swish(X, alpha=1.0 if attribute == "a" else 3.0), Swish(double, alpha=2.0))
    for found, right in zip(session.run(None, {"x": X, "d": double}), wanted, strict=True):
        np.testing.assert_allclose(found, right, rtol=1e-5)


def test_one_value_that_a_function_hands_on_stays_its_attribute() -> None:
    one = handed_on("y = my.S<a = 0.5>(x) z = Neg(x) w = Neg(d)", "Swish<alpha: float = @a>")
    linked = link(one, [Swish])
    linked.graph.node[0].attribute[0].f = 2.0
    session = onnxruntime.InferenceSession(linked.SerializeToString(), providers=["CPUExecutionProvider"])
    found = session.run(None, {"x": X, "d": X.astype(np.float64)})[0]
    np.testing.assert_allclose(found, Swish(X, alpha=2.0), rtol=1e-5)


def test_values_that_have_bodies_of_their_own_are_not_handed_on() -> None:
    node = "Gelu<approximate: string = @a>"
    calls = 'y = my.S<a = "none">(x) z = my.S<a = "tanh">(x) w = Neg(d)'
    assert refused(handed_on(calls, node, 'a: string = "none"'), Gelu).startswith("OW569 function my::S, node 0")


def test_a_function_that_nothing_calls_is_left_out_where_its_types_are_needed() -> None:
    text = """
    g (float[N, 3] x) => (float[N, 3] y) { y = com.acme.Swish(x) }
    <domain: "my", opset_import: ["": 18, "my": 1]> Calling (v) => (w) { w = my.Left(v) }
    <domain: "my", opset_import: ["": 18, "com.acme": 1]> Left (v) => (w) {
        t = com.acme.Gelu(v) s = com.acme.Swished(t) w = Add(s, t) }
    <domain: "my", opset_import: ["": 18, "com.acme": 1]> Same (v) => (w) {
        k = Constant<value_float = 1.0>() s = com.acme.Swish(k) w = Add(v, s) }
    """
    model = parser.parse_model(f'<ir_version: 10, opset_import: ["": 18, "com.acme": 1, "my": 1]> {text}')
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        linked = link(model, [Swish, Gelu, Swished])
    shown = [item.message.diagnostic for item in caught if isinstance(item.message, DiagnosticWarning)]
    assert [(item.code, item.message) for item in shown] == [
        ("OW547", f"the function my::{name}, which nothing calls, is left out") for name in ("Left", "Calling")
    ]
    assert sorted(names_of(linked)) == ["Same", "Swish"]
    np.testing.assert_allclose(run(linked), Swish(X), rtol=1e-5)
    del model.graph.node[:], model.graph.output[:]  # a library, of which the functions are what it is for
    with pytest.raises(DiagnosticError, match="OW681: function my::Left, node 0"):
        link(model, [Swish, Gelu, Swished])


def test_a_function_that_imports_less_than_what_stands_in_it_then() -> None:
    text = """
    g (float[2, 3] x) => (float[6, 3] y) { y = my.Thrice(x) }
    <domain: "my", opset_import: ["com.acme": 1]>
    Thrice (v) => (w) { w = com.acme.Joined(v, v, v) }
    """
    model = parser.parse_model(f'<ir_version: 10, opset_import: ["": 18, "com.acme": 1, "my": 1]> {text}')
    np.testing.assert_allclose(run(link(model, [Joined])), np.concatenate([X] * 3))


def test_inputs_of_any_number_are_the_last_of_a_node() -> None:
    @script(acme, default_opset=opset18)
    def Between(x: Any, *inner: Any, y: Any = None, scale: float = 1.0) -> Any:
        ends = x if y is None else x - y
        return opset18.Concat(ends * scale, *inner, axis=0)

    linked = link(graph_of("a = Relu(x) y = com.acme.Between<scale = 2.0>(x, a, x, a)"), [Between])
    relu = np.maximum(X, 0)
    np.testing.assert_allclose(run(linked), np.concatenate([(X - relu) * 2, X, relu]))
    linked = link(graph_of('a = Relu(x) y = com.acme.Between(x, "", a)'), [Between])
    np.testing.assert_allclose(run(linked), np.concatenate([X, relu]))


def test_a_function_at_another_opset_than_the_model_gets_its_own_bodies() -> None:
    text = """
    g (float[2, 3] x) => (float[2, 3] y) { y = my.Twice(x) }
    <domain: "my", opset_import: ["": 17, "com.acme": 1]>
    Twice (v) => (w) { s = com.acme.Swish(v) w = Add(s, s) }
    """
    model = parser.parse_model(f'<ir_version: 10, opset_import: ["": 18, "com.acme": 1, "my": 1]> {text}')
    linked = link(model, [Swish])
    assert [item.opset_import[0].version for item in linked.functions] == [17, 17]


def test_the_bodies_are_of_the_models_opset() -> None:
    for opset in (13, 15, 18, 22):
        linked = link(graph_of("y = com.acme.Swish(x)", opset=opset, ir=8), [Swish])
        (function,) = linked.functions
        assert {item.version for item in function.opset_import if not item.domain} == {opset}
        np.testing.assert_allclose(run(linked), Swish(X), rtol=1e-6)


def test_shapes_that_the_model_does_not_say_are_inferred() -> None:
    @script(acme, default_opset=opset18)
    def Rows(x: Any) -> Any:
        return x if x.rank == 2 else opset18.Unsqueeze(x, [0])

    linked = link(graph_of("a = Relu(x) b = com.acme.Rows(a) c = Relu(b) y = com.acme.Rows(c)"), [Rows])
    np.testing.assert_allclose(run(linked), np.maximum(X, 0))


def test_functions_of_libraries_and_scripts_in_one_model() -> None:
    library = make_acme()
    model = parser.parse_model(
        '<ir_version: 10, opset_import: ["": 20, "com.acme": 1, "mine": 1]> '
        "g (float[2, 3] x) => (float[2, 3] y) { a = com.acme.Twice(x) b = mine.Shifted(a) y = com.acme.Twice(b) }"
    )

    @script(Opset("mine", 1), default_opset=opset18)
    def Shifted(x: Any) -> Any:
        return x + 1

    one = parser.parse_model(
        '<ir_version: 10, opset_import: ["": 20, "com.acme": 1]> '
        "g (float[2, 3] x) => (float[2, 3] y) { y = com.acme.Twice(x) }"
    )
    twice = attach(one, library)
    linked = link(model, [Shifted, library])
    np.testing.assert_allclose(run(linked), run(twice, x=run(twice) + 1), rtol=1e-6)


def test_every_form_comes_back_as_it_was_given(tmp_path: Path) -> None:
    model = graph_of("y = com.acme.Swish(x)")
    onnx.save(model, tmp_path / "model.onnx")
    expected = link(model, [Swish])
    assert ModelProto.FromString(link(model.SerializeToString(), [Swish])) == expected
    assert link(tmp_path / "model.onnx", [Swish]) == expected
    made = link(onnx_ir.from_proto(model), [Swish])
    assert isinstance(made, onnx_ir.Model)
    assert [name for _, name, _ in made.functions] == ["Swish"]
    result = onnx_ir.passes.Sequential(Link([Swish]))(onnx_ir.from_proto(model))
    assert [name for _, name, _ in result.model.functions] == ["Swish"]


def test_what_is_linked_stays_and_is_the_same_each_time() -> None:
    model = graph_of("a = com.acme.Swish(x) y = com.acme.Swish<alpha = 2.0>(a)")
    once = link(model, [Swish])
    assert once.SerializeToString(deterministic=True) == link(model, [Swish]).SerializeToString(deterministic=True)
    assert link(once, [Swish]) == once


def test_a_function_of_the_model_by_the_name_of_one_that_it_calls_stays() -> None:
    """Their values would meet where onnxruntime inlines them; those of the function that is linked get other names, and
    it is the same one when it is linked again."""
    taken = Swish.to_function_proto().node[0].output[0]
    branches = f"""{taken} = Abs(x) y = If (c) <then_branch = t () => (float[N, M] u) {{ u = com.acme.Swish({taken}) }},
        else_branch = e () => (float[N, M] v) {{ v = Neg({taken}) }}>"""
    own = f'<domain: "my", opset_import: ["": 18, "com.acme": 1]> Swish (c, x) => (y) {{ {branches} }}'
    text = f"g (bool c, float[N, 3] x) => (float[N, M] y) {{ y = my.Swish(c, x) }} {own}"
    model = parser.parse_model(f'<ir_version: 10, opset_import: ["": 18, "my": 1, "com.acme": 1]> {text}')
    once = link(model, [Swish])
    made = {function.domain: {name for node in function.node for name in node.output} for function in once.functions}
    assert made["my"] == {taken, "y"}
    assert taken not in made["com.acme"]
    np.testing.assert_allclose(run(once, c=np.array(True), x=X), Swish(np.abs(X)), rtol=1e-6)

    once.graph.node[0].output[0] = "inner"
    once.graph.node.add(op_type="Swished", domain="com.acme", input=["inner"], output=["y"])
    twice = link(once, [Swished])
    np.testing.assert_allclose(run(twice, c=np.array(True), x=X), Swished(Swish(np.abs(X))), rtol=1e-6)


def test_the_functions_that_nodes_of_onnx_ir_were_made_for_are_known() -> None:
    model = onnx_ir.from_proto(graph_of("y = com.acme.Swish(x)"))
    model.graph[0].meta["opwright.function"] = Swish
    assert [name for _, name, _ in link(model).functions] == ["Swish"]


# ---------------------------------------------------------------------------------------------- what is refused


def test_a_name_that_the_domain_has_not() -> None:
    assert refused(graph_of("y = com.acme.Swihs(x)"), Swish) == (
        "OW680 node 0 (com.acme::Swihs): no function com.acme::Swihs is known"
    )


def test_findings_about_a_librarys_function_are_at_that_line_too() -> None:
    for node, code in (("y = com.acme.Twcie(x)", "OW680"), ("y = com.acme.Pair(x, x)", "OW55")):
        model = parser.parse_model(
            f'<ir_version: 10, opset_import: ["": 20, "com.acme": 1]> g (float[2, 3] x) => (float[2, 3] y) {{ {node} }}'
        )
        trace = 'File "/home/me/net.py", line 7, in forward'
        model.graph.node[0].metadata_props.add(key="pkg.torch.onnx.stack_trace", value=trace)
        with pytest.raises(DiagnosticError) as caught:
            link(model, [make_acme()])
        (found,) = caught.value.diagnostics
        assert found.place is not None
        assert found.code.startswith(code)
        assert (found.place.file, found.place.line) == ("/home/me/net.py", 7)


def test_the_finding_is_at_the_line_that_the_metadata_names() -> None:
    model = graph_of("y = com.acme.Swish<beta = 1.0>(x)")
    trace = 'File "/home/me/net.py", line 7, in forward\n    return swish(x)\n  File "<eval_with_key>.1", line 3, in f'
    model.graph.node[0].metadata_props.add(key="pkg.torch.onnx.stack_trace", value=trace)
    with pytest.raises(DiagnosticError) as caught:
        link(model, [Swish])
    (found,) = caught.value.diagnostics
    assert found.place is not None
    assert (found.code, found.place.file, found.place.line) == ("OW681", "/home/me/net.py", 7)
    assert found.message == "`Swish` has no attribute `beta`"


@pytest.mark.parametrize(
    ("node", "says"),
    [
        ("y = com.acme.Swish(x, x)", "OW681 node 0 (com.acme::Swish): `Swish` takes 1 inputs, and the node has 2"),
        ("y, z = com.acme.Swish(x)", "OW681 node 0 (com.acme::Swish): `Swish` has 1 outputs, and the node 2"),
        ("y = com.acme.Bounded(x)", "OW206 node 0 (com.acme::Bounded): Bounded needs its attribute `factor`"),
        (
            "y = com.acme.Swish<alpha = [1]>(x)",
            "OW681 node 0 (com.acme::Swish): the attribute `alpha` of `Swish` is of kind FLOAT, and INTS is given",
        ),
    ],
)
def test_a_node_that_does_not_call_its_function_as_that_can_be_called(node: str, says: str) -> None:
    assert refused(graph_of(node), Swish, Bounded) == says


def test_a_value_whose_type_nothing_says() -> None:
    model = graph_of("a = other.Thing(x) y = com.acme.Swish(a)")
    model.opset_import.add(domain="other", version=1)
    assert refused(model, Swish) == (
        "OW681 node 1 (com.acme::Swish): the type of `a` is not known, which `Swish` is given"
    )


def test_two_functions_of_one_name() -> None:
    @script(acme, default_opset=opset18, name="Swish")
    def other(x: Any) -> Any:
        return opset18.Relu(x)

    model = graph_of("y = com.acme.Swish(x)")
    assert refused(model, Swish, other) == "OW682 two functions are com.acme::Swish"
    linked = link(model, [other])
    again = graph_of("a = com.acme.Swished(x) y = com.acme.Swished(a)")
    again.functions.extend(linked.functions)
    assert refused(again, Swished) == "OW682 the model has another function com.acme::Swish"


def test_what_is_no_function() -> None:
    assert refused(graph_of("y = Relu(x)"), abs).startswith("OW683 an object of builtin_function_or_method is no")


def test_a_function_of_the_model_that_calls_itself_is_told_as_that() -> None:
    model = model_of(
        """g (float[N, 3] x) => (float[N, 3] y) { y = my.Deep(x) }
        <domain: "my", opset_import: ["": 18, "com.acme": 1]>
        Deep (v) => (w) { s = com.acme.Swish(v) w = my.Deep(s) }"""
    )
    model.opset_import.add(domain="my", version=1)
    for given in ([Swish], [make_acme()]):
        with pytest.raises(DiagnosticError, match="OW596: the function my::Deep calls itself"):
            link(model, given)


def test_a_domain_of_which_nothing_is_known_is_told() -> None:
    model = graph_of("y = other.Thing(x)")
    model.opset_import.add(domain="other", version=1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert link(model, [Swish]) == model
    (shown,) = [item.message for item in caught if isinstance(item.message, DiagnosticWarning)]
    assert (shown.diagnostic.code, shown.diagnostic.message) == ("OW680", "no function other::Thing is known")


# ------------------------------------------------------------------------------ what onnx's own tools make of it


def linked_model() -> ModelProto:
    return link(
        graph_of('a, m = com.acme.Bounded<factor = 2.0>(x) y = com.acme.Gelu<approximate = "tanh">(a)'), [Bounded, Gelu]
    )


def test_the_text_form_of_onnx_holds_every_name() -> None:
    """But for the defaults of a function's attributes, which onnx's printer leaves out."""
    model = linked_model()
    for function in model.functions:
        function.attribute.extend(item.name for item in function.attribute_proto)
        del function.attribute_proto[:]
    again = parser.parse_model(printer.to_text(model))
    assert [(item.domain, item.name) for item in again.functions] == [
        (item.domain, item.name) for item in model.functions
    ]
    assert [node.op_type for node in again.graph.node] == [node.op_type for node in model.graph.node]
    np.testing.assert_array_equal(run(again), run(model))


def test_onnx_inliner() -> None:
    model = linked_model()
    inlined = inliner.inline_local_functions(model)
    assert not inlined.functions
    np.testing.assert_allclose(run(inlined), run(model), rtol=1e-6)


def test_onnx_compose_of_two_models_that_share_a_function() -> None:
    first, second = linked_model(), linked_model()
    prefixed = compose.add_prefix(second, "second_")
    merged = compose.merge_models(first, prefixed, io_map=[("y", "second_x")])
    assert len(merged.functions) > len(first.functions) - 1
    once = run(first)
    np.testing.assert_allclose(run(merged), run(second, x=once), rtol=1e-5)


def test_onnx_version_converter_after_detaching() -> None:
    """It leaves out functions, so they are taken off before and put back behind it."""
    library = make_acme()
    bare = parser.parse_model(
        '<ir_version: 10, opset_import: ["": 20, "com.acme": 1]> g (float[2, 3] x) => (float[2, 3] y) '
        "{ t = com.acme.Twice(x) y = Relu(t) }"
    )
    attached = attach(bare, library)
    newer = attach(version_converter.convert_version(detach(attached), 21), library)
    np.testing.assert_allclose(run(newer), run(attached))


@pytest.mark.usefixtures("standard_package")
def test_what_a_call_has_to_give_is_known_of_scripts_and_of_libraries() -> None:
    from opwright_std import opset18 as std

    assert parameters_of(Bounded) == (
        [Parameter("x", True), Parameter("low", False)],
        [Parameter("factor", True), Parameter("steps", False)],
    )
    assert parameters_of(std.LeakyRelu) == ([Parameter("X", True)], [Parameter("alpha", False)])
    assert oldest_opset_of(Bounded) is None
    assert oldest_opset_of(std.ReduceLogSumExp) == 18
