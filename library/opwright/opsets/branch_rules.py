"""`If` on the way down: what its versions ask of the shapes of what both branches give.

Before version 11 that is one shape, and inference takes for it what it knows of either branch. Up to version 12
inference takes a first branch of rank 0 for the shape where it knows nothing of the other one. Runtimes compute ahead
with what is inferred.
"""

from __future__ import annotations

from opwright.opsets.version_rules import ModelForm

_BRANCHES = ("then_branch", "else_branch")


def one_shape_of_branches(model: ModelForm) -> str:
    for first, second in _yielded(model):
        if first is None or None in first or first != second:
            return "its branches are not known to give values of one shape, which they had to before"
    return ""


def scalar_beside_unknown(model: ModelForm) -> str:
    for first, second in _yielded(model):
        if first in (None, ()) and second is None:
            return "its branches may give a scalar and another shape, which inference took for a scalar, too, before"
    return ""


def _yielded(model: ModelForm) -> list[tuple[tuple[object, ...] | None, tuple[object, ...] | None]]:
    first, second = (model.yielded(name) for name in _BRANCHES)
    return list(zip(first, second, strict=False))
