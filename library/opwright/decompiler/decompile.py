"""ONNX back into ONNX Script: readable text that the compiler makes the same model of again."""

from __future__ import annotations

from pathlib import Path

from onnx import FunctionProto, GraphProto, ModelProto

from opwright.bundle.format import Bundle
from opwright.decompiler.modules import Decompiled, function_module, library_module, model_module
from opwright.decompiler.outside import read_outside
from opwright.graphs.node_columns import ColumnsOf
from opwright.graphs.structure import check_structure
from opwright.live.collecting import seldom_collected
from opwright.opsets.signatures import newest_opset


@seldom_collected
def decompile(
    proto: ModelProto | FunctionProto | GraphProto | Bundle,
    *,
    side_file: str = "",
    faithful: bool = False,
    folder: Path | None = None,
    file: str = "model",
) -> Decompiled:
    """The text of a module that makes the model or function again, and the arrays that belong next to it.

    By default the new model has the same interface, the same opset imports and the same results; `faithful` keeps every
    node too. `side_file` is the name of the file that holds large tensors, by default that of the module with `.npz`.
    `folder` is that of a model whose tensors lie in other files and are not loaded: large ones are mapped, others read
    into the proto. A graph is taken for one of the newest opset; of a library all functions are written that it has at
    its newest one. `file` names the proto in messages. Raises DiagnosticError for what no script can say.
    """
    if isinstance(proto, Bundle):
        return library_module(proto, side_file, faithful)
    columns = ColumnsOf()
    check_structure(proto, file, columns)
    if isinstance(proto, FunctionProto):
        return function_module(proto, side_file, faithful, columns)
    if isinstance(proto, GraphProto):
        model = ModelProto(graph=proto)
        model.opset_import.add(version=newest_opset())
        check_structure(model, file, columns)
        return model_module(model, side_file, faithful, columns)
    outside = {} if folder is None else read_outside(proto, folder)
    return model_module(proto, side_file, faithful, columns, outside)
