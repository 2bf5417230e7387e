"""The `_expanded` tests, run before they are proposed: what the standard's own rule says of each runtime."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import onnx
from opwright.eager.messages import one_line

from opwright_build.propose.test_models import TestModel
from opwright_build.verify.case_model import Expected, Status, SuiteJudge
from opwright_build.verify.dtypes import element_of
from opwright_build.verify.judge import judge_outputs
from opwright_build.verify.models import Signature
from opwright_build.verify.runtimes import Failed, Refused, Runtime

RULE = SuiteJudge(rtol=1e-3, atol=1e-7)  # of the standard's suite, for every node test


@dataclass(frozen=True, slots=True)
class Checked:
    """What became of one test on one runtime; `message` says why it is not a pass."""

    test: str
    runtime: str
    status: Status
    message: str = ""


CHECKER = "onnx.checker"


def check_models(models: Iterable[TestModel], runtimes: Sequence[Runtime]) -> list[Checked]:
    """Each model under the standard's full check, and, if it is one of plain nodes, on each runtime."""
    results: list[Checked] = []
    for model in models:
        results.append(_check(model))
        if model.expanded or model.model.functions:
            results += (_run(model, runtime) for runtime in runtimes)
    return results


def _check(test: TestModel) -> Checked:
    if not test.expanded and not test.model.functions and not _known(test):
        return Checked(test.name, CHECKER, Status.UNSUPPORTED, "the installed onnx does not know the operator yet")
    try:
        onnx.checker.check_model(test.model, full_check=True)
    except Exception as error:  # onnx raises errors of several modules
        return Checked(test.name, CHECKER, Status.FAIL, one_line(error))
    return Checked(test.name, CHECKER, Status.PASS)


def _known(test: TestModel) -> bool:
    (node,) = test.model.graph.node
    version = test.model.opset_import[0].version
    try:
        return bool(onnx.defs.get_schema(node.op_type, version, node.domain).since_version == version)
    except onnx.defs.SchemaError:
        return False


def _run(test: TestModel, runtime: Runtime) -> Checked:
    opset = max((item.version for item in test.model.opset_import if item.domain == ""), default=1)
    refusal = runtime.accepts(opset)
    if refusal is not None:
        return Checked(test.name, runtime.name, Status.UNSUPPORTED, refusal.reason)
    given = [item for item in test.case.inputs if item is not None]
    signature = Signature(
        tuple((element_of(array).name, array.ndim) for _, array in given),
        (),
        tuple(element_of(array).name for _, array in test.case.outputs),
    )
    try:
        outputs = runtime.load(test.model, signature).run([array for _, array in given])
    except Refused as error:
        return Checked(test.name, runtime.name, error.refusal.status, error.refusal.reason)
    except Failed as error:
        return Checked(test.name, runtime.name, Status.FAIL, str(error))
    names = [name for name, _ in test.case.outputs]
    wrong = judge_outputs(RULE, names, [Expected(array) for _, array in test.case.outputs], outputs)
    return Checked(test.name, runtime.name, Status.FAIL if wrong else Status.PASS, wrong)
