"""The `_expanded` tests, run before they are proposed: what the standard's own rule says of each runtime."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import onnx
from onnx import ModelProto
from opwright.eager.messages import one_line

from opwright_build.propose.test_models import TestModel
from opwright_build.verify.case_model import Array, Expected, Judge, Status, SuiteJudge, Value, judge_on
from opwright_build.verify.dtypes import element_of
from opwright_build.verify.judge.outputs import judge_outputs
from opwright_build.verify.run.isolation import run_tasks
from opwright_build.verify.run.models import Signature
from opwright_build.verify.run.runtimes import Failed, Refused, Runtime, available

RULE = SuiteJudge(rtol=1e-3, atol=1e-7)  # of the standard's suite, for every node test


@dataclass(frozen=True, slots=True)
class Checked:
    """What became of one test on one runtime; `message` says why it is not a pass. `is_coarse`: it fails by the
    standard's rule, and passes by the tolerance of the spec."""

    test: str
    runtime: str
    status: Status
    message: str = ""
    is_coarse: bool = False


CHECKER = "onnx.checker"


@dataclass(frozen=True, slots=True)
class Values:
    """What a test gives and wants, by name."""

    inputs: tuple[tuple[str, Array], ...]
    outputs: tuple[tuple[str, Array], ...]
    judge: Judge


@dataclass(frozen=True, slots=True)
class _NodeRun:
    """One test under the checker, or on one runtime, in a process of its own: a task of `isolation`. `is_call`: the
    model calls an operator that the installed onnx knows."""

    model: bytes
    values: Values
    where: str
    is_call: bool

    def run(self) -> tuple[str, str, bool]:
        model = ModelProto.FromString(self.model)
        return (*_check(model, self.is_call), False) if self.where == CHECKER else _run(model, self.values, self.where)

    def pieces(self) -> Sequence[_NodeRun]:
        return (self,)

    def join(self, results: Sequence[tuple[str, str, bool]]) -> tuple[str, str, bool]:
        return results[0]

    def lost(self, how: str) -> tuple[str, str, bool]:
        return Status.FAIL.value, f"the runtime {how}", False


def check_models(models: Iterable[TestModel], runtimes: Sequence[Runtime], workers: int) -> list[Checked]:
    """Each model under the standard's full check, and, if it is one of plain nodes, on each runtime.

    All of it is native code that reads models of the library, so it runs in processes of verification, in their cage;
    with 0 `workers` here.
    """
    results: list[Checked] = []
    tasks: dict[int, _NodeRun] = {}  # by the place of their results
    for model in models:
        data = model.model.SerializeToString(deterministic=True)
        inputs = tuple(item for item in model.case.inputs if item is not None)
        values = Values(inputs, tuple(model.case.outputs), model.case.case.judge)
        plain = model.expanded or bool(model.model.functions)
        for where in (CHECKER, *(runtime.name for runtime in runtimes if plain)):
            if where == CHECKER and not plain and not _known(model):
                message = "the installed onnx does not know the operator yet"
                results.append(Checked(model.name, CHECKER, Status.UNSUPPORTED, message))
            else:
                tasks[len(results)] = _NodeRun(data, values, where, not plain)
                results.append(Checked(model.name, where, Status.PASS))
    answers = run_tasks(list(tasks.values()), workers=workers)
    for place, (status, message, coarse) in zip(tasks, answers, strict=True):
        results[place] = replace(results[place], status=Status(status), message=message, is_coarse=coarse)
    return results


def _check(model: ModelProto, is_call: bool) -> tuple[str, str]:
    """Under the full check. Of an operator that onnx has, inference is that of its present schema, which is not the one
    that is proposed: where that alone refuses a call, this says nothing of the proposal."""
    try:
        if is_call:
            onnx.checker.check_model(model)
        onnx.checker.check_model(model, full_check=True)
    except onnx.shape_inference.InferenceError as error:
        if is_call:
            return Status.UNSUPPORTED.value, f"the installed onnx infers something else: {one_line(error)}"
        return Status.FAIL.value, one_line(error)
    except Exception as error:  # onnx raises errors of several modules
        return Status.FAIL.value, one_line(error)
    return Status.PASS.value, ""


def _known(test: TestModel) -> bool:
    (node,) = test.model.graph.node
    version = test.model.opset_import[0].version
    try:
        return bool(onnx.defs.get_schema(node.op_type, version, node.domain).since_version == version)
    except onnx.defs.SchemaError:
        return False


def run_model(model: ModelProto, values: Values, name: str) -> Sequence[Value]:
    """The outputs on the runtime of that name. Raises Refused, and Failed."""
    (runtime,) = available([name])
    opset = max((item.version for item in model.opset_import if item.domain == ""), default=1)
    refusal = runtime.accepts(opset)
    if refusal is not None:
        raise Refused(refusal)
    signature = Signature(
        tuple((element_of(array).name, array.ndim) for _, array in values.inputs),
        (),
        tuple(element_of(array).name for _, array in values.outputs),
    )
    return runtime.load(model, signature).run([array for _, array in values.inputs])


def _run(model: ModelProto, values: Values, name: str) -> tuple[str, str, bool]:
    try:
        outputs = run_model(model, values, name)
    except Refused as error:
        return error.refusal.status.value, error.refusal.reason, False
    except Failed as error:
        return Status.FAIL.value, str(error), False
    names = [name for name, _ in values.outputs]
    expected = [Expected(array) for _, array in values.outputs]
    wrong = judge_outputs(RULE, names, expected, outputs)
    if not wrong:
        return Status.PASS.value, "", False
    return Status.FAIL.value, wrong, not judge_outputs(judge_on(values.judge, name), names, expected, outputs)
