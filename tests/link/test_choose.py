"""A call that cannot be served says what is wrong with it, why, and what to do."""

from __future__ import annotations

from dataclasses import replace

import pytest
from opwright.bundle.format import AttributeEntry, Bundle, InputEntry, OutputEntry
from opwright.diagnostics import Diagnostic
from opwright.link.apply import attach

from tests.link.conftest import Body, LibraryBuilder, parse, refused

MODEL = """<ir_version: 8, opset_import: ["": {opset}, "com.acme": {version}, "org.other": 1, "nowhere": 1]>
g ({inputs}) => (float[N] y) {{ {nodes} }}"""


def model_text(nodes: str, inputs: str = "float[N] x", opset: int = 18, version: int = 1) -> str:
    return MODEL.format(nodes=nodes, inputs=inputs, opset=opset, version=version)


def findings(bundle: Bundle, nodes: str, **options: object) -> list[Diagnostic]:
    text = model_text(nodes, **options)  # type: ignore[arg-type]
    return refused(lambda: attach(parse(text), [bundle]))


def one(bundle: Bundle, nodes: str, **options: object) -> Diagnostic:
    (found,) = findings(bundle, nodes, **options)
    assert str(found.place) == "model"
    return found


def test_an_unknown_function_has_a_suggestion(acme: Bundle) -> None:
    found = one(acme, "y = com.acme.swich(x)")
    assert (found.code, found.message) == ("OW553", "node 0 (com.acme::swich): com.acme has no function swich")
    assert found.reason == "the domain com.acme belongs to acme-ops 1.0.0"
    assert found.help == "did you mean Swish?"
    assert "release" in one(acme, "y = com.acme.Quite(x)").help


def test_a_function_of_a_later_version(acme: Bundle) -> None:
    found = one(acme, "y = com.acme.Late(x)")
    assert (found.code, found.message) == ("OW554", "node 0 (com.acme::Late): com.acme has Late from version 2 on")
    assert found.help == "import version 2 of com.acme in the model"


def test_an_import_that_the_library_does_not_know(acme: Bundle) -> None:
    found = one(acme, "y = com.acme.Swish(x)", version=3)
    assert found.code == "OW555"
    assert "acme-ops 1.0.0 knows it up to 2" in found.message


def test_an_opset_without_a_body_names_those_that_have_one(acme: Bundle) -> None:
    found = one(acme, "y = com.acme.Swish(x)", opset=14)
    assert (found.code, found.reason) == ("OW556", "it has bodies for these opsets: 15 to 22")
    assert "opset 14" in found.message


@pytest.mark.parametrize(
    ("call", "message", "reason"),
    [
        ("Swish(x, x)", "2 inputs are given, com.acme::Swish@1 has 1", "the inputs are x"),
        ("Floor(x, x, x)", "3 inputs are given, com.acme::Floor@1 has 2", "the inputs are x, low?"),
        ("Floor()", "the input x of com.acme::Floor@1 is required", "the inputs are x, low?"),
    ],
)
def test_arity(acme: Bundle, call: str, message: str, reason: str) -> None:
    found = one(acme, f"y = com.acme.{call}")
    assert (found.code, found.message.partition(": ")[2], found.reason) == ("OW557", message, reason)


def test_too_many_outputs(acme: Bundle) -> None:
    found = one(acme, "y, z = com.acme.Swish(x)")
    assert (found.code, found.reason) == ("OW557", "the outputs are y")


def test_outputs_of_a_function_that_has_none(acme: Bundle) -> None:
    """As a bundle may say that nobody has built."""
    functions = [replace(entry, outputs=()) if entry.name == "Late" else entry for entry in acme.index.functions]
    bundle = replace(acme, index=replace(acme.index, functions=functions))
    assert one(bundle, "y = com.acme.Late(x)", version=2).code == "OW557"


@pytest.mark.parametrize(
    ("call", "message", "help_text"),
    [
        ("Swish<alpah = 1.0>(x)", "com.acme::Swish@1 has no attribute alpah", "did you mean alpha?"),
        ("Twice<alpha = 1.0>(x)", "com.acme::Twice@1 has no attribute alpha", "remove it"),
        ("Swish<alpha = 1>(x)", "the attribute alpha of com.acme::Swish@1 is given as INT, it is of type FLOAT", ""),
    ],
)
def test_attributes(acme: Bundle, call: str, message: str, help_text: str) -> None:
    found = one(acme, f"y = com.acme.{call}")
    assert (found.code, found.message.partition(": ")[2]) == ("OW558", message)
    assert help_text in found.help
    assert help_text or "`alpha=1.0`" in found.help


def test_a_required_attribute() -> None:
    library = LibraryBuilder()
    text = "<to>(x) => (y) { y = Cast<to: int = @to>(x) }"
    library.add("F", text, attributes=[AttributeEntry("to", "INT", True)])
    found = one(library.bundle(), "y = com.acme.F(x)")
    assert (found.code, found.help) == ("OW558", "set to on the node")


def test_element_types_outside_the_declared_ones(acme: Bundle) -> None:
    found = one(acme, "t = com.acme.Swish(x) y = Cast<to = 1>(t)", inputs="int32[N] x")
    assert found.code == "OW560"
    assert found.message.endswith("the input x of com.acme::Swish@1 is int32")
    assert found.reason == "the types allowed are float16, float, double"
    found = one(acme, "s = SequenceConstruct(x) y = com.acme.Swish(s)")
    assert found.message.endswith("is seq(tensor(float))")


def test_element_types_that_a_body_does_not_take_name_the_opsets_that_do() -> None:
    library = LibraryBuilder()
    bodies = [
        Body("(x) => (y) { y = Abs(x) }", (13, 14), admits=("float",)),
        Body("(x) => (y) { t = Neg(x) y = Abs(t) }", (15, 24), admits=("float", "double")),
    ]
    library.add("F", bodies)
    found = one(library.bundle(), "t = com.acme.F(x) y = Cast<to = 1>(t)", inputs="double[N] x", opset=14)
    assert (found.code, found.reason) == ("OW560", "the types that its body for this opset allows are float")
    assert found.help == "double is possible at the opsets 15 to 24"


def test_a_type_without_a_variant(acme: Bundle) -> None:
    library = LibraryBuilder()
    library.add("F", [Body("(x) => (y) { y = Neg(x) }", variant=(("T", "float"),), admits=("float",))])
    found = one(library.bundle(), "t = com.acme.F(x) y = Cast<to = 1>(t)", inputs="double[N] x")
    assert (found.code, found.message.partition(": ")[2]) == (
        "OW560",
        "com.acme::F@1 cannot take double as T at opset 18",
    )


def test_inputs_of_one_type_variable_must_agree() -> None:
    library = LibraryBuilder()
    library.add("F", "(a, b) => (y) { y = Add(a, b) }", inputs=["a", "b"])
    found = one(library.bundle(), "y = com.acme.F(x, z)", inputs="float[N] x, double[N] z")
    assert (found.code, found.message.partition(": ")[2]) == (
        "OW561",
        "the input b of com.acme::F@1 is double, a is float",
    )


def test_inputs_of_a_fixed_type() -> None:
    library = LibraryBuilder()
    text = "(x, k) => (y) { t = Cast<to = 1>(k) y = Mul(x, t) }"
    library.add("F", text, inputs=["x", InputEntry("k", "int64")], types=["float"])
    found = one(library.bundle(), "y = com.acme.F(x, z)", inputs="float[N] x, int32[N] z")
    assert (found.code, found.reason) == ("OW560", "the types allowed are int64")


def test_an_output_of_a_type_that_is_not_declared() -> None:
    """An attribute decides it; the values would be right, and nothing is promised or verified of them."""
    library = LibraryBuilder()
    text = "<to>(k) => (y) { y = Cast<to: int = @to>(k) }"
    library.add("F", text, inputs=[InputEntry("k", "int64")], attributes=[AttributeEntry("to", "INT", True)])
    for other in ("float16", "float", "double"):
        assert other in dict(library.bundle().index.functions[0].types)["T"]
    found = one(library.bundle(), "t = com.acme.F<to = 9>(x) y = Cast<to = 1>(t)", inputs="int64[N] x")
    assert (found.code, found.message.partition(": ")[2]) == ("OW560", "the output y of com.acme::F@1 would be bool")
    assert found.reason == "the types allowed are float16, float, double"
    assert found.help == "let the node ask for one of these, and put a Cast behind it"
    text = "<to>(k) => (y, z) { y = Cast<to: int = @to>(k) z = Cast<to = 1>(k) }"
    outputs = [OutputEntry("y", "T"), OutputEntry("z", "float")]
    attributes = [AttributeEntry("to", "INT", True)]
    library.add("G", text, inputs=[InputEntry("k", "int64")], outputs=outputs, attributes=attributes)
    model = parse(model_text("t, y = com.acme.G<to = 9>(x) v, w = com.acme.G<to = 9>(x)", "int64[N] x"))
    for node in model.graph.node:  # the parser takes no name that is left out
        node.output[0] = ""
    assert len(attach(model, [library.bundle()]).functions) == 1
    model.graph.node[1].output[0] = "t"
    (found,) = refused(lambda: attach(model, [library.bundle()]))
    assert found.message.endswith("the output y of com.acme::G@1 would be bool")


def test_a_missing_fact_is_named(acme: Bundle) -> None:
    found = one(acme, "t = nowhere.Thing(x) y = com.acme.Kind(t)")
    assert found.code == "OW559"
    assert "the element type of x is not known here" in found.message
    assert "value_info" in found.help


def test_a_declared_type_supplies_the_missing_fact(acme: Bundle) -> None:
    text = model_text("t = nowhere.Thing(x) y = com.acme.Kind(t)")
    after = attach(parse(text.replace("(float[N] y)", "(float[N] y) <float[N] t>")), [acme])
    assert after.graph.node[1].op_type == "Kind__T_float"


def test_a_missing_fact_is_no_matter_where_all_bodies_are_the_same() -> None:
    library = LibraryBuilder()
    same = [Body("(x) => (y) { y = Neg(x) }", variant=(("T", name),), admits=(name,)) for name in ("float", "double")]
    library.add("F", same, types=["float", "double"])
    after = attach(parse(model_text("t = nowhere.Thing(x) y = com.acme.F(t)")), [library.bundle()])
    assert [(item.name, item.overload) for item in after.functions] == [("F", "")]


def test_a_combination_without_a_variant_lists_those_there_are() -> None:
    library = LibraryBuilder()
    bodies = [
        Body("(x) => (y) { y = Neg(x) }", variant=(("a", "absent"), ("b", "absent"))),
        Body("(x, a, b) => (y) { t = Max(x, a) y = Min(t, b) }", variant=(("a", "present"), ("b", "present"))),
    ]
    optional = [InputEntry(name, "T", optional=True) for name in "ab"]
    library.add("F", bodies, inputs=["x", *optional])
    found = one(library.bundle(), "y = com.acme.F(x, x)")
    assert found.code == "OW557"
    assert "no variant for a=present, b=absent" in found.message
    assert found.reason == "its variants at opset 18 are a=absent,b=absent; a=present,b=present"


def test_every_wrong_node_is_reported_in_the_order_of_the_model(acme: Bundle) -> None:
    found = findings(acme, "a = com.acme.Swihs(x) b = com.acme.Swish(a, a) y = com.acme.Twice<k = 1>(b)")
    assert [item.code for item in found] == ["OW553", "OW557", "OW558"]


def test_several_faults_of_one_node_are_reported_together(acme: Bundle) -> None:
    found = findings(acme, "y, z = com.acme.Swish<beta = 1.0>(x, x)")
    assert [item.code for item in found] == ["OW557", "OW557", "OW558"]


def test_places_name_graphs_functions_and_nodes(acme: Bundle) -> None:
    text = """<ir_version: 8, opset_import: ["": 18, "com.acme": 1, "my": 1]> g (float[N] x, bool c) => (float[N] y) {
        t = my.F(x)
        y = If (c) <then_branch = p () => (a) { a = com.acme.Nope(t) }, else_branch = q () => (b) { b = Neg(t) }>
    } <domain: "my", opset_import: ["": 18, "com.acme": 1]> F (x) => (y) { y = com.acme.Neither(x) }"""
    model = parse(text)
    model.graph.node[1].name = "choose"
    found = refused(lambda: attach(model, [acme]))
    assert [item.message.rpartition(": ")[0] for item in found] == [
        "function my::F, node 0 (com.acme::Neither)",
        "node 1 'choose' (If), graph 'p', node 0 (com.acme::Nope)",
    ]


def test_types_of_outputs_follow_from_the_body_where_the_interface_leaves_them_open(acme: Bundle) -> None:
    library = LibraryBuilder(domain="org.other", name="other")
    text = "<to>(x) => (y) { t = Neg(x) y = Cast<to: int = @to>(t) }"
    attributes = [AttributeEntry("to", "INT", False, 11)]
    entry = library.add("Into", text, outputs=[OutputEntry("y", "U")], attributes=attributes)
    assert entry.outputs[0].type == "U"
    nodes = "a = org.other.Into(x) b = com.acme.Kind(a) c = org.other.Into<to = 1>(b) y = com.acme.Kind(c)"
    after = attach(parse(model_text(nodes)), [acme, library.bundle()])
    assert [node.op_type for node in after.graph.node] == ["Into", "Kind__T_double", "Into", "Kind__T_float"]


# ------------------------------------------------------------------------------------------- other axes


def ranked() -> Bundle:
    library = LibraryBuilder()
    bodies = [
        Body("(x) => (y) { y = Neg(x) }", variant=(("x.rank", "1"),)),
        Body("(x) => (y) { y = Abs(x) }", variant=(("x.rank", "2"), ("mode", "a"))),
        Body("(x) => (y) { y = Ceil(x) }", variant=(("x.rank", "2"), ("mode", "other thing"))),
        Body("(x) => (y) { y = Floor(x) }", variant=(("x.rank", "other"),)),
    ]
    mode = AttributeEntry("mode", "STRING", False, "a", choices=("a", "other thing"))
    library.add("F", bodies, attributes=[mode])
    return library.bundle()


@pytest.mark.parametrize(
    ("inputs", "call", "name"),
    [
        ("float[N] x", "F(x)", "F__x_rank_1"),
        ("float[N, 3] x", "F(x)", "F__x_rank_2__mode_a"),
        ("float[N, 3] x", 'F<mode = "other thing">(x)', "F__x_rank_2__mode_otherX20thing"),
        ("float x", "F(x)", "F__x_rank_other"),
        ("float[A, B, C] x", "F(x)", "F__x_rank_other"),
    ],
)
def test_ranks_and_attributes_choose(inputs: str, call: str, name: str) -> None:
    text = model_text(f"y = com.acme.{call}", inputs=inputs).replace("float[N] y", f"{inputs[:-1]}y")
    after = attach(parse(text), [ranked()])
    assert [(node.op_type, node.overload) for node in after.graph.node] == [(name, "")]
    assert [item.name for item in after.functions] == [name]


def test_a_rank_that_is_not_declared_is_missing() -> None:
    found = one(ranked(), "t = Mul(x, x) y = com.acme.F(t)")
    assert found.code == "OW559"
    assert "the rank of x" in found.message
    text = model_text("t = Mul(x, x) y = com.acme.F(t)").replace("(float[N] y)", "(float[N] y) <float[N] t>")
    assert attach(parse(text), [ranked()]).graph.node[1].op_type == "F__x_rank_1"


def test_an_attribute_of_another_value_has_no_variant() -> None:
    text = model_text('y = com.acme.F<mode = "b">(x)', inputs="float[N, M] x").replace("float[N] y", "float[N, M] y")
    (found,) = refused(lambda: attach(parse(text), [ranked()]))
    assert found.code == "OW557"
    assert "no variant for x.rank=2, mode=b" in found.message
