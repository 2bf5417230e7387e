"""The two ways in which a model tells the variants of a function apart."""

from __future__ import annotations

from enum import Enum
from typing import NoReturn


class Profile(Enum):
    """How variants are told apart.

    `portable` is right everywhere. `overload` needs IR 10 and onnxruntime 1.27: older ones run the last function of the
    name, as the reference evaluator does.
    """

    PORTABLE = "portable"  # by name
    OVERLOAD = "overload"  # by overload, but of those that functions call: no runtime finds them there

    @classmethod
    def _missing_(cls, value: object) -> NoReturn:
        """ValueError that names the profiles."""
        raise ValueError(f"`profile` is {' or '.join(repr(item.value) for item in cls)}, not {value!r}")
