"""Programs that showed a difference once, each as small as it could be made."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest

from tests.differential.isolated import Judge
from tests.differential.judge import Outcome, judge
from tests.differential.kernels import ORDER_OF_INT64
from tests.differential.planted import BUGS, planted
from tests.differential.program import Case, Program
from tests.lang.conftest_lang import Compiler, run_everywhere


@dataclass(frozen=True, slots=True)
class Found:
    text: str
    outputs: str
    arrays: dict[str, np.ndarray[Any, Any]]
    attributes: dict[str, Any] = field(default_factory=dict)
    opset: int = 18
    ranks: dict[str, int] = field(default_factory=dict)

    def program(self) -> Program:
        names = {"float32": "float", "float64": "double"}
        inputs = {name: names.get(array.dtype.name, array.dtype.name) for name, array in self.arrays.items()}
        inputs.update({name: f"{inputs[name]}/{rank}" for name, rank in self.ranks.items()})
        outputs = {f"y{index}": element for index, element in enumerate(self.outputs.split())}
        case = Case({}, self.arrays, self.attributes)
        return Program(self.text, inputs, outputs, {}, tuple(self.attributes), self.opset, (case,))


I2 = np.array([5, -2], np.int64)
F2 = np.array([0.5, -2.0], np.float32)
ONE = np.array([3], np.int32)

AGREE = {
    "a loop index with an int64 tensor is a tensor": Found(
        "def F(x):\n    y = x\n    for i in range(3):\n        y = (i + x) / 2 + y\n    return y\n", "int64", {"x": I2}
    ),
    "a loop index by an operator of several nodes": Found(
        "def F(x):\n    y = x\n    for i in range(3):\n        y = i // x + i % x + y\n    return y\n",
        "int64",
        {"x": I2},
    ),
    "a typed scalar of a loop index is a tensor": Found(
        "def F(x):\n    y = x\n    for i in range(4):\n        y = y + INT64(i) / 2\n    return y\n", "int64", {"x": I2}
    ),
    "a number that becomes a tensor in a loop has its shape": Found(
        "def F(x):\n    y = 1\n    for i in range(3):\n        y += x\n    return y\n", "int64", {"x": I2}
    ),
    "a conditional number beside a tensor": Found(
        "def F(x):\n    y = 1\n    if op.ReduceMax(x, keepdims=0):\n"
        "        y = (y if op.ReduceSum(x, keepdims=0) else -1) + x\n    return y\n",
        "int64",
        {"x": I2},
    ),
    "a while over one element of rank 1": Found(
        "def F(x):\n    while x:\n        x = x - 1\n    return x\n", "int32", {"x": ONE}, ranks={"x": 1}
    ),
    "a while over one element whose rank is not declared": Found(
        "def F(x):\n    y = x\n    while op.Transpose(y):\n        y = op.Transpose(y) - 1\n    return y\n",
        "int32",
        {"x": ONE},
    ),
    "what all returning paths of a loop leave in names is not read": Found(
        "def F(x):\n    y = x\n    for i in range(2):\n        if i:\n            return x\n        else:\n"
        "            y = x * 2\n            return y + 1\n    return y\n",
        "int64",
        {"x": I2},
    ),
    "a loop that returns a number after one that returns a tensor": Found(
        "def F(x):\n    for i in range(2):\n        return x\n    n = 1.5\n    for i in range(0, 3, 2):\n"
        "        return n\n    return x\n",
        "float",
        {"x": F2},
    ),
    "not of one element of rank 1, in a while": Found(
        "def F(x):\n    y = 0\n    while not x <= y:\n        y = y + 1\n    return y\n", "int32", {"x": ONE}
    ),
    "not of one element of rank 1, in a conditional expression": Found(
        "def F(x):\n    return x if (True if x else not x) else -x\n", "int32", {"x": ONE}, ranks={"x": 1}
    ),
    "a return in a while over one element of rank 1": Found(
        "def F(x):\n    while x:\n        for i in range(2):\n            return i\n    return 4\n",
        "int64",
        {"x": ONE},
        ranks={"x": 1},
    ),
    "a walk down from the last element to itself": Found("def F(x):\n    return x[-1:-1:-1]\n", "int64", {"x": I2}),
    "a float attribute of a function that is inlined": Found(
        "@script(Opset('com.acme', 1))\ndef S(x, k: float = 0.1):\n    return x * k\n"
        "def F(x):\n    return S(x) + S(x, k=0.3)\n",
        "double",
        {"x": np.array([1.0, 3.0])},
    ),
    "False that a loop returns, beside a tensor of rank 1": Found(
        "def F(x):\n    for i in range(2):\n        if x[0] > 2:\n            return False\n    return x < 2\n",
        "bool",
        {"x": I2},
        ranks={"x": 1},
    ),
    "an entry of a shape that is read only where it exists": Found(
        "def F(x, n):\n    if n > 0:\n        return x * len(x)\n    return x\n",
        "float",
        {"x": np.array(2.0, np.float32), "n": np.array(0)},
        ranks={"n": 0},
    ),
    "the greatest beside the least integer": Found(
        "def F(x):\n    values, indexes = op.TopK(x - 1, [1])\n    return values, indexes\n",
        "int32 int64",
        {"x": np.array([-(2**31) + 1, 1, 2], np.int32)},
        ranks={"x": 1},
    ),
    "a loop over text": Found("def F(x):\n    for e in 'ab':\n        x = x + 1\n    return x\n", "int64", {"x": I2}),
    "a list of numbers where another type is declared": Found(
        "def F(x):\n    return [v for v in (1, 2)], x\n", "float int64", {"x": I2}
    ),
    "the least of a shape of one entry": Found(
        "def F(x):\n    return x + min(x.shape) * max(x.shape)\n", "int64", {"x": I2}, ranks={"x": 1}
    ),
    "a loop that nobody reads, around one of graphs": Found(
        "def F(x, n):\n    for j in range(n):\n        def g(trip, going, value):\n            return going, value\n"
        "        e = op.Loop(0, True, n, body=g)\n    return x\n",
        "int64",
        {"x": I2, "n": np.array(2, np.int64)},
        ranks={"n": 0},
    ),
    "a remainder by zero that the optimiser finds in a branch which is not taken": Found(
        "def F(x):\n    w = 0\n    if op.ReduceMax(x, keepdims=0) > 2:\n        return 1, w\n"
        "    return 2, 1 % (-INT32(1) + 1)\n",
        "int64 int32",
        {"x": ONE},
    ),
}

# Constants of numpy and onnx in graphs, which eager mode compiles by themselves.
_HALF = "op.Constant(value=onnx.helper.make_tensor('half', 1, [1], [0.5]))"
AGREE |= {
    f"a tensor of {name} in a graph of op.If": Found(
        f"import numpy as np\nimport onnx\ndef F(x, b):\n    def g():\n        return {made}\n    def h():\n"
        "        return op.Identity(x)\n    return op.If(b, then_branch=g, else_branch=h)\n",
        "float",
        {"x": F2, "b": np.array(True)},
        ranks={"x": 1, "b": 0},
    )
    for name, made in {
        "make_tensor": _HALF,
        "from_array": "op.Constant(value=onnx.numpy_helper.from_array(np.array([0.5], dtype=np.float32)))",
        "numpy": "op.Identity(np.array([0.5], dtype=np.float32))",
    }.items()
}

# A warning is no error: what follows is not lost.
AGREE |= {
    "a warning in a copy of a loop's body": Found(
        "def h(v):\n    print(v)\n    return v * 2\n"
        "def F(x):\n    for s in (1, 2):\n        x = h(x) + s\n    return x\n",
        "float",
        {"x": F2},
    ),
    "a warning before a return from a copy": Found(
        "def F(x):\n    for i in (2.0, 0.25):\n        if x[0] >= i:\n            print(i)\n            return x * i\n"
        "    return -x\n",
        "float",
        {"x": F2},
        ranks={"x": 1},
    ),
    "a warning in a loop over a shape": Found(
        "def F(x):\n    for e in x.shape:\n        print(e)\n    return x * e\n", "float", {"x": F2}, ranks={"x": 1}
    ),
    "a warning in a comprehension": Found(
        "def h(v):\n    print(v)\n    return v\ndef F(x):\n    a, b = [h(x) * i for i in (2, 3)]\n    return a - b\n",
        "float",
        {"x": F2},
    ),
    "a warning in a graph of op.If": Found(
        "def F(x):\n    def g():\n        print(x)\n        return -x\n    def h():\n        return op.Identity(x)\n"
        "    return op.If(x[0] > 0, then_branch=g, else_branch=h)\n",
        "float",
        {"x": F2},
        ranks={"x": 1},
    ),
}

# What Python programmers write: the interpreter of these tests against all judges.
_MODULE = (
    "import numpy as np\nfrom typing import NamedTuple\n"
    "class Pair(NamedTuple):\n    first: int\n    second: float = 0.5\n"
    "D = {'a': 2, 'b': -1}\ndef power(x, n):\n    return x if n <= 0 else x + power(x, n - 1)\n"
    "def twice(f, x):\n    return f(f(x))\n"
)
_WRITTEN = {
    "lambdas": "k = 2\ng = lambda v, by=k: v * by + k\nk = 3\nreturn twice(g, x) + {'n': op.Neg}['n'](y)",
    "dictionaries": "for i, (k, v) in enumerate(D.items()):\n    y = y * v + i + len(k)\nreturn y + D.get('z', 4)",
    "namedtuples": "p = Pair(3)\na, b = p\nreturn x * p.first + b + Pair(second=a, first=1)[1]",
    "match": "match (D['a'], f'{D[\"b\"]:+d}'):\n    case (0, _):\n        return y\n"
    "    case [n, '-1' as t] if n > 1:\n        return x * n + len(t)\nreturn x",
    ":=": "z = (w := y + 1) * w\nif (s := op.ReduceSum(w, keepdims=0)) > 1:\n    z = z - s\nreturn z + s",
    "items": "q = [x, y]\nq[0], q[1] = q[1], q[0]\nfor i in range(2):\n    q[i] = q[i] * i\n"
    "q[0] += 1\nreturn q[0] + q[1]",
    "rows": "for i, row in enumerate(x, 1):\n    for e in row:\n        y = y + e * i\nreturn y",
    "slices": "w = (slice(None, None, -1), 0)\nreturn x[w] + x[*w] + x[slice(1), 1]",
    "numbers": "a, b = divmod(len(y) - 7, 4)\nreturn y * a + b + sum([len(x), 1.5], 2) + math.sqrt(y.size) + x.T.ndim",
    "recursion": "return power(y, 3)",
    "numpy": "return (y + np.array([0.5], dtype=np.float32)) * np.prod((2, 3)) * np.float64(0.5)",
}
AGREE |= {
    f"Python's {name}": Found(
        f"{_MODULE}def F(x, y):\n" + "".join(f"    {line}\n" for line in body.split("\n")),
        "float",
        {"x": np.array([[1.5, -2.0], [4.0, 5.0]], np.float32), "y": F2},
        ranks={"x": 2, "y": 1},
    )
    for name, body in _WRITTEN.items()
}

# onnxruntime's Scan wants to know the ranks of all that its body gives, and sees none behind a loop.
MATRIX = np.array([[1, 2], [3, 4]], np.float32)
_SCAN = "def g(total, item):\n{0}    return total, item\n{0}s, {1} = op.Scan(0, {1}, body=g, num_scan_inputs=1)\n"
_IN_FUNCTION, _IN_LOOP = _SCAN.format("    ", "x"), _SCAN.format("        ", "x")
AGREE |= {
    "a scan of what a loop made": Found(
        f"def F(x):\n    for i in range(2):\n        x = x * 2\n    {_IN_FUNCTION}    return x\n",
        "float",
        {"x": MATRIX},
    ),
    "a scan of what another scan made": Found(
        f"def F(x):\n    for i in range(2):\n        {_IN_LOOP}    return x\n", "float", {"x": MATRIX}
    ),
    "a scan of what both branches leave of one rank": Found(
        f"def F(x):\n    if x[0, 0] > 0:\n        x = x * 2\n    {_IN_FUNCTION}    return x\n", "float", {"x": MATRIX}
    ),
    "a scan of what a loop made of a matrix": Found(
        f"def F(x, n):\n    for i in range(n):\n        x = x * 2\n    {_IN_FUNCTION}    return x\n",
        "float",
        {"x": MATRIX, "n": np.array(2)},
        ranks={"x": 2, "n": 0},
    ),
}

# Where onnxruntime is known to be wrong the other judges still compare, and see a bug of ours.
LARGE = np.array([[46341, 1, 1], [-2, -2, 0]], np.int64)
ORDERED = Found(
    "def F(x):\n    if op.ReduceMax(x ** 2, keepdims=0) <= 4:\n        return x\n    else:\n        x = x + 1\n"
    "    return x\n",
    "int64",
    {"x": LARGE},
)

REFUSED = {
    "break outside a loop": ("def F(x):\n    if 1 < 2:\n        break\n    return x\n", "OW301"),
    "break after a branch with a loop": (
        "def F(x):\n    if op.Size(x) > 1:\n        for u in (x, x):\n            pass\n    break\n",
        "OW301",
    ),
    "continue after a loop": ("def F(x):\n    for i in range(2):\n        x = x + i\n    continue\n", "OW301"),
    "text where floats are": ("def F(x):\n    return x + 'a'\n", "OW313"),
    "a step that no int64 holds": (
        "def F(x):\n    for i in range(op.Size(x), 3, 10 ** 30):\n        x = x + i\n    return x\n",
        "OW313",
    ),
    "more trips than an int64 counts": (
        "def F(x):\n    for i in range(10 ** 30):\n        x = x + i\n    return x\n",
        "OW324",
    ),
    "an absent input among variadic ones": ("def F(x):\n    return op.Max(x, None)\n", "OW204"),
    "a product of matrices with a number": ("def F(x):\n    return x @ 1\n", "OW314"),
    "a scan of what a loop of unknown trips made": (
        f"def F(x):\n    for i in range(op.Size(x)):\n        x = x * 2\n    {_IN_FUNCTION}    return x\n",
        "OW360",
    ),
    "a scan that gives what has a computed rank": (
        "def F(x):\n    def g(total, item):\n        return total, op.Expand(item, op.NonZero(x)[0])\n"
        "    s, y = op.Scan(0, x, body=g, num_scan_inputs=1)\n    return y\n",
        "OW360",
    ),
    "a scan of what a function made in a loop": (
        "@script(Opset('com.acme', 1))\ndef S(x):\n    for i in range(op.Size(x)):\n        x = x * 2\n    return x\n"
        f"def F(x):\n    x = S(x)\n    {_IN_FUNCTION}    return x\n",
        "OW360",
    ),
    "a path without a return, where something is printed": (
        "def F(x):\n    print(x)\n    if x[0] > 2:\n        return x\n",
        "OW306",
    ),
    "a name without a value that is printed": ("def F(x):\n    print(y)\n    y = x\n    return y\n", "OW308"),
    "loops without an end in each other": (
        "def F(x):\n    while 1:\n        while True:\n            pass\n",
        "OW306",
    ),
    "a list on one path and a tensor on another": (
        "def F(x):\n    y = [1.0, 2.0]\n    if x[0] > 2:\n        y = x\n    return y + y\n",
        "OW308",
    ),
    "a list or a tensor in one expression": (
        "def F(x):\n    y = [1.0, 2.0] if x[0] > 2 else x\n    return y + y\n",
        "OW307",
    ),
    "a shape or a tensor in one expression": (
        "def F(x):\n    y = x.shape if x[0] > 2 else op.Shape(x)\n    return x * (y + y)[0]\n",
        "OW307",
    ),
    "a list that a trip makes of a tensor": (
        "def F(x):\n    y = x\n    for i in range(op.Size(x)):\n        y = [1.0, 2.0]\n    return y + y\n",
        "OW321",
    ),
    "a list or a tensor that a helper returns": (
        "def h(x):\n    if x[0] > 2:\n        return [1.0, 2.0]\n    return x\ndef F(x):\n    return h(x) + h(x)\n",
        "OW307",
    ),
    "a remainder by zero in a branch": (
        "def F(x):\n    if x[0] > 2:\n        return x\n    return x * (op.Size(x) % 0)\n",
        "OW312",
    ),
    "a rank that no tensor has": ("def F(x):\n    return x if x.rank == 10 ** 30 else -x\n", "OW361"),
    "ranks below one that no tensor has": ("def F(x):\n    return x if x.rank < 10 ** 30 else -x\n", "OW361"),
    "a type that no choice of an attribute gives": (
        "def F(x, *, k: Literal[0, 1] = 1):\n    return x if k else op.Abs(True)\n",
        "OW208",
    ),
    "a position that no int64 holds": ("def F(x):\n    return x[10 ** 30]\n", "OW342"),
    "an axis that no scalar has, where it is not reached": (
        "def F(x):\n    x = op.ReduceMax(x, keepdims=0)\n    for i in range(3):\n        if x < i:\n"
        "            return x\n    return op.Unsqueeze(abs(x), [True])\n",
        "OW314",
    ),
    "an axis of one of the copies of a loop's body": (
        "def F(x):\n    x = op.Flatten(x)[0]\n    y = x\n    for i in [1, 0]:\n        if x[0] > 0:\n"
        "            break\n        y = op.Concat(x, x, axis=i ** 2)\n    return y\n",
        "OW314",
    ),
    "an operator that divides by zero in a branch": (
        "def F(x):\n    if x[0] > 2:\n        return x\n    return x * op.CastLike(op.Mod(op.Size(x), 0), x)\n",
        "OW312",
    ),
    "a wrong constant of the module in a loop that is lowered twice": (
        "K = undefined(1)\ndef F(x):\n    y = 1\n    for i in range(2):\n        y = y + x + K\n    return y\n",
        "OW302",
    ),
}


# Random numbers that nobody reads; the interpreter makes none.
RUN = (
    ("def F(x, n):\n    for j in range(n):\n        op.RandomNormal(shape=[2])\n    return x\n", F2),
    ("def F(x, n):\n    if n:\n        op.RandomNormal(shape=[2])\n    return x\n", F2),
    ("def F(x, n):\n    while n > 5:\n        op.RandomNormal(shape=[2])\n    return x\n", F2),
)


@pytest.mark.parametrize(("text", "expected"), RUN)
def test_runs(text: str, expected: np.ndarray[Any, Any]) -> None:
    function = Compiler().function(text, {"x": "T", "n": "int64/0"}, {"y": "T"}, {"T": ["float", "double"]})
    for outputs in run_everywhere(function, {"x": F2, "n": np.array(2)}).values():
        np.testing.assert_array_equal(outputs[0], expected)


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_refused(name: str) -> None:
    text, code = REFUSED[name]
    attributes = {"k": 0} if "k: " in text else {}
    verdict = judge(Found(text, "float", {"x": F2}, attributes).program())
    assert verdict.outcome is Outcome.REFUSED and verdict.detail.startswith(code), verdict


@pytest.mark.parametrize("name", sorted(AGREE))
def test_agrees(name: str) -> None:
    verdict = judge(AGREE[name].program())
    assert verdict.outcome is Outcome.AGREED, verdict


def test_a_wrong_order_of_onnxruntime_hides_no_bug_of_ours() -> None:
    program = ORDERED.program()
    verdict = judge(program)
    assert verdict.outcome is Outcome.AGREED and verdict.compared == 1, verdict
    assert verdict.reasons == (f"onnxruntime is known to get wrong: {ORDER_OF_INT64}",)
    bug = next(item for item in BUGS if item.name == "the else branch is dropped")
    with planted(bug):
        assert judge(program).outcome is Outcome.DIFFERENT


def test_a_death_of_onnxruntime_is_no_difference() -> None:
    """It puts an `If` of a constant condition in the place of that condition, and forgets what is inside."""
    text = (
        "def F(x):\n    for a in (5, 0):\n        if op.ReduceMin(3, keepdims=0) >= a:\n"
        "            return op.ReduceMax(x, keepdims=0) and x\n    return x\n"
    )
    with Judge() as isolated:
        verdict, _ = isolated(Found(text, "int64", {"x": np.array([-1, 0, 1])}, ranks={"x": 1}).program())
    assert verdict.outcome is Outcome.AGREED and verdict.compared == 1, verdict


def test_the_least_of_booleans_is_known_from_opset_20() -> None:
    text = "def F(x):\n    return op.ReduceMin(x, keepdims=0) if op.ReduceMax(x, keepdims=0) else x[0]\n"
    found = Found(text, "bool", {"x": np.array([True, False])}, opset=20, ranks={"x": 1})
    assert judge(found.program()).outcome is Outcome.AGREED
    assert judge(replace(found, opset=19).program()).outcome is Outcome.REFUSED


def test_a_largest_finite_number_is_no_difference() -> None:
    """A missing bound of Clip is the largest finite number on onnxruntime."""
    arrays = {"x": np.array([1.5]), "o": np.array(np.inf)}
    program = Found(
        "def F(x, o):\n    return op.Clip(x[0], min=o)\n", "double", arrays, ranks={"x": 1, "o": 0}
    ).program()
    assert judge(program).outcome is Outcome.SKIPPED


def test_an_element_type_that_the_interpreter_does_not_know_is_nothing_to_compare() -> None:
    program = Found("def F(x):\n    return op.Cast(op.Cast(x, to=10), to=1)\n", "float", {"x": F2}).program()
    verdict = judge(program)
    assert verdict.outcome is Outcome.SKIPPED, verdict
    assert verdict.reasons == ("an element type that the interpreter does not know",)


def test_a_text_is_a_tensor_that_the_interpreter_does_not_know() -> None:
    program = Found("def F(x):\n    return x + op.Cast('2', to=1)\n", "float", {"x": F2}).program()
    verdict = judge(program)
    assert verdict.outcome is Outcome.SKIPPED, verdict
    assert verdict.reasons == ("an element type that the interpreter does not know",)


def test_two_casts_of_which_a_branch_reads_the_second_are_a_fault_of_the_runtime() -> None:
    text = (
        "def F(x):\n    z = op.Cast(op.Cast(x, to=11), to=1)\n"
        "    if op.ReduceSum(x, keepdims=0) > 0:\n        z = z * 2\n    return z\n"
    )
    verdict = judge(Found(text, "float", {"x": F2}, ranks={"x": 1}).program())
    assert verdict.outcome is Outcome.AGREED, verdict
    fault = "onnxruntime loses one of two casts that a subgraph reads"
    assert {reason.removeprefix("live: ") for reason in verdict.reasons} == {fault}
    one = text.replace("op.Cast(op.Cast(x, to=11), to=1)", "op.Cast(x, to=1)")
    assert judge(Found(one, "float", {"x": F2}, ranks={"x": 1}).program()).reasons == ()


def test_a_target_opset_that_is_refused_is_no_difference() -> None:
    text = "def F(x):\n    assert op.version >= 13\n    return -x\n"
    program = Found(text, "float", {"x": F2}, ranks={"x": 1}).program()
    assert judge(replace(program, target=18)).outcome is Outcome.AGREED
    assert judge(replace(program, target=12)).outcome is Outcome.REFUSED


def test_printing_changes_nothing() -> None:
    verdict = judge(Found("def F(x):\n    print('x', x)\n    return -x\n", "float", {"x": F2}).program())
    assert verdict.outcome is Outcome.AGREED, verdict


def test_a_program_has_so_much_cpu_time() -> None:
    text = "def F(x):\n    w = 0\n    while w < 1:\n        w = w << 1\n    return x\n"
    with Judge(patience=0.01) as isolated:
        verdict, _ = isolated(Found(text, "float", {"x": F2}).program())
    assert verdict.detail == "no answer within 0 s of CPU time"


def test_one_divided_by_integers_is_a_fault_of_the_optimiser() -> None:
    arrays = {"n": np.array([2, 1], np.int32), "m": np.array([5, 7], np.int32)}
    program = Found("def F(n, m):\n    return m * (1 / n)\n", "int32", arrays)
    verdict = judge(program.program())
    assert verdict.outcome is Outcome.AGREED, verdict
    assert verdict.reasons == ("onnxruntime is known to get wrong: one divided by integers",)


def test_an_output_that_the_optimiser_loses_is_its_fault() -> None:
    text = (
        "def F(x, y):\n    for i, row in enumerate(x, 1):\n        if y > 0.1:\n            return row\n"
        "    return x.T if BOOL(False) else BOOL(False)[None]\n"
    )
    arrays = {"x": np.array([True, False, True]), "y": np.array([-0.25])}
    assert judge(Found(text, "bool", arrays).program()).outcome is Outcome.AGREED


def test_none_is_not_returned_from_a_loop() -> None:
    text = "def F(x):\n    for row in x:\n        return x, None\n    return x, x.size\n"
    verdict = judge(Found(text, "int64 int64", {"x": np.array([[3, 0], [2, 1]])}, ranks={"x": 2}).program())
    assert verdict.outcome is Outcome.REFUSED, verdict


def test_a_step_beyond_32_bits_ends() -> None:
    """ONNX's inference through the elements of shapes does not end there."""
    text = "def F(x):\n    return x[-1:-9:-9223372036854775808]\n"
    verdict = judge(Found(text, "double", {"x": np.array([1.0, 2.0, 3.0])}, ranks={"x": 1}).program())
    assert verdict.outcome is Outcome.AGREED, verdict
