"""`nox -s peer`: the scripted functions of the onnxscript package, compiled by both and compared on onnxruntime.

Prints a line per function: compiled, checked, cases that agree. Exit 1 unless all functions pass.
"""

from __future__ import annotations

import multiprocessing
import sys
import tempfile
from collections.abc import Callable
from functools import partial
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
from tests.peer.inputs import Case, cases
from tests.peer.model_scripts import compare_model
from tests.peer.modules import our_functions, peer_functions
from tests.peer.outcome import Outcome
from tests.peer.running import OPSET, run_function, same
from tests.peer.scripted import scripted_functions

EXPECTED = 59  # functions under a decorator that makes ONNX functions of them
TRACED = 421  # that are traced: a row of the page says what they become
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


def main() -> int:
    ort.set_default_logger_severity(4)
    theirs, listed = peer_functions(), scripted_functions()
    scripted = [item for item in listed if not item.traced]
    with tempfile.TemporaryDirectory() as folder:
        ours = our_functions(Path(folder))
        outcomes = [_both_levels(name, theirs[name], ours.get(name)) for name in sorted(theirs)]
        models = [item for item in scripted if item.label not in theirs]
        outcomes += [
            _apart(item.label, partial(compare_model, item, Path(folder)))
            or Outcome(item.label, problems=["its process died"])
            for item in models
        ]
    print(
        f"{'function':51} {'compiled':>8} {'checked':>8} {'agreed':>7} {'not run by both':>16} {'integers refused':>17}"
    )
    for item in outcomes:
        marks = ["yes" if mark else "no" for mark in (item.compiled, item.checked)]
        counts = f"{item.agreed:>7} {item.refused:>16} {item.narrowed:>17}"
        print(f"{item.name:51} {marks[0]:>8} {marks[1]:>8} {counts}  {item.note}".rstrip())
        for problem in item.problems[:5]:
            print(f"    {problem}")
    passed = sum(item.passed for item in outcomes)
    print(f"{passed} of {len(outcomes)} functions pass; {sum(item.agreed for item in outcomes)} cases agree")
    traced = len(listed) - len(scripted)
    print(f"{traced} others are traced there: plain Python, which no ONNX function is made of")
    problems = _differences()
    found = (passed, len(outcomes), len(scripted), traced)
    return 0 if found == (EXPECTED, EXPECTED, EXPECTED, TRACED) and not problems else 1


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
        received: Outcome = receiver.recv()
        return received
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
            run_function(peer_proto, case, level)
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
    expected = run_function(peer_proto, case, _NOT_OPTIMISED)
    try:
        found = run_function(ours.to_function_proto(OPSET, variant=_variant(ours, case)), case, level)
    except DiagnosticError as error:
        found = str(error)
        if outcome.name in NARROWED and [item.code for item in error.diagnostics] == ["OW353"]:
            outcome.narrowed += 1
            return
    if isinstance(expected, str):
        outcome.refused += 1
    elif isinstance(found, str):
        outcome.problems.append(f"{case}: {found[:300]}")
    elif len(found) == len(expected) and all(map(same, found, expected)):
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


if __name__ == "__main__":
    sys.exit(main())
