"""OW400 to OW422: the vectors that a function is judged by: the standard's suite and its lock, rows, the oracle."""

from __future__ import annotations

from tests.diagnostics.examples import Entry, Example

_FOLDER = "specs/com.acme/Swish"
_LOCK = "specs/vectors.lock"

_SPEC = """\
schema: 1
domain: com.acme
name: Swish
summary: X * sigmoid(alpha * X), for each element.
since_version: 1
opset: ">=18"
inputs: {X: T}
outputs: {Y: T}
types: {T: [float, double]}
vectors: [vectors.yaml]
reference: reference.py
"""

_REFERENCE = """\
import numpy as np


def Swish(X, alpha=1.0):
    return X / (1 + np.exp(-alpha * X))
"""

_ROWS = """\
schema: 1
rows:
  - name: ones
    inputs: {X: [1.0, -1.0]}
"""

_AI_ONNX = """\
schema: 1
version: 28
mirror: opwright.ai.onnx
"""

_SOFTPLUS = """\
schema: 1
domain: ai.onnx
name: Softplus
summary: log(1 + exp(X)), for each element.
since_version: 22
opset: ">=18"
inputs: {X: T}
outputs: {Y: T}
types: {T: [float]}
vectors: [onnx]
reference: reference.py
"""

_SOFTPLUS_FUNCTION = """\
from opwright import opset18 as op


def Softplus(X):
    return op.Relu(X) + op.Log(op.Exp(-op.Abs(X)) + 1)
"""

_SOFTPLUS_REFERENCE = """\
import numpy as np


def Softplus(X):
    return np.logaddexp(0.0, X)
"""


def _swish(spec: str = "", reference: str = "", rows: str = "") -> Example:
    """The base library's Swish, some of its files replaced."""
    texts = {"spec.yaml": spec, "reference.py": reference, "vectors.yaml": rows}
    return Example("test", {f"{_FOLDER}/{name}": text for name, text in texts.items() if text})


def _row(text: str) -> Example:
    """Swish with one row more."""
    return _swish(rows=f"{_ROWS}  - {text}\n")


def _standard(command: str, lock: str = "", spec: str = _SOFTPLUS, reference: str = _SOFTPLUS_REFERENCE) -> Example:
    """The base library and, beside Swish, a function of the standard, judged by the standard's suite."""
    files = {
        "specs/ai.onnx/domain.yaml": _AI_ONNX,
        "specs/ai.onnx/Softplus/spec.yaml": spec,
        "specs/ai.onnx/Softplus/function.py": _SOFTPLUS_FUNCTION,
        "specs/ai.onnx/Softplus/reference.py": reference,
    }
    if lock:
        files[_LOCK] = lock
    return Example(command, files)


_UPDATED = "vectors --update && test"
_ALTERED_LOCK = "".join(f"{name} {'0' * 64}\n" for name in ("test_softplus", "test_softplus_example"))

ENTRIES: tuple[Entry, ...] = (
    Entry(
        "OW400",
        "a case of the standard's suite is not locked",
        "Cases of the suite come from the installed onnx. They are pinned in specs/vectors.lock, so that what a "
        "function was verified against cannot change unseen. `opwright vectors --update` writes the file; review and "
        "commit it.",
        _standard("test"),
        _standard(_UPDATED),
    ),
    Entry(
        "OW401",
        "a case of the standard's suite differs from the locked one",
        "The installed onnx makes another case of this name than the one that was reviewed: other inputs, attributes "
        "or outputs, by more than rounding. If the new one is right, `opwright vectors --update` takes it over.",
        _standard("test", lock=_ALTERED_LOCK),
        _standard(_UPDATED, lock=_ALTERED_LOCK),
    ),
    Entry(
        "OW402",
        "a line of specs/vectors.lock cannot be read",
        "The lock is written by the tool alone; a line edited by hand or left by a merge pins nothing.",
        Example("test", {_LOCK: "<<<<<<< ours\n"}),
        Example("test", {_LOCK: "# nothing is locked\n"}),
    ),
    Entry(
        "OW403",
        "no function is judged by a locked case",
        "The suite has no case of that name any more, or no spec asks for it: it would look verified and is not.",
        Example("test", {_LOCK: f"test_relu {'0' * 64}\n"}),
        Example(_UPDATED, {_LOCK: f"test_relu {'0' * 64}\n"}),
    ),
    Entry(
        "OW404",
        "a type cannot hold a value of a row",
        "A row that names a type, or gives an input of one fixed type, must have values that the type holds: integers "
        "in range and without a fraction, true or false, text. Floats may round. A declared type that the row does not "
        "name is skipped instead, and `opwright vectors` says why.",
        _row("{name: text, types: {T: [float]}, inputs: {X: [one]}}"),
        _row("{name: number, types: {T: [float]}, inputs: {X: [1]}}"),
    ),
    Entry(
        "OW405",
        "a row names what the function does not have",
        "Inputs and attributes are those of the Python function, outputs and type variables those of spec.yaml. A "
        "value under a wrong name would never be used.",
        _row("{name: more, inputs: {X: [2.0]}, attributes: {beta: 1.0}}"),
        _row("{name: more, inputs: {X: [2.0]}, attributes: {alpha: 1.0}}"),
    ),
    Entry(
        "OW406",
        "a row leaves out a value that is needed",
        "Every required input and attribute needs a value, and a row that states outputs states all of them.",
        _row("{name: more, attributes: {alpha: 2.0}}"),
        _row("{name: more, attributes: {alpha: 2.0}, inputs: {X: [2.0]}}"),
    ),
    Entry(
        "OW407",
        "an attribute of a row has the wrong type",
        "A number for a FLOAT, a whole number for an INT, text for a STRING, and sequences of them; within the range "
        "of ONNX's int64 and float.",
        _row("{name: more, attributes: {alpha: fast}, inputs: {X: [2.0]}}"),
        _row("{name: more, attributes: {alpha: 2.0}, inputs: {X: [2.0]}}"),
    ),
    Entry(
        "OW408",
        "a row asks for a type that is not declared, or for two at once",
        "A row can narrow the declared types, not widen them; and an input's `type:`, the row's `types:` and an "
        "attribute that decides the output's type must agree.",
        _row("{name: more, types: {T: [float16]}, inputs: {X: [2.0]}}"),
        _row("{name: more, types: {T: [double]}, inputs: {X: [2.0]}}"),
    ),
    Entry(
        "OW409",
        "a source of vectors finds no case",
        "`onnx`, `onnx@latest` and `onnx:<pattern>` stand for cases of the standard's suite with this operator as "
        "their only node. An empty set would look like a verified function.",
        _swish(spec=_SPEC.replace("[vectors.yaml]", "[onnx, vectors.yaml]")),
        _swish(),
    ),
    Entry(
        "OW410",
        "nothing says what a row should give",
        "A row either states its outputs or asks the spec's reference.py. With neither, nothing would be verified.",
        _swish(spec=_SPEC.replace("reference: reference.py\n", "")),
        _swish(
            spec=_SPEC.replace("reference: reference.py\n", ""),
            rows="schema: 1\nrows:\n  - name: zero\n    inputs: {X: [0.0]}\n    outputs: {Y: [0.0]}\n",
        ),
    ),
    Entry(
        "OW411",
        "a declared type has no vector",
        "A type that no vector tests is a promise that is not checked. Rows that expect an error do not count.",
        _swish(rows=_ROWS.replace("inputs", "types: {T: [float]}\n    inputs")),
        _swish(),
    ),
    Entry(
        "OW412",
        "a version has no vectors",
        "Nothing would tell whether it is right.",
        _swish(spec=_SPEC.replace("vectors: [vectors.yaml]\n", "")),
        _swish(),
    ),
    Entry(
        "OW413",
        "a case of the standard's suite does not fit the function's interface",
        "The case was made for this operator at this version. If its types, inputs or attributes do not fit, the spec "
        "differs from the standard.",
        _standard(_UPDATED, spec=_SOFTPLUS.replace("[float]", "[double]")),
        _standard(_UPDATED),
    ),
    Entry(
        "OW414",
        "no declared type can hold the values of a row",
        "The row would never be used.",
        _row("{name: text, inputs: {X: [one, two]}}"),
        _row("{name: numbers, inputs: {X: [1, 2]}}"),
    ),
    Entry(
        "OW415",
        "a reference is no Python that can be read",
        "The oracle of a spec is Python text of at most a mebibyte.",
        _swish(reference=_REFERENCE.replace("alpha=1.0):", "alpha=1.0:")),
        _swish(),
    ),
    Entry(
        "OW416",
        "a reference does not define the operator",
        "The oracle of an operator is the function of its name, at the top level of reference.py.",
        _swish(reference=_REFERENCE.replace("Swish", "swish")),
        _swish(),
    ),
    Entry(
        "OW417",
        "a reference imports something else than numpy and math",
        "The oracle says what the function is. It needs no files, processes or network, and it must not be the runtime "
        "that it judges.",
        _swish(reference="import onnxruntime\n" + _REFERENCE),
        _swish(),
    ),
    Entry(
        "OW418",
        "a reference raises an exception",
        "The row has no expectation then. The place is the line of the reference.",
        _swish(reference=_REFERENCE.replace("return X", "return X[0, 0]")),
        _swish(),
    ),
    Entry(
        "OW419",
        "a reference was stopped",
        "It took too long or too much memory, or it took its process down. The oracle runs in a child process with "
        "limits; after three such rows it is not asked again.",
        _swish(reference=_REFERENCE.replace("    return", "    __import__('os').abort()\n    return")),
        _swish(),
    ),
    Entry(
        "OW420",
        "a reference's answer does not fit the outputs",
        "It returns one array for each output: numbers for numbers, booleans for booleans. Floats are rounded once to "
        "the output's type, integers are cut as Cast does.",
        _swish(reference=_REFERENCE.replace("return X", "return X, X")),
        _swish(),
    ),
    Entry(
        "OW421",
        "a reference differs from the standard's vectors",
        "The oracle must agree with the standard, or a body that follows it is wrong.",
        _standard(_UPDATED, reference=_SOFTPLUS_REFERENCE.replace("0.0, X)", "0.0, X) + 0.5")),
        _standard(_UPDATED),
    ),
    Entry(
        "OW422",
        "the rows of a version stand for too much",
        "A row stands for one case for each choice of types, and all of them are in memory at once. Narrow its "
        "`types:`, or make the tensors smaller: a vector shows more by its values than by its size.",
        _row("{name: large, inputs: {X: {shape: [3000, 3000]}}}"),
        _row("{name: small, inputs: {X: {shape: [30, 30]}}}"),
    ),
)
