"""Below IR 10 what the linker writes down lies on the model, and finds its nodes again after other tools."""

from __future__ import annotations

import json
import random
from collections.abc import Callable

import numpy as np
import onnx
import pytest
from onnx import ModelProto, helper
from opwright.bundle.format import Bundle
from opwright.diagnostics import DiagnosticError
from opwright.graphs.walk import all_nodes, rename_values
from opwright.link.apply import attach
from opwright.link.detach import detach, detach_libraries
from opwright.link.inspect import State, inspect
from opwright.link.metadata import RECORDS

from tests.link.conftest import LibraryBuilder, parse, refused, run_everywhere

TEXT = """<ir_version: 8, opset_import: ["": 18, "com.acme": 1, "my": 1]> g (float[N] x, bool c) => (float[N] y) {
    a = com.acme.Floor(x, "")
    b = com.acme.Floor(a, x)
    d = com.acme.Swish(b)
    e = com.acme.Swish<alpha = 0.5>(x)
    f = my.Mine(d)
    k = If (c) <then_branch = p () => (r) { r = com.acme.Floor(e) }, else_branch = q () => (r) { r = com.acme.Kind(f) }>
    m, n = com.acme.Pair(k)
    y = Sum(a, b, d, e, f, k, m, n)
}
<domain: "my", opset_import: ["": 18, "com.acme": 1]> Mine (x) => (y) { t = com.acme.Floor(x) y = com.acme.Kind(t) }"""


def model_of(text: str = TEXT) -> ModelProto:
    before = parse(text.replace(', "")', ", nothing)"))
    for node in before.graph.node:
        node.input[:] = ["" if name == "nothing" else name for name in node.input]
    return before


def same(one: ModelProto, other: ModelProto) -> bool:
    return one.SerializeToString(deterministic=True) == other.SerializeToString(deterministic=True)


def test_functions_and_nodes_have_no_metadata_below_ir_10(acme: Bundle) -> None:
    attached = attach(model_of(), acme)
    assert attached.ir_version == 8
    holders = [*attached.functions, *all_nodes(attached.graph.node)]
    holders += [node for function in attached.functions for node in all_nodes(function.node)]
    assert not any(holder.metadata_props for holder in holders)
    assert not any(function.attribute_proto for function in attached.functions)
    assert [item.key.startswith(RECORDS) for item in attached.metadata_props] == [True]
    run_everywhere(attached, x=np.array([1.0, -2.0], np.float32), c=True)
    states = {item.name: item.state for item in inspect(attached, acme)}
    assert states.pop("Mine") is State.FOREIGN
    assert {*states.values()} == {State.UNALTERED}


def test_an_altered_function_is_found_and_kept(acme: Bundle) -> None:
    attached = attach(model_of(), acme)
    altered = next(function for function in attached.functions if function.name == "Pair")
    altered.node[0].op_type = "Exp"
    assert {item.name for item in inspect(attached) if item.state is State.ALTERED} == {"Pair"}
    assert refused(lambda: detach(attached))[0].code == "OW576"


def test_more_is_attached_and_all_is_detached(acme: Bundle, standard: Bundle) -> None:
    text = TEXT.replace("y = Sum(", "s = Softplus(x) y = Sum(s, ")
    before = model_of(text)
    attached = attach(attach(before, acme), standard, replace=True)
    assert [item.key.startswith(RECORDS) for item in attached.metadata_props] == [True]
    assert same(detach(attached), before)
    newer = attach(before, acme)
    newer.ir_version = 10  # by another tool
    again = attach(newer, standard, replace=True)
    assert not again.metadata_props
    assert detach(again).functions == before.functions


# ----------------------------------------------------------------------------------------- what others have done since


def renamed(model: ModelProto, numbers: random.Random) -> None:
    rename_values(model.graph.node, lambda name: name if name in "xcy" else f"{name}_renamed")


def reordered(model: ModelProto, numbers: random.Random) -> None:
    """Another order in which each node still comes behind those that it reads."""
    waiting, done = list(model.graph.node), {"x", "c", ""}
    ordered = []
    while waiting:
        ready = [node for node in waiting if {*_read(node)} <= done]
        node = numbers.choice(ready)
        waiting.remove(node)
        ordered.append(node)
        done.update(node.output)
    _set_nodes(model, ordered)


def _read(node: onnx.NodeProto) -> list[str]:
    inner = [each for attribute in node.attribute for each in attribute.g.node]
    made = {name for each in inner for name in each.output}
    return [*node.input, *(name for each in inner for name in each.input if name not in made)]


def added(model: ModelProto, numbers: random.Random) -> None:
    nodes = list(model.graph.node)
    place = numbers.randrange(len(nodes))
    _set_nodes(model, [*nodes[:place], helper.make_node("Neg", ["x"], ["added"]), *nodes[place:]])


def removed(model: ModelProto, numbers: random.Random) -> None:
    """One summand less, and its node if nothing else reads that."""
    nodes = list(model.graph.node)
    total = nodes[-1]
    gone = numbers.choice(list(total.input))
    total.input.remove(gone)
    read = {name for node in nodes for name in _read(node)}
    _set_nodes(model, [node for node in nodes if {*node.output} & read or node is total])


def _set_nodes(model: ModelProto, nodes: list[onnx.NodeProto]) -> None:
    copies = []
    for node in nodes:
        copy = onnx.NodeProto()
        copy.CopyFrom(node)
        copies.append(copy)
    del model.graph.node[:]
    model.graph.node.extend(copies)


CHANGES: list[Callable[[ModelProto, random.Random], None]] = [renamed, reordered, added, removed]


@pytest.mark.parametrize("seed", range(60))
def test_detaching_after_changes_gives_the_changed_model(seed: int, acme: Bundle) -> None:
    before = model_of()
    attached = attach(before, acme)
    numbers = random.Random(seed)
    changes = [numbers.choice(CHANGES) for _ in range(numbers.randint(1, 3))]
    chosen = numbers.random()
    for change in changes:
        for model in (before, attached):
            change(model, random.Random(chosen))
    # What was renamed is known by its place alone, which another change takes from it.
    if renamed in changes and {*changes} != {renamed} and not _is_detachable(attached):
        return
    assert same(detach(attached), before)


def _is_detachable(model: ModelProto) -> bool:
    try:
        detach(model)
    except DiagnosticError as error:
        return "OW576" not in {item.code for item in error.diagnostics}
    return True


def test_calls_that_change_places_and_names_are_not_taken_for_one_another(acme: Bundle) -> None:
    attached = attach(model_of(), acme)
    nodes = list(attached.graph.node)
    _set_nodes(attached, [nodes[0], nodes[3], *nodes[1:3], *nodes[4:]])  # both are calls of Swish
    renamed(attached, random.Random(0))
    (found,) = refused(lambda: detach(attached))
    assert (found.code, found.message) == (
        "OW576",
        "nodes of com.acme::Floor__low_absent cannot be told from one another any more",
    )


@pytest.mark.parametrize(
    "value",
    [
        "",
        "[]",
        "{",
        "[" * 100_000,
        '{"functions": 3}',
        '{"functions": [], "nodes": [[1]], "wiring": ""}',
        '{"functions": [[["com.acme", "Swish", ""], 3]], "nodes": [], "wiring": ""}',
        '{"functions": [], "nodes": [[null, "x", ["", "Neg", ""], ["a"], "{}"]], "wiring": ""}',
    ],
)
def test_spoilt_records_are_a_finding(acme: Bundle, value: str) -> None:
    attached = attach(model_of(), acme)
    attached.metadata_props[0].value = value
    for command in (detach, inspect, lambda model: attach(model, acme)):
        assert refused(lambda command=command: command(attached))[0].code == "OW576"


def test_records_of_nodes_that_do_not_fit_are_a_finding(acme: Bundle) -> None:
    attached = attach(model_of(), acme)
    records = json.loads(attached.metadata_props[0].value)
    for change in ({1: 1000}, {2: ["", "Neg", ""]}, {0: ["my", "Other", ""]}):
        spoilt = json.loads(attached.metadata_props[0].value)
        for index, value in change.items():
            spoilt["nodes"][0][index] = value
        model = ModelProto()
        model.CopyFrom(attached)
        model.metadata_props[0].value = json.dumps(spoilt)
        assert refused(lambda model=model: detach(model))[0].code == "OW576"
    assert records["nodes"]


def test_merged_models_are_detached(acme: Bundle) -> None:
    """Each brings an entry of its own; `onnx.compose` refuses entries of one key and other values."""
    header = '<ir_version: 8, opset_import: ["": 18, "com.acme": 1]> '
    first = parse(header + "g (float[N] a) => (float[N] b) { b = com.acme.Swish(a) }")
    second = parse(header + "h (float[N] c) => (float[N] e) { d = com.acme.Floor(c) e = com.acme.Kind(d) }")
    before = onnx.compose.merge_models(first, second, io_map=[("b", "c")])
    merged = onnx.compose.merge_models(attach(first, acme), attach(second, acme), io_map=[("b", "c")])
    assert len(merged.metadata_props) == 2
    run_everywhere(merged, a=np.array([1.0, -2.0], np.float32))
    assert {item.state for item in inspect(merged)} == {State.UNALTERED}
    assert detach(merged).graph == before.graph
    assert not detach(merged).functions


def test_what_a_prefix_has_renamed_is_recognised_and_not_detached(acme: Bundle) -> None:
    text = '<ir_version: 8, opset_import: ["": 18, "com.acme": 1]> g (float[N] x) => (float[N] y) {{ y = {}(x) }}'
    renamed = onnx.compose.add_prefix(attach(parse(text.format("com.acme.Floor")), acme), "a_")
    assert {item.state for item in inspect(renamed, acme)} == {State.RECOGNISED}
    done = detach_libraries(renamed)
    assert [item.code for item in done.diagnostics] == ["OW574"]
    assert done.model == renamed


@pytest.mark.parametrize("ir_version", [8, 10])
def test_calls_that_change_places_keep_the_inputs_that_are_not_read(ir_version: int) -> None:
    """Their bodies read the same value: what tells them apart is which output of the model each gives."""
    library = LibraryBuilder()
    library.add("F", "(b) => (y) { y = Neg(b) }", inputs=["a", "b", "c"])
    before = parse(
        f'<ir_version: {ir_version}, opset_import: ["": 18, "com.acme": 1]> g (float p, float q, float r) => '
        "(float y, float z) { y = com.acme.F(p, q, p) z = com.acme.F(r, q, r) }"
    )
    attached = attach(before, library.bundle())
    for model in (before, attached):
        _set_nodes(model, list(model.graph.node)[::-1])
    assert detach(attached) == before
    attached.graph.input[0].name = "other"  # what no body reads cannot be found under another name
    (found,) = refused(lambda: detach(attached))
    assert (found.code, "the input p of a node com.acme::F" in found.message) == ("OW576", True)
