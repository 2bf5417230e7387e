"""Arrays of numpy among themselves: what Python computes with them before they meet a tensor.

A constant is a tensor of the graph, while Python holds an array. Their operators are the same but for a few, which are
refused.
"""

from __future__ import annotations

from opwright.lang import ir
from opwright.lang.lower.context import Lowering
from opwright.lang.lower.numbers import is_static_number, number_kind
from opwright.lang.lower.operands import Operand
from opwright.lang.source import Span


def check_arrays(low: Lowering, symbol: str, operands: tuple[Operand, ...], span: Span) -> bool:
    """Whether Python computes with arrays of ints or bools alone; refuses what numpy gives and the graph does not."""
    arrays = [operand for operand in operands if is_array(low, operand)]
    if not arrays or not all(is_static_number(item) or item in arrays for item in operands):
        return False
    fractions = any(is_static_number(item) and number_kind(item) is ir.NumberKind.FLOAT for item in operands)
    if symbol == "/" or fractions:
        raise low.error(
            "OW314",
            f"`{symbol}` of an array of ints" + (" and a float" if fractions else ""),
            span,
            reason="numpy makes an array of floats; in a graph it would hold ints",
            help="compute it at module level, or begin with floats: `np.array([1.0, 2.0], dtype=np.float32)`",
        )
    return True


def is_array(low: Lowering, operand: Operand) -> bool:
    """Whether Python holds an array of numpy, of ints or bools."""
    return isinstance(operand, ir.Value) and operand in low.arrays


def note_array(low: Lowering, result: Operand) -> None:
    """Remembers that Python holds an array of numpy, or an item of one."""
    if isinstance(result, ir.Value):
        low.trail.put(low.arrays, result, None)
