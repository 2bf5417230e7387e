"""The index as JSON: there and back, in one form only, and no surprise from what strangers write."""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from opwright.bundle.format import FunctionEntry, Index, InputEntry, OutputEntry
from opwright.bundle.json_form import (
    MalformedError,
    MemberRef,
    canonical_json,
    function_from_json,
    function_to_json,
    functions_from_json,
    library_from_json,
    library_to_json,
    members_from_json,
    parse_json,
)


def index_to_json(index: Index) -> dict[str, Any]:
    return library_to_json(index) | {"functions": [function_to_json(entry) for entry in index.functions]}


def index_from_json(value: dict[str, Any]) -> Index:
    return library_from_json(value, functions_from_json(value))


def through_json(index: Index) -> Index:
    return index_from_json(parse_json(canonical_json(index_to_json(index))))


def test_the_index_comes_back(index: Index) -> None:
    assert through_json(index) == index


def test_floats_keep_their_bits(index: Index) -> None:
    attributes = {item.name: item.default for item in through_json(index).functions[0].attributes}
    assert attributes["limit"] == math.inf
    assert isinstance(attributes["floats"], tuple)
    assert math.copysign(1, attributes["floats"][1]) == -1
    assert isinstance(attributes["alpha"], float)
    assert isinstance(attributes["axis"], int)


def test_the_text_is_ascii_sorted_and_without_spaces(index: Index) -> None:
    text = canonical_json(index_to_json(index)).decode("ascii")
    assert " :" not in text
    assert '", "' not in text
    assert list(json.loads(text)) == sorted(json.loads(text))
    assert "gr\\u00f6\\u00dfe" in text


def test_unknown_keys_are_passed_over(index: Index) -> None:
    value = index_to_json(index)
    value["future"] = {"x": 1}
    value["functions"][0]["future"] = [1]
    value["functions"][0]["bodies"][0]["future"] = None
    assert index_from_json(value) == index


Change = Callable[[dict[str, Any]], object]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda v: v.pop("library"), "library is missing"),
        (lambda v: v.update(library=""), "library is not a name"),
        (lambda v: v.update(library="a\nb"), "library is not a name"),
        (lambda v: v.update(summary="\ud800"), "summary is not a text that can be encoded"),
        (lambda v: v.update(opsets=[13]), "opsets is not a pair"),
        (lambda v: v.update(opsets=[13, 12]), r"opsets\[1\] is not an integer from 13 on"),
        (lambda v: v.update(opsets=[True, 12]), r"opsets\[0\] is not an integer from 1 on"),
        (lambda v: v.update(functions={}), "functions is not a list"),
        (lambda v: v["functions"].append(1), r"functions\[3\] is not an object"),
        (lambda v: v["functions"][0]["inputs"][0].update(rank=-1), r"inputs\[0\].rank is not an integer from 0"),
        (lambda v: v["functions"][0]["inputs"][0].update(optional=1), "optional is not true or false"),
        (lambda v: v["functions"][0]["attributes"][0].update(default="x"), "default is not an integer"),
        (lambda v: v["functions"][0]["attributes"][0].update(default=1 << 63), "default is not an integer"),
        (lambda v: v["functions"][0]["attributes"][1].update(default="x"), "default is not a float"),
        (lambda v: v["functions"][0]["attributes"][1].update(default=10**400), "default is not a float"),
        (lambda v: v["functions"][0]["attributes"][0].update(type="GRAPH"), "attribute of type GRAPH can have"),
        (lambda v: v["functions"][0]["bodies"][0].update(body="body1:12"), "body is not the digest of a body"),
        (lambda v: v["functions"][0]["bodies"][0].update(body="../../x"), "body is not the digest of a body"),
    ],
)
def test_malformed_values_are_named(index: Index, change: Change, words: str) -> None:
    value = copy.deepcopy(index_to_json(index))
    change(value)
    with pytest.raises(MalformedError, match=words):
        index_from_json(value)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"{", "not JSON"),
        (b"\xff", "not JSON"),
        (b'{"a":1,"a":2}', "a key twice"),
        (b'{"a":NaN}', "NaN is not a number"),
        (b'{"a":' + b"1" * 10_000 + b"}", "not JSON"),
        (b"[" * 200_000, "nested too deep"),
    ],
)
def test_what_is_not_json(data: bytes, words: str) -> None:
    with pytest.raises(MalformedError, match=words):
        parse_json(data)


def test_members_are_listed_once() -> None:
    entry = {"path": "a", "size": 1, "sha256": "x"}
    assert members_from_json({"members": [entry]}) == {"a": MemberRef(1, "x")}
    with pytest.raises(MalformedError, match="lists a again"):
        members_from_json({"members": [entry, entry]})


@pytest.fixture
def shaped(index: Index) -> FunctionEntry:
    inputs = (InputEntry("x", "T", rank=3, shape=(2, "N", None)), InputEntry("y", "T", rank=1))
    return replace(index.functions[0], inputs=inputs, outputs=(OutputEntry("z", "T", shape=()),), bodies=())


def test_shapes_come_back(shaped: FunctionEntry) -> None:
    value = function_to_json(shaped)
    assert value["inputs"][0]["shape"] == [2, "N", None]
    assert "shape" not in value["inputs"][1], "the rank says it all"
    assert value["outputs"][0]["shape"] == []
    assert function_from_json(parse_json(canonical_json(value))) == shaped


@pytest.mark.parametrize("shape", [3, [-1, 2, 3], [2, True, 3], [2, "a b", 3], [2, "", 3], [1.5, 2, 3], [2, 3]])
def test_shapes_are_checked(shaped: FunctionEntry, shape: Any) -> None:
    value = function_to_json(shaped)
    value["inputs"][0]["shape"] = shape
    with pytest.raises(MalformedError, match="inputs"):
        function_from_json(value)
