"""What a compilation has captured is compared with what is there now: at any depth, and as the compiler tells apart."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from onnx import numpy_helper
from opwright import FLOAT, DiagnosticError, GraphBuilder, script
from opwright.live.reads import Reads


def captured() -> dict[str, Any]:
    return {
        "array": np.ones(3, np.float32),
        "eighths": np.full(2, 0x38, np.uint8).view(ml_dtypes.float8_e4m3fn),
        "table": [[1.0, 2.0], [3.0]],
        "mixed": [1, np.zeros(2), (4, [5])],
        "plain": [1, 0.0, "a", float("nan")],
        "shape": (2, 3),
        "empty": [],
        "tensor": numpy_helper.from_array(np.ones(2)),
        "held": {1: [np.ones(1)]},
        "object": SimpleNamespace(),
    }


@pytest.mark.parametrize(
    "change",
    [
        lambda found: found["array"].__setitem__(1, 2),
        lambda found: found.update(array=np.ones(3, np.float64)),
        lambda found: found.update(array=np.ones((1, 3), np.float32)),
        lambda found: found.update(eighths=found["eighths"].view(ml_dtypes.float8_e4m3fnuz)),
        lambda found: found["table"][0].append(1.0),
        lambda found: found["table"][1].__setitem__(0, 3),
        lambda found: found["mixed"][1].__setitem__(0, 1),
        lambda found: found["mixed"][2][1].append(6),
        lambda found: found["plain"].__setitem__(0, True),
        lambda found: found["plain"].__setitem__(1, -0.0),
        lambda found: found["plain"].__setitem__(2, np.ones(1)),
        lambda found: found.update(shape=(2, 3.0)),
        lambda found: found.update(shape=[2, 3]),
        lambda found: found["empty"].append(0),
        lambda found: found["empty"].append([]),
        lambda found: found["tensor"].dims.append(1),
        lambda found: found["held"][1][0].__setitem__(0, 2),
        lambda found: found["held"].update({True: found["held"].pop(1)}),
        lambda found: found.update(object=SimpleNamespace()),
        lambda found: found.pop("array"),
        lambda found: found.update(other=1),
    ],
)
def test_what_has_changed_is_seen(change: Callable[[dict[str, Any]], Any]) -> None:
    found = captured()
    reads = Reads()
    reads.note(found, lambda: found)
    assert reads.still_hold()
    change(found)
    assert not reads.still_hold()


@pytest.mark.parametrize("name", ["array", "eighths", "table", "plain", "mixed", "shape", "empty", "tensor", "held"])
def test_what_is_equal_is_unchanged(name: str) -> None:
    found = captured()
    reads = Reads()
    reads.note(found, lambda: found)
    found[name] = captured()[name]
    assert reads.still_hold()


FACTOR = 1.0


@script()
def scaled(x):
    return x * FACTOR


def test_a_few_states_of_what_is_captured_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call is compared with each; a state that has been forgotten is compiled again, and is the same function."""
    b = GraphBuilder(opset=22)
    x = b.input("x", FLOAT[2])
    y = scaled(x)
    for number in range(2, 22):
        monkeypatch.setattr(f"{__name__}.FACTOR", float(number))
        y = y + scaled(x)
    monkeypatch.undo()
    b.output("y", y + scaled(x))
    assert max(map(len, b._recorder.compiled.values())) < 10
    names = [function.name for function in b.to_model_proto().functions]
    assert names == ["scaled", *(f"scaled_{number}" for number in range(2, 22))]
    assert b.run(y, x=np.ones(2, np.float32)).tolist() == [sum(range(1, 22))] * 2


def _nested(depth: int, of: Callable[[Any], Any]) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = of(value)
    return value


def _holding_itself() -> list[Any]:
    value: list[Any] = [1]
    value += [value, value]
    return value


HELD: list[Any] = []


@script()
def holding(x):
    return x * len(HELD)


@pytest.mark.parametrize(
    ("deep", "reason"),
    [
        (_nested(40, lambda value: [value]), "lists nest at most 32 deep"),
        (_nested(2000, lambda value: [value]), "lists nest at most 32 deep"),
        (_nested(2000, lambda value: (value,)), "lists nest at most 32 deep"),
        (_nested(2000, lambda value: {1: value}), "lists nest at most 32 deep"),
        (_holding_itself(), "lists nest at most 32 deep"),
        (_nested(28, lambda value: [value, value]), "more than the 65,536 items allowed"),
    ],
    ids=["lists", "many lists", "tuples", "dictionaries", "itself", "one many times"],
)
def test_what_is_nested_too_deeply_is_named(monkeypatch: pytest.MonkeyPatch, deep: Any, reason: str) -> None:
    monkeypatch.setattr(f"{__name__}.HELD", deep)
    with pytest.raises(DiagnosticError) as caught:
        holding.to_function_proto(22)
    (found,) = caught.value.diagnostics
    assert (found.code, found.reason) == ("OW311", reason)
    assert "`HELD`" in found.message
    reads = Reads()
    reads.note(deep, lambda: deep)
    assert not reads.still_hold()  # it is not compared


def test_a_list_that_is_held_many_times_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{__name__}.HELD", [_nested(9, lambda value: [value, value])] * 3)
    assert holding.to_function_proto(22).node
