"""Operations that are run again without being lowered: what may not be mistaken for the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from opwright import FLOAT, INT64, Tensor, script
from opwright import opset18 as op
from opwright.diagnostics.diagnostic import DiagnosticError
from opwright.eager import at_opset, replay
from opwright.eager.eager_lowering import EagerLowering
from opwright.evaluator import ReferenceEvaluator, default_as


@pytest.fixture(autouse=True)
def _nothing_kept() -> None:
    replay.RECORDINGS.clear()


@pytest.fixture
def lowered(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """One item for each operation that is lowered."""
    found: list[object] = []
    original = EagerLowering.__init__

    def counted(self: EagerLowering, *args: Any) -> None:
        found.append(self)
        original(self, *args)

    monkeypatch.setattr(EagerLowering, "__init__", counted)
    return found


def tensor(*values: float, kind: Any = np.float32) -> Tensor:
    return Tensor(np.array(values, kind))


def test_the_second_is_not_lowered(lowered: list[object]) -> None:
    for count in (2, 3, 2):
        x = Tensor(np.arange(count, dtype=np.float32))
        assert (x // 2 + 1).numpy().tolist() == (np.arange(count) // 2 + 1).tolist()
        assert op.Clip(x, 0, max=1).numpy().max() == 1
        low, high = op.Split(x, [1, count - 1])
        assert (low.shape, high.shape) == ((1,), (count - 1,))
    assert len(lowered) == 3 + 2  # Split has other constants where the count is another


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (lambda x: x + 1, lambda x: x - 1),
        (lambda x: x * 1, lambda x: x * 1.5),
        (lambda x: x / 0.0, lambda x: x / -0.0),
        (lambda x: x * 2, lambda x: x * True),
        (lambda x: x < 1, lambda x: x > 1),
        (lambda x: x[0], lambda x: x[1]),
        (lambda x: x[0], lambda x: x[0:1]),
        (lambda x: x[:1], lambda x: x[None]),
        (lambda x: x[[0, 1]], lambda x: x[(0)]),
        (lambda x: op.Cast(x, to=FLOAT), lambda x: op.Cast(x, to=INT64)),
        (lambda x: op.LeakyRelu(-x, alpha=0.0), lambda x: op.LeakyRelu(-x, alpha=-0.0)),
        (lambda x: op.Clip(x, 2), lambda x: op.Clip(x, max=2)),
        (lambda x: op.Sub(x, 1), lambda x: op.Sub(B=x, A=1)),
        (lambda x: op.Concat(x, x, axis=0), lambda x: op.Concat(x, x, x, axis=0)),
        (lambda x: op.Reshape(x, [2, 1]), lambda x: op.Reshape(x, [1, 2])),
    ],
)
def test_what_differs_is_kept_apart(first: Callable[[Tensor], Tensor], second: Callable[[Tensor], Tensor]) -> None:
    x = tensor(1, 2)
    alone = [step(x).numpy() for step in (first, second)]
    replay.RECORDINGS.clear()
    second(x)
    for _ in range(2):
        for step, wanted in zip((first, second), alone, strict=True):
            found = step(x).numpy()
            assert found.dtype == wanted.dtype
            assert found.shape == wanted.shape
            assert found.tobytes() == wanted.tobytes()


def test_types_ranks_and_opsets_are_told_apart() -> None:
    for kind in (np.float32, np.int32, np.uint8, np.float64):
        for shape in ((2,), (1, 2), ()):
            x = np.full(shape, 7, kind)
            found = Tensor(x) // 2
            assert (found.dtype, found.shape, found.numpy().max()) == (kind, shape, 3)
    x = tensor(1, 2, kind=np.int32)
    assert (x & 1).numpy().tolist() == [1, 0]
    with at_opset(17), pytest.raises(DiagnosticError):
        x & 1


def test_what_is_picked_by_tensors_is_lowered_each_time() -> None:
    for values in ([1, 5, 6], [7, 8, 9], [0, 0, 0]):
        x = np.array(values, np.float32)
        assert Tensor(x)[Tensor(x) > 4].numpy().tolist() == x[x > 4].tolist()
    x = tensor(1, 2, 3)
    assert [float(x[INT64(index)]) for index in range(3)] == [1, 2, 3]


def test_a_failure_is_explained_each_time() -> None:
    x = tensor(1, 2)
    (x + x, x + tensor(3))
    for _ in range(2):
        with pytest.raises(DiagnosticError) as caught:
            x + tensor(1, 2, 3)
        assert caught.value.diagnostics[0].code == "OW370"
    assert (x + x).numpy().tolist() == [2, 4]


def test_the_evaluator_is_the_one_in_force() -> None:
    x = tensor(0.5, kind=np.float64)
    for _ in range(2):
        assert op.Relu(x).numpy().tolist() == [0.5]
        with default_as(ReferenceEvaluator()):
            assert op.Relu(x).numpy().tolist() == [0.5]


def test_constants_cannot_be_changed_by_those_who_get_them() -> None:
    @script()
    def texts(x):
        return op.Identity("a"), FLOAT(1.0)

    for _ in range(2):
        text, number = texts(np.zeros(1))
        assert (text.item(), number.item()) == ("a", 1.0)
        text[...] = "b"
        number[...] = 2


def test_random_numbers_differ() -> None:
    x = tensor(*range(8))
    first, second = (op.RandomUniformLike(x).numpy().tolist() for _ in range(2))
    assert first != second


def test_as_many_are_kept_as_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay.RECORDINGS, "most", 3)
    x = tensor(1)
    for number in range(10):
        assert (x + number).numpy().tolist() == [1 + number]
    assert len(replay.RECORDINGS) == 3
