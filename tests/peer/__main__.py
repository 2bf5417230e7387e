"""`nox -s peer`: the scripted functions of the onnxscript package, compiled by both and compared on onnxruntime.

Prints a line per function: compiled, checked, cases that agree. Exit 1 unless all functions pass.
"""

from __future__ import annotations

import multiprocessing
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
from onnx import helper
from opwright import FLOAT, OnnxFunction
from opwright import types as element_types
from opwright.diagnostics.diagnostic import DiagnosticError
from opwright.elements import BY_CODE

from tests.peer.differences import check_page
from tests.peer.inputs import Case, Value, cases
from tests.peer.modules import our_functions, peer_functions

OPSET = 18
EXPECTED = 46
_NOT_OPTIMISED = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
_OPTIMISED = ort.GraphOptimizationLevel.ORT_ENABLE_ALL


# Their numbers have fractions, and their annotations admit integers: the peer cuts the fractions off there, we refuse.
NARROWED = (
    "aten_addbmm",
    "aten_addcmul",
    "aten_addmv",
    "aten_allclose",
    "aten_hardtanh",
    "aten_lerp",
)


@dataclass
class Outcome:
    """What became of one function. `refused`: cases that onnxruntime runs in the peer's form neither; `narrowed`:
    cases of integers that meet fractions."""

    name: str
    compiled: bool = False
    checked: bool = False
    agreed: int = 0
    refused: int = 0
    narrowed: int = 0
    problems: list[str] = field(default_factory=list)
    note: str = ""

    @property
    def passed(self) -> bool:
        return self.compiled and self.checked and self.agreed > 0 and not self.problems


def main() -> int:
    ort.set_default_logger_severity(4)
    theirs = peer_functions()
    with tempfile.TemporaryDirectory() as folder:
        ours = our_functions(Path(folder))
        outcomes = [_both_levels(name, theirs[name], ours.get(name)) for name in sorted(theirs)]
    print(
        f"{'function':42} {'compiled':>8} {'checked':>8} {'agreed':>7} {'not run by both':>16} {'integers refused':>17}"
    )
    for item in outcomes:
        marks = ["yes" if mark else "no" for mark in (item.compiled, item.checked)]
        counts = f"{item.agreed:>7} {item.refused:>16} {item.narrowed:>17}"
        print(f"{item.name:42} {marks[0]:>8} {marks[1]:>8} {counts}  {item.note}".rstrip())
        for problem in item.problems[:5]:
            print(f"    {problem}")
    passed = sum(item.passed for item in outcomes)
    print(f"{passed} of {len(outcomes)} functions pass; {sum(item.agreed for item in outcomes)} cases agree")
    problems = _differences()
    return 0 if passed == len(outcomes) == EXPECTED and not problems else 1


def _differences() -> list[str]:
    """What docs/from-onnxscript.md says of the package and is not so, printed."""
    with tempfile.TemporaryDirectory() as folder:
        sys.path.insert(0, folder)
        problems = check_page(Path(folder))
        sys.path.remove(folder)
    print("\n".join(problems) or "docs/from-onnxscript.md tells the truth of the package")
    return problems


def _both_levels(name: str, theirs: Any, ours: OnnxFunction | None) -> Outcome:
    """Without onnxruntime's optimisation, which is what counts, and with it, which kills onnxruntime on some models."""
    outcome = _apart(name, lambda: _compare(name, theirs, ours, _NOT_OPTIMISED))
    if outcome is None:
        return Outcome(name, problems=["onnxruntime died"])
    optimised = _apart(name, lambda: _compare(name, theirs, ours, _OPTIMISED))
    if optimised is not None:
        outcome.agreed += optimised.agreed
        outcome.problems += [f"optimised: {problem}" for problem in optimised.problems]
    elif _apart(name, lambda: _compare(name, theirs, None, _OPTIMISED)) is None:
        outcome.note = "onnxruntime's optimiser dies on both forms"
    else:
        outcome.problems.append("onnxruntime's optimiser dies on our form alone")
    return outcome


def _apart(name: str, compare: Callable[[], Outcome]) -> Outcome | None:
    """In a process of its own; None when that died."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=lambda: sender.send(compare()))
    child.start()
    sender.close()
    try:
        return receiver.recv()
    except EOFError:
        return None
    finally:
        child.join()


def _compare(name: str, theirs: Any, ours: OnnxFunction | None, level: ort.GraphOptimizationLevel) -> Outcome:
    """Ours against theirs, the latter not optimised. Without ours, theirs at that level alone."""
    outcome = Outcome(name)
    peer_proto = theirs.to_function_proto()
    if ours is None:
        outcome.problems.append("it was not found among the compiled files")
        for case in cases(name, theirs.function):
            _run(peer_proto, case, level)
        return outcome
    try:
        protos = ours.to_function_protos(OPSET)
        outcome.compiled = True
        for proto in protos:
            onnx.checker.check_function(proto)
        outcome.checked = True
    except (DiagnosticError, onnx.checker.ValidationError) as error:
        outcome.problems.append(str(error))
        return outcome
    for case in cases(name, ours.__wrapped__):
        _judge(outcome, case, peer_proto, ours, level)
    return outcome


def _judge(
    outcome: Outcome, case: Case, peer_proto: onnx.FunctionProto, ours: OnnxFunction, level: ort.GraphOptimizationLevel
) -> None:
    expected = _run(peer_proto, case, _NOT_OPTIMISED)
    try:
        found = _run(ours.to_function_proto(OPSET, variant=_variant(ours, case)), case, level)
    except DiagnosticError as error:
        found = str(error)
        if outcome.name in NARROWED and [item.code for item in error.diagnostics] == ["OW353"]:
            outcome.narrowed += 1
            return
    if isinstance(expected, str):
        outcome.refused += 1
    elif isinstance(found, str):
        outcome.problems.append(f"{case}: {found[:300]}")
    elif len(found) == len(expected) and all(map(_same, found, expected)):
        outcome.agreed += 1
    else:
        outcome.problems.append(f"{case}: {found} instead of {expected}")


def _variant(function: OnnxFunction, case: Case) -> dict[str, object]:
    """The element types of the inputs, for functions that have a form for each."""
    annotations = function.__wrapped__.__annotations__
    given = {name: value for name, value in case.inputs.items() if annotations[name].startswith("T")}
    return {name: _element_class(value) for name, value in given.items() if isinstance(value, np.ndarray)}


def _element_class(value: Any) -> Any:
    code = helper.np_dtype_to_tensor_dtype(value.dtype)
    return getattr(element_types, BY_CODE[code].name.upper(), FLOAT)


def _run(proto: onnx.FunctionProto, case: Case, level: ort.GraphOptimizationLevel) -> Sequence[Any] | str:
    """The outputs of a model of one node that calls the function, or why onnxruntime does not give them."""
    inputs = [name if case.inputs.get(name) is not None else "" for name in proto.input]
    node = helper.make_node(
        proto.name, inputs, list(proto.output), domain=proto.domain, overload=proto.overload, **case.attributes
    )
    given = {name: value for name, value in case.inputs.items() if value is not None}
    outputs = [onnx.ValueInfoProto(name=name) for name in proto.output]
    graph = helper.make_graph([node], "call", [_declared(name, value) for name, value in given.items()], outputs)
    imports = [helper.make_opsetid("", OPSET), helper.make_opsetid(proto.domain, 1)]
    model = helper.make_model(graph, functions=[proto], opset_imports=imports, ir_version=10)
    options = ort.SessionOptions()
    options.graph_optimization_level = level
    options.intra_op_num_threads = 1
    ort.set_seed(1)
    try:
        session = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        return session.run(None, given)
    except Exception as error:  # onnxruntime's own errors have no common class
        return f"{type(error).__name__}: {error}"


def _declared(name: str, value: Value) -> onnx.ValueInfoProto:
    if isinstance(value, list):
        element = helper.np_dtype_to_tensor_dtype(value[0].dtype)
        return helper.make_tensor_sequence_value_info(name, element, None)
    assert value is not None
    dims = [f"{name}_{axis}" for axis in range(value.ndim)]
    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(value.dtype), dims)


def _same(found: Any, expected: Any) -> bool:
    if isinstance(expected, list):
        return isinstance(found, list) and len(found) == len(expected) and all(map(_same, found, expected))
    found, expected = np.asarray(found), np.asarray(expected)
    if found.dtype != expected.dtype or found.shape != expected.shape:
        return False
    if found.dtype.kind != "f":
        return bool((found == expected).all())
    # In double the peer has rounded its constants to float32 before.
    tolerance = {"float16": 2e-3, "float32": 2e-6, "float64": 2e-7}[found.dtype.name]
    return np.allclose(found, expected, rtol=tolerance, atol=tolerance, equal_nan=True)


if __name__ == "__main__":
    sys.exit(main())
