"""Rows with sequences, and with inputs and outputs of which there are several."""

from __future__ import annotations

import numpy as np
import pytest
from opwright.bundle.format import FunctionEntry, InputEntry, OutputEntry
from opwright_build.spec.vectors_file import read_vectors_file
from opwright_build.verify.case_model import Expected, ExpectedItems, Items
from opwright_build.verify.cases.rows import ExpandedRows, expand_rows
from opwright_build.verify.items import type_of, type_of_answer

TYPES = (("T", ("float", "int8")),)
ONE = FunctionEntry(
    "com.acme",
    "F",
    1,
    "",
    "",
    False,
    (InputEntry("xs", "seq(T)"), InputEntry("x", "T", optional=True)),
    (OutputEntry("ys", "seq(T)"),),
    (),
    TYPES,
    (),
)
MANY = FunctionEntry(
    "com.acme",
    "F",
    1,
    "",
    "",
    False,
    (InputEntry("x", "T"), InputEntry("more", "any", variadic=True)),
    (OutputEntry("ys", "seq(any)", variadic=True),),
    (),
    TYPES,
    (),
)


def expand(row: str, entry: FunctionEntry) -> ExpandedRows:
    read = read_vectors_file(f"schema: 1\nrows:\n  - {{name: r, {row}}}\n".encode(), "vectors.yaml")
    assert read.diagnostics == ()
    return expand_rows(read.rows, entry, {name: frozenset(admitted) for name, admitted in entry.types})


def refused(row: str, entry: FunctionEntry) -> str:
    (found,) = expand(row, entry).diagnostics
    return f"{found.code}: {found.message}"


def test_a_sequence_is_of_each_declared_type() -> None:
    expanded = expand("inputs: {xs: {sequence: [1, [2, 3]]}}, outputs: {ys: {sequence: []}}", ONE)
    assert [row.name for row in expanded.rows] == ["r[T=float]", "r[T=int8]"]
    for row in expanded.rows:
        items, absent = row.inputs
        assert isinstance(items, Items)
        assert (type_of(items), absent) == (f"seq({row.bindings['T']})", None)
        assert [array.tolist() for array in items.arrays] == [1, [2, 3]]
        assert row.stored == (ExpectedItems(row.bindings["T"], ()),)


def test_the_items_may_be_in_the_long_forms_and_state_their_type_together() -> None:
    items = "[{shape: [0, 2]}, {distribution: uniform, shape: [3], seed: 1}]"
    expanded = expand(f"inputs: {{xs: {{sequence: {items}, type: float}}}}, outputs: {{ys: {{sequence: [0.1]}}}}", ONE)
    (row,) = expanded.rows
    (given, _), (answer,) = row.inputs, row.stored or ()
    assert isinstance(given, Items)
    assert [array.shape for array in given.arrays] == [(0, 2), (3,)]
    assert isinstance(answer, ExpectedItems)
    (item,) = answer.items
    assert (item.array, item.exact) == (np.float32(0.1), 0.1), "what it was before rounding is known"


def test_an_item_that_a_type_cannot_hold() -> None:
    expanded = expand("inputs: {xs: {sequence: [1, 300]}}, outputs: {ys: {sequence: [1, 300]}}", ONE)
    assert [row.name for row in expanded.rows] == ["r[T=float]"]
    assert [item.reason for item in expanded.skipped] == ["inputs.xs: 300 is out of the range of int8"]


def test_variadic_inputs_and_outputs_stand_for_as_many_as_are_given() -> None:
    more = "{variadic: [1, {value: [a], type: string}, {sequence: [[2]], type: int64}, {sequence: [3]}]}"
    outputs = "{variadic: [{sequence: [1]}, {sequence: [], type: bool}]}"
    row = expand(f"inputs: {{x: 0, more: {more}}}, outputs: {{ys: {outputs}}}", MANY).rows[1]
    given = [type_of(value) for value in row.inputs if value is not None]
    assert given == ["int8", "int8", "string", "seq(int64)", "seq(int8)"], "of T where it is not said"
    assert [type_of_answer(answer) for answer in row.stored or ()] == ["seq(int8)", "seq(bool)"]


@pytest.mark.parametrize("more", ["", ", more: null", ", more: {variadic: []}"])
def test_a_variadic_input_that_is_not_given_is_none(more: str) -> None:
    row = expand(f"inputs: {{x: 0{more}}}, outputs: {{ys: {{variadic: []}}}}", MANY).rows[0]
    assert (len(row.inputs), row.stored) == (1, ())


def test_a_variadic_input_may_be_given_alone() -> None:
    row = expand("inputs: {x: 0, more: 1}, outputs: {ys: {sequence: []}}", MANY).rows[0]
    assert len(row.inputs) == 2
    assert row.stored == (ExpectedItems("float", ()),)
    assert not any(isinstance(answer, Expected) for answer in row.stored or ())


@pytest.mark.parametrize(
    ("row", "entry", "message"),
    [
        ("inputs: {xs: [1]}", ONE, "OW408: `xs` is seq(T), a sequence"),
        ("inputs: {xs: {sequence: []}, x: {sequence: []}}", ONE, "OW408: `x` is T, and no sequence"),
        ("inputs: {xs: {sequence: []}}, outputs: {ys: [1]}", ONE, "OW408: `ys` is seq(T), a sequence"),
        (
            "inputs: {xs: {variadic: [{sequence: []}]}}",
            ONE,
            "OW405: com.acme::F@1 has one `xs`, and the row gives `variadic` ones",
        ),
        ("inputs: {xs: {sequence: [], type: double}}", ONE, "OW408: `T` does not declare double"),
        (
            "inputs: {xs: {sequence: []}}, outputs: {ys: {sequence: [], type: string}}",
            ONE,
            "OW408: `T` does not declare string",
        ),
        (
            "inputs: {xs: {sequence: [], type: float}, x: {value: 1, type: int8}}",
            ONE,
            "OW408: `T` is int8 here, but float elsewhere in the row",
        ),
        ("types: {T: [int8]}, inputs: {xs: {sequence: [0.5]}}", ONE, "OW404: inputs.xs: 0.5 is no int8 (in `r`)"),
        (
            "inputs: {x: 0, more: {value: a, type: int8}}, types: {T: [float]}",
            MANY,
            "OW404: inputs.more: 'a' is no number (in `r`)",
        ),
    ],
)
def test_what_does_not_fit(row: str, entry: FunctionEntry, message: str) -> None:
    assert refused(row, entry) == message


def test_any_type_without_a_type_of_the_row() -> None:
    entry = FunctionEntry("com.acme", "F", 1, "", "", False, (InputEntry("x", "any"),), (), (), (), ())
    assert refused("inputs: {x: 1}", entry) == "OW406: `x` may be of any type, and the row does not say which"
    (row,) = expand("inputs: {x: {value: 1, type: uint8}}", entry).rows
    assert [type_of(value) for value in row.inputs if value is not None] == ["uint8"]


def test_many_items_cost_as_much_as_many_elements() -> None:
    items = ", ".join(["{shape: [4096, 1024]}"] * 4)
    assert refused(f"inputs: {{xs: {{sequence: [{items}]}}}}", ONE).startswith("OW422")


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ("{sequence: 1}", "OW108"),
        ("{sequence: [{value: 1, type: float}]}", "OW109"),
        ("{sequence: [null]}", "OW108"),
        ("{sequence: [{sequence: []}]}", "OW107"),
        ("{sequence: [], type: real}", "OW122"),
        ("{variadic: {}}", "OW108"),
        ("{variadic: [{variadic: []}]}", "OW107"),
        ("{variadic: [], type: float}", "OW106"),
        ("{sequence: [{distribution: cauchy}]}", "OW109"),
    ],
)
def test_forms_that_are_none(value: str, code: str) -> None:
    read = read_vectors_file(f"schema: 1\nrows:\n  - name: r\n    inputs: {{x: {value}}}\n".encode(), "vectors.yaml")
    assert [item.code for item in read.diagnostics][:1] == [code], [item.message for item in read.diagnostics]
    assert read.diagnostics[0].place is not None
    assert read.diagnostics[0].place.line == 4
