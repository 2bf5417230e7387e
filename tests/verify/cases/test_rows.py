from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from opwright.bundle.format import AttributeEntry, FunctionEntry, InputEntry, OutputEntry
from opwright.elements import element
from opwright_build.spec.vectors_file import RandomOutput, VectorRow, read_vectors_file
from opwright_build.verify.case_model import Expected
from opwright_build.verify.cases import generated
from opwright_build.verify.cases.rows import ExpandedRows, TypedRow, expand_rows

from tests.work import calls_of

CALLS = 20_000  # of 3^30 choices of types none is made
ALL = ("float16", "float", "int8", "int32", "uint8")


def rows(text: str) -> tuple[VectorRow, ...]:
    read = read_vectors_file(("schema: 1\nrows:\n" + text).encode(), "specs/com.acme/F/vectors.yaml")
    assert read.diagnostics == ()
    return read.rows


def function(
    *,
    inputs: tuple[InputEntry, ...] = (InputEntry("X", "T"),),
    outputs: tuple[OutputEntry, ...] = (OutputEntry("Y", "T"),),
    attributes: tuple[AttributeEntry, ...] = (),
    types: tuple[tuple[str, tuple[str, ...]], ...] = (("T", ALL),),
    since_version: int = 1,
) -> FunctionEntry:
    return FunctionEntry("com.acme", "F", since_version, "", "", False, inputs, outputs, attributes, types, ())


def expand(text: str, entry: FunctionEntry, elsewhere: Mapping[str, frozenset[str]] | None = None) -> ExpandedRows:
    declared = {name: frozenset(admitted) for name, admitted in entry.types}
    return expand_rows(rows(text), entry, {**declared, **(elsewhere or {})})


def names(expanded: ExpandedRows) -> list[str]:
    return [row.name for row in expanded.rows]


def codes(text: str, entry: FunctionEntry) -> list[tuple[str, int]]:
    """The findings: their codes and lines."""
    return [(item.code, item.place.line if item.place else 0) for item in expand(text, entry).diagnostics]


def first(text: str, entry: FunctionEntry) -> TypedRow:
    expanded = expand(text, entry)
    assert expanded.diagnostics == []
    return expanded.rows[0]


def test_every_declared_type() -> None:
    expanded = expand("  - {name: ones, inputs: {X: [1, 2]}}\n", function())
    assert names(expanded) == [f"ones[T={name}]" for name in ALL]
    assert [row.inputs[0].dtype.name for row in expanded.rows if row.inputs[0] is not None] == [
        "float16",
        "float32",
        "int8",
        "int32",
        "uint8",
    ]
    assert expanded.skipped == []


def test_types_that_cannot_hold_the_values_are_skipped_with_the_reason() -> None:
    expanded = expand("  - {name: wide, inputs: {X: [300, -1]}}\n", function())
    assert names(expanded) == ["wide[T=float16]", "wide[T=float]", "wide[T=int32]"]
    assert [(item.name, item.reason) for item in expanded.skipped] == [
        ("wide[T=int8]", "inputs.X: 300 is out of the range of int8"),
        ("wide[T=uint8]", "inputs.X: 300 is out of the range of uint8"),
    ]
    expanded = expand("  - {name: half, inputs: {X: [0.5, nan]}}\n", function())
    assert names(expanded) == ["half[T=float16]", "half[T=float]"]
    assert expanded.skipped[0].reason == "inputs.X: 0.5 is no int8"


def test_a_named_type_must_hold_the_values() -> None:
    text = "  - name: half\n    types: {T: [float, int8]}\n    inputs: {X: [0.5]}\n"
    expanded = expand(text, function())
    assert names(expanded) == ["half[T=float]"]
    (finding,) = expanded.diagnostics
    assert (finding.code, finding.place and finding.place.line) == ("OW404", 5)
    assert "0.5 is no int8" in finding.message


def test_large_values_become_infinite_by_rounding_alone() -> None:
    row = first("  - {name: r, inputs: {X: [65519.9, 65520, 1.0e30, -1e999]}}\n", function())
    assert row.inputs[0] is not None
    assert row.inputs[0].astype(np.float64).tolist() == [65504.0, np.inf, np.inf, -np.inf]


def test_complex_types_hold_numbers_and_text() -> None:
    entry = function(types=(("T", ("complex64", "complex128")),))
    row = first("  - {name: r, inputs: {X: [1-2j, 1.0e-50+nanj, 1.0e50j]}}\n", entry)
    (array,) = row.inputs
    assert array is not None
    assert (row.name, array.dtype.name) == ("r[T=complex64]", "complex64")
    assert [repr(complex(value)) for value in array] == ["(1-2j)", "nanj", "infj"]
    (numbers,) = first("  - {name: r, inputs: {X: [1, -0.5]}}\n", entry).inputs
    assert numbers is not None
    assert numbers.tolist() == [1, -0.5]
    wrong = expand("  - {name: r, types: {T: [complex128]}, inputs: {X: [1-2j, a]}}\n", entry)
    assert [item.message for item in wrong.diagnostics] == ["inputs.X: 'a' is no complex number (in `r`)"]
    assert expand("  - {name: r, inputs: {X: [true]}}\n", entry).skipped[0].reason == "inputs.X: true is no number"


def test_a_row_that_no_type_can_hold() -> None:
    integral = function(types=(("T", ("int8", "uint8")),))
    assert codes("  - {name: r, inputs: {X: [0.5]}}\n", integral) == [("OW414", 3)]


def test_versions() -> None:
    text = "  - {name: a, versions: [2], inputs: {X: 1}}\n  - {name: b, inputs: {X: 1}}\n"
    assert {row.row.name for row in expand(text, function(since_version=1)).rows} == {"b"}
    assert {row.row.name for row in expand(text, function(since_version=2)).rows} == {"a", "b"}


def test_a_type_of_another_version_is_skipped() -> None:
    text = "  - {name: r, types: {T: [float, bfloat16]}, inputs: {X: 1}}\n"
    expanded = expand(text, function(), {"T": frozenset([*ALL, "bfloat16"])})
    assert names(expanded) == ["r[T=float]"]
    assert [item.reason for item in expanded.skipped] == ["this version does not declare bfloat16"]
    assert expanded.diagnostics == []
    only = expand("  - {name: r, types: {T: [bfloat16]}, inputs: {X: 1}}\n", function(), {"T": frozenset(["bfloat16"])})
    assert (names(only), only.diagnostics) == ([], [])
    assert codes(text, function()) == [("OW408", 3)]


TWO_VARIABLES = function(
    inputs=(InputEntry("X", "T"), InputEntry("axes", "A"), InputEntry("size", "int64", optional=True)),
    types=(("T", ("float", "double", "int32")), ("A", ("int32", "int64"))),
)


def test_only_the_widest_variable_expands() -> None:
    text = "  - {name: r, inputs: {X: [1], axes: [0]}}\n"
    labels = ["T=float,A=int32", "T=double,A=int32", "T=int32,A=int32"]
    assert names(expand(text, TWO_VARIABLES)) == [f"r[{label}]" for label in labels]


def test_named_variables_are_crossed() -> None:
    text = "  - {name: r, types: {T: [float, double], A: [int32, int64]}, inputs: {X: [1], axes: [0]}}\n"
    assert len(expand(text, TWO_VARIABLES).rows) == 4


def test_an_input_may_state_its_type() -> None:
    row = first(
        "  - {name: r, inputs: {X: [1], axes: {value: [0], type: int64}, size: {value: 3, type: int64}}}\n",
        TWO_VARIABLES,
    )
    assert row.bindings == {"T": "float", "A": "int64"}
    assert [array.dtype.name for array in row.inputs if array is not None] == ["float32", "int64", "int64"]
    wrong = "  - {name: r, inputs: {X: [1], axes: [0], size: {value: 3, type: int32}}}\n"
    assert codes(wrong, TWO_VARIABLES) == [("OW408", 3)]
    wrong = "  - {name: r, inputs: {X: [1], axes: {value: [0], type: float}}}\n"
    assert codes(wrong, TWO_VARIABLES) == [("OW408", 3)]
    wrong = "  - {name: r, types: {A: [int32]}, inputs: {X: [1], axes: {value: [0], type: int64}}}\n"
    assert codes(wrong, TWO_VARIABLES) == [("OW408", 3)]


@pytest.mark.parametrize("value", ["{value: [1], type: %s}", "{shape: [1], type: %s}"])
def test_an_output_may_state_its_type(value: str) -> None:
    entry = function(outputs=(OutputEntry("Y", "T"), OutputEntry("count", "int64")))
    row = f"  - {{name: r, %sinputs: {{X: %s}}, outputs: {{Y: {value % '%s'}, count: {value % '%s'}}}}}\n"
    decided = expand(row % ("", "[1]", "int8", "int64"), entry)
    assert (names(decided), decided.diagnostics) == (["r[T=int8]"], [])
    assert [answer.array.dtype.name for answer in decided.rows[0].stored or () if isinstance(answer, Expected)] == [
        "int8",
        "int64",
    ]
    assert codes(row % ("", "[1]", "int64", "int64"), entry) == [("OW408", 3)], "T has no int64"
    assert codes(row % ("", "[1]", "int8", "float"), entry) == [("OW408", 3)], "the count is int64"
    assert codes(row % ("", "{value: [1], type: float}", "int8", "int64"), entry) == [("OW408", 3)]
    assert codes(row % ("types: {T: [float, uint8]}, ", "[1]", "int8", "int64"), entry) == [("OW408", 3)]


def test_an_output_that_states_its_type_decides_the_attribute() -> None:
    row = first("  - {name: r, inputs: {size: 10}, outputs: {Y: {shape: [10], type: int8}}}\n", WINDOW)
    assert (row.bindings["T2"], row.attributes) == ("int8", {"output_datatype": element("int8").code})
    given = "attributes: {output_datatype: 11}, inputs: {size: 10}, outputs: {Y: {shape: [10], type: int8}}"
    assert codes(f"  - {{name: r, {given}}}\n", WINDOW) == [("OW408", 3)]


def test_absent_inputs() -> None:
    row = first("  - {name: r, inputs: {X: [1], axes: [0], size: null}}\n", TWO_VARIABLES)
    assert row.inputs[2] is None
    assert codes("  - {name: r, inputs: {X: [1]}}\n", TWO_VARIABLES) == [("OW406", 3)]
    assert codes("  - {name: r, inputs: {X: [1], axes: null}}\n", TWO_VARIABLES) == [("OW406", 3)]


def test_a_concrete_type_must_hold_the_values() -> None:
    assert codes("  - {name: r, inputs: {X: [1], axes: [0], size: 1.5}}\n", TWO_VARIABLES) == [("OW404", 3)] * 3


def test_unknown_names() -> None:
    values = "    inputs: {X: 1, Z: 1}\n    outputs: {W: 1}\n"
    text = f"  - name: r\n    types: {{U: [float]}}\n    attributes: {{beta: 1}}\n{values}"
    assert sorted(codes(text, function())) == [("OW405", 4), ("OW405", 5), ("OW405", 6), ("OW405", 7)]
    (finding,) = expand("  - {name: r, inputs: {X: 1, x: 2}}\n", function()).diagnostics
    assert finding.help == "Did you mean `X`?"


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("inputs: {Y: 1.5}", [("OW405", "Did you mean `X`?")]),
        ("inputs: {X: 1}, outputs: {Z: 9}", [("OW405", "Did you mean `Y`?")]),
        ("inputs: {X: 1}, outputs: {V: 9, W: 9}", [*[("OW405", "Known here: Y.")] * 2, ("OW406", "")]),
        ("inputs: {}, attributes: {beta: 1}", [("OW405", ""), ("OW406", "")]),
    ],
)
def test_a_wrong_name_is_told_once(row: str, expected: list[tuple[str, str]]) -> None:
    """Not as a name that is missing, too, where it is sure to stand for that."""
    found = expand(f"  - {{name: r, {row}}}\n", function()).diagnostics
    assert sorted((item.code, item.help) for item in found) == expected


WINDOW = function(
    inputs=(InputEntry("size", "T1"),),
    outputs=(OutputEntry("Y", "T2"),),
    attributes=(AttributeEntry("output_datatype", "INT", False, 1), AttributeEntry("periodic", "INT", False, 1)),
    types=(("T1", ("int32", "int64")), ("T2", ("float", "double", "int8"))),
)


def test_an_attribute_decides_the_output_type() -> None:
    expanded = expand("  - {name: r, inputs: {size: 10}}\n", WINDOW)
    assert [(row.bindings["T2"], dict(row.attributes)) for row in expanded.rows] == [
        ("float", {}),
        ("double", {"output_datatype": element("double").code}),
        ("int8", {"output_datatype": element("int8").code}),
    ]


def test_an_attribute_that_is_null_is_left_out() -> None:
    """Then the row says which type that makes."""
    optional = function(
        inputs=(InputEntry("X", "T"),),
        outputs=(OutputEntry("Y", "U"),),
        attributes=(AttributeEntry("dtype", "INT", False),),
        types=(("T", ("float", "double")), ("U", ("float", "double"))),
    )
    rest = "types: {T: [double], U: [double]}, inputs: {X: 1}"
    left_out = first(f"  - {{name: r, attributes: {{dtype: null}}, {rest}}}\n", optional)
    assert (left_out.bindings["U"], dict(left_out.attributes)) == ("double", {})
    assert dict(first(f"  - {{name: r, {rest}}}\n", optional).attributes) == {"dtype": element("double").code}
    required = function(attributes=(AttributeEntry("alpha", "FLOAT", True),))
    assert codes("  - {name: r, attributes: {alpha: null}, inputs: {X: 1}}\n", required) == [("OW406", 3)]


def test_what_is_known_of_random_outputs() -> None:
    (row,) = rows("  - {name: a, inputs: {X: 1}, random: {values: [0, 1], mean: 0.5, within: 0.1}}\n")
    assert row.random == RandomOutput((0.0, 1.0), 0.5, 0.1)
    found = read_vectors_file(b"schema: 1\nrows:\n  - {name: a, random: {mean: 0.5}}\n", "v.yaml").diagnostics
    assert [(item.code, item.message) for item in found] == [
        ("OW109", "`mean` and `within` stand together, or neither")
    ]


def test_an_attribute_for_inner_types_decides_an_output_that_nothing_else_does() -> None:
    stash = (AttributeEntry("stash_type", "INT", False, 1),)
    outputs, types = (
        (OutputEntry("Y", "T"), OutputEntry("Mean", "U")),
        (("T", ("double",)), ("U", ("float", "bfloat16"))),
    )
    layer = function(inputs=(InputEntry("X", "T"),), outputs=outputs, attributes=stash, types=types)
    expanded = expand("  - {name: r, inputs: {X: 1}}\n", layer)
    assert [(row.bindings["U"], dict(row.attributes)) for row in expanded.rows] == [
        ("float", {}),
        ("bfloat16", {"stash_type": element("bfloat16").code}),
    ]
    inner = function(inputs=(InputEntry("X", "T"),), outputs=outputs[:1], attributes=stash, types=types[:1])
    assert [dict(row.attributes) for row in expand("  - {name: r, inputs: {X: 1}}\n", inner).rows] == [{}]


def test_a_row_may_give_that_attribute() -> None:
    expanded = expand("  - {name: r, attributes: {output_datatype: 11}, inputs: {size: 10}}\n", WINDOW)
    assert names(expanded) == ["r[T1=int32,T2=double]"]
    assert expanded.rows[0].attributes == {"output_datatype": 11}
    assert codes("  - {name: r, attributes: {output_datatype: 7}, inputs: {size: 10}}\n", WINDOW) == [("OW408", 3)]
    assert codes("  - {name: r, attributes: {output_datatype: 99}, inputs: {size: 10}}\n", WINDOW) == [("OW408", 3)]
    clash = "  - {name: r, types: {T2: [float]}, attributes: {output_datatype: 11}, inputs: {size: 10}}\n"
    assert codes(clash, WINDOW) == [("OW408", 3)]


ATTRIBUTES = function(
    attributes=(
        AttributeEntry("alpha", "FLOAT", False, 0.5),
        AttributeEntry("axis", "INT", True),
        AttributeEntry("mode", "STRING", False, "a"),
        AttributeEntry("axes", "INTS", False),
        AttributeEntry("scales", "FLOATS", False),
        AttributeEntry("body", "GRAPH", False),
    )
)


def test_attributes() -> None:
    row = first(
        "  - {name: r, attributes: {alpha: 2, axis: true, mode: b, axes: [1, -1], scales: [1, 0.5]}, inputs: {X: 1}}\n",
        ATTRIBUTES,
    )
    assert row.attributes == {"alpha": 2.0, "axis": 1, "mode": "b", "axes": (1, -1), "scales": (1.0, 0.5)}
    assert isinstance(row.attributes["alpha"], float)


@pytest.mark.parametrize(
    "given",
    [
        "{axis: 1.5}",
        "{axis: [1]}",
        "{axis: 9223372036854775808}",
        "{axis: 1, alpha: x}",
        "{axis: 1, alpha: true}",
        "{axis: 1, alpha: 1.0e300}",
        "{axis: 1, alpha: 1" + "0" * 390 + "}",
        "{axis: 1, mode: 3}",
        "{axis: 1, axes: 1}",
        "{axis: 1, axes: [[1]]}",
        "{axis: 1, body: x}",
    ],
)
def test_wrong_attributes(given: str) -> None:
    assert codes(f"  - {{name: r, attributes: {given}, inputs: {{X: 1}}}}\n", ATTRIBUTES) == [("OW407", 3)]


def test_a_required_attribute() -> None:
    assert codes("  - {name: r, inputs: {X: 1}}\n", ATTRIBUTES) == [("OW406", 3)]


def test_stored_outputs_are_rounded_once_and_kept_exact() -> None:
    expanded = expand("  - {name: r, inputs: {X: 1.5}, outputs: {Y: [0.1, nan]}}\n", function())
    assert names(expanded) == ["r[T=float16]", "r[T=float]"]
    for row, dtype in zip(expanded.rows, (np.float16, np.float32), strict=True):
        assert row.stored is not None
        (answer,) = row.stored
        assert isinstance(answer, Expected)
        array, exact = answer.array, answer.exact
        assert exact is not None
        assert array[0] == dtype(0.1)
        assert exact[0] == 0.1
    integral = first("  - {name: r, types: {T: [int8]}, inputs: {X: 1}, outputs: {Y: 3}}\n", function()).stored
    assert integral == (Expected(np.array(3, np.int8)),)


def test_booleans_and_text() -> None:
    entry = function(types=(("T", ("bool", "string", "float")),))
    assert names(expand("  - {name: r, inputs: {X: [true, false]}}\n", entry)) == ["r[T=bool]"]
    expanded = expand("  - {name: r, inputs: {X: [a, b]}}\n", entry)
    assert names(expanded) == ["r[T=string]"]
    assert expanded.rows[0].inputs[0].tolist() == ["a", "b"]  # type: ignore[union-attr]
    assert {item.reason for item in expanded.skipped} == {
        "inputs.X: 'a' is neither true nor false",
        "inputs.X: 'a' is no number",
    }


def test_zeros_and_empty_tensors() -> None:
    entry = function(types=(("T", ("float", "bool", "string", "int4")),))
    expanded = expand("  - {name: r, inputs: {X: {shape: [0, 3]}}}\n  - {name: z, inputs: {X: {shape: []}}}\n", entry)
    shapes = [row.inputs[0].shape for row in expanded.rows if row.inputs[0] is not None]
    assert shapes == [(0, 3)] * 4 + [()] * 4
    assert [str(row.inputs[0]) for row in expanded.rows[4:]] == ["0.0", "False", "", "0"]


def test_generated_values() -> None:
    text = "  - {name: r, inputs: {X: {distribution: normal, shape: [2, 3], seed: 7, mean: 1, std: 3}}}\n"
    expanded = expand(text, function())
    assert names(expanded) == ["r[T=float16]", "r[T=float]"]
    exact = generated.normal([2, 3], 7, 1.0, 3.0)
    assert np.array_equal(expanded.rows[1].inputs[0], exact.astype(np.float32))  # type: ignore[arg-type]
    assert "fractions" in expanded.skipped[0].reason
    text = "  - {name: r, inputs: {X: {distribution: integers, shape: [50], seed: 7, low: -3, high: 3}}}\n"
    expanded = expand(text, function())
    assert names(expanded) == [f"r[T={name}]" for name in ALL if name != "uint8"]
    assert len({tuple(np.asarray(row.inputs[0]).astype(float)) for row in expanded.rows}) == 1
    text = "  - {name: r, inputs: {X: {distribution: choice, shape: [50], seed: 7, values: [a, b, c]}}}\n"
    expanded = expand(text, function(types=(("T", ("string", "float")),)))
    assert set(expanded.rows[0].inputs[0].tolist()) == {"a", "b", "c"}  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "tensor", ["{distribution: normal, shape: [2000, 2000], seed: 7}", "{shape: [0, 10000000, 10000000, 10000000]}"]
)
def test_a_tensor_that_is_too_large(tensor: str) -> None:
    (finding,) = expand(f"  - {{name: r, types: {{T: [float]}}, inputs: {{X: {tensor}}}}}\n", function()).diagnostics
    assert (finding.code, "at most" in finding.message) == ("OW404", True)


def test_rows_that_stand_for_too_much() -> None:
    types = tuple((f"T{number}", ("float", "double", "float16", "bfloat16")) for number in range(30))
    entry = function(types=(("T", ("float",)), *types))
    named = ", ".join(f"{name}: [float, double, float16]" for name, _ in types)
    found: list[list[tuple[str, int]]] = []
    row = f"  - {{name: r, types: {{{named}}}, inputs: {{X: 1}}}}\n"
    assert calls_of(lambda: found.append(codes(row, entry))) < CALLS
    assert found == [[("OW422", 3)]]
    rows = "".join(f"  - {{name: r{number}, inputs: {{X: {{shape: [1000000]}}}}}}\n" for number in range(30))
    assert codes(rows, function(types=(("T", ("float",)),))) == [("OW422", line) for line in range(19, 33)]


def test_a_function_without_type_variables() -> None:
    entry = function(inputs=(InputEntry("X", "int64"),), outputs=(OutputEntry("Y", "float"),), types=())
    expanded = expand("  - {name: r, inputs: {X: 1}, outputs: {Y: 0.5}}\n", entry)
    assert names(expanded) == ["r"]
    assert expanded.rows[0].inputs[0].dtype == np.int64  # type: ignore[union-attr]


def test_one_declared_type_needs_no_label() -> None:
    entry = function(types=(("T", ("float",)),))
    assert names(expand("  - {name: r, inputs: {X: 1}}\n", entry)) == ["r"]


def test_integers_are_read_exactly() -> None:
    entry = function(types=(("T", ("int64", "uint64", "double")),))
    expanded = expand("  - {name: r, inputs: {X: [9007199254740993]}}\n", entry)
    assert [row.inputs[0].tolist() for row in expanded.rows] == [  # type: ignore[union-attr]
        [9007199254740993],
        [9007199254740993],
        [9007199254740992.0],
    ]


def test_an_attribute_of_few_values_takes_no_other() -> None:
    """Else a reference or a runtime would be blamed for what the row says."""
    mode = AttributeEntry("mode", "STRING", required=False, default="sum", choices=("sum", "mean"))
    entry = function(attributes=(mode,))
    text = "  - {{name: ones, inputs: {{X: [1]}}, attributes: {{mode: {}}}}}\n"
    assert codes(text.format("mean"), entry) == []
    (found,) = expand(text.format("meen"), entry).diagnostics
    assert "the attribute `mode` is one of 'sum', 'mean'" in f"{found.message} {found.reason}"
