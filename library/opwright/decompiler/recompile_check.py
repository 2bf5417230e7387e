"""Whether a decompiled module makes the model again: its text is compiled, and the two are compared.

Compared are what both say of themselves (interface, opsets, texts, metadata) and their structure, in a form in which
constants, names and handed-on values make no difference. Where a readable script has another structure, both models
are run on the reference evaluator, on inputs that are drawn. A run ends when it has taken so many nodes: a model may
say that a loop has 2**40 trips.
"""

from __future__ import annotations

import importlib.util
import math
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from onnx import FunctionProto, ModelProto, StringStringEntryProto, TypeProto, ValueInfoProto
from onnx.reference import ReferenceEvaluator

from opwright.decompiler.modules import Decompiled
from opwright.decompiler.normal_form import normal_form
from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Severity
from opwright.elements import BY_CODE
from opwright.graphs.external_tensors import FolderTensors, load_external_tensors
from opwright.graphs.model_file import read_model
from opwright.graphs.ndarrays import DTYPES
from opwright.protos.compare import compare

_SEEDS = (1, 2, 3, 4)
_WORDS = ("", "a", "two words", "é")
_MOST_NODES = 100_000  # that one run of a model may take, loops counted out
_MOST_BYTES = 1 << 26  # more than the model has, of a value that is handed on: in a loop it may double with each trip
_LARGEST = 1 << 22  # elements of an input that is drawn


def check_model(made: Decompiled, model: ModelProto | Path) -> Iterator[Diagnostic]:
    """Compiles the text and compares what it makes with the model, which may lie in a file.

    Yields a warning (OW594) where structure does not decide and the models do not run. Raises DiagnosticError (OW593)
    where the text does not compile, or makes another model.
    """
    again = _made_by(made, "model")
    if not isinstance(again, ModelProto):
        raise _different("`model()` gives no model")
    original = model if isinstance(model, ModelProto) else _whole(model)
    for what, one, other in zip(_SAID, _said(original), _said(again), strict=True):
        if one != other:
            raise _different(f"{what}: {_short(one)} has become {_short(other)}")
    compared = compare(normal_form(original), normal_form(again))
    if compared:
        return
    verdict = _same_results(original, again)
    if verdict is False:
        raise _different(f"{compared.explain()}; and the results differ")
    if verdict is None:
        yield Diagnostic(
            "OW594",
            "the text makes a model of another structure, whose results could not be compared",
            reason=compared.explain(),
            help="use --faithful, which keeps the structure",
            severity=Severity.WARNING,
        )


def _whole(path: Path) -> ModelProto:
    """The model in a file, with the tensors that lie in others."""
    model = read_model(path)
    load_external_tensors(model, FolderTensors(path.parent))
    return model


def check_functions(made: Decompiled, functions: list[FunctionProto]) -> None:
    """The same for the functions of a library. Raises DiagnosticError (OW593)."""
    again = _made_by(made, "functions")
    if not isinstance(again, list) or len(again) != len(functions):
        raise _different(f"the library has {len(functions)} functions")
    for one, other in zip(functions, again, strict=True):
        compared = compare(_in_model(one), _in_model(other))
        if not compared:
            raise _different(compared.explain())


def _in_model(function: FunctionProto) -> FunctionProto:
    return normal_form(ModelProto(functions=[function])).functions[0]


def _made_by(made: Decompiled, name: str) -> object:
    """What the module's function of that name gives."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "decompiled.py"
        made.write(path)
        try:
            function: Callable[[], object] = getattr(_imported(path), name)
            return function()
        except DiagnosticError as error:
            first = error.diagnostics[0]
            raise _different(f"its text is refused: {first.code}, {first.message}; {first.reason}") from None
        except (SyntaxError, ValueError, TypeError, NameError, AttributeError, RecursionError, OSError) as error:
            raise _different(f"its text fails: {type(error).__name__}: {error}") from None


def _imported(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise OSError(f"{path} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _different(reason: str) -> DiagnosticError:
    message = "the decompiled text does not make the model again"
    return DiagnosticError(
        [Diagnostic("OW593", message, reason=reason, help="if onnx.checker accepts the model, please report it")]
    )


# ----------------------------------------------------------------------------------------------- what a model says

_SAID = (
    "the inputs",
    "the outputs",
    "the values of inputs that need not be given",
    "the opsets",
    "the IR version",
    "the names and texts",
    "the metadata",
)


def _said(model: ModelProto) -> tuple[object, ...]:
    graph = model.graph
    inputs = {item.name for item in graph.input}
    return (
        [_declared(item) for item in graph.input],
        [_declared(item) for item in graph.output],
        sorted(item.name for item in graph.initializer if item.name in inputs),
        {item.domain: item.version for item in model.opset_import},
        model.ir_version,
        (graph.name, graph.doc_string, model.doc_string, model.producer_name, model.producer_version, model.domain),
        (_entries(model.metadata_props), _entries(graph.metadata_props), model.model_version),
    )


def _declared(value: ValueInfoProto) -> tuple[str, str, str]:
    return value.name, " ".join(str(value.type).replace('denotation: ""', "").split()), value.doc_string


def _entries(entries: Any) -> list[tuple[str, str]]:
    items: list[StringStringEntryProto] = list(entries)
    return [(item.key, item.value) for item in items]


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 200 else f"{text[:200]}..."


# ------------------------------------------------------------------------------------------------------- results


def _same_results(one: ModelProto, other: ModelProto) -> bool | None:
    """Whether both give the same for inputs that are drawn; None where that cannot be told."""
    judged: bool | None = None
    for seed in _SEEDS:
        try:
            inputs = _drawn(one, seed)
            wanted, repeated = (_run(one, inputs) for _ in range(2))
        except _EndlessError:
            return None
        except Exception:  # the evaluator does not take the model or the inputs, for whatever reason
            continue
        if not all(map(_equal, wanted, repeated)):
            return None  # it draws random numbers
        try:
            found = _run(other, inputs)
        except _EndlessError:
            return None
        except Exception:  # what the evaluator took of the model, it must take of ours
            return False
        if not all(map(_equal, wanted, found)):
            return False
        judged = True
    return judged


class _EndlessError(Exception):
    """A run that has taken what it may."""


class _Fuel:
    """What a run may still take."""

    __slots__ = ("most_bytes", "nodes")

    def __init__(self, model: ModelProto) -> None:
        self.nodes = _MOST_NODES
        self.most_bytes = _MOST_BYTES + model.ByteSize()


_FUEL: ContextVar[_Fuel] = ContextVar("fuel")


class _Limited(ReferenceEvaluator):
    """A reference evaluator with an end. It runs the graphs of nodes and the functions with others of its class."""

    def run(self, output_names: Any, feed_inputs: Any, *arguments: Any, **options: Any) -> Any:
        fuel = _FUEL.get()
        fuel.nodes -= 1 + len(self.rt_nodes_)
        largest = max((item.nbytes for item in feed_inputs.values() if isinstance(item, np.ndarray)), default=0)
        if fuel.nodes < 0 or largest > fuel.most_bytes:
            raise _EndlessError
        return super().run(output_names, feed_inputs, *arguments, **options)


def _run(model: ModelProto, inputs: Mapping[str, Any]) -> list[Any]:
    before = _FUEL.set(_Fuel(model))
    try:
        with np.errstate(all="ignore"):
            return list(_Limited(model).run(None, dict(inputs)))
    finally:
        _FUEL.reset(before)


def _drawn(model: ModelProto, seed: int) -> dict[str, Any]:
    """Inputs of the model; each named size is one number."""
    random = np.random.Generator(np.random.PCG64(seed))
    sizes: dict[str, int] = {}
    defaults = {item.name for item in model.graph.initializer}
    return {
        item.name: _value(item.type, sizes, random, seed) for item in model.graph.input if item.name not in defaults
    }


def _value(type_: TypeProto, sizes: dict[str, int], random: np.random.Generator, seed: int) -> Any:
    if type_.HasField("sequence_type"):
        return [_value(type_.sequence_type.elem_type, sizes, random, seed) for _ in range(seed)]
    if type_.HasField("optional_type"):
        return _value(type_.optional_type.elem_type, sizes, random, seed)
    tensor = type_.tensor_type
    if not tensor.HasField("shape"):
        raise ValueError("its rank is not known")
    shape = [
        size.dim_value if size.HasField("dim_value") else sizes.setdefault(size.dim_param, 1 + seed)
        for size in tensor.shape.dim
    ]
    if math.prod(shape) > _LARGEST:
        raise ValueError("it is too large to be drawn")
    element = BY_CODE[tensor.elem_type]
    if element.kind == "string":
        return np.array(random.choice(_WORDS, shape), object)
    if element.is_float or element.kind == "complex":
        return np.array(random.standard_normal(shape)).astype(DTYPES[element])
    if element.kind == "bool":  # first all are true, then none, so that both branches are taken
        return np.array(random.random(shape) < (1, 0, 0.5, 0.5)[seed - 1])
    return np.array(random.integers(0, 4, shape)).astype(DTYPES[element])


def _equal(one: Any, other: Any) -> bool:
    if isinstance(one, list) or isinstance(other, list):
        both = isinstance(one, list) and isinstance(other, list) and len(one) == len(other)
        return both and all(map(_equal, one, other))
    if one is None or other is None:
        return one is other
    a, b = np.asarray(one), np.asarray(other)
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    return bool(a.tolist() == b.tolist()) if a.dtype.kind in "OU" else a.tobytes() == b.tobytes()
