"""OW530 to OW580: attaching libraries to models, inspecting and detaching; comparing functions."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from hashlib import sha256

from onnx import OperatorSetProto, parser
from opwright.bundle.format import (
    AttributeEntry,
    BodyEntry,
    CallEntry,
    DomainEntry,
    FunctionEntry,
    Index,
    InputEntry,
    OutputEntry,
)
from opwright.bundle.write import write_bundle
from opwright.protos.canonical import CanonicalBody, canonicalise

from tests.diagnostics.examples import Example, Pair

_FLOATS = ("float", "double")


@cache
def _body(text: str) -> CanonicalBody:
    function = parser.parse_function(f'<domain: "d", opset_import: ["": 18]> f {text}')
    return canonicalise(function, callees={})


def _entry(text: str, variant: tuple[tuple[str, str], ...] = (), calls: tuple[CallEntry, ...] = ()) -> BodyEntry:
    body = _body(text)
    admits = tuple((axis, (value,)) for axis, value in variant) or (("T", _FLOATS),)
    return BodyEntry(18, 18, variant, body.digest, body.inputs, body.attributes, admits, calls)


_SWISH = "<alpha> (X) => (Y) { a = Constant<value_float: float = @alpha>() b = CastLike(a, X) \
t = Mul(b, X) s = Sigmoid(t) Y = Mul(X, s) }"
_ALPHA = (AttributeEntry("alpha", "FLOAT", False, 1.0),)
_KIND = "(X) => (Y) {{ c = Constant<value = {} {{1}}>() Y = Add(X, c) }}"
_ADD = "(A, B) => (Y) { Y = Add(A, B) }"
_ABS = "(X) => (Y) { Y = Abs(X) }"
_RELU = "(X) => (Y) { Y = Relu(X) }"


def _function(
    name: str,
    *bodies: BodyEntry,
    domain: str = "com.acme",
    since_version: int = 1,
    inputs: tuple[str, ...] = ("X",),
    attributes: tuple[AttributeEntry, ...] = (),
) -> FunctionEntry:
    return FunctionEntry(
        domain=domain,
        name=name,
        since_version=since_version,
        summary=f"{name}, for each element.",
        doc="",
        deprecated=False,
        inputs=tuple(InputEntry(item, "T") for item in inputs),
        outputs=(OutputEntry("Y", "T"),),
        attributes=attributes,
        types=(("T", _FLOATS),),
        bodies=bodies,
    )


def _kinds() -> tuple[BodyEntry, ...]:
    return tuple(_entry(_KIND.format(name), (("T", name),)) for name in _FLOATS)


def _bundle(
    *functions: FunctionEntry, damaged: bool = False, domain: str = "com.acme", library: str = "acme-ops"
) -> str:
    """A bundle of a library in `domain`, as hexadecimal; `damaged`: what its bodies hold are no functions."""
    index = Index(
        library=library,
        version="1.0.0",
        package=library.replace("-", "_"),
        summary="",
        license="Apache-2.0",
        opsets=(18, 22),
        onnx="1.23.2",
        domains=(DomainEntry("ai.onnx", 28, "opwright.ai.onnx"), DomainEntry(domain, 2, domain)),
        functions=tuple(sorted(functions, key=lambda item: (item.domain, item.name, item.since_version))),
    )
    texts = (_SWISH, _ADD, _ABS, _RELU, *(_KIND.format(name) for name in _FLOATS))
    known = {_body(text).digest: _body(text).proto for text in texts}
    used = {body.body for function in functions for body in function.bodies}
    return write_bundle(index, {digest: b"\xff" if damaged else known[digest] for digest in sorted(used)}).hex()


_PLAIN_SWISH = _function("Swish", _entry(_SWISH), attributes=_ALPHA)
LIBRARY = _bundle(
    _PLAIN_SWISH,
    _function("Late", _entry(_ABS), since_version=2),
    _function("Kind", *_kinds()),
    _function("Sum", _entry(_ADD), inputs=("A", "B")),
    replace(_function("Relu", _entry(_RELU), domain="ai.onnx", since_version=14), types=(("T", ("float",)),)),
)

_HEADER = '<ir_version: 10, opset_import: ["": 18, "com.acme": 1]>'
_GOOD_MODEL = f"{_HEADER} agraph (float[N] X) => (float[N] Y) {{ Y = com.acme.Swish(X) }}"
_ATTACH = "attach model.onnx --library acme.onnxlib -o out.onnx"


_HALF_SWISH = _function("Swish", replace(_entry(_SWISH), admits=(("T", ("float", "float16")),)), attributes=_ALPHA)
_OTHER_SWISH = _bundle(_function("Swish", _entry(_ABS), attributes=_ALPHA))
_UPGRADE = "upgrade out.onnx --library newer.onnxlib -o new.onnx"
_FAST_GELU = _bundle(_function("FastGelu", _entry(_ABS), domain="com.microsoft"), domain="com.microsoft")
_GELU_MODEL = _GOOD_MODEL.replace("com.acme", "com.microsoft").replace("Swish", "FastGelu")


def _attach(model: str, command: str = _ATTACH, **libraries: str) -> Example:
    files = {f"{name}.onnxlib.hex": data for name, data in libraries.items()} or {"acme.onnxlib.hex": LIBRARY}
    return Example(command, {"model.onnx.txt": model, **files})


def _node(node: str, inputs: str = "float[N] X", header: str = _HEADER) -> Example:
    """A model of these nodes; they give Y."""
    return _attach(f"{header} agraph ({inputs}) => (float[N] Y) {{ {node} }}")


def _template(node: str) -> Example:
    """A model with a node that a template serves."""
    spec = (
        "schema: 1\ndomain: com.acme\nname: Twice\nsummary: A graph applied twice.\nsince_version: 1\n"
        'opset: ">=18"\ninputs: {X: T}\noutputs: {Y: T}\ntypes: {T: [float]}\nvectors: [vectors.yaml]\n'
    )
    function = "from opwright import Graph\n\n\ndef Twice(X, body: Graph):\n    return body(body(X))\n"
    vectors = (
        "schema: 1\nrows:\n  - name: negated\n    attributes:\n"
        '      body: "negated (float[N] a) => (float[N] b) { b = Neg(a) }"\n'
        "    inputs: {X: [1.0]}\n    outputs: {Y: [1.0]}\n"
    )
    folder = "specs/com.acme/Twice"
    return Example(
        "build && attach model.onnx --library dist/base-1.0.0.onnxlib -o out.onnx",
        {
            f"{folder}/spec.yaml": spec,
            f"{folder}/function.py": function,
            f"{folder}/vectors.yaml": vectors,
            "model.onnx.txt": f"{_HEADER} agraph (float[N] X, float[N] Z) => (float[N] Y) {{ {node} }}",
        },
    )


def _python(node: str) -> Example:
    """A program that takes the digest of a function."""
    program = (
        "import opwright\nfrom onnx.parser import parse_function\n\n"
        f'function = parse_function(\'<domain: "d", opset_import: ["": 18]> F (X) => (Y) {{ {node} }}\')\n'
        "print(opwright.digest(function))\n"
    )
    return Example("python digest.py", {"digest.py": program})


def _altered() -> str:
    """A model whose function claims another body than it has."""
    model = parser.parse_model(
        f'{_GOOD_MODEL} <domain: "com.acme", opset_import: ["": 18]> Swish (X) => (Y) {{ Y = Abs(X) }}'
    )
    for key, value in (("opwright.body", _body(_RELU).digest), ("opwright.identity", "com.acme::Swish@1")):
        model.functions[0].metadata_props.add(key=key, value=value)
    return model.SerializeToString(deterministic=True).hex()


def _training() -> str:
    """A model with a training graph."""
    model = parser.parse_model(_GOOD_MODEL)
    model.training_info.add().algorithm.node.add(op_type="Swish", domain="com.acme", input=["X"], output=["Z"])
    return model.SerializeToString(deterministic=True).hex()


def _model_bytes(data: bytes) -> Example:
    return Example(_ATTACH, {"model.onnx.hex": data.hex(), "acme.onnxlib.hex": LIBRARY})


_KINDS = _function("Kind", *_kinds())
_FOR_FLOAT = f"{_HEADER} agraph (float[N] X) => (float[N] Y) {{ Y = com.acme.Kind(X) }}"
_FAR = CallEntry("org.other", "Far", 1, (), _body(_ABS).digest)
_CALLS_FAR = _bundle(_function("Near", _entry(_ABS, calls=(_FAR,))))
EMPTY = _bundle()
_OTHER_SWISH = _bundle(_function("Swish", _entry(_ABS)))
_MINE = '<domain: "my", opset_import: ["": 18, "com.acme": 1, "my": 1]> Mine (X) => (Y) {{ {} }}'
_WITH_MINE = _HEADER.replace("]>", ', "my": 1]>')
_GOOD = _attach(_GOOD_MODEL)
_WEIGHTS = 'agraph (float[2] X) => (float[2] Y) <float[2] W = ["location": "weights.bin"]> { Z = Add(X, W) '
_OPERATORS = OperatorSetProto(magic="ONNXOPSET", ir_version=10, domain="com.acme", opset_version=1)


def _chain(length: int) -> str:
    """A model whose functions call one another."""
    head = '<domain: "my", opset_import: ["": 18, "my": 1, "com.acme": 1]>'
    calls = [f"my.F{index + 1}" for index in range(length - 1)]
    functions = [f"{head} F{index} (x) => (y) {{ y = {name}(x) }}" for index, name in enumerate((*calls, "Abs"))]
    return f"{_WITH_MINE} agraph (float[N] X) => (float[N] Y) {{ Y = my.F0(X) }} {' '.join(functions)}"


_FORM = """from onnx import parser
from opwright import inspect

model = parser.parse_model('<ir_version: 10, opset_import: ["": 18]> g (float[N] x) => (float[N] y) {{ y = Abs(x) }}')
print({})
"""
_IR_FORM = """import onnx_ir
from onnx import parser
from opwright import inspect

text = '<ir_version: 10, opset_import: ["": 18]> g (float x) => (float y) <float w = {{1}}> {{ y = Add(x, w) }}'
model = onnx_ir.from_proto(parser.parse_model(text))
model.graph.initializers["w"].const_value = {}
print(inspect(model))
"""

PAIRS = (
    Pair(
        "OW530",
        bad=_attach(_FOR_FLOAT, acme=_bundle(_KINDS, _function("Kind__T_float", _entry(_ABS)))),
        good=_attach(_FOR_FLOAT, acme=_bundle(_KINDS, _function("KindOfFloat", _entry(_ABS)))),
    ),
    Pair(
        "OW531",
        bad=_attach(_FOR_FLOAT, f"{_ATTACH} --profile overload"),
        good=_attach(_FOR_FLOAT),
    ),
    Pair(
        "OW540",
        bad=_attach(_GELU_MODEL, acme=_FAST_GELU),
        good=_attach(_GELU_MODEL, f"{_ATTACH} --inline", acme=_FAST_GELU),
    ),
    Pair(
        "OW541",
        bad=_attach(_GOOD_MODEL, "inspect model.onnx --library acme.onnxlib --require defined"),
        good=_attach(_GOOD_MODEL, f"{_ATTACH} && inspect out.onnx --library acme.onnxlib --require defined"),
    ),
    Pair(
        "OW542",
        bad=_attach(_GOOD_MODEL, f"{_ATTACH} && {_UPGRADE}", acme=LIBRARY, newer=_OTHER_SWISH),
        good=_attach(_GOOD_MODEL, f"{_ATTACH} && {_UPGRADE}", acme=LIBRARY, newer=LIBRARY),
    ),
    Pair(
        "OW543",
        bad=_attach(_GOOD_MODEL, f"{_ATTACH} && {_UPGRADE}", acme=LIBRARY, newer=_bundle(library="more-ops")),
        good=_attach(_GOOD_MODEL, f"{_ATTACH} && {_UPGRADE}", acme=LIBRARY, newer=LIBRARY),
    ),
    Pair(
        "OW544",
        bad=_attach(_GOOD_MODEL, "upgrade model.onnx --library acme.onnxlib -o new.onnx"),
        good=_attach(_GOOD_MODEL, f"{_ATTACH} && upgrade out.onnx --library acme.onnxlib -o new.onnx"),
    ),
    Pair(
        "OW545",
        bad=_attach(_GOOD_MODEL.replace("Swish", "Kind"), f"{_ATTACH} --late-types"),
        good=_attach(_GOOD_MODEL, f"{_ATTACH} --late-types", acme=_bundle(_HALF_SWISH)),
    ),
    Pair(
        "OW546",
        bad=Example(_ATTACH, {"model.onnx.hex": _training(), "acme.onnxlib.hex": LIBRARY}),
        good=_GOOD,
    ),
    Pair(
        "OW548",
        bad=_attach(_GOOD_MODEL, f"{_ATTACH} && {_UPGRADE} --accept Swihs", acme=LIBRARY, newer=LIBRARY),
        good=_attach(_GOOD_MODEL, f"{_ATTACH} && {_UPGRADE} --accept Swish", acme=LIBRARY, newer=LIBRARY),
    ),
    Pair(
        "OW550",
        bad=Example(_ATTACH, {"acme.onnxlib.hex": LIBRARY}),
        good=_GOOD,
    ),
    Pair(
        "OW551",
        bad=_model_bytes(_OPERATORS.SerializeToString(deterministic=True)),
        good=_GOOD,
    ),
    Pair(
        "OW552",
        bad=_node("Y = Relu(X)"),
        good=_attach(f"{_HEADER} agraph (float[N] X) => (float[N] Y) {{ Y = Relu(X) }}", f"{_ATTACH} --replace"),
    ),
    Pair(
        "OW553",
        bad=_node("Y = com.acme.Swihs(X)"),
        good=_GOOD,
    ),
    Pair(
        "OW554",
        bad=_node("Y = com.acme.Late(X)"),
        good=_node("Y = com.acme.Late(X)", header=_HEADER.replace('"com.acme": 1', '"com.acme": 2')),
    ),
    Pair(
        "OW555",
        bad=_node("Y = com.acme.Swish(X)", header=_HEADER.replace('"com.acme": 1', '"com.acme": 3')),
        good=_GOOD,
    ),
    Pair(
        "OW556",
        bad=_node("Y = com.acme.Swish(X)", header=_HEADER.replace('"": 18', '"": 17')),
        good=_GOOD,
    ),
    Pair(
        "OW557",
        bad=_node("Y = com.acme.Sum(X)"),
        good=_node("Y = com.acme.Sum(X, X)"),
    ),
    Pair(
        "OW558",
        bad=_node("Y = com.acme.Swish<alpha = 1>(X)"),
        good=_node("Y = com.acme.Swish<alpha = 1.0>(X)"),
    ),
    Pair(
        "OW559",
        bad=_node("T = nowhere.Thing(X) Y = com.acme.Kind(T)", header=_HEADER.replace("]>", ', "nowhere": 1]>')),
        good=_node("T = Abs(X) Y = com.acme.Kind(T)"),
    ),
    Pair(
        "OW560",
        bad=_node("T = com.acme.Swish(X) Y = Cast<to = 1>(T)", inputs="int64[N] X"),
        good=_GOOD,
    ),
    Pair(
        "OW561",
        bad=_node("Y = com.acme.Sum(X, Z)", inputs="float[N] X, double[N] Z"),
        good=_node("Y = com.acme.Sum(X, Z)", inputs="float[N] X, float[N] Z"),
    ),
    Pair(
        "OW562",
        bad=_attach(f'{_GOOD_MODEL} <domain: "com.acme", opset_import: ["": 18]> Swish (X) => (Y) {{ Y = Abs(X) }}'),
        good=_GOOD,
    ),
    Pair(
        "OW563",
        bad=_attach(_GOOD_MODEL, f"{_ATTACH} --library other.onnxlib", acme=LIBRARY, other=_OTHER_SWISH),
        good=_attach(_GOOD_MODEL, f"{_ATTACH} --library other.onnxlib", acme=LIBRARY, other=LIBRARY),
    ),
    Pair(
        "OW564",
        bad=_attach(f"{_HEADER} agraph (float[N] X) => (float[N] Y) {{ Y = com.acme.Near(X) }}", acme=_CALLS_FAR),
        good=_GOOD,
    ),
    Pair(
        "OW565",
        bad=_attach(_chain(140)),
        good=_attach(_chain(14)),
    ),
    Pair(
        "OW566",
        bad=_node("T = com.acme.Swish(X) Y = Transpose<perm = [1, 1]>(T)", inputs="float[2, 3] X"),
        good=_GOOD,
    ),
    Pair(
        "OW588",
        bad=_node("Y = com.acme.Swish(X)", inputs="float[] X"),
        good=_GOOD,
    ),
    Pair(
        "OW567",
        bad=_node("[same] T = com.acme.Swish(X) [same] Y = Abs(T)"),
        good=_node("[one] T = com.acme.Swish(X) [other] Y = Abs(T)"),
    ),
    Pair(
        "OW568",
        bad=_attach(f"{_HEADER} agraph (double[N] X) => (double[N] Y) {{ T = com.acme.Swish(X) Y = Erf(T) }}"),
        good=_GOOD,
    ),
    Pair(
        "OW569",
        bad=_attach(
            f"{_WITH_MINE} agraph (float[N] X, double[N] Z) => (float[N] Y, double[N] W) "
            f"{{ Y = my.Mine(X) W = my.Mine(Z) }} {_MINE.format('Y = com.acme.Kind(X)')}"
        ),
        good=_attach(
            f"{_WITH_MINE} agraph (float[N] X) => (float[N] Y) {{ T = my.Mine(X) Y = my.Mine(T) }} "
            f"{_MINE.format('Y = com.acme.Kind(X)')}"
        ),
    ),
    Pair(
        "OW570",
        bad=_attach(f"{_HEADER} agraph (double[N] X) => (double[N] Y) {{ Y = Relu(X) }}", f"{_ATTACH} --replace"),
        good=_attach(f"{_HEADER} agraph (float[N] X) => (float[N] Y) {{ Y = Relu(X) }}", f"{_ATTACH} --replace"),
    ),
    Pair(
        "OW571",
        bad=_attach(
            f"{_HEADER} {_WEIGHTS} Y = com.acme.Swish(Z) }}",
            "attach model.onnx --library acme.onnxlib -o specs/out.onnx --external-data reference",
        ),
        good=_attach(f"{_HEADER} {_WEIGHTS} Y = com.acme.Swish(Z) }}"),
    ),
    Pair(
        "OW572",
        bad=_attach(_GOOD_MODEL, "attach model.onnx --library acme.onnxlib -o missing/out.onnx"),
        good=_GOOD,
    ),
    Pair(
        "OW573",
        bad=_node("T = com.acme.Swish(X) Y = nowhere.Thing(T)", header=_HEADER.replace("]>", ', "nowhere": 1]>')),
        good=_GOOD,
        beside=("OW568",),
    ),
    Pair(
        "OW574",
        bad=_attach(_GOOD_MODEL, "detach model.onnx -o out.onnx"),
        good=_attach(_GOOD_MODEL, f"{_ATTACH} && detach out.onnx -o back.onnx"),
    ),
    Pair(
        "OW575",
        bad=_attach(_GOOD_MODEL, acme=_bundle(_PLAIN_SWISH, damaged=True)),
        good=_GOOD,
    ),
    Pair(
        "OW576",
        bad=Example("detach model.onnx -o out.onnx", {"model.onnx.hex": _altered()}),
        good=_attach(_GOOD_MODEL, f"{_ATTACH} && detach out.onnx -o back.onnx"),
    ),
    Pair(
        "OW577",
        bad=_template("Y = com.acme.Twice<body = plus (float[N] A) => (float[N] B) { B = Add(A, Z) }>(X)"),
        good=_template("Y = com.acme.Twice<body = plus (float[N] A) => (float[N] B) { B = Add(A, A) }>(X)"),
    ),
    Pair(
        "OW578",
        bad=Example("python a.py", {"a.py": _FORM.format("inspect(model.graph)")}),
        good=Example("python a.py", {"a.py": _FORM.format("inspect(model)")}),
    ),
    Pair(
        "OW579",
        bad=Example("python a.py", {"a.py": _IR_FORM.format("None")}),
        good=Example("python a.py", {"a.py": _IR_FORM.format('onnx_ir.tensor(1.0, name="w")')}),
    ),
    Pair(
        "OW580",
        bad=_python("Y = Abs(Z)"),
        good=_python("Y = Abs(X)"),
    ),
    Pair(
        "OW595",
        bad=_node("T = com.acme.Swish(X) B = Constant<value = bool {1}>() Y = If(B)"),
        good=_GOOD,
    ),
    Pair(
        "OW596",
        bad=_attach(
            f"{_WITH_MINE} agraph (float[N] X) => (float[N] Y) {{ Y = my.Mine(X) }} {_MINE.format('Y = my.Mine(X)')}"
        ),
        good=_attach(
            f"{_WITH_MINE} agraph (float[N] X) => (float[N] Y) {{ Y = my.Mine(X) }} "
            f"{_MINE.format('Y = com.acme.Swish(X)')}"
        ),
    ),
    Pair(
        "OW597",
        bad=_attach(
            f"{_HEADER} agraph (float[N] X) => (float[N] Y) "
            '<float[1] W = ["location": "w.bin", "offset": "-1"]> { T = com.acme.Swish(X) Y = Add(T, W) }'
        ),
        good=_GOOD,
    ),
    Pair(
        "OW598",
        bad=_attach(
            '<ir_version: 8, opset_import: ["": 4294967314, "com.acme": 1]> '
            "agraph (float[N] X) => (float[N] Y) { Y = com.acme.Swish(X) }"
        ),
        good=_GOOD,
    ),
    Pair(
        "OW599",
        bad=_attach(_GOOD_MODEL, f"{_ATTACH} --sha256 {'0' * 64}"),
        good=_attach(_GOOD_MODEL, f"{_ATTACH} --sha256 {sha256(bytes.fromhex(LIBRARY)).hexdigest()}"),
    ),
)
