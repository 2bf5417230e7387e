"""The generated package: its files as golden text, and what type checkers make of calls."""

from __future__ import annotations

import importlib
import inspect
import json
import os
import pydoc
import re
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import opwright
import pytest
from opwright.bundle.format import AttributeEntry, DomainEntry, FunctionEntry, Index, InputEntry, OutputEntry
from opwright.bundle.function_words import call_text, literal, python_signature, quoted
from opwright_build.package.stub_docs import escape
from opwright_build.package.stub_signatures import TypeVariables, signatures
from opwright_build.package.typed_package import render_stubs

from tests.mypy_runs import SETTINGS, Mypy
from tests.package.sample import bundle_bytes, sample_library

GOLDEN = Path(__file__).parent / "golden"
LIBRARY = Path(opwright.__file__).parents[1]
BUNDLE = sample_library()

GOOD_CALLS = """
from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import assert_type

from acme_ops import opset1, opset3 as acme
from opwright.types import DOUBLE, FLOAT, INT64


def calls(x: FLOAT, d: DOUBLE, a: NDArray[np.float32], unknown: Any) -> None:
    assert_type(acme.Scale(x), FLOAT)
    assert_type(acme.Scale(d, alpha=0.25, mode="down"), DOUBLE)
    assert_type(acme.Scale(a), NDArray[Any])
    assert_type(acme.Split2(x), tuple[FLOAT, INT64])
    assert_type(acme.Split2(x=d), tuple[DOUBLE, INT64])
    assert_type(acme.Limit(x), FLOAT)
    assert_type(acme.Limit(x, x), FLOAT)
    assert_type(acme.Limit(x, most=None), FLOAT)
    assert_type(acme.Limit(x, 1.0), FLOAT)
    assert_type(acme.Limit(x, [1, 2]), FLOAT)
    assert_type(acme.Scale([1.0, 2.0]), NDArray[Any])
    assert_type(acme.Limit([[1.0]], a), NDArray[Any])
    assert_type(acme.Limit(a, 2), NDArray[Any])
    assert_type(opset1.Scale(x, alpha=1), FLOAT)
    assert_type(acme.Scale.identity, str)
    acme.Twice(unknown)
    acme.Twice.to_function_protos(opset=18, variant={"T": "float"})
"""

BAD_CALLS = {
    "acme.Scale(i)": "a type outside the constraint",
    "acme.Limit(x, d)": "two types for one variable",
    "acme.Scale()": "a missing input",
    "acme.Scale(x, x)": "a surplus input",
    "acme.Scale(x, 0.5)": "an attribute by position",
    'acme.Scale(x, mode="sideways")': "a value outside the choices",
    'acme.Scale(x, alpha="1")': "an attribute of another type",
    "acme.Scale(x, beta=1.0)": "an unknown attribute",
    'opset1.Scale(x, mode="up")': "an attribute of a later version",
    "opset1.Twice(x)": "a function of a later version",
    "acme.Nothing(x)": "an unknown function",
    'acme.Limit(x, "1")': "a string for a number",
    "acme.Scale.identiti": "an unknown attribute of a function",
    "acme._Scale": "what is no function",
}
BAD_HEAD = """
from acme_ops import opset1, opset3 as acme
from opwright.types import DOUBLE, FLOAT, INT32


def calls(x: FLOAT, d: DOUBLE, i: INT32) -> None:
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("project")
    for path, data in render_stubs(BUNDLE.index).items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_bytes(data)
    (root / "acme_ops" / "acme-ops-1.0.0.onnxlib").write_bytes(bundle_bytes(BUNDLE))
    (root / "good.py").write_text(GOOD_CALLS)
    (root / "bad.py").write_text(BAD_HEAD + "".join(f"    {call}\n" for call in BAD_CALLS))
    (root / "mypy.ini").write_text(SETTINGS)
    settings = {"extraPaths": [str(LIBRARY)], "typeCheckingMode": "strict", "reportUnusedExpression": False}
    (root / "pyrightconfig.json").write_text(json.dumps(settings))
    return root


def errors(output: str) -> dict[str, set[int]]:
    """The lines in which a checker reports errors, by file."""
    found: dict[str, set[int]] = {}
    for match in re.finditer(r"^\s*(\S+?\.pyi?):(\d+)\b.*? error", output, re.MULTILINE):
        found.setdefault(Path(match[1]).name, set()).add(int(match[2]))
    return found


def expected_lines() -> set[int]:
    first = BAD_HEAD.count("\n") + 1
    return set(range(first, first + len(BAD_CALLS)))


def environment(project: Path) -> dict[str, str]:
    return {"MYPYPATH": os.pathsep.join([str(LIBRARY), str(project)])}


@pytest.mark.long
def test_mypy_strict(project: Path, mypy_runs: Mypy) -> None:
    done = mypy_runs.run(["good.py", "bad.py", "acme_ops"], project, environment(project))
    assert errors(done.stdout) == {"bad.py": expected_lines()}, done.stdout + done.stderr
    assert done.returncode == 1, done.stdout


@pytest.mark.long
def test_pyright_strict(project: Path) -> None:
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "good.py", "bad.py", "acme_ops"]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, timeout=300)
    assert errors(done.stdout) == {"bad.py": expected_lines()}, done.stdout + done.stderr
    assert done.returncode == 1, done.stdout


def test_the_files(golden: Callable[[Path, str], None]) -> None:
    files = render_stubs(BUNDLE.index)
    assert sorted(files) == [
        "acme_ops/__init__.py",
        *(f"acme_ops/_opset{version}.pyi" for version in (1, 2, 3)),
        *(f"acme_ops/opset{version}.{suffix}" for version in (1, 2, 3) for suffix in ("py", "pyi")),
        "acme_ops/py.typed",
    ]
    for path in ("acme_ops/__init__.py", "acme_ops/opset3.py", "acme_ops/opset3.pyi", "acme_ops/_opset3.pyi"):
        golden(GOLDEN / f"{Path(path).name}.txt", files[path].decode())


def test_no_line_ends_in_a_space_and_every_file_compiles() -> None:
    for path, data in render_stubs(BUNDLE.index).items():
        assert all(line == line.rstrip() for line in data.decode().splitlines()), path
        compile(data, path, "exec")


@pytest.fixture
def package(project: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.syspath_prepend(project)
    yield project
    for name in [name for name in sys.modules if name.partition(".")[0] == "acme_ops"]:
        del sys.modules[name]


def test_the_modules_find_what_their_stubs_promise(package: Path) -> None:
    for version, names in ((1, ["Scale", "Split2"]), (2, ["Limit", "Scale", "Split2"])):
        module = importlib.import_module(f"acme_ops.opset{version}")
        assert dir(module) == names
        assert {getattr(module, name).since_version for name in names} <= {1, 2}
    newest = importlib.import_module("acme_ops.opset3")
    found = [getattr(newest, name).identity for name in dir(newest)]
    assert found == ["com.acme::Limit@2", "com.acme::Scale@3", "com.acme::Split2@1", "com.acme::Twice@3"]
    assert newest.Split2 is importlib.import_module("acme_ops.opset1").Split2
    with pytest.raises(AttributeError, match=r"com\.acme has no function 'Twice' at version 1$"):
        importlib.import_module("acme_ops.opset1").Twice  # noqa: B018 - the look-up is what fails


def test_a_name_that_is_misspelt_has_a_suggestion(package: Path) -> None:
    newest = importlib.import_module("acme_ops.opset3")
    with pytest.raises(AttributeError, match=r"no function 'scal' at version 3; did you mean 'Scale'\?") as caught:
        newest.scal  # noqa: B018
    assert "Did you mean" not in "".join(traceback.format_exception(caught.value)), "Python guesses as well"
    with pytest.raises(AttributeError, match=r"'_ipython_display_' at version 3$"):
        newest._ipython_display_  # noqa: B018


def test_what_a_function_says_of_itself(package: Path, golden: Callable[[Path, str], None]) -> None:
    scale = importlib.import_module("acme_ops.opset3").Scale
    assert repr(scale) == "<com.acme::Scale@3 of acme_ops>"
    assert scale.__name__ == "Scale"
    assert str(inspect.signature(scale)) == "(x, *, alpha: float = 0.1, mode: str = 'up')"
    limit = importlib.import_module("acme_ops.opset2").Limit
    assert str(inspect.signature(limit)) == "(x, most=None)"
    lines = pydoc.plain(pydoc.render_doc(scale)).splitlines()
    golden(GOLDEN / "help.txt", "".join(f"{line.rstrip()}\n" for line in lines))  # Python 3.13 pads no empty lines


def test_signatures_of_odd_interfaces() -> None:
    entry = odd_index().functions[0]
    assert str(python_signature(entry)) == (
        "(self=None, *more, none: int = None, list: collections.abc.Sequence[int] = (3,), flag: bool = True, "
        "text: str = 'say \"\\\\n\"\\n', big: float = -inf, small: float, size: int = 2, body)"
    )
    assert call_text(entry).split(", none: ") == [
        "Any(self: T | None = None, *more: float",
        "int | None = None, list: Sequence[int] = (3,), flag: bool = True, "
        r'text: str = "say \"\\n\"\n", big: float = float("-inf"), small: float, size: int = 2, body: Graph) '
        "-> tuple[Only, T]",
    ]


def test_inputs_of_any_type_do_not_tell_arrays_from_tensors() -> None:
    entry = replace(
        odd_index().functions[0],
        inputs=(InputEntry("x", "any"),),
        outputs=(OutputEntry("size", "int64"),),
        attributes=(),
    )
    (found,) = signatures(entry, TypeVariables())
    assert found.result == "_Any"


def test_further_domains_have_modules_of_their_own() -> None:
    index = BUNDLE.index
    other = replace(index.functions[0], domain="com.acme-nn", since_version=1)
    domains = (*index.domains, DomainEntry("com.acme-nn", 1, "com.acme-nn"))
    files = render_stubs(replace(index, domains=domains, functions=(*index.functions, other)))
    assert "acme_ops/com_acme_nn_opset1.pyi" in files
    assert "acme_ops/opset1.pyi" in files


def odd_index() -> Index:
    """Interfaces that could trip a generator."""
    function = FunctionEntry(
        domain="com.acme",
        name="Any",
        since_version=1,
        summary='Ends in a quote: "',
        doc='Three quotes """ and a backslash \\ and a bell \a.',
        deprecated=True,
        inputs=(InputEntry("self", "T", optional=True), InputEntry("more", "float", variadic=True)),
        outputs=(OutputEntry("y", "Only"), OutputEntry("z", "T")),
        attributes=(
            AttributeEntry("none", "INT", False),
            AttributeEntry("list", "INTS", False, (3,)),
            AttributeEntry("flag", "INT", False, 1, is_bool=True),
            AttributeEntry("text", "STRING", False, 'say "\\n"\n'),
            AttributeEntry("big", "FLOAT", False, float("-inf")),
            AttributeEntry("small", "FLOAT", True),
            AttributeEntry("size", "INT", False, 2, choices=(2, 4)),
            AttributeEntry("body", "GRAPH", True),
        ),
        types=(("T", ("float", "int4")), ("Only", ("float8e4m3fn", "bool"))),
        bodies=(),
    )
    return replace(
        BUNDLE.index, functions=(function, replace(function, name="Final"), replace(function, name="Literal"))
    )


@pytest.mark.long
def test_odd_interfaces(tmp_path: Path, golden: Callable[[Path, str], None], mypy_runs: Mypy) -> None:
    files = render_stubs(odd_index())
    golden(GOLDEN / "odd.pyi.txt", files["acme_ops/opset1.pyi"].decode())
    golden(GOLDEN / "_odd.pyi.txt", files["acme_ops/_opset1.pyi"].decode())
    for path, data in files.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_bytes(data)
    (tmp_path / "mypy.ini").write_text(SETTINGS)
    done = mypy_runs.run(["acme_ops"], tmp_path, environment(tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr


def test_sequences_and_what_may_be_anything() -> None:
    function = FunctionEntry(
        domain="com.acme",
        name="Map",
        since_version=1,
        summary="",
        doc="",
        deprecated=False,
        inputs=(InputEntry("xs", "seq(T)"), InputEntry("more", "any", variadic=True)),
        outputs=(OutputEntry("x", "T"), OutputEntry("ys", "seq(any)")),
        attributes=(),
        types=(("T", ("float", "bool")),),
        bodies=(),
    )
    for_tensors, for_arrays = signatures(function, TypeVariables())
    assert for_tensors.parameters[2:] == ("xs: _Sequence[_T1]", "*more: _Any")
    assert for_tensors.result == "tuple[_T1, _Sequence[_Any]]"
    assert for_arrays.parameters[2:] == ("xs: _Sequence[_NDArray[_Any]]", "*more: _Any")
    assert for_arrays.result == "tuple[_NDArray[_Any], _Sequence[_Any]]"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.20000000298023224, "0.2"),
        (1.6732631921768188, "1.6732632"),
        (1.0, "1.0"),
        (9.999999747378752e-06, "1e-05"),
        (float("nan"), 'float("nan")'),
        (-0.0, "-0.0"),
    ],
)
def test_floats_are_written_as_short_as_float32_allows(value: float, text: str) -> None:
    assert literal(AttributeEntry("a", "FLOAT", False, value)) == text


def test_text_cannot_end_its_literal() -> None:
    for text in ('"""', '\\"""', "\\", '"\\"', "a\u202eb\0", '""""'):
        assert eval(f'"""{escape(text)} """') == f"{text} "
        assert eval(quoted(text)) == text
    assert eval(quoted('a\n"b"')) == 'a\n"b"'
