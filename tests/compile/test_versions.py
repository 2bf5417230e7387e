"""Spec versions over their opset range: classes, bodies, what is out of reach, what is refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from onnx import FunctionProto
from opwright.bundle.format import FunctionEntry
from opwright.diagnostics import Diagnostic, has_errors
from opwright.lang.text.source import Source
from opwright.lang.text.syntax import parse
from opwright_build.compile import CompiledVersion, SpecFiles, compile_version, files
from opwright_build.spec.load import load_library
from opwright_build.spec.model import LoadedLibrary

LIBRARY = 'schema: 1\nlibrary: acme-ops\nversion: 1.0.0\npackage: acme_ops\nopsets: ">=13,<=28"\n'
DOMAIN = "schema: 1\nversion: 2\n"
HEAD = "from opwright import opset18 as op, FLOAT\nfrom acme_ops import opset1 as acme\n\n\n"


def spec(name: str, inputs: str = "{X: T}", types: str = "{T: [float, double]}", extra: str = "") -> str:
    return (
        f"schema: 1\ndomain: com.acme\nname: {name}\nsummary: A function.\nsince_version: 1\nopset: '>=13'\n"
        f"inputs: {inputs}\noutputs: {{Y: T}}\ntypes: {types}\n{extra}"
    )


class Tree:
    """A library on disk and the functions that its functions may call."""

    def __init__(self, root: Path, files: Mapping[str, str]) -> None:
        everything = {"specs/library.yaml": LIBRARY, "specs/com.acme/domain.yaml": DOMAIN, **files}
        for path, text in everything.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")
        self.loaded: LoadedLibrary = load_library(root)
        assert not self.loaded.diagnostics, self.loaded.diagnostics
        self.files = SpecFiles(self.read)
        self.root = root

    def read(self, path: str) -> bytes | None:
        file = self.root / path
        return file.read_bytes() if file.is_file() else None

    def domain_of(self, package: str, prefix: str = "") -> str | None:
        return "com.acme" if package == "acme_ops" else None

    def other_versions(self, package: str, prefix: str, version: int) -> tuple[int, ...] | None:
        return None

    def emitted_domain(self, domain: str) -> str | None:
        return domain if domain == "com.acme" else None

    def function(self, domain: str, name: str, version: int) -> FunctionEntry | None:
        known = [item.name for item in self.loaded.versions]
        return self.compile(name).entry if name in known else None

    def names(self, domain: str) -> tuple[str, ...]:
        return tuple(item.name for item in self.loaded.versions)

    def compile(self, name: str) -> CompiledVersion:
        version = next(item for item in self.loaded.versions if item.name == name)
        version = replace(version, folder=version.folder.relative_to(self.root))
        return compile_version(version, self.files, self)


def one(tmp_path: Path, body: str, parameter: str = "X", **options: str) -> CompiledVersion:
    function = f"{HEAD}def F({parameter}, alpha: float = 1.0):\n    {body}\n"
    files = {"specs/com.acme/F/spec.yaml": spec("F", **options), "specs/com.acme/F/function.py": function}
    return Tree(tmp_path, files).compile("F")


def ranges(compiled: CompiledVersion) -> list[tuple[int, int]]:
    return sorted({(body.first_opset, body.last_opset) for body in compiled.entry.bodies})


def test_opsets_with_the_same_schemas_are_one_class(tmp_path: Path) -> None:
    compiled = one(tmp_path, "return op.Sigmoid(X)")
    assert ranges(compiled) == [(13, 28)]
    assert len(compiled.bodies) == 1
    compiled = one(tmp_path, "return op.Abs(op.Relu(X))")
    assert ranges(compiled) == [(13, 13), (14, 28)]


def test_a_look_up_that_fails_is_part_of_the_class(tmp_path: Path) -> None:
    """CastLike is looked up at opset 14 and not found, so 14 is no class with 15."""
    compiled = one(tmp_path, "return X + 1")
    assert ranges(compiled)[:3] == [(13, 13), (14, 14), (15, 18)]
    variants = [dict(body.variant) for body in compiled.entry.bodies if body.first_opset == 14]
    assert variants == [{"T": "float"}, {"T": "double"}]


def test_what_prevents_an_opset_is_told_with_operator_and_place(tmp_path: Path) -> None:
    compiled = one(tmp_path, "return op.Gelu(X)")
    assert not compiled.entry.bodies
    (found,) = compiled.diagnostics
    assert found.code == "OW621"
    assert found.message == "com.acme::F@1 declares opsets 13 to 19, and has no body there"
    assert (found.subject, str(found.place)) == ("Gelu", "specs/com.acme/F/function.py:6:12")
    assert found.help.startswith('declare `opset: ">=20"`')
    assert str(found.related[0].place) == "specs/com.acme/F/spec.yaml:6:1"


def test_a_constant_that_an_opset_lacks_is_no_type_that_is_not_taken(tmp_path: Path) -> None:
    """The loop of one type needs int64, which constants hold since opset 9, and an attribute's value, since 12."""
    body = "if X.dtype == FLOAT:\n        return op.Abs(X)\n    for i in range(n):\n        X = -X\n    return X"
    function = f"from opwright import opset8 as op, FLOAT\n\n\ndef F(X, n: int = 2):\n    {body}\n"
    files = {
        "specs/library.yaml": LIBRARY.replace(">=13", ">=7"),
        "specs/com.acme/F/function.py": function,
        "specs/com.acme/F/spec.yaml": spec("F").replace(">=13", "==8"),
    }
    (found,) = Tree(tmp_path / "one", files).compile("F").diagnostics
    assert (found.code, found.message) == ("OW208", "`Constant` cannot hold int64 at opset 8")
    assert found.help.startswith("write the function for opset 9, which has it, or cast ")
    files["specs/com.acme/F/spec.yaml"] = spec("F").replace(">=13", ">=7")
    (found,) = Tree(tmp_path / "all", files).compile("F").diagnostics
    assert (found.code, found.message) == ("OW621", "com.acme::F@1 declares opsets 7 to 11, and has no body there")
    assert found.help.startswith('declare `opset: ">=12"`')


def test_a_mistake_is_told_though_other_opsets_have_a_body(tmp_path: Path) -> None:
    """An operator's inputs hang on the opset, the arguments of Python's `range` on nothing."""
    loop = "for i in range({}):\n        X = op.Abs(X)\n    return X"
    body = f"if op.version >= 20:\n        return op.Gelu(X)\n    {loop}"
    assert not has_errors(one(tmp_path, body.format("0, 4, 1")).diagnostics)
    (found,) = one(tmp_path, body.format("0, 4, 1, 1")).diagnostics
    assert (found.code, str(found.place)) == ("OW203", "specs/com.acme/F/function.py:8:14")


def test_types_and_variants_out_of_reach_are_told_one_by_one(tmp_path: Path) -> None:
    compiled = one(tmp_path, "return op.Relu(X)", types="{T: [float, int32, int8]}")
    found = [(gap.first, gap.last, gap.variant, gap.operator) for gap in compiled.unreachable]
    assert found == [(13, 13, (("T", "int32"),), "Relu"), (13, 13, (("T", "int8"),), "Relu")]
    assert "Relu@13, the version at opset 13, does not take int32" in compiled.unreachable[0].reason
    assert str(compiled.unreachable[0].place) == "specs/com.acme/F/function.py:6:12"
    options = {"inputs": "{X: U, like: T}", "types": "{U: [float], T: [double, float8e5m2]}"}
    (gap,) = one(tmp_path, "return op.Cast(X, to=like.dtype)", "X, like", **options).unreachable
    assert (gap.first, gap.last, gap.variant) == (13, 18, (("T", "float8e5m2"),))
    assert gap.reason.startswith("Cast does not give float8e5m2")


def test_a_type_that_some_variants_lack_is_told_with_them(tmp_path: Path) -> None:
    body = "return op.Relu(X) if like is None else op.Abs(X)"
    types = {"inputs": "{X: T, like: U}", "types": "{T: [float, int32], U: [float]}"}
    (gap,) = one(tmp_path, body, "X, like=None", **types).unreachable
    assert (gap.first, gap.last, gap.variant) == (13, 13, (("T", "int32"), ("like", "absent")))


def test_op_version_reaches_further(tmp_path: Path) -> None:
    compiled = one(tmp_path, "return op.Sigmoid(X) if op.version < 20 else op.Gelu(X)")
    assert [body.first_opset for body in compiled.entry.bodies] == [13, 20]
    assert not compiled.unreachable


@pytest.mark.parametrize(
    "body",
    [
        "return op.Abs(X) if op.Size(X) > 2 else X",
        "if op.Size(X) > 2:\n        X = op.Abs(X)\n    return X",
        "for i in range(op.Size(X)):\n        X = op.Abs(X)\n    return X",
    ],
)
def test_a_type_that_old_control_flow_refuses_is_not_admitted_there(tmp_path: Path, body: str) -> None:
    compiled = one(tmp_path, body, types="{T: [float, bfloat16]}")
    admitted = {body.first_opset: dict(body.admits)["T"] for body in compiled.entry.bodies}
    assert admitted[13] == ("float",)
    assert next(admitted[opset] for opset in sorted(admitted, reverse=True) if opset <= 16) == ("float", "bfloat16")


def test_a_type_that_an_old_operator_refuses_is_not_admitted_there(tmp_path: Path) -> None:
    compiled = one(tmp_path, "return op.Relu(X)", types="{T: [float, int32]}")
    admitted = {body.first_opset: dict(body.admits)["T"] for body in compiled.entry.bodies}
    assert admitted == {13: ("float",), 14: ("float", "int32")}


@pytest.mark.parametrize(
    ("inputs", "types", "body", "taken"),
    [
        ("{X: U, like: T}", "{U: [float], T: [double, float8e5m2]}", "op.Cast(X, to=like.dtype)", ("X",)),
        ("{X: U, like: T}", "{U: [float], T: [double, int32]}", "op.Cast(X, to=like.dtype) + like", ("X", "like")),
        ("{X: T, like: T}", "{T: [float, double]}", "op.Abs(X)", ("X", "like")),
    ],
)
def test_an_input_that_only_names_the_variant_is_left_out_of_it(
    tmp_path: Path, inputs: str, types: str, body: str, taken: tuple[str, ...]
) -> None:
    """One of which nothing is asked stays, though nothing reads it."""
    compiled = one(tmp_path, f"return {body}", "X, like", inputs=inputs, types=types)
    assert not has_errors(compiled.diagnostics)
    assert {item.inputs for item in compiled.entry.bodies} == {taken}


def test_bodies_are_anonymous(tmp_path: Path) -> None:
    compiled = one(tmp_path, "scaled = alpha * X\n    return X * op.Sigmoid(scaled)  # a comment")
    body = FunctionProto()
    body.ParseFromString(compiled.bodies[compiled.entry.bodies[-1].body])
    assert list(body.input) == ["i0"]
    assert list(body.output) == ["o0"]
    assert list(body.attribute) == ["a0"]
    assert "scaled" not in str(body)


@pytest.mark.parametrize(
    "body",
    [
        "t = alpha * X\n    return X * op.Sigmoid(t)",
        '"""A docstring."""\n    return X * op.Sigmoid(alpha * X)  # a comment',
        "\n\n    y: Tensor = op.Sigmoid(alpha * X)\n    return X * y",
    ],
)
def test_names_and_comments_change_no_digest(tmp_path: Path, body: str) -> None:
    plain = one(tmp_path, "return X * op.Sigmoid(alpha * X)")
    assert [item.body for item in one(tmp_path, body).entry.bodies] == [item.body for item in plain.entry.bodies]


@pytest.mark.parametrize(
    "body", ["return X * op.Sigmoid(alpha + X)", "return X * op.Sigmoid(X)", "return X + op.Sigmoid(alpha * X)"]
)
def test_meaning_changes_digests(tmp_path: Path, body: str) -> None:
    plain = one(tmp_path, "return X * op.Sigmoid(alpha * X)")
    assert not set(one(tmp_path, body).bodies) & set(plain.bodies)


def test_functions_call_functions(tmp_path: Path) -> None:
    files = {
        "specs/com.acme/Outer/spec.yaml": spec("Outer"),
        "specs/com.acme/Outer/function.py": f"{HEAD}def Outer(X):\n    return acme.Inner(acme.Inner(X, beta=3.0))\n",
        "specs/com.acme/Inner/spec.yaml": spec("Inner"),
        "specs/com.acme/Inner/function.py": f"{HEAD}def Inner(X, beta: float = 2.0):\n    return X * beta\n",
    }
    tree = Tree(tmp_path, files)
    outer, inner = tree.compile("Outer"), tree.compile("Inner")
    assert not outer.diagnostics
    for body in outer.entry.bodies:
        assert {call.name for call in body.calls} == {"Inner"}
        assert {call.body for call in body.calls} <= set(inner.bodies)
    below = [dict(body.variant) for body in outer.entry.bodies if body.first_opset == 14]
    assert below == [{"T": "float"}, {"T": "double"}]  # the callee has a variant per type there, so the caller has too


@pytest.mark.parametrize("imported", ["from opwright import Opset", "from opwright.opsets import Opset"])
def test_functions_are_called_through_an_opset_by_name(tmp_path: Path, imported: str) -> None:
    head = f'from opwright import opset18 as op\n{imported}\n\nacme = Opset("com.acme", 2)\n\n\n'
    files = {
        "specs/com.acme/Outer/spec.yaml": spec("Outer"),
        "specs/com.acme/Outer/function.py": f"{head}def Outer(X):\n    return op.Abs(acme.Inner(X))\n",
        "specs/com.acme/Inner/spec.yaml": spec("Inner"),
        "specs/com.acme/Inner/function.py": f"{HEAD}def Inner(X):\n    return X * 2.0\n",
    }
    outer = Tree(tmp_path, files).compile("Outer")
    assert not outer.diagnostics
    assert all({call.name for call in body.calls} == {"Inner"} for body in outer.entry.bodies)


@pytest.mark.parametrize(
    ("decorator", "codes"),
    [("@script()", []), ("@script(default_opset=op)", []), ("@cache", ["OW302"]), ("@f", ["OW303"])],
)
def test_a_function_may_stand_under_script_alone(tmp_path: Path, decorator: str, codes: list[str]) -> None:
    head = (
        "from functools import cache\nfrom opwright import script, opset18 as op\n\ndef f(function):\n    return op\n\n"
    )
    files = {
        "specs/com.acme/F/spec.yaml": spec("F"),
        "specs/com.acme/F/function.py": f"{head}\n{decorator}\ndef F(X):\n    return op.Abs(X)\n",
    }
    assert [item.code for item in Tree(tmp_path, files).compile("F").diagnostics] == codes


def test_files_of_the_library_can_be_imported(tmp_path: Path) -> None:
    files = {
        "specs/com.acme/F/spec.yaml": spec("F"),
        "specs/com.acme/F/function.py": "from ..shared import double, K\n\n\ndef F(X):\n    return double(X) * K\n",
        "specs/com.acme/shared.py": "K = 3.0\n\n\ndef double(x):\n    return x + x\n",
    }
    assert not Tree(tmp_path, files).compile("F").diagnostics


@pytest.mark.parametrize(
    ("imports", "read"),
    [
        ("from .. import shared", "shared.{}"),
        ("from .. import shared as own", "own.{}"),
        ("from . import beside", "beside.{}"),
        ("from .inner import deep", "deep.{}"),
        ("from .. import K, double", "{}"),
        ("from .other import shared", "shared.{}"),
    ],
)
def test_files_of_the_library_can_be_imported_whole(tmp_path: Path, imports: str, read: str) -> None:
    text = "K = 3.0\n\n\ndef double(x):\n    return x + x\n"
    function = f"{imports}\n\n\ndef F(X):\n    return {read.format('double')}(X) * {read.format('K')}\n"
    files = {
        "specs/com.acme/F/spec.yaml": spec("F"),
        "specs/com.acme/F/function.py": function,
        "specs/com.acme/F/beside.py": text,
        "specs/com.acme/F/other.py": "from .. import shared\n",
        "specs/com.acme/shared.py": text,
        "specs/com.acme/F/inner/deep.py": text,
        "specs/com.acme/__init__.py": "from .shared import K, double\n" if "K" in imports else "",
    }
    assert not Tree(tmp_path, files).compile("F").diagnostics


@pytest.mark.parametrize(
    ("imports", "code", "message"),
    [
        ("from .. import nothing as shared", "OW310", "`..` defines no `nothing`"),
        ("from .... import outside as shared", "OW310", "is not a file of this library"),
        ("from ..shared import nothing as shared", "OW310", "`shared` defines no `nothing`"),
        ("from .. import broken as shared", "OW301", "never closed"),
        ("from .. import shared", "OW302", "the module `specs/com.acme/shared.py` has no `double`"),
    ],
)
def test_what_a_file_of_the_library_lacks(tmp_path: Path, imports: str, code: str, message: str) -> None:
    files = {
        "specs/com.acme/F/spec.yaml": spec("F"),
        "specs/com.acme/F/function.py": f"{imports}\n\n\ndef F(X):\n    return shared.double(X)\n",
        "specs/com.acme/__init__.py": "",
        "specs/com.acme/shared.py": "K = 3.0\n",
        "specs/com.acme/broken.py": "def f(\n",
    }
    (finding,) = Tree(tmp_path, files).compile("F").diagnostics
    assert (finding.code, message in finding.message) == (code, True), finding


@pytest.mark.parametrize(
    ("helpers", "code", "message", "place"),
    [
        ("def deep(x):\n    return x + nothere\n", "OW302", "`nothere` is not defined", ("helpers", 2)),
        ("K = open('x')\n\n\ndef deep(x):\n    return x + K\n", "OW302", "`open` is not defined", ("helpers", 1)),
        ("import math\n\n\ndef deep(x):\n    return x + math.two\n", "OW302", "`math.two`", ("helpers", 5)),
        ("from .gone import K\n\n\ndef deep(x):\n    return x + K\n", "OW310", "`.gone` is not", ("helpers", 1)),
        ("from .consts import A\n\n\ndef deep(x):\n    return x + A\n", "OW310", "`enum` cannot be", ("consts", 1)),
        ("from .consts import B\n\n\ndef deep(x):\n    return x + B\n", "OW302", "`B` is defined", ("consts", 4)),
        ("from . import consts\n\n\ndef deep(x):\n    return x + consts.C\n", "OW302", "has no `C`", ("helpers", 5)),
    ],
)
def test_names_of_a_helper_in_another_file(
    tmp_path: Path, helpers: str, code: str, message: str, place: tuple[str, int]
) -> None:
    """They are looked up long after the file was imported, and again for each variant and trial."""
    steps = "    for i in range(n):\n        X = deep(X)\n    return deep(X) if low is None else deep(X + low)\n"
    files = {
        "specs/com.acme/F/spec.yaml": spec("F", "{X: T, low: T}", extra="attributes: {n: A number.}\n"),
        "specs/com.acme/F/function.py": f"from ..helpers import deep\n\n\ndef F(X, low=None, n: int = 1):\n{steps}",
        "specs/com.acme/helpers.py": helpers,
        "specs/com.acme/consts.py": "import enum\nfrom . import consts\nA = enum.auto()\nB = consts.B\n",
    }
    first, *others = Tree(tmp_path, files).compile("F").diagnostics
    assert (first.code, message in first.message) == (code, True), first
    assert {item.code for item in others} <= {code}
    (note,) = first.related
    assert (note.place.file, note.place.line) == (f"specs/com.acme/{place[0]}.py", place[1])


@pytest.mark.parametrize("module", ["....outside", "..nothing", ".function"])
def test_files_elsewhere_cannot(tmp_path: Path, module: str) -> None:
    files = {
        "specs/com.acme/F/spec.yaml": spec("F"),
        "specs/com.acme/F/function.py": f"from {module} import K\n\n\ndef F(X):\n    return X * K\n",
    }
    (tmp_path.parent / "outside.py").write_text("K = 3.0\n", encoding="utf-8")
    codes = {item.code for item in Tree(tmp_path, files).compile("F").diagnostics}
    assert codes <= {"OW310", "OW302"}
    assert codes


def test_a_byte_order_mark_and_windows_lines_are_no_problem(tmp_path: Path) -> None:
    files = {"specs/com.acme/F/spec.yaml": spec("F"), "specs/com.acme/F/function.py": ""}
    tree = Tree(tmp_path, files)
    text = f"{HEAD}def F(X):\n    return X * nowhere\n".replace("\n", "\r\n")
    (tmp_path / "specs/com.acme/F/function.py").write_bytes(b"\xef\xbb\xbf" + text.encode())
    (diagnostic,) = tree.compile("F").diagnostics
    assert (diagnostic.code, str(diagnostic.place)) == ("OW302", "specs/com.acme/F/function.py:6:16")


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    tree = Tree(tmp_path, {"specs/com.acme/F/spec.yaml": spec("F"), "specs/com.acme/F/function.py": ""})
    (tmp_path / "specs/com.acme/F/function.py").write_bytes(b"def F(X):\n    return '\xff'\n")
    (diagnostic,) = tree.compile("F").diagnostics
    assert (diagnostic.code, diagnostic.place and diagnostic.place.line) == ("OW301", 2)


@pytest.mark.parametrize(
    ("annotation", "agrees"),
    [("FLOAT[...]", False), ("FLOAT[...] | DOUBLE[...]", True), ("Tensor", True), ("FLOAT[2] | DOUBLE[2]", True)],
)
def test_annotations_agree_with_yaml(tmp_path: Path, annotation: str, agrees: bool) -> None:
    compiled = one(tmp_path, "return X * alpha", types="{T: [float, double]}", parameter=f"X: {annotation}")
    assert [item.code for item in compiled.diagnostics] == ([] if agrees else ["OW211"])


@pytest.mark.parametrize(
    ("signature", "expected"),
    [
        ("def F(Z):", ["spec.yaml:7:10 OW211 `X` is no parameter of the function"]),
        (
            "def F(V, W):",
            [
                "function.py:5:7 OW211 the input `V` has no type",
                "function.py:5:10 OW211 the input `W` has no type",
                "spec.yaml:7:10 OW211 `X` is no parameter of the function",
            ],
        ),
        ("def F(X, alpha):", ["function.py:5:10 OW211 the input `alpha` has no type"]),
        ("def F(X, alpha=1.0):", ["function.py:5:16 OW318 the input `alpha` has a default other than None"]),
        ("def F(X: [1]):", ["function.py:5:10 OW317 the annotation of `X` is not understood"]),
        ("def F(X: FLOAT[2, 2**63]):", ["function.py:5:10 OW317 the annotation of `X` is not understood"]),
    ],
)
def test_a_mistake_in_the_interface_is_told_once(tmp_path: Path, signature: str, expected: list[str]) -> None:
    """Of two names that should be one, at the YAML's place, with the other beside it."""
    docs = "attributes: {alpha: The slope.}\n" if "alpha" in signature else ""
    files = {
        "specs/com.acme/F/spec.yaml": spec("F", extra=docs),
        "specs/com.acme/F/function.py": f"{HEAD}{signature}\n    return op.Identity(X)\n",
    }
    found = Tree(tmp_path, files).compile("F").diagnostics
    told = [f"{str(item.place).removeprefix('specs/com.acme/F/')} {item.code} {item.message}" for item in found]
    assert told == expected
    related = [str(other.place) for item in found for other in item.related if other.note.startswith("the input")]
    assert related == (["specs/com.acme/F/function.py:5:7"] if "Z" in signature else [])


@pytest.mark.parametrize(
    "head",
    [b"# coding: latin-1\n", b"#!/usr/bin/python\n# -*- coding: utf-7 -*-\n", b"\n#vim: set fileencoding=cp1252 :\n"],
)
def test_no_file_is_read_in_another_encoding_than_python_would(head: bytes) -> None:
    opened = SpecFiles(lambda path: head + b"x = 1\n").open("function.py")
    assert isinstance(opened, Diagnostic)
    assert (opened.code, opened.place and opened.place.line) == ("OW301", head.count(b"\n"))


@pytest.mark.parametrize(
    "head",
    [b"# coding: utf-8\n", b"# -*- coding: UTF8 -*-\n", b"x = 0\n# coding: latin-1\n", b"\n\n# coding: latin-1\n"],
)
def test_utf_8_may_be_named(head: bytes) -> None:
    assert not isinstance(SpecFiles(lambda path: head + b"x = 1\n").open("function.py"), Diagnostic)


def test_a_file_of_helpers_is_parsed_once_for_all_that_import_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each version is compiled by an action that reads its files anew; another text is another file."""
    parsed: list[str] = []

    def parsing(source: Source) -> object:
        parsed.append(source.name)
        return parse(source)

    monkeypatch.setattr(files, "parse", parsing)
    names = [f"F{number}" for number in range(12)]
    tree = {"specs/com.acme/helpers.py": f"{HEAD}def helper(x):\n    return op.Neg(x)\n"}
    for name in names:
        tree[f"specs/com.acme/{name}/spec.yaml"] = spec(name)
        tree[f"specs/com.acme/{name}/function.py"] = (
            f"from ..helpers import helper\n\n\ndef {name}(X):\n    return helper(X)\n"
        )
    library = Tree(tmp_path, tree)
    for name in names:
        library.files = SpecFiles(library.read)
        assert not library.compile(name).diagnostics
    assert sorted(parsed) == sorted(tree.keys() - {f"specs/com.acme/{name}/spec.yaml" for name in names})
    (tmp_path / "specs/com.acme/helpers.py").write_text(f"{HEAD}helper = 3\n", encoding="utf-8")
    library.files = SpecFiles(library.read)
    assert library.compile("F0").diagnostics


def test_an_operator_may_be_made_of_its_older_version(tmp_path: Path) -> None:
    """At opsets that have the version itself there is none, so its function ends before them."""
    head = "schema: 1\ndomain: ai.onnx\nname: ScatterND\nsummary: Scatter.\nsince_version: 16\n"
    interface = "inputs: {data: T, indices: int64, updates: T}\noutputs: {output: T}\n"
    rest = "attributes: {reduction: How.}\ntypes: {T: [float]}\n"
    source = "from opwright import opset13 as op\n\n\ndef ScatterND(data, indices, updates, reduction: str = 'none'):\n"
    body = "    return op.ScatterND(data, indices, updates)\n"
    for opsets, codes in ((">=13,<=15", []), (">=13,<=16", ["OW217"])):
        files = {
            "specs/ai.onnx/domain.yaml": "schema: 1\nversion: 28\nmirror: acme.ai.onnx\n",
            "specs/ai.onnx/ScatterND/spec.yaml": f"{head}opset: '{opsets}'\n{interface}{rest}",
            "specs/ai.onnx/ScatterND/function.py": source + body,
        }
        compiled = Tree(tmp_path / str(len(codes)), files).compile("ScatterND")
        assert [item.code for item in compiled.diagnostics] == codes
