"""Failures of compiled models, at the lines of the functions that they were made of."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from onnx import ModelProto, NodeProto

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Place, Related
from opwright.eager.messages import named_nodes, one_line
from opwright.eager.outcome import Failed
from opwright.eager.place import read_place
from opwright.graphs.walk import all_nodes
from opwright.lang.emit import PLACE

_RUNNING = re.compile(r"while running (\w+) node")
_MOST = 8  # places that are named where several nodes may be meant


@contextmanager
def explain_failures(model: ModelProto) -> Iterator[None]:
    """What runs the model within fails at the line of the function that the node was made of: DiagnosticError (OW373).

    The model is one of `to_model_proto(places=True)`, run by onnxruntime or onnx's reference evaluator. Errors that do
    not say which node failed stay what they are.
    """
    try:
        yield
    except DiagnosticError:
        raise
    except Exception as error:  # runtimes' errors have no base class of their own
        found = _explained(model, error)
        if found is None:
            raise
        raise DiagnosticError([found]) from error


def _explained(model: ModelProto, error: Exception) -> Diagnostic | None:
    nodes = [
        node for nodes in (model.graph.node, *(item.node for item in model.functions)) for node in all_nodes(nodes)
    ]
    meant = _node_of_reference(error)
    candidates = [meant] if meant is not None else _named(nodes, error)
    places = list(dict.fromkeys(place for place in map(_place_of, candidates) if place is not None))
    if not places:
        return None
    operator = candidates[0].op_type
    first, *others = places
    return Diagnostic(
        "OW373",
        f"{operator} fails in a compiled model",
        first,
        reason=_innermost(error),
        help="call the function itself on the same arrays, in a debugger",
        related=tuple(Related(place, "or this one: the runtime does not say which") for place in others[:_MOST]),
        subject=operator,
    )


def _named(nodes: list[NodeProto], error: Exception) -> list[NodeProto]:
    """The nodes that a message may be about: by name, to which runtimes add that of the function it stood in."""
    said = error.node if isinstance(error, Failed) else ""
    for name in [said] if said else named_nodes(error):
        found = [node for node in nodes if node.name and name.endswith(node.name)]
        if found:
            return found
    running = _RUNNING.findall(str(error))
    return [node for node in nodes if running and node.op_type == running[-1]]


def _innermost(error: BaseException) -> str:
    """What was said first, of all that was made of it since."""
    while error.__cause__ is not None:
        error = error.__cause__
    return one_line(Exception(str(error).rpartition("Status Message: ")[2]))


def _node_of_reference(error: Exception) -> NodeProto | None:
    """The innermost node that the reference evaluator was running, to which its errors lead."""
    found: NodeProto | None = None
    cause: BaseException | None = error
    while cause is not None:
        traceback = cause.__traceback__
        while traceback is not None:
            node = getattr(traceback.tb_frame.f_locals.get("node"), "onnx_node", None)
            found = node if isinstance(node, NodeProto) else found
            traceback = traceback.tb_next
        cause = cause.__cause__
    return found


def _place_of(node: NodeProto) -> Place | None:
    return read_place(next((item.value for item in node.metadata_props if item.key == PLACE), ""))
