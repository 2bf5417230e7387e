"""Which body a case asks for, by presence, type and attribute."""

from typing import Any

import numpy as np
from opwright.bundle.format import AttributeEntry, InputEntry
from opwright_build.verify.run.case_bodies import bodies_for, refused_types

BODY = "(i0) => (o0) { o0 = Identity(i0) }"
ONE = np.zeros(1, np.float32)


def labels(entry: Any, case: Any) -> list[tuple[tuple[str, str], ...]]:
    return [body.variant for body in bodies_for(entry, case)]


def test_every_class_of_opsets_of_the_variant_is_meant(library: Any, make_case: Any) -> None:
    with_b, without_b = (("B", "present"),), (("B", "absent"),)
    entry = library.add(
        "F",
        (BODY, 13, 17, without_b, ("X",)),
        ("(i0, i1) => (o0) { o0 = Add(i0, i1) }", 13, 17, with_b, ("X", "B")),
        (BODY, 18, 22, without_b, ("X",)),
        inputs=(InputEntry("X", "T"), InputEntry("B", "T", optional=True)),
    )
    for inputs in ([ONE], [ONE, None]):
        found = bodies_for(entry, make_case(entry, inputs, ONE))
        assert [(body.first_opset, body.variant) for body in found] == [(13, without_b), (18, without_b)]
    assert labels(entry, make_case(entry, [ONE, ONE], ONE)) == [with_b]


def test_bodies_are_for_other_ranks_than_those_of_longer_ranges(library: Any, make_case: Any) -> None:
    of_one, of_others = (("X.rank", "1"),), (("X.rank", "other"),)
    entry = library.add(
        "F",
        (BODY, 13, 20, of_one, ("X",)),
        (BODY, 13, 17, of_others, ("X",)),
        (BODY, 18, 20, of_others, ("X",)),
    )
    assert labels(entry, make_case(entry, [ONE], ONE)) == [of_one]
    assert labels(entry, make_case(entry, [ONE[None]], ONE)) == [of_others, of_others]


def test_a_rank_of_its_own_is_no_other_one_in_a_wider_class_of_opsets_either(library: Any, make_case: Any) -> None:
    of_one, of_others = (("X.rank", "1"),), (("X.rank", "other"),)
    entry = library.add(
        "F",
        (BODY, 13, 17, of_one, ("X",)),
        ("(i0) => (o0) { o0 = Neg(i0) }", 18, 22, of_one, ("X",)),
        ("(i0) => (o0) { o0 = Abs(i0) }", 13, 22, of_others, ("X",)),
    )
    found = bodies_for(entry, make_case(entry, [ONE], ONE))
    assert [(body.first_opset, body.variant) for body in found] == [(13, of_one), (18, of_one)]
    matrix = np.zeros((1, 1), np.float32)
    assert labels(entry, make_case(entry, [matrix], matrix)) == [of_others]


def test_element_types_and_attributes_are_axes_too(library: Any, make_case: Any) -> None:
    entry = library.add(
        "F",
        (BODY, 13, 17, (("T", "float"), ("mode", "a")), ("X",)),
        (BODY, 13, 17, (("T", "double"), ("mode", "a")), ("X",)),
        (BODY, 13, 17, (("T", "float"), ("mode", "b")), ("X",)),
        attributes=(AttributeEntry("mode", "STRING", False, "a"),),
    )
    assert labels(entry, make_case(entry, [ONE], ONE)) == [(("T", "float"), ("mode", "a"))]
    assert labels(entry, make_case(entry, [ONE], ONE, type="double")) == [(("T", "double"), ("mode", "a"))]
    assert labels(entry, make_case(entry, [ONE], ONE, attributes={"mode": "b"})) == [(("T", "float"), ("mode", "b"))]
    assert labels(entry, make_case(entry, [ONE], ONE, type="double", attributes={"mode": "b"})) == []


def test_an_attribute_without_default_is_asked_for_its_presence(library: Any, make_case: Any) -> None:
    entry = library.add(
        "F",
        (BODY, 13, 17, (("axis", "absent"),), ("X",)),
        (BODY, 13, 17, (("axis", "present"),), ("X",)),
        attributes=(AttributeEntry("axis", "INT", False),),
    )
    assert labels(entry, make_case(entry, [ONE], ONE)) == [(("axis", "absent"),)]
    assert labels(entry, make_case(entry, [ONE], ONE, attributes={"axis": 0})) == [(("axis", "present"),)]


def test_an_optional_input_of_any_type_is_asked_for_its_presence_or_its_type(library: Any, make_case: Any) -> None:
    inputs = (InputEntry("X", "T"), InputEntry("B", "any", optional=True))
    absent, present, ints = (("B", "absent"),), (("B", "present"),), (("B", "int64"),)
    whole = np.zeros(1, np.int64)
    entry = library.add("F", (BODY, 13, 17, absent, ("X",)), (BODY, 13, 17, present, ("X", "B")), inputs=inputs)
    assert labels(entry, make_case(entry, [ONE], ONE)) == [absent]
    assert labels(entry, make_case(entry, [ONE, whole], ONE)) == [present]
    entry = library.add("G", (BODY, 13, 17, ints, ("X", "B")), inputs=inputs)
    assert labels(entry, make_case(entry, [ONE, whole], ONE)) == [ints]
    assert labels(entry, make_case(entry, [ONE, ONE], ONE)) == []


def test_types_that_the_operators_refuse_are_named(library: Any, make_case: Any) -> None:
    entry = library.add("F", (BODY, 13, 17), types=("float", "bfloat16"), admits=("float",))
    assert refused_types(entry.bodies[0], make_case(entry, [ONE], ONE)) == ""
    assert refused_types(entry.bodies[0], make_case(entry, [ONE], ONE, type="bfloat16")) == "T=bfloat16"
