"""A sample of the standard's node tests, and of generated programs, makes the round trip.

`nox -s roundtrip` takes all of them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.decompiler.exceptions import read_exceptions
from tests.decompiler.generated_cases import generated_cases
from tests.decompiler.roundtrip import round_trips
from tests.node_cases import node_cases
from tests.shares import one_in

# Of each kind of model that is written in a way of its own.
KINDS = (
    "test_flexattention_score_mod",
    "test_if_seq",
    "test_linear_attention_gated_delta_gqa_expanded",
    "test_loop13_seq",
    "test_optional_get_element_optional_sequence",
    "test_scan9_sum",
    "test_sequence_map_extract_shapes",
    "test_ai_onnx_ml_array_feature_extractor",
    "test_momentum_multiple",
    "test_string_concat",
    "test_constant_pad",
    "test_cast_FLOAT_to_INT4",
    "test_quantizelinear_float4e2m1",
)
EVERY = 42


@pytest.fixture(scope="module")
def cases() -> list[Any]:
    found = node_cases()
    return [case for index, case in enumerate(found) if index % EVERY == 0 or case.name in KINDS]


@pytest.mark.parametrize("faithful", one_in(2, [True, False]))
def test_models_come_back_the_same(cases: list[Any], tmp_path: Path, faithful: bool) -> None:
    failures = list(round_trips(cases, tmp_path, faithful))
    unexpected = [item for item in failures if item.name not in read_exceptions(faithful)]
    assert not unexpected, "\n".join(f"{item.name}: {item.stage}: {item.reason}" for item in unexpected)


@pytest.mark.parametrize("faithful", one_in(2, [False, True]))
def test_models_of_generated_programs_come_back_the_same(tmp_path: Path, faithful: bool) -> None:
    failures = list(round_trips(list(generated_cases(3, 12)), tmp_path, faithful))
    assert not failures, "\n".join(f"{item.name}: {item.stage}: {item.reason}" for item in failures)
