"""The standard's node tests of its function-ops, polyfilled and run on onnxruntime; the table of docs/polyfill.md."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import Any

import ml_dtypes
import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, defs, numpy_helper
from onnx.backend.test.case.test_case import TestCase
from opwright.bundle.format import Bundle
from opwright.diagnostics import DiagnosticError
from opwright.downlevel.rewrite import Rewritten, polyfill_libraries
from opwright.downlevel.target import target_of_opset
from opwright.eager.ort_values import to_array, to_value
from opwright.elements import BY_CODE
from opwright.opsets.domains import normal_domain

from tests.node_cases import node_cases

DOMAINS = ("", "ai.onnx.preview")
RANDOM = ("Bernoulli",)  # of which a test can tell shape and type only


class Outcome(Enum):
    """What became of a case."""

    SAME = "of that opset already"
    RESTAMPED = "passes as an older version"
    SERVED = "passes by a function"
    INEXPRESSIBLE = "types that the opset does not have"
    NO_FUNCTION = "no function in the library"
    NO_BODY = "no body for that opset, type or graph"
    NO_KERNEL = "onnxruntime has no kernel"
    DIFFERS = "onnxruntime gives something else"
    REFUSED = "refused"


PASSES = (Outcome.RESTAMPED, Outcome.SERVED)


@dataclass(frozen=True, slots=True)
class Result:
    """`detail` is the reason of a miss; `shipped` says that onnxruntime refuses the case as the standard has it."""

    name: str
    operator: str
    outcome: Outcome
    detail: str
    shipped: bool


@cache
def function_operators() -> frozenset[tuple[str, str]]:
    """(domain, name) of every operator of the standard that some version defines by a function."""
    return frozenset(
        (schema.domain, schema.name)
        for schema in defs.get_all_schemas_with_history()
        if schema.domain in DOMAINS and (schema.has_function or schema.has_context_dependent_function)
    )


@cache
def all_cases() -> tuple[TestCase, ...]:
    """Every case of the suite, those that the suite expands aside."""
    return tuple(case for case in node_cases() if "_expanded" not in case.name)


def function_cases() -> list[TestCase]:
    """The cases whose only node is a function-op."""
    operators = function_operators()
    single = [case for case in all_cases() if len(case.model.graph.node) == 1]
    return [case for case in single if operator_of(case) in operators]


def operator_of(case: TestCase) -> tuple[str, str]:
    node = case.model.graph.node[0]
    return normal_domain(node.domain), node.op_type


def imported(model: onnx.ModelProto, domain: str = "") -> int:
    """The version of a domain that a model imports."""
    return next((item.version for item in model.opset_import if normal_domain(item.domain) == domain), 0)


def polyfilled(case: TestCase, bundle: Bundle, opset: int) -> Rewritten:
    return polyfill_libraries(case.model, [bundle], target_of_opset(opset))


def judge(case: TestCase, bundle: Bundle, opset: int) -> Result:
    """Polyfills one case and runs it."""
    domain, name = operator_of(case)
    operator = f"{domain}::{name}" if domain else name
    shipped = isinstance(shipped_session(case), str)
    if imported(case.model) <= opset:
        return Result(case.name, operator, Outcome.SAME, "", shipped)
    try:
        done = polyfilled(case, bundle, opset)
    except DiagnosticError as error:
        (finding,) = error.diagnostics
        outcome = _refusal(case, opset, finding.reason)
        detail = "" if outcome is Outcome.INEXPRESSIBLE else f"{finding.code}: {finding.reason}"
        return Result(case.name, operator, outcome, detail, shipped)
    by_function = any(item.identity for item in done.treatments)
    session = load(done.model)
    if isinstance(session, str):
        return Result(case.name, operator, Outcome.NO_KERNEL, session, shipped)
    problem = run_problem(session, done.model, case)
    if problem:
        return Result(case.name, operator, Outcome.DIFFERS, problem, shipped)
    return Result(case.name, operator, Outcome.SERVED if by_function else Outcome.RESTAMPED, "", shipped)


def _refusal(case: TestCase, opset: int, reason: str) -> Outcome:
    if not _element_types(case.model) <= _castable(opset):
        return Outcome.INEXPRESSIBLE
    if "no library given has" in reason:
        return Outcome.NO_FUNCTION
    bodiless = ("has no body for opset", "cannot take", "cannot be made for this call")
    return Outcome.NO_BODY if any(text in reason for text in bodiless) else Outcome.REFUSED


def _element_types(model: onnx.ModelProto) -> set[str]:
    """The tensor types of a model's inputs and outputs, as schemas write them."""
    codes = {value.type.tensor_type.elem_type for value in (*model.graph.input, *model.graph.output)}
    return {f"tensor({BY_CODE[code].name})" for code in codes if code}


@cache
def _castable(opset: int) -> frozenset[str]:
    """The types that `Cast` has at an opset: those that exist there."""
    constraints = defs.get_schema("Cast", opset).type_constraints
    return frozenset(text for item in constraints for text in item.allowed_type_strs)


def session_of(model: onnx.ModelProto) -> Any:
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    return ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def load(model: onnx.ModelProto) -> Any:
    """A session, or as a text what onnxruntime says when it does not load the model."""
    try:
        return session_of(model)
    except Exception as error:  # onnxruntime's exceptions have no base class of their own
        return str(error).splitlines()[0].partition(" : ")[2][:160] or "refused"


_shipped_sessions: dict[str, Any] = {}


def shipped_session(case: TestCase) -> Any:
    """What `load` gives of a case as the standard has it; each is loaded once."""
    if case.name not in _shipped_sessions:
        _shipped_sessions[case.name] = load(case.model)
    return _shipped_sessions[case.name]


def run_problem(session: Any, model: onnx.ModelProto, case: TestCase) -> str:
    """How the results of a model's session differ from the expected, by the suite's own tolerances; empty when they do
    not."""
    for inputs, outputs in case.data_sets:
        try:
            found = run_arrays(session, model, inputs)
        except Exception as error:  # onnxruntime's exceptions have no base class of their own
            return str(error).splitlines()[0][:160]
        for value, expected in zip(_flat(found), _flat(outputs), strict=True):
            problem = _difference(value, expected, case)
            if problem:
                return problem
    return ""


def run_arrays(session: Any, model: onnx.ModelProto, inputs: Sequence[Any]) -> list[Any]:
    """By values of onnxruntime's own where all are tensors: arrays of bfloat16 cannot be given to it."""
    infos = asked_for(model)
    plain = all(_is_plain(info) for info in (*infos, *model.graph.output))
    if not plain:
        return list(session.run(None, {info.name: value for info, value in zip(infos, inputs, strict=True)}))
    feeds = {info.name: _to_ort(value, info) for info, value in zip(infos, inputs, strict=True)}
    return [to_array(value) for value in session.run_with_ort_values(None, feeds)]


def asked_for(model: onnx.ModelProto) -> list[onnx.ValueInfoProto]:
    """The inputs without defaults; below IR version 4 all initializers are inputs too."""
    given = {tensor.name for tensor in model.graph.initializer}
    return [info for info in model.graph.input if info.name not in given]


def _is_plain(info: onnx.ValueInfoProto) -> bool:
    """A tensor, but not of text, which is given as an array."""
    return info.type.HasField("tensor_type") and info.type.tensor_type.elem_type != TensorProto.STRING


def _flat(values: Iterable[Any]) -> Iterator[Any]:
    """The tensors among the values and their sequences, one after another."""
    for value in values:
        if isinstance(value, list):
            yield from _flat(value)
        else:
            yield value


def _to_ort(value: Any, info: onnx.ValueInfoProto) -> Any:
    code = info.type.tensor_type.elem_type
    return to_value(ort, _array(value, code), BY_CODE[code].name)


def _array(value: Any, code: int) -> Any:
    if isinstance(value, TensorProto):
        return numpy_helper.to_array(value)
    return np.asarray(value, dtype=onnx.helper.tensor_dtype_to_np_dtype(code))


def _difference(value: Any, expected: Any, case: TestCase) -> str:
    if isinstance(expected, TensorProto):
        expected = numpy_helper.to_array(expected)
    if value is None or expected is None:
        return "" if value is expected else "nothing instead of a value"
    found = np.asarray(value)
    if found.dtype != np.asarray(expected).dtype or found.shape != np.shape(expected):
        return f"{found.dtype}{list(found.shape)} instead of {np.asarray(expected).dtype}{list(np.shape(expected))}"
    if operator_of(case)[1] in RANDOM:
        return ""
    if found.dtype.kind in "OUS":
        return "" if (found == expected).all() else "other texts"
    narrow = found.dtype == ml_dtypes.bfloat16
    rtol = max(case.rtol, 2**-6) if narrow else case.rtol
    wide = (np.asarray(item).astype(np.float64) if found.dtype.kind not in "c" else item for item in (found, expected))
    return "" if np.allclose(*wide, rtol=rtol, atol=case.atol, equal_nan=True) else "other values"


def table(results: dict[int, Sequence[Result]]) -> str:
    """The counts for each target opset, and every miss with its reason, as Markdown."""
    lines = ["| target | cases | " + " | ".join(item.value for item in Outcome if item is not Outcome.SAME) + " |"]
    lines.append("|---" * (len(Outcome) + 1) + "|")
    for opset, found in results.items():
        newer = [item for item in found if item.outcome is not Outcome.SAME]
        counts = Counter(item.outcome for item in newer)
        cells = [str(counts[item]) for item in Outcome if item is not Outcome.SAME]
        lines.append(f"| opset {opset} | {len(newer)} | {' | '.join(cells)} |")
    lines += ["", *_shipped(results), "", "What does not pass, and why:", "", *_misses(results)]
    return "\n".join(lines) + "\n"


def _shipped(results: dict[int, Sequence[Result]]) -> Iterator[str]:
    yield f"onnxruntime {ort.__version__} refuses some of these cases as they come: their opset is 27 or 28, or it"
    yield "lacks a kernel. Of these it runs, polyfilled:"
    yield ""
    for opset, found in results.items():
        refused = [item for item in found if item.shipped and item.outcome is not Outcome.SAME]
        run = sum(item.outcome in PASSES for item in refused)
        yield f"* for opset {opset}: {run} of {len(refused)}"


def _misses(results: dict[int, Sequence[Result]]) -> Iterable[str]:
    rows: dict[tuple[str, str, str], dict[int, int]] = {}
    for opset, found in results.items():
        for item in found:
            if item.outcome not in (*PASSES, Outcome.SAME):
                key = (item.operator, item.outcome.value, _short(item.detail))
                counts = rows.setdefault(key, {})
                counts[opset] = counts.get(opset, 0) + 1
    if not rows:
        return ["None."]
    head = ["| operator | reason | " + " | ".join(f"{opset}" for opset in results) + " |"]
    head.append("|---" * (2 + len(results)) + "|")
    body = [
        f"| {operator} | {kind}{f': {detail}' if detail else ''} | "
        + " | ".join(str(counts.get(opset, 0)) for opset in results)
        + " |"
        for (operator, kind, detail), counts in sorted(rows.items())
    ]
    return head + body


def _short(detail: str) -> str:
    """A reason without what differs from case to case."""
    if detail.startswith("OW"):
        reasons = detail.partition(": ")[2].split("; ")
        told = reasons[0] if reasons[-1].startswith("no library given") else reasons[-1]
        return told.replace("|", "/")[:120]
    return detail.replace("|", "/")[:110]
