"""The passes over a lowered function, in their order.

Each takes a function that `ir_verify.verify` finds nothing wrong with and leaves one that it finds nothing wrong with.
"""

from __future__ import annotations

from collections.abc import Callable

from opwright.lang import dead
from opwright.lang.looked_up import OperatorName
from opwright.lang.lower.numbers import powers
from opwright.lang.lower.state.context import Lowering
from opwright.opsets.records import SEQUENCE_MAP

Pass = Callable[[Lowering], None]
_SEQUENCE_MAP = OperatorName("", SEQUENCE_MAP.name)


def passes_of(whole: bool) -> tuple[Pass, ...]:
    """The passes over a function; a `whole` one keeps all attributes that its author declares."""
    return _ALWAYS if whole else _OF_VARIANTS


def expand_powers(low: Lowering) -> None:
    powers.expand_powers(low, low.function.body)


def take_out_choices(low: Lowering) -> None:
    if any(node.regions() for node in low.function.body.nodes):
        from opwright.lang.lower.truth_choices import take_out_choices  # functions without branches do without it

        take_out_choices(low)


def keep_constants_inside(low: Lowering) -> None:
    if _SEQUENCE_MAP in low.target.looked_up:
        from opwright.lang import isolated  # functions without one do without it

        isolated.keep_constants_inside(low.function.body, low.prologue.nodes, low.copied)


def remove_dead_nodes(low: Lowering) -> None:
    dead.remove_dead_nodes(low.function)


def remove_unused_attributes(low: Lowering) -> None:
    dead.remove_unused_attributes(low.function)


_ALWAYS = (expand_powers, take_out_choices, keep_constants_inside, remove_dead_nodes)
_OF_VARIANTS = (*_ALWAYS, remove_unused_attributes)
