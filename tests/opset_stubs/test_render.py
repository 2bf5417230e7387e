"""The committed stubs: up to date, complete, and in agreement with what the operators are at run time."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import opwright
import pytest
from opwright.opsets import find_opset
from opwright.opsets.signatures import signature
from opwright.version import OPSETS
from opwright_build.opset_stubs.__main__ import main
from opwright_build.opset_stubs.domain_versions import DomainVersion, all_versions
from opwright_build.opset_stubs.methods import method
from opwright_build.opset_stubs.python_types import Names, literals, python_type
from opwright_build.opset_stubs.render import COMMAND, render_all

PACKAGE = Path(opwright.__file__).parent


@pytest.fixture(scope="module")
def rendered() -> dict[str, str]:
    return render_all()


def test_the_committed_stubs_are_up_to_date(rendered: dict[str, str]) -> None:
    committed = {path.relative_to(PACKAGE).as_posix() for path in (PACKAGE / "opsets" / "generated").glob("*")}
    expected = {name for name in rendered if "generated" in name}
    differing = [name for name, text in rendered.items() if (PACKAGE / name).read_text(encoding="utf-8") != text]
    assert (committed ^ expected, differing) == (set(), []), f"run: nox -s stubs   (or: {COMMAND})"


def test_the_same_schemas_give_the_same_bytes(rendered: dict[str, str]) -> None:
    assert render_all() == rendered


def test_the_stubs_stay_small(rendered: dict[str, str]) -> None:
    assert sum(map(len, rendered.values())) < 1_000_000


def test_there_is_a_stub_for_every_version(rendered: dict[str, str]) -> None:
    newest: dict[str, int] = {}
    for version in all_versions():
        newest[version.prefix] = version.version
        assert f"opsets/generated/{version.name}.pyi" in rendered
    assert newest == OPSETS
    assert sum(len(version.changed) for version in all_versions()) == 659


def methods_of(version: DomainVersion, rendered: dict[str, str]) -> dict[str, list[ast.FunctionDef]]:
    tree = ast.parse(rendered[f"opsets/generated/{version.name}.pyi"])
    (body,) = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    assert body.name == version.class_name
    found: dict[str, list[ast.FunctionDef]] = {}
    for node in body.body:
        if isinstance(node, ast.FunctionDef):
            found.setdefault(node.name, []).append(node)
    return found


def test_stubs_and_operators_have_the_same_parameters(rendered: dict[str, str]) -> None:
    """Names, kinds and what may be left out, of each schema version; overloads taken together."""
    for version in all_versions():
        opset = find_opset(version.name)
        assert opset is not None
        methods = methods_of(version, rendered)
        assert sorted(methods) == sorted(item.name for item in version.changed)
        for name, forms in methods.items():
            parameters = list(inspect.signature(opset[name]).parameters.values())
            attributes = [item for item in parameters if item.kind == item.KEYWORD_ONLY]
            inputs = [
                (item.name, str(item.kind), item.default is not item.empty)
                for item in parameters
                if item.kind != item.KEYWORD_ONLY
            ]
            for form in forms:
                assert parameters_of(form, "inputs") == inputs, f"{version.name}.{name}"
            given = {item[0] for form in forms for item in parameters_of(form, "attributes")}
            assert given == {item.name for item in attributes}, f"{version.name}.{name}"
            if len(forms) == 1:
                defaults = [(item.name, "attribute", item.default is not item.empty) for item in attributes]
                assert parameters_of(forms[0], "attributes") == defaults, f"{version.name}.{name}"


def parameters_of(form: ast.FunctionDef, which: str) -> list[tuple[str, str, bool]]:
    """Name, kind, and whether there is a default; without the receiver."""
    arguments, kinds = form.args, inspect.Parameter
    if which == "attributes":
        pairs = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        return [(item.arg, "attribute", default is not None) for item, default in pairs]
    positional = [*arguments.posonlyargs, *arguments.args]
    required = len(positional) - len(arguments.defaults)
    found = []
    for index, item in enumerate(positional):
        kind = kinds.POSITIONAL_ONLY if item in arguments.posonlyargs else kinds.POSITIONAL_OR_KEYWORD
        found.append((item.arg, str(kind), index >= required))
    variadic = [] if arguments.vararg is None else [(arguments.vararg.arg, str(kinds.VAR_POSITIONAL), False)]
    return [*found[1:], *variadic]


@pytest.mark.parametrize(
    ("onnx_type", "expected"),
    [
        ("tensor(float)", "FLOAT"),
        ("tensor(float8e4m3fn)", "FLOAT8E4M3FN"),
        ("seq(tensor(int64))", "_Sequence[INT64]"),
        ("optional(seq(tensor(bool)))", "_Sequence[BOOL] | None"),
        ("map(int64, float)", "_Mapping[int, float]"),
        ("seq(map(string, float))", "_Sequence[_Mapping[str, float]]"),
    ],
)
def test_onnx_types_have_python_types(onnx_type: str, expected: str) -> None:
    assert python_type(onnx_type) == expected


@pytest.mark.parametrize(
    ("onnx_types", "expected"),
    [
        (("tensor(float)", "tensor(int64)", "tensor(bool)"), "_Floats"),
        (("tensor(int64)", "tensor(uint8)", "tensor(bool)"), "_Ints"),
        (("tensor(bool)",), "_Bools"),
        (("tensor(string)", "tensor(double)"), "_Floats | _Strings"),
        (("seq(tensor(float))",), ""),
    ],
)
def test_constants_stand_for_tensors_of_their_kind(onnx_types: tuple[str, ...], expected: str) -> None:
    assert literals(onnx_types) == expected


@pytest.mark.parametrize(
    ("name", "opset", "expected"),
    [
        ("Softmax", 18, ["def Softmax(self, input: T_floats | _Array | _Floats, *, axis: int = -1) -> T_floats:"]),
        (
            "TopK",
            18,
            [
                "def TopK(",
                "    self,",
                "    X: T_numbers | _Array | _Floats,",
                "    K: INT64 | _Array | _Ints,",
                "    *,",
                "    axis: int = -1,",
                "    largest: int = 1,",
                "    sorted: int = 1,",
                ") -> tuple[T_numbers, INT64]:",
            ],
        ),
        ("Concat", 18, ["def Concat(self, *inputs: T_mixed | _Array | _Floats | _Strings, axis: int) -> T_mixed:"]),
        ("If", 18, None),
        ("SequenceAt", 18, None),
        ("SplitToSequence", 18, None),
    ],
)
def test_methods(name: str, opset: int, expected: list[str] | None) -> None:
    found = signature("", name, opset)
    assert found is not None
    (form,) = method(found, Names()).overloads
    lines = form.lines(name)
    if expected is None:
        assert form.result in ("_AnyTensor", "_Item", "_Sequence[_Item]")
    else:
        assert lines == expected


def test_deprecated_operators_are_marked(rendered: dict[str, str]) -> None:
    assert '@_deprecated("Upsample is deprecated since opset 10")' in rendered["opsets/generated/opset10.pyi"]


def test_the_command_removes_stubs_of_no_use(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path)]) == 2
    assert COMMAND in capsys.readouterr().err
    (tmp_path / "opsets" / "generated").mkdir(parents=True)
    (tmp_path / "opsets" / "generated" / "opset99.pyi").write_text("")
    assert main([str(tmp_path)]) == 0
    assert not (tmp_path / "opsets" / "generated" / "opset99.pyi").exists()
    assert (tmp_path / "types.pyi").is_file()
