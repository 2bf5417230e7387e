"""The peer's library twice: as its own package makes it, and its source text with other import lines under ours."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import sys
import types
from pathlib import Path
from types import ModuleType
from typing import Any

from opwright import OnnxFunction

from tests.peer import names
from tests.peer.scripted import package

FILES = ("common", "core", "linalg", "nn", "prims", "special")
_PACKAGE = "onnxscript.function_libs.torch_lib.ops"
_KEPT = ("__future__", "collections", "functools", "math", "numpy", "onnx", "onnx_ir", "typing")


def peer_functions() -> dict[str, Any]:
    """The functions that the peer scripts, by name. PyTorch itself, which those do not use, is replaced by a shell."""
    shell = types.ModuleType("torch")
    shell.__version__ = "2.6.0"
    shell.__path__ = []
    shell.__getattr__ = lambda name: names.Unused()
    sys.modules["torch"] = shell
    found: dict[str, Any] = {}
    for file in FILES:
        module = importlib.import_module(f"{_PACKAGE}.{file}")
        for name, value in vars(module).items():
            if type(value).__name__ == "OnnxFunction" and value.function.__module__ == module.__name__:
                found[name] = value
    return found


def our_functions(folder: Path) -> dict[str, OnnxFunction]:
    """The same functions under our `script`; the changed files are written to `folder`."""
    found: dict[str, OnnxFunction] = {}
    for file in FILES:
        module = load(file, with_our_imports(_text(file)), folder)
        for name, value in vars(module).items():
            if isinstance(value, OnnxFunction):
                found[name] = value
    return found


def _text(file: str) -> str:
    return Path(package(), "function_libs", "torch_lib", "ops", f"{file}.py").read_text("utf-8")


def with_our_imports(text: str) -> str:
    """The text with every import of the peer's own modules and of PyTorch replaced, line for line."""
    lines = text.splitlines()
    for node in ast.parse(text).body:
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            modules = [node.module or ""]
        else:
            continue
        if all(module.partition(".")[0] in _KEPT for module in modules):
            continue
        first, last = node.lineno - 1, node.end_lineno or node.lineno
        aliases = node.names if isinstance(node, ast.ImportFrom) else _bound_names(node.names)
        imports = "; ".join(_our_import(alias) for alias in aliases)
        lines[first:last] = [imports, *[""] * (last - first - 1)]
    return "\n".join(lines) + "\n"


def _bound_names(aliases: list[ast.alias]) -> list[ast.alias]:
    """`import a.b` binds `a`, and `import a.b as c` the module itself."""
    return [alias if alias.asname else ast.alias(alias.name.partition(".")[0]) for alias in aliases]


def _our_import(alias: ast.alias) -> str:
    name = alias.asname or alias.name.partition(".")[0]
    original = alias.name.rpartition(".")[2]
    if hasattr(names, name):
        return f"from tests.peer.names import {name}"
    return f"from opwright import {original} as {name}"


def load(name: str, text: str, folder: Path) -> ModuleType:
    path = folder / f"{name}.py"
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(f"peer_{name}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
