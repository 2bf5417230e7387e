"""OW581 to OW587: rewriting models for older opsets and runtimes."""

from __future__ import annotations

from tests.diagnostics.examples import Entry, Example
from tests.diagnostics.examples.link import EMPTY, LIBRARY

_POLYFILL = "polyfill model.onnx --opset 18 --library acme.onnxlib -o out.onnx"
_HEADER = '<ir_version: 8, opset_import: ["": {}]>'


def _node(node: str, opset: int = 22, command: str = _POLYFILL, element: str = "float") -> Example:
    """A model of these nodes at an opset; they make Y of X."""
    model = f"{_HEADER.format(opset)} agraph ({element}[N] X) => ({element}[N] Y) {{ {node} }}"
    return Example(command, {"model.onnx.txt": model, "acme.onnxlib.hex": LIBRARY})


_RUNTIME = _POLYFILL.replace("--opset 18", "--runtime ort==1.31")
_OLD = _POLYFILL.replace("--opset 18", "--opset 13")
_SWISH = {
    "model.onnx.txt": '<ir_version: 10, opset_import: ["": 18, "com.acme": 1]> agraph (float[N] X) => (float[N] Y) '
    "{ Y = com.acme.Swish(X) }",
    "acme.onnxlib.hex": LIBRARY,
}
_ATTACHED = "attach model.onnx --library acme.onnxlib -o with.onnx"
_OWN = (
    "{} agraph (float[N] X) => (float[N] Y) {{ Y = my.Mine(X) }} "
    '<domain: "my", opset_import: ["": 18]> Mine (X) => (Y) {{ Y = Abs(X) }}'
)

ENTRIES = (
    Entry(
        "OW581",
        "An operator that the consumer's opset does not have",
        "The operator came later, and no library given has a function that computes it with the operators of that "
        "opset. A runtime would refuse the model.",
        bad=_node("Y = Mish(X)", command=_OLD),
        good=_node("Y = Abs(X)", command=_OLD),
    ),
    Entry(
        "OW582",
        "An operator that means something else at the consumer's opset",
        "The node uses what a newer version of the operator brought: a type, an attribute, another reading of its "
        "inputs. At the older opset the same node would be refused or, worse, compute something else.",
        bad=_node("Y = Identity(X)", element="uint4"),
        good=_node("Y = Cast<to = 1, saturate = 1>(X)"),
    ),
    Entry(
        "OW583",
        "A kernel that the runtime lacks",
        "The opset has the operator, but this release of the runtime is known to have no kernel of it for these types, "
        "and no library given has a function to put in its place.",
        bad=_node("Y = Elu(X)", command=_RUNTIME, element="double"),
        good=_node("Y = Elu(X)", command=_RUNTIME),
    ),
    Entry(
        "OW584",
        "A consumer that is not known",
        "What the consumer takes must be known to write a model for it: an opset that this onnx knows, not older than "
        "13, or a release of onnxruntime that was measured.",
        bad=_node("Y = Abs(X)", command=_POLYFILL.replace("18", "99")),
        good=_node("Y = Abs(X)"),
    ),
    Entry(
        "OW585",
        "Functions of a library that is not given",
        "The model holds functions that were linked for its own opset. For another one they have to be linked again, "
        "with the bodies that their library has for it.",
        bad=Example(
            f"{_ATTACHED} && polyfill with.onnx --opset 17 --library other.onnxlib -o out.onnx",
            {**_SWISH, "other.onnxlib.hex": EMPTY},
        ),
        good=Example(f"{_ATTACHED} && polyfill with.onnx --opset 18 --library acme.onnxlib -o out.onnx", _SWISH),
    ),
    Entry(
        "OW586",
        "Functions were inlined for an old consumer",
        "Model-local functions came with IR version 8, their overloads with 10. For an older consumer their nodes "
        "stand in the graph itself.",
        bad=Example(
            _OLD,
            {
                "model.onnx.txt": _OWN.format('<ir_version: 8, opset_import: ["": 18, "my": 1]>'),
                "acme.onnxlib.hex": LIBRARY,
            },
        ),
        good=_node("Y = Abs(X)", command=_OLD),
    ),
    Entry(
        "OW587",
        "A model that the consumer takes as it is",
        "Its opsets and its IR version are not newer than what the consumer knows, so the output is the input.",
        bad=_node("Y = Abs(X)", opset=18),
        good=_node("Y = Abs(X)"),
    ),
)
