"""The runtimes that bodies are verified on, behind one small protocol: load a model, run it many times.

A runtime refuses a model when it loads it (`Refused`: a fact about the runtime, a row of `runtime-gaps.yaml`) or fails
(`Failed`: what the body or the runtime does wrong). Nothing else leaves this module.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Protocol

import numpy as np
import onnx
from onnx import ModelProto, helper, shape_inference
from opwright.bundle.call_interface import split_type
from opwright.eager import ort_values
from opwright.eager.messages import one_line
from opwright.graphs.left_out import leave_out_defaults
from opwright.link.kernels import has_kernel
from opwright.model.survey import Survey
from opwright.model.verdict import has_inference

from opwright_build.spec.runtime_names import ONNXRUNTIME_FULL, ONNXRUNTIME_OFF, REFERENCE
from opwright_build.verify.case_model import Items, Status, Value
from opwright_build.verify.facts.refusals import Refusal, classify, classify_unwritten
from opwright_build.verify.items import is_sequence, tensor_in
from opwright_build.verify.run.models import Signature, inlined, lowest_ir


class Tells(Enum):
    NOTHING = 0
    TYPES = 1
    RANKS = 2  # and element types


class Refused(Exception):
    """The runtime does not load the model."""

    def __init__(self, refusal: Refusal) -> None:
        self.refusal = refusal
        super().__init__(refusal.reason)


class Failed(Exception):
    """The runtime took the model and failed, or the model is wrong by the standard's own rules."""


class Session(Protocol):
    def run(self, feeds: Sequence[Value]) -> Sequence[Value]:
        """The outputs, in the model's order. `feeds` are the graph's inputs. Raises Failed, and Refused where the
        machine lacks what the call needs."""
        ...


class Runtime(Protocol):
    """One way to run models. `name` is what outcomes and gaps say; up to the first `/` it is the family."""

    @property
    def name(self) -> str: ...

    @property
    def release(self) -> str:
        """The version of the package that it comes from."""
        ...

    @property
    def tells(self) -> Tells:
        """What of its inputs a session knows beforehand, and so serves no others."""
        ...

    def accepts(self, opset: int) -> Refusal | None:
        """Why the runtime loads no model at all of that default opset; None when it does."""

    def company(self, signature: Signature) -> str:
        """Calls of which it is the same may stand in one model, inlined; empty for one that is to stand alone."""
        ...

    def load(self, model: ModelProto, signature: Signature, *, alone: bool = True) -> Session:
        """Raises Refused or Failed. One that is not `alone` is of several calls, inlined, which nobody else runs so."""
        ...


def onnxruntime_module() -> Any:
    """onnxruntime, which tells fatal errors alone."""
    runtime: Any = import_module("onnxruntime")
    runtime.set_default_logger_severity(4)
    return runtime


@dataclass(frozen=True, slots=True)
class OnnxRuntime:
    """onnxruntime on the CPU, one thread, at one level of graph optimisation."""

    name: str
    level: str
    tells: Tells

    @property
    def release(self) -> str:
        return str(onnxruntime_module().__version__)

    def accepts(self, opset: int) -> Refusal | None:
        return _probe(self, opset)

    def company(self, signature: Signature) -> str:
        kinds, foreign = _kinds_of(signature)
        if _has_sequence(signature) or not all(signature.outputs) or (foreign and kinds & _UNUSUAL):
            return ""
        return "values" if foreign else "arrays"

    def load(self, model: ModelProto, signature: Signature, *, alone: bool = True) -> Session:
        runtime = onnxruntime_module()
        _must_be_reachable(signature)
        if any(has_kernel(function.domain, function.name) for function in model.functions):
            model = inlined(model)
        try:
            session = runtime.InferenceSession(
                model.SerializeToString(), _options(self.level, alone), providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # onnxruntime's exceptions share no base class of their own
            refusal = classify(error)
            if refusal.status is Status.UNSUPPORTED:
                require_valid(model)
            raise Refused(refusal) from None
        _sequences_must_be_reachable(signature)
        return _OnnxRuntimeSession(session, signature)


class _OnnxRuntimeSession:
    def __init__(self, session: Any, signature: Signature) -> None:
        # The inner session spares a third of the time of a call; both take the same arguments.
        self._session = session._sess
        self._results = [item.name for item in session.get_outputs()]
        self._names = [item.name for item in session.get_inputs()]
        self._kinds = [declared[0] for declared in signature.inputs if declared is not None]
        self._direct = all(ort_values.is_native(kind) for kind in (*self._kinds, *signature.outputs))
        # Of a sequence that holds nothing only the model's output says what it is a sequence of.
        self._types = [item.type for item in session.get_outputs()]
        self._sequences = _has_sequence(signature) or any(text.startswith("seq(") for text in self._types)
        self._public = session

    def run(self, feeds: Sequence[Value]) -> Sequence[Value]:
        try:
            if self._sequences:
                given = [list(feed.arrays) if isinstance(feed, Items) else feed for feed in feeds]
                results = self._session.run(self._results, dict(zip(self._names, given, strict=True)), None)
                return [_result(item, text) for item, text in zip(results, self._types, strict=True)]
            if self._direct:
                found: list[Value] = self._session.run(self._results, dict(zip(self._names, feeds, strict=True)), None)
                return found
            values = {
                name: ort_values.to_value(onnxruntime_module(), tensor_in(feed), kind)
                for name, feed, kind in zip(self._names, feeds, self._kinds, strict=True)
            }
            results = self._public.run_with_ort_values(self._results, values)
            return [ort_values.to_array(value) for value in results]
        except Exception as error:  # whatever a kernel of another project raises is its failure, not ours
            raise _of_kernel(error) from None


@dataclass(frozen=True, slots=True)
class ReferenceEvaluator:
    """onnx's own evaluator, on the inlined body. It looks at arrays alone, so that one session serves all types."""

    name: str = REFERENCE
    tells: Tells = Tells.NOTHING

    @property
    def release(self) -> str:
        return onnx.__version__

    def accepts(self, opset: int) -> Refusal | None:
        newest = onnx.defs.onnx_opset_version()
        return None if opset <= newest else Refusal(Status.UNSUPPORTED, f"opset {opset} is not known")

    def company(self, signature: Signature) -> str:
        return ""  # its sessions cost little beside what runs in them

    def load(self, model: ModelProto, signature: Signature, *, alone: bool = True) -> Session:
        from onnx.reference import ReferenceEvaluator as Evaluator

        flat = inlined(model)
        if flat.functions:
            raise Failed("onnx.inliner leaves the call as it is")
        leave_out_defaults(flat)
        try:
            return _ReferenceSession(Evaluator(flat), [item.name for item in flat.graph.input])
        except NotImplementedError as error:
            require_valid(model)
            raise Refused(Refusal(Status.NO_KERNEL, one_line(error))) from None
        except ImportError as error:  # some of its operators are made of other packages
            raise Refused(Refusal(Status.LACKING, _package(error))) from None
        except Exception as error:  # as above
            refused = _of_kernel(error)
            if isinstance(refused, Refused):
                require_valid(model)  # what no runtime could load is no gap of this one
            raise refused from None


class _ReferenceSession:
    def __init__(self, evaluator: Any, names: Sequence[str]) -> None:
        self._evaluator = evaluator
        self._names = names

    def run(self, feeds: Sequence[Value]) -> Sequence[Value]:
        given = [list(feed.arrays) if isinstance(feed, Items) else feed for feed in feeds]
        try:
            with np.errstate(all="ignore"):  # a case may be about the very division by zero
                found = self._evaluator.run(None, dict(zip(self._names, given, strict=True)))
        except ImportError as error:
            raise Refused(Refusal(Status.LACKING, _package(error))) from None
        except Exception as error:  # as above
            raise _of_kernel(error) from None
        return [_result(item, "") for item in found]


def _of_kernel(error: Exception) -> Refused | Failed:
    refusal = classify_unwritten(error)
    return Failed(one_line(error)) if refusal is None else Refused(refusal)


def _package(error: ImportError) -> str:
    """The package that is missing, by its name where it is told, or by the first word of the message."""
    return f"package {error.name or one_line(error).partition(' ')[0]}"


def _result(found: Any, text: str) -> Value:
    """What a runtime gives, a list where it is a sequence; `text` is its type as onnxruntime writes it."""
    if not isinstance(found, list):
        return np.asarray(found)
    return Items(text.removeprefix("seq(tensor(").rstrip(")"), tuple(np.asarray(item) for item in found))


_UNUSUAL = frozenset({"string", "complex64", "complex128"})  # not as values, or not at all: most are refused

_RUNTIMES: tuple[Runtime, ...] = (
    # Ranks are of use to the optimiser alone. Models that do not tell them exist too, and this way they are tried.
    OnnxRuntime(ONNXRUNTIME_OFF, "ORT_DISABLE_ALL", Tells.TYPES),
    OnnxRuntime(ONNXRUNTIME_FULL, "ORT_ENABLE_ALL", Tells.RANKS),
    ReferenceEvaluator(),
)


def available(names: Iterable[str] | None = None) -> tuple[Runtime, ...]:
    """The runtimes of those names (by default all that are installed), always in the same order."""
    wanted = {runtime.name for runtime in _RUNTIMES} if names is None else set(names)
    installed = find_spec("onnxruntime") is not None
    return tuple(
        runtime for runtime in _RUNTIMES if runtime.name in wanted and (installed or runtime.name == REFERENCE)
    )


def newest_accepted(runtime: Runtime, first: int, last: int) -> int | Refusal:
    """The newest opset of a range (both ends included) that the runtime accepts, or why it refuses the last one."""
    refusals: list[Refusal] = []
    for opset in range(last, first - 1, -1):
        refusal = runtime.accepts(opset)
        if refusal is None:
            return opset
        refusals.append(refusal)
    return refusals[0]


@cache
def _probe(runtime: OnnxRuntime, opset: int) -> Refusal | None:
    """Loads a model of one `Identity`. Its IR version is the lowest that has the opset: the IR is refused with it."""
    info = helper.make_tensor_value_info("x0", onnx.TensorProto.FLOAT, [1])
    result = helper.make_tensor_value_info("y0", onnx.TensorProto.FLOAT, [1])
    graph = helper.make_graph([helper.make_node("Identity", ["x0"], ["y0"])], "probe", [info], [result])
    model = helper.make_model(
        graph, ir_version=lowest_ir((), opset), opset_imports=[helper.make_opsetid("", opset)], producer_name="opwright"
    )
    try:
        runtime.load(model, Signature((("float", 1),), (), ("float",)))
    except Refused as error:
        return error.refusal
    return None


def require_valid(model: ModelProto) -> None:
    """Raises Failed when it is not the runtime but the standard that refuses the model. Its inference is not asked
    where it does not know an operator: what follows from that it takes for wrong."""
    # Not check_model: it wants the ranks of a graph's inputs and outputs, which are unknown.
    context = onnx.checker.C.CheckerContext()
    context.ir_version = model.ir_version
    context.opset_imports = {item.domain: item.version for item in model.opset_import}
    try:
        for function in model.functions:
            onnx.checker.check_function(function, context)
        if has_inference(Survey(model)):
            shape_inference.infer_shapes(model, check_type=True, strict_mode=True)
    except Exception as error:  # onnx raises errors of several modules
        raise Failed(one_line(error)) from None


def _must_be_reachable(signature: Signature) -> None:
    """Strings go in and out as numpy arrays only, what numpy does not know as `OrtValue`s only: never both at once."""
    kinds, foreign = _kinds_of(signature)
    if foreign and "string" in kinds:
        raise Refused(Refusal(Status.UNSUPPORTED, f"string and {foreign[0]} cannot be passed in one call"))


def _sequences_must_be_reachable(signature: Signature) -> None:
    """Likewise sequences: their tensors go in and out as numpy arrays only."""
    _, foreign = _kinds_of(signature)
    if foreign and _has_sequence(signature):
        raise Refused(Refusal(Status.UNSUPPORTED, f"a sequence and {foreign[0]} cannot be passed in one call"))


def _kinds_of(signature: Signature) -> tuple[set[str], list[str]]:
    """The element types of all that goes in and out; and those of them that numpy does not know, sorted."""
    types = {*signature.outputs, *(declared[0] for declared in signature.inputs if declared is not None)}
    kinds = {split_type(text)[1] for text in types if text}
    return kinds, sorted(kind for kind in kinds if not ort_values.is_native(kind))


def _has_sequence(signature: Signature) -> bool:
    return any(is_sequence(item[0]) for item in signature.inputs if item) or any(map(is_sequence, signature.outputs))


@cache
def _options(level: str, alone: bool) -> Any:
    """One thread. Memory is reused between values where graphs are optimised and a model is as users run it: to plan
    that is a third of loading."""
    runtime = onnxruntime_module()
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    options.graph_optimization_level = getattr(runtime.GraphOptimizationLevel, level)
    options.enable_mem_reuse = alone and level != "ORT_DISABLE_ALL"
    return options
