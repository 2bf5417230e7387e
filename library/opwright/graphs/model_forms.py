"""The forms in which a model is given to a function of ours, and how a result is given back in the same one.

| given | given back |
|---|---|
| `ModelProto` | `ModelProto` |
| `bytes` of a ModelProto | `bytes` |
| `onnx_ir.Model` | a new `onnx_ir.Model`, with the tensors of the one given |
| `torch.onnx.ONNXProgram` | a new one, with a new model and the `exported_program` of the one given |
| path (`str`, `os.PathLike`) | `ModelProto`, with the weights that lie in other files |

onnx_ir and torch are never imported: an object of theirs is there only where its owner has imported them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeGuard, TypeVar

from onnx import ModelProto

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError
from opwright.graphs.external_tensors import FolderTensors, TensorSource, external_tensors_of, load_external_tensors
from opwright.graphs.inline_weights import bring_back
from opwright.graphs.ir_models import IrModel, converted, first_cause, is_ir_model
from opwright.graphs.model_file import model_bytes, parse_model, read_model
from opwright.graphs.own_class import is_of


class OnnxIrModel(Protocol):
    """What type checkers know an `onnx_ir.Model` by."""

    @property
    def graph(self) -> Any: ...
    @property
    def functions(self) -> Any: ...
    @property
    def opset_imports(self) -> Any: ...


class TorchProgram(Protocol):
    """What type checkers know a `torch.onnx.ONNXProgram` by."""

    @property
    def model(self) -> Any: ...
    @property
    def model_proto(self) -> Any: ...
    @property
    def exported_program(self) -> Any: ...


ModelPath = str | os.PathLike[str]
AnyModel = ModelProto | bytes | OnnxIrModel | TorchProgram | ModelPath
SameForm = TypeVar("SameForm", bound=ModelProto | bytes | OnnxIrModel | TorchProgram)


@dataclass(frozen=True, slots=True)
class GivenModel:
    """A model as it was given: `proto` says it, `file` names it in messages.

    `tensors` has the elements that are not in `proto`, where they can be had. `proto` is not to be changed.
    """

    proto: ModelProto
    file: str
    tensors: TensorSource | None
    _give_back: Callable[[ModelProto], Any]

    def give_back(self, result: ModelProto) -> Any:
        """A model that was made of `proto`, in the form that was given.

        Raises DiagnosticError: OW550 where weights in other files cannot be read, OW572 where bytes are more than
        protobuf's 2 GiB, OW579 where onnx_ir does not take it.
        """
        return self._give_back(result)

    def whole(self) -> ModelProto:
        """The model with all its elements, where they can be had. Raises DiagnosticError (OW550)."""
        return self.proto if self.tensors is None else _with_elements(self.proto, self.tensors)


def given_model(given: object, *, also: str = "", leave_weights: bool = False) -> GivenModel:
    """Reads a model in any of the forms above.

    `also` says what else the caller takes. With `leave_weights`, large ones of a file are not in `proto`, but in what
    is given back. Raises DiagnosticError: OW550 and OW551 where a file or bytes are no model,
    OW578 for anything else, OW579 where onnx_ir cannot convert its own model.
    """
    if is_of(given, ModelProto):
        return GivenModel(given, "model", None, lambda result: result)
    if is_of(given, bytes):
        return GivenModel(parse_model(given, "model"), "model", None, model_bytes)
    if is_path(given):
        return _of_file(model_path(given), leave_weights)
    if is_ir_model(given):
        model = IrModel(given)
        return GivenModel(model.proto, "model", model, model.with_proto)
    if _is_program(given):
        return _of_program(given)
    raise DiagnosticError([_refused(type(given), also)])


def is_path(given: object) -> TypeGuard[ModelPath]:
    return issubclass(type(given), str) or hasattr(type(given), "__fspath__")


def model_path(given: ModelPath) -> Path:
    """The path that a text or a PathLike says. Raises DiagnosticError (OW578) where it says none."""
    try:
        return Path(os.fsdecode(given))
    except Exception as error:  # a PathLike may raise anything
        text = f"an object of {_name(type(given))} gives no path"
        raise DiagnosticError([Diagnostic("OW578", text, reason=first_cause(error), help=_TAKEN)]) from None


def _of_file(path: Path, leave_weights: bool) -> GivenModel:
    model, tensors = read_model(path, leave_weights=leave_weights), FolderTensors(path.parent, path.as_posix())
    for function in model.functions:  # what a function computes is what its digest says
        for tensor in external_tensors_of(function.node):
            tensors.load(tensor)

    def give_back(result: ModelProto) -> ModelProto:
        bring_back(result, path)
        return _with_elements(result, tensors)

    return GivenModel(model, path.as_posix(), tensors, give_back)


def _with_elements(model: ModelProto, tensors: TensorSource) -> ModelProto:
    load_external_tensors(model, tensors)
    return model


def _is_program(value: object) -> bool:
    program = getattr(sys.modules.get("torch.onnx"), "ONNXProgram", None)
    return isinstance(program, type) and issubclass(type(value), program)


def _of_program(program: Any) -> GivenModel:
    try:
        inner, exported = program.model, program.exported_program
    except Exception as error:  # a property may raise anything
        text = "the model of a torch.onnx.ONNXProgram cannot be had"
        raise DiagnosticError([Diagnostic("OW578", text, reason=first_cause(error), help=_TAKEN)]) from None
    if not is_ir_model(inner):
        text = "the model of a torch.onnx.ONNXProgram is no onnx_ir.Model"
        reason = f"it is an object of {_name(type(inner))}"
        help_text = "take torch 2.6 or newer with onnx_ir, or give the program's `model_proto`"
        raise DiagnosticError([Diagnostic("OW578", text, reason=reason, help=help_text)])
    model = IrModel(inner)

    def give_back(result: ModelProto) -> Any:
        made = model.with_proto(result)
        # A copy of the program would have its session, and run the model that was given.
        return converted("the new model cannot be made a program", lambda: type(program)(made, exported))

    return GivenModel(model.proto, "model", model, give_back)


_TAKEN = "give a ModelProto, the path of a model, its bytes, an onnx_ir.Model or a torch.onnx.ONNXProgram"

# By the package and the name of a class.
_ADVICE: Mapping[tuple[str, str], str] = {
    ("onnx", "FunctionProto"): "a function is no model: put it among the `functions` of one; `decompile` takes it",
    ("onnx", "GraphProto"): "make a model of the graph: `onnx.helper.make_model(graph)`",
    ("onnx", "NodeProto"): "make a model around the node: `onnx.helper.make_graph`, then `make_model`",
    ("onnx", "TensorProto"): "a tensor is no model: `onnx.load` opens one",
    ("onnx_ir", "Graph"): "make a model of the graph: `onnx_ir.Model(graph, ir_version=10)`",
    ("onnx_ir", "Function"): "a function is no model: put it among the `functions` of an onnx_ir.Model",
    ("opwright", "Bundle"): "a library is no model: it stands behind the model, as `libraries`; `decompile` takes it",
    ("opwright", "OnnxFunction"): "make a model of the function: `to_model_proto()`",
    ("opwright", "GraphBuilder"): "make a model of what was built: `to_model_proto()`",
    ("torch", "Module"): "export it first: `torch.onnx.export(module, args, dynamo=True)`",
    ("torch", "ExportedProgram"): "export it first: `torch.onnx.export(program, dynamo=True)`",
    ("onnxruntime", "InferenceSession"): "a session gives no model back: give the one that it was made of",
    ("builtins", "NoneType"): "where `torch.onnx.export` has written a file and gives None, give that file's path",
    ("builtins", "bytearray"): "give `bytes(...)` of it",
    ("builtins", "memoryview"): "give `bytes(...)` of it",
    ("builtins", "list"): "give one model at a time",
    ("builtins", "tuple"): "give one model at a time",
    ("_io", "_IOBase"): "give what is in it: `file.read()`, of a file that was opened as 'rb'",
}


def _refused(kind: type, also: str) -> Diagnostic:
    text = f"an object of {_name(kind)} is no model"
    advice = (_ADVICE.get((base.__module__.partition(".")[0], base.__name__)) for base in kind.__mro__)
    reason = f"a ModelProto, a path, bytes, an onnx_ir.Model or a torch.onnx.ONNXProgram is taken{also}"
    return Diagnostic("OW578", text, reason=reason, help=next(filter(None, advice), "") or _TAKEN)


def _name(kind: type) -> str:
    module = kind.__module__
    return kind.__qualname__ if module == "builtins" else f"{module.partition('.')[0]}.{kind.__name__}"
