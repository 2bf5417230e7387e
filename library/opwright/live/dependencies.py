"""The dependencies of a compilation for given argument types: what the function and its callees capture."""

from __future__ import annotations

from collections.abc import Mapping

from opwright.diagnostics.diagnostic import DiagnosticError
from opwright.functions import OnnxFunction
from opwright.lang.families.solve import lower_function
from opwright.lang.lower.state.poison import Question
from opwright.live.compiled import Run, named_values
from opwright.live.reads import Reads
from opwright.live.specialise import specialise
from opwright.model_options import Types
from opwright.opsets.opset import Opset


class Dependencies:
    """What a function and its callees captured, recorded at one compilation."""

    __slots__ = ("_reads",)

    def __init__(self, reads: list[Reads]) -> None:
        self._reads = reads

    def still_hold(self) -> bool:
        """Whether all of it would be read again."""
        return all(map(Reads.still_hold, self._reads))


def read_dependencies(
    function: OnnxFunction, opset: int, input_types: Types, attributes: Mapping[str, object]
) -> Dependencies | None:
    """None where the function does not compile for these types, or not without a warning: it may do what graphs cannot,
    such as to print."""
    run = Run(opset, keeps=False)  # which shows no warnings
    try:
        unit, reads = run.unit(function)
        unit, target = specialise(function, unit, opset, attributes, input_types)
        lowered, problems = run.with_callees(function, lambda: lower_function(unit, target))
    except DiagnosticError:
        return None
    if isinstance(lowered, Question) or lowered.function is None or problems or lowered.diagnostics:
        return None
    if any(compiled.family.diagnostics for compiled in run.done.values()):
        return None
    return Dependencies([reads, *(compiled.reads for compiled in run.done.values())])


def names_its_opset(function: OnnxFunction) -> bool:
    """Whether the function itself says for which opset it is compiled, not a module around it or one that it calls."""
    return function.default_opset is not None or any(
        isinstance(value, Opset) and not value.domain for value in named_values(function.__wrapped__)
    )
