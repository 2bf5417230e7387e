from __future__ import annotations

import numpy as np
import pytest
from opwright.diagnostics.diagnostic import Place
from opwright.elements import element
from opwright_build.verify.case_model import Case, SuiteJudge
from opwright_build.verify.cases.exact_rounding import NotRepresentable
from opwright_build.verify.cases.making import expected_from_oracle, magnitude


def test_the_oracles_complex_numbers_are_rounded_once() -> None:
    answer = np.array([1 / 3 - 2j, 1e300j])
    expected = expected_from_oracle(answer, element("complex64"))
    assert expected.array.dtype.name == "complex64"
    assert [repr(complex(value)) for value in expected.array] == ["(0.3333333432674408-2j)", "infj"]
    assert expected.exact is not None
    assert expected.exact.tolist() == answer.tolist()
    assert expected_from_oracle(np.array([1, 2]), element("complex128")).array.tolist() == [1, 2]


@pytest.mark.parametrize(("answer", "wanted"), [(1j, "float"), ("a", "complex64"), (True, "complex64")])
def test_other_kinds_of_answers_are_refused(answer: object, wanted: str) -> None:
    with pytest.raises(NotRepresentable, match=f"where {wanted} is wanted"):
        expected_from_oracle(np.array([answer]), element(wanted))


@pytest.mark.filterwarnings("error")
def test_a_signalling_nan_is_no_warning() -> None:
    given = (np.array([0x7F800001, 0x40000000], np.uint32).view(np.float32),)
    case = Case("com.acme::F@1", "nan", {}, given, {}, (), SuiteJudge(0, 0), Place("vectors.yaml"), "")
    assert magnitude(case) == 2
