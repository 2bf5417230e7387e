"""Types that models declare inside come back: runtimes fuse nodes by them, and graphs take values by them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import GraphProto, ModelProto, TypeProto, checker, load_from_string, parser
from onnxruntime import GraphOptimizationLevel, InferenceSession, SessionOptions
from opwright import BOOL, FLOAT, INT64, DiagnosticError, GraphBuilder, compile_source, decompile
from opwright import opset18 as op
from opwright.decompiler.recompile_check import check_model
from opwright.graphs.walk import all_graphs, all_nodes

from tests.decompiler.make_models import make
from tests.decompiler.roundtrip import equal, interface_of

LEVELS = (GraphOptimizationLevel.ORT_DISABLE_ALL, GraphOptimizationLevel.ORT_ENABLE_ALL)
HEADER = '<ir_version: 10, opset_import: ["": 18]>'


def came_back(text: str, folder: Path, faithful: bool) -> tuple[ModelProto, ModelProto, str]:
    """A model, what its text makes, and the text."""
    model = parser.parse_model(f"{HEADER} {text}")
    made = decompile(model, faithful=faithful)
    made.write(folder / "module.py")
    again = make(folder / "module.py")
    assert isinstance(again, ModelProto)
    assert interface_of(again) == interface_of(model)
    return model, again, made.text


def run(model: ModelProto, level: GraphOptimizationLevel, given: list[Any]) -> list[Any]:
    options = SessionOptions()
    options.intra_op_num_threads = 1
    options.graph_optimization_level = level
    options.log_severity_level = 4
    session = InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return list(session.run(None, dict(zip((item.name for item in session.get_inputs()), given, strict=True))))


def fused(model: ModelProto, folder: Path) -> Counter[str]:
    """The operators of the model that onnxruntime makes of one."""
    options = SessionOptions()
    options.intra_op_num_threads = 1
    options.graph_optimization_level = GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    options.optimized_model_filepath = str(folder / "fused.onnx")
    options.log_severity_level = 4
    InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return Counter(node.op_type for node in load_from_string((folder / "fused.onnx").read_bytes()).graph.node)


def shape_of(type_: TypeProto) -> list[object]:
    return [dim.dim_param or dim.dim_value or None for dim in type_.tensor_type.shape.dim]


def inner_shapes(graph: GraphProto) -> dict[str, list[object]]:
    return {value.name: shape_of(value.type) for inner in all_graphs(graph) for value in inner.value_info}


NORMALISED = """layer (float[B, S, 16] x, int64[3] to, float[16] scale, float[16] bias) => (float[B, S, 16] y)
{types} {{
    one = Reshape (x, to)
    other = Mul (one, one)
    three = Reshape (other, to)
    sum = Add (one, three)
    y = LayerNormalization (sum, scale, bias)
}}"""
DECLARED = "<float[B, S, 16] one, float[B, S, 16] three>"


@pytest.mark.parametrize("faithful", [False, True])
def test_fusions_stay(tmp_path: Path, faithful: bool) -> None:
    model, again, text = came_back(NORMALISED.format(types=DECLARED), tmp_path, faithful)
    without = parser.parse_model(f"{HEADER} {NORMALISED.format(types='')}")
    assert fused(model, tmp_path) != fused(without, tmp_path)  # or this test says nothing
    assert fused(again, tmp_path) == fused(model, tmp_path)
    assert 'one: FLOAT["B", "S", 16] = op.Reshape(x, to)' in text
    ones = np.ones(16, np.float32)
    given = [np.linspace(0, 1, 96, dtype=np.float32).reshape(2, 3, 16), np.array([2, 3, 16]), ones, ones]
    for level in LEVELS:
        assert all(map(equal, run(model, level, given), run(again, level, given)))


INNER = """g (float[B, 4] x, int64[2] to, bool c) => (float[B, 4] y)
<float[P, 2] left, float[Q, 2] right, float[B, 4] two> {
    known = Neg (x)
    left, right = Split <axis: int = 1, num_outputs: int = 2> (known)
    both = Concat <axis: int = 1> (left, right)
    two = If (c) <
        then_branch: graph = yes () => (float[B, 4] a) <float[D, 4] doubled> {
            doubled = Reshape (both, to)
            a = Relu (doubled)
        },
        else_branch: graph = no () => (float[B, 4] b) { b = Identity (both) }
    >
    y = Reshape (two, to)
}"""


@pytest.mark.parametrize("faithful", [False, True])
def test_types_that_say_more_than_inference(tmp_path: Path, faithful: bool) -> None:
    model, again, text = came_back(INNER, tmp_path, faithful)
    found, wanted = inner_shapes(again.graph), inner_shapes(model.graph)
    if faithful:
        del wanted["two"]  # which follows from what the branches are declared to give
        assert {name: found.get(name) for name in wanted} == wanted
    else:
        assert all(shape in found.values() for shape in wanted.values())
    assert "known: " not in text  # which follows from the input
    assert 'left: FLOAT["P", 2] = left' in text  # what has two results has no place for their types
    for c in (True, False):
        given = [np.arange(8, dtype=np.float32).reshape(2, 4), np.array([2, 4]), np.array(c)]
        for level in LEVELS:
            assert all(map(equal, run(model, level, given), run(again, level, given)))


def test_a_type_that_inference_finds_to_be_wrong_is_left_out(tmp_path: Path) -> None:
    text = """g (float[2, 3] x) => (float[2, 3] y) <float[7, 3] a, float[2, 3, 1] b> {
        a = Neg (x)
        b = Neg (a)
        y = Neg (b)
    }"""
    made = decompile(parser.parse_model(f"{HEADER} {text}")).text
    assert "FLOAT[7" not in made and "1]" not in made


SHADOWED = """g (float[B, 4] x, int64[2] to, bool c) => (float[B, 4] y) {
    y = If (c) <
        then_branch: graph = yes () => (float[B, 4] a) <float[D, 4] same> { same = Reshape (x, to) a = Relu (same) },
        else_branch: graph = no () => (float[B, 4] b) { same = Neg (x) b = Abs (same) }
    >
}"""


@pytest.mark.parametrize("faithful", [False, True])
def test_of_two_values_of_a_name_each_has_its_own_type(tmp_path: Path, faithful: bool) -> None:
    _, _, text = came_back(SHADOWED, tmp_path, faithful)
    assert 'same: FLOAT["D", 4] = op.Reshape(x, to)' in text
    assert text.count('"D"') == 1


# ------------------------------------------------------------------------------------------------------ graphs

SCANNED = """g (float[2] state, float[N, 2] items) => (float[2] last, float[N, 2] all) {
    last, all = Scan <num_scan_inputs: int = 1, body: graph = step (float[2] before, float[2] item)
        => (float[2] after, float[2] given) <float[2] half> {
        half = Mul (before, before)
        after = Add (half, item)
        given = Identity (after)
    }> (state, items)
}"""


def test_graphs_have_the_types_that_they_had(tmp_path: Path) -> None:
    model, again, text = came_back(SCANNED, tmp_path, faithful=True)
    assert "def step(before: FLOAT[2], item: FLOAT[2]) -> tuple[FLOAT[2], FLOAT[2]]:" in text
    one, other = (item.graph.node[0].attribute for item in (model, again))
    graphs = [next(attribute.g for attribute in found if attribute.name == "body") for found in (one, other)]
    for ours, theirs in ((graphs[0].input, graphs[1].input), (graphs[0].output, graphs[1].output)):
        assert [item.type for item in ours] == [item.type for item in theirs]
    given = [np.ones(2, np.float32), np.arange(6, dtype=np.float32).reshape(3, 2)]
    for level in LEVELS:
        assert all(map(equal, run(model, level, given), run(again, level, given)))


# A condition and a number of trips that are lists of one element, as some exporters write them.
LISTS = """g (float[N] x, int64{trips} n, bool{condition} c) => (float[N] y, float[K, N] all, int64[T, R] ranks) {{
    y, all, ranks = Loop (n, c, x) <body: graph = body (int64{index} i, bool{condition} going, float[N] a)
        => (bool{condition} go, float[N] next, float[N] kept, int64[R] rank) {{
        go = Identity (going)
        f = Cast <to: int = 1> (i)
        next = Add (a, f)
        kept = Identity (a)
        rank = Shape (i)
    }}>
}}"""


@pytest.mark.parametrize("faithful", [False, True])
@pytest.mark.parametrize("index", ["", "[1]"])
@pytest.mark.parametrize("condition", ["", "[1]"])
@pytest.mark.parametrize("trips", ["", "[1]"])
def test_loops_whose_limits_are_lists(tmp_path: Path, trips: str, condition: str, index: str, faithful: bool) -> None:
    text = LISTS.format(trips=trips, condition=condition, index=index)
    model, again, _ = came_back(text, tmp_path, faithful)
    for count in (0, 3):
        n, c = np.array([count] if trips else count), np.array([True] if condition else True)
        given = [np.ones(2, np.float32), n, c]
        for level in LEVELS:
            expected = run(model, level, given)
            assert expected[2].shape == (count, 1 if index else 0)
            assert all(map(equal, expected, run(again, level, given)))


COUNTED = """g (float[2] x, int64 n) => (float[2] y) {{
    go = Constant <value: tensor = bool{condition} {{1}}> ()
    y = Loop (n, go, x) <body: graph = body (int64{index} i, bool{condition} going, float[2] a)
        => (bool{condition} out, float[2] next) {{
        out = Identity (going)
        rank = Shape (i)
        size = Size (rank)
        f = Cast <to: int = 1> (size)
        next = Add (a, f)
    }}>
}}"""


@pytest.mark.parametrize("faithful", [False, True])
@pytest.mark.parametrize("index", ["", "[1]"])
@pytest.mark.parametrize("condition", ["", "[1]"])
def test_a_number_that_is_a_list_is_no_number_of_a_statement(
    tmp_path: Path, condition: str, index: str, faithful: bool
) -> None:
    model, again, _ = came_back(COUNTED.format(condition=condition, index=index), tmp_path, faithful)
    given = [np.zeros(2, np.float32), np.array(3)]
    for level in LEVELS:
        expected = run(model, level, given)
        assert expected[0].tolist() == ([3.0, 3.0] if index else [0.0, 0.0])
        assert all(map(equal, expected, run(again, level, given)))


# Loops without a condition, as spox writes them: the rank that the body declares is that of the condition in it.
UNCONDITIONAL = """g (float[2] x, int64 n) => (float[2] y{typed}) {{
    y{more} = Loop (n, "", x) <body: graph = body (int64 i, bool{condition} going, float[2] a)
        => (bool{condition} out, float[2] next{inner}) {{
        limit = Constant <value: tensor = float{condition} {{2}}> ()
        first = ReduceMax <keepdims: int = {keep}> (a)
        low = Less (first, limit)
        out = And (low, going)
        rank = Shape (going)
        size = Size (rank)
        f = Cast <to: int = 1> (size)
        one = Constant <value: tensor = float {{1}}> ()
        step = Add (f, one)
        next = Add (a, step)
        {kept}
    }}>
}}"""


@pytest.mark.parametrize("faithful", [False, True])
@pytest.mark.parametrize("collects", [False, True])
@pytest.mark.parametrize("condition", ["", "[1]"])
def test_a_condition_that_is_missing_has_the_rank_that_the_body_declares(
    tmp_path: Path, condition: str, collects: bool, faithful: bool
) -> None:
    text = UNCONDITIONAL.format(
        condition=condition,
        keep=int(bool(condition)),
        typed=f", float[K{', 1' if condition else ''}] all" if collects else "",
        more=", all" if collects else "",
        inner=f", float{condition} kept" if collects else "",
        kept="kept = Cast <to: int = 1> (going)" if collects else "",
    )
    model, again, _ = came_back(text, tmp_path, faithful)
    checker.check_model(again, full_check=True)
    for count, stops in ((0, 0.0), (9, 3.0 if not condition else 4.0)):
        inputs = [np.zeros(2, np.float32), np.array(count)]
        for level in LEVELS:
            expected = run(model, level, inputs)
            assert expected[0].tolist() == [stops, stops]
            assert all(map(equal, expected, run(again, level, inputs)))


def test_a_loop_of_lists_in_a_graph_that_is_built() -> None:
    b = GraphBuilder(opset=18)
    x, n, c = b.input("x", FLOAT["N"]), b.input("n", INT64[1]), b.input("c", BOOL[1])

    def body(i: Any, going: Any, a: Any) -> Any:
        return going, a + op.Cast(i, to=FLOAT), a

    y, every = op.Loop(n, c, x, body=body)
    b.output("y", y, FLOAT["N"])
    b.output("all", every, FLOAT["K", "N"])
    model = b.to_model_proto()
    for level in LEVELS:
        found = run(model, level, [np.ones(2, np.float32), np.array([3]), np.array([True])])
        assert found[0].tolist() == [4.0, 4.0] and found[1].shape == (3, 2)


def collecting(given: str, with_: str, trips: str = "n") -> str:
    return f"""Loop <body: graph = step (int64 i, bool c, float[3] before) => (bool go, float[3] after, {given} made) {{
        go = Identity (c)
        after = Add (before, {with_})
        made = Neg (after)
    }}> ({trips}, , {with_})"""


COLLECTING = {
    "graph": f"g (float[3] x, int64 n) => (float[3] y, float[N, 3] all) {{ y, all = {collecting('float[3]', 'x')} }}",
    "no shape": f"g (float[3] x, int64 n) => (float[3] y, float[N, 3] all) {{ y, all = {collecting('float[]', 'x')} }}",
    "one name of two": f"""g (float[3] x, float[2, 3] z, int64 n) => (float[3] y, float[N, 3] all, float[2, 3] v,
    float[M, 2, 3] w) {{
        y, all = {collecting("float[3]", "x")}
        v, w = {collecting("float[3]", "z").replace("[3]", "[2, 3]")}
    }}""",
    "of a sequence": """g (float[3] x, int64 n, bool c) => (float[N, 3] all) {
        none = SequenceEmpty ()
        first = Constant <value: tensor = int64 {0}> ()
        last, all = Loop <body: graph = step (int64 i, bool d, seq(float[3]) before)
            => (bool go, seq(float[3]) after, float[3] made) {
            go = Identity (d)
            after = SequenceInsert (before, x)
            made = SequenceAt (after, first)
        }> (n, c, none)
    }""",
    "nested": f"""g (float[3] x, int64 n, bool c) => (float[N, 2, 3] all) {{
        all = Loop <body: graph = outer (int64 j, bool d) => (bool gone, float[2, 3] one) {{
            gone = Identity (d)
            two = Constant <value: tensor = int64 {{2}}> ()
            last, one = {collecting("float[3]", "x", "two")}
        }}> (n, c)
    }}""",
}


@pytest.mark.parametrize("faithful", [False, True])
@pytest.mark.parametrize("text", COLLECTING.values(), ids=COLLECTING)
def test_what_a_loop_collects_has_its_shape_without_a_trip(tmp_path: Path, text: str, faithful: bool) -> None:
    model, again, _ = came_back(text, tmp_path, faithful)
    given = {"x": np.ones(3, np.float32), "z": np.ones((2, 3), np.float32), "c": np.array(True)}
    for count in (0, 2):
        given["n"] = np.array(count)
        feeds = [given[value.name] for value in model.graph.input]
        for level in LEVELS:
            expected = run(model, level, feeds)
            assert (expected[-1].shape[0], expected[-1].shape[-1]) == (count, 3)
            assert all(map(equal, expected, run(again, level, feeds)))


@pytest.mark.parametrize("faithful", [False, True])
def test_what_a_loop_of_a_function_collects_has_its_shape(tmp_path: Path, faithful: bool) -> None:
    text = f"""<ir_version: 10, opset_import: ["": 18, "my": 1]>
    g (float[3] x, int64 n) => (float[3] y, float[N, 3] all) {{ y, all = my.F (x, n) }}
    <domain: "my", opset_import: ["": 18]> F (x, n) => (y, all) {{ y, all = {collecting("float[3]", "x")} }}"""
    model = parser.parse_model(text)
    decompile(model, faithful=faithful).write(tmp_path / "module.py")
    again = make(tmp_path / "module.py")
    assert isinstance(again, ModelProto)
    for count in (0, 2):
        for level in LEVELS:
            expected = run(model, level, [np.ones(3, np.float32), np.array(count)])
            assert expected[1].shape == (count, 3)
            assert all(map(equal, expected, run(again, level, [np.ones(3, np.float32), np.array(count)])))


def test_a_shape_of_what_is_collected_is_not_said_where_it_follows_or_is_wrong() -> None:
    follows = COLLECTING["graph"].replace("made = Neg (after)", "made = Neg (x)")
    wrong = COLLECTING["graph"].replace("float[3] made", "float[4] made")
    for text in (follows, wrong):
        assert "def step(i, c, before):" in decompile(parser.parse_model(f"{HEADER} {text}")).text


# ------------------------------------------------------------------------------------------- what may be written

SCRIPT = """
from opwright import BOOL, FLOAT, INT64, opset18 as op, script

@script()
def f(x: FLOAT["N"], n: INT64) -> FLOAT["N"]:
    def body(i{index}, going, a{state}){result}:
        return going, a + op.Cast(i, to=FLOAT)
    return op.Loop(n, True, x, body=body)
"""


# What a Scan takes, of a rank that nothing says but the types that graphs declare.
SCAN_OF = """last, all = Scan <num_scan_inputs: int = 1, body: graph = step (float[4] before, float[4] item)
    => (float[4] after, float[4] given) {{ after = Add (before, item) given = {} }}> (z, {})"""
UNRANKED = {
    "a value": f"some = Reshape (x, to) {SCAN_OF.format('Neg (item)', 'some')} y = Identity (all)",
    "a branch": f"""some = If (c) <
            then_branch: graph = yes () => (float[2, 4] p) {{ p = Reshape (x, to) }},
            else_branch: graph = no () => (float[2, 4] q) {{ q = Neg (x) }}
        > {SCAN_OF.format("Neg (item)", "some")} y = Identity (all)""",
    "a loop": f"""y = Loop (n, , x) <body: graph = trip (int64 i, bool go, float[2, 4] state)
        => (bool on, float[2, 4] next) {{
            on = Identity (go)
            {SCAN_OF.format("Neg (item)", "state")}
            more = Unsqueeze (all, zero)
            next = Squeeze (more)
        }}>""",
    "a loop that ends": f"""y = Loop (n, c, x) <body: graph = trip (int64 i, bool go, float[2, 4] state)
        => (bool on, float[2, 4] next) {{
            on = Identity (go)
            {SCAN_OF.format("Neg (item)", "state")}
            next = my.F (all)
        }}>""",
    "an item": f"""pair = SequenceConstruct (x, x) one_left = SequenceErase (pair) some = SequenceAt (one_left, at)
        {SCAN_OF.format("Neg (item)", "some")} y = Identity (all)""",
    "items in one": f"""pair = SplitToSequence (x) more = ConcatFromSequence <axis = 0> (pair)
        {SCAN_OF.format("Neg (item)", "more")} y = Identity (all)""",
    "what a function gives": f"""some = my.G (x) {SCAN_OF.format("Neg (item)", "some")} y = Identity (all)""",
    "an item inside": f"""pair = SequenceConstruct (z, z)
        {SCAN_OF.format("SequenceAt (pair, at)", "x")} y = Identity (all)""",
    "an item around": f"""pair = SequenceConstruct (x, x) first = SequenceAt (pair, at)
        y = Loop (n, , first) <body: graph = trip (int64 i, bool go, float[2, 4] state)
        => (bool on, float[2, 4] next) {{
            on = Identity (go)
            {SCAN_OF.format("Neg (item)", "state")}
            next = Neg (all)
        }}>""",
    "what the body gives": f"{SCAN_OF.format('Reshape (item, one)', 'x')} y = Identity (all)",
    "a branch that the body gives": SCAN_OF.format(
        """If (c) <
            then_branch: graph = yes () => (float[4] p) { p = Reshape (item, one) },
            else_branch: graph = no () => (float[4] q) { q = Neg (item) }
        >""",
        "x",
    )
    + " y = Identity (all)",
}


LOOPED = """z_2 = Loop (n, , before) <body: graph = trip (int64 i, bool go, float[4] v) => (bool on, float[4] w) {
    on = Identity (go) w = Neg (v) }>"""
INSIDE = {
    "a loop inside": SCAN_OF.format("Neg (item)", "x").replace("after = Add (before", f"{LOOPED} after = Add (z_2")
    + " y = Identity (all)",
    "a function inside": SCAN_OF.format("my.G (item)", "x") + " y = Identity (all)",
}


@pytest.mark.parametrize("faithful", [False, True])
@pytest.mark.parametrize("within", [False, True])
@pytest.mark.parametrize("text", (UNRANKED | INSIDE).values(), ids=UNRANKED | INSIDE)
def test_a_scan_has_the_ranks_that_graphs_declare(text: str, within: bool, faithful: bool, tmp_path: Path) -> None:
    """In the model's graph, or within a function of it."""
    inputs = "float[2, 4] x, float[4] z, int64[K] to, int64[L] one, int64[1] zero, int64 n, bool c, int64 at"
    header = HEADER.replace("]", ', "my": 1]')
    function = ""
    if within:
        names = "x, z, to, one, zero, n, c, at"
        function = f"""<domain: "my", opset_import: ["": 18, "my": 1]> H ({names}) => (y) {{ {text} }}"""
        text = f"y = my.H ({names})"
    model = parser.parse_model(
        f"""{header} g ({inputs}) => (float[2, 4] y) {{ {text} }} {function}
        <domain: "my", opset_import: ["": 18]> F (x) => (y) {{ y = Abs (x) }}
        <domain: "my", opset_import: ["": 18]> G (x) => (y) {{
            at = Constant <value_int = 0> () s = SequenceConstruct (x) y = SequenceAt (s, at)
        }}"""
    )
    decompile(model, faithful=faithful).write(tmp_path / "module.py")
    again = make(tmp_path / "module.py")
    assert isinstance(again, ModelProto)
    x, z = np.arange(8, dtype=np.float32).reshape(2, 4), np.ones(4, np.float32)
    for c in (True, False):
        given = [x, z, np.array([2, 4]), np.array([4]), np.array([0]), np.array(2), np.array(c), np.array(0)]
        for level in LEVELS:
            assert all(map(equal, run(model, level, given), run(again, level, given)))


def test_a_scan_of_which_the_ranks_follow_declares_none() -> None:
    assert "def step(before, item):" in decompile(parser.parse_model(f"{HEADER} {SCANNED}")).text


WRONG = {
    "sizes": "(float[3, 2] y) <float[2, 3] v> { v = Exp (x) y = Neg (v) }",
    "a rank": "(float[6, batch, ?] y) <float[2, 3] v> { v = Exp (x) y = Neg (v) }",
    "a scalar": "(float y) <float[2, 3] v> { v = Exp (x) y = ReduceSum (v) }",
    "a branch": """(float[3, 2] y) <float[2, 3] v> { v = Exp (x) y = If (c) <
        then_branch: graph = yes () => (float[3, 2] p) { p = Neg (v) },
        else_branch: graph = no () => (float[3, 2] q) { q = Abs (v) }> }""",
}


@pytest.mark.parametrize("faithful", [False, True])
@pytest.mark.parametrize("text", WRONG.values(), ids=list(WRONG))
def test_shapes_that_are_not_those_of_the_values(text: str, faithful: bool, tmp_path: Path) -> None:
    """Runtimes take such a model; an output comes back as it is declared, where types of inner values are too."""
    model = parser.parse_model(f"{HEADER} g (float[2, 3] x, bool c) => {text}")
    for value in model.graph.output:
        for size in value.type.tensor_type.shape.dim:
            size.denotation = "CHANNEL"
    made = decompile(model, faithful=faithful)
    assert list(check_model(made, model)) == []
    made.write(tmp_path / "module.py")
    again = make(tmp_path / "module.py")
    assert isinstance(again, ModelProto)
    assert again.graph.output == model.graph.output
    given = [np.ones((2, 3), np.float32), np.array(True)]
    for level in LEVELS:
        assert all(map(equal, run(model, level, given), run(again, level, given)))


@pytest.mark.parametrize(
    ("index", "state", "result", "code"),
    [
        ("", ": FLOAT[3, 4]", "", "OW210"),
        ("", ": INT64['N']", "", "OW210"),
        ("", ": 1 + 2", "", "OW317"),
        ("", "", " -> tuple[BOOL, FLOAT[2, 2]]", "OW210"),
        (": FLOAT", "", "", "OW210"),
        (": INT64[1, 1]", "", "", "OW210"),
    ],
)
def test_what_a_graph_is_declared_to_take_and_give_is_so(index: str, state: str, result: str, code: str) -> None:
    with pytest.raises(DiagnosticError) as caught:
        compile_source(SCRIPT.format(index=index, state=state, result=result), "f").to_model_proto()
    (found,) = caught.value.diagnostics
    assert found.code == code
    assert found.place is not None and found.place.line == 6


def test_what_a_graph_is_declared_to_be_stands_in_the_model() -> None:
    written = {"index": ": INT64[1]", "state": ": FLOAT['N']", "result": " -> tuple[BOOL, FLOAT['N']]"}
    model = compile_source(SCRIPT.format(**written), "f").to_model_proto()
    (loop,) = (node for node in all_nodes(model.graph.node) if node.op_type == "Loop")
    graph = loop.attribute[0].g
    assert [shape_of(item.type) for item in graph.input] == [[1], [], ["N"]]
    assert [shape_of(item.type) for item in graph.output] == [[], ["N"]]
    for level in LEVELS:
        assert run(model, level, [np.ones(2, np.float32), np.array(3)])[0].tolist() == [4.0, 4.0]
