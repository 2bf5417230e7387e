"""The dimensions that functions reduce are counted from the first one: of a tensor without elements onnxruntime keeps
those that are counted from the end."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from opwright_build.spec.load import load_library

ROOT = Path(__file__).resolve().parents[2]
KEPT_ANYWAY = {"linalg_inv"}  # what is kept there is broadcast with all of that dimension


@dataclass(frozen=True)
class Reducing:
    """A function that reduces dimensions. `axes` are what its nodes are given as these, `formed` its parameters that
    are made by forms."""

    name: str
    parameters: frozenset[str]
    formed: frozenset[str]
    axes: tuple[str, ...]


@pytest.fixture(scope="module")
def reducing() -> list[Reducing]:
    found = []
    for version in load_library(ROOT, only=["opwright-aten"]).versions:
        if version.implements is None:
            continue
        tree = ast.parse((version.folder / "function.py").read_text(encoding="utf-8"))
        own = next(item for item in tree.body if isinstance(item, ast.FunctionDef) and item.name == version.name)
        names = frozenset(item.arg for item in (*own.args.args, *own.args.kwonlyargs))
        formed = frozenset(name for name, _ in version.implements.forms)
        axes = tuple(map(_axes, _reductions(tree)))
        if axes:
            found.append(Reducing(version.name, names, formed, axes))
    return found


def _reductions(tree: ast.Module) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        name = node.func.attr if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else ""
        if isinstance(node, ast.Call) and (name.startswith("Reduce") or name in ("ArgMax", "ArgMin")):
            yield node


def _axes(call: ast.Call) -> str:
    given = [*call.args[1:2], *(item.value for item in call.keywords if item.arg in ("axis", "axes"))]
    return " ".join(map(ast.unparse, given))


def test_no_constant_dimension_is_counted_from_the_end(reducing: list[Reducing]) -> None:
    assert len(reducing) > 80
    assert {item.name for item in reducing if any("-" in axes for axes in item.axes)} == KEPT_ANYWAY


def test_a_dimension_of_the_call_is_made_one_from_the_first(reducing: list[Reducing]) -> None:
    asked = {"dim", "axes", "op.Constant(value_ints=[dim])"}
    found = [item for item in reducing if asked & {*item.axes} and item.parameters & {"dim", "axes"}]
    assert len(found) > 30
    assert [item.name for item in found if not item.parameters & {"dim", "axes"} <= item.formed] == []
