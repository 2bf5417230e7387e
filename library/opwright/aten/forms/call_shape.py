"""What a form is given: the value of an argument and what is known of the call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from opwright.aten.operator_schema import Argument
from opwright.aten.tensor_facts import Facts, FactsOf, NamedSizes, Sizes
from opwright.elements import ElementType


class NoForm(ValueError):
    """A value that a form does not accept, with the reason."""


@dataclass(frozen=True, slots=True)
class CallShape:
    """The argument, the values of all arguments by name, and the facts of their tensors.

    `first` are the facts of the first tensor among the arguments, None without a tensor; one of rank 0 that the call
    reshapes to rank 1 has one size there. `element` is the element type of the input which the argument becomes, None
    for an attribute and for an input of any type. `results` is how many results the call has, None where it is not
    said.
    """

    argument: Argument
    values: Mapping[str, Any]
    facts_of: FactsOf
    first: Facts | None = None
    element: ElementType | None = None
    results: int | None = None

    @property
    def sizes(self) -> Sizes | None:
        """The sizes of the first tensor, None where its rank is not known."""
        return None if self.first is None else self.first.sizes

    @property
    def named_sizes(self) -> NamedSizes | None:
        """The sizes of the first tensor as numbers or expressions, None where its rank is not known."""
        return None if self.first is None else self.first.named_sizes

    @property
    def rank(self) -> int:
        """The rank of the first tensor. Raises NoForm where it is not known."""
        if self.sizes is None:
            raise NoForm("the rank of the first tensor is not known")
        return len(self.sizes)

    @property
    def spatial_rank(self) -> int:
        """The number of spatial dimensions: as the schema says, else all but batch and channels."""
        return self.argument.size or self.rank - 2

    @property
    def is_double(self) -> bool:
        """Whether the first tensor is of type double."""
        return self.first is not None and self.first.element.name == "double"

    def axis(self, dim: int) -> int:
        """A dimension of the first tensor as a non-negative number. Raises NoForm where there is no such dimension."""
        return axis_of(dim, self.rank)

    def size_along(self, dim: int) -> int | None:
        """The size of a dimension of the first tensor, None where it is not known; 1 for a tensor of rank 0."""
        return None if self.sizes is None else (self.sizes or (1,))[self.axis(dim)]

    def sizes_of(self, tensor: Any) -> Sizes | None:
        """The sizes of a tensor, None where its rank is not known."""
        facts = self.facts_of(tensor)
        return None if facts is None else facts.sizes

    def named_sizes_of(self, tensor: Any) -> NamedSizes | None:
        """The sizes of a tensor as numbers or expressions, None where its rank is not known."""
        facts = self.facts_of(tensor)
        return None if facts is None else facts.named_sizes

    def element_of(self, tensor: Any) -> ElementType | None:
        """The element type of a tensor, None for a value that is none."""
        facts = self.facts_of(tensor)
        return None if facts is None else facts.element

    def is_own_size(self, number: Any, place: int) -> bool:
        """Whether a number that the graph computes is known to be the size of that dimension of the first tensor."""
        facts = self.facts_of(number)
        symbols = () if self.first is None else self.first.symbols
        return facts is not None and bool(facts.symbol) and 0 <= place < len(symbols) and symbols[place] == facts.symbol


class Form(Protocol):
    """Makes of the value of an argument the one that a function gets. Raises NoForm."""

    __name__: str

    def __call__(self, value: Any, call: CallShape, /) -> Any: ...


def axis_of(dim: int, rank: int) -> int:
    """A dimension of a tensor of that rank as a non-negative number. PyTorch gives a tensor of rank 0 one dimension.
    Raises NoForm where there is no such dimension."""
    count = max(rank, 1)
    if not -count <= dim < count:
        raise NoForm(f"there is no dimension {dim} among {rank}")
    return dim % count
