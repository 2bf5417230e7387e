"""The models that the peer's package has as functions under `@script`, compiled from their text.

First as they stand. Where that is refused, docs/from-onnxscript.md has a row that says what to write instead; the text
is changed by that rule and compiled again. What it gives is compared with the peer's own, where the weights are small.
"""

from __future__ import annotations

import ast
import importlib
import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest import mock

import numpy as np
import onnx
import onnxruntime as ort
from onnx import helper
from opwright import OnnxFunction
from opwright.diagnostics.diagnostic import DiagnosticError
from opwright.elements import BY_CODE
from opwright.opsets.signatures import signature

from tests.docs.pages import DOCS, read_rows
from tests.peer.inputs import Array, Case
from tests.peer.modules import load, with_our_imports
from tests.peer.outcome import Outcome
from tests.peer.running import run_function, same
from tests.peer.scripted import Scripted, package

ROWS = {"OW203": "positional_attribute", "OW352": "large_array"}  # of the page, by the code of a refusal
_DRAWN_BYTES = 100_000_000  # of one array that is drawn element by element; a larger one repeats a row
_RUN_BYTES = 200_000_000  # of the weights of a model that is run
_LOOSE = 1e-5  # of sums over hundreds of elements
_UNTYPED = {"position_ids": (np.int64, (2, 8)), "query": (np.float32, (2, 32, 8, 80))}


def compare_model(item: Scripted, folder: Path) -> Outcome:
    """One function, in the process that calls this."""
    outcome = Outcome(item.label)
    text = (package() / item.file).read_text("utf-8")
    np.random.seed(0)
    module = load(Path(item.file).stem, with_our_imports(text), folder)
    ours, weights = _recorded(module, item)
    refused = _refused(ours)
    if refused:
        outcome.note = f"by {', '.join(sorted({ROWS.get(code, code) for code in refused}))}"
        rows = {row.id: row for row in read_rows(DOCS / "from-onnxscript.md")}
        outcome.problems += [f"no row says {code}" for code in refused if code not in rows[ROWS[code]].refused]
        lifted = _rewritten(with_our_imports(text), item, weights)
        ours = vars(load(f"{Path(item.file).stem}_rewritten", lifted, folder))[item.name]
    else:
        weights = {}
    try:
        [proto] = ours.to_function_protos()
        outcome.compiled = True
        onnx.checker.check_function(proto)
        outcome.checked = True
    except (DiagnosticError, onnx.checker.ValidationError) as error:
        outcome.problems.append(str(error))
        return outcome
    if sum(value.nbytes for value in weights.values()) > _RUN_BYTES:
        onnx.checker.check_model(ours.to_model_proto(), full_check=True)
        outcome.note += ", too large to run"
        outcome.too_large = True
        return outcome
    np.random.seed(0)  # of arrays at the level of its module
    theirs, _ = _recorded(importlib.import_module(item.module), item)
    _judge(outcome, ours, proto, theirs.to_function_proto(), weights)
    return outcome


def _judge(
    outcome: Outcome, ours: OnnxFunction, proto: onnx.FunctionProto, theirs: onnx.FunctionProto, weights: dict[str, Any]
) -> None:
    inputs = {name: _drawn(name, ours) for name in theirs.input}
    level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    found = run_function(proto, Case({**weights, **inputs}, {}), level)
    expected = run_function(theirs, Case(dict(inputs), {}), level)
    if isinstance(expected, str) or isinstance(found, str):
        outcome.problems.append(f"{found!s:.300} instead of {expected!s:.300}")
    elif len(found) == len(expected) and all(map(partial(same, loose=_LOOSE), found, expected)):
        outcome.agreed += 1
    else:
        outcome.problems.append("other results")


def _refused(function: OnnxFunction) -> list[str]:
    try:
        function.to_function_protos()
    except DiagnosticError as error:
        return sorted({item.code for item in error.diagnostics})
    return []


# ------------------------------------------------------------------------------------------------ as they stand


def _recorded(module: ModuleType, item: Scripted) -> tuple[Any, dict[str, Array]]:
    """The function as the module makes it, and the arrays that the function around it was given."""
    if len(item.path) == 1:
        return vars(module)[item.name], {}
    found: list[Any] = []
    weights: dict[str, Array] = {}
    around: Callable[..., Any] = vars(module)[item.path[0]]
    script: Callable[..., Any] = vars(module)["script"]

    def recording(*arguments: object) -> Callable[[Any], Any]:
        def decorate(function: Any) -> Any:
            found.append(script(*arguments)(function))
            return found[-1]

        return decorate

    def called(*arguments: Any, **keywords: Any) -> Any:
        given = inspect.signature(around).bind(*arguments, **keywords).arguments
        for name, value in given.items():
            weights[name] = value if isinstance(value, np.ndarray) else value.numpy()  # a tensor of onnx_ir
        return around(*arguments, **keywords)

    draw = np.random.default_rng(3)
    with (
        mock.patch.object(module, "script", recording),
        mock.patch.object(module, item.path[0], called),
        mock.patch.object(np.random, "rand", lambda *shape: _Drawn(draw, shape)),
        suppress(DiagnosticError, TypeError),
    ):  # of making the model of it: it is compiled again
        _entry(module, item)()
    return found[0], weights


class _Drawn:
    """What `numpy.random.rand` gives: small numbers of both signs; of a very large array every row is the same."""

    def __init__(self, draw: np.random.Generator, shape: tuple[int, ...]) -> None:
        self._draw = draw
        self._shape = shape

    def astype(self, dtype: type) -> Array:
        large = np.prod(self._shape, dtype=float) * np.dtype(dtype).itemsize > _DRAWN_BYTES
        drawn: Array = self._draw.normal(0, 0.1, self._shape[-1:] if large else self._shape).astype(dtype)
        return np.broadcast_to(drawn, self._shape)


def _entry(module: ModuleType, item: Scripted) -> Callable[[], Any]:
    """The function around it, or the one without parameters that calls this with arrays."""
    around = vars(module)[item.path[0]]
    tree = ast.parse(inspect.getsource(module))
    [node] = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == item.path[0]]
    if len(node.args.defaults) == len(node.args.args):
        return lambda: around()
    callers = (node for node in tree.body if isinstance(node, ast.FunctionDef) and not node.args.args)
    [name] = [caller.name for caller in callers if item.path[0] in set(_called(caller))]
    return lambda: vars(module)[name]()


def _called(node: ast.AST) -> Iterator[str]:
    for inner in ast.walk(node):
        if isinstance(inner, ast.Call) and isinstance(inner.func, ast.Name):
            yield inner.func.id


# --------------------------------------------------------------------------------------------- by what rows say


def _rewritten(text: str, item: Scripted, weights: Mapping[str, Array]) -> str:
    """The function at the level of its module, with the arrays around it as its first inputs."""
    tree = ast.parse(text)
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    [function] = [node for node in functions[item.path[0]].body if isinstance(node, ast.FunctionDef)]
    function.args.args[:0] = [
        ast.arg(name, ast.parse(_annotation(value), mode="eval").body) for name, value in weights.items()
    ]
    tree.body = [node for node in tree.body if not isinstance(node, (ast.FunctionDef, ast.ClassDef))]
    tree.body += [*ast.parse("import opwright").body, _ByName(weights).visit(function)]
    return ast.unparse(ast.fix_missing_locations(tree))


def _annotation(value: Array) -> str:
    name = BY_CODE[helper.np_dtype_to_tensor_dtype(value.dtype)].name.upper()
    return f"opwright.{name}[{', '.join(map(str, value.shape))}]" if value.shape else f"opwright.{name}"


class _ByName(ast.NodeTransformer):
    """Attributes by their names, and inputs instead of Constants that hold arrays."""

    def __init__(self, weights: Mapping[str, Array]) -> None:
        self._weights = weights

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        if not (isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name)):
            return node
        opset = node.func.value.id.removeprefix("opset")
        called = signature("", node.func.attr, int(opset)) if opset.isdigit() else None
        if called is None:
            return node
        values = [keyword.value for keyword in node.keywords if keyword.arg == "value"]
        held = values[0] if values and node.func.attr == "Constant" else None
        if isinstance(held, ast.Name) and held.id in self._weights:
            return held
        if not called.variadic:
            extra = node.args[len(called.inputs) :]
            named = [ast.keyword(name, value) for name, value in zip(called.attributes, extra, strict=False)]
            node.args, node.keywords = node.args[: len(called.inputs)], [*named, *node.keywords]
        return node


def _drawn(name: str, function: OnnxFunction) -> Array:
    """A value of an input: indices are small, sizes that are not said are 16."""
    draw = np.random.default_rng(sum(name.encode()))
    if name in _UNTYPED and name not in function.__wrapped__.__annotations__:
        dtype, shape = _UNTYPED[name]
    else:
        annotation = inspect.signature(function.__wrapped__, eval_str=True).parameters[name].annotation
        dtype = helper.tensor_dtype_to_np_dtype(annotation.dtype.code).type
        shape = tuple(size if isinstance(size, int) else 16 for size in annotation.shape)
    if np.issubdtype(dtype, np.integer):
        return draw.integers(0, 8, shape).astype(dtype)
    return draw.integers(0, 2, shape) > 0 if np.issubdtype(dtype, np.bool_) else draw.normal(0, 1, shape).astype(dtype)
