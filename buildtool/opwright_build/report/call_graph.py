"""Which functions call which, drawn: Mermaid, Graphviz, SVG and JSON. Equal graphs give equal text."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape

SCHEMA = "opwright.graph/1"
Graph = Mapping[str, Sequence[str]]  # nodes in their order, each with those that it calls, all of which are nodes

_ROW, _GAP, _CHARACTER, _MARGIN = 36, 48, 7.3, 16  # of the drawing, in pixels
_BOX = 24


def mermaid(graph: Graph) -> str:
    numbers = {node: f"n{number}" for number, node in enumerate(graph)}
    lines = ["flowchart LR", *(f'  {numbers[node]}["{_label(node)}"]' for node in graph)]
    lines += (f"  {numbers[node]} --> {numbers[callee]}" for node, callees in graph.items() for callee in callees)
    return "\n".join(lines) + "\n"


def dot(graph: Graph) -> str:
    lines = ["digraph calls {", "  rankdir=LR;", "  node [shape=box];"]
    lines += (f"  {json.dumps(node)};" for node in graph)
    lines += (f"  {json.dumps(node)} -> {json.dumps(callee)};" for node, callees in graph.items() for callee in callees)
    return "\n".join([*lines, "}"]) + "\n"


def as_json(graph: Graph) -> str:
    """One object a line, a node each."""
    lines = (
        json.dumps({"schema": SCHEMA, "function": node, "calls": list(callees)}) for node, callees in graph.items()
    )
    return "".join(f"{line}\n" for line in lines)


def svg(graph: Graph) -> str:
    """Callers to the left of what they call, one column for each step of the longest path."""
    columns = _columns(graph)
    places: dict[str, tuple[float, float, float]] = {}  # left, top, width
    left = float(_MARGIN)
    for column in columns:
        width = max(len(node) for node in column) * _CHARACTER + 16
        for row, node in enumerate(column):
            places[node] = (left, _MARGIN + row * _ROW, width)
        left += width + _GAP
    width = max(left - _GAP + _MARGIN, 2 * _MARGIN)
    height = 2 * _MARGIN + max((len(column) for column in columns), default=0) * _ROW
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" width="{width:.0f}" '
        f'height="{height}" font-family="monospace" font-size="12">',
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0 L8 4 L0 8 z"/></marker></defs>',
    ]
    for node, callees in graph.items():
        for callee in callees:
            x1, y1 = places[node][0] + places[node][2], places[node][1] + _BOX / 2
            x2, y2 = places[callee][0], places[callee][1] + _BOX / 2
            bend = _GAP / 2
            curve = f"M{x1:.1f} {y1:.1f} C{x1 + bend:.1f} {y1:.1f} {x2 - bend:.1f} {y2:.1f} {x2:.1f} {y2:.1f}"
            lines.append(f'<path d="{curve}" fill="none" stroke="#666" marker-end="url(#tip)"/>')
    for node, (x, y, wide) in places.items():
        lines.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{_BOX}" fill="#fff" stroke="#000"/>')
        lines.append(f'<text x="{x + 8:.1f}" y="{y + 16:.1f}">{escape(node)}</text>')
    return "\n".join([*lines, "</svg>"]) + "\n"


FORMATS = {"mermaid": mermaid, "svg": svg, "dot": dot, "json": as_json}


def _columns(graph: Graph) -> list[list[str]]:
    """The nodes by the longest path that leads to them. A graph of calls has no circles; one is cut where it closes."""
    depth: dict[str, int] = {}
    waiting = dict.fromkeys(graph, 0)
    for callees in graph.values():
        for callee in callees:
            waiting[callee] += 1
    ready = [node for node, count in waiting.items() if not count]
    depth.update(dict.fromkeys(ready, 0))
    for node in ready:
        for callee in graph[node]:
            depth[callee] = max(depth.get(callee, 0), depth[node] + 1)
            waiting[callee] -= 1
            if not waiting[callee]:
                ready.append(callee)
    columns: list[list[str]] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
    for node in graph:
        columns[depth.get(node, 0)].append(node)
    return columns


def _label(node: str) -> str:
    return node.replace('"', "#quot;")
