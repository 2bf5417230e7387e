"""Functions with variants that are called from functions: the right body on every runtime, called and inlined.

The reference evaluator ignores overloads, and onnxruntime resolves them in the main graph alone, so the variant is part
of the name. What eager mode gives is the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import ModelProto, compose, inliner
from onnx.reference import ReferenceEvaluator
from opwright import (
    BOOL,
    DOUBLE,
    FLOAT,
    INT64,
    DiagnosticError,
    GraphBuilder,
    OnnxFunction,
    Opset,
    compile_source,
    decompile,
    proto_function,
    script,
)
from opwright import opset18 as op

X = np.array([[1.5, -2.0, 3.0], [-0.5, 0.0, 4.0]], np.float32)
LOW, HIGH = np.float32(-1.0), np.float32(2.0)


# ------------------------------------------------------------------------------------------------ the families


@script()
def clip(x, low=None, high=None):
    if low is not None:
        x = op.Max(x, low)
    if high is not None:
        x = op.Min(x, high)
    return x


@script()
def remainder(x, y):
    return x % y


@script()
def marked(x: FLOAT[...] | DOUBLE[...] | INT64[...]):
    if x.dtype == FLOAT:
        return x + 1
    if x.dtype == DOUBLE:
        return x + 2
    return x + 3


@script()
def turned(x):
    if x.rank == 2:
        return op.Transpose(x, perm=[1, 0])
    return op.Neg(x)


@script()
def shaped(x, how: Literal["relu", "neg", "same_upper"] = "relu", times: int = 1):
    if how == "relu":
        x = op.Relu(x)
    elif how == "neg":
        x = op.Neg(x)
    return x * times


@script()
def scaled(x, alpha: float | None = None):
    return x if alpha is None else x * alpha


# ------------------------------------------------------------------------- functions that call them, two and three deep


@script()
def three_clips(x, low, high):
    return clip(x, low) + clip(x, low=None, high=high) + clip(x, low, high) + clip(x)


@script()
def three_deep(x, low, high):
    return three_clips(clip(x, high=high), low, high) - clip(x, low)


@script()
def handed_on(x, low=None, high=None):
    return clip(x, low, high) * 2


@script()
def two_remainders(x, n):
    return remainder(x, x * 0 + 2), remainder(n, n * 0 - 3)


@script()
def deep_remainders(x, n):
    a, b = two_remainders(x, n)
    return a + op.CastLike(remainder(b, b * 0 + 2), a), b


@script()
def mixed_types(x, n):
    wide = op.Cast(x, to=DOUBLE.dtype)
    return marked(x), marked(wide), marked(n)


@script()
def own_type(x: FLOAT[...] | DOUBLE[...]):
    return marked(x) * 2


@script()
def own_types_twice(x: FLOAT["N", "M"]):
    return own_type(x), own_type(op.Cast(x, to=DOUBLE.dtype))


@script()
def two_ranks(x: FLOAT["N", "M"]):
    return turned(x), turned(op.ReduceSum(x, keepdims=0))


@script()
def own_rank(x):
    return turned(op.Abs(x))


@script()
def own_ranks_twice(x: FLOAT["N", "M"]):
    return own_rank(x), own_rank(op.ReduceSum(x, [1], keepdims=0))


@script()
def all_shapes(x):
    return shaped(x, how="neg", times=3) + shaped(x) - shaped(x, how="same_upper")


@script()
def shapes_deep(x, how: Literal["relu", "neg", "same_upper"] = "neg"):
    return all_shapes(shaped(x, how=how)) + shaped(x, how=how)


@script()
def both_scales(x, beta: float = 2.0):
    return scaled(x) + scaled(x, alpha=beta)


@script()
def in_branches(x, positive: BOOL):
    y = clip(x, low=0.0)
    if positive:
        y = three_clips(x, -1.0, 1.0)
    return y


@script()
def in_a_loop(x: FLOAT["N", "M"], n: INT64):
    for i in range(n):
        x = clip(x, low=-1.0) + clip(x, high=op.CastLike(i, x))
    return op.ReduceSum(x, keepdims=0)


# -------------------------------------------------------------------------------------------------------- the judge

ROW = FLOAT["N", "M"]
N = np.array([5, -5, 7], np.int64)
CASES: dict[str, tuple[OnnxFunction, dict[str, Any], Sequence[Any]]] = {
    "presence": (three_clips, {"x": ROW, "low": FLOAT[()], "high": FLOAT[()]}, (X, LOW, HIGH)),
    "presence three deep": (three_deep, {"x": ROW, "low": FLOAT[()], "high": FLOAT[()]}, (X, LOW, HIGH)),
    "presence handed on": (handed_on, {"x": ROW, "high": FLOAT[()]}, (X, None, HIGH)),
    "remainders": (two_remainders, {"x": ROW, "n": INT64["K"]}, (X, N)),
    "remainders three deep": (deep_remainders, {"x": FLOAT["K"], "n": INT64["K"]}, (X[0], N)),
    "element types": (mixed_types, {"x": ROW, "n": INT64["K"]}, (X, N)),
    "element types three deep": (own_types_twice, {}, (X,)),
    "ranks": (two_ranks, {}, (X,)),
    "ranks three deep": (own_ranks_twice, {}, (X,)),
    "attributes": (all_shapes, {"x": ROW}, (X,)),
    "attributes three deep": (shapes_deep, {"x": ROW}, (X,)),
    "presence of an attribute": (both_scales, {"x": ROW}, (X,)),
    "in branches": (in_branches, {"x": ROW, "positive": BOOL[()]}, (X, np.array(True))),
    "in the other branch": (in_branches, {"x": ROW, "positive": BOOL[()]}, (X, np.array(False))),
    "in a loop": (in_a_loop, {"x": ROW, "n": INT64[()]}, (X, np.array(3))),
}


def by_script(function: OnnxFunction, types: dict[str, Any]) -> ModelProto:
    return function.to_model_proto(input_types=types or None)


def by_builder(function: OnnxFunction, types: dict[str, Any]) -> ModelProto:
    """A graph that calls the function, so that its callees are one level deeper."""
    builder = GraphBuilder(18)
    given = {name: builder.input(name, type_) for name, type_ in (types or {"x": ROW}).items()}
    found = builder.call_function(function, [], given)
    for index, value in enumerate(found if isinstance(found, tuple) else (found,)):
        builder.output(f"y{index}", value)
    return builder.to_model_proto()


def judge(model: ModelProto, arrays: Sequence[Any], wanted: Any) -> None:
    """The same on onnxruntime and the reference evaluator, called and inlined; and no overloads are used."""
    wanted = wanted if isinstance(wanted, tuple) else (wanted,)
    given = [array for array in arrays if array is not None]
    assert all(not item.overload and item.name.isidentifier() and item.name.isascii() for item in model.functions)
    feeds = {value.name: np.asarray(array) for value, array in zip(model.graph.input, given, strict=True)}
    inlined = inliner.inline_local_functions(model)
    assert not inlined.functions
    for each in (model, inlined):
        for results in (*on_onnxruntime(each, feeds), ReferenceEvaluator(each).run(None, feeds)):
            for one, other in zip(results, wanted, strict=True):
                assert np.asarray(one).dtype == other.dtype
                np.testing.assert_allclose(one, other, rtol=1e-6)


def on_onnxruntime(model: ModelProto, feeds: dict[str, Any]) -> Iterator[list[Any]]:
    for level in (ort.GraphOptimizationLevel.ORT_DISABLE_ALL, ort.GraphOptimizationLevel.ORT_ENABLE_ALL):
        options = ort.SessionOptions()
        options.graph_optimization_level = level
        options.intra_op_num_threads = 1
        session = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        yield session.run(None, feeds)


@pytest.mark.parametrize("make", [by_script, by_builder])
@pytest.mark.parametrize("case", CASES)
def test_every_nesting_runs_the_right_body(case: str, make: Callable[..., ModelProto]) -> None:
    function, types, arrays = CASES[case]
    model = make(function, types)
    onnx.checker.check_model(model, full_check=True)
    assert any("__" in item.name for item in model.functions)
    judge(model, arrays, function(*arrays))


def names_of(model: ModelProto) -> list[str]:
    return sorted(item.name for item in model.functions)


def test_names_say_the_variant_and_depend_on_nothing_else() -> None:
    scalars = {"low": FLOAT[()], "high": FLOAT[()]}
    model = three_deep.to_model_proto(input_types={"x": ROW, **scalars})
    assert names_of(model) == [
        "clip__low_absent__high_absent",
        "clip__low_absent__high_present",
        "clip__low_present__high_absent",
        "clip__low_present__high_present",
        "three_clips",
    ]

    @script()
    def one_alone(x: ROW, high: FLOAT[()]):
        return clip(x, high=high)

    @script()
    def other_order(x: ROW, low: FLOAT[()], high: FLOAT[()]):
        return clip(x, low) + clip(x, high=high)

    assert names_of(one_alone.to_model_proto()) == ["clip__low_absent__high_present"]
    assert names_of(other_order.to_model_proto()) == [
        "clip__low_absent__high_present",
        "clip__low_present__high_absent",
    ]
    assert names_of(by_script(all_shapes, {"x": ROW})) == [
        "shaped__how_neg",
        "shaped__how_relu",
        "shaped__how_sameX5Fupper",
    ]


def make_inner(operator: Any) -> OnnxFunction:
    @script()
    def inner(x):
        return operator(x)

    return inner


FIRST, SECOND = make_inner(op.Abs), make_inner(op.Neg)


def test_variants_that_call_different_functions_of_one_name_are_different() -> None:
    @script()
    def chosen(x, how: Literal["first", "second"] = "first"):
        return FIRST(x) if how == "first" else SECOND(x)

    @script()
    def both(x: ROW):
        return chosen(x), chosen(x, how="second")

    model = both.to_model_proto()
    assert names_of(model) == ["chosen__how_first", "chosen__how_second", "inner", "inner_2"]
    judge(model, [X], (np.abs(X), -X))


def make_clip(factor: float) -> OnnxFunction:
    @script()
    def clip(x, low=None):
        return x * factor if low is None else op.Max(x, low) * factor

    return clip


def test_two_families_of_one_name() -> None:
    second, third = make_clip(2.0), make_clip(3.0)

    @script()
    def both(x: ROW):
        return second(x, 0.0) + third(x), third(x, 1.0) - second(x)

    model = both.to_model_proto()
    assert names_of(model) == [
        "clip_2__low_absent",
        "clip_2__low_present",
        "clip__low_absent",
        "clip__low_present",
    ]
    judge(model, [X], both(X))
    kept = both.to_model_proto(functions=[second])
    assert names_of(kept) == names_of(model)
    assert names_of(both.to_model_proto(functions=["clip__low_present"])) == ["clip__low_present"]


@script()
def clip__low_absent__high_absent(x):
    return x - 100


@pytest.mark.parametrize("order", ["clip(x), taken(x)", "taken(x), clip(x)"])
def test_a_function_that_has_a_variants_name(order: str) -> None:
    """In the local domain, whose names are given where they are needed, both are there; elsewhere it is refused."""
    text = f"from opwright import FLOAT\ndef both(x: FLOAT['N', 'M']):\n    return {order}\n"
    for domain, wanted in (("", None), ("com.acme", ["OW366"])):
        opset = Opset(domain, 1) if domain else None
        functions = {
            "clip": script(opset, op)(clip.__wrapped__),
            "taken": script(opset, op)(clip__low_absent__high_absent.__wrapped__),
        }
        both = compile_source(text, "both")
        both.__wrapped__.__globals__.update(functions)
        if wanted is None:
            judge(both.to_model_proto(opset=18), [X], both(X))
            continue
        with pytest.raises(DiagnosticError) as raised:
            both.to_model_proto(opset=18)
        assert [item.code for item in raised.value.diagnostics] == wanted


def test_overloads_on_request() -> None:
    """What functions call has its variant in its name even then: no runtime finds an overload there."""

    @script()
    def mixed(x: ROW):
        return clip(x, 0.0), handed_on(x, high=1.0)

    model = mixed.to_model_proto(profile="overload")
    onnx.checker.check_model(model, full_check=True)
    assert model.ir_version == 10
    assert {(item.name, item.overload) for item in model.functions} == {
        ("clip", "low=present,high=absent"),
        ("clip__low_absent__high_present", ""),
        ("handed_on", "low=absent,high=present"),
    }
    builder = GraphBuilder(18)
    for index, value in enumerate(
        (builder.call(clip, builder.input("x", ROW), 0.0), builder.call(clip, builder.input("z", ROW)))
    ):
        builder.output(f"y{index}", value)
    built = builder.to_model_proto(profile="overload")
    assert {item.overload for item in built.functions} == {"low=present,high=absent", "low=absent,high=absent"}
    release = tuple(map(int, ort.__version__.split(".")[:2]))
    models = ((model, [X], mixed(X)), (built, [X, X], (clip(X, 0.0), X)))
    for each, arrays, wanted in models if release >= (1, 27) else ():  # older ones run the last function of a name
        feeds = {value.name: array for value, array in zip(each.graph.input, arrays, strict=True)}
        for results in on_onnxruntime(each, feeds):
            for one, other in zip(results, wanted, strict=True):
                np.testing.assert_array_equal(one, other)
    unknown: Any = "none"
    with pytest.raises(ValueError, match="none"):
        mixed.to_model_proto(profile=unknown)


# ------------------------------------------------------------------------------------- protos and whole models


@pytest.mark.parametrize("profile", ["portable", "overload"])
def test_protos_with_overloads_are_called_by_name(profile: Literal["portable", "overload"]) -> None:
    """A proto from elsewhere may have overloads; below functions they would be another body."""
    protos = clip.to_function_protos(18, profile=profile)
    inner = {proto.overload or proto.name: proto for proto in protos}
    names = ["low=present,high=absent", "low=absent,high=present"]
    if profile == "portable":
        names = ["clip__low_present__high_absent", "clip__low_absent__high_present"]
    calls = [
        onnx.helper.make_node(inner[name].name, ["x", bound], [f"t{index}"], domain="opwright.local")
        for index, (name, bound) in enumerate(zip(names, ("low", "high"), strict=True))
    ]
    for node, name in zip(calls, names, strict=True):
        node.overload = inner[name].overload
    outer = onnx.helper.make_function(
        "com.acme",
        "outer",
        ["x", "low", "high"],
        ["y"],
        [*calls, onnx.helper.make_node("Add", ["t0", "t1"], ["y"])],
        [onnx.helper.make_opsetid("", 18), onnx.helper.make_opsetid("opwright.local", 1)],
    )
    called = proto_function(outer, protos)
    builder = GraphBuilder(18)
    x, low, high = builder.input("x", ROW), builder.input("low", FLOAT[()]), builder.input("high", FLOAT[()])
    builder.output("y", builder.call(called, x, low, high))
    builder.output("z", builder.call(clip, x, low))
    model = builder.to_model_proto()
    wanted = clip(X, LOW) + clip(X, high=HIGH)
    judge(model, [X, LOW, HIGH], (wanted, clip(X, LOW)))
    assert names_of(model) == ["clip__low_absent__high_present", "clip__low_present__high_absent", "outer"]


def test_two_models_become_one() -> None:
    first = three_clips.to_model_proto(input_types={"x": ROW, "low": FLOAT[()], "high": FLOAT[()]})

    @script()
    def after(y: ROW):
        return handed_on(y, 0.0) + clip(y, high=1.0) + clip(y, high=1.0)

    second = after.to_model_proto()
    joined = compose.merge_models(
        compose.add_prefix(first, "a_"),
        compose.add_prefix(second, "b_"),
        io_map=[(f"a_{first.graph.output[0].name}", "b_y")],
    )
    assert len(joined.functions) == len(first.functions) + len(second.functions)
    judge(joined, [X, LOW, HIGH], after(three_clips(X, LOW, HIGH)))
    again = compile_source(decompile(joined).text, joined.graph.name).__wrapped__.__globals__["model"]()
    assert names_of(again) == names_of(joined)
    judge(again, [X, LOW, HIGH], after(three_clips(X, LOW, HIGH)))


@pytest.mark.parametrize("case", ["presence three deep", "element types three deep", "attributes three deep"])
def test_models_come_back(case: str) -> None:
    function, types, arrays = CASES[case]
    model = by_script(function, types)
    again = compile_source(decompile(model).text, model.graph.name).__wrapped__.__globals__["model"]()
    assert names_of(again) == names_of(model)
    judge(again, arrays, function(*arrays))
