"""One or two bodies of each variant in place of all."""

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from opwright_build.verify.run.admits import admissions
from opwright_build.verify.run.matrix import verify_cases
from opwright_build.verify.run.runtimes import available, newest_accepted
from opwright_build.verify.run.spread import Spread

RELU = "(i0) => (o0) { o0 = Relu(i0) }"
RANGES = [(13, 13), (14, 15), (16, 18), (19, 20), (21, 22)]


def bodies(library: Any, name: str, *further: tuple[int, int]) -> Any:
    return library.add(name, *((RELU, *opsets) for opsets in (*RANGES, *further)))


@pytest.mark.parametrize(("name", "count"), [("One", 1), ("F12", 2)])
def test_the_newest_body_runs_and_one_of_the_others_where_that_is_drawn(
    library: Any, make_case: Any, name: str, count: int
) -> None:
    entry = bodies(library, name)
    x = np.array([-1.0, 2.0], np.float32)
    cases = [make_case(entry, [x], np.maximum(x, 0), name=f"case{number}") for number in range(3)]
    spread = Spread(available())
    outcomes = verify_cases(library.bundle(), cases, spread=spread, workers=0)
    by_case = {item.case.name: {other.opset for other in outcomes if other.case == item.case} for item in outcomes}
    assert len(by_case) == 3
    (opsets,) = {tuple(sorted(opsets)) for opsets in by_case.values()}
    assert len(opsets) == count and opsets[-1] == 22
    assert [item.last_opset for item in admissions(library.bundle(), spread=spread)] == list(opsets)


def test_a_case_with_none_of_its_bodies_among_them_runs_on_all_of_its_own(library: Any, make_case: Any) -> None:
    class Nothing(Spread):
        def has(self, entry: Any, body: Any) -> bool:
            return False

    entry = bodies(library, "One")
    cases = [make_case(entry, [np.ones(2, np.float32)], np.ones(2, np.float32))]
    spread = verify_cases(library.bundle(), cases, spread=Nothing(available()), workers=0)
    assert spread == verify_cases(library.bundle(), cases, workers=0)


def test_a_body_that_a_runtime_does_not_take_is_not_the_newest(library: Any) -> None:
    runtimes = available()
    last = min(opset for item in runtimes if isinstance(opset := newest_accepted(item, 18, 28), int))
    entry = bodies(library, "One", (23, last), (last + 1, last + 1))
    assert any(body.last_opset == last for body in Spread(runtimes).of(entry))


def test_functions_together_come_to_all_opsets_and_a_draw_is_the_same_again(library: Any) -> None:
    entries = [bodies(library, f"F{number}") for number in range(90)]
    drawn = [[body.first_opset for body in Spread(available()).of(entry)] for entry in entries]
    assert drawn == [[body.first_opset for body in Spread(available()).of(entry)] for entry in entries]
    assert {first for opsets in drawn for first in opsets} == {first for first, _ in RANGES}
    assert 8 < sum(len(opsets) == 2 for opsets in drawn) < 25


def test_of_many_variants_a_sixth_have_a_second_body(library: Any) -> None:
    entry = bodies(library, "Many")
    variants = [(("T", f"kind{number}"),) for number in range(60)]
    many = replace(entry, bodies=tuple(replace(body, variant=item) for item in variants for body in entry.bodies))
    chosen = Counter(body.variant for body in Spread(available()).of(many))
    newest = [body.variant for body in Spread(available()).of(many) if body.last_opset == 22]
    assert newest == variants
    assert set(chosen.values()) == {1, 2}
    assert 4 < sum(count == 2 for count in chosen.values()) < 18
