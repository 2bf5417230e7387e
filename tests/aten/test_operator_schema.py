"""The text in which PyTorch declares an operator: every one that it has is read, and what is read says the same."""

from __future__ import annotations

import random
import re
from contextlib import suppress

import pytest
from opwright.aten.operator_schema import Argument, MalformedSchema, parse_schema
from opwright_build.spec.torch_schemas import known_operators, schema_text

_SYMBOLIC = {"int": "SymInt", "float": "SymFloat", "bool": "SymBool"}


def _written(item: Argument) -> str:
    kind = _SYMBOLIC[item.kind] if item.symbolic else item.kind
    several = f"[{'' if item.size is None else item.size}]" if item.is_list else ""
    text = kind + "?" * item.inner_optional + several + "?" * item.optional
    named = f"{text} {item.name}".rstrip()
    return f"{named}={item.default!r}" if item.has_default else named


def _plain(text: str) -> str:
    """A declaration without what is said of views and of writing, and with each default as Python writes it."""
    text = re.sub(r"\((?:[a-z](?:\|[a-z])*!?(?: -> \*)?|\*)\)", "", text)
    text = text.replace("=strided", "=None").replace('="', "='").replace('"', "'")
    text = re.sub(r"=\[([^\]]*)\]", lambda found: f"={tuple(map(int, filter(None, found[1].split(','))))}", text)
    return re.sub(r"=(-?[0-9.]+(?:e-?[0-9]+)?)(?=[,)])", lambda found: f"={_number(found[1])!r}", text)


def _number(text: str) -> float:
    return float(text) if "." in text or "e" in text else int(text)


@pytest.mark.parametrize("part", range(8))
def test_every_operator_of_pytorch_is_read(part: int) -> None:
    operators = sorted(known_operators())
    assert len(operators) > 1500
    for operator in operators[part::8]:
        text = schema_text(operator)
        assert text is not None
        schema = parse_schema(text)
        assert schema.identity == operator
        if "\\" in text:  # the signs that break a line, which Python writes otherwise
            continue
        arguments: list[str] = []
        for item in schema.arguments:
            if item.keyword_only and "*" not in arguments:
                arguments.append("*")
            arguments.append(_written(item))
        results = ", ".join(map(_written, schema.returns))
        result = results if len(schema.returns) == 1 else f"({results})"
        assert f"{operator}({', '.join(arguments)}) -> {result}" == _plain(text)


def test_what_stands_in_an_argument() -> None:
    text = (
        "my::op.of_two(Tensor(a!)[] xs, Tensor? y, SymInt[2] size=1, int[]? dims=None, Tensor?[] many, *, "
        "str mode='a, b', float eps=1e-05, ScalarType? dtype=None, Layout layout=strided, int[1] axes=[]) "
        "-> (Tensor, int)"
    )
    found = parse_schema(text)
    assert (found.name, found.overload, found.identity) == ("my::op", "of_two", "my::op.of_two")
    assert [(item.name, item.kind) for item in found.returns] == [("", "Tensor"), ("", "int")]
    xs, y, size, dims, many, mode, eps, dtype, layout, axes = found.arguments
    assert xs == Argument("xs", "Tensor", is_list=True)
    assert y == Argument("y", "Tensor", optional=True)
    assert size == Argument("size", "int", symbolic=True, is_list=True, size=2, has_default=True, default=1)
    assert dims == Argument("dims", "int", is_list=True, optional=True, has_default=True)
    assert many == Argument("many", "Tensor", is_list=True, inner_optional=True)
    assert (mode.default, mode.keyword_only, eps.default, eps.is_dropped) == ("a, b", True, 1e-05, False)
    assert (dtype.kind, dtype.is_dropped, layout.is_dropped, layout.default) == ("ScalarType", False, True, None)
    assert axes.default == ()
    assert parse_schema("a::b() -> ()").returns == ()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "it is not of the form"),
        ("aten::add", "it is not of the form"),
        ("add(Tensor self) -> Tensor", "it is not of the form"),
        ("aten::add.a.b(Tensor self) -> Tensor", "it is not of the form"),
        ("aten::add(Tensor self)", "it is not of the form"),
        ("aten::add(Tensor) -> Tensor", "`Tensor` is no argument"),
        ("aten::add(Tensor self, Tensor self) -> Tensor", "two arguments have one name"),
        ("aten::add(Tensor self other) -> Tensor", "`Tensor self other` is no argument"),
        ("aten::add(Tensor self; int x) -> Tensor", "is no argument"),
        ("aten::add(int x=1_0) -> Tensor", "`1_0` is no default"),
        ("aten::add(int x=٣) -> Tensor", "`٣` is no default"),
        (f"aten::add(int x={'9' * 3900}) -> Tensor", "is no default"),
        ("aten::add(int[] x=[a]) -> Tensor", "`a` is no default"),
        ("aten::add(int x=()) -> Tensor", "is no default"),
        ("aten::add(str x='a) -> Tensor", "`'a` is no text"),
        ("aten::add(str x='a' + 'b') -> Tensor", "is no text"),
        ("aten::add(str x='\\x') -> Tensor", "is no text"),
        ("aten::add(int[99999] x) -> Tensor", "is no argument"),
        ("aten::add(" + "(" * 3900 + ") -> Tensor", "is no argument"),
        ("aten::add(Tensor self) -> Tensor" + " " * 4000, "it has 4,032 characters; at most 4,000"),
    ],
)
def test_what_declares_nothing_is_refused(text: str, words: str) -> None:
    with pytest.raises(MalformedSchema, match=re.escape(words)):
        parse_schema(text)


def test_no_text_leads_to_anything_else() -> None:
    drawn = random.Random(5)
    operators = sorted(known_operators())
    for _ in range(4000):
        text = list(schema_text(drawn.choice(operators)) or "")
        for _ in range(drawn.randint(1, 4)):
            at = drawn.randrange(len(text))
            text[at : at + drawn.randint(0, 3)] = drawn.choice(
                ["(", ")", "[", "]", "?", "=", "'", "\\", ", ", "9", "", "é"]
            )
        with suppress(MalformedSchema):
            assert parse_schema("".join(text)).identity
