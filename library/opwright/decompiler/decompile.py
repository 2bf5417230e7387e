"""ONNX back into ONNX Script: readable text that the compiler makes the same model of again."""

from __future__ import annotations

from pathlib import Path

from onnx import FunctionProto, GraphProto, ModelProto

from opwright.bundle.format import SUFFIX, Bundle
from opwright.bundle.read import read_bundle_file
from opwright.decompiler.modules import Decompiled, function_module, library_module, model_module
from opwright.decompiler.outside import read_outside
from opwright.graphs.external_tensors import FolderTensors
from opwright.graphs.model_forms import AnyModel, given_model, is_path, model_path
from opwright.graphs.node_columns import ColumnsOf
from opwright.graphs.own_class import is_of
from opwright.graphs.structure import check_structure
from opwright.live.collecting import seldom_collected
from opwright.opsets.signatures import newest_opset


@seldom_collected
def decompile(
    proto: AnyModel | FunctionProto | GraphProto | Bundle,
    *,
    side_file: str = "",
    faithful: bool = False,
    folder: Path | None = None,
    file: str = "",
) -> Decompiled:
    """The text of a module that makes the model or function again, and the arrays that belong next to it.

    Taken are a FunctionProto, a GraphProto, a Bundle or its path, and a model: a ModelProto, the bytes of one, a path,
    an onnx_ir.Model or a torch.onnx.ONNXProgram.

    By default the new model has the same interface, the same opset imports and the same results; `faithful` keeps every
    node too. `side_file` is the name of the file that holds large tensors, by default that of the module with `.npz`.
    `folder` is that of a ModelProto or of bytes whose tensors lie in other files and are not loaded: large ones are
    mapped, others read into the proto; those of a path lie in its own folder. A graph is taken for one of the newest
    opset; of a library all functions are written that it has at its newest one. `file` names the proto in messages.
    Raises DiagnosticError: OW590 for what no script can say, OW550, OW551, OW578 and OW579 for what is none of these.
    """
    if is_path(proto) and (path := model_path(proto)).suffix == SUFFIX:
        return library_module(read_bundle_file(path), side_file, faithful)
    if is_of(proto, Bundle):
        return library_module(proto, side_file, faithful)
    columns = ColumnsOf()
    if is_of(proto, FunctionProto):
        check_structure(proto, file or "model", columns)
        return function_module(proto, side_file, faithful, columns)
    if is_of(proto, GraphProto):
        check_structure(proto, file or "model", columns)
        model = ModelProto(graph=proto)
        model.opset_import.add(version=newest_opset())
        check_structure(model, file or "model", columns)
        return model_module(model, side_file, faithful, columns)
    given = given_model(proto, also=", or a function, a graph or a library")
    check_structure(given.proto, file or given.file, columns)
    source = given.tensors if folder is None else FolderTensors(folder, file or given.file)
    outside = {} if source is None else read_outside(given.proto, source)
    return model_module(given.proto, side_file, faithful, columns, outside)
