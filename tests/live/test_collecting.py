"""Nothing is collected while something is compiled, and afterwards all is as before."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest
from opwright import FLOAT, script
from opwright import opset18 as op
from opwright.diagnostics.model import DiagnosticError
from opwright.live.collecting import uncollected

N = "N"


@script()
def doubled(x: FLOAT[N]):
    return x + x


@script()
def refused(x: FLOAT[N]):
    return op.NoSuchOperator(x)


@pytest.fixture(autouse=True)
def _on() -> Iterator[None]:
    assert gc.isenabled()
    yield
    gc.enable()


def test_it_is_off_within_and_on_again() -> None:
    inner = uncollected(gc.isenabled)
    outer = uncollected(lambda: (inner(), gc.isenabled()))
    assert outer() == (False, False)
    assert gc.isenabled()


def test_what_is_off_stays_off() -> None:
    gc.disable()
    assert not uncollected(gc.isenabled)()
    assert not gc.isenabled()


def test_compiling_leaves_it_as_it_was() -> None:
    doubled.to_function_proto()
    doubled.to_function_protos()
    doubled.to_model_proto()
    assert gc.isenabled()
    for make in (refused.to_function_proto, refused.to_function_protos, refused.to_model_proto):
        with pytest.raises(DiagnosticError):
            make()
        assert gc.isenabled()


def test_compiling_collects_nothing() -> None:
    ran: list[str] = []

    def note(phase: str, _: dict[str, int]) -> None:
        ran.append(phase)

    doubled.to_function_proto()
    threshold = gc.get_threshold()
    paused = uncollected(lambda: (gc.callbacks.append(note), doubled.to_model_proto(), gc.callbacks.remove(note)))
    gc.set_threshold(1)
    try:
        paused()
    finally:
        gc.set_threshold(*threshold)
    assert ran == []
