"""What is done with a hostile file: every command and function of the package that reads such files.

A task gives a word for the outcome: `good`, or the code of the first finding.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from onnx import ModelProto
from opwright.bundle.read import read_bundle_file
from opwright.bundle.write import write_bundle
from opwright.commands import main
from opwright.decompiler.decompile import decompile
from opwright.diagnostics import DiagnosticError
from opwright.diagnostics.exits import Exit
from opwright.graphs.model_file import read_model
from opwright.link.exported import functions_at
from opwright.protos.compare import compare
from opwright.protos.digest import digest

from tests.link.conftest import make_acme, make_standard

Task = Callable[[Path], str]
_GOOD = (Exit.GOOD, Exit.FINDINGS, Exit.USAGE, Exit.INFRASTRUCTURE)


def _command(path: Path, before: tuple[str, ...], after: tuple[str, ...]) -> str:
    status = main([*before, str(path), *after])
    if status not in _GOOD:
        raise AssertionError(f"exit status {status}")
    return str(status)


def _refusable(path: Path, work: Callable[[Path], object]) -> str:
    try:
        work(path)
    except DiagnosticError as error:
        for item in error.diagnostics:
            assert item.code.startswith("OW") and item.message and (item.reason or item.help), item
        return error.diagnostics[0].code
    return "good"


def model_tasks(folder: Path) -> Mapping[str, Task]:
    library = folder / "hostile-acme.onnxlib"
    other = folder / "hostile-std.onnxlib"
    for path, bundle in ((library, make_acme()), (other, make_standard())):
        path.write_bytes(write_bundle(bundle.index, bundle.bodies, {}, bundle.templates))
    given = ("--library", str(library), "--library", str(other))
    out = ("-o", str(folder / "made.onnx"))
    module = folder / "made.py"

    def written(path: Path, *flags: str) -> str:
        for left in folder.glob("made.*"):
            left.unlink()
        return _command(path, ("decompile",), (*flags, "-o", str(module)))

    commands: dict[str, Task] = {
        "attach": partial(_command, before=("attach",), after=(*given, "--replace", *out)),
        "attach --inline": partial(_command, before=("attach",), after=(*given, "--inline", *out)),
        "inspect": partial(_command, before=("inspect",), after=given),
        "detach": partial(_command, before=("detach",), after=out),
        "polyfill --opset": partial(_command, before=("polyfill",), after=(*given, "--opset", "17", *out)),
        "polyfill --runtime": partial(
            _command, before=("polyfill",), after=(*given, "--runtime", "ort==1.17", "--inline", "--json", *out)
        ),
        "decompile": written,
        "decompile --faithful": partial(_faithful, written=written),
        "decompile --check": partial(_checked, written=written),
    }
    functions: dict[str, Callable[[Path], object]] = {
        "compare": lambda path: compare(path, read_model(path)),
        "digest": _digests,
        "decompile(function)": lambda path: [decompile(item) for item in _model(path).functions],
        "decompile(graph)": lambda path: decompile(_model(path).graph),
    }
    return {**commands, **{name: partial(_refusable, work=work) for name, work in functions.items()}}


def _faithful(path: Path, written: Callable[..., str]) -> str:
    return written(path, "--faithful")


def _checked(path: Path, written: Callable[..., str]) -> str:
    return written(path, "--check")


def _model(path: Path) -> ModelProto:
    return read_model(path)


def _digests(path: Path) -> None:
    model = _model(path)
    for function in model.functions[:20]:
        digest(function, model.functions)


def bundle_tasks(folder: Path) -> Mapping[str, Task]:
    def extract(path: Path) -> object:
        bundle = read_bundle_file(path)
        return [functions_at(bundle, opset) for opset in (13, 18, 24)]

    model = folder / "plain.onnx"
    model.write_bytes(_plain_model().SerializeToString())

    def attach(path: Path) -> str:
        return _command(model, ("attach",), ("--library", str(path), "--replace", "-o", str(folder / "made.onnx")))

    return {
        "extract": partial(_refusable, work=extract),
        "attach": attach,
        "decompile": lambda path: _command(path, ("decompile",), ()),
    }


def _plain_model() -> ModelProto:
    from tests.link.conftest import parse
    from tests.link.test_malformed import SERVED

    return parse(SERVED)


TASKS: Mapping[str, Callable[[Path], Mapping[str, Task]]] = {"model": model_tasks, "onnxlib": bundle_tasks}
