"""`x.dtype` compared with types: the same in eager mode and compiled, or refused by the compiler."""

from __future__ import annotations

import linecache
from typing import Any

import numpy as np
import pytest
from opwright import DOUBLE, FLOAT, DiagnosticError, OnnxFunction, Tensor, script
from opwright import opset18 as op
from opwright.elements import BY_CODE
from opwright.graphs.ndarrays import DTYPES, element_of_dtype

SURROUNDINGS = {
    "np": np,
    "op": op,
    "FLOAT": FLOAT,
    "DOUBLE": DOUBLE,
    "Tensor": Tensor,
    "TYPES": (FLOAT, DOUBLE),
    "SHAPED": [FLOAT[...], np.float64],
    "NUMPY_DTYPE": np.dtype("float32"),
    "LONG_LONG": np.longlong,
    "LONG_LONG_DTYPE": np.dtype(np.longlong),
    "ITSELF": FLOAT.dtype,
    "SET": {FLOAT, DOUBLE},
    "FROZEN": frozenset([FLOAT["N"]]),
    "DICT": {FLOAT[...]: 1},
}
X = np.ones(3, np.float32)

EQUAL = [
    ("x.dtype in (FLOAT, DOUBLE)", True),
    ("x.dtype in [DOUBLE, FLOAT]", True),
    ("x.dtype not in (FLOAT,)", False),
    ("x.dtype in TYPES", True),
    ("x.dtype in SHAPED", True),
    ("x.dtype in (FLOAT[3],)", True),
    ("x.dtype in (None, FLOAT)", True),
    ("x.dtype in ('float', 1, float)", False),
    ("x.dtype in (np.float32,)", True),
    ("x.dtype in (NUMPY_DTYPE,)", True),
    ("x.dtype in (ITSELF,)", True),
    ("x.dtype in (x.dtype,)", True),
    ("x.dtype in (Tensor,)", False),
    ("x.dtype == FLOAT[3]", True),
    ("FLOAT == x.dtype", True),
    ("x.dtype == NUMPY_DTYPE", True),
    ("NUMPY_DTYPE == x.dtype", True),
    ("op.Size(x).dtype == LONG_LONG", True),
    ("op.Size(x).dtype == LONG_LONG_DTYPE", True),
    ("op.Cast(x, to=LONG_LONG).dtype == np.int64", True),
    ("op.Cast(x, to=LONG_LONG_DTYPE).dtype == np.int64", True),
    ("x.dtype != None", True),
    ("FLOAT.dtype == x.dtype", True),
    ("FLOAT.dtype == FLOAT", True),
    ("FLOAT.dtype == FLOAT[3].dtype", True),
    ("DOUBLE == FLOAT", False),
    ("FLOAT == FLOAT", True),
    ("(x.dtype,) == (FLOAT,)", True),
    ("(x.dtype, 1) != (DOUBLE, 1)", True),
    ("((x.dtype,),) == ((FLOAT,),)", True),
    ("(x.dtype,) in ((FLOAT,), (DOUBLE,))", True),
]

# Python looks sets up by hash, which numpy's types do not share with ours, and tells classes apart that the compiler
# does not.
REFUSED = [
    ("x.dtype in {FLOAT, DOUBLE}", "OW304"),
    ("x.dtype in {np.float32}", "OW304"),
    ("x.dtype in SET", "OW352"),
    ("x.dtype in FROZEN", "OW352"),
    ("x.dtype in DICT", "OW352"),
    ("FLOAT == FLOAT[...]", "OW304"),
    ("FLOAT[3] == FLOAT[3]", "OW304"),
    ("FLOAT in (FLOAT[3],)", "OW304"),
    ("FLOAT == np.float32", "OW304"),
    ("(FLOAT,) == (np.float32,)", "OW304"),
]


def asking(question: str) -> OnnxFunction:
    text = f"def f(x):\n    if {question}:\n        return -x\n    return x + x\n"
    file = f"<{question}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names: dict[str, Any] = dict(SURROUNDINGS)
    exec(compile(text, file, "exec", dont_inherit=True), names)
    made = script()(names["f"])
    assert isinstance(made, OnnxFunction)
    return made


@pytest.mark.parametrize(("question", "answer"), EQUAL)
def test_one_answer_in_both_modes(question: str, answer: bool) -> None:
    function = asking(question)
    assert (function(X)[0] == -1) is np.bool_(answer)
    model = function.to_model_proto(input_types=[FLOAT[3]])
    assert [node.op_type for node in model.graph.node] == ["Neg" if answer else "Add"]


@pytest.mark.parametrize(("question", "code"), REFUSED)
def test_what_has_no_answer_that_is_known(question: str, code: str) -> None:
    with pytest.raises(DiagnosticError) as raised:
        asking(question).to_model_proto(input_types=[FLOAT[3]])
    assert [item.code for item in raised.value.diagnostics] == [code]


@pytest.mark.parametrize("dtype", [*map(np.dtype, "?bBhHiIlLqQefdFDUO"), *DTYPES.values()], ids=repr)
def test_a_dtype_of_numpy_is_that_of_one_element_type(dtype: np.dtype[Any]) -> None:
    """numpy has two classes of one size, of which arrays of onnxruntime may have the other."""
    wanted = [element_of_dtype(dtype)]
    assert [element for element in BY_CODE.values() if element == dtype] == wanted
    assert [element for element in BY_CODE.values() if dtype == element] == wanted
    assert [element for element in BY_CODE.values() if element == dtype.type] == wanted


@pytest.mark.parametrize("name", ["SET", "FROZEN", "DICT"])
def test_eager_mode_finds_dtypes_in_sets_of_types(name: str) -> None:
    assert asking(f"x.dtype in {name}")(X)[0] == -1
    assert asking(f"x.dtype in {name}")(X.astype(np.int64))[0] == 2


def test_types_of_one_element_type_share_a_hash_and_are_not_equal() -> None:
    assert hash(FLOAT) == hash(FLOAT["N"]) == hash(FLOAT.dtype)
    assert FLOAT["N"] != FLOAT
    assert len({FLOAT, FLOAT["N"], DOUBLE}) == 3
    assert hash(Tensor) != hash(FLOAT)
