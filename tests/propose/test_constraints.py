"""The types of an interface in the words of schemas."""

from __future__ import annotations

import onnx.defs
from opwright.bundle.format import FunctionEntry, InputEntry, OutputEntry
from opwright_build.propose.constraints import SchemaTypes, schema_types

Declared = tuple[tuple[str, str], ...]


def types_of(inputs: Declared, outputs: Declared, *variables: tuple[str, tuple[str, ...]]) -> SchemaTypes:
    given = tuple(InputEntry(name, kind) for name, kind in inputs)
    results = tuple(OutputEntry(name, kind) for name, kind in outputs)
    return schema_types(FunctionEntry("com.acme", "F", 1, "", "", False, given, results, (), variables, ()))


def test_tensors() -> None:
    found = types_of((("a", "T"), ("b", "T"), ("n", "int64")), (("y", "T"),), ("T", ("float", "bool")))
    assert found.names == {"T": "T", "int64": "tensor(int64)"}
    (constraint,) = found.constraints
    assert (constraint.name, constraint.types) == ("T", ("tensor(float)", "tensor(bool)"))
    assert constraint.doc == "Element types of a, b and y."


def test_a_tensor_and_a_sequence_of_one_variable_are_two_constraints() -> None:
    found = types_of((("xs", "seq(T)"), ("x", "T")), (("ys", "seq(T)"), ("n", "seq(int64)")), ("T", ("float",)))
    assert found.names == {"T": "T", "seq(T)": "S", "seq(int64)": "seq(tensor(int64))"}
    assert [(item.name, item.types, item.doc) for item in found.constraints] == [
        ("T", ("tensor(float)",), "Element types of x."),
        ("S", ("seq(tensor(float))",), "Types of xs and ys."),
    ]


def test_names_that_are_taken() -> None:
    variables = (("S", ("float",)), ("V", ("int8",)))
    found = types_of((("xs", "seq(S)"), ("x", "S"), ("v", "V"), ("w", "any")), (), *variables)
    assert found.names == {"S": "S", "V": "V", "seq(S)": "S1", "any": "V1"}
    assert found.constraints[-1].types == ("tensor(float)", "tensor(int8)", "seq(tensor(float))", "seq(tensor(int8))")


def test_of_any_type_are_all_where_nothing_is_declared() -> None:
    (constraint,) = types_of((("x", "any"),), ()).constraints
    assert {"tensor(uint2)", "seq(tensor(string))"} <= set(constraint.types)


def test_sequence_map_has_the_constraints_of_the_standard() -> None:
    schema = onnx.defs.get_schema("SequenceMap", 17, "")
    standard = {item.type_param_str: list(item.allowed_type_strs) for item in schema.type_constraints}
    kinds = tuple(text.removeprefix("seq(tensor(").removesuffix("))") for text in standard["S"])
    found = types_of((("xs", "seq(T)"), ("more", "any")), (("ys", "seq(any)"),), ("T", kinds))
    types = {item.name: item.types for item in found.constraints}
    by_type = {text: types[name] for text, name in found.names.items()}
    assert by_type == {
        "seq(T)": tuple(standard["S"]),
        "any": tuple(standard["V"]),
        "seq(any)": tuple(standard["S"]),
    }
