"""Models that lost functions which were attached: another tool has removed them."""

from __future__ import annotations

import onnx
import pytest
from opwright.bundle.format import Bundle, InputEntry
from opwright.link.apply import attach
from opwright.link.detach import detach, detach_libraries
from opwright.variants import Profile

from tests.link.conftest import Body, LibraryBuilder, parse, refused

TEXT = """<ir_version: {ir}, opset_import: ["": 18, "com.acme": 1]> g (float[N] x, float l) => (float[N] y) {{
    a = com.acme.Caller(x)
    b = com.acme.Bounded(a, l)
    c = com.acme.Bounded(b)
    y = com.acme.Plain(c)
}}"""


@pytest.fixture(scope="module")
def library() -> Bundle:
    made = LibraryBuilder()
    made.add("Plain", "(x) => (y) { y = Neg(x) }")
    made.add("Caller", "(x) => (y) { t = com.acme.Plain(x) y = Abs(t) }")
    bounds = [
        Body("(x, low) => (y) { y = Max(x, low) }", variant=(("low", "present"),)),
        Body("(x) => (y) { y = Identity(x) }", variant=(("low", "absent"),)),
    ]
    made.add("Bounded", bounds, inputs=["x", InputEntry("low", "T", optional=True)])
    return made.bundle()


def model_of(ir: int) -> onnx.ModelProto:
    return parse(TEXT.format(ir=ir))


def without(model: onnx.ModelProto, *names: str) -> onnx.ModelProto:
    made = onnx.ModelProto()
    made.CopyFrom(model)
    kept = [function for function in model.functions if not function.name.startswith(names)]
    assert len(kept) < len(model.functions)
    del made.functions[:]
    made.functions.extend(kept)
    return made


@pytest.mark.parametrize("ir", [9, 10])
@pytest.mark.parametrize("profile", Profile)
@pytest.mark.parametrize(
    "names", [("Bounded",), ("Bounded__low_present",), ("Caller",), ("Plain", "Caller", "Bounded")]
)
def test_calls_come_back_without_their_functions(
    library: Bundle, names: tuple[str, ...], profile: Profile, ir: int
) -> None:
    before = model_of(ir)
    attached = attach(before, [library], profile=profile)
    if profile is Profile.OVERLOAD:
        names = tuple(name.partition("__")[0] for name in names)
    lost = without(attached, *names)
    after = detach(lost)
    assert after.graph == before.graph
    assert not after.functions
    again = attach(after, [library], profile=profile)
    assert again.graph == attached.graph
    assert [item.name for item in again.functions] == [item.name for item in attached.functions]


def test_a_call_that_does_not_say_what_it_was_is_refused(library: Bundle) -> None:
    lost = without(attach(model_of(10), [library]), "Bounded__low_absent")
    del lost.graph.node[2].metadata_props[:]
    (found,) = refused(lambda: detach(lost))
    assert found.code == "OW576"
    assert "com.acme::Bounded__low_absent" in found.message


def test_a_note_on_a_node_that_stands_for_others_is_of_none_that_was_lost(library: Bundle) -> None:
    """Tools that fuse nodes give what they make the metadata of one of them."""
    fused = without(attach(model_of(10), [library]), "Bounded")
    for node in fused.graph.node:
        if node.op_type.startswith("Bounded"):
            node.op_type, node.domain = "Fused", "their.domain"
    done = detach_libraries(fused)
    assert [node.op_type for node in done.model.graph.node] == ["Caller", "Fused", "Fused", "Plain"]


def test_a_callee_that_is_missing_is_no_alteration(library: Bundle) -> None:
    lost = without(attach(model_of(10), [library]), "Plain")
    for step, code, advice in (
        (lambda: attach(lost, [library]), "OW562", "attach the library to the original model"),
        (lambda: detach(lost), "OW576", "take the original model"),
    ):
        (found,) = refused(step)
        assert found.code == code
        assert "Caller" in found.message and "calls com.acme::Plain, which the model no longer has" in found.message
        assert "altered" not in "".join([found.message, found.reason, *(item.note for item in found.related)])
        assert found.help == advice


def test_an_altered_function_is_not_to_be_detached(library: Bundle) -> None:
    altered = attach(model_of(10), [library])
    next(item for item in altered.functions if item.name == "Plain").node[0].op_type = "Exp"
    found = refused(lambda: attach(altered, [library]))
    assert {item.code for item in found} == {"OW562"}
    assert not any("detach" in item.help for item in found)


def test_a_variant_that_is_missing_is_named(library: Bundle) -> None:
    lost = without(attach(model_of(10), [library]), "Bounded")
    found = refused(lambda: attach(lost, [library]))
    assert [item.code for item in found] == ["OW553", "OW553"]
    assert all("a variant of Bounded" in item.reason and "opwright detach" in item.help for item in found)
    attach(detach(lost), [library])
    for node in lost.graph.node:
        del node.metadata_props[:]
    found = refused(lambda: attach(lost, [library]))
    assert all("write `Bounded` with its attributes" in item.help for item in found)
