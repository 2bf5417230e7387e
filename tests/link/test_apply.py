"""Models get the functions they call, and nothing else of them changes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import onnx
import pytest
from onnx import AttributeProto, TensorProto, helper, numpy_helper
from opwright.bundle.format import AttributeEntry, Bundle, InputEntry
from opwright.diagnostics.diagnostic import Severity
from opwright.graphs.walk import all_nodes
from opwright.link.apply import attach, attach_libraries
from opwright.link.detach import detach
from opwright.link.inspect import State, inspect
from opwright.variants import Profile

from tests.link.conftest import Body, LibraryBuilder, parse, refused, run_everywhere

ONE_NODE = """<ir_version: 8, opset_import: ["": 18, "com.acme": 1]>
g (float[N] x) => (float[N] y) {{ y = com.acme.{}(x) }}"""


def swish(x: object, alpha: float = 1.5) -> np.ndarray:
    values = np.asarray(x, np.float64)
    return values / (1 + np.exp(-alpha * values))


def x(*values: float) -> np.ndarray:
    return np.array(values, np.float32)


def names_of(model: onnx.ModelProto) -> list[str]:
    return [function.name for function in model.functions]


def test_a_node_gets_its_function_and_runs(acme: Bundle) -> None:
    before = parse(ONE_NODE.format("Twice"))
    after = attach(before, [acme])
    assert names_of(after) == ["Swish", "Twice"]
    np.testing.assert_allclose(run_everywhere(after, x=x(-1, 0, 2))[0], 2 * swish([-1, 0, 2]), rtol=1e-6)


def test_the_argument_is_left_alone_and_the_bytes_are_always_the_same(acme: Bundle) -> None:
    before = parse(ONE_NODE.format("Twice"))
    original = before.SerializeToString(deterministic=True)
    results = {attach(before, [acme]).SerializeToString(deterministic=True) for _ in range(3)}
    assert len(results) == 1
    assert before.SerializeToString(deterministic=True) == original


def test_all_else_of_the_model_is_untouched(acme: Bundle) -> None:
    before = parse(ONE_NODE.format("Swish"))
    before.producer_name, before.doc_string, before.domain, before.model_version = "p", "doc", "org.example", 7
    before.metadata_props.add(key="k", value="v")
    before.graph.initializer.append(numpy_helper.from_array(np.ones(3, np.float32), "w"))
    before.graph.sparse_initializer.append(
        helper.make_sparse_tensor(
            numpy_helper.from_array(np.ones(1, np.float32), "s"), numpy_helper.from_array(np.zeros(1, np.int64)), [4]
        )
    )
    annotation = before.graph.quantization_annotation.add(tensor_name="x")
    annotation.quant_parameter_tensor_names.add(key="SCALE_TENSOR", value="w")
    before.graph.value_info.append(helper.make_tensor_value_info("w", 1, [3]))
    before.graph.node[0].doc_string = "node"
    before.graph.node[0].metadata_props.add(key="mine", value="kept")
    training = before.training_info.add()
    training.algorithm.name = "algorithm"
    after = attach(before, [acme])
    assert {item.key: item.value for item in after.graph.node[0].metadata_props}["mine"] == "kept"
    # Put back what attach may change; the rest must be equal to the last byte.
    del after.functions[:]
    after.ir_version = before.ir_version
    after.graph.node[0].CopyFrom(before.graph.node[0])
    assert after.metadata_props.pop().key.startswith("opwright.records.")
    assert after.SerializeToString(deterministic=True) == before.SerializeToString(deterministic=True)


@pytest.mark.parametrize(("ir_version", "expected"), [(7, 8), (8, 8), (9, 9), (10, 10), (11, 11)])
def test_the_ir_version_is_raised_as_far_as_functions_need_and_never_lowered(
    acme: Bundle, ir_version: int, expected: int
) -> None:
    before = parse(ONE_NODE.format("Swish"))
    before.ir_version = ir_version
    after = attach(before, [acme])
    assert after.ir_version == expected
    run_everywhere(after, x=x(1, 2))


def test_every_attribute_is_written_at_the_call(acme: Bundle) -> None:
    after = attach(parse(ONE_NODE.format("Swish")), [acme])
    assert [(item.name, item.f) for item in after.graph.node[0].attribute] == [("alpha", 1.5)]
    given = parse(ONE_NODE.format("Swish<alpha = 0.25>"))
    np.testing.assert_allclose(run_everywhere(attach(given, [acme]), x=x(3))[0], swish([3], 0.25), rtol=1e-6)


def test_the_version_follows_from_the_models_import(acme: Bundle) -> None:
    text = ONE_NODE.format("Swish").replace('"com.acme": 1', '"com.acme": 2')
    assert run_everywhere(attach(parse(text), [acme]), x=x(3, -4))[0].tolist() == [-3, 4]


def test_a_callee_of_another_version_than_the_models_has_its_own_id(acme: Bundle) -> None:
    text = ONE_NODE.format("Twice").replace('"com.acme": 1', '"com.acme": 2')
    before = parse(text.replace("y = com.acme.Twice(x)", "t = com.acme.Twice(x) y = com.acme.Swish(t)"))
    for profile, names in (
        # onnxruntime ignores the overload of a call inside a function, so this one is told apart by name in both.
        (Profile.OVERLOAD, [("Swish__since_1", ""), ("Twice", ""), ("Swish", "")]),
        (Profile.PORTABLE, [("Swish__since_1", ""), ("Twice", ""), ("Swish", "")]),
    ):
        after = attach(before, [acme], profile=profile)
        assert [(item.name, item.overload) for item in after.functions] == names
        np.testing.assert_allclose(run_everywhere(after, x=x(2))[0], -2 * swish([2]), rtol=1e-6)


def test_presence_chooses_the_variant_and_trims_the_call(acme: Bundle) -> None:
    text = """<ir_version: 8, opset_import: ["": 18, "com.acme": 1]>
    g (float[N] x, float low) => (float[N] a, float[N] b, float[N] c)
    { a = com.acme.Floor(x) b = com.acme.Floor(x, low) c = com.acme.Floor(x, "") }"""
    before = parse(text.replace(', ""', ", missing"))
    before.graph.node[2].input[1] = ""
    after = attach(before, [acme])
    assert [(node.op_type, list(node.input)) for node in after.graph.node] == [
        ("Floor__low_absent", ["x"]),
        ("Floor__low_present", ["x", "low"]),
        ("Floor__low_absent", ["x"]),
    ]
    assert len(after.functions) == 2
    results = run_everywhere(after, x=x(-1, 2), low=np.float32(0.5))
    assert [result.tolist() for result in results] == [[-1, 2], [0.5, 2], [-1, 2]]


def test_overloads_are_there_on_request_and_it_is_said_what_they_need(acme: Bundle) -> None:
    text = ONE_NODE.format("Floor").replace("float[N] x)", "float[N] x, float low)").replace("(x) }", "(x, low) }")
    for profile, identity, codes in (
        (Profile.PORTABLE, ("Floor__low_present", ""), []),
        (Profile.OVERLOAD, ("Floor", "low=present"), ["OW531"]),
    ):
        done = attach_libraries(parse(text), [acme], profile=profile)
        assert [(item.name, item.overload) for item in done.model.functions] == [identity]
        assert [item.code for item in done.diagnostics] == codes
        assert run_everywhere(done.model, x=x(-1, 2), low=np.float32(0.5))[0].tolist() == [0.5, 2]
    assert attach(parse(text), acme, profile="overload") == done.model


def test_a_variant_and_a_function_of_one_name_are_refused() -> None:
    library = LibraryBuilder()
    bodies = [
        Body("(x) => (y) { y = Identity(x) }", variant=(("low", "absent"),)),
        Body("(x, low) => (y) { y = Max(x, low) }", variant=(("low", "present"),)),
    ]
    library.add("Floor", bodies, inputs=["x", InputEntry("low", "T", optional=True)])
    library.add("Floor__low_absent", "(x) => (y) { y = Neg(x) }")
    text = ONE_NODE.format("Floor")
    (found,) = refused(lambda: attach(parse(text), [library.bundle()]))
    assert (found.code, "com.acme::Floor__low_absent@1" in found.message) == ("OW530", True)
    after = attach(parse(text), [library.bundle()], profile=Profile.OVERLOAD)
    assert [(item.name, item.overload) for item in after.functions] == [("Floor", "low=absent")]


def test_variants_of_two_functions_of_one_name_are_refused() -> None:
    library = LibraryBuilder()
    one = Body("(x, a) => (y) { y = Max(x, a) }", variant=(("a", "present"), ("b", "absent")))
    both = Body("(x, a, b) => (y) { t = Max(x, a) y = Min(t, b) }", variant=(("a", "present"), ("b", "present")))
    library.add("F", [one, both], inputs=["x", *(InputEntry(name, "T", optional=True) for name in "ab")])
    other = [replace(one, text="(x) => (y) { y = Neg(x) }", variant=(("b", "absent"),))]
    other.append(Body("(x, b) => (y) { y = Max(x, b) }", variant=(("b", "present"),)))
    library.add("F__a_present", other, inputs=["x", InputEntry("b", "T", optional=True)])
    node = "t = com.acme.F(x, x) y = com.acme.F__a_present(t)"
    text = ONE_NODE.format("F").replace("y = com.acme.F(x)", node)
    (found,) = refused(lambda: attach(parse(text), [library.bundle()]))
    assert found.code == "OW530"


def test_attaching_twice_and_to_a_model_with_overloads(acme: Bundle) -> None:
    """What is there already is called by its own id, and what is new gets the name that it has everywhere."""
    text = """<ir_version: 8, opset_import: ["": 18, "com.acme": 1]>
    g (float[N] x, float low) => (float[N] a, float[N] b) { a = com.acme.Floor(x, low) b = com.acme.Floor(a) }"""
    for profile in Profile:
        once = attach(parse(text), [acme], profile=profile)
        assert attach(once, [acme]) == once
        more = onnx.ModelProto()
        more.CopyFrom(once)
        more.graph.node.append(onnx.helper.make_node("Floor", ["b", "low"], ["c"], domain="com.acme"))
        more.graph.output[1].name = "c"
        twice = attach(more, [acme])
        assert twice.graph.node[2].op_type == "Floor__low_present"
        assert {item.state for item in inspect(twice)} == {State.UNALTERED}
        results = run_everywhere(twice, x=x(-1, 2), low=np.float32(0.5))
        assert [result.tolist() for result in results] == [[0.5, 2], [0.5, 2]]
        assert detach(twice).functions == []


def test_the_element_type_chooses_the_variant_through_the_graph(acme: Bundle) -> None:
    text = """<ir_version: 8, opset_import: ["": 18, "com.acme": 1]>
    g (float[N] x) => (float[N] a, double[N] b)
    { a = com.acme.Kind(x) t = Cast<to = 11>(a) u = Neg(t) b = com.acme.Kind(u) }"""
    after = attach(parse(text), [acme])
    assert [node.op_type for node in after.graph.node if node.domain] == ["Kind__T_float", "Kind__T_double"]
    a, b = run_everywhere(after, x=x(1))
    assert (a.tolist(), b.tolist()) == ([2], [0])


def test_outputs_that_a_node_leaves_out_are_padded(acme: Bundle) -> None:
    after = attach(parse(ONE_NODE.format("Pair")), [acme])
    assert list(after.graph.node[0].output) == ["y", ""]
    assert run_everywhere(after, x=x(-1, 2))[0].tolist() == [1, -2]


def test_nodes_in_subgraphs_and_captures(acme: Bundle) -> None:
    text = """<ir_version: 8, opset_import: ["": 18, "com.acme": 1]>
    g (float[N] x, bool c) => (float[N] y) {
        t = Neg(x)
        y = If (c) <
            then_branch = then () => (float[N] a) { a = com.acme.Swish(t) },
            else_branch = other () => (float[N] b) {
                b = If (c) <then_branch = p () => (float[N] d) { d = Identity(t) },
                            else_branch = q () => (float[N] e) { s = com.acme.Twice(x) e = com.acme.Floor(s) }>
            }>
    }"""
    after = attach(parse(text), [acme])
    assert names_of(after) == ["Swish", "Twice", "Floor__low_absent"]
    np.testing.assert_allclose(run_everywhere(after, x=x(-2), c=True)[0], swish([2]), rtol=1e-6)
    np.testing.assert_allclose(run_everywhere(after, x=x(-2), c=False)[0], 2 * swish([-2]), rtol=1e-6)


def test_names_that_a_subgraph_uses_again_are_no_matter(acme: Bundle) -> None:
    text = """<ir_version: 8, opset_import: ["": 18, "com.acme": 1]>
    g (double[N] x, bool c) => (float[N] y) {
        f = Cast<to = 1>(x)
        y = If (c) <
            then_branch = then () => (float[N] a) { t = Identity(f) a = com.acme.Kind(t) },
            else_branch = other () => (float[N] b) { t = com.acme.Kind(x) b = Cast<to = 1>(t) }>
    }"""
    after = attach(parse(text), [acme])
    assert names_of(after) == ["Kind__T_float", "Kind__T_double"]
    assert run_everywhere(after, x=np.array([1.0]), c=True)[0].tolist() == [2]
    assert run_everywhere(after, x=np.array([1.0]), c=False)[0].tolist() == [3]


LOCAL = """<ir_version: 8, opset_import: ["": 18, "com.acme": 1, "my": 1]>
g (float[N] x) => (float[N] y) {{ y = my.Mine{}(x) }}
<domain: "my", opset_import: ["": 18, "com.acme": 1]>
Mine <alpha> (x) => (y) {{ t = com.acme.Swish<alpha: float = @alpha>(x) y = com.acme.Twice(t) }}"""


def test_functions_of_the_model_that_call_library_functions(acme: Bundle) -> None:
    after = attach(parse(LOCAL.format("<alpha = 0.5>")), [acme])
    assert names_of(after) == ["Swish", "Twice", "Mine"]  # callees first
    np.testing.assert_allclose(run_everywhere(after, x=x(3))[0], 2 * swish(swish([3], 0.5)), rtol=1e-6)


def test_a_function_of_the_model_without_the_import_gets_it(acme: Bundle) -> None:
    text = LOCAL.format("<alpha = 0.5>").replace('["": 18, "com.acme": 1]>\nMine', '["": 18]>\nMine')
    after = attach(parse(text), [acme])
    mine = next(item for item in after.functions if item.name == "Mine")
    assert [(item.domain, item.version) for item in mine.opset_import] == [("", 18), ("com.acme", 1)]
    run_everywhere(after, x=x(3))


def test_one_function_of_the_model_cannot_call_two_bodies_from_one_node(acme: Bundle) -> None:
    text = """<ir_version: 8, opset_import: ["": 18, "com.acme": 1, "my": 1]>
    g (float[N] x, double[N] z) => (float[N] y, double[N] w) { y = my.Mine(x) w = my.Mine(z) }
    <domain: "my", opset_import: ["": 18, "com.acme": 1]> Mine (x) => (y) { y = com.acme.Kind(x) }"""
    (found,) = refused(lambda: attach(parse(text), [acme]))
    assert found.code == "OW569"
    assert "T=float" in found.message
    assert "T=double" in found.message


def test_a_function_that_nothing_calls_stays_as_it_is_where_its_types_are_needed(acme: Bundle) -> None:
    text = """<ir_version: 8, opset_import: ["": 18, "com.acme": 1, "my": 1]>
    g (float[N] x) => (float[N] y) { y = my.Mine(x) }
    <domain: "my", opset_import: ["": 18, "com.acme": 1]> Mine (x) => (y) { y = com.acme.Kind(x) }
    <domain: "my", opset_import: ["": 18, "com.acme": 1, "my": 1]> Left (x) => (y) {
        t = my.Mine(x) y = com.acme.Kind(t) }
    <domain: "my", opset_import: ["": 18, "com.acme": 1]> Served (x) => (y) {
        k = Constant<value_float = 1.0>() t = com.acme.Kind(k) y = Add(x, t) }"""
    before = parse(text)
    done = attach_libraries(before, [acme])
    (found,) = (item for item in done.diagnostics if item.severity is Severity.WARNING)
    assert (found.code, found.message.partition(":")[0]) == ("OW559", "function my")
    assert found.reason.endswith("nothing calls the function, which is left as it is")
    assert sorted(names_of(done.model)) == ["Kind__T_float", "Left", "Mine", "Served"]
    assert detach(done.model) == before
    del before.graph.node[:], before.graph.output[:]  # a library, of which the functions are what it is for
    assert "OW559" in {item.code for item in refused(lambda: attach(before, [acme]))}


OPTIONAL = """<ir_version: 8, opset_import: ["": 18, "com.acme": 1, "my": 1]>
g (float[N] x) => (float[N] y, float[N] z) {{ y = my.Mine(x{}) z = my.Mine({}) }}
<domain: "my", opset_import: ["": 18, "com.acme": 1]> Mine (x, low) => (y) {{ y = com.acme.Floor(x, low) }}"""


def test_a_parameter_that_is_never_given_is_absent_inside_the_function(acme: Bundle) -> None:
    after = attach(parse(OPTIONAL.format("", "y")), [acme])
    assert names_of(after) == ["Floor__low_absent", "Mine"]
    assert run_everywhere(after, x=x(-1))[1].tolist() == [-1]
    given = attach(parse(OPTIONAL.format(", x", "y, y")), [acme])
    assert names_of(given) == ["Floor__low_present", "Mine"]
    (found,) = refused(lambda: attach(parse(OPTIONAL.format("", "y, y")), [acme]))
    assert found.code == "OW569"


def test_a_domain_that_the_model_does_not_import_is_taken_at_its_newest(acme: Bundle) -> None:
    node = helper.make_node("Swish", ["x"], ["y"], domain="com.acme")
    info = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N"]) for name in "xy"]
    before = helper.make_model(helper.make_graph([node], "g", info[:1], info[1:]), ir_version=10)
    del before.opset_import[:]
    before.opset_import.append(helper.make_opsetid("", 18))
    after = attach(before, [acme])
    assert [(item.domain, item.version) for item in after.opset_import] == [("", 18), ("com.acme", 2)]
    assert run_everywhere(after, x=x(3))[0].tolist() == [-3]


def test_a_model_without_the_default_domain_gets_an_opset_its_ir_allows(acme: Bundle) -> None:
    text = ONE_NODE.format("Floor").replace('"": 18, ', "")
    after = attach(parse(text), [acme])
    assert [(item.domain, item.version) for item in after.opset_import] == [("com.acme", 1), ("", 22)]
    assert run_everywhere(after, x=x(3))[0].tolist() == [3]


def test_a_domain_that_only_callees_use_is_imported(acme: Bundle) -> None:
    other = LibraryBuilder(name="other", domain="org.other", domain_version=3)
    other.known.update({(e.domain, e.name, e.since_version): e for e in acme.index.functions})
    other.add("F", [Body("(x) => (y) { y = com.acme.Swish(x) }", (15, 22))], pins={"Swish": 1})
    text = ONE_NODE.format("F").replace("com.acme", "org.other")
    after = attach(parse(text), [other.bundle(), acme])
    assert {item.domain: item.version for item in after.opset_import} == {"": 18, "org.other": 1, "com.acme": 2}
    assert [(item.domain, item.name, item.overload) for item in after.functions] == [
        ("com.acme", "Swish__since_1", ""),
        ("org.other", "F", ""),
    ]
    np.testing.assert_allclose(run_everywhere(after, x=x(3))[0], swish([3]), rtol=1e-6)
    (found,) = refused(lambda: attach(parse(text), [other.bundle()]))
    assert found.code == "OW564"
    assert "com.acme::Swish@1" in found.message
    assert "--library" in found.help


def test_replace_serves_the_standards_operators(standard: Bundle) -> None:
    text = """<ir_version: 8, opset_import: ["": 18]> g (float[N] x) => (float[N] y)
    { t = Softplus(x) u = Abs(t) y = HardSwish(u) }"""
    untouched = attach_libraries(parse(text), [standard])
    assert untouched.model == parse(text)
    assert [item.code for item in untouched.diagnostics] == ["OW552"]
    assert "--replace, the operators HardSwish, Softplus" in untouched.diagnostics[0].help
    done = attach_libraries(parse(text), [standard], replace=True)
    assert done.replaced == 2
    assert [node.domain for node in done.model.graph.node] == ["opwright.ai.onnx", "", "opwright.ai.onnx"]
    assert {item.domain: item.version for item in done.model.opset_import} == {"": 18, "opwright.ai.onnx": 18}
    assert dict(done.served) == {"ai.onnx::Softplus@1": 1, "ai.onnx::HardSwish@14": 1}
    expected = onnx.reference.ReferenceEvaluator(parse(text)).run(None, {"x": x(-1, 3)})
    np.testing.assert_allclose(run_everywhere(done.model, x=x(-1, 3))[0], expected[0], rtol=1e-5)


def test_replace_serves_the_version_that_the_models_opset_means(standard: Bundle) -> None:
    text = '<ir_version: 8, opset_import: ["": {}]> g (float[N] x) => (float[N] y) {{ y = {}(x) }}'
    for opset, identity in ((18, "ai.onnx::Softplus@1"), (22, "ai.onnx::Softplus@22")):
        done = attach_libraries(parse(text.format(opset, "Softplus")), [standard], replace=True)
        assert dict(done.served) == {identity: 1}
    # HardSwish is HardSwish-22 at opset 22, which this library has not: it must not be served by HardSwish-14.
    done = attach_libraries(parse(text.format(22, "HardSwish")), [standard], replace=True)
    assert done.served == ()


def test_replace_leaves_what_it_cannot_serve_and_says_so(standard: Bundle) -> None:
    text = """<ir_version: 8, opset_import: ["": 18]> g (double[N] x) => (double[N] y)
    { t = Softplus(x) y = HardSwish(t) }"""
    done = attach_libraries(parse(text), [standard], replace=True)
    assert [node.domain for node in done.model.graph.node] == ["opwright.ai.onnx", ""]
    warning = done.diagnostics[0]
    assert (warning.code, warning.severity.value) == ("OW570", "warning")
    assert "node 1 (HardSwish)" in warning.message
    assert "the types allowed are float" in warning.reason


def test_mirror_nodes_have_the_version_of_the_mirrors_import(standard: Bundle) -> None:
    text = """<ir_version: 8, opset_import: ["": 18, "opwright.ai.onnx": {}]>
    g (float[N] x) => (float[N] y) {{ y = opwright.ai.onnx.Softplus(x) }}"""
    for version, identity in ((21, "ai.onnx::Softplus@1"), (28, "ai.onnx::Softplus@22")):
        done = attach_libraries(parse(text.format(version)), [standard])
        assert dict(done.served) == {identity: 1}
        np.testing.assert_allclose(run_everywhere(done.model, x=x(0))[0], np.log([2]), rtol=1e-6)


def test_replaced_and_mirror_nodes_of_two_versions_live_together(standard: Bundle) -> None:
    text = """<ir_version: 8, opset_import: ["": 18, "opwright.ai.onnx": 28]>
    g (float[N] x) => (float[N] y) { t = opwright.ai.onnx.Softplus(x) y = Softplus(t) }"""
    after = attach(parse(text), [standard], replace=True)
    assert [(node.domain, node.op_type, node.overload) for node in after.graph.node] == [
        ("opwright.ai.onnx", "Softplus", ""),
        ("opwright.ai.onnx", "Softplus__since_1", ""),
    ]
    np.testing.assert_allclose(run_everywhere(after, x=x(0))[0], np.log1p(np.exp(np.log([2]))), rtol=1e-6)


def test_one_library_may_stand_alone(acme: Bundle) -> None:
    text = ONE_NODE.format("Twice")
    assert attach(parse(text), acme) == attach(parse(text), [acme])


def test_inline_leaves_no_functions_and_no_imports(acme: Bundle, standard: Bundle) -> None:
    text = """<ir_version: 7, opset_import: ["": 18, "com.acme": 1]> g (float[N] x, bool c) => (float[N] y) {
        v0 = com.acme.Twice(x)
        y = If (c) <then_branch = p () => (float[N] d) { d = com.acme.Swish<alpha = 0.5>(v0) },
                    else_branch = q () => (float[N] e) { e = Softplus(v0) }>
    }"""
    before = parse(text)
    after = attach(before, [acme, standard], inline=True, replace=True)
    assert not after.functions
    assert after.ir_version == 7
    assert list(after.opset_import) == list(before.opset_import)
    inner = 2 * swish([3])
    np.testing.assert_allclose(run_everywhere(after, x=x(3), c=True)[0], swish(inner, 0.5), rtol=1e-6)
    np.testing.assert_allclose(run_everywhere(after, x=x(3), c=False)[0], np.log1p(np.exp(inner)), rtol=1e-6)


def test_inline_resolves_attributes_of_the_models_own_functions(acme: Bundle) -> None:
    after = attach(parse(LOCAL.format("<alpha = 0.5>")), [acme], inline=True)
    assert not after.functions
    np.testing.assert_allclose(run_everywhere(after, x=x(3))[0], 2 * swish(swish([3], 0.5)), rtol=1e-6)


def test_attaching_again_changes_nothing(acme: Bundle) -> None:
    once = attach(parse(ONE_NODE.format("Twice")), [acme])
    again = attach_libraries(once, [acme])
    assert again.model == once
    assert [item.code for item in again.diagnostics] == ["OW552"]


def test_a_function_that_the_model_has_is_used_again(acme: Bundle) -> None:
    once = attach(parse(ONE_NODE.format("Swish")), [acme])
    once.graph.node.insert(0, helper.make_node("Twice", ["x"], ["t"], domain="com.acme"))
    once.graph.node[1].input[0] = "t"
    done = attach_libraries(once, [acme])
    assert done.functions == (("com.acme", "Twice", ""),)
    assert names_of(done.model) == ["Swish", "Twice"]
    np.testing.assert_allclose(run_everywhere(done.model, x=x(3))[0], swish(2 * swish([3])), rtol=1e-6)


def other_release() -> Bundle:
    library = LibraryBuilder(version="1.1.0", domain_version=2)
    library.add(
        "Swish",
        [Body("(x) => (y) { y = Exp(x) }", (15, 22))],
        attributes=[AttributeEntry("alpha", "FLOAT", False, 1.5)],
    )
    return library.bundle()


def test_another_release_of_a_function_in_the_model_is_a_conflict(acme: Bundle) -> None:
    once = attach(parse(ONE_NODE.format("Swish")), [acme])
    (found,) = refused(lambda: attach(once, [other_release()]))
    assert found.code == "OW562"
    assert "acme-ops 1.0.0" in found.message
    assert "acme-ops 1.1.0" in found.message
    (both,) = refused(lambda: attach(parse(ONE_NODE.format("Swish")), [acme, other_release()]))
    assert both.code == "OW563"


def test_a_function_of_the_models_own_under_a_librarys_name_is_a_conflict(acme: Bundle) -> None:
    text = ONE_NODE.format("Swish") + '\n<domain: "com.acme", opset_import: ["": 18]> Swish (x) => (y) { y = Exp(x) }'
    (found,) = refused(lambda: attach(parse(text), [acme]))
    assert found.code == "OW562"
    assert "the model itself" in found.message


def test_an_equal_function_without_metadata_is_the_librarys(acme: Bundle) -> None:
    once = attach(parse(ONE_NODE.format("Swish")), [acme])
    for function in once.functions:
        del function.metadata_props[:]
    assert attach(once, [acme]) == once


def test_weights_in_other_files_stay_there_and_need_not_exist(acme: Bundle) -> None:
    text = """<ir_version: 8, opset_import: ["": 18, "com.acme": 1]> g (float[1, 4] x) => (float[1, 4] y)
    { t = MatMul(x, w) y = com.acme.Swish(t) }"""
    before = parse(text)
    weight = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[4, 4])
    onnx.external_data_helper.set_external_data(weight, "weights.bin", 0, 64) if weight.raw_data else None
    weight.data_location = TensorProto.EXTERNAL
    weight.external_data.add(key="location", value="weights.bin")
    before.graph.initializer.append(weight)
    done = attach_libraries(before, [acme])
    assert done.model.graph.initializer[0] == weight
    assert len(done.model.functions) == 1
    assert done.diagnostics == ()


def test_big_weights_are_carried_over_but_not_handed_to_the_judges(acme: Bundle) -> None:
    text = """<ir_version: 8, opset_import: ["": 18, "com.acme": 1]> g (float[1, 2048] x) => (float[1, 2048] y)
    { t = MatMul(x, w) y = com.acme.Swish(t) }"""
    before = parse(text)
    before.graph.initializer.append(numpy_helper.from_array(np.eye(2048, dtype=np.float32), "w"))
    after = attach(before, [acme])
    assert after.graph.initializer[0] == before.graph.initializer[0]
    values = np.linspace(-3, 3, 2048, dtype=np.float32)[None]
    np.testing.assert_allclose(run_everywhere(after, x=values)[0], swish(values), rtol=1e-5)


@pytest.mark.long
def test_deep_chains_of_calls_are_flattened() -> None:
    library = LibraryBuilder()
    library.add("F0", "(x) => (y) { one = Constant<value_float: float = 1.0>() y = Add(x, one) }", types=["float"])
    for index in range(1, 500):
        text = "(x) => (y) {{ one = Constant<value_float: float = 1.0>() t = Add(x, one) y = com.acme.F{}(t) }}"
        library.add(f"F{index}", [Body(text.format(index - 1), (18, 18))], types=["float"])
    bundle = library.bundle()
    text = ONE_NODE.format("F499").replace("(x) }", "(x) z = com.acme.F250(x) }")
    text = text.replace("(float[N] y)", "(float[N] y, float[N] z)")
    done = attach_libraries(parse(text), [bundle])
    assert len(done.functions) <= 50
    y, z = run_everywhere(done.model, x=x(0))
    assert (y.tolist(), z.tolist()) == ([500], [251])
    assert attach(done.model, [bundle]) == done.model


@pytest.mark.long
def test_flattening_that_would_explode_is_refused() -> None:
    library = LibraryBuilder()
    library.add("F0", "(x) => (y) { y = Neg(x) }")
    for index in range(1, 1200):
        text = f"(x) => (y) {{ t = com.acme.F{index - 1}(x) y = com.acme.F{index - 1}(t) }}"
        library.add(f"F{index}", [Body(text, (18, 18))])
    (found,) = refused(lambda: attach(parse(ONE_NODE.format("F1199")), [library.bundle()]))
    assert found.code == "OW565"


def test_local_names_equal_to_a_librarys_are_no_matter_when_inlined() -> None:
    library = LibraryBuilder()
    library.add("F", "(x) => (y) { v0 = Neg(x) t_0 = Exp(v0) y = Neg(t_0) }")
    text = """<ir_version: 8, opset_import: ["": 18, "com.acme": 1]>
    g (float[N] v0, float[N] v0_0) => (float[N] y, float[N] v1)
    { t = com.acme.F(v0) y = Add(t, v0_0) v1 = com.acme.F(y) }"""
    after = attach(parse(text), [library.bundle()], inline=True)
    y, v1 = run_everywhere(after, v0=x(0), v0_0=x(5))
    assert y.tolist() == [4]
    np.testing.assert_allclose(v1, -np.exp([-4.0]), rtol=1e-6)


def test_an_attribute_that_only_one_variant_reads() -> None:
    library = LibraryBuilder()
    bodies = [
        Body("(x) => (y) { y = Identity(x) }", variant=(("mode", "copy"),)),
        Body("<slope>(x) => (y) { y = LeakyRelu<alpha: float = @slope>(x) }", variant=(("mode", "leaky"),)),
    ]
    attributes = [AttributeEntry("mode", "STRING", False, "copy"), AttributeEntry("slope", "FLOAT", False, 0.5)]
    library.add("F", bodies, inputs=[InputEntry("x", "T")], attributes=attributes)
    for call, expected in (
        ("F", -2),
        ("F<slope = 0.1>", -2),
        ('F<mode = "leaky">', -1),
        ('F<mode="leaky", slope=0.25>', -0.5),
    ):
        after = attach(parse(ONE_NODE.format(call)), [library.bundle()])
        assert run_everywhere(after, x=x(-2))[0].tolist() == [expected]


def test_a_call_with_an_empty_list_as_default() -> None:
    library = LibraryBuilder()
    text = "<axes>(x) => (y) { a = Constant<value_ints: ints = @axes>() y = ReduceSum<keepdims = 0>(x, a) }"
    library.add("F", text, attributes=[AttributeEntry("axes", "INTS", False, ())], types=["float"])
    after = attach(parse(ONE_NODE.format("F").replace("(float[N] y)", "(float y)")), [library.bundle()])
    assert after.graph.node[0].attribute[0].type == AttributeProto.INTS
    assert run_everywhere(after, x=x(1, 2))[0].tolist() == 3


@pytest.mark.parametrize("ir_version", [9, 10])
def test_inlined_nodes_say_where_they_are_from(ir_version: int, acme: Bundle) -> None:
    """Where the IR has a place for it. The names of nodes are unique."""
    text = f"""<ir_version: {ir_version}, opset_import: ["": 18, "com.acme": 1, "my": 1]>
    g (float[N] x, bool c) => (float[N] y) {{
        [first] a = com.acme.Twice (x)
        [second] b = my.F (a, c)
        y = com.acme.Swish (b)
    }}
    <domain: "my", opset_import: ["": 18, "com.acme": 1]> F (x, c) => (y) {{
        y = If (c) <then_branch = t () => (p) {{ p = com.acme.Swish (x) }}, else_branch = e () => (q) {{ q = Neg (x) }}>
    }}"""
    model = parse(text)
    if ir_version >= 10:
        model.graph.node[1].metadata_props.add(key="namespace", value="top: Model")
    after = attach(model, [acme], inline=True)
    names = [node.name for node in all_nodes(after.graph.node) if node.name]
    assert len({*names}) == len(names)
    found = [
        [item.value for item in node.metadata_props if item.key == "namespace"] for node in all_nodes(after.graph.node)
    ]
    swish = [f"acme-ops 1.0.0: com.acme::Swish@1, node {index}" for index in range(5)]
    twice, top = "acme-ops 1.0.0: com.acme::Twice@1, node ", "top: Model"
    inside = [top, *(f"{top}/{place}" for place in swish), top]
    expected = [*(f"{twice}0/{place}" for place in swish), f"{twice}1", *inside, *swish]
    assert found == [[place] if ir_version >= 10 else [] for place in expected]
