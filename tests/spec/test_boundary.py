from __future__ import annotations

from typing import Annotated

import pytest
from opwright.suggest import did_you_mean, nearest
from opwright_build.spec.boundary import Strict, check
from opwright_build.spec.names import Identifier, SchemaNumber
from opwright_build.spec.yaml_source import MAX_FINDINGS, read_yaml
from pydantic import Field


class Inner(Strict):
    depth: int
    label: str = ""


class Outer(Strict):
    schema_: SchemaNumber = Field(alias="schema")
    name: Identifier
    items: list[Inner] = Field(default_factory=list)
    table: dict[Identifier, Inner] = Field(default_factory=dict)
    ratio: Annotated[float, Field(gt=0)] = 1.0
    flag: bool = False


def findings(text: str) -> list[str]:
    read = read_yaml(text.encode(), "f.yaml")
    assert read.root is not None
    checked = check(Outer, read.root)
    assert (checked.value is None) == bool(checked.diagnostics)
    return [f"{str(item.place).removeprefix('f.yaml:')} {item.code} {item.message}" for item in checked.diagnostics]


def help_for(text: str) -> str:
    read = read_yaml(text.encode(), "f.yaml")
    assert read.root is not None
    (item,) = check(Outer, read.root).diagnostics
    return item.help


def test_a_sound_file() -> None:
    read = read_yaml(b"schema: 1\nname: a\nitems: [{depth: 2}]\nratio: 3\n", "f.yaml")
    assert read.root is not None
    value = check(Outer, read.root).value
    assert value is not None
    assert (value.name, value.items[0].depth, value.ratio) == ("a", 2, 3.0)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("schema: 1\nname: 2\n", ["2:7 OW108 `name` must be text, but is the number 2"]),
        ("schema: 1\nname:\n", ["2:1 OW108 `name` must be text, but is empty (null)"]),
        ("schema: 1\nname: [a]\n", ["2:7 OW108 `name` must be text, but is a sequence"]),
        (
            "schema: 1\nname: 2a\n",
            [
                "2:7 OW109 `name` must be a name of letters, digits and underscores that does not "
                "begin with a digit, but is `2a`"
            ],
        ),
        (
            'schema: 1\nname: "a\\n"\n',
            [
                "2:7 OW109 `name` must be a name of letters, digits and underscores that does "
                "not begin with a digit, but is `a\n`"
            ],
        ),
        ("schema: 1\n", ["1:1 OW107 the key `name` is missing"]),
        ("schema: 9\nname: a\n", ["1:9 OW111 schema 9 is newer than this opwright reads (up to 1)"]),
        ("schema: true\nname: a\n", ["1:9 OW108 `schema` must be a whole number, but is the truth value true"]),
        ("schema: 1\nname: a\nflag: yes\n", ["3:7 OW108 `flag` must be true or false, but is text"]),
        ("schema: 1\nname: a\nratio: -1\n", ["3:8 OW109 `ratio`: input should be greater than 0"]),
        ("schema: 1\nname: a\nitems: {}\n", ["3:8 OW108 `items` must be a sequence, but is a mapping"]),
        ("schema: 1\nname: a\nitems: [2]\n", ["3:9 OW108 `items.0` must be a mapping, but is the number 2"]),
        ("schema: 1\nname: a\nitems:\n  - {label: x}\n", ["4:5 OW107 the key `depth` is missing in `items.0`"]),
        ("schema: 1\nname: a\ntable: {x: {}}\n", ["3:9 OW107 the key `depth` is missing in `table.x`"]),
        (
            "schema: 1\nname: a\ntable: {x: {depth: 1.5}}\n",
            ["3:20 OW108 `table.x.depth` must be a whole number, but is the number 1.5"],
        ),
        (
            "schema: 1\nname: a\ntable: {a-b: {depth: 1}}\n",
            [
                "3:9 OW109 the key `a-b` in `table` must be a name of letters, digits and underscores that does not "
                "begin with a digit"
            ],
        ),
        ("schema: 1\nnmae: a\n", ["2:1 OW106 the key `nmae` is not known"]),
        ("schema: 1\nother: a\n", ["1:1 OW107 the key `name` is missing", "2:1 OW106 the key `other` is not known"]),
        (
            "schema: 1\nname: a\nitems: [{dpeth: 1}, {label: x}]\n",
            [
                "3:10 OW106 the key `dpeth` is not known in `items.0`",
                "3:21 OW107 the key `depth` is missing in `items.1`",
            ],
        ),
        (
            "schema: 1\nname: a\nitems: [{depth: 1, lable: x}]\n",
            ["3:20 OW106 the key `lable` is not known in `items.0`"],
        ),
        ('schema: 1\nname: a\n"[key]": x\n', ["3:1 OW106 the key `[key]` is not known"]),
        ("- 1\n", ["1:1 OW108 the file must hold a mapping of keys, but holds a sequence"]),
        ("text\n", ["1:1 OW108 the file must hold a mapping of keys, but holds text"]),
    ],
)
def test_each_finding_stands_at_its_place(text: str, expected: list[str]) -> None:
    assert findings(text) == expected


def test_help() -> None:
    assert help_for("schema: 1\nname: 2\n") == "Put quotes around it."
    assert help_for("schema: 1\nname: a\nflga: true\n") == "Did you mean `flag`?"
    assert help_for("schema: 1\nname: a\nitems: [{depth: 1, lable: x}]\n") == "Did you mean `label`?"
    assert help_for("schema: 1\nname: a\ntable: {x: {depth: 1, zzz: x}}\n") == "Known here: depth, label."
    assert help_for("schema: 1\nname: a\nitems: [{depth: 1, label:x}]\n") == "Put a space after the colon."


def test_long_names_are_cut_and_findings_are_few() -> None:
    keys = "".join(f"k{number}{'x' * 200}: 1\n" for number in range(500))
    found = findings(f"schema: 1\nname: a\n{keys}")
    assert len(found) == MAX_FINDINGS
    assert all(len(text) < 200 for text in found)


def test_suggestions() -> None:
    assert nearest("float32", ["float", "double"]) == "float"
    assert nearest("FLOAT", ["floats", "float"]) == "float"
    assert nearest("quite different", ["float"]) == ""
    assert nearest("x" * 100, ["x" * 99]) == ""
    assert did_you_mean("zzz", ["a", "b"]) == "Known here: a, b."
    assert did_you_mean("zzz", []) == ""
