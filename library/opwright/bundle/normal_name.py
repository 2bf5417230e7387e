"""How package indexes compare the names of distributions."""

from __future__ import annotations

import re


def normal_name(name: str) -> str:
    """A distribution's name as package indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()
