"""Running a task on the active evaluators, with sessions memoised."""

from __future__ import annotations

from collections.abc import Sequence

from opwright.eager.arrays import Data
from opwright.eager.kept import Kept
from opwright.eager.node_models import Task
from opwright.eager.outcome import Evaluator, NoKernel, Session
from opwright.eager.settings import evaluators

KEPT = 1024  # sessions; one of onnxruntime's for a single node takes some 50 KiB


class Loaded:
    """What an evaluator made of a task; None once it is no longer kept."""

    __slots__ = ("session", "used")

    def __init__(self, session: Session | NoKernel) -> None:
        self.session: Session | NoKernel | None = session
        self.used = False

    def drop(self) -> None:
        self.session = None


SESSIONS: Kept[Loaded] = Kept(KEPT)


def run_on(task: Task, data: Sequence[Data]) -> tuple[list[Data], Loaded]:
    """The results of the task on data of its types, and what ran it: the first evaluator that takes them.

    Raises NoKernel or Failed.
    """
    refusals: list[str] = []
    for evaluator in evaluators():
        try:
            loaded = _loaded(evaluator, task)
            session = loaded.session
            if isinstance(session, NoKernel):
                raise NoKernel(str(session))
            if session is None:  # dropped by another thread since
                session = evaluator.load(task)
            return session.run(data), loaded
        except NoKernel as refusal:
            refusals.append(str(refusal))
    raise NoKernel("; ".join(refusals))


def _loaded(evaluator: Evaluator, task: Task) -> Loaded:
    if task.key is None:
        return Loaded(evaluator.load(task))
    key = (evaluator, task.key)
    found = SESSIONS.get(key)
    if found is None:
        try:
            found = Loaded(evaluator.load(task))
        except NoKernel as refusal:
            found = Loaded(refusal)
        SESSIONS.keep(key, found)
    found.used = True
    return found
