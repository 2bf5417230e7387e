"""Did-you-mean: the known name nearest to one that is not known."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def nearest(name: str, known: Iterable[str]) -> str:
    """The known name nearest to `name`, or the empty string. The first of equally near ones in the order given."""
    if len(name) > 80:
        return ""
    candidates = list(known)
    exact = [other for other in candidates if other.lower() == name.lower()]
    if exact:
        return exact[0]
    found = difflib.get_close_matches(name, candidates, n=1, cutoff=0.6)
    return found[0] if found else ""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A help text: the nearest known name, or all of them where none is near."""
    candidates = list(known)
    guess = nearest(name, candidates)
    if guess:
        return f"Did you mean `{guess}`?"
    return f"Known here: {', '.join(candidates)}." if candidates else ""
