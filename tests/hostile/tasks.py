"""What is done with hostile input: every command and function that reads such files.

A task gives a word for the outcome: `good`, a status of exit, or the code of the first finding.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
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
from opwright.link.apply import attach_libraries
from opwright.link.exported import functions_at
from opwright.protos.compare import compare
from opwright.protos.digest import digest
from opwright_build.cli.command_runner import run_command

from tests.hostile.folders import make_folder
from tests.hostile.models import parse
from tests.link.conftest import make_acme, make_standard

Task = Callable[[Path], str]
_GOOD = (Exit.GOOD, Exit.FINDINGS, Exit.USAGE, Exit.INFRASTRUCTURE)
SLOW = {
    "polyfill --runtime": 4,
    "polyfill --opset": 2,
    "convert up": 2,
    "convert down": 2,
    "attach --inline": 2,
    "decompile --check": 2,
    "test": 60,
}


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
        "attach --late-types": partial(_command, before=("attach",), after=(*given, "--late-types", "--replace", *out)),
        "attach --dry-run": partial(
            _command, before=("attach",), after=(*given, "--dry-run", "--explain", "--replace")
        ),
        "attach --format": partial(_command, before=("attach",), after=(*given, "--dry-run", "--format", "json")),
        "attach --profile": partial(_command, before=("attach",), after=(*given, "--profile", "overload", *out)),
        "inspect": partial(_command, before=("inspect",), after=given),
        "inspect --require": partial(
            _command, before=("inspect",), after=(*given, "--require", "defined,unaltered,verified")
        ),
        "inspect --json": partial(_command, before=("inspect",), after=("--json",)),
        "upgrade": partial(_command, before=("upgrade",), after=(*given, *out)),
        "detach": partial(_command, before=("detach",), after=out),
        "polyfill --opset": partial(_command, before=("polyfill",), after=(*given, "--opset", "17", *out)),
        "polyfill --runtime": partial(
            _command, before=("polyfill",), after=(*given, "--runtime", "ort==1.17", "--inline", "--json", *out)
        ),
        "convert up": partial(_command, before=("convert",), after=(*given, "--opset", "28", "--json", *out)),
        "convert down": partial(_command, before=("convert",), after=(*given, "--opset", "7", *out)),
        "decompile": written,
        "decompile --faithful": lambda path: written(path, "--faithful"),
        "decompile --check": lambda path: written(path, "--check"),
    }
    functions: dict[str, Callable[[Path], object]] = {
        "compare": lambda path: compare(path, read_model(path)),
        "digest": _digests,
        "decompile(function)": lambda path: [decompile(item) for item in read_model(path).functions],
        "decompile(graph)": lambda path: decompile(read_model(path).graph),
    }
    return {**commands, **{name: partial(_refusable, work=work) for name, work in functions.items()}}


def _digests(path: Path) -> None:
    model = read_model(path)
    for function in model.functions[:20]:
        digest(function, model.functions)


def bundle_tasks(folder: Path) -> Mapping[str, Task]:
    def extract(path: Path) -> object:
        bundle = read_bundle_file(path)
        return [functions_at(bundle, opset) for opset in (13, 18, 24)]

    out = ("-o", str(folder / "made.onnx"))
    model = folder / "plain.onnx"
    model.write_bytes(_plain_model().SerializeToString())
    attached = folder / "attached.onnx"
    libraries = [make_acme(), make_standard()]
    attached.write_bytes(attach_libraries(_plain_model(), libraries, replace=True).model.SerializeToString())

    def given(path: Path, *words: str, of: Path = model, to: tuple[str, ...] = out) -> str:
        return _command(of, words[:1], ("--library", str(path), *words[1:], *to))

    return {
        "extract": partial(_refusable, work=extract),
        "attach": lambda path: given(path, "attach", "--replace"),
        "attach --inline": lambda path: given(path, "attach", "--replace", "--inline"),
        "attach --late-types": lambda path: given(path, "attach", "--replace", "--late-types"),
        "attach --dry-run": lambda path: given(path, "attach", "--replace", "--explain", to=("--dry-run",)),
        "attach --profile": lambda path: given(path, "attach", "--replace", "--profile", "overload"),
        "upgrade": lambda path: given(path, "upgrade", of=attached),
        "polyfill": lambda path: given(path, "polyfill", "--opset", "13"),
        "convert": lambda path: given(path, "convert", "--opset", "24", of=attached),
        "inspect": lambda path: given(path, "inspect", of=attached, to=()),
        "inspect --require": lambda path: given(path, "inspect", "--require", "verified", of=attached, to=()),
        "decompile": lambda path: _command(path, ("decompile",), ()),
        "decompile --check": lambda path: _command(path, ("decompile",), ("--check",)),
    }


def _plain_model() -> ModelProto:
    """Calls of what the libraries of the campaign define, with each kind of fact that a variant may ask for."""
    return parse(
        """<ir_version: 10, opset_import: ["": 18, "com.acme": 2]>
        g (float[N] x, double[N] z, float lo, seq(float[N]) s) => (float[N] y, double[N] w, seq(float[N]) t) {
            a = com.acme.Twice(x) b = com.acme.Floor(a, lo) c = Softplus(b) d = com.acme.Swish(c)
            e = Clip(d, lo) f = Clip(e, lo, lo) g = Mish(f) y = Clip(g) w = Softplus(z)
            t = SequenceMap(s) <body = m (float[N] p) => (float[N] q) { q = Neg(p) }> }"""
    )


# ------------------------------------------------------------------------------------------------ folders


class Strayed(Exception):
    """A command that has changed what is not its own."""


_OWN = (".opwright", "dist", "library", "docs", "out")


@contextmanager
def _made(path: Path, folder: Path) -> Iterator[Path]:
    """The library that an input describes; afterwards all must be as it was but for what a command may write."""
    root, home = folder / "tree" / "library", folder / "home"
    shutil.rmtree(folder / "tree", ignore_errors=True)
    home.mkdir(exist_ok=True)
    (home / "mine").write_text("mine", encoding="utf-8")
    root.mkdir(parents=True)
    make_folder(path.read_bytes(), root, home)
    before = _listing(root)
    yield root
    if _listing(root) != before:
        raise Strayed(str(_listing(root) ^ before)[:300])
    if [*home.iterdir()] != [home / "mine"] or (home / "mine").read_text(encoding="utf-8") != "mine":
        raise Strayed("a file outside of the library has changed")


def _listing(root: Path) -> set[tuple[str, int, int]]:
    found = set()
    for where, folders, files in os.walk(root):
        if where == str(root):
            folders[:] = [name for name in folders if name not in _OWN]
        for name in files:
            status = os.lstat(os.path.join(where, name))
            found.add((os.path.join(where, name), status.st_size, status.st_mtime_ns))
    return found


def folder_tasks(folder: Path) -> Mapping[str, Task]:
    cache = ("--cache", str(folder / "kept"))

    def task(*words: str, kept: bool = True) -> Task:
        def run(path: Path) -> str:
            with _made(path, folder) as root:
                given = [str(root) if word == "PATH" else word for word in (*words, *(cache if kept else ()))]
                status = run_command([_function(path) if word == "NAME" else word for word in given])
            if status not in _GOOD:
                raise AssertionError(f"exit status {status}")
            return str(status)

        return run

    return {
        "ls": task("ls", "PATH", "--json", kept=False),
        "lint": task("lint", "PATH"),
        "lint --json": task("lint", "PATH", "--json"),
        "build": task("build", "PATH"),
        "build here": task("build", "PATH", "--json", kept=False),
        "stubs": task("stubs", "PATH", "--check"),
        "opsets": task("opsets", "PATH"),
        "show": task("show", "NAME", "PATH"),
        "show --json": task("show", "NAME", "PATH", "--json"),
        "docs": task("docs", "PATH"),
        "export": task("export", "PATH", "--opset", "18"),
        "explain": task("explain", "package", "PATH", kept=False),
        "test": task("test", "PATH", "--no-oracle"),
    }


def _function(path: Path) -> str:
    parts = [name.split("/") for name in json.loads(path.read_bytes())]
    return next((item[2] for item in parts if len(item) > 3), "X")


TASK_NAMES: Mapping[str, Sequence[str]] = {
    "model": (
        *("attach", "attach --inline", "attach --late-types", "attach --dry-run", "attach --format"),
        *("attach --profile", "inspect"),
        *("inspect --require", "inspect --json", "upgrade", "detach", "polyfill --opset"),
        *("polyfill --runtime", "convert up", "convert down"),
        *("decompile", "decompile --faithful", "decompile --check", "compare", "digest"),
        *("decompile(function)", "decompile(graph)"),
    ),
    "onnxlib": (
        *("extract", "attach", "attach --inline", "attach --late-types", "attach --dry-run", "attach --profile"),
        *("polyfill", "inspect"),
        *("upgrade", "convert", "inspect --require", "decompile", "decompile --check"),
    ),
    "folder": (
        *("ls", "lint", "lint --json", "build", "build here", "stubs", "opsets", "show", "show --json", "docs"),
        *("export", "explain", "test"),
    ),
}
TASKS: Mapping[str, Callable[[Path], Mapping[str, Task]]] = {
    "model": model_tasks,
    "onnxlib": bundle_tasks,
    "folder": folder_tasks,
}
