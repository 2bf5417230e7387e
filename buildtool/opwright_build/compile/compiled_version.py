"""What compiling yields, as plain values: bodies by digest, and for each version which body serves which opset."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from opwright.bundle.format import FunctionEntry
from opwright.diagnostics.diagnostic import Diagnostic, Place
from opwright.variants import Key


@dataclass(frozen=True, slots=True)
class Unreachable:
    """Opsets for which a version, or a variant of it, cannot be built: the operator that prevents it, and where.

    `variant` is empty for the version as a whole. An element type that a body does not admit counts as a variant of
    that type. `operator` is empty where it is not an operator that prevents it.
    """

    first: int
    last: int
    operator: str
    reason: str
    place: Place
    variant: Key = ()


@dataclass(frozen=True, slots=True)
class CompiledVersion:
    """One version, compiled over its opset range.

    `entry` is what the bundle's index will hold; `bodies` the anonymous FunctionProtos, serialised, by digest
    (`body1:<sha256>`), callees excluded; `unreachable` the opsets of the range without a body; `templates` the text of
    the template that serves the opsets at which the family is open, by digest.
    """

    entry: FunctionEntry
    bodies: Mapping[str, bytes]
    unreachable: tuple[Unreachable, ...]
    diagnostics: tuple[Diagnostic, ...] = ()
    templates: Mapping[str, bytes] = field(default_factory=dict)
