"""`link`: a model in any form, with the functions that its nodes call."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, overload

from onnx import ModelProto, NodeProto

from opwright.diagnostics.diagnostic import Place
from opwright.eager.place import read_place
from opwright.foreign.callables import Linked, each_of, gather
from opwright.foreign.exported_outputs import cast_outputs
from opwright.foreign.linked_calls import link_model
from opwright.foreign.recorded_nodes import FUNCTION
from opwright.graphs.ir_models import is_ir_model
from opwright.graphs.model_forms import AnyModel, ModelPath, SameForm, given_model

_TORCH = "pkg.torch.onnx.stack_trace"  # in the metadata of a node that torch has exported
_FRAME = re.compile(r'File "(.+)", line (\d+)')


@overload
def link(model: ModelPath, functions: Linked | Iterable[Linked] = ...) -> ModelProto: ...


@overload
def link(model: SameForm, functions: Linked | Iterable[Linked] = ...) -> SameForm: ...


def link(model: AnyModel, functions: Linked | Iterable[Linked] = ()) -> Any:
    """The model with the functions that its nodes call, in the form that was given (see `opwright.attach`).

    Calls of constants are computed, and casts in functions of libraries name the type that all calls have
    (docs/adr/0313). `functions` are functions under `@script`, functions of libraries, and libraries as `attach`
    takes them. Those that nodes of a `torch.onnx.ONNXProgram` or an `onnx_ir.Model` were recorded with are known. The
    argument is not changed. A node that nothing defines is shown as a DiagnosticWarning (OW680). Raises
    DiagnosticError, at the user's line where the model has it: OW680 where a domain that is given lacks the function,
    OW681 where a function cannot be called as the node calls it, OW682 where two functions have one id, OW683 for
    what is no function, OW687 where an output of an exported program may lack its cast, and what `attach` raises.
    """
    given = given_model(model)
    program = getattr(model, "exported_program", None)
    if program is not None:
        cast_outputs(given.proto, program)
    known = gather([*each_of(functions), *_recorded(model)])
    return given.give_back(link_model(given.proto, known, line_of, given.file))


def _recorded(model: object) -> Iterator[Linked]:
    inner: Any = model if is_ir_model(model) else getattr(model, "model", None)
    if not is_ir_model(inner):
        return
    for graph in (inner.graph, *inner.functions.values()):
        for node in graph.all_nodes():
            if FUNCTION in node.meta:
                yield node.meta[FUNCTION]


def line_of(node: NodeProto) -> Place | None:
    """The line of the user that a node comes from, as the metadata of torch and of ours have it."""
    facts = {item.key: item.value for item in node.metadata_props}
    if _TORCH in facts:
        return last_line(facts[_TORCH])
    return read_place(facts["opwright.place"]) if "opwright.place" in facts else None


def last_line(trace: str) -> Place | None:
    """The innermost line of a printed stack that is in a file; code that torch makes has a name in angle brackets."""
    found = [(file, line) for file, line in _FRAME.findall(trace) if not file.startswith("<")]
    return Place(found[-1][0], int(found[-1][1])) if found else None
