"""Whether a decompiled module makes the model again: its text is compiled, and the two are compared.

Compared are what both say of themselves (interface, opsets, texts, metadata) and their structure, in a form in which
constants, names and handed-on values make no difference. Where a readable script has another structure, both models
are run on the reference evaluator, on inputs that are drawn.
"""

from __future__ import annotations

import importlib.util
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from onnx import FunctionProto, ModelProto, StringStringEntryProto, ValueInfoProto

from opwright.decompiler.function_text import own_metadata
from opwright.decompiler.main_graph import ir_version_made
from opwright.decompiler.modules import Decompiled
from opwright.decompiler.normal_form import normal_form
from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Severity
from opwright.graphs.drawn_runs import SEEDS, EndlessError, draw_inputs, run_limited, same_value
from opwright.graphs.external_tensors import FolderTensors, load_external_tensors
from opwright.graphs.ids import function_id
from opwright.graphs.model_file import read_model
from opwright.live.function_source import forget_text
from opwright.protos.compare import compare


def check_model(made: Decompiled, model: ModelProto | Path) -> Iterator[Diagnostic]:
    """Compiles the text and compares what it makes with the model, which may lie in a file.

    Yields a warning (OW594) where structure does not decide and the models do not run. Raises DiagnosticError (OW593)
    where the text does not compile, or makes another model.
    """
    again = _made_by(made, "model")
    if not isinstance(again, ModelProto):
        raise _different("`model()` gives no model")
    original = model if isinstance(model, ModelProto) else _whole(model)
    inputs = {item.name for item in again.graph.input}
    carries = any(item.name not in inputs for item in again.graph.initializer)
    ir_version = ir_version_made(original, carries)
    for what, one, other in zip(_SAID, _said(original, ir_version), _said(again, again.ir_version), strict=True):
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
    load_external_tensors(model, FolderTensors(path.parent, path.as_posix()))
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
        finally:
            forget_text(str(path))


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
    "the metadata of functions",
)


def _said(model: ModelProto, ir_version: int) -> tuple[object, ...]:
    graph = model.graph
    inputs = {item.name for item in graph.input}
    return (
        [_declared(item) for item in graph.input],
        [_declared(item) for item in graph.output],
        sorted(item.name for item in graph.initializer if item.name in inputs),
        {item.domain: item.version for item in model.opset_import},
        ir_version,
        (graph.name, graph.doc_string, model.doc_string, model.producer_name, model.producer_version, model.domain),
        (_entries(model.metadata_props), _entries(graph.metadata_props), model.model_version),
        {function_id(item): _entries(own_metadata(item)) for item in model.functions},
    )


def _declared(value: ValueInfoProto) -> tuple[object, ...]:
    type_ = " ".join(str(value.type).replace('denotation: ""', "").split())
    return value.name, type_, value.doc_string, _entries(value.metadata_props)


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
    for seed in SEEDS:
        try:
            inputs = draw_inputs(one, seed)
            wanted, repeated = (run_limited(one, inputs) for _ in range(2))
        except EndlessError:
            return None
        except Exception:  # the evaluator does not take the model or the inputs, for whatever reason
            continue
        if not all(map(same_value, wanted, repeated)):
            return None  # it draws random numbers
        try:
            found = run_limited(other, inputs)
        except EndlessError:
            return None
        except Exception:  # what the evaluator took of the model, it must take of ours
            return False
        if not all(map(same_value, wanted, found)):
            return False
        judged = True
    return judged
