"""Operators of versions that do not broadcast: Add and its like below opset 7, Sum and its like below opset 8.

Runtimes compute with operands of other shapes all the same, or fail: nothing checks it when a model is loaded. So it
is checked here. Takes a call that is bound, gives its attributes; refuses (OW220) operands that may differ in shape.
"""

from __future__ import annotations

from collections.abc import Sequence

from opwright.diagnostics.diagnostic import Choice
from opwright.lang import ir
from opwright.lang.lower.state.context import Lowering
from opwright.lang.meaning.operands import is_run_time_number, is_tensor
from opwright.lang.text.source import Span
from opwright.opsets.record import RankRule
from opwright.opsets.signatures import Signature

BROADCASTS_SINCE = 8  # every operator that broadcasts at all
_SWITCHED = ("axis", "broadcast")  # attributes of the binary ones, below opset 7
Shape = tuple[ir.Dimension, ...] | None


def fit_shapes(
    low: Lowering,
    found: Signature,
    inputs: Sequence[ir.Value | None],
    attributes: dict[str, ir.Attribute],
    span: Span | None,
    written: bool,
) -> dict[str, ir.Attribute]:
    """The attributes with `broadcast` set where one operand has to be. `written`: the author names the operator, and
    answers for shapes that are not known."""
    if found.domain or found.since_version >= BROADCASTS_SINCE:
        return attributes
    binary = all(name in found.attributes for name in _SWITCHED)
    if not binary and not (found.record.rank is RankRule.BROADCAST and found.variadic):
        return attributes
    if "broadcast" in attributes:
        return attributes
    operands = [value for value in inputs if value is not None]
    first = operands[0]
    different = [value for value in operands[1:] if not _same(first, value)]
    if not different:
        return attributes
    if binary and "broadcast" not in found.record.runtimes_lack and _is_tail(_shape(different[0]), _shape(first)):
        return {**attributes, "broadcast": ir.AttributeValue(ir.AttributeKind.INT, 1)}
    if written and not any(_known(value) and _known(first) for value in different):
        return attributes
    raise low.error(
        "OW220",
        f"{found.name} needs operands of one shape at opset {low.target.bare_opset}",
        span,
        reason=f"{found.identity}, the version there, does not broadcast, and these are {first.type!r} and "
        f"{different[0].type!r}",
        help="compile for opset 8 or newer, or declare shapes that are the same: `FLOAT[2, 3]`",
        subject=found.name,
        depends_on=Choice.OPSET,
    )


def _shape(value: ir.Value) -> Shape:
    if is_tensor(value):
        return value.type.shape
    return () if is_run_time_number(value) else None


def _known(value: ir.Value) -> bool:
    return _shape(value) is not None


def _same(one: ir.Value, other: ir.Value) -> bool:
    """Whether both are known to have one shape."""
    shape = _shape(one)
    return one is other or (shape is not None and None not in shape and shape == _shape(other))


def _is_tail(shape: Shape, whole: Shape) -> bool:
    """Whether `broadcast=1` lays the one over the last dimensions of the other."""
    if shape is None or None in shape:
        return False
    return not shape or (whole is not None and whole[len(whole) - len(shape) :] == shape and len(shape) <= len(whole))
