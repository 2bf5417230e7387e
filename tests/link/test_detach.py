"""Detaching gives back the very model that libraries were attached to."""

from __future__ import annotations

import json

import onnx
import pytest
from opwright.bundle.format import Bundle
from opwright.link.apply import attach
from opwright.link.detach import detach, detach_libraries
from opwright.variants import Profile

from tests.link.conftest import Body, LibraryBuilder, parse, refused

SERVED = """<ir_version: 7, opset_import: ["": 18, "com.acme": 1]> g (float[N] x, bool c, float l) => (float[N] y) {
    a = com.acme.Twice(x)
    b = com.acme.Swish<alpha = 0.5>(a)
    d = com.acme.Floor(b, l)
    e = com.acme.Pair(d)
    y = If (c) <then_branch = p () => (r) { r = com.acme.Floor(e) }, else_branch = q () => (s) { s = com.acme.Kind(e) }>
}"""
REPLACED = '<ir_version: 7, opset_import: ["": 18]> g (float[N] x) => (float[N] y) { t = Softplus(x) y = Softplus(t) }'
LOCAL = """<ir_version: 10, opset_import: ["": 18, "my": 1]> g (float[N] x) => (float[N] y) { y = my.Mine(x) }
<domain: "my", opset_import: ["": 18]> Mine (x) => (y) { t = com.acme.Floor(x) y = Softplus(t) }"""
ABSENT = (
    """<ir_version: 8, opset_import: ["com.acme": 1]> g (float[N] x) => (float[N] y) { y = com.acme.Floor(x, "") }"""
)


@pytest.mark.parametrize("ir_version", [0, 7, 8, 9, 10, 11])
@pytest.mark.parametrize("profile", Profile)
@pytest.mark.parametrize("text", [SERVED, REPLACED, LOCAL, ABSENT])
def test_detaching_is_exact(text: str, profile: Profile, ir_version: int, acme: Bundle, standard: Bundle) -> None:
    before = parse(text.replace(', ""', ", nothing"))
    before.ir_version = ir_version or before.ir_version
    for node in before.graph.node:
        node.input[:] = ["" if name == "nothing" else name for name in node.input]
    attached = attach(before, [acme, standard], replace=True, profile=profile)
    assert attached != before
    after = detach(attached)
    assert after.SerializeToString(deterministic=True) == before.SerializeToString(deterministic=True)


def test_libraries_attached_one_after_another_are_all_detached(acme: Bundle, standard: Bundle) -> None:
    before = parse(
        REPLACED.replace("t = Softplus(x)", "t = com.acme.Swish(x)").replace('"": 18', '"": 18, "com.acme": 1')
    )
    attached = attach(attach(before, [acme]), [standard], replace=True)
    assert len(attached.functions) == 2
    assert detach(attached) == before


def test_inputs_may_be_renamed_in_between(acme: Bundle) -> None:
    before = parse(SERVED)
    attached = attach(before, [acme])
    rename = {"b": "renamed", "l": "low"}
    for model in (attached, before):
        for node in model.graph.node:
            node.input[:] = [rename.get(name, name) for name in node.input]
            node.output[:] = [rename.get(name, name) for name in node.output]
        model.graph.input[2].name = "low"
    assert detach(attached) == before


def test_inputs_that_a_variant_does_not_read_come_back() -> None:
    library = LibraryBuilder()
    library.add("F", "(b) => (y) { y = Neg(b) }", inputs=["a", "b", "c"])
    header = '<ir_version: 8, opset_import: ["": 18, "com.acme": 1]>'
    before = parse(f"{header} g (float p, float q) => (float y) {{ y = com.acme.F(p, q, p) }}")
    attached = attach(before, [library.bundle()])
    assert list(attached.graph.node[0].input) == ["q"]
    assert detach(attached) == before


def test_other_metadata_stay(acme: Bundle) -> None:
    attached = attach(parse(SERVED), [acme])
    attached.graph.node[0].metadata_props.add(key="mine", value="1")
    assert [item.key for item in detach(attached).graph.node[0].metadata_props] == ["mine"]


def test_functions_of_the_models_own_stay() -> None:
    text = """<ir_version: 10, opset_import: ["": 18, "my": 1]> g (float x) => (float y) { y = my.Mine(x) }
    <domain: "my", opset_import: ["": 18]> Mine (x) => (y) { y = Neg(x) }"""
    done = detach_libraries(parse(text))
    assert done.model == parse(text)
    assert [(item.code, item.severity.value) for item in done.diagnostics] == [("OW574", "warning")]


def test_an_altered_function_is_not_thrown_away(acme: Bundle) -> None:
    attached = attach(parse(SERVED), [acme])
    pair = next(function for function in attached.functions if function.name == "Pair")
    pair.node[0].op_type = "Exp"
    (found,) = refused(lambda: detach(attached))
    assert found.code == "OW576"
    assert "com.acme::Pair" in found.message


def set_memo(model: onnx.ModelProto, value: str) -> None:
    memo = next(item for item in model.graph.node[2].metadata_props if item.key == "opwright.call")
    memo.value = value


@pytest.mark.parametrize(
    "value",
    [
        "",
        "[]",
        "{",
        json.dumps({"inputs": [7]}),
        json.dumps({"inputs": 1}),
        json.dumps({"domain": 1}),
        '{"outputs": "x"}',
        "[" * 100_000,
    ],
)
def test_a_spoilt_note_is_a_finding(acme: Bundle, value: str) -> None:
    attached = attach(parse(SERVED.replace("7", "10", 1)), [acme])
    set_memo(attached, value)
    (found,) = refused(lambda: detach(attached))
    assert found.code == "OW576"


def test_a_spoilt_note_on_a_function_is_a_finding(acme: Bundle) -> None:
    attached = attach(parse(SERVED.replace("7", "10", 1)), [acme])
    for value in ("nonsense", '{"ir_version": "x"}', '{"imports": 3}'):
        for function in attached.functions:
            memo = next(item for item in function.metadata_props if item.key == "opwright.attached")
            memo.value = value
        assert refused(lambda: detach(attached))[0].code == "OW576"


def test_the_body_of_a_detached_model_is_needed_no_more(acme: Bundle) -> None:
    library = LibraryBuilder()
    library.add("F", [Body("(x) => (y) { y = Neg(x) }")])
    before = parse(
        '<ir_version: 8, opset_import: ["": 18, "com.acme": 1]> g (float x) => (float y) { y = com.acme.F(x) }'
    )
    assert attach(detach(attach(before, [library.bundle()])), [library.bundle()]).functions[0].name == "F"
