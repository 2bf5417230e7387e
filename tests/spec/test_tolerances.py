from __future__ import annotations

import pytest
from opwright.elements import BY_NAME
from opwright_build.spec.model import Tolerance
from opwright_build.spec.tolerances import DEFAULT_TOLERANCES, EXACT, StatedLimit, by_runtime, is_looser, whole


@pytest.mark.parametrize(
    ("element", "ulp", "absolute"),
    [
        ("float", 4, 4 * 2**-24),
        ("double", 4, 4 * 2**-53),
        ("float16", 4, 4 * 2**-11),
        ("bfloat16", 4, 4 * 2**-8),
        ("float8e4m3fn", 1, 2**-4),
        ("int64", 0, 0),
        ("bool", 0, 0),
        ("string", 0, 0),
    ],
)
def test_the_table(element: str, ulp: float, absolute: float) -> None:
    assert DEFAULT_TOLERANCES[element] == Tolerance(ulp, absolute)


def test_every_element_type_has_a_default() -> None:
    assert list(DEFAULT_TOLERANCES) == list(BY_NAME)


def test_looser() -> None:
    assert not is_looser(DEFAULT_TOLERANCES["float"], "float")
    assert not is_looser(EXACT, "float")
    assert is_looser(Tolerance(5, 0), "float")
    assert is_looser(Tolerance(0, 1e-6), "float")
    assert not is_looser(Tolerance(0, 1e-6), "float16")
    assert is_looser(Tolerance(1, 0), "int32")


def test_what_is_not_stated_comes_from_the_table() -> None:
    assert whole({}, ["float", "int32"]) == {"float": DEFAULT_TOLERANCES["float"], "int32": EXACT}


def test_a_stated_default_is_for_floats_alone() -> None:
    stated = {"default": StatedLimit(8.0, None, "why"), "double": StatedLimit(None, 0.5, "why")}
    assert whole(stated, ["float", "double", "int32"]) == {
        "float": Tolerance(8, 4 * 2**-24, "why"),
        "double": Tolerance(4, 0.5, "why"),
        "int32": EXACT,
    }


def test_integers_are_loosened_by_name() -> None:
    stated = {"uint8": StatedLimit(None, 1.0, "rounding")}
    assert whole(stated, ["uint8"]) == {"uint8": Tolerance(0, 1, "rounding")}


def test_a_runtime_goes_before_its_family() -> None:
    general = whole({"double": StatedLimit(16.0, None, "sums")}, ["float", "double", "int32"])
    stated = {
        "onnxruntime": {"float": StatedLimit(8.0, None, "fuses")},
        "onnxruntime/full": {
            "default": StatedLimit(None, 0.5, "fuses more"),
            "int32": StatedLimit(1.0, None, "rounds"),
        },
    }
    found = by_runtime(stated, general)
    assert list(found) == ["onnxruntime/off", "onnxruntime/full"]
    usual = {name: DEFAULT_TOLERANCES[name].absolute for name in general}
    assert found["onnxruntime/off"] == {**general, "float": Tolerance(8, usual["float"], "fuses")}
    assert found["onnxruntime/full"] == {
        "float": Tolerance(8, 0.5, "fuses more"),
        "double": Tolerance(16, 0.5, "fuses more"),
        "int32": Tolerance(1, 0, "rounds"),
    }
