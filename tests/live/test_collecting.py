"""Fewer garbage collections run while something is compiled, and afterwards all is as before."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any

import pytest
from opwright import FLOAT, INT64, decompile, script
from opwright import opset18 as op
from opwright.diagnostics.diagnostic import DiagnosticError
from opwright.live import collecting
from opwright.live.collecting import ALLOCATIONS, seldom_collected

N = "N"
BEFORE = (600, 9, 8)


@script()
def doubled(x: FLOAT[N]):
    return x + x


@script()
def refused(x: FLOAT[N]):
    return op.NoSuchOperator(x)


@pytest.fixture(autouse=True)
def _threshold() -> Iterator[None]:
    found = gc.get_threshold()
    gc.set_threshold(*BEFORE)
    gc.freeze()  # collections look at what a test makes alone
    yield
    gc.unfreeze()
    gc.set_threshold(*found)


def test_the_threshold_is_raised_within_and_put_back() -> None:
    inner = seldom_collected(gc.get_threshold)
    outer = seldom_collected(lambda: (inner(), gc.get_threshold()))
    assert outer() == ((ALLOCATIONS, 9, 8), (ALLOCATIONS, 9, 8))
    assert gc.get_threshold() == BEFORE


@pytest.mark.parametrize("threshold", [0, ALLOCATIONS, 10 * ALLOCATIONS])
def test_what_is_higher_or_off_stays(threshold: int) -> None:
    gc.set_threshold(threshold, 9, 8)
    assert seldom_collected(gc.get_threshold)() == (threshold, 9, 8)
    assert gc.get_threshold() == (threshold, 9, 8)


def test_what_is_set_meanwhile_stays() -> None:
    seldom_collected(lambda: gc.set_threshold(650))()
    assert gc.get_threshold()[0] == 650


def test_compiling_leaves_it_as_it_was() -> None:
    doubled.to_function_proto()
    doubled.to_function_protos()
    doubled.to_model_proto()
    assert gc.get_threshold() == BEFORE
    for make in (refused.to_function_proto, refused.to_function_protos, refused.to_model_proto):
        with pytest.raises(DiagnosticError):
            make()
        assert gc.get_threshold() == BEFORE


def test_garbage_does_not_pile_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing but compilations allocates, they collect: the collector is not off."""
    monkeypatch.setattr(collecting, "ALLOCATIONS", 1_000)
    begun: list[str] = []

    def note(phase: str, _: dict[str, int]) -> None:
        begun.append(phase)

    made = [script()(doubled.__wrapped__) for _ in range(200)]
    gc.collect()
    gc.callbacks.append(note)
    try:
        for function in made:
            function.to_function_proto()
    finally:
        gc.callbacks.remove(note)
    assert begun


@script()
def called(x, bias=None):
    if bias is not None:
        x = x + bias
    return op.Relu(x)


def _programs() -> tuple[Any, ...]:
    """Functions of which each compilation is new: a chain of operators, static questions, control flow, a call."""

    @script()
    def plain(x, alpha: float = 0.5):
        y = op.Elu(x * 1.5, alpha=alpha)
        return op.Add(y, x) - 2.0

    @script()
    def asks(x, bias=None):
        y = op.Relu(x)
        if x.rank > 2:
            y = op.Flatten(y)
        if bias is not None:
            y = y + bias
        return y

    @script()
    def loops(x: FLOAT[N], n: INT64):
        y = x
        for _ in range(n):
            y = y + x
            if op.ReduceMax(y, keepdims=0) > 10.0:
                break
        if op.ReduceSum(y, keepdims=0) > 0.0:
            z, k = y, n
        else:
            z, k = -y, n + 1
        return z, k

    @script()
    def calls(x: FLOAT[N]):
        return called(x, x) * called(x)

    return plain, asks, loops, calls


@pytest.mark.parametrize("name", ["plain", "asks", "loops", "calls"])
def test_what_a_compilation_has_made_goes_without_the_collector(name: str) -> None:
    """Otherwise it is found in cycles: by walking all that is new again and again, a fifth of the time."""
    [first, second] = [next(item for item in _programs() if item.name == name) for _ in range(2)]
    first.to_function_protos()
    gc.collect()
    gc.disable()
    try:
        second.to_function_protos()
        assert gc.collect() == 0
    finally:
        gc.enable()


def test_what_decompiling_has_made_goes_without_the_collector() -> None:
    plain, *_ = _programs()
    model = plain.to_model_proto(input_types={"x": FLOAT[N]})
    decompile(model)
    gc.collect()
    gc.disable()
    try:
        decompile(model)
        assert gc.collect() == 0
    finally:
        gc.enable()
