"""Every function of the peer's package that stands under a decorator which makes an ONNX function of it."""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

DECORATORS = ("script", "torch_op")


@dataclass(frozen=True)
class Scripted:
    """A decorated function: its file below the package, and the functions that it stands in, outermost first.

    `traced`: the decorator says `trace_only=True`. Python runs such a function once for each call, on whatever it is
    given; it is no ONNX function there either.
    """

    file: str
    path: tuple[str, ...]
    traced: bool

    @property
    def name(self) -> str:
        return self.path[-1]

    @property
    def module(self) -> str:
        return f"onnxscript.{self.file.removesuffix('.py').replace('/', '.')}"

    @property
    def label(self) -> str:
        """Its name; of the models, where several have one, behind that of the file."""
        return f"{Path(self.file).stem}:{self.name}" if "/models/" in self.file else self.name


def package() -> Path:
    spec = importlib.util.find_spec("onnxscript")
    assert spec is not None and spec.submodule_search_locations
    return Path(spec.submodule_search_locations[0])


def scripted_functions() -> list[Scripted]:
    """All of them, file by file, in the order of the text."""
    root = package()
    return [
        Scripted(file.relative_to(root).as_posix(), path, traced)
        for file in sorted(root.rglob("*.py"))
        for path, traced in _in(ast.parse(file.read_text("utf-8")), ())
    ]


def _in(node: ast.AST, around: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], bool]]:
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, (ast.FunctionDef, ast.ClassDef)):
            yield from _in(child, around)
            continue
        path = (*around, child.name)
        for decorator in child.decorator_list:
            name = ast.unparse(decorator.func if isinstance(decorator, ast.Call) else decorator)
            if name.rpartition(".")[2] in DECORATORS:
                keywords = decorator.keywords if isinstance(decorator, ast.Call) else []
                yield path, any(item.arg == "trace_only" and ast.unparse(item.value) == "True" for item in keywords)
                break
        yield from _in(child, path)
