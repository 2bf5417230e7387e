"""What functions of the package onnxscript call: others of its own, and functions of ours by `opwright.onnxscript`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from onnx import FunctionProto

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError
from opwright.functions import OnnxFunction
from opwright.graphs.ids import FunctionId, function_id
from opwright.live.closure import Closure
from opwright.live.compiled import Run
from opwright.opsets.domains import normal_domain
from opwright.opsets.signatures import newest_opset


def onnxscript_protos(function: Any, given: Iterable[FunctionProto]) -> list[FunctionProto]:
    """A function of onnxscript as a proto, then all that it calls, but for functions of ours that are `given`.

    A script of ours is compiled for the default opset of the function. Raises DiagnosticError where it does not
    compile, and OW386 for one whose body is chosen at each call: a script with several variants, a function of a
    library.
    """
    theirs = [function, *function.function_ir.get_called_functions().values()]
    protos: list[FunctionProto] = [item.to_function_proto() for item in theirs]
    versions = (item.version for proto in protos for item in proto.opset_import if not normal_domain(item.domain))
    closure = Closure(Run(next(versions, newest_opset())), None)
    known = {function_id(item) for item in given}
    for caller in theirs:
        for ours in _ours(caller):
            if _node_id(ours) not in known:
                _keep(closure, caller.name, ours)
    return [*protos, *closure.protos({"": closure.run.opset})]


def _ours(function: Any) -> Iterator[Any]:
    """The functions of ours that it calls, which their operators have."""
    for node in function.function_ir.graph.all_nodes():
        ours = getattr(node.meta.get("callee"), "ours", None)
        if ours is not None:
            yield ours


def _node_id(ours: Any) -> FunctionId:
    """What a node of onnxscript says that it calls."""
    return normal_domain(ours.domain), ours.name, ""


def _keep(closure: Closure, caller: str, ours: Any) -> None:
    reason = "which body of a library's function a call means is decided where the library is attached"
    if isinstance(ours, OnnxFunction):
        if not closure.run.compile(ours).family.open_axes and closure.keep(ours) == [_node_id(ours)]:
            return
        reason = "it has several variants, and which one a call means is decided where a model is linked"
    raise DiagnosticError(
        [
            Diagnostic(
                "OW386",
                f"`{caller}` calls {ours.domain}::{ours.name}, which cannot be taken along",
                reason=reason,
                help=f"write `{caller}` as a function of Opwright: `from opwright import script`",
            )
        ]
    )
