from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
import yaml
from opwright_build.spec import yaml_source
from opwright_build.spec.vectors_file import read_vectors_file
from opwright_build.spec.yaml_nodes import MappingNode, Scalar, Sequence, key_places, node_at, plain_data
from opwright_build.spec.yaml_source import (
    MAX_BYTES,
    MAX_DEPTH,
    MAX_FINDINGS,
    MAX_SCALAR,
    YamlFile,
    read_yaml,
    scanner,
)

from tests.work import calls_of

NODES = 8_000  # that a file may have in the test of hostile texts
CALLS = 150  # for each byte; the loader in Python makes 73
SPECS = Path(__file__).parents[2] / "specs"

TRICKY = [
    "{min: T?}",
    "[a?b, c]",
    "{type:, doc: x}",
    "{a:[1]}",
    '{"a":[1]}',
    "{a:1}",
    "[a:b]",
    "k: |#\n  x\n",
    "k: | # note\n  x\n",
    "k: >2-\n   x\n",
    "a: 1\n",
    "a: 1",
    "a:\nb: ",
    "- x\n-\n- y",
    ": 1",
    "---   ",
    "---\na: 1\n...\n",
    "a: 1\n---\nb: 2\n",
    "%YAML 1.2\n---\na: 1\n",
    "%TAG ! x\n---\na: 1\n",
    "a: b\n  c\nd: 1",
    "a: 'it''s'\nb: \"x\\u00e9\\n\"",
    "a: &x 1\nb: *x",
    "<<: {a: 1}",
    "a: !!str 1",
    "a: ! 1",
    "? a\n: b",
    "? [a]\n: b",
    "[a: 1]",
    "{a, b: }",
    "a: - b",
    "a: b: c",
    "a: @b",
    "a: 'x",
    "a: [1, 2",
    "a: {b: [}]}",
    "1: x\ntrue: y\n'1': z",
    "é: ü  # \U0001f600\n\U0001f600: [ß]",
    "a: >-\n  one\n  two\n\n  three\nb: |\n  x\n",
    "",
    "# nothing\n",
    "a: 1\r\nb: 2\r\n",
]


def both(data: bytes) -> tuple[YamlFile, YamlFile]:
    return read_yaml(data, "f.yaml", loader=yaml.CBaseLoader), read_yaml(data, "f.yaml", loader=yaml.BaseLoader)


def agreed(data: bytes) -> YamlFile:
    """What both read: one tree with the same places and, where there is one, the same findings; else both refuse."""
    fast, slow = both(data)
    assert (fast.root is None) == (slow.root is None), data
    assert repr(fast.root) == repr(slow.root), data
    if fast.root is not None:
        assert fast.diagnostics == slow.diagnostics, data
    else:
        assert fast.diagnostics
        assert slow.diagnostics
    return fast


@pytest.mark.parametrize("text", TRICKY)
def test_both_scanners_agree_on_tricky_text(text: str) -> None:
    agreed(text.encode())


def test_both_scanners_agree_on_specs() -> None:
    files = sorted(SPECS.rglob("*.yaml"))[::12]
    assert files
    for path in files:
        assert agreed(path.read_bytes()).root is not None, path


def test_both_scanners_agree_on_mutations_of_specs() -> None:
    sources = [path.read_bytes() for path in sorted(SPECS.rglob("*.yaml"))]
    pieces = [b"?", b"[", b"}", b":", b": ", b",", b"- ", b"#", b"'", b'"', b"|", b"&a ", b"*a", b"!t ", b"\n", b"  "]
    choose = random.Random(20)
    for _ in range(400):
        text = bytearray(choose.choice(sources))
        start = choose.randrange(len(text))
        text = text[start : start + 200]
        for _ in range(choose.randrange(1, 4)):
            at = choose.randrange(len(text) + 1)
            text[at : at + choose.randrange(3)] = choose.choice(pieces)
        agreed(bytes(text))


def test_libyaml_is_used_where_it_is_there() -> None:
    assert scanner() is (yaml.CBaseLoader if yaml.__with_libyaml__ else yaml.BaseLoader)


def test_values_and_places() -> None:
    text = "a: 1e-5\nb:\n  - no\n  - {c: 'x y', d: [1, 2]}\né: |\n  text\n  more\n"
    read = read_yaml(text.encode(), "f.yaml")
    assert read.diagnostics == ()
    assert read.root is not None
    assert plain_data(read.root) == {"a": 1e-5, "b": ["no", {"c": "x y", "d": [1, 2]}], "é": "text\nmore\n"}
    assert isinstance(read.root, MappingNode)
    places = {path: str(place) for path, place in key_places(read.root).items()}
    assert places == {
        "a": "f.yaml:1:1",
        "b": "f.yaml:2:1",
        "b.0": "f.yaml:3:5",
        "b.1": "f.yaml:4:5",
        "b.1.c": "f.yaml:4:6",
        "b.1.d": "f.yaml:4:16",
        "b.1.d.0": "f.yaml:4:20",
        "b.1.d.1": "f.yaml:4:23",
        "é": "f.yaml:5:1",
    }
    node = node_at(read.root, ("b", 1, "c"))
    assert isinstance(node, Scalar)
    assert not node.plain
    assert (node.place.column, node.place.end_column) == (9, 14)
    inner = node_at(read.root, ("b", 1, "d"))
    assert isinstance(inner, Sequence)
    assert (inner.place.column, inner.place.end_column) == (19, 25)
    block = node_at(read.root, ("é",))
    assert block is not None
    assert (block.place.line, block.place.end_line) == (5, 5)
    assert node_at(read.root, ("b", 7)) is None
    assert node_at(read.root, ("a", "x")) is None


@pytest.mark.parametrize("loader", [None, yaml.BaseLoader])
@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"a: 1\na: 2\n", ["2:1 OW104"]),
        (b"a: 1\na: {b: 2}\nc: 3\na: [4]\n", ["2:1 OW104", "4:1 OW104"]),
        (b"a: &x 1\n", ["1:4 OW103"]),
        (b"a: 1\nb: *x\n", ["2:4 OW103"]),
        (b"a: !!int 1\n", ["1:4 OW103"]),
        (b"a: !<tag:x> {b: 1}\n", ["1:4 OW103"]),
        (b"<<: {a: 1}\nb: 2\n", ["1:1 OW103"]),
        (b"a: 1\n---\nb: 2\n", ["2:1 OW103"]),
        (b"%YAML 1.1\n---\na: 1\n", ["1:1 OW103"]),
        (b"[a]: 1\n", ["1:1 OW103"]),
        (b"{a: 1}: 1\n", ["1:1 OW103"]),
        (b"1: x\n", ["1:1 OW108"]),
        (b"true: x\nnull: y\n", ["1:1 OW108", "2:1 OW108"]),
        (b'"a\\nb": 1\n', ["1:1 OW102"]),
        (b"\xef\xbb\xbfa: 1\n", ["1:1 OW102"]),
        (b"a: 1\n\tb: 2\n", ["2:1 OW102"]),
        (b"a: \x00\n", ["1:4 OW102"]),
        (b"a: \x1b[0m\n", ["1:4 OW102"]),
        (b"a: \xc2\x85b\n", ["1:4 OW102"]),
        (b"a: \xe2\x80\xa8b\n", ["1:4 OW102"]),
        (b"a: \xff\n", ["1:4 OW102"]),
        (b"\xc3\xa9: \xed\xa0\x80\n", ["1:4 OW102"]),
        (b"a: 1\rb: 2\n", ["1:5 OW102"]),
        (b"a: " + b"9" * 500, ["1:4 OW105"]),
        (b"a: " + b"x" * (MAX_SCALAR + 1), ["1:4 OW105"]),
        (b"a: " + b"[" * MAX_DEPTH, [f"1:{3 + MAX_DEPTH} OW105"]),
        (b"x" * (MAX_BYTES + 1), ["OW105"]),
        (b"", ["OW101"]),
        (b"# only a comment\n", ["OW101"]),
        (b"a: [1, 2\nb: 3\n", ["2:2 OW101"]),
        (b"a: b: c\n", ["1:5 OW101"]),
    ],
)
def test_refusals(data: bytes, expected: list[str], loader: type[Any] | None) -> None:
    found = read_yaml(data, "f.yaml", loader=loader).diagnostics
    assert [f"{item.place} {item.code}".removeprefix("f.yaml").lstrip(": ") for item in found] == expected


def test_a_file_that_is_too_large_is_told_as_what_it_is() -> None:
    """Its size is not told: of a file of gigabytes one byte too many is read."""
    data = b"x" * (MAX_BYTES + 1)
    (spec,), (rows,) = read_yaml(data, "spec.yaml").diagnostics, read_vectors_file(data, "vectors.yaml").diagnostics
    assert spec.message == rows.message == "the file has more than 524,288 bytes"
    assert "the file that is meant" in spec.help
    assert "generated rows" in rows.help


@pytest.mark.parametrize("data", [b"a: 1\n---\nb: 2\n", b"<<: {a: 1}\nb: 2\n"])
def test_a_file_of_which_a_part_is_not_read_has_no_tree(data: bytes) -> None:
    """Or keys that stand there would be told as missing."""
    assert read_yaml(data, "f.yaml").root is None


def test_a_refused_key_takes_its_value_with_it() -> None:
    read = read_yaml(b"a: 1\na: [x, {a: 2}]\n2: {a: 3}\nb: 4\n", "f.yaml")
    assert read.root is not None
    assert plain_data(read.root) == {"a": 1, "b": 4}


def test_the_first_of_two_equal_keys_is_named() -> None:
    (item,) = read_yaml(b"a: 1\nb: 2\na: 3\n", "f.yaml").diagnostics
    assert str(item.related[0].place) == "f.yaml:1:1"


@pytest.mark.parametrize("loader", [None, yaml.BaseLoader])
@pytest.mark.parametrize(
    "data",
    [
        b"[" * 30_000,
        b"{" * 30_000,
        b"- " * 30_000,
        b"? " * 30_000,
        b"a: [" + b"1," * (NODES + 10) + b"]",
        b"&a [" * 1000,
        b"a: 1\n" * 8_000,
        b'"' + b"\\u0041" * 10_000,
        b"a: >\n" + b"  x\n" * 40_000,
        b"".join(b" " * depth + b"a:\n" for depth in range(600)),
        bytes(range(256)) * 100,
    ],
    ids=lambda data: repr(data[:12]),
)
def test_hostile_text_is_refused_with_bounded_work(
    data: bytes, loader: type[Any] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(yaml_source, "MAX_NODES", NODES)  # the work is counted, which takes its time
    found: list[YamlFile] = []
    assert calls_of(lambda: found.append(read_yaml(data, "f.yaml", loader=loader))) < CALLS * len(data)
    (read,) = found
    assert 0 < len(read.diagnostics) <= MAX_FINDINGS
    assert all(item.place is not None and item.place.file == "f.yaml" for item in read.diagnostics)
