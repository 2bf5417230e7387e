"""What a model of the zoo is: a module, and inputs at two sizes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

Inputs = tuple[torch.Tensor, ...]


@dataclass(frozen=True, slots=True)
class Model:
    """`inputs(n)` are those of size `n`, which `dynamic` gives names to: by input, the dimensions that change.

    `more` is how many nodes it may have beyond what the exporter makes of it without our functions, `why` for what.
    """

    name: str
    build: Callable[[], torch.nn.Module]
    inputs: Callable[[int], Inputs]
    dynamic: tuple[dict[int, str], ...]
    sizes: tuple[int, int] = (2, 3)
    more: int = 0
    why: str = ""

    def dynamic_shapes(self) -> Any:
        return tuple(dict.fromkeys(axes, torch.export.Dim.DYNAMIC) for axes in self.dynamic)


def images(channels: int, size: int) -> Callable[[int], Inputs]:
    """A batch of so many images."""
    return lambda count: (torch.randn(count, channels, size, size, generator=generator(count)),)


def tokens(words: int, length: int) -> Callable[[int], Inputs]:
    """A batch of two texts of that length, which is what changes."""
    return lambda count: (torch.randint(0, words, (2, length + count), generator=generator(count)),)


def generator(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


class Flat(torch.nn.Module):
    """A module of one input whose result are tensors; `pick` takes them out of what a library's model gives."""

    def __init__(self, inner: torch.nn.Module, pick: Callable[[Any], Any]) -> None:
        super().__init__()
        self.inner = inner
        self.pick = pick

    def forward(self, x: torch.Tensor) -> Any:
        return self.pick(self.inner(x))
