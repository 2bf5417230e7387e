"""Each construct of docs/language.md at each opset: it runs and is right there, or is refused at its line.

By hand, or as `nox -s opsets`: `python -m tests.docs.opset_matrix [--opsets 7,12] [--rows stmt.,expr.if]` prints a line
for each row, a letter for each opset, and each cell that is neither right nor refused.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial
from typing import Any

import numpy as np
import onnx
import onnxruntime
from onnx import ModelProto
from onnx.inliner import inline_local_functions
from onnx.reference import ReferenceEvaluator
from opwright import DiagnosticError, OnnxFunction
from opwright.opsets.signatures import newest_opset

from tests.docs.pages import DOCS, Example, Expectation, Row, read_header, read_rows
from tests.docs.running import LEVELS, define, model_of

PAGE = DOCS / "language.md"
OLDEST_RUN = 7  # what onnxruntime takes
NEWEST_RUN = 27  # of 1.31; it calls opset 27 unreleased, and takes it where the environment says so
UNRELEASED = "ALLOW_RELEASED_ONNX_OPSET_ONLY"


class Outcome(Enum):
    """What becomes of a construct at an opset. The last three are faults."""

    RIGHT = "r"
    REFUSED = "-"
    MISPLACED = "P"  # refused, at no line of the example
    INVALID = "I"  # a model that the checker, or each runtime, refuses
    WRONG = "W"


FAULTS = (Outcome.MISPLACED, Outcome.INVALID, Outcome.WRONG)


@dataclass(frozen=True)
class Cell:
    """One example at one opset; `said` is what went wrong, or the codes that it is refused with."""

    row: str
    line: int
    opset: int
    outcome: Outcome
    said: str = ""

    def __str__(self) -> str:
        return f"{self.row}:{self.line} at opset {self.opset}: {self.outcome.name} {self.said}"


def header_at(header: str, opset: int) -> str:
    """The lines that examples begin with, of another opset."""
    changed = header.replace("import opset18 as op", f"import opset{opset} as op")
    assert changed.count(f"opset{opset} ") == 1
    return changed


def judge(row: Row, example: Example, header: str, opset: int) -> Cell:
    """The example, written under `header`, compiled for the opset and run there: as the model's graph, and, where it
    has attributes, called from there, so that they are attributes of a function too."""
    name = f"<{row.id}:{example.line} at {opset}>"
    outcome, said = Outcome.RIGHT, ""
    for expectation in example.expectations:
        for text in (example.text, *_called(example.text, expectation)):
            outcome, said = _judge_call(header, text, expectation, name, opset)
            if outcome is not Outcome.RIGHT:
                return Cell(row.id, example.line, opset, outcome, said)
    return Cell(row.id, example.line, opset, outcome, said)


def _called(text: str, expectation: Expectation) -> tuple[str, ...]:
    """The text with a caller of F, named F too, that hands it the attributes as values; none where it has none."""
    definitions = [item for item in ast.parse(text).body if isinstance(item, ast.FunctionDef) and item.name == "F"]
    if len(definitions) != 1:
        return ()
    formal = definitions[0].args
    if formal.vararg is not None or not expectation.arguments:
        return ()
    parameters = [*formal.posonlyargs, *formal.args]
    given = dict(zip((item.arg for item in parameters), expectation.arguments, strict=False))
    given |= dict(expectation.keywords)
    attributes = {item.arg for item in (*parameters, *formal.kwonlyargs) if _is_attribute(item.annotation)}
    if not attributes & given.keys():
        return ()
    inputs = [item for item in parameters if item.arg in given and item.arg not in attributes]
    if any(given[item.arg] is None for item in inputs):
        return ()
    head = ", ".join(item.arg if item.annotation is None else ast.unparse(item) for item in inputs)
    values = [item.arg if item in inputs else repr(given[item.arg]) for item in parameters if item.arg in given]
    values += [f"{item.arg}={given[item.arg]!r}" for item in formal.kwonlyargs if item.arg in given]
    return (f"{text}\n\nCALLED = F\n\n\n@script()\ndef F({head}):\n    return CALLED({', '.join(values)})\n",)


def _is_attribute(annotation: ast.expr | None) -> bool:
    words = () if annotation is None else {item.id for item in ast.walk(annotation) if isinstance(item, ast.Name)}
    return bool({"int", "float", "str", "bool", "Literal"} & set(words))


def _judge_call(header: str, text: str, expectation: Expectation, name: str, opset: int) -> tuple[Outcome, str]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            function = define(header, text, name)
            model, feeds = model_of(function, _taken(function, expectation), opset)
    except DiagnosticError as error:
        codes = ", ".join(dict.fromkeys(item.code for item in error.diagnostics))
        first = len(header.splitlines())
        placed = all(
            item.place is not None and item.place.file == name and item.place.line > first for item in error.diagnostics
        )
        return (Outcome.REFUSED, codes) if placed else (Outcome.MISPLACED, str(error))
    return _judge_model(model, feeds, expectation, opset)


def _taken(function: OnnxFunction, expectation: Expectation) -> Expectation:
    """The call without the arguments that the function does not take: a caller takes no attributes."""
    names = list(inspect.signature(function.__wrapped__).parameters)
    if len(names) >= len(expectation.arguments) + len(expectation.keywords) or not names:
        return expectation
    return replace(expectation, arguments=expectation.arguments[: len(names)], keywords=())


def _judge_model(
    model: ModelProto, feeds: dict[str, np.ndarray], expectation: Expectation, opset: int
) -> tuple[Outcome, str]:
    expected = expectation.result if isinstance(expectation.result, tuple) else (expectation.result,)
    try:
        onnx.checker.check_model(model, full_check=True)
    except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError, ValueError) as error:
        return Outcome.INVALID, f"onnx.checker: {_short(error)}"
    failed = []
    ran = False
    runs: list[tuple[str, Callable[[], list[Any]]]] = [("reference", partial(_on_reference, model, feeds))]
    if OLDEST_RUN <= opset <= NEWEST_RUN:
        runs += [(level.name, partial(_on_onnxruntime, model, feeds, level)) for level in LEVELS]
    for runner, run in runs:
        try:
            outputs = run()
        except Exception as error:  # each runtime has its own
            failed.append((runner, error))
            continue
        wrong = _differs(outputs, expected)
        if wrong:
            return Outcome.WRONG, f"{runner}: {wrong}"
        ran = True
    refusals = [f"{runner}: {_short(error)}" for runner, error in failed if not _lacks(error)]
    if not ran or [item for item in refusals if not item.startswith("reference")]:
        return Outcome.INVALID, "; ".join(refusals or [f"{runner}: {_short(error)}" for runner, error in failed])
    return Outcome.RIGHT, ""


def _on_reference(model: ModelProto, feeds: dict[str, np.ndarray]) -> list[Any]:
    flat = inline_local_functions(model) if model.functions else model
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return list(ReferenceEvaluator(flat).run(None, dict(feeds)))


def _on_onnxruntime(
    model: ModelProto, feeds: dict[str, np.ndarray], level: onnxruntime.GraphOptimizationLevel
) -> list[Any]:
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = level
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return list(session.run(None, dict(feeds)))


def _lacks(error: Exception) -> bool:
    """Whether the runtime has no kernel, which is an outcome and no fault of the model."""
    return type(error).__name__ == "NotImplemented"


def _differs(outputs: Sequence[Any], expected: Sequence[Any]) -> str:
    if len(outputs) != len(expected):
        return f"{len(outputs)} outputs"
    for output, wanted in zip(outputs, expected, strict=True):
        if np.shape(output) != np.shape(wanted):
            return f"shape {np.shape(output)}, not {np.shape(wanted)}"
        try:
            np.testing.assert_allclose(np.asarray(output), wanted, rtol=1e-6)
        except AssertionError:
            return f"{np.asarray(output).tolist()}, not {wanted}"
    return ""


def _short(error: Exception) -> str:
    return f"{type(error).__name__} {' '.join(str(error).split())[:300]}"


def main(arguments: Sequence[str]) -> int:
    """Prints the matrix; 1 where a cell is at fault."""
    newest = newest_opset()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--opsets", default="", help="numbers with commas; default: all")
    parser.add_argument("--rows", default="", help="beginnings of rows' names with commas; default: all")
    parser.add_argument("--source", type=int, help="the opset that all are written for; default: the one they run at")
    options = parser.parse_args(arguments)
    os.environ[UNRELEASED] = "0"
    opsets = [int(item) for item in options.opsets.split(",") if item] or list(range(1, newest + 1))
    wanted = tuple(options.rows.split(","))
    rows = [row for row in read_rows(PAGE) if row.id.startswith(wanted)]
    faults: list[Cell] = []
    counts = dict.fromkeys(Outcome, 0)
    for row in rows:
        for example in row.accepted:
            found = [judge(row, example, header_at(read_header(PAGE), options.source or item), item) for item in opsets]
            for cell in found:
                counts[cell.outcome] += 1
            faults += (cell for cell in found if cell.outcome in FAULTS)
            print(f"{''.join(cell.outcome.value for cell in found)}  {row.id}:{example.line}", flush=True)
    for cell in faults:
        print(cell)
    print(", ".join(f"{count} {outcome.name.lower()}" for outcome, count in counts.items()))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
