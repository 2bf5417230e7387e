"""Models at other opsets against what they were: the same bits on a runtime, or an error that names the node.

`python -m tests.downlevel.conversions [--every N] [--seed N] [--only TEXT]` converts the models that onnx brings and
the standard's node tests to every opset, and from there to others. It prints what was refused and what no runtime
runs; exit status 1 where one differs.
"""

from __future__ import annotations

import argparse
import random
import sys
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import defs, numpy_helper
from onnx.backend.test.case.test_case import TestCase
from onnx.reference import ReferenceEvaluator
from opwright.bundle.format import Bundle
from opwright.diagnostics import DiagnosticError
from opwright.downlevel.rewrite import polyfill_libraries
from opwright.downlevel.target import opset_alone
from opwright.graphs.walk import all_nodes
from opwright.link.detach import detach
from opwright.link.metadata import POLYFILLED, RECORDS
from opwright.opsets.steps import OLDEST_ALONE

from tests.downlevel.real_models import feeds
from tests.downlevel.standard_cases import all_cases, asked_for, imported, load, run_arrays

RANDOM = ("Bernoulli", "Multinomial", "RandomNormal", "RandomUniform", "RandomNormalLike", "RandomUniformLike")
# The version from which on the reference evaluator takes an operator as the standard does: it has no older ones.
READ_SINCE = {"BatchNormalization": 14, "RoiAlign": 16, "Softmax": 13, "LogSoftmax": 13, "Hardmax": 13, "Unsqueeze": 13}
UNCHECKED = ("MeanVarianceNormalization",)  # whose body onnx.checker refuses at opsets below 12
SUMMED = ("AveragePool",)  # kernels of two of its versions sum in another order
STORED = Path(onnx.__file__).parent / "backend" / "test" / "data"
OPSETS = range(OLDEST_ALONE, defs.onnx_opset_version() + 1)


class Outcome(Enum):
    """What became of a model at another opset."""

    REFUSED = "refused"
    SAME_ON_ORT = "the same on onnxruntime"
    ROUNDED = "the same on onnxruntime but for the order of sums"
    SAME_ON_REFERENCE = "the same on the reference evaluator"
    NOT_RUN = "run by none, before or after"
    DIFFERS = "differs"


@dataclass(frozen=True, slots=True)
class Judgement:
    outcome: Outcome
    detail: str = ""


def converted(model: onnx.ModelProto, opset: int, libraries: Sequence[Bundle] = ()) -> onnx.ModelProto:
    """The model at another opset; that it is one and can be taken back is asserted."""
    done = polyfill_libraries(model, libraries, opset_alone(opset)).model
    assert imported(done) == opset
    assert all(
        item.version == opset for function in done.functions for item in function.opset_import if not item.domain
    )
    assert not any(function.domain in ("", "ai.onnx") for function in done.functions)
    assert detach(done).SerializeToString(deterministic=True) == plain(model).SerializeToString(deterministic=True)
    return done


def plain(model: onnx.ModelProto) -> onnx.ModelProto:
    """What `detach` makes of it: the model itself, where nothing was done to it before."""
    has_records = any(item.key == POLYFILLED for item in model.metadata_props)
    return detach(model) if has_records else model


def forgotten(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model without what was written down on it, as if it had been made at its opset."""
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    kept = [item for item in copy.metadata_props if item.key != POLYFILLED and not item.key.startswith(RECORDS)]
    del copy.metadata_props[:]
    copy.metadata_props.extend(kept)
    for function in copy.functions:
        del function.metadata_props[:]
    for nodes in (copy.graph.node, *(function.node for function in copy.functions)):
        for node in all_nodes(nodes):
            del node.metadata_props[:]
    return copy


def judged(before: onnx.ModelProto, after: onnx.ModelProto, sets: Sequence[Sequence[Any]]) -> Judgement:
    """Compares what one runtime gives of both, for each set of inputs."""
    sessions = [load(model) for model in (before, after)]
    if not any(isinstance(session, str) for session in sessions):
        try:
            found = [[run_arrays(session, model, values) for values in sets]
                     for session, model in zip(sessions, (before, after), strict=True)]  # fmt: skip
        except Exception as error:  # onnxruntime's exceptions have no base class of their own
            return Judgement(Outcome.NOT_RUN, str(error).splitlines()[0][:100])
        problem = next(filter(None, (difference(*pair) for pair in zip(*found, strict=True))), "")
        if problem and any(node.op_type in SUMMED for node in all_nodes(before.graph.node)):
            near = all(
                np.allclose(*pair, rtol=1e-6, atol=1e-7)
                for sets in zip(*found, strict=True)
                for pair in zip(*sets, strict=True)
            )
            return Judgement(Outcome.ROUNDED if near else Outcome.DIFFERS, problem)
        return Judgement(Outcome.DIFFERS, problem) if problem else Judgement(Outcome.SAME_ON_ORT)
    reason = next(session for session in sessions if isinstance(session, str))
    oldest = min(imported(before), imported(after))
    if any(oldest < READ_SINCE.get(node.op_type, 0) for node in all_nodes(before.graph.node)):
        return Judgement(Outcome.NOT_RUN, reason[:60])
    names = [value.name for value in asked_for(before)]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = [[ReferenceEvaluator(model).run(None, dict(zip(names, values, strict=True))) for values in sets]
                     for model in (before, after)]  # fmt: skip
    except Exception as error:  # the evaluator's exceptions have none either
        return Judgement(Outcome.NOT_RUN, f"{reason[:60]}; {type(error).__name__} {str(error)[:60]}")
    problem = next(filter(None, (difference(*pair) for pair in zip(*found, strict=True))), "")
    return Judgement(Outcome.DIFFERS, f"reference: {problem}") if problem else Judgement(Outcome.SAME_ON_REFERENCE)


def difference(expected: Sequence[Any], found: Sequence[Any]) -> str:
    """How two lists of results differ, to the last bit; nan is nan."""
    for one, other in zip(expected, found, strict=True):
        if isinstance(one, list) or isinstance(other, list):
            if type(one) is not type(other) or len(one) != len(other):
                return f"{type(other).__name__} instead of {type(one).__name__}"
            problem = difference(one, other)
        else:
            problem = _of_tensors(one, other)
        if problem:
            return problem
    return ""


def _of_tensors(one: Any, other: Any) -> str:
    if one is None or other is None:
        return "" if one is other else "nothing instead of a value"
    one, other = np.asarray(one), np.asarray(other)
    if (one.dtype, one.shape) != (other.dtype, other.shape):
        return f"{other.dtype}{list(other.shape)} instead of {one.dtype}{list(one.shape)}"
    if one.dtype.kind in "OUS":
        return "" if (one == other).all() else "other texts"
    if one.tobytes() == other.tobytes():
        return ""
    wide = [item.astype(np.complex128 if item.dtype.kind == "c" else np.float64) for item in (one, other)]
    same = (wide[0] == wide[1]) & (np.signbit(wide[0].real) == np.signbit(wide[1].real))
    same |= np.isnan(wide[0]) & np.isnan(wide[1])
    return (
        "" if same.all() else f"{np.count_nonzero(~same)} of {one.size} by {np.nanmax(np.abs(wide[0] - wide[1])):.2g}"
    )


def judged_at(
    model: onnx.ModelProto, opset: int, sets: Sequence[Sequence[Any]]
) -> tuple[Judgement, onnx.ModelProto | None]:
    try:
        done = converted(model, opset)
    except DiagnosticError as error:
        item = error.diagnostics[0]
        known = item.code in ("OW581", "OW582", "OW567") or model.graph.node[0].op_type in UNCHECKED
        outcome = Outcome.REFUSED if known and item.reason else Outcome.DIFFERS
        return Judgement(outcome, f"{item.code} {item.reason}"), None
    if any(node.op_type in RANDOM for node in all_nodes(model.graph.node)):
        return Judgement(Outcome.NOT_RUN, "random"), done
    return judged(model, done, sets), done


def frozen(case: TestCase | Stored) -> tuple[onnx.ModelProto, Sequence[Any]] | None:
    """The case with its short lists, all inputs but the first, as constants; with the other inputs of its first set."""
    values, _ = case.data_sets[0]
    copy = onnx.ModelProto()
    copy.CopyFrom(case.model)
    pairs = list(zip(asked_for(case.model), values, strict=True))
    fixed = [(info.name, value) for info, value in pairs[1:] if isinstance(value, np.ndarray) and _is_short(value)]
    names = {name for name, _ in fixed}
    del copy.graph.input[:]
    copy.graph.input.extend(info for info in case.model.graph.input if info.name not in names)
    copy.graph.initializer.extend(numpy_helper.from_array(value, name) for name, value in fixed)
    return (copy, [value for info, value in pairs if info.name not in names]) if fixed else None


def _is_short(value: np.ndarray[Any, Any]) -> bool:
    return value.ndim <= 1 and value.size <= 16 and value.dtype.name in ("int64", "int32", "float32")


@dataclass(frozen=True, slots=True)
class Stored:
    """A model that onnx brings as a file, as exporters wrote it years ago, and sets of inputs."""

    name: str
    model: onnx.ModelProto
    data_sets: Sequence[tuple[Sequence[Any], Sequence[Any]]]


def stored_models() -> Iterator[Stored]:
    """Small models of PyTorch's exporter, of opset 6 to 9 mostly."""
    for path in sorted(STORED.glob("*/*/model.onnx")):
        sets = []
        for folder in sorted(path.parent.glob("test_data_set_*")):
            files = sorted(folder.glob("input_*.pb"), key=lambda file: int(file.stem.partition("_")[2]))
            sets.append(([_stored_value(file) for file in files], []))
        model = onnx.load(path)
        if sets and all(info.type.HasField("tensor_type") for info in model.graph.input):
            yield Stored(f"{path.parent.parent.name}/{path.parent.name}", model, sets)


def _stored_value(path: Path) -> Any:
    return numpy_helper.to_array(onnx.TensorProto.FromString(path.read_bytes()))


def light_models() -> Iterator[Stored]:
    """Networks of opset 9 and IR version 3, whose weights are made by nodes."""
    for path in sorted(STORED.glob("light/*.onnx")):
        model = onnx.load(path)
        yield Stored(path.stem, model, [(list(feeds(model).values()), [])])


def campaign(cases: Sequence[TestCase | Stored], chance: random.Random) -> Iterator[tuple[str, int, int, Judgement]]:
    """Each case at every opset, and from there at two others, as if it had been made there."""
    for case in cases:
        every: list[tuple[str, onnx.ModelProto, Sequence[Sequence[Any]]]]
        every = [(case.name, case.model, [inputs for inputs, _ in case.data_sets])]
        found = frozen(case)
        if found is not None:
            every.append((f"{case.name} (constants)", found[0], [found[1]]))
        for name, model, sets in every:
            source = imported(model)
            for opset in (item for item in OPSETS if item != source):
                judgement, done = judged_at(model, opset, sets)
                yield name, source, opset, judgement
                if done is not None:
                    for other in chance.sample([item for item in OPSETS if item != opset], 2):
                        yield name, opset, other, judged_at(forgotten(done), other, sets)[0]


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    every = (*stored_models(), *all_cases())
    cases = [case for case in every if imported(case.model) and options.only in case.name]
    counts: Counter[Outcome] = Counter()
    refusals: Counter[str] = Counter()
    not_run: Counter[str] = Counter()
    for name, source, opset, judgement in campaign(cases[:: options.every], random.Random(options.seed)):
        counts[judgement.outcome] += 1
        if judgement.outcome is Outcome.DIFFERS:
            print(f"{name}: {source} -> {opset}: {judgement.detail}", flush=True)
        elif judgement.outcome is Outcome.REFUSED:
            refusals[judgement.detail] += 1
        elif judgement.outcome is Outcome.NOT_RUN:
            not_run[judgement.detail] += 1
    for found in (refusals, not_run):
        print(*(f"  {count:6} {reason}" for reason, count in found.most_common(40)), sep="\n")
    print(f"seed {options.seed}:", ", ".join(f"{count} {outcome.value}" for outcome, count in counts.items()))
    return 1 if counts[Outcome.DIFFERS] or not counts[Outcome.SAME_ON_ORT] else 0


if __name__ == "__main__":
    sys.exit(main())
