"""Which evaluator is in force: for whom, for how long, and what one that captures is given."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from threading import Barrier
from typing import Any
from weakref import WeakSet

import numpy as np
import pytest
from opwright import FLOAT, OnnxFunction, Tensor, script
from opwright import opset18 as op
from opwright.eager import at_opset, replay, strict, task_execution
from opwright.eager.node_models import Task
from opwright.eager.ort import OrtSession
from opwright.eager.outcome import Session
from opwright.eager.replay import RECORDINGS
from opwright.eager.task_execution import SESSIONS
from opwright.evaluator import NoKernel, OnnxRuntime, ReferenceEvaluator, default_as

X = np.array([1.0, 2.0], np.float32)


class Adds:
    """Gives its number in place of any result."""

    def __init__(self, number: float) -> None:
        self.number = number

    def load(self, task: Task) -> Session:
        return self

    def run(self, data: Sequence[Any]) -> list[Any]:
        return [np.full(data[0].shape, self.number, np.float32)]


def first() -> float:
    return float(op.Relu(X).numpy()[0])


def test_inner_ones_come_first_and_end() -> None:
    with default_as(Adds(3)):
        assert first() == 3
        with default_as(Adds(4)):
            assert first() == 4
            with default_as():
                assert first() == 1
        assert first() == 3
        with pytest.raises(ZeroDivisionError), default_as(Adds(5)):
            _ = 1 // 0
        assert first() == 3
    assert first() == 1


def test_threads_have_their_own() -> None:
    barrier = Barrier(8)

    def work(number: int) -> list[float]:
        found = []
        with default_as(Adds(number)):
            for _ in range(20):
                barrier.wait(10)
                found.append(first())
        return found

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(8))) == [[number] * 20 for number in range(8)]
    with default_as(Adds(9)), ThreadPoolExecutor(1) as pool:
        assert pool.submit(first).result() == 1  # a thread begins with the default
        assert pool.submit(copy_context().run, first).result() == 9


def test_tasks_have_their_own_and_hand_it_on() -> None:
    async def inner() -> float:
        await asyncio.sleep(0)
        return first()

    async def task(number: int) -> list[float]:
        found = []
        with default_as(Adds(number)):
            for _ in range(5):
                await asyncio.sleep(0)
                found.append(first())
            found.append(await asyncio.create_task(inner()))
        return found

    async def together() -> list[list[float]]:
        return await asyncio.gather(*(task(number) for number in range(6)))

    assert asyncio.run(together()) == [[number] * 6 for number in range(6)]


def test_generators_leave_it_in_force_as_python_has_it() -> None:
    """As `decimal.localcontext` does: a generator shares the context of whoever runs it."""

    def steps() -> Iterator[float]:
        with default_as(Adds(7)):
            yield first()
            yield first()

    outer = steps()
    assert next(outer) == 7
    assert first() == 7
    outer.close()
    assert first() == 1
    alone = steps()
    assert copy_context().run(next, alone) == 7
    assert first() == 1
    alone.close()
    assert first() == 1


def test_what_ends_in_another_context_than_it_began_in() -> None:
    async def steps() -> AsyncIterator[float]:
        with default_as(Adds(7)), strict(), at_opset(17):
            yield first()

    async def together() -> float:
        running = steps()
        assert await asyncio.create_task(anext(running)) == 7
        assert first() == 1
        await running.aclose()  # in this task, not in that which began it
        return first()

    assert asyncio.run(together()) == 1


@pytest.mark.long
def test_sessions_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of many kinds of one operator, as many as are kept of sessions and of recordings, and more: what is kept does not
    grow."""
    assert (SESSIONS.most, RECORDINGS.most) == (task_execution.KEPT, replay.KEPT)
    monkeypatch.setattr(SESSIONS, "most", 50)
    monkeypatch.setattr(RECORDINGS, "most", 200)

    def alive() -> list[OrtSession]:
        gc.collect()
        return [item for item in gc.get_objects() if isinstance(item, OrtSession)]

    before = WeakSet(alive())  # of some of which somebody else takes hold
    for number in range(300):
        op.LeakyRelu(X, alpha=number / 7)
    assert len(SESSIONS) == 50
    assert sum(item not in before for item in alive()) <= 50
    assert len(RECORDINGS) == 200
    again = op.LeakyRelu(X, alpha=3 / 7).numpy()  # dropped since, and loaded again
    np.testing.assert_array_equal(again, op.LeakyRelu(X, alpha=3 / 7).numpy())


def test_the_first_that_takes_it() -> None:
    class Refuses:
        def load(self, task: Task) -> Session:
            raise NoKernel("never")

    with default_as(Refuses(), ReferenceEvaluator()):
        assert first() == 1
    for evaluator in (OnnxRuntime(), ReferenceEvaluator()):
        with default_as(evaluator):
            assert op.Add(X, 1).numpy().tolist() == [2, 3]


class Records:
    """Takes all calls, and gives their names."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, int, tuple[str, ...]]] = []

    def call_operator(self, operator: Any, args: Sequence[object], kwargs: Mapping[str, object]) -> str:
        self.calls.append((operator.name, len(args), tuple(kwargs)))
        return operator.name

    def call_function(self, function: Any, args: Sequence[object], kwargs: Mapping[str, object]) -> str:
        self.calls.append((function.name, len(args), tuple(kwargs)))
        return str(function.name)


@script()
def half(x: FLOAT[...]):
    return x / 2


def test_one_that_captures_takes_the_calls() -> None:
    records = Records()
    with default_as(records):
        assert op.Concat(op.Relu("x"), half("y", z=1), axis=0) == "Concat"
        assert (Tensor(X) + 1).numpy().tolist() == [2, 3]
        with default_as():
            assert half(X).tolist() == [0.5, 1]
    assert records.calls == [("Relu", 1, ()), ("half", 1, ("z",)), ("Concat", 2, ("axis",))]
    assert isinstance(half, OnnxFunction)
    with pytest.raises(TypeError, match="stands alone"), default_as(records, ReferenceEvaluator()):
        pass
