"""The training graphs that a model may hold beside its own graph. Few tools write them; no runtime here runs them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from onnx import GraphProto, ModelProto

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Place
from opwright.graphs.ids import FunctionId, call_id
from opwright.graphs.walk import all_nodes


def training_graphs(model: ModelProto) -> Iterator[GraphProto]:
    """The graphs that initialise and train the model."""
    for training in model.training_info:
        yield training.initialization
        yield training.algorithm


def refuse_training_graphs(
    model: ModelProto, file: str, concerned: Callable[[FunctionId], bool] = lambda identity: True
) -> None:
    """Raises DiagnosticError (OW546) where a node of theirs calls what is `concerned`: they read the imports and
    functions of the model, which would change under them."""
    nodes = (node for graph in training_graphs(model) for node in all_nodes(graph.node))
    found = next((call_id(node) for node in nodes if concerned(call_id(node))), None)
    if found is not None:
        text = f"the model has training graphs, which call {found[0] or 'ai.onnx'}::{found[1]}"
        reason = "they share the imports and functions of the model, and are not changed with it"
        help_text = "remove them first (`del model.training_info[:]`), where the model is to be run alone"
        raise DiagnosticError([Diagnostic("OW546", text, Place(file), reason, help_text)])
