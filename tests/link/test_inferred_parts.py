"""Types that are inferred part by part are those that are inferred of the whole model."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from onnx import GraphProto, ModelProto, TensorProto, parser, shape_inference
from opwright import attach, convert, decompile, polyfill
from opwright.bundle.format import Bundle
from opwright.graphs.model_inference import infer_model, infer_strictly
from opwright.graphs.walk import all_graphs
from opwright.link import inferred_parts
from opwright.link.inferred_parts import inferred_graphs

from benchmarks.models import MODELS
from tests.link.conftest import Body, LibraryBuilder
from tests.node_cases import node_cases

_MODEL = """<ir_version: 10, opset_import: ["": 18, "d": 1]>
main (float[N, 3] x, bool c, int64[2] to) => (float[unk__0, 4] y, float[N, 3] last)
<int64[2] shape = {3, -1}>
{
    two = Constant <value = int64[2] {1, -1}> ()
    a = If (c) <
        then_branch = left () => (float[P, 3] p) { q = Neg (x) p = Relu (q) },
        else_branch = right () => (float[Q, 3] r) { r = Exp (x) }
    >
    b = Reshape (a, shape)
    e = Reshape (b, two)
    found = NonZero (e)
    more = NonZero (b)
    f = d.Outer (e)
    last = Neg (x)
    g = If (c) <
        then_branch = yes () => (float[A, B] s) { s = Concat <axis = 1> (f, e) },
        else_branch = no () => (float[C, D] t) { h = Neg (last) t = Reshape (h, two) }
    >
    y = Reshape (g, to)
}
<domain: "d", opset_import: ["": 18, "d": 1]> Outer (v) => (w) { w = d.Inner (v) }
<domain: "d", opset_import: ["": 18]> Inner (v) => (w) { w = Abs (v) }"""


def types_of(graphs: list[GraphProto]) -> dict[str, tuple[int, list[object]]]:
    """Element types and sizes by value; all names that were made up are one."""
    found: dict[str, tuple[int, list[object]]] = {}
    for graph in graphs:
        for inner in all_graphs(graph):
            for value in inner.value_info:
                tensor = value.type.tensor_type
                sizes: list[object] = [
                    size.dim_param.partition("__")[0] if size.dim_param else size.dim_value for size in tensor.shape.dim
                ]
                found[value.name] = tensor.elem_type, sizes
    return found


def models() -> list[ModelProto]:
    return [parser.parse_model(_MODEL), MODELS["layers"](3, 200)]


@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_types_are_those_of_the_whole(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    for model in models():
        del model.graph.value_info[:]  # which are found then
        whole = infer_model(model)
        assert whole is not None
        monkeypatch.setattr(inferred_parts, "MOST_COPIED", 0)
        monkeypatch.setattr(inferred_parts, "PART", size)
        assert types_of([*inferred_graphs(model)]) == types_of([whole])


@pytest.mark.parametrize("size", [1, 2, 7])
def test_parts_are_refused_where_the_whole_is(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    for model in models():
        good = refused_strictly(model, size, monkeypatch)
        declared = model.graph.value_info or model.graph.output
        value = declared[len(declared) // 2]
        value.type.tensor_type.elem_type = TensorProto.STRING
        assert (good, refused_strictly(model, size, monkeypatch)) == (False, True)


def refused_strictly(model: ModelProto, size: int, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether the strict inference refuses the whole, and with it the parts."""
    found = set()
    for most, part in ((1 << 30, size), (0, size)):
        monkeypatch.setattr(inferred_parts, "MOST_COPIED", most)
        monkeypatch.setattr(inferred_parts, "PART", part)
        try:
            list(inferred_graphs(model, infer_strictly))
        except shape_inference.InferenceError:
            found.add(True)
        else:
            found.add(False)
    assert len(found) == 1
    return found.pop()


def test_sizes_of_different_parts_have_different_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inferred_parts, "MOST_COPIED", 0)
    monkeypatch.setattr(inferred_parts, "PART", 1)
    parts = inferred_graphs(parser.parse_model(_MODEL))
    found = {value.name: value for part in parts for value in part.value_info}
    names = [found[name].type.tensor_type.shape.dim[1].dim_param for name in ("found", "more")]
    assert all(names) and len({*names, "unk__0"}) == 3


@pytest.mark.parametrize("faithful", [False, True])
def test_texts_are_those_of_the_whole(monkeypatch: pytest.MonkeyPatch, faithful: bool) -> None:
    names = {"test_if", "test_if_seq", "test_loop11", "test_loop13_seq", "test_scan_sum", "test_scan9_sum"}
    cases = [case.model for case in node_cases() if case.name in names]
    expected = [decompile(model, faithful=faithful).text for model in (*cases, *models())]
    monkeypatch.setattr(inferred_parts, "MOST_COPIED", 0)
    monkeypatch.setattr(inferred_parts, "PART", 2)
    assert [decompile(model, faithful=faithful).text for model in (*cases, *models())] == expected


def test_no_large_model_with_branches_is_inferred_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []

    def infer(model: ModelProto, **options: bool) -> ModelProto:
        sizes.append(len(model.graph.node))
        return infer_shapes(model, **options)

    infer_shapes = shape_inference.infer_shapes
    monkeypatch.setattr(shape_inference, "infer_shapes", infer)
    decompile(MODELS["layers"](3, 6_000))
    assert len(sizes) > 1 and max(sizes) <= 2 * inferred_parts.PART


def mish_library() -> Bundle:
    made = LibraryBuilder(domain="ai.onnx", mirror="acme.ai.onnx", domain_version=28)
    text = "(x) => (y) { s = Softplus (x) t = Tanh (s) y = Mul (x, t) }"
    made.add("Mish", [Body(text, (13, 28))], since_version=18)
    return made.bundle()


_BRANCHES = "".join(
    f"""t{i + 1} = If (c) <then_branch = l{i} () => (float[N] p{i}) {{ p{i} = Mish (t{i}) }},
                       else_branch = r{i} () => (float[N] q{i}) {{ q{i} = Neg (t{i}) }}> """
    for i in range(30)
)
_CALLS = "".join(f"t{i + 1} = my.F{i} (t{i}) " for i in range(30))
_FUNCTIONS = "".join(
    f'<domain: "my", opset_import: ["": 18]> F{i} (v) => (w) {{ u = Mish (v) w = Neg (u) }} ' for i in range(30)
)


@pytest.mark.parametrize("nodes", [_BRANCHES, _CALLS])
@pytest.mark.parametrize(
    "change",
    [
        partial(convert, opset=24),
        partial(polyfill, opset=17, libraries=mish_library()),
        partial(attach, libraries=[mish_library()], replace=True),
    ],
)
def test_commands_infer_large_models_part_by_part(
    monkeypatch: pytest.MonkeyPatch, change: Callable[[ModelProto], ModelProto], nodes: str
) -> None:
    """And make of it what they make of the whole, the shape of the output included, which `attach` writes."""
    model = parser.parse_model(
        f"""<ir_version: 8, opset_import: ["": 18, "my": 1]> g (float[N] t0, bool c) => (float y)
        {{ {nodes} y = Identity (t30) }} {_FUNCTIONS}"""
    )
    model.graph.output[0].type.tensor_type.ClearField("shape")
    expected = change(model)
    sizes: list[tuple[int, int]] = []

    def infer(model: ModelProto, **options: bool) -> ModelProto:
        sizes.append((len(model.graph.node), len(model.functions)))
        return infer_shapes(model, **options)

    infer_shapes = shape_inference.infer_shapes
    monkeypatch.setattr(shape_inference, "infer_shapes", infer)
    monkeypatch.setattr(inferred_parts, "MOST_COPIED", 0)
    monkeypatch.setattr(inferred_parts, "PART", 5)
    assert change(model) == expected
    assert sizes and max(count for count, _ in sizes) <= 5
    assert max(count for _, count in sizes) <= 5 * 2  # with those that the functions call


def test_a_size_that_inference_has_named_says_nothing() -> None:
    """Inference has put it there, and would give it another name today."""
    text = _MODEL.replace("{3, -1}>", "{3, -1}, int64[2, unk__9] found, float[M, 3] b>")
    made = decompile(parser.parse_model(text)).text
    assert "unk__9" not in made
    assert 'b: FLOAT["M", 3] = ' in made or "b: " not in made
