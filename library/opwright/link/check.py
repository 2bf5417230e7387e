"""Judges a linked model: onnx.checker, and loading on onnxruntime where it is installed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from onnx import GraphProto, ModelProto, TensorProto, checker, helper, shape_inference

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Place, Severity
from opwright.graphs.ids import FunctionId, call_id, function_id
from opwright.graphs.inline import inline_model
from opwright.graphs.inline_weights import HEAVY, declared_bytes
from opwright.graphs.model_inference import infer_strictly
from opwright.graphs.structure import expanded_nodes, refuse_expansion
from opwright.graphs.walk import all_graphs, all_nodes
from opwright.link.distinct_calls import with_distinct_calls
from opwright.link.inferred_parts import inferred_graphs
from opwright.link.missing_types import without_open_types
from opwright.link.training_graphs import training_graphs
from opwright.opsets.domains import RUNTIME_DOMAINS
from opwright.opsets.records import CONSTANT

MOST_LOADED = 12_000  # nodes that onnxruntime loads within seconds where they come from nested calls

# Parts of onnxruntime's messages that speak of what it lacks, not of what is wrong with the model.
_LACKS = (
    "Unsupported model IR version",
    "ONNX Runtime only *guarantees*",  # an opset that is too new
    "under development",
    "is not a registered function/op",
    "Could not find an implementation",
    "Failed to find kernel for",
    "Unrecognized attribute",
    "No Op registered for",
    "No opset import for domain",
    "Batchwise recurrent operations (layout == 1) are not supported",
)

# Of onnx.checker and of its inference.
_REFUSALS = (checker.ValidationError, shape_inference.InferenceError, ValueError, RuntimeError)

_PREFIX = re.compile(r"^\[ONNXRuntimeError\] : \d+ : \w+ : ")
_OPSET = re.compile(r"domain_version of \d+")  # in what the checker says of an operator that is deprecated there


def check_model(
    model: ModelProto, before: ModelProto, file: str, *, complete: bool = False, loaded: ModelProto | None = None
) -> list[Diagnostic]:
    """Notes on what could not be checked, and a warning (OW588) where the model is as invalid as it was. Raises
    DiagnosticError (OW566, OW567) when a judge refuses the model otherwise, OW596 when its functions have no end.

    Weights that are large or lie in other files are left out: they are inputs of what is checked. `before` is the
    model as it was, to tell whose fault it is. It was `complete` when it lacked no functions: what onnxruntime had
    against it then is a note. `loaded` is a part of the model that holds one of all that there is in it, for
    onnxruntime; where it is not given, it is found here.
    """
    refuse_expansion(model, file)
    stand_in = without_weights(model)
    verdict = _checkers_verdict(stand_in)
    warnings = [] if verdict.problem is None else _check_as_before(stand_in, verdict.problem, before, file)
    part = with_distinct_calls(stand_in, verdict.inferred) if loaded is None else loaded
    return [*warnings, *_load_on_onnxruntime(part, before if complete else None, file)]


def _check_as_before(model: ModelProto, problem: str, before: ModelProto, file: str) -> list[Diagnostic]:
    """What onnx.checker says of the model, if it said that before: many exporters leave out types that it asks for."""
    before = without_weights(before)
    if _checkers_verdict(before).problem is not None:
        further = _checkers_verdict(without_open_types(model)).problem
        if further is None or _says_again(further, _checkers_verdict(without_open_types(before)).problem):
            text = "the model is not valid, and was not before"
            reason, help_text = (
                f"onnx.checker: {further or problem}",
                "runtimes may take it; if yours does not, see to it",
            )
            return [Diagnostic("OW588", text, Place(file), reason, help_text, severity=Severity.WARNING)]
        problem = further
    text = "the model would not be valid"
    raise DiagnosticError([Diagnostic("OW566", text, Place(file), f"onnx.checker: {problem}", _REPORT)])


def _says_again(problem: str, before: str | None) -> bool:
    """Whether the checker said that before, at another opset perhaps."""
    return before is not None and _OPSET.sub("", problem) == _OPSET.sub("", before)


_INLINE = "fix what it names, or attach with `inline=True` (`--inline`): it loads with functions in place of calls"
_REPORT = "fix what the checker names; if it is in a library's function or made by an exporter, tell their authors"


def undefined_nodes(model: ModelProto, file: str) -> list[Diagnostic]:
    """A note for each domain whose nodes nothing defines: neither ONNX, nor a runtime known here, nor the model."""
    names: dict[str, dict[str, None]] = {}
    for domain, name, _ in undefined_calls(model):
        names.setdefault(domain, {})[name] = None
    return [_undefined(domain, list(found), file) for domain, found in names.items()]


def undefined_calls(model: ModelProto) -> list[FunctionId]:
    """What the nodes of a model call and nothing defines, each once."""
    defined = {function_id(function) for function in model.functions}
    found: dict[FunctionId, None] = {}
    graphs = [model.graph, *training_graphs(model)]
    for nodes in (*(graph.node for graph in graphs), *(function.node for function in model.functions)):
        for node in all_nodes(nodes):
            identity = call_id(node)
            if identity[0] and not identity[0].startswith(RUNTIME_DOMAINS) and identity not in defined:
                found[identity] = None
    return list(found)


def _undefined(domain: str, names: list[str], file: str) -> Diagnostic:
    text = f"nodes of the domain {domain} have no definition here"
    reason = f"neither a library nor the model has {', '.join(names[:5])}{', ...' if len(names) > 5 else ''}"
    help_text = f"give the library that holds {domain} with --library, unless the runtime has these operators"
    return Diagnostic("OW573", text, Place(file), reason, help_text, severity=Severity.NOTE)


def without_weights(model: ModelProto) -> ModelProto:
    """A copy in which external and large tensors are inputs of the main graph; the model itself if it has none."""
    if not any(True for graph in all_graphs(model.graph) for _ in _heavy_values(graph)):
        return model
    copy = ModelProto()
    for field, value in model.ListFields():
        if field.name != "graph":
            _assign(copy, field.name, value)
    for field, value in model.graph.ListFields():
        if field.name != "initializer":
            _assign(copy.graph, field.name, value)
    copy.graph.initializer.extend(item for item in model.graph.initializer if not _is_heavy(item))
    heavy = {name: tensor for graph in all_graphs(model.graph) for name, tensor in _heavy_values(graph)}
    for graph in all_graphs(copy.graph):
        light = [item for item in graph.initializer if item.name not in heavy]
        nodes = [node for node in graph.node if not CONSTANT.describes(node) or node.output[0] not in heavy]
        del graph.initializer[:], graph.node[:]
        graph.initializer.extend(light)
        graph.node.extend(nodes)
    declared = {value.name for value in copy.graph.input}
    for name, tensor in heavy.items():
        if name not in declared:
            copy.graph.input.append(helper.make_tensor_value_info(name, tensor.data_type, list(tensor.dims)))
    return copy


def _heavy_values(graph: GraphProto) -> Iterator[tuple[str, TensorProto]]:
    """Initializers and constants that are not to be carried around."""
    for tensor in graph.initializer:
        if _is_heavy(tensor):
            yield tensor.name, tensor
    for node in graph.node:
        if CONSTANT.describes(node) and node.output and node.attribute and _is_heavy(node.attribute[0].t):
            yield node.output[0], node.attribute[0].t


def _is_heavy(tensor: TensorProto) -> bool:
    return tensor.data_location == TensorProto.EXTERNAL or declared_bytes(tensor) > HEAVY


def _assign(message: ModelProto | GraphProto, field: str, value: object) -> None:
    if isinstance(value, (int, str, bytes)):
        setattr(message, field, value)
    else:
        getattr(message, field).MergeFrom(value)


@dataclass(frozen=True, slots=True)
class _Verdict:
    """What onnx.checker's full check has against a model, and the `inferred_graphs` where that is nothing."""

    problem: str | None
    inferred: tuple[GraphProto, ...] = ()


def _checkers_verdict(model: ModelProto) -> _Verdict:
    """The full check is the check and a strict inference, whose types are of use afterwards."""
    try:
        checker.check_model(model)
        with suppress(*_REFUSALS):
            return _Verdict(None, tuple(inferred_graphs(model, infer_strictly)))
        infer_strictly(model)  # what it says of the whole is what a user can act upon
    except _REFUSALS as error:
        return _Verdict(_first_lines(str(error)))
    return _Verdict(None)


def _load_on_onnxruntime(model: ModelProto, before: ModelProto | None, file: str) -> list[Diagnostic]:
    try:
        import onnxruntime
    except ImportError:
        return [_note("onnxruntime is not installed, so the model was not loaded on it", file)]
    expanded = expanded_nodes(model, file)
    if model.functions and expanded > MOST_LOADED:
        reason = f"with functions in place of their calls it has {expanded:,} nodes, and loading takes too long"
        return [_note("the model was not loaded on onnxruntime", file, reason)]
    text = _refusal(onnxruntime, model)
    if not text:
        return []
    lacking = next((part for part in _LACKS if part in text), None)
    if lacking is not None:
        # Behind a place in onnxruntime's sources comes what the user can read.
        text = text[text.index(lacking) :] if text.startswith("/") else text
        return [_note("onnxruntime cannot run this model, so it was not loaded on it", file, text)]
    if before is not None and _refusal(onnxruntime, without_weights(before)) == text:
        return [_note("onnxruntime refuses this model, as it did before", file, text)]
    help_text = _INLINE if _loads_inlined(onnxruntime, model) else _REPORT
    raise DiagnosticError([Diagnostic("OW567", "onnxruntime refuses the model", Place(file), text, help_text)])


def _loads_inlined(onnxruntime: Any, model: ModelProto) -> bool:
    """Whether onnxruntime loads the model with its functions in place of their calls."""
    if not model.functions:
        return False
    inlined = ModelProto()
    inlined.CopyFrom(model)
    try:
        inline_model(inlined)
    except DiagnosticError:  # it would be too large
        return False
    return not _refusal(onnxruntime, inlined)


def _refusal(onnxruntime: Any, model: ModelProto) -> str:
    """What onnxruntime says of a model that it does not load; empty when it loads it."""
    options = onnxruntime.SessionOptions()
    # (At its default level it computes what is constant, which takes many times as long: seconds for small networks.)
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    try:
        onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's exceptions have no base class of their own
        return _PREFIX.sub("", _first_lines(str(error))) or "it says nothing"
    return ""


def _note(text: str, file: str, reason: str = "") -> Diagnostic:
    return Diagnostic("OW568", text, Place(file), reason, severity=Severity.NOTE)


def _first_lines(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return " ".join(lines)[:600]
