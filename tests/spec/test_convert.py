from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from opwright_build.spec.load import load_library
from opwright_build.spec.model import OpsetRange, ProposedBody, Tolerance, ValueDeclaration, VectorKind
from opwright_build.spec.tolerances import DEFAULT_TOLERANCES
from opwright_build.spec.yaml_source import MAX_FINDINGS

from tests.work import calls_of

if TYPE_CHECKING:
    from .conftest import TinyLibrary

CALLS = 20  # for each character
FULL = """\
schema: 1
domain: com.acme
name: Swish
summary: X * sigmoid(alpha * X).
doc: Ramachandran et al., 2017.
opset: ">=18,<=20"
inputs:
  X: T
  axes: {type: int64, rank: 1, doc: Which.}
outputs: {Y: T}
attributes: {alpha: Steepness., beta: {doc: More.}}
types: {T: [float, double]}
vectors: [onnx, onnx@latest, "onnx:test_swish*", vectors.yaml, more/rows.yaml]
reference: reference.py:oracle
versions:
  - {since_version: 3, deprecated: true, types: {T: [float16]}, function: newer.py:Swish3}
  - {since_version: 1, vectors: [], tolerance: {default: exact, float: {abs: 1.0e-3}, reason: It sums.}}
"""


def write_full(tiny: TinyLibrary) -> None:
    tiny.write(tiny.spec_file, FULL)
    for name in ("newer.py", "reference.py", "vectors.yaml", "more/rows.yaml"):
        tiny.write(f"specs/com.acme/Swish/{name}", "")


def test_everything_a_version_can_say(tiny: TinyLibrary) -> None:
    write_full(tiny)
    loaded = load_library(tiny.root)
    assert loaded.diagnostics == ()
    first, second = loaded.versions
    assert (first.since_version, second.since_version) == (1, 3)
    assert first.folder == tiny.root / "specs/com.acme/Swish"
    assert first.opsets == OpsetRange(18, 20)
    assert first.doc == "Ramachandran et al., 2017."
    assert (first.deprecated, second.deprecated) == (False, True)
    assert (first.function_file, first.function_name) == ("function.py", "Swish")
    assert (second.function_file, second.function_name) == ("newer.py", "Swish3")
    assert (first.reference_file, first.reference_name) == ("reference.py", "oracle")
    assert first.inputs == (
        ValueDeclaration("X", "T"),
        ValueDeclaration("axes", "int64", 1, "Which."),
    )
    assert first.outputs == (ValueDeclaration("Y", "T"),)
    assert first.attribute_docs == {"alpha": "Steepness.", "beta": "More."}
    assert first.types == {"T": ("float", "double")}
    assert second.types == {"T": ("float16",)}
    assert second.pairs == ("float16",)
    assert first.vectors == ()
    assert [(source.kind, source.pattern, source.path) for source in second.vectors] == [
        (VectorKind.SUITE, "", ""),
        (VectorKind.SUITE_LATEST, "", ""),
        (VectorKind.SUITE_GLOB, "test_swish*", ""),
        (VectorKind.ROWS, "", "vectors.yaml"),
        (VectorKind.ROWS, "", "more/rows.yaml"),
    ]


def test_tolerances_are_whole(tiny: TinyLibrary) -> None:
    write_full(tiny)
    first, second = load_library(tiny.root).versions
    assert first.tolerances == {
        "float": Tolerance(4.0, 1e-3, "It sums."),
        "int64": Tolerance(0, 0),
        "double": Tolerance(0, 0, "It sums."),
    }
    assert second.tolerances == {name: DEFAULT_TOLERANCES[name] for name in ("int64", "float16")}


def test_a_version_replaces_a_key_whole(tiny: TinyLibrary) -> None:
    tiny.spec(
        "since_version: 1\n", "versions: [{since_version: 1, types: {U: [int8]}, inputs: {X: U}, outputs: {Y: U}}]\n"
    )
    (version,) = load_library(tiny.root).versions
    assert version.types == {"U": ("int8",)}


def test_places_are_those_of_the_version(tiny: TinyLibrary) -> None:
    write_full(tiny)
    first, second = load_library(tiny.root).versions
    line = dict(enumerate(FULL.splitlines(), 1))

    def text(version_places: object, key: str) -> str:
        assert isinstance(version_places, dict)
        place = version_places[key]
        return line[place.line][place.column - 1 : place.end_column - 1]

    assert text(first.places, "types.T.1") == "double"
    assert text(second.places, "types.T.0") == "float16"
    assert "types.T.1" not in second.places
    assert text(first.places, "inputs.axes.rank") == "rank"
    assert first.places["tolerance.float"].line == 17
    assert "tolerance" not in second.places
    assert not any(key.startswith("versions") for key in first.places)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("name: Swish", "name: Other", ["spec.yaml:3:7 OW112"]),
        ("domain: com.acme", "domain: com.other", ["spec.yaml:2:9 OW112"]),
        ("since_version: 1\n", "", ["spec.yaml:1:1 OW107"]),
        ("summary: X * sigmoid(alpha * X).\n", "", ["spec.yaml:1:1 OW107"]),
        ("summary: X * sigmoid(alpha * X).", "summary:", ["spec.yaml:4:1 OW108"]),
        ('opset: ">=18"\n', "", ["spec.yaml:1:1 OW107"]),
        ("inputs: {X: T}\n", "", ["spec.yaml:1:1 OW107"]),
        ("outputs: {Y: T}", "outputs: {}", ["spec.yaml:8:10 OW109"]),
        ("outputs: {Y: T}", "outputs: {Y: T, X: T}", ["spec.yaml:8:17 OW124"]),
        ("since_version: 1", "since_version: 4", ["spec.yaml:5:16 OW119"]),
        ("since_version: 1", "since_version: 0", ["spec.yaml:5:16 OW109"]),
        ("since_version: 1\n", "since_version: 1\nversions: [{since_version: 2}]\n", ["spec.yaml:5:1 OW109"]),
        ("since_version: 1\n", "versions: []\n", ["spec.yaml:5:11 OW109"]),
        (
            "since_version: 1\n",
            "versions: [{since_version: 1}, {since_version: 2}, {since_version: 1}]\n",
            ["spec.yaml:5:68 OW118"],
        ),
        ("since_version: 1\n", "versions: [{summary: x}]\n", ["spec.yaml:5:12 OW107"]),
        ("since_version: 1\n", "versions: [{since_versoin: 1}]\n", ["spec.yaml:5:13 OW106"]),
        ('">=18"', '">=23"', ["spec.yaml:6:8 OW117"]),
        ('">=18"', '">=12"', ["spec.yaml:6:8 OW117"]),
        ('">=18"', '">=18,<=23"', ["spec.yaml:6:8 OW117"]),
        ('">=18"', '"18"', ["spec.yaml:6:8 OW116"]),
        ('">=18"', "18", ["spec.yaml:6:8 OW108"]),
        ("X: T}", "X: T?}", ["spec.yaml:7:13 OW101"]),
        ("X: T}", "X: 'T?'}", ["spec.yaml:7:13 OW122"]),
        ("X: T}", "X: {type: tensor}}", ["spec.yaml:7:20 OW122"]),
        ("X: T}", "X: {typ: T}}", ["spec.yaml:7:14 OW106"]),
        ("X: T}", "X: {type: T, rank: -1}}", ["spec.yaml:7:29 OW109"]),
        ("X: T}", "X: {type: T, shape: [2, 9223372036854775808]}}", ["spec.yaml:7:34 OW109"]),
        ("X: T}", f"X: {{type: T, shape: [{10**30}]}}}}", ["spec.yaml:7:31 OW109"]),
        ("X: T}", "X: {type: T, rank:}}", ["spec.yaml:7:27 OW101"]),
        ("X: T}", "X: {type: T, rank: }}", ["spec.yaml:7:23 OW108"]),
        ("X: T}", "X-1: T}", ["spec.yaml:7:10 OW109"]),
        ("[float, double]", "[float, float]", ["spec.yaml:9:20 OW109"]),
        ("[float, double]", "[]", ["spec.yaml:9:12 OW109"]),
        ("[float, double]", "[float, float33]", ["spec.yaml:9:20 OW122"]),
        ("[float, double]", "float", ["spec.yaml:9:12 OW108"]),
        ("{T: [float, double]}", "{T: [float], float: [double]}", ["spec.yaml:9:21 OW109", "spec.yaml:9:21 OW123"]),
        ("schema: 1", "schema: 1\nvectors: [onnx, onnx]", ["spec.yaml:2:17 OW125"]),
        ("schema: 1", "schema: 1\nvectors: ['onnx:']", ["spec.yaml:2:11 OW125"]),
        ("schema: 1", "schema: 1\nvectors: [rows.csv]", ["spec.yaml:2:11 OW125"]),
        ("schema: 1", "schema: 1\nvectors: [rows.yaml]", ["spec.yaml:2:11 OW115"]),
        ("schema: 1", "schema: 1\nvectors: [../rows.yaml]", ["spec.yaml:2:11 OW127"]),
        ("schema: 1", "schema: 1\nvectors: [/rows.yaml]", ["spec.yaml:2:11 OW127"]),
        ("schema: 1", "schema: 1\nreference: gone.py", ["spec.yaml:2:12 OW115"]),
        ("schema: 1", "schema: 1\nreference: /etc/x.py", ["spec.yaml:2:12 OW127"]),
        ("schema: 1", "schema: 1\nreference: function.py:a-b", ["spec.yaml:2:12 OW109"]),
        ("schema: 1", "schema: 1\nfunction: other.txt", ["spec.yaml:2:11 OW109"]),
        ("schema: 1", "schema: 1\nfunction: other.py", ["spec.yaml:2:11 OW115"]),
        ("schema: 1", "schema: 1\nfunction: ../../com.acme/Swish/function.py", ["spec.yaml:2:11 OW127"]),
        ("schema: 1", "schema: 1\ntolerance: {default: {ulp: 5}}", ["spec.yaml:2:13 OW126"]),
        ("schema: 1", "schema: 1\ntolerance: {double: {abs: 1}}", ["spec.yaml:2:13 OW126"]),
        ("schema: 1", "schema: 1\ntolerance: {default: loose}", ["spec.yaml:2:22 OW109"]),
        ("schema: 1", "schema: 1\ntolerance: {default: {ulp: -1}}", ["spec.yaml:2:28 OW109"]),
        ("schema: 1", "schema: 1\ntolerance: {default: {ulp: .inf}}", ["spec.yaml:2:28 OW109"]),
        ("schema: 1", "schema: 1\ntolerance: {float: {ulps: 1}}", ["spec.yaml:2:21 OW106"]),
        ("schema: 1", "schema: 1\ntolerance: {float33: exact}", ["spec.yaml:2:13 OW106"]),
        ("schema: 1", "schema: 1\ntolerance: {reason: {ulp: 1}}", ["spec.yaml:2:21 OW108"]),
        ("schema: 1", "schema: 1\ntolerance: {runtimes: exact}", ["spec.yaml:2:23 OW108"]),
        ("schema: 1", "schema: 1\ntolerance: {runtimes: {ulp: 2}}", ["spec.yaml:2:23 OW108"]),
        ("schema: 1", "schema: 1\ntolerance: {runtimes: {onnxruntim: {float: exact}}}", ["spec.yaml:2:24 OW106"]),
        ("schema: 1", "schema: 1\ntolerance: {runtimes: {reference: {flot: exact}}}", ["spec.yaml:2:36 OW106"]),
        ("schema: 1", "schema: 1\ntolerance: {runtimes: {reference: {float: some}}}", ["spec.yaml:2:43 OW109"]),
        ("schema: 1", "schema: 1\ntolerance: {runtimes: {reference: {float: {ulp: -1}}}}", ["spec.yaml:2:49 OW109"]),
        ("schema: 1", "schema: 1\ntolerance: {runtimes: {reference: {float: {ulp: 5}}}}", ["spec.yaml:2:36 OW126"]),
        ("schema: 1", "schema: 1\ntolerance: {float: {default: {ulp: 1}}}", ["spec.yaml:2:36 OW108"]),
        ("schema: 1", "schema: 1\ntolerance: {float: {default: {}}}", ["spec.yaml:2:20 OW109"]),
        ("schema: 1", "schema: 1\ntolerance: {reason: }", ["spec.yaml:2:13 OW108"]),
        ("schema: 1", "schema: 1\nattributes: {alpha: 3}", ["spec.yaml:2:21 OW108"]),
        ("schema: 1", "schema: 1\nattributes: {alpha: {text: x}}", ["spec.yaml:2:14 OW107", "spec.yaml:2:22 OW106"]),
        ("schema: 1", "schema: 1\ndeprecated: yes", ["spec.yaml:2:13 OW108"]),
        ("schema: 1", "schema: 1\nrequires: [1]", ["spec.yaml:2:1 OW106"]),
    ],
)
def test_mistakes(tiny: TinyLibrary, old: str, new: str, expected: list[str]) -> None:
    tiny.spec(old, new)
    loaded = load_library(tiny.root)
    assert sorted(tiny.findings()) == sorted(expected)
    assert loaded.versions == ()
    assert loaded.broken == ("com.acme::Swish",)


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("function.py:Simple", ProposedBody("function.py", "Simple", {})),
        ("{function: function.py}", ProposedBody("function.py", "Swish", {})),
        (
            "{function: 'function.py:Simple', inexact: {far: Why.}}",
            ProposedBody("function.py", "Simple", {"far": "Why."}),
        ),
    ],
)
def test_another_body_may_be_named_for_a_proposal(text: str, body: ProposedBody, tiny: TinyLibrary) -> None:
    tiny.spec("schema: 1", f"schema: 1\nproposal: {text}")
    loaded = load_library(tiny.root)
    assert loaded.diagnostics == ()
    assert [version.proposal for version in loaded.versions] == [body]


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        ("simple.py:Simple", "spec.yaml:2:11 OW115"),
        ("{function: simple.py}", "spec.yaml:2:22 OW115"),
        ("function:Simple", "spec.yaml:2:11 OW109"),
        ("../function.py", "spec.yaml:2:11 OW127"),
        ("", "spec.yaml:2:1 OW108"),
        ("{inexact: {far: Why.}}", "spec.yaml:2:1 OW107"),
        ("{function: function.py, inexact: {far: ''}}", "spec.yaml:2:50 OW109"),
        ("{function: function.py, inexact: [far]}", "spec.yaml:2:44 OW108"),
    ],
)
def test_mistakes_in_what_is_proposed(text: str, finding: str, tiny: TinyLibrary) -> None:
    tiny.spec("schema: 1", f"schema: 1\nproposal: {text}")
    assert tiny.findings() == [finding]


def test_a_function_file_must_be_there(tiny: TinyLibrary) -> None:
    (tiny.root / "specs/com.acme/Swish/function.py").unlink()
    assert tiny.findings() == ["function.py OW115"]


def test_a_runtime_has_tolerances_of_its_own(tiny: TinyLibrary) -> None:
    own = "{onnxruntime: {float: {ulp: 2}}, onnxruntime/full: {default: {ulp: 99}, float: {abs: 1}, reason: It fuses.}}"
    tiny.spec("schema: 1", f"schema: 1\ntolerance: {{double: exact, runtimes: {own}}}")
    library = load_library(tiny.root)
    assert library.diagnostics == ()
    (version,) = library.versions
    usual = DEFAULT_TOLERANCES["float"]
    assert version.tolerances["float"] == usual
    off, full = version.runtime_tolerances["onnxruntime/off"], version.runtime_tolerances["onnxruntime/full"]
    assert list(version.runtime_tolerances) == ["onnxruntime/off", "onnxruntime/full"]
    assert off["float"] == Tolerance(2, usual.absolute)
    assert full["float"] == Tolerance(2, 1, "It fuses.")
    assert off.get("double") == version.tolerances.get("double")


def test_a_family_is_loosened_with_a_reason(tiny: TinyLibrary) -> None:
    tiny.spec("schema: 1", "schema: 1\ntolerance: {runtimes: {onnxruntime: {default: {ulp: 9}}}}")
    found = load_library(tiny.root).diagnostics
    assert {item.code for item in found} == {"OW126"}
    assert len(found) == 1
    assert " on onnxruntime is looser than the default" in found[0].message
    assert found[0].help == "Say why in `tolerance: {runtimes: {onnxruntime: {reason: ...}}}`."


def test_a_tolerance_that_is_not_looser_needs_no_reason(tiny: TinyLibrary) -> None:
    tiny.spec("schema: 1", "schema: 1\ntolerance: {default: {ulp: 2}, double: exact}")
    assert tiny.findings() == []


def test_every_mistake_is_reported_at_once(tiny: TinyLibrary) -> None:
    tiny.spec('opset: ">=18"', 'opset: "18"')
    tiny.spec("since_version: 1", "since_version: 9\nvectors: [a.csv]")
    tiny.spec("outputs: {Y: T}", "outputs: {X: U}")
    assert [finding.split()[-1] for finding in tiny.findings()] == ["OW119", "OW116", "OW122", "OW124", "OW125"]


def test_a_mistake_at_the_top_is_reported_once(tiny: TinyLibrary) -> None:
    tiny.spec("since_version: 1\n", "versions: [{since_version: 1}, {since_version: 2}]\n")
    tiny.spec('">=18"', '"18"')
    assert tiny.findings() == ["spec.yaml:6:8 OW116"]


def test_both_places_are_shown(tiny: TinyLibrary) -> None:
    tiny.spec("since_version: 1", "since_version: 9")
    (item,) = load_library(tiny.root).diagnostics
    assert [str(related.place) for related in item.related] == ["specs/com.acme/domain.yaml:2:1"]
    tiny.spec("since_version: 9", "since_version: 1")
    tiny.spec('">=18"', '">=12"')
    (item,) = load_library(tiny.root).diagnostics
    assert [str(related.place) for related in item.related] == ["specs/library.yaml:5:1"]


def test_a_hostile_spec_takes_bounded_work(tiny: TinyLibrary) -> None:
    names = ", ".join(f"a{number}: tensr{number}" for number in range(250))
    versions = ", ".join(f"{{since_version: 1, inputs: {{{names}}}}}" for _ in range(50))
    tiny.spec("since_version: 1\n", f"versions: [{versions}]\n")
    found: list[str] = []
    assert calls_of(lambda: found.extend(tiny.findings())) < CALLS * len(versions)
    assert 0 < len(found) <= MAX_FINDINGS


def test_too_many_names_are_refused(tiny: TinyLibrary) -> None:
    names = ", ".join(f"a{number}: T" for number in range(5000))
    tiny.spec("inputs: {X: T}", f"inputs: {{{names}}}")
    assert tiny.findings() == ["spec.yaml:7:9 OW109"]
