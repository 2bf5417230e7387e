"""A backend of ONNX (`onnx.backend.base.Backend`) held against the cases of a corpus, in processes of their own."""

from __future__ import annotations

import importlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import Any

import numpy as np
from onnx import ModelProto
from onnx.backend.test.runner import BackendIsNotSupposedToImplementIt
from opwright.eager.messages import one_line

from opwright_build.verify.case_model import Answer, Array, Judge, Value
from opwright_build.verify.conformance.corpus_case import CorpusCase
from opwright_build.verify.items import items_of
from opwright_build.verify.judge.outputs import judge_outputs
from opwright_build.verify.run.isolation import Progress, run_tasks


class Verdict(Enum):
    PASSES = "pass"
    DIFFERS = "differs"  # an output is wrong
    FAILS = "fails"  # it took the model and raised, crashed or went silent
    REFUSED = "refused"  # it does not take the model


@dataclass(frozen=True, slots=True)
class Backend:
    """`name` is `module:Class`, or a module with the functions of a backend; `device` as `prepare` takes it;
    `environment` are variables that are set before it is imported."""

    name: str
    device: str
    environment: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Told:
    """What became of one case; `message` says why it is not a pass."""

    case: CorpusCase
    verdict: Verdict
    message: str


def conform(
    backend: Backend, cases: Sequence[CorpusCase], workers: int, limit: float, progress: Progress | None = None
) -> list[Told]:
    """The verdicts, in the order of the cases; each may take `limit` seconds. With 0 `workers` all of it runs here."""
    tasks = [_Run(backend, case.model, case.inputs, case.outputs, case.judge) for case in cases]
    answers = run_tasks(tasks, workers=workers, timeout=limit, progress=progress)
    return [Told(case, Verdict(verdict), message) for case, (verdict, message) in zip(cases, answers, strict=True)]


def why_unusable(backend: Backend, workers: int, limit: float) -> str:
    """Why it cannot be used at all, asked in a process of its own; empty where it can."""
    (answer,) = run_tasks([_Probe(backend)], workers=min(workers, 1), timeout=limit)
    return str(answer)


@dataclass(frozen=True, slots=True)
class _Probe:
    backend: Backend

    def run(self) -> str:
        try:
            found = _load(self.backend)
        except Exception as error:  # whatever a module does when it is imported
            return f"{type(error).__name__}: {one_line(error)}"
        if not callable(getattr(found, "prepare", None)):
            return "it has no `prepare`"
        supports = getattr(found, "supports_device", None)
        if callable(supports) and not supports(self.backend.device):
            return f"it does not support the device {self.backend.device}"
        return ""

    def pieces(self) -> Sequence[_Probe]:
        return (self,)

    def join(self, results: Sequence[str]) -> str:
        return results[0]

    def lost(self, how: str) -> str:
        return f"its process {how}"


@dataclass(frozen=True, slots=True)
class _Run:
    """One case: a task of `isolation`."""

    backend: Backend
    model: bytes
    inputs: tuple[Value, ...]
    outputs: tuple[Answer, ...]
    judge: Judge

    def run(self) -> tuple[str, str]:
        verdict, message = self._judged()
        return verdict.value, message

    def pieces(self) -> Sequence[_Run]:
        return (self,)

    def join(self, results: Sequence[tuple[str, str]]) -> tuple[str, str]:
        return results[0]

    def lost(self, how: str) -> tuple[str, str]:
        return Verdict.FAILS.value, f"the backend {how}"

    def _judged(self) -> tuple[Verdict, str]:
        backend, model = _load(self.backend), ModelProto.FromString(self.model)
        try:
            compatible = getattr(backend, "is_compatible", None)
            if callable(compatible) and not compatible(model, self.backend.device):
                return Verdict.REFUSED, "it says that it is not compatible"
            prepared = backend.prepare(model, self.backend.device)
        except BackendIsNotSupposedToImplementIt as error:
            return Verdict.REFUSED, one_line(error)
        except Exception as error:  # a backend's errors share no base class
            return Verdict.REFUSED, f"{type(error).__name__}: {one_line(error)}"
        try:
            given = [list(value.arrays) if not isinstance(value, np.ndarray) else value for value in self.inputs]
            found = [_value(item) for item in prepared.run(given)]
        except BackendIsNotSupposedToImplementIt as error:
            return Verdict.REFUSED, one_line(error)
        except Exception as error:
            return Verdict.FAILS, f"{type(error).__name__}: {one_line(error)}"
        names = [item.name for item in model.graph.output]
        wrong = judge_outputs(self.judge, names, self.outputs, found)
        return (Verdict.DIFFERS, wrong) if wrong else (Verdict.PASSES, "")


def _value(item: object) -> Value:
    if isinstance(item, list | tuple):
        arrays: list[Array] = [np.asarray(part) for part in item]
        return items_of(arrays, "")
    return np.asarray(item)


@cache
def _load(backend: Backend) -> Any:
    os.environ.update(backend.environment)
    module, _, path = backend.name.partition(":")
    found: Any = importlib.import_module(module)
    for part in path.split(".") if path else ():
        found = getattr(found, part)
    return found
