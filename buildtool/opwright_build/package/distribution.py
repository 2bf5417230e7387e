"""How a distribution is called in the names of its files."""

from __future__ import annotations

import re


def distribution_name(library: str) -> str:
    """The first part of a wheel's file name, as its format asks."""
    return re.sub(r"[-_.]+", "_", library).lower()
