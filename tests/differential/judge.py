"""A program before its judges: the compiled graph on three runtimes, and eager mode, against the interpreter."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
from onnx.inliner import inline_local_functions
from onnx.reference import ReferenceEvaluator
from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Severity
from opwright.lang import facts, ir
from opwright.lang.emit import emit_function
from opwright.lang.families.family import Family, Variant, admitted
from opwright.lang.ir_verify import verify
from opwright.variants import match_variants

from tests.differential import interpreter
from tests.differential.arithmetic import ONE_DIVIDED, PRODUCT_OF_DOUBLES
from tests.differential.compiling import compile_program
from tests.differential.eager import Eager, calling_model
from tests.differential.kernels import ORDER_OF_INT64
from tests.differential.noise import Noise
from tests.differential.program import Case, Program
from tests.differential.values import OutOfRange, OutOfScope, Refused
from tests.lang.conftest_lang import model_of

NOISY_RUNS = 4
MARGIN = 4.0  # times the spread of the noisy runs
LEAST_ULPS = 8.0  # what an output may differ by in any program with an inexact step
_LEVELS = {
    "ort": ort.GraphOptimizationLevel.ORT_DISABLE_ALL,
    "ort-full": ort.GraphOptimizationLevel.ORT_ENABLE_ALL,
}
RUNTIMES = (*_LEVELS, "reference", "eager", "live", "whole")
# What onnxruntime 1.31 is known to compute wrongly where the interpreter noted it; other judges still have their say.
_WRONG_ON = {
    ORDER_OF_INT64: frozenset({"ort", "ort-full", "ort-inlined", "live"}),
    PRODUCT_OF_DOUBLES: frozenset({"ort-full"}),
    ONE_DIVIDED: frozenset({"ort-full"}),  # m * (1 / n) becomes m / n, of integers too
}
# For models on which onnxruntime dies while it inlines functions and branches: inlined before, not optimised.
AFTER_DEATH = ("ort-inlined", "reference", "eager")
# Faults of onnxruntime 1.31's optimiser, which fails on models that it runs without: Clip of Relu on integers, and
# a division of integers by a constant zero in a branch that is never taken.
_OPTIMISER_FAULTS = ("relu_clip_fusion", "b_data[i] != T{0}", "Integer modulo by zero")

# onnxruntime 1.31 joins two casts into one, at every level, and forgets that a subgraph reads the second: the model
# fails to load, or the kernel in that subgraph finds no tensor.
_LOST_CAST = "Missing Input: "
_CAST_FAULT = "onnxruntime loses one of two casts that a subgraph reads"
# Its optimiser puts the branch of an `If` of a constant condition in the place of that `If`, and forgets what a
# subgraph further down reads of it: the kernel there finds no tensor, or the output is none.
_LOST_BRANCH = ("op_kernel_context.h", "ort_value.h")
# Before opset 13 it takes the shape of one branch of an inner `If` for that of both, where the other has none.
_SHAPE_OF_ONE_BRANCH = "but the computed output shape for this run is"

Arrays = list[np.ndarray[Any, Any]]


class Outcome(Enum):
    AGREED = "agreed"
    REFUSED = "refused"  # by the compiler, with a diagnostic
    SKIPPED = "skipped"  # no case has a result to compare
    DIFFERENT = "different"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a program. `detail` is a diagnostic's code or the first difference; `reasons` of skipped cases.

    `covered`: the constructs that were run in the calls that were compared.
    """

    outcome: Outcome
    detail: str
    compared: int
    reasons: tuple[str, ...]
    case: int = 0
    covered: frozenset[str] = frozenset()


class _Difference(Exception):
    pass


def judge(program: Program, runtimes: tuple[str, ...] = RUNTIMES) -> Verdict:
    """Compiles the program and runs each case everywhere; the first difference ends it."""
    if program.other:
        return _judge_order(program)
    if program.target is not None:
        return _judge_target(program, program.target)
    reasons: list[str] = []
    covered: set[str] = set()
    compared = 0
    case = program.cases[0]
    try:
        family = _compile(program)
        if isinstance(family, Diagnostic):
            return Verdict(Outcome.REFUSED, f"{family.code} {family.message}", 0, ())
        sessions = Sessions(program, family, runtimes)
        for case in program.cases:
            try:
                sessions.choose(case)
                expected = expect(program, case)
            except OutOfScope as reason:
                reasons.append(str(reason))
                continue
            sessions.check(case, expected, reasons)
            compared += 1
            covered |= expected.covered
    except _Difference as difference:
        return Verdict(
            Outcome.DIFFERENT,
            str(difference),
            compared,
            tuple(reasons),
            program.index_of(case),
        )
    outcome = Outcome.AGREED if compared else Outcome.SKIPPED
    return Verdict(outcome, "", compared, tuple(reasons), covered=frozenset(covered))


def _judge_order(program: Program) -> Verdict:
    """Both orders are refused with the same codes, or have the same bodies, or are judged both."""
    try:
        one, two = (_bodies(item) for item in (program, program.with_text(program.other)))
    except _Difference as difference:
        return Verdict(Outcome.DIFFERENT, str(difference), 0, ())
    refused = [found for found in (one, two) if isinstance(found, str)]
    if len(refused) == 1 or len(set(refused)) == 2:
        shown = [found if isinstance(found, str) else "accepted" for found in (one, two)]
        return Verdict(Outcome.DIFFERENT, f"{shown[0]} in one order, {shown[1]} in the other", 0, ())
    if refused:
        return Verdict(Outcome.REFUSED, refused[0], 0, ())
    plain = replace(program, other="")
    assert not isinstance(one, str) and not isinstance(two, str)
    calls = [found[_CALLED] if isinstance(found[_CALLED], str) else "accepted" for found in (one, two)]
    if calls[0] != calls[1] and "accepted" in calls:
        return Verdict(Outcome.DIFFERENT, f"called: {calls[0]} in one order, {calls[1]} in the other", 0, ())
    if one == two:
        return Verdict(Outcome.AGREED, "", 1, ("the same bodies",))
    first, second = judge(plain), judge(plain.with_text(program.other))
    found = second if first.outcome is not Outcome.DIFFERENT else first
    return replace(found, reasons=(*found.reasons, "other bodies"))


_CALLED = "as it is called"


def _called(program: Program) -> bytes | str:
    """The model of a call, where the types of `F` are inferred from its body alone; or the codes that refuse it."""
    try:
        return calling_model(program).SerializeToString()
    except DiagnosticError as error:
        return " ".join(sorted({item.code for item in error.diagnostics}))
    except Exception as error:
        if program.meant:
            raise _Difference(f"a call of it fails: {_first_line(error)}") from error
        return type(error).__name__


def _bodies(program: Program) -> dict[object, bytes | str] | str:
    """The bodies by variant, or the codes of the findings that refuse it, sorted."""
    found = compile_program(program)
    if isinstance(found, tuple):
        return " ".join(sorted({item.code for item in found}))
    bodies: dict[object, bytes | str] = {_CALLED: _called(program)}
    for variant in found.variants:
        assert variant.lowered.function is not None
        bodies[variant.key] = emit_function(variant.lowered.function, "test.domain").SerializeToString()
    return bodies


_TARGET_RUNTIMES = ("ort", "ort-full", "ort-inlined", "reference", "reference-called")


def _judge_target(program: Program, target: int) -> Verdict:
    """The models under `@script` at that opset, called and inlined. A case that is refused is none that is wrong."""
    reasons: list[str] = []
    refused = ""
    compared = 0
    case = program.cases[0]
    try:
        eager = Eager(program)
        for case in program.cases:
            try:
                model = eager.live_model(case, target)
                expected = expect(program, case)
                compared += _run_target(program, case, model, expected, reasons)
            except OutOfScope as reason:
                reasons.append(str(reason))
            except DiagnosticError as error:
                refused = f"{error.diagnostics[0].code} {error.diagnostics[0].message}"
    except _Difference as difference:
        return Verdict(
            Outcome.DIFFERENT, f"opset {target}: {difference}", compared, tuple(reasons), program.index_of(case)
        )
    if refused and not compared:
        return Verdict(Outcome.REFUSED, refused, 0, tuple(reasons))
    return Verdict(Outcome.AGREED if compared else Outcome.SKIPPED, "", compared, tuple(reasons))


def _run_target(program: Program, case: Case, model: onnx.ModelProto, expected: Expected, reasons: list[str]) -> bool:
    """Whether some runtime has run it. None must give anything else; one alone may have no kernel."""
    excused = {runtime for note in expected.notes for runtime in _WRONG_ON[note]}
    names = {item.name for item in model.graph.input}
    feeds = {name: array for name, array in case.arrays.items() if name in names}
    done = False
    for runtime in _TARGET_RUNTIMES:
        if runtime in excused or (excused and runtime.startswith("ort")):
            continue
        try:
            with np.errstate(all="ignore"):
                outputs = flat(_target_session(runtime, model)(feeds))
        except Exception as error:
            if runtime.startswith("ort") and _mentions(error, *_NO_KERNEL):
                reasons.append(f"{runtime} has no kernel: {_kernel(error)}")
                continue
            if runtime == "ort-full" and _mentions(error, *_OPTIMISER_FAULTS, *_LOST_BRANCH, _LOST_CAST):
                reasons.append(f"{runtime}: a fault of the optimiser")
                continue
            if runtime.startswith("ort") and (program.target or 13) < 13 and _mentions(error, _SHAPE_OF_ONE_BRANCH):
                reasons.append(f"{runtime} takes the shape of one branch for that of both")
                continue
            raise _Difference(f"{runtime} fails: {_first_line(error)}") from error
        _compare(runtime, list(program.outputs), _with_declared_types(outputs, expected), expected)
        done = True
    return done


# An opset that is newer than the runtime's newest counts as one of which it has no kernel.
_NO_KERNEL = ("NOT_IMPLEMENTED", "Unsupported model IR version", "is under development and support for this is limited")


def _target_session(runtime: str, model: onnx.ModelProto) -> Any:
    if runtime == "reference-called":
        evaluator = ReferenceEvaluator(model)
        return lambda arrays: evaluator.run(None, dict(arrays))
    if runtime == "reference":
        return _reference(model)
    if runtime == "ort-inlined":
        return _onnxruntime(inline_local_functions(model).SerializeToString(), "ort")
    return _onnxruntime(model.SerializeToString(), runtime)


def _compile(program: Program) -> Family | Diagnostic:
    """The family, or the first of the diagnostics that refuse the program."""
    try:
        found = compile_program(program)
    except Exception as error:
        raise _Difference(f"internal error: {type(error).__name__}: {error}") from error
    if isinstance(found, tuple):
        errors = [item for item in found if item.severity is Severity.ERROR]
        if not errors:
            raise _Difference("neither a function nor an error")
        return errors[0]
    for variant in found.variants:
        assert variant.lowered.function is not None
        wrong = verify(variant.lowered.function)
        if wrong:
            raise _Difference(f"the IR is wrong: {wrong[0]}")
    return found


# ------------------------------------------------------------------------------------------------- expectation


@dataclass(frozen=True, slots=True)
class Expected:
    """The outputs, and for each by how much an element may differ (zeros: not at all).

    `notes` say what happened that one of the runtimes is known to do in another way; `numbers` are the indexes of
    outputs that were no tensors, whose types are declared for the compiler alone.
    """

    values: Arrays
    tolerances: Arrays
    notes: frozenset[str]
    numbers: frozenset[int]
    covered: frozenset[str]


def expect(program: Program, case: Case) -> Expected:
    """What the interpreter says. OutOfScope where there is nothing to compare."""
    noise = Noise()
    values, numbers, covered = _interpret(program, case, noise)
    tolerances = [np.zeros(value.shape) for value in values]
    if noise.inexact:
        tolerances = [_least_tolerance(value) for value in values]
        for seed in range(NOISY_RUNS):
            noisy, _, _ = _interpret(program, case, Noise(np.random.default_rng(seed)))
            for value, other, tolerance in zip(values, noisy, tolerances, strict=True):
                _widen(value, other, tolerance)
    return Expected(values, tolerances, frozenset(noise.notes), frozenset(numbers), frozenset(covered))


def _interpret(program: Program, case: Case, noise: Noise) -> tuple[Arrays, set[int], set[str]]:
    arguments, outputs = program.arguments(case), program.output_types(case)
    try:
        values, numbers, covered = interpreter.run(
            program.text, arguments, outputs, program.opset, noise, program.target
        )
        return flat(values), _flat_indexes(values, numbers), covered
    except interpreter.Unbound as error:
        raise _Difference(f"accepted, and Python finds `{error}` unbound") from error
    except OutOfRange as error:
        raise OutOfScope("an unknown number overflows its element type") from error
    except Refused as error:
        raise _Difference(f"accepted, and eager mode refuses: {error}") from error
    except OutOfScope:
        raise
    except Exception as error:
        if program.meant:
            raise
        raise OutOfScope(f"the interpreter knows no such program: {type(error).__name__}") from error


def flat(values: Sequence[Any]) -> Arrays:
    """Outputs as arrays: a sequence is its length and then its items."""
    found: Arrays = []
    for value in values:
        found += [np.array(len(value)), *map(np.asarray, value)] if isinstance(value, list) else [np.asarray(value)]
    return found


def _flat_indexes(values: Sequence[Any], indexes: set[int]) -> set[int]:
    starts = [0]
    for value in values:
        starts.append(starts[-1] + (len(value) + 1 if isinstance(value, list) else 1))
    return {starts[index] for index in indexes}


def _least_tolerance(value: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    if value.dtype.kind != "f":
        return np.zeros(value.shape)
    magnitude = np.abs(np.nan_to_num(value.astype(np.float64)))
    return np.asarray(LEAST_ULPS * np.finfo(value.dtype).eps * magnitude)


def _widen(value: np.ndarray[Any, Any], other: np.ndarray[Any, Any], tolerance: np.ndarray[Any, Any]) -> None:
    if value.shape != other.shape:
        raise OutOfScope("the shape hangs on a rounding")
    if value.dtype.kind != "f":
        if not np.array_equal(value, other):
            raise OutOfScope("an integer or a branch hangs on a rounding")
        return
    if not np.array_equal(np.isfinite(value), np.isfinite(other)):
        raise OutOfScope("an overflow hangs on a rounding")
    with np.errstate(all="ignore"):
        spread = np.abs(value.astype(np.float64) - other.astype(np.float64))
    if np.any(np.nan_to_num(spread) > 1e-3 * (1 + np.abs(np.nan_to_num(value.astype(np.float64))))):
        raise OutOfScope("a branch or a cancellation hangs on a rounding")
    np.maximum(tolerance, np.nan_to_num(spread) * MARGIN, out=tolerance)


# ---------------------------------------------------------------------------------------------------- runtimes


class Sessions:
    """The models of a program's variants, each made once for the ranks and attributes that call it."""

    def __init__(self, program: Program, family: Family, runtimes: tuple[str, ...]) -> None:
        self.program = program
        self.family = family
        self.runtimes = runtimes
        self.defaults = _defaults(program.text)
        self.eager: Eager | None = None
        self.seen_live = False  # one case of a program is enough: it compiles the function anew
        self._loaded: dict[tuple[object, ...], dict[str, Any]] = {}

    def check(self, case: Case, expected: Expected, reasons: list[str]) -> None:
        function = self.choose(case)
        arrays = {value.name: case.arrays[value.name] for value in function.inputs if value.name in case.arrays}
        used = {parameter.name for parameter in function.attributes}
        attributes = {name: value for name, value in case.attributes.items() if name in used}
        ranks = tuple((name, array.ndim, array.dtype.name) for name, array in arrays.items())
        key = (id(function), ranks, tuple(attributes.items()))
        is_new = key not in self._loaded
        if is_new:
            self._loaded[key] = dict(self._load(function, arrays, attributes, reasons))
        if "eager" in self.runtimes:
            self._check_eager(case, expected, reasons, is_new and "whole" in self.runtimes)
        excused = {runtime for note in expected.notes for runtime in _WRONG_ON[note]}
        reasons += [f"onnxruntime is known to get wrong: {note}" for note in sorted(expected.notes)]
        if "live" in self.runtimes and not self.seen_live and self.program.meant and "live" not in excused:
            self.seen_live = True
            self._check_live(case, expected, reasons)
        for runtime, run in self._loaded[key].items():
            if runtime in excused:
                continue
            try:
                with np.errstate(all="ignore"):
                    outputs = run(arrays)
            except Exception as error:
                if runtime != "reference" and self._is_lost_cast(error):
                    reasons.append(_CAST_FAULT)
                    continue
                if (
                    runtime == "reference"
                    and "Unable to find input" in str(error)
                    and "SequenceMap" in self.program.text
                ):
                    reasons.append("the reference evaluator's SequenceMap sees nothing from around its body")
                    continue
                if runtime == "ort-full" and self._has_constant_condition() and _mentions(error, *_LOST_BRANCH):
                    reasons.append("onnxruntime loses a value that a subgraph reads of a constant condition's branch")
                    continue
                raise _Difference(f"{runtime} fails: {_first_line(error)}") from error
            if runtime == "ort-full" and any(output is None for output in outputs):
                reasons.append("onnxruntime loses a value that a subgraph reads of a constant condition's branch")
                continue
            _compare(runtime, list(self.program.outputs), outputs, expected)

    def _has_constant_condition(self) -> bool:
        """Whether a condition may be a constant of the model: one of an attribute that is given, or of a constant."""
        return bool(self.program.attributes) or "op.Constant(" in self.program.text

    def _is_lost_cast(self, error: Exception) -> bool:
        """Whether the program casts twice, and the error is that of a value that onnxruntime has removed."""
        casts = self.program.text.count("op.Cast(")
        return casts >= 2 and (_LOST_CAST in str(error) or _mentions(error, *_LOST_BRANCH))

    def _check_eager(self, case: Case, expected: Expected, reasons: list[str], whole: bool) -> None:
        """`whole`: its calls as one graph too, once for each kind of arguments, since they take several calls."""
        try:
            self.eager = self.eager or Eager(self.program)
            with np.errstate(all="ignore"):
                found = self.eager.run(self.program, case)
        except Exception as error:
            if not self.program.meant:
                return  # Python looks at lines that the compiler need not look at, and the other way round
            if "op.If(" in self.program.text and _mentions(error, "OW342", "OW312"):
                reasons.append("eager mode lowers both graphs of op.If, one of which has no value")
                return
            raise _Difference(f"eager fails: {_first_line(error)}") from error
        _compare("eager", list(self.program.outputs), _with_declared_types(flat(found), expected), expected)
        if whole:
            difference = self.eager.called(case, found)
            if difference:
                raise _Difference(f"whole: {difference}")

    def _check_live(self, case: Case, expected: Expected, reasons: list[str]) -> None:
        """The function as it lives, its types inferred: its model on onnxruntime."""
        assert self.eager is not None
        try:
            model = self.eager.live_model(case)
        except DiagnosticError as error:
            reasons.append(f"live: refused with {error.diagnostics[0].code}")
            return
        except Exception as error:
            raise _Difference(f"live fails: {_first_line(error)}") from error
        names = {item.name for item in model.graph.input}
        try:
            run = _onnxruntime(model.SerializeToString(), "ort")
            outputs = flat(run({name: array for name, array in case.arrays.items() if name in names}))
        except ort.capi.onnxruntime_pybind11_state.NotImplemented as error:
            reasons.append(f"live: no kernel: {_kernel(error)}")
            return
        except Exception as error:
            if self._is_lost_cast(error):
                reasons.append(f"live: {_CAST_FAULT}")
                return
            raise _Difference(f"live fails: {_first_line(error)}") from error
        _compare("live", list(self.program.outputs), _with_declared_types(outputs, expected), expected)

    def choose(self, case: Case) -> ir.Function:
        """The variant for the case. What a program was not meant to take it need not take."""
        function = self._variant(case)
        if function is None:
            if not self.program.meant:
                raise OutOfScope("a changed program refuses an element type")
            raise _Difference(f"no variant for {case.types} {sorted(case.arrays)} {case.attributes}")
        return function

    def _variant(self, case: Case) -> ir.Function | None:
        """The variant whose facts are those of the case."""
        found = match_variants([_Keyed(item) for item in self.family.variants], lambda axis: self._known(case, axis))
        if len(found.fitting) != 1:
            return None
        function = found.fitting[0].function
        fits = all(case.types[name] in taken for name, taken in admitted(function) if name in case.types)
        return function if fits else None

    def _known(self, case: Case, axis: str) -> tuple[str, ...]:
        """All that a call says of an axis; an attribute that it leaves out has its default."""
        if axis in case.types:
            return (case.types[axis],)
        name, _, question = axis.rpartition(".")
        if question == "rank" and name in case.arrays:
            return (str(case.arrays[name].ndim),)
        if axis in self.program.attributes:
            if axis not in case.attributes and axis not in self.defaults:
                return (facts.ABSENT,)
            return (facts.fact_of(case.attributes.get(axis, self.defaults.get(axis))), facts.PRESENT)
        return (facts.PRESENT if axis in case.arrays else facts.ABSENT,)

    def _load(
        self, function: ir.Function, arrays: Mapping[str, Any], attributes: Mapping[str, Any], reasons: list[str]
    ) -> Iterator[tuple[str, Any]]:
        try:
            model = model_of(function, arrays, attributes)
            context = onnx.checker.C.CheckerContext()
            context.ir_version = model.ir_version
            context.opset_imports = {item.domain: item.version for item in model.opset_import}
            onnx.checker.check_function(model.functions[0], context)
        except Exception as error:
            raise _Difference(f"the checker refuses: {_first_line(error)}") from error
        data = model.SerializeToString()
        for runtime in self.runtimes:
            if runtime in ("eager", "live", "whole"):
                continue
            try:
                if runtime == "reference":
                    yield runtime, _reference(model)
                elif runtime == "ort-inlined":
                    yield runtime, _onnxruntime(inline_local_functions(model).SerializeToString(), "ort")
                else:
                    yield runtime, _onnxruntime(data, runtime)
            except ort.capi.onnxruntime_pybind11_state.NotImplemented as error:
                reasons.append(f"{runtime} has no kernel: {_kernel(error)}")
            except Exception as error:
                if runtime == "ort-full" and any(text in str(error) for text in _OPTIMISER_FAULTS):
                    reasons.append(f"{runtime}: a fault of the optimiser")
                    continue
                if not self.program.meant and "ShapeInferenceError" in str(error):
                    reasons.append(f"{runtime} refuses for the ranks of a call what may not be reached")
                    continue
                raise _Difference(f"{runtime} refuses the model: {_first_line(error)}") from error


def _defaults(text: str) -> dict[str, Any]:
    """The defaults of the attributes of `F`."""
    node = next(item for item in ast.parse(text).body if isinstance(item, ast.FunctionDef) and item.name == "F")
    pairs = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
    found: dict[str, Any] = {}
    for argument, default in pairs:
        if default is not None:
            try:
                found[argument.arg] = ast.literal_eval(default)
            except ValueError:  # computed: only a changed program has one
                continue
    return found


def _with_declared_types(outputs: Arrays, expected: Expected) -> Arrays:
    """Numbers of no declared type became INT64, FLOAT or BOOL; those that are right have the declared one here."""
    found = list(outputs)
    for index in expected.numbers:
        wanted = expected.values[index]
        is_rounded = wanted.dtype.kind == "f" and found[index].dtype.kind in "iu"  # an int that is declared as a float
        pair = (
            (found[index].astype(wanted.dtype), wanted)
            if is_rounded
            else (found[index], wanted.astype(found[index].dtype))
        )
        if np.array_equal(*pair, equal_nan=wanted.dtype.kind == "f"):
            found[index] = wanted
    return found


class _Keyed:
    """A variant of a family, in the form in which variants are matched with the facts of a call."""

    def __init__(self, item: Variant) -> None:
        assert item.lowered.function is not None
        self.function = item.lowered.function
        self.variant = item.key


def _onnxruntime(data: bytes, runtime: str) -> Any:
    options = ort.SessionOptions()
    options.graph_optimization_level = _LEVELS[runtime]
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    session = ort.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    return lambda arrays: session.run(None, dict(arrays))


def _reference(model: onnx.ModelProto) -> Any:
    evaluator = ReferenceEvaluator(inline_local_functions(model))
    return lambda arrays: evaluator.run(None, dict(arrays))


def _mentions(error: BaseException, *texts: str) -> bool:
    return any(text in str(error) for text in texts)


def _first_line(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text[:300]}"


def _kernel(error: BaseException) -> str:
    return str(error).partition("for ")[2].split("node")[0].strip()[:60]


def _compare(runtime: str, names: list[str], outputs: Arrays, expected: Expected) -> None:
    arrays = flat(outputs)
    if len(arrays) != len(expected.values):
        raise _Difference(f"{runtime}: {len(arrays)} arrays, expected {len(expected.values)}")
    names = names if len(names) == len(arrays) else [str(index) for index in range(len(arrays))]
    for name, got, wanted, tolerance in zip(names, arrays, expected.values, expected.tolerances, strict=True):
        if got.dtype != wanted.dtype or got.shape != wanted.shape:
            raise _Difference(
                f"{runtime}: `{name}` is {got.dtype}{list(got.shape)}, expected {wanted.dtype}{list(wanted.shape)}"
            )
        if not _close(got, wanted, tolerance):
            raise _Difference(f"{runtime}: `{name}` is {got.tolist()}, expected {wanted.tolist()}")


def _close(got: np.ndarray[Any, Any], wanted: np.ndarray[Any, Any], tolerance: np.ndarray[Any, Any]) -> bool:
    """Exact, nan equal to nan, or within the tolerance."""
    if np.array_equal(got, wanted, equal_nan=got.dtype.kind == "f"):
        return True
    if got.dtype.kind != "f" or not tolerance.any():
        return False
    wide, other = got.astype(np.float64), wanted.astype(np.float64)
    with np.errstate(all="ignore"):
        same = (wide == other) | (np.isnan(wide) & np.isnan(other)) | (np.abs(wide - other) <= tolerance)
    return bool(np.all(same))


def quiet() -> None:
    """One thread per library: programs are small, and cores are shared."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")
