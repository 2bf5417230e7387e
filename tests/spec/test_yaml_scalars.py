from __future__ import annotations

import math

import pytest
import yaml
from opwright_build.spec.yaml_nodes import plain_data
from opwright_build.spec.yaml_scalars import MAX_DIGITS, NumberTooLongError, as_key, quoted, resolve
from opwright_build.spec.yaml_source import read_yaml, scanner


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("~", None),
        ("null", None),
        ("NULL", None),
        ("nULL", "nULL"),
        ("true", True),
        ("False", False),
        ("FALSE", False),
        ("tRUE", "tRUE"),
        ("yes", "yes"),
        ("no", "no"),
        ("on", "on"),
        ("y", "y"),
        ("0", 0),
        ("-0", 0),
        ("+12", 12),
        ("012", 12),
        ("0o17", 15),
        ("0O17", "0O17"),
        ("0o8", "0o8"),
        ("-0o17", "-0o17"),
        ("0xFf", 255),
        ("0b11", "0b11"),
        ("1_000", "1_000"),
        ("12:30", "12:30"),
        ("190:20:30", "190:20:30"),
        ("2001-12-14", "2001-12-14"),
        ("1.0", 1.0),
        ("1.", 1.0),
        (".5", 0.5),
        ("-.5e-3", -0.0005),
        ("1e-5", 1e-5),
        ("1E+5", 1e5),
        ("1e999", math.inf),
        ("1.0.0", "1.0.0"),
        (".", "."),
        ("-", "-"),
        ("+", "+"),
        ("e5", "e5"),
        (".e5", ".e5"),
        (".inf", math.inf),
        ("+.Inf", math.inf),
        ("-.INF", -math.inf),
        (".iNF", ".iNF"),
        ("inf", "inf"),
        ("nan", "nan"),
        ("-.nan", "-.nan"),
        ("\u0661", "\u0661"),  # a digit of another script
        ("<<", "<<"),
        ("=", "="),
    ],
)
def test_core_schema(text: str, value: object) -> None:
    resolved = resolve(text)
    assert resolved == value
    assert type(resolved) is type(value)


def test_not_a_number() -> None:
    for text in (".nan", ".NaN", ".NAN"):
        value = resolve(text)
        assert isinstance(value, float)
        assert math.isnan(value)


def test_negative_zero_keeps_its_sign() -> None:
    value = resolve("-0.0")
    assert isinstance(value, float)
    assert math.copysign(1.0, value) == -1.0


@pytest.mark.parametrize("text", ["1" * (MAX_DIGITS + 1), "0x" + "f" * MAX_DIGITS, "1." + "0" * MAX_DIGITS])
def test_long_numbers_are_refused(text: str) -> None:
    with pytest.raises(NumberTooLongError):
        resolve(text)


def test_longest_number() -> None:
    assert resolve("1" * MAX_DIGITS) == int("1" * MAX_DIGITS)


@pytest.mark.parametrize("loader", [scanner(), yaml.BaseLoader])
def test_quoted_text_is_read_as_it_was(loader: type[yaml.BaseLoader]) -> None:
    numbers = [*range(0x100), 0x2028, 0x2029, 0xFEFF, 0xFFFD, 0xFFFE, 0xFFFF, 0x1F680, 0x10FFFF]
    for text in ["", "a: b # c", *(f"x{chr(number)} y" for number in numbers)]:
        found = read_yaml(f"a: {quoted(text)}\n".encode(), "a.yaml", loader=loader)
        assert found.root is not None, found.diagnostics
        assert plain_data(found.root) == {"a": text}


def test_half_a_surrogate_pair_is_no_text() -> None:
    assert quoted("a\ud83d") == '"a\ufffd"'


@pytest.mark.parametrize("name", ["x", "no", "null", "True", "nan", "N"])
def test_names_are_keys(name: str) -> None:
    found = read_yaml(f"{{{as_key(name)}: 1}}".encode(), "a.yaml")
    assert found.root is not None
    assert plain_data(found.root) == {name: 1}
