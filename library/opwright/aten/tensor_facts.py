"""What is known of a tensor, or of a number that the graph computes, when a call is made.

Who makes a call knows its values: `array_calls.facts_of_array` makes the facts of arrays, `foreign/operator_nodes.py`
those of values of a graph. Rules about arguments, element types and inputs read nothing else of a tensor.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from opwright.elements import ElementType

Sizes = tuple[int | None, ...]  # the size of each dimension, None where it is not known
NamedSizes = tuple[int | str | None, ...]  # sizes as numbers or expressions: equal expressions are equal sizes


@dataclass(frozen=True, slots=True)
class Facts:
    """`sizes` is None where the rank is not known. A complex tensor is stored as pairs of real numbers: `element` is
    their type, and `sizes` leaves out the last dimension, of size 2.

    `symbols` are the expressions of its sizes, and `symbol` is that of a number which the graph computes, as far as an
    exporter has them: equal expressions are equal numbers. They are empty where there is none.

    `source` is the element type that a tensor of integers was cast from, where that holds all its values.
    """

    element: ElementType
    sizes: Sizes | None
    is_complex: bool = False
    symbols: tuple[str, ...] = ()
    symbol: str = ""
    source: ElementType | None = None

    @property
    def named_sizes(self) -> NamedSizes | None:
        """The sizes, with the expressions of those whose numbers are not known, as far as there are any."""
        if self.sizes is None or len(self.symbols) != len(self.sizes):
            return self.sizes
        return tuple(
            (symbol or None) if size is None else size for size, symbol in zip(self.sizes, self.symbols, strict=True)
        )


FactsOf = Callable[[Any], Facts | None]  # None for a value that is no tensor
