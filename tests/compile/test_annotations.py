"""Annotations in a spec's file: what the file calls a type by another name is that type."""

from __future__ import annotations

from pathlib import Path

import pytest
from opwright_build.compile import CompiledVersion

from tests.compile.test_versions import Tree, spec

HEAD = """import typing as t
from typing import TYPE_CHECKING, Optional as Opt, Sequence as Seq, TypeVar, Union

import opwright
import opwright as ow
from opwright import DOUBLE, FLOAT
from opwright import FLOAT as F32
from opwright import opset18 as op

from .. import kinds
from ..kinds import V as Elsewhere

if TYPE_CHECKING:
    from opwright import FLOAT as Checked
V = FLOAT["N", 3]
W: t.TypeAlias = F32["N", 3]
E = ow.FLOAT
Either = Union[V, FLOAT["N", 3]]
Text = "FLOAT['N', 3]"
T1 = TypeVar("T1", V, V)
Fraction = float
Maybe = Opt[V]
if t.TYPE_CHECKING:
    Unknown = FLOAT["N", 3]
Itself = Opt["Itself"]
Number = 5
Two = tuple[V, V]


"""
KINDS = 'from opwright import FLOAT as G\n\nV = G["N", 3]\n'
NAMES = [
    'FLOAT["N", 3]',
    'F32["N", 3]',
    "V",
    "W",
    'E["N", 3]',
    'Checked["N", 3]',
    "Either",
    "Text",
    "'V'",
    "Elsewhere",
    "kinds.V",
    'kinds.G["N", 3]',
    'opwright.FLOAT["N", 3]',
    "Opt[V]",
    "Maybe",
    't.Annotated[V, "in pixels"]',
]


def compiled(root: Path, function: str, **options: str) -> CompiledVersion:
    files = {
        "specs/com.acme/F/spec.yaml": spec("F", **options).replace(">=13", ">=28"),
        "specs/com.acme/F/function.py": f"{HEAD}{function}\n",
        "specs/com.acme/kinds.py": KINDS,
    }
    return Tree(root, files).compile("F")


def told(found: CompiledVersion) -> list[str]:
    return [f"{item.code} {item.reason}" for item in found.diagnostics]


@pytest.mark.parametrize("name", NAMES)
def test_a_parameter_is_what_its_annotation_stands_for(tmp_path: Path, name: str) -> None:
    function = f"def F(X: {name}):\n    return op.Neg(X)"
    assert told(compiled(tmp_path, function)) == ["OW211 its annotation says `float`, YAML `double`, `float`"]
    (tmp_path / "good").mkdir()
    good = compiled(tmp_path / "good", function.replace("Opt[", "Union[").replace("Maybe", "V"), types="{T: [float]}")
    assert told(good) == []
    assert good.entry.inputs[0].declared_shape == ("N", 3)


@pytest.mark.parametrize("name", [*NAMES[:-4], "tuple[V]", "t.Tuple[V]", "(V,)"])
def test_results_are_what_their_annotation_stands_for(tmp_path: Path, name: str) -> None:
    found = compiled(tmp_path, f"def F(X) -> {name}:\n    return op.Neg(X)")
    assert told(found)[0] == "OW211 its annotation says `float`, YAML `double`, `float`"


def test_a_type_variable_is_for_editors(tmp_path: Path) -> None:
    """YAML says what is admitted: `FLOAT` among what a type variable stands for promises no rank."""
    found = compiled(tmp_path, "def F(X: T1) -> T1:\n    y: T1 = op.Neg(X)\n    return y")
    assert told(found) == []
    assert (found.entry.inputs[0].declared_shape, dict(found.entry.types)["T"]) == (None, ("float", "double"))


def test_the_number_of_results_is_what_their_annotation_stands_for(tmp_path: Path) -> None:
    (finding,) = compiled(tmp_path, "def F(X) -> Two:\n    return op.Neg(X)").diagnostics
    assert finding.message == "the annotation of `F` is of 2 values"


@pytest.mark.parametrize("name", NAMES)
def test_a_local_name_is_what_its_annotation_stands_for(tmp_path: Path, name: str) -> None:
    found = compiled(tmp_path, f"def F(X):\n    y: {name} = op.Cast(X, to=DOUBLE)\n    return op.CastLike(y, X)")
    assert [item.code for item in found.diagnostics] == ["OW210"]


def test_sequences_and_attributes_have_other_names(tmp_path: Path) -> None:
    function = "def F(X, alpha: Fraction = 1.0, axes: Seq[int] = (0,)):\n    return op.Transpose(X, perm=axes) * alpha"
    found = compiled(tmp_path, function, types="{T: [float]}")
    assert told(found) == []
    assert [(item.name, item.type) for item in found.entry.attributes] == [("alpha", "FLOAT"), ("axes", "INTS")]


@pytest.mark.parametrize("name", ["Unknown", "Itself", "Number", "kinds.Missing[3]", "V[2]"])
def test_what_an_annotation_stands_for_must_be_known(tmp_path: Path, name: str) -> None:
    found = compiled(tmp_path, f"def F(X: {name}):\n    return op.Neg(X)")
    assert [item.code for item in found.diagnostics] == ["OW317"]


def test_a_template_keeps_what_an_annotation_stands_for(tmp_path: Path) -> None:
    function = 'def F(*X):\n    y: V = op.Neg(X[0])\n    z: F32["N", 3] = y\n    return z'
    found = compiled(tmp_path, function, types="{T: [float]}")
    assert told(found) == []
    (text,) = found.templates.values()
    assert b'"F32"' not in text
    assert text.count(b'["Constant","N"') == 2, text
