"""ONNX backend-test directories: `model.onnx`, and `test_data_set_N/input_0.pb`... Those of one node are vectors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import onnx
from google.protobuf.message import DecodeError, Message
from onnx import numpy_helper
from opwright.diagnostics.diagnostic import Diagnostic, Place
from opwright.elements import BY_CODE

from opwright_build.spec.confine import LibraryFiles
from opwright_build.spec.model import VectorSource
from opwright_build.verify.case_model import Array, Value
from opwright_build.verify.cases.stored.stored_rows import StoredFile, StoredVector, UnusableError
from opwright_build.verify.cases.suite import attribute_value
from opwright_build.verify.items import items_of

MODEL = "model.onnx"
MOST_BYTES = 1 << 26  # of one file
MOST_SETS = 256


def read_backend(files: LibraryFiles, folder: str, source: VectorSource) -> StoredFile:
    """One vector for each data set of the directory."""
    found = BackendFolder(files, f"{folder}/{source.path.rstrip('/')}", source.place)
    try:
        vectors = tuple(_vectors(found))
    except UnusableError as error:
        finding = Diagnostic("OW153", f"{found.path} cannot be used", found.place, reason=str(error))
        return StoredFile((), (finding,), found.seen)
    return StoredFile(vectors, (), found.seen)


def _vectors(folder: BackendFolder) -> Iterator[StoredVector]:
    model = folder.model()
    graph = model.graph
    if len(graph.node) != 1:
        raise UnusableError(f"{MODEL} has {len(graph.node)} nodes, where a vector is one call")
    node = graph.node[0]
    domain = node.domain or "ai.onnx"
    version = next((item.version for item in model.opset_import if (item.domain or "ai.onnx") == domain), 0)
    constants = {item.name: _tensor(item) for item in graph.initializer}
    for data in folder.data_sets(graph):
        known = {**constants, **data.inputs}
        if any(text and text not in known for text in node.input):
            raise UnusableError(f"{data.name} does not have every input of the node")
        if any(text and text not in data.outputs for text in node.output):
            raise UnusableError(f"{data.name} does not have every output of the node")
        yield StoredVector(
            f"{folder.path.rpartition('/')[2]}/{data.name}",
            {item.name: attribute_value(item) for item in node.attribute},
            tuple(known[text] if text else None for text in node.input),
            tuple(data.outputs[text] if text else None for text in node.output),
            folder.place,
            checked=True,
            version=version,
            operator=node.op_type,
        )


@dataclass(frozen=True, slots=True)
class DataSet:
    """The values of a data set by their names in the graph."""

    name: str
    inputs: Mapping[str, Value]
    outputs: Mapping[str, Value]


class BackendFolder:
    """One directory: reading it raises UnusableError where it is not what it should be, or too large. `seen` are the
    files that were asked for, with their bytes."""

    def __init__(self, files: LibraryFiles, path: str, place: Place) -> None:
        self.files = files
        self.path = path
        self.place = place
        self.seen: dict[str, bytes | None] = {}

    def model(self) -> onnx.ModelProto:
        model = onnx.ModelProto()
        self._parse(MODEL, model)
        return model

    def data_sets(self, graph: onnx.GraphProto) -> Iterator[DataSet]:
        """One after the other, at least one."""
        constants = {item.name for item in graph.initializer}
        for number in range(MOST_SETS + 1):
            name, after = f"test_data_set_{number}", f"test_data_set_{number + 1}"
            inputs = self._values(name, "input", [item for item in graph.input if item.name not in constants])
            outputs = self._values(name, "output", graph.output)
            if not inputs and not outputs:
                if number == 0:
                    raise UnusableError("it has no test_data_set_0 with inputs or outputs")
                if any(self._exists(f"{after}/{kind}_0.pb") for kind in ("input", "output")):
                    raise UnusableError(f"it has {after}, and no {name} with inputs or outputs")
                return
            if number == MOST_SETS:
                raise UnusableError(f"it has more than {MOST_SETS} data sets")
            yield DataSet(name, inputs, outputs)

    def _values(self, name: str, kind: str, declared: Sequence[onnx.ValueInfoProto]) -> dict[str, Value]:
        """The values of a data set by their names in the graph; nothing where there is no first file."""
        found: dict[str, Value] = {}
        for position, item in enumerate(declared):
            file = f"{name}/{kind}_{position}.pb"
            if position == 0 and not self._exists(file):
                break
            found[item.name] = self._value(file, item.type)
        beyond = f"{name}/{kind}_{len(declared)}.pb"
        if self._exists(beyond):
            raise UnusableError(f"{beyond} is of no {kind} of the graph")
        return found

    def _exists(self, file: str) -> bool:
        refusal = self.files.missing(self.path, file, self.place)
        if refusal is None:
            return True
        if refusal.code != "OW115":
            raise UnusableError(refusal.message)
        self.seen[f"{self.path}/{file}"] = None
        return False

    def _value(self, file: str, declared: onnx.TypeProto) -> Value:
        if declared.HasField("sequence_type"):
            sequence = onnx.SequenceProto()
            self._parse(file, sequence)
            kind = BY_CODE.get(declared.sequence_type.elem_type.tensor_type.elem_type)
            if kind is None or sequence.elem_type not in (onnx.SequenceProto.TENSOR, onnx.SequenceProto.UNDEFINED):
                raise UnusableError(f"{file} is a sequence of something else than tensors")
            try:
                return items_of([_tensor(item) for item in sequence.tensor_values], kind.name)
            except ValueError as error:
                raise UnusableError(f"{file}: {error}") from None
        if not declared.HasField("tensor_type"):
            raise UnusableError(f"{file} is neither a tensor nor a sequence of tensors")
        tensor = onnx.TensorProto()
        self._parse(file, tensor)
        return _tensor(tensor)

    def _parse(self, file: str, message: Message) -> None:
        data = self.files.read(self.path, file, MOST_BYTES, self.place)
        if isinstance(data, Diagnostic):
            self.seen[f"{self.path}/{file}"] = None
            raise UnusableError(data.message)
        self.seen[f"{self.path}/{file}"] = data
        if len(data) > MOST_BYTES:
            raise UnusableError(f"{file} is larger than {MOST_BYTES:,} bytes")
        try:
            message.ParseFromString(data)
        except DecodeError:
            raise UnusableError(f"{file} is no protobuf message of the kind that is wanted") from None


def _tensor(tensor: onnx.TensorProto) -> Array:
    if tensor.data_location == onnx.TensorProto.EXTERNAL:
        raise UnusableError(f"the tensor {tensor.name[:80]!r} lies in a file of its own")
    if tensor.data_type not in BY_CODE or any(size < 0 for size in tensor.dims):
        raise UnusableError(f"the tensor {tensor.name[:80]!r} has a type or a shape that is none")
    try:
        return numpy_helper.to_array(tensor)
    except (ValueError, TypeError, OverflowError, MemoryError, UnicodeDecodeError) as error:
        raise UnusableError(f"the tensor {tensor.name[:80]!r} makes no sense: {error}") from None
