"""What objects on the public import path find on first use."""

from __future__ import annotations

import ast
import gc
import sys
from importlib import import_module
from pathlib import Path
from subprocess import run

import opwright
import pytest
from opwright import first_use

LIBRARY = Path(opwright.__file__).parent


@pytest.mark.parametrize("name", sorted(first_use._HOMES))
def test_each_name_is_a_function_of_its_home(name: str) -> None:
    home = first_use._HOMES[name]
    assert first_use.find(name) is getattr(import_module(home), name)
    assert first_use.find(name).__module__ == home


@pytest.mark.long
def test_every_name_that_is_asked_for_has_a_home_and_each_home_is_asked_for() -> None:
    asked = set()
    for path in LIBRARY.rglob("*.py"):
        calls = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)]
        named = [call.args[0] for call in calls if isinstance(call.func, ast.Name) and call.func.id == "find"]
        asked |= {name.value for name in named if isinstance(name, ast.Constant)}
    assert asked == set(first_use._HOMES)


def test_an_unknown_name_is_an_error() -> None:
    with pytest.raises(KeyError):
        first_use.find("no_such_function")


def test_nothing_is_found_before_it_is_used() -> None:
    code = "import opwright, sys; from opwright import script, FLOAT, opset18; script(lambda x: x); FLOAT['N']\n"
    code += "print([name for name in sys.modules if name.startswith(('opwright.eager', 'opwright.live', 'onnx'))])"
    shown = run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert shown.stdout.strip() == "[]"


# What a first function and its first call have no use for: libraries and the linker, digests, other ways in.
NOT_NEEDED = (
    "opwright.builder",
    "opwright.bundle.format",
    "opwright.decompiler",
    "opwright.downlevel",
    "opwright.link.catalogue",
    "opwright.link.digests",
    "opwright.link.instantiate",
    "opwright.link.naming",
    "opwright.model",
    "opwright.protos.canonical",
    "opwright.protos.digest",
)
MOST_MODULES = 192


def test_a_first_function_and_its_first_call_import_what_they_need(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    lines = (
        "import sys",
        "import numpy as np",
        "from opwright import FLOAT, opset18 as op, script",
        "@script()",
        "def double(x: FLOAT[...]):",
        "    return op.Relu(x) * 2.0",
        "double.to_function_proto()",
        "double(np.ones((2, 2), np.float32))",
        "print(*[name for name in sys.modules if name.startswith('opwright.')])",
    )
    program.write_text("\n".join(lines), encoding="utf-8")
    shown = run([sys.executable, str(program)], capture_output=True, text=True, check=True, timeout=60).stdout.split()
    assert not [name for name in shown for room in NOT_NEEDED if f"{name}.".startswith(f"{room}.")]
    assert len(shown) <= MOST_MODULES


@pytest.mark.parametrize("collects", [True, False])
def test_modules_are_imported_without_garbage_collections(collects: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[bool] = []

    def note(module: str) -> object:
        found.append(gc.isenabled())
        return sys

    monkeypatch.setattr("importlib.import_module", note)
    before = gc.isenabled()
    try:
        (gc.enable if collects else gc.disable)()
        assert first_use.load_module("anything") is sys
        assert (found, gc.isenabled()) == ([False], collects)
    finally:
        (gc.enable if before else gc.disable)()


def test_the_collector_goes_on_after_an_import_that_fails() -> None:
    assert gc.isenabled()
    with pytest.raises(ModuleNotFoundError):
        first_use.load_module("opwright.no_such_module")
    assert gc.isenabled()
