"""`GraphBuilder`: a model, recorded call by call."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, Literal, NoReturn, TypeVar

from opwright.builder import questions
from opwright.builder.inputs import Interface
from opwright.builder.python_operands import arguments_of, index_of, operand_of, result_of
from opwright.builder.recorded_calls import call_library, call_proto, call_script
from opwright.builder.recorded_model import make_model
from opwright.builder.recorder import Recorder
from opwright.builder.value_names import open_scope
from opwright.eager import settings
from opwright.eager.eager_lowering import NOWHERE
from opwright.eager.operations import called, may_be_unpacked
from opwright.eager.place import caller, unpacked_to
from opwright.elements import ElementType
from opwright.functions import OnnxFunction
from opwright.lang.lower.calls import operator_rule
from opwright.lang.lower.calls.graph_attributes import call_with_graphs
from opwright.lang.lower.expressions import arithmetic
from opwright.lang.lower.values import subscripts
from opwright.lang.meaning.objects import FunctionObject
from opwright.lang.meaning.operands import Operand
from opwright.model_options import ModelOptions
from opwright.opsets.implied import ImpliedSignature
from opwright.opsets.operator import Operator
from opwright.opsets.opset import Opset
from opwright.opsets.signatures import newest_opset
from opwright.packaged import LibraryFunction
from opwright.variants import Profile

if TYPE_CHECKING:
    from onnx import ModelProto

    from opwright.builder.graph_values import Shape, Value
    from opwright.live.proto_functions import ProtoFunction
    from opwright.types import AnyTensor

_SPANS = (NOWHERE, NOWHERE)
Result = TypeVar("Result")


class GraphBuilder:
    """A graph that is built by calling operators and functions on its values.

    `opset` is the version of the default domain, whatever opset the operators are imported from (default: the newest).
    Every mistake is a DiagnosticError at the line that makes it, and leaves the graph as it was. One operation runs at
    a time; which of several threads comes first decides the order of nodes.
    """

    def __init__(self, opset: Opset | int | None = None, *, name: str = "graph", doc_string: str = "") -> None:
        if isinstance(opset, Opset) and opset.domain:
            raise ValueError(f"a graph is built for an opset of ai.onnx, and {opset!r} is one of {opset.domain}")
        version = opset.version if isinstance(opset, Opset) else newest_opset() if opset is None else opset
        if isinstance(version, bool) or not isinstance(version, int) or not 1 <= version <= newest_opset():
            raise ValueError(f"the installed onnx knows the opsets 1 to {newest_opset()}, not {version!r}")
        self.opset = version
        self.name = name
        self._recorder = Recorder(self, version, name)
        self._recorder.low.function.doc = doc_string
        self._interface = Interface(self._recorder)

    def __repr__(self) -> str:
        return f"<GraphBuilder {self.name}, opset {self.opset}>"

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError(f"{self!r} is being built, and cannot be copied or pickled: its model can")

    # ------------------------------------------------------------------------------------------- interface

    def input(self, name: str, type: object) -> AnyTensor:
        """An input of the model: `b.input("x", FLOAT["N", 4])`, `Sequence[...]`, `OptionalValue[...]`.

        DiagnosticError: OW354 where that is no type, OW383 where the name is taken.
        """
        found: Any = self._perform(lambda: self._interface.add_input(name, type))
        made: AnyTensor = found
        return made

    def initializer(self, name: str, value: object, *, location: str | None = None, offset: int = 0) -> AnyTensor:
        """A tensor that the model carries: a numpy array (or what numpy makes one of), or a TensorProto.

        An array of more than a megabyte is not copied; a model or a run is refused (OW387) where it has been changed
        since.
        With a `location`, `value` is the type with its sizes (`FLOAT[1000, 1000]`), and the elements stand in that
        file, next to the model's, from byte `offset` on.
        """
        found: Any = self._perform(lambda: self._interface.add_initializer(name, value, location, offset))
        made: AnyTensor = found
        return made

    def output(self, name: str, value: object, type: object = None) -> None:
        """An output of the model. `type` says more of it than is known, where ONNX's inference does not find its rank.

        DiagnosticError: OW383 where the name is taken, OW210 where `type` contradicts what is known.
        """
        self._perform(lambda: self._interface.add_output(name, value, type))

    @contextmanager
    def scope(self, name: str = "") -> Iterator[GraphBuilder]:
        """Within, names of values and nodes begin with `name/`, and operators are recorded even without inputs.

        It holds for the thread or task that enters it.
        """
        if name:
            with open_scope(self, name), settings.default_as(self):
                yield self
        else:
            with settings.default_as(self):
                yield self

    def value_of(self, array: Any) -> Value:
        """A value of an array's element type and rank, which nothing makes: what it is `run` must be told."""
        return self._perform(lambda: self._interface.add_unmade(array))

    # ----------------------------------------------------------------------------------------------- calls

    def call(self, function: Any, /, *args: Any, inline: bool = False, **kwargs: Any) -> Any:
        """A call of a function: one under `@script`, of a library, a FunctionProto or a ModelProto.

        It stays a function of the model, once however often it is called; `inline` puts its body in place of the call.
        """
        return self._call(function, args, kwargs, inline)

    def call_operator(self, operator: Operator, args: Sequence[object], kwargs: Mapping[str, object]) -> Any:
        """What `operator(*args, **kwargs)` records: the part of a capturing evaluator."""
        frame = caller()
        domain, low = operator.domain, self._recorder.low
        count = unpacked_to(frame) if may_be_unpacked(operator, self.opset) else None

        def step() -> Operand:
            found = low.target.lookup(domain, operator.name) or operator.signature
            attributes = None if isinstance(found, ImpliedSignature) else found.attributes
            arguments = arguments_of(self._recorder, attributes, args, kwargs, count)
            callee = called(operator)
            if any(isinstance(item, FunctionObject) for item, _ in arguments.keywords.values()):
                return call_with_graphs(low, callee, arguments, {})
            return operator_rule.call_operator(low, callee, arguments)

        return self._record(step, frame)

    def call_function(
        self,
        function: OnnxFunction | LibraryFunction | ProtoFunction,
        args: Sequence[object],
        kwargs: Mapping[str, object],
    ) -> Any:
        """What `function(*args, **kwargs)` records: the part of a capturing evaluator."""
        return self._call(function, args, kwargs, False)

    def binary(self, symbol: str, left: object, right: object) -> Any:
        """`left symbol right`, one of which is a value of this graph."""
        recorder = self._recorder
        return self._record(
            lambda: arithmetic.binary(
                recorder.low, symbol, operand_of(recorder, left), operand_of(recorder, right), NOWHERE, _SPANS
            )
        )

    def unary(self, symbol: str, value: object) -> Any:
        recorder = self._recorder
        return self._record(
            lambda: arithmetic.unary(recorder.low, symbol, operand_of(recorder, value), NOWHERE, NOWHERE)
        )

    def subscript(self, owner: object, key: object) -> Any:
        """`owner[key]`."""
        recorder = self._recorder
        return self._record(
            lambda: subscripts.subscript(recorder.low, operand_of(recorder, owner), index_of(recorder, key), NOWHERE)
        )

    def transposed(self, value: Value) -> Any:
        """`value.T`."""
        return self._record(lambda: questions.transposed(self._recorder, value))

    def size_of(self, value: Value) -> Any:
        """`value.size`: an int where it is known, else a number."""
        return self._record(lambda: questions.size_of(self._recorder, value))

    # ------------------------------------------------------------------------------------------- questions

    def ask_dtype(self, value: Value) -> ElementType:
        return self._perform(lambda: questions.dtype_of(self._recorder, value))

    def ask_rank(self, value: Value) -> int:
        return self._perform(lambda: questions.rank_of(self._recorder, value))

    def ask_shape(self, value: Value) -> tuple[int, ...] | Shape:
        return self._perform(lambda: questions.shape_of(self._recorder, value))

    def ask_length(self, value: Value) -> int:
        return self._perform(lambda: questions.length_of(self._recorder, value))

    def ask_items(self, value: Value) -> int:
        """Over how many items `for` runs."""
        return self._perform(lambda: questions.items_of(self._recorder, value))

    def refuse(self, code: str, message: str, reason: str, help: str) -> NoReturn:
        """Raises the finding at the caller's line."""
        self._perform(lambda: self._recorder.low.error(code, message, None, reason, help))
        raise AssertionError

    # ------------------------------------------------------------------------------------------- the model

    def to_model_proto(
        self,
        *,
        ir_version: int | None = None,
        producer_name: str = "opwright",
        debug: bool = True,
        functions: Sequence[OnnxFunction | str] | None = None,
        strict: bool = False,
        profile: Literal["portable", "overload"] = "portable",
    ) -> ModelProto:
        """The model, as ONNX's checker and strict inference accept it. The builder can go on after it.

        `debug`: nodes carry the lines that made them in `metadata_props`. `functions` names the functions that stay
        functions (default: all that are not called with `inline`). `profile`: see `OnnxFunction.to_model_proto`. A
        DiagnosticWarning (OW388) names the inputs and outputs without ranks, which `strict` refuses. DiagnosticError:
        OW354 where an output has no type, OW358 where ONNX refuses the model, OW384 where protobuf cannot hold it.
        """
        options = ModelOptions(
            ir_version=ir_version,
            producer_name=producer_name,
            places=debug,
            functions=functions,
            strict=strict,
            profile=Profile(profile),
        )
        return self._perform(lambda: make_model(self._recorder, options))

    def save(self, path: str | os.PathLike[str], *, external: str | None = None, least: int = 1 << 20) -> None:
        """Writes the model to a file, and initializers of at least `least` bytes to another one next to it.

        `external` is that file's name (default: the model's with `.data` behind). Arrays are written as they are,
        without a copy in memory. DiagnosticError: OW572 where a file cannot be written, or where the name is that of
        the model or of tensors that stand in files already.
        """
        from opwright.builder.saving import save_model

        target = Path(path)
        name = external or f"{target.name}.data"
        self._perform(lambda: save_model(self._recorder, target, name, least))

    def run(self, values: Any, given: Mapping[Any, object] | None = None, /, **inputs: object) -> Any:
        """What values of the graph are for these inputs: an array, or a list of them for a list of values.

        Only what they need is run, on the first of the active evaluators that takes it: by default on onnxruntime
        where it is installed, else on the reference evaluator. `given` says what other values of the graph are, in
        place of what makes them: so a part of the graph can be run alone. DiagnosticError: OW385 where an input is
        missing; where an operator fails OW373, at the line that recorded it, or OW370 where the runtime does not say
        which; OW371 where no evaluator takes the part.
        """
        from opwright.builder.running import run_values

        return self._perform(lambda: run_values(self._recorder, values, given or {}, inputs))

    # ------------------------------------------------------------------------------------------------ parts

    def _call(self, function: Any, args: Sequence[object], kwargs: Mapping[str, object], inline: bool) -> Any:
        def step() -> Operand:
            if isinstance(function, OnnxFunction):
                return call_script(self._recorder, function, args, kwargs, inline)
            if isinstance(function, LibraryFunction):
                return call_library(self._recorder, function, args, kwargs, inline)
            return call_proto(self._recorder, function, args, kwargs, inline)

        return self._record(step)

    def _record(self, step: Callable[[], Operand], frame: FrameType | None = None) -> Any:
        recorder = self._recorder
        return recorder.perform(frame or caller(), lambda: result_of(recorder, step()))

    def _perform(self, step: Callable[[], Result]) -> Result:
        return self._recorder.perform(caller(), step)
