"""What a type variable admits that no function declares counts for other opsets where something sees it (ADR 284)."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from opwright.elements import BY_NAME
from opwright.lang import ir
from opwright.lang.families.family import Family, build_family
from opwright.lang.meaning.function_unit import Unit
from opwright.lang.schema_reads import Constraint, SchemaReads
from opwright.lang.trail import Trail
from opwright.opsets.signatures import signature
from opwright_build.compile import versions

from tests.compile.narrowings import TYPES, Program, differences
from tests.compile.test_versions import HEAD, Tree, spec
from tests.shares import one_in

INT64 = BY_NAME["int64"]


def tried(root: Path, seed: int, count: int, seen: Counter[str]) -> Iterator[str]:
    """What is another at some opset where a program is carried on to it."""
    for number in range(count):
        draw = random.Random(f"{seed} {number}")
        text, types = Program(draw).text, draw.choice(TYPES)
        yield from (f"{text}\n{item}" for item in differences(root / str(number), text, types, seen))


@pytest.mark.parametrize("seed", one_in(4, range(4)))
def test_generated_programs_are_carried_as_they_are_lowered(seed: int, tmp_path: Path) -> None:
    seen: Counter[str] = Counter()
    assert next(tried(tmp_path, seed, 25, seen), None) is None
    assert seen["carried past narrowings"] > 10, seen


def test_the_generated_programs_tell_what_is_not_noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SchemaReads, "decisive", {})
    assert next(tried(tmp_path, 6, 100, Counter()), None) is not None


# --------------------------------------------------------------------------------------------------- counted


@pytest.mark.parametrize(
    ("name", "body", "times"),
    [
        ("taken by one with few", "op.CastLike(op.Softmax(op.Cast(X, to=to)), X)", 1),
        ("taken after others", "op.CastLike(op.Softmax(op.Identity(op.Abs(op.Cast(X, to=to)))), X)", 1),
        ("given as it is", "op.CastLike(op.Identity(op.Cast(X, to=to)), X)", 6),
        ("asked for its types", "op.CastLike(op.Softmax(op.Cast(X, to=to) + op.Cast(X, to=to)), X)", 7),
    ],
)
def test_a_function_is_lowered_where_a_variable_admits_others(
    name: str, body: str, times: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cast has six more versions from opset 17 on, each with more element types; Identity and Add do not take all."""
    lowered: list[int] = []

    def counted(unit: Unit, opset: int) -> Family:
        lowered.append(opset)
        return build_family(unit, opset)

    monkeypatch.setattr(versions, "build_family", counted)
    files = {
        "specs/com.acme/F/spec.yaml": spec("F", extra="attributes: {to: A type.}\n").replace(">=13", ">=17"),
        "specs/com.acme/F/function.py": f"{HEAD}def F(X, to: int):\n    return {body}\n",
    }
    compiled = Tree(tmp_path, files).compile("F")
    assert not compiled.diagnostics
    assert (name, len(lowered)) == (name, times), lowered


# ----------------------------------------------------------------------------------------------------- noted


def asked(name: str, type_: str) -> Constraint:
    found = signature("", name, 18)
    assert found is not None
    return Constraint(found, type_)


CAST, SOFTMAX, SHIFT = asked("Cast", "T2"), asked("Softmax", "T"), asked("BitShift", "T")


def noted(trail: Trail) -> set[frozenset[str]]:
    """The operators of each set of element types that counts."""
    return {frozenset(item.signature.name for item in found.asked) for found in trail.reads.decisive.values()}


def test_what_a_variable_ends_with_counts() -> None:
    trail, variable = Trail(), ir.TypeVariable("T", rigid=False)
    assert variable.meet(CAST, trail)
    assert variable.meet(SOFTMAX, trail)
    assert variable.meet(CAST, trail)
    assert noted(trail) == {frozenset(("Cast", "Softmax"))}


def test_what_is_seen_on_the_way_counts() -> None:
    trail, variable = Trail(), ir.TypeVariable("T", rigid=False)
    assert variable.meet(CAST, trail)
    assert variable.elements
    assert variable.meet(SOFTMAX, trail)
    assert noted(trail) == {frozenset(("Cast",)), frozenset(("Cast", "Softmax"))}


def test_what_leaves_none_counts_and_what_was_before() -> None:
    trail, variable = Trail(), ir.TypeVariable("T", rigid=False)
    assert variable.meet(CAST, trail)
    assert variable.meet(SOFTMAX, trail)
    assert not variable.meet(SHIFT, trail)
    assert noted(trail) == {frozenset(("Cast", "Softmax")), frozenset(("Cast", "Softmax", "BitShift"))}


def test_what_a_trial_came_to_counts_after_its_rollback() -> None:
    trail, variable = Trail(), ir.TypeVariable("T", rigid=False)
    outer = trail.begin()
    assert variable.meet(CAST, trail)
    inner = trail.begin()
    assert variable.meet(SOFTMAX, trail)
    trail.roll_back(inner)
    assert noted(trail) == {frozenset(("Cast",)), frozenset(("Cast", "Softmax"))}  # the variable is at the first again
    trail.roll_back(outer)
    assert noted(trail) == {frozenset(("Cast", "Softmax"))}


def test_equal_variables_have_what_both_were_asked() -> None:
    trail, one, other = Trail(), ir.TypeVariable("T", rigid=False), ir.TypeVariable("U", rigid=False)
    assert one.meet(CAST, trail)
    assert other.meet(SOFTMAX, trail)
    mark = trail.begin()
    assert ir.unify_elements(one, other, trail)
    both = frozenset(("Cast", "Softmax"))
    assert noted(trail) == {both}
    assert ir.settle(one) is other
    trail.roll_back(mark)
    assert noted(trail) == {frozenset(("Cast",)), frozenset(("Softmax",)), both}


@pytest.mark.parametrize("declared", [True, False])
def test_what_becomes_a_declared_type_is_seen(declared: bool) -> None:
    trail, variable = Trail(), ir.TypeVariable("T", rigid=False)
    assert variable.meet(CAST, trail)
    known = ir.TypeVariable("U", INT64.mask | 2, place=0) if declared else INT64
    assert ir.unify_elements(variable, known, trail)
    assert noted(trail) == {frozenset(("Cast",))}


def test_each_type_is_noted_that_a_declared_variable_asks_about() -> None:
    trail, variable = Trail(), ir.TypeVariable("T", INT64.mask | 2, place=0)
    assert variable.meet(CAST, trail)
    assert trail.reads.elements == {"Cast": INT64.mask | 2}
    assert not noted(trail)
