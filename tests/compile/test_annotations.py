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
Sized = FLOAT["N", Number]
Often = FLOAT[2]
Often = FLOAT["N", 3]
Pair = t.NamedTuple("Pair", [("first", V), ("second", V)])


def made(n):
    return FLOAT[n]


"""
KINDS = 'from opwright import FLOAT as G\n\nV = G["N", 3]\nOften = V\nOften = G[2]\n'
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


NOT_KNOWN = {
    "Unknown": "`Unknown` is bound under a condition or in a loop",
    "Itself": "",
    "Number": "",
    "kinds.Missing[3]": "",
    "V[2]": "",
    "made(2)": "",
    "int | str": "",
    "'V['": "",
    'FLOAT["N", 1 + 1]': "`1 + 1` is no dimension",
    "Sized": "`Number` is no dimension",
    "'Opt[Sized]'": "`Number` is no dimension",
    'E["N", Number]': "`Number` is no dimension",
    "Often": "`Often` is bound more than once",
    "kinds.Often": "`Often` is bound more than once",
    "Union[V, Often]": "`Often` is bound more than once",
}


@pytest.mark.parametrize("name", NOT_KNOWN)
def test_what_an_annotation_stands_for_must_be_known(tmp_path: Path, name: str) -> None:
    (finding,) = compiled(tmp_path, f"def F(X: {name}):\n    return op.Neg(X)").diagnostics
    reason = NOT_KNOWN[name] or "it says neither which kind of attribute nor which tensor type this is"
    assert (finding.code, finding.reason.partition(":")[0]) == ("OW317", reason)


@pytest.mark.parametrize("name", ["made(2)", "Often"])
def test_what_stands_for_the_type_of_several_inputs_must_be_known(tmp_path: Path, name: str) -> None:
    (finding,) = compiled(tmp_path, f"def F(*X: {name}):\n    return op.Neg(X[0])").diagnostics
    assert (finding.code, finding.message) == ("OW317", "the annotation of `X` is not understood")


@pytest.mark.parametrize("form", ["{}", "t.Tuple[{}]", "t.Tuple[{}, ...]", "({},)"])
@pytest.mark.parametrize("name", NOT_KNOWN)
def test_what_results_are_annotated_with_must_be_known(tmp_path: Path, name: str, form: str) -> None:
    (finding,) = compiled(tmp_path, f"def F(X) -> {form.format(name)}:\n    return op.Neg(X)").diagnostics
    reason = NOT_KNOWN[name] or "it says neither which element type nor which shape this tensor has"
    assert (finding.code, finding.reason.partition(":")[0]) == ("OW317", reason)
    assert finding.message == "the annotation of what `F` returns is not understood"


@pytest.mark.parametrize("name", NOT_KNOWN)
def test_what_a_local_name_is_annotated_with_must_be_known(tmp_path: Path, name: str) -> None:
    (finding,) = compiled(tmp_path, f"def F(X):\n    y: {name} = op.Neg(X)\n    return y").diagnostics
    reason = NOT_KNOWN[name] or "it says neither which element type nor which shape this tensor has"
    assert (finding.code, finding.reason.partition(":")[0]) == ("OW317", reason)


PLAIN = ["None", "Tensor", "ow.Tensor", "np.ndarray", "'np.ndarray'", "NDArray[np.float32]", "float", "t.Any", "T1"]
PLAIN += ["Opt[np.ndarray]", "np.ndarray | None", "tuple", "t.Tuple[V, ...]", "tuple[float, ...]", "Pair", "(T1,)"]


@pytest.mark.parametrize("name", PLAIN)
def test_other_annotations_of_results_say_nothing(tmp_path: Path, name: str) -> None:
    assert told(compiled(tmp_path, f"def F(X) -> {name}:\n    return op.Neg(X)")) == []


def test_a_template_keeps_what_an_annotation_stands_for(tmp_path: Path) -> None:
    function = 'def F(*X):\n    y: V = op.Neg(X[0])\n    z: F32["N", 3] = y\n    return z'
    found = compiled(tmp_path, function, types="{T: [float]}")
    assert told(found) == []
    (text,) = found.templates.values()
    assert b'"F32"' not in text
    assert text.count(b'["Constant","N"') == 2, text
