"""Hostile models made by hand, and valid ones of every construct, from which others are made by changing them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from onnx import (
    AttributeProto,
    FunctionProto,
    GraphProto,
    ModelProto,
    NodeProto,
    TensorProto,
    TypeProto,
    helper,
    parser,
)

from tests.hostile.wire import field, tag, varint

HEAD = '<ir_version: 10, opset_import: ["": 18, "my": 1, "com.acme": 1]>'
FUNCTION = '<domain: "my", opset_import: ["": 18, "my": 1, "com.acme": 1]>'
FLOAT = TensorProto.FLOAT


def parse(text: str) -> ModelProto:
    return parser.parse_model(text)


def plain() -> ModelProto:
    return parse(f"{HEAD} g (float[N] x) => (float[N] y) {{ y = Relu(x) }}")


def calling(functions: Sequence[FunctionProto], called: str) -> ModelProto:
    model = parse(f"{HEAD} g (float[N] x) => (float[N] y) {{ y = my.{called}(x) }}")
    model.functions.extend(functions)
    return model


def function(name: str, body: str) -> FunctionProto:
    return parser.parse_function(f"{FUNCTION} {name} (x) => (y) {{ {body} }}")


def branching(count: int, last: str = "y = Relu(x)", calls: int = 2) -> ModelProto:
    """Functions of which each calls the next several times: more paths than can be gone."""
    texts = [
        " ".join(f"v{n} = my.F{index + 1}({'x' if n == 0 else f'v{n - 1}'})" for n in range(calls - 1))
        + f" y = my.F{index + 1}({f'v{calls - 2}' if calls > 1 else 'x'})"
        for index in range(count - 1)
    ]
    return calling([function(f"F{index}", text) for index, text in enumerate([*texts, last])], "F0")


def growing_types(count: int) -> ModelProto:
    """Each function calls the next with a float, and with a double: types by path, not by function."""
    functions = [
        parser.parse_function(
            f"{FUNCTION} F{n} (a, b) => (y) {{ s = my.F{n + 1}(a, b) t = my.F{n + 1}(b, a) y = Add(s, t) }}"
        )
        for n in range(count)
    ]
    functions.append(parser.parse_function(f"{FUNCTION} F{count} (a, b) => (y) {{ c = CastLike(b, a) y = Add(a, c) }}"))
    model = parse(f"{HEAD} g (float[N] x, double[N] z) => (float[N] y) {{ y = my.F0(x, z) }}")
    model.functions.extend(functions)
    return model


def growing_attributes(count: int) -> ModelProto:
    """Each level calls the next with two texts: the attributes that arrive are as many as paths."""
    head = f"{FUNCTION} F"
    functions = [
        parser.parse_function(
            f"{head}{n} <a, b> (x) => (y) {{ s = my.F{n + 1}<a: float = @a, b: float = @b>(x)"
            f" y = my.F{n + 1}<a: float = @b, b: float = {n}.5>(s) }}"
        )
        for n in range(count)
    ]
    functions.append(
        parser.parse_function(f"{head}{count} <a, b> (x) => (y) {{ y = LeakyRelu<alpha: float = @a>(x) }}")
    )
    model = parse(f"{HEAD} g (float[N] x) => (float[N] y) {{ y = my.F0<a = 0.5, b = 0.25>(x) }}")
    model.functions.extend(functions)
    return model


def recursive(length: int) -> ModelProto:
    """A ring of functions."""
    return calling([function(f"F{n}", f"y = my.F{(n + 1) % length}(x)") for n in range(length)], "F0")


def recursive_in_graph() -> ModelProto:
    body = "b = Constant<value = bool {1}>() y = If(b) <then_branch = p () => (r) { r = my.F(x) }, \
else_branch = q () => (s) { s = Neg(x) }>"
    return calling([function("F", body)], "F")


def chain(length: int) -> ModelProto:
    return calling(
        [function(f"F{n}", f"y = my.F{n + 1}(x)" if n < length - 1 else "y = Relu(x)") for n in range(length)], "F0"
    )


def nested(depth: int) -> bytes:
    """Ifs inside one another, made as bytes: protobuf would not copy them."""
    inner = field(1, helper.make_node("Relu", ["x"], ["y"]).SerializeToString())
    output = field(12, helper.make_tensor_value_info("y", FLOAT, None).SerializeToString())
    graph = leaf = inner + output
    for _ in range(depth):
        other = leaf if depth > 12 else graph
        attributes = b"".join(
            field(5, field(1, name) + field(6, branch) + tag(20, 0) + varint(AttributeProto.GRAPH))
            for name, branch in ((b"then_branch", graph), (b"else_branch", other))
        )
        graph = field(1, field(1, b"c") + field(2, b"y") + field(4, b"If") + attributes) + output
    model = plain()
    model.graph.input.append(helper.make_tensor_value_info("c", TensorProto.BOOL, []))
    del model.graph.node[:]
    del model.graph.output[:]
    rest = model.graph.SerializeToString()
    model.ClearField("graph")
    return model.SerializeToString() + field(7, graph + rest)


def control(operator: str, change: Callable[[NodeProto], None]) -> ModelProto:
    """A valid control flow node, changed."""
    texts = {
        "If": "y = If(c) <then_branch = p () => (float[N] r) { r = Relu(x) }, "
        "else_branch = q () => (float[N] s) { s = Neg(x) }>",
        "Loop": "y = Loop(n, c, x) <body = b (int64 i, bool k, float[N] v) => (bool o, float[N] w) "
        "{ o = Identity(k) w = Add(v, x) }>",
        "Scan": "y = Scan(x) <num_scan_inputs = 1, body = b (float e) => (float d) { d = Neg(e) }>",
    }
    model = parse(f"{HEAD} g (float[N] x, bool c, int64 n) => (float[N] y) {{ {texts[operator]} }}")
    change(model.graph.node[0])
    return model


def _without(kind: str) -> Callable[[NodeProto], None]:
    return lambda node: node.ClearField(kind)


def _empty_graphs(node: NodeProto) -> None:
    for attribute in node.attribute:
        if attribute.type == AttributeProto.GRAPH:
            attribute.ClearField("g")


def _hollow_graphs(node: NodeProto) -> None:
    for attribute in node.attribute:
        attribute.g.CopyFrom(GraphProto())


def _graphs_as(kind: int) -> Callable[[NodeProto], None]:
    def change(node: NodeProto) -> None:
        for attribute in node.attribute:
            attribute.type = kind

    return change


def _no_yields(node: NodeProto) -> None:
    for attribute in node.attribute:
        del attribute.g.output[:]


def _no_parameters(node: NodeProto) -> None:
    for attribute in node.attribute:
        del attribute.g.input[:]


def _many_outputs(node: NodeProto) -> None:
    node.output.extend(f"more{n}" for n in range(5))


def _no_inputs(node: NodeProto) -> None:
    del node.input[:]


def _listed(node: NodeProto) -> None:
    for attribute in node.attribute:
        if attribute.type == AttributeProto.GRAPH:
            attribute.graphs.append(attribute.g)
            attribute.ClearField("g")
            attribute.type = AttributeProto.GRAPHS


CONTROL_CHANGES: dict[str, Callable[[NodeProto], None]] = {
    "unchanged": lambda node: None,
    "no outputs": _without("output"),
    "no attributes": _without("attribute"),
    "empty graphs": _empty_graphs,
    "hollow graphs": _hollow_graphs,
    "graphs called tensors": _graphs_as(AttributeProto.TENSOR),
    "graphs called graphs": _graphs_as(AttributeProto.GRAPHS),
    "graphs without a type": _graphs_as(AttributeProto.UNDEFINED),
    "no yields": _no_yields,
    "no parameters": _no_parameters,
    "many outputs": _many_outputs,
    "no inputs": _no_inputs,
    "lists of graphs": _listed,
}


def imports(version: int, domain: str = "") -> ModelProto:
    model = plain()
    for item in model.opset_import:
        if item.domain == domain:
            item.version = version
    return model


def external(**data: object) -> ModelProto:
    model = parse(f"{HEAD} g (float[N] x) => (float[N] y) {{ y = Add(x, w) }}")
    tensor = model.graph.initializer.add(name="w", data_type=FLOAT, dims=[300_000])
    tensor.data_location = TensorProto.EXTERNAL
    for key, value in {"location": "w.bin", **data}.items():
        tensor.external_data.add(key=key, value=str(value))
    return model


def weights(dims: Sequence[int], kind: int = FLOAT, raw: bytes = b"") -> ModelProto:
    model = parse(f"{HEAD} g (float[N] x) => (float[N] y) {{ y = Add(x, w) }}")
    tensor = model.graph.initializer.add(name="w", data_type=kind, dims=dims)
    tensor.raw_data = raw
    return model


def constant(tensor: TensorProto) -> ModelProto:
    model = plain()
    model.graph.node[0].CopyFrom(helper.make_node("Constant", [], ["y"], value=tensor))
    return model


def attribute_of_type(kind: int) -> ModelProto:
    model = parse(f"{HEAD} g (float[N] x) => (float[N] y) {{ y = LeakyRelu<alpha = 0.5>(x) }}")
    model.graph.node[0].attribute[0].type = kind
    return model


def circle() -> ModelProto:
    model = parse(f"{HEAD} g (float[N] x) => (float[N] y) {{ a = Add(x, x) y = Relu(a) }}")
    model.graph.node[0].input[1] = "y"
    return model


def twice(what: str) -> ModelProto:
    model = branching(2)
    match what:
        case "function":
            model.functions.append(model.functions[0])
        case "node":
            model.graph.node.append(model.graph.node[0])
        case "input":
            model.graph.input.append(model.graph.input[0])
        case "output":
            model.graph.output.append(model.graph.output[0])
        case "import":
            model.opset_import.append(helper.make_opsetid("", 13))
        case "attribute":
            model.graph.node[0].attribute.extend([helper.make_attribute("a", 1), helper.make_attribute("a", "s")])
        case "initializer":
            for _ in range(2):
                model.graph.initializer.append(helper.make_tensor("x", FLOAT, [1], [0.0]))
        case "parameter":
            model.functions[0].input.append("x")
    return model


def nested_type(depth: int) -> ModelProto:
    model = plain()
    type_ = TypeProto()
    inner = type_
    for _ in range(depth):
        inner = inner.sequence_type.elem_type
    inner.tensor_type.elem_type = FLOAT
    model.graph.input[0].type.CopyFrom(type_)
    return model


def of_type(code: int) -> ModelProto:
    model = plain()
    model.graph.input[0].type.tensor_type.elem_type = code
    return model


def renamed(name: bytes, of: str) -> bytes:
    """A name in the bytes of the model, where protobuf takes texts that are none."""
    model = calling([function("F0", "y = Relu(x)")], "F0")
    marks = {"value": "VALUE", "node": "NODE", "operator": "OPERATOR", "domain": "DOMAIN", "function": "FUNCTION"}
    mark = marks[of]
    match of:
        case "value":
            model.graph.node[0].output[0] = model.graph.output[0].name = mark
        case "node":
            model.graph.node[0].name = mark
        case "operator":
            model.graph.node[0].op_type = mark
        case "domain":
            model.graph.node[0].domain = mark
        case "function":
            model.functions[0].name = mark
    data = model.SerializeToString()
    filled = (name * len(mark))[: len(mark)]
    return data.replace(mark.encode(), filled)


def long_names() -> ModelProto:
    """Names that double with each level of calls."""
    model = branching(12)
    for item in (model.graph, *model.functions):
        for node in item.node:
            node.name = "n" * 20_000
    return model


def metadata(key: str, value: str) -> ModelProto:
    model = calling([function("F0", "y = Relu(x)")], "F0")
    for owner in (model, model.functions[0], model.graph.node[0]):
        owner.metadata_props.add(key=key, value=value)
    for key_, text in (("opwright.identity", "com.acme::F0@1"), ("opwright.body", "body1:" + "0" * 64)):
        model.functions[0].metadata_props.add(key=key_, value=text)
    return model


def without_outputs(operator: str) -> ModelProto:
    """Of two nodes of one operator the second gives nothing, beside weights that stand in a file."""
    given = {"Constant": {"value_float": 0.5}, "Cast": {"to": FLOAT}}.get(operator, {})
    model = external(location="weights.bin")
    inputs = [] if operator == "Constant" else [model.graph.input[0].name]
    model.graph.node.append(helper.make_node(operator, inputs, ["whole"], **given))
    model.graph.node.append(helper.make_node(operator, inputs, [], **given))
    return model


def by_hand() -> Iterator[tuple[str, bytes]]:
    """Every hostile model made by hand, by name."""
    for name, made in _by_hand():
        yield name, made if isinstance(made, bytes) else made.SerializeToString()


def _by_hand() -> Iterator[tuple[str, ModelProto | bytes]]:
    yield "40 functions that call each other twice", branching(40)
    yield "18 functions that call each other twice", branching(18)
    yield "14 functions that call each other twice", branching(14)
    yield "types by path", growing_types(40)
    yield "attributes by path", growing_attributes(40)
    for length in (1, 2, 50):
        yield f"a ring of {length} functions", recursive(length)
    yield "a function that calls itself in a branch", recursive_in_graph()
    for length in (60, 120, 1000):
        yield f"a chain of {length} functions", chain(length)
    for depth in (8, 24, 32, 33, 60, 500):
        yield f"{depth} nested Ifs", nested(depth)
    for operator in ("If", "Loop", "Scan"):
        for name, change in CONTROL_CHANGES.items():
            yield f"{operator}: {name}", control(operator, change)
    for version in (0, -1, 99, 2**31 - 1, 2**31, 2**63 - 1, -(2**63)):
        yield f"opset {version}", imports(version)
        yield f"version {version} of a library", imports(version, "com.acme")
    for version in (2**31, 2**63 - 1):
        model = plain()
        model.ir_version = version
        yield f"IR version {version}", model
    yield "no imports", parse("<ir_version: 10, opset_import: []> g (float[N] x) => (float[N] y) { y = Relu(x) }")
    for data in (
        {"offset": 2**70},
        {"offset": -1},
        {"offset": "x"},
        {"offset": "9" * 5000},
        {"length": 2**70},
        {"length": -4},
        {"length": ""},
        {"location": "../../etc/passwd"},
        {"location": "/etc/passwd"},
        {"location": ""},
        {"location": "/dev/zero"},
        {"location": "a\0b"},
        {"location": "x" * 5000},
        {},
    ):
        yield f"external data {str(data)[:40]}", external(**data)
    for dims in ([2**62, 2**62], [-1], [2**40], [0, 2**63 - 1], [1] * 3000, [2**31, 2]):
        yield f"a tensor of {str(dims)[:30]}", weights(dims, raw=b"abcd")
        yield f"a constant of {str(dims)[:30]}", constant(TensorProto(dims=dims, data_type=FLOAT, raw_data=b"abcd"))
    for kind in (0, 8, 99, 2**31 - 1, -5):
        yield f"a tensor of type {kind}", weights([1], kind, b"abcd")
        yield f"an input of type {kind}", of_type(kind)
    for kind in range(15):
        yield f"an attribute said to be of type {kind}", attribute_of_type(kind)
    yield "a circle of values", circle()
    for operator in ("Constant", "Cast", "Relu"):
        yield f"{operator} without outputs", without_outputs(operator)
    for what in ("function", "node", "input", "output", "import", "attribute", "initializer", "parameter"):
        yield f"{what} twice", twice(what)
    for depth in (3, 20, 40):
        yield f"a sequence {depth} deep", nested_type(depth)
    for of in ("value", "node", "operator", "domain", "function"):
        for name in (b"\xff", b"\x00", b"\n", b"'", b'"""', b"\xed\xa0\x80", "é".encode(), "\u202e".encode()):
            yield f"a {of} called {name!r}", renamed(name, of)
    yield "long names at every call", long_names()
    for key in (
        "opwright.call",
        "opwright.attached",
        "opwright.imported",
        "opwright.polyfilled",
        "opwright.attributes",
    ):
        for value in (
            "[" * 100_000,
            '{"inputs": [99999]}',
            '{"inputs": [-1, true, null]}',
            '{"outputs": -1}',
            '{"outputs": 99999999999999999999999}',
            '{"ir_version": 99999999999999999999, "imports": [[null, 99999999999999999999]]}',
            '{"ir_version": 1e400, "imports": [["", NaN]]}',
            '{"dropped": [[0, "////"]], "domain": 3}',
            '{"domain": "\\ud800"}',
            '{"imports": ["\\ud800"]}',
            '{"dropped": [[99999999999999999999, ""]]}',
            '{"attributes": {"a": 1}, "op_type": []}',
            "{}",
            "[]",
            '"' + "x" * 10,
            "9" * 10_000,
        ):
            yield f"{key} {value[:40]}", metadata(key, value)
