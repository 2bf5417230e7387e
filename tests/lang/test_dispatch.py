"""Operations by class: a new kind of operand brings its rules along."""

from __future__ import annotations

import pytest
from opwright.elements import BY_NAME
from opwright.lang import ir
from opwright.lang.dispatch import Operation
from opwright.lang.schema_reads import Constraint
from opwright.lang.trail import Trail
from opwright.opsets.signatures import signature


def test_a_rule_is_found_by_the_class_and_else_by_the_nearest_base() -> None:
    size: Operation[object, [int], str] = Operation(lambda operand, more: "other")
    size.on(int)(lambda operand, more: f"int {operand + more}")
    size.on(tuple)(lambda operand, more: f"tuple {len(operand) + more}")

    class Named(tuple[int, ...]):
        pass

    assert [size.of(item)(item, 1) for item in (2, (3, 4), Named((5,)), "x")] == [
        "int 3",
        "tuple 3",
        "tuple 2",
        "other",
    ]


def test_a_new_kind_of_operand_registers_its_own_rule() -> None:
    described: Operation[object, [], str] = Operation(lambda operand: "something")

    class Late:
        pass

    assert described.of(Late())(Late()) == "something"

    class Later:
        pass

    described.on(Later)(lambda operand: "something later")
    assert described.of(Later())(Later()) == "something later"


FLOAT, INT64 = BY_NAME["float"], BY_NAME["int64"]
TENSOR = ir.TensorType(FLOAT, (2, "N"))
NUMBER = ir.NumberType(ir.NumberKind.INT)


@pytest.mark.parametrize("holder", [ir.SequenceType, ir.OptionalType, lambda item: ir.MapType(INT64, item)])
def test_holders_are_the_same_where_their_items_are(holder: type[ir.SequenceType]) -> None:
    assert holder(TENSOR).same_as(holder(ir.TensorType(FLOAT)))
    assert not holder(TENSOR).same_as(holder(ir.TensorType(INT64)))
    assert not holder(TENSOR).same_as(TENSOR)
    assert not TENSOR.same_as(holder(TENSOR))


def test_holders_of_different_kinds_never_unify() -> None:
    trail = Trail()
    holders = [ir.SequenceType(TENSOR), ir.OptionalType(TENSOR), ir.MapType(INT64, TENSOR), ir.MapType(FLOAT, TENSOR)]
    for index, one in enumerate(holders):
        for place, other in enumerate(holders):
            assert one.unify(other, trail) is (index == place)


def test_a_number_unifies_with_the_tensor_that_carries_it() -> None:
    trail = Trail()
    assert NUMBER.unify(ir.TensorType(INT64, ()), trail)
    assert ir.TensorType(INT64).unify(NUMBER, trail)
    assert not NUMBER.unify(TENSOR, trail)
    assert not NUMBER.unify(ir.UnknownType(), trail)
    assert not ir.UnknownType().unify(NUMBER, trail)
    assert ir.UnknownType().unify(TENSOR, trail)


def test_what_a_join_says_holds_on_both_sides() -> None:
    assert repr(TENSOR.joined(ir.TensorType(FLOAT, (2, 3)))) == "float[2, ?]"
    assert repr(TENSOR.joined(ir.TensorType(FLOAT, (2,)))) == "float[...]"


def test_an_operator_narrows_what_a_holder_holds() -> None:
    trail = Trail()
    variable = ir.TypeVariable("T", FLOAT.mask | INT64.mask)
    held = ir.SequenceType(ir.TensorType(variable))
    found = signature("", "Identity", 14)
    assert found is not None
    assert held.restrict(Constraint(found, "seq(tensor(float))"), trail)
    assert ir.known_element(variable) is FLOAT
    assert held.restrict(Constraint(found, "V"), trail)
    assert not held.restrict(Constraint(found, "seq(tensor(int64))"), trail)
    assert not held.restrict(Constraint(found, "tensor(float)"), trail)
