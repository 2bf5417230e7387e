"""What records one graph: its lowering, its inputs and tensors, and one operation at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from threading import RLock
from types import FrameType
from typing import TYPE_CHECKING, Any, TypeVar

from opwright.builder.graph_lowering import GraphLowering
from opwright.builder.initializer_data import Kept
from opwright.diagnostics.diagnostic import DiagnosticError
from opwright.eager.place import place_of
from opwright.functions import OnnxFunction
from opwright.lang import ir
from opwright.lang.lower.paths.speculate import speculate
from opwright.lang.lower.state.poison import Poisoned
from opwright.live.compiled import Compiled
from opwright.live.proto_functions import ProtoFunction

if TYPE_CHECKING:
    from opwright.builder.graph_builder import GraphBuilder

Result = TypeVar("Result")


class Recorder:
    """`owner` is the builder, as its users know it. One operation runs at a time; what fails leaves nothing behind."""

    def __init__(self, owner: GraphBuilder, opset: int, name: str) -> None:
        self.owner = owner
        self.low = GraphLowering(owner, opset, name)
        # The functions that are called, each as it has been compiled for a call: what it captures may change.
        self.compiled: dict[OnnxFunction, list[Compiled]] = {}
        self.inputs: dict[str, ir.Value] = {}
        self.kept: dict[str, Kept] = {}  # initializers
        self.outputs: dict[str, ir.Value] = {}
        self.existing: dict[tuple[type, bytes], ProtoFunction] = {}  # protos that are called, by their content
        self.asked: set[ir.Value] = set()  # values whose types ONNX's inference has completed as far as it can
        self.types: dict[tuple[object, ...], list[ir.Type]] = {}  # of the results of calls, by what decides them
        self.inlined: set[ir.Node] = set()  # calls whose bodies take their place
        self.arrays: dict[tuple[str, tuple[int, ...], bytes], ir.Value] = {}  # large arrays among operands, by content
        self._lock = RLock()

    def perform(self, frame: FrameType | None, step: Callable[[], Result]) -> Result:
        """One operation for the author's code in `frame`. Raises DiagnosticError, without our frames."""
        low = self.low
        with self._lock:
            before, low.frame = low.frame, frame
            try:
                with speculate(low) as trial:
                    try:
                        made = step()
                    except BaseException as error:
                        failure = error
                        if isinstance(error, Poisoned) and error.question is None:
                            failure = DiagnosticError(error.findings or trial.findings)
                    else:
                        trial.commit()
                        return made
                found = self._as_finding(failure)
                if found is None:
                    raise failure
                raise found from None
            finally:
                low.frame = before

    def _as_finding(self, error: BaseException) -> DiagnosticError | None:
        """What the author is told; None of what is not ours to tell."""
        if isinstance(error, DiagnosticError):
            place = place_of(self.low.frame)
            placed = [item if item.place is not None else replace(item, place=place) for item in error.diagnostics]
            return DiagnosticError(placed)
        if not isinstance(error, Poisoned) or error.question is None:
            return None
        try:
            self.low.error(
                "OW382",
                f"it depends on `{error.question.axis}`, which is not known here",
                None,
                reason="what is recorded depends on it, and a graph is recorded once",
                help="declare the input with its rank, or give the rank with `op.Reshape` to a list of known length",
            )
        except DiagnosticError as found:
            return found
        raise AssertionError

    def keep_array(self, array: Any) -> ir.Value:
        """A large array among operands: an initializer with its current contents, once for all arrays of those."""
        kept = Kept.of_array(array).copied()
        key = kept.element.name, kept.dims, sha256(kept.content()).digest()
        found = self.arrays.get(key)
        if found is None:
            found = self.add_kept("", kept)
            self.low.trail.put(self.arrays, key, found)
        return found

    def add_kept(self, name: str, kept: Kept) -> ir.Value:
        """An initializer; one without a name gets one."""
        value = ir.Value(ir.TensorType(kept.element, kept.dims), name)
        if not name:
            value.name = self.low.names.fresh("constant", value)
        self.low.trail.put(self.kept, value.name, kept)
        self._add_input(value)
        kept.value = value
        return value

    def add_input(self, name: str, value: ir.Value) -> None:
        """An input, whose name is its own."""
        self.low.trail.put(self.inputs, name, value)
        self._add_input(value)

    def _add_input(self, value: ir.Value) -> None:
        """To a function, initializers are inputs too."""
        self.low.trail.append(self.low.function.inputs, value)
        self.low.add_unmade(value)
