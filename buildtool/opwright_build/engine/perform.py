"""Performing one action: its function is called with a reader, and what it read and made is the record."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module

from opwright.diagnostics.diagnostic import DiagnosticError

from opwright_build.engine.action import Action, Failed, Outcome, Record
from opwright_build.engine.reader import Reader
from opwright_build.engine.sources import Sources
from opwright_build.engine.store import Store
from opwright_build.engine.system_errors import InfrastructureError

ActionFunction = Callable[[Reader], Outcome]


@dataclass(frozen=True, slots=True)
class Performed:
    """What running an action gave; `made` are the bytes of its outputs by digest."""

    record: Record
    made: Mapping[str, bytes]
    seconds: float = 0.0


def perform(
    target: str, action: Action, inputs: Mapping[str, bytes], store: Store | None, sources: Sources
) -> Performed:
    """Runs one action's function here and now. Findings it raises are its outcome; other exceptions pass through.

    `inputs` are the bytes of inputs, and `store` has the others; nothing is written to it.
    """
    begun = time.perf_counter()
    reader = Reader(action, inputs, store, sources)
    module, _, name = target.partition(":")
    function: ActionFunction = getattr(import_module(module), name)
    try:
        outcome = function(reader)
    except InfrastructureError:
        raise
    except DiagnosticError as error:
        outcome = Failed(error.diagnostics)
    return Performed(Record(outcome, reader.reads), reader.made, time.perf_counter() - begun)
