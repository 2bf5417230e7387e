"""Running a task on the evaluators in force, with sessions kept."""

from __future__ import annotations

from collections import OrderedDict

from opwright.eager.arrays import Data
from opwright.eager.models import Task
from opwright.eager.outcome import Evaluator, NoKernel, Session
from opwright.eager.settings import evaluators

KEPT = 1024  # sessions; one of onnxruntime's for a single node takes some 50 KiB
_SESSIONS: OrderedDict[tuple[Evaluator, tuple[object, ...]], Session | NoKernel] = OrderedDict()


def run(task: Task) -> list[Data]:
    """The results of the task, of the first evaluator that takes it. Raises NoKernel or Failed."""
    return run_on(task, task.data)


def run_on(task: Task, data: tuple[Data, ...]) -> list[Data]:
    """The same on other data of the same types."""
    refusals: list[str] = []
    for evaluator in evaluators():
        try:
            return _session(evaluator, task).run(data)
        except NoKernel as refusal:
            refusals.append(str(refusal))
    raise NoKernel("; ".join(refusals))


def _session(evaluator: Evaluator, task: Task) -> Session:
    if task.key is None:
        return evaluator.load(task)
    key = (evaluator, task.key)
    found = _SESSIONS.get(key)
    if found is None:
        try:
            found = evaluator.load(task)
        except NoKernel as refusal:
            found = refusal
        _SESSIONS[key] = found
        while len(_SESSIONS) > KEPT:
            _SESSIONS.popitem(last=False)
    if isinstance(found, NoKernel):
        raise NoKernel(str(found))
    return found
