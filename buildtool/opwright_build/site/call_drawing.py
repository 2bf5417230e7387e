"""Which functions call which, as SVG: callers above what they call, each a link to its page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from opwright_build.site.body_drawing import Drawing, body_drawing
from opwright_build.site.site_record import Callee, DrawnGraph, DrawnNode

MOST = 300  # functions that are drawn


def call_drawing(
    calls: Mapping[str, Sequence[str]], names: Mapping[str, str], links: Mapping[str, str]
) -> Drawing | None:
    """None where there are no calls, or too many to be looked at. `links` says for each page where it lies."""
    called = {callee for callees in calls.values() for callee in callees}
    concerned = [page for page in names if calls.get(page) or page in called]
    if not concerned or len(concerned) > MOST:
        return None
    callers: dict[str, list[str]] = {page: [] for page in concerned}
    for page in concerned:
        for callee in calls.get(page, ()):
            callers[callee].append(page)
    places: dict[str, int] = {}
    nodes: list[DrawnNode] = []
    for page in _callers_first(concerned, calls, callers):
        reads = tuple(sorted(places[caller] for caller in dict.fromkeys(callers[page]) if caller in places))
        places[page] = len(nodes)
        nodes.append(DrawnNode(names[page], (), reads, "call", Callee(names[page], page)))
    return body_drawing(DrawnGraph(tuple(nodes)), "Which functions call which", links)


def _callers_first(
    pages: Sequence[str], calls: Mapping[str, Sequence[str]], callers: Mapping[str, Sequence[str]]
) -> list[str]:
    """Each function behind those that call it; versions may call one another in a circle, which is cut."""
    waiting = {page: len(set(callers[page])) for page in pages}
    ready = [page for page in pages if not waiting[page]]
    for page in ready:
        for callee in dict.fromkeys(calls.get(page, ())):
            waiting[callee] -= 1
            if not waiting[callee]:
                ready.append(callee)
    known = set(ready)
    return [*ready, *(page for page in pages if page not in known)]
