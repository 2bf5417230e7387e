"""What attaching comes to in each situation that a model may be in: one table.

A row says what is special, the model, and the outcome: `ATTACHED` (every runtime gives the numbers that numpy gives,
and detaching gives the model back, byte for byte), or the codes of the findings with which the model is refused.
Findings that hinder nothing stand in `told`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import ModelProto, TensorProto, compose, helper, numpy_helper
from opwright.bundle.format import AttributeEntry, Bundle, InputEntry, OutputEntry
from opwright.link.apply import attach_libraries
from opwright.link.detach import detach
from opwright.variants import Profile

from tests.link.conftest import Body, LibraryBuilder, make_acme, make_standard, parse, refused, run_everywhere

ATTACHED = "attached"
NEWEST_RUN = 13  # the IR version that the oldest onnxruntime at hand takes
F = np.float32


def swish(x: Any, alpha: float = 1.5) -> Any:
    return x / (1 + np.exp(-np.multiply(x, alpha)))


def softplus(x: Any) -> Any:
    return np.log1p(np.exp(x))


@dataclass(frozen=True)
class Situation:
    """`expect` gives the outputs for the inputs `feeds`; one input x of three values where nothing else is said."""

    what: str
    model: str | Callable[[], ModelProto]
    outcome: str = ATTACHED
    expect: Callable[..., Any] | None = None
    feeds: Mapping[str, Any] = field(default_factory=lambda: {"x": np.array([-1, 0, 2], F)})
    libraries: Callable[[], Sequence[Bundle]] = lambda: [make_acme()]
    options: Mapping[str, Any] = field(default_factory=dict)
    told: tuple[str, ...] | None = ()  # None: it depends on the releases at hand

    def made(self) -> ModelProto:
        return parse(self.model) if isinstance(self.model, str) else self.model()


def graph(
    nodes: str,
    inputs: str = "float[N] x",
    outputs: str = "float[N] y",
    *,
    ir: int = 10,
    imports: str = '"": 18, "com.acme": 1',
    functions: str = "",
    between: str = "",
) -> str:
    return (
        f"<ir_version: {ir}, opset_import: [{imports}]> g ({inputs}) => ({outputs}) {between} {{ {nodes} }} {functions}"
    )


SWISH = "y = com.acme.Swish(x)"
MY = '"": 18, "com.acme": 1, "my": 1'
MINE = '<domain: "my", opset_import: ["": 18, "com.acme": 1]> Mine (x) => (y) {{ {} }}'
IF = """c = Constant<value = bool {{1}}>()
    y = If(c) <then_branch = a () => (float[N] p) {{ {} }}, else_branch = b () => (float[N] q) {{ q = Neg(x) }}>"""
LOOP = """n = Constant<value = int64 {3}>() c = Constant<value = bool {1}>()
    y = Loop(n, c, x) <body = b (int64 i, bool k, float[N] v) => (bool o, float[N] w)
    { o = Identity(k) w = com.acme.Swish(v) }>"""
SCAN = "y = Scan(x) <num_scan_inputs = 1, body = b (float e) => (float d) { d = com.acme.Swish(e) }>"


# ------------------------------------------------------------------------------------------- libraries and models


def other(name: str = "other-ops", domain: str = "com.other", **changes: Any) -> Callable[[], Bundle]:
    def make() -> Bundle:
        library = LibraryBuilder(name=name, domain=domain, **changes)
        library.add("Swish", "(x) => (y) { y = Exp(x) }")
        return library.bundle()

    return make


def with_more() -> Bundle:
    """A later release of another library in the domain com.acme, with a function of its own."""
    library = LibraryBuilder(name="acme-more", domain_version=2)
    library.add("Extra", "(x) => (y) { y = Exp(x) }")
    return library.bundle()


def lonely() -> Bundle:
    """Twice without the function that it calls."""
    acme = make_acme()
    kept = tuple(entry for entry in acme.index.functions if entry.name == "Twice")
    return Bundle(replace(acme.index, functions=kept), acme.bodies, acme.digest)


def damaged() -> Bundle:
    acme = make_acme()
    return Bundle(acme.index, dict.fromkeys(acme.bodies, b"\xff"), acme.digest)


def shaped() -> Bundle:
    library = LibraryBuilder()
    library.add("Row", "(x) => (y) { y = Neg(x) }", inputs=[InputEntry("x", "T", rank=1, shape=(4,))])
    return library.bundle()


def listed() -> Bundle:
    """Functions of sequences."""
    library = LibraryBuilder()
    body = "(xs) => (y) { i = Constant<value = int64 {0}>() y = SequenceAt(xs, i) }"
    library.add("First", body, inputs=[InputEntry("xs", "seq(T)")])
    made = "(x) => (ys) { n = Neg(x) ys = SequenceConstruct(x, n) }"
    library.add("Both", made, outputs=[OutputEntry("ys", "seq(T)")])
    return library.bundle()


def added() -> Bundle:
    library = LibraryBuilder()
    library.add("Sum", "(a, b) => (y) { y = Add(a, b) }", inputs=["a", "b"])
    scale = AttributeEntry("scale", "FLOAT", True)
    library.add(
        "Scaled", "<scale>(x) => (y) { s = Constant<value_float: float = @scale>() y = Mul(x, s) }", attributes=[scale]
    )
    return library.bundle()


def chained(length: int) -> Callable[[], Bundle]:
    def make() -> Bundle:
        library = LibraryBuilder()
        library.add("F0", "(x) => (y) { one = Constant<value_float: float = 1.0>() y = Add(x, one) }", types=["float"])
        for index in range(1, length):
            library.add(f"F{index}", f"(x) => (y) {{ y = com.acme.F{index - 1}(x) }}", types=["float"])
        return library.bundle()

    return make


def halved() -> Bundle:
    """A function with a body for each type, which differ in nothing else."""
    library = LibraryBuilder()
    text = "(x) => (y) {{ h = Constant<value_float: float = 0.5>() c = Cast<to={}>(h) y = Mul(x, c) }}"
    bodies = [
        Body(text.format(code), variant=(("T", name),), admits=(name,))
        for name, code in (("float16", 10), ("float", 1), ("double", 11))
    ]
    library.add("Halved", bodies)
    return library.bundle()


def hidden() -> Bundle:
    library = LibraryBuilder(domain="com.microsoft")
    library.add("FastGelu", "(X) => (Y) { Y = Neg(X) }", inputs=["X"], outputs=["Y"])
    return library.bundle()


def untyped(name: str) -> ModelProto:
    """A call of a function on what an operator gives that nothing describes."""
    return parse(graph(f"t = my.Unknown(x) y = com.acme.{name}(t)", imports=MY))


def open_outputs() -> ModelProto:
    model = parse(graph("t = com.acme.Twice(x) y = com.acme.Floor(t)"))
    model.graph.output[0].ClearField("type")
    return model


def open_ranks() -> ModelProto:
    model = parse(graph(SWISH))
    for value in (*model.graph.input, *model.graph.output):
        value.type.tensor_type.ClearField("shape")
    return model


def attached(text: str, **options: Any) -> Callable[[], ModelProto]:
    return lambda: attach_libraries(parse(text), [make_acme()], **options).model


def without_import() -> ModelProto:
    model = parse(graph("y = com.acme.Swish(x)"))
    kept = [item for item in model.opset_import if item.domain != "com.acme"]
    del model.opset_import[:]
    model.opset_import.extend(kept)
    return model


def merged() -> ModelProto:
    """Two models to which the library was attached, one behind the other."""
    one = attach_libraries(parse(graph("m = com.acme.Swish(x)", outputs="float[N] m")), [make_acme()]).model
    two = attach_libraries(parse(graph("y = com.acme.Pair(k)", inputs="float[N] k")), [make_acme()]).model
    return compose.merge_models(one, two, io_map=[("m", "k")])


def side_by_side() -> ModelProto:
    """Two plain models, merged before anything is attached."""
    one = parse(graph("m = com.acme.Swish(x)", outputs="float[N] m"))
    two = parse(graph("y = com.acme.Swish(k)", inputs="float[N] k"))
    return compose.merge_models(one, two, io_map=[("m", "k")])


def external() -> ModelProto:
    model = parse(graph("t = Add(x, w) y = com.acme.Swish(t)", inputs="float[3] x", outputs="float[3] y"))
    weight = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[3], data_location=TensorProto.EXTERNAL)
    weight.external_data.add(key="location", value="weights.bin")
    model.graph.initializer.append(weight)
    return model


def dotted() -> ModelProto:
    """Names as exporters write them."""
    model = parse(graph("t = com.acme.Twice(x) y = com.acme.Floor(t, t)"))
    first, second = model.graph.node
    first.name, second.name = "layer.0/Twice", "layer.0/Floor:1"
    first.output[0] = second.input[0] = second.input[1] = "layer.0.out:0"
    return model


def with_initializers(*, is_input: bool) -> ModelProto:
    model = parse(graph("y = com.acme.Floor(x, low)"))
    model.graph.initializer.append(numpy_helper.from_array(np.array([1], F), "low"))
    if is_input:
        model.graph.input.append(helper.make_tensor_value_info("low", TensorProto.FLOAT, [1]))
    return model


def named_like_values() -> ModelProto:
    """Values of the graph that are called as those of bodies."""
    return parse(graph("v0 = com.acme.Swish(x) v1 = com.acme.Twice(v0) y = com.acme.Floor(v1)"))


def own_overloads() -> ModelProto:
    model = parse(graph("t = my.Mine(x) y = com.acme.Swish(t)", imports=MY, functions=MINE.format("y = Neg(x)")))
    model.functions[0].overload = model.graph.node[0].overload = "special"
    return model


def with_metadata() -> ModelProto:
    model = parse(graph(SWISH))
    model.metadata_props.add(key="a", value="b")
    model.graph.node[0].metadata_props.add(key="c", value="d")
    model.doc_string, model.producer_name, model.model_version = "doc", "me", 7
    return model


def f16(value: Any) -> Any:
    return np.array(value, np.float16)


def _ir(version: int) -> Situation:
    text = graph("t = com.acme.Twice(x) y = com.acme.Floor(t)", ir=version)
    if version > NEWEST_RUN:
        return Situation(f"IR version {version}", text, "not run", told=None)
    return Situation(f"IR version {version}", text, expect=lambda x: 2 * swish(x))


def _two(first: Callable[[], Bundle], second: Callable[[], Bundle]) -> Callable[[], Sequence[Bundle]]:
    return lambda: [first(), second()]


TWO_DOMAINS = '"": 18, "com.acme": 1, "com.other": 1'

# ------------------------------------------------------------------------------------------------------ the table

SITUATIONS = [
    # where the nodes stand
    Situation("one node", graph(SWISH), expect=swish),
    Situation(
        "the same function twice",
        graph(f"t = com.acme.Swish(x) {SWISH.replace('(x)', '(t)')}"),
        expect=lambda x: swish(swish(x)),
    ),
    Situation(
        "an attribute that is given", graph("y = com.acme.Swish<alpha = 0.5>(x)"), expect=lambda x: swish(x, 0.5)
    ),
    Situation(
        "two values of one attribute",
        graph("t = com.acme.Swish<alpha = 0.5>(x) y = com.acme.Swish(t)"),
        expect=lambda x: swish(swish(x, 0.5)),
    ),
    Situation("a function that calls another", graph("y = com.acme.Twice(x)"), expect=lambda x: 2 * swish(x)),
    Situation("a node in a branch", graph(IF.format("p = com.acme.Swish(x)")), expect=swish),
    Situation("a nested call in a branch", graph(IF.format("p = com.acme.Twice(x)")), expect=lambda x: 2 * swish(x)),
    Situation(
        "a branch in a branch",
        graph(
            IF.format(
                IF.format("r = com.acme.Swish(x)")
                .replace("y = If", "p = If")
                .replace("p)", "r)", 1)
                .replace("c =", "k =")
                .replace("If(c)", "If(k)")
                .replace("float[N] p", "float[N] r")
                .replace("float[N] q", "float[N] s")
                .replace("q = Neg", "s = Neg")
                .replace("= a ", "= d ")
                .replace("= b ", "= e ")
            )
        ),
        expect=swish,
    ),
    Situation("the body of a Loop", graph(LOOP), expect=lambda x: swish(swish(swish(x)))),
    Situation("the body of a Scan", graph(SCAN), expect=swish),
    Situation(
        "a function of the model",
        graph("y = my.Mine(x)", imports=MY, functions=MINE.format("y = com.acme.Twice(x)")),
        expect=lambda x: 2 * swish(x),
    ),
    Situation(
        "a function of the model, called twice",
        graph("t = my.Mine(x) y = my.Mine(t)", imports=MY, functions=MINE.format("y = com.acme.Swish(x)")),
        expect=lambda x: swish(swish(x)),
    ),
    Situation(
        "a function of the model that is reached with two types",
        graph(
            "y = my.Mine(x) w = my.Mine(z)",
            "float[N] x, double[N] z",
            "float[N] y, double[N] w",
            imports=MY,
            functions=MINE.format("y = com.acme.Kind(x)"),
        ),
        "OW569",
    ),
    Situation(
        "a function of the model that calls itself",
        graph("y = my.Mine(x)", imports=MY, functions=MINE.format("t = com.acme.Swish(x) y = my.Mine(t)")),
        "OW596",
    ),
    Situation(
        "a chain of 120 functions",
        graph("y = com.acme.F119(x)"),
        expect=lambda x: x + 1,
        libraries=lambda: [chained(120)()],
    ),
    # libraries and domains
    Situation(
        "two libraries",
        graph("t = com.acme.Floor(x) y = com.other.Swish(t)", imports=TWO_DOMAINS),
        expect=np.exp,
        libraries=_two(make_acme, other()),
    ),
    Situation(
        "one name in two domains",
        graph("t = com.acme.Swish(x) y = com.other.Swish(t)", imports=TWO_DOMAINS),
        expect=lambda x: np.exp(swish(x)),
        libraries=_two(make_acme, other()),
    ),
    Situation(
        "two libraries of one domain",
        graph("t = com.acme.Floor(x) y = com.acme.Extra(t)"),
        expect=np.exp,
        libraries=_two(make_acme, with_more),
    ),
    Situation("the same library twice", graph(SWISH), expect=swish, libraries=_two(make_acme, make_acme)),
    Situation(
        "two libraries with another body each",
        graph(SWISH),
        "OW563",
        libraries=_two(make_acme, other("acme-fork", "com.acme")),
    ),
    Situation("a callee that no library has", graph("y = com.acme.Twice(x)"), "OW564", libraries=lambda: [lonely()]),
    Situation("a library with damaged bodies", graph(SWISH), "OW575", libraries=lambda: [damaged()]),
    Situation(
        "a domain that no library has",
        graph("t = Identity(x) y = com.other.Swish(t)", imports=TWO_DOMAINS),
        "nothing",
        told=("OW552", "OW573"),
    ),
    # versions
    Situation("an older version by its import", graph(SWISH, imports='"": 18, "com.acme": 1'), expect=swish),
    Situation("a newer version by its import", graph(SWISH, imports='"": 18, "com.acme": 2'), expect=np.negative),
    Situation(
        "a callee of an older version than the import",
        graph("t = com.acme.Twice(x) y = com.acme.Swish(t)", imports='"": 18, "com.acme": 2'),
        expect=lambda x: -2 * swish(x),
    ),
    Situation("a domain that the model does not import", without_import, expect=np.negative),
    Situation("an import that is newer than the library", graph(SWISH, imports='"": 18, "com.acme": 3'), "OW555"),
    Situation("a function that came later than the import", graph("y = com.acme.Late(x)"), "OW554"),
    Situation("a function that there is not", graph("y = com.acme.Swisch(x)"), "OW553"),
    # calls
    Situation("an optional input that is left out", graph("y = com.acme.Floor(x)"), expect=lambda x: x),
    Situation("an optional input without a name", graph('y = com.acme.Floor(x, "")'), expect=lambda x: x),
    Situation("an optional input that is given", graph("n = Neg(x) y = com.acme.Floor(x, n)"), expect=np.abs),
    Situation("an output that nothing uses", graph("y, z = com.acme.Pair(x)"), expect=np.negative),
    Situation("an output that is left out at the end", graph("y = com.acme.Pair(x)"), expect=np.negative),
    Situation("an output that is left out before another", graph('"", y = com.acme.Pair(x)'), expect=np.abs),
    Situation("an input too many", graph("y = com.acme.Swish(x, x)"), "OW557"),
    Situation("an attribute that there is not", graph("y = com.acme.Swish<beta = 1.0>(x)"), "OW558"),
    Situation("an attribute of another type", graph("y = com.acme.Swish<alpha = 1>(x)"), "OW558"),
    Situation("an attribute that is required", graph("y = com.acme.Scaled(x)"), "OW558", libraries=lambda: [added()]),
    # types and shapes
    Situation(
        "double",
        graph("y = com.acme.Kind(x)", "double[N] x", "double[N] y"),
        expect=lambda x: x + 2,
        feeds={"x": np.array([1, 2.0])},
    ),
    Situation(
        "float and double in one model",
        graph("y = com.acme.Kind(x) w = com.acme.Kind(z)", "float[N] x, double[N] z", "float[N] y, double[N] w"),
        expect=lambda x, z: (x + 1, z + 2),
        feeds={"x": np.ones(2, F), "z": np.ones(2)},
    ),
    Situation(
        "float16",
        graph("y = com.acme.Pair(x)", "float16[N] x", "float16[N] y"),
        expect=np.negative,
        feeds={"x": f16([1, 2])},
    ),
    Situation(
        "float16 where the function has none", graph("y = com.acme.Kind(x)", "float16[N] x", "float16[N] y"), "OW560"
    ),
    Situation("bfloat16", graph(SWISH, "bfloat16[N] x", "bfloat16[N] y"), "OW560"),
    Situation(
        "inputs of two types",
        graph("y = com.acme.Sum(x, z)", "float[N] x, double[N] z"),
        "OW561",
        libraries=lambda: [added()],
    ),
    Situation(
        "a type that nothing tells, of one body", lambda: untyped("Swish"), "nothing runs", told=("OW568", "OW573")
    ),
    Situation("a type that nothing tells, of several bodies", lambda: untyped("Kind"), "OW559"),
    Situation(
        "a type that only value_info tells",
        graph("t = my.Unknown(x) y = com.acme.Kind(t)", imports=MY, between="<float[N] t>"),
        "nothing runs",
        told=("OW568", "OW573"),
    ),
    Situation("outputs without types", open_outputs, expect=lambda x: 2 * swish(x)),
    Situation("inputs and outputs without ranks", open_ranks, "no ranks", told=("OW588",)),
    Situation(
        "a shape against a promise",
        graph("y = com.acme.Row(x)", "float[3] x", "float[3] y"),
        "OW143",
        libraries=lambda: [shaped()],
    ),
    Situation("a tensor without elements", graph(SWISH), expect=swish, feeds={"x": np.zeros(0, F)}),
    Situation("a scalar", graph(SWISH, "float x", "float y"), expect=swish, feeds={"x": np.array(2, F)}),
    # opsets
    Situation("an opset before the first body", graph(SWISH, imports='"": 14, "com.acme": 1'), "OW556"),
    Situation("the first opset of a body", graph(SWISH, imports='"": 15, "com.acme": 1'), expect=swish),
    Situation("the last opset of a body", graph(SWISH, imports='"": 22, "com.acme": 1'), expect=swish),
    Situation("an opset after the last body", graph(SWISH, imports='"": 23, "com.acme": 1'), "OW556"),
    Situation(
        "a function of the model of another opset",
        graph(
            "t = my.Mine(x) y = com.acme.Swish(t)",
            imports=MY,
            functions=MINE.format("y = Neg(x)").replace('"": 18', '"": 17'),
        ),
        expect=lambda x: swish(-x),
    ),
    Situation("no import of ai.onnx", graph("y = com.acme.Floor(x)", imports='"com.acme": 1'), expect=lambda x: x),
    # IR versions
    *map(_ir, range(3, onnx.IR_VERSION + 1)),
    # functions that the model has, overloads
    Situation(
        "functions that are attached already", attached(graph("y = com.acme.Twice(x)")), "nothing", told=("OW552",)
    ),
    Situation(
        "functions that another release has attached",
        attached(graph("t = com.acme.Swish(x) y = com.acme.Floor(t)")),
        "OW562",
        libraries=lambda: [other("acme-ops", "com.acme", version="1.1.0")()],
    ),
    Situation(
        "a function of the model under a name of the library",
        graph(SWISH, functions='<domain: "com.acme", opset_import: ["": 18]> Swish (x) => (y) { y = Exp(x) }'),
        "OW562",
    ),
    Situation("functions with overloads", own_overloads, expect=lambda x: swish(-x)),
    Situation(
        "variants by overload",
        graph("y = com.acme.Floor(x)"),
        "by overload",
        options={"profile": Profile.OVERLOAD},
        told=("OW531",),
    ),
    # names
    Situation("names with dots, slashes and colons", dotted, expect=lambda x: 2 * swish(x)),
    Situation("values that are called as those of bodies", named_like_values, expect=lambda x: 2 * swish(swish(x))),
    Situation(
        "a kernel of that name",
        graph("y = com.microsoft.FastGelu(x)", imports='"": 18, "com.microsoft": 1'),
        "the kernel runs",
        libraries=lambda: [hidden()],
        told=("OW540",),
    ),
    # what else a model holds
    Situation("an initializer", lambda: with_initializers(is_input=False), expect=lambda x: np.maximum(x, 1)),
    Situation(
        "an initializer that is an input", lambda: with_initializers(is_input=True), expect=lambda x: np.maximum(x, 1)
    ),
    Situation("weights in another file", external, expect=lambda x: swish(x + 1)),
    Situation("metadata and texts", with_metadata, expect=swish),
    Situation(
        "a sequence that a function takes",
        graph("s = SequenceConstruct(x, x) y = com.acme.First(s)"),
        expect=lambda x: x,
        libraries=lambda: [listed()],
    ),
    Situation(
        "a sequence that a function gives",
        graph("s = com.acme.Both(x) i = Constant<value = int64 {1}>() y = SequenceAt(s, i)"),
        expect=np.negative,
        libraries=lambda: [listed()],
    ),
    Situation(
        "quantised",
        graph(
            "d = DequantizeLinear(q, s, p) t = com.acme.Floor(d) y = QuantizeLinear(t, s, p)",
            "uint8[N] q",
            "uint8[N] y",
            imports='"": 21, "com.acme": 1',
            between="<float s = {0.5}, uint8 p = {3}>",
        ),
        expect=lambda q: q,
        feeds={"q": np.array([1, 7], np.uint8)},
    ),
    Situation("merged before it is attached", side_by_side, expect=lambda x: swish(swish(x))),
    Situation("merged after it was attached", merged, "nothing", expect=lambda x: -swish(x), told=("OW552",)),
    # options
    Situation(
        "types that are decided later",
        graph("y = com.acme.Halved(x)", "float16[N] x", "float16[N] y"),
        expect=lambda x: x / 2,
        feeds={"x": f16([1, 3])},
        libraries=lambda: [halved()],
        options={"late_types": True},
    ),
    Situation("types that a body cannot follow", graph("y = com.acme.Kind(x)"), "OW545", options={"late_types": True}),
    Situation(
        "an operator of the standard",
        graph("y = Softplus(x)", imports='"": 18'),
        expect=softplus,
        libraries=lambda: [make_standard()],
        options={"replace": True},
    ),
    Situation(
        "an operator of the standard, without asking",
        graph("y = Softplus(x)", imports='"": 18'),
        "nothing",
        libraries=lambda: [make_standard()],
        told=("OW552",),
    ),
    Situation(
        "an operator of the standard with a type that the library lacks",
        graph("y = HardSwish(x)", "double[N] x", "double[N] y", imports='"": 18'),
        "nothing",
        libraries=lambda: [make_standard()],
        options={"replace": True},
        told=("OW570",),
    ),
    Situation(
        "inlined", graph("y = com.acme.Twice(x)"), "inlined", expect=lambda x: 2 * swish(x), options={"inline": True}
    ),
]


def test_the_table_is_one_of_situations() -> None:
    names = [item.what for item in SITUATIONS]
    assert len(set(names)) == len(names) >= 40


@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda item: item.what.replace(" ", "-"))
def test_attaching(situation: Situation, tmp_path: Path) -> None:
    before = situation.made()
    original = before.SerializeToString(deterministic=True)
    libraries = situation.libraries()
    if situation.outcome.startswith("OW"):
        found = refused(lambda: attach_libraries(before, libraries, **situation.options))
        assert {item.code for item in found} == {situation.outcome}
        return
    done = attach_libraries(before, libraries, **situation.options)
    assert before.SerializeToString(deterministic=True) == original
    assert situation.told is None or tuple(sorted(item.code for item in done.diagnostics)) == situation.told
    assert bool(done.model.SerializeToString(deterministic=True) == original) == (situation.outcome == "nothing")
    if situation.outcome != "inlined" and not situation.options.get("inline"):
        again = detach(done.model) if situation.outcome != "nothing" else before
        assert again.SerializeToString(deterministic=True) == original
    if situation.expect is not None:
        (tmp_path / "weights.bin").write_bytes(np.ones(3, F).tobytes())
        onnx.load_external_data_for_model(done.model, str(tmp_path))
        found = run_everywhere(done.model, **situation.feeds)
        wanted = situation.expect(*situation.feeds.values())
        for array, expected in zip(found, wanted if isinstance(wanted, tuple) else (wanted,), strict=False):
            np.testing.assert_allclose(array, expected, rtol=1e-5, atol=1e-6)
