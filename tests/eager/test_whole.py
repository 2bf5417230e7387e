"""Functions that run as one graph: that they do, what they give, and when Python is asked again."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from opwright import FLOAT, INT64, OnnxFunction, Sequence, Tensor, script
from opwright import opset18 as op
from opwright.diagnostics.diagnostic import DiagnosticError
from opwright.eager import at_opset, python_execution, strict, whole, whole_functions
from opwright.evaluator import ReferenceEvaluator, default_as

X = np.array([[-1.0, 0.5], [2.0, 4.0]], np.float32)
SCALE = 2.0
TABLE = np.array([1.0, 2.0], np.float32)
SEEN: list[object] = []
M, N = "M", "N"


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    whole._KINDS.clear()
    yield
    SEEN.clear()


def graphs() -> int:
    """How many graphs there are."""
    return sum(kind.graph is not None for kind in whole._KINDS.values())


def flat(found: Any) -> list[tuple[Any, ...]]:
    values = found if isinstance(found, tuple) else (found,)
    arrays = [item.numpy() if isinstance(item, Tensor) else item for item in values]
    return [
        (type(value), array.dtype, array.shape, array.tobytes()) for value, array in zip(values, arrays, strict=True)
    ]


def same(function: OnnxFunction, *args: Any, **kwargs: Any) -> None:
    """Five calls give what Python gives: the last ones as a graph, also where each combination of sizes has its own."""
    with whole_functions(False):
        wanted = flat(function(*args, **kwargs))
    for _ in range(5):
        assert flat(function(*args, **kwargs)) == wanted


@script()
def gelu(x: FLOAT[...], alpha: float = 0.5):
    return x * alpha * (op.Erf(x * 0.70710678) + 1.0)


@script()
def two(x, y=None, *, negate: bool = False):
    if y is not None:
        x = x + y
    if negate:
        x = -x
    return x * 2, op.ReduceSum(x, [0]), x * 2


@script()
def calls(x: FLOAT[N, M], y: FLOAT[N, M]):
    total = 0
    for i in range(3):
        total = total + gelu(x) * i
    return total - y


@script()
def sizes(x):
    flat_x = op.Reshape(x, [x.shape[0] * x.shape[1]])
    return flat_x[1:] / len(flat_x), x[::-1, None]


@script()
def several(*xs: FLOAT[...]):
    found = xs[0]
    for x in xs[1:]:
        found = found * x + SCALE
    return found


@script()
def by_data(x):
    if op.ReduceMax(x) > 3:
        x = x - 1
    return op.Relu(x)


@script()
def prints(x):
    SEEN.append(x.shape)
    return op.Relu(x)


@pytest.mark.parametrize(
    ("function", "args", "kwargs", "expected"),
    [
        (gelu, (X,), {}, 1),
        (gelu, (X,), {"alpha": 0.25}, 1),
        (gelu, (Tensor(X),), {}, 1),
        (gelu, (2.0,), {}, 1),
        (gelu, (3,), {}, 1),
        (gelu, (X[0, 0],), {}, 1),
        (two, (X,), {}, 1),
        (two, (X, X), {}, 1),
        (two, (X, 2.5), {}, 1),
        (two, (X,), {"negate": True, "y": Tensor(X)}, 1),
        (calls, (X, X), {}, 2),
        (sizes, (X,), {}, 1),
        (several, (X, X + 1, X[0]), {}, 1),
        (by_data, (X,), {}, 0),
        (two, (X.astype(np.float16),), {}, 0),
        (two, (X.astype(np.int32),), {}, 1),
        (two, (X.astype(np.int64),), {}, 0),
    ],
)
def test_the_same_as_python(
    function: OnnxFunction, args: tuple[Any, ...], kwargs: dict[str, Any], expected: int
) -> None:
    same(function, *args, **kwargs)
    assert graphs() == expected


def test_python_is_not_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(2):
        gelu(X)
    monkeypatch.setattr("opwright.eager.operations._lower", None)
    monkeypatch.setattr("opwright.eager.python_execution.call_plainly", None)
    for factor in (1, 2, -3):
        assert flat(gelu(X * factor)) == flat(gelu(X * factor))
    assert gelu(np.zeros((5, 7), np.float32)).shape == (5, 7)


def test_other_data_of_the_kind() -> None:
    for function in (gelu, two, by_data):
        for shape in ((2, 2), (3, 1), (1, 4), (0, 2)):
            same(function, np.arange(np.prod(shape), dtype=np.float32).reshape(shape) - 2)


def test_sizes_that_python_looks_at_are_part_of_the_kind() -> None:
    for shape in ((2, 3), (3, 2), (4, 1)):
        same(sizes, np.random.default_rng(1).random(shape, np.float32))
    assert graphs() == 3


def test_two_inputs_that_are_one_array_are_two_inputs() -> None:
    for _ in range(3):
        calls(X, X)
    same(calls, X, X + 1)


def test_names_around_the_function_are_read_late(monkeypatch: pytest.MonkeyPatch) -> None:
    module = sys.modules[__name__]
    same(several, X, X)
    same(calls, X, X)
    monkeypatch.setattr(module, "SCALE", 5.0)
    same(several, X, X)
    monkeypatch.setattr(module, "gelu", two)
    for _ in range(3):
        with pytest.raises(TypeError):
            calls(X, X)
    monkeypatch.undo()

    @script()
    def adds(x):
        return x + TABLE

    same(adds, X)
    TABLE[0] = 7
    same(adds, X)
    TABLE[0] = 1
    values = [1, 2]

    @script()
    def reads(x):
        return x * values[0]

    same(reads, X)
    values[0] = 9
    same(reads, X)


def test_defaults_are_read_late() -> None:
    table, factors, sizes = np.float32([2.0, 3.0]), [2.0], [2.0]

    def helper(x, table=table, factors=factors, *, scale=2.0):
        return x * table * factors[0] * scale

    @script()
    def by_helper(x: FLOAT[M, N]):
        return helper(x)

    @script()
    def by_lambda(x: FLOAT[M, N]):
        return (other)(x)

    @script()
    def own(x: FLOAT[M, N], sizes: Sequence[float] = sizes):
        return x * sizes[0]

    other = lambda x, sizes=sizes: x * sizes[0]  # noqa: E731
    functions = (by_helper, by_lambda, own)

    def all_the_same() -> None:
        for function in functions:
            same(function, X)

    all_the_same()
    table[0] = 5.0
    all_the_same()
    factors[0] = sizes[0] = 7.0
    all_the_same()
    helper.__kwdefaults__["scale"] = 3.0
    all_the_same()
    helper.__defaults__ = (table + 1, [1.0])
    all_the_same()
    assert own(X).tolist() == (X * 7).tolist()


def test_a_name_that_changes_with_each_call_is_not_followed() -> None:
    step = 0

    @script()
    def scaled(x):
        return x * step

    for step in range(12):
        assert scaled(X).tolist() == (X * step).tolist()
    assert graphs() == 0


def test_effects_happen_each_time() -> None:
    for _ in range(4):
        prints(X)
    assert len(SEEN) == 4
    assert graphs() == 0


def test_random_numbers_differ() -> None:
    @script()
    def noise(x):
        return x + op.RandomUniformLike(x)

    found = [noise(X).tobytes() for _ in range(5)]
    assert len(set(found)) == 5


def test_an_error_is_that_of_the_line() -> None:
    @script()
    def added(x: FLOAT[N], y: FLOAT[...]):
        z = x * 2
        return z + y

    x = np.ones(3, np.float32)
    for _ in range(3):
        added(x, x)
    assert graphs() == 1

    def fault(step: Callable[[], object]) -> tuple[str, str]:
        with pytest.raises(DiagnosticError) as caught:
            step()
        (found,) = caught.value.diagnostics
        assert found.place is not None
        return found.code, str(found)

    y = np.ones(2, np.float32)
    found = fault(lambda: added(x, y))
    assert found[0] == "OW370"
    with whole_functions(False):
        assert fault(lambda: added(x, y)) == found
    for wrong in (X, x.astype(np.float64)):
        assert fault(lambda wrong=wrong: added(wrong, x))[0] in ("OW372", "OW208")


def test_declared_sizes_are_looked_at() -> None:
    @script()
    def joined(x: FLOAT[N, 2], y: FLOAT[N]):
        return op.ReduceSum(x, [0]) + op.ReduceSum(y)

    for _ in range(3):
        joined(X, X[0])
    assert graphs() == 1
    for x, y in ((X, X[0, :1]), (X[:, :1], X[0])):
        with pytest.raises(DiagnosticError) as caught:
            joined(x, y)
        assert caught.value.diagnostics[0].code == "OW372"


def test_what_nobody_reads_may_fail() -> None:
    @script()
    def wasteful(x):
        op.Reshape(x, [2, 2])
        return op.Relu(x)

    same(wasteful, X)
    assert graphs() == 0
    with pytest.raises(DiagnosticError):
        wasteful(np.ones((3, 3), np.float32))


def test_integers_that_onnxruntime_gets_wrong() -> None:
    @script()
    def largest(x):
        return op.Max(x, x - 1)

    @script()
    def half(x):
        return x / -1

    same(largest, np.array([1 << 40, 5], np.int64))
    same(half, np.array([8, -6], np.int64))
    assert graphs() == 0


def test_a_debugger_sees_the_lines() -> None:
    lines: list[str] = []

    def tracer(frame: Any, event: str, argument: object) -> Any:
        if frame.f_code is gelu.__wrapped__.__code__:
            lines.append(event)
        return tracer

    for _ in range(3):
        gelu(X)
    assert graphs() == 1
    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        gelu(X)
    finally:
        sys.settrace(before)
    assert "line" in lines


@pytest.mark.parametrize(("tool", "expected"), [(0, True), (1, True), (2, False), (5, False)])
def test_tools_of_newer_pythons(monkeypatch: pytest.MonkeyPatch, tool: int, expected: bool) -> None:
    """Debuggers and coverage are 0 and 1 of `sys.monitoring`; a profiler has the time that is taken."""
    for _ in range(3):
        gelu(X)
    asked: list[object] = []
    plainly = python_execution.call_plainly

    def counted(*arguments: Any) -> Any:
        asked.append(arguments)
        return plainly(*arguments)

    monkeypatch.setattr(python_execution, "call_plainly", counted)
    monkeypatch.setattr(whole, "_get_tool", lambda number: "a tool" if number == tool else None)
    gelu(X)
    assert bool(asked) == expected


def test_opsets_and_evaluators_are_kinds_of_their_own() -> None:
    @script()
    def version(x):
        return x + op.version

    for _ in range(3):
        assert version(X)[0, 0] == 17
        with at_opset(15):
            assert version(X)[0, 0] == 14
        with default_as(ReferenceEvaluator()):
            assert version(X)[0, 0] == 17


def test_a_function_inside_one_that_runs_as_python() -> None:
    @script()
    def outer(x):
        SEEN.append(x)
        return gelu(x) + INT64(1).shape.count(0)

    for _ in range(4):
        found = outer(X)
    assert isinstance(found, np.ndarray)
    assert graphs() == 1


def test_strict_calls_compile_first() -> None:
    for _ in range(3):
        prints(X)
    with strict(), pytest.raises(DiagnosticError):
        prints(X)


def test_results_are_the_callers() -> None:
    for _ in range(4):
        found = gelu(X)
        found[...] = 0
    assert gelu(X).any()


def test_threads_and_tasks() -> None:
    def work(number: int) -> bool:
        return all(
            (gelu(np.full(4, number, np.float32)) == gelu(np.full((4,), number, np.float32))).all() for _ in range(20)
        )

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(16)))

    async def task(number: int) -> float:
        await asyncio.sleep(0)
        return float(gelu(np.full(4, number, np.float32))[0])

    async def tasks() -> list[float]:
        return await asyncio.gather(*(task(number) for number in range(8)))

    with whole_functions(False):
        wanted = [float(gelu(np.full(4, number, np.float32))[0]) for number in range(8)]
    assert asyncio.run(tasks()) == wanted


def test_as_many_are_kept_as_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whole._KINDS, "most", 3)
    for number in range(10):
        for _ in range(3):
            gelu(X, alpha=float(number))
    assert len(whole._KINDS) == 3


def test_it_can_be_off() -> None:
    with whole_functions(False):
        for _ in range(4):
            gelu(X)
        with whole_functions():
            gelu(X)
        gelu(X)
    assert len(whole._KINDS) == 1


def test_a_function_that_prints_prints_at_each_call(
    capsys: pytest.CaptureFixture[str], recwarn: pytest.WarningsRecorder
) -> None:
    def helper(x: Any) -> Any:
        print("helper")
        return x

    @script()
    def prints(x):
        print("own")
        return -x

    @script()
    def calls_both(x):
        return prints(x) + helper(x)

    for _ in range(5):
        prints(X)
        calls_both(X)
    assert capsys.readouterr().out == 5 * "own\nown\nhelper\n"
    assert graphs() == 0
    assert not [*recwarn]


def test_sizes_that_never_come_again_make_no_graphs() -> None:
    @script()
    def halves(x: FLOAT[N]):
        return x[: x.shape[0] // 2] * 2

    for size in range(2, 12):
        halves(np.ones(size, np.float32))
    assert graphs() == 0
    for _ in range(2):
        halves(np.ones(4, np.float32))
    assert graphs() == 1
