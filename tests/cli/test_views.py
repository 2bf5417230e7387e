"""The commands that show: `ls`, `show`, `opsets`, `explain`, `export`, and `new`, which begins."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import onnx
import pytest
from opwright.diagnostics.registry import CODES
from opwright_build.cli.command_runner import command_parser
from opwright_build.cli.command_summaries import ON_LIBRARIES
from opwright_build.report.schemas import output_schemas
from opwright_build.workflow.explain import code_examples

Opwright = Callable[..., Any]
FUNCTION = Path("specs/com.acme/Swish/function.py")


def check(command: str, lines: list[dict[str, Any]]) -> None:
    validator = jsonschema.Draft202012Validator(output_schemas()[command])
    for line in lines:
        validator.validate(line)


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_ls_is_one_line_for_each_version(library: Path, opwright: Opwright) -> None:
    ran = opwright("ls", "--json")
    assert ran.status == 0
    check("ls", ran.lines)
    (line,) = ran.lines
    assert (line["domain"], line["name"], line["since_version"]) == ("com.acme", "Swish", 1)
    assert line["types"] == {"T": ["float", "double"]}
    assert line["pairs"] == ["float", "double"]
    assert line["opsets"] == {"first": 18, "last": 22}
    assert not Path(".opwright").exists(), "listing builds nothing"
    text = opwright("ls").out
    assert "com.acme::Swish@1" in text
    assert text.endswith("1 version, 2 (version, type) pairs\n")


def test_ls_lists_what_is_sound_and_tells_the_rest_apart(library: Path, opwright: Opwright) -> None:
    folder = Path("specs/com.acme/Broken")
    folder.mkdir()
    (folder / "spec.yaml").write_text("schema: 1\n")
    ran = opwright("ls", "--json")
    assert ran.status == 1
    assert [line["name"] for line in ran.lines] == ["Swish"]
    assert "specs/com.acme/Broken/spec.yaml" in ran.err


@pytest.mark.parametrize(
    "name", ["Swish", "com.acme/Swish", "com.acme::Swish", "com.acme::Swish@1", "Swish@1", "specs/com.acme/Swish/"]
)
def test_a_function_can_be_named_in_many_ways(name: str, library: Path, opwright: Opwright) -> None:
    ran = opwright("show", name, "--json")
    assert ran.status == 0
    check("show", ran.lines)
    (line,) = ran.lines
    assert line["name"] == "Swish"
    assert [item["name"] for item in line["inputs"]] == ["X"]
    (attribute,) = line["attributes"]
    assert attribute.items() >= {"name": "alpha", "type": "FLOAT", "required": False, "default": 1.0, "doc": ""}.items()
    assert [(body["first_opset"], body["last_opset"]) for body in line["bodies"]] == [(18, 18), (19, 20), (21, 22)]


@pytest.mark.parametrize("name", ["Swihs", "com.other/Swish", "Swish@2", "@1"])
def test_a_name_that_means_nothing_is_2(name: str, library: Path, opwright: Opwright) -> None:
    ran = opwright("show", name)
    assert ran.status == 2
    assert ran.out == ""
    assert "OW907" in ran.err


def test_show_for_people(library: Path, opwright: Opwright) -> None:
    text = opwright("show", "Swish").out
    assert text.startswith("com.acme::Swish@1\n  X * sigmoid(alpha * X), for each element.\n")
    assert "  alpha  FLOAT = 1.0" in text
    assert "  T  float double" in text


def test_opsets_names_what_prevents_the_others(library: Path, opwright: Opwright) -> None:
    """An element type that an operator takes at some opsets alone."""
    edit(Path("specs/library.yaml"), ">=18", ">=13")
    edit(FUNCTION.with_name("spec.yaml"), 'opset: ">=18"', 'opset: ">=13"')
    edit(FUNCTION.with_name("spec.yaml"), "[float, double]", "[float, int32]")
    edit(FUNCTION, "return X * op.Sigmoid(alpha * X)", "return op.Relu(X)")
    ran = opwright("opsets", "--json")
    assert ran.status == 0
    check("opsets", ran.lines)
    gaps = [line for line in ran.lines if line["body"] is None]
    assert [(line["opset"], line["operator"], line["variant"]) for line in gaps] == [(13, "Relu", {"T": "int32"})]
    assert gaps[0]["place"].startswith("specs/com.acme/Swish/function.py:6:12")
    assert {line["opset"] for line in ran.lines if line["body"]} == set(range(13, 23))
    assert "specs/com.acme/Swish/function.py:6:12" in opwright("opsets").out


def test_an_opset_that_is_declared_has_a_body(library: Path, opwright: Opwright) -> None:
    edit(FUNCTION, "return X * op.Sigmoid(alpha * X)", "return op.Gelu(X) * op.Sigmoid(alpha * X)")
    for command in ("opsets", "build", "lint"):
        ran = opwright(command)
        assert ran.status == 1
        text = ran.out + ran.err
        assert "specs/com.acme/Swish/function.py:6:12: error OW621: com.acme::Swish@1 declares opsets 18 to 19" in text
        assert 'declare `opset: ">=20"`' in text
        assert "Gelu" in text
    edit(FUNCTION.with_name("spec.yaml"), 'opset: ">=18"', 'opset: ">=20"')
    assert opwright("build").status == 0


def test_what_is_deprecated_is_listed_as_such(library: Path, opwright: Opwright) -> None:
    assert "(deprecated)" not in opwright("ls").out
    edit(FUNCTION.with_name("spec.yaml"), "vectors:", "deprecated: true\nvectors:")
    assert "(deprecated) X * sigmoid(alpha * X)" in opwright("ls").out
    assert "com.acme::Swish@1 (deprecated)" in opwright("show", "Swish").out
    assert opwright("build").status == 0
    assert '    @_deprecated("com.acme::Swish@1 is deprecated")\n' in Path("library/base/_opset1.pyi").read_text()


def test_opsets_of_one_function(library: Path, opwright: Opwright) -> None:
    assert opwright("opsets", "--function", "Swish", "--json").status == 0
    assert opwright("opsets", "--function", "Swihs").status == 2


@pytest.mark.parametrize("code", ["OW9999", "ow20"])
def test_a_code_that_is_none_needs_no_library(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opwright: Opwright
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = opwright("explain", code)
    assert (ran.status, ran.out) == (2, "")
    assert f"there is no diagnostic {code.upper()}" in ran.err


def test_explain_a_code(opwright: Opwright) -> None:
    ran = opwright("explain", "ow904")
    assert ran.status == 0
    assert ran.out.startswith("OW904: A file that the build did not write is in the way\n")
    assert "\n\nWrong, with `opwright build`:\n\n`library/base/__init__.py`:\n" in ran.out
    assert "\nIt prints\n" in ran.out
    assert "OW905" not in ran.out
    assert opwright("explain", "OW999").status == 2


def test_explain_shows_both_examples_of_every_code() -> None:
    page = (Path(__file__).parents[2] / "docs" / "diagnostics.md").read_text(encoding="utf-8")
    for code in CODES:
        text = code_examples(code, page)
        assert text.startswith("Wrong, with `"), code
        assert text.count("\nRight, with `") == 1, code
        assert not any(line.startswith(("### OW", "## ")) for line in text.splitlines()[-3:]), code


def test_explain_an_action(library: Path, opwright: Opwright) -> None:
    opwright("build")
    edit(FUNCTION, "X * op", "op")
    opwright("build")
    text = opwright("explain", "com.acme::Swish@1").out
    assert text.startswith(
        "compile com.acme::Swish@1: done\nwhy it ran:\n"
        "  file:specs/com.acme/Swish/function.py changed\nwhat it rests on:\n"
    )
    assert "\n  onnx: " in text
    assert "\n  file:specs/com.acme/Swish/function.py: " in text
    assert opwright("explain", "compile com.acme::Swish@1").out == text
    assert "input version:com.acme::Swish@1 changed" in opwright("explain", "package").out
    ran = opwright("explain", "nothing")
    assert ran.status == 2
    assert "OW907" in ran.err


@pytest.mark.parametrize("opset", [18, 22])
def test_export_writes_a_model_that_every_tool_reads(opset: int, library: Path, opwright: Opwright) -> None:
    ran = opwright("export", "--opset", str(opset))
    assert ran.status == 0
    path = Path(f"dist/base-1.0.0-opset{opset}.onnx")
    assert ran.out == f"wrote {path.as_posix()} (1 function at opset {opset})\n"
    model = onnx.load(path)
    onnx.checker.check_model(model, full_check=True)
    assert [function.name for function in model.functions] == ["Swish"]
    assert {entry.domain: entry.version for entry in model.opset_import}[""] == opset
    before = path.read_bytes()
    assert opwright("export", "--opset", str(opset), "-o", "other/x.onnx").status == 0
    assert Path("other/x.onnx").read_bytes() == before


def test_export_of_an_opset_outside_the_library_is_2(library: Path, opwright: Opwright) -> None:
    ran = opwright("export", "--opset", "17")
    assert ran.status == 2
    assert "built for opsets 18 to 22, not 17" in ran.out


def test_no_model_without_functions_is_exported(library: Path, opwright: Opwright) -> None:
    spec = Path("specs/com.acme/Swish/spec.yaml")
    spec.write_text(spec.read_text().replace('opset: ">=18"', 'opset: ">=20"'))
    ran = opwright("export", "--opset", "18")
    assert (ran.status, "no function of base has a body for opset 18" in ran.out) == (2, True)
    assert not list(Path("dist").glob("*.onnx"))
    assert opwright("export", "--opset", "20").status == 0


def test_new_begins_a_library_that_builds_and_overwrites_nothing(
    tmp_path: Path, opwright: Opwright, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = opwright("new", "function", "com.acme/Swish")
    assert ran.status == 0
    assert "wrote specs/com.acme/Swish/function.py" in ran.out
    assert ran.out.endswith("next: opwright build\n")
    assert opwright("build").status == 0
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    again = opwright("new", "function", "com.acme/Swish")
    assert again.status == 1
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
    assert opwright("new", "operator", "com.acme/Swish").status == 2


def test_new_tells_the_library_that_lies_further_up(
    tmp_path: Path, opwright: Opwright, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert not opwright("new", "function", "com.acme/Swish").out.startswith("in ")
    inner = tmp_path / "vendor" / "theirs"
    inner.mkdir(parents=True)
    ran = opwright("new", "function", "com.acme/Gelu", "--path", "vendor/theirs")
    assert ran.out.startswith(f"in the library {tmp_path}\nwrote specs/com.acme/Gelu/spec.yaml\n")
    assert not opwright("new", "library", "base", "--path", "vendor/theirs").out.startswith("in ")


@pytest.mark.parametrize(
    "words",
    [
        ["build"],
        ["lint"],
        ["ls"],
        ["show", "X"],
        ["opsets"],
        ["test"],
        ["vectors"],
        ["stubs"],
        ["export", "--opset", "18"],
    ],
)
def test_without_a_library_every_command_says_so(
    words: list[str], tmp_path: Path, opwright: Opwright, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = opwright(*words)
    assert ran.status == 2
    assert "OW110" in ran.out + ran.err
    assert list(tmp_path.iterdir()) == []


# What commands want before a PATH.
BESIDES = {
    "add": ["acme-ops", "--path"],
    "cache": ["verify"],
    "conform": ["--backend", "onnxruntime.backend"],
    "explain": ["compile com.acme::Swish@1"],
    "export": ["--opset", "18"],
    "propose": ["Swish", "-o", "made"],
    "release": ["1.0.0"],
    "show": ["Swish"],
    "update": ["--path"],
    "vectors": [],
    "why": ["Swish", "Softplus"],
}
TAKE_A_PATH = [
    name
    for name in ON_LIBRARIES
    if any(action.dest == "path" and not action.option_strings for action in command_parser(name)._actions)
]


@pytest.mark.parametrize("command", sorted({*BESIDES, *TAKE_A_PATH}))
def test_no_command_takes_a_misspelt_path_for_the_library_around_it(
    command: str, library: Path, opwright: Opwright
) -> None:
    before = sorted(library.rglob("*"))
    ran = opwright(command, *BESIDES.get(command, []), "specs/com.acme/Swsh")
    assert (ran.status, "there is no file or folder specs/com.acme/Swsh" in ran.out + ran.err) == (2, True)
    assert sorted(library.rglob("*")) == before, "nothing was done"


@pytest.mark.parametrize(
    "words", [("version", "com.acme/Nope"), ("function", "com.acme/Other", "--like", "Nope")], ids=["version", "like"]
)
def test_a_function_that_is_not_there_is_a_mistake_of_the_line(
    words: tuple[str, ...], library: Path, opwright: Opwright
) -> None:
    ran = opwright("new", *words)
    assert (ran.status, "OW907: the library has no function" in ran.out + ran.err) == (2, True)


def test_a_finding_of_a_command_that_gives_data_goes_aside(library: Path, opwright: Opwright) -> None:
    edit(FUNCTION, "Sigmoid", "Sigmod")
    for words in (["show", "Swish", "--json"], ["opsets", "--json"]):
        ran = opwright(*words)
        assert (ran.status, ran.out) == (1, "")
        assert "OW201" in ran.err
    assert json.loads(opwright("ls", "--json").out)["name"] == "Swish"
