"""Model files: read with care, for onnx.load takes nearly any bytes for a model, and written atomically."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import DecodeError, EncodeError, Message
from onnx import FunctionProto, GraphProto, ModelProto, OperatorSetProto, SparseTensorProto, TensorProto

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Place
from opwright.graphs.checked_texts import are_checked
from opwright.graphs.external_tensors import external_tensors
from opwright.graphs.inline_weights import MOST_BYTES, Piece, length_of, pieces_of, without_heavy, write_pieces
from opwright.graphs.node_columns import ColumnsOf
from opwright.graphs.whole_files import written_whole
from opwright.regular_file import read_regular

_TOO_LARGE = "it has more bytes than the 2 GiB at which protobuf stops"
_BROKEN = "its bytes are no protobuf message, or are cut off"


def read_model(path: Path, *, leave_weights: bool = False) -> ModelProto:
    """The model in a file; weights in other files stay there, and on request large ones in the file itself, until
    `write_model` or `bring_back`. Raises DiagnosticError (OW550, OW551)."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise DiagnosticError([_not_a_model(path.as_posix(), _TOO_LARGE)])
        light = without_heavy(path) if leave_weights else None
        if light is not None:
            with suppress(DiagnosticError):  # what is wrong is said of the whole
                return parse_model(light, path.as_posix())
        data = read_regular(path, MOST_BYTES)
    except (OSError, ValueError) as error:  # ValueError: a path with a NUL
        text = f"cannot read the model {path}"
        reason = getattr(error, "strerror", None) or str(error)
        raise DiagnosticError([Diagnostic("OW550", text, reason=reason)]) from None
    return parse_model(data, path.as_posix())


def parse_model(data: bytes, file: str) -> ModelProto:
    """The model that these bytes say; `file` names them in messages. Raises DiagnosticError (OW551)."""
    if len(data) > MOST_BYTES:
        raise DiagnosticError([_not_a_model(file, _TOO_LARGE)])
    model = ModelProto()
    try:
        model.ParseFromString(data)
    except DecodeError as error:
        too_deep = "MaxDepth" in str(error)
        reason = "its graphs are nested deeper than protobuf's parsers read" if too_deep else _BROKEN
        raise DiagnosticError([_not_a_model(file, reason)]) from None
    if model.ir_version > 0 and model.functions and not _has_graph(model):
        raise DiagnosticError([_functions_alone(file)])
    reason = _why_not_a_model(model, data)
    if reason:
        raise DiagnosticError([_not_a_model(file, reason)])
    return model


def refuse_broken_text(model: Message, file: str, columns: ColumnsOf) -> None:
    """Raises DiagnosticError (OW551) when a text in a model is not UTF-8: protobuf then gives bytes where text is due.

    `file` names the model in the message, `columns` has those of its nodes.
    """
    pending: list[Message] = [model]
    while pending:
        message = pending.pop()
        for name, kind, value in _texts_and_messages(message):
            if kind == FieldDescriptor.TYPE_MESSAGE:
                if isinstance(value, Message):
                    pending.append(value)
                elif name == "node" and isinstance(message, GraphProto | FunctionProto):
                    pending.extend(() if columns(message).has_texts else value)
                elif not _are_checked_together(value):
                    pending.extend(value)
            elif isinstance(value, bytes) or (not isinstance(value, str) and bytes in map(type, value)):
                raise DiagnosticError([_not_a_model(file, f"it has a {name} that is not UTF-8")])


def _are_checked_together(messages: Sequence[Message]) -> bool:
    """Whether nothing is wrong with the texts of these messages; False of tensors, whose elements would be copied."""
    return not messages or (
        not isinstance(messages[0], TensorProto | SparseTensorProto)
        and are_checked(messages, messages[0].DESCRIPTOR.full_name)
    )


def _texts_and_messages(message: Message) -> Iterator[tuple[str, int, Any]]:
    """The fields of a message that hold texts or messages, with their names and types."""
    if isinstance(message, TensorProto):  # ListFields would copy its elements
        yield "name", FieldDescriptor.TYPE_STRING, message.name
        yield "doc_string", FieldDescriptor.TYPE_STRING, message.doc_string
        yield "external_data", FieldDescriptor.TYPE_MESSAGE, message.external_data
        return
    for field, value in message.ListFields():
        if field.type in (FieldDescriptor.TYPE_STRING, FieldDescriptor.TYPE_MESSAGE):
            yield field.name, field.type, value


def _why_not_a_model(model: ModelProto, data: bytes) -> str:
    """Other messages of ONNX parse as a model with hardly anything in it."""
    if model.ir_version > 0 and _has_graph(model):
        return ""
    if not data:
        return "it is empty"
    operator_set = OperatorSetProto()
    try:
        operator_set.ParseFromString(data)
    except DecodeError:
        pass
    else:
        if operator_set.magic == "ONNXOPSET":
            return "it is an OperatorSetProto, a set of operators without a graph"
    return "it has no graph" if model.ir_version > 0 else "it has no IR version and no graph"


def _has_graph(model: ModelProto) -> bool:
    return bool(model.HasField("graph") and (model.graph.node or model.graph.output))


def _functions_alone(file: str) -> Diagnostic:
    return Diagnostic(
        "OW551",
        "this model has functions and no graph",
        Place(file),
        "its graph has neither nodes nor outputs: it is a library of functions",
        "give a model whose graph calls them; `opwright.decompile` and `opwright.compare` take each of the functions",
    )


def _not_a_model(file: str, reason: str) -> Diagnostic:
    return Diagnostic("OW551", "this is not an ONNX model", Place(file), reason, "give a .onnx file")


def external_files(model: ModelProto) -> list[str]:
    """The files, relative to the model's folder, in which tensors of graphs and functions lie."""
    named = (item for tensor in external_tensors(model) for item in tensor.external_data)
    return sorted({item.value for item in named if item.key == "location"})


def write_model(model: ModelProto, path: Path, source: Path) -> None:
    """Writes the model whole or not at all. `source` is the file that it was read from.

    Weights in other files are to be next to `path` (see `data_files`). Raises DiagnosticError: OW571 when `path` is one
    of these files, OW572 when it cannot be written.
    """
    refuse_place_of_weights(model, path, source)
    pieces = model_pieces(model, f"{path}")
    try:
        with written_whole(path) as stream:
            write_pieces(pieces, stream, source)
    except (OSError, ValueError) as error:  # ValueError: a path with a NUL
        reason = getattr(error, "strerror", None) or str(error)
        raise DiagnosticError([Diagnostic("OW572", f"cannot write {path}", reason=reason)]) from None


def refuse_place_of_weights(model: ModelProto, path: Path, source: Path) -> None:
    """Raises DiagnosticError (OW571) when `path` is one of the files in which weights of the model lie."""
    for name in external_files(model):
        if _are_one(source.parent / name, path) or _are_one(path.parent / name, path):
            text = f"the model cannot be written to {path}: its weights lie there"
            raise DiagnosticError([Diagnostic("OW571", text, help="give the new model another name")])


def _are_one(path: Path, other: Path) -> bool:
    try:
        return os.path.samefile(path, other)
    except (OSError, ValueError):  # one is not there, or has a NUL
        return False


def model_pieces(model: ModelProto, what: str) -> Sequence[Piece]:
    """The bytes of a model, with those of weights that were left in its file. Raises DiagnosticError (OW572) where
    there are too many."""
    pieces = pieces_of(model_bytes(model, what))
    if sum(map(length_of, pieces)) > MOST_BYTES:
        raise DiagnosticError([_too_large(what, _TOO_LARGE)])
    return pieces


def model_bytes(model: ModelProto, what: str = "the model") -> bytes:
    """The bytes of a model; equal models have equal ones. Raises DiagnosticError (OW572) where there are too many."""
    try:
        return model.SerializeToString(deterministic=True)
    except (EncodeError, ValueError) as error:
        raise DiagnosticError([_too_large(what, str(error))]) from None


def _too_large(what: str, reason: str) -> Diagnostic:
    help_text = "store the weights as external data (onnx.save_model with save_as_external_data=True)"
    return Diagnostic("OW572", f"cannot write {what}", reason=reason, help=help_text)
