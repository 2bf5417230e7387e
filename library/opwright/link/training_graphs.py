"""The training graphs that a model may hold beside its own graph. Few tools write them; no runtime here runs them."""

from __future__ import annotations

from collections.abc import Iterator

from onnx import GraphProto, ModelProto

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Place


def training_graphs(model: ModelProto) -> Iterator[GraphProto]:
    """The graphs that initialise and train the model."""
    for training in model.training_info:
        yield training.initialization
        yield training.algorithm


def refuse_training_graphs(model: ModelProto, file: str) -> None:
    """Raises DiagnosticError (OW546): they read the imports and functions of the model, which would change under
    them."""
    if model.training_info:
        text = "the model has training graphs"
        reason = "they share the imports, functions and values of the model, and would mean something else"
        help_text = "remove them first (`del model.training_info[:]`), where the model is to be run alone"
        raise DiagnosticError([Diagnostic("OW546", text, Place(file), reason, help_text)])
