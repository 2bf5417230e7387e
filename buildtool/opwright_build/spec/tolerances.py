"""How far a result may lie from the exact value: the default for each element type, and what a spec may say instead.

A float type of precision p (24 for float) gets 4 units in the last place, or 4 * 2^-p times the output's scale:
a body of a few operators rounds after each one, and near zero of a sum the last place says nothing. Types below
16 bits round so coarsely that one unit is all a correct body needs. Everything else is exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from opwright.elements import BY_NAME, ElementType

from opwright_build.spec.model import Tolerance
from opwright_build.spec.runtime_names import RUNTIME_NAMES, layers_of

EXACT = Tolerance(0.0, 0.0)


def _default(element: ElementType) -> Tolerance:
    if not element.is_float:
        return EXACT
    units = 4.0 if element.bits >= 16 else 1.0
    return Tolerance(units, units * 2.0**-element.precision)


DEFAULT_TOLERANCES: Mapping[str, Tolerance] = {name: _default(element) for name, element in BY_NAME.items()}


def is_looser(tolerance: Tolerance, element: str) -> bool:
    """Whether it accepts differences that the element type's default would not."""
    default = DEFAULT_TOLERANCES[element]
    return tolerance.ulp > default.ulp or tolerance.absolute > default.absolute


@dataclass(frozen=True, slots=True)
class StatedLimit:
    """What a spec says of one key of `tolerance:`; None where it leaves the default of the element type."""

    ulp: float | None
    absolute: float | None
    reason: str


def whole(
    stated: Mapping[str, StatedLimit], elements: Iterable[str], base: Mapping[str, Tolerance] = DEFAULT_TOLERANCES
) -> dict[str, Tolerance]:
    """One tolerance for each element type: its own, else the stated `default` for float types, else that of `base`.

    A stated `default` never loosens integers, booleans and text: those are loosened by name alone.
    """
    result: dict[str, Tolerance] = {}
    for name in elements:
        table = base[name]
        limit = stated.get(name) or (stated.get("default") if BY_NAME[name].is_float else None)
        if limit is None:
            result[name] = table
        else:
            ulp = table.ulp if limit.ulp is None else limit.ulp
            absolute = table.absolute if limit.absolute is None else limit.absolute
            result[name] = Tolerance(ulp, absolute, limit.reason)
    return result


def by_runtime(
    stated: Mapping[str, Mapping[str, StatedLimit]], general: Mapping[str, Tolerance]
) -> dict[str, dict[str, Tolerance]]:
    """The tolerances of each runtime of which something is stated, whole as `general` is.

    `stated` is by runtime or family. What is said of a runtime goes before what is said of its family, and that before
    what holds for all.
    """
    result: dict[str, dict[str, Tolerance]] = {}
    for runtime in RUNTIME_NAMES:
        for layer in layers_of(runtime):
            if stated.get(layer):
                result[runtime] = whole(stated[layer], general, result.get(runtime, general))
    return result
