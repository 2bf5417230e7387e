"""Every function of a model is told apart: from which release, and whether it was altered."""

from __future__ import annotations

import pytest
from opwright.bundle.format import AttributeEntry, Bundle
from opwright.link import inspect as inspection
from opwright.link.apply import attach
from opwright.link.inspect import Requirement, State, inspect

from tests.link.conftest import Body, LibraryBuilder, parse

TEXT = """<ir_version: 8, opset_import: ["": 18, "com.acme": 1, "my": 1]>
g (float[N] x) => (float[N] y, float[N] z) { t = com.acme.Twice(x) y = my.Mine(t) z = com.acme.Floor(y, x) }
<domain: "my", opset_import: ["": 18, "com.acme": 1]> Mine (x) => (y) { y = com.acme.Swish(x) }"""


def test_origins_of_all_functions(acme: Bundle) -> None:
    reports = inspect(attach(parse(TEXT), [acme]))
    assert [(item.name, item.state, item.identity, item.calls) for item in reports] == [
        ("Swish", State.UNALTERED, "com.acme::Swish@1", 2),
        ("Mine", State.FOREIGN, "", 1),
        ("Twice", State.UNALTERED, "com.acme::Twice@1", 1),
        ("Floor__low_present", State.UNALTERED, "com.acme::Floor@1", 1),
    ]
    assert {(item.library, item.release) for item in reports} == {("acme-ops", "1.0.0"), ("", "")}
    floor = reports[3]
    assert (floor.overload, floor.variant, floor.body) == ("", "low=present", floor.digest)
    assert reports[1].digest.startswith("body1:")


def test_an_altered_function_is_found_and_so_are_its_callers(acme: Bundle) -> None:
    model = attach(parse(TEXT), [acme])
    swish = next(item for item in model.functions if item.name == "Swish")
    next(node for node in swish.node if node.op_type == "Sigmoid").op_type = "Tanh"
    states = {item.name: item.state for item in inspect(model)}
    assert states == {
        "Swish": State.ALTERED,
        "Twice": State.ALTERED,  # its body is its nodes and what they call
        "Floor__low_present": State.UNALTERED,
        "Mine": State.FOREIGN,
    }


def test_names_docs_and_types_do_not_count_as_alterations(acme: Bundle) -> None:
    model = attach(parse(TEXT), [acme])
    for function in model.functions:
        function.doc_string = "other"
        function.input[0] = "renamed"
        for node in function.node:
            node.name = "n"
            node.input[:] = ["renamed" if name == "x" else name for name in node.input]
    assert {item.state for item in inspect(model)} == {State.UNALTERED, State.FOREIGN}


def test_attributes_in_another_order_than_the_protos() -> None:
    library = LibraryBuilder()
    text = """<slope, to>(x) => (y) { t = LeakyRelu<alpha: float = @slope>(x) y = Cast<to: int = @to>(t) }"""
    attributes = [AttributeEntry("slope", "FLOAT", False, 0.5), AttributeEntry("to", "INT", True)]
    library.add("F", text, attributes=attributes)
    library.add("G", "(x) => (y) { y = com.acme.F<to = 1>(x) }")
    nodes = "t = com.acme.F<to = 1>(x) y = com.acme.G(t)"
    text = f'<ir_version: 8, opset_import: ["": 18, "com.acme": 1]> g (float[N] x) => (float[N] y) {{ {nodes} }}'
    model = attach(parse(text), [library.bundle()])
    # A FunctionProto lists attributes without defaults first; the body numbers them as they were declared.
    assert [item.state for item in inspect(model)] == [State.UNALTERED, State.UNALTERED]


def test_functions_without_metadata_are_recognised_by_their_digest(acme: Bundle) -> None:
    model = attach(parse(TEXT), [acme])
    del model.metadata_props[:]
    assert {item.state for item in inspect(model)} == {State.FOREIGN}
    recognised = {item.name: (item.state, item.identity, item.release) for item in inspect(model, [acme])}
    assert recognised["Twice"] == (State.RECOGNISED, "com.acme::Twice@1", "1.0.0")
    assert recognised["Mine"][0] is State.FOREIGN


def test_metadata_that_claim_a_release_are_held_against_it(acme: Bundle) -> None:
    model = attach(parse(TEXT), [acme])
    library = LibraryBuilder()  # of the same name and version, with another Swish
    library.add("Swish", [Body("(x) => (y) { y = Exp(x) }")])
    states = {item.name: item.state for item in inspect(model, [library.bundle()])}
    assert states["Swish"] is State.ALTERED
    assert {item.state for item in inspect(model, [acme])} == {State.UNALTERED, State.FOREIGN}


def test_flattened_functions_are_unaltered() -> None:
    library = LibraryBuilder()
    library.add("F0", [Body("(x) => (y) { y = Neg(x) }", (18, 18))])
    for index in range(1, 120):
        library.add(f"F{index}", [Body(f"(x) => (y) {{ t = Neg(x) y = com.acme.F{index - 1}(t) }}", (18, 18))])
    text = (
        '<ir_version: 8, opset_import: ["": 18, "com.acme": 1]> g (float[N] x) => (float[N] y) { y = com.acme.F119(x) }'
    )
    model = attach(parse(text), [library.bundle()])
    assert {item.state for item in inspect(model, [library.bundle()])} == {State.UNALTERED}
    model.functions[-1].node[0].op_type = "Abs"
    assert inspect(model)[-1].state is State.ALTERED


def test_a_model_without_functions() -> None:
    text = '<ir_version: 8, opset_import: ["": 18]> g (float[N] x) => (float[N] y) { y = Neg(x) }'
    assert inspect(parse(text)) == []


def test_what_nodes_call_and_nothing_has(acme: Bundle, monkeypatch: pytest.MonkeyPatch) -> None:
    text = """<ir_version: 8, opset_import: ["": 18, "com.acme": 1, "com.nowhere": 1]>
    g (float[N] x) => (float[N] y) { t = com.acme.Swish(x) s = com.acme.Swish(t) y = com.nowhere.Thing(s) }"""
    monkeypatch.setattr(inspection, "installed_bundles", lambda beside: [])
    found = inspect(parse(text), acme)
    assert [(item.name, item.state, item.calls, item.found_in) for item in found] == [
        ("Swish", State.UNDEFINED, 2, ("acme-ops 1.0.0",)),
        ("Thing", State.UNDEFINED, 1, ()),
    ]
    monkeypatch.setattr(inspection, "installed_bundles", lambda beside: [acme])
    assert inspect(parse(text))[0].found_in == ("acme-ops 1.0.0",)


@pytest.mark.parametrize(
    ("wanted", "refused"),
    [
        (Requirement.DEFINED, {State.UNDEFINED}),
        (Requirement.UNALTERED, {State.ALTERED}),
        (Requirement.VERIFIED, {State.UNDEFINED, State.ALTERED, State.FOREIGN, State.UNVERIFIED}),
    ],
)
def test_what_a_model_may_be_required_to_be(wanted: Requirement, refused: set[State]) -> None:
    assert {state for state in State if wanted.refuses(state)} == refused
