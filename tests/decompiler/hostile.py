"""Models with hostile names and texts: any text at every place of a model that holds one.

`PLACES` says for each place how a text gets there, and which texts may stand there in a valid model. `everywhere` puts
a text at all of them, another at each, so that as many models as there are texts put every text at every place.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache

import numpy as np
from onnx import AttributeProto, FunctionProto, ModelProto, NodeProto, helper, numpy_helper, parser
from opwright import DiagnosticError, decompile
from opwright.decompiler.recompile_check import check_model

LONG = 70_000
TEXTS = (
    "plain",
    "",
    "_",
    "__",
    "_private",
    "__class__",
    "__debug__",
    "__file__",
    "__name__",
    "class",
    "None",
    "True",
    "match",
    "type",
    "len",
    "range",
    "print",
    "int",
    "open",
    "Exception",
    "np",
    "op",
    "onnx",
    "json",
    "math",
    "ml_dtypes",
    "script",
    "model",
    "made",
    "function",
    "external_data",
    "goes_on",
    "again",
    "body",
    "ARRAYS",
    "Path",
    "FLOAT",
    "Opset",
    "Sequence",
    "Tensor",
    "load_arrays",
    "allow_pickle",
    "file",
    "x_DATA",
    "X_DATA",
    "value_1",
    "value",
    "a.b",
    "a/b",
    "a:b",
    "a_b",
    "/a/b",
    "1",
    "1e5",
    "-1",
    "N + 1",
    "two words",
    " spaced ",
    "tab\tbed",
    "line\nbreak",
    "line\r\nbreak\rback",
    "\n",
    "form\ffeed\vtab",
    "nul\0end\0",
    "bell\a\x1b[31m\x7f",
    "next\x85line\u2028separator\u2029",
    "\ufeffmark",
    "\u202eright to left",
    "é",
    "\ufb01",
    "fi",
    "\u210c",
    "変数",
    "\U0001f600",
    "\U0010ffff\ufffe",
    '"',
    "'",
    "\"'",
    '"""',
    "'''",
    '\'""\'""',
    'ends in quotes"',
    'ends in three quotes"""',
    "\\",
    "ends in a backslash\\",
    "\\n\\x00\\N{DASH}",
    'odd \\" quote',
    "{x}",
    "{",
    "%s %(x)s",
    "# fmt: skip",
    "x  # noqa",
    "def f(): return 1",
    "): import os  #",
    '", x="',
    "a, b",
    "a = b",
    "a == b",
    " = ",
    ", ",
    "a -> b",
    "(",
    "[[[",
    ")]}",
    "**",
    "a ** b " * 60,
    "**" * 2_000,
    " = " * 2_000,
    ", " * 2_000,
    "(" * 2_000,
    "a" * 100,
    "a" * 200,
    "a" * 119 + '"',
    "word " * 50,
    "word\n" * 50,
    "é" * 150,
    "\\" * 301,
    '"' * 301,
    "'\"" * 151,
    "\0" * 200,
    "\n" * 200,
    "a" * LONG,
    'line \\ """ of many\n' * (LONG // 20),
)
NAMES = tuple(filter(None, TEXTS))  # a value without a name is absent
# Names that are keywords of a call, and so must be names in Python that the text itself does not need: any other is
# refused.
_NEEDED = frozenset(["class", "None", "True", "__debug__", "_", "np", "op", "math", "ml_dtypes", "range", "FLOAT"])
KEYWORDS = tuple(text for text in NAMES if text.isidentifier() and text.isascii() and text not in _NEEDED)

BASE = """<ir_version: 10, opset_import: ["": 21, "d": 1, "open": 2]>
agraph (float[N, 3] x, bool c, string[S] s, float[2] kept) => (float[N, 3] y, string[S] t, float[N, 3] z, string[U] u)
<float[2] kept = {1, 2}, float[40] large = {0}>
{
    a = Mul (x, x)
    b = d.f <low = 0.5, note = "note", notes = ["one", "two"]> (a)
    k = Constant <value: tensor = string[1] {"k"}> ()
    k_one = Constant <value_string = "one"> ()
    k_two = Constant <value_strings = ["two", "three"]> ()
    k_three = Reshape (k_one, minus)
    t = StringConcat (s, k)
    u = Concat <axis = 0> (k, k_three, k_two)
    e = If (c) <
        then_branch: graph = yes () => (float[N, 3] p) { q = Add (b, a) p = Neg (q) },
        else_branch: graph = no () => (float[N, 3] p) { p = Identity (b) }
    >
    l = Loop (three, "", e) <body: graph = again (int64 i, bool go, float[N, 3] v) => (bool going, float[N, 3] w) {
        going = Identity (go)
        w = Sub (v, e)
    }>
    z = open.Odd <text = "text", texts = ["a", "b"]> (l)
    y = Sqrt (l)
}
<domain: "d", opset_import: ["": 21]> f <note: string = "n", notes: strings = ["m"], low: float = 0.1> (m, n) => (o)
{
    r = LeakyRelu <alpha: float = @low> (m)
    note_text = Constant <value_string: string = @note> ()
    note_texts = Constant <value_strings: strings = @notes> ()
    o = Abs (r)
}"""


def base() -> ModelProto:
    """A model with texts of every kind."""
    text = BASE.replace("(m, n) =>", "(m) =>").replace(", float[40] large = {0}", "")
    text = text.replace("note: string", "note").replace(', notes: strings = ["m"], low: float = 0.1', ", notes, low")
    text = text.replace(' = "n"', "")
    model = parser.parse_model(text)
    function = model.functions[0]
    del function.attribute[:]
    function.attribute_proto.append(helper.make_attribute("low", 0.1))
    function.attribute_proto.append(helper.make_attribute("note", "n"))
    function.attribute_proto.append(helper.make_attribute("notes", ["m", "n"]))
    for name, array in (
        ("minus", np.array([-1])),
        ("three", np.array(3)),
        ("words", np.array(["w", "v"], object)),
        ("many_words", np.array([f"w{index}" for index in range(40)], object)),
        ("large", np.arange(40, dtype=np.float32)),
    ):
        model.graph.initializer.append(numpy_helper.from_array(array, name))
    words = helper.make_tensor_value_info("both", 8, [42])
    model.graph.node.append(helper.make_node("Concat", ["words", "many_words"], ["both"], axis=0))
    model.graph.output.append(words)
    model.graph.node.append(helper.make_node("Neg", ["large"], ["large_neg"]))
    model.graph.output.append(helper.make_tensor_value_info("large_neg", 1, [40]))
    return model


def _rename(model: ModelProto, old: str, new: str) -> None:
    """Gives a value of the main graph another name, wherever it is used."""
    for item in (*model.graph.input, *model.graph.output, *model.graph.initializer):
        if item.name == old:
            item.name = new
    _rename_in(model.graph.node, old, new)


def _rename_in(nodes: Sequence[NodeProto], old: str, new: str) -> None:
    for node in nodes:
        for names in (node.input, node.output):
            names[:] = [new if name == old else name for name in names]
        for attribute in node.attribute:
            for value in (*attribute.g.input, *attribute.g.output):
                value.name = new if value.name == old else value.name
            _rename_in(attribute.g.node, old, new)


def _of_function(model: ModelProto, old: str, new: str) -> None:
    function = model.functions[0]
    for names in (function.input, function.output):
        names[:] = [new if name == old else name for name in names]
    _rename_in(function.node, old, new)


def _domain(model: ModelProto, old: str, new: str) -> None:
    for item in model.opset_import:
        item.domain = new if item.domain == old else item.domain
    for function in model.functions:
        function.domain = new if function.domain == old else function.domain
    for node in model.graph.node:
        node.domain = new if node.domain == old else node.domain


@cache
def _positions() -> dict[tuple[str, str], tuple[int, int]]:
    """Where the operators and their attributes stand, whatever they are called later."""
    found: dict[tuple[str, str], tuple[int, int]] = {}
    for index, node in enumerate(base().graph.node):
        found.setdefault((node.op_type, ""), (index, 0))
        for place, attribute in enumerate(node.attribute):
            found.setdefault((node.op_type, attribute.name), (index, place))
    return found


def _node(model: ModelProto, operator: str) -> NodeProto:
    return model.graph.node[_positions()[operator, ""][0]]


def _attribute(model: ModelProto, operator: str, name: str) -> AttributeProto:
    node, place = _positions()[operator, name]
    return model.graph.node[node].attribute[place]


def _function_name(model: ModelProto, text: str) -> None:
    _node(model, "f").op_type = text
    model.functions[0].name = text


def _overload(model: ModelProto, text: str) -> None:
    _node(model, "f").overload = text
    model.functions[0].overload = text


def _function_attribute(model: ModelProto, text: str) -> None:
    function: FunctionProto = model.functions[0]
    _attribute(model, "f", "low").name = text
    function.attribute_proto[0].name = text
    function.node[0].attribute[0].ref_attr_name = text


def _dimension(model: ModelProto, text: str) -> None:
    for value in (*model.graph.input, *model.graph.output):
        for size in value.type.tensor_type.shape.dim:
            if size.dim_param == "N":
                size.dim_param = text


def _text_set(field: str, of: Callable[[ModelProto], object]) -> Callable[[ModelProto, str], None]:
    return lambda model, text: setattr(of(model), field, text)


def _metadata(of: Callable[[ModelProto], ModelProto]) -> Callable[[ModelProto, str], None]:
    def put(model: ModelProto, text: str) -> None:
        of(model).metadata_props.add(key=text, value="of a key")
        of(model).metadata_props.add(key="of a text", value=text)

    return put


def _value(name: str) -> Callable[[ModelProto, str], None]:
    return lambda model, text: _rename(model, name, text)


def _strings(operator: str, name: str) -> Callable[[ModelProto, str], None]:
    def put(model: ModelProto, text: str) -> None:
        attribute = _attribute(model, operator, name)
        if attribute.type == AttributeProto.TENSOR:
            attribute.t.string_data[:] = [text.encode()]
        elif attribute.type == AttributeProto.STRINGS:
            attribute.strings[:] = [text.encode(), b"other", text.encode()]
        else:
            attribute.s = text.encode()

    return put


def _initializer_text(name: str) -> Callable[[ModelProto, str], None]:
    def put(model: ModelProto, text: str) -> None:
        tensor = next(item for item in model.graph.initializer if item.name == name)
        tensor.string_data[1] = text.encode()

    return put


def _default(index: int) -> Callable[[ModelProto, str], None]:
    def put(model: ModelProto, text: str) -> None:
        item = model.functions[0].attribute_proto[index]
        if item.type == AttributeProto.STRINGS:
            item.strings[:] = [text.encode()]
        else:
            item.s = text.encode()

    return put


def _nested(value: str) -> Callable[[ModelProto, str], None]:
    """A value of a graph in the main one."""
    return lambda model, text: _rename_in(model.graph.node, value, text)


# How a text gets to each place, and which texts may stand there.
PLACES: dict[str, tuple[Callable[[ModelProto, str], None], tuple[str, ...]]] = {
    "short string initializer": (_initializer_text("words"), TEXTS),
    "long string initializer": (_initializer_text("many_words"), TEXTS),
    "graph": (_text_set("name", lambda model: model.graph), TEXTS),
    "input": (_value("x"), NAMES),
    "condition": (_value("c"), NAMES),
    "default input": (_value("kept"), NAMES),
    "output": (_value("y"), NAMES),
    "inner value": (_value("b"), NAMES),
    "value of an If": (_value("e"), NAMES),
    "value of a Loop": (_value("l"), NAMES),
    "constant": (_value("k"), NAMES),
    "short initializer": (_value("words"), NAMES),
    "long initializer": (_value("many_words"), NAMES),
    "large initializer": (_value("large"), NAMES),
    "value in a branch": (_nested("q"), NAMES),
    "output of a branch": (_nested("p"), NAMES),
    "state of a loop": (_nested("v"), NAMES),
    "index of a loop": (_nested("i"), NAMES),
    "result of a loop": (_nested("w"), NAMES),
    "condition of a loop": (_nested("going"), NAMES),
    "branch": (_text_set("name", lambda model: _attribute(model, "If", "then_branch").g), TEXTS),
    "loop": (_text_set("name", lambda model: _attribute(model, "Loop", "body").g), TEXTS),
    "node": (_text_set("name", lambda model: model.graph.node[0]), TEXTS),
    "text of a node": (_text_set("doc_string", lambda model: model.graph.node[0]), TEXTS),
    "text of a branch": (_text_set("doc_string", lambda model: _attribute(model, "If", "then_branch").g), TEXTS),
    "text of a value": (_text_set("doc_string", lambda model: model.graph.input[0]), TEXTS),
    "denotation": (_text_set("denotation", lambda model: model.graph.input[0].type), NAMES),
    "denotation of a size": (
        _text_set("denotation", lambda model: model.graph.output[0].type.tensor_type.shape.dim[0]),
        NAMES,
    ),
    "text of the model": (_text_set("doc_string", lambda model: model), TEXTS),
    "text of the graph": (_text_set("doc_string", lambda model: model.graph), TEXTS),
    "text of a function": (_text_set("doc_string", lambda model: model.functions[0]), TEXTS),
    "producer": (_text_set("producer_name", lambda model: model), TEXTS),
    "producer's version": (_text_set("producer_version", lambda model: model), TEXTS),
    "the model's domain": (_text_set("domain", lambda model: model), TEXTS),
    "metadata": (_metadata(lambda model: model), TEXTS),
    "metadata of the graph": (_metadata(lambda model: model.graph), TEXTS),
    "metadata of a node": (_metadata(lambda model: model.graph.node[0]), TEXTS),
    "metadata of a function": (_metadata(lambda model: model.functions[0]), TEXTS),
    "dimension": (_dimension, NAMES),
    "string tensor": (_strings("Constant", "value"), TEXTS),
    "constant text": (_strings("Constant", "value_string"), TEXTS),
    "constant texts": (_strings("Constant", "value_strings"), TEXTS),
    "attribute of an open operator": (_strings("Odd", "text"), TEXTS),
    "attributes of an open operator": (_strings("Odd", "texts"), TEXTS),
    "attribute of a call": (_strings("f", "note"), TEXTS),
    "attributes of a call": (_strings("f", "notes"), TEXTS),
    "default text": (_default(1), TEXTS),
    "default texts": (_default(2), TEXTS),
    "domain of a function": (lambda model, text: _domain(model, "d", text), NAMES),
    "open domain": (lambda model, text: _domain(model, "open", text), NAMES),
    "function": (_function_name, NAMES),
    "overload": (_overload, TEXTS),
    "input of a function": (lambda model, text: _of_function(model, "m", text), NAMES),
    "output of a function": (lambda model, text: _of_function(model, "o", text), NAMES),
    "inner value of a function": (lambda model, text: _of_function(model, "r", text), NAMES),
    "attribute of a function": (_function_attribute, KEYWORDS),
    "open operator": (_text_set("op_type", lambda model: _node(model, "Odd")), KEYWORDS),
    "name of an open attribute": (_text_set("name", lambda model: _attribute(model, "Odd", "text")), KEYWORDS),
}


def everywhere(shift: int) -> ModelProto:
    """The model with a text at every place, another at each: the first has that of number `shift`."""
    model = base()
    for index, (put, texts) in enumerate(PLACES.values()):
        put(model, texts[(shift + index) % len(texts)])
    return model


def hostile_failures(shifts: Iterable[int], faithful: bool) -> Iterator[str]:
    """What becomes of those models that do not come back."""
    for shift in shifts:
        model = everywhere(shift)
        try:
            made = decompile(model, faithful=faithful)
            ast.parse(made.text)
            findings = [f"{item.message}: {item.reason}" for item in check_model(made, model)]
        except (DiagnosticError, SyntaxError, ValueError, RecursionError, MemoryError) as error:
            findings = [str(error)]
        yield from (f"{shift}: {finding}" for finding in findings)
