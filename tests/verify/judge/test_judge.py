"""The judge against numpy's own rules and against values whose distance is known."""

import itertools
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from opwright.elements import BY_NAME
from opwright.graphs.ndarrays import DTYPES
from opwright_build.spec.model import Tolerance
from opwright_build.verify.case_model import (
    Array,
    Expected,
    ExpectedItems,
    Items,
    Judge,
    RandomJudge,
    SuiteJudge,
    ToleranceJudge,
    judge_on,
)
from opwright_build.verify.judge.outputs import judge_outputs, mismatch, ulp_distance

EXACT_LIMIT = Tolerance(0, 0)
EXACT = ToleranceJudge({"default": EXACT_LIMIT})
SUITE = SuiteJudge(1e-3, 1e-7)


def within(ulp: float = 0.0, absolute: float = 0.0, scale: float = 1.0) -> ToleranceJudge:
    names = ("float16", "bfloat16", "float", "double", "uint8", "int64", "float8e5m2")
    return ToleranceJudge({name: Tolerance(ulp, absolute) for name in names}, scale)


def verdict(judge: Judge, wanted: Array, got: Array, exact: Array | None = None) -> str:
    return mismatch(judge, Expected(wanted, exact), got)


def test_sequences_are_judged_item_by_item() -> None:
    one, two = np.array([1.0, 2.0], np.float32), np.array(3.0, np.float32)
    wanted = [ExpectedItems("float", (Expected(one), Expected(two)))]

    def judged(got: Array | Items) -> str:
        return judge_outputs(SUITE, ["Y"], wanted, [got])

    assert judged(Items("float", (one, two))) == ""
    assert judged(Items("float", (one * np.float32(1.0001), two))) == ""
    assert judged(Items("float", (one,))) == "Y has 1 items, expected 2"
    assert judged(Items("float", (one, one))) == "Y [1] has shape [2], expected []"
    assert judged(Items("double", (one.astype(float), two))) == "Y [0] has element type double, expected float"
    assert judged(Items("float", (one, np.array(4.0, np.float32)))).startswith("Y [1] differs in 1 of 1 elements")
    assert judged(one) == "Y is a tensor, expected a sequence"
    assert (
        judge_outputs(SUITE, ["Y"], [Expected(one)], [Items("float", (one,))]) == "Y is a sequence, expected a tensor"
    )


def test_a_sequence_of_nothing_is_of_a_type_where_the_runtime_tells() -> None:
    wanted = [ExpectedItems("float", ())]
    assert judge_outputs(EXACT, ["Y"], wanted, [Items("float", ())]) == ""
    assert judge_outputs(EXACT, ["Y"], wanted, [Items("", ())]) == ""
    message = judge_outputs(EXACT, ["Y"], wanted, [Items("int64", ())])
    assert message == "Y is a sequence of int64, expected float"


@pytest.mark.parametrize("name", ["float", "bfloat16", "int64", "bool"])
def test_of_random_outputs_shape_type_values_and_mean_are_judged(name: str) -> None:
    dtype = DTYPES[BY_NAME[name]]
    wanted, got = np.zeros(4, dtype), np.array([0, 1, 1, 1]).astype(dtype)
    assert verdict(RandomJudge(), wanted, got) == ""
    assert verdict(RandomJudge((0, 1), 0.75, 0.01), wanted, got) == ""
    assert verdict(RandomJudge((0, 1), 0.5, 0.2), wanted, got) == "has the mean 0.75, expected 0.5 give or take 0.2"
    assert verdict(RandomJudge((0, 2)), wanted, got) == "has 1 among its elements, which is none of [0, 2]"
    assert "has shape" in verdict(RandomJudge(), wanted, got[:3])
    assert "has element type" in verdict(RandomJudge(), wanted.astype(np.float64), got)


def test_a_mean_that_is_not_a_number_is_no_mean() -> None:
    assert "mean nan" in verdict(RandomJudge((), 0.5, 0.1), np.zeros(2), np.array([0.5, np.nan]))


FLOATS = [name for name, kind in BY_NAME.items() if kind.is_float]


@pytest.mark.parametrize("name", FLOATS)
def test_the_distance_is_the_number_of_values_between(name: str) -> None:
    kind, dtype = BY_NAME[name], DTYPES[BY_NAME[name]]
    if kind.bits > 16:
        start = np.array([1.0, 1e-30, -3.5, 0.0], dtype)
        walked = start
        for _ in range(3):
            walked = np.nextafter(walked, dtype.type(np.inf))
        assert ulp_distance(start, walked, kind).tolist() == [3, 3, 3, 3]
        return
    patterns = np.arange(1 << kind.bits, dtype=f"u{dtype.itemsize}").view(dtype)
    with np.errstate(invalid="ignore"):
        values = patterns.astype(np.float64)
    finite = np.isfinite(values)
    order = np.argsort(values[finite], kind="stable")
    ranks = {value: rank for rank, value in enumerate(dict.fromkeys(values[finite][order].tolist()))}
    sample = patterns[finite][order][:: max(1, len(order) // 60)]
    for left, right in itertools.product(sample, sample):
        distance = ulp_distance(np.array(left, dtype), np.array(right, dtype), kind)
        assert int(distance) == abs(ranks[float(left)] - ranks[float(right)]), (left, right)


def test_doubles_of_opposite_sign_do_not_overflow() -> None:
    least, greatest = np.array(-np.finfo(np.float64).max), np.array(np.finfo(np.float64).max)
    assert int(ulp_distance(least, greatest, BY_NAME["double"])) == 2 * 0x7FEFFFFFFFFFFFFF
    assert "ulp" in verdict(within(ulp=1e18), greatest, least)


@pytest.mark.parametrize(("off", "right"), [(4, True), (5, False)])
def test_ulps_count_in_the_outputs_own_type(off: int, right: bool) -> None:
    wanted = np.array([1.0, 2.0], np.float16)
    got = (wanted.view(np.uint16) + np.uint16(off)).view(np.float16)
    assert (verdict(within(ulp=4), wanted, got) == "") is right


def test_the_absolute_tolerance_is_about_the_exact_value_times_the_scale() -> None:
    exact = np.array([1e-9])
    wanted = exact.astype(np.float32)
    got = np.array([3e-9], np.float32)
    assert verdict(within(absolute=1e-9), wanted, got, exact) != ""
    assert verdict(within(absolute=1e-9, scale=2.5), wanted, got, exact) == ""
    # The rounded expectation would be off by 0.002 here, the exact one by 0.0005.
    exact = np.array([1.0015])
    assert verdict(within(absolute=0.001), np.array([1.0], np.float16), np.array([1.001], np.float16), exact) == ""
    assert verdict(within(absolute=0.001), np.array([1.0], np.float16), np.array([0.9995], np.float16), exact) != ""


@pytest.mark.parametrize("judge", [EXACT, within(ulp=4, absolute=1.0), SUITE], ids=["exact", "wide", "suite"])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, ml_dtypes.bfloat16])
def test_what_is_not_finite_is_exact(judge: SuiteJudge | ToleranceJudge, dtype: Any) -> None:
    odd = np.array([np.nan, np.inf, -np.inf, 0.0], dtype)
    assert verdict(judge, odd, np.array([np.nan, np.inf, -np.inf, -0.0], dtype)) == ""
    largest = float(ml_dtypes.finfo(dtype).max)
    for wanted, got in itertools.permutations([np.nan, np.inf, -np.inf, largest, 1.0], 2):
        assert verdict(judge, np.array([wanted], dtype), np.array([got], dtype)) != "", (wanted, got)


def test_nothing_is_near_enough_for_an_exact_judge() -> None:
    wanted = np.array([1.0], np.float32)
    assert verdict(EXACT, wanted, np.nextafter(wanted, np.float32(2))) != ""
    assert verdict(EXACT, wanted, wanted.copy()) == ""


def test_the_suites_rule_is_numpys_allclose() -> None:
    rng = np.random.default_rng(5)
    wanted = np.concatenate([rng.normal(size=200), [0.0, 1e-7, 1e30]]).astype(np.float32)
    for _ in range(200):
        got = (wanted * (1 + rng.normal(size=wanted.shape) * 6e-4)).astype(np.float32)
        close = np.isclose(got.astype(np.float64), wanted.astype(np.float64), rtol=1e-3, atol=1e-7, equal_nan=True)
        message = verdict(SUITE, wanted, got)
        assert (message == "") == close.all()
        if message:
            assert f"in {np.count_nonzero(~close)} of" in message


def test_the_suite_grants_bfloat16_two_units() -> None:
    wanted = np.array([1.0], ml_dtypes.bfloat16)
    assert verdict(SUITE, wanted, np.array([1.0 + 2**-6], ml_dtypes.bfloat16)) == ""
    assert verdict(SUITE, wanted, np.array([1.0 + 3 * 2**-7], ml_dtypes.bfloat16)) != ""


def test_shape_and_type_are_exact() -> None:
    wanted = np.zeros((2, 3), np.float32)
    assert verdict(SUITE, wanted, np.zeros((3, 2), np.float32)) == "has shape [3, 2], expected [2, 3]"
    assert verdict(SUITE, wanted, np.zeros((2, 3))) == "has element type double, expected float"
    assert verdict(SUITE, np.zeros((0, 3)), np.zeros((0, 3))) == ""
    assert verdict(SUITE, np.zeros((0, 3)), np.zeros((3, 0))) != ""
    assert verdict(SUITE, np.float32(1).reshape(()), np.ones(1, np.float32)) == "has shape [1], expected []"


def test_integers_differ_by_whole_numbers() -> None:
    wanted = np.array([0, 5, 255], np.uint8)
    assert verdict(within(), wanted, np.array([0, 6, 255], np.uint8)) != ""
    assert verdict(within(ulp=1), wanted, np.array([1, 6, 254], np.uint8)) == ""
    extremes = np.array([-(2**63), 2**63 - 1])
    assert verdict(within(ulp=1e18), extremes, extremes[::-1].copy()) != ""
    assert verdict(within(), extremes, extremes.copy()) == ""
    assert verdict(EXACT, np.array([2**62]), np.array([2**62 + 1])) != ""
    assert verdict(EXACT, np.array(3, ml_dtypes.int4), np.array(-3, ml_dtypes.int4)) != ""


def test_truth_values_and_strings_are_exact() -> None:
    assert verdict(SUITE, np.array([True, False]), np.array([True, True])) != ""
    words = np.array(["a", "b"], object)
    assert verdict(SUITE, words, np.array(["a", "b"])) == ""
    assert verdict(SUITE, words, np.array(["a", "c"], object)) == (
        "differs in 1 of 2 elements: at [1] 'c', expected 'b'"
    )


def test_complex_numbers_are_pairs() -> None:
    wanted = np.array([1 + 2j], np.complex64)
    assert verdict(SUITE, wanted, wanted + np.complex64(1e-5)) == ""
    assert verdict(SUITE, wanted, wanted + np.complex64(1e-1j)) != ""


def test_the_message_names_the_first_and_the_worst() -> None:
    wanted = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)
    got = np.array([[1.0, 2.0000005], [3.0, 8.0]], np.float32)
    message = judge_outputs(EXACT, ["Y", "Z"], [Expected(wanted)], [got])
    assert message == (
        "Y differs in 2 of 4 elements: at [0, 1] 2.0000005, expected 2.0 (2 ulp); "
        "worst at [1, 1] 8.0, expected 4.0 (8388608 ulp)"
    )
    assert judge_outputs(EXACT, ["Y"], [Expected(np.array(1.0))], [np.array(np.inf)]) == (
        "Y differs in 1 of 1 elements: at [] inf, expected 1.0"
    )


def test_outputs_that_are_not_expected_are_not_judged_and_missing_ones_are() -> None:
    one = np.ones(1, np.float32)
    assert judge_outputs(EXACT, ["Y", "Z"], [Expected(one)], [one, one * 7]) == ""
    assert judge_outputs(EXACT, ["Y", "Z"], [Expected(one), Expected(one)], [one]) == "1 outputs, expected 2"
    assert judge_outputs(EXACT, ["Y", "Z"], [None, Expected(one)], [one * 7, one]) == ""
    assert judge_outputs(EXACT, ["Y", "Z"], [None, Expected(one)], [one, one * 7]).startswith("Z differs")


def test_a_runtime_is_judged_by_its_own_tolerance_which_is_named() -> None:
    strict, loose = (
        {"float": Tolerance(1, 0), "int64": EXACT_LIMIT},
        {"float": Tolerance(9, 0), "int64": Tolerance(1, 0)},
    )
    judge = ToleranceJudge(strict, 2.0, {"onnxruntime/full": loose})
    full, other = judge_on(judge, "onnxruntime/full"), judge_on(judge, "reference")
    one = np.array([1.0], np.float32)
    apart = one + np.float32(2.0**-23 * 8)
    assert verdict(full, one, apart) == ""
    assert verdict(other, one, apart) == "differs in 1 of 1 elements: at [0] 1.000001, expected 1.0 (8 ulp)"
    assert verdict(full, one, one * 2) == (
        "differs in 1 of 1 elements: at [0] 2.0, expected 1.0 (8388608 ulp)"
        "; the tolerance of onnxruntime/full for float is 9 ulp or 0"
    )
    assert verdict(full, np.array([1]), np.array([3])).endswith(
        "; the tolerance of onnxruntime/full for int64 is 1 ulp or 0"
    )
    assert verdict(full, np.array([1]), np.array([2])) == ""
    assert judge_on(SUITE, "reference") is SUITE
