"""Where the source text of a live function comes from, and what is refused."""

from __future__ import annotations
import __future__

import ast
import gc
import importlib.util
import linecache
import os
import py_compile
import sys
import time
import zipfile
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from opwright import DiagnosticError, compile_source, script
from opwright import opset18 as op
from opwright.live import function_source

PROGRAM = """\
from opwright import FLOAT, opset18 as op, script

@script()
def f(x):
    return op.{operator}(x)
"""


def findings(function: Callable[[], object]) -> list[tuple[str, int, int]]:
    """Codes, lines and columns of what is found."""
    with pytest.raises(DiagnosticError) as raised:
        function()
    places = [(item.code, item.place) for item in raised.value.diagnostics]
    return [(code, place.line, place.column) for code, place in places if place is not None]


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_text_that_is_kept_nowhere_may_be_one_under_a_magic_of_ipython() -> None:
    """`%%time` runs a cell under the name `<timed exec>`, by which no text is found."""
    names: dict[str, Any] = {}
    exec(compile(PROGRAM.format(operator="Tanh"), "<timed exec>", "exec"), names)
    with pytest.raises(DiagnosticError) as caught:
        names["f"].to_function_proto()
    (found,) = caught.value.diagnostics
    assert found.code == "OW351"
    assert "`%%time`" in found.reason and "a cell without a magic" in found.help


def test_places_are_those_of_the_file() -> None:
    def outer() -> object:
        if True:

            @script(
                default_opset=op,
            )
            def nested(x):
                y = op.Relu(x)
                return op.Reluu(y)  # the place of this call is expected below

            return nested.to_function_proto()
        return None

    line = next(
        number
        for number, text in enumerate(Path(__file__).read_text(encoding="utf-8").splitlines(), 1)
        if "the place of this call" in text
    )
    assert findings(outer) == [("OW201", line, 24)]


def test_a_decorator_that_is_applied_twice_is_no_recursion() -> None:
    text = """from opwright import FLOAT, script
def add_one(f):
    def inner(x):
        return f(x) + 1
    return inner
@add_one
@add_one
def doubled(x):
    return x * 2
@script()
def F(x: FLOAT["N"]):
    return doubled(x)
"""
    assert [
        node.op_type for node in compile_source(text, "F").to_function_proto(18).node if node.op_type != "Constant"
    ] == ["Mul", "Add", "Add"]


def test_decorators_on_both_sides() -> None:
    def same(function):
        return function

    @script()
    @same
    def inner_first(x):
        return op.Abs(x)

    @same
    @script()
    def outer_last(x):
        return op.Neg(x)

    assert [node.op_type for node in inner_first.to_function_proto().node] == ["Abs"]
    assert [node.op_type for node in outer_last.to_function_proto().node] == ["Neg"]


DECORATED = """\
from opwright import FLOAT, opset18 as op, script

def said(text, other=""):
    return lambda function: function

{decorators}
def f(x):
    return op.Reluu(x)
"""


@pytest.mark.parametrize(
    "decorators",
    [
        "@script()",
        '@said("one")\n@script()\n@said("other")',
        "@script(\n    default_opset=op,\n)",
        '@said("""\ndef f(x):\n    return op.Abs(x)\n""")\n@script()',
        '@said("""def f(x):\n    return op.Abs(x)""")\n@script()',
        '@said("a text \\\ndef f(x): return op.Abs(x)")\n@script()',
        "@script()\n# a comment\n\n@said('last')",
    ],
)
def test_decorators_of_one_and_of_many_lines(decorators: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "decorated.py"
    text = DECORATED.format(decorators=decorators)
    path.write_text(text, encoding="utf-8")
    monkeypatch.setattr(function_source, "STARTED", time.time() + 60)  # as an old file it is read function by function
    line = next(number for number, line in enumerate(text.splitlines(), 1) if "Reluu" in line)
    assert findings(load(path).f.to_function_proto) == [("OW201", line, 12)]


def test_one_compilation_looks_at_a_file_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    called = "".join(f"@script()\ndef f{index}(x):\n    return op.Abs(x)\n\n" for index in range(20))
    main = f"@script()\ndef main(x: FLOAT[2]):\n    return {' + '.join(f'f{index}(x)' for index in range(20))}\n"
    path = tmp_path / "many.py"
    path.write_text(f"from opwright import FLOAT, opset18 as op, script\n\n{called}{main}", encoding="utf-8")
    monkeypatch.setattr(function_source, "STARTED", time.time() + 60)
    function, looked = load(path).main, list[object]()
    stat = os.stat
    monkeypatch.setattr(os, "stat", lambda file, **how: (looked.append(file), stat(file, **how))[1])
    function.to_model_proto()
    assert 1 <= looked.count(str(path)) <= 2  # linecache looks, too


def test_script_without_parentheses() -> None:
    @script
    def plain(x):
        return op.Abs(x)

    assert plain.name == plain.__name__ == "plain"
    assert [node.op_type for node in plain.to_function_proto().node] == ["Abs"]


def test_decorating_compiles_nothing() -> None:
    @script()
    def wrong(x):
        return op.NoSuchOperator(x)

    assert wrong.__doc__ is None


def test_a_cell_of_a_notebook() -> None:
    """A notebook's cell is no file: its text stands in linecache, under the name that its code has."""
    text = PROGRAM.format(operator="Tanh")
    name = "/tmp/ipykernel_1/12345.py"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    names: dict[str, object] = {}
    exec(compile(text, name, "exec"), names)
    assert [node.op_type for node in names["f"].to_function_proto().node] == ["Tanh"]


def test_a_cell_that_awaits_under_flags_of_its_shell() -> None:
    """The text is held against what Python ran, with the flags that it ran with."""
    inner = "    def inner(y: x):\n        return op.Neg(y)\n    return inner(op.{operator}(x))\n"
    text = PROGRAM.replace("    return op.{operator}(x)\n", inner).format(operator="Tanh") + "\nawait now()\n"
    name = "/tmp/ipykernel_1/67890.py"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT | __future__.annotations.compiler_flag

    async def now() -> None:
        return None

    names: dict[str, object] = {"now": now}
    running = eval(compile(text, name, "exec", flags, dont_inherit=True), names)
    with pytest.raises(StopIteration):
        running.send(None)
    assert [node.op_type for node in names["f"].to_function_proto().node] == ["Tanh", "Neg"]


def test_text_that_is_run_under_the_name_of_an_old_file(tmp_path: Path) -> None:
    """An editor may run a buffer that is not saved: what runs need not be what the file has."""
    path = tmp_path / "buffer.py"
    path.write_text(PROGRAM.format(operator="Tanh"), encoding="utf-8")
    os.utime(path, (1_000_000_000, 1_000_000_000))
    names: dict[str, object] = {}
    exec(compile(PROGRAM.format(operator="Sqrt"), str(path), "exec"), names)
    assert [code for code, _, _ in findings(names["f"].to_function_proto)] == ["OW351"]
    exec(compile(PROGRAM.format(operator="Tanh"), str(path), "exec"), names)
    assert [node.op_type for node in names["f"].to_function_proto().node] == ["Tanh"]


def test_a_cell_whose_text_is_another_now() -> None:
    name = "/tmp/ipykernel_1/13579.py"
    run, kept = (PROGRAM.format(operator=operator) for operator in ("Tanh", "Sqrt"))
    names: dict[str, object] = {}
    exec(compile(run, name, "exec"), names)
    linecache.cache[name] = (len(kept), None, kept.splitlines(keepends=True), name)
    assert [code for code, _, _ in findings(names["f"].to_function_proto)] == ["OW351"]


def test_a_text_is_kept_while_something_of_it_lives() -> None:
    inner = "\ndef makes():\n    def inner(x):\n        return op.Abs(x)\n    return inner\n"
    text = PROGRAM.format(operator="Tanh") + inner
    one, other = compile_source(text, "f"), compile_source(text, "f")
    file = one.__wrapped__.__code__.co_filename
    made = other.__wrapped__.__globals__["makes"]()
    del one, other
    gc.collect()
    assert "".join(linecache.getlines(file)) == text
    assert [node.op_type for node in script()(made).to_function_proto().node] == ["Abs"]
    del made
    gc.collect()
    assert file not in linecache.cache and file not in function_source._PARSED
    assert [node.op_type for node in compile_source(text, "f").to_function_proto().node] == ["Tanh"]


def test_a_text_is_parsed_and_compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*given: object) -> object:
        raise AssertionError(given)

    for text in (PROGRAM, "from __future__ import annotations\n" + PROGRAM):
        function = compile_source(text.format(operator="Sinh"), "f")
        with monkeypatch.context() as patched:
            patched.setattr(function_source, "parse", never)
            patched.setattr(function_source, "_made_of", never)
            assert [node.op_type for node in function.to_function_proto().node] == ["Sinh"]


def test_a_few_texts_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(function_source, "_KEPT", 3)
    made = [compile_source(PROGRAM.format(operator=name), "f") for name in ("Sin", "Cos", "Tan", "Exp", "Log")]
    assert [item.to_function_proto().node[0].op_type for item in made] == ["Sin", "Cos", "Tan", "Exp", "Log"]
    assert len(function_source._PARSED) == 3


def test_text_that_is_executed_leaves_nothing_behind() -> None:
    names: dict[str, object] = {}
    exec(PROGRAM.format(operator="Tanh"), names)
    assert [code for code, _, _ in findings(names["f"].to_function_proto)] == ["OW351"]


def test_a_file_that_changed_after_its_import(tmp_path: Path) -> None:
    path = tmp_path / "changing.py"
    path.write_text(PROGRAM.format(operator="Tanh"), encoding="utf-8")
    module = load(path)
    path.write_text(PROGRAM.format(operator="Abs"), encoding="utf-8")
    os.utime(path, (path.stat().st_atime, path.stat().st_mtime + 5))
    assert [code for code, _, _ in findings(module.f.to_function_proto)] == ["OW351"]


def test_an_older_file_in_the_place_of_the_imported_one(tmp_path: Path) -> None:
    """What is moved or copied may keep the time at which it was written."""
    path, other = tmp_path / "replaced.py", tmp_path / "other.py"
    for file, operator in ((path, "Tanh"), (other, "Sqrt")):
        file.write_text(PROGRAM.format(operator=operator), encoding="utf-8")
        os.utime(file, (1_000_000_000, 1_000_000_000 + len(file.name)))
    module = load(path)
    other.replace(path)
    assert [code for code, _, _ in findings(module.f.to_function_proto)] == ["OW351"]


@pytest.mark.parametrize("level", [0, 1, 2])
def test_a_text_that_is_compiled_at_a_level_of_optimisation(level: int, tmp_path: Path) -> None:
    path = tmp_path / "optimised.py"
    text = PROGRAM.format(operator="Tanh").replace("    return", '    "What it does."\n    return')
    path.write_text(text, encoding="utf-8")
    names: dict[str, Any] = {}
    exec(compile(text, str(path), "exec", optimize=level), names)
    assert [node.op_type for node in names["f"].to_function_proto().node] == ["Tanh"]


def test_form_feeds_of_a_file_in_an_archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """linecache ends a line there, and Python does not."""
    text = PROGRAM.format(operator="Tanh")
    with zipfile.ZipFile(tmp_path / "pages.zip", "w") as archive:
        archive.writestr("opwright_pages.py", text + "\f\n" + text[text.index("@") :].replace("def f", "def g"))
    monkeypatch.syspath_prepend(str(tmp_path / "pages.zip"))
    module = importlib.import_module("opwright_pages")
    for function in (module.f, module.g):
        assert [node.op_type for node in function.to_function_proto().node] == ["Tanh"]


def test_a_file_that_is_imported_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    path = tmp_path / "again.py"
    for operator in ("Tanh", "Abs"):
        path.write_text(PROGRAM.format(operator=operator), encoding="utf-8")
        os.utime(path, (path.stat().st_atime, path.stat().st_mtime + len(operator)))
        assert [node.op_type for node in load(path).f.to_function_proto().node] == [operator]


def test_a_file_with_crlf_and_tabs(tmp_path: Path) -> None:
    path = tmp_path / "windows.py"
    path.write_bytes(PROGRAM.format(operator="Sqrt").replace("    ", "\t").replace("\n", "\r\n").encode())
    assert [node.op_type for node in load(path).f.to_function_proto().node] == ["Sqrt"]


def test_lambdas_and_methods_are_refused() -> None:
    class Model:
        @script()
        def forward(self, x):
            return x

        @staticmethod
        @script()
        def negated(x):
            return op.Neg(x)

    assert [node.op_type for node in Model.negated.to_function_proto().node] == ["Neg"]
    assert [code for code, _, _ in findings(script()(lambda x: x).to_function_proto)] == ["OW351"]
    assert [code for code, _, _ in findings(Model.forward.to_function_proto)] == ["OW351"]
    with pytest.raises(TypeError, match="script decorates functions, not type"):
        script()(Model)


def test_a_text_that_is_given() -> None:
    text = "from opwright import opset18 as op\n\nK = 3.0\n\n\ndef f(x):\n    return op.Mul(x, K)\n"
    assert compile_source(text, "f").to_function_proto().node[-1].op_type == "Mul"
    assert [code for code, _, _ in findings(lambda: compile_source("def f(:", "f"))] == ["OW301"]
    assert [code for code, _, _ in findings(lambda: compile_source(text, "g"))] == ["OW322"]
    wrong = compile_source(text.replace("Mul", "Mull"), "f")
    assert findings(wrong.to_function_proto) == [("OW201", 7, 12)]


def test_functions_typed_in_a_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    """The plain shell keeps no text, but readline has what was typed, without the empty lines."""
    typed = [
        "from opwright import script, opset18 as op",
        "@script()",
        "def f(x):",
        "    if x is not None:",
        "        x = op.Tanh(x)",
        "    return op.Abs(x)",
        "def helper(x):",
        "    return op.Neg(x)",
        "@script(",
        "    default_opset=op,",
        ")",
        "def g(x):",
        "    return helper(x)",
        "g",
    ]
    history = ModuleType("readline")
    history.get_current_history_length = lambda: len(typed)
    history.get_history_item = lambda index: typed[index - 1]
    monkeypatch.setitem(sys.modules, "readline", history)
    names: dict[str, object] = {}
    for first, last in ((0, 1), (1, 6), (6, 8), (8, 13)):
        exec(compile("\n".join(typed[first:last]) + "\n", "<stdin>", "single", dont_inherit=True), names)
    assert [node.op_type for node in names["f"].to_function_proto().node] == ["Tanh", "Abs"]
    assert [node.op_type for node in names["g"].to_function_proto().node] == ["Neg"]
    typed[5] = "    return op.NoSuch(x)"
    exec(compile("\n".join(typed[1:6]) + "\n", "<stdin>", "single", dont_inherit=True), names)
    assert findings(names["f"].to_function_proto) == [("OW201", 5, 12)]
    typed[4] = "        x = op.Sqrt(x)"
    names["f"].compiled.clear()
    assert [code for code, _, _ in findings(names["f"].to_function_proto)] == ["OW351"]


def test_a_module_without_its_source_is_told_as_such(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (
        "from opwright import script\nfrom opwright import opset18 as op\n@script()\ndef f(x):\n    return op.Relu(x)\n"
    )
    source = tmp_path / "shipped_without_source.py"
    source.write_text(text)
    py_compile.compile(str(source), str(tmp_path / "shipped_without_source.pyc"))
    source.unlink()
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(DiagnosticError) as raised:
        import_module("shipped_without_source").f.to_function_proto()
    (found,) = raised.value.diagnostics
    assert found.code == "OW351"
    assert "a compiled module (.pyc) holds no text" in found.reason
