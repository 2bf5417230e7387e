"""What cannot be said in a script."""

from __future__ import annotations

from collections.abc import Sequence

from onnx import GraphProto

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError

# What is wrong where a model or node says on which devices it runs.
DEVICES = "a model for several devices cannot be written", "a script does not say on which of them a node runs"


def refuse(message: str, reason: str, help: str = "") -> DiagnosticError:
    """The error that ends a decompilation."""
    return DiagnosticError([Diagnostic("OW590", message, reason=reason, help=help)])


def refuse_unclear(inputs: Sequence[str], outputs: Sequence[str], where: str) -> None:
    """Raises DiagnosticError where one of these has no name, or two inputs have one."""
    if "" in inputs or "" in outputs:
        raise refuse(f"one of {where} has no name", "nothing can refer to it")
    if len({*inputs}) < len(inputs):
        doubled = next(name for index, name in enumerate(inputs) if name in inputs[:index])
        raise refuse(f"two of {where} are called {doubled!r}", "each has a name of its own")


def refuse_unclear_graph(graph: GraphProto) -> None:
    """Raises DiagnosticError where values of a nested graph could not be told apart."""
    inputs, outputs = ([item.name for item in field] for field in (graph.input, graph.output))
    refuse_unclear(inputs, outputs, f"the inputs and outputs of the graph {graph.name!r}")
