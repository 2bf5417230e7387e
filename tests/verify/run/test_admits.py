"""The types that bodies take, as onnx finds them, against what an index says."""

from dataclasses import replace
from typing import Any

import pytest
from opwright.bundle.format import AttributeEntry, InputEntry, OutputEntry
from opwright.elements import BY_NAME
from opwright_build.verify.run.admits import AdmissionMismatchError, admissions, disagreements, require_agreement

FLOATS = ("float", "float16", "double", "bfloat16")


def test_a_body_takes_what_its_operators_take(library: Any) -> None:
    library.add("F", ("(i0) => (o0) { h = Exp(i0) o0 = Abs(h) }", 13, 22), types=FLOATS)
    library.add("G", ("(i0) => (o0) { o0 = Identity(i0) }", 13, 13), types=tuple(BY_NAME), admits=("float", "string"))
    exp, same = admissions(library.bundle())
    assert exp.found == FLOATS
    assert set(same.found) == {
        kind for kind, entry in BY_NAME.items() if (entry.bits >= 8 and entry.code <= 16) or kind == "string"
    }
    assert same.index == ("float", "string")
    assert disagreements([exp]) == []
    require_agreement([exp])


@pytest.mark.parametrize(
    ("types", "admits", "said"),
    [
        (("float", "int64"), ("float", "int64"), "T: the index admits int64, onnx refuses them"),
        (("float", "double"), ("float",), "T: the index leaves out double, onnx accepts them"),
        (("float", "int64"), ("float",), None),
        (("float",), ("float", "double"), None),
    ],
)
def test_an_index_that_says_something_else_is_a_bug(library: Any, types: Any, admits: Any, said: str | None) -> None:
    library.add("F", ("(i0) => (o0) { o0 = Exp(i0) }", 13, 22), types=types, admits=admits)
    found = admissions(library.bundle())
    if said is None:
        require_agreement(found)
    else:
        with pytest.raises(AdmissionMismatchError, match=said):
            require_agreement(found)


def test_an_output_of_another_type_is_a_bug(library: Any) -> None:
    library.add("F", ("(i0) => (o0) { o0 = IsNaN(i0) }", 13, 18), types=("float", "double"))
    assert disagreements(admissions(library.bundle())) == [
        "com.acme::F@1, opsets 13 to 18, T: with float, double an output has another type than declared"
    ]


def test_each_variable_is_free_in_its_turn_and_fixed_types_stay(library: Any) -> None:
    entry = library.add(
        "F",
        ("<a0>(i0, i1, i2) => (o0) { h = ReduceSum<keepdims: int = @a0>(i1, i2) o0 = CastLike(i0, h) }", 18, 18),
        inputs=(InputEntry("A", "T1"), InputEntry("B", "T2"), InputEntry("axes", "int64")),
        attributes=(AttributeEntry("keep", "INT", True),),
    )
    types = (("T1", tuple(BY_NAME)), ("T2", tuple(BY_NAME)))
    (body,) = entry.bodies
    admits = (("T1", ("bool", "float")), ("T2", ("float", "int64")))
    library.functions[-1] = replace(
        entry, types=types, outputs=(OutputEntry("Y", "T2"),), bodies=(replace(body, admits=admits),)
    )
    first, second = admissions(library.bundle())
    assert first.variable == "T1"
    assert {"bool", "float", "string", "bfloat16"} <= set(first.found)
    assert second.variable == "T2"
    assert set(second.found) == {"float", "double", "float16", "bfloat16", "int32", "int64", "uint32", "uint64"}
    assert first.wrong_output == second.wrong_output == ()


def test_a_body_is_asked_about_declared_and_listed_types_alone(library: Any) -> None:
    library.add("F", ("(i0) => (o0) { o0 = Identity(i0) }", 13, 13), types=("float",), admits=("float", "int8"))
    (found,) = admissions(library.bundle())
    assert found.found == ("float", "int8")


def test_equal_bodies_are_judged_by_the_operators_of_their_own_opsets(library: Any) -> None:
    text = "(i0) => (o0) { o0 = Relu(i0) }"
    library.add("F", (text, 13, 13), (text, 14, 14), types=("float", "int32"), admits=("float",))
    older, newer = admissions(library.bundle())
    assert (older.found, newer.found) == (("float",), ("float", "int32"))


def test_a_variant_is_asked_for_its_own_type_alone(library: Any) -> None:
    library.add(
        "F", ("(i0) => (o0) { o0 = Identity(i0) }", 13, 18, (("T", "double"),), ("X",)), types=("float", "double")
    )
    (found,) = admissions(library.bundle())
    assert found.found == ("double",)


def test_an_optional_input_of_any_type_has_one_where_it_is_present(library: Any) -> None:
    library.add(
        "F",
        ("(i0, i1) => (o0) { h = CastLike(i1, i0) o0 = Add(i0, h) }", 14, 18, (("B", "present"),), ("A", "B")),
        inputs=(InputEntry("A", "T"), InputEntry("B", "any", optional=True)),
        types=("float", "double"),
    )
    (found,) = admissions(library.bundle())
    assert found.found == ("float", "double")
