"""What it means to evaluate a node: sessions that are loaded once, and the two ways in which they end badly."""

from __future__ import annotations

from typing import Protocol

from opwright.eager.arrays import Data
from opwright.eager.models import Task


class NoKernel(Exception):
    """The runtime does not take the node, or not with these types; another one may. The text says why."""


class Failed(Exception):
    """The runtime took the node and failed on the data. The text says why."""


class Session(Protocol):
    def run(self, data: tuple[Data, ...]) -> list[Data]:
        """The results of the node on the data of the task's inputs. Raises NoKernel or Failed."""
        ...


class Evaluator(Protocol):
    """One way to run nodes. Sessions are kept per evaluator and `Task.key`, so evaluators must be hashable."""

    def load(self, task: Task) -> Session:
        """A session for every task of the same key. Raises NoKernel."""
        ...
