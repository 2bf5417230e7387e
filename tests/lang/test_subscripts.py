"""Subscripts: the compiled graph computes what numpy computes, shape included, for every form of index."""

from __future__ import annotations

import random

import numpy as np
import pytest
from conftest_lang import Compiler, run_everywhere
from opwright import DiagnosticError

from tests.docs.running import define
from tests.shares import one_in

DEFINED = "from opwright import BOOL, FLOAT, script\n"

# Of a tensor of shape (3, 4, 5). `rank` where the form needs the tensor's rank to be declared.
BASIC = [
    "x[0]", "x[-1]", "x[2, 1]", "x[-3, -4, -5]", "x[1:3]", "x[1:]", "x[:2]", "x[:]", "x[::2]", "x[::-1]", "x[-2:]",
    "x[:-1]", "x[5:]", "x[-10:2]", "x[2:0]", "x[2:0:-1]", "x[::-2]", "x[-1::-1]", "x[-10::-1]", "x[-2::-1]",
    "x[10::-1]", "x[1:-10:-1]", "x[-1:-3:-1]", "x[:-2:-1]", "x[:-10:-1]", "x[3:1:-3]", "x[0:0]", "x[:, 1]",
    "x[:, -1:]", "x[:, :, 0]", "x[1, :, 2]", "x[0, 1:3, ::-1]", "x[...]", "x[..., 0]", "x[..., -1]", "x[..., 1:3]",
    "x[0, ..., 1]", "x[..., 1, 2]", "x[..., 0, :]", "x[1, ...]", "x[..., ::-1, 2]", "x[-1, ..., 2:]", "x[()]",
    "x[None]", "x[:, None]", "x[None, None]", "x[..., None]", "x[None, ..., None]", "x[0, None]", "x[:, None, 1]",
    "x[None, 0, None, :, None, 1:3]", "x[..., None, 0]", "x[..., 0, None]", "x[..., None, :]", "x[0, ..., None, 1:]",
    "x[..., None, None, 1, None]", "x[0][1][2]", "x[1:][0]", "x[1:, 1:, 1:]", "x[0:3:2, 1::2, ::3]", "x[-1, -1]",
    "x[9223372036854775807:]", "x[-99999999999999999999:2]", "x[1:2147483647:-1]", "x[::-1, 1:9223372036854775807:-2]",
    "x[-1:2147483647:-1]", "x[2147483647:-2147483648:-1]", "x[1:2147483647]",
]  # fmt: skip
BY_VALUE = [  # n is 2, m is -1, both INT64 tensors of rank 0; k is an attribute, 1
    "x[n]", "x[m]", "x[k]", "x[:, n]", "x[..., m]", "x[n:]", "x[:m]", "x[k:n]", "x[m:]", "x[::k]",
    "x[::m]", "x[n:0:-1]", "x[m:0:-1]", "x[:m:-1]", "x[n:m:-1]", "x[m::-1]", "x[m - 9::-1]", "x[n + 5::-2]",
    "x[k, ..., n]", "x[n, 1:n]", "x[k - 1]", "x[-k]", "x[:-k]", "x[op.Shape(x)[0] - 1]", "x[x.shape[0] - 1]",
    "x[len(x) - 1]", "x[:x.shape[1] - 2]", "x[int(k / 2)]", "x[n:, k, ::-1]",
]  # fmt: skip
ARRAYS = [  # i is [2, 0], j is [[1, -1], [0, 3]], b is a mask of the first axis, c of the first two
    "x[i]", "x[j]", "x[:, j]", "x[..., j]", "x[j, ...]", "x[i, 0]", "x[0, i]", "x[0, i, 1]", "x[:, 0, i]",
    "x[i, None]", "x[None, i]", "x[..., None, i]", "x[1:, i]", "x[[0, 2]]", "x[[0, 2], 1]", "x[[[0, 1], [2, 0]]]",
    "x[(0, 2), :]", "x[[]]", "x[range(0, 3, 2)]", "x[b]", "x[b, 0]", "x[:, :, op.Greater(x[0, 0], 2)]",
    "x[[True, False, True]]",
    "x[i, i]", "x[j, j]", "x[:, j, j]", "x[i, j]", "x[i[:, None], j[0]]", "x[0, :, i]", "x[i, :, 0]", "x[i, :, i]",
    "x[i, ..., i]", "x[:, i, i]", "x[0, None, i]", "x[i, None, i]", "x[None, i, i]", "x[:, None, i, i]",
    "x[i, i, None]", "x[i, i, 1:3]", "x[1:, i, i]", "x[b, i]", "x[c]", "x[c, 0]", "x[c, 1:3]",
    "x[..., op.Concat(c[0], c[1, 2:3], axis=0)]",
    "x[None, c]", "x[c, None]", "x[:, :, None][c]", "x[x > 20]", "x[(x > 20) & (x < 40)]", "x[b, :, 0]",
    "x[b, None, 0]", "x[..., i, i]", "x[0, ..., i]", "x[[0, 1], [1, 0]]", "x[n, i]", "x[i, :, n]",
    "x[op.Cast(i, to=6)]", "x[op.Cast(j, to=3)]", "x[i - j]",
]  # fmt: skip
TEXT = "def F(x, n, m, i, j, b, c, k: int = 1):\n    return {}\n"
INPUTS = {"x": "float", "n": "int64/0", "m": "int64/0", "i": "int64/1", "j": "int64/2", "b": "bool/1", "c": "bool/2"}
VALUES = {
    "n": np.array(2),
    "m": np.array(-1),
    "i": np.array([2, 0]),
    "j": np.array([[1, -1], [0, 2]]),
    "b": np.array([True, False, True]),
    "c": np.arange(12).reshape(3, 4) % 5 == 1,
}


class _Operators:
    """numpy in place of the operators that the expressions use."""

    def Shape(self, x: np.ndarray) -> np.ndarray:
        return np.array(x.shape, np.int64)

    def Greater(self, x: np.ndarray, y: float) -> np.ndarray:
        return x > y

    def Cast(self, x: np.ndarray, to: int) -> np.ndarray:
        return x.astype({3: np.int8, 6: np.int32}[to])

    def Concat(self, *xs: np.ndarray, axis: int) -> np.ndarray:
        return np.concatenate(xs, axis)

    def Identity(self, x: list[int]) -> np.ndarray:
        return np.array(x)


NAMES = {"op": _Operators(), "k": 1}


def expected(expression: str, x: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        return np.asarray(eval(expression, {**NAMES, **VALUES, "x": x}))


def check(compiler: Compiler, expression: str, rank: str, opset: int, x: np.ndarray) -> None:
    function = compiler.function(TEXT.format(expression), {**INPUTS, "x": f"float{rank}"}, {"y": "float"}, opset=opset)
    wanted = expected(expression, x)
    for runtime, (got,) in run_everywhere(function, {"x": x, **VALUES}).items():
        assert got.shape == wanted.shape, (runtime, got.shape, wanted.shape)
        np.testing.assert_array_equal(got, wanted, err_msg=runtime)


X = np.arange(60, dtype=np.float32).reshape(3, 4, 5)


@pytest.mark.parametrize("opset", [13, 20])
@pytest.mark.parametrize("expression", BASIC + BY_VALUE)
def test_positions_and_slices(compiler: Compiler, expression: str, opset: int) -> None:
    check(compiler, expression, "", opset, X)


@pytest.mark.parametrize("opset", [13, 20])
@pytest.mark.parametrize("expression", ARRAYS)
def test_arrays_and_masks(compiler: Compiler, expression: str, opset: int) -> None:
    check(compiler, expression, "/3", opset, X)


# -------------------------------------------------------------------------------------------- generated cases


def _bound(chance: random.Random) -> str:
    """A bound, known when the function is built or only at run time."""
    value = chance.choice([-7, -3, -2, -1, 0, 1, 2, 3, 6])
    return chance.choice(["", "", str(value), str(value), f"zero + {value}", f"(len(one) - 1 + {value})"])


def _slice(chance: random.Random) -> str:
    step = chance.choice(["", "", ":", ":1", ":2", ":3", ":-1", ":-2"])
    return f"{_bound(chance)}:{_bound(chance)}{step}"


def _basic(chance: random.Random, shape: tuple[int, ...]) -> str:
    parts = []
    for dim in shape[: chance.randint(0, len(shape))]:
        position = str(chance.randint(-dim - (chance.random() < 0.05), dim - 1)) if dim else "0"
        parts.append(chance.choice([position, position, f"zero + {position}", _slice(chance), _slice(chance), "None"]))
    if chance.random() < 0.4:
        parts.insert(chance.randint(0, len(parts)), "...")
    if chance.random() < 0.3:
        parts.insert(chance.randint(0, len(parts)), "None")
    return f"x[{', '.join(parts) or '()'}]"


def _advanced(chance: random.Random, shape: tuple[int, ...]) -> str:
    """Arrays of shapes that broadcast, and at most one mask, among positions and slices."""
    parts: list[str] = []
    count = chance.randint(1, 3)
    for dim in shape[: chance.randint(1, max(1, len(shape)))]:
        one, other, third = (chance.randint(-dim, dim - 1) if dim else 0 for _ in range(3))
        arrays = [f"[{one}] * {count}", f"[{one}]", f"[[{one}], [{other}]]", f"op.Identity([{one}])"]
        rest = [str(third), f"zero + {third}", _slice(chance), "None"]
        parts.append(chance.choice(arrays if chance.random() < 0.6 else rest))
    if chance.random() < 0.3:
        mask = ", ".join(str(chance.random() < 0.5) for _ in range(shape[0])) if shape else "True"
        parts = [f"[{mask}]", *[part for part in parts[1:] if "[" not in part]] if shape and shape[0] else parts
    if chance.random() < 0.3:
        parts.insert(chance.randint(1, len(parts)), "...")
    return f"x[{', '.join(parts)}]"


@pytest.mark.parametrize("seed", one_in(4, range(40)))
def test_generated_subscripts(compiler: Compiler, seed: int) -> None:
    """Twelve of one shape in one function, empty tensors and rank 0 included; failures are numpy's failures."""
    chance = random.Random(seed)
    shape = tuple(chance.choice([0, 1, 2, 3, 4]) for _ in range(chance.randint(0, 4)))
    x = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    form = _advanced if seed % 2 and shape else _basic
    for opset in (13, 21):
        good = []
        for expression in (form(chance, shape) for _ in range(12)):
            try:
                good.append((expression, _numpy(expression, x)))
            except IndexError:
                assert _fails(compiler, expression, x, opset), expression
        if not good:
            continue
        names = [f"y{index}" for index in range(len(good))]
        text = f"def F(x, zero, one):\n    return ({', '.join(expression for expression, _ in good)},)\n"
        inputs = {"x": f"float/{len(shape)}", "zero": "int64/0", "one": "int64/1"}
        function = compiler.function(text, inputs, dict.fromkeys(names, "float"), opset=opset)
        for runtime, results in run_everywhere(function, {"x": x, **ZERO_AND_ONE}).items():
            for (expression, wanted), got in zip(good, results, strict=True):
                assert got.shape == wanted.shape, (runtime, expression, shape)
                np.testing.assert_array_equal(got, wanted, err_msg=f"{runtime} {expression}")


ZERO_AND_ONE = {"zero": np.array(0), "one": np.array([1])}


def _numpy(expression: str, x: np.ndarray) -> np.ndarray:
    return np.asarray(eval(expression, {**NAMES, **ZERO_AND_ONE, "x": x}))


def _fails(compiler: Compiler, expression: str, x: np.ndarray, opset: int) -> bool:
    """Whether the compiler refuses, or every runtime fails."""
    text = f"def F(x, zero, one):\n    return {expression}\n"
    inputs = {"x": f"float/{x.ndim}", "zero": "int64/0", "one": "int64/1"}
    family = compiler.family(text, inputs, {"y": "float"}, opset=opset)
    if family.diagnostics:
        return {item.code for item in family.diagnostics} <= {"OW340", "OW342"}
    function = family.variants[0].lowered.function
    assert function is not None
    with pytest.raises(Exception, match=r"(?i)index|indices|out of|bounds"):
        run_everywhere(function, {"x": x, **ZERO_AND_ONE})
    return True


# ------------------------------------------------------------------------------------- forms and what is refused


@pytest.mark.parametrize(
    ("name", "dtype"),
    [("double", np.float64), ("float16", np.float16), ("int8", np.int8), ("uint64", np.uint64), ("bool", np.bool_)],
)
def test_every_element_type_can_be_indexed(compiler: Compiler, name: str, dtype: type) -> None:
    function = compiler.function(
        "def F(x):\n    return x[1], x[::-1, None], x[[0, 1]]\n", {"x": name}, dict.fromkeys("abc", name)
    )
    x = np.array([[0, 1], [1, 0]], dtype)
    for got in run_everywhere(function, {"x": x}).values():
        for one, other in zip(got, (x[1], x[::-1, None], x[[0, 1]]), strict=True):
            np.testing.assert_array_equal(one, other)


def test_strings_can_be_indexed(compiler: Compiler) -> None:
    function = compiler.function("def F(x):\n    return x[-1]\n", {"x": "string"}, {"y": "string"})
    for level, (got,) in run_everywhere(function, {"x": np.array(["a", "bc"], object)}).items():
        assert got.item() == "bc", level


TEXTS = [
    "x[1]",
    "x[i]",
    "x[j]",
    "x[:, 1]",
    "x[:, i]",
    "x[..., j]",
    "x[1, :, 0]",
    "x[0, i]",
    "x[b, 0]",
    "x[n:, None, i]",
]


@pytest.mark.parametrize("expression", TEXTS)
def test_texts_that_stand_together_are_taken(compiler: Compiler, expression: str) -> None:
    """By an operator other than Gather, of whose blocks onnxruntime copies the first text alone."""
    x = np.array([f"s{index}" for index in range(18)], object).reshape(3, 3, 2)
    inputs = {**INPUTS, "x": "string/3"}
    function = compiler.function(TEXT.format(expression), inputs, {"y": "string"})
    wanted = eval(expression, {**VALUES, "x": x, "j": np.array([[1, -1]])})
    feeds = {**VALUES, "x": x, "j": np.array([[1, -1]])}
    for runtime, (got,) in run_everywhere(function, feeds).items():
        assert got.tolist() == wanted.tolist(), runtime


def test_rows_of_texts(compiler: Compiler) -> None:
    text = "def F(x):\n    y = x[0]\n    for row in x:\n        y = row\n    return y\n"
    function = compiler.function(text, {"x": "string/2"}, {"y": "string"})
    for runtime, (got,) in run_everywhere(function, {"x": np.array([["a", "b"], ["c", "d"]], object)}).items():
        assert got.tolist() == ["c", "d"], runtime


@pytest.mark.parametrize("place", [2**64 - 1, 2**63, 2**63 - 1, 2])
def test_a_place_beyond_int64_does_not_count_from_the_end(compiler: Compiler, place: int) -> None:
    text = "def F(x, n):\n    y = x\n    for _ in range(n, 3):\n        y = y + 1\n"
    text += "    return x[:n], x[n:], x[n::-1], x[:n:-1], y\n"
    x = np.array([1, 2, 3], np.float32)
    function = compiler.function(text, {"x": "float/1", "n": "uint64/0"}, dict.fromkeys("abcde", "float"))
    wanted = [x[:place], x[place:], x[place::-1], x[:place:-1], x + max(0, 3 - place)]
    for runtime, got in run_everywhere(function, {"x": x, "n": np.array(place, np.uint64)}).items():
        for one, other in zip(got, wanted, strict=True):
            np.testing.assert_array_equal(one, other, err_msg=runtime)


@pytest.mark.parametrize(
    ("element", "place"),
    [("int32", -(2**31)), ("int32", 2**31 - 1)]
    + [("int64", place) for place in (2**31 - 1, 2**31, 2**63 - 1, -(2**31), -(2**63))],
)
def test_places_at_the_ends_of_integers(compiler: Compiler, place: int, element: str) -> None:
    """onnxruntime takes some of them for the beginning of an axis, where a slice walks down."""
    text = "def F(x, n, up, down):\n    return x[n:], x[:n], x[n::-1], x[:n:-1], x[1:n:-1], x[1:n:down], x[1:n:up]\n"
    text = text.replace("return", f"return x[1:{place}:down], x[1:{place}:up],")
    x = np.array([1, 2, 3], np.float32)
    inputs = {"x": "float/1", "n": f"{element}/0", "up": "int64/0", "down": "int64/0"}
    function = compiler.function(text, inputs, dict.fromkeys("abcdefghi", "float"))
    feeds = {"x": x, "n": np.array(place, element), "up": np.array(2), "down": np.array(-1)}
    wanted = [x[1:place:-1], x[1:place:2], x[place:], x[:place], x[place::-1], x[:place:-1]]
    wanted += [x[1:place:-1], x[1:place:-1], x[1:place:2]]
    for runtime, got in run_everywhere(function, feeds).items():
        for one, other in zip(got, wanted, strict=True):
            np.testing.assert_array_equal(one, other, err_msg=runtime)


@pytest.mark.parametrize(
    ("expression", "code"),
    [
        ("x[0.5]", "OW340"),
        ("x['a']", "OW340"),
        ("x[True]", "OW340"),
        ("x[x]", "OW340"),
        ("x[x > 0]", "OW361"),
        ("x[1:x]", "OW340"),
        ("x[::0]", "OW312"),
        ("x[zero::zero]", "OW340"),
        ("x[..., 0, ...]", "OW342"),
        ("x[(0, 1), :, (0, 1)]", "OW361"),
        ("len(x)[0]", "OW340"),
        ("(x, x)[2]", "OW312"),
        ("(x, x)[x]", "OW340"),
        ("op[0]", "OW340"),
        ("None[0]", "OW340"),
        ("x[1:2, 0][zero:, one]", None),
    ],
)
def test_refused(compiler: Compiler, expression: str, code: str | None) -> None:
    inputs = {"x": "float", "zero": "int64/0", "one": "int64/1"}
    codes = compiler.codes(f"def F(x, zero, one):\n    return {expression}\n", inputs, {"y": "float"})
    assert codes == ([code] if code else [])


def test_an_index_of_the_wrong_rank_is_refused(compiler: Compiler) -> None:
    assert compiler.codes("def F(x):\n    return x[0, 0, 0]\n", {"x": "float/2"}, {"y": "float"}) == ["OW342"]


@pytest.mark.parametrize("index", ["[True, False]", "[True]", "m", "..., [True, False]", "x[:, :2] > 0", "x[:1] > 0"])
def test_a_mask_is_as_long_as_its_axis(index: str) -> None:
    text = f"@script()\ndef F(x: FLOAT[3, 3], m: BOOL[2]):\n    return x[{index}]\n"
    function = define(DEFINED, text, f"<mask {index}>")
    x, m = np.ones((3, 3), np.float32), np.ones(2, np.bool_)
    for attempt in (lambda: function(x, m), function.to_model_proto):
        with pytest.raises(DiagnosticError) as refused:
            attempt()
        assert [item.code for item in refused.value.diagnostics] == ["OW342"]


def test_subscripts_need_opset_11(compiler: Compiler) -> None:
    assert compiler.codes("def F(x):\n    return x[0]\n", {"x": "float"}, {"y": "float"}, opset=10) == ["OW202"]
    function = compiler.function("def F(x):\n    return x[-1, None, ::-1]\n", {"x": "float"}, {"y": "float"}, opset=11)
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    for (got,) in run_everywhere(function, {"x": x}).values():
        np.testing.assert_array_equal(got, x[-1, None, ::-1])


@pytest.mark.parametrize("target", ["x[0] = 1.0", "x[0] += 1.0", "x[:, 1] = x", "x.a = 1", "x[0], y = x, x"])
def test_tensors_do_not_change(compiler: Compiler, target: str) -> None:
    assert "OW343" in compiler.codes(f"def F(x):\n    {target}\n    return x\n", {"x": "float"}, {"y": "float"})


def test_the_sample_of_a_shape_indexed_by_an_attribute(compiler: Compiler) -> None:
    text = "def F(x, dim: int = 0):\n    size = op.Shape(x)[dim]\n    return size\n"
    function = compiler.function(text, {"x": "float"}, {"y": "int64"})
    for dim in (0, 1, -1):
        for (got,) in run_everywhere(function, {"x": np.zeros((2, 3), np.float32)}, {"dim": dim}).values():
            assert got.shape == () and got == (2, 3)[dim]
