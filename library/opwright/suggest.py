"""Did-you-mean: the known names that look like one that is not known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def close_names(name: str, known: Iterable[str], *, most: int = 1, cutoff: float = 0.6) -> list[str]:
    """The known names that look like `name`, best first."""
    import difflib  # only a mistake waits for it

    return difflib.get_close_matches(name, list(known), n=most, cutoff=cutoff)


def close_in_any_case(name: str, known: Iterable[str]) -> list[str]:
    """Up to three, whatever their case; of names that differ in case alone the last given."""
    folded = {candidate.lower(): candidate for candidate in known}
    return [folded[match] for match in close_names(name.lower(), folded, most=3, cutoff=0.7)]


def nearest(name: str, known: Iterable[str]) -> str:
    """The known name nearest to `name`, or the empty string. The first of equally near ones in the order given."""
    if len(name) > 80:
        return ""
    candidates = list(known)
    exact = [other for other in candidates if other.lower() == name.lower()]
    if exact:
        return exact[0]
    return next(iter(close_names(name, candidates)), "")


def close_or(name: str, known: Iterable[str], otherwise: str, *, cutoff: float = 0.6) -> str:
    """A help text: up to three names that look like `name`, or `otherwise` where none does."""
    close = close_names(name, known, most=3, cutoff=cutoff)
    return f"did you mean {' or '.join(close)}?" if close else otherwise


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A help text: the nearest known name, or all of them where none is near."""
    candidates = list(known)
    guess = nearest(name, candidates)
    if guess:
        return f"Did you mean `{guess}`?"
    return f"Known here: {', '.join(candidates)}." if candidates else ""


def meant_by(unknown: Iterable[str], known: Sequence[str], missing: Sequence[str]) -> dict[str, str]:
    """The missing names that unknown ones stand for: what they look like, or what alone is left of both. So one mistake
    is told once."""
    near = {name: nearest(name, known) for name in unknown}
    meant = {name: other for name, other in near.items() if other in missing}
    unlike = [name for name, other in near.items() if not other]
    left = [name for name in missing if name not in meant.values()]
    return {**meant, unlike[0]: left[0]} if len(unlike) == len(left) == 1 else meant


def sure_name(name: str, known: Iterable[str]) -> str:
    """The one known name that is sure to be meant, so that a program may write it; empty where there is none, or where
    it might be another one."""
    if len(name) > 80:
        return ""
    candidates = list(dict.fromkeys(known))
    same = [other for other in candidates if other.lower() == name.lower()]
    close = same or close_names(name, candidates, most=2, cutoff=_SURE)
    return close[0] if len(close) == 1 and close[0] != name else ""


_SURE = 0.75
